//! Terms in which some constants are variables: how an immediate stands for all its values at once.
//!
//! A field of an instruction holds a number, so the immediate of an instance gets an arbitrary one, its *mark*, and where the
//! meaning makes a constant of the mark, the domain gives the variable instead. A meaning that looks at the number itself
//! would see the mark: an instance is therefore run with two sets of marks, and both must give the same terms.
//!
//! Both sides also write out here what a solver does not know: relations of floats ([`floats`]) and products of 64 bits.

use sassafras_semantics::{
    Approximation, BinaryOp, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, TermId,
    Terms, UnaryOp,
};
use sassafras_solve::floats;
use std::cell::Cell;

/// A number that stands for a variable.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// The number in the field.
    pub word: u32,
    /// What it stands for, 32 bits.
    pub value: TermId,
}

/// Terms with marks.
pub struct Symbols<'t> {
    /// The arena.
    pub terms: &'t Terms,
    /// The marks.
    pub marks: Vec<Mark>,
    /// How many undefined values there were. Each side counts its own, and values of one number are one variable: whatever the target's are,
    /// the source may choose the same.
    pub undefined: Cell<u32>,
}

impl Symbols<'_> {
    /// A product of 64 bits by halves: `(ah·2³² + al)·(bh·2³² + bl) = al·bl + 2³²·(al·bh + ah·bl)` modulo 2⁶⁴.
    fn product(&self, a: &TermId, b: &TermId) -> TermId {
        let terms = self.terms;
        let half = |x: &TermId, at| terms.extract(x, at, 32);
        let (al, ah, bl, bh) = (half(a, 0), half(a, 32), half(b, 0), half(b, 32));
        let low = terms.mul(&terms.zext(&al, 64), &terms.zext(&bl, 64));
        let cross = terms.add(&terms.mul(&al, &bh), &terms.mul(&ah, &bl));
        if terms.as_constant(&cross) == Some(0) {
            return low;
        }
        terms.add(&low, &terms.concat(&cross, &terms.constant(32, 0)))
    }
}

impl Domain for Symbols<'_> {
    type V = TermId;

    fn width(&self, a: &TermId) -> u32 {
        self.terms.width(a)
    }
    fn constant(&self, width: u32, bits: u128) -> TermId {
        for mark in &self.marks {
            let word = u128::from(mark.word);
            if width == 32 && bits & 0xffff_ffff == word {
                return mark.value;
            }
            if width == 64 && bits == word << 32 {
                return self.terms.concat(&mark.value, &self.terms.constant(32, 0));
            }
        }
        self.terms.constant(width, bits)
    }
    fn as_constant(&self, a: &TermId) -> Option<u128> {
        self.terms.as_constant(a)
    }
    fn undef(&self, width: u32, _: &'static str) -> TermId {
        let number = self.undefined.replace(self.undefined.get() + 1);
        self.terms.variable(&format!("undefined {number} of {width} bits"), width)
    }
    fn unary(&self, op: UnaryOp, a: &TermId) -> TermId {
        self.terms.unary(op, a)
    }
    fn binary(&self, op: BinaryOp, a: &TermId, b: &TermId) -> TermId {
        match op {
            BinaryOp::Mul if self.width(a) == 64 => self.product(a, b),
            _ => self.terms.binary(op, a, b),
        }
    }
    fn compare(&self, op: CompareOp, a: &TermId, b: &TermId) -> TermId {
        self.terms.compare(op, a, b)
    }
    fn extract(&self, a: &TermId, low: u32, width: u32) -> TermId {
        self.terms.extract(a, low, width)
    }
    fn concat(&self, high: &TermId, low: &TermId) -> TermId {
        self.terms.concat(high, low)
    }
    fn zext(&self, a: &TermId, width: u32) -> TermId {
        self.terms.zext(a, width)
    }
    fn sext(&self, a: &TermId, width: u32) -> TermId {
        self.terms.sext(a, width)
    }
    fn ite(&self, condition: &TermId, a: &TermId, b: &TermId) -> TermId {
        self.terms.ite(condition, a, b)
    }
    fn float(&self, op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[&TermId]) -> TermId {
        self.terms.float(op, format, mode, args)
    }
    fn float_relation(
        &self,
        relation: FloatRelation,
        format: FloatFormat,
        ftz: bool,
        a: &TermId,
        b: &TermId,
    ) -> TermId {
        floats::relation(self, relation, format, ftz, a, b)
    }
    fn float_to_float(&self, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: &TermId) -> TermId {
        floats::convert(self, from, to, mode, a, |mode, a| self.terms.float_to_float(from, to, mode, a))
    }
    fn float_to_int(
        &self,
        from: FloatFormat,
        signed: bool,
        width: u32,
        mode: FloatMode,
        nan: u64,
        a: &TermId,
    ) -> TermId {
        self.terms.float_to_int(from, signed, width, mode, nan, a)
    }
    fn int_to_float(&self, signed: bool, to: FloatFormat, mode: FloatMode, a: &TermId) -> TermId {
        self.terms.int_to_float(signed, to, mode, a)
    }
    fn approximate(&self, function: Approximation, ftz: bool, a: &TermId) -> TermId {
        self.terms.approximate(function, ftz, a)
    }
}
