//! Logic, shifts, bit fields and `prmt` (PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions").

use crate::context::{Context, Result};
use crate::operand::{operand, pair};
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Op, Type, Value};
use sassafras_ptx::checked::{BoolOp, Inst, Op as P, Operand, Type as T};

/// Byte selectors of the modes of `prmt`, by the low two bits of the third operand, lowest 16 bits first.
const PERMUTES: [(&str, [u16; 4]); 6] = [
    ("f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
    ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
    ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
    ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
    ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
    ("rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
];

impl Context<'_, '_> {
    pub(crate) fn logic(&mut self, inst: &Inst) -> Result<()> {
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let o = &inst.operands;
        let count = T::U(32);
        let value = match inst.op {
            P::And | P::Or | P::Xor => {
                let (a, b) = (self.bits(operand(o, 1)?, ty)?, self.bits(operand(o, 2)?, ty)?);
                let op = match inst.op {
                    P::And => Op::And,
                    P::Or => Op::Or,
                    _ => Op::Xor,
                };
                self.b().same(op, &[a, b])
            }
            P::Not => {
                let a = self.bits(operand(o, 1)?, ty)?;
                self.b().not(a)
            }
            P::Cnot => {
                let a = self.int(operand(o, 1)?, ty)?;
                let width = self.function.ty(a);
                let zero = self.b().constant(width, 0);
                let is_zero = self.b().compare(Compare::Eq, a, zero);
                self.b().zext(is_zero, width)
            }
            P::Lop3 => return self.lop3(inst),
            P::Shl | P::Shr => {
                let a = self.int(operand(o, 1)?, ty)?;
                let n = self.value(operand(o, 2)?, count)?;
                let op = if inst.op == P::Shl { Op::Shl } else { Op::Shr { signed: ty.signed() } };
                self.b().same(op, &[a, n])
            }
            P::Shf => {
                let (left, wrap) = (inst.mods.left.ok_or(Refusal::Missing("`.l` or `.r`"))?, inst.mods.wrap);
                let wrap = wrap.ok_or(Refusal::Missing("`.clamp` or `.wrap`"))?;
                let args = self.words(inst, 3)?;
                self.b().same(Op::FunnelShift { left, wrap }, &args)
            }
            P::Popc | P::Clz => {
                let a = self.value(operand(o, 1)?, ty)?;
                let op = if inst.op == P::Popc { Op::Popcount } else { Op::LeadingZeros };
                let value = self.b().value(op, &[a], Type::I32);
                return self.write(&o[0], value, false);
            }
            P::Bfind => {
                let a = self.value(operand(o, 1)?, ty)?;
                let op = Op::FindHighest { signed: ty.signed(), shift_amount: inst.mods.shiftamt };
                let value = self.b().value(op, &[a], Type::I32);
                return self.write(&o[0], value, false);
            }
            P::Brev => {
                let a = self.value(operand(o, 1)?, ty)?;
                self.b().same(Op::BitReverse, &[a])
            }
            P::Bfe => {
                let a = self.value(operand(o, 1)?, ty)?;
                let (b, c) = (self.value(operand(o, 2)?, count)?, self.value(operand(o, 3)?, count)?);
                self.b().same(Op::BitExtract { signed: ty.signed() }, &[a, b, c])
            }
            P::Bfi => {
                let (a, b) = (self.value(operand(o, 1)?, ty)?, self.value(operand(o, 2)?, ty)?);
                let (c, d) = (self.value(operand(o, 3)?, count)?, self.value(operand(o, 4)?, count)?);
                self.b().same(Op::BitInsert, &[a, b, c, d])
            }
            P::Bmsk | P::Szext => {
                let a = self.value(operand(o, 1)?, ty)?;
                let b = self.value(operand(o, 2)?, count)?;
                let wrap = inst.mods.wrap.unwrap_or(inst.mods.mode == Some("wrap"));
                self.mask_or_extend(inst.op, ty.signed(), wrap, a, b)
            }
            P::Prmt => self.permute(inst)?,
            P::Fns => self.find_nth(inst)?,
            _ => return Err(Refusal::Unsupported("this bit instruction")),
        };
        if ty == T::Pred {
            return self.write(&o[0], value, false);
        }
        self.int_result(&o[0], value, ty)
    }

    /// `fns`: the n-th set bit from a place upwards, or downwards in the reversed word. Found by halves: those below are counted.
    fn find_nth(&mut self, inst: &Inst) -> Result<Value> {
        let o = &inst.operands;
        let (word, base) = (self.value(operand(o, 1)?, T::B(32))?, self.value(operand(o, 2)?, T::B(32))?);
        let offset = self.value(operand(o, 3)?, T::S(32))?;
        let mut x = self.b();
        let (zero, one, none) = (x.i32(0), x.i32(1), x.i32(u32::MAX));
        let downwards = x.compare(Compare::SLt, offset, zero);
        let here = x.compare(Compare::Eq, offset, zero);
        let reversed = x.same(Op::BitReverse, &[word]);
        let last = x.i32(31);
        let mirrored = x.sub(last, base);
        let word = x.select(downwards, reversed, word);
        let start = x.select(downwards, mirrored, base);
        let above = x.shl(none, start);
        let word = x.and(word, above);
        let size = x.same(Op::Abs, &[offset]);
        let wanted = x.select(here, one, size);
        let (mut at, mut left) = (zero, wanted);
        for width in [16, 8, 4, 2, 1] {
            let rest = x.lshr(word, at);
            let mask = x.i32((1 << width) - 1);
            let low = x.and(rest, mask);
            let count = x.value(Op::Popcount, &[low], Type::I32);
            let further = x.compare(Compare::UGt, left, count);
            let fewer = x.sub(left, count);
            left = x.select(further, fewer, left);
            let step = x.i32(width);
            let next = x.add(at, step);
            at = x.select(further, next, at);
        }
        let total = x.value(Op::Popcount, &[word], Type::I32);
        let mirrored = x.sub(last, at);
        let found = x.select(downwards, mirrored, at);
        let enough = x.compare(Compare::ULe, wanted, total);
        // With offset 0 only the place itself counts.
        let elsewhere = x.compare(Compare::Ne, found, base);
        let missed = x.and(here, elsewhere);
        let found = x.select(missed, none, found);
        Ok(x.select(enough, found, none))
    }

    /// A source for bitwise operations: predicates as they are, integers of at least 32 bits.
    fn bits(&mut self, operand: &Operand, ty: T) -> Result<Value> {
        if ty == T::Pred { self.value(operand, ty) } else { self.int(operand, ty) }
    }

    fn words(&mut self, inst: &Inst, count: usize) -> Result<Vec<Value>> {
        (1..=count).map(|i| self.value(operand(&inst.operands, i)?, T::B(32))).collect()
    }

    fn lop3(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let args = self.words(inst, 3)?;
        let Operand::Immediate(table) = operand(o, 4)? else {
            return Err(Refusal::Malformed("the table is not a constant"));
        };
        let value = self.b().same(Op::Lop3(*table as u8), &args);
        let (d, p) = pair(&o[0]);
        let Some(p) = p else { return self.write(d, value, false) };
        let zero = self.b().i32(0);
        let any = self.b().compare(Compare::Ne, value, zero);
        let q = self.value(operand(o, 5)?, T::Pred)?;
        let op = match inst.mods.bool_op {
            Some(BoolOp::Or) => Op::Or,
            Some(BoolOp::And) => Op::And,
            _ => return Err(Refusal::Missing("`.or` or `.and`")),
        };
        let flag = self.b().same(op, &[any, q]);
        self.write(d, value, false)?;
        self.write(p, flag, false)
    }

    fn mask_or_extend(&mut self, op: P, signed: bool, wrap: bool, a: Value, b: Value) -> Value {
        let mut x = self.b();
        if op == P::Bmsk {
            let (mut position, mut width) = (a, b);
            if wrap {
                let low = x.i32(31);
                position = x.and(position, low);
                width = x.and(width, low);
            }
            let ones = x.i32(u32::MAX);
            let above = x.shl(ones, width);
            let mask = x.not(above);
            return x.shl(mask, position);
        }
        // `szext`: the low b bits, extended.
        let n = if wrap {
            let low = x.i32(31);
            x.and(b, low)
        } else {
            let limit = x.i32(32);
            x.same(Op::Min { signed: false }, &[b, limit])
        };
        let zero = x.i32(0);
        x.same(Op::BitExtract { signed }, &[a, zero, n])
    }

    fn permute(&mut self, inst: &Inst) -> Result<Value> {
        let mut args = self.words(inst, 3)?;
        if let Some(mode) = inst.mods.mode {
            let row = PERMUTES.iter().find(|(name, _)| *name == mode).ok_or(Refusal::Unknown("the mode"))?;
            let table = row.1.iter().rev().fold(0u64, |all, &s| all << 16 | u64::from(s));
            let mut x = self.b();
            let low = x.i32(3);
            let which = x.and(args[2], low);
            let count = x.shl_by(which, 4);
            let table = x.i64(table);
            let shifted = x.lshr(table, count);
            args[2] = x.low(shifted);
        }
        Ok(self.b().same(Op::Permute, &args))
    }
}
