//! Jumps to addresses in registers: one of a few constants, or an entry of a table that the cubin has.

use crate::inputs::Inputs;
use crate::trace::bank::MOST_ENTRIES;
use crate::trace::side::{Side, WORD};
use crate::trace::window;
use sassafras_cubin::Function;
use sassafras_isa::{Chip, ControlFlowKind, Register, decode};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};
use std::collections::BTreeSet;

/// The bank in which ptxas puts the tables of `brx`: offsets in the function, 32 bits each.
const TABLES: u8 = 2;

/// Where a jump may go, to an entry of a table or to a function inside this one, for the lanes where `taken` holds: addresses, each with its condition. That there are no others is demanded where it
/// is not seen. None if nothing says which they are.
pub fn cases(
    side: &mut Side<'_, Register>,
    function: &Function,
    target: TermId,
    taken: Option<TermId>,
) -> Option<Vec<(TermId, u128)>> {
    if let Some(cases) = constants(side.inputs, target) {
        return Some(cases);
    }
    let (inputs, d) = (side.inputs, side.inputs.terms);
    let places: BTreeSet<u64> = places(function).collect();
    if places.is_empty() || places.len() > MOST_ENTRIES {
        return None;
    }
    let mut none = taken.map_or_else(|| side.happens(), |c| d.and(&side.happens(), &c));
    let mut all = Vec::new();
    for at in places {
        let here = inputs.normal.of(d.eq(&target, &d.constant(64, at.into())));
        if inputs.known(here) != Some(0) {
            none = d.and(&none, &d.not(&here));
            all.push((here, at.into()));
        }
    }
    let none = inputs.normal.of(none);
    if inputs.known(none) != Some(0) {
        side.log.demands.push((none, side.place));
    }
    Some(all)
}

/// The places that tables of a function name, and functions inside it, in bytes.
pub fn places(function: &Function) -> impl Iterator<Item = u64> + '_ {
    let end = WORD * function.code.len() as u64;
    let words = function.banks.iter().filter(|b| b.number == TABLES).flat_map(|b| b.data.chunks_exact(4));
    let words = words.filter_map(|w| w.try_into().ok()).map(|w| u64::from(u32::from_le_bytes(w)));
    let called = function.subroutines.iter().map(|s| u64::from(s.offset));
    words.chain(called).filter(move |at| at.is_multiple_of(WORD) && *at < end)
}

/// The values of a term that is one of a few constants, each with its condition.
fn constants(inputs: &Inputs<'_>, term: TermId) -> Option<Vec<(TermId, u128)>> {
    let d = inputs.terms;
    let term = inputs.normal.of(term);
    if let Some(all) = inputs.normal.is_active().then(|| inputs.normal.cases(term)).flatten() {
        return Some(all);
    }
    let mut open = vec![(d.yes(), term)];
    let mut all: Vec<(TermId, u128)> = Vec::new();
    while let Some((condition, t)) = open.pop() {
        if let Some(value) = inputs.known(t) {
            match all.iter_mut().find(|(_, v)| *v == value) {
                Some(same) => same.0 = d.or(&same.0, &condition),
                None => all.push((condition, value)),
            }
            continue;
        }
        if open.len() > 2 * MOST_ENTRIES {
            return None;
        }
        // The outermost choice comes last of all that the term is made of.
        let choices = d.topological(&[t]).into_iter().rev().find_map(|n| match d.node(n) {
            Node::Ite(c, a, b) => Some((n, c, a, b)),
            _ => None,
        });
        let (node, c, a, b) = choices?;
        open.push((d.and(&condition, &c), window::with(inputs, t, node, a)));
        open.push((d.and(&condition, &d.not(&c)), window::with(inputs, t, node, b)));
    }
    Some(all)
}

/// Whether the code from a word on is one segment that ends by a return.
pub(super) fn returns(code: &[u128], chip: Chip, from: u64) -> bool {
    let insts = code.iter().skip(from as usize).map_while(|word| decode(*word, chip).ok());
    let end = { insts }.find(|inst| inst.row().control_flow.is_some());
    end.is_some_and(|inst| inst.row().control_flow == Some(ControlFlowKind::Return) && inst.guard.is_always())
}
