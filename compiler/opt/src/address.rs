//! Offsets into memory operations.

use crate::Stats;
use sassafras_graph::ControlFlow;
use sassafras_ir::{Function, Op, Type, Value};

/// Byte offsets that a memory instruction can hold: 24 bits, signed.
pub const OFFSETS: std::ops::Range<i64> = -(1 << 23)..1 << 23;

/// Moves constants that are added to a 64-bit address into the access, while the sum fits [`OFFSETS`]. 32-bit addresses of shared,
/// local and constant memory are left alone unless the base is a variable's address: the hardware does not wrap their sum.
///
/// Does not change which bytes are accessed. Needs SSA. Preserves the graph.
pub fn address(function: &mut Function) -> Stats {
    let mut changes = 0;
    for block in function.blocks() {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            let mut data = function.insts[inst].clone();
            let access = match &mut data.op {
                Op::Load(access) | Op::Store(access) | Op::Atomic { access, .. } => access,
                _ => continue,
            };
            let mut moved = false;
            while let Some((base, more)) = split(function, data.args[0]) {
                let sum = i64::from(access.offset) + more;
                if !OFFSETS.contains(&sum) {
                    break;
                }
                access.offset = sum as i32;
                data.args[0] = base;
                moved = true;
            }
            if moved {
                function.insts[inst] = data;
                changes += 1;
            }
        }
    }
    Stats::new(changes)
}

/// A 64-bit sum of a base and a constant.
fn split(f: &Function, address: Value) -> Option<(Value, i64)> {
    if f.ty(address) != Type::I64 {
        return None;
    }
    let data = &f.insts[f.def(address)?];
    let sign = match data.op {
        Op::Add => 1,
        Op::Sub => -1,
        _ => return None,
    };
    let more = f.constant(data.args[1])? as u64 as i64;
    // A base that is itself a constant has nothing to be added to.
    f.constant(data.args[0]).is_none().then_some(())?;
    Some((data.args[0], more.checked_mul(sign)?))
}
