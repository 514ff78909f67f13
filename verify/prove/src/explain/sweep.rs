//! Steps by sweeping, as circuits are compared: terms that are equal on all inputs that are drawn are shown to be equal, operands before users, and one is
//! written for the other. Behind that two sides are made of the same terms up to where they differ, however long the way; the normal form is not
//! needed, which makes carries and borrows of long words by halves into sums that a solver does not see.

use super::steps::Found;
use super::{Explanation, LEVELS, PLAIN, Way};
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_normal::signature::{Signature, Signatures};
use sassafras_semantics::{Domain, TermId};
use sassafras_witness::words::{WORD, word};
use smallvec::SmallVec;

/// Most terms of a condition that is swept.
const LARGEST: usize = 20_000;
/// Most terms of equal values that one is held against.
const TRIED: usize = 3;
/// Most pairs of terms of a condition that stay open: where nothing else was tried yet, and at last.
const OPEN: [u32; 2] = [30, 60];

/// What was met on the way up.
struct Met<'t> {
    signatures: Signatures<'t>,
    /// By width and values, the terms that stand for all equal ones.
    classes: FxHashMap<(u32, Signature), SmallVec<[TermId; 2]>>,
    /// How many pairs may still stay open.
    most: u32,
}

impl Explanation<'_, '_, '_, '_, '_> {
    /// Looks for terms of a condition that are equal, and for code that is an operation by a lemma.
    pub(super) fn sweep(&mut self, t: TermId) {
        let d = self.so_far.inputs.terms;
        for i in self.met_lemmas(t) {
            let Some(said) = self.says(i) else { continue };
            self.sweep_all(&[&said[..], &[t]].concat());
            let [unless, code, value] = said.map(|t| self.so_far.current(t));
            // Code that is no part by itself any more stays: what it is a part of might not be seen again with it written otherwise.
            let is_part = d.topological(&[self.so_far.current(t)]).contains(&code);
            if d.as_constant(&unless) == Some(0) && is_part && !d.topological(&[value]).contains(&code) {
                self.becomes((code, value), &[code, value], &[i]);
            }
        }
        self.sweep_all(&[t]);
    }

    /// The lemmas whose code has the values of a part of a condition.
    fn met_lemmas(&self, t: TermId) -> Vec<usize> {
        let d = self.so_far.inputs.terms;
        let code = |i: usize| Some((i, self.so_far.current(self.says(i)?[1])));
        let mut lemmas: Vec<(usize, TermId)> = self.so_far.lemmas.clone().filter_map(code).collect();
        if lemmas.is_empty() {
            return Vec::new();
        }
        let t = self.so_far.current(t);
        let roots: Vec<TermId> = lemmas.iter().map(|l| l.1).chain([t]).collect();
        let mut signatures = Signatures::drawn(d, &d.free(&roots)).varied();
        let mut of = |t: TermId| (d.width_of(t), signatures.of(t));
        let all: FxHashSet<(u32, Signature)> = d.topological(&[t]).into_iter().map(&mut of).collect();
        lemmas.retain(|l| all.contains(&of(l.1)));
        lemmas.into_iter().map(|l| l.0).collect()
    }

    /// Looks for terms that are equal, and for words of long ones that are.
    fn sweep_all(&mut self, roots: &[TermId]) {
        let d = self.so_far.inputs.terms;
        let most = OPEN[usize::from(self.all.way == Way::Both)];
        let roots: Vec<TermId> = roots.iter().map(|t| self.so_far.current(*t)).collect();
        let order = d.topological(&roots);
        if order.len() > LARGEST {
            return;
        }
        let signatures = Signatures::drawn(d, &d.free(&roots)).varied();
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
            if met.most == 0 || !self.all.open.insert((t, other)) {
                continue;
            }
            let is_open = self.is_open_below(t, other);
            if constant == Some(other) {
                self.all.stuck.insert(t);
            }
            if is_open || d.topological(&[other]).contains(&t) {
                continue;
            }
            let spent = self.all.spent;
            if let Some(opaque) = self.plainly(t, other, &LEVELS, PLAIN) {
                self.write(Found { from: t, to: other, opaque: &opaque, by: &[], fact: false });
                return true;
            }
            met.most -= u32::from(self.all.spent > spent);
        }
        same.push(t);
        false
    }

    /// Whether two terms are one operation whose operands are open where they differ, or the second a constant and the one operand of the first
    /// that is none was not shown to be one: such a pair would hang on what is open already.
    fn is_open_below(&self, a: TermId, b: TermId) -> bool {
        let d = self.so_far.inputs.terms;
        let (left, right) = (d.node(a), d.node(b));
        let [of_left, of_right] = [left.operands(), right.operands()];
        if d.as_constant(&b).is_some() {
            let mut others = of_left.iter().filter(|o| d.as_constant(o).is_none());
            return others.next().is_some_and(|o| self.all.stuck.contains(o)) && others.next().is_none();
        }
        let mut others = of_right.iter().copied();
        let is_one = of_left.len() == of_right.len() && left.map(|o| others.next().unwrap_or(o)) == right;
        let open = &self.all.open;
        let mut pairs = of_left.iter().copied().zip(of_right.iter().copied());
        is_one && pairs.all(|(a, b)| a == b || open.contains(&(a, b)) || open.contains(&(b, a)))
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
