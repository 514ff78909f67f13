//! Comparison and selection (PTX ISA, "Comparison and Selection Instructions").

use crate::context::{Context, Result, type_of};
use crate::operand::{operand, pair};
use crate::refusal::Refusal;
use sassafras_ir::{Compare, FloatCompare, Op, Type, Value};
use sassafras_ptx::checked::{BoolOp, Comparison, Inst, Op as P, Type as T};
use sassafras_semantics::FloatFormat;

fn float_compare(c: Comparison) -> Result<FloatCompare> {
    Ok(match c {
        Comparison::Eq => FloatCompare::Eq,
        Comparison::Ne => FloatCompare::Ne,
        Comparison::Lt => FloatCompare::Lt,
        Comparison::Le => FloatCompare::Le,
        Comparison::Gt => FloatCompare::Gt,
        Comparison::Ge => FloatCompare::Ge,
        Comparison::Equ => FloatCompare::UEq,
        Comparison::Neu => FloatCompare::UNe,
        Comparison::Ltu => FloatCompare::ULt,
        Comparison::Leu => FloatCompare::ULe,
        Comparison::Gtu => FloatCompare::UGt,
        Comparison::Geu => FloatCompare::UGe,
        Comparison::Num => FloatCompare::Ordered,
        Comparison::Nan => FloatCompare::Unordered,
        Comparison::Lo | Comparison::Ls | Comparison::Hi | Comparison::Hs => {
            return Err(Refusal::Unsupported("an unsigned comparison of floats"));
        }
    })
}

fn integer_compare(c: Comparison, signed: bool) -> Result<Compare> {
    Ok(match (c, signed) {
        (Comparison::Eq, _) => Compare::Eq,
        (Comparison::Ne, _) => Compare::Ne,
        (Comparison::Lt, true) => Compare::SLt,
        (Comparison::Le, true) => Compare::SLe,
        (Comparison::Gt, true) => Compare::SGt,
        (Comparison::Ge, true) => Compare::SGe,
        (Comparison::Lt | Comparison::Lo, _) => Compare::ULt,
        (Comparison::Le | Comparison::Ls, _) => Compare::ULe,
        (Comparison::Gt | Comparison::Hi, _) => Compare::UGt,
        (Comparison::Ge | Comparison::Hs, _) => Compare::UGe,
        _ => return Err(Refusal::Unsupported("a float comparison of integers")),
    })
}

/// The format of a float or packed type.
pub(crate) fn format_of(ty: T) -> Option<FloatFormat> {
    match ty {
        T::F(format) => Some(format),
        T::F16x2 => Some(FloatFormat::F16),
        T::Bf16x2 => Some(FloatFormat::Bf16),
        T::F32x2 => Some(FloatFormat::F32),
        _ => None,
    }
}

/// Whether a type is a pair of floats.
pub(crate) fn packed(ty: T) -> bool {
    matches!(ty, T::F16x2 | T::Bf16x2 | T::F32x2)
}

impl Context<'_, '_> {
    pub(crate) fn compare(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        match inst.op {
            P::Setp => {
                let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
                let holds = self.relation(inst, ty)?;
                let (d, q) = pair(operand(o, 0)?);
                if packed(ty) {
                    // One destination per half.
                    let high = q.ok_or(Refusal::Missing("the second destination"))?;
                    let values = [self.combined(inst, holds[0])?, self.combined(inst, holds[1])?];
                    self.write(d, values[0], false)?;
                    return self.write(high, values[1], false);
                }
                let first = self.combined(inst, holds[0])?;
                let second = match q {
                    Some(_) => {
                        let not = self.b().not(holds[0]);
                        Some(self.combined(inst, not)?)
                    }
                    None => None,
                };
                self.write(d, first, false)?;
                if let (Some(q), Some(second)) = (q, second) {
                    self.write(q, second, false)?;
                }
                Ok(())
            }
            P::Set => self.set_value(inst),
            P::Selp => {
                let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
                let (a, b) = (self.value(operand(o, 1)?, ty)?, self.value(operand(o, 2)?, ty)?);
                let c = self.value(operand(o, 3)?, T::Pred)?;
                let value = self.b().select(c, a, b);
                self.write(&o[0], value, ty.signed())
            }
            P::Slct => {
                let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
                let (a, b) = (self.value(operand(o, 1)?, ty)?, self.value(operand(o, 2)?, ty)?);
                let by = *inst.types.get(1).ok_or(Refusal::Missing("the second type"))?;
                let c = self.value(operand(o, 3)?, by)?;
                let zero = self.b().i32(0);
                let condition = if by == T::F(FloatFormat::F32) {
                    let op = Op::FloatCompare {
                        compare: FloatCompare::Ge,
                        format: FloatFormat::F32,
                        ftz: inst.mods.ftz,
                    };
                    self.b().value(op, &[c, zero], Type::I1)
                } else {
                    self.b().compare(Compare::SGe, c, zero)
                };
                let value = self.b().select(condition, a, b);
                self.write(&o[0], value, ty.signed())
            }
            _ => Err(Refusal::Unsupported("this comparison")),
        }
    }

    /// The relation of operands 1 and 2: one bit, or one per half.
    fn relation(&mut self, inst: &Inst, ty: T) -> Result<Vec<Value>> {
        let o = &inst.operands;
        let c = inst.mods.compare.ok_or(Refusal::Missing("the comparison"))?;
        let Some(format) = format_of(ty) else {
            let (a, b) = (self.int(operand(o, 1)?, ty)?, self.int(operand(o, 2)?, ty)?);
            let compare = integer_compare(c, ty.signed())?;
            return Ok(vec![self.b().compare(compare, a, b)]);
        };
        let (a, b) = (self.value(operand(o, 1)?, ty)?, self.value(operand(o, 2)?, ty)?);
        let op = Op::FloatCompare { compare: float_compare(c)?, format, ftz: inst.mods.ftz };
        if !packed(ty) {
            return Ok(vec![self.b().value(op, &[a, b], Type::I1)]);
        }
        let mut all = Vec::new();
        for low in [0, 16] {
            let x = self.b().value(Op::Extract(low), &[a], Type::I16);
            let y = self.b().value(Op::Extract(low), &[b], Type::I16);
            all.push(self.b().value(op, &[x, y], Type::I1));
        }
        Ok(all)
    }

    /// The relation combined with the predicate operand, if there is one.
    fn combined(&mut self, inst: &Inst, holds: Value) -> Result<Value> {
        let op = match inst.mods.bool_op {
            None => return Ok(holds),
            Some(BoolOp::And) => Op::And,
            Some(BoolOp::Or) => Op::Or,
            Some(BoolOp::Xor) => Op::Xor,
            Some(BoolOp::Popc) => return Err(Refusal::Malformed("`.popc` is not an operator here")),
        };
        let c = self.value(operand(&inst.operands, 3)?, T::Pred)?;
        Ok(self.b().same(op, &[holds, c]))
    }

    fn set_value(&mut self, inst: &Inst) -> Result<()> {
        let (to, from) = (inst.types[0], *inst.types.get(1).ok_or(Refusal::Missing("the second type"))?);
        let holds = self.relation(inst, from)?;
        let yes: u128 = match to {
            T::F(FloatFormat::F16) | T::F16x2 => 0x3c00,
            T::F(FloatFormat::Bf16) | T::Bf16x2 => 0x3f80,
            T::F(FloatFormat::F32) => 0x3f80_0000,
            _ => u128::MAX,
        };
        let each = if packed(from) { Type::I16 } else { type_of(to.width()) };
        let mut values = Vec::new();
        for h in holds {
            let c = self.combined(inst, h)?;
            let (yes, no) = (self.b().constant(each, yes), self.b().constant(each, 0));
            values.push(self.b().select(c, yes, no));
        }
        let value =
            if values.len() == 2 { self.b().value(Op::Concat, &values, Type::I32) } else { values[0] };
        self.write(&inst.operands[0], value, to.signed())
    }
}
