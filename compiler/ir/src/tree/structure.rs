//! A structured tree of any reducible graph.
//!
//! A block with two ways becomes the block before an `If`; a loop's header opens a `Loop`. What a branch dominates stands in
//! its lists if it has one way in, else behind the `If`, in reverse post-order; what a loop's blocks dominate outside of it
//! stands behind the `Loop`. An edge that does not lead to what stands next leaves its target *pending*: control goes on to the
//! end of the list, and further, until the target stands next. Where others are pending too, the target is guarded by the
//! selector. Parameters become variables, assigned on the edges; [`super::rebuild`] makes parameters of them again.

use super::rebuild::{Variable, rebuild};
use super::{Jump, List, LoopControl, NodeKind, Refused, SelectionControl, Tree, edges};
use crate::function::{Block, BlockData, Edge, Function, Terminator, Value};
use crate::op::{Compare, Op, Type};
use sassafras_graph::nest::{Cycle, Nest};
use sassafras_graph::{ControlFlow, Dominators, Entity, SecondaryMap};
use std::collections::{BTreeSet, HashMap};

/// Whether variables may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A graph that needs one is refused.
    None,
    /// One of 32 bits, which says where to go on.
    Selector,
}

/// The deepest nest: what makes trees works by recursion.
const DEPTH: usize = 500;

struct Maker {
    tree: Tree,
    /// The blocks as they were.
    old: Vec<BlockData>,
    nest: Nest<Block>,
    dominators: Dominators<Block>,
    /// Edges into each block but those back to a loop's header.
    entering: SecondaryMap<Block, usize>,
    /// What stands behind the `If` of a block, and behind a `Loop`.
    behind_if: SecondaryMap<Block, Vec<Block>>,
    behind_loop: SecondaryMap<Cycle, Vec<Block>>,
    open: SecondaryMap<Cycle, bool>,
    /// Parameters with one way in: what they are.
    same: SecondaryMap<Value, Option<Value>>,
    /// Assignments at the ends of blocks.
    assigned: HashMap<Value, Vec<(Block, Value)>>,
    /// Stands for the selector until it is rebuilt; and where it was used.
    selector: Value,
    selected: BTreeSet<Block>,
}

/// What is behind an `If` or `Loop`.
enum Next {
    /// These are pending.
    Pending(BTreeSet<Block>),
    /// This block stands there.
    Block(Block),
}

impl Tree {
    /// A structured tree of a reducible graph. See `docs/control-tree.md`.
    ///
    /// # Errors
    /// [`Refused::Irreducible`], [`Refused::Switch`], [`Refused::NeedsSelector`], and [`Refused::Deep`] for nests of more
    /// than 500.
    pub fn structure(function: &Function, extra: Extra) -> Result<Tree, Refused> {
        let mut function = function.clone();
        for (index, reached) in function.reachable().into_iter().enumerate() {
            if !reached {
                function.clear_block(Entity::from_index(index));
            }
        }
        edges::part_twins(&mut function);
        for block in function.blocks() {
            edges::flat_jump(block, &function.blocks[block].terminator)?;
        }
        let mut maker = Maker::new(function)?;
        let body = List::body(maker.tree.root);
        let pending = maker.sequence(body, maker.tree.function.entry, None, 0)?;
        if let Some(&block) = pending.first() {
            return Err(Refused::Irreducible(block));
        }
        if let Some(&block) = maker.selected.first()
            && extra == Extra::None
        {
            return Err(Refused::NeedsSelector(block));
        }
        Ok(maker.finish())
    }
}

impl Maker {
    fn new(mut function: Function) -> Result<Maker, Refused> {
        let graph = function.graph();
        let nest = Nest::new(&graph);
        if let Some(cycle) = nest.cycles.values().find(|cycle| cycle.entries.len() != 1) {
            return Err(Refused::Irreducible(cycle.entries[0]));
        }
        let dominators = Dominators::new(&graph);
        let order = function.reverse_post_order();
        let mut entering = SecondaryMap::new();
        for &block in &order {
            for to in graph.succs(block) {
                if !dominators.dominates(to, block) {
                    entering[to] += 1;
                }
            }
        }
        let mut behind_if: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut behind_loop: SecondaryMap<Cycle, Vec<Block>> = SecondaryMap::new();
        for &block in &order {
            let Some(above) = dominators.immediate(block) else { continue };
            // The outermost cycle that holds what is above but not the block.
            let (mut left, mut at) = (None, nest.innermost(above));
            while let Some(cycle) = at {
                if !nest.holds(Some(cycle), block) {
                    left = Some(cycle);
                }
                at = nest.cycles[cycle].parent;
            }
            match left {
                Some(cycle) => behind_loop[cycle].push(block),
                None if entering[block] > 1 => behind_if[above].push(block),
                None => {}
            }
        }
        let old: Vec<BlockData> = function.blocks.values().cloned().collect();
        for block in function.blocks() {
            function.clear_block(block);
        }
        let inst = function.make_inst(Op::Undef, &[], &[Type::I32], 0);
        let selector = function.insts[inst].results[0];
        let entry = function.entry;
        let mut tree = Tree::around(function, true);
        tree.push_block(List::body(tree.root), entry);
        Ok(Maker {
            tree,
            old,
            nest,
            dominators,
            entering,
            behind_if,
            behind_loop,
            open: SecondaryMap::new(),
            same: SecondaryMap::new(),
            assigned: HashMap::new(),
            selector,
            selected: BTreeSet::new(),
        })
    }

    fn end(&self, list: List) -> Block {
        self.tree.end_of(list).expect("a list under construction ends with a block")
    }

    /// A new block at the end of a list.
    fn fresh(&mut self, list: List) -> Block {
        let block = self.tree.function.add_block();
        self.tree.push_block(list, block);
        block
    }

    /// Puts what `block` begins at the end of a list in `around`. Returns what is pending behind it.
    fn sequence(
        &mut self,
        list: List,
        mut block: Block,
        around: Option<Cycle>,
        depth: usize,
    ) -> Result<BTreeSet<Block>, Refused> {
        if depth > DEPTH {
            return Err(Refused::Deep(block));
        }
        loop {
            let cycle = self.nest.innermost(block);
            if let Some(cycle) =
                cycle.filter(|&c| self.nest.cycles[c].header() == Some(block) && !self.open[c])
            {
                match self.a_loop(list, block, cycle, around, depth)? {
                    Next::Pending(pending) => return Ok(pending),
                    Next::Block(next) => block = next,
                }
                continue;
            }
            let end = self.end(list);
            let data =
                std::mem::replace(&mut self.old[block.index()], BlockData::ending(Terminator::Unreachable));
            for &inst in &data.insts {
                self.tree.placed[inst] = Some(end);
            }
            self.tree.function.blocks[end].insts.extend(&data.insts);
            // Parameters are variables from here on; who brings them still asks for them.
            self.old[block.index()].params = data.params;
            let jump = match data.terminator {
                Terminator::Exit => Jump::Return,
                Terminator::Trap => Jump::Trap,
                Terminator::Unreachable => Jump::Unreachable,
                Terminator::Jump(edge) => {
                    if self.direct(block, edge.block, around) {
                        self.enter(end, &edge);
                        block = edge.block;
                        continue;
                    }
                    return Ok(self.take(end, &edge, around));
                }
                Terminator::Branch { condition, then, otherwise } => {
                    let control = SelectionControl::None;
                    let node =
                        self.tree.push_node(list, NodeKind::If { condition, control, divergent: true });
                    let mut pending = BTreeSet::new();
                    for (inner, edge) in [(List::then(node), then), (List::otherwise(node), otherwise)] {
                        let start = self.fresh(inner);
                        pending.extend(if self.direct(block, edge.block, around) {
                            self.enter(start, &edge);
                            self.sequence(inner, edge.block, around, depth + 1)?
                        } else {
                            self.take(start, &edge, around)
                        });
                    }
                    self.fresh(list);
                    let followers = std::mem::take(&mut self.behind_if[block]);
                    match self.follow(list, followers, pending, around, depth)? {
                        Next::Pending(pending) => return Ok(pending),
                        Next::Block(next) => block = next,
                    }
                    continue;
                }
                Terminator::Switch { .. } => return Err(Refused::Switch(block)),
            };
            self.tree.jumps[end] = Some(jump);
            return Ok(BTreeSet::new());
        }
    }

    fn a_loop(
        &mut self,
        list: List,
        header: Block,
        cycle: Cycle,
        around: Option<Cycle>,
        depth: usize,
    ) -> Result<Next, Refused> {
        self.open[cycle] = true;
        let mut ways = BTreeSet::new();
        for &block in self.nest.blocks(cycle) {
            for edge in self.old[block.index()].terminator.edges() {
                if !self.nest.holds(Some(cycle), edge.block) {
                    ways.insert(edge.block);
                }
            }
        }
        let control = LoopControl::None;
        let kind = NodeKind::Loop { control, partially_unrolled: false, divergent: true };
        let node = self.tree.push_node(list, kind);
        self.fresh(List::body(node));
        if let Some(&left) = self.sequence(List::body(node), header, Some(cycle), depth + 1)?.first() {
            return Err(Refused::Irreducible(left));
        }
        self.fresh(list);
        if ways.len() > 1 {
            self.selected.extend(&ways);
        }
        // Ways that lead on out of the loop around, or to its header.
        let further: Vec<(Block, Jump)> =
            ways.iter().filter_map(|&to| Some((to, self.jump(to, around)?))).collect();
        for (to, jump) in further {
            let at = if ways.len() == 1 {
                self.end(list)
            } else {
                let then = self.guard(list, to);
                self.fresh(list);
                self.end(then)
            };
            self.tree.jumps[at] = Some(jump);
            ways.remove(&to);
        }
        let followers = std::mem::take(&mut self.behind_loop[cycle]);
        self.follow(list, followers, ways, around, depth)
    }

    /// Puts targets behind an `If` or `Loop`, each guarded where others are pending with it.
    fn follow(
        &mut self,
        list: List,
        followers: Vec<Block>,
        mut pending: BTreeSet<Block>,
        around: Option<Cycle>,
        depth: usize,
    ) -> Result<Next, Refused> {
        let last = followers.last().copied();
        for block in followers {
            if !pending.remove(&block) {
                return Err(Refused::Irreducible(block));
            }
            if pending.is_empty() && Some(block) == last {
                return Ok(Next::Block(block));
            } else if pending.is_empty() {
                pending = self.sequence(list, block, around, depth + 1)?;
            } else {
                self.selected.insert(block);
                self.selected.extend(&pending);
                let then = self.guard(list, block);
                pending.extend(self.sequence(then, block, around, depth + 1)?);
                self.fresh(list);
            }
        }
        Ok(Next::Pending(pending))
    }

    /// An `If` that runs its first list when the target is pending; the list.
    fn guard(&mut self, list: List, target: Block) -> List {
        let end = self.end(list);
        let f = &mut self.tree.function;
        let number = f.append(end, Op::Const(target.index() as u128), &[], &[Type::I32], 0);
        let wanted = f.insts[number].results[0];
        let equal = f.append(end, Op::Compare(Compare::Eq), &[self.selector, wanted], &[Type::I1], 0);
        let condition = f.insts[equal].results[0];
        self.tree.placed[number] = Some(end);
        self.tree.placed[equal] = Some(end);
        let control = SelectionControl::None;
        let node = self.tree.push_node(list, NodeKind::If { condition, control, divergent: true });
        self.fresh(List::otherwise(node));
        self.fresh(List::then(node));
        List::then(node)
    }

    /// Whether the target stands right behind the edge: it is dominated, has no other way in, and is in the same loop.
    fn direct(&self, from: Block, to: Block, around: Option<Cycle>) -> bool {
        self.entering[to] == 1
            && self.dominators.immediate(to) == Some(from)
            && self.nest.holds(around, to)
            && around.is_none_or(|cycle| self.nest.cycles[cycle].header() != Some(to))
    }

    /// Control comes to the target from the end of `end`, and from there alone, but for turns of a loop.
    fn enter(&mut self, end: Block, edge: &Edge) {
        let cycle = self.nest.innermost(edge.block);
        let header = cycle.is_some_and(|cycle| self.nest.cycles[cycle].header() == Some(edge.block));
        if header {
            self.assign(end, edge);
            return;
        }
        for (&param, &arg) in self.old[edge.block.index()].params.iter().zip(&edge.args) {
            self.same[param] = Some(arg);
        }
    }

    fn assign(&mut self, end: Block, edge: &Edge) {
        for (&param, &arg) in self.old[edge.block.index()].params.iter().zip(&edge.args) {
            self.assigned.entry(param).or_default().push((end, arg));
        }
    }

    /// The jump to a target out of the innermost loop, or to its header.
    fn jump(&self, to: Block, around: Option<Cycle>) -> Option<Jump> {
        let around = around?;
        if self.nest.cycles[around].header() == Some(to) {
            Some(Jump::Continue)
        } else if !self.nest.holds(Some(around), to) {
            Some(Jump::Break)
        } else {
            None
        }
    }

    /// Takes an edge whose target does not stand next, at the end of `end`. Returns what is pending then.
    fn take(&mut self, end: Block, edge: &Edge, around: Option<Cycle>) -> BTreeSet<Block> {
        self.assign(end, edge);
        // Those that turn out to be needless go when the variable is rebuilt.
        let number = Op::Const(edge.block.index() as u128);
        let inst = self.tree.function.append(end, number, &[], &[Type::I32], 0);
        self.tree.placed[inst] = Some(end);
        let value = self.tree.function.insts[inst].results[0];
        self.assigned.entry(self.selector).or_default().push((end, value));
        match self.jump(edge.block, around) {
            Some(jump) => {
                self.tree.jumps[end] = Some(jump);
                BTreeSet::new()
            }
            None => BTreeSet::from([edge.block]),
        }
    }

    fn finish(mut self) -> Tree {
        let selects = !self.selected.is_empty();
        if let Some(numbers) = self.assigned.get(&self.selector) {
            // Without guards nobody asks; and no number matters but those that are asked for.
            let needless: Vec<Value> = numbers
                .iter()
                .map(|&(_, value)| value)
                .filter(|&value| {
                    let number = self.tree.function.constant(value).unwrap_or(0) as usize;
                    !selects || !self.selected.contains(&Block::from_index(number))
                })
                .collect();
            for value in needless {
                if let Some(inst) = self.tree.function.def(value)
                    && let Some(block) = self.tree.placed[inst].take()
                {
                    self.tree.function.remove(block, inst);
                }
                if let Some(numbers) = self.assigned.get_mut(&self.selector) {
                    numbers.retain(|&(_, other)| other != value);
                }
            }
        }
        for block in self.tree.function.blocks.keys() {
            self.tree.relink(block, &[]);
        }
        let follow = |mut value: Value| {
            while let Some(next) = self.same[value] {
                value = next;
            }
            value
        };
        self.tree.replace_all(&self.same);
        for assignments in self.assigned.values_mut() {
            assignments.iter_mut().for_each(|(_, value)| *value = follow(*value));
        }
        let mut variables: Vec<Variable> = Vec::new();
        for data in &self.old {
            for &param in data.params.iter().filter(|&&param| self.same[param].is_none()) {
                let assigned = self.assigned.remove(&param).unwrap_or_default();
                variables.push(Variable { name: param, assigned, home: None });
            }
        }
        if let Some(assigned) = self.assigned.remove(&self.selector) {
            variables.push(Variable { name: self.selector, assigned, home: None });
        }
        rebuild(&mut self.tree, variables);
        self.tree
    }
}
