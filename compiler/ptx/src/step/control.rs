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
            // Nobody watches the thread: what it stops at ends it.
            Op::Trap | Op::Brkpt => Err(Trap::Trapped),
            _ => Err(self.unsupported()),
        }
    }

    /// `call {(results),} callee {, (arguments)} {, prototype}`.
    fn call(&mut self) -> Done<Outcome<'a, D::V>> {
        let [results, callee, arguments, prototype @ ..] = &self.inst.operands[..] else {
            return Err(self.unsupported());
        };
        let (returns, params) = match (callee, prototype) {
            (Operand::Function(FunctionId(number)), []) => {
                let f = self.module.functions.get(*number as usize).ok_or_else(|| self.unsupported())?;
                (&f.returns, &f.params)
            }
            (_, [Operand::Prototype(name)]) => {
                let p = self.function.prototypes.get(name).ok_or_else(|| self.unsupported())?;
                (&p.returns, &p.params)
            }
            _ => return Err(self.unsupported()),
        };
        let results = self.places(results, returns, false)?;
        let arguments = self.places(arguments, params, true)?;
        if let Operand::Function(function) = callee {
            return Ok(Outcome::Call { function: *function, arguments, results });
        }
        let target = self.value(callee, 64)?;
        Ok(Outcome::CallIndirect { target, arguments, results })
    }

    fn places(&mut self, operand: &'a Operand, params: &'a [Param], sources: bool) -> Done<Vec<Place<D::V>>> {
        let Operand::List(list) = operand else { return Err(self.unsupported()) };
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
