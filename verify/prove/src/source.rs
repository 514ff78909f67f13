//! The source: PTX over terms.

use crate::inputs::Inputs;
use crate::side::{Side, name};
use rustc_hash::FxHashMap;
use sassafras_ptx::checked::{Function, FunctionId, Module, RegisterId, VariableId};
use sassafras_ptx::step::{Outcome, PtxState, guard, step};
use sassafras_semantics::{
    Access, AtomicOp, Domain, Ordering, Scope, Space, SpecialRegister, State, TermId, Terms, Trap,
};

struct Lane<'s, 'i> {
    side: &'s mut Side<'i>,
    module: &'s Module,
    function: &'s Function,
    registers: &'s mut FxHashMap<RegisterId, TermId>,
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

impl Lane<'_, '_> {
    fn width(&self, register: RegisterId) -> u32 {
        self.function.registers.get(register.0 as usize).map_or(1, |r| r.ty.width())
    }
    /// What a register holds before it is written is undefined.
    fn old(&mut self, d: &Terms, register: RegisterId) -> TermId {
        let width = self.width(register);
        *self.registers.entry(register).or_insert_with(|| d.undef(width, "a register that was not written"))
    }
}

impl State<Terms> for Lane<'_, '_> {
    type Register = RegisterId;

    fn read(&mut self, d: &Terms, register: RegisterId) -> Result<TermId, Trap> {
        Ok(self.old(d, register))
    }
    fn write(&mut self, d: &Terms, register: RegisterId, value: TermId) {
        let old = self.old(d, register);
        let new = self.side.merge(value, old);
        self.registers.insert(register, new);
    }
    fn load(&mut self, _: &Terms, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        if access.space != Space::Param {
            return self.side.load(access, *address);
        }
        match self.side.inputs.known(*address) {
            Some(at) => Ok(self.side.inputs.parameter(at as u64, access.bytes)),
            None => unsupported("a parameter at an address that is not constant"),
        }
    }
    fn store(&mut self, _: &Terms, access: &Access, address: &TermId, value: &TermId) -> Result<(), Trap> {
        self.side.store(access, *address, *value)
    }
    fn atomic(
        &mut self,
        _: &Terms,
        _: &Access,
        _: AtomicOp,
        _: &TermId,
        _: &[TermId],
    ) -> Result<TermId, Trap> {
        unsupported("an atomic operation")
    }
    fn fence(&mut self, _: &Terms, _: Ordering, _: Scope) -> Result<(), Trap> {
        unsupported("a fence")
    }
    fn special(&mut self, _: &Terms, register: SpecialRegister) -> Result<TermId, Trap> {
        self.side.inputs.special(register)
    }
    fn cvta(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        match space {
            Space::Global | Space::Generic => Ok(*address),
            other => unsupported(format!("cvta of {} memory", name(other))),
        }
    }
    fn cvta_to(&mut self, d: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        self.cvta(d, space, address)
    }
    fn is_space(&mut self, _: &Terms, _: Space, _: &TermId) -> Result<TermId, Trap> {
        unsupported("a question about the window of an address")
    }
}

impl PtxState<Terms> for Lane<'_, '_> {
    fn symbol_address(&mut self, _: &Terms, variable: VariableId) -> Result<TermId, Trap> {
        let v = self.function.variable(self.module, variable);
        match v.space {
            Space::Global => Ok(self.side.inputs.variable(&format!("address.{}", v.name), 64, true)),
            other => unsupported(format!("a variable in {} memory", name(other))),
        }
    }
    fn param_address(&mut self, d: &Terms, index: u32, returns: bool) -> Result<TermId, Trap> {
        match self.function.params.get(index as usize) {
            Some(p) if !returns => Ok(d.constant(64, p.offset.into())),
            _ => unsupported("a return parameter"),
        }
    }
    fn function_address(&mut self, _: &Terms, _: FunctionId) -> Result<TermId, Trap> {
        unsupported("the address of a function")
    }
}

/// Runs an entry to its end.
///
/// # Errors
/// What is not covered, and at which line.
pub fn run<'i>(inputs: &'i Inputs<'i>, module: &Module, function: &Function) -> Result<Side<'i>, String> {
    let d = inputs.terms;
    let mut side = Side::new(inputs);
    let mut registers = FxHashMap::default();
    let insts = function.insts.as_deref().unwrap_or_default();
    for (index, inst) in insts.iter().enumerate() {
        side.arrive(index as u64);
        if side.over() {
            break;
        }
        if side.nobody() {
            continue;
        }
        side.place = inst.line.into();
        let at = |why: String| format!("line {}: {why}", inst.line);
        let mut lane = Lane { side: &mut side, module, function, registers: &mut registers };
        let holds = guard(d, inst, &mut lane).map_err(|t| at(t.to_string()))?;
        side.guard = holds.unwrap_or_else(|| d.yes());
        let mut lane = Lane { side: &mut side, module, function, registers: &mut registers };
        let outcome = step(d, module, function, inst, &mut lane).map_err(|t| at(t.to_string()))?;
        match outcome {
            Outcome::Next => {}
            Outcome::Branch(label) => {
                let to = u64::from(function.labels[label.0 as usize].target);
                if to <= index as u64 {
                    return Err(at("a branch backwards".into()));
                }
                side.jump(to, None);
            }
            Outcome::Return | Outcome::Exit => {
                side.leave(None);
            }
            Outcome::Switch { .. } => return Err(at("brx.idx".into())),
            Outcome::Call { .. } | Outcome::CallIndirect { .. } => return Err(at("a call".into())),
            Outcome::Collective { op, .. } => return Err(at(format!("{op:?}, which takes several lanes"))),
        }
    }
    Ok(side)
}
