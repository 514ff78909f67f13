//! What lemmas say: the code that computes an operation is the operation from there on.

use super::steps::Found;
use super::{EFFORT, Explanation, Said};
use sassafras_normal::normal::trace::Equal;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, TermId};

impl Explanation<'_, '_, '_, '_, '_> {
    /// What something known says, if that is: but for this, code is a value.
    pub(super) fn says(&self, index: usize) -> Option<[TermId; 3]> {
        let d = self.so_far.inputs.terms;
        let Node::Binary(BinaryOp::Or, unless, equal) = d.node(self.so_far.known[index]) else { return None };
        let Node::Compare(CompareOp::Eq, code, value) = d.node(equal) else { return None };
        Some([unless, code, value])
    }

    /// What a lemma says, where it is an equality of two terms that holds: the code is the operation from here on. Else what it says.
    pub(super) fn lemma(&mut self, index: usize) -> Option<Said> {
        let d = self.so_far.inputs.terms;
        let [unless, code, value] = self.says(index)?;
        if !self.walk(&[unless, code, value]) {
            return None;
        }
        if let Node::Ite(c, ..) = d.node(self.so_far.current(code)) {
            self.all.ends.insert(c);
            self.choose(code);
        }
        let forms = &mut self.all.forms;
        let [unless, code, value] = [unless, code, value].map(|t| forms.normal.of(forms.to[&t]));
        let (mut parts, mut to) = (vec![code, value], value);
        if let Node::Ite(c, other, operation) = forms.terms.node(code)
            && c == unless
        {
            // What the code does where the lemma says nothing stays as it is.
            parts = vec![c, other, operation, value];
            to = forms.normal.of(forms.terms.ite(&c, &other, &value));
        }
        (!self.is_operation((code, to), parts, &[index])).then_some(Said { unless, code, value, index })
    }

    /// Of two lemmas about one value, each of which says something where the other does not: what chooses between their code is the value.
    pub(super) fn either(&mut self, a: &Said, b: &Said) {
        let forms = &mut self.all.forms;
        if a.value != b.value || forms.normal.of(forms.terms.not(&a.unless)) != b.unless {
            return;
        }
        let code = forms.normal.of(forms.terms.ite(&a.unless, &b.code, &a.code));
        let Node::Ite(c, ..) = forms.terms.node(code) else { return };
        self.is_operation((code, a.value), vec![c, a.code, b.code, a.value], &[a.index, b.index]);
    }

    /// Whether code, in normal form, is an operation by what lemmas say: then that is written for it from here on. `parts`: what it is made of.
    pub(super) fn is_operation(&mut self, (code, value): Equal, parts: Vec<TermId>, by: &[usize]) -> bool {
        let (d, forms) = (self.so_far.inputs.terms, &mut self.all.forms);
        if code == value || forms.terms.topological(&[value]).contains(&code) {
            return true;
        }
        // A quotient's normal form takes bits of the quotient itself: what is written for it, and is known so, is not that form.
        let mut leave = |t: TermId| self.so_far.current(forms.leave(d, t));
        let [from, to] = [code, value].map(&mut leave);
        let parts: Vec<TermId> = parts.into_iter().map(leave).collect();
        let fact = self.becomes((from, to), &parts, by);
        if let Some(fact) = fact {
            self.part(code, value, fact);
            self.all.forms.normal.declare(&[(code, value)].into_iter().collect());
        }
        fact.is_some()
    }

    /// Writes one term for another by what is known and whatever their parts are, if that is so; the place at which it is known then.
    pub(super) fn becomes(&mut self, (from, to): Equal, parts: &[TermId], by: &[usize]) -> Option<usize> {
        let opaque = self.inner(parts);
        if !self.goes(from, to, &opaque, by, EFFORT) {
            return None;
        }
        // A fact stays as it is; what the lemma says of what is written from here on is that something is itself.
        let fact = self.so_far.known.len();
        self.state((from, to), &opaque, by);
        self.write(Found { from, to, opaque: &opaque, by: &[fact], fact: false });
        Some(fact)
    }

    /// What code computes and extends by zeros is the operation's lower bits too.
    pub(super) fn part(&mut self, code: TermId, value: TermId, fact: usize) {
        let (d, forms) = (self.so_far.inputs.terms, &mut self.all.forms);
        let [(0, width, code), (_, _, rest)] = forms.normal.parts(code)[..] else { return };
        let lower = forms.normal.bits(value, 0, width);
        if forms.terms.as_constant(&rest) != Some(0)
            || code == lower
            || forms.terms.topological(&[lower]).contains(&code)
        {
            return;
        }
        let (from, to) = (forms.leave(d, code), forms.leave(d, lower));
        if let Some(opaque) = self.goes_by(from, to, &[fact]) {
            self.write(Found { from, to, opaque: &opaque, by: &[fact], fact: false });
            self.all.forms.normal.declare_bits(code, lower);
        }
    }
}
