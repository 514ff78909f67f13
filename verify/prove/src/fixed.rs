//! Whether the source leaves a result open on an input, where it may leave results open on some.

use crate::smallest::Model;
use crate::verdict::Counterexample;
use rustc_hash::FxHashMap;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Chooser, Concrete, FloatOp, Space, TermId, Terms};
use sassafras_symbolic::input::Input;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::event::{Event, Kind};

/// Whether what the thread does depends on nothing but what it finds at the start: only then its terms say what it leaves.
pub fn alone(events: &[Event]) -> bool {
    !events.iter().any(|e| matches!(e.kind, Kind::Sync(_)) || e.space == Space::Shared)
}

/// Whether the source does one thing at the place that was found, on the input that a model describes. Values are followed
/// through the terms; one is open if it rests on an undefined value, an approximation, a result that may be flushed or not or, where products and sums are fused
/// (`contracts`), on such a sum.
pub fn fixed(
    inputs: &Inputs<'_>,
    contracts: bool,
    events: &[Event],
    model: &Model,
    found: &Counterexample,
) -> bool {
    let terms = inputs.terms;
    let roots: Vec<TermId> = events.iter().flat_map(|e| [e.guard, e.address, e.value]).collect();
    // What is flushed is open where another choice gives another result.
    let (d, other_choice) = (Concrete::default(), Concrete::new(Chooser::Lowest));
    let mut values: FxHashMap<TermId, Option<Bits>> = FxHashMap::default();
    for id in terms.topological(&roots) {
        let (node, width) = (terms.node(id), terms.width_of(id));
        let of = |t: &TermId| values.get(t).copied().flatten();
        let value = match &node {
            Node::Undef { .. } | Node::Approximate { .. } => None,
            // Where a local variable lies is open.
            Node::Variable(_) if matches!(inputs.input_of(id), Some(Input::Local { .. })) => None,
            Node::Float { op: FloatOp::Add | FloatOp::Fma, .. } if contracts => None,
            Node::Ite(c, a, b) => of(c).and_then(|c| of(if c.is_true() { a } else { b })),
            free if free.is_free() => Some(Bits::new(width, model.get(&id).copied().unwrap_or(0))),
            other => {
                let arguments: Option<smallvec::SmallVec<[Bits; 3]>> =
                    other.operands().iter().map(of).collect();
                let of = |home, a: &[Bits]| Terms::apply(home, other, width, a);
                arguments.map(|a| (of(&d, &a), of(&other_choice, &a))).filter(|(a, b)| a == b).map(|(a, _)| a)
            }
        };
        values.insert(id, value);
    }
    let number = |t: TermId| values.get(&t).copied().flatten().map(|b| b.bits());
    let at = found.address.strip_prefix("0x").and_then(|a| u64::from_str_radix(a, 16).ok());
    let mut own = at.is_none();
    for e in events {
        let Some(guard) = number(e.guard) else { return false };
        if guard != 1 {
            continue;
        }
        let Some(address) = number(e.address) else { return false };
        let (from, bytes) = (address as u64, u64::from(e.bytes));
        if e.stores() && at.is_some_and(|at| from < at.saturating_add(16) && at < from.saturating_add(bytes))
        {
            own = true;
            if number(e.value).is_none() {
                return false;
            }
        }
    }
    // What another thread leaves is not among these terms.
    own
}
