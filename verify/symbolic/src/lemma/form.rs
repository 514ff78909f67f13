//! What a lemma is.

use sassafras_semantics::term::Node;
use sassafras_semantics::{
    Approximation, BinaryOp, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Rounding, TermId, Terms,
};

/// An operation that lemmas are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The unsigned quotient of this many bits, by a divisor that is not zero; by zero it may be anything.
    Quotient(u32),
    /// A quotient of floats; the flag says whether subnormals are flushed.
    Divide(FloatFormat, Rounding, bool),
    /// A quotient of one, with the same.
    Reciprocal(FloatFormat, Rounding, bool),
    /// A quotient of binary32 that is flushed where the exact one is below 2⁻¹²⁶ ([`crate::ptx::flush`]).
    FlushedQuotient(Rounding),
    /// A quotient of one, with the same.
    FlushedReciprocal(Rounding),
    /// A square root, with the same.
    Root(FloatFormat, Rounding, bool),
    /// The least or the greatest of two numbers of binary64 (the flag: the least); a NaN may have any payload.
    Extremum(bool),
    /// The n-th set bit of a word from a place (`fns`): the word, the place, n. It is looked for where the source has the instruction: see
    /// [`crate::ptx::approximate`].
    NthBit,
    /// A result that PTX bounds and does not fix; the flag says whether subnormals are flushed. It is looked for where the source
    /// has the instruction: see [`crate::ptx::approximate`].
    Estimate(Estimate, bool),
}

/// An instruction of PTX whose result is bounded and not fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// `.approx` of a function of binary32.
    Single(Approximation),
    /// The same of a half format: the operand is one half, in the low bits of a word.
    Half(Approximation, FloatFormat),
    /// `cvt.rn.ftz.f32.f64`: what is flushed is open. The operand is one of 64 bits.
    Narrow,
    /// `div.approx.f32`.
    Divide,
    /// `div.full.f32`.
    DivideFull,
}

/// What a lemma takes for granted of the unit beyond its documented bound.
#[derive(Clone, Copy, Debug)]
pub struct Premise {
    /// The function of the unit.
    pub function: Approximation,
    /// Whether a result is one that the unit may give for an operand of 32 bits.
    pub holds: fn(operand: u32, result: u32) -> bool,
    /// The same in words.
    pub said: &'static str,
}

/// What a register holds behind the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// The operation's result.
    Result,
    /// The remainder that belongs to the quotient.
    Remainder,
    /// One bit: where it is set, the lemma says nothing.
    Unless,
}

/// A lemma.
#[derive(Clone, Copy, Debug)]
pub struct Lemma {
    /// Its name, as in `A-LEMMA[name]`.
    pub name: &'static str,
    /// What it computes.
    pub subject: Subject,
    /// The instructions, one a line; labels end with a colon.
    pub code: &'static str,
    /// Registers that hold the operands, low word first: one operand after the other.
    pub given: &'static [&'static str],
    /// Registers that hold results, low word first.
    pub yields: &'static [(&'static [&'static str], Yield)],
    /// What it takes for granted of the unit, if the documented bound is not enough.
    pub premise: Option<Premise>,
    /// How it is checked.
    pub checked: &'static str,
}

/// The bits of one.
fn one(format: FloatFormat) -> Option<u128> {
    match format {
        FloatFormat::F32 => Some(1f32.to_bits().into()),
        FloatFormat::F64 => Some(1f64.to_bits().into()),
        _ => None,
    }
}

/// Whether a lemma about quotients of so many bits is about those of `width`: as many, or fewer than 32, which are quotients of words
/// that are extended.
fn is_of(bits: u32, width: u32) -> bool {
    width == bits || bits == 32 && (2..32).contains(&width)
}

impl Subject {
    /// Whether the operation leaves its result open for some operands: quotients by zero.
    pub fn is_partial(self) -> bool {
        matches!(self, Subject::Quotient(_))
    }

    /// The operands, if a term is such an operation.
    pub fn operands(self, d: &Terms, t: TermId) -> Option<Vec<TermId>> {
        let float = |rounding, ftz| FloatMode { rounding, ftz, sat: false };
        match self {
            Subject::FlushedQuotient(r) => return Subject::Divide(FloatFormat::F32, r, true).operands(d, t),
            Subject::FlushedReciprocal(r) => {
                return Subject::Reciprocal(FloatFormat::F32, r, true).operands(d, t);
            }
            _ => {}
        }
        match (self, d.node(t)) {
            (Subject::Quotient(width), Node::Binary(BinaryOp::UDiv, a, b)) if is_of(width, d.width_of(t)) => {
                Some(vec![a, b])
            }
            (Subject::Divide(of, rounding, ftz), Node::Float { op: FloatOp::Div, format, mode, args })
                if format == of && mode == float(rounding, ftz) =>
            {
                Some(args.to_vec())
            }
            (
                Subject::Reciprocal(of, rounding, ftz),
                Node::Float { op: FloatOp::Div, format, mode, args },
            ) if format == of && mode == float(rounding, ftz) && d.as_constant(&args[0]) == one(of) => {
                Some(vec![args[1]])
            }
            (Subject::Extremum(least), Node::Float { op, format: FloatFormat::F64, mode, args })
                if op == (if least { FloatOp::Min } else { FloatOp::Max })
                    && mode == FloatMode::default() =>
            {
                Some(args.to_vec())
            }
            (Subject::Root(of, rounding, ftz), Node::Float { op: FloatOp::Sqrt, format, mode, args })
                if format == of && mode == float(rounding, ftz) =>
            {
                Some(args.to_vec())
            }
            _ => None,
        }
    }

    /// What it is, of a term that is such an operation: the term itself, or a quotient that is flushed elsewhere.
    pub fn whole(self, d: &Terms, t: TermId) -> TermId {
        match (self, d.node(t)) {
            (Subject::FlushedQuotient(r) | Subject::FlushedReciprocal(r), Node::Float { args, .. }) => {
                crate::ptx::flush::quotient(d, r, &args[0], &args[1])
            }
            _ => t,
        }
    }

    /// The same in raw terms: quotients and remainders, signed ones too, by the magnitudes whose quotient is meant.
    pub(super) fn raw(self, d: &Terms, t: TermId) -> Option<Vec<TermId>> {
        use BinaryOp as B;
        let Subject::Quotient(width) = self else { return self.operands(d, t) };
        let Node::Binary(op @ (B::UDiv | B::URem | B::SDiv | B::SRem), a, b) = d.node(t) else { return None };
        let own = d.width_of(t);
        if !is_of(width, own) {
            return None;
        }
        let magnitude = |x: TermId| match op {
            B::UDiv | B::URem => x,
            _ => d.ite(&d.compare(CompareOp::SLt, &x, &d.constant(own, 0)), &d.neg(&x), &x),
        };
        Some(vec![magnitude(a), magnitude(b)])
    }
}
