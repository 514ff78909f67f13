//! Value numbering.

use crate::Stats;
use rustc_hash::FxHashMap;
use sassafras_graph::{Dominators, SecondaryMap};
use sassafras_ir::{Block, Function, Op, Type, Value};
use sassafras_semantics::Ordering;
use smallvec::SmallVec;
use std::collections::hash_map::Entry;

/// Operation, arguments, types of results, and for a load since when no memory has changed.
type Key = (Op, SmallVec<[Value; 4]>, SmallVec<[Type; 2]>, u32);

/// Replaces a pure instruction by an equal one that dominates it: parameters, special registers that do not change, constants,
/// arithmetic.
///
/// A load of what nobody writes while the kernel runs (`ld.global.nc`) counts as one as long as nothing that has an effect lies between: on straight ways alone,
/// which a block with one predecessor goes on with.
///
/// Does not touch other memory, convergent operations, clocks or undefined values. Needs SSA. Preserves the graph; what becomes unused
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
    let predecessors = function.predecessors();
    // Since when no memory has changed, at the end of each block: a number of its own for each change.
    let mut ends: SecondaryMap<Block, u32> = SecondaryMap::new();
    let mut changed = 0;
    for block in order {
        let mut since = match predecessors[block][..] {
            [only] if only != block => ends[only],
            _ => {
                changed += 1;
                changed
            }
        };
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
            if data.op.has_effect() {
                changed += 1;
                since = changed;
            }
            let kept = matches!(data.op, Op::Load(access) if access.ordering == Ordering::NonCoherent);
            let kept = kept && data.guard.is_none();
            if !(data.op.pure() || kept) || data.results.is_empty() {
                continue;
            }
            let results = data.results.clone();
            let mut args = data.args.clone();
            if data.op.commutes() {
                args[..2].sort();
            }
            let op = data.op;
            let types = results.iter().map(|&v| function.ty(v)).collect();
            match known.entry((op, args, types, if kept { since } else { 0 })) {
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
        ends[block] = since;
    }
    if changes != 0 {
        function.replace_all(&map);
    }
    Stats::new(changes)
}
