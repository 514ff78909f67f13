//! Block parameters that always hold one value.

use crate::Stats;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_ir::{Function, Value};

/// Replaces a block parameter by the one value that every edge passes (or the parameter itself).
///
/// A parameter is looked at again when one of its arguments was replaced. Does not remove instructions; the parameters go with
/// [`crate::dead`]. Needs SSA. Preserves the graph.
pub fn phi(function: &mut Function) -> Stats {
    let given = arguments(function);
    // Parameters to which a parameter is passed.
    let mut passed: SecondaryMap<Value, Vec<Value>> = SecondaryMap::new();
    let mut work = Vec::new();
    for block in function.blocks() {
        for &param in &function.blocks[block].params {
            given[param].iter().for_each(|&argument| passed[argument].push(param));
        }
    }
    for block in function.reverse_post_order() {
        work.extend(function.blocks[block].params.iter().copied());
    }
    work.reverse();
    let mut map = Replaced::default();
    // Of each parameter two arguments that differed when it was last looked at.
    let mut differ: SecondaryMap<Value, Option<(Value, Value)>> = SecondaryMap::new();
    let mut changes = 0;
    while let Some(param) = work.pop() {
        if map.0[param].is_some() {
            continue;
        }
        if let Some((a, b)) = differ[param] {
            let (a, b) = (map.follow(a), map.follow(b));
            if a != b && a != param && b != param {
                continue;
            }
        }
        let mut one: Option<Value> = None;
        let mut other = None;
        for &argument in &given[param] {
            let value = map.follow(argument);
            if value == param || one == Some(value) {
                continue;
            }
            if one.replace(value).is_some_and(|first| {
                other = Some((first, value));
                true
            }) {
                break;
            }
        }
        differ[param] = other;
        let Some(value) = one.filter(|_| other.is_none()) else { continue };
        map.0[param] = Some(value);
        changes += 1;
        work.extend(passed[param].iter().copied());
    }
    if changes != 0 {
        function.replace_all(&map.0);
    }
    Stats::new(changes)
}

/// What took the place of values.
#[derive(Default)]
struct Replaced(SecondaryMap<Value, Option<Value>>);

impl Replaced {
    /// What stands for a value now, with path halving.
    fn follow(&mut self, mut value: Value) -> Value {
        while let Some(next) = self.0[value] {
            if let Some(behind) = self.0[next] {
                self.0[value] = Some(behind);
            }
            value = next;
        }
        value
    }
}

/// What the edges pass to each parameter, one for each edge.
pub(crate) fn arguments(function: &Function) -> SecondaryMap<Value, Vec<Value>> {
    let mut given: SecondaryMap<Value, Vec<Value>> = SecondaryMap::new();
    for block in function.blocks() {
        for edge in function.blocks[block].terminator.edges() {
            for (&param, &argument) in function.blocks[edge.block].params.iter().zip(&edge.args) {
                given[param].push(argument);
            }
        }
    }
    given
}
