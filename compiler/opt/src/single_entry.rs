//! LoopMakeSingleEntry: every cycle gets one way in.

use crate::Stats;
use sassafras_graph::{ControlFlow, entered_twice};
use sassafras_ir::{Block, CfgEditor, Edge, Function, Op, Terminator, Type, Value, repair};
use std::collections::{BTreeMap, BTreeSet};

/// The most instructions that are copied to split the blocks of one cycle; a cycle that would take more gets a dispatch block.
pub const MOST_COPIED: usize = 32;

/// Makes an irreducible graph reducible. Of a cycle with several entries one stays; what can be run from the others before it
/// comes by that one is copied for them (node splitting), if that is at most [`MOST_COPIED`] instructions and none of them
/// convergent, which must not be copied. Otherwise all edges to the entries lead to a new block that is told where to go on
/// (dispatch).
///
/// Does nothing to a reducible graph. Needs SSA. Preserves SSA; adds blocks and parameters.
pub fn single_entry(function: &mut Function) -> Stats {
    let mut stats = Stats::default();
    loop {
        let mut editor = CfgEditor::new(function);
        let walk = editor.walk().clone();
        if entered_twice(&walk, editor.dominators()).next().is_none() {
            return stats;
        }
        let all: BTreeSet<Block> = walk.reverse_post_order().iter().copied().collect();
        let Some((cycle, entries)) = outermost(&editor, all) else { return stats };
        let order =
            walk.reverse_post_order().iter().copied().filter(|block| entries.contains(block)).collect();
        match split(&editor, &cycle, &entries, order) {
            Some(copied) => copy(function, &copied),
            None => dispatch(function, &entries.into_iter().collect::<Vec<_>>()),
        }
        stats.changes += 1;
    }
}

/// A cycle with several entries, and these: of the whole graph, or of what is left of a loop without its header.
fn outermost(editor: &CfgEditor, all: BTreeSet<Block>) -> Option<(BTreeSet<Block>, BTreeSet<Block>)> {
    let mut work = vec![all];
    while let Some(part) = work.pop() {
        for cycle in cycles(editor.function(), &part) {
            let entered = |block: &Block| editor.preds(*block).any(|(pred, _)| !cycle.contains(&pred));
            let entries: BTreeSet<Block> = cycle.iter().copied().filter(entered).collect();
            if entries.len() > 1 {
                return Some((cycle, entries));
            }
            let mut inner = cycle;
            entries.iter().for_each(|header| {
                inner.remove(header);
            });
            work.push(inner);
        }
    }
    None
}

/// The strongly connected parts of a set of blocks that hold a cycle (Tarjan, with a stack of our own).
fn cycles(function: &Function, part: &BTreeSet<Block>) -> Vec<BTreeSet<Block>> {
    let mut found = Vec::new();
    let mut number: BTreeMap<Block, (u32, u32)> = BTreeMap::new();
    let mut open: Vec<Block> = Vec::new();
    let mut waiting: BTreeSet<Block> = BTreeSet::new();
    for &root in part {
        if number.contains_key(&root) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some(&(block, next)) = stack.last() {
            if next == 0 {
                let count = number.len() as u32;
                number.insert(block, (count, count));
                open.push(block);
                waiting.insert(block);
            }
            let succs = function.succs(block);
            if let Some(&to) = succs.get(next) {
                if let Some(top) = stack.last_mut() {
                    top.1 += 1;
                }
                if !part.contains(&to) {
                    continue;
                }
                match number.get(&to) {
                    None => stack.push((to, 0)),
                    Some(&(there, _)) if waiting.contains(&to) => lower(&mut number, block, there),
                    Some(_) => {}
                }
                continue;
            }
            stack.pop();
            let (own, low) = number[&block];
            if let Some(&(above, _)) = stack.last() {
                lower(&mut number, above, low);
            }
            if own == low {
                let at = open.iter().rposition(|&other| other == block).unwrap_or(0);
                let members: BTreeSet<Block> = open.split_off(at).into_iter().collect();
                members.iter().for_each(|member| {
                    waiting.remove(member);
                });
                if members.len() > 1 || succs.contains(&block) {
                    found.push(members);
                }
            }
        }
    }
    found
}

fn lower(number: &mut BTreeMap<Block, (u32, u32)>, block: Block, to: u32) {
    if let Some(entry) = number.get_mut(&block) {
        entry.1 = entry.1.min(to);
    }
}

/// What to copy: the blocks, and the edges from outside that are to lead to the copies.
struct Copied {
    blocks: BTreeSet<Block>,
    edges: Vec<(Block, usize)>,
}

/// The cheapest choice of the entry that stays, if it is cheap enough.
fn split(
    editor: &CfgEditor,
    cycle: &BTreeSet<Block>,
    entries: &BTreeSet<Block>,
    order: Vec<Block>,
) -> Option<Copied> {
    let function = editor.function();
    let mut best: Option<(usize, Copied)> = None;
    for keep in order {
        // What the other entries reach before they come by this one.
        let mut blocks = BTreeSet::new();
        let mut stack: Vec<Block> = entries.iter().copied().filter(|&entry| entry != keep).collect();
        while let Some(block) = stack.pop() {
            if cycle.contains(&block) && block != keep && blocks.insert(block) {
                stack.extend(function.succs(block));
            }
        }
        let insts = || blocks.iter().flat_map(|&block| &function.blocks[block].insts);
        let cost = insts().count() + blocks.len();
        let movable = insts().all(|&inst| !function.insts[inst].op.convergent());
        if !movable || cost > MOST_COPIED || best.as_ref().is_some_and(|(least, _)| *least <= cost) {
            continue;
        }
        let mut edges = Vec::new();
        for &entry in entries.iter().filter(|&&entry| entry != keep) {
            for (pred, _) in editor.preds(entry).filter(|(pred, _)| !cycle.contains(pred)) {
                let targets = function.succs(pred);
                edges.extend((0..targets.len()).filter(|&at| targets[at] == entry).map(|at| (pred, at)));
            }
        }
        best = Some((cost, Copied { blocks, edges }));
    }
    best.map(|(_, copied)| copied)
}

/// Node splitting.
fn copy(function: &mut Function, copied: &Copied) {
    let (map, values) = repair::copy_blocks(function, &copied.blocks);
    let mut editor = CfgEditor::new(function);
    for &(from, index) in &copied.edges {
        let mut edge = editor.function().blocks[from].terminator.edges()[index].clone();
        edge.block = map.get(&edge.block).copied().unwrap_or(edge.block);
        editor.redirect(from, index, edge);
    }
    let settled: BTreeSet<Block> = map.iter().flat_map(|(&old, &new)| [old, new]).collect();
    repair::repair(function, &values, &settled);
}

/// One block that all edges to the entries go through.
fn dispatch(function: &mut Function, entries: &[Block]) {
    let mut editor = CfgEditor::new(function);
    let hub = editor.add_block();
    let (selector, params) = editor.edit_values(|f| {
        let selector = f.add_param(hub, Type::I32);
        let params: Vec<Vec<Value>> = entries
            .iter()
            .map(|&entry| {
                let types: Vec<Type> = f.blocks[entry].params.iter().map(|&param| f.ty(param)).collect();
                types.into_iter().map(|ty| f.add_param(hub, ty)).collect()
            })
            .collect();
        (selector, params)
    });
    for (at, &entry) in entries.iter().enumerate() {
        let preds: Vec<Block> = editor.preds(entry).map(|(pred, _)| pred).collect();
        for pred in preds {
            let targets = editor.function().succs(pred);
            for index in (0..targets.len()).filter(|&index| targets[index] == entry) {
                // A block of its own for the edge, where the constants stand.
                let from = if targets.len() > 1 { editor.split_edge(pred, index) } else { pred };
                let own = editor.function().blocks[from].terminator.edges()[0].args.clone();
                let args = editor.edit_values(|f| arguments(f, from, at, &params, &own));
                editor.redirect(from, 0, Edge::new(hub, &args));
            }
        }
    }
    let targets = entries.iter().zip(&params).map(|(&entry, params)| Edge::new(entry, params)).collect();
    editor.set_terminator(hub, Terminator::Switch { index: selector, targets });
    repair::repair(function, &BTreeMap::new(), &BTreeSet::new());
}

/// The arguments of an edge that goes on to entry number `at` with its own arguments.
fn arguments(f: &mut Function, from: Block, at: usize, params: &[Vec<Value>], own: &[Value]) -> Vec<Value> {
    let made = |f: &mut Function, op: Op, ty: Type| {
        let inst = f.append(from, op, &[], &[ty], 0);
        f.insts[inst].results[0]
    };
    let mut args = vec![made(f, Op::Const(at as u128), Type::I32)];
    for (entry, list) in params.iter().enumerate() {
        for (index, &param) in list.iter().enumerate() {
            if entry == at {
                args.push(own[index]);
            } else {
                let ty = f.values[param].ty;
                args.push(made(f, Op::Undef, ty));
            }
        }
    }
    args
}
