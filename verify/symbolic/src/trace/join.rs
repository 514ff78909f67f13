//! Two groups of lanes that become one, and their values.

use crate::inputs::Inputs;
use crate::lemma;
use crate::trace::lanes::Lanes;
use crate::trace::path::{Name, Path, Since};
use crate::trace::side::Side;
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};
use std::collections::BTreeSet;

/// Choices within choices that are looked into.
const DEPTH: u32 = 4;

/// Since when registers hold their values, where two groups meet: in no one piece of straight code, if that differs. What a group has not written, it found at
/// the entry.
fn since<R: Name>(a: &Path<R>, b: &Path<R>) -> FxHashMap<R, Since> {
    let entry = Since { piece: None, era: 0 };
    let of = |p: &Path<R>, r: &R| p.since.get(r).copied().unwrap_or(entry);
    let all = a.since.keys().chain(b.since.keys());
    let both = |r: &R| {
        let (x, y) = (of(a, r), of(b, r));
        let piece = x.piece.filter(|_| x.piece == y.piece);
        (*r, Since { piece, era: x.era.min(y.era) })
    };
    all.map(both).collect()
}

impl<R: Name> Side<'_, R> {
    /// Two groups of lanes become one.
    pub(super) fn join(&mut self, a: Path<R>, b: Path<R>) -> Path<R> {
        let d = self.terms();
        let same = a.conditions.iter().zip(&b.conditions).take_while(|(x, y)| x == y).count();
        let rest =
            |p: &Path<R>| self.normal(p.conditions[same..].iter().fold(d.yes(), |all, c| d.and(&all, c)));
        let (ra, rb) = (rest(&a), rest(&b));
        let mut conditions = a.conditions[..same].to_vec();
        let either = self.normal(d.or(&ra, &rb));
        if self.inputs.known(either) != Some(1) {
            conditions.push(either);
        }
        let inputs = self.inputs;
        let pick = |x: TermId, y: TermId| pick(inputs, (ra, x), (rb, y));
        let (registers, joined) = self.join_registers(&a, &b, &pick);
        let stores = self.join_stores(&a, &b, ra, &pick);
        let reduced = match (a.reduced, b.reduced) {
            (Some(x), Some(y)) => Some([pick(x[0], y[0]), pick(x[1], y[1])]),
            (x, y) => x.or(y),
        };
        let (version, seen) = (pick(a.version, b.version), pick(a.seen, b.seen));
        let groups = ((&a.lanes, &a.conditions[..]), (&b.lanes, &b.conditions[..]));
        let lanes = Lanes::join(&mut self.warp, inputs, groups.0, groups.1, ra, pick);
        self.log.joined.extend(joined);
        Path {
            conditions,
            decided: a.decided.intersection(&b.decided).copied().collect(),
            registers,
            since: since(&a, &b),
            version,
            seen,
            stores,
            lanes,
            reduced,
            copies: crate::trace::under_way::join(&a.copies, &b.copies),
            aside: a.aside && b.aside,
            over: a.over.intersection(&b.over).copied().collect(),
            from: a.from.iter().chain(&b.from).copied().collect::<BTreeSet<u32>>().into_iter().collect(),
        }
    }

    /// The registers of both groups, and what those hold that were not the same in both.
    fn join_registers(
        &self,
        a: &Path<R>,
        b: &Path<R>,
        pick: &impl Fn(TermId, TermId) -> TermId,
    ) -> (FxHashMap<R, TermId>, Vec<TermId>) {
        let (mut registers, mut joined) = (FxHashMap::default(), Vec::new());
        let names: BTreeSet<R> = a.registers.keys().chain(b.registers.keys()).copied().collect();
        for r in names {
            // A register that one group has not touched is what it was at the entry.
            let of = |p: &Path<R>| p.registers.get(&r).or(self.fresh.get(&r)).copied();
            let value = match (of(a), of(b)) {
                (Some(x), Some(y)) => pick(x, y),
                (Some(x), None) | (None, Some(x)) => x,
                (None, None) => continue,
            };
            if of(a) != of(b) {
                joined.push(value);
            }
            registers.insert(r, value);
        }
        (registers, joined)
    }

    /// The stores that either group sees; `first` says that a lane is of the first.
    fn join_stores(
        &self,
        a: &Path<R>,
        b: &Path<R>,
        first: TermId,
        pick: &impl Fn(TermId, TermId) -> TermId,
    ) -> Vec<(TermId, usize)> {
        let d = self.terms();
        let mut stores: Vec<(TermId, usize)> = Vec::new();
        let all: BTreeSet<usize> = a.stores.iter().chain(&b.stores).map(|s| s.1).collect();
        for index in all {
            let of = |p: &Path<R>| p.stores.iter().find(|s| s.1 == index).map(|s| s.0);
            let condition = match (of(a), of(b)) {
                (Some(x), Some(y)) => pick(x, y),
                // On the other path it is not seen: it did not happen, or memory has changed since.
                (Some(x), None) => self.normal(d.and(&first, &x)),
                (None, Some(y)) => self.normal(d.and(&d.not(&first), &y)),
                (None, None) => continue,
            };
            stores.push((condition, index));
        }
        stores
    }
}

/// `first ? x : y`, where opposite conditions tell the groups apart.
fn pick(inputs: &Inputs<'_>, first: (TermId, TermId), second: (TermId, TermId)) -> TermId {
    let (x, y) = (first.1, second.1);
    match x == y || crate::sum::same(inputs.terms, x, y) {
        true => x.min(y),
        false => chosen(inputs, first, second),
    }
}

/// `first ? x : y`, of one group of lanes and of another. Where a lemma says nothing of a value is settled by the condition of the group that has it;
/// and what is then the same under two conditions is chosen once: a division under a branch joins three paths, and two of
/// them have its quotient. Other values stay as they are, which is what the code of lemmas makes of them too.
fn chosen(inputs: &Inputs<'_>, (first, x): (TermId, TermId), (second, y): (TermId, TermId)) -> TermId {
    let d = inputs.terms;
    let (a, b) = (said(inputs, first, x), said(inputs, second, y));
    if (a, b) == (x, y) {
        return inputs.normal.of(d.ite(&first, &x, &y));
    }
    if a == b {
        return a;
    }
    match (d.node(a), d.node(b)) {
        (_, Node::Ite(c, p, q)) if p == a => inputs.normal.of(d.ite(&d.or(&first, &c), &a, &q)),
        (_, Node::Ite(c, p, q)) if q == a => inputs.normal.of(d.ite(&d.or(&first, &d.not(&c)), &a, &p)),
        (Node::Ite(c, p, q), _) if q == b => inputs.normal.of(d.ite(&d.and(&first, &c), &p, &b)),
        (Node::Ite(c, p, q), _) if p == b => inputs.normal.of(d.ite(&d.and(&first, &d.not(&c)), &q, &b)),
        _ => inputs.normal.of(d.ite(&first, &a, &b)),
    }
}

/// What a lemma says of a value, if the condition is one under which it says something.
fn said(inputs: &Inputs<'_>, condition: TermId, value: TermId) -> TermId {
    let d = inputs.terms;
    let mut value = value;
    for _ in 0..DEPTH {
        let Node::Ite(c, a, b) = d.node(value) else { break };
        let (open, said) = match (lemma::is_open(d, a), lemma::is_open(d, b)) {
            (true, false) => (c, b),
            (false, true) => (d.not(&c), a),
            _ => break,
        };
        if inputs.known(inputs.normal.of(d.and(&condition, &open))) != Some(0) {
            break;
        }
        value = said;
    }
    value
}
