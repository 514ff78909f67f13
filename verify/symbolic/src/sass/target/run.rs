//! A run of code, instruction by instruction.

use super::code::Code;
use super::request::{Request, Role};
use super::state::{Run, Shared, Write, of_warp};
use super::stop::Stop;
use crate::assumption::Assumption;
use crate::cut::Need;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::obstacle::place::{Place, Position, Side as Which};
use crate::obstacle::target::{Ending, Target as Unfollowed};
use crate::obstacle::{Located, Obstacle};
use crate::sass::cut::cuts;
use crate::sass::{demand, flow};
use crate::trace::bank::constants;
use crate::trace::copies;
use crate::trace::facts::{Reading, Unasked};
use crate::trace::fence::Fence;
use crate::trace::leader::Leaders;
use crate::trace::loops::Loops;
use crate::trace::path::Path;
use crate::trace::side::{Side, Start, WORD};
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::step::{Outcome, guard, step};
use sassafras_isa::{Inst, Register, Style, print};
use sassafras_link::{ELSEWHERE, link};
use sassafras_semantics::{Domain, TermId, Trap};
use std::collections::BTreeSet;

/// The target after its run.
pub struct Target<'i> {
    /// What it did.
    pub side: Side<'i, Register>,
    /// Register writes in order.
    pub writes: Vec<Write>,
    /// Instructions that were run at least once, and those there are.
    pub reached: (u32, u32),
    /// Byte offsets of instructions that read registers of the warp which were always written in another straight piece of code.
    pub later: BTreeSet<u64>,
    /// Lanes that came to places at which the run ends, in order.
    pub arrived: Vec<(u64, Path<Register>)>,
}

impl Target<'_> {
    /// What it computed: what it wrote, and what paths brought together.
    pub fn computed(&self) -> impl Iterator<Item = TermId> {
        self.writes.iter().map(|w| w.1).chain(self.side.log.joined.iter().copied())
    }
}

/// Runs a function to its end.
///
/// # Errors
/// What is not covered, and where.
pub fn run<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    bound: u32,
    request: Request<'_>,
    role: Role,
) -> Result<Target<'i>, Located> {
    let (side, ends) = (if role == Role::Source { Which::Source } else { Which::Target }, BTreeSet::new());
    let ran = run_from(inputs, cubin, function, bound, request, role, Start::default(), &ends);
    ran.map_err(|why| why.on(side))
}

/// What a piece of code leaves in registers, from what it finds in some. It ends behind its last instruction.
///
/// # Errors
/// What is not covered; code that does not reach its end, or reaches it in several groups of lanes.
pub fn piece<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    given: &[(Register, TermId)],
) -> Result<FxHashMap<Register, TermId>, Located> {
    let mut request = Request::default();
    (request.facts.votes, request.facts.combines) = (true, true);
    let start = Start { registers: given.iter().copied().collect(), ..Start::default() };
    let end = BTreeSet::from([function.code.len() as u64]);
    let ran = run_from(inputs, cubin, function, 1, request, Role::Target, start, &end)?;
    let mut arrived = ran.arrived.into_iter();
    match (arrived.next(), arrived.next()) {
        (Some((_, path)), None) => Ok(path.registers),
        (None, _) => Err(no_end(Ending::Unreached)),
        // All paths come to the end at once: none is further back.
        (Some(_), Some(_)) => Err(no_end(Ending::Apart)),
    }
}

/// Runs a function from a start to where it ends, or to some of its instructions, which are not executed then. Places are numbers of instructions.
///
/// # Errors
/// What is not covered, and where.
pub fn run_from<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    bound: u32,
    request: Request<'_>,
    role: Role,
    start: Start<Register>,
    ends: &BTreeSet<u64>,
) -> Result<Target<'i>, Located> {
    let chip = Chip::from_number(cubin.sm).ok_or(Unfollowed::Chip { sm: cubin.sm })?;
    let linked;
    let (cubin, function) = if function.relocations.is_empty() {
        (cubin, function)
    } else {
        linked = link(cubin, &function.name).map_err(|said| Unfollowed::Said { said: said.into() })?;
        let own = linked.functions.iter().find(|f| f.name == function.name);
        (&*linked, own.ok_or_else(|| no_end(Ending::Elsewhere))?)
    };
    let code = Code::new(function, chip, request.updates);
    let mut run = Run {
        side: side(inputs, cubin, function, chip, bound, request, role, start),
        chip,
        cubin,
        function,
        code: &code,
        role,
        weakened: request.weakened,
        writes: Vec::new(),
        shared: Shared::default(),
        fault: None,
        leaders: Leaders::default(),
        answers: false,
        guessed: None,
    };
    run.side.cuts = cuts(function, chip, request.cutting)?;
    run.side.walk.meeting_places = code.meeting_places();
    let mut arrived = Vec::new();
    while let Some(index) = run.side.advance()? {
        if ends.contains(&index) {
            arrived.push((index, run.side.path.clone()));
            run.side.stop();
            continue;
        }
        run.instruction(index)?;
        run.side.proceed(index + 1);
    }
    run.finish(arrived)
}

fn no_end(ending: Ending) -> Located {
    Unfollowed::NoEnd { ending }.into()
}

/// The side that a run is of.
fn side<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    chip: Chip,
    bound: u32,
    request: Request<'_>,
    role: Role,
    start: Start<Register>,
) -> Side<'i, Register> {
    let who = if role == Role::Source { "source" } else { "target" };
    let loops = Loops::of(&flow::flow(function, chip), &flow::starts(function, chip));
    let mut side = Side::new(inputs, who, bound, loops, start);
    side.machine = true;
    side.reading = Reading {
        facts: request.facts,
        unasked: Unasked::default(),
        updates: request.updates,
        constants: constants(cubin),
        admitted: request.admitted,
    };
    side
}

impl<'i> Run<'_, 'i> {
    /// Executes the instruction with this number, by the lanes that are looked at.
    fn instruction(&mut self, index: u64) -> Result<(), Located> {
        let address = WORD * index;
        let code = self.code;
        let Some(inst) = code.inst(index) else { return Err(no_end(Ending::NoExit)) };
        self.side.place = address;
        let at = |text: Option<Box<str>>, obstacle: Obstacle| {
            let position = Position { side: None, place: Some(Place::Offset(address)), text };
            Located { position, obstacle }
        };
        let unknown = |said: String| at(None, Unfollowed::NoInstruction { said: said.into() }.into());
        let inst = inst.as_ref().map_err(|e| unknown(e.to_string()))?;
        let held = &self.side.inputs.held;
        self.execute(index, inst)
            .map_err(|stop| at(Some(print(inst, &Style::default()).into()), stop.obstacle(held)))
    }

    fn execute(&mut self, index: u64, inst: &Inst) -> Result<(), Stop> {
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        self.side.guard = d.yes();
        if self.leave_swap_loop(index, inst)? {
            return Ok(());
        }
        let holds = guard(d, inst, self)?;
        self.side.guard = inputs.normal.of(holds);
        if inputs.known(self.side.guard) == Some(0) {
            return Ok(());
        }
        if inst.ends_collective() {
            let (lanes, warp, _) = self.side.lanes();
            lanes.end_collective(warp);
        }
        demand::aligned(inst)?;
        demand::plain(inst)?;
        copies::before(&self.side, inst)?;
        self.demand_descriptor(inst)?;
        if self.begin_swap_loop(index, inst)? {
            return Ok(());
        }
        let held = self.before_swap(index)?;
        let outcome = match step(d, inst, WORD * index, self) {
            Ok(outcome) => self.resolved(outcome),
            Err(Trap::Trapped) => {
                self.side.trap();
                return Ok(());
            }
            Err(trap) => return Err(trap.into()),
        };
        copies::after(&mut self.side, inst, &outcome, self.code.may_end_copying)?;
        self.after_swap(index, held)?;
        self.handle(index, inst, outcome)?;
        self.fault.take().map_or(Ok(()), |why| Err(why.into()))
    }

    /// A jump to an address that is that of a function which the driver resolves, as the loader has put it into a call, goes to that function's symbol.
    fn resolved(&self, outcome: Outcome<TermId>) -> Outcome<TermId> {
        let Outcome::IndirectBranch { target, condition } = outcome else { return outcome };
        let inputs = self.side.inputs;
        let place = inputs.known(target).and_then(|known| u64::try_from(known).ok()?.checked_sub(ELSEWHERE));
        let slot = place.and_then(|place| self.cubin.addresses.get(usize::try_from(place / WORD).ok()?));
        let symbol = |name: &String| inputs.input(Input::Symbol(name.clone()), 64, true);
        Outcome::IndirectBranch { target: slot.map_or(target, |slot| symbol(&slot.symbol)), condition }
    }

    /// An access of global memory by a descriptor is taken for one without: it has to be that of the launch.
    fn demand_descriptor(&mut self, inst: &Inst) -> Result<(), Stop> {
        use sassafras_semantics::State;
        let d = self.side.inputs.terms;
        let Some([low, high]) = demand::descriptor(inst, self.chip) else { return Ok(()) };
        let place = self.chip.bank().global_descriptor.unwrap_or_default().into();
        let (low, high) = (self.read(d, low)?, self.read(d, high)?);
        let right = self.bank(d, 0, place, 8)?;
        self.side.demand_not(d.not(&d.eq(&d.concat(&high, &low), &right)));
        Ok(())
    }

    /// What an instruction comes to.
    fn handle(&mut self, index: u64, inst: &Inst, outcome: Outcome<TermId>) -> Result<(), Stop> {
        match outcome {
            Outcome::Next => self.go_on(inst),
            Outcome::Yield => {
                self.yields();
                Ok(())
            }
            Outcome::Branch { target, condition } => self.branch(index, inst, target, condition),
            Outcome::BranchByConvergence { target, mask, converged } => {
                self.branch_by_convergence(target, mask, converged)
            }
            Outcome::IndirectBranch { target, condition } => {
                self.indirect_branch(index, inst, target, condition)
            }
            Outcome::Exit { condition } => {
                self.side.leave(condition);
                Ok(())
            }
            Outcome::SetBarrier { barrier, .. } => {
                self.set_barrier(barrier);
                Ok(())
            }
            Outcome::Sync { barrier, condition } => self.sync(barrier, condition),
            Outcome::Break { barrier, condition } => {
                self.break_off(barrier, condition);
                Ok(())
            }
            Outcome::WriteBarrier { barrier, mask } => {
                self.write_barrier(barrier, mask);
                Ok(())
            }
            Outcome::ReadBarrier { barrier, to, clear } => {
                self.read_barrier(barrier, to, clear);
                Ok(())
            }
            Outcome::Collective { op, args, results } => self.collective(index, inst, op, &args, &results),
            Outcome::BarrierResult { count, decision } => self.barrier_result([count, decision]),
        }
    }

    /// The next instruction follows.
    fn go_on(&mut self, inst: &Inst) -> Result<(), Stop> {
        let d = self.side.inputs.terms;
        if inst.row().mnemonic == "NOP"
            && self.side.reading.facts.left_out
            && !self.side.path.lanes.are_apart()
            && self.side.is_unguarded()
        {
            self.warp_barrier(d.constant(32, 0xffff_ffff))?;
        }
        if inst.row().id == "cctl.ivall" {
            let guard = self.side.guard;
            if self.leaders.leads(&mut self.side) {
                self.side.guard = d.yes();
            }
            self.fence_event(Fence::Acquire)?;
            self.side.guard = guard;
        }
        Ok(())
    }

    /// What is said of registers of the warp at the heads of loops is given up where lanes elsewhere may have written them.
    fn keep_rows(&mut self) {
        let (shared, warp) = (&self.shared, &self.side.warp);
        let carried = self.side.cuts.carried.iter().filter(|c| of_warp(c.register));
        let lost = carried.filter(|c| shared.is_lost(warp, c.register, c.value, &c.span));
        let needs: Vec<_> = lost.map(|c| (c.cut, Need::Register(c.register))).collect();
        self.side.cuts.needs.extend(needs);
    }

    /// The end: what was noted of registers of the warp, and what is left to be said of lanes.
    fn finish(mut self, arrived: Vec<(u64, Path<Register>)>) -> Result<Target<'i>, Located> {
        self.side.settled()?;
        self.side.merge();
        self.keep_rows();
        // What has to be given up is no proof: it is said first.
        let told = self.side.cuts.needs.is_empty() && !self.side.cuts.watches();
        let rests = if told { self.shared.settled(&self.side.warp)? } else { true };
        if rests {
            self.side.log.assumed.insert(Assumption::Switch);
        }
        self.side.log.assumed.extend([Assumption::Bank, Assumption::Isa]);
        let reached = self.code.reached(&self.side.walk);
        let later = self.shared.later();
        Ok(Target { side: self.side, writes: self.writes, reached, later, arrived })
    }
}
