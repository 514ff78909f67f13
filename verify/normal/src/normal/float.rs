//! The algebra of float operations, which are otherwise functions of their operands' bits.

use super::Normal;
use super::noted::Equal;
use sassafras_semantics::term::{Node, Operands};
use sassafras_semantics::vocabulary::Rounding;
use sassafras_semantics::{CompareOp, Domain, FloatFormat, FloatMode, FloatOp, TermId};

impl Normal<'_> {
    /// `a` with its sign changed.
    fn negated(&self, a: TermId) -> TermId {
        let (d, width, mark) = (self.terms, self.width(a), self.mark());
        let sign = self.complement(self.slice(a, width - 1, 1));
        if let Some(c) = self.known(a) {
            return d.constant(width, c ^ 1 << (width - 1));
        }
        let made = self.concat(sign, self.slice(a, 0, width - 1));
        self.note_since(mark, || (d.xor(&a, &d.constant(width, 1 << (width - 1))), made));
        made
    }

    /// Notes that a product is the same where both signs are other ones, before its factors are ordered.
    fn note_signs(&self, node: &Node, before: &Operands, after: &Operands, width: u32) {
        let d = self.terms;
        if !self.is_traced() || before[..2].iter().any(|a| after[..2].contains(a)) {
            return;
        }
        let sign = d.constant(width, 1 << (width - 1));
        let mut now = before.clone();
        now[..2].iter_mut().for_each(|a| *a = self.negated(*a));
        let flips: Vec<Equal> = (0..2).map(|i| (d.xor(&before[i], &sign), now[i])).collect();
        let made = |args: &Operands| {
            let mut next = args.iter();
            d.make(node.map(|old| next.next().copied().unwrap_or(old)), width)
        };
        let all = before.iter().chain(&now).copied().collect();
        self.note_from((made(before), made(&now)), &flips, all);
    }

    /// Whether the sign is written as a complement; of `a` and its negation at most one is.
    fn is_negated(&self, a: TermId) -> bool {
        let width = self.width(a);
        if let Some(c) = self.known(a) {
            return c >> (width - 1) != 0;
        }
        let sign = self.diagram(self.slice(a, width - 1, 1));
        !self.diagrams.borrow().positive(sign)
    }

    /// Row `fma-one`: x·1 + y = x + y, with either sign. Row `fma-zero`: x·y + (−0) = x·y, rounded to nearest.
    fn product_rows(
        &self,
        op: FloatOp,
        format: FloatFormat,
        mode: &FloatMode,
        args: &Operands,
        width: u32,
    ) -> Option<Node> {
        let sign = 1u128 << (width - 1);
        // Row `mul-one`: x·1 = x + (−0), rounded to nearest.
        if op == FloatOp::Mul && mode.rounding == Rounding::NearestEven && format != FloatFormat::F64 {
            let other = |i: usize| (self.known(args[i]) == Some(one(format))).then(|| args[1 - i]);
            let x = other(0).or_else(|| other(1))?;
            let args = [x, self.terms.constant(width, sign)].into_iter().collect();
            return Some(Node::Float { op: FloatOp::Add, format, mode: *mode, args });
        }
        if op != FloatOp::Fma {
            return None;
        }
        let node = |op, args: [TermId; 2]| {
            let args = args.into_iter().collect();
            Some(Node::Float { op, format, mode: *mode, args })
        };
        for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
            match self.known(b) {
                Some(c) if c == one(format) => return node(FloatOp::Add, [a, args[2]]),
                Some(c) if c == one(format) | sign => return node(FloatOp::Add, [self.negated(a), args[2]]),
                _ => {}
            }
        }
        // Row `fma-nothing`: a product of known numbers that is zero, exactly.
        if let (Some(a), Some(b)) = (self.known(args[0]), self.known(args[1])) {
            let (low, high) = exponent(format);
            let finite = |c: u128| c >> low & ((1 << (high - low)) - 1) != (1 << (high - low)) - 1;
            let zero = |c: u128| c & !sign == 0;
            if finite(a) && finite(b) && (zero(a) || zero(b)) {
                return node(FloatOp::Add, [self.terms.constant(width, (a ^ b) & sign), args[2]]);
            }
        }
        let nearest = mode.rounding == Rounding::NearestEven;
        (nearest && self.known(args[2]) == Some(sign))
            .then(|| node(FloatOp::Mul, [args[0], args[1]]))
            .flatten()
    }

    /// Row `sum-zero`: x + (−0), rounded to nearest, is x, flushed under `ftz`; of a NaN it is the canonical one.
    fn sum_of_nothing(&self, format: FloatFormat, mode: &FloatMode, args: &Operands) -> Option<TermId> {
        let (d, width) = (self.terms, format.width());
        if mode.sat || mode.rounding != Rounding::NearestEven {
            return None;
        }
        let zero = |t: TermId| self.known(t) == Some(1 << (width - 1));
        let x = match (zero(args[0]), zero(args[1])) {
            (true, _) => args[1],
            (_, true) => args[0],
            _ => return None,
        };
        // Row `sum-zero-number`: what is made of an integer is no NaN, with either sign.
        let integer = |t: TermId| matches!(d.node(t), Node::IntToFloat { to, .. } if to == format);
        if !mode.ftz && (integer(x) || integer(self.negated(x))) {
            return Some(x);
        }
        let nan = Node::FloatRelation {
            relation: sassafras_semantics::FloatRelation::Unordered,
            format,
            ftz: false,
            args: [x, x],
        };
        let nan = d.make(nan, 1);
        if format == FloatFormat::F64 {
            // Row `sum-zero-wide`: the payload of a NaN of binary64 is not said, so of a NaN the sum stays.
            if mode.ftz || self.known(x).is_some() {
                return None;
            }
            let own = Node::Float { op: FloatOp::Add, format, mode: *mode, args: args.clone() };
            return Some(self.select(nan, d.make(own, width), x));
        }
        let value = if mode.ftz {
            let (low, high) = exponent(format);
            let small =
                self.compare(CompareOp::Eq, self.slice(x, low, high - low), d.constant(high - low, 0));
            let sign = self.slice(x, width - 1, 1);
            self.select(small, self.concat(sign, d.constant(width - 1, 0)), x)
        } else {
            x
        };
        // Row `sum-zero-canonical`: what an operation gives is a number or the canonical NaN.
        let made = match d.node(x) {
            Node::Float { format: of, .. } => of == format,
            Node::FloatToFloat { to, .. } | Node::IntToFloat { to, .. } => to == format,
            _ => false,
        };
        if made {
            return Some(value);
        }
        Some(self.select(nan, d.constant(width, format.canonical_nan().into()), value))
    }

    pub(super) fn float_node(&self, node: &Node, width: u32, of: &dyn Fn(&TermId) -> TermId) -> TermId {
        let d = self.terms;
        match node {
            Node::Float { op, format, mode, args } => {
                let mut args: Operands = args.iter().map(of).collect();
                if matches!(op, FloatOp::Mul | FloatOp::Fma) {
                    // Row `product-signs`: only whether the signs differ matters.
                    let odd = args[..2].iter().filter(|a| self.is_negated(**a)).count() % 2 == 1;
                    let before = args.clone();
                    for a in &mut args[..2] {
                        if self.is_negated(*a) {
                            *a = self.negated(*a);
                        }
                    }
                    args[..2].sort_unstable();
                    if odd {
                        args[0] = self.negated(args[0]);
                    }
                    self.note_signs(node, &before, &args, width);
                } else if matches!(
                    op,
                    FloatOp::Add | FloatOp::Min | FloatOp::Max | FloatOp::MinNan | FloatOp::MaxNan
                ) {
                    args[..2].sort_unstable();
                }
                // Row `sum-zero-clamped`: clamped, x + 0 = x + (−0).
                if *op == FloatOp::Add && mode.sat {
                    let minus = d.constant(width, 1 << (width - 1));
                    for a in &mut args {
                        if self.known(*a) == Some(0) {
                            *a = minus;
                        }
                    }
                    args.sort_unstable();
                }
                if let Some(simpler) = self.product_rows(*op, *format, mode, &args, width) {
                    return self.float_node(&simpler, width, &|t| *t);
                }
                if *op == FloatOp::Add
                    && let Some(sum) = self.sum_of_nothing(*format, mode, &args)
                {
                    return sum;
                }
                // Row `twice`: x + x = x·2.
                if let (FloatOp::Add, Some(two)) = (op, two(*format))
                    && args[0] == args[1]
                {
                    let node = Node::Float {
                        op: FloatOp::Mul,
                        format: *format,
                        mode: *mode,
                        args: [args[0], d.constant(width, two)].into_iter().collect(),
                    };
                    return self.float_node(&node, width, &|t| *t);
                }
                d.make(Node::Float { op: *op, format: *format, mode: *mode, args }, width)
            }
            Node::FloatRelation { relation, format, ftz, args } => {
                // Row `relation-of-nan`: every NaN relates alike.
                let mut args = args.map(|a| of(&a)).map(|a| self.any_nan(*format, a).unwrap_or(a));
                use sassafras_semantics::FloatRelation as R;
                if matches!(relation, R::Eq | R::Unordered) {
                    args.sort_unstable();
                }
                d.make(Node::FloatRelation { relation: *relation, format: *format, ftz: *ftz, args }, width)
            }
            Node::FloatToFloat { .. } | Node::FloatToInt { .. } | Node::IntToFloat { .. } => {
                self.conversion(&node.map(|t| of(&t)), width)
            }
            Node::Approximate { function, ftz, a } => {
                let a = self.unflushed(*function, of(a));
                d.make(Node::Approximate { function: *function, ftz: *ftz, a }, width)
            }
            other => d.make(other.clone(), width),
        }
    }
}

/// The bits of two.
fn two(format: FloatFormat) -> Option<u128> {
    Some(match format {
        FloatFormat::F16 => 0x4000,
        FloatFormat::Bf16 => 0x4000,
        FloatFormat::F32 => 0x4000_0000,
        FloatFormat::F64 => 0x4000_0000_0000_0000,
        FloatFormat::E4m3 | FloatFormat::E5m2 => return None,
    })
}

/// The bits of one.
fn one(format: FloatFormat) -> u128 {
    format.one().into()
}

/// The bits of the exponent: the lowest, and the one above the highest.
fn exponent(format: FloatFormat) -> (u32, u32) {
    (format.fraction_bits(), format.width() - 1)
}
