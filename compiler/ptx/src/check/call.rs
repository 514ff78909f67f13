//! Calls: `call (results), callee, (arguments), signature`.

use super::Checker;
use super::fit::agree;
use super::operand::{Kind, Reported, Resolved};
use crate::ast::{self, Instruction, OperandKind};
use crate::checked::{Guard, Mods, Op, Operand, Param, Prototype, Type};
use crate::diagnostics::Code;
use crate::source::Span;
use sassafras_semantics::Space;
use smallvec::{SmallVec, smallvec};

impl Checker {
    pub(super) fn call(&mut self, inst: &Instruction, guard: Option<Guard>, mods: Mods) {
        let mut rest = inst.operands.as_slice();
        let mut returns: &[ast::Operand] = &[];
        if let [ast::Operand { kind: OperandKind::List(items), .. }, more @ ..] = rest {
            (returns, rest) = (items, more);
        }
        let [callee, more @ ..] = rest else {
            return self.error(Code::OperandCount, inst.root.span, "the call names no function");
        };
        let mut args: &[ast::Operand] = &[];
        rest = more;
        if let [ast::Operand { kind: OperandKind::List(items), .. }, more @ ..] = rest {
            (args, rest) = (items, more);
        }
        let Ok(target) = self.resolve(callee) else { return };
        let (target, signature, named) = match (&target.kind, rest) {
            (Kind::Function(id), []) => {
                let f = &self.module.functions[id.0 as usize];
                if f.entry {
                    let message = format!("`{}` is an entry; only functions can be called", f.name);
                    return self.error(Code::CallMismatch, callee.span, message);
                }
                let signature =
                    Prototype { returns: f.returns.clone(), params: f.params.clone(), targets: vec![*id] };
                (Operand::Function(*id), signature, None)
            }
            (Kind::Register(id, Type::B(64) | Type::U(64) | Type::S(64)), [name]) => {
                let Ok(Kind::Prototype(name)) = self.resolve(name).map(|r| r.kind) else {
                    let message =
                        "an indirect call ends with the label of a `.callprototype` or `.calltargets`";
                    return self.error(Code::CallMismatch, name.span, message);
                };
                let signature = self.body.function.prototypes.get(&name).cloned().unwrap_or_default();
                (Operand::Register(*id), signature, Some(name))
            }
            (Kind::Function(_) | Kind::Register(..), _) => {
                let message = "a call through a 64-bit register names a signature; a direct call does not";
                return self.error(Code::CallMismatch, callee.span, message);
            }
            (other, _) => {
                let message = format!("{} cannot be called", other.describe());
                return self.error(Code::OperandKind, callee.span, message);
            }
        };
        let results = self.arguments(returns, &signature.returns, true, inst.root.span);
        let arguments = self.arguments(args, &signature.params, false, inst.root.span);
        let (Ok(results), Ok(arguments)) = (results, arguments) else { return };
        let mut operands: SmallVec<[Operand; 4]> =
            smallvec![Operand::List(results), target, Operand::List(arguments)];
        operands.extend(named.map(Operand::Prototype));
        self.push(Op::Call, SmallVec::new(), mods, guard, operands);
    }

    fn arguments(
        &mut self,
        given: &[ast::Operand],
        wanted: &[Param],
        results: bool,
        call: Span,
    ) -> Result<Vec<Operand>, Reported> {
        let what = if results { "result" } else { "argument" };
        let resolved: Vec<_> = given.iter().map(|g| self.resolve(g)).collect();
        let mut parts = Vec::new();
        for one in resolved.into_iter().collect::<Result<Vec<_>, Reported>>()? {
            match one.kind {
                // A vector of registers is as many arguments as it has elements.
                Kind::Registers(ids, ty) => {
                    let part = |id| Resolved { kind: Kind::Register(id, ty), span: one.span };
                    parts.extend(ids.into_iter().map(part));
                }
                _ => parts.push(one),
            }
        }
        if parts.len() != wanted.len() {
            let message = format!("{} {what}s given, {} needed", parts.len(), wanted.len());
            self.error(Code::CallMismatch, call, message);
            return Err(Reported);
        }
        let pairs: Vec<_> =
            parts.into_iter().zip(wanted).map(|(g, w)| self.argument(g, w, results, what)).collect();
        pairs.into_iter().collect()
    }

    fn argument(
        &mut self,
        given: Resolved,
        wanted: &Param,
        result: bool,
        what: &str,
    ) -> Result<Operand, Reported> {
        let mismatch = |this: &mut Self, detail: String| {
            this.error(Code::CallMismatch, given.span, format!("the {what} for `{}`: {detail}", wanted.name));
            Err(Reported)
        };
        let array = wanted.size > wanted.ty.bytes();
        match given.kind {
            Kind::Register(id, ty) if !array => match agree(ty, wanted.ty, false) {
                Ok(()) => Ok(Operand::Register(id)),
                Err(detail) => mismatch(self, detail),
            },
            Kind::Sink if result => Ok(Operand::Sink),
            Kind::Constant(constant) if !result && !array => match constant.bits(wanted.ty) {
                Some(bits) => Ok(Operand::Immediate(bits)),
                None => mismatch(self, format!("the constant does not fit `.{}`", wanted.ty.name())),
            },
            Kind::Variable(id, 0) => {
                let v = self.variable(id);
                let (space, size, align, ty) = (v.space, v.size, v.align, v.ty);
                if space != Space::Param {
                    return mismatch(self, "a variable that is not in `.param`".into());
                }
                if size != u64::from(wanted.size) {
                    return mismatch(self, format!("{size} bytes where {} are needed", wanted.size));
                }
                if (size > u64::from(ty.bytes())) != array {
                    return mismatch(self, "an array where a scalar is needed, or the other way".into());
                }
                if align < u64::from(wanted.align) {
                    return mismatch(self, format!("alignment {align} where {} is needed", wanted.align));
                }
                if !array && let Err(detail) = agree(ty, wanted.ty, true) {
                    return mismatch(self, detail);
                }
                Ok(Operand::Symbol(id, 0))
            }
            Kind::Param(i, returned, 0) => {
                let p = match returned {
                    true => &self.body.function.returns[i as usize],
                    false => &self.body.function.params[i as usize],
                };
                if p.size != wanted.size {
                    let (have, need) = (p.size, wanted.size);
                    return mismatch(self, format!("{have} bytes where {need} are needed"));
                }
                Ok(Operand::Param(i, returned, 0))
            }
            other => mismatch(self, format!("{} cannot be passed", other.describe())),
        }
    }
}
