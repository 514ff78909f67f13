//! Value numbering.

use crate::Stats;
use rustc_hash::FxHashMap;
use sassafras_graph::{Dominators, SecondaryMap};
use sassafras_ir::{Block, Function, Op, Type, Value};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;

type Key = (Op, SmallVec<[Value; 4]>, SmallVec<[Type; 2]>);

/// Replaces a pure instruction by an equal one that dominates it: parameters, special registers that do not change, constants,
/// arithmetic.
///
/// Does not touch memory, convergent operations, clocks or undefined values. Needs SSA. Preserves the graph; what becomes unused
/// stays for [`crate::dead`].
pub fn number(function: &mut Function) -> Stats {
    let dominators = Dominators::new(&function.graph());
    // The last one seen: in this order one that dominates later blocks is not seen again before they are all done.
    let mut known: FxHashMap<Key, (Block, SmallVec<[Value; 2]>)> = FxHashMap::default();
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changes = 0;
    // Down the tree of dominators: a definition is seen before the uses that it dominates.
    let mut order = dominators.top_down().to_vec();
    order.sort_by_key(|&block| dominators.interval(block).map(|interval| *interval.start()));
    for block in order {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            let mut args = function.insts[inst].args.clone();
            for v in &mut args {
                while let Some(next) = map[*v] {
                    *v = next;
                }
            }
            let data = &mut function.insts[inst];
            data.args = args;
            if !data.op.pure() || data.results.is_empty() {
                continue;
            }
            let results = data.results.clone();
            let mut args = data.args.clone();
            if data.op.commutes() {
                args[..2].sort();
            }
            let op = data.op;
            let types = results.iter().map(|&v| function.ty(v)).collect();
            match known.entry((op, args, types)) {
                Entry::Occupied(old) if dominators.dominates(old.get().0, block) => {
                    for (&new, &old) in results.iter().zip(&old.get().1) {
                        map[new] = Some(old);
                    }
                    changes += 1;
                }
                Entry::Occupied(mut other) => {
                    other.insert((block, results));
                }
                Entry::Vacant(place) => {
                    place.insert((block, results));
                }
            }
        }
    }
    if changes != 0 {
        function.replace_all(&map);
    }
    Stats::new(changes)
}
