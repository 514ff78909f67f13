//! Quotients and remainders: all by the unsigned quotient, and that by products with constants.

use super::Normal;
use super::poly::{Poly, ones};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Domain, TermId};

impl Normal<'_> {
    /// Rows `signed-quotient`, `remainder`, `quotient-narrow`.
    pub(super) fn divide(&self, op: B, a: TermId, b: TermId, width: u32) -> TermId {
        if width == 1 {
            return self.terms.binary(op, &a, &b);
        }
        let mark = self.mark();
        let made = self.divided(op, a, b, width);
        self.note_since(mark, || (self.terms.binary(op, &a, &b), made));
        made
    }

    fn divided(&self, op: B, a: TermId, b: TermId, width: u32) -> TermId {
        let d = self.terms;
        match op {
            B::UDiv => {
                let constant = self.known(b).filter(|c| *c > 1);
                if let (Some(c), Some(x)) = (constant, self.extended(a)) {
                    let n = self.width(x);
                    let q = match c > ones(n) {
                        true => d.constant(n, 0),
                        false => self.binary(B::UDiv, x, d.constant(n, c), n),
                    };
                    return self.zext(q, width);
                }
                let q = d.binary(op, &a, &b);
                self.memo.borrow_mut().insert(q, q);
                constant.map_or(q, |c| self.narrow_quotient(q, width, c))
            }
            B::URem => {
                let whole = || d.binary(B::UDiv, &a, &b);
                self.note(|| (d.binary(op, &a, &b), d.sub(&a, &d.mul(&whole(), &b))));
                let q = self.divide(B::UDiv, a, b, width);
                self.binary(B::Sub, a, self.binary(B::Mul, q, b, width), width)
            }
            _ => {
                let sign = |x| self.slice(x, width - 1, 1);
                let under = |sign: TermId, x: TermId| d.ite(&sign, &d.neg(&x), &x);
                let plain = |x: TermId| under(d.extract(&x, width - 1, 1), x);
                let magnitude = |x| {
                    let (mark, made) = (self.mark(), self.select(sign(x), self.negative(x), x));
                    self.note_since(mark, || (plain(x), made));
                    made
                };
                let mark = self.mark();
                let (x, y) = (magnitude(a), magnitude(b));
                if self.is_traced() {
                    let [s, t] = [a, b].map(|x| d.extract(&x, width - 1, 1));
                    let signed = |x: TermId, y: TermId| match op {
                        B::SDiv => under(d.xor(&s, &t), d.binary(B::UDiv, &x, &y)),
                        _ => under(s, d.binary(B::URem, &x, &y)),
                    };
                    let whole = signed(plain(a), plain(b));
                    self.note_sums(|| (d.binary(op, &a, &b), whole), vec![a, b]);
                    self.note_since(mark, || (d.binary(op, &a, &b), signed(x, y)));
                }
                let (signs, value) = match op {
                    B::SDiv => (self.bitwise(B::Xor, sign(a), sign(b)), self.divide(B::UDiv, x, y, width)),
                    _ => (sign(a), self.divide(B::URem, x, y, width)),
                };
                self.select(signs, self.negative(value), value)
            }
        }
    }

    /// What a number is the zero extension of.
    pub(super) fn extended(&self, a: TermId) -> Option<TermId> {
        let p = self.poly(a);
        let (m, c) = p.terms.iter().next()?;
        let single = p.terms.len() == 1 && p.constant == 0 && m.len() == 1 && *c == 1;
        (single && (2..p.width).contains(&self.width(m[0]))).then(|| m[0])
    }

    pub(super) fn negative(&self, a: TermId) -> TermId {
        self.number_of(|| self.terms.neg(&a), self.poly(a).scaled(u128::MAX))
    }

    /// The bits of a quotient by a constant that may be other than zero.
    fn narrow_quotient(&self, q: TermId, width: u32, divisor: u128) -> TermId {
        let most = ones(width) / divisor;
        let bits = (128 - most.leading_zeros()).max(1);
        self.zext(self.slice(q, 0, bits), width)
    }

    /// Row `magic-product`: the upper bits, from `low`, of a product of an atom with a constant that are those of a quotient.
    pub(super) fn magic(&self, p: &Poly, low: u32) -> Option<TermId> {
        let (m, k) = p.terms.iter().next()?;
        if p.terms.len() != 1 || m.len() != 1 || p.constant != 0 {
            return None;
        }
        let n = self.width(m[0]);
        if self.most_of(n, *k)? > ones(p.width) {
            return None;
        }
        self.quotient_by(m[0], n, *k, low, p.width - low)
    }

    /// Row `magic-sum` where 2^n·h is written as k·x − (k·x mod 2^n).
    pub(super) fn magic_joined(&self, p: &Poly, low: u32) -> Option<TermId> {
        let d = self.terms;
        if p.terms.len() != 3 || p.constant != 0 || p.terms.keys().any(|m| m.len() != 1) || p.width % 2 == 1 {
            return None;
        }
        let n = p.width / 2;
        let of = |coefficient: u128| p.terms.iter().find(|(_, c)| **c == coefficient).map(|(m, _)| m[0]);
        let (rest, half) = (of(ones(p.width))?, of(1 << n)?);
        let (m, k) = p.terms.iter().find(|(m, _)| m[0] != rest && m[0] != half)?;
        let x = m[0];
        if self.width(x) != n || self.width(rest) != n || *k > ones(n) || low < n {
            return None;
        }
        let product = self.polys.borrow().get(&rest).cloned()?;
        let Node::Extract { low: at, a: whole } = d.node(half) else { return None };
        let (whole, wide) = (self.polys.borrow().get(&whole).cloned()?, self.width(whole));
        let mut difference = Poly::atom(wide, x).scaled((1 << n) - k);
        difference.plus_scaled(&Poly::atom(wide, rest), 1);
        let fits = *product == Poly::atom(n, x).scaled(*k) && *whole == difference && at == n + 1;
        // The difference x·2^n − h·2^n is below 2^2n, and all of its upper bits are there.
        if !fits || at + self.width(half) != wide || wide > 2 * n {
            return None;
        }
        let most = ones(n).checked_mul((1 << n) - k)?.checked_add(ones(n))?;
        if most > ones(wide) && wide < 2 * n {
            return None;
        }
        self.quotient_by(x, n, (1 << n) + k, low + 1, 2 * n - low)
    }

    fn most_of(&self, n: u32, k: u128) -> Option<u128> {
        ones(n).checked_mul(k)
    }

    /// ⌊k·x / 2^low⌋ as ⌊x / d⌋ for x of `n` bits, if it is one: k·d exceeds 2^low by less than 2^low / 2^n.
    fn quotient_by(&self, x: TermId, n: u32, k: u128, low: u32, width: u32) -> Option<TermId> {
        let d = divisor(n, k, low)?;
        let q = self.divide(B::UDiv, x, self.terms.constant(n, d), n);
        Some(if width <= n { self.slice(q, 0, width) } else { self.zext(q, width) })
    }

    /// Row `magic-sum`: (((x − h) >> 1) + h) >> l for h = (k·x) >> n is ((2^n + k)·x) >> (n + l + 1).
    pub(super) fn magic_sum(&self, p: &Poly, low: u32) -> Option<TermId> {
        let d = self.terms;
        let n = p.width;
        if p.terms.len() != 2 || p.constant != 0 || p.terms.iter().any(|(m, c)| m.len() != 1 || *c != 1) {
            return None;
        }
        let atoms: Vec<TermId> = p.terms.keys().map(|m| m[0]).collect();
        for (half, h) in [(atoms[0], atoms[1]), (atoms[1], atoms[0])] {
            let (Node::Extract { low: 1, a: rest }, Node::Extract { low: at, a: product }) =
                (d.node(half), d.node(h))
            else {
                continue;
            };
            if at != n || self.width(h) != n || self.width(half) != n - 1 || self.width(rest) != n {
                continue;
            }
            let polys = self.polys.borrow();
            let (Some(rest), Some(product)) = (polys.get(&rest).cloned(), polys.get(&product).cloned())
            else {
                continue;
            };
            drop(polys);
            let Some((m, k)) = product.terms.iter().next() else { continue };
            if product.terms.len() != 1 || product.constant != 0 || m.len() != 1 || self.width(m[0]) != n {
                continue;
            }
            let mut difference = (*self.poly(m[0])).clone();
            difference.plus_scaled(&Poly::atom(n, h), u128::MAX);
            if *rest != difference
                || self.most_of(n, *k).is_none_or(|most| most > ones(product.width))
                || *k > ones(n)
            {
                continue;
            }
            // The sum does not wrap: h ≤ x, so that it is at most x.
            if let Some(q) = self.quotient_by(m[0], n, (1 << n) + k, n + low + 1, n - low) {
                return Some(q);
            }
        }
        None
    }
}

/// The d with ⌊k·x / 2^low⌋ = ⌊x / d⌋ for all x of `n` bits. With k·d = 2^low + e the product is x/d + x·e/(d·2^low), and what is
/// added is less than 1/d where x·e < 2^low (T. Granlund and P. Montgomery, "Division by Invariant Integers using Multiplication", 1994).
fn divisor(n: u32, k: u128, low: u32) -> Option<u128> {
    if low >= 127 || k < 2 {
        return None;
    }
    let d = (1u128 << low).div_ceil(k);
    let excess = k.checked_mul(d)? - (1 << low);
    let fits = ones(n).checked_mul(excess)? < 1 << low;
    (fits && !d.is_power_of_two() && d <= ones(n)).then_some(d)
}
