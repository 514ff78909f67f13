//! From normal forms back to what was executed: solvers find what two computations have in common there, which a normal form may
//! have taken apart.

use super::Normal;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::{Domain, TermId};

impl Normal<'_> {
    /// An equal term over the operations that were executed, of which those with one normal form are one. Where terms are replaced at
    /// the moment, the term itself: what was executed is then another.
    pub fn executed(&self, term: TermId) -> TermId {
        if self.replaces.get() {
            return term;
        }
        let d = self.terms;
        // What a lemma says stands for the code that computes it.
        let declared: FxHashSet<TermId> = self.known.borrow().values().copied().collect();
        let mut made: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut begun: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = vec![(term, false)];
        while let Some((t, ready)) = stack.pop() {
            let form = self.of(t);
            if made.contains_key(&form) {
                continue;
            }
            let known = d.node(form);
            let simple = known.is_free() || d.as_constant(&form).is_some() || declared.contains(&form);
            let first = self.executed.borrow().get(&form).copied();
            let from = first.filter(|_| !simple).unwrap_or(form);
            let node = d.node(from);
            if !ready {
                // One that is being made already is left as it is where it is met again.
                if !begun.insert(form) {
                    continue;
                }
                stack.push((t, true));
                stack.extend(node.operands().into_iter().map(|o| (o, false)));
                continue;
            }
            let of = |o: TermId| made.get(&self.of(o)).copied().unwrap_or(o);
            let new = if node.is_free() { from } else { d.make(node.map(of), d.width_of(from)) };
            made.insert(form, new);
        }
        made[&self.of(term)]
    }
}
