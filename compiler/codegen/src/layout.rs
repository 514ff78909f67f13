//! The order of blocks.
//!
//! Does: leads branches past empty blocks; makes a branch to nothing but `exit` an `exit`; puts blocks in reverse post-order, of two ways the one that stays in more loops first, so that loops are
//! contiguous, blocks that are seldom run behind all others; makes every branch explicit that does not fall through; turns a branch around where that saves one.
//! Does not: copy or join blocks. Needs: `Phase::Allocated`, no pseudo-instructions. Makes it `Phase::Placed`.

use crate::{ColdChoices, Error, expand::make};
use rustc_hash::FxHashSet;
use sassafras_graph::{BitSet, Dominators, Entity, Loops, SecondaryMap};
use sassafras_ir::tree::nest::Nest;
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, BlockData, Function, MInst, Phase};

/// What may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutChoices {
    /// Where blocks go that are seldom run.
    pub cold: ColdChoices,
}

/// What [`layout`](layout()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LayoutStats {
    /// Blocks that are seldom run and went behind others.
    pub cold: usize,
    /// Unconditional branches added.
    pub jumps: usize,
    /// Branches to nothing but `exit` that became `exit`.
    pub exits: usize,
    /// Conditional branches turned around.
    pub inverted: usize,
}

/// [`layout_with`] everything.
pub fn layout(f: &mut Function) -> Result<LayoutStats, Error> {
    layout_with(f, LayoutChoices { cold: ColdChoices { mark: true, out_of_loops: true, to_the_end: true } })
}

/// See the head of this file.
pub fn layout_with(f: &mut Function, choices: LayoutChoices) -> Result<LayoutStats, Error> {
    Error::unless("layout", Phase::Allocated, f.phase)?;
    let pseudo = f.insts().find(|(_, _, inst)| inst.inst().is_none());
    if let Some((block, index, _)) = pseudo {
        return Err(Error::malformed(block, index, "a pseudo-instruction behind expansion"));
    }
    let mut stats = LayoutStats::default();
    skip_empty(f);
    stats.exits = exit_at_once(f)?;
    f.remove_unreachable();
    f.layout = order(f);
    stats.cold = crate::cold::separate(f, choices.cold);
    let chip = f.chip;
    for (at, block) in f.layout.clone().into_iter().enumerate() {
        let next = f.layout.get(at + 1).copied();
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        let line = f.blocks[block].line;
        let insts = &mut f.blocks[block].insts;
        let mut jump = |insts: &mut Vec<MInst>, to: Block| -> Result<(), Error> {
            let mut branch = MInst::new(make(chip, "bra", &[])?);
            branch.target = Some(to);
            branch.uniform = true;
            insts.push(branch.from_line(line));
            stats.jumps += 1;
            Ok(())
        };
        match succs[..] {
            [] => {}
            [to] => {
                if Some(to) != next {
                    jump(insts, to)?;
                }
            }
            [taken, otherwise] => {
                let last = insts
                    .last_mut()
                    .ok_or_else(|| Error::malformed(block, 0, "two successors and no branch"))?;
                if taken == otherwise {
                    insts.pop();
                    if Some(taken) != next {
                        jump(insts, taken)?;
                    }
                } else if Some(taken) == next && inverts(last) {
                    last.target = Some(otherwise);
                    if let Some(real) = last.inst_mut() {
                        real.guard.negate = !real.guard.negate;
                    }
                    stats.inverted += 1;
                } else if Some(otherwise) != next {
                    jump(insts, otherwise)?;
                }
            }
            _ => return Err(Error::malformed(block, insts.len(), "more than two successors")),
        }
    }
    crate::lines::inherit(f);
    f.phase = Phase::Placed;
    Ok(stats)
}

/// Sends `block`'s edges and branch that go to `from` to `to`.
pub(crate) fn redirect(block: &mut BlockData, from: Block, to: Block) {
    for edge in &mut block.succs {
        if edge.block == from {
            edge.block = to;
        }
    }
    if let Some(last) = block.insts.last_mut()
        && last.inst().is_some_and(|real| real.row().control_flow == Some(ControlFlowKind::Branch))
        && last.target == Some(from)
    {
        last.target = Some(to);
    }
}

/// Leads every edge to an empty block on to where that block goes, unless the block keeps two loops apart.
pub(crate) fn skip_empty(f: &mut Function) {
    let mut apart = BitSet::new(f.blocks.len());
    if f.layout.iter().any(|&block| goes_on(f, block).is_some()) {
        let nest = Nest::new(&f.graph());
        let parts = |block: Block| nest.parts_cycles(block, |at| goes_on(f, at));
        f.layout.iter().filter(|&&block| parts(block)).for_each(|block| {
            apart.insert(block.index());
        });
    }
    let mut known: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    for &block in &f.layout.clone() {
        for index in 0..f.blocks[block].succs.len() {
            let old = f.blocks[block].succs[index].block;
            let to = past_empty(f, &apart, &mut known, old);
            if to != old {
                redirect(&mut f.blocks[block], old, to);
            }
        }
    }
}

/// Where an empty block goes.
fn goes_on(f: &Function, at: Block) -> Option<Block> {
    match &f.blocks[at] {
        BlockData { insts, succs, .. } if insts.is_empty() && succs.len() == 1 => Some(succs[0].block),
        _ => None,
    }
}

/// The first block from here on that is not empty, or keeps two loops apart; of an endless chain of empty blocks, that with the lowest number.
fn past_empty(
    f: &Function,
    apart: &BitSet,
    known: &mut SecondaryMap<Block, Option<Block>>,
    block: Block,
) -> Block {
    let mut path = Vec::new();
    let mut on_path = FxHashSet::default();
    let mut at = block;
    let to = loop {
        if let Some(to) = known[at] {
            break to;
        }
        if !on_path.insert(at) {
            let cycle = path.iter().copied().skip_while(|&before| before != at);
            break cycle.min().unwrap_or(at);
        }
        match goes_on(f, at).filter(|_| !apart.contains(at.index())) {
            Some(next) => {
                path.push(at);
                at = next;
            }
            None => break at,
        }
    };
    path.into_iter().for_each(|before| known[before] = Some(to));
    to
}

/// Branches to a block of one `exit` become that `exit`. Returns how many.
fn exit_at_once(f: &mut Function) -> Result<usize, Error> {
    let mut count = 0;
    let plain_exit = |f: &Function, block: Block| match &f.blocks[block].insts[..] {
        [only] => only
            .inst()
            .filter(|real| real.row().control_flow == Some(ControlFlowKind::Exit) && real.guard.is_always())
            .map(|real| MInst::new(real.clone()).from_line(only.line)),
        _ => None,
    };
    for &block in &f.layout.clone() {
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        let ends: Vec<_> = succs.iter().map(|&succ| plain_exit(f, succ)).collect();
        let data = &mut f.blocks[block];
        match (&succs[..], &ends[..]) {
            ([_], [Some(exit)]) => {
                data.insts.push(exit.clone());
                data.succs.clear();
            }
            ([_, _], [first, second]) if first.is_some() != second.is_some() => {
                let Some(last) = data.insts.last_mut().filter(|last| inverts(last)) else { continue };
                let Some(branch) = last.inst_mut() else { continue };
                let mut guard = branch.guard;
                guard.negate ^= second.is_some();
                let Some(mut exit) = first.clone().or_else(|| second.clone()) else { continue };
                let Some(real) = exit.inst_mut() else { continue };
                real.guard = guard;
                *last = MInst { origin: last.origin, line: last.line, ..exit };
                data.succs.remove(usize::from(second.is_some()));
            }
            _ => continue,
        }
        count += 1;
    }
    Ok(count)
}

/// Whether negating the guard negates the branch: not when the form has a further condition that is in use.
fn inverts(branch: &MInst) -> bool {
    let Some(real) = branch.inst() else { return false };
    !real.guard.is_always()
        && real.row().fields.iter().zip(&real.fields).all(|(f, &value)| !f.read || value == f.default)
}

fn order(f: &Function) -> Vec<Block> {
    let graph = f.graph();
    let loops = Loops::new(&graph, &Dominators::new(&graph));
    let ways = |block: Block| {
        let mut succs: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        // What is visited first comes last: ways out of loops, and of equals the fall-through of the source.
        succs.sort_by_key(|&succ| loops.depth(succ));
        succs.into_iter()
    };
    let mut seen = BitSet::new(f.blocks.len());
    seen.insert(f.entry.index());
    let mut stack = vec![(f.entry, ways(f.entry))];
    let mut order = Vec::new();
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) => {
                if seen.insert(next.index()) {
                    stack.push((next, ways(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
