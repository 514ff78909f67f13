//! Branches, calls and ends (PTX ISA, "Control Flow Instructions", "Miscellaneous Instructions").

use super::{Done, Outcome, Place, PtxState, Step};
use crate::checked::{FunctionId, Op, Operand, Param, Type};
use sassafras_semantics::{Domain, Space, Trap};

impl<'a, D: Domain, S: PtxState<D>> Step<'_, 'a, D, S> {
    pub(super) fn control(&mut self) -> Done<Outcome<'a, D::V>> {
        match self.inst.op {
            Op::Bra => match self.operand(0)? {
                Operand::Label(label) => Ok(Outcome::Branch(*label)),
                _ => Err(self.unsupported()),
            },
            Op::BrxIdx => {
                let index = self.source(0, Type::U(32))?;
                let Operand::BranchTargets(name) = self.operand(1)? else { return Err(self.unsupported()) };
                let targets = self.function.branch_targets.get(name).ok_or_else(|| self.unsupported())?;
                Ok(Outcome::Switch { index, targets })
            }
            Op::Call => self.call(),
            Op::Ret => Ok(Outcome::Return),
            Op::Exit => Ok(Outcome::Exit),
            Op::Trap => Err(Trap::Trapped),
            _ => Err(self.unsupported()),
        }
    }

    /// `call {(results),} function {, (arguments)}`.
    fn call(&mut self) -> Done<Outcome<'a, D::V>> {
        let at = |o: &Operand| matches!(o, Operand::Function(_));
        let place = self.inst.operands.iter().position(at).ok_or_else(|| self.unsupported())?;
        let Operand::Function(function) = self.inst.operands[place] else { return Err(self.unsupported()) };
        let FunctionId(number) = function;
        let callee = self.module.functions.get(number as usize).ok_or_else(|| self.unsupported())?;
        let (before, after) = (&self.inst.operands[..place], &self.inst.operands[place + 1..]);
        let results = self.places(before, &callee.returns, false)?;
        let arguments = self.places(after, &callee.params, true)?;
        Ok(Outcome::Call { function, arguments, results })
    }

    fn places(
        &mut self,
        operands: &'a [Operand],
        params: &'a [Param],
        sources: bool,
    ) -> Done<Vec<Place<D::V>>> {
        let list: &[Operand] = match operands {
            [Operand::List(list)] => list,
            other => other,
        };
        if list.len() != params.len() {
            return Err(self.unsupported());
        }
        let mut places = Vec::with_capacity(list.len());
        for (operand, param) in list.iter().zip(params) {
            places.push(match operand {
                Operand::Symbol(id, 0) if self.function.variable(self.module, *id).space == Space::Param => {
                    Place::Variable(*id)
                }
                Operand::Register(r) if !sources => Place::Register(Some(*r)),
                Operand::Sink if !sources => Place::Register(None),
                value if sources => Place::Value(self.value(value, param.ty.width())?),
                _ => return Err(self.unsupported()),
            });
        }
        Ok(places)
    }
}
