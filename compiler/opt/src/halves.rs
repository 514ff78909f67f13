//! Bits of 64-bit values by halves.

use crate::Stats;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_ir::{Block, Builder, CfgEditor, Function, InstData, Op, Type, Value};

/// Computes logic, choices and shifts by constants of 64 bits on their halves, where each is an operation of its own for the hardware: what
/// is known of one half, or a part of it that nobody reads, is then seen by the other passes.
///
/// Does not touch sums and products, whose halves depend on each other, nor a shift that one sum takes in. Needs SSA. Preserves the graph; what becomes unused stays for
/// [`crate::dead`].
pub fn halves(function: &mut Function) -> Stats {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changes = 0;
    let taken = taken_in(function);
    let mut editor = CfgEditor::new(function);
    for block in editor.function().blocks() {
        let f = editor.function();
        if !f.blocks[block].insts.iter().any(|&inst| splits(f, &f.insts[inst], &taken)) {
            continue;
        }
        editor.rewrite(block, |b, insts| {
            for inst in insts {
                let data = b.function.insts[inst].clone();
                if splits(b.function, &data, &taken) {
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

/// Shifts to the left by less than a word whose only use is a sum in the same block: the hardware shifts and adds at once.
fn taken_in(f: &Function) -> SecondaryMap<Value, bool> {
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    let mut shifted: SecondaryMap<Value, Option<Block>> = SecondaryMap::with_default(None);
    let mut taken: SecondaryMap<Value, bool> = SecondaryMap::new();
    for block in f.blocks() {
        f.blocks[block].terminator.for_each_use(|v| uses[v] += 1);
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            data.for_each_use(|v| uses[v] += 1);
            if data.op == Op::Add {
                data.args.iter().filter(|v| shifted[**v] == Some(block)).for_each(|&v| taken[v] = true);
            }
            if data.op == Op::Shl && shift(f, data).is_some_and(|n| n < 32) {
                shifted[data.results[0]] = Some(block);
            }
        }
    }
    for &result in
        f.blocks().iter().flat_map(|&b| &f.blocks[b].insts).flat_map(|&inst| &f.insts[inst].results)
    {
        taken[result] &= uses[result] == 1;
    }
    taken
}

/// The constant number of bits by which a shift goes, if it is less than 64.
fn shift(f: &Function, data: &InstData) -> Option<u32> {
    f.constant(data.args[1]).filter(|&n| n < 64).map(|n| n as u32)
}

fn splits(f: &Function, data: &InstData, taken: &SecondaryMap<Value, bool>) -> bool {
    let wide = matches!(data.results[..], [result] if f.ty(result) == Type::I64) && data.guard.is_none();
    wide && match data.op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Select => true,
        Op::Shl if taken[data.results[0]] => false,
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
