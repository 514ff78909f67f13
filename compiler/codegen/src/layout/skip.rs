//! Branches led past empty blocks.

use rustc_hash::FxHashSet;
use sassafras_graph::nest::Nest;
use sassafras_graph::{BitSet, Entity, SecondaryMap};
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, BlockData, Function};

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
