//! Faults to make on purpose in a control tree, for tests of its judge: each breaks one rule of a tree that keeps them all.

use super::view::View;
use crate::rules::Rule;
use sassafras_ir::tree::{Jump, List, Node, NodeKind, Part};
use sassafras_ir::{Block, Terminator};

/// A fault: the rule that it breaks, what is done, and how; false where it finds no place.
pub type Fault = (Rule, &'static str, fn(&mut View) -> bool);

/// Every fault; a rule may have several.
pub const FAULTS: &[Fault] = &[
    (Rule::TreeList, "the last block of a list is lost", |view| {
        let Some(node) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        // The node of the lost block goes too, so that only the shape of the list is wrong.
        let list = List { owner: node, part: Part::Else };
        let Some(lost) = nodes(view, list).pop() else { return false };
        let NodeKind::Block(block) = view.nodes[&lost].kind else { return false };
        view.nodes.remove(&lost);
        view.node_of.remove(&block);
        view.jumps.remove(&block);
        true
    }),
    (Rule::TreeNode, "a node stands in two lists", |view| {
        let Some(owner) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        let moved = nodes(view, List { owner, part: Part::Then }).clone();
        nodes(view, List { owner, part: Part::Else }).extend(moved);
        true
    }),
    (Rule::TreeNode, "a node names another list", |view| {
        let Some(owner) = node(view, |kind| matches!(kind, NodeKind::Loop { .. })) else { return false };
        let first = nodes(view, List::body(owner))[0];
        let root = view.root;
        view.nodes.get_mut(&first).is_some_and(|data| {
            data.list = Some(List::body(root));
            true
        })
    }),
    (Rule::TreeNode, "a block has the node of another", |view| {
        let mut blocks = view.node_of.values_mut();
        let (Some(a), Some(b)) = (blocks.next(), blocks.next()) else { return false };
        std::mem::swap(a, b);
        true
    }),
    (Rule::TreeTerminator, "the two ways of an if are swapped", |view| {
        view.function.blocks.values_mut().any(|data| match &mut data.terminator {
            Terminator::Branch { then, otherwise, .. } => {
                std::mem::swap(then, otherwise);
                true
            }
            _ => false,
        })
    }),
    (Rule::TreeTerminator, "a jump is forgotten", |view| {
        let found =
            view.jumps.iter().find(|(_, jump)| matches!(jump, Jump::Break | Jump::Trap)).map(|(&b, _)| b);
        found.is_some_and(|block| view.jumps.remove(&block).is_some())
    }),
    (Rule::TreeEdge, "an argument is lost", |view| {
        let mut edges = view.function.blocks.values_mut().flat_map(|data| data.terminator.edges_mut());
        edges.any(|edge| edge.args.pop().is_some())
    }),
    (Rule::TreeEdge, "an edge leads to no block", |view| {
        let beyond = Block(view.function.blocks.len() as u32);
        let mut edges = view.function.blocks.values_mut().flat_map(|data| data.terminator.edges_mut());
        edges.next().is_some_and(|edge| {
            edge.block = beyond;
            true
        })
    }),
    (Rule::TreeJump, "a jump in the middle of a list", |view| {
        let Some(inner) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        let Some(list) = view.nodes[&inner].list else { return false };
        let first = nodes(view, list)[0];
        let NodeKind::Block(block) = view.nodes[&first].kind else { return false };
        view.jumps.insert(block, Jump::Return);
        true
    }),
    (Rule::TreeJump, "a break outside any loop", |view| {
        let list = List::body(view.root);
        let Some(&last) = nodes(view, list).last() else { return false };
        let NodeKind::Block(block) = view.nodes[&last].kind else { return false };
        view.jumps.insert(block, Jump::Break);
        true
    }),
    (Rule::TreeGoto, "a goto in a structured tree", |view| {
        let Some((&block, _)) = view.jumps.first_key_value() else { return false };
        view.jumps.insert(block, Jump::Goto(block));
        true
    }),
    (Rule::TreeParameter, "a parameter on the first block of an if's list", |view| {
        let Some(owner) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        let first = nodes(view, List::then(owner))[0];
        let NodeKind::Block(block) = view.nodes[&first].kind else { return false };
        let ty = sassafras_ir::Type::I32;
        view.function.add_param(block, ty);
        true
    }),
    (Rule::TreeStart, "the function starts elsewhere", |view| {
        let Some(other) = view.node_of.keys().copied().find(|&block| block != view.function.entry) else {
            return false;
        };
        view.function.entry = other;
        true
    }),
    (Rule::TreeOutside, "a block of no list has an instruction", |view| {
        let block = view.function.add_block();
        view.function.append(block, sassafras_ir::Op::Undef, &[], &[sassafras_ir::Type::I32], 0);
        true
    }),
    (Rule::TreeOutside, "a block of no list has a jump", |view| {
        let block = view.function.add_block();
        view.jumps.insert(block, Jump::Return);
        true
    }),
    (Rule::TreeLoose, "a list that is not loose", |view| {
        let root = view.root;
        view.loose.push(root);
        true
    }),
    (Rule::TreeLoose, "a loose list that nobody knows", |view| view.loose.pop().is_some()),
];

fn node(view: &View, wanted: impl Fn(NodeKind) -> bool) -> Option<Node> {
    view.nodes.iter().find(|(_, data)| wanted(data.kind)).map(|(&node, _)| node)
}

/// The nodes of a list.
///
/// # Panics
/// There is no such list.
pub fn nodes(view: &mut View, list: List) -> &mut Vec<Node> {
    let lists = &mut view.nodes.get_mut(&list.owner).expect("it stands there").lists;
    &mut lists.iter_mut().find(|(part, _)| *part == list.part).expect("it has this part").1
}
