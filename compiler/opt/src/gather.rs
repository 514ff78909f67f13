//! gather-barriers: barriers of the block without `.aligned` at several places become one place.
//!
//! Lanes of a warp may come to such barriers by different branches, and arrive each for itself. Hardware lets a warp arrive as one group (C14 of
//! `docs/convergence.md`); where it has no collective, its lanes have to be brought to one place first. ptxas 13.0.88 calls a routine there before sm_90,
//! with a WARPSYNC of all lanes and the barrier. Here edges lead to a block with the barrier, which is told where to go on.
//!
//! A barrier for the whole block holds who comes until every thread that has not ended has come to it. So lanes of one warp that wait at different ones wait at
//! the same barrier, in the same mode, or for ever. That is not so of barriers for some threads, nor of `arrive`: those stay as they are.

use crate::Stats;
use sassafras_ir::uniformity::Uniformity;
use sassafras_ir::{Block, CfgEditor, Edge, Function, Inst, Op, Terminator, Type, Value, repair};
use sassafras_semantics::state::BarrierMode;
use std::collections::{BTreeMap, BTreeSet};

/// Modes in which a thread waits.
const WAITING: [BarrierMode; 4] = [BarrierMode::Sync, BarrierMode::Popc, BarrierMode::And, BarrierMode::Or];

/// Leads the ways to barriers without `.aligned` to one block for each mode, if lanes of a warp may come to several of them at once and all are for the whole
/// block. Does nothing otherwise.
///
/// Needs SSA. Preserves SSA; adds blocks and parameters. A cycle may get several entries.
pub fn gather(function: &mut Function) -> Stats {
    let all = places(function);
    if all.len() < 2 || !all.iter().all(|&(_, inst)| whole_block(function, inst)) {
        return Stats::default();
    }
    if !Uniformity::new(function).several_barriers() {
        return Stats::default();
    }
    let mut changes = 0;
    for mode in WAITING {
        let of = |f: &Function| -> Vec<(Block, Inst)> {
            let is = |&(_, inst): &(Block, Inst)| f.insts[inst].op == Op::Barrier { mode, aligned: false };
            places(f).into_iter().filter(is).collect()
        };
        let own = of(function);
        if own.len() > 1 {
            changes += own.len();
            one_place(function, mode, own);
        }
    }
    Stats::new(changes)
}

/// Barriers without `.aligned`, with their blocks; of one block the last first.
fn places(f: &Function) -> Vec<(Block, Inst)> {
    let unaligned = |&inst: &Inst| matches!(f.insts[inst].op, Op::Barrier { aligned: false, .. });
    let order = f.reverse_post_order().into_iter();
    let of =
        |block: Block| f.blocks[block].insts.iter().rev().copied().filter(unaligned).map(move |i| (block, i));
    order.flat_map(of).collect()
}

/// Whether a barrier is for all threads of the block, and holds them.
fn whole_block(f: &Function, inst: Inst) -> bool {
    let data = &f.insts[inst];
    let Op::Barrier { mode, .. } = data.op else { return false };
    mode != BarrierMode::Arrive && data.guard.is_none() && f.constant(data.args[1]) == Some(0)
}

/// What all agree on, if it is a constant.
fn shared(f: &Function, values: &[Value]) -> Option<u128> {
    let first = f.constant(*values.first()?)?;
    values.iter().all(|&value| f.constant(value) == Some(first)).then_some(first)
}

fn one_place(function: &mut Function, mode: BarrierMode, places: Vec<(Block, Inst)>) {
    let argument =
        |at: usize| -> Vec<Value> { places.iter().map(|&(_, i)| function.insts[i].args[at]).collect() };
    let (numbers, predicates) = (argument(0), argument(2));
    let results: Vec<Option<Value>> =
        places.iter().map(|&(_, inst)| function.insts[inst].results.first().copied()).collect();
    let known = [shared(function, &numbers), shared(function, &predicates)];
    let line = function.insts[places[0].1].line;
    let mut editor = CfgEditor::new(function);
    let hub = editor.add_block();
    let mut behind = Vec::new();
    for (at, &(block, inst)) in places.iter().enumerate() {
        let position = editor.function().blocks[block].insts.iter().position(|&other| other == inst);
        let rest = editor.split_block(block, position.unwrap_or(0) + 1);
        let args = editor.edit_values(|f| {
            f.blocks[block].insts.pop();
            let selector = constant(f, block, at as u128, Type::I32);
            let mut args = vec![selector];
            args.extend(known[0].is_none().then_some(numbers[at]));
            args.extend(known[1].is_none().then_some(predicates[at]));
            args
        });
        editor.redirect(block, 0, Edge::new(hub, &args));
        behind.push(rest);
    }
    let (selector, result) = editor.edit_values(|f| {
        let selector = f.add_param(hub, Type::I32);
        let number = match known[0] {
            Some(bits) => constant(f, hub, bits, Type::I32),
            None => f.add_param(hub, Type::I32),
        };
        let predicate = match known[1] {
            Some(bits) => constant(f, hub, bits, Type::I1),
            None => f.add_param(hub, Type::I1),
        };
        let count = constant(f, hub, 0, Type::I32);
        let types: Vec<Type> = results[0].map(|value| f.ty(value)).into_iter().collect();
        let op = Op::Barrier { mode, aligned: false };
        let inst = f.append(hub, op, &[number, count, predicate], &types, line);
        f.blocks[hub].line = line;
        (selector, f.insts[inst].results.first().copied())
    });
    // A result is the one of the last time that lanes came; each place keeps its own.
    let mut own: BTreeMap<Value, Value> = BTreeMap::new();
    editor.edit_values(|f| {
        for (&rest, old) in behind.iter().zip(&results) {
            if let Some(old) = *old {
                let ty = f.ty(old);
                own.insert(old, f.add_param(rest, ty));
            }
        }
        rename(f, &own);
    });
    let args: Vec<Value> = result.into_iter().collect();
    let targets = behind.iter().map(|&rest| Edge::new(rest, &args)).collect();
    editor.set_terminator(hub, Terminator::Switch { index: selector, targets });
    repair::repair(function, &BTreeMap::new(), &BTreeSet::new());
}

fn constant(f: &mut Function, block: Block, bits: u128, ty: Type) -> Value {
    let inst = f.append(block, Op::Const(bits), &[], &[ty], 0);
    f.insts[inst].results[0]
}

fn rename(f: &mut Function, new: &BTreeMap<Value, Value>) {
    let change = |value: &mut Value| *value = new.get(value).copied().unwrap_or(*value);
    for block in f.blocks.keys().collect::<Vec<_>>() {
        for inst in f.blocks[block].insts.clone() {
            f.insts[inst].for_each_use_mut(change);
        }
        f.blocks[block].terminator.for_each_use_mut(change);
    }
}
