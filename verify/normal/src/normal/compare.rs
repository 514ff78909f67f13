//! Comparisons.

use super::Normal;
use super::poly::{Poly, ones};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, Domain, TermId};

impl Normal<'_> {
    pub(super) fn compare(&self, op: C, a: TermId, b: TermId) -> TermId {
        let d = self.terms;
        let width = self.width(a);
        match op {
            C::ULe => return self.complement(self.compare(C::ULt, b, a)),
            C::SLe => return self.complement(self.compare(C::SLt, b, a)),
            _ => {}
        }
        if a == b {
            return d.constant(1, u128::from(op == C::Eq));
        }
        if let (Some(x), Some(y)) = (self.known(a), self.known(b)) {
            return d.compare(op, &d.constant(width, x), &d.constant(width, y));
        }
        if width == 1 {
            return match op {
                C::Eq => self.complement(self.bitwise(B::Xor, a, b)),
                C::ULt => self.bitwise(B::And, self.complement(a), b),
                _ => self.bitwise(B::And, a, self.complement(b)),
            };
        }
        match op {
            C::Eq => self.equal(a, b),
            C::ULt => self.below(a, b),
            _ => self.less(a, b),
        }
    }

    /// Row `compare-parts`: by the part above bit 32, and where that is equal by the rest.
    fn by_parts(&self, op: C, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        let half = |t: TermId, low: u32, n: u32| self.slice(t, low, n);
        let (ah, bh) = (half(a, 32, width - 32), half(b, 32, width - 32));
        let (al, bl) = (half(a, 0, 32), half(b, 0, 32));
        let same = self.compare(C::Eq, ah, bh);
        if op == C::Eq {
            return self.bitwise(B::And, same, self.compare(C::Eq, al, bl));
        }
        self.select(same, self.compare(C::ULt, al, bl), self.compare(op, ah, bh))
    }

    fn equal(&self, a: TermId, b: TermId) -> TermId {
        let d = self.terms;
        let width = self.width(a);
        let mut p = (*self.poly(a)).clone();
        p.plus_scaled(&self.poly(b), u128::MAX);
        let zero = self.number_of(|| d.sub(&a, &b), p);
        let mut p = (*self.poly(zero)).clone();
        match self.known(zero) {
            Some(0) => return d.yes(),
            Some(_) => return d.no(),
            None => {}
        }
        let even = p.evenness();
        // Words side by side are compared one by one: their difference would borrow from one to the next.
        if width > 64 || width > 32 && even >= 32 {
            return self.by_parts(C::Eq, a, b);
        }
        // Nor are words put together from bits that are a constant: their difference would carry.
        let side_by_side =
            |x: TermId, y: TermId| self.known(y).is_some() && self.segments(&self.poly(x)).is_some();
        if width > 32 && even > 0 && p.constant != 0 && (side_by_side(a, b) || side_by_side(b, a)) {
            return self.by_parts(C::Eq, a, b);
        }
        // Row `equal-even`.
        if even > 0 && even < width {
            let rest = self.slice(zero, even, width - even);
            return self.compare(C::Eq, rest, d.constant(width - even, 0));
        }
        // Row `equal-odd`: what has low bits that the sum of the others never has.
        let twos = p.terms.values().map(|c| c.trailing_zeros()).min().unwrap_or(0);
        if p.constant != 0 && p.constant.trailing_zeros() < twos {
            return d.no();
        }
        // Row `equal-range`: a sum that never reaches zero, from above or below.
        if let (Some((least, most)), Ok(room)) = (p.range(&|t| self.width(t)), i128::try_from(ones(width)))
            && (least > 0 && most <= room || most < 0 && least >= -room)
        {
            return d.no();
        }
        if width > 32 {
            return self.by_parts(C::Eq, a, b);
        }
        // Row `equal-apart`: bits side by side, of which some are constant and set.
        if p.constant != 0
            && let Some(all) = self.segments(&p)
            && all.iter().any(|s| self.known(s.bits).is_some_and(|c| c != 0))
        {
            return d.no();
        }
        let negated = p.negative();
        if negated {
            p = p.scaled(u128::MAX);
        }
        if let Some(decided) = self.equal_selection(&p) {
            return decided;
        }
        // Row `equal-narrow`.
        let right = p.constant.wrapping_neg() & ones(width);
        if p.terms.len() == 1
            && let Some((m, 1)) = p.terms.iter().next()
            && m.len() == 1
            && self.width(m[0]) < width
        {
            let n = self.width(m[0]);
            return match right <= ones(n) {
                true if n == 1 && right == 1 => m[0],
                true if n == 1 => self.complement(m[0]),
                true => self.compare(C::Eq, m[0], d.constant(n, right)),
                false => d.no(),
            };
        }
        if p.terms.len() == 1
            && let Some((m, c)) = p.terms.iter().next()
            && m.len() == 1
            && self.width(m[0]) == 1
        {
            // Row `equal-condition`: c·b = r.
            return match right {
                0 => self.complement(m[0]),
                r if r == *c => m[0],
                _ => d.no(),
            };
        }
        p.constant = 0;
        let left = self.number(p);
        let right = d.constant(width, right);
        self.note(|| (d.add(&if negated { d.neg(&zero) } else { zero }, &right), left));
        self.leaf(C::Eq, left, right)
    }

    /// Row `equal-selection`: where both of what is selected from are known to be zero or not.
    fn equal_selection(&self, p: &Poly) -> Option<TermId> {
        let (d, width) = (self.terms, p.width);
        let (m, c) = p.terms.iter().next()?;
        if p.terms.len() != 1 || m.len() != 1 || *c != 1 || self.width(m[0]) != width {
            return None;
        }
        let Node::Ite(c, a, b) = d.node(m[0]) else { return None };
        let right = d.constant(width, p.constant.wrapping_neg());
        // Selections among selections are not gone through.
        if [a, b].iter().any(|t| matches!(d.node(*t), Node::Ite(..))) {
            return None;
        }
        let (a, b) = (self.compare(C::Eq, a, right), self.compare(C::Eq, b, right));
        (self.known(a).is_some() && self.known(b).is_some()).then(|| self.select(c, a, b))
    }

    /// Row `compare-narrow`: both fit in fewer bits.
    fn narrow(&self, a: TermId, b: TermId, room: u32) -> Option<u32> {
        let bits = |t: TermId| {
            let p: &Poly = &self.poly(t);
            let most = p.most(&|a| self.width(a))?;
            Some(128 - most.leading_zeros())
        };
        let n = bits(a)?.max(bits(b)?).max(1);
        (n < self.width(a) && n <= room).then_some(n)
    }

    fn below(&self, a: TermId, b: TermId) -> TermId {
        let d = self.terms;
        let width = self.width(a);
        // Row `below-most`: a number that never reaches the other.
        if let Some(c) = self.known(b)
            && self.poly(a).most(&|t| self.width(t)).is_some_and(|most| most < c)
        {
            return d.yes();
        }
        if let Some(n) = self.narrow(a, b, width) {
            return self.compare(C::ULt, self.slice(a, 0, n), self.slice(b, 0, n));
        }
        match (self.known(a), self.known(b)) {
            (_, Some(0)) => return d.no(),
            (_, Some(1)) | (Some(0), _) if self.known(b) == Some(1) => {
                return self.compare(C::Eq, a, d.constant(width, 0));
            }
            (Some(0), _) => return self.complement(self.compare(C::Eq, b, a)),
            // Row `below-constant`.
            (Some(c), _) if c == ones(width) => return d.no(),
            (Some(c), _) => return self.complement(self.compare(C::ULt, b, d.constant(width, c + 1))),
            (_, Some(c)) if c == ones(width) => return self.complement(self.compare(C::Eq, a, b)),
            (_, Some(c)) if c.is_power_of_two() => {
                let k = c.trailing_zeros();
                let high = self.slice(a, k, width - k);
                return self.compare(C::Eq, high, d.constant(width - k, 0));
            }
            _ => {}
        }
        if width > 32 {
            return self.by_parts(C::ULt, a, b);
        }
        self.leaf(C::ULt, a, b)
    }

    fn less(&self, a: TermId, b: TermId) -> TermId {
        let d = self.terms;
        let width = self.width(a);
        if let Some(n) = self.narrow(a, b, width - 1) {
            return self.compare(C::ULt, self.slice(a, 0, n), self.slice(b, 0, n));
        }
        let greatest = ones(width) >> 1;
        match (self.known(a), self.known(b)) {
            (_, Some(0)) => return self.slice(a, width - 1, 1),
            (Some(c), _) if c == greatest => return d.no(),
            // Row `less-constant`.
            (Some(c), _) => {
                let next = d.constant(width, c.wrapping_add(1));
                return self.complement(self.compare(C::SLt, b, next));
            }
            (_, Some(c)) if c == greatest + 1 => return d.no(),
            _ => {}
        }
        if width > 32 {
            return self.by_parts(C::SLt, a, b);
        }
        self.leaf(C::SLt, a, b)
    }

    /// A comparison that nothing is known of.
    fn leaf(&self, op: C, a: TermId, b: TermId) -> TermId {
        let t = self.terms.make(Node::Compare(op, a, b), 1);
        self.memo.borrow_mut().insert(t, t);
        t
    }
}
