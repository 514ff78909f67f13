//! Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions").

use super::{Done, PtxState, Step};
use crate::checked::{Op, Part, Type};
use sassafras_semantics::{BinaryOp, CompareOp, Domain};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn integer(&mut self) -> Done<()> {
        let (d, ty, mods) = (self.d, self.ty(), &self.inst.mods);
        let (width, signed) = (ty.width(), ty.signed());
        let result = match self.inst.op {
            Op::Abs => {
                let a = self.source(1, ty)?;
                let negative = self.is_negative(&a);
                d.ite(&negative, &d.neg(&a), &a)
            }
            Op::Neg => d.neg(&self.source(1, ty)?),
            Op::Add | Op::Sub => {
                let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
                let op = if self.inst.op == Op::Add { BinaryOp::Add } else { BinaryOp::Sub };
                if mods.sat { self.saturated(op, &a, &b, signed) } else { d.binary(op, &a, &b) }
            }
            Op::Mul => {
                let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
                self.product(&a, &b, signed, mods.part.unwrap_or(Part::Lo))
            }
            Op::Mad => {
                let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
                let part = mods.part.unwrap_or(Part::Lo);
                let product = self.product(&a, &b, signed, part);
                let operand = self.operand(3)?;
                let c = self.value(operand, d.width(&product))?;
                if mods.sat {
                    self.saturated(BinaryOp::Add, &product, &c, signed)
                } else {
                    d.add(&product, &c)
                }
            }
            Op::Mul24 | Op::Mad24 => {
                let product = self.product24(ty, mods.part.unwrap_or(Part::Lo))?;
                if self.inst.op == Op::Mul24 {
                    product
                } else {
                    let c = self.source(3, ty)?;
                    if mods.sat {
                        self.saturated(BinaryOp::Add, &product, &c, signed)
                    } else {
                        d.add(&product, &c)
                    }
                }
            }
            Op::Div | Op::Rem => {
                let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
                let op = match (self.inst.op, signed) {
                    (Op::Div, false) => BinaryOp::UDiv,
                    (Op::Div, true) => BinaryOp::SDiv,
                    (_, false) => BinaryOp::URem,
                    (_, true) => BinaryOp::SRem,
                };
                // Division by zero yields an unspecified value.
                let by_zero = d.eq(&b, &d.constant(width, 0));
                match d.as_constant(&by_zero) {
                    Some(0) => d.binary(op, &a, &b),
                    _ => d.ite(&by_zero, &d.undef(width, "integer division by zero"), &d.binary(op, &a, &b)),
                }
            }
            Op::Min | Op::Max => {
                let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
                let chosen = self.extremum(self.inst.op == Op::Min, &a, &b, signed);
                if mods.relu { self.integer_relu(&chosen) } else { chosen }
            }
            Op::Sad => {
                let (a, b, c) = (self.source(1, ty)?, self.source(2, ty)?, self.source(3, ty)?);
                let less = d.compare(if signed { CompareOp::SLt } else { CompareOp::ULt }, &a, &b);
                d.add(&c, &d.ite(&less, &d.sub(&b, &a), &d.sub(&a, &b)))
            }
            Op::Dp4a => self.dot(8)?,
            Op::Dp2a => self.dot(16)?,
            _ => return Err(self.unsupported()),
        };
        self.result(&result)
    }

    /// One bit: whether the sign bit is set.
    pub(super) fn is_negative(&self, a: &D::V) -> D::V {
        self.d.extract(a, self.d.width(a) - 1, 1)
    }

    /// The smaller or the larger.
    pub(super) fn extremum(&self, smaller: bool, a: &D::V, b: &D::V, signed: bool) -> D::V {
        let less = if signed { CompareOp::SLt } else { CompareOp::ULt };
        let first = if smaller { self.d.compare(less, a, b) } else { self.d.compare(less, b, a) };
        self.d.ite(&first, a, b)
    }

    /// Negative becomes zero.
    pub(super) fn integer_relu(&self, a: &D::V) -> D::V {
        self.d.ite(&self.is_negative(a), &self.d.constant(self.d.width(a), 0), a)
    }

    /// Sum or difference clamped to the type's range.
    pub(super) fn saturated(&self, op: BinaryOp, a: &D::V, b: &D::V, signed: bool) -> D::V {
        let d = self.d;
        let width = d.width(a);
        let wide = width + 2;
        let exact = d.binary(op, &self.extend(a, wide, signed), &self.extend(b, wide, signed));
        let (low, high) = range(width, signed);
        let (low, high) = (d.constant(wide, low as u128), d.constant(wide, high as u128));
        let clamped = d.ite(&d.compare(CompareOp::SLt, &exact, &low), &low, &exact);
        let clamped = d.ite(&d.compare(CompareOp::SLt, &high, &clamped), &high, &clamped);
        d.extract(&clamped, 0, width)
    }

    /// Part of the double-width product.
    pub(super) fn product(&self, a: &D::V, b: &D::V, signed: bool, part: Part) -> D::V {
        let d = self.d;
        let width = d.width(a);
        if part == Part::Lo {
            return d.mul(a, b);
        }
        let wide = d.mul(&self.extend(a, 2 * width, signed), &self.extend(b, 2 * width, signed));
        if part == Part::Wide { wide } else { d.extract(&wide, width, width) }
    }

    /// `mul24`: bits 47..16 or 31..0 of the product of the operands' low 24 bits.
    fn product24(&mut self, ty: Type, part: Part) -> Done<D::V> {
        let mut factors = Vec::with_capacity(2);
        for index in [1, 2] {
            let low = self.d.extract(&self.source(index, ty)?, 0, 24);
            factors.push(self.extend(&low, 48, ty.signed()));
        }
        let product = self.d.mul(&factors[0], &factors[1]);
        Ok(self.d.extract(&product, if part == Part::Hi { 16 } else { 0 }, 32))
    }

    /// `dp4a` (parts of 8 bits of a) and `dp2a` (parts of 16 bits of a); b's parts have 8 bits.
    fn dot(&mut self, part: u32) -> Done<D::V> {
        let d = self.d;
        let (a_ty, b_ty) = (self.ty(), self.second_ty());
        let (a, b) = (self.source(1, Type::B(32))?, self.source(2, Type::B(32))?);
        let mut sum = self.source(3, Type::B(32))?;
        let skip = if part == 16 && self.inst.mods.part == Some(Part::Hi) { 2 } else { 0 };
        for i in 0..32 / part {
            let x = self.extend(&d.extract(&a, i * part, part), 32, a_ty.signed());
            let y = self.extend(&d.extract(&b, (skip + i) * 8, 8), 32, b_ty.signed());
            sum = d.add(&sum, &d.mul(&x, &y));
        }
        Ok(sum)
    }
}

/// Smallest and largest value of an integer type; widths up to 64.
pub(super) fn range(width: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}
