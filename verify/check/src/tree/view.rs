//! A tree as its public reading shows it: what the judge reads, and what tests damage.

use sassafras_graph::{ControlFlow, Entity};
use sassafras_ir::tree::{Jump, List, Node, NodeKind, Part, Tree};
use sassafras_ir::{Block, Function};
use std::collections::BTreeMap;

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// What it is.
    pub kind: NodeKind,
    /// The list in which it says it stands.
    pub list: Option<List>,
    /// Its own lists.
    pub lists: Vec<(Part, Vec<Node>)>,
}

/// A tree.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The function that it owns.
    pub function: Function,
    /// Whether it is made of ifs and loops.
    pub structured: bool,
    /// The node of the function.
    pub root: Node,
    /// Roots of loose lists.
    pub loose: Vec<Node>,
    /// Every node that a root or a block leads to.
    pub nodes: BTreeMap<Node, NodeView>,
    /// By block: the node it says it has.
    pub node_of: BTreeMap<Block, Node>,
    /// By block: its jump.
    pub jumps: BTreeMap<Block, Jump>,
}

impl View {
    /// Reads a tree.
    pub fn of(tree: &Tree) -> View {
        let function = tree.function().clone();
        let mut view = View {
            structured: tree.is_structured(),
            root: tree.root(),
            loose: tree.loose().to_vec(),
            nodes: BTreeMap::new(),
            node_of: BTreeMap::new(),
            jumps: BTreeMap::new(),
            function,
        };
        for block in ControlFlow::blocks(&view.function) {
            view.node_of.extend(tree.node_of(block).map(|node| (block, node)));
            view.jumps.extend(tree.jump(block).map(|jump| (block, jump)));
        }
        let mut stack: Vec<Node> = view.loose.iter().copied().chain([view.root]).collect();
        stack.extend(view.node_of.values());
        while let Some(node) = stack.pop() {
            let Some(&kind) = tree.kind(node).filter(|_| !view.nodes.contains_key(&node)) else { continue };
            let list = |part| (part, tree.nodes(List { owner: node, part }).to_vec());
            let lists: Vec<(Part, Vec<Node>)> = kind.parts().iter().map(|&part| list(part)).collect();
            stack.extend(lists.iter().flat_map(|(_, nodes)| nodes.iter().copied()));
            view.nodes.insert(node, NodeView { kind, list: tree.list_of(node), lists });
        }
        view
    }

    pub(super) fn kind(&self, node: Node) -> Option<NodeKind> {
        self.nodes.get(&node).map(|data| data.kind)
    }
    pub(super) fn list(&self, list: List) -> &[Node] {
        let lists = self.nodes.get(&list.owner).map_or(&[][..], |data| &data.lists);
        lists.iter().find(|(part, _)| *part == list.part).map_or(&[], |(_, nodes)| nodes)
    }
    pub(super) fn block(&self, node: Node) -> Option<Block> {
        match self.kind(node)? {
            NodeKind::Block(block) => Some(block),
            _ => None,
        }
    }
    /// The first block of a list.
    pub(super) fn entry(&self, list: List) -> Option<Block> {
        self.list(list).first().and_then(|&node| self.block(node))
    }
    /// The block that stands behind a node.
    pub(super) fn behind(&self, node: Node) -> Option<Block> {
        let nodes = self.list(self.nodes.get(&node)?.list?);
        let at = nodes.iter().position(|&n| n == node)?;
        nodes.get(at + 1).and_then(|&next| self.block(next))
    }
    /// The innermost loop around a node. Steps are counted: links may be damaged.
    pub(super) fn loop_around(&self, node: Node) -> Option<Node> {
        let mut at = node;
        for _ in 0..=self.nodes.len() {
            at = self.nodes.get(&at)?.list?.owner;
            if matches!(self.kind(at), Some(NodeKind::Loop { .. })) {
                return Some(at);
            }
        }
        None
    }
    /// The root above a node.
    pub(super) fn root_of(&self, node: Node) -> Option<Node> {
        let mut at = node;
        for _ in 0..=self.nodes.len() {
            match self.nodes.get(&at)?.list {
                Some(list) => at = list.owner,
                None => return Some(at),
            }
        }
        None
    }
    pub(super) fn known(&self, block: Block) -> bool {
        block.index() < self.function.blocks.len()
    }
}
