//! Conversions: which modifiers matter, what is exact, and which go through another format.

use super::Normal;
use super::poly::ones;
use sassafras_semantics::term::Node;
use sassafras_semantics::vocabulary::Rounding;
use sassafras_semantics::{Approximation, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, TermId};
use smallvec::smallvec;

/// Bits of the significand, the hidden one among them.
const fn precision(format: FloatFormat) -> u32 {
    format.fraction_bits() + 1
}

/// Whether each number of a format is one of the other, which is a wider one.
fn widens(from: FloatFormat, to: FloatFormat) -> bool {
    from.width() < to.width()
}

/// Whether bits are a NaN.
fn is_nan(format: FloatFormat, bits: u128) -> bool {
    let fraction = precision(format) - 1;
    let magnitude = bits & (ones(format.width()) >> 1);
    magnitude > ones(format.width() - 1) & !ones(fraction)
}

const EXACT: FloatMode = FloatMode { rounding: Rounding::NearestEven, ftz: false, sat: false };

impl Normal<'_> {
    /// A conversion of an operand in normal form.
    pub(super) fn conversion(&self, node: &Node, width: u32) -> TermId {
        let d = self.terms;
        match node {
            // Row `convert-same`: a conversion within a format is a sum with −0; those of 16 bits do not flush.
            Node::FloatToFloat { from, to, mode, a }
                if from == to && *to != FloatFormat::F64 && mode.rounding == Rounding::NearestEven =>
            {
                self.plus_nothing(*a, *to, FloatMode { ftz: mode.ftz && *to == FloatFormat::F32, ..*mode })
            }
            // Row `convert-clamped`: clamping is a sum with −0 behind the conversion.
            Node::FloatToFloat { from, to, mode, a } if from != to && mode.sat => {
                let plain = Node::FloatToFloat {
                    from: *from,
                    to: *to,
                    mode: FloatMode { sat: false, ..*mode },
                    a: *a,
                };
                self.plus_nothing(self.conversion(&plain, width), *to, FloatMode { sat: true, ..EXACT })
            }
            // Row `convert-flushed`: to flush and convert is a sum with −0 that flushes, converted.
            Node::FloatToFloat {
                from: FloatFormat::F32,
                to: to @ (FloatFormat::F64 | FloatFormat::F16),
                mode,
                a,
            } if mode.ftz => {
                let a = self.plus_nothing(*a, FloatFormat::F32, FloatMode { ftz: true, ..EXACT });
                let (from, to, mode) = (FloatFormat::F32, *to, FloatMode { ftz: false, ..*mode });
                self.conversion(&Node::FloatToFloat { from, to, mode, a }, width)
            }
            Node::FloatToFloat { from, to, mode, a } if from != to => {
                let mut mode = *mode;
                self.format_rows(*from, *to, &mut mode);
                match self.through(*from, *to, mode, *a) {
                    Some(simpler) => self.conversion(&simpler, width),
                    None => d.make(Node::FloatToFloat { from: *from, to: *to, mode, a: *a }, width),
                }
            }
            Node::FloatToInt { from, signed, mode, nan, a } => {
                let (mut from, mut mode, mut a) = (*from, *mode, *a);
                // Row `integer-of-wide`: of what was widened, of what it was before.
                if let Node::FloatToFloat { from: narrow, to, mode: inner, a: x } = d.node(a)
                    && to == from
                    && !narrow.is_fp8()
                    && widens(narrow, to)
                    && !inner.ftz
                    && !inner.sat
                    && !(mode.ftz && narrow == FloatFormat::Bf16)
                {
                    (from, a) = (narrow, x);
                    mode.ftz = false;
                }
                // Row `integer-of-nan`: every NaN becomes the same.
                if let Some(x) = self.any_nan(from, a) {
                    let node = Node::FloatToInt { from, signed: *signed, mode, nan: *nan, a: x };
                    return self.conversion(&node, width);
                }
                // Row `integer-flushed`: what is flushed would be rounded to zero.
                mode.ftz &=
                    from == FloatFormat::F32 && matches!(mode.rounding, Rounding::Up | Rounding::Down);
                // Row `integer-of-upper-half`: a binary32 number whose lower half is zero is a bfloat16 number.
                if from == FloatFormat::F32
                    && !mode.ftz
                    && self.known(a).is_none()
                    && self.poly(a).evenness() >= 16
                {
                    (from, a) = (FloatFormat::Bf16, self.slice(a, 16, 16));
                }
                d.make(Node::FloatToInt { from, signed: *signed, mode, nan: *nan, a }, width)
            }
            // The same of an integer's.
            Node::IntToFloat { signed, to, mode, a } if mode.sat => {
                let mode = FloatMode { sat: false, ..*mode };
                let plain = Node::IntToFloat { signed: *signed, to: *to, mode, a: *a };
                self.plus_nothing(self.conversion(&plain, width), *to, FloatMode { sat: true, ..EXACT })
            }
            Node::IntToFloat { signed, to, mode, a } => self.integer(*signed, *to, *mode, *a, width),
            other => d.make(other.clone(), width),
        }
    }

    /// What is x but for the payload of a NaN: a choice of a known NaN where x is one, else of x.
    pub(super) fn any_nan(&self, of: FloatFormat, t: TermId) -> Option<TermId> {
        let d = self.terms;
        let Node::Ite(c, k, x) = d.node(t) else { return None };
        let known = self.known(k).is_some_and(|k| is_nan(of, k));
        let apart = matches!(d.node(c), Node::FloatRelation { relation: FloatRelation::Unordered, format, args, .. }
            if format == of && args == [x, x]);
        (known && apart).then_some(x)
    }

    fn plus_nothing(&self, a: TermId, format: FloatFormat, mode: FloatMode) -> TermId {
        let width = format.width();
        let args = smallvec![a, self.terms.constant(width, 1 << (width - 1))];
        self.float_node(&Node::Float { op: FloatOp::Add, format, mode, args }, width, &|t| *t)
    }

    /// Row `convert-modifiers`: what is widened is not rounded; `.ftz` is about binary32 alone, and no half is as small as its
    /// subnormals, nor rounded to one.
    fn format_rows(&self, from: FloatFormat, to: FloatFormat, mode: &mut FloatMode) {
        let half = FloatFormat::F16;
        let near = matches!(mode.rounding, Rounding::NearestEven | Rounding::Zero);
        if widens(from, to) {
            mode.rounding = Rounding::NearestEven;
        }
        let binary32 = from == FloatFormat::F32 || to == FloatFormat::F32;
        mode.ftz &= binary32 && from != half && !(to == half && near);
    }

    /// Rows `convert-through` and `convert-integer`: two conversions, the first of which is exact, are one.
    fn through(&self, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: TermId) -> Option<Node> {
        let d = self.terms;
        // Conversions of 8-bit formats are no more than names here: they saturate, and E4M3 has its own layout.
        if from.is_fp8() || to.is_fp8() {
            return None;
        }
        match d.node(a) {
            Node::FloatToFloat { from: first, to: middle, mode: inner, a: x }
                if middle == from
                    && !first.is_fp8()
                    && widens(first, middle)
                    && inner == EXACT
                    && !mode.ftz =>
            {
                Some(Node::FloatToFloat { from: first, to, mode, a: x })
            }
            Node::IntToFloat { signed, to: middle, mode: inner, a: x }
                if middle == from && inner == EXACT && self.width(x) <= precision(middle) =>
            {
                Some(Node::IntToFloat { signed, to, mode: FloatMode { ftz: false, ..mode }, a: x })
            }
            _ => None,
        }
    }

    fn integer(&self, signed: bool, to: FloatFormat, mut mode: FloatMode, a: TermId, width: u32) -> TermId {
        let d = self.terms;
        mode.ftz = false;
        // Row `integer-choice`: of one of two numbers, one of two.
        if let Some((c, one, zero)) = self.choice(&self.poly(a)) {
            let of = |bits: u128| d.int_to_float(signed, to, mode, &d.constant(self.width(a), bits));
            return self.select(c, of(one), of(zero));
        }
        // Row `integer-extended`: of an extension, of what is extended.
        let (mut signed, mut a) = (signed, a);
        loop {
            match (self.extended(a), self.sign_extended(a)) {
                (Some(x), _) => (signed, a) = (false, x),
                (_, Some(x)) if signed => a = x,
                _ => break,
            }
        }
        // Row `integer-exact`.
        if self.width(a) <= precision(to) && !mode.sat && to != FloatFormat::F16 {
            mode.rounding = Rounding::NearestEven;
        }
        d.make(Node::IntToFloat { signed, to, mode, a }, width)
    }

    /// What a number is the sign extension of: x − 2^n·sign x.
    fn sign_extended(&self, a: TermId) -> Option<TermId> {
        let p = self.poly(a);
        if p.terms.len() != 2 || p.constant != 0 {
            return None;
        }
        p.terms.iter().find_map(|(m, c)| {
            let x = *m.first().filter(|_| m.len() == 1 && *c == 1)?;
            let n = self.width(x);
            if !(2..p.width).contains(&n) {
                return None;
            }
            let sign = self.slice(x, n - 1, 1);
            let scale = (1u128 << n).wrapping_neg() & ones(p.width);
            (p.terms.get(&[sign][..]) == Some(&scale)).then_some(x)
        })
    }

    /// Row `approximate-flushed`: the functions of high words flush their operand themselves.
    pub(super) fn unflushed(&self, function: Approximation, a: TermId) -> TermId {
        let d = self.terms;
        if !matches!(function, Approximation::Rcp64High | Approximation::Rsqrt64High) {
            return a;
        }
        let Node::Ite(_, x, y) = d.node(a) else { return a };
        for x in [x, y] {
            let small =
                self.compare(sassafras_semantics::CompareOp::Eq, self.slice(x, 20, 11), d.constant(11, 0));
            let flushed = self.select(small, self.concat(self.slice(x, 31, 1), d.constant(31, 0)), x);
            if flushed == a {
                return x;
            }
        }
        a
    }
}
