//! OptimizeBranches, as far as it does not depend on the order of blocks: cases 1, 2 and 3. The others are [`super::settle`]'s.
//!
//! Does: (1) leads branches past empty blocks, unless one keeps two loops apart; (2) makes a branch whose two ways lead to one block none;
//! (3) joins a block with its only successor where it is that one's only predecessor; takes out what is then not reached.

use super::FoldStats;
use super::equal::is_branch;
use sassafras_graph::ControlFlow;
use sassafras_machine::{Block, Function};

/// Whether anything changed.
pub(super) fn optimise(f: &mut Function, stats: &mut FoldStats) -> bool {
    let mut changed = false;
    loop {
        let mut round = f.remove_unreachable();
        crate::layout::skip_empty(f);
        round += f.remove_unreachable();
        stats.unreachable += round;
        let same = same_way(f);
        let joined = join(f);
        stats.same += same;
        stats.joined += joined;
        if round + same + joined == 0 {
            return changed;
        }
        changed = true;
    }
}

/// Case 2.
fn same_way(f: &mut Function) -> usize {
    let mut count = 0;
    for &block in &f.layout {
        let data = &mut f.blocks[block];
        let twice = matches!(&data.succs[..], [a, b] if a.block == b.block);
        if twice && data.insts.last().is_some_and(is_branch) {
            data.insts.pop();
            data.succs.pop();
            count += 1;
        }
    }
    count
}

/// Case 3. A block that ends by something else than going on, such as a guarded `exit`, stays: only the last instruction of a block may transfer
/// control.
fn join(f: &mut Function) -> usize {
    let graph = f.graph();
    let mut gone = sassafras_graph::BitSet::new(f.blocks.len());
    for block in f.layout.clone() {
        if gone.contains(block.0 as usize) {
            continue;
        }
        while let Some(next) = only(f, &graph, block) {
            let behind = std::mem::take(&mut f.blocks[next]);
            let data = &mut f.blocks[block];
            data.insts.extend(behind.insts);
            (data.succs, data.line) = (behind.succs, behind.line);
            gone.insert(next.0 as usize);
        }
    }
    f.layout.retain(|block| !gone.contains(block.0 as usize));
    gone.len()
}

/// The only successor of a block, if the block is its only predecessor. Joining changes the successors of no other block.
fn only(f: &Function, graph: &sassafras_graph::Graph<Block>, block: Block) -> Option<Block> {
    let data = &f.blocks[block];
    let [to] = &data.succs[..] else { return None };
    let next = to.block;
    let free = next != f.entry && next != block && graph.preds(next).len() == 1;
    (free && !data.insts.last().is_some_and(sassafras_machine::MInst::transfers_control)).then_some(next)
}
