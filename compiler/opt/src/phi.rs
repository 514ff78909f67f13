//! Block parameters that always hold one value.

use crate::Stats;
use sassafras_graph::SecondaryMap;
use sassafras_ir::{Function, Value};

/// Replaces a block parameter by the one value that every edge passes (or the parameter itself).
///
/// Does not remove instructions; the parameters go with [`crate::dead`]. Needs SSA. Preserves the graph.
pub fn phi(function: &mut Function) -> Stats {
    let preds = function.predecessors();
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let follow = |map: &SecondaryMap<Value, Option<Value>>, mut v: Value| {
        while let Some(next) = map[v] {
            v = next;
        }
        v
    };
    let mut changes = 0;
    let mut again = true;
    while again {
        again = false;
        for block in function.reverse_post_order() {
            for (index, &param) in function.blocks[block].params.iter().enumerate() {
                if map[param].is_some() {
                    continue;
                }
                let mut one: Option<Value> = None;
                let mut many = false;
                let mut from = preds[block].clone();
                from.dedup();
                for pred in from {
                    for edge in function.blocks[pred].terminator.edges() {
                        if edge.block != block {
                            continue;
                        }
                        let value = follow(&map, edge.args[index]);
                        if value == param || one == Some(value) {
                            continue;
                        }
                        if one.is_none() {
                            one = Some(value);
                        } else {
                            many = true;
                        }
                    }
                }
                let Some(value) = one.filter(|_| !many) else { continue };
                map[param] = Some(value);
                changes += 1;
                again = true;
            }
        }
    }
    if changes != 0 {
        function.replace_all(&map);
    }
    Stats::new(changes)
}
