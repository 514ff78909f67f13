//! The source: PTX over terms.

use crate::choose;
use crate::contract::Sites;
use crate::inputs::Inputs;
use crate::lanes;
use crate::side::{Side, name};
use crate::window;
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::{Function, FunctionId, Inst, Module, Operand, RegisterId, VariableId};
use sassafras_ptx::step::{Outcome, PtxState, guard, step};
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    Access, AtomicOp, Domain, Ordering, Scope, Space, SpecialRegister, State, TermId, Terms, Trap,
};

struct Lane<'s, 'i> {
    side: &'s mut Side<'i, RegisterId>,
    module: &'s Module,
    function: &'s Function,
    cubin: &'s Cubin,
    /// Where payloads of NaNs are chosen: how many terms there were before the instruction.
    natural: Option<usize>,
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

impl Lane<'_, '_> {
    fn width(&self, register: RegisterId) -> u32 {
        self.function.registers.get(register.0 as usize).map_or(1, |r| r.ty.width())
    }
    /// What a register holds before it is written is undefined.
    fn old(&mut self, register: RegisterId) -> TermId {
        let width = self.width(register);
        self.side.read(register, |i| i.terms.undef(width, "a register that was not written"))
    }

    /// Where a `.shared` variable lies: in the order of declarations, behind what the system keeps. Its address is nothing
    /// that a program may rely on, so any place is as good as another as long as variables are disjoint.
    fn shared_address(&self, variable: VariableId) -> u64 {
        let own = self.function.variables.iter().enumerate();
        let all = self.module.variables.iter().enumerate();
        let all = all.map(|(i, v)| (VariableId::Module(i as u32), v));
        let all = all.chain(own.map(|(i, v)| (VariableId::Local(i as u32), v)));
        let shared: Vec<_> = all.filter(|(_, v)| v.space == Space::Shared).collect();
        let mut at = if self.cubin.sm >= 90 { 0x400u64 } else { 0 };
        // What has no size comes last, all of it at one place.
        for (id, v) in shared.iter().filter(|v| v.1.size > 0).chain(shared.iter().filter(|v| v.1.size == 0)) {
            at = at.next_multiple_of(v.align.max(1));
            if *id == variable {
                return at;
            }
            at += v.size;
        }
        at
    }

    /// Where a `.const` variable lies, as the cubin says.
    fn const_address(&self, variable: VariableId) -> Result<u64, Trap> {
        let v = self.function.variable(self.module, variable);
        let there =
            |x: &&sassafras_cubin::Variable| x.space == sassafras_cubin::Space::Constant && x.name == v.name;
        let Some(x) = self.cubin.variables.iter().find(there) else {
            return unsupported(format!("the constant `{}`, which the cubin does not name", v.name));
        };
        let image = |init: &Option<Vec<u8>>, size: u64| {
            let mut bytes = init.clone().unwrap_or_default();
            bytes.resize(size as usize, 0);
            bytes
        };
        if !v.init_addresses.is_empty() || image(&v.init, v.size) != image(&x.init, v.size) {
            return unsupported(format!("the image of the constant `{}`, which is another", v.name));
        }
        Ok(x.offset)
    }
}

impl State<Terms> for Lane<'_, '_> {
    type Register = RegisterId;

    fn read(&mut self, _: &Terms, register: RegisterId) -> Result<TermId, Trap> {
        Ok(self.old(register))
    }
    fn write(&mut self, d: &Terms, register: RegisterId, value: TermId) {
        let value = self.natural.map_or(value, |before| choose::natural(d, before, value));
        let old = self.old(register);
        self.side.write(register, value, old);
    }
    fn load(&mut self, d: &Terms, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        let inputs = self.side.inputs;
        match access.space {
            Space::Param => match inputs.known(*address) {
                Some(at) => Ok(inputs.parameter(at as u64, access.bytes)),
                None => unsupported("a parameter at an address that is not constant"),
            },
            Space::Const => {
                let low = d.extract(address, 0, 32);
                Ok(crate::target::constant(self.side, self.cubin, None, 3, low, access.bytes)?)
            }
            _ => self.side.load(access, *address),
        }
    }
    fn store(&mut self, _: &Terms, access: &Access, address: &TermId, value: &TermId) -> Result<(), Trap> {
        self.side.store(access, *address, *value)
    }
    fn atomic(
        &mut self,
        _: &Terms,
        access: &Access,
        op: AtomicOp,
        address: &TermId,
        operands: &[TermId],
    ) -> Result<TermId, Trap> {
        lanes::atomic(self.side, access, op, *address, operands)
    }
    fn fence(&mut self, _: &Terms, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        lanes::fence(self.side, ordering == Ordering::SequentiallyConsistent, scope);
        Ok(())
    }
    fn special(&mut self, _: &Terms, register: SpecialRegister) -> Result<TermId, Trap> {
        self.side.inputs.special(register)
    }
    fn cvta(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::to_generic(self.side, space, *address)
    }
    fn cvta_to(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::from_generic(self.side, space, *address)
    }
    fn is_space(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::lies_in(self.side, space, *address)
    }
}

impl PtxState<Terms> for Lane<'_, '_> {
    fn symbol_address(&mut self, d: &Terms, variable: VariableId) -> Result<TermId, Trap> {
        let v = self.function.variable(self.module, variable);
        let inputs = self.side.inputs;
        match v.space {
            Space::Global => Ok(inputs.variable(&format!("address.{}", v.name), 64, true)),
            Space::Shared => Ok(d.constant(64, self.shared_address(variable).into())),
            Space::Local => {
                let at = inputs.variable(&format!("source.local.{}", v.name), 32, true);
                Ok(d.zext(&at, 64))
            }
            Space::Const => Ok(d.constant(64, self.const_address(variable)?.into())),
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

/// Whether an instruction is a fence of the sequentially consistent kind; `membar` is one (PTX ISA, "membar").
pub fn is_sequential(inst: &Inst) -> bool {
    inst.mods.ordering == Some(Ordering::SequentiallyConsistent)
}

/// Bits of a term: a slice of its normal form, or in an arena of raw terms an operand of what it was put together from.
fn bits(inputs: &Inputs<'_>, t: TermId, low: u32, width: u32) -> TermId {
    if inputs.normal.is_active() {
        return inputs.normal.bits(inputs.normal.of(t), low, width);
    }
    match inputs.terms.node(t) {
        Node::Concat(high, part) if inputs.terms.width_of(part) == width => {
            if low == 0 {
                part
            } else {
                high
            }
        }
        _ => inputs.terms.extract(&t, low, width),
    }
}

/// Runs an entry to its end. `natural`: whether payloads of NaNs are chosen. `sites` says where products and sums become one operation.
///
/// # Errors
/// What is not covered, and at which line.
pub fn run<'i>(
    inputs: &'i Inputs<'i>,
    module: &Module,
    function: &Function,
    cubin: &Cubin,
    bound: u32,
    natural: bool,
    sites: &mut Sites<'_>,
) -> Result<Side<'i, RegisterId>, String> {
    let d = inputs.terms;
    let mut side = Side::new(inputs, "source", bound);
    let insts = function.insts.as_deref().unwrap_or_default();
    while let Some(index) = side.advance()? {
        // Behind the last instruction is the end.
        let Some(inst) = insts.get(index as usize) else {
            side.leave(None);
            continue;
        };
        side.place = inst.line.into();
        let at = |why: String| format!("line {}: {why}", inst.line);
        let natural = natural.then(|| d.len());
        let mut lane = Lane { side: &mut side, module, function, cubin, natural };
        let holds = guard(d, inst, &mut lane).map_err(|t| at(t.to_string()))?;
        side.guard = inputs.normal.of(holds.unwrap_or_else(|| d.yes()));
        if inputs.known(side.guard) == Some(0) {
            side.proceed(index + 1);
            continue;
        }
        let mut lane = Lane { side: &mut side, module, function, cubin, natural };
        let mut value = |r: RegisterId| lane.old(r);
        let part = |t: TermId, low: u32, width: u32| bits(inputs, t, low, width);
        if let Some(fused) = sites.fuse(d, index as u32, inst, &mut value, &part, &|t| inputs.normal.of(t))
            && let Some(Operand::Register(to)) = inst.operands.first()
        {
            lane.write(d, *to, fused);
            side.proceed(index + 1);
            continue;
        }
        let outcome = match step(d, module, function, inst, &mut lane) {
            Ok(outcome) => outcome,
            Err(Trap::Trapped) => {
                side.trap();
                side.proceed(index + 1);
                continue;
            }
            Err(t) => return Err(at(t.to_string())),
        };
        match outcome {
            Outcome::Next => {}
            Outcome::Branch(label) => side.jump(function.labels[label.0 as usize].target.into(), None),
            Outcome::Return | Outcome::Exit => side.leave(None),
            Outcome::Switch { index, targets } => {
                for (i, label) in targets.iter().enumerate() {
                    let here = d.eq(&index, &d.constant(32, i as u128));
                    side.jump(function.labels[label.0 as usize].target.into(), Some(here));
                }
                side.undefine();
            }
            Outcome::Call { .. } | Outcome::CallIndirect { .. } => return Err(at("a call".into())),
            Outcome::Collective { op, arguments, results } => {
                let values = lanes::collective(&mut side, op, &arguments).map_err(|t| at(t.to_string()))?;
                let mut lane = Lane { side: &mut side, module, function, cubin, natural };
                for (register, value) in results.iter().zip(values) {
                    if let Some(r) = register {
                        let width = lane.width(*r);
                        let fit = if width > d.width(&value) { d.zext(&value, width) } else { value };
                        lane.write(d, *r, fit);
                    }
                }
            }
        }
        side.proceed(index + 1);
    }
    side.settled()?;
    Ok(side)
}
