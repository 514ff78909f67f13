//! From terms to forms.

use super::sum::Sum;
use super::{Integers, LIMB, MOST, Operation};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, TermId, UnaryOp as U};
use std::rc::Rc;

/// Widest word whose value is written exactly.
const WIDEST: u32 = 120;
/// A mask of more runs of ones than this is an operation that is not understood.
const RUNS: usize = 3;

impl Integers<'_> {
    /// The form of a term, by number: two terms of one form are equal.
    pub fn form(&mut self, term: TermId) -> u32 {
        let mut stack = vec![(term, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.of_terms.contains_key(&t) {
                continue;
            }
            let node = self.terms.node(t);
            if ready {
                let form = self.made(&node, self.terms.width_of(t));
                self.of_terms.insert(t, form);
            } else {
                stack.push((t, true));
                stack.extend(node.operands().into_iter().map(|o| (o, false)));
            }
        }
        self.of_terms[&term]
    }

    pub(super) fn number(&mut self, width: u32, sum: Sum) -> u32 {
        let key = (width, Rc::new(if width == 1 { sum } else { sum.modulo(width) }));
        let next = self.forms.len() as u32;
        let id = *self.numbers.entry(key.clone()).or_insert(next);
        if id == next {
            self.forms.push(key);
        }
        id
    }

    fn made(&mut self, node: &Node, width: u32) -> u32 {
        let function = self.function(node, width);
        if let Some(form) = function.and_then(|f| self.known_function(f, width)) {
            return form;
        }
        let by_bits = function.filter(|_| width > 1).and_then(|f| self.masked_function(f, width));
        let sum = match (width, by_bits) {
            (_, Some(sum)) => Some(sum),
            (1, None) => self.condition(node),
            (_, None) => self.word(node, width),
        };
        let sum = match (sum.filter(|s| s.terms.len() <= MOST), function) {
            (Some(sum), _) => sum,
            (None, Some(f)) => self.value_of_operation(Operation::Bitwise(f, width), width),
            (None, None) => self.unknown(node, width),
        };
        if width == 1 {
            // A bit is known exactly.
            self.keep_range(&sum, (0, 1));
        }
        let form = self.number(width, sum);
        if let Some(f) = function {
            self.functions.entry(form).or_insert(f);
            self.by_function.insert((f, width), form);
        }
        if width > 1
            && !self.extremes.contains_key(&form)
            && !self.values.contains_key(&form)
            && let Some((value, range)) = self.plain(node, width)
            && value.terms.len() <= MOST
        {
            self.keep_range(&value, range);
            self.values.insert(form, Some(Rc::new(value)));
        }
        form
    }

    pub(super) fn of(&self, t: TermId) -> u32 {
        self.of_terms[&t]
    }

    /// The sum of a term's form: modulo its width, or exact if it is one bit.
    fn sum(&self, t: TermId) -> Rc<Sum> {
        self.forms[self.of(t) as usize].1.clone()
    }

    fn known(&self, t: TermId) -> Option<u128> {
        self.constant(self.of(t))
    }

    /// The value of a term, without sign.
    fn value(&mut self, t: TermId) -> Option<Rc<Sum>> {
        self.value_of(self.of(t))
    }

    /// The value of a form, without sign.
    pub(super) fn value_of(&mut self, form: u32) -> Option<Rc<Sum>> {
        if let Some(known) = self.values.get(&form) {
            return known.clone();
        }
        let (width, sum) = self.forms[form as usize].clone();
        let value = match width {
            1 => Some(sum),
            _ => self.wrapped(&sum, width).map(Rc::new),
        };
        if let (Some(value), 2..) = (&value, width) {
            let value = value.clone();
            self.keep_range(&value, (0, (1 << width) - 1));
        }
        self.values.insert(form, value.clone());
        value
    }

    /// The value of a term, and its range.
    fn ranged(&mut self, t: TermId) -> Option<(Rc<Sum>, (i128, i128))> {
        let value = self.value(t)?;
        let range = self.range(&value)?;
        Some((value, range))
    }

    /// The value of a word that does not wrap, or is made of bits that stand side by side; and its range.
    fn plain(&mut self, node: &Node, width: u32) -> Option<(Sum, (i128, i128))> {
        if width > WIDEST {
            return None;
        }
        let (value, (least, most)) = match node {
            Node::Zext(a) => {
                let (value, range) = self.ranged(*a)?;
                ((*value).clone(), range)
            }
            Node::Concat(h, l) => {
                let (low, (a, b)) = self.ranged(*l)?;
                let (high, (c, e)) = self.ranged(*h)?;
                let scale = 1i128 << self.terms.width_of(*l);
                (low.and(&high, scale)?, (a + c * scale, b + e * scale))
            }
            Node::Binary(op @ (B::Add | B::Sub | B::Mul), a, b) => {
                let ((x, (a, b)), (y, (c, e))) = (self.ranged(*a)?, self.ranged(*b)?);
                match op {
                    B::Add => (x.and(&y, 1)?, (a + c, b + e)),
                    B::Sub => (x.and(&y, -1)?, (a - e, b - c)),
                    _ => (self.product(&x, &y, None)?, (a.checked_mul(c)?, b.checked_mul(e)?)),
                }
            }
            Node::Extract { low, a } => {
                let (value, (least, most)) = self.ranged(*a)?;
                if most >> low >> width != 0 || *low >= 126 {
                    return None;
                }
                (self.floor(&value, 1 << low)?, (least >> low, most >> low))
            }
            Node::Binary(op @ (B::LShr | B::UDiv | B::URem | B::And), a, b) => {
                let (value, (least, most)) = self.ranged(*a)?;
                let c = i128::try_from(self.known(*b)?).ok()?;
                match op {
                    B::LShr if c < width.into() => (self.floor(&value, 1 << c)?, (least >> c, most >> c)),
                    B::UDiv if c > 0 => (self.floor(&value, c)?, (least / c, most / c)),
                    B::URem if c > 0 => (value.and(&self.floor(&value, c)?, -c)?, (0, c - 1)),
                    B::And => (self.masked(self.of(*a), c as u128, width)?, (0, c)),
                    _ => return None,
                }
            }
            Node::Ite(c, a, b) => {
                let ((x, (least, most)), (y, (l, m))) = (self.ranged(*a)?, self.ranged(*b)?);
                let c = self.sum(*c);
                let chosen = self.product(&c, &x.and(&y, -1)?, None)?;
                (y.and(&chosen, 1)?, (least.min(l), most.max(m)))
            }
            _ => return None,
        };
        (least >= 0 && most >> width == 0).then_some((value, (least, most)))
    }

    /// Row `wrap`: s mod 2^n = s − 2^n·⌊s / 2^n⌋.
    fn wrapped(&mut self, sum: &Sum, width: u32) -> Option<Sum> {
        if width > WIDEST {
            return None;
        }
        sum.and(&self.floor(sum, 1 << width)?, -(1i128 << width))
    }

    /// The value of a term as a signed number: less 2^n where the sign is set.
    fn signed(&mut self, t: TermId) -> Option<Sum> {
        let width = self.terms.width_of(t);
        let value = self.value(t)?;
        if width == 1 {
            return value.times(-1);
        }
        let sign = self.floor(&value, 1 << (width - 1))?;
        let signed = value.and(&sign, -(1i128 << width))?;
        if signed != *value {
            let half = 1i128 << (width - 1);
            self.keep_range(&signed, (-half, half - 1));
        }
        Some(signed)
    }

    /// Bits of a number that is known modulo a width that reaches them: modulo theirs, exactly if it is one.
    pub(super) fn bits(&mut self, sum: &Sum, low: u32, width: u32) -> Option<Sum> {
        if low >= 126 {
            return None;
        }
        let upper = self.floor(sum, 1 << low)?;
        match width {
            1 => {
                // As a number of its own: of what is even nothing is left.
                let upper = upper.modulo(1);
                upper.and(&self.floor(&upper, 2)?, -2)
            }
            _ => Some(upper.modulo(width)),
        }
    }

    fn condition(&mut self, node: &Node) -> Option<Sum> {
        let product = |s: &Self, a: &Sum, b: &Sum| s.product(a, b, None);
        match node {
            Node::Constant(c) => Some(Sum::constant((*c & 1) as i128)),
            Node::Unary(U::Not, a) => Sum::constant(1).and(&self.sum(*a), -1),
            Node::Unary(U::Neg, a) => Some((*self.sum(*a)).clone()),
            Node::Binary(op, a, b) => {
                let (a, b) = (self.sum(*a), self.sum(*b));
                let both = product(self, &a, &b)?;
                match op {
                    B::And | B::Mul => Some(both),
                    B::Or => a.and(&b, 1)?.and(&both, -1),
                    B::Xor | B::Add | B::Sub => a.and(&b, 1)?.and(&both, -2),
                    _ => None,
                }
            }
            Node::Compare(op, a, b) => self.comparison(*op, *a, *b),
            Node::Extract { low, a } => {
                let (sum, whole) = (self.sum(*a), self.terms.width_of(*a));
                // Row `upper-bit`: of a value that has no bits above it.
                if whole > 1
                    && let Some((value, (least, most))) = self.ranged(*a)
                    && least >= 0
                    && *low < 126
                    && most >> low <= 1
                {
                    return self.floor(&value, 1 << low);
                }
                self.bits(&sum, *low, 1)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.sum(*c), self.sum(*a), self.sum(*b));
                b.and(&product(self, &c, &a.and(&b, -1)?)?, 1)
            }
            _ => None,
        }
    }

    /// Rows `below` and `less`: a < b as −⌊(a − b) / 2^n⌋.
    fn comparison(&mut self, op: C, a: TermId, b: TermId) -> Option<Sum> {
        let width = self.terms.width_of(a);
        if self.of(a) == self.of(b) {
            return Some(Sum::constant(i128::from(!matches!(op, C::ULt | C::SLt))));
        }
        if width > WIDEST {
            return None;
        }
        let (first, second) = if matches!(op, C::ULe | C::SLe) { (b, a) } else { (a, b) };
        let (x, y) = match op {
            C::Eq => return self.equality(a, b, width),
            C::ULt | C::ULe => ((*self.value(first)?).clone(), (*self.value(second)?).clone()),
            C::SLt | C::SLe => (self.signed(first)?, self.signed(second)?),
        };
        let below = self.floor(&x.and(&y, -1)?, 1 << width)?.times(-1)?;
        if matches!(op, C::ULe | C::SLe) { Sum::constant(1).and(&below, -1) } else { Some(below) }
    }

    /// Of bits as functions; of words as an atom of their difference, whichever way it is taken.
    fn equality(&mut self, a: TermId, b: TermId, width: u32) -> Option<Sum> {
        let (x, y) = (self.sum(a), self.sum(b));
        if width == 1 {
            let both = self.product(&x, &y, None)?;
            return Sum::constant(1).and(&x, -1)?.and(&y, -1)?.and(&both, 2);
        }
        let difference = x.and_modulo(&y, -1, width);
        if let Some(c) = difference.known() {
            return Some(Sum::constant(i128::from(c == 0)));
        }
        let other = Sum::default().and_modulo(&difference, -1, width);
        let positive = |s: &Sum| s.terms.values().next().is_some_and(|c| *c > 0);
        let one = if positive(&difference) { difference } else { other };
        let form = self.number(width, one);
        let zero = self.number(width, Sum::default());
        let key = Node::Compare(C::Eq, TermId(form), TermId(zero));
        Some(self.value_of_operation(Operation::Other(key, 1), 1))
    }

    fn word(&mut self, node: &Node, width: u32) -> Option<Sum> {
        match node {
            Node::Constant(c) => Some(Sum::constant(*c as i128)),
            Node::Unary(U::Not, a) => Some(Sum::constant(-1).and_modulo(&self.sum(*a), -1, width)),
            Node::Unary(U::Neg, a) => Some(Sum::default().and_modulo(&self.sum(*a), -1, width)),
            Node::Binary(op, a, b) => self.operation(*op, *a, *b, width),
            Node::Extract { low: 0, a } => Some(self.sum(*a).modulo(width)),
            Node::Extract { low, a } => {
                let sum = self.sum(*a);
                self.bits(&sum, *low, width)
            }
            Node::Concat(h, l) => {
                let low = self.value(*l)?;
                let shift = 1i128.checked_shl(self.terms.width_of(*l)).filter(|s| *s > 0)?;
                Some(low.and_modulo(&self.sum(*h), shift, width))
            }
            Node::Zext(a) => Some((*self.value(*a)?).clone()),
            Node::Sext(a) => self.signed(*a),
            Node::Ite(c, a, b) => {
                if let Some(extreme) = self.extreme(*c, *a, *b, width) {
                    return Some(extreme);
                }
                let (c, a, b) = (self.sum(*c), self.sum(*a), self.sum(*b));
                let chosen = self.product(&c, &a.and_modulo(&b, -1, width), Some(width))?;
                Some(b.and_modulo(&chosen, 1, width))
            }
            _ => None,
        }
    }

    fn operation(&mut self, op: B, a: TermId, b: TermId, width: u32) -> Option<Sum> {
        let (x, y) = (self.sum(a), self.sum(b));
        let (left, right) = (self.known(a), self.known(b));
        match op {
            B::Add => Some(x.and_modulo(&y, 1, width)),
            B::Sub => Some(x.and_modulo(&y, -1, width)),
            B::Mul => self.product(&x, &y, Some(width)),
            B::Shl | B::LShr | B::AShr if right.is_none() => {
                let by = (*self.value(b)?).clone();
                self.shift(op, &x, by, width)
            }
            B::Shl => match right? {
                c if c >= width.into() => Some(Sum::default()),
                c => Some(Sum::default().and_modulo(&x, 1i128.wrapping_shl(c as u32), width)),
            },
            B::LShr => match right? {
                c if c >= width.into() => Some(Sum::default()),
                c => {
                    let value = self.value(a)?;
                    self.floor(&value, 1 << c)
                }
            },
            B::AShr => {
                let signed = self.signed(a)?;
                self.floor(&signed, 1 << right?.min(u128::from(width) - 1))
            }
            B::UDiv | B::URem | B::SDiv | B::SRem => {
                let by = i128::try_from(right?).ok().filter(|d| *d > 0 && width <= 64)?;
                let signed = matches!(op, B::SDiv | B::SRem);
                let value = if signed { self.signed(a)? } else { (*self.value(a)?).clone() };
                let by = if signed && by >> (width - 1) == 1 { by - (1 << width) } else { by };
                // The remainder has the dividend's sign, whatever that of the divisor.
                let quotient = self.quotient(&value, by.abs())?;
                match op {
                    B::UDiv | B::SDiv => quotient.times(by.signum()),
                    _ => value.and(&quotient, -by.abs()),
                }
            }
            B::And | B::Or | B::Xor => {
                let (t, mask) = match (left, right) {
                    (Some(mask), None) => (b, mask),
                    (None, Some(mask)) => (a, mask),
                    _ => return self.apart(op, a, b, width),
                };
                let Some(under) = self.masked(self.of(t), mask, width) else {
                    // Row `bitwise-halves`: a mask of many runs is a word like others.
                    return if width == 2 * LIMB { self.by_halves(op, &x, &y) } else { None };
                };
                let all = self.sum(t).and_modulo(&Sum::constant(mask as i128), 1, width);
                Some(match op {
                    B::And => under.modulo(width),
                    B::Or => all.and_modulo(&under, -1, width),
                    _ => all.and_modulo(&under, -2, width),
                })
            }
        }
    }

    /// Row `masked-runs`: the bits of a word under a mask of few runs of ones.
    pub(super) fn masked(&mut self, form: u32, mask: u128, width: u32) -> Option<Sum> {
        let mut runs = Vec::new();
        let mut at = 0;
        while at < width && mask >> at != 0 {
            at += (mask >> at).trailing_zeros();
            let ones = (mask >> at).trailing_ones().min(width - at);
            runs.push((at, ones));
            at += ones;
        }
        if runs.len() > RUNS || width > WIDEST {
            return None;
        }
        let value = self.value_of(form)?;
        let mut sum = Sum::default();
        for (low, ones) in runs {
            let (from, to) = (self.floor(&value, 1 << low)?, self.floor(&value, 1 << (low + ones))?);
            sum = sum.and(&from, 1 << low)?.and(&to, -(1i128 << (low + ones)))?;
        }
        Some(sum)
    }

    /// Row `apart`: an or of words that have no bit in common is their sum.
    fn apart(&mut self, op: B, a: TermId, b: TermId, width: u32) -> Option<Sum> {
        for (mask, t) in [(a, b), (b, a)] {
            // Row `masked-sign`: under copies of a condition, the product with it.
            let (mask, sum) = (self.sum(mask), self.sum(t));
            if mask.terms.len() == 1
                && mask.constant == 0
                && let Some((-1, 0)) = self.range(&mask)
            {
                let under = self.product(&mask.times(-1)?, &sum, Some(width))?;
                let all = sum.and_modulo(&mask, 1, width);
                return Some(match op {
                    B::And => under,
                    B::Or => all.and_modulo(&under, -1, width),
                    _ => all.and_modulo(&under, -2, width),
                });
            }
        }
        for (high, low) in [(a, b), (b, a)].into_iter().filter(|_| op != B::And && width <= WIDEST) {
            let (upper, lower) = (self.sum(high), self.value(low)?);
            let all = upper.terms.values().chain([&upper.constant]).filter(|c| **c != 0);
            let even = all.map(|c| c.trailing_zeros()).min().unwrap_or(0);
            if let Some((0.., most)) = self.range(&lower)
                && most >> even == 0
            {
                return Some(upper.and_modulo(&lower, 1, width));
            }
        }
        if width != 2 * LIMB {
            return None;
        }
        let (x, y) = (self.sum(a), self.sum(b));
        self.by_halves(op, &x, &y)
    }
}
