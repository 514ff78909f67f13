//! Tail duplication on machine code: small blocks copied into predecessors that do nothing but go there.
//!
//! Does: copies where `sassafras_placement` finds that it saves taken branches. Does not: copy where a branch of the function is divergent, since a copy would move the
//! place where lanes reconverge; nor blocks that name others by more than their branch, or that call. Needs: `Phase::Allocated`, no pseudo-instructions.
//! Preserves: everything else; each path runs the same instructions as before.

use super::flow::Graph;
use super::{Counts, LayoutChoices, chip, skip_empty};
use crate::Error;
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, Function, Phase};
use sassafras_placement::{Copy, Options, copies};

/// What [`duplicate`] did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DuplicateStats {
    /// Each predecessor with the block that it has a copy of, in order.
    pub copies: Vec<(Block, Block)>,
    /// Instructions added.
    pub instructions: usize,
    /// The given counts, as they are behind the copies.
    pub counts: Option<Counts>,
}

/// See the head of this file. `level` is that of optimisation.
pub fn duplicate(f: &mut Function, choices: LayoutChoices<'_>, level: u8) -> Result<DuplicateStats, Error> {
    Error::unless("duplicate", Phase::Allocated, f.phase)?;
    let mut stats = DuplicateStats { counts: choices.counts.cloned(), ..DuplicateStats::default() };
    let knobs = &choices.knobs.placement;
    if !choices.place || knobs.disable || !knobs.duplicate {
        return Ok(stats);
    }
    skip_empty(f);
    f.remove_unreachable();
    let graph = Graph::new(f, choices.cold, choices.counts)?;
    let options = Options { chip: chip(f), ..Options::by_knobs(knobs.clone(), &graph.flow) };
    let threshold = knobs.duplication_threshold(level, None);
    let made = copies(&graph.flow, &options, threshold, &|node| may(f, graph.block(node)));
    for Copy { from, block } in made {
        let (from, block) = (graph.block(from), graph.block(block));
        let copied = f.blocks[block].clone();
        let succs: Vec<Block> = copied.succs.iter().map(|edge| edge.block).collect();
        if let Some(counts) = &mut stats.counts {
            counts.copy(from, block, &succs);
        }
        stats.instructions += copied.insts.len();
        stats.copies.push((from, block));
        let to = &mut f.blocks[from];
        to.insts.extend(copied.insts);
        to.succs = copied.succs;
        to.line = copied.line;
    }
    f.remove_unreachable();
    Ok(stats)
}

/// Whether a copy of the block does what the block does, wherever it stands: it goes on by a branch or an exit at its end, and nothing names it but branches.
fn may(f: &Function, block: Block) -> bool {
    let kind = |inst: &sassafras_machine::MInst| inst.inst().and_then(|real| real.row().control_flow);
    let insts = &f.blocks[block].insts;
    let simple = insts.iter().enumerate().all(|(at, inst)| match kind(inst) {
        None => inst.target.is_none(),
        Some(ControlFlowKind::Branch | ControlFlowKind::Exit) => at + 1 == insts.len(),
        Some(_) => false,
    });
    let named = |inst: &sassafras_machine::MInst| {
        inst.target == Some(block) && kind(inst) != Some(ControlFlowKind::Branch)
    };
    simple && f.insts().all(|(_, _, inst)| !named(inst))
}

impl Counts {
    /// A copy of `block` stands at the end of `from`, and takes its share of what the block went on to.
    fn copy(&mut self, from: Block, block: Block, succs: &[Block]) {
        let moved = self.edges.remove(&(from, block)).unwrap_or(0);
        let all = self.block(block);
        self.blocks.insert(block, all.saturating_sub(moved));
        for &to in succs {
            let went = self.edge(block, to);
            let share = u128::from(went) * u128::from(moved) / u128::from(all.max(1));
            let share = u64::try_from(share).unwrap_or(u64::MAX).min(went);
            self.edges.insert((block, to), went - share);
            *self.edges.entry((from, to)).or_default() += share;
        }
    }
}
