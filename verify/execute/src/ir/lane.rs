//! What an operation does in one lane. Pure operations are [`evaluate`]'s; here are those that see what surrounds the lane.

use super::warp::Turn;
use crate::memory::{Deed, Lane as View, number};
use crate::special;
use crate::system::{End, perform};
use sassafras_ir::{InstData, MemoryAccess, Op, Type, evaluate};
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::{Access, Trap};
use smallvec::{SmallVec, smallvec};

/// Most bytes of one access; wider vectors are several.
const MOST: u32 = 16;

type Results = SmallVec<[Bits; 4]>;

/// The elements of a vector that one access is of: how many, and their size together as an access.
fn whole(access: &MemoryAccess) -> (u32, Access) {
    let (each, lanes) = (u32::from(access.bytes), u32::from(access.lanes));
    let together = lanes.min((MOST / each).max(1));
    let MemoryAccess { space, ordering, scope, .. } = *access;
    (together, Access { space, bytes: each * together, ordering, scope })
}

/// The address of an access: that of its argument, modulo the argument's width, and the offset.
fn address(access: &MemoryAccess, argument: Bits, more: u32) -> u64 {
    let sum = (argument.bits() as u64).wrapping_add_signed(access.offset.into()).wrapping_add(more.into());
    Bits::new(argument.width(), sum.into()).bits() as u64
}

fn unsupported(op: &Op) -> Trap {
    Trap::Unsupported(sassafras_ir::text::print_op(op))
}

impl Turn<'_, '_, '_> {
    fn view(&mut self, lane: usize) -> View<'_> {
        let local = &mut self.warp.threads[lane].local;
        View { memory: &mut self.world.memory, shared: &mut self.block.shared, local }
    }

    /// Executes an operation in a lane; its results, of the types.
    pub fn one(&mut self, lane: usize, data: &InstData, types: &[Type]) -> Result<Results, Trap> {
        let thread = &self.warp.threads[lane];
        let args: SmallVec<[Bits; 4]> = data.taken().iter().map(|&v| thread.value(v)).collect();
        let width = types.first().map_or(1, |t| t.bits());
        let low = |v: Bits| v.bits() as u64;
        Ok(match data.op {
            Op::Param { offset, bytes, signed } => {
                let all = &self.world.launch.params;
                let range = offset as usize..offset as usize + usize::from(bytes);
                let value = all.get(range).map(number).ok_or_else(|| unsupported(&data.op))?;
                smallvec![extended(value, 8 * u32::from(bytes), signed, width)]
            }
            Op::Special(register) => {
                let asker = self.block.asker(self.world, self.warp.index, lane as u32);
                smallvec![Bits::new(width, special::value(register, &asker, self.world.launch).into())]
            }
            Op::Address(variable, offset) => {
                let base = self.program.addresses[variable.0 as usize];
                smallvec![Bits::new(width, base.wrapping_add_signed(offset).into())]
            }
            Op::Load(access) => self.load(lane, &access, args[0], types)?,
            Op::Store(access) => self.store(lane, &access, &args)?,
            Op::Atomic { op, access } => {
                let (_, one) = whole(&access);
                let at = address(&access, args[0], 0);
                let operands: SmallVec<[u128; 2]> = args[1..].iter().map(|v| v.bits()).collect();
                let old = self.view(lane).atomic(&one, op, at, &operands)?;
                let old = |ty: &Type| extended(old, 8 * one.bytes, access.signed, ty.bits());
                types.iter().map(old).collect()
            }
            Op::Fence(ordering, scope) => {
                self.world.memory.did(Deed::Fence { ordering, scope });
                Results::new()
            }
            Op::Nanosleep => Results::new(),
            Op::ToGeneric(space) => smallvec![Bits::new(width, View::cvta(space, low(args[0]))?.into())],
            Op::FromGeneric(space) => smallvec![Bits::new(width, View::cvta_to(space, low(args[0]))?.into())],
            Op::IsSpace(space) => smallvec![Bits::new(1, View::is_space(space, low(args[0])).into())],
            Op::SystemCall(call) => {
                let operands: Vec<u64> = args.iter().map(|&v| low(v)).collect();
                let who = (self.block.linear, 32 * self.warp.index + lane as u32);
                let seed = self.world.options.seed;
                match perform(&mut self.view(lane), who, seed, call, &operands)? {
                    End::Result(result) => types.iter().map(|t| Bits::new(t.bits(), result.into())).collect(),
                    End::Stop(_) => return Err(Trap::Trapped),
                    End::Undefined(what) => return Err(Trap::Unsupported(what)),
                }
            }
            Op::Opaque(op) => {
                let results = crate::opaque::perform(&mut self.view(lane), op, &args)?;
                results.into_iter().zip(types).map(|(v, t)| Bits::new(t.bits(), v.bits())).collect()
            }
            ref op => {
                let results = evaluate(&self.program.domain, op, &args, types);
                results.ok_or_else(|| unsupported(op))?.into_iter().collect()
            }
        })
    }

    fn load(
        &mut self,
        lane: usize,
        access: &MemoryAccess,
        argument: Bits,
        types: &[Type],
    ) -> Result<Results, Trap> {
        let (together, one) = whole(access);
        let each = u32::from(access.bytes);
        let mut results = Results::new();
        for (i, types) in types.chunks(together as usize).enumerate() {
            let at = address(access, argument, i as u32 * one.bytes);
            let bits = self.view(lane).load(&one, at)?;
            let element =
                |(n, t): (u32, &Type)| extended(bits >> (8 * each * n), 8 * each, access.signed, t.bits());
            results.extend((0..).zip(types).map(element));
        }
        Ok(results)
    }

    fn store(&mut self, lane: usize, access: &MemoryAccess, args: &[Bits]) -> Result<Results, Trap> {
        let (together, one) = whole(access);
        let each = u32::from(access.bytes);
        for (i, elements) in args[1..].chunks(together as usize).enumerate() {
            let at = address(access, args[0], i as u32 * one.bytes);
            let low = |v: &Bits| Bits::new(8 * each, v.bits()).bits();
            let bits = elements
                .iter()
                .rev()
                .fold(0, |all, v| if each == 16 { low(v) } else { all << (8 * each) | low(v) });
            self.view(lane).store(&one, at, bits)?;
        }
        Ok(Results::new())
    }
}

/// The low `from` bits of a number as `to` bits.
fn extended(bits: u128, from: u32, signed: bool, to: u32) -> Bits {
    let value = Bits::new(from, bits);
    if signed && from < to { Bits::new(to, value.signed() as u128) } else { Bits::new(to, value.bits()) }
}
