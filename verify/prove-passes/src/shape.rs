//! A function's shape: where it is cut, in which order its blocks are run, and which values are there at a block.
//!
//! Values that are functions of others need no place of their own at a cut: in a function whose every use is dominated by its
//! definition, such a value is at every point where it may be used that function of what its operands are there. Only
//! *leaves* are free: block parameters, and what an operation gave that may give something else the next time.

use super::malformed::Malformed;
use super::meaning::is_function;
use rustc_hash::FxHashMap;
use sassafras_graph::{BitSet, ControlFlow, DepthFirst, Dominators, Entity, Graph, SecondaryMap};
use sassafras_ir::{Block, Function, Inst, Terminator, Uses, Value, ValueDef};
use std::collections::BTreeSet;

/// The shape of a function: see the head of this file.
pub struct Shape<'f> {
    /// The function.
    pub function: &'f Function,
    /// Edges that constants do not rule out, by their places among those of the terminator.
    edges: SecondaryMap<Block, Vec<usize>>,
    /// The graph of these.
    walk: DepthFirst<Block>,
    /// By block: what may be used there or behind it, and what that is a function of; without the block's parameters.
    live: SecondaryMap<Block, BTreeSet<Value>>,
    /// By value: where it is defined, in the order of the walk.
    position: Vec<(u32, u32)>,
}

impl<'f> Shape<'f> {
    /// # Errors
    /// A use that its definition does not dominate.
    pub fn new(function: &'f Function) -> Result<Shape<'f>, Malformed> {
        let order = dominated(function)?;
        let mut edges: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
        for block in function.blocks() {
            edges[block] = feasible(function, block);
        }
        let all = function.blocks().into_iter().flat_map(|from| {
            let targets = function.succs(from);
            edges[from].clone().into_iter().map(move |i| (from, targets[i]))
        });
        let graph = Graph::new(function.entry, function.blocks.len(), all.collect::<Vec<_>>());
        let walk = DepthFirst::new(&graph);
        let mut shape = Shape { function, edges, walk, live: SecondaryMap::new(), position: order };
        shape.lives();
        Ok(shape)
    }

    /// Blocks that may be reached, in reverse post-order.
    pub fn blocks(&self) -> &[Block] {
        self.walk.reverse_post_order()
    }
    /// Whether a block may be reached.
    pub fn reaches(&self, block: Block) -> bool {
        self.walk.is_reached(block)
    }
    /// Targets of edges that lead back in the order of the walk.
    pub fn headers(&self) -> BTreeSet<Block> {
        self.walk.retreating().map(|(_, to)| to).collect()
    }
    /// Values that are kept on the way into a block, its parameters aside.
    pub fn live(&self, block: Block) -> &BTreeSet<Value> {
        &self.live[block]
    }
    /// Blocks that several edges lead to.
    fn joins(&self) -> BTreeSet<Block> {
        self.blocks().iter().copied().filter(|&b| self.walk.preds(b).count() > 1).collect()
    }
    /// Whether a value is not a function of others.
    pub fn is_leaf(&self, value: Value) -> bool {
        self.function.def(value).is_none_or(|inst| !is_function(self.function, inst))
    }
    /// Values in the order of their definitions.
    pub fn in_order(&self, values: impl IntoIterator<Item = Value>) -> Vec<Value> {
        let mut all: Vec<Value> = values.into_iter().collect();
        all.sort_by_key(|v| self.position[v.index()]);
        all
    }

    /// An order of blocks in which every edge leads forwards but those to `cuts`; none if there is no such order. Without cuts
    /// that is the order of the walk, whatever leads back.
    pub fn ranks(&self, cuts: &BTreeSet<Block>) -> Option<FxHashMap<Block, u64>> {
        if cuts.is_empty() {
            return Some(self.blocks().iter().enumerate().map(|(i, &b)| (b, i as u64)).collect());
        }
        // Kahn's algorithm over the edges that are left.
        let mut incoming: FxHashMap<Block, usize> = FxHashMap::default();
        for &from in self.blocks() {
            for to in self.walk.succs(from).filter(|to| !cuts.contains(to)) {
                *incoming.entry(to).or_default() += 1;
            }
        }
        let mut ready: BTreeSet<(u32, Block)> = BTreeSet::new();
        let number = |block: Block| self.walk.number(block).unwrap_or(u32::MAX);
        for &block in self.blocks() {
            if !incoming.contains_key(&block) {
                ready.insert((number(block), block));
            }
        }
        let mut ranks = FxHashMap::default();
        while let Some((_, block)) = ready.pop_first() {
            ranks.insert(block, ranks.len() as u64);
            for to in self.walk.succs(block).filter(|to| !cuts.contains(to)) {
                let left = incoming.get_mut(&to)?;
                *left -= 1;
                if *left == 0 {
                    ready.insert((number(to), to));
                }
            }
        }
        (ranks.len() == self.blocks().len()).then_some(ranks)
    }

    fn lives(&mut self) {
        let f = self.function;
        let words = f.values.len();
        let mut live: SecondaryMap<Block, BitSet> = SecondaryMap::with_default(BitSet::new(words));
        loop {
            let mut changed = false;
            for &block in self.blocks().iter().rev() {
                let mut here = BitSet::new(words);
                let data = &f.blocks[block];
                for &i in &self.edges[block] {
                    let edge = data.terminator.edges()[i];
                    here.union(&live[edge.block]);
                    f.blocks[edge.block].params.iter().for_each(|v| {
                        here.remove(v.index());
                    });
                    edge.args.iter().for_each(|v| {
                        here.insert(v.index());
                    });
                }
                if let Terminator::Branch { condition: v, .. } | Terminator::Switch { index: v, .. } =
                    &data.terminator
                {
                    here.insert(v.index());
                }
                for &inst in data.insts.iter().rev() {
                    f.insts[inst].results.iter().for_each(|v| {
                        here.remove(v.index());
                    });
                    f.insts[inst].for_each_use(|v| {
                        here.insert(v.index());
                    });
                }
                self.close(&mut here, block);
                changed |= live[block].union(&here);
            }
            if !changed {
                break;
            }
        }
        for &block in self.walk.reverse_post_order() {
            let own = &f.blocks[block].params;
            let all = live[block].iter().map(Value::from_index).filter(|v| !own.contains(v));
            self.live[block] = all.collect();
        }
    }

    /// Adds what values from before a block are functions of.
    fn close(&self, values: &mut BitSet, block: Block) {
        let f = self.function;
        let inside: BTreeSet<Value> =
            f.blocks[block].insts.iter().flat_map(|&i| f.insts[i].results.iter().copied()).collect();
        let mut work: Vec<Value> = values.iter().map(Value::from_index).collect();
        while let Some(value) = work.pop() {
            if self.is_leaf(value) {
                continue;
            }
            let Some(inst) = f.def(value) else { continue };
            for &v in &f.insts[inst].args {
                if !inside.contains(&v) && values.insert(v.index()) {
                    work.push(v);
                }
            }
        }
    }
}

/// The edges of a block that its condition, if it is a constant, leaves.
fn feasible(f: &Function, block: Block) -> Vec<usize> {
    let terminator = &f.blocks[block].terminator;
    let all = terminator.edges().len();
    match terminator {
        Terminator::Branch { condition, .. } => match f.constant(*condition) {
            Some(1) => vec![0],
            Some(_) => vec![1],
            None => vec![0, 1],
        },
        Terminator::Switch { index, .. } => match f.constant(*index) {
            Some(i) => usize::try_from(i).ok().filter(|i| *i < all).into_iter().collect(),
            None => (0..all).collect(),
        },
        _ => (0..all).collect(),
    }
}

/// For each value where it is defined: the block's number in reverse post-order, and the place in the block.
///
/// # Errors
/// A use that its definition does not dominate, or an edge that does not fit the parameters of its target.
fn dominated(f: &Function) -> Result<Vec<(u32, u32)>, Malformed> {
    let graph = f.graph();
    let dominators = Dominators::new(&graph);
    let order = f.reverse_post_order();
    let mut place: Vec<Option<Block>> = vec![None; f.values.len()];
    let mut position = vec![(u32::MAX, 0); f.values.len()];
    for (number, &block) in order.iter().enumerate() {
        let mut define = |v: Value, def: ValueDef, at: usize| {
            if f.values[v].def != def || place[v.index()].replace(block).is_some() {
                return Err(Malformed::DefinedTwice(v));
            }
            position[v.index()] = (number as u32, at as u32);
            Ok(())
        };
        for (i, &v) in f.blocks[block].params.iter().enumerate() {
            define(v, ValueDef::Param(block, i as u16), 0)?;
        }
        for (at, &inst) in f.blocks[block].insts.iter().enumerate() {
            for (i, &v) in f.insts[inst].results.iter().enumerate() {
                define(v, ValueDef::Result(inst, i as u16), at + 1)?;
            }
        }
    }
    for &block in &order {
        let data = &f.blocks[block];
        let mut wrong = None;
        let mut used = |v: Value, at: usize| {
            let good = match place[v.index()] {
                Some(from) if from == block => (position[v.index()].1 as usize) <= at,
                Some(from) => dominators.dominates(from, block),
                None => false,
            };
            if !good {
                wrong = Some(v);
            }
        };
        for (at, &inst) in data.insts.iter().enumerate() {
            f.insts[inst].for_each_use(|v| used(v, at));
        }
        data.terminator.for_each_use(|v| used(v, usize::MAX));
        if let Some(value) = wrong {
            return Err(Malformed::NotDominated { value, block });
        }
        for edge in data.terminator.edges() {
            let params = &f.blocks[edge.block].params;
            let fits = params.len() == edge.args.len()
                && params.iter().zip(&edge.args).all(|(&p, &a)| f.ty(p) == f.ty(a));
            if !fits || edge.block == f.entry {
                return Err(Malformed::Edge { from: block, to: edge.block });
            }
        }
    }
    Ok(position)
}

/// Blocks of both functions at which every cycle of either is cut, in pairs; empty if there are no cycles, none if
/// there are no such blocks.
pub fn cuts(before: &Shape<'_>, after: &Shape<'_>) -> Option<BTreeSet<Block>> {
    let both = |block: &Block| {
        block.index() < before.function.blocks.len()
            && block.index() < after.function.blocks.len()
            && before.reaches(*block)
            && after.reaches(*block)
    };
    let (old, new) = (before.headers(), after.headers());
    if old.is_empty() && new.is_empty() {
        return Some(BTreeSet::new());
    }
    let all: BTreeSet<Block> = old.union(&new).copied().collect();
    // A cycle that is entered anew has a header of its own; what it goes through was there.
    let joins: BTreeSet<Block> = before.joins().union(&after.joins()).copied().collect();
    let choices = [new, old, all, joins].map(|set| set.into_iter().filter(both).collect::<BTreeSet<Block>>());
    choices
        .into_iter()
        .find(|set| !set.is_empty() && before.ranks(set).is_some() && after.ranks(set).is_some())
}

/// Instructions of `before` that `after` still has and uses: the same number in a block, and the same operation.
pub fn kept(before: &Function, after: &Function) -> BTreeSet<Inst> {
    let (layout, uses) = (after.layout(), Uses::new(after));
    let there = |inst: &Inst| {
        inst.index() < after.insts.len()
            && layout[*inst].is_some()
            && before.insts[*inst].op == after.insts[*inst].op
            && after.insts[*inst].results.iter().any(|&v| uses.count(v) > 0)
    };
    before.insts.keys().filter(there).collect()
}
