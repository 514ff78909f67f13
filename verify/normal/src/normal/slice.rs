//! Bits of numbers.

use super::Normal;
use super::lift::Lift;
use super::poly::{Monomial, Poly, ones};
use super::segment::Segment;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Domain, TermId};

/// Once so many slices are known, functions and selections are no longer cut up: one that mixes the bits of others, and is mixed
/// again, has more slices in each round than in the one before.
const SLICES: usize = 20_000;

/// Most summands of a sum that are looked at as its own low bits.
const REJOINED: usize = 4;

/// Of how many sums it is known at most that bits are theirs.
const CUT_FROM: usize = 4;

impl Normal<'_> {
    /// Runs of bits side by side, those that follow each other in one sum as one run.
    pub(super) fn side_by_side(&self, all: Vec<Segment>) -> Vec<Segment> {
        let mut joined: Vec<Segment> = Vec::new();
        for next in all {
            let whole = joined.last().and_then(|last| {
                let all = self.cut_from.borrow();
                let (lower, upper) = (all.get(&last.bits)?, all.get(&next.bits)?);
                lower.iter().copied().find(|&(t, low)| upper.contains(&(t, low + last.width)))
            });
            match (whole, joined.last_mut()) {
                (Some((t, low)), Some(last)) => {
                    last.width += next.width;
                    last.bits = self.slice(t, low, last.width);
                }
                _ => joined.push(next),
            }
        }
        joined
    }

    /// `width` bits of a normal form from bit `low`.
    pub(super) fn slice(&self, t: TermId, low: u32, width: u32) -> TermId {
        let all = self.width(t);
        if low == 0 && width == all {
            return t;
        }
        if let Some(c) = self.known(t) {
            return self.terms.constant(width, c >> low);
        }
        let mark = self.mark();
        let own = |made: TermId| {
            self.note_since(mark, || (self.terms.extract(&t, low, width), made));
            let Some(known) = self.known_bits.borrow().get(&made).copied() else { return made };
            self.note(|| (made, known));
            self.note_since(mark, || (self.terms.extract(&t, low, width), known));
            known
        };
        // Who asks what was rewritten is told so of each slice once.
        let told = !self.is_traced() || !self.told.borrow_mut().insert((t, low, width));
        let before = self.slices.borrow().get(&(t, low, width)).copied();
        if let Some(known) = before.filter(|_| told) {
            return own(known);
        }
        let p = self.polys.borrow().get(&t).cloned();
        let pieces = self.pieces.borrow().get(&t).cloned();
        let made = match (p, pieces) {
            // Row `bitwise-pieces`: what summands of a sum do not tell apart.
            (Some(p), Some(pieces)) if self.segments(&p).is_none() => {
                // A piece may be a slice of the sum itself.
                let itself = self.terms.make(Node::Extract { low, a: t }, width);
                self.slices.borrow_mut().insert((t, low, width), itself);
                self.gather(&pieces, low, width)
            }
            (Some(p), _) => self.slice_sum(t, &p, low, width),
            (None, _) => self.slice_atom(t, low, width),
        };
        self.memo.borrow_mut().insert(made, made);
        self.slices.borrow_mut().insert((t, low, width), made);
        let made = own(made);
        if self.known(made).is_none() && self.polys.borrow().contains_key(&t) {
            let mut all = self.cut_from.borrow_mut();
            let all = all.entry(made).or_default();
            if all.len() < CUT_FROM && !all.contains(&(t, low)) {
                all.push((t, low));
            }
        }
        made
    }

    fn slice_atom(&self, t: TermId, low: u32, width: u32) -> TermId {
        let d = self.terms;
        match d.node(t) {
            Node::Extract { low: from, a } => self.slice(a, from + low, width),
            _ if self.slices.borrow().len() >= SLICES => d.extract(&t, low, width),
            // Row `slice-select`.
            Node::Ite(c, a, b) => self.select(c, self.slice(a, low, width), self.slice(b, low, width)),
            Node::Binary(op @ (B::Shl | B::LShr | B::AShr), a, s) => {
                self.shift_part(op, a, s, low, width).unwrap_or_else(|| d.extract(&t, low, width))
            }
            _ => {
                let function = self.functions.borrow().get(&t).copied();
                // Row `slice-bitwise`.
                function
                    .and_then(|f| self.mapped(f, width, &|leaf| self.slice(leaf, low, width)))
                    .unwrap_or_else(|| d.extract(&t, low, width))
            }
        }
    }

    /// Row `shift-part`: the lower half of a word shifted up is its lower half shifted, the upper half of one shifted down its upper
    /// half, if the count has no bits beyond the half's width.
    fn shift_part(&self, op: B, a: TermId, count: TermId, low: u32, width: u32) -> Option<TermId> {
        let half = self.width(a) / 2;
        let from = if op == B::Shl { 0 } else { half };
        if self.width(a) != 64 || low < from || low + width > from + half {
            return None;
        }
        let most = self.poly(count).most(&|t| self.width(t))?;
        if most > ones(half) {
            return None;
        }
        let part = self.binary(op, self.slice(a, from, half), self.slice(count, 0, half), half);
        Some(self.slice(part, low - from, width))
    }

    /// A sum modulo 2^width, for a width that is not more.
    pub(super) fn cut(&self, p: &Poly, width: u32) -> Poly {
        let mut sum = Poly::constant(width, p.constant);
        for (m, c) in &p.terms {
            if c & ones(width) == 0 {
                continue;
            }
            let narrow = |a: &TermId| if self.width(*a) > width { self.slice(*a, 0, width) } else { *a };
            let mut scale = *c;
            let mut factors = Monomial::new();
            for a in m.iter().map(narrow) {
                match self.known(a) {
                    Some(k) => scale = scale.wrapping_mul(k),
                    None => factors.push(a),
                }
            }
            factors.sort_unstable();
            sum.plus(factors, scale);
        }
        sum
    }

    /// Bits of a sum, `t`.
    fn slice_sum(&self, t: TermId, p: &Poly, low: u32, width: u32) -> TermId {
        let d = self.terms;
        let narrow = low + width < p.width;
        let (whole, mark) = (p, self.mark());
        let p = if narrow { self.cut(p, low + width) } else { p.clone() };
        match narrow {
            true => self.note_lifted(mark, (t, whole), Lift::Cut, p.width, &p),
            false => self.note(|| (t, self.plain(&p))),
        }
        if low == 0 {
            return if width == 1 { self.parity(&p) } else { self.number(p) };
        }
        // Row `slice-complement`: the sign of a number as that of its complement.
        if width == 1 && low + 1 == p.width && p.negative() && !p.complement().negative() {
            return self.complement(self.slice_of(p.complement(), low, width));
        }
        if let Some(quotient) =
            self.magic(&p, low).or_else(|| self.magic_sum(&p, low)).or_else(|| self.magic_joined(&p, low))
        {
            return quotient;
        }
        if let Some(rest) = self.rejoined(&p, low) {
            return self.slice_of(rest, low, width);
        }
        if let Some((c, one, zero)) = self.choice(&p) {
            let part = |bits: u128| d.constant(width, bits >> low);
            return self.select(c, part(one), part(zero));
        }
        if let Some(part) = self.slice_apart(&p, low, width) {
            return part;
        }
        // Row `slice-even`: what has no low bits is shifted.
        let even = p.evenness().min(low);
        if even > 0 {
            let mark = self.mark();
            let mut half = Poly::constant(p.width - even, p.constant >> even);
            for (m, c) in &p.terms {
                half.plus_scaled(&self.product(m, half.width), c >> even);
            }
            self.note_shifted(mark, &half, even, &p);
            return self.slice_of(half, low - even, width);
        }
        if let Some(part) = self.slice_split(&p, low, width) {
            return part;
        }
        // Row `slice-range`: bits that are the same for the least and the greatest number.
        if let Some((least, most)) = self.chosen_range(&p)
            && most <= ones(p.width)
            && least >> low == most >> low
        {
            return d.constant(width, least >> low);
        }
        // Row `slice-narrow`: bits that are always zero.
        if let Some(most) = p.most(&|t| self.width(t)) {
            let bits = 128 - most.leading_zeros();
            if bits > low && bits < low + width {
                let (mark, small) = (self.mark(), self.cut(&p, bits));
                self.note_narrow(mark, &p, &small);
                let part = self.slice_of(self.cut(&p, bits), low, bits - low);
                return self.zext(part, width);
            }
        }
        let whole = self.number(p.clone());
        let changed = self.polys.borrow().get(&whole).is_none_or(|q| **q != p);
        if changed { self.slice(whole, low, width) } else { d.make(Node::Extract { low, a: whole }, width) }
    }

    /// Bits of a sum whose summands do not overlap, or those of its complement do not.
    fn slice_apart(&self, p: &Poly, low: u32, width: u32) -> Option<TermId> {
        if let Some(segments) = self.segments(p) {
            return Some(self.gather(&segments, low, width));
        }
        // Row `slice-complement`: before a borrow takes the bits apart.
        if p.negative()
            && let Some(segments) = self.segments(&p.complement())
        {
            return Some(self.complement(self.gather(&segments, low, width)));
        }
        // Row `slice-flipped`: where half of all numbers is added, the upper bit is the other one.
        if width == 1 && low + 1 == p.width {
            let flipped = Poly { constant: p.constant ^ 1 << low, ..p.clone() };
            if let Some(segments) = self.segments(&flipped) {
                return Some(self.complement(self.gather(&segments, low, 1)));
            }
            if let Some(segments) = self.segments(&flipped.complement()) {
                return Some(self.gather(&segments, low, 1));
            }
        }
        None
    }

    /// Row `slice-split`: (q·2^l + r) >> l = q + (r >> l).
    fn slice_split(&self, p: &Poly, low: u32, width: u32) -> Option<TermId> {
        let d = self.terms;
        let mark = self.mark();
        let (mut high, mut rest) = (Poly::constant(width, p.constant >> low), Poly::constant(p.width, 0));
        rest.constant = p.constant & ones(low);
        for (m, c) in &p.terms {
            if c.trailing_zeros() >= low {
                high.plus_scaled(&self.product(m, width), c >> low);
            } else {
                rest.plus(m.clone(), *c);
            }
        }
        if rest.most(&|t| self.width(t)).is_some_and(|most| most <= ones(low)) {
            self.note_split(mark, (p, low), (&high, &rest), None);
            return Some(if width == 1 { self.parity(&high) } else { self.number(high) });
        }
        if high.known() != Some(0) {
            let lower = self.is_traced().then(|| rest.clone());
            let rest = self.slice_of(rest, low, width);
            if let Some(lower) = lower {
                self.note_split(mark, (p, low), (&high, &lower), Some(rest));
            }
            if width == 1 {
                return Some(self.bitwise(B::Xor, self.parity(&high), rest));
            }
            let upper = self.is_traced().then(|| self.plain(&high));
            high.plus_scaled(&self.poly(rest), 1);
            return Some(match upper {
                Some(upper) => self.number_of(|| d.add(&upper, &rest), high),
                None => self.number(high),
            });
        }
        None
    }

    /// Row `slice-rejoined`: above its low bits, s - (s mod 2^n) is s.
    fn rejoined(&self, p: &Poly, low: u32) -> Option<Poly> {
        let minus = ones(p.width);
        let less = |(m, c): (&Monomial, &u128)| {
            let [part] = m.as_slice() else { return None };
            let own = self.polys.borrow().get(part).cloned()?;
            let fits = *c == minus && own.width <= low && own.terms.len() < p.terms.len();
            fits.then_some((*part, own.width))
        };
        p.terms.iter().filter_map(less).take(REJOINED).find_map(|(part, n)| {
            let mut rest = p.clone();
            rest.terms.remove(&Monomial::from_slice(&[part]));
            (self.number(self.cut(&rest, n)) == part).then_some(rest)
        })
    }

    /// The least and the greatest value of a sum with a choice among its summands, without wrapping, if neither is negative: a choice
    /// between sums that do not wrap is one of them.
    fn chosen_range(&self, p: &Poly) -> Option<(u128, u128)> {
        let whole = |t: TermId| (self.width(t) < 120).then(|| (0, ones(self.width(t)) as i128));
        let own = |t: TermId| {
            let all = whole(t)?;
            let range = self.poly(t).range(&|t| self.width(t));
            Some(range.filter(|(least, most)| *least >= 0 && *most <= all.1).unwrap_or(all))
        };
        let choice = |t: TermId| match self.terms.node(t) {
            Node::Ite(_, a, b) => {
                let (a, b) = (own(a)?, own(b)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            _ => None,
        };
        if !p.terms.keys().any(|m| m.len() == 1 && choice(m[0]).is_some()) {
            return None;
        }
        let start = i128::try_from(p.constant).ok()?;
        let (mut least, mut most) = (start, start);
        for (m, c) in &p.terms {
            let c = i128::try_from(*c).ok()?;
            let [t] = m.as_slice() else { return None };
            let (from, to) = choice(*t).or_else(|| whole(*t))?;
            least = least.checked_add(c.checked_mul(from)?)?;
            most = most.checked_add(c.checked_mul(to)?)?;
        }
        (least >= 0).then_some((least as u128, most as u128))
    }

    /// A number that a single condition decides: the condition, the number if it holds, and if not. Row `select`.
    pub(super) fn choice(&self, p: &Poly) -> Option<(TermId, u128, u128)> {
        let (m, c) = p.terms.iter().next()?;
        let single = p.terms.len() == 1 && m.len() == 1 && self.width(m[0]) == 1;
        single.then(|| (m[0], p.constant.wrapping_add(*c) & ones(p.width), p.constant))
    }

    /// The slice of a sum that has no term yet.
    fn slice_of(&self, p: Poly, low: u32, width: u32) -> TermId {
        if p.width == 1 {
            return self.parity(&p);
        }
        let t = self.number(p);
        self.slice(t, low, width)
    }

    /// A product modulo 2^width.
    fn product(&self, m: &Monomial, width: u32) -> Poly {
        let mut p = Poly::constant(width.max(1), 0);
        p.plus(m.clone(), 1);
        let wide = m.iter().any(|a| self.width(*a) > width);
        if wide { self.cut(&p, width) } else { p }
    }

    /// Row `parity`: the lowest bit of a sum.
    fn parity(&self, p: &Poly) -> TermId {
        let d = self.terms;
        let mut sum = d.constant(1, p.constant & 1);
        for (m, c) in &p.terms {
            if c & 1 == 0 {
                continue;
            }
            let bits = m.iter().map(|a| self.slice(*a, 0, 1));
            let product = bits.fold(d.yes(), |all, bit| self.bitwise(B::And, all, bit));
            sum = self.bitwise(B::Xor, sum, product);
        }
        sum
    }

    /// A sum whose summands touch no bit in common, as runs of bits from the lowest.
    pub(super) fn segments(&self, p: &Poly) -> Option<Vec<Segment>> {
        let mut list = Vec::new();
        let mut used = p.constant;
        for (m, c) in &p.terms {
            let minus = c.wrapping_neg() & ones(p.width);
            let sign = m.len() == 1 && self.width(m[0]) == 1 && minus.is_power_of_two();
            if m.len() != 1 || !(c.is_power_of_two() || sign) {
                return None;
            }
            // A negated condition is a run of copies of it: row `sign-extension`.
            let low = if sign { minus.trailing_zeros() } else { c.trailing_zeros() };
            let width = if sign { p.width - low } else { self.width(m[0]).min(p.width - low) };
            let here = ones(width) << low;
            if used & here != 0 {
                return None;
            }
            used |= here;
            let bits = if sign && width > 1 {
                self.number(Poly::atom(width, m[0]).scaled(u128::MAX))
            } else {
                self.slice(m[0], 0, width)
            };
            list.push(Segment { low, width, bits });
        }
        list.sort_unstable_by_key(|s| s.low);
        let (mut all, mut at) = (Vec::new(), 0);
        let fill = |from: u32, to: u32, all: &mut Vec<Segment>| {
            if from < to {
                let bits = self.terms.constant(to - from, p.constant >> from);
                all.push(Segment { low: from, width: to - from, bits });
            }
        };
        for s in list {
            fill(at, s.low, &mut all);
            at = s.low + s.width;
            all.push(s);
        }
        fill(at, p.width, &mut all);
        Some(all)
    }

    /// Bits of a number that is given by runs.
    pub(super) fn gather(&self, segments: &[Segment], low: u32, width: u32) -> TermId {
        let mut all: Option<TermId> = None;
        for s in segments {
            let (from, to) = (s.low.max(low), (s.low + s.width).min(low + width));
            if from >= to {
                continue;
            }
            let part = self.slice(s.bits, from - s.low, to - from);
            all = Some(all.map_or(part, |l| self.concat(part, l)));
        }
        all.unwrap_or_else(|| self.terms.constant(width, 0))
    }
}
