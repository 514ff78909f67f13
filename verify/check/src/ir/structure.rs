//! What must hold before anything else can be asked: names exist, edges fit, guards stand where they may.

use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::FxHashMap;
use sassafras_graph::Entity;
use sassafras_ir::{Function, Inst, Module, Op, Terminator, Type, Value, ValueDef};

/// Checks names, edges, terminators and guards. False when a name leads nowhere, so that nothing else can be asked.
pub(super) fn check(module: &Module, f: &Function, report: &mut Report) -> bool {
    let before = report.len();
    names(module, f, report);
    if report.len() != before {
        return false;
    }
    once(f, report);
    edges(f, report);
    guards(f, report);
    true
}

/// Every block, instruction and value that is named exists.
fn names(module: &Module, f: &Function, report: &mut Report) {
    if f.blocks.get(f.entry).is_none() {
        report.add(Rule::IrName, f.entry, "the entry does not exist");
    }
    let known = |v: Value| f.values.get(v).is_some();
    for (block, data) in f.blocks.iter() {
        let mut values: Vec<Value> = data.params.clone();
        for &inst in &data.insts {
            let Some(data) = f.insts.get(inst) else {
                report.add(Rule::IrName, block, format!("{inst} does not exist"));
                continue;
            };
            values.extend(data.args.iter().chain(&data.results).copied());
            values.extend(data.guard.map(|g| g.value));
            if let Op::Address(variable, _) = data.op
                && module.variables.get(variable).is_none()
            {
                report.add(Rule::IrName, inst, format!("{variable} does not exist"));
            }
        }
        match &data.terminator {
            Terminator::Branch { condition, .. } => values.push(*condition),
            Terminator::Switch { index, .. } => values.push(*index),
            Terminator::Jump(_) | Terminator::Exit | Terminator::Trap | Terminator::Unreachable => {}
        }
        for edge in data.terminator.edges() {
            values.extend(edge.args.iter().copied());
            if f.blocks.get(edge.block).is_none() {
                report.add(Rule::IrName, block, format!("it leads to {}, which does not exist", edge.block));
            }
        }
        for value in values.into_iter().filter(|&v| !known(v)) {
            report.add(Rule::IrName, block, format!("{value} does not exist"));
        }
    }
}

/// An instruction stands in one place, a value has one definition, and both know where.
fn once(f: &Function, report: &mut Report) {
    let mut placed: FxHashMap<Inst, usize> = FxHashMap::default();
    let mut defined: FxHashMap<Value, ValueDef> = FxHashMap::default();
    let mut define = |value: Value, def: ValueDef, report: &mut Report| {
        if defined.insert(value, def).is_some() {
            report.add(Rule::IrSingleDefinition, value, "it is defined twice");
        }
        if f.values[value].def != def {
            let said = f.values[value].def;
            report.add(Rule::IrSingleDefinition, value, format!("it says {said:?} but is {def:?}"));
        }
        if ![1, 16, 32, 64, 128].contains(&f.values[value].ty.bits()) {
            report.add(Rule::IrWidth, value, format!("{} bits is no width", f.values[value].ty.bits()));
        }
    };
    for (block, data) in f.blocks.iter() {
        for (i, &param) in data.params.iter().enumerate() {
            define(param, ValueDef::Param(block, i as u16), report);
        }
        for &inst in &data.insts {
            if placed.insert(inst, block.index()).is_some() {
                report.add(Rule::IrSingleDefinition, inst, "it stands in two places");
                continue;
            }
            for (i, &result) in f.insts[inst].results.iter().enumerate() {
                define(result, ValueDef::Result(inst, i as u16), report);
            }
        }
    }
}

/// The entry is entered once, and every edge brings what its target wants.
fn edges(f: &Function, report: &mut Report) {
    if !f.blocks[f.entry].params.is_empty() {
        report.add(Rule::IrEntry, f.entry, "the entry has parameters");
    }
    for (block, data) in f.blocks.iter() {
        match &data.terminator {
            Terminator::Branch { condition, .. } if f.values[*condition].ty != Type::I1 => {
                report.add(Rule::IrWidth, block, format!("the condition {condition} is not one bit wide"));
            }
            Terminator::Switch { index, .. } if f.values[*index].ty != Type::I32 => {
                report.add(Rule::IrWidth, block, format!("the index {index} is not 32 bits wide"));
            }
            Terminator::Switch { targets, .. } if targets.is_empty() => {
                report.add(Rule::IrEdge, block, "the switch has no target");
            }
            _ => {}
        }
        for edge in data.terminator.edges() {
            let target = &f.blocks[edge.block];
            if edge.block == f.entry {
                report.add(Rule::IrEntry, block, "it leads back to the entry");
            }
            if edge.args.len() != target.params.len() {
                let (args, params) = (edge.args.len(), target.params.len());
                report.add(Rule::IrEdge, block, format!("{args} arguments for {params} of {}", edge.block));
            }
            for (&arg, &param) in edge.args.iter().zip(&target.params) {
                let (has, wants) = (f.values[arg].ty.bits(), f.values[param].ty.bits());
                if has != wants {
                    let what = format!("{arg} of {has} bits is passed for {param} of {wants}");
                    report.add(Rule::IrEdge, block, what);
                }
            }
        }
        // A block that is named twice by a switch gets the same arguments each time.
        if let Terminator::Switch { targets, .. } = &data.terminator {
            for (i, a) in targets.iter().enumerate() {
                if targets[i + 1..].iter().any(|b| b.block == a.block && b.args != a.args) {
                    report.add(Rule::IrEdge, block, format!("{} gets different arguments", a.block));
                }
            }
        }
    }
}

/// A guard is one bit wide and stands on a load or on an operation that gives nothing. What a load keeps where the guard does not hold
/// is as wide as its results.
fn guards(f: &Function, report: &mut Report) {
    for &inst in f.blocks.values().flat_map(|data| &data.insts) {
        let data = &f.insts[inst];
        let Some(guard) = data.guard else { continue };
        let widths = |values: &[Value]| values.iter().map(|&v| f.values[v].ty).collect::<Vec<_>>();
        if matches!(data.op, Op::Load(_)) {
            if data.args.get(1..).map(widths) != Some(widths(&data.results)) {
                report.add(
                    Rule::IrGuard,
                    inst,
                    "a guarded load does not say what its results are without it",
                );
            }
        } else if !data.results.is_empty() {
            report.add(Rule::IrGuard, inst, "a guarded operation has results");
        }
        if f.values[guard.value].ty != Type::I1 {
            report.add(Rule::IrGuard, inst, format!("the guard {} is not one bit wide", guard.value));
        }
    }
}
