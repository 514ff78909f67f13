//! Lemmas: sequences of instructions that are known to give an operation's result, whatever the multi-function unit answers
//! within its bounds.
//!
//! A lemma is code ([`Lemma::code`]) and the operation that it computes. It is matched on terms: for each such operation of the
//! source its code is run on the operation's operands, and where the target has written the same term, that term is the
//! operation. Names of symbols and registers, and the order of instructions, do not matter. How each lemma is checked stands
//! beside it (`table`) and in `docs/proof.md`.

mod code;
mod matching;
mod table;

pub use code::{Code, code};
pub use matching::{Uses, said, uses};
pub use table::LEMMAS;

use sassafras_semantics::term::Node;
use sassafras_semantics::{
    BinaryOp, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Rounding, TermId, Terms,
};

/// An operation that lemmas are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The unsigned quotient of this many bits, by a divisor that is not zero; by zero it may be anything.
    Quotient(u32),
    /// A quotient of floats; the flag says whether subnormals are flushed.
    Divide(FloatFormat, Rounding, bool),
    /// A square root, with the same.
    Root(FloatFormat, Rounding, bool),
}

/// What a register holds behind the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// The operation's result.
    Result,
    /// The remainder that belongs to the quotient.
    Remainder,
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
    /// How it is checked.
    pub checked: &'static str,
}

impl Subject {
    /// Whether the operation leaves its result open for some operands: quotients by zero.
    pub fn is_partial(self) -> bool {
        matches!(self, Subject::Quotient(_))
    }

    /// The operands, if a term is such an operation.
    pub fn operands(self, d: &Terms, t: TermId) -> Option<Vec<TermId>> {
        let float = |rounding, ftz| FloatMode { rounding, ftz, sat: false };
        match (self, d.node(t)) {
            (Subject::Quotient(width), Node::Binary(BinaryOp::UDiv, a, b)) if d.width_of(t) == width => {
                Some(vec![a, b])
            }
            (Subject::Divide(of, rounding, ftz), Node::Float { op: FloatOp::Div, format, mode, args })
                if format == of && mode == float(rounding, ftz) =>
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

    /// The same in raw terms: quotients and remainders, signed ones too, by the magnitudes whose quotient is meant.
    pub(super) fn raw(self, d: &Terms, t: TermId) -> Option<Vec<TermId>> {
        use BinaryOp as B;
        let Subject::Quotient(width) = self else { return self.operands(d, t) };
        let Node::Binary(op @ (B::UDiv | B::URem | B::SDiv | B::SRem), a, b) = d.node(t) else { return None };
        if d.width_of(t) != width {
            return None;
        }
        let magnitude = |x: TermId| match op {
            B::UDiv | B::URem => x,
            _ => d.ite(&d.compare(CompareOp::SLt, &x, &d.constant(width, 0)), &d.neg(&x), &x),
        };
        Some(vec![magnitude(a), magnitude(b)])
    }
}

/// The lemma of a name.
pub fn named(name: &str) -> Option<&'static Lemma> {
    LEMMAS.iter().find(|l| l.name == name)
}
