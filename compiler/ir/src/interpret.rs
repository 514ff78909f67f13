//! Runs a function as one thread without memory: enough to compare what a pass or an expansion computes before and after.
//!
//! The first instruction that is not pure ends the run with an error, but for parameters and special registers, which the
//! caller gives. A store of the form that tests use to show a value is recorded.

use crate::evaluate;
use crate::function::*;
use crate::op::Op;
use sassafras_graph::SecondaryMap;
use sassafras_semantics::{Bits, Concrete, SpecialRegister};

/// Why a run ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// An operation that needs more than values.
    #[error("{0} is not pure")]
    NotPure(String),
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

/// What a run starts from and what it may cost.
pub struct Input<'a> {
    /// Bytes of the parameter block.
    pub params: &'a [u8],
    /// Value of each special register.
    pub special: &'a dyn Fn(SpecialRegister) -> u64,
    /// Most instructions and terminators executed.
    pub limit: usize,
}

/// Runs the function from its entry. Returns the values stored, in order: address then elements.
pub fn run(function: &Function, d: &Concrete, input: &Input) -> Result<Vec<Vec<Bits>>, Stop> {
    let mut values: SecondaryMap<Value, Option<Bits>> = SecondaryMap::new();
    let mut block = function.entry;
    let mut stores = Vec::new();
    let mut left = input.limit;
    let get = |values: &SecondaryMap<Value, Option<Bits>>, v: Value| values[v].ok_or(Stop::Undefined(v));
    loop {
        let data = &function.blocks[block];
        left = left.checked_sub(data.insts.len() + 1).ok_or(Stop::TooLong(input.limit))?;
        for &inst in &data.insts {
            let inst = &function.insts[inst];
            if let Some(guard) = inst.guard
                && get(&values, guard.value)?.is_true() == guard.negate
            {
                continue;
            }
            let args = inst.args.iter().map(|&v| get(&values, v)).collect::<Result<Vec<_>, _>>()?;
            let types: Vec<_> = inst.results.iter().map(|&v| function.ty(v)).collect();
            let results = match inst.op {
                Op::Store(_) => {
                    stores.push(args);
                    Vec::new()
                }
                Op::Param { offset, bytes, signed } => {
                    let width = 8 * u32::from(bytes);
                    let mut bits = 0u128;
                    for i in (0..usize::from(bytes)).rev() {
                        bits = bits << 8
                            | u128::from(input.params.get(offset as usize + i).copied().unwrap_or(0));
                    }
                    let value = Bits::new(width, bits);
                    let extended = if signed { value.signed() as u128 } else { value.bits() };
                    vec![Bits::new(types[0].bits(), extended)]
                }
                Op::Special(register) => {
                    vec![Bits::new(types[0].bits(), u128::from((input.special)(register)))]
                }
                ref op => evaluate(d, op, &args, &types).ok_or_else(|| Stop::NotPure(format!("{op:?}")))?,
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
            Terminator::Exit => return Ok(stores),
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
