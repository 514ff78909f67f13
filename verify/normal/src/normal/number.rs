//! Polynomials to terms and back.

use super::Normal;
use super::lift::Lift;
use super::poly::{Monomial, Poly, ones};
use super::segment::Segment;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Domain, TermId};
use smallvec::smallvec;
use std::rc::Rc;

/// What is left of a coefficient behind a shift, of which only the lower bits count: a negative one stays negative.
pub(super) fn left_of(c: u128, scale: u32, width: u32) -> u128 {
    let whole = if scale > 0 && c >> (width - 1) == 1 { c | !ones(width) } else { c };
    if scale > 0 { ((whole as i128) >> scale) as u128 } else { c }
}

/// Most rounds of rewriting; each row makes the sum simpler, so this is a safety net.
const ROUNDS: usize = 400;

impl Normal<'_> {
    /// A normal form as a polynomial of its own width.
    pub(super) fn poly(&self, t: TermId) -> Rc<Poly> {
        if let Some(p) = self.polys.borrow().get(&t) {
            return p.clone();
        }
        let width = self.width(t);
        Rc::new(match self.known(t) {
            Some(c) => Poly::constant(width, c),
            None => Poly::atom(width, t),
        })
    }

    /// A normal form, extended by zeros, as a summand of a polynomial of a width that is not less.
    pub(super) fn lifted(&self, t: TermId, width: u32) -> Poly {
        match self.known(t) {
            Some(c) => Poly::constant(width, c),
            None if self.width(t) == width => (*self.poly(t)).clone(),
            None => Poly::atom(width, t),
        }
    }

    /// Row `limbs`: a factor wider than 32 bits by its parts of 32.
    pub(super) fn limbs(&self, t: TermId) -> Poly {
        let (p, width) = (self.poly(t), self.width(t));
        if width <= 32 || p.known().is_some() {
            return (*p).clone();
        }
        let mut sum = Poly::constant(width, p.constant);
        for (m, c) in &p.terms {
            if m.len() > 1 || self.width(m[0]) <= 32 {
                sum.plus(m.clone(), *c);
                continue;
            }
            let whole = self.width(m[0]);
            for at in (0..whole).step_by(32) {
                let part = self.slice(m[0], at, 32.min(whole - at));
                sum.plus_scaled(&self.lifted(part, width), c << at);
            }
        }
        sum
    }

    /// The term of a polynomial.
    pub(super) fn number(&self, mut p: Poly) -> TermId {
        if let Some(t) = self.built.borrow().get(&p) {
            self.note(|| (self.plain(&p), *t));
            return *t;
        }
        let (key, mark) = (p.clone(), self.mark());
        let mut rounds = 0;
        while rounds < ROUNDS && self.improve(&mut p) {
            // All products are looked at in each round.
            sassafras_solve::limit::spend(p.terms.keys().map(|m| 1 + m.len() as u64).sum());
            rounds += 1;
        }
        let t = self.build(&p);
        self.note(|| (self.plain(&p), t));
        self.note_since(mark, || (self.plain(&key), t));
        self.built.borrow_mut().insert(key, t);
        t
    }

    fn build(&self, p: &Poly) -> TermId {
        let (d, width) = (self.terms, p.width);
        if let Some(c) = p.known() {
            return d.constant(width, c);
        }
        if let Some(a) = p.single().filter(|a| self.width(*a) == width) {
            return a;
        }
        let mut sum: Option<TermId> = None;
        for (m, c) in &p.terms {
            let mut product = m.iter().map(|a| d.zext(a, width)).reduce(|a, b| d.mul(&a, &b));
            if *c != 1 {
                product = product.map(|p| d.mul(&p, &d.constant(width, *c)));
            }
            sum = sum.zip(product).map(|(s, p)| d.add(&s, &p)).or(product);
        }
        let sum = sum.unwrap_or_else(|| d.constant(width, 0));
        let t = if p.constant == 0 { sum } else { d.add(&sum, &d.constant(width, p.constant)) };
        if d.as_constant(&t).is_none() {
            self.polys.borrow_mut().insert(t, Rc::new(p.clone()));
        }
        self.memo.borrow_mut().insert(t, t);
        t
    }

    /// One rewrite; whether there was one.
    fn improve(&self, p: &mut Poly) -> bool {
        let mark = self.mark();
        let found = p.terms.iter().find_map(|(m, c)| {
            let among = p.terms.len() > 1;
            let new = |i| self.masked(m[i], among).or_else(|| self.replacement(m, *c, i, p.width));
            let at = (0..m.len()).find_map(|i| Some((i, new(i)?)));
            at.map(|(i, new)| (m.clone(), *c, i, new))
        });
        if let Some((m, c, i, (new, scale))) = found {
            let asked = self.is_traced().then(|| (p.clone(), m.clone(), c));
            p.terms.remove(&m);
            let c = left_of(c, scale, p.width);
            let mut rest = m;
            rest.remove(i);
            for (n, e) in &new.terms {
                let mut all: Monomial = rest.iter().chain(n).copied().collect();
                all.sort_unstable();
                p.plus(all, c.wrapping_mul(*e));
            }
            p.plus(rest, c.wrapping_mul(new.constant));
            if let Some((before, m, whole)) = asked {
                self.note_replaced(mark, (&before, p), (&m, whole, i), (&new, c));
            }
            return true;
        }
        self.join(p) || self.negated_upper(p)
    }

    /// Row `negated-upper`: -h - [l ≠ 0] as the upper bits of -(h:l).
    fn negated_upper(&self, p: &mut Poly) -> bool {
        let (minus, mark, before) = (ones(p.width), self.mark(), self.is_traced().then(|| p.clone()));
        let parts: Vec<TermId> =
            p.terms.iter().filter(|(m, c)| m.len() == 1 && **c == minus).map(|(m, _)| m[0]).collect();
        for carry in parts.iter().filter(|k| self.width(**k) == 1) {
            let Some(low) = self.not_zero(*carry) else { continue };
            let n = self.width(low);
            for high in parts.iter().filter(|h| *h != carry && self.width(**h) == p.width) {
                if n + p.width > 64 {
                    continue;
                }
                let Some(both) = self.neighbours(low, *high, n + p.width) else { continue };
                let minus = self.number_of(|| self.terms.neg(&both), self.poly(both).scaled(u128::MAX));
                let upper = self.slice(minus, n, p.width);
                if self.polys.borrow().contains_key(&upper) || self.known(upper).is_some() {
                    continue;
                }
                for part in [*carry, *high] {
                    p.terms.remove(&Monomial::from_slice(&[part]));
                }
                p.plus(Monomial::from_slice(&[upper]), 1);
                if let Some(before) = before {
                    self.note_joined(mark, (&before, p), [*carry, *high]);
                }
                return true;
            }
        }
        false
    }

    /// The number that is not zero where a condition holds, as the carry of the number and the greatest of its width.
    fn not_zero(&self, carry: TermId) -> Option<TermId> {
        let Node::Extract { low, a: sum } = self.terms.node(carry) else { return None };
        let p = self.polys.borrow().get(&sum).cloned()?;
        let (m, c) = p.terms.iter().next()?;
        let one = p.terms.len() == 1 && m.len() == 1 && *c == 1 && self.width(m[0]) == low;
        (one && p.width == low + 1 && p.constant == ones(low)).then(|| m[0])
    }

    /// Row `masked`: among summands, x under copies of a condition is x times the condition.
    fn masked(&self, a: TermId, among: bool) -> Option<(Poly, u32)> {
        let Node::Binary(B::And, x, y) = self.terms.node(a) else { return None };
        let width = self.width(a);
        let condition = |t: TermId| {
            let p = self.poly(t);
            let (m, c) = p.terms.iter().next()?;
            let copies = p.terms.len() == 1 && p.constant == 0 && m.len() == 1 && *c == ones(width);
            (copies && self.width(m[0]) == 1).then(|| m[0])
        };
        let (c, x) = condition(x).map(|c| (c, y)).or_else(|| condition(y).map(|c| (c, x)))?;
        let known = self.poly(x).terms.len() <= 1 && among;
        known.then(|| {
            let mut p = Poly::constant(width, 0);
            p.plus([c, x].into_iter().collect(), 1);
            (p, 0)
        })
    }

    /// What an atom of a summand is to be replaced by, and by how many powers of two the coefficient shrinks then.
    fn replacement(&self, m: &Monomial, c: u128, i: usize, width: u32) -> Option<(Poly, u32)> {
        let (a, n) = (m[i], self.width(m[i]));
        let twos = c.trailing_zeros();
        if n == 1 {
            // Row `condition-sign`: 1 - ¬c.
            let f = self.diagram(a);
            if !self.diagrams.borrow().positive(f) {
                let mut p = Poly::constant(width, 1);
                p.plus(smallvec![self.complement(a)], u128::MAX);
                return Some((p, 0));
            }
        }
        let own = self.polys.borrow().get(&a).cloned();
        if let Some(own) = own {
            return self.sum_as_summand(a, &own, c, width).map(|p| (p, 0));
        }
        if let Node::Extract { low, a: whole } = self.terms.node(a) {
            let sum = self.polys.borrow().get(&whole).cloned();
            if let Some(sum) = sum {
                return self.part_as_summand((a, low), (whole, &sum), c, width);
            }
            // Row `slice-widen`: bits that the coefficient shifts out may be there. Factors of products stay within the limbs of row `limbs`.
            let longest = (self.width(whole) - low).min(if m.len() == 1 { width } else { width.min(32) });
            if twos + n >= width && longest > n {
                return Some((self.lifted(self.slice(whole, low, longest), width), 0));
            }
        }
        // The same of a choice between such bits.
        let longest = if m.len() == 1 { width } else { width.min(32) };
        if n < longest
            && twos + n >= width
            && let Some(longer) = self.widened_choice(a, longest)
        {
            return Some((self.lifted(longer, width), 0));
        }
        // Row `limbs`.
        if m.len() > 1 && n > 32 {
            let mut p = Poly::constant(width, 0);
            for at in (0..n).step_by(32) {
                let part = self.slice(a, at, 32.min(n - at));
                p.plus_scaled(&self.lifted(part, width), 1 << at);
            }
            return Some((p, 0));
        }
        None
    }

    /// What a sum that is a summand with the coefficient `c`, an atom so far, is replaced by.
    fn sum_as_summand(&self, a: TermId, own: &Poly, c: u128, width: u32) -> Option<Poly> {
        let n = self.width(a);
        let twos = c.trailing_zeros();
        let width_of = |t: TermId| self.width(t);
        if let Some((c, one, zero)) = self.choice(own) {
            let mut p = Poly::constant(width, zero);
            p.plus(smallvec![c], one.wrapping_sub(zero));
            return Some(p);
        }
        // Row `zext-sum`: no wrap, or a wrap that the coefficient shifts out.
        let fits = own.most(&width_of).is_some_and(|most| most <= ones(n));
        if twos + n >= width || fits {
            let made = own.widened(width);
            self.note_widened((a, own), &made, (!fits).then_some((twos, c)));
            return Some(made);
        }
        // The same with upper coefficients as they stand: copies of a sign above what it is the sign of.
        if own.greatest(&width_of).is_some_and(|most| most <= ones(n)) {
            let made = own.extended(width);
            self.note_widened((a, own), &made, None);
            return Some(made);
        }
        // Row `zext-even`: the bits below are the constant's.
        let even = own.terms.values().map(|c| c.trailing_zeros()).min().unwrap_or(0);
        if even > 0 {
            let mut p = self.lifted(self.slice(a, even, n - even), width).scaled(1 << even);
            p.plus(Monomial::new(), own.constant & ones(even));
            self.note_even((a, own), even, own.constant & ones(even), &p);
            return Some(p);
        }
        // Row `zext-complement`.
        if own.negative() {
            let mut p = Poly::constant(width, ones(n));
            let other =
                self.number_of(|| self.terms.sub(&self.terms.constant(n, u128::MAX), &a), own.complement());
            p.plus_scaled(&self.lifted(other, width), u128::MAX);
            return Some(p);
        }
        None
    }

    /// What bits of a sum from `low` on that are a summand with the coefficient `c`, an atom so far, are replaced by, and by how many powers of two
    /// the coefficient shrinks then: with the bits below they are the sum.
    fn part_as_summand(
        &self,
        (a, low): (TermId, u32),
        (whole, sum): (TermId, &Poly),
        c: u128,
        width: u32,
    ) -> Option<(Poly, u32)> {
        let (n, all) = (self.width(a), self.width(whole));
        let (mark, twos) = (self.mark(), c.trailing_zeros());
        let width_of = |t: TermId| self.width(t);
        // Row `borrow-rejoin`: a difference that is negative where its upper bit is set.
        let range = sum.range(&width_of);
        if n == 1
            && low + 1 == all
            && all <= width
            && twos >= low
            && range.is_some_and(|(least, most)| least >= -(1 << low) && most < 1 << low)
        {
            let rest = self.slice(whole, 0, low);
            let mut p = self.lifted(rest, width);
            p.plus_scaled(&sum.widened(width), u128::MAX);
            let wide = sum.widened(width);
            self.note_lifted(self.mark(), (whole, sum), Lift::Signed, width, &wide);
            self.note_rejoined(mark, (a, c, low), (rest, whole), (&wide, &p), true);
            return Some((p, low));
        }
        // Row `carry-rejoin`: 2^l·(s >> l) = s - (s mod 2^l).
        if low + n == all && twos >= low {
            let fits = sum.most(&width_of).is_some_and(|most| most <= ones(all));
            let mut p = match (all > width, fits || twos - low + all >= width) {
                (true, _) => self.cut(sum, width),
                (_, true) => sum.widened(width),
                _ => Poly::atom(width, whole),
            };
            match (all > width, fits) {
                (true, _) => self.note_lifted(mark, (whole, sum), Lift::Cut, width, &p),
                (_, true) => self.note_lifted(mark, (whole, sum), Lift::Fits, width, &p),
                _ if p.single() != Some(whole) => {
                    self.note_widened((whole, sum), &p, Some((twos - low, left_of(c, low, width))));
                }
                _ => {}
            }
            let wide = p.clone();
            let part = self.slice(whole, 0, low);
            p.plus_scaled(&self.lifted_into(part, width), u128::MAX);
            self.note_rejoined(mark, (a, c, low), (part, whole), (&wide, &p), false);
            return Some((p, low));
        }
        None
    }

    /// A normal form of any width as a summand: lifted if it is narrower, cut if it is wider.
    fn lifted_into(&self, t: TermId, width: u32) -> Poly {
        if self.width(t) <= width {
            self.lifted(t, width)
        } else {
            self.lifted(self.slice(t, 0, width), width)
        }
    }

    /// Rows `slices-join` and `selections-join`: neighbours become one.
    fn join(&self, p: &mut Poly) -> bool {
        let mut parts: Vec<(TermId, u128)> =
            p.terms.iter().filter(|(m, _)| m.len() == 1).map(|(m, c)| (m[0], *c)).collect();
        parts.sort_unstable_by_key(|(a, _)| *a);
        let mask = ones(p.width);
        for &(a, c) in &parts {
            let n = self.width(a);
            if n >= p.width {
                continue;
            }
            for &(b, e) in &parts {
                // Row `slices-part`: what is left of bits less the lowest of them.
                if a == b || e != c.wrapping_neg() & mask || n >= self.width(b) {
                    continue;
                }
                let (mark, before) = (self.mark(), self.is_traced().then(|| p.clone()));
                let Some(rest) = self.rest(a, b) else { continue };
                p.terms.remove(&Monomial::from_slice(&[a]));
                p.terms.remove(&Monomial::from_slice(&[b]));
                match self.width(rest) > p.width {
                    true => p.plus_scaled(&self.lifted(self.slice(rest, 0, p.width), p.width), e << n),
                    false => p.plus_scaled(&self.lifted(rest, p.width), e << n),
                }
                if let Some(before) = before {
                    self.note_joined(mark, (&before, p), [a, b]);
                }
                return true;
            }
            let above = c.wrapping_shl(n) & mask;
            if above == 0 {
                continue;
            }
            for &(b, e) in &parts {
                if e != above || a == b {
                    continue;
                }
                let whole = (n + self.width(b)).min(p.width);
                let (mark, before) = (self.mark(), self.is_traced().then(|| p.clone()));
                let Some(both) = self.neighbours(a, b, whole) else { continue };
                self.note_since(mark, || (self.terms.extract(&self.terms.concat(&b, &a), 0, whole), both));
                p.terms.remove(&Monomial::from_slice(&[a]));
                p.terms.remove(&Monomial::from_slice(&[b]));
                p.plus_scaled(&self.lifted(both, p.width), c);
                if let Some(before) = before {
                    self.note_joined(mark, (&before, p), [a, b]);
                }
                return true;
            }
        }
        false
    }

    /// The bits of a slice above another of the same word that begins where it does.
    fn rest(&self, low: TermId, whole: TermId) -> Option<TermId> {
        let piece = |t: TermId| match self.terms.node(t) {
            Node::Extract { low, a } => (a, low),
            _ => (t, 0),
        };
        let (x, y) = (piece(low), piece(whole));
        if x != y || self.polys.borrow().contains_key(&x.0) {
            return None;
        }
        let n = self.width(low);
        Some(self.slice(whole, n, self.width(whole) - n))
    }

    /// `high:low` as one slice or one selection of `width` bits.
    fn neighbours(&self, low: TermId, high: TermId, width: u32) -> Option<TermId> {
        let d = self.terms;
        let (l, h) = (d.node(low), d.node(high));
        let piece = |node: &Node, t: TermId| match node {
            Node::Extract { low, a } => (*a, *low),
            _ => (t, 0),
        };
        let ((x, from), (y, at)) = (piece(&l, low), piece(&h, high));
        if x == y && at == from + self.width(low) && !self.polys.borrow().contains_key(&x) {
            return Some(self.slice(x, from, width));
        }
        if let (Node::Ite(c, a, b), Node::Ite(e, f, g)) = (l, h)
            && c == e
        {
            let mark = self.mark();
            let cut = |h, l| {
                let mark = self.mark();
                let made = self.slice(self.concat(h, l), 0, width);
                self.note_since(mark, || (d.extract(&d.concat(&h, &l), 0, width), made));
                made
            };
            let (x, y) = (cut(f, a), cut(g, b));
            let both = || d.extract(&d.concat(&high, &low), 0, width);
            self.note_since(mark, || (both(), d.ite(&c, &x, &y)));
            let made = self.select(c, x, y);
            self.note_since(mark, || (both(), made));
            return Some(made);
        }
        // Row `runs-join`: the uppermost of several runs side by side.
        let own = self.polys.borrow().get(&low).cloned()?;
        let mut runs = self.segments(&own).filter(|all| all.len() > 1)?;
        let top = runs.pop()?;
        let bits = self.neighbours(top.bits, high, width - top.low)?;
        runs.push(Segment { width: width - top.low, bits, ..top });
        Some(self.gather(&runs, 0, width))
    }
}
