//! Which kind stands where.

use super::maker::{Maker, Needs, Row};
use super::place::Place;

fn fits(row: &Row, m: &Maker, place: &Place) -> bool {
    let nests = !matches!(row.name, n if n.starts_with("if") || n.starts_with("loop") || n.starts_with("nest")
        || n.starts_with("switch") || n == "call")
        || m.depth < 3;
    let there = match row.needs {
        Needs::Block => *place == Place::Block,
        Needs::Whole => *place == Place::Block && !m.exits,
        Needs::Mask => *place != Place::Alone,
        Needs::Warp => matches!(place, Place::Block | Place::Warp),
        Needs::Ends => m.may_end() && !matches!(place, Place::Lanes(_)),
        Needs::Shallow => m.loops <= 1,
        Needs::Nothing => true,
    };
    nests && there && m.sm >= row.sm
}

/// Writes one thing that fits the place.
pub(super) fn one(m: &mut Maker, place: &Place) {
    // Drawn among all, so that programs of chips that have a kind and of those that lack it are much alike.
    let rows = m.rows;
    let all: usize = rows.iter().map(|r| r.weight).sum();
    for _ in 0..40 {
        let mut at = m.below(all);
        let row = rows.iter().find(|r| {
            let found = at < r.weight;
            at = at.saturating_sub(r.weight);
            found
        });
        let Some(row) = row.filter(|r| fits(r, m, place)) else { continue };
        m.count(row.name, row.sm);
        (row.write)(m, place);
        return;
    }
}
