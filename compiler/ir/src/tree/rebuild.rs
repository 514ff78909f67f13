//! Variables made parameters again, and values whose definition no longer dominates their uses (Cytron et al., 1991,
//! pruned).

use super::{NodeKind, Tree};
use crate::function::{Block, Value};
use crate::op::{Op, Type};
use sassafras_graph::{ControlFlow, DominanceFrontier, Dominators, Graph, SecondaryMap};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A variable: uses of `name` mean what it holds at the start of the block they are in.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: Value,
    /// Assignments at the ends of blocks.
    pub assigned: Vec<(Block, Value)>,
    /// The block with the instruction that defines it: uses there mean that definition.
    pub home: Option<Block>,
}

impl Tree {
    /// Makes definitions dominate uses again, with parameters where ways meet and undefined bits where none comes.
    pub fn repair(&mut self) {
        rebuild(self, Vec::new());
    }
}

/// The blocks in which each value is used, by instructions, terminators and assignments.
fn use_blocks(tree: &Tree, variables: &[Variable]) -> BTreeMap<Value, BTreeSet<Block>> {
    let mut blocks: BTreeMap<Value, BTreeSet<Block>> = BTreeMap::new();
    for (block, data) in tree.function.blocks.iter() {
        let mut see = |value: Value| {
            blocks.entry(value).or_default().insert(block);
        };
        data.insts.iter().for_each(|&inst| tree.function.insts[inst].for_each_use(&mut see));
        data.terminator.for_each_use(&mut see);
    }
    for &(block, value) in variables.iter().flat_map(|variable| &variable.assigned) {
        blocks.entry(value).or_default().insert(block);
    }
    blocks
}

pub(super) fn rebuild(tree: &mut Tree, mut variables: Vec<Variable>) {
    let graph = tree.function.graph();
    let dominators = Dominators::new(&graph);
    let frontier = DominanceFrontier::new(&graph, &dominators);
    let uses = use_blocks(tree, &variables);
    let known: BTreeSet<Value> = variables.iter().map(|variable| variable.name).collect();
    for (&value, blocks) in uses.iter().filter(|(value, _)| !known.contains(value)) {
        let home = match tree.function.values[value].def {
            crate::ValueDef::Result(inst, _) => tree.placed[inst],
            crate::ValueDef::Param(block, _) => Some(block),
        };
        let Some(home) = home else { continue };
        let lost = |&block: &Block| dominators.is_reachable(block) && !dominators.dominates(home, block);
        if blocks.iter().any(lost) {
            variables.push(Variable { name: value, assigned: vec![(home, value)], home: Some(home) });
        }
    }
    let mut index: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
    let mut assigned = HashMap::new();
    for (number, variable) in variables.iter().enumerate() {
        index[variable.name] = Some(number);
        assigned.extend(variable.assigned.iter().map(|&(block, value)| ((number, block), value)));
    }
    let params = place(tree, &graph, &frontier, &uses, &variables);
    let mut at: BTreeMap<Block, Vec<usize>> = BTreeMap::new();
    for (number, params) in params.iter().enumerate() {
        params.keys().for_each(|&block| at.entry(block).or_default().push(number));
    }
    let undefined = HashMap::new();
    let mut held =
        Held { variables: &variables, dominators: &dominators, index, assigned, params, undefined };
    for block in tree.function.blocks.keys() {
        for inst in tree.function.blocks[block].insts.clone() {
            let mut data = tree.function.insts[inst].clone();
            data.for_each_use_mut(|value| held.rename(tree, block, value));
            tree.function.insts[inst] = data;
        }
        let mut terminator = tree.function.blocks[block].terminator.clone();
        terminator.for_each_use_mut(|value| held.rename(tree, block, value));
        for edge in terminator.edges_mut() {
            for &number in at.get(&edge.block).into_iter().flatten() {
                edge.args.push(held.at_end(tree, number, block));
            }
        }
        tree.function.blocks[block].terminator = terminator;
    }
    for node in tree.nodes.keys() {
        let before = tree.previous(node).and_then(|before| tree.block_of(before));
        if let (NodeKind::If { mut condition, control, divergent }, Some(before)) =
            (tree.nodes[node].kind, before)
        {
            held.rename(tree, before, &mut condition);
            tree.nodes[node].kind = NodeKind::If { condition, control, divergent };
        }
    }
    let entry = tree.function.entry;
    for value in held.undefined.into_values() {
        if let Some(inst) = tree.function.def(value) {
            tree.function.blocks[entry].insts.insert(0, inst);
            tree.placed[inst] = Some(entry);
        }
    }
}

/// Parameters where different assignments meet and somebody asks; per variable, by block.
fn place(
    tree: &mut Tree,
    graph: &Graph<Block>,
    frontier: &DominanceFrontier<Block>,
    uses: &BTreeMap<Value, BTreeSet<Block>>,
    variables: &[Variable],
) -> Vec<HashMap<Block, Value>> {
    let mut all = Vec::new();
    for variable in variables {
        let ty = tree.function.ty(variable.name);
        let ends: BTreeSet<Block> = variable.assigned.iter().map(|&(block, _)| block).collect();
        let mut live: BTreeSet<Block> = BTreeSet::new();
        let wanted = uses.get(&variable.name).into_iter().flatten().copied();
        let mut stack: Vec<Block> = wanted.filter(|&block| Some(block) != variable.home).collect();
        while let Some(block) = stack.pop() {
            if live.insert(block) {
                stack.extend(graph.preds(block).into_iter().filter(|pred| !ends.contains(pred)));
            }
        }
        let mut params = HashMap::new();
        let mut work: Vec<Block> = ends.into_iter().collect();
        while let Some(block) = work.pop() {
            for join in frontier.of(block) {
                if live.contains(&join) && !params.contains_key(&join) {
                    params.insert(join, tree.function.add_param(join, ty));
                    work.push(join);
                }
            }
        }
        all.push(params);
    }
    all
}

/// What variables hold where.
struct Held<'a> {
    variables: &'a [Variable],
    dominators: &'a Dominators<Block>,
    index: SecondaryMap<Value, Option<usize>>,
    assigned: HashMap<(usize, Block), Value>,
    params: Vec<HashMap<Block, Value>>,
    undefined: HashMap<Type, Value>,
}

impl Held<'_> {
    /// A use in a block.
    fn rename(&mut self, tree: &mut Tree, block: Block, value: &mut Value) {
        if let Some(number) = self.index[*value]
            && self.variables[number].home != Some(block)
        {
            *value = self.at_start(tree, number, block);
        }
    }

    fn at_end(&mut self, tree: &mut Tree, number: usize, block: Block) -> Value {
        match self.assigned.get(&(number, block)) {
            Some(&value) => match self.index[value] {
                Some(other) if self.variables[other].home != Some(block) => self.at_start(tree, other, block),
                _ => value,
            },
            None => self.at_start(tree, number, block),
        }
    }

    fn at_start(&mut self, tree: &mut Tree, mut number: usize, mut block: Block) -> Value {
        loop {
            if let Some(&param) = self.params[number].get(&block) {
                return param;
            }
            let Some(up) = self.dominators.immediate(block) else {
                let ty = tree.function.ty(self.variables[number].name);
                return *self.undefined.entry(ty).or_insert_with(|| {
                    let inst = tree.function.make_inst(Op::Undef, &[], &[ty], 0);
                    tree.function.insts[inst].results[0]
                });
            };
            block = up;
            if let Some(&value) = self.assigned.get(&(number, up)) {
                match self.index[value] {
                    Some(other) if self.variables[other].home != Some(up) => number = other,
                    _ => return value,
                }
            }
        }
    }
}
