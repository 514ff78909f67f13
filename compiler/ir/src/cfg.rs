//! The editor through which every change of a function's graph goes.
//!
//! It keeps the second view of the edges, predecessors, equal to the first, the terminators, and drops what was
//! computed about the graph when an edge changes. While it lives nothing else can change the function.

use crate::build::Builder;
use crate::function::{Block, Edge, Function, Inst, Terminator, Value};
use sassafras_graph::{ControlFlow, DepthFirst, Dominators, Loops, SecondaryMap, critical_edges};
use std::collections::BTreeMap;

/// See the head of this file.
pub struct CfgEditor<'f> {
    function: &'f mut Function,
    /// By block: each predecessor, and how many of its edges lead here.
    preds: SecondaryMap<Block, BTreeMap<Block, u32>>,
    cache: Cache,
}

/// What was computed since the last change of an edge.
#[derive(Default)]
struct Cache {
    walk: Option<DepthFirst<Block>>,
    dominators: Option<Dominators<Block>>,
    post: Option<(Dominators<Block>, Block)>,
    loops: Option<Loops<Block>>,
}

impl<'f> CfgEditor<'f> {
    /// An editor of a function.
    pub fn new(function: &'f mut Function) -> CfgEditor<'f> {
        let mut editor = CfgEditor { function, preds: SecondaryMap::new(), cache: Cache::default() };
        for block in editor.function.blocks() {
            editor.link(block);
        }
        editor
    }

    /// The function as it stands.
    pub fn function(&self) -> &Function {
        self.function
    }
    /// Predecessors with the number of their edges, in order.
    pub fn preds(&self, block: Block) -> impl Iterator<Item = (Block, u32)> + '_ {
        self.preds[block].iter().map(|(&pred, &edges)| (pred, edges))
    }
    /// How many edges lead to a block.
    pub fn incoming(&self, block: Block) -> u32 {
        self.preds[block].values().sum()
    }
    /// Whether exactly one edge leads to a block.
    fn entered_once(&self, block: Block) -> bool {
        self.preds[block].len() == 1 && self.incoming(block) == 1
    }

    /// Depth-first order of the graph as it stands.
    pub fn walk(&mut self) -> &DepthFirst<Block> {
        self.cache.walk.get_or_insert_with(|| DepthFirst::new(self.function))
    }
    /// Dominators of the graph as it stands.
    pub fn dominators(&mut self) -> &Dominators<Block> {
        self.cache.dominators.get_or_insert_with(|| Dominators::new(self.function))
    }
    /// Post-dominators of the graph as it stands, and the virtual exit.
    pub fn post_dominators(&mut self) -> &(Dominators<Block>, Block) {
        self.cache.post.get_or_insert_with(|| Dominators::post(self.function))
    }
    /// Natural loops of the graph as it stands.
    pub fn loops(&mut self) -> &Loops<Block> {
        self.dominators();
        let dominators = self.cache.dominators.as_ref();
        let function = &self.function;
        self.cache.loops.get_or_insert_with(|| match dominators {
            Some(dominators) => Loops::new(&**function, dominators),
            None => Loops::new(&**function, &Dominators::new(&**function)),
        })
    }

    fn link(&mut self, block: Block) {
        for edge in self.function.blocks[block].terminator.edges() {
            *self.preds[edge.block].entry(block).or_default() += 1;
        }
        self.cache = Cache::default();
    }
    fn unlink(&mut self, block: Block) {
        for edge in self.function.blocks[block].terminator.edges() {
            self.preds[edge.block].remove(&block);
        }
        self.cache = Cache::default();
    }

    /// A new block, without parameters, instructions and edges.
    pub fn add_block(&mut self) -> Block {
        self.cache = Cache::default();
        self.function.add_block()
    }

    /// Ends a block in another way; the way it ended.
    pub fn set_terminator(&mut self, block: Block, terminator: Terminator) -> Terminator {
        self.unlink(block);
        let old = std::mem::replace(&mut self.function.blocks[block].terminator, terminator);
        self.link(block);
        old
    }

    /// Leads one edge of a block elsewhere; the edge that was.
    pub fn redirect(&mut self, from: Block, index: usize, to: Edge) -> Edge {
        self.unlink(from);
        let old = std::mem::replace(&mut *self.function.blocks[from].terminator.edges_mut()[index], to);
        self.link(from);
        old
    }

    /// Splits a block before the instruction at `position` (requirements CFG-27): the rest, and the edges, move to a new
    /// block, to which the old one jumps.
    pub fn split_block(&mut self, block: Block, position: usize) -> Block {
        self.unlink(block);
        let new = self.function.split_block(block, position);
        self.link(block);
        self.link(new);
        new
    }

    /// Puts a new block on an edge, named by its source and its position there.
    pub fn split_edge(&mut self, from: Block, index: usize) -> Block {
        self.unlink(from);
        let new = self.function.split_edge(from, index);
        self.link(from);
        self.link(new);
        new
    }

    /// Splits every critical edge; how many there were.
    pub fn split_critical_edges(&mut self) -> usize {
        let critical = critical_edges(&*self.function);
        for &(from, index) in &critical {
            self.split_edge(from, index);
        }
        critical.len()
    }

    /// Joins a block with its only successor if it is that block's only predecessor. The successor's parameters with the
    /// arguments that take their place; none if the two cannot be joined. The caller replaces the parameters.
    pub fn merge(&mut self, block: Block) -> Option<Vec<(Value, Value)>> {
        let Terminator::Jump(edge) = &self.function.blocks[block].terminator else { return None };
        let next = edge.block;
        if next == block || next == self.function.entry || !self.entered_once(next) {
            return None;
        }
        let args = edge.args.clone();
        self.unlink(block);
        self.unlink(next);
        let params = std::mem::take(&mut self.function.blocks[next].params);
        let insts = std::mem::take(&mut self.function.blocks[next].insts);
        let last = std::mem::replace(&mut self.function.blocks[next].terminator, Terminator::Unreachable);
        self.function.blocks[block].insts.extend(insts);
        self.function.blocks[block].terminator = last;
        self.function.blocks[block].line = self.function.blocks[next].line;
        self.link(block);
        Some(params.into_iter().zip(args).collect())
    }

    /// Empties every block that the entry does not reach; how many were not empty.
    pub fn remove_unreachable(&mut self) -> usize {
        self.walk();
        let mut count = 0;
        for block in self.function.blocks() {
            let reached = self.cache.walk.as_ref().is_none_or(|walk| walk.is_reached(block));
            let data = &self.function.blocks[block];
            let empty =
                data.insts.is_empty() && data.params.is_empty() && data.terminator == Terminator::Unreachable;
            if !reached && !empty {
                for edge in self.function.blocks[block].terminator.edges() {
                    self.preds[edge.block].remove(&block);
                }
                self.function.clear_block(block);
                count += 1;
            }
        }
        count
    }

    /// Writes a block anew: `write` gets its instructions, and a builder at its begin, which may end blocks and go on in new
    /// ones. How the block ended, the last block that the builder stands in ends.
    pub fn rewrite<T>(&mut self, block: Block, write: impl FnOnce(&mut Builder<'_>, Vec<Inst>) -> T) -> T {
        self.unlink(block);
        let first_new = self.function.blocks.len();
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let terminator =
            std::mem::replace(&mut self.function.blocks[block].terminator, Terminator::Unreachable);
        let mut builder = Builder::new(self.function, block);
        let result = write(&mut builder, insts);
        let end = builder.block;
        self.function.blocks[end].terminator = terminator;
        self.function.blocks[end].line = self.function.blocks[block].line;
        self.link(block);
        for index in first_new..self.function.blocks.len() {
            self.link(sassafras_graph::Entity::from_index(index));
        }
        result
    }

    /// Changes what no edge depends on: instructions, values, arguments of edges, parameters.
    ///
    /// In a debug build it is checked that no edge changed.
    pub fn edit_values<T>(&mut self, edit: impl FnOnce(&mut Function) -> T) -> T {
        let result = edit(self.function);
        debug_assert_eq!(self.disagreement(), None, "values were to be edited, and edges changed");
        result
    }

    /// A block whose predecessors are not what the terminators say; none while the editor does what it says.
    pub fn disagreement(&self) -> Option<Block> {
        let mut preds: SecondaryMap<Block, BTreeMap<Block, u32>> = SecondaryMap::new();
        for block in self.function.blocks() {
            for edge in self.function.blocks[block].terminator.edges() {
                *preds[edge.block].entry(block).or_default() += 1;
            }
        }
        self.function.blocks().into_iter().find(|&block| preds[block] != self.preds[block])
    }
}
