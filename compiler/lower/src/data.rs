//! `mov`, `cvta`, `isspacep`.

use crate::context::{Context, Result, type_of};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Op, Type, Value};
use sassafras_ptx::checked::{Inst, Op as P, Operand, Type as T};
use sassafras_semantics::Space;

impl Context<'_, '_> {
    pub(crate) fn data(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        match inst.op {
            P::Mov => {
                let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
                let value = match operand(o, 1)? {
                    // A vector operand holds the whole value.
                    Operand::Vector(items) if items.len() == 1 => self.value(&items[0], ty)?,
                    source => self.value(source, ty)?,
                };
                self.write(&o[0], value, false)
            }
            P::Cvta => {
                let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
                if ty.width() != 64 {
                    return Err(Refusal::UnsupportedSeveral("32-bit generic addresses"));
                }
                let space = inst.mods.space.ok_or(Refusal::Missing("the state space"))?;
                let value = self.value(operand(o, 1)?, ty)?;
                let value = match (space, inst.mods.to) {
                    // The window of global memory is all of generic addressing that no other window takes.
                    (Space::Global, _) => value,
                    (Space::Shared | Space::Local | Space::Const | Space::Param, true) => {
                        self.b().value(Op::FromGeneric(space), &[value], Type::I64)
                    }
                    (Space::Shared | Space::Local | Space::Const | Space::Param, false) => {
                        self.b().value(Op::ToGeneric(space), &[value], Type::I64)
                    }
                    _ => return Err(Refusal::UnsupportedSeveral("generic addresses of this state space")),
                };
                self.write(&o[0], value, false)
            }
            P::Isspacep => {
                let space = inst.mods.space.ok_or(Refusal::Missing("the state space"))?;
                let width = match operand(o, 1)? {
                    Operand::Register(r) => self.register_type(*r).width(),
                    _ => 64,
                };
                if type_of(width) != Type::I64 {
                    return Err(Refusal::UnsupportedSeveral("32-bit generic addresses"));
                }
                let address = self.value(operand(o, 1)?, T::B(64))?;
                let value = match space {
                    Space::Const => self.is_constant(address),
                    Space::Shared if inst.mods.hints.contains(&"shared::cluster") => {
                        let op = sassafras_semantics::Opaque::named("inclusterspace");
                        let op = op.ok_or(Refusal::Unsupported("`isspacep.shared::cluster`"))?;
                        self.b().value(Op::Opaque(op), &[address], Type::I1)
                    }
                    _ => self.b().value(Op::IsSpace(space), &[address], Type::I1),
                };
                self.write(&o[0], value, false)
            }
            _ => Err(Refusal::Unsupported("this instruction")),
        }
    }

    /// Whether a generic address lies among the constants of the module, which follow one another from the window's start.
    fn is_constant(&mut self, address: Value) -> Value {
        let own = self.module.functions.iter().flat_map(|f| &f.variables);
        let constants = self.module.variables.iter().chain(own);
        let end = constants
            .filter(|v| v.space == Space::Const)
            .fold(0u64, |end, v| end.next_multiple_of(v.align.max(1)) + v.size);
        let start = self.b().constant(Type::I64, 0);
        let window = self.b().value(Op::ToGeneric(Space::Const), &[start], Type::I64);
        let distance = self.b().sub(address, window);
        let end = self.b().constant(Type::I64, end.into());
        self.b().compare(Compare::ULt, distance, end)
    }
}
