//! Sums in another width, summand by summand: what is told to whom asks what was rewritten.
//!
//! That a sum extended by zeros is the sum of what is extended is easy to see of one sum of two numbers, and hard of many in another order.

use super::Normal;
use super::noted::Equal;
use super::poly::{Monomial, Poly, ones};
use sassafras_semantics::{CompareOp, Domain, TermId};

/// How a sum comes to another width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lift {
    /// Extended by zeros and shifted up by so many bits: what wraps is shifted out.
    Shifted(u32),
    /// Its lower bits.
    Cut,
    /// Extended by zeros: it does not wrap.
    Fits,
    /// Extended by its sign: it does not wrap as a signed number.
    Signed,
}

impl Normal<'_> {
    /// Notes that a sum, lifted, is `to`: its summands, each lifted.
    pub(super) fn note_lifted(
        &self,
        mark: usize,
        (sum, own): (TermId, &Poly),
        lift: Lift,
        width: u32,
        to: &Poly,
    ) {
        if self.is_traced() {
            let scale = if let Lift::Shifted(k) = lift { 1 << k } else { 1 };
            let d = self.terms;
            self.note_lifted_to(
                mark,
                (sum, own),
                lift,
                width,
                d.mul(&self.plain(to), &d.constant(width, scale)),
            );
        }
    }

    /// The same where it is any term that is the sum, from what was noted behind the mark.
    pub(super) fn note_lifted_to(
        &self,
        mark: usize,
        (sum, own): (TermId, &Poly),
        lift: Lift,
        width: u32,
        to: TermId,
    ) {
        let d = self.terms;
        let all = self.lifted_sum(own, lift, width);
        self.note_since(mark, || (all.to, to));
        self.note(|| (sum, all.from));
        if let Some(last) = all.last {
            self.note(|| last);
        }
        self.note_since(mark, || (lifted(d, sum, lift, width), to));
    }

    /// Notes that a sum that does not wrap is not more than it can be.
    pub(super) fn note_range(&self, own: &Poly) {
        let all = self.lifted_sum(own, Lift::Fits, own.width);
        let plain = self.plain(own);
        self.note(|| (plain, all.from));
        if let Some(within) = all.within {
            self.note(|| within);
        }
    }

    fn lifted_sum(&self, own: &Poly, lift: Lift, width: u32) -> Lifted<'_, '_> {
        let mut all = Lifted::new(self, own.width, width, lift, own.constant);
        let (mut down, mut up) = (Vec::new(), Vec::new());
        let can_be_negative = match lift {
            Lift::Fits => own.range(&|t| self.width(t)).is_some_and(|(least, _)| least >= 0),
            Lift::Signed => true,
            Lift::Shifted(_) | Lift::Cut => false,
        };
        for (m, c) in &own.terms {
            let minus = c.wrapping_neg() & ones(own.width);
            match can_be_negative && *c > ones(own.width) / 2 {
                true => down.push((m, minus)),
                false => up.push((m, *c)),
            }
        }
        // What is taken away comes first: so it does not wrap in between.
        down.iter().for_each(|(m, c)| all.take(m, *c, true));
        up.iter().for_each(|(m, c)| all.take(m, *c, false));
        all
    }
}

/// A term in another width.
fn lifted(d: &sassafras_semantics::Terms, t: TermId, lift: Lift, width: u32) -> TermId {
    match lift {
        Lift::Shifted(k) => d.mul(&d.zext(&t, width), &d.constant(width, 1 << k)),
        Lift::Cut => d.extract(&t, 0, width),
        Lift::Fits => d.zext(&t, width),
        Lift::Signed => d.sext(&t, width),
    }
}

/// The part of a sum that was gone through.
struct Lifted<'n, 't> {
    normal: &'n Normal<'t>,
    narrow: u32,
    width: u32,
    lift: Lift,
    /// In its own width.
    from: TermId,
    /// In the other.
    to: TermId,
    /// That one, lifted, is the other.
    last: Option<Equal>,
    /// The least and the greatest value.
    range: (i128, i128),
    /// That it is in between.
    within: Option<Equal>,
}

impl<'n, 't> Lifted<'n, 't> {
    fn new(normal: &'n Normal<'t>, narrow: u32, width: u32, lift: Lift, constant: u128) -> Self {
        let d = normal.terms;
        let from = d.constant(narrow, constant);
        let to = lifted(d, from, lift, width);
        let start = match lift {
            Lift::Signed if constant >> (narrow - 1) & 1 == 1 => (constant | !ones(narrow)) as i128,
            _ => constant as i128,
        };
        Lifted { normal, narrow, width, lift, from, to, last: None, range: (start, start), within: None }
    }

    fn product(&self, m: &Monomial, c: u128, width: u32) -> TermId {
        let (d, c) = (self.normal.terms, self.normal.terms.constant(width, c));
        let fit = |a: &TermId| match self.normal.width(*a) {
            n if n > width => d.extract(a, 0, width),
            _ => d.zext(a, width),
        };
        m.iter().map(fit).reduce(|all, a| d.mul(&all, &a)).map_or(c, |all| d.mul(&all, &c))
    }

    /// Notes what a product of numbers in the one width has to do with that in the other: the rest is a sum of what may be anything.
    fn note_product(&self, m: &Monomial) -> (Vec<Equal>, Vec<TermId>) {
        if m.len() < 2 {
            return (Vec::new(), m.to_vec());
        }
        let (n, d) = (self.normal, self.normal.terms);
        let (narrow, wide) = (self.product(m, 1, self.narrow), self.product(m, 1, self.width));
        let same = match self.lift {
            Lift::Shifted(_) => (d.extract(&wide, 0, self.narrow), narrow),
            Lift::Cut => (d.extract(&narrow, 0, self.width), wide),
            Lift::Fits | Lift::Signed => (d.zext(&narrow, self.width), wide),
        };
        let mut by = vec![n.note_by(same, &[], m.to_vec())];
        if matches!(self.lift, Lift::Fits | Lift::Signed) {
            let most = m.iter().fold(1i128, |p, a| p.saturating_mul(ones(n.width(*a)) as i128));
            by.push(n.note_by(self.is_in(narrow, (0, most), false), &[], m.to_vec()));
        }
        (by, vec![narrow, wide])
    }

    fn is_in(&self, t: TermId, (least, most): (i128, i128), signed: bool) -> Equal {
        let d = self.normal.terms;
        let op = if signed { CompareOp::SLe } else { CompareOp::ULe };
        let bound = |b: i128| d.constant(self.narrow, b as u128);
        let (low, high) = (d.compare(op, &bound(least), &t), d.compare(op, &t, &bound(most)));
        (d.and(&low, &high), d.yes())
    }

    /// One more summand.
    fn take(&mut self, m: &Monomial, c: u128, negative: bool) {
        let (n, d) = (self.normal, self.normal.terms);
        let join = |a: TermId, b: TermId| if negative { d.sub(&a, &b) } else { d.add(&a, &b) };
        let x = self.product(m, c, self.narrow);
        let from = join(self.from, x);
        let scale = if let Lift::Shifted(k) = self.lift { c << k } else { c };
        let part = (lifted(d, x, self.lift, self.width), self.product(m, scale, self.width));
        let whole = (
            lifted(d, from, self.lift, self.width),
            join(lifted(d, self.from, self.lift, self.width), part.0),
        );
        let (product, numbers) = self.note_product(m);
        let mut by = Vec::new();
        if matches!(self.lift, Lift::Fits | Lift::Signed) {
            let signed = self.lift == Lift::Signed;
            let most = m.iter().fold(c as i128, |p, a| p.saturating_mul(ones(n.width(*a)) as i128));
            let of_part = n.note_by(self.is_in(x, (0, most), false), &product, numbers.clone());
            let before = self.within.unwrap_or_else(|| self.is_in(self.from, self.range, signed));
            let (least, greatest) = self.range;
            self.range = match negative {
                true => (least.saturating_sub(most), greatest),
                false => (least, greatest.saturating_add(most)),
            };
            by.extend([before, of_part]);
            self.within = Some(n.note_by(self.is_in(from, self.range, signed), &by, vec![self.from, x]));
        }
        n.note_by(part, &product, numbers);
        n.note_by(whole, &by, vec![self.from, x]);
        let to = join(self.to, part.1);
        let mut by = vec![whole, part];
        by.extend(self.last);
        let anything = vec![whole.0, part.0, part.1, self.to, lifted(d, self.from, self.lift, self.width)];
        self.last = Some(n.note_by((lifted(d, from, self.lift, self.width), to), &by, anything));
        (self.from, self.to) = (from, to);
    }
}
