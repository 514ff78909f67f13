//! Lists and nodes: T1, T2, T5, T6, T7, T11, T12.

use super::view::View;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_ir::Terminator;
use sassafras_ir::tree::{Jump, List, Node, NodeKind};
use std::collections::BTreeMap;

/// False when links are damaged, so that nothing else can be asked.
pub(super) fn check(view: &View, report: &mut Report) -> bool {
    let before = report.len();
    links(view, report);
    if report.len() != before {
        return false;
    }
    for (&node, data) in &view.nodes {
        for (part, nodes) in &data.lists {
            shape(view, List { owner: node, part: *part }, nodes, report);
        }
    }
    jumps(view, report);
    if view.structured {
        parameters(view, report);
    }
    outside(view, report);
    true
}

/// T2 and T12: nodes stand where they say, once, under a root.
fn links(view: &View, report: &mut Report) {
    let mut found: BTreeMap<Node, Vec<List>> = BTreeMap::new();
    for (&owner, data) in &view.nodes {
        for (part, nodes) in &data.lists {
            nodes.iter().for_each(|&node| found.entry(node).or_default().push(List { owner, part: *part }));
        }
    }
    let mut roots: Vec<Node> = view.loose.clone();
    roots.push(view.root);
    for (at, &root) in roots.iter().enumerate() {
        let fits = match view.kind(root) {
            Some(NodeKind::Function) => root == view.root,
            Some(NodeKind::Loose) => root != view.root,
            _ => false,
        };
        if !fits
            || roots[..at].contains(&root)
            || view.nodes.get(&root).is_some_and(|data| data.list.is_some())
        {
            report.add(Rule::TreeLoose, root, "it is no root, or one twice");
        }
    }
    for (&node, data) in &view.nodes {
        let is_root = matches!(data.kind, NodeKind::Function | NodeKind::Loose);
        let stands = found.get(&node).map_or(&[][..], Vec::as_slice);
        match (is_root, stands, data.list) {
            (true, [], None) if roots.contains(&node) => {}
            (true, ..) => report.add(Rule::TreeLoose, node, "a root that is not listed, or stands in a list"),
            (false, [list], Some(says)) if *list == says => {}
            (false, stands, says) => {
                let what = format!("it stands in {} lists, and says {says:?}", stands.len());
                report.add(Rule::TreeNode, node, what);
            }
        }
        if view.root_of(node).is_none_or(|root| !roots.contains(&root)) {
            report.add(Rule::TreeNode, node, "the way up from it leads to no root");
        }
        if let NodeKind::Block(block) = data.kind
            && (!view.known(block) || view.node_of.get(&block) != Some(&node))
        {
            report.add(Rule::TreeNode, node, format!("{block} does not exist, or has another node"));
        }
        for target in data.lists.iter().flat_map(|(_, nodes)| nodes) {
            if !view.nodes.contains_key(target) {
                report.add(Rule::TreeNode, node, format!("{target} in its list does not exist"));
            }
        }
    }
    for (&block, &node) in &view.node_of {
        if view.block(node) != Some(block) {
            report.add(Rule::TreeNode, block, format!("its node {node} is not one of it"));
        }
    }
}

/// T1; in an unstructured tree, T6: one list of blocks.
fn shape(view: &View, list: List, nodes: &[Node], report: &mut Report) {
    let is_block = |node: &Node| view.block(*node).is_some();
    if view.structured {
        let alternates = nodes.iter().enumerate().all(|(at, node)| is_block(node) == (at % 2 == 0));
        if nodes.len().is_multiple_of(2) || !alternates {
            let what = format!("{:?} is not block, node, block …, block", list.part);
            report.add(Rule::TreeList, list.owner, what);
        }
    } else if !nodes.iter().all(is_block) {
        report.add(Rule::TreeGoto, list.owner, "an unstructured tree holds an if or a loop");
    }
    for &node in nodes {
        if matches!(view.kind(node), Some(NodeKind::Function | NodeKind::Loose)) {
            report.add(Rule::TreeList, list.owner, format!("the root {node} stands in it"));
        }
    }
}

/// T5 and T6.
fn jumps(view: &View, report: &mut Report) {
    for (&block, &node) in &view.node_of {
        let list = view.nodes.get(&node).and_then(|data| data.list);
        let last = list.is_some_and(|list| view.list(list).last() == Some(&node));
        let jump = view.jumps.get(&block).copied();
        match jump {
            None if view.structured => continue,
            None => report.add(Rule::TreeGoto, block, "a block of an unstructured tree without a jump"),
            Some(_) if view.structured && !last => {
                report.add(Rule::TreeJump, block, "a jump in a block that is not the last of its list");
            }
            Some(_) => {}
        }
        let in_loose = view.root_of(node).is_some_and(|root| root != view.root);
        match jump {
            Some(Jump::Break | Jump::Continue) if view.loop_around(node).is_none() && !in_loose => {
                report.add(Rule::TreeJump, block, "a break or continue outside any loop");
            }
            Some(Jump::Break | Jump::Continue) if !view.structured => {
                report.add(Rule::TreeGoto, block, "a break or continue in an unstructured tree");
            }
            Some(Jump::Goto(_) | Jump::GotoIf(..)) if view.structured => {
                report.add(Rule::TreeGoto, block, "a goto in a structured tree");
            }
            Some(Jump::Goto(to)) if !view.node_of.contains_key(&to) => {
                report.add(Rule::TreeGoto, block, format!("it goes to {to}, which is no block of the tree"));
            }
            Some(Jump::GotoIf(_, a, b))
                if a == b || !view.node_of.contains_key(&a) || !view.node_of.contains_key(&b) =>
            {
                report.add(Rule::TreeGoto, block, format!("it goes to {a} or {b}"));
            }
            _ => {}
        }
    }
    for block in view.jumps.keys().filter(|block| !view.node_of.contains_key(block)) {
        report.add(Rule::TreeOutside, block, "a jump, and no node");
    }
}

/// T7.
fn parameters(view: &View, report: &mut Report) {
    for (&block, &node) in &view.node_of {
        if view.function.blocks[block].params.is_empty() {
            continue;
        }
        let Some(list) = view.nodes.get(&node).and_then(|data| data.list) else { continue };
        let first = view.list(list).first() == Some(&node);
        let header = matches!(view.kind(list.owner), Some(NodeKind::Loop { .. }));
        if first && !header {
            report.add(Rule::TreeParameter, block, "parameters on the first block of what is no loop");
        }
    }
}

/// T11.
fn outside(view: &View, report: &mut Report) {
    for (block, data) in view.function.blocks.iter().filter(|(block, _)| !view.node_of.contains_key(block)) {
        let empty =
            data.insts.is_empty() && data.params.is_empty() && data.terminator == Terminator::Unreachable;
        if !empty {
            report.add(Rule::TreeOutside, block, "a block without a node is not empty");
        }
    }
}
