//! Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions").

use super::{Done, PtxState, Step};
use crate::checked::{BoolOp, Op, Type};
use sassafras_semantics::{BinaryOp, CompareOp, Domain, UnaryOp};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn bits(&mut self) -> Done<()> {
        let (d, ty) = (self.d, self.ty());
        let width = ty.width();
        let count = Type::U(32);
        let result = match self.inst.op {
            Op::And => d.and(&self.source(1, ty)?, &self.source(2, ty)?),
            Op::Or => d.or(&self.source(1, ty)?, &self.source(2, ty)?),
            Op::Xor => d.xor(&self.source(1, ty)?, &self.source(2, ty)?),
            Op::Not => d.not(&self.source(1, ty)?),
            Op::Cnot => d.zext(&d.eq(&self.source(1, ty)?, &d.constant(width, 0)), width),
            Op::Lop3 => return self.lop3(),
            Op::Shl => {
                let (a, n) = (self.source(1, ty)?, self.source(2, count)?);
                self.shift(BinaryOp::Shl, &a, &n)
            }
            Op::Shr => {
                let (a, n) = (self.source(1, ty)?, self.source(2, count)?);
                self.shift(if ty.signed() { BinaryOp::AShr } else { BinaryOp::LShr }, &a, &n)
            }
            Op::Shf => self.funnel()?,
            Op::Bfe => self.bfe(ty)?,
            Op::Bfi => self.bfi(ty)?,
            Op::Bfind => self.bfind(ty)?,
            Op::Bmsk => self.bmsk()?,
            Op::Szext => self.szext(ty)?,
            Op::Brev => d.unary(UnaryOp::Reverse, &self.source(1, ty)?),
            Op::Clz => {
                let count = d.unary(UnaryOp::LeadingZeros, &self.source(1, ty)?);
                self.resize(&count, 32)
            }
            Op::Popc => {
                let count = d.unary(UnaryOp::Popcount, &self.source(1, ty)?);
                self.resize(&count, 32)
            }
            Op::Fns => self.fns()?,
            _ => return Err(self.unsupported()),
        };
        self.result(&result)
    }

    /// A shift by a 32-bit count; a count beyond the width shifts by the width.
    fn shift(&self, op: BinaryOp, a: &D::V, n: &D::V) -> D::V {
        let d = self.d;
        let width = d.width(a);
        // In 64 bits no count is lost; the domain's shifts clamp by themselves.
        if width >= 32 {
            return d.binary(op, a, &d.zext(n, width));
        }
        let wide = if op == BinaryOp::AShr { d.sext(a, 32) } else { d.zext(a, 32) };
        d.extract(&d.binary(op, &wide, n), 0, width)
    }

    fn lop3(&mut self) -> Done<()> {
        let d = self.d;
        let word = Type::B(32);
        let (a, b, c) = (self.source(1, word)?, self.source(2, word)?, self.source(3, word)?);
        let table = self.source(4, word)?;
        let table = d.as_constant(&table).ok_or_else(|| self.unsupported())?;
        // Row i of the table is the result for bits of a, b, c that spell i.
        let mut result = d.constant(32, 0);
        for row in (0..8u32).filter(|row| table >> row & 1 != 0) {
            let pick = |v: &D::V, bit: u32| if row >> bit & 1 != 0 { v.clone() } else { d.not(v) };
            let minterm = d.and(&d.and(&pick(&a, 2), &pick(&b, 1)), &pick(&c, 0));
            result = d.or(&result, &minterm);
        }
        if let Some(op) = self.inst.mods.bool_op {
            let q = self.source(5, Type::Pred)?;
            let some = d.not(&d.eq(&result, &d.constant(32, 0)));
            let p = match op {
                BoolOp::Or => d.or(&some, &q),
                BoolOp::And => d.and(&some, &q),
                _ => return Err(self.unsupported()),
            };
            self.second_result(&p)?;
        }
        self.result(&result)
    }

    /// Whether an overlong count wraps (`.wrap`) rather than clamps.
    fn wraps(&self) -> Done<bool> {
        match (self.inst.mods.wrap, self.inst.mods.mode) {
            (Some(wrap), _) => Ok(wrap),
            (None, Some("wrap")) => Ok(true),
            (None, Some("clamp")) => Ok(false),
            _ => Err(self.unsupported()),
        }
    }

    fn funnel(&mut self) -> Done<D::V> {
        let d = self.d;
        let word = Type::B(32);
        let (a, b, c) = (self.source(1, word)?, self.source(2, word)?, self.source(3, word)?);
        let n = if self.wraps()? {
            d.and(&c, &d.constant(32, 31))
        } else {
            self.extremum(true, &c, &d.constant(32, 32), false)
        };
        let (both, n) = (d.concat(&b, &a), d.zext(&n, 64));
        match self.inst.mods.left {
            Some(true) => Ok(d.extract(&d.binary(BinaryOp::Shl, &both, &n), 32, 32)),
            Some(false) => Ok(d.extract(&d.binary(BinaryOp::LShr, &both, &n), 0, 32)),
            None => Err(self.unsupported()),
        }
    }

    /// Position or length of a bit field: the low 8 bits of a 32-bit operand, in the width of the field's register.
    fn field_operand(&mut self, index: usize, width: u32) -> Done<D::V> {
        let value = self.source(index, Type::U(32))?;
        Ok(self.d.zext(&self.d.extract(&value, 0, 8), width))
    }

    fn bfe(&mut self, ty: Type) -> Done<D::V> {
        let d = self.d;
        let width = ty.width();
        let a = self.source(1, ty)?;
        let (pos, len) = (self.field_operand(2, width)?, self.field_operand(3, width)?);
        let (zero, one) = (d.constant(width, 0), d.constant(width, 1));
        // Ones below `len`; all ones for len >= width, since the shift leaves nothing.
        let mask = d.sub(&d.binary(BinaryOp::Shl, &one, &len), &one);
        let field = d.and(&d.binary(BinaryOp::LShr, &a, &pos), &mask);
        if !ty.signed() {
            return Ok(field);
        }
        // The sign is bit min(pos+len-1, msb) and fills what lies above the field or beyond the source.
        let last = d.sub(&d.add(&pos, &len), &one);
        let msb = d.constant(width, u128::from(width) - 1);
        let at = self.extremum(true, &last, &msb, false);
        let sign = d.extract(&d.binary(BinaryOp::LShr, &a, &at), 0, 1);
        let empty = d.eq(&len, &zero);
        let fill = d.and(&sign, &d.not(&empty));
        let room = d.ite(
            &d.compare(CompareOp::ULe, &pos, &msb),
            &d.sub(&d.constant(width, width.into()), &pos),
            &zero,
        );
        let kept = self.extremum(true, &len, &room, false);
        let above = d.binary(BinaryOp::Shl, &d.not(&zero), &kept);
        Ok(d.ite(&fill, &d.or(&field, &above), &field))
    }

    fn bfi(&mut self, ty: Type) -> Done<D::V> {
        let d = self.d;
        let width = ty.width();
        let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
        let (pos, len) = (self.field_operand(3, width)?, self.field_operand(4, width)?);
        let one = d.constant(width, 1);
        let ones = d.sub(&d.binary(BinaryOp::Shl, &one, &len), &one);
        let mask = d.binary(BinaryOp::Shl, &ones, &pos);
        let field = d.binary(BinaryOp::Shl, &a, &pos);
        Ok(d.or(&d.and(&field, &mask), &d.and(&b, &d.not(&mask))))
    }

    fn bfind(&mut self, ty: Type) -> Done<D::V> {
        let d = self.d;
        let width = ty.width();
        let mut a = self.source(1, ty)?;
        if ty.signed() {
            a = d.ite(&self.is_negative(&a), &d.not(&a), &a);
        }
        let zeros = self.resize(&d.unary(UnaryOp::LeadingZeros, &a), 32);
        let position = d.sub(&d.constant(32, u128::from(width) - 1), &zeros);
        let found = if self.inst.mods.shiftamt { zeros } else { position };
        let none = d.eq(&a, &d.constant(width, 0));
        Ok(d.ite(&none, &d.constant(32, 0xffff_ffff), &found))
    }

    fn bmsk(&mut self) -> Done<D::V> {
        let d = self.d;
        let word = Type::B(32);
        let (a, b) = (self.source(1, word)?, self.source(2, word)?);
        let low5 = d.constant(32, 31);
        let (zero, ones) = (d.constant(32, 0), d.constant(32, 0xffff_ffff));
        let (a1, b1) = (d.and(&a, &low5), d.and(&b, &low5));
        let mut mask0 = d.binary(BinaryOp::Shl, &ones, &a1);
        let sum = d.add(&a1, &b1);
        let thirty_two = d.constant(32, 32);
        let mut overflow = d.compare(CompareOp::ULe, &thirty_two, &sum);
        if !self.wraps()? {
            let position = d.compare(CompareOp::ULe, &thirty_two, &a);
            mask0 = d.ite(&position, &zero, &mask0);
            overflow = d.or(&overflow, &d.or(&position, &d.compare(CompareOp::ULe, &thirty_two, &b)));
        }
        let mask1 = d.ite(&d.eq(&b1, &zero), &ones, &d.binary(BinaryOp::Shl, &ones, &sum));
        let mask1 = d.ite(&overflow, &zero, &mask1);
        Ok(d.and(&mask0, &d.not(&mask1)))
    }

    fn szext(&mut self, ty: Type) -> Done<D::V> {
        let d = self.d;
        let (a, b) = (self.source(1, ty)?, self.source(2, Type::U(32))?);
        let (zero, ones) = (d.constant(32, 0), d.constant(32, 0xffff_ffff));
        let b1 = d.and(&b, &d.constant(32, 31));
        let mut mask = d.binary(BinaryOp::Shl, &ones, &b1);
        let mut no_sign = d.eq(&b1, &zero);
        if !self.wraps()? {
            let too_large = d.compare(CompareOp::ULe, &d.constant(32, 32), &b);
            mask = d.ite(&too_large, &zero, &mask);
            no_sign = d.or(&no_sign, &too_large);
        }
        let kept = d.and(&a, &d.not(&mask));
        if !ty.signed() {
            return Ok(kept);
        }
        let at = d.and(&d.sub(&b1, &d.constant(32, 1)), &d.constant(32, 31));
        let sign = d.extract(&d.binary(BinaryOp::LShr, &a, &at), 0, 1);
        let fill = d.and(&sign, &d.not(&no_sign));
        Ok(d.ite(&fill, &d.or(&kept, &mask), &kept))
    }

    /// `fns`: the n-th set bit from a base, upwards or downwards.
    fn fns(&mut self) -> Done<D::V> {
        let d = self.d;
        let (mask, base) = (self.source(1, Type::B(32))?, self.source(2, Type::B(32))?);
        let offset = self.source(3, Type::S(32))?;
        let (zero, one) = (d.constant(32, 0), d.constant(32, 1));
        let bit = |at: &D::V| d.extract(&d.binary(BinaryOp::LShr, &mask, at), 0, 1);
        let upwards = d.compare(CompareOp::SLt, &zero, &offset);
        let size = d.ite(&upwards, &offset, &d.neg(&offset));
        let mut result = d.constant(32, 0xffff_ffff);
        let mut left = size;
        let mut at = base.clone();
        let stride = d.ite(&upwards, &one, &d.constant(32, 0xffff_ffff));
        let mut live = d.not(&d.eq(&offset, &zero));
        for _ in 0..32 {
            // Below 0 wraps to a large number, where the mask has no bits.
            let inside = d.compare(CompareOp::ULt, &at, &d.constant(32, 32));
            let set = d.and(&live, &d.and(&inside, &bit(&at)));
            let last = d.and(&set, &d.eq(&left, &one));
            result = d.ite(&last, &at, &result);
            live = d.and(&live, &d.and(&inside, &d.not(&last)));
            left = d.ite(&set, &d.sub(&left, &one), &left);
            at = d.add(&at, &stride);
        }
        let here = d.and(&d.eq(&offset, &zero), &bit(&base));
        Ok(d.ite(&here, &base, &result))
    }
}
