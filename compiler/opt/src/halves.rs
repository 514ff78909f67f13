//! Bits of 64-bit values by halves.

use crate::Stats;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_ir::{Builder, CfgEditor, Function, InstData, Op, Type, Value};

/// Computes logic, choices and shifts by constants of 64 bits on their halves, where each is an operation of its own for the hardware: what
/// is known of one half, or a part of it that nobody reads, is then seen by the other passes.
///
/// Does not touch sums and products, whose halves depend on each other. Needs SSA. Preserves the graph; what becomes unused stays for
/// [`crate::dead`].
pub fn halves(function: &mut Function) -> Stats {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changes = 0;
    let mut editor = CfgEditor::new(function);
    for block in editor.function().blocks() {
        let f = editor.function();
        if !f.blocks[block].insts.iter().any(|&inst| splits(f, &f.insts[inst])) {
            continue;
        }
        editor.rewrite(block, |b, insts| {
            for inst in insts {
                let data = b.function.insts[inst].clone();
                if splits(b.function, &data) {
                    b.line = data.line;
                    let (low, high) = split(b, &data);
                    map[data.results[0]] = Some(b.concat(low, high));
                    changes += 1;
                } else {
                    let end = b.block;
                    b.function.blocks[end].insts.push(inst);
                }
            }
        });
    }
    if changes != 0 {
        editor.edit_values(|function| function.replace_all(&map));
    }
    Stats::new(changes)
}

/// The constant number of bits by which a shift goes, if it is less than 64.
fn shift(f: &Function, data: &InstData) -> Option<u32> {
    f.constant(data.args[1]).filter(|&n| n < 64).map(|n| n as u32)
}

fn splits(f: &Function, data: &InstData) -> bool {
    let wide = matches!(data.results[..], [result] if f.ty(result) == Type::I64) && data.guard.is_none();
    wide && match data.op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Select => true,
        Op::Shl | Op::Shr { .. } => shift(f, data).is_some(),
        _ => false,
    }
}

/// The low and the high word of what an instruction computes.
fn split(b: &mut Builder, data: &InstData) -> (Value, Value) {
    let words = |b: &mut Builder, v: Value| (b.low(v), b.high(v));
    match data.op {
        Op::Not => {
            let (low, high) = words(b, data.args[0]);
            (b.not(low), b.not(high))
        }
        Op::Select => {
            let (a, c) = (words(b, data.args[1]), words(b, data.args[2]));
            let p = data.args[0];
            (b.select(p, a.0, c.0), b.select(p, a.1, c.1))
        }
        Op::Shl | Op::Shr { .. } => {
            let (low, high) = words(b, data.args[0]);
            let n = shift(b.function, data).unwrap_or(0);
            shifted(b, data.op, low, high, n)
        }
        op => {
            let (a, c) = (words(b, data.args[0]), words(b, data.args[1]));
            (b.same(op, &[a.0, c.0]), b.same(op, &[a.1, c.1]))
        }
    }
}

/// A shift by `n` bits, less than 64.
fn shifted(b: &mut Builder, op: Op, low: Value, high: Value, n: u32) -> (Value, Value) {
    let funnel = |b: &mut Builder, left: bool, n: u32| {
        let n = b.i32(n);
        b.value(Op::FunnelShift { left, wrap: false }, &[low, high, n], Type::I32)
    };
    match (op, n) {
        (_, 0) => (low, high),
        (Op::Shl, 32..) => (b.i32(0), b.shl_by(low, n - 32)),
        (Op::Shl, _) => (b.shl_by(low, n), funnel(b, true, n)),
        (Op::Shr { signed }, 32..) => {
            let rest = if signed { b.ashr_by(high, n - 32) } else { b.lshr_by(high, n - 32) };
            (rest, if signed { b.ashr_by(high, 31) } else { b.i32(0) })
        }
        (Op::Shr { signed }, _) => {
            let rest = if signed { b.ashr_by(high, n) } else { b.lshr_by(high, n) };
            (funnel(b, false, n), rest)
        }
        (other, _) => unreachable!("{other:?} is no shift"),
    }
}
