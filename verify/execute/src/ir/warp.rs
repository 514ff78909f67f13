//! A warp: groups of lanes that issue together, and what happens at each position (`docs/convergence.md`, C1 to C5).

use super::program::{Place, Program};
use super::wait::Wait;
use crate::collective::lanes;
use crate::launch::Launch;
use crate::order::{Candidate, Picker, hash};
use crate::outcome::{Failure, Location};
use crate::schedule::{Block, Machine, Progress, World, undefined_bytes};
use crate::special::unfold;
use sassafras_ir::{Edge, Inst, InstData, Terminator, Type, Value, evaluate};
use sassafras_semantics::Trap;
use sassafras_semantics::concrete::{Bits, Lanes, Vector};
use smallvec::SmallVec;

/// As many lanes pay for a step of all 32.
const WORTH: u32 = 4;

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
    /// The position at which it goes on.
    pub pc: u32,
    /// By value; of one that is not defined yet some bits.
    pub values: Vec<Bits>,
    pub local: Vec<u8>,
    pub status: Status,
}

impl Thread {
    pub fn value(&self, v: Value) -> Bits {
        self.values[v.0 as usize]
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
    /// Lanes that wait for a block barrier.
    pub at_barrier: u32,
}

impl Machine for Program<'_> {
    type Warp = Warp;

    fn local_bytes(&self) -> u64 {
        self.local
    }

    fn shared_bytes(&self, launch: &Launch) -> u32 {
        u32::try_from(self.shared).unwrap_or(u32::MAX).saturating_add(launch.dynamic_shared)
    }

    fn start(&self, world: &World<'_>, block: &Block, index: u32, existing: u32) -> Warp {
        let order = world.options.interleaving();
        let seed = hash(world.options.seed, &[block.linear, index.into(), 3]);
        let values: Vec<Bits> = self.function.values.values().map(|v| Bits::new(v.ty.bits(), 0)).collect();
        let thread = |lane: usize| Thread {
            pc: self.starts[self.function.entry.0 as usize],
            values: values.clone(),
            local: undefined_bytes(seed, &[lane as u64, 1], self.local as usize),
            status: Status::Running,
        };
        Warp {
            index,
            existing,
            shape: world.launch.block,
            exited: 0,
            threads: lanes(existing).map(thread).collect(),
            groups: vec![existing],
            picker: Picker::new(order.groups, 32 * block.linear + u64::from(index)),
            merge: order.merge,
            at_barrier: 0,
        }
    }

    fn run(
        &self,
        warp: &mut Warp,
        world: &mut World<'_>,
        block: &mut Block,
        steps: u64,
    ) -> Result<Progress, Failure> {
        for _ in 0..steps {
            if warp.at_barrier != 0 {
                warp.poll_barriers(block);
            }
            if warp.groups.is_empty() {
                return Ok(if warp.exited == warp.existing { Progress::Exited } else { Progress::Waiting });
            }
            let group = warp.choose();
            Turn { program: self, warp, world, block }.issue(group)?;
        }
        Ok(Progress::Running)
    }

    fn variables(&self) -> Vec<(String, u64)> {
        self.named.clone()
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
            let position = self.threads[lanes.trailing_zeros() as usize].pc.into();
            Candidate { position, lanes }
        };
        let candidates: SmallVec<[Candidate; 8]> = self.groups.iter().map(candidate).collect();
        self.picker.pick(&candidates)
    }

    /// Adds running lanes that stand at one position, to a group that they meet if the order says so.
    fn join(&mut self, mask: u32) {
        let here = self.threads[mask.trailing_zeros() as usize].pc;
        if self.merge {
            let meets = |&g: &u32| self.threads[g.trailing_zeros() as usize].pc == here;
            if let Some(i) = self.groups.iter().position(meets) {
                self.groups[i] |= mask;
                return;
            }
        }
        self.groups.push(mask);
    }

    /// Forms groups of those lanes of a mask that run, by where they stand.
    pub fn regroup(&mut self, mask: u32) {
        let runs = |&lane: &usize| matches!(self.threads[lane].status, Status::Running);
        let mut left = lanes(mask).filter(runs).fold(0u32, |m, l| m | 1 << l);
        while left != 0 {
            let here = self.threads[left.trailing_zeros() as usize].pc;
            let same = lanes(left).filter(|&l| self.threads[l].pc == here).fold(0u32, |m, l| m | 1 << l);
            left &= !same;
            self.join(same);
        }
    }

    pub fn location(&self, program: &Program<'_>, block: &Block, lane: usize) -> Location {
        let pc = self.threads[lane].pc;
        Location {
            block: block.index,
            thread: unfold(u64::from(32 * self.index) + lane as u64, self.shape),
            function: program.function.name.clone(),
            position: pc.into(),
            line: program.line(pc),
            text: program.text(pc),
        }
    }
}

/// One position of one group.
pub(super) struct Turn<'t, 'm, 'w> {
    pub program: &'t Program<'m>,
    pub warp: &'t mut Warp,
    pub world: &'t mut World<'w>,
    pub block: &'t mut Block,
}

impl<'m> Turn<'_, 'm, '_> {
    pub fn trap(&self, lane: usize, trap: Trap) -> Failure {
        Failure::Trap { trap, at: self.warp.location(self.program, self.block, lane) }
    }

    pub fn undefined(&self, lane: usize, what: String) -> Failure {
        Failure::Undefined { what, at: self.warp.location(self.program, self.block, lane) }
    }

    /// Issues what stands where a group does.
    fn issue(&mut self, group: usize) -> Result<(), Failure> {
        let mask = self.warp.groups.swap_remove(group);
        let pc = self.warp.threads[mask.trailing_zeros() as usize].pc;
        match self.program.code[pc as usize] {
            Place::End(block) => {
                self.world.issue(mask)?;
                lanes(mask).try_for_each(|lane| self.end(lane, block))?;
                self.warp.regroup(mask);
                Ok(())
            }
            Place::Inst(inst) => self.inst(mask, inst),
        }
    }

    fn inst(&mut self, mask: u32, inst: Inst) -> Result<(), Failure> {
        let f = self.program.function;
        let data = &f.insts[inst];
        let active = self.active(mask, data);
        self.world.issue(active)?;
        let types: SmallVec<[Type; 2]> = data.results.iter().map(|&v| f.ty(v)).collect();
        if let Some(op) = data.op.collective() {
            return self.collective(mask, active, data, op, &types);
        }
        if active.count_ones() < WORTH || !self.together(active, data, &types) {
            for lane in lanes(active) {
                let line = data.line.into();
                self.world.serve(self.block, self.warp.index, lane, line);
                let results = self.one(lane, data, &types);
                let results = results.map_err(|t| self.trap(lane, t))?;
                for (&value, bits) in data.results.iter().zip(results) {
                    self.warp.threads[lane].values[value.0 as usize] = bits;
                }
            }
        }
        for lane in lanes(mask) {
            self.warp.threads[lane].pc += 1;
        }
        self.warp.regroup(mask);
        Ok(())
    }

    /// The lanes of a mask that execute an instruction; the results of the others are what it says of them.
    fn active(&mut self, mask: u32, data: &InstData) -> u32 {
        let Some(guard) = data.guard else { return mask };
        let mut active = 0;
        for lane in lanes(mask) {
            let thread = &mut self.warp.threads[lane];
            if thread.value(guard.value).is_true() != guard.negate {
                active |= 1 << lane;
                continue;
            }
            let kept: SmallVec<[Bits; 4]> = data.kept().iter().map(|&v| thread.value(v)).collect();
            for (&value, bits) in data.results.iter().zip(kept) {
                thread.values[value.0 as usize] = bits;
            }
        }
        active
    }

    /// Evaluates a pure operation for all lanes of a mask at once, if that is the same as one after the other.
    fn together(&mut self, active: u32, data: &InstData, types: &[Type]) -> bool {
        let traits = data.op.traits();
        let asks = traits.effect || traits.varies || data.op.convergent();
        if asks || data.results.is_empty() || self.world.options.one_by_one {
            return false;
        }
        let d = Lanes::new(&self.program.domain, active);
        let threads = &mut self.warp.threads;
        let width = |v: Value| self.program.function.ty(v).bits();
        let gather = |&v: &Value| match width(v) {
            0..=64 => Vector::narrow(width(v), |l| threads.get(l).map_or(0, |t| t.value(v).bits() as u64)),
            _ => Vector::each(width(v), |l| threads.get(l).map_or(0, |t| t.value(v).bits())),
        };
        let args: SmallVec<[Vector; 4]> = data.taken().iter().map(gather).collect();
        let Some(results) = evaluate(&d, &data.op, &args, types) else { return false };
        if d.gave_up() {
            return false;
        }
        for (&value, vector) in data.results.iter().zip(&results) {
            for lane in lanes(active) {
                threads[lane].values[value.0 as usize] = vector.lane(lane);
            }
        }
        true
    }

    /// A lane leaves a block.
    fn end(&mut self, lane: usize, block: sassafras_ir::Block) -> Result<(), Failure> {
        let thread = &self.warp.threads[lane];
        let terminator = &self.program.function.blocks[block].terminator;
        let edge = match terminator {
            Terminator::Jump(edge) => edge,
            Terminator::Branch { condition, then, otherwise } => {
                if thread.value(*condition).is_true() {
                    then
                } else {
                    otherwise
                }
            }
            Terminator::Switch { index, targets } => {
                let index = thread.value(*index).bits();
                match usize::try_from(index).ok().and_then(|i| targets.get(i)) {
                    Some(edge) => edge,
                    None => {
                        let what = format!("a switch with index {index} of {} targets", targets.len());
                        return Err(self.undefined(lane, what));
                    }
                }
            }
            Terminator::Exit => {
                self.exit(lane);
                return Ok(());
            }
            Terminator::Trap => return Err(self.trap(lane, Trap::Trapped)),
            Terminator::Unreachable => {
                return Err(self.undefined(lane, "what is never reached is reached".into()));
            }
        };
        self.follow(lane, edge);
        Ok(())
    }

    /// A lane goes along an edge: all arguments are read before a parameter is written.
    fn follow(&mut self, lane: usize, edge: &Edge) {
        let f = self.program.function;
        let thread = &mut self.warp.threads[lane];
        let args: SmallVec<[Bits; 8]> = edge.args.iter().map(|&v| thread.value(v)).collect();
        for (&param, bits) in f.blocks[edge.block].params.iter().zip(args) {
            thread.values[param.0 as usize] = bits;
        }
        thread.pc = self.program.starts[edge.block.0 as usize];
    }

    /// The lane ends.
    fn exit(&mut self, lane: usize) {
        self.warp.threads[lane].status = Status::Exited;
        self.warp.exited |= 1 << lane;
        self.block.barriers.exit(1);
        // What waits was evaluated before in kind: an operation without a meaning fails when its lanes arrive.
        let _ = self.warp.resolve(self.program, self.block);
    }
}
