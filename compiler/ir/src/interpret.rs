//! Runs a function as one thread: enough to compare what lowering, a pass or an expansion computes.
//!
//! [`run`] is for functions without memory: it records what they store. [`run_in`] takes a [`World`] that has memory. Operations
//! across lanes and barriers end the run with an error, that is the executors' subject, unless the world answers for other lanes.

use crate::evaluate;
use crate::function::*;
use crate::op::{MemoryAccess, Op};
use sassafras_graph::SecondaryMap;
use sassafras_semantics::{AtomicOp, Bits, Concrete, Space, SpecialRegister};

/// Why a run ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// An operation that the world does not know.
    #[error("{0} is not known here")]
    Unknown(String),
    /// More instructions than allowed.
    #[error("the run takes more than {0} instructions")]
    TooLong(usize),
    /// [`Terminator::Unreachable`] or [`Terminator::Trap`], or a switch index out of range.
    #[error("{0} is reached")]
    Terminator(&'static str),
    /// A value is used that was not computed.
    #[error("{0} is used before it is defined")]
    Undefined(Value),
}

/// What surrounds a thread. `None` means that the world does not have it.
pub trait World {
    /// A byte of the parameter block.
    fn param(&self, offset: u32) -> u8;
    /// A special register.
    fn special(&self, register: SpecialRegister) -> u64;
    /// An element of memory.
    fn load(&mut self, access: &MemoryAccess, address: u64) -> Option<u128>;
    /// Sets an element of memory.
    fn store(&mut self, access: &MemoryAccess, address: u64, value: u128) -> Option<()>;
    /// A read-modify-write: the old value.
    fn atomic(
        &mut self,
        op: AtomicOp,
        access: &MemoryAccess,
        address: u64,
        operands: &[u128],
    ) -> Option<u128>;
    /// The address of a variable in its space.
    fn address(&self, variable: VariableId) -> Option<u64>;
    /// The generic address of address zero of a space.
    fn window(&self, space: Space) -> Option<u64>;
    /// What is asked of other lanes, fences, barriers: one number for each result. Other operations are not known to it.
    fn other(&mut self, op: &Op, args: &[Bits], types: &[crate::Type]) -> Option<Vec<u128>> {
        let _ = (args, types);
        match op {
            Op::Fence(..) | Op::Nanosleep => Some(Vec::new()),
            Op::Opaque(op) if op.family().timing => Some(Vec::new()),
            _ => None,
        }
    }
}

/// What [`run`] starts from and what it may cost.
pub struct Input<'a> {
    /// Bytes of the parameter block.
    pub params: &'a [u8],
    /// Value of each special register.
    pub special: &'a dyn Fn(SpecialRegister) -> u64,
    /// Most instructions and terminators executed.
    pub limit: usize,
}

/// A world without memory that records stores.
struct Recorder<'a> {
    input: &'a Input<'a>,
    stores: Vec<Vec<Bits>>,
}

impl World for Recorder<'_> {
    fn param(&self, offset: u32) -> u8 {
        self.input.params.get(offset as usize).copied().unwrap_or(0)
    }
    fn special(&self, register: SpecialRegister) -> u64 {
        (self.input.special)(register)
    }
    fn load(&mut self, _: &MemoryAccess, _: u64) -> Option<u128> {
        None
    }
    fn store(&mut self, access: &MemoryAccess, address: u64, value: u128) -> Option<()> {
        self.stores
            .push(vec![Bits::new(64, u128::from(address)), Bits::new(8 * u32::from(access.bytes), value)]);
        Some(())
    }
    fn atomic(&mut self, _: AtomicOp, _: &MemoryAccess, _: u64, _: &[u128]) -> Option<u128> {
        None
    }
    fn address(&self, _: VariableId) -> Option<u64> {
        None
    }
    fn window(&self, _: Space) -> Option<u64> {
        None
    }
}

/// Runs the function from its entry. Returns the elements stored, in order: address, then value.
pub fn run(function: &Function, d: &Concrete, input: &Input) -> Result<Vec<Vec<Bits>>, Stop> {
    let mut world = Recorder { input, stores: Vec::new() };
    run_in(function, d, &mut world, input.limit)?;
    Ok(world.stores)
}

/// Runs the function from its entry, at most `limit` instructions and terminators.
pub fn run_in(function: &Function, d: &Concrete, world: &mut dyn World, limit: usize) -> Result<(), Stop> {
    let mut values: SecondaryMap<Value, Option<Bits>> = SecondaryMap::new();
    let mut block = function.entry;
    let mut left = limit;
    let get = |values: &SecondaryMap<Value, Option<Bits>>, v: Value| values[v].ok_or(Stop::Undefined(v));
    loop {
        let data = &function.blocks[block];
        left = left.checked_sub(data.insts.len() + 1).ok_or(Stop::TooLong(limit))?;
        for &inst in &data.insts {
            let inst = &function.insts[inst];
            if let Some(guard) = inst.guard
                && get(&values, guard.value)?.is_true() == guard.negate
            {
                for (&value, &kept) in inst.results.iter().zip(inst.kept()) {
                    values[value] = Some(get(&values, kept)?);
                }
                continue;
            }
            let args = inst.taken().iter().map(|&v| get(&values, v)).collect::<Result<Vec<_>, _>>()?;
            let types: Vec<_> = inst.results.iter().map(|&v| function.ty(v)).collect();
            let results = match effect(world, inst, &args, &types) {
                Some(results) => results,
                None => evaluate(d, &inst.op, &args, &types)
                    .ok_or_else(|| Stop::Unknown(crate::text::print_op(&inst.op)))?,
            };
            for (&value, bits) in inst.results.iter().zip(results) {
                values[value] = Some(bits);
            }
        }
        let edge = match &data.terminator {
            Terminator::Jump(edge) => edge,
            Terminator::Branch { condition, then, otherwise } => {
                if get(&values, *condition)?.is_true() {
                    then
                } else {
                    otherwise
                }
            }
            Terminator::Switch { index, targets } => targets
                .get(get(&values, *index)?.bits() as usize)
                .ok_or(Stop::Terminator("a switch index out of range"))?,
            Terminator::Exit => return Ok(()),
            Terminator::Trap => return Err(Stop::Terminator("trap")),
            Terminator::Unreachable => return Err(Stop::Terminator("unreachable")),
        };
        let args = edge.args.iter().map(|&v| get(&values, v)).collect::<Result<Vec<_>, _>>()?;
        for (&param, bits) in function.blocks[edge.block].params.iter().zip(args) {
            values[param] = Some(bits);
        }
        block = edge.block;
    }
}

/// The results of an operation that asks the world; `None` if it does not, or the world does not know.
fn effect(world: &mut dyn World, inst: &InstData, args: &[Bits], types: &[crate::Type]) -> Option<Vec<Bits>> {
    let extend = |bits: u128, bytes: u8, signed: bool, ty: crate::Type| {
        let value = Bits::new(8 * u32::from(bytes), bits);
        Bits::new(ty.bits(), if signed { value.signed() as u128 } else { value.bits() })
    };
    let wide = |space| matches!(space, Space::Generic | Space::Global);
    let at = |access: &MemoryAccess, i: usize| {
        let offset = i64::from(access.offset) as u64 + i as u64 * u64::from(access.bytes);
        let sum = (args[0].bits() as u64).wrapping_add(offset);
        if wide(access.space) { sum } else { sum & 0xffff_ffff }
    };
    Some(match inst.op {
        Op::Param { offset, bytes, signed } => {
            let bits =
                (0..u32::from(bytes)).rev().fold(0, |all, i| all << 8 | u128::from(world.param(offset + i)));
            vec![extend(bits, bytes, signed, types[0])]
        }
        Op::Special(register) => vec![Bits::new(types[0].bits(), u128::from(world.special(register)))],
        Op::Address(variable, offset) => {
            let address = world.address(variable)?.wrapping_add(offset as u64);
            vec![Bits::new(types[0].bits(), u128::from(address))]
        }
        Op::Load(access) => {
            let mut all = Vec::new();
            for (i, &ty) in types.iter().enumerate() {
                let bits = world.load(&access, at(&access, i))?;
                all.push(extend(bits, access.bytes, access.signed, ty));
            }
            all
        }
        Op::Store(access) => {
            for (i, value) in args[1..].iter().enumerate() {
                world.store(&access, at(&access, i), value.bits())?;
            }
            Vec::new()
        }
        Op::Atomic { op, access } => {
            let operands: Vec<u128> = args[1..].iter().map(|v| v.bits()).collect();
            let old = world.atomic(op, &access, at(&access, 0), &operands)?;
            types.iter().map(|ty| Bits::new(ty.bits(), old)).collect()
        }
        Op::ToGeneric(space) => vec![Bits::new(64, args[0].bits() + u128::from(world.window(space)?))],
        Op::FromGeneric(space) => {
            vec![Bits::new(64, u128::from((args[0].bits() as u64).wrapping_sub(world.window(space)?)))]
        }
        ref op => {
            let results = world.other(op, args, types)?;
            types.iter().zip(results).map(|(ty, bits)| Bits::new(ty.bits(), bits)).collect()
        }
    })
}
