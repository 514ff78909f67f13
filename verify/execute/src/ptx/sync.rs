//! Collectives: those without a member mask, those that wait for the lanes of one, and block barriers
//! (`docs/convergence.md`, C15 to C17).

use super::program::Program;
use super::warp::{Asked, Status, Turn, Warp};
use crate::barrier::{Arrival, Ticket};
use crate::collective::{self, lanes};
use crate::matrix;
use crate::memory::{number, range};
use crate::outcome::Failure;
use crate::schedule::Block;
use sassafras_ptx::checked::RegisterId;
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{Collective, Domain, Matrices, Space, Trap};
use smallvec::{SmallVec, smallvec};

/// What a lane waits for.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    /// The other lanes of a mask.
    Mask { asked: Asked, mask: u32 },
    /// A block barrier.
    Barrier { ticket: Ticket, mode: BarrierMode, result: Option<RegisterId> },
    /// In lock step, those of a meeting.
    Meeting(u64),
}

/// A lane's results, in the order that [`Collective`] names.
type Results = SmallVec<[Option<Bits>; 2]>;

/// What a lane is given: its number, its results, and whether they are open.
type Given = (usize, Results, bool);

/// The member mask among a collective's arguments; `None` for a form without.
fn member_mask(asked: &Asked) -> Option<u32> {
    let index = match asked.op {
        Collective::Shuffle(_) => 3,
        Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => 1,
        Collective::Elect | Collective::WarpSync => 0,
        // A warp of fewer threads has no matrices: who is missing is found when the others are there.
        op if op.of_whole_warp() => return Some(u32::MAX),
        _ => return None,
    };
    asked.arguments.get(index).map(|v| v.bits() as u32)
}

impl Turn<'_, '_, '_> {
    /// A collective that lanes of a group ask for at `pc`; they stand behind it.
    pub fn collective(&mut self, group: u32, pc: u32, asked: &[Asked]) -> Result<(), Failure> {
        let askers = asked.iter().fold(0u32, |m, a| m | 1 << a.lane);
        if let Collective::Barrier(mode) = asked[0].op {
            self.arrive(mode, pc, asked)?;
        } else if member_mask(&asked[0]).is_none() {
            // The lanes that happen to be together.
            for given in
                evaluate(&self.program.domain, self.block, asked, askers).map_err(|t| self.fail(asked, t))?
            {
                self.warp.give(asked, &given);
            }
        } else {
            for a in asked {
                let mask = member_mask(a).unwrap_or(0);
                self.warp.threads[a.lane].pc = pc;
                if mask >> a.lane & 1 == 0 {
                    return Err(self.undefined(
                        a.lane,
                        format!("lane {} is not in its member mask {mask:#010x}", a.lane),
                    ));
                }
                self.warp.threads[a.lane].status = Status::Waiting(Wait::Mask { asked: a.clone(), mask });
            }
            self.regroup(group)?;
            return self.complete(asked);
        }
        self.regroup(group)
    }

    fn fail(&self, asked: &[Asked], trap: Trap) -> Failure {
        Failure::Trap { trap, at: self.warp.location(self.program, self.block, asked[0].lane) }
    }

    /// Ends waits for masks whose lanes are all there, after lanes asked for something.
    fn complete(&mut self, asked: &[Asked]) -> Result<(), Failure> {
        let (warp, block) = (&mut *self.warp, &mut *self.block);
        warp.resolve(&self.program.domain, block).map_err(|t| self.fail(asked, t))
    }

    /// Ends waits for masks whose last missing lane has exited.
    pub fn resolve(&mut self) {
        // What waits was evaluated before in kind: an operation without a meaning fails when its lanes arrive.
        let _ = self.warp.resolve(&self.program.domain, self.block);
    }

    fn arrive(&mut self, mode: BarrierMode, pc: u32, asked: &[Asked]) -> Result<(), Failure> {
        let mut left: SmallVec<[&Asked; 32]> = asked.iter().collect();
        while let Some(&first) = left.first() {
            let key = |a: &Asked| (a.arguments[0].bits(), a.arguments[1].bits());
            let same: SmallVec<[&Asked; 32]> =
                left.iter().copied().filter(|a| key(a) == key(first)).collect();
            left.retain(|a| key(a) != key(first));
            let mask = |wanted: &dyn Fn(&Asked) -> bool| {
                same.iter().filter(|a| wanted(a)).fold(0u32, |m, a| m | 1 << a.lane)
            };
            let arrival = Arrival {
                barrier: key(first).0 as u32,
                threads: key(first).1 as u32,
                lanes: mask(&|_| true),
                existing: self.warp.existing,
                predicates: mask(&|a| a.arguments[2].is_true()),
            };
            let ticket = match self.block.barriers.arrive(&arrival) {
                Ok(ticket) => ticket,
                Err(what) => {
                    self.warp.threads[first.lane].pc = pc;
                    return Err(self.undefined(first.lane, what));
                }
            };
            if mode == BarrierMode::Arrive {
                continue;
            }
            for a in same {
                let thread = &mut self.warp.threads[a.lane];
                thread.pc = pc;
                let result = a.results.first().copied().flatten();
                thread.status = Status::Waiting(Wait::Barrier { ticket, mode, result });
                self.warp.at_barrier |= 1 << a.lane;
            }
        }
        Ok(())
    }
}

impl Warp {
    fn give(&mut self, asked: &[Asked], (lane, results, open): &Given) {
        let (lane, open) = (*lane, *open);
        let Some(a) = asked.iter().find(|a| a.lane == lane) else { return };
        for (register, value) in a.results.iter().zip(results) {
            if let (Some(register), Some(value)) = (register, value) {
                let place = &mut self.threads[lane].frame().registers[register.0 as usize];
                *place = Bits::new(place.width(), value.bits());
                self.threads[lane].frame().open.write(*register, open);
            }
        }
    }

    /// Ends the waits of lanes whose barrier has been passed.
    pub fn poll_barriers(&mut self, _program: &Program<'_>, block: &Block) {
        let mut freed = 0u32;
        for lane in lanes(self.at_barrier) {
            let thread = &mut self.threads[lane];
            let Status::Waiting(Wait::Barrier { ticket, mode, result }) = &thread.status else { continue };
            let Some(reduction) = block.barriers.poll(*ticket) else { continue };
            let value = match mode {
                BarrierMode::Popc => u128::from(reduction.popc),
                BarrierMode::And => reduction.all.into(),
                BarrierMode::Or => reduction.any.into(),
                BarrierMode::Sync | BarrierMode::Arrive => 0,
            };
            if let Some(register) = *result {
                let place = &mut thread.frame().registers[register.0 as usize];
                *place = Bits::new(place.width(), value);
                thread.frame().open.write(register, false);
            }
            thread.pc += 1;
            thread.status = Status::Running;
            freed |= 1 << lane;
        }
        self.at_barrier &= !freed;
        self.free(freed);
    }

    /// Makes groups of lanes that run again, those at one place as one.
    pub fn free(&mut self, mut freed: u32) {
        while freed != 0 {
            let here = self.threads[freed.trailing_zeros() as usize].position();
            let same =
                lanes(freed).filter(|&l| self.threads[l].position() == here).fold(0u32, |m, l| m | 1 << l);
            freed &= !same;
            self.join(same);
        }
    }

    /// Ends the waits for member masks whose lanes that have not exited all wait at one instruction.
    fn resolve(&mut self, d: &Concrete, block: &mut Block) -> Result<(), Trap> {
        let mut unseen = self.existing & !self.exited;
        while unseen != 0 {
            let lane = unseen.trailing_zeros() as usize;
            unseen &= !(1 << lane);
            let Status::Waiting(Wait::Mask { mask, .. }) = self.threads[lane].status else { continue };
            let place = |l: usize| (self.threads[l].function(), self.threads[l].pc);
            // Who waits for these, and at what; `bar.warp.sync` may stand at several places.
            let asks = |l: usize| match &self.threads[l].status {
                Status::Waiting(Wait::Mask { mask: m, asked }) if *m == mask => {
                    Some((asked.op != Collective::WarpSync).then(|| place(l)))
                }
                _ => None,
            };
            let members = mask & self.existing & !self.exited;
            let here = asks(lane);
            let waits = |&l: &usize| here.is_some() && asks(l) == here;
            if lanes(members).filter(waits).count() != members.count_ones() as usize {
                continue;
            }
            unseen &= !members;
            let mut asked: SmallVec<[Asked; 32]> = SmallVec::new();
            for l in lanes(members) {
                if let Status::Waiting(Wait::Mask { asked: a, .. }) = &self.threads[l].status {
                    asked.push(a.clone());
                }
            }
            for given in evaluate(d, block, &asked, members)? {
                self.give(&asked, &given);
            }
            for l in lanes(members) {
                self.threads[l].pc += 1;
                self.threads[l].status = Status::Running;
            }
            self.free(members);
        }
        Ok(())
    }
}

/// The results of a collective for each participant.
fn evaluate(d: &Concrete, block: &mut Block, asked: &[Asked], participants: u32) -> Result<Vec<Given>, Trap> {
    if asked[0].op.of_whole_warp() {
        return matrices(d, block, asked, participants);
    }
    let mut values = [0u128; 32];
    for a in asked {
        values[a.lane] = a.arguments.first().map_or(0, |v| v.bits());
    }
    let word = |v: u32| Some(Bits::new(32, v.into()));
    let bit = |v: bool| Some(Bits::new(1, v.into()));
    let predicates = lanes(participants).filter(|&l| values[l] & 1 != 0).fold(0u32, |m, l| m | 1 << l);
    let mut all = Vec::with_capacity(asked.len());
    for a in asked {
        let argument = |i: usize| a.arguments.get(i).map_or(0, |v| v.bits() as u32);
        let mut open = false;
        let results: Results = match a.op {
            Collective::Shuffle(mode) => {
                let (source, in_range) =
                    collective::shuffle_source(mode, a.lane as u32, argument(1), argument(2));
                let value = if participants >> source & 1 != 0 {
                    Bits::new(32, values[source as usize])
                } else {
                    open = true;
                    d.undef(32, "shuffle from a lane that does not take part")
                };
                smallvec![Some(value), bit(in_range)]
            }
            Collective::Vote(mode) => {
                let (ballot, decision) = collective::vote(mode, predicates, participants);
                smallvec![word(ballot), bit(decision)]
            }
            Collective::Match { all: true } => {
                let (mask, equal) = collective::match_all(&values, participants);
                smallvec![word(mask), bit(equal)]
            }
            Collective::Match { all: false } => {
                smallvec![word(collective::match_any(&values, participants, a.lane))]
            }
            Collective::Redux(op) => smallvec![word(collective::redux(op, &values, participants)?)],
            Collective::ActiveMask => smallvec![word(participants)],
            Collective::Elect => {
                let leader = collective::elect(participants);
                smallvec![word(leader), bit(leader == a.lane as u32)]
            }
            _ => SmallVec::new(),
        };
        all.push((a.lane, results, open));
    }
    Ok(all)
}

/// The matrix operations, which are of all 32 lanes.
fn matrices(d: &Concrete, block: &mut Block, asked: &[Asked], participants: u32) -> Result<Vec<Given>, Trap> {
    if participants != u32::MAX || asked.len() != 32 {
        return Err(Trap::Unsupported(format!("a matrix operation of the lanes {participants:#010x} alone")));
    }
    let mut lanes: matrix::Lanes<'_> = [&[]; 32];
    for a in asked {
        lanes[a.lane] = &a.arguments;
    }
    let first = |lane: usize| lanes[lane].first().map_or(0, |v| v.bits());
    let shared = block.shared.len();
    let row = |lane: usize| range(Space::Shared, shared, first(lane) as u64, 16);
    let results = match asked[0].op {
        Collective::Mma(mma) => matrix::multiply(d, &mma, &lanes)?,
        Collective::MatrixLoad(matrices) => {
            let mut rows = [0; 32];
            for (lane, bits) in rows.iter_mut().enumerate().take(8 * matrices.count as usize) {
                *bits = number(&block.shared[row(lane)?]);
            }
            matrix::spread(matrices, &rows)
        }
        Collective::MatrixStore(matrices) => {
            let word = |lane: usize, m: u32| lanes[lane].get(1 + m as usize).map_or(0, |v| v.bits());
            let rows = matrix::rows(matrices, word);
            for (lane, bits) in rows.iter().enumerate().take(8 * matrices.count as usize) {
                block.shared[row(lane)?].copy_from_slice(&bits.to_le_bytes());
            }
            Vec::new()
        }
        _ => {
            let rows = matrix::rows(Matrices { count: 1, transpose: false }, |lane, _| first(lane));
            matrix::spread(Matrices { count: 1, transpose: true }, &rows)
        }
    };
    Ok(results
        .into_iter()
        .enumerate()
        .map(|(lane, all)| (lane, all.into_iter().map(Some).collect(), false))
        .collect())
}
