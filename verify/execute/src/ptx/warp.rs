//! A warp: groups of lanes that issue together, and what happens after each instruction (`docs/convergence.md`, C1 to C5).

use super::decided::Decided;
use super::meetings::Meetings;
use super::open::may_be_undefined;
use super::program::Program;
use super::state::{Frame, LaneState};
use super::wait::{Asked, Wait};
use crate::collective::lanes;
use crate::launch::Launch;
use crate::options::TraceEvent;
use crate::order::{Candidate, Picker, hash};
use crate::outcome::{Failure, Location};
use crate::schedule::{Block, Machine, Progress, World};
use crate::special::unfold;
use sassafras_ptx::checked::{Function, FunctionId, Inst, RegisterId, Variable};
use sassafras_ptx::step::{Outcome, step};
use sassafras_semantics::{Bits, Space, Trap};
use smallvec::SmallVec;

/// What a lane is doing. Lanes wait often: what they wait for is kept in place.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(super) enum Status {
    Running,
    Waiting(Wait),
    Exited,
}

/// A lane.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// Index of the next instruction in the innermost frame's function.
    pub pc: u32,
    /// Innermost last; never empty.
    pub frames: Vec<Frame>,
    pub local: Vec<u8>,
    /// Which of its bytes are open.
    pub local_open: Vec<bool>,
    pub status: Status,
}

impl Thread {
    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a lane is in a function")
    }

    pub fn function(&self) -> FunctionId {
        self.frames.last().expect("a lane is in a function").function
    }

    /// Where the lane stands, up to the callers.
    pub fn position(&self) -> (usize, u32, u32) {
        (self.frames.len(), self.function().0, self.pc)
    }

    /// Whether two lanes stand at one place, callers included.
    fn meets(&self, other: &Thread) -> bool {
        let stack = |t: &'_ Thread| -> SmallVec<[(u32, u32); 4]> {
            t.frames.iter().map(|f| (f.function.0, f.resume)).collect()
        };
        self.position() == other.position() && stack(self) == stack(other)
    }
}

/// A warp.
#[derive(Debug)]
pub(super) struct Warp {
    pub index: u32,
    /// Lanes that the warp has at all.
    pub existing: u32,
    /// Threads per block in x, y, z.
    shape: [u32; 3],
    pub exited: u32,
    /// By lane; only those that exist.
    pub threads: Vec<Thread>,
    /// Running lanes, by group.
    pub groups: Vec<u32>,
    picker: Picker,
    merge: bool,
    seed: u64,
    /// Lanes that wait for a block barrier.
    pub at_barrier: u32,
    /// In lock step.
    pub meetings: Option<Meetings>,
}

impl Machine for Program<'_> {
    type Warp = Warp;

    fn local_bytes(&self) -> u64 {
        self.frames[self.entry.0 as usize].local_bytes
    }

    fn shared_bytes(&self, launch: &Launch) -> u32 {
        u32::try_from(self.static_shared).unwrap_or(u32::MAX).saturating_add(launch.dynamic_shared)
    }

    fn start(&self, world: &World<'_>, block: &Block, index: u32, existing: u32) -> Warp {
        let order = world.options.interleaving();
        let seed = hash(world.options.seed, &[block.linear, index.into()]);
        let thread = |lane: usize| {
            let mut frame = Frame::new(self, self.entry, 0, hash(seed, &[lane as u64, 0]));
            let given = world.launch.params.len().min(frame.params.len());
            frame.params[..given].copy_from_slice(&world.launch.params[..given]);
            frame.open.params[..given].fill(false);
            let bytes = self.frames[self.entry.0 as usize].local_bytes as usize;
            let local = crate::schedule::undefined_bytes(seed, &[lane as u64, 1], bytes);
            let local_open = vec![true; local.len()];
            Thread { pc: 0, frames: vec![frame], local, local_open, status: Status::Running }
        };
        Warp {
            index,
            existing,
            shape: world.launch.block,
            exited: 0,
            threads: lanes(existing).map(thread).collect(),
            groups: vec![existing],
            picker: Picker::new(order.groups, 32 * block.linear + u64::from(index)),
            merge: order.merge && !world.options.lockstep,
            seed,
            at_barrier: 0,
            meetings: world.options.lockstep.then(Meetings::new),
        }
    }

    fn run(
        &self,
        warp: &mut Warp,
        world: &mut World<'_>,
        block: &mut Block,
        steps: u64,
    ) -> Result<Progress, Failure> {
        let mut left = steps;
        while left > 0 {
            if warp.at_barrier != 0 {
                warp.poll_barriers(self, block);
            }
            if warp.meetings.is_some() && warp.groups.is_empty() {
                warp.gather();
            }
            if warp.groups.is_empty() {
                return Ok(if warp.exited == warp.existing { Progress::Exited } else { Progress::Waiting });
            }
            let group = warp.choose();
            let mut turn = Turn { program: self, warp, world, block };
            if turn.come(group)? {
                turn.issue(group)?;
                left -= 1;
            }
        }
        Ok(Progress::Running)
    }

    fn variables(&self) -> Vec<(String, u64)> {
        let global = |v: &Variable| v.space == Space::Global && v.size > 0;
        let all = self.module.variables.iter().zip(&self.variables);
        all.filter(|(v, _)| global(v)).map(|(v, &at)| (v.name.clone(), at)).collect()
    }

    fn waiting(&self, warp: &Warp, block: &Block) -> Vec<Location> {
        lanes(warp.existing & !warp.exited).map(|lane| warp.location(self, block, lane)).collect()
    }
}

impl Warp {
    /// Index of the group that runs next.
    fn choose(&mut self) -> usize {
        if self.groups.len() == 1 {
            return 0;
        }
        let candidate = |&lanes: &u32| {
            let (_, function, pc) = self.threads[lanes.trailing_zeros() as usize].position();
            Candidate { position: u64::from(function) << 32 | u64::from(pc), lanes }
        };
        let candidates: SmallVec<[Candidate; 8]> = self.groups.iter().map(candidate).collect();
        self.picker.pick(&candidates)
    }

    /// Adds running lanes that stand at one place, to a group that they meet if the order says so.
    pub fn join(&mut self, mask: u32) {
        let first = mask.trailing_zeros() as usize;
        if self.merge {
            let meets = |&g: &u32| self.threads[first].meets(&self.threads[g.trailing_zeros() as usize]);
            if let Some(i) = self.groups.iter().position(meets) {
                self.groups[i] |= mask;
                return;
            }
        }
        self.groups.push(mask);
    }

    /// A seed for what is undefined in a new frame of a lane.
    pub fn frame_seed(&self, lane: usize, steps: u64) -> u64 {
        hash(self.seed, &[lane as u64, 2, steps])
    }

    pub fn location(&self, program: &Program<'_>, block: &Block, lane: usize) -> Location {
        let thread = &self.threads[lane];
        let function = &program.module.functions[thread.function().0 as usize];
        let inst = function.insts.as_ref().and_then(|i| i.get(thread.pc as usize));
        Location {
            block: block.index,
            thread: unfold(u64::from(32 * self.index) + lane as u64, self.shape),
            function: function.name.clone(),
            position: thread.pc.into(),
            line: inst.map(|i| i.line),
            text: inst.map_or(String::new(), text),
        }
    }
}

/// The instruction for people: operation and types.
fn text(inst: &Inst) -> String {
    let mut text = format!("{:?}", inst.op).to_lowercase();
    for ty in &inst.types {
        text += &match ty {
            sassafras_ptx::checked::Type::B(n) => format!(".b{n}"),
            sassafras_ptx::checked::Type::U(n) => format!(".u{n}"),
            sassafras_ptx::checked::Type::S(n) => format!(".s{n}"),
            sassafras_ptx::checked::Type::F(f) => format!(".{f:?}").to_lowercase(),
            other => format!(".{other:?}").to_lowercase(),
        };
    }
    text
}

/// One instruction of one group.
pub(super) struct Turn<'t, 'm, 'w> {
    pub program: &'t Program<'m>,
    pub warp: &'t mut Warp,
    pub world: &'t mut World<'w>,
    pub block: &'t mut Block,
}

impl<'m> Turn<'_, 'm, '_> {
    /// What the instructions of a lane see.
    pub(super) fn state<'s>(
        &'s mut self,
        lane: usize,
        writes: Option<&'s mut Vec<(String, u32, u128)>>,
    ) -> LaneState<'s, 'm> {
        let asker = self.block.asker(self.world, self.warp.index, lane as u32);
        let thread = &mut self.warp.threads[lane];
        LaneState {
            program: self.program,
            frame: thread.frames.last_mut().expect("a lane is in a function"),
            local: &mut thread.local,
            shared: &mut self.block.shared,
            shared_open: &mut self.block.shared_open,
            local_open: &mut thread.local_open,
            reads_open: false,
            rests: false,
            memory: &mut self.world.memory,
            launch: self.world.launch,
            asker,
            writes,
        }
    }

    /// Ends the launch for something that a lane did.
    pub fn undefined(&self, lane: usize, what: String) -> Failure {
        Failure::Undefined { what, at: self.warp.location(self.program, self.block, lane) }
    }

    fn trap(&self, lane: usize, trap: Trap) -> Failure {
        Failure::Trap { trap, at: self.warp.location(self.program, self.block, lane) }
    }

    /// Issues the next instruction of a group.
    fn issue(&mut self, group: usize) -> Result<(), Failure> {
        let mask = self.warp.groups.swap_remove(group);
        let first = mask.trailing_zeros() as usize;
        let id = self.warp.threads[first].function();
        let pc = self.warp.threads[first].pc;
        let function = &self.program.module.functions[id.0 as usize];
        let Some(inst) = function.insts.as_ref().and_then(|insts| insts.get(pc as usize)) else {
            // The end of the body is a return.
            self.world.issue(mask)?;
            for lane in lanes(mask) {
                self.leave(lane)?;
            }
            return self.regroup(mask);
        };
        let active = self.active(mask, inst)?;
        self.go(mask, pc);
        self.world.issue(active)?;
        if let Some(count) =
            self.world.coverage.get_mut(id.0 as usize).and_then(|c| c.counts.get_mut(pc as usize))
        {
            *count += 1;
        }
        for lane in lanes(mask) {
            self.warp.threads[lane].pc = pc + 1;
        }
        if let Some(decided) = self.together(id, function, inst, pc, active) {
            return self.follow(decided, function, mask, active);
        }
        let mut writes = self.world.options.trace.is_some().then(Vec::new);
        let mut asked: SmallVec<[Asked; 32]> = SmallVec::new();
        let mut unwritten: Vec<String> = Vec::new();
        let issued = Issued { id, function, inst, pc };
        for lane in lanes(active) {
            if writes.is_some() {
                let open = &self.warp.threads[lane].frame().open;
                let name = |r: RegisterId| function.registers.get(r.0 as usize).map(|r| r.name.clone());
                unwritten.extend(open.unwritten(inst).into_iter().filter_map(name));
            }
            let (outcome, reads_open) = self.step_lane(&issued, lane, writes.as_mut())?;
            asked.extend(self.go_on(&issued, lane, outcome, reads_open)?);
        }
        unwritten.sort_unstable();
        unwritten.dedup();
        self.trace(inst, active, id, pc, writes, &unwritten);
        if asked.is_empty() { self.regroup(mask) } else { self.collective(mask, pc, &asked) }
    }

    /// Steps a lane. What it comes to, and whether the instruction reads what is open.
    #[inline]
    fn step_lane(
        &mut self,
        &Issued { function, inst, pc, .. }: &Issued<'m>,
        lane: usize,
        writes: Option<&mut Vec<(String, u32, u128)>>,
    ) -> Result<(Outcome<'m, Bits>, bool), Failure> {
        let undefined = may_be_undefined(inst).then(|| self.warp.threads[lane].frame().clone());
        let drawn = self.program.domain.drawn();
        let open_address = self.warp.threads[lane].frame().open.decides_address(inst);
        let domain = &self.program.domain;
        let module = self.program.module;
        self.world.serve(self.block, self.warp.index, lane, inst.line.into());
        let mut state = self.state(lane, writes);
        let outcome = match step(domain, module, function, inst, &mut state) {
            Ok(outcome) => outcome,
            Err(trap) => {
                self.warp.threads[lane].pc = pc;
                return Err(self.trap(lane, trap));
            }
        };
        let (reads_open, rests) = (state.reads_open, state.rests);
        let control = matches!(
            outcome,
            Outcome::Switch { .. } | Outcome::CallIndirect { .. } | Outcome::Collective { .. }
        );
        if open_address || rests || control && reads_open {
            self.warp.threads[lane].pc = pc;
            self.rest(lane);
            self.warp.threads[lane].pc = pc + 1;
        }
        if let Some(before) = undefined.filter(|_| self.program.domain.drawn() != drawn) {
            self.settle_undefined(lane, inst, before);
        }
        Ok((outcome, reads_open))
    }

    /// Sends a lane where an outcome leads; a collective that it asks for.
    #[inline]
    fn go_on(
        &mut self,
        &Issued { id, function, pc, .. }: &Issued<'m>,
        lane: usize,
        outcome: Outcome<'m, Bits>,
        reads_open: bool,
    ) -> Result<Option<Asked>, Failure> {
        match outcome {
            Outcome::Next => {}
            Outcome::Branch(label) => {
                self.warp.threads[lane].pc = function.labels[label.0 as usize].target;
            }
            Outcome::Switch { index, targets } => match targets.get(index.bits() as usize) {
                Some(label) => self.warp.threads[lane].pc = function.labels[label.0 as usize].target,
                None => {
                    self.warp.threads[lane].pc = pc;
                    let what = format!("brx.idx with index {} of {} targets", index.bits(), targets.len());
                    return Err(self.undefined(lane, what));
                }
            },
            Outcome::Call { function, arguments, results } => {
                self.call(lane, function, &arguments, results, reads_open)?
            }
            Outcome::CallIndirect { target, arguments, results } => {
                match self.callee(id, target, &arguments, &results) {
                    Some(function) => self.call(lane, function, &arguments, results, reads_open)?,
                    None => {
                        self.warp.threads[lane].pc = pc;
                        let what = format!("a call of {:#x}, where no such function is", target.bits());
                        return Err(self.undefined(lane, what));
                    }
                }
            }
            Outcome::Return => self.leave(lane)?,
            Outcome::Exit => self.exit(lane),
            Outcome::Collective { op, arguments, results } => {
                self.world.memory.asked(op, &arguments);
                return Ok(Some(Asked { lane, op, arguments, results }));
            }
        }
        Ok(None)
    }

    /// Lanes of a group that were stepped together go on.
    fn follow(
        &mut self,
        decided: Decided,
        function: &Function,
        mask: u32,
        active: u32,
    ) -> Result<(), Failure> {
        match decided {
            Decided::Next => {
                self.warp.join(mask);
                return Ok(());
            }
            Decided::Branch(label) => {
                for lane in lanes(active) {
                    self.warp.threads[lane].pc = function.labels[label.0 as usize].target;
                }
            }
            Decided::Return => lanes(active).try_for_each(|lane| self.leave(lane))?,
            Decided::Exit => lanes(active).for_each(|lane| self.exit(lane)),
        }
        self.regroup(mask)
    }

    /// What is open decides what a lane does.
    fn rest(&mut self, lane: usize) {
        if self.world.rests.is_none() {
            self.world.rests = Some(self.warp.location(self.program, self.block, lane));
        }
    }

    /// Registers that an instruction leaves with other contents where other values stand for undefined ones are open.
    fn settle_undefined(&mut self, lane: usize, inst: &Inst, before: Frame) {
        let (program, id) = (self.program, before.function);
        let function = &program.module.functions[id.0 as usize];
        let after = std::mem::replace(self.warp.threads[lane].frame(), before.clone());
        let mut differs = vec![false; after.registers.len()];
        // A predicate is the same in one of two cases by chance.
        for seed in 1..=4 {
            *self.warp.threads[lane].frame() = before.clone();
            let domain = program.domain.clone().with_undefined(seed);
            let _ = step(&domain, program.module, function, inst, &mut self.state(lane, None));
            let other = self.warp.threads[lane].frame();
            for (i, differs) in differs.iter_mut().enumerate() {
                *differs |= other.registers[i] != after.registers[i];
            }
        }
        let frame = self.warp.threads[lane].frame();
        *frame = after;
        for (open, differs) in frame.open.registers.iter_mut().zip(differs) {
            *open |= differs;
        }
    }

    /// The lanes of a group whose guard holds.
    fn active(&mut self, mask: u32, inst: &Inst) -> Result<u32, Failure> {
        let Some(guard) = inst.guard else { return Ok(mask) };
        let mut active = 0;
        for lane in lanes(mask) {
            let frame = self.warp.threads[lane].frame();
            let value = frame.get(guard.register);
            if frame.open.is_open(guard.register) {
                self.rest(lane);
            }
            let value = value.map_err(|t| self.trap(lane, t))?;
            if value.is_true() != guard.negate {
                active |= 1 << lane;
            }
        }
        Ok(active)
    }

    /// Forms groups of those lanes of a mask that run, by where they stand.
    pub fn regroup(&mut self, mask: u32) -> Result<(), Failure> {
        let runs = |&lane: &usize| matches!(self.warp.threads[lane].status, Status::Running);
        let mut left = lanes(mask).filter(runs).fold(0u32, |m, l| m | 1 << l);
        while left != 0 {
            let here = self.warp.threads[left.trailing_zeros() as usize].position();
            let same = lanes(left)
                .filter(|&l| self.warp.threads[l].position() == here)
                .fold(0u32, |m, l| m | 1 << l);
            left &= !same;
            self.warp.join(same);
        }
        Ok(())
    }

    fn trace(
        &self,
        inst: &Inst,
        active: u32,
        id: FunctionId,
        pc: u32,
        writes: Option<Vec<(String, u32, u128)>>,
        unwritten: &[String],
    ) {
        let (Some(tracer), Some(writes)) = (&self.world.options.trace, writes) else { return };
        tracer.0(&TraceEvent {
            block: self.block.index,
            warp: self.warp.index,
            lanes: active,
            function: &self.program.module.functions[id.0 as usize].name,
            position: pc.into(),
            line: Some(inst.line),
            text: &text(inst),
            writes: &writes,
            unwritten,
        });
    }
}

/// An instruction that is issued for a group.
struct Issued<'m> {
    id: FunctionId,
    function: &'m Function,
    inst: &'m Inst,
    pc: u32,
}
