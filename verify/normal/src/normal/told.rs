//! What rows of sums rest on, told to whom asks what was rewritten.

use super::Normal;
use super::lift::Lift;
use super::number::left_of;
use super::poly::{Monomial, Poly, ones};
use sassafras_semantics::{Domain, TermId};

impl Normal<'_> {
    /// Row `zext-sum`: a sum extended by zeros, times a coefficient that has so many factors of two, if it wraps.
    pub(super) fn note_widened(&self, (a, own): (TermId, &Poly), made: &Poly, shifted: Option<(u32, u128)>) {
        let (d, width, mark) = (self.terms, made.width, self.mark());
        let Some((twos, c)) = shifted else {
            self.note_lifted(mark, (a, own), Lift::Fits, width, made);
            return;
        };
        if !self.is_traced() {
            return;
        }
        self.note_lifted(mark, (a, own), Lift::Shifted(twos), width, made);
        let odd = left_of(c, twos, width) & ones(width);
        let (c, two) = (d.constant(width, c), d.constant(width, 1 << twos));
        // The arena brings constant factors together, so that what is multiplied is not seen any more; not so what is negated.
        let times = |t: TermId| match odd == ones(width) {
            true => d.neg(&d.mul(&t, &two)),
            false => d.mul(&d.mul(&t, &two), &d.constant(width, odd)),
        };
        let (zext, plain) = (d.zext(&a, width), self.plain(made));
        let (from, to) = (times(zext), times(plain));
        self.note_since(mark, || (from, to));
        self.note_sums(|| (d.mul(&zext, &c), from), vec![a]);
        self.note_sums(|| (to, d.mul(&plain, &c)), self.numbers(&[made]));
        self.note_since(mark, || (d.mul(&zext, &c), d.mul(&plain, &c)));
    }

    /// Row `zext-even`: the lower bits of a sum of even numbers are a constant's.
    pub(super) fn note_even(&self, (a, own): (TermId, &Poly), even: u32, low: u128, made: &Poly) {
        if !self.is_traced() {
            return;
        }
        let (d, width, n) = (self.terms, made.width, self.width(a));
        let mark = self.mark();
        self.note_lifted_to(mark, (a, own), Lift::Cut, even, d.constant(even, low));
        let upper = d.zext(&d.extract(&a, even, n - even), width);
        let upper = d.mul(&upper, &d.constant(width, 1 << even));
        self.note_since(mark, || (d.zext(&a, width), d.add(&upper, &d.constant(width, low))));
    }

    /// Rows `carry-rejoin` and `borrow-rejoin`: upper bits of a sum, times a power of two, are the sum less the lower ones; of a borrow the
    /// other way around. The upper bits, their coefficient and where they begin; the lower bits and the sum; the sum in the width in
    /// which it is used, and what is made.
    pub(super) fn note_rejoined(
        &self,
        mark: usize,
        (upper, c, low): (TermId, u128, u32),
        (rest, whole): (TermId, TermId),
        (wide, made): (&Poly, &Poly),
        borrow: bool,
    ) {
        let (d, width) = (self.terms, made.width);
        if !self.is_traced() {
            return;
        }
        let all = match self.width(whole) {
            n if n > width => d.extract(&whole, 0, width),
            _ if borrow => d.sext(&whole, width),
            _ => d.zext(&whole, width),
        };
        let left = d.constant(width, left_of(c, low, width));
        let times = |t: TermId| d.mul(&t, &left);
        let less = |all: TermId, rest: TermId| match borrow {
            true => d.sub(&times(rest), &times(all)),
            false => d.sub(&times(all), &times(rest)),
        };
        let lower = d.zext(&d.extract(&whole, 0, low), width);
        let above = d.mul(&d.zext(&upper, width), &d.constant(width, 1 << low));
        let difference = if borrow { d.sub(&lower, &all) } else { d.sub(&all, &lower) };
        let old = d.mul(&d.zext(&upper, width), &d.constant(width, c));
        let (first, second) = (less(all, lower), less(self.plain(wide), d.zext(&rest, width)));
        self.note_since(mark, || (first, second));
        // Where the coefficient of the upper bits is their place alone, its sign does not matter.
        let exact = self.note_by((above, difference), &[], vec![whole]);
        self.note_from((old, times(difference)), &[exact], vec![upper, lower, all]);
        self.note_sums(|| (times(difference), first), vec![lower, all]);
        self.note_sums(|| (second, times(self.plain(made))), self.numbers(&[wide, made]));
    }

    /// The numbers in sums.
    pub(super) fn numbers(&self, all: &[&Poly]) -> Vec<TermId> {
        let mut list: Vec<TermId> = all.iter().flat_map(|p| p.terms.keys().flatten().copied()).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Row `slice-even`: a sum as a narrower one, shifted up.
    pub(super) fn note_shifted(&self, mark: usize, half: &Poly, even: u32, whole: &Poly) {
        if self.is_traced() {
            let (plain, to) = (self.plain(half), self.plain(whole));
            self.note_lifted_to(mark, (plain, half), Lift::Shifted(even), whole.width, to);
        }
    }

    /// Row `slice-narrow`: a sum as a narrower one, extended by zeros.
    pub(super) fn note_narrow(&self, mark: usize, whole: &Poly, small: &Poly) {
        if self.is_traced() {
            self.note_lifted_to(mark, (self.plain(small), small), Lift::Fits, whole.width, self.plain(whole));
        }
    }

    /// Row `slice-split`: (q·2^l + r) >> l is q + (r >> l): the sum and l; q and r; and the upper bits of r, none where these are zero.
    pub(super) fn note_split(
        &self,
        mark: usize,
        (p, low): (&Poly, u32),
        (high, rest): (&Poly, &Poly),
        part: Option<TermId>,
    ) {
        if !self.is_traced() {
            return;
        }
        let (d, width) = (self.terms, high.width);
        let mut upper = Poly::constant(p.width, p.constant >> low);
        for (m, c) in p.terms.iter().filter(|(_, c)| c.trailing_zeros() >= low) {
            upper.plus(m.clone(), c >> low);
        }
        let (whole, above, below) = (self.plain(p), self.plain(&upper), self.plain(rest));
        let shifted = d.add(&d.mul(&above, &d.constant(p.width, 1 << low)), &below);
        let cut = |t: TermId, low: u32| d.extract(&t, low, width);
        match part {
            Some(part) => {
                self.note_since(mark, || (cut(below, low), part));
                let inner = self.mark();
                self.note_lifted(inner, (above, &upper), Lift::Cut, width, high);
                self.note_sums(|| (whole, shifted), self.numbers(&[p]));
                let sum = d.add(&cut(above, 0), &cut(below, low));
                self.note_sums(|| (cut(shifted, low), sum), vec![above, below]);
                self.note_since(mark, || (cut(whole, low), d.add(&self.plain(high), &part)));
            }
            None => {
                self.note_lifted(mark, (above, &upper), Lift::Cut, width, high);
                self.note_sums(|| (whole, shifted), self.numbers(&[p]));
                let inner = self.mark();
                self.note_range(rest);
                self.note_since(inner, || (cut(below, low), d.constant(width, 0)));
                self.note_since(inner, || (cut(shifted, low), cut(above, 0)));
                self.note_since(mark, || (cut(whole, low), self.plain(high)));
            }
        }
    }

    /// Row `limbs`: a factor by its parts.
    pub(super) fn note_limbs(&self, t: TermId) -> TermId {
        if !self.is_traced() {
            return t;
        }
        let (mark, limbs) = (self.mark(), self.limbs(t));
        let plain = self.plain(&limbs);
        self.note_since(mark, || (t, plain));
        plain
    }

    /// That a sum is another, since two of its summands are something else.
    pub(super) fn note_joined(&self, mark: usize, (before, after): (&Poly, &Poly), parts: [TermId; 2]) {
        let (mut old, mut kept) = (Poly::constant(before.width, 0), before.clone());
        for part in parts {
            let m = Monomial::from_slice(&[part]);
            if let Some(c) = kept.terms.remove(&m) {
                old.plus(m, c);
            }
        }
        let mut new = after.clone();
        new.plus_scaled(&kept, u128::MAX);
        let (of, old, new) = (new.clone(), self.plain(&old), self.plain(&new));
        self.note_exchanged(mark, (before, after), &kept, (old, new, None), &of);
    }
}
