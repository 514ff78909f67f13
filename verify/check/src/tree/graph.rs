//! What the tree promises of the graph: T8, T9, T10.

use super::view::View;
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::Entity;
use sassafras_ir::Block;
use sassafras_ir::tree::{List, NodeKind};

pub(super) fn check(view: &View, report: &mut Report) {
    let f = &view.function;
    if report.len() != 0 {
        // Edges may lead nowhere.
        return;
    }
    let succs: Vec<Vec<usize>> = f
        .blocks
        .values()
        .map(|data| data.terminator.edges().iter().map(|e| e.block.index()).collect())
        .collect();
    let mut incoming = vec![0usize; succs.len()];
    succs.iter().flatten().for_each(|&to| incoming[to] += 1);
    let start = view.entry(List::body(view.root));
    if start != Some(f.entry) || incoming[f.entry.index()] != 0 || !f.blocks[f.entry].params.is_empty() {
        report.add(
            Rule::TreeStart,
            f.entry,
            "it is not first in the tree, or has predecessors or parameters",
        );
    }
    if !view.structured {
        return;
    }
    for (from, list) in succs.iter().enumerate() {
        let block = Block::from_index(from);
        for (at, &to) in list.iter().enumerate() {
            if list.len() > 1 && incoming[to] > 1 {
                report.add(
                    Rule::TreeCritical,
                    block,
                    format!("its edge to {} is critical", Block::from_index(to)),
                );
            }
            if list[..at].contains(&to) {
                report.add(Rule::TreeCritical, block, format!("two edges to {}", Block::from_index(to)));
            }
        }
    }
    let headers: Vec<Block> = view
        .nodes
        .iter()
        .filter(|(_, data)| matches!(data.kind, NodeKind::Loop { .. }))
        .filter_map(|(&node, _)| view.entry(List::body(node)))
        .collect();
    let mut paths = Paths::new(f.entry.index(), succs);
    for (from, to) in paths.retreating() {
        let target = Block::from_index(to);
        if !paths.dominates(to, from) {
            report.add(
                Rule::TreeReducible,
                target,
                format!("a cycle through {} has another way in", Block::from_index(from)),
            );
        } else if !headers.contains(&target) {
            report.add(
                Rule::TreeReducible,
                target,
                "a loop of the graph starts at what is no loop of the tree",
            );
        }
    }
}
