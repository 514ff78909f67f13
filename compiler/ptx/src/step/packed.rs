//! Two elements of 16 bits in 32, or of 32 bits in 64: the scalar meaning on each half.

use super::{Done, PtxState, Step};
use crate::checked::{Op, Type};
use sassafras_semantics::{Domain, FloatFormat};
use smallvec::SmallVec;

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn packed(&mut self) -> Done<()> {
        let mut args: SmallVec<[D::V; 3]> = SmallVec::new();
        let width = self.ty().width();
        for index in 1..self.operands() {
            args.push(self.source(index, Type::B(width as u8))?);
        }
        let mut halves: SmallVec<[D::V; 2]> = SmallVec::new();
        for low in [0, width / 2] {
            let parts: SmallVec<[D::V; 3]> = args.iter().map(|a| self.d.extract(a, low, width / 2)).collect();
            halves.push(match self.ty() {
                Type::F32x2 => self.float_value(FloatFormat::F32, &parts)?,
                Type::F16x2 => self.float_value(FloatFormat::F16, &parts)?,
                Type::Bf16x2 => self.float_value(FloatFormat::Bf16, &parts)?,
                ty => self.packed_integer(ty == Type::S16x2, &parts)?,
            });
        }
        let result = self.d.concat(&halves[1], &halves[0]);
        self.result(&result)
    }

    fn packed_integer(&self, signed: bool, args: &[D::V]) -> Done<D::V> {
        let result = match (self.inst.op, args) {
            (Op::Add, [a, b]) => self.d.add(a, b),
            (Op::Sub, [a, b]) => self.d.sub(a, b),
            (Op::Neg, [a]) => self.d.neg(a),
            (Op::Min | Op::Max, [a, b]) => self.extremum(self.inst.op == Op::Min, a, b, signed),
            _ => return Err(self.unsupported()),
        };
        Ok(if self.inst.mods.relu { self.integer_relu(&result) } else { result })
    }
}
