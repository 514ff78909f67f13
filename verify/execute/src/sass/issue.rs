//! One instruction of one group.

use super::across::{self, End, Gathered};
use super::group::{Group, Wait};
use super::program::{Instruction, Program, WORD};
use super::together;
use super::warp::{Lane, Warp, Write};
use crate::collective::lanes;
use crate::options::TraceEvent;
use crate::outcome::{Failure, Location};
use crate::schedule::{Block, World};
use sassafras_isa::{ControlFlowKind, Outcome, Output, PT, Register, guard, step};
use sassafras_semantics::{Bits, Collective, Domain, State, SystemCall, Trap};
use smallvec::SmallVec;

/// Splits the machine into one lane's view and the domain.
macro_rules! view {
    ($warp:expr, $world:expr, $block:expr, $lane:expr, $writes:expr) => {
        Lane {
            lane: $lane,
            warp: $warp.index,
            registers: &mut $warp.registers,
            local: &mut $warp.local[$lane],
            world: $world,
            block: $block,
            writes: $writes,
        }
    };
}

/// Issues the next instruction of group `i`.
pub(super) fn issue(
    program: &Program,
    warp: &mut Warp,
    i: usize,
    world: &mut World<'_>,
    block: &mut Block,
) -> Result<(), Failure> {
    let Group { pc, lanes: group, .. } = warp.groups[i];
    let lowest = group.trailing_zeros();
    let at = |block: &Block, warp: &Warp| program.location(block, warp.index, lowest, pc);
    let instruction = match program.code.get(pc as usize) {
        Some(Ok(instruction)) => instruction,
        Some(Err(why)) => {
            let trap = Trap::Unsupported(format!("the word ({why})"));
            return Err(Failure::Trap { trap, at: at(block, warp) });
        }
        None if let Some(name) = program.called(pc) => {
            let Some(call) = SystemCall::named(name) else {
                let trap = Trap::Unsupported(format!("a call of `{name}`, of which nothing is known,"));
                return Err(Failure::Trap { trap, at: at(block, warp) });
            };
            return super::system::call(program, warp, i, world, block, call);
        }
        None => {
            let what = "control leaves the code".to_owned();
            return Err(Failure::Undefined { what, at: at(block, warp) });
        }
    };
    let executing = 0;
    Issue { program, warp, world, block, instruction, i, pc, group, executing, writes: Vec::new() }.run()
}

/// What lanes come to, each once.
type Outcomes = SmallVec<[(u32, Outcome<Bits>); 4]>;

/// Where the lanes of a group go; empty if the group has moved already.
type Parts = SmallVec<[Group; 4]>;

/// An instruction that is issued for a group.
struct Issue<'s, 'w> {
    program: &'s Program,
    warp: &'s mut Warp,
    world: &'s mut World<'w>,
    block: &'s mut Block,
    instruction: &'s Instruction,
    /// The number of the group.
    i: usize,
    /// Where it stands, in words.
    pc: u64,
    /// Its lanes.
    group: u32,
    /// Those of them whose guard holds.
    executing: u32,
    /// What registers are written, where somebody listens.
    writes: Vec<Write>,
}

impl Issue<'_, '_> {
    fn run(&mut self) -> Result<(), Failure> {
        if let Some(n) = self.instruction.beyond {
            let trap = Trap::Poison(format!("R{n}, beyond the function's register count,"));
            return Err(self.trap(self.group.trailing_zeros() as usize, trap));
        }
        self.executing = self.guarded()?;
        self.count()?;
        let mut outcomes = Outcomes::new();
        self.step(&mut outcomes)?;
        if self.instruction.ends_collective {
            self.warp.groups[self.i].alone = None;
        }
        let first = outcomes.first().map(|(_, outcome)| outcome.clone());
        let gives_way = matches!(first, Some(Outcome::Yield));
        let leaves = match first {
            Some(Outcome::Break { barrier, .. }) => Some((barrier & 15, leaving(&outcomes))),
            _ => None,
        };
        let parts = self.go_on(first, &mut outcomes)?;
        self.record(&parts);
        if self.warp.groups[self.i].pc == self.pc {
            // Straight-line instructions have moved the group already; a jump to itself comes here too.
            self.warp.split(self.i, &parts);
        }
        if gives_way && self.executing != 0 {
            self.warp.give_way(self.executing);
        }
        if let Some((barrier, leaving)) = leaves {
            self.warp.break_off(barrier, leaving);
        }
        Ok(())
    }

    fn at(&self, lane: usize) -> Location {
        self.program.location(self.block, self.warp.index, lane as u32, self.pc)
    }

    fn trap(&self, lane: usize, trap: Trap) -> Failure {
        Failure::Trap { trap, at: self.at(lane) }
    }

    /// The guard decides who takes part.
    #[inline]
    fn guarded(&mut self) -> Result<u32, Failure> {
        let inst = &self.instruction.inst;
        if u64::from(inst.guard.pred) == PT && !inst.guard.negate {
            return Ok(self.group);
        }
        let mut executing = 0;
        for lane in lanes(self.group) {
            let mut view = view!(self.warp, self.world, self.block, lane, None);
            match guard(&self.warp.domain, inst, &mut view) {
                Ok(holds) => executing |= u32::from(holds.is_true()) << lane,
                Err(trap) => return Err(self.trap(lane, trap)),
            }
        }
        Ok(executing)
    }

    /// Counts the instruction, and judges it where timing is asked for.
    #[inline]
    fn count(&mut self) -> Result<(), Failure> {
        let (inst, pc) = (&self.instruction.inst, self.pc);
        self.world.issue(self.executing)?;
        if let Some(count) = self.world.coverage.first_mut().and_then(|c| c.counts.get_mut(pc as usize)) {
            *count += 1;
        }
        if let Some(timing) = &mut self.warp.timing
            && let Err((lane, trap)) = timing.issue(inst, pc, self.group, self.executing)
        {
            return Err(self.trap(lane as usize, trap));
        }
        Ok(())
    }

    /// Steps the lanes: all together, if that can be, else one after the other.
    #[inline]
    fn step(&mut self, outcomes: &mut Outcomes) -> Result<(), Failure> {
        let Instruction { inst, once, apart, .. } = self.instruction;
        let (address, executing) = (WORD * self.pc, self.executing);
        let mut served: SmallVec<[usize; 32]> = SmallVec::new();
        match together::perform(self.warp, inst, apart, address, executing, self.world, self.block) {
            Some((_, Outcome::Next)) => {}
            Some(decided) => outcomes.push(decided),
            None => {
                served = self.warp.served(executing);
                if *once {
                    // Where lanes disagree, which one counts is open (C6): it depends on the order of the run.
                    served.truncate(1);
                }
            }
        }
        let tracing = self.world.options.trace.is_some();
        for &lane in &served {
            self.world.serve(self.block, self.warp.index, lane, address);
            let writes = tracing.then_some(&mut self.writes);
            let mut view = view!(self.warp, self.world, self.block, lane, writes);
            match step(&self.warp.domain, inst, address, &mut view) {
                Ok(Outcome::Next) => {}
                Ok(outcome) => outcomes.push((1 << lane, outcome)),
                Err(trap) => return Err(self.trap(lane, trap)),
            }
        }
        Ok(())
    }

    /// Writes a result of what lanes do together.
    fn give(&mut self, lane: usize, to: Output, value: Bits) {
        let Some(register) = to.register else { return };
        let writes = self.world.options.trace.is_some().then_some(&mut self.writes);
        let mut view = view!(self.warp, self.world, self.block, lane, writes);
        let d = &self.warp.domain;
        // What is wider than a register goes to consecutive ones.
        for unit in 0..value.width().div_ceil(32) {
            let part = if value.width() > 32 { d.extract(&value, 32 * unit, 32) } else { value };
            view.write(d, Register { number: register.number + unit, ..register }, part);
        }
    }

    /// The group goes to the next instruction.
    #[inline]
    fn next(&mut self) -> Parts {
        self.warp.groups[self.i].pc += 1;
        Parts::new()
    }

    /// Where the lanes go after what they came to, which is of one kind: `first`, if any came to something.
    #[inline]
    fn go_on(&mut self, first: Option<Outcome<Bits>>, outcomes: &mut Outcomes) -> Result<Parts, Failure> {
        let (pc, group, executing) = (self.pc, self.group, self.executing);
        Ok(match first {
            None | Some(Outcome::Next | Outcome::Yield | Outcome::Break { .. }) => self.next(),
            Some(Outcome::Branch { .. } | Outcome::IndirectBranch { .. }) => jump(outcomes, pc, group),
            Some(Outcome::BranchByConvergence { target, mask, converged }) => {
                let together = mask.bits() as u32 & !self.warp.exited & !executing == 0;
                let taken = if together == converged { executing } else { 0 };
                [running(pc + 1, group & !taken), running(target / WORD, taken)].into_iter().collect()
            }
            Some(Outcome::Exit { .. }) => self.exit(outcomes),
            Some(Outcome::SetBarrier { barrier, .. }) => self.set_barrier(barrier),
            Some(Outcome::Sync { barrier, .. }) => self.sync(barrier, outcomes),
            Some(Outcome::ReadBarrier { barrier, to, clear }) => self.read_barrier(barrier, to, clear),
            Some(Outcome::WriteBarrier { barrier, mask }) => {
                let set = &mut self.warp.barriers[barrier as usize & 15];
                *set = *set & !executing | mask.bits() as u32 & executing;
                self.next()
            }
            Some(Outcome::BarrierResult { count, decision }) => self.barrier_result(count, decision),
            Some(Outcome::Collective { op, .. }) => self.collective(op, outcomes)?,
        })
    }

    fn exit(&mut self, outcomes: &Outcomes) -> Parts {
        let leaving = leaving(outcomes);
        self.warp.exit(leaving);
        self.block.barriers.exit(leaving.count_ones());
        [running(self.pc + 1, self.group & !leaving)].into_iter().collect()
    }

    fn set_barrier(&mut self, barrier: u32) -> Parts {
        let warp = &mut self.warp;
        warp.broke &= !self.executing;
        let kept = if warp.order.loses { 0 } else { warp.barriers[barrier as usize & 15] };
        warp.barriers[barrier as usize & 15] = kept | self.executing;
        self.next()
    }

    fn sync(&mut self, barrier: u32, outcomes: &Outcomes) -> Parts {
        let arriving = leaving(outcomes);
        let blocked = arriving & self.warp.barriers[barrier as usize & 15];
        self.warp.broke &= !arriving;
        let wait = Some(Wait::Sync(barrier & 15));
        let waiting = Group { wait, ..running(self.pc, blocked) };
        [running(self.pc + 1, self.group & !blocked), waiting].into_iter().collect()
    }

    fn read_barrier(&mut self, barrier: u32, to: Output, clear: bool) -> Parts {
        let mask = self.warp.domain.constant(32, self.warp.barriers[barrier as usize & 15].into());
        for lane in lanes(self.executing) {
            self.give(lane, to, mask);
        }
        // C11: each lane's membership is its own.
        if clear {
            self.warp.barriers[barrier as usize & 15] &= !self.executing;
        }
        self.next()
    }

    fn barrier_result(&mut self, count: Output, decision: Output) -> Parts {
        for lane in lanes(self.executing) {
            let (n, yes) = self.warp.reduced[lane];
            let d = &self.warp.domain;
            let (n, yes) = (d.constant(32, n.into()), d.constant(1, yes.into()));
            self.give(lane, count, n);
            self.give(lane, decision, yes);
        }
        self.next()
    }

    fn collective(&mut self, op: Collective, outcomes: &mut Outcomes) -> Result<Parts, Failure> {
        let alone = self.warp.groups[self.i].alone.is_some();
        let mut gathered = Gathered { op, args: Default::default(), lanes: self.executing, alone };
        let mut outputs: [SmallVec<[Output; 2]>; 32] = Default::default();
        for (lane, outcome) in outcomes.drain(..) {
            let lane = lane.trailing_zeros() as usize;
            if let Outcome::Collective { args, results, .. } = outcome {
                gathered.args[lane] = args;
                outputs[lane] = results;
            }
        }
        let lowest = self.group.trailing_zeros() as usize;
        let d = self.warp.domain.clone();
        match across::perform(&d, self.warp, self.block, &gathered, self.pc) {
            Err(trap) => Err(self.trap(lowest, trap)),
            Ok(Err(why)) => Err(Failure::Undefined { what: why.to_string(), at: self.at(lowest) }),
            Ok(Ok(End::Results(results))) => {
                for (lane, values) in results {
                    for (&to, value) in outputs[lane].iter().zip(values) {
                        self.give(lane, to, value);
                    }
                }
                Ok(self.next())
            }
            Ok(Ok(End::Parts(mut parts))) => {
                if self.instruction.inst.keeps_others_away() {
                    for part in &mut parts {
                        part.alone = match part.wait {
                            Some(Wait::Warp(mask)) => Some(mask),
                            _ => None,
                        };
                    }
                }
                let rest = running(self.pc + 1, self.group & !self.executing);
                Ok(parts.into_iter().chain([rest]).collect())
            }
        }
    }

    /// Writes down which way lanes go, and what was written, where somebody asks.
    #[inline]
    fn record(&mut self, parts: &Parts) {
        let chooses = matches!(
            self.instruction.inst.row().control_flow,
            Some(ControlFlowKind::Branch | ControlFlowKind::IndirectBranch | ControlFlowKind::Exit)
        );
        let pc = self.pc;
        if chooses && let Some(coverage) = self.world.coverage.first_mut() {
            let mut goes_on = |to| *coverage.edges.entry((pc, to)).or_default() += 1;
            if parts.is_empty() {
                // Its guard holds for no lane.
                goes_on(pc + 1);
            }
            parts.iter().filter(|part| part.lanes != 0).for_each(|part| goes_on(part.pc));
        }
        if let Some(tracer) = &self.world.options.trace {
            (tracer.0)(&TraceEvent {
                unwritten: &[],
                block: self.block.index,
                warp: self.warp.index,
                lanes: self.executing,
                function: &self.program.name,
                position: WORD * pc,
                line: None,
                text: &self.program.text(pc),
                writes: &self.writes,
            });
        }
    }
}

/// Lanes whose condition holds, of those that leave or come to a barrier, or exit.
fn leaving(outcomes: &Outcomes) -> u32 {
    chosen(outcomes, |outcome| match outcome {
        Outcome::Exit { condition } | Outcome::Sync { condition, .. } | Outcome::Break { condition, .. } => {
            condition.is_none_or(Bits::is_true)
        }
        _ => false,
    })
}

fn running(pc: u64, lanes: u32) -> Group {
    Group { pc, lanes, wait: None, alone: None }
}

/// Lanes whose outcome satisfies a test.
fn chosen(outcomes: &[(u32, Outcome<Bits>)], test: impl Fn(&Outcome<Bits>) -> bool) -> u32 {
    outcomes.iter().filter(|(_, o)| test(o)).fold(0, |mask, (lanes, _)| mask | lanes)
}

/// Where the lanes of a group go: those that do not jump to the next instruction, the others by target.
fn jump(outcomes: &[(u32, Outcome<Bits>)], pc: u64, group: u32) -> SmallVec<[Group; 4]> {
    let mut parts: SmallVec<[Group; 4]> = SmallVec::new();
    let mut left = group;
    for (lanes, outcome) in outcomes {
        let (target, condition) = match outcome {
            Outcome::Branch { target, condition } => (*target, condition),
            Outcome::IndirectBranch { target, condition } => (target.bits() as u64, condition),
            _ => continue,
        };
        if !condition.is_none_or(Bits::is_true) {
            continue;
        }
        left &= !lanes;
        match parts.iter_mut().find(|p| p.pc == target / WORD) {
            Some(part) => part.lanes |= lanes,
            None => parts.push(running(target / WORD, *lanes)),
        }
    }
    match parts.iter_mut().find(|p| p.pc == pc + 1) {
        Some(part) => part.lanes |= left,
        None => parts.push(running(pc + 1, left)),
    }
    parts
}
