//! `mov`, `cvta`, `isspacep`.

use crate::context::{Context, Result, type_of};
use crate::operand::operand;
use sassafras_ir::{Op, Type};
use sassafras_ptx::checked::{Inst, Op as P, Operand, Type as T};
use sassafras_semantics::Space;

impl Context<'_, '_> {
    pub(crate) fn data(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        match inst.op {
            P::Mov => {
                let ty = *inst.types.first().ok_or("the type is missing")?;
                let value = match operand(o, 1)? {
                    // A vector operand holds the whole value.
                    Operand::Vector(items) if items.len() == 1 => self.value(&items[0], ty)?,
                    source => self.value(source, ty)?,
                };
                self.write(&o[0], value, false)
            }
            P::Cvta => {
                let ty = *inst.types.first().ok_or("the type is missing")?;
                if ty.width() != 64 {
                    return Err("32-bit generic addresses are not supported".into());
                }
                let space = inst.mods.space.ok_or("the state space is missing")?;
                let value = self.value(operand(o, 1)?, ty)?;
                let value = match (space, inst.mods.to) {
                    // The window of global memory is all of generic addressing that no other window takes.
                    (Space::Global, _) => value,
                    (Space::Shared | Space::Local | Space::Const, true) => {
                        self.b().value(Op::FromGeneric(space), &[value], Type::I64)
                    }
                    (Space::Shared | Space::Local | Space::Const, false) => {
                        self.b().value(Op::ToGeneric(space), &[value], Type::I64)
                    }
                    _ => return Err("generic addresses of this state space are not supported".into()),
                };
                self.write(&o[0], value, false)
            }
            P::Isspacep => {
                let space = inst.mods.space.ok_or("the state space is missing")?;
                let width = match operand(o, 1)? {
                    Operand::Register(r) => self.register_type(*r).width(),
                    _ => 64,
                };
                if type_of(width) != Type::I64 {
                    return Err("32-bit generic addresses are not supported".into());
                }
                let address = self.value(operand(o, 1)?, T::B(64))?;
                let value = self.b().value(Op::IsSpace(space), &[address], Type::I1);
                self.write(&o[0], value, false)
            }
            _ => Err("this instruction is not supported".into()),
        }
    }
}
