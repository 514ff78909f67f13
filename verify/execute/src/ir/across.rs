//! What several lanes do together: collectives without a member mask, those that wait for the lanes of one, and block barriers
//! (`docs/convergence.md`, C15 to C17).

use super::program::Program;
use super::wait::{Asked, Wait};
use super::warp::{Status, Turn, Warp};
use crate::across::{self, Asks, Given, member_mask};
use crate::barrier::Arrival;
use crate::collective::lanes;
use crate::outcome::Failure;
use crate::schedule::Block;
use sassafras_ir::{InstData, Type};
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::matrix::{Mma, Operand};
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{Collective, Domain, Trap};
use smallvec::SmallVec;

/// Registers of a width that one value holds, the first lowest.
fn registers(value: Bits, width: u32) -> impl Iterator<Item = Bits> {
    (0..value.width() / width).map(move |i| Bits::new(width, value.bits() >> (i * width)))
}

/// The registers of an operand of a product.
fn operand(mma: &Mma, which: Operand, value: Bits) -> impl Iterator<Item = Bits> {
    registers(value, mma.element(which).register()).take(mma.registers(which) as usize)
}

/// The arguments of a collective, each register by itself: the IR has those of matrices as one value.
fn arguments(op: Collective, given: &[Bits]) -> SmallVec<[Bits; 4]> {
    match (op, given) {
        (Collective::Mma(mma), &[a, b, c]) => {
            let (a, b) = (operand(&mma, Operand::A, a), operand(&mma, Operand::B, b));
            a.chain(b).chain(operand(&mma, Operand::C, c)).collect()
        }
        (Collective::MatrixStore(_), &[address, words]) => {
            std::iter::once(address).chain(registers(words, 32)).collect()
        }
        _ => given.iter().copied().collect(),
    }
}

/// The results as the IR has them: those of matrices as one value, the first register lowest.
fn joined(op: Collective, given: &[Option<Bits>], types: &[Type]) -> SmallVec<[Option<Bits>; 2]> {
    if !op.of_whole_warp() {
        return given.iter().copied().collect();
    }
    let (mut all, mut at) = (0, 0);
    for bits in given.iter().flatten() {
        all |= bits.bits() << at;
        at += bits.width();
    }
    types.iter().map(|t| Some(Bits::new(t.bits(), all))).collect()
}

impl Turn<'_, '_, '_> {
    /// A collective that the lanes `active` of a group ask for.
    pub fn collective(
        &mut self,
        group: u32,
        active: u32,
        data: &InstData,
        op: Collective,
        types: &[Type],
    ) -> Result<(), Failure> {
        let ask = |lane: usize| {
            let thread = &self.warp.threads[lane];
            let given: SmallVec<[Bits; 4]> = data.args.iter().map(|&v| thread.value(v)).collect();
            Asked { lane, op, arguments: arguments(op, &given), results: data.results.clone() }
        };
        let asked: SmallVec<[Asked; 32]> = lanes(active).map(ask).collect();
        for a in &asked {
            self.world.serve(self.block, self.warp.index, a.lane, data.line.into());
            self.world.memory.asked(op, &a.arguments);
        }
        let masked = asked.first().and_then(|a| member_mask(op, &a.arguments)).is_some();
        if let Collective::Barrier(mode) = op {
            self.arrive(mode, &asked)?;
            self.step(group);
        } else if !masked {
            if !asked.is_empty() {
                let given = evaluate(self.program, self.block, &asked, active);
                let given = given.map_err(|t| self.trap(asked[0].lane, t))?;
                self.warp.give(self.program, &asked, &given, types);
            }
            self.step(group);
        } else {
            self.step(group & !active);
            for a in &asked {
                let mask = member_mask(a.op, &a.arguments).unwrap_or(0);
                if mask >> a.lane & 1 == 0 {
                    let what = format!("lane {} is not in its member mask {mask:#010x}", a.lane);
                    return Err(self.undefined(a.lane, what));
                }
                self.warp.threads[a.lane].status = Status::Waiting(Wait::Mask { asked: a.clone(), mask });
            }
            self.warp.regroup(group);
            let end = self.warp.resolve(self.program, self.block);
            return end.map_err(|t| self.trap(asked[0].lane, t));
        }
        self.warp.regroup(group);
        Ok(())
    }

    /// Lanes of a mask that run go behind what they have executed.
    fn step(&mut self, mask: u32) {
        for lane in lanes(mask) {
            if matches!(self.warp.threads[lane].status, Status::Running) {
                self.warp.threads[lane].pc += 1;
            }
        }
    }

    fn arrive(&mut self, mode: BarrierMode, asked: &[Asked]) -> Result<(), Failure> {
        let key = |a: &Asked| (a.arguments[0].bits(), a.arguments[1].bits());
        let mut left: SmallVec<[&Asked; 32]> = asked.iter().collect();
        while let Some(&first) = left.first() {
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
            let ticket = self.block.barriers.arrive(&arrival);
            let ticket = ticket.map_err(|why| self.undefined(first.lane, why.to_string()))?;
            if mode == BarrierMode::Arrive {
                continue;
            }
            for a in same {
                let result = a.results.first().copied();
                self.warp.threads[a.lane].status = Status::Waiting(Wait::Barrier { ticket, mode, result });
                self.warp.at_barrier |= 1 << a.lane;
            }
        }
        Ok(())
    }
}

fn evaluate(
    program: &Program<'_>,
    block: &mut Block,
    asked: &[Asked],
    participants: u32,
) -> Result<Vec<Given>, Trap> {
    let asks: SmallVec<[Asks<'_>; 32]> =
        asked.iter().map(|a| Asks { lane: a.lane, arguments: &a.arguments }).collect();
    across::evaluate(&program.domain, &mut block.shared, asked[0].op, &asks, participants)
}

impl Warp {
    fn give(&mut self, program: &Program<'_>, asked: &[Asked], given: &[Given], types: &[Type]) {
        for (lane, results, _) in given {
            let Some(a) = asked.iter().find(|a| a.lane == *lane) else { continue };
            let results = joined(a.op, results, types);
            for (i, (&value, ty)) in a.results.iter().zip(types).enumerate() {
                let bits = results.get(i).copied().flatten();
                self.threads[*lane].values[value.0 as usize] = match bits {
                    Some(bits) => Bits::new(ty.bits(), bits.bits()),
                    // `match.any` has no such result.
                    None => program.domain.undef(ty.bits(), "a result that the operation does not give"),
                };
            }
        }
    }

    /// Ends the waits of lanes whose barrier has been passed.
    pub fn poll_barriers(&mut self, block: &Block) {
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
            if let Some(result) = *result {
                let place = &mut thread.values[result.0 as usize];
                *place = Bits::new(place.width(), value);
            }
            thread.pc += 1;
            thread.status = Status::Running;
            freed |= 1 << lane;
        }
        self.at_barrier &= !freed;
        self.regroup(freed);
    }

    /// Ends the waits for member masks whose lanes that have not exited all wait at one instruction.
    pub fn resolve(&mut self, program: &Program<'_>, block: &mut Block) -> Result<(), Trap> {
        let mut unseen = self.existing & !self.exited;
        while unseen != 0 {
            let lane = unseen.trailing_zeros() as usize;
            unseen &= !(1 << lane);
            let Status::Waiting(Wait::Mask { mask, .. }) = self.threads[lane].status else { continue };
            // Who waits for these, and at what; a wait of a warp may stand at several places.
            let asks = |l: usize| match &self.threads[l].status {
                Status::Waiting(Wait::Mask { mask: m, asked }) if *m == mask => {
                    Some((asked.op != Collective::WarpSync).then_some(self.threads[l].pc))
                }
                _ => None,
            };
            let members = mask & self.existing & !self.exited;
            let here = asks(lane);
            if here.is_none() || !lanes(members).all(|l| asks(l) == here) {
                continue;
            }
            unseen &= !members;
            let mut asked: SmallVec<[Asked; 32]> = SmallVec::new();
            for l in lanes(members) {
                if let Status::Waiting(Wait::Mask { asked: a, .. }) = &self.threads[l].status {
                    asked.push(a.clone());
                }
            }
            let f = program.function;
            let types: SmallVec<[Type; 2]> = asked[0].results.iter().map(|&v| f.ty(v)).collect();
            let given = evaluate(program, block, &asked, members)?;
            self.give(program, &asked, &given, &types);
            for l in lanes(members) {
                self.threads[l].pc += 1;
                self.threads[l].status = Status::Running;
            }
            self.regroup(members);
        }
        Ok(())
    }
}
