//! Collectives: those without a member mask, those that wait for the lanes of one, and block barriers
//! (`docs/convergence.md`, C15 to C17).

use super::program::Program;
use super::wait::{Asked, Wait};
use super::warp::{Status, Turn, Warp};
use crate::across::{self, Asks, Given};
use crate::barrier::Arrival;
use crate::collective::lanes;
use crate::outcome::Failure;
use crate::schedule::Block;
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{Collective, Trap};
use smallvec::SmallVec;

/// The member mask among a collective's arguments; `None` for a form without.
fn member_mask(asked: &Asked) -> Option<u32> {
    across::member_mask(asked.op, &asked.arguments)
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
                Err(why) => {
                    self.warp.threads[first.lane].pc = pc;
                    return Err(self.undefined(first.lane, why.to_string()));
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
    let asks: SmallVec<[Asks<'_>; 32]> =
        asked.iter().map(|a| Asks { lane: a.lane, arguments: &a.arguments }).collect();
    across::evaluate(d, &mut block.shared, asked[0].op, &asks, participants)
}
