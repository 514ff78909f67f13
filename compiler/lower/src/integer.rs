//! Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Arithmetic Instructions").

use crate::context::{Context, Result};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Op, Type, Value};
use sassafras_ptx::checked::{Inst, Op as P, Part, Type as T};

impl Context<'_, '_> {
    pub(crate) fn integer(&mut self, inst: &Inst) -> Result<()> {
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        if matches!(ty, T::U16x2 | T::S16x2) {
            return self.pairs(inst, ty);
        }
        let o = &inst.operands;
        if matches!(inst.op, P::Dp4a | P::Dp2a) {
            return self.dot(inst);
        }
        let a = self.int(operand(o, 1)?, ty)?;
        if matches!(inst.op, P::Abs | P::Neg) {
            let value = self.b().same(if inst.op == P::Abs { Op::Abs } else { Op::Neg }, &[a]);
            return self.int_result(&o[0], value, ty);
        }
        let b = self.int(operand(o, 2)?, ty)?;
        let signed = ty.signed();
        let value = match inst.op {
            P::Add | P::Addc | P::Sub | P::Subc => self.sum(inst, a, b)?,
            P::Mul => {
                let wide = inst.mods.part == Some(Part::Wide);
                let value = self.product(inst, ty, a, b)?;
                if wide {
                    return self.write(&o[0], value, signed);
                }
                value
            }
            P::Mad | P::Madc => return self.mad(inst, ty, a, b),
            P::Mul24 | P::Mad24 => {
                let value = self.product24(inst, ty, a, b)?;
                if inst.op == P::Mad24 {
                    let c = self.int(operand(o, 3)?, ty)?;
                    if inst.mods.sat { self.saturated(value, c, false) } else { self.b().add(value, c) }
                } else {
                    value
                }
            }
            P::Div => self.b().same(Op::Div { signed }, &[a, b]),
            P::Rem => self.b().same(Op::Rem { signed }, &[a, b]),
            P::Min | P::Max => {
                let op = if inst.op == P::Min { Op::Min { signed } } else { Op::Max { signed } };
                let value = self.b().same(op, &[a, b]);
                if inst.mods.relu { self.relu(value) } else { value }
            }
            P::Sad => {
                let c = self.int(operand(o, 3)?, ty)?;
                let high = self.b().same(Op::Max { signed }, &[a, b]);
                let low = self.b().same(Op::Min { signed }, &[a, b]);
                let difference = self.b().sub(high, low);
                self.b().add(c, difference)
            }
            _ => return Err(Refusal::Unsupported("this integer instruction")),
        };
        self.int_result(&o[0], value, ty)
    }

    fn relu(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let zero = self.b().constant(ty, 0);
        self.b().same(Op::Max { signed: true }, &[value, zero])
    }

    /// `add`, `sub` and their forms with carry or saturation.
    fn sum(&mut self, inst: &Inst, a: Value, b: Value) -> Result<Value> {
        let subtract = matches!(inst.op, P::Sub | P::Subc);
        let carry_in = matches!(inst.op, P::Addc | P::Subc);
        if inst.mods.sat {
            return Ok(self.saturated(a, b, subtract));
        }
        if !carry_in && !inst.mods.carry_out {
            return Ok(if subtract { self.b().sub(a, b) } else { self.b().add(a, b) });
        }
        // CC.CF is a carry, also of a difference, which is a + !b + 1 (`ptx::step`, on carries).
        let b = if subtract { self.b().same(Op::Not, &[b]) } else { b };
        Ok(self.with_carry(inst, a, b, carry_in, subtract))
    }

    /// a + b + CC.CF, or without one, `first`.
    fn with_carry(&mut self, inst: &Inst, a: Value, b: Value, carry_in: bool, first: bool) -> Value {
        let carry = match carry_in {
            true => self.read(self.flow.carry),
            false => self.b().constant(Type::I1, first.into()),
        };
        let ty = self.function.ty(a);
        let (value, out) = self.b().pair(Op::AddCarry, &[a, b, carry], [ty, Type::I1]);
        if inst.mods.carry_out {
            self.set(self.flow.carry, out);
        }
        value
    }

    /// A signed 32-bit sum or difference, clamped.
    fn saturated(&mut self, a: Value, b: Value, subtract: bool) -> Value {
        let mut x = self.b();
        let sum = if subtract { x.sub(a, b) } else { x.add(a, b) };
        // Overflow: the operands' signs agree (differ, for a difference) and the result's sign is not that of `a`.
        let changed = x.xor(a, sum);
        let other = if subtract { x.xor(a, b) } else { x.xor(b, sum) };
        let both = x.and(changed, other);
        let zero = x.i32(0);
        let overflow = x.compare(Compare::SLt, both, zero);
        let sign = x.ashr_by(a, 31);
        let most = x.i32(0x7fff_ffff);
        let limit = x.xor(sign, most);
        x.select(overflow, limit, sum)
    }

    /// `mul`: the wanted part, of 32 bits for 16-bit operands but for the low part of `wide`.
    fn product(&mut self, inst: &Inst, ty: T, a: Value, b: Value) -> Result<Value> {
        let signed = ty.signed();
        let part = inst.mods.part.ok_or(Refusal::Missing("the part of the product"))?;
        if ty.width() == 16 {
            let product = self.b().mul(a, b);
            return Ok(match part {
                Part::Lo | Part::Wide => product,
                Part::Hi => self.b().lshr_by(product, 16),
            });
        }
        Ok(match part {
            Part::Lo => self.b().mul(a, b),
            Part::Hi => self.b().same(Op::MulHigh { signed }, &[a, b]),
            Part::Wide if ty.width() == 32 => self.b().value(Op::MulWide { signed }, &[a, b], Type::I64),
            Part::Wide => return Err(Refusal::Unsupported("a wide product of 64 bits")),
        })
    }

    fn mad(&mut self, inst: &Inst, ty: T, a: Value, b: Value) -> Result<()> {
        let o = &inst.operands;
        let signed = ty.signed();
        let product = self.product(inst, ty, a, b)?;
        if inst.mods.part == Some(Part::Wide) {
            let wide = match ty {
                T::S(n) => T::S(2 * n),
                T::U(n) => T::U(2 * n),
                _ => return Err(Refusal::Malformed("a wide product needs an integer type")),
            };
            let c = self.value(operand(o, 3)?, wide)?;
            let value = self.b().add(product, c);
            return self.write(&o[0], value, signed);
        }
        let c = self.int(operand(o, 3)?, ty)?;
        let carry_in = inst.op == P::Madc;
        let value = if inst.mods.sat {
            self.saturated(product, c, false)
        } else if carry_in || inst.mods.carry_out {
            self.with_carry(inst, product, c, carry_in, false)
        } else {
            self.b().add(product, c)
        };
        self.int_result(&o[0], value, ty)
    }

    /// `mul24`: the low 24 bits of each operand; bits 31…0 or 47…16 of the product.
    fn product24(&mut self, inst: &Inst, ty: T, a: Value, b: Value) -> Result<Value> {
        let signed = ty.signed();
        let cut = |c: &mut Self, v: Value| {
            let up = c.b().shl_by(v, 8);
            if signed { c.b().ashr_by(up, 8) } else { c.b().lshr_by(up, 8) }
        };
        let (a, b) = (cut(self, a), cut(self, b));
        match inst.mods.part {
            Some(Part::Lo) => Ok(self.b().mul(a, b)),
            Some(Part::Hi) => {
                let wide = self.b().value(Op::MulWide { signed }, &[a, b], Type::I64);
                let high = self.b().lshr_by(wide, 16);
                Ok(self.b().low(high))
            }
            _ => Err(Refusal::Missing("the part of the product")),
        }
    }

    fn dot(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let (ta, tb) = (inst.types[0], *inst.types.get(1).ok_or(Refusal::Missing("the second type"))?);
        let a = self.value(operand(o, 1)?, ta)?;
        let b = self.value(operand(o, 2)?, tb)?;
        let c = self.value(operand(o, 3)?, ta)?;
        let (a_signed, b_signed) = (ta.signed(), tb.signed());
        if inst.op == P::Dp4a {
            let value = self.b().value(Op::Dot4 { a_signed, b_signed }, &[a, b, c], Type::I32);
            return self.write(&o[0], value, false);
        }
        // Two halves of `a` by two bytes of `b`, the low or the high ones.
        let first = if inst.mods.part == Some(Part::Hi) { 16 } else { 0 };
        let mut sum = c;
        for i in 0..2u32 {
            let field = |c: &mut Self, value: Value, low: u32, width: u32, signed: bool| {
                let up = c.b().shl_by(value, 32 - width - low);
                if signed { c.b().ashr_by(up, 32 - width) } else { c.b().lshr_by(up, 32 - width) }
            };
            let x = field(self, a, 16 * i, 16, a_signed);
            let y = field(self, b, first + 8 * i, 8, b_signed);
            let product = self.b().mul(x, y);
            sum = self.b().add(sum, product);
        }
        self.write(&o[0], sum, false)
    }

    /// Operations on both 16-bit halves.
    fn pairs(&mut self, inst: &Inst, ty: T) -> Result<()> {
        let o = &inst.operands;
        let signed = ty == T::S16x2;
        let a = self.value(operand(o, 1)?, ty)?;
        let b = self.value(operand(o, 2)?, ty)?;
        let mut halves = Vec::new();
        for low in [0, 16] {
            let half = |c: &mut Self, v: Value| {
                let up = c.b().shl_by(v, 16 - low);
                if signed { c.b().ashr_by(up, 16) } else { c.b().lshr_by(up, 16) }
            };
            let (x, y) = (half(self, a), half(self, b));
            let value = match inst.op {
                P::Add => self.b().add(x, y),
                P::Sub => self.b().sub(x, y),
                P::Min => self.b().same(Op::Min { signed }, &[x, y]),
                P::Max => self.b().same(Op::Max { signed }, &[x, y]),
                _ => return Err(Refusal::Unsupported("this operation on pairs")),
            };
            let value = if inst.mods.relu { self.relu(value) } else { value };
            halves.push(value);
        }
        let mask = self.b().i32(0xffff);
        let low = self.b().and(halves[0], mask);
        let high = self.b().shl_by(halves[1], 16);
        let value = self.b().or(low, high);
        self.write(&o[0], value, false)
    }
}
