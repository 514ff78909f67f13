//! SSA again after blocks were copied or edges led elsewhere (Cytron et al., 1991, on demand).

use crate::function::{Block, Function, Value};
use crate::op::Op;
use sassafras_graph::{DominanceFrontier, Dominators, SecondaryMap};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Gives every use the definition that reaches it: where several do, a block gets a parameter; where none does, bits are
/// undefined.
///
/// `copies` names, for a value, the copies of its definition in other blocks; uses of it outside `settled`, the blocks
/// that were copied and their copies, are led to whichever definition reaches them. Every other use that its definition does not
/// dominate is repaired too. Returns the number of uses that changed. Edges stay as they are, but for their arguments.
pub fn repair(
    function: &mut Function,
    copies: &BTreeMap<Value, Vec<Value>>,
    settled: &BTreeSet<Block>,
) -> usize {
    let dominators = Dominators::new(function);
    let place = places(function);
    let broken = uses(function, &dominators, &place, copies, settled);
    if broken.is_empty() {
        return 0;
    }
    let frontier = DominanceFrontier::new(function, &dominators);
    let preds = function.predecessors();
    let mut changed = 0;
    for (value, sites) in broken {
        let mut defs: BTreeMap<Block, Value> = BTreeMap::new();
        for definition in copies.get(&value).into_iter().flatten().copied().chain([value]) {
            if let Some((block, _)) = place[definition].filter(|(b, _)| dominators.is_reachable(*b)) {
                defs.insert(block, definition);
            }
        }
        let joins: BTreeSet<Block> = frontier.iterated(defs.keys().copied()).into_iter().collect();
        let mut search = Search {
            function,
            dominators: &dominators,
            defs,
            joins,
            value,
            starts: HashMap::new(),
            open: Vec::new(),
        };
        let mut answers = Vec::new();
        for &(block, site) in &sites {
            // A definition in the block itself comes before the use, or the use would be of the block's start.
            let found = match search.defs.get(&block) {
                Some(&definition) if place[definition].is_some_and(|(_, at)| at <= site.position()) => {
                    definition
                }
                _ => search.at_start(block),
            };
            answers.push((block, site, found));
        }
        while let Some((block, index)) = search.open.pop() {
            let mut from: Vec<Block> = preds[block].clone();
            from.sort();
            from.dedup();
            for pred in from.into_iter().filter(|&pred| dominators.is_reachable(pred)) {
                let argument = search.at_end(pred);
                for edge in search.function.blocks[pred].terminator.edges_mut() {
                    if edge.block == block {
                        debug_assert_eq!(edge.args.len(), index);
                        edge.args.push(argument);
                    }
                }
            }
            // What is not reached passes the old value, which nobody sees.
            for &pred in preds[block].iter().filter(|&&pred| !dominators.is_reachable(pred)) {
                for edge in search.function.blocks[pred].terminator.edges_mut() {
                    if edge.block == block && edge.args.len() == index {
                        edge.args.push(value);
                    }
                }
            }
        }
        changed += answers.len();
        for (block, site, found) in answers {
            site.replace(function, block, value, found);
        }
    }
    changed
}

/// Where a use stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    /// In the instruction at this position of its block.
    Inst(usize),
    /// In the terminator.
    End,
}

impl Site {
    fn position(self) -> usize {
        match self {
            Site::Inst(at) => at,
            Site::End => usize::MAX,
        }
    }

    fn replace(self, function: &mut Function, block: Block, old: Value, new: Value) {
        let change = |value: &mut Value| {
            if *value == old {
                *value = new;
            }
        };
        match self {
            Site::Inst(at) => {
                let inst = function.blocks[block].insts[at];
                function.insts[inst].for_each_use_mut(change);
            }
            Site::End => function.blocks[block].terminator.for_each_use_mut(change),
        }
    }
}

/// Where each value is defined: its block, and the first position at which it is known.
fn places(function: &Function) -> SecondaryMap<Value, Option<(Block, usize)>> {
    let mut place = SecondaryMap::new();
    for (block, data) in function.blocks.iter() {
        data.params.iter().for_each(|&param| place[param] = Some((block, 0)));
        for (at, &inst) in data.insts.iter().enumerate() {
            function.insts[inst].results.iter().for_each(|&result| place[result] = Some((block, at + 1)));
        }
    }
    place
}

/// By value: the uses that need another definition.
fn uses(
    function: &Function,
    dominators: &Dominators<Block>,
    place: &SecondaryMap<Value, Option<(Block, usize)>>,
    copies: &BTreeMap<Value, Vec<Value>>,
    settled: &BTreeSet<Block>,
) -> BTreeMap<Value, Vec<(Block, Site)>> {
    let mut broken: BTreeMap<Value, Vec<(Block, Site)>> = BTreeMap::new();
    for &block in dominators.top_down() {
        let mut look = |value: Value, site: Site| {
            let sound = match place[value] {
                Some((home, at)) if home == block => at <= site.position(),
                Some((home, _)) => dominators.dominates(home, block),
                None => false,
            };
            if !sound || copies.contains_key(&value) && !settled.contains(&block) {
                let list = broken.entry(value).or_default();
                if list.last() != Some(&(block, site)) {
                    list.push((block, site));
                }
            }
        };
        let data = &function.blocks[block];
        for (at, &inst) in data.insts.iter().enumerate() {
            function.insts[inst].for_each_use(|value| look(value, Site::Inst(at)));
        }
        data.terminator.for_each_use(|value| look(value, Site::End));
    }
    for list in broken.values_mut() {
        let mut seen: Vec<(Block, Site)> = Vec::new();
        list.retain(|item| {
            !seen.contains(item) && {
                seen.push(*item);
                true
            }
        });
    }
    broken
}

/// The definition of one value that reaches a place.
struct Search<'f> {
    function: &'f mut Function,
    dominators: &'f Dominators<Block>,
    defs: BTreeMap<Block, Value>,
    joins: BTreeSet<Block>,
    value: Value,
    /// Known at the start of a block: parameters that were made, and undefined bits under the entry.
    starts: HashMap<Block, Value>,
    /// Parameters without arguments: block and index.
    open: Vec<(Block, usize)>,
}

impl Search<'_> {
    fn at_end(&mut self, block: Block) -> Value {
        match self.defs.get(&block) {
            Some(&definition) => definition,
            None => self.at_start(block),
        }
    }

    fn at_start(&mut self, block: Block) -> Value {
        let mut at = block;
        loop {
            if let Some(&known) = self.starts.get(&at) {
                return known;
            }
            if self.joins.contains(&at) {
                let ty = self.function.ty(self.value);
                let param = self.function.add_param(at, ty);
                self.open.push((at, self.function.blocks[at].params.len() - 1));
                self.starts.insert(at, param);
                return param;
            }
            let Some(above) = self.dominators.immediate(at) else {
                let ty = self.function.ty(self.value);
                // At its end: positions in the block stay, and what uses it stands in other blocks.
                let inst = self.function.append(at, Op::Undef, &[], &[ty], 0);
                let undefined = self.function.insts[inst].results[0];
                self.starts.insert(at, undefined);
                return undefined;
            };
            if let Some(&definition) = self.defs.get(&above) {
                return definition;
            }
            at = above;
        }
    }
}

/// Copies blocks, with new instructions, parameters and values; edges within go to the copies, others stay. The copy of each
/// block and the copies of values, for [`repair`].
pub fn copy_blocks(
    function: &mut Function,
    blocks: &BTreeSet<Block>,
) -> (BTreeMap<Block, Block>, BTreeMap<Value, Vec<Value>>) {
    let map: BTreeMap<Block, Block> = blocks.iter().map(|&block| (block, function.add_block())).collect();
    let mut values: BTreeMap<Value, Value> = BTreeMap::new();
    for (&old, &new) in &map {
        for param in function.blocks[old].params.clone() {
            let ty = function.ty(param);
            values.insert(param, function.add_param(new, ty));
        }
        for inst in function.blocks[old].insts.clone() {
            let data = function.insts[inst].clone();
            let types: Vec<_> = data.results.iter().map(|&value| function.ty(value)).collect();
            let copy = function.append(new, data.op, &data.args, &types, data.line);
            function.insts[copy].guard = data.guard;
            values.extend(data.results.iter().copied().zip(function.insts[copy].results.clone()));
        }
        let terminator = function.blocks[old].terminator.clone();
        function.blocks[new].terminator = terminator;
        function.blocks[new].line = function.blocks[old].line;
        function.blocks[new].nounroll = function.blocks[old].nounroll;
    }
    let rename = |value: &mut Value| *value = values.get(value).copied().unwrap_or(*value);
    for &new in map.values() {
        for inst in function.blocks[new].insts.clone() {
            function.insts[inst].for_each_use_mut(rename);
        }
        let data = &mut function.blocks[new];
        data.terminator.for_each_use_mut(rename);
        for edge in data.terminator.edges_mut() {
            edge.block = map.get(&edge.block).copied().unwrap_or(edge.block);
        }
    }
    (map, values.into_iter().map(|(old, new)| (old, vec![new])).collect())
}
