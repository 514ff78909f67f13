//! The control tree: a function's control flow as blocks, ifs and loops. The contract is `docs/control-tree.md`.
//!
//! - [`node`]: what the tree is made of. [`cursor`]: places. [`error`]: why an edit is refused.
//! - `edges`: the terminators that the tree demands. `change`, `extract`, `clone`: edits.

mod change;
mod clone;
pub mod cursor;
mod edges;
pub mod error;
mod extract;
mod flat;
pub mod node;
mod print;
mod rebuild;
mod split;
mod structure;

use crate::function::{Block, Function, Inst, Value};
use crate::op::Type;
use node::NodeData;
use sassafras_graph::{PrimaryMap, SecondaryMap};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};

pub use clone::Remap;
pub use cursor::Cursor;
pub use edges::Ways;
pub use error::Refused;
pub use extract::{Extraction, Loose};
pub use node::{Jump, List, LoopControl, Node, NodeKind, Part, SelectionControl};
pub use structure::Extra;

/// A function and the tree of its control flow, which are kept in step. See `docs/control-tree.md`.
#[derive(Debug)]
pub struct Tree {
    /// Tells lists of other trees apart; a copy is another tree.
    token: u64,
    function: Function,
    structured: bool,
    nodes: PrimaryMap<Node, NodeData>,
    root: Node,
    of_block: SecondaryMap<Block, Option<Node>>,
    jumps: SecondaryMap<Block, Option<Jump>>,
    /// Arguments of jumps that leave a loose list, while they lead nowhere.
    waiting: SecondaryMap<Block, Option<SmallVec<[Value; 4]>>>,
    /// Roots of loose lists.
    loose: Vec<Node>,
    /// The block in which each instruction stands.
    placed: SecondaryMap<Inst, Option<Block>>,
}

fn token() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Clone for Tree {
    fn clone(&self) -> Tree {
        Tree {
            token: token(),
            function: self.function.clone(),
            structured: self.structured,
            nodes: self.nodes.clone(),
            root: self.root,
            of_block: self.of_block.clone(),
            jumps: self.jumps.clone(),
            waiting: self.waiting.clone(),
            loose: self.loose.clone(),
            placed: self.placed.clone(),
        }
    }
}

/// Whether all that can be asked of two trees is equal.
impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        let blocks = || self.function.blocks.keys();
        self.function == other.function
            && self.structured == other.structured
            && self.nodes.len() == other.nodes.len()
            && self.nodes.values().zip(other.nodes.values()).all(|(a, b)| a == b)
            && self.root == other.root
            && self.loose == other.loose
            && blocks().all(|b| {
                self.of_block[b] == other.of_block[b]
                    && self.jumps[b] == other.jumps[b]
                    && self.waiting[b] == other.waiting[b]
            })
    }
}

impl Tree {
    /// A structured tree of an empty function: one block, which ends the thread.
    pub fn new(name: impl Into<String>) -> Tree {
        let function = Function::new(name);
        let entry = function.entry;
        let mut tree = Tree::around(function, true);
        tree.push_block(List::body(tree.root), entry);
        tree
    }

    /// The unstructured tree of a function: each block that the entry reaches ends in a jump of its own.
    ///
    /// # Errors
    /// [`Refused::Switch`].
    pub fn flat(mut function: Function) -> Result<Tree, Refused> {
        for (index, reached) in function.reachable().into_iter().enumerate() {
            if !reached {
                function.clear_block(sassafras_graph::Entity::from_index(index));
            }
        }
        edges::part_twins(&mut function);
        let mut jumps = Vec::new();
        for block in function.reverse_post_order() {
            jumps.push((block, edges::flat_jump(block, &function.blocks[block].terminator)?));
        }
        let mut tree = Tree::around(function, false);
        for (block, jump) in jumps {
            tree.push_block(List::body(tree.root), block);
            tree.jumps[block] = Some(jump);
            tree.relink(block, &[]);
        }
        Ok(tree)
    }

    /// A tree without blocks: not yet one that keeps the invariants.
    fn around(function: Function, structured: bool) -> Tree {
        let mut nodes = PrimaryMap::new();
        let root = nodes.push(NodeData::root(NodeKind::Function));
        let placed = function.layout();
        Tree {
            token: token(),
            function,
            structured,
            nodes,
            root,
            of_block: SecondaryMap::new(),
            jumps: SecondaryMap::new(),
            waiting: SecondaryMap::new(),
            loose: Vec::new(),
            placed,
        }
    }

    /// The function.
    ///
    /// # Errors
    /// [`Refused::Outstanding`] when a loose list is left.
    pub fn into_function(self) -> Result<Function, Refused> {
        match self.loose.len() {
            0 => Ok(self.function),
            count => Err(Refused::Outstanding(count)),
        }
    }

    /// The function, to read.
    pub fn function(&self) -> &Function {
        &self.function
    }
    /// Whether it is made of ifs and loops instead of gotos.
    pub fn is_structured(&self) -> bool {
        self.structured
    }
    /// The node of the function.
    pub fn root(&self) -> Node {
        self.root
    }
    /// Roots of the lists that were extracted and neither put back nor deleted.
    pub fn loose(&self) -> &[Node] {
        &self.loose
    }
    /// What a node is; none for one that was deleted.
    pub fn kind(&self, node: Node) -> Option<&NodeKind> {
        self.nodes.get(node).filter(|data| data.alive).map(|data| &data.kind)
    }
    /// The list in which a node stands; none for roots and deleted nodes.
    pub fn list_of(&self, node: Node) -> Option<List> {
        self.nodes.get(node).filter(|data| data.alive).and_then(|data| data.list)
    }
    /// The nodes of a list in order; empty for one that does not exist.
    pub fn nodes(&self, list: List) -> &[Node] {
        match self.nodes.get(list.owner) {
            Some(data) if data.alive && data.kind.parts().contains(&list.part) => {
                &data.lists[list.part.index()]
            }
            _ => &[],
        }
    }
    /// The node of a block, in the tree or a loose list.
    pub fn node_of(&self, block: Block) -> Option<Node> {
        self.of_block[block]
    }
    /// The block of a node of kind block.
    pub fn block_of(&self, node: Node) -> Option<Block> {
        match self.kind(node) {
            Some(NodeKind::Block(block)) => Some(*block),
            _ => None,
        }
    }
    /// The jump that ends a block.
    pub fn jump(&self, block: Block) -> Option<Jump> {
        self.jumps[block]
    }
    /// The node behind one in its list.
    pub fn next(&self, node: Node) -> Option<Node> {
        let nodes = self.nodes(self.list_of(node)?);
        let at = nodes.iter().position(|&n| n == node)?;
        nodes.get(at + 1).copied()
    }
    /// The node before one in its list.
    pub fn previous(&self, node: Node) -> Option<Node> {
        let nodes = self.nodes(self.list_of(node)?);
        let at = nodes.iter().position(|&n| n == node)?;
        at.checked_sub(1).map(|at| nodes[at])
    }
    /// The first block of a list.
    pub fn entry_of(&self, list: List) -> Option<Block> {
        self.nodes(list).first().and_then(|&node| self.block_of(node))
    }
    /// The last block of a list.
    pub fn end_of(&self, list: List) -> Option<Block> {
        self.nodes(list).last().and_then(|&node| self.block_of(node))
    }
    /// The root above a node: the function's, or that of a loose list.
    pub fn root_of(&self, node: Node) -> Node {
        let mut at = node;
        while let Some(list) = self.list_of(at) {
            at = list.owner;
        }
        at
    }
    /// The innermost loop around a node, not itself.
    pub fn loop_around(&self, node: Node) -> Option<Node> {
        let mut at = self.list_of(node)?.owner;
        loop {
            if matches!(self.kind(at), Some(NodeKind::Loop { .. })) {
                return Some(at);
            }
            at = self.list_of(at)?.owner;
        }
    }
    /// The `If` or `Loop` to which a block's parameters belong: the one before it, or the loop whose header it is.
    pub fn owner_of_params(&self, block: Block) -> Option<Node> {
        let node = self.of_block[block]?;
        match self.previous(node) {
            Some(before) => Some(before),
            None => Some(self.list_of(node)?.owner)
                .filter(|&owner| matches!(self.kind(owner), Some(NodeKind::Loop { .. }))),
        }
    }
    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// A new node at the end of a list.
    fn push_node(&mut self, list: List, kind: NodeKind) -> Node {
        let node = self.nodes.push(NodeData { list: Some(list), ..NodeData::root(kind) });
        if let NodeKind::Block(block) = kind {
            self.of_block[block] = Some(node);
        }
        self.nodes[list.owner].lists[list.part.index()].push(node);
        node
    }

    fn push_block(&mut self, list: List, block: Block) -> Node {
        self.push_node(list, NodeKind::Block(block))
    }
}
