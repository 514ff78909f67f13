//! Steps by sweeping, as circuits are compared: terms that are equal on all inputs that are drawn are shown to be equal, operands before users, and one is
//! written for the other. Behind that two sides are made of the same terms up to where they differ, however long the way; the normal form is not
//! needed, which makes carries and borrows of long words by halves into sums that a solver does not see.

use super::steps::Found;
use super::{Explanation, LEVELS, PLAIN, Way};
use crate::signature::{Signature, Signatures};
use crate::witness::words::{WORD, word};
use rustc_hash::FxHashMap;
use sassafras_semantics::{Domain, TermId};
use smallvec::SmallVec;

/// Most terms of a condition that is swept.
const LARGEST: usize = 20_000;
/// Most terms of equal values that one is held against.
const TRIED: usize = 3;
/// Most questions about a condition that the solver does not answer: where nothing else was tried yet, and at last.
const OPEN: [u32; 2] = [12, 40];

/// What was met on the way up.
struct Met<'t> {
    signatures: Signatures<'t>,
    /// By width and values, the terms that stand for all equal ones.
    classes: FxHashMap<(u32, Signature), SmallVec<[TermId; 2]>>,
    /// How many unanswered questions end it.
    most: u32,
}

impl Explanation<'_, '_, '_, '_, '_> {
    /// Looks for terms of a condition that are equal, and for code that is an operation by a lemma.
    pub(super) fn sweep(&mut self, t: TermId) {
        let d = self.so_far.inputs.terms;
        for i in self.so_far.lemmas.clone() {
            let Some(said) = self.says(i) else { continue };
            self.sweep_all(&[&said[..], &[t]].concat());
            let [unless, code, value] = said.map(|t| self.so_far.current(t));
            if d.as_constant(&unless) == Some(0) && code != value && !d.topological(&[value]).contains(&code)
            {
                self.becomes((code, value), &[code, value], &[i]);
            }
        }
        self.sweep_all(&[t]);
    }

    /// Looks for terms that are equal, and for words of long ones that are.
    fn sweep_all(&mut self, roots: &[TermId]) {
        let d = self.so_far.inputs.terms;
        let most = self.all.spent + OPEN[usize::from(self.all.way == Way::Both)];
        let roots: Vec<TermId> = roots.iter().map(|t| self.so_far.current(*t)).collect();
        let order = d.topological(&roots);
        if order.len() > LARGEST {
            return;
        }
        let signatures = Signatures::drawn(d, &d.free(&roots));
        let mut met = Met { signatures, classes: FxHashMap::default(), most };
        for t in order {
            let new = self.so_far.current(t);
            if d.as_constant(&new).is_some() || self.meet(new, &mut met) {
                continue;
            }
            let width = d.width_of(new);
            if width > WORD && width.is_multiple_of(WORD) && !d.node(new).is_free() {
                self.meet_words(new, &mut met);
            }
        }
    }

    /// Whether a term is one that was met before; else it is met now.
    fn meet(&mut self, t: TermId, met: &mut Met<'_>) -> bool {
        let d = self.so_far.inputs.terms;
        let (width, signature) = (d.width_of(t), met.signatures.of(t));
        let first = signature.first().copied().unwrap_or(0);
        let constant = signature.iter().all(|v| *v == first).then(|| d.constant(width, first));
        let same = met.classes.entry((width, signature)).or_default();
        if same.contains(&t) {
            return true;
        }
        for other in constant.into_iter().chain(same.iter().copied()).take(TRIED) {
            if self.all.spent >= met.most
                || !self.all.open.insert((t, other))
                || d.topological(&[other]).contains(&t)
            {
                continue;
            }
            if let Some(opaque) = self.plainly(t, other, &LEVELS, PLAIN) {
                self.write(Found { from: t, to: other, opaque: &opaque, by: &[], fact: false });
                return true;
            }
        }
        same.push(t);
        false
    }

    /// A long term whose words were all met before is these side by side.
    fn meet_words(&mut self, t: TermId, met: &mut Met<'_>) {
        let d = self.so_far.inputs.terms;
        let words = (0..d.width_of(t)).step_by(WORD as usize).map(|low| word(d, t, low));
        let words: Vec<TermId> = words.collect();
        let mut is_met = |w: &TermId| {
            let now = self.so_far.current(*w);
            d.as_constant(&now).is_some() || self.meet(now, met)
        };
        // All of them are met, even if one is new.
        if words.iter().map(&mut is_met).filter(|met| !met).count() > 0 {
            return;
        }
        let now = words.iter().map(|w| self.so_far.current(*w));
        let Some(to) = now.reduce(|low, high| d.concat(&high, &low)) else { return };
        if d.topological(&[to]).contains(&t) {
            return;
        }
        let by: Vec<usize> = words.iter().filter_map(|w| self.rewriting(*w)).collect();
        if let Some(opaque) = self.goes_by(t, to, &by).or_else(|| self.plainly(t, to, &LEVELS, PLAIN)) {
            self.write(Found { from: t, to, opaque: &opaque, by: &by, fact: false });
        }
    }
}
