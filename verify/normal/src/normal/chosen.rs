//! Terms without what no way through their choices leads to.

use super::Normal;
use super::boolean::{Diagram, FALSE, TRUE};
use rustc_hash::FxHashMap;
use sassafras_semantics::TermId;
use sassafras_semantics::term::Node;

/// Most decisions of what is known on a way through choices within each other.
const CARE: usize = 400;
/// Most terms that are looked at.
const LOOKED_AT: usize = 40_000;

/// A term without some of what no way through its choices leads to.
#[derive(Debug)]
pub struct Chosen {
    /// The term.
    pub term: TermId,
    /// Whether that is done in what words are chosen by too.
    deep: bool,
    /// At how many places more something may be left out.
    left: usize,
    /// Terms where something holds, and what they are there.
    seen: FxHashMap<(TermId, Diagram), TermId>,
}

impl Chosen {
    /// Terms that are others here than where less was left out, and these.
    pub fn apart(&self, before: Option<&Chosen>) -> impl Iterator<Item = (TermId, TermId)> {
        self.seen.iter().filter_map(move |(at, now)| {
            let before = before.map_or(at.0, |all| all.seen.get(at).copied().unwrap_or(at.0));
            (before != *now).then_some((before, *now))
        })
    }
}

impl Normal<'_> {
    /// A normal form without what no way through its choices leads to, at most at so many places; not in normal form itself. Paths that come
    /// together leave such: what a register held before, where no path is left on which it was not written. `deep`: in what words are chosen by too.
    pub fn chosen(&self, t: TermId, places: usize, deep: bool) -> Chosen {
        let mut all = Chosen { term: t, deep, left: places, seen: FxHashMap::default() };
        all.term = self.chosen_where(t, TRUE, &mut all);
        all
    }

    /// The same where something holds.
    fn chosen_where(&self, t: TermId, care: Diagram, all: &mut Chosen) -> TermId {
        let d = self.terms;
        let node = d.node(t);
        if node.operands().is_empty() || all.seen.len() > LOOKED_AT {
            return t;
        }
        if let Some(made) = all.seen.get(&(t, care)) {
            return *made;
        }
        let less = if self.width(t) == 1 && all.left > 0 { self.cared(t, care, false) } else { t };
        let made = match node {
            _ if less != t => {
                all.left -= 1;
                self.chosen_where(less, care, all)
            }
            Node::Ite(c, a, b) => match (self.both(care, c, true), self.both(care, c, false)) {
                (Some(FALSE), _) if all.left > 0 => {
                    all.left -= 1;
                    self.chosen_where(b, care, all)
                }
                (_, Some(FALSE)) if all.left > 0 => {
                    all.left -= 1;
                    self.chosen_where(a, care, all)
                }
                (Some(yes), Some(no)) => {
                    let a = if yes == FALSE { a } else { self.chosen_where(a, yes, all) };
                    let b = if no == FALSE { b } else { self.chosen_where(b, no, all) };
                    let c = match self.width(t) {
                        1 => self.chosen_where(c, care, all),
                        _ if all.deep => self.chosen_where(c, care, all),
                        _ if all.left > 0 => {
                            let less = self.cared(c, care, false);
                            all.left -= usize::from(less != c);
                            less
                        }
                        _ => c,
                    };
                    d.make(Node::Ite(c, a, b), self.width(t))
                }
                _ => t,
            },
            node => {
                let bits = all.deep && self.width(t) > 1;
                let of = |o: TermId| {
                    let less = if bits && self.width(o) == 1 && all.left > 0 {
                        self.cared(o, care, true)
                    } else {
                        o
                    };
                    all.left -= usize::from(less != o);
                    self.chosen_where(less, care, all)
                };
                d.make(node.map(of), self.width(t))
            }
        };
        all.seen.insert((t, care), made);
        made
    }

    /// What a condition is where something holds, if it hangs on less there: on what the same condition had said before it was found.
    /// Otherwise what words are chosen by stays, since it would be another in each place; not so a bit of a word, `whole`.
    fn cared(&self, t: TermId, care: Diagram, whole: bool) -> TermId {
        let f = self.diagram(t);
        let mut all = self.diagrams.borrow_mut();
        if care <= TRUE || all.size(f, CARE) >= CARE || all.size(care, CARE) >= CARE {
            return t;
        }
        let less = all.constrained(f, care);
        let (before, after) = (all.leaves(f), all.leaves(less));
        drop(all);
        let is_open = |v: &TermId| !self.excludes(care, *v, true) && !self.excludes(care, *v, false);
        match before.iter().any(|v| !after.contains(v) && (whole || is_open(v))) {
            true => self.function(less, 1),
            false => t,
        }
    }

    /// Whether a condition cannot be so where something holds.
    fn excludes(&self, care: Diagram, condition: TermId, holds: bool) -> bool {
        self.both(care, condition, holds) == Some(FALSE)
    }

    /// Where a condition holds, or does not, besides, unless that has too many decisions.
    fn both(&self, care: Diagram, condition: TermId, holds: bool) -> Option<Diagram> {
        let f = self.diagram(condition);
        let mut all = self.diagrams.borrow_mut();
        let f = if holds { f } else { all.not(f) };
        let both = all.ite(care, f, FALSE);
        (all.size(both, CARE) < CARE).then_some(both)
    }
}
