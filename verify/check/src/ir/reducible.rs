//! Every cycle has one entry.

use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::Entity;
use sassafras_ir::{Block, Function};

/// Checks what the entry reaches: an edge that goes back leads to a block that dominates its source.
pub(super) fn check(f: &Function, report: &mut Report) {
    let succs = f.blocks.values().map(|data| {
        let edges = data.terminator.edges();
        edges.iter().map(|edge| edge.block.index()).filter(|&to| to < f.blocks.len()).collect()
    });
    let mut paths = Paths::new(f.entry.index(), succs.collect());
    for (from, to) in paths.retreating() {
        if !paths.dominates(to, from) {
            let what = format!(
                "the cycle through {} and its edge back here has another entry",
                Block::from_index(from)
            );
            report.add(Rule::IrReducible, Block::from_index(to), what);
        }
    }
}
