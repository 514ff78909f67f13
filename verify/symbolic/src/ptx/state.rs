//! Registers, memory and calls of the source, as the meanings of instructions see them.

use crate::choice::Payloads;
use crate::cut::Cutting;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::obstacle::source::Source;
use crate::ptx::calls::{Kept, PARAMS, Program};
use crate::ptx::choose;
use crate::ptx::functions;
use crate::trace::event::name;
use crate::trace::side::Side;
use crate::trace::{atomic, ordering, system, window};
use crate::unwritten;
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::{FunctionId, RegisterId, Variable, VariableId};
use sassafras_ptx::step::{Place, PtxState};
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    Access, AtomicOp, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, State, SystemCall, TermId,
    Terms, Trap,
};
use std::collections::{BTreeMap, BTreeSet};

/// A run of the source.
pub(super) struct Run<'s, 'i> {
    pub(super) side: Side<'i, RegisterId>,
    pub(super) program: &'s Program<'s>,
    /// Where the instruction stands.
    pub(super) at: u64,
    /// The frame that it is of.
    pub(super) frame: usize,
    /// What is asked about loops.
    pub(super) cutting: Cutting<'s>,
    pub(super) cubin: &'s Cubin,
    /// Addresses of functions.
    pub(super) functions: BTreeMap<FunctionId, u64>,
    /// Stores to `.param` memory so far: where, and how many bytes.
    pub(super) stored: BTreeSet<(u64, u64)>,
    /// How payloads of NaNs are chosen, and how many terms there were before the instruction.
    pub(super) payloads: (Payloads, usize),
}

impl Run<'_, '_> {
    fn refuse<T>(&self, obstacle: Source) -> Result<T, Trap> {
        Err(self.side.inputs.held.trap(obstacle))
    }

    /// What a register holds before it is written is undefined, and so is `.param` memory. `register` is one of all frames'.
    pub(super) fn old(&mut self, register: RegisterId) -> TermId {
        let (kept, width) = self.program.kept(register);
        let why = match kept {
            Kept::Byte => unwritten::PARAMETER,
            _ => unwritten::REGISTER,
        };
        self.side.read(register, |i| i.unwritten(width, why))
    }

    fn set(&mut self, register: RegisterId, value: TermId) {
        let old = self.old(register);
        self.side.write(register, value, old);
    }

    /// What a value decides that rests on what was never written has no meaning (A-UB).
    pub(super) fn decides(&mut self, value: TermId) {
        let inputs = self.side.inputs;
        if !inputs.has_unwritten() || self.side.cuts.watches() {
            return;
        }
        if let Some(rests) = unwritten::rests(inputs, value) {
            let happens = self.side.happens();
            self.side.log.undefined.push(inputs.normal.of(inputs.terms.and(&happens, &rests)));
        }
    }

    fn variable(&self, variable: VariableId) -> &Variable {
        self.program.frames[self.frame].function.variable(self.program.module, variable)
    }

    /// A parameter of the entry at an address that is not constant. What lies outside, or at no multiple of the size, is undefined.
    fn indexed(&mut self, d: &Terms, address: TermId, bytes: u32) -> Result<TermId, Trap> {
        let inputs = self.side.inputs;
        let size = u64::from(self.program.frames[0].function.param_size);
        let all: Vec<u64> = (0..size / u64::from(bytes)).map(|i| i * u64::from(bytes)).collect();
        if self.frame != 0 || all.is_empty() || all.len() > 128 {
            return self.refuse(Source::ParameterAddress {});
        }
        let at = inputs.normal.of(address);
        let mut value = inputs.parameter(0, bytes);
        let mut inside = d.eq(&at, &d.constant(64, 0));
        for offset in &all[1..] {
            let here = d.eq(&at, &d.constant(64, (*offset).into()));
            inside = d.or(&inside, &here);
            value = d.ite(&here, &inputs.parameter(*offset, bytes), &value);
        }
        self.side.undefined_where(d.not(&inside));
        Ok(value)
    }

    /// Bytes of `.param` memory of calls.
    fn parameter(&mut self, at: u64, bytes: u32) -> Result<TermId, Trap> {
        let mut all = Vec::new();
        for i in 0..bytes {
            let Some(byte) = self.program.byte(at + u64::from(i)) else {
                return self.refuse(Source::ParameterBytes { bytes, at });
            };
            all.push(self.old(byte));
        }
        // Where each store so far that meets it was of all of it, it is what was stored, whichever way lanes came.
        let inputs = self.side.inputs;
        let size = u64::from(bytes);
        let one = |(start, own): &(u64, u64)| {
            (*start, *own) == (at, size) || start + own <= at || at + size <= *start
        };
        let whole = self.program.whole(at, bytes).and_then(|r| self.side.path.registers.get(&r).copied());
        if let Some(whole) = whole.filter(|_| self.stored.iter().all(one)) {
            return Ok(whole);
        }
        let all = all.into_iter().reduce(|low, high| inputs.terms.concat(&high, &low));
        all.map_or_else(|| unpassed("a parameter without bytes"), Ok)
    }

    fn set_parameter(&mut self, at: u64, value: TermId) -> Result<(), Trap> {
        let bytes = self.side.inputs.terms.width_of(value) / 8;
        for i in 0..bytes {
            let Some(register) = self.program.byte(at + u64::from(i)) else {
                return self.refuse(Source::ParameterBytes { bytes, at });
            };
            let byte = bits(self.side.inputs, value, 8 * i, 8);
            self.set(register, byte);
        }
        self.stored.insert((at, bytes.into()));
        if let Some(whole) = self.program.whole(at, bytes) {
            self.set(whole, value);
        }
        Ok(())
    }

    /// Hands the arguments of a call over.
    pub(super) fn pass(&mut self, callee: usize, arguments: &[Place<TermId>]) -> Result<(), Trap> {
        let frame = &self.program.frames[callee];
        for (i, (argument, param)) in arguments.iter().zip(&frame.function.params).enumerate() {
            let value = match argument {
                Place::Value(value) => *value,
                Place::Variable(variable) => {
                    self.copy(
                        *variable,
                        frame.params[i],
                        param.register.map(|r| (callee, r)),
                        param.size,
                        false,
                    )?;
                    continue;
                }
                Place::Register(_) => return unpassed("an argument that is nothing"),
            };
            match param.register {
                Some(r) => self.set(self.program.register(callee, r), value),
                None => self.set_parameter(frame.params[i], value)?,
            }
        }
        Ok(())
    }

    /// Copies between a `.param` variable of this frame and what is at an address, or in a register of another frame: `back` from there.
    fn copy(
        &mut self,
        variable: VariableId,
        at: u64,
        register: Option<(usize, RegisterId)>,
        size: u32,
        back: bool,
    ) -> Result<(), Trap> {
        let VariableId::Local(index) = variable else { return unpassed("a parameter of the module") };
        let Some(own) = self.program.variable(self.frame, index) else {
            return unpassed("an argument that is no parameter variable");
        };
        let register = register.map(|(frame, r)| self.program.register(frame, r));
        match (register, back) {
            (Some(r), false) => {
                let value = self.parameter(own, size)?;
                self.set(r, value);
            }
            (Some(r), true) => {
                let value = self.old(r);
                self.set_parameter(own, value)?;
            }
            (None, _) => {
                let (from, to) = if back { (at, own) } else { (own, at) };
                if self.program.whole(from, size).is_some() {
                    let value = self.parameter(from, size)?;
                    return self.set_parameter(to, value);
                }
                for i in 0..u64::from(size) {
                    let byte = self.parameter(from + i, 1)?;
                    self.set_parameter(to + i, byte)?;
                }
            }
        }
        Ok(())
    }

    /// Hands the results of a call over, from the frame of the callee, which this is; `results` are places of the caller.
    pub(super) fn give(&mut self, results: &[Place<TermId>]) -> Result<(), Trap> {
        let callee = self.frame;
        let frame = &self.program.frames[callee];
        let Some((caller, _)) = frame.call else { return unpassed("a return from an entry") };
        for (i, (result, param)) in results.iter().zip(&frame.function.returns).enumerate() {
            match result {
                Place::Variable(variable) => {
                    self.frame = caller;
                    let register = param.register.map(|r| (callee, r));
                    let done = self.copy(*variable, frame.returns[i], register, param.size, true);
                    self.frame = callee;
                    done?;
                }
                Place::Register(Some(r)) => {
                    let value = match param.register {
                        Some(own) => self.old(self.program.register(callee, own)),
                        None => self.parameter(frame.returns[i], param.size)?,
                    };
                    let to = self.program.register(caller, *r);
                    let width = self.program.kept(to).1;
                    let value = fit(self.side.inputs.terms, value, width);
                    self.set(to, value);
                }
                Place::Register(None) | Place::Value(_) => {}
            }
        }
        Ok(())
    }

    /// Calls a function that the driver resolves.
    pub(super) fn system_call(
        &mut self,
        call: SystemCall,
        arguments: &[Place<TermId>],
        results: &[Place<TermId>],
        room: u32,
    ) -> Result<(), Trap> {
        let place = |run: &Self, variable: VariableId| match variable {
            VariableId::Local(index) => run.program.variable(run.frame, index),
            VariableId::Module(_) => None,
        };
        let mut operands = Vec::new();
        for (argument, width) in arguments.iter().zip(call.parameters()) {
            operands.push(match argument {
                Place::Value(value) => *value,
                Place::Variable(variable) => match place(self, *variable) {
                    Some(at) => self.parameter(at, width / 8)?,
                    None => return unpassed("an argument that is no parameter variable"),
                },
                Place::Register(_) => return unpassed("an argument that is nothing"),
            });
        }
        let result = system::perform(&mut self.side, call, &operands, room)?;
        let (Some(result), [to]) = (result, results) else { return Ok(()) };
        match to {
            Place::Variable(variable) => match place(self, *variable) {
                Some(at) => self.set_parameter(at, result),
                None => unpassed("a result that is no parameter variable"),
            },
            Place::Register(Some(r)) => {
                let r = self.program.register(self.frame, *r);
                let width = self.program.kept(r).1;
                self.set(r, fit(self.side.inputs.terms, result, width));
                Ok(())
            }
            Place::Register(None) | Place::Value(_) => Ok(()),
        }
    }

    fn shared_address(&self, variable: VariableId) -> u64 {
        let wanted = self.variable(variable);
        let all = self.program.shared(self.cubin.sm);
        all.into_iter().find(|(v, _)| std::ptr::eq(*v, wanted)).map_or(0, |(_, at)| at)
    }

    /// Where a `.const` variable lies, as the cubin says.
    fn const_address(&self, variable: VariableId) -> Result<u64, Trap> {
        let v = self.variable(variable);
        let there =
            |x: &&sassafras_cubin::Variable| x.space == sassafras_cubin::Space::Constant && x.name == v.name;
        let Some(x) = self.cubin.variables.iter().find(there) else {
            return self.refuse(Source::NoConstant { name: v.name.as_str().into() });
        };
        // What a variable of the module holds is compared beside the code ([`crate::beyond::check`]).
        if matches!(variable, VariableId::Module(_)) {
            return Ok(x.offset);
        }
        let numbers = functions::constant_offsets(self.program.module, v, self.cubin);
        let mut wanted = functions::image(v, v.size as usize, &self.functions);
        if let Some(wanted) = &mut wanted {
            functions::put(wanted, &numbers);
        }
        let mut found = x.init.clone().unwrap_or_default();
        found.resize(v.size as usize, 0);
        if v.init_addresses.len() != numbers.len() || wanted != Some(found) {
            return self.refuse(Source::OtherConstant { name: v.name.as_str().into() });
        }
        Ok(x.offset)
    }
}

impl State<Terms> for Run<'_, '_> {
    type Register = RegisterId;

    fn read(&mut self, _: &Terms, register: RegisterId) -> Result<TermId, Trap> {
        Ok(self.old(self.program.register(self.frame, register)))
    }
    fn write(&mut self, d: &Terms, register: RegisterId, value: TermId) {
        let value = choose::payloads(d, self.payloads, value);
        self.set(self.program.register(self.frame, register), value);
    }
    fn load(&mut self, d: &Terms, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        self.decides(*address);
        let inputs = self.side.inputs;
        let (access, address, fixed) = window::load(&mut self.side, access, *address)?;
        let value = match access.space {
            Space::Param => match inputs.known(address) {
                Some(at) if at >= PARAMS.into() => self.parameter(at as u64, access.bytes)?,
                Some(at) => inputs.parameter(at as u64, access.bytes),
                None => self.indexed(d, address, access.bytes)?,
            },
            Space::Const => {
                let low = d.extract(&address, 0, 32);
                crate::trace::bank::constant(&mut self.side, self.cubin, None, 3, low, access.bytes)?
            }
            _ => return self.side.load(&access, address),
        };
        if fixed {
            self.side.read_only(&access, address, value);
        }
        Ok(value)
    }
    fn load_where(
        &mut self,
        d: &Terms,
        access: &Access,
        address: &TermId,
        condition: &TermId,
    ) -> Result<TermId, Trap> {
        let guard = self.side.guard;
        // An event also where the condition never holds: terms that are not simplified do not show it.
        self.side.narrow(*condition);
        let value = self.load(d, access, address);
        self.side.guard = guard;
        Ok(d.ite(condition, &value?, &d.constant(8 * access.bytes, 0)))
    }
    fn aligned(&mut self, _: &Terms, _: Space, _: &TermId, bytes: u32) -> Result<(), Trap> {
        self.side.align = Some(bytes);
        Ok(())
    }
    fn store(&mut self, _: &Terms, access: &Access, address: &TermId, value: &TermId) -> Result<(), Trap> {
        self.decides(*address);
        if access.space != Space::Param {
            return self.side.store(access, *address, *value);
        }
        match self.side.inputs.known(*address) {
            Some(at) => self.set_parameter(at as u64, *value),
            None => self.refuse(Source::ParameterAddress {}),
        }
    }
    fn atomic(
        &mut self,
        _: &Terms,
        access: &Access,
        op: AtomicOp,
        address: &TermId,
        operands: &[TermId],
    ) -> Result<TermId, Trap> {
        self.decides(*address);
        atomic::atomic(&mut self.side, access, op, *address, operands)
    }
    fn fence(&mut self, _: &Terms, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        ordering::fence(&mut self.side, ordering, scope);
        Ok(())
    }
    fn opaque(&mut self, _: &Terms, op: Opaque, arguments: &[TermId]) -> Result<Vec<TermId>, Trap> {
        self.side.perform(op, arguments)
    }
    fn has_barrier_unit(&self) -> bool {
        crate::trace::bank::has_barrier_unit(self.cubin)
    }
    fn special(&mut self, _: &Terms, register: SpecialRegister) -> Result<TermId, Trap> {
        self.side.special(register)
    }
    fn cvta(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        // Only parameters of the entry have generic addresses here.
        let known = self.side.inputs.known(*address).map(|at| at < PARAMS.into());
        if space == Space::Param && !known.unwrap_or(!self.program.hands_over()) {
            return self.refuse(Source::CallParameter {});
        }
        window::to_generic(&mut self.side, space, *address)
    }
    fn cvta_to(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::from_generic(&mut self.side, space, *address)
    }
    fn is_space(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::lies_in(&mut self.side, space, *address)
    }
}

impl PtxState<Terms> for Run<'_, '_> {
    fn symbol_address(&mut self, d: &Terms, variable: VariableId) -> Result<TermId, Trap> {
        let v = self.variable(variable);
        let inputs = self.side.inputs;
        match (v.space, variable) {
            (Space::Global, _) => Ok(inputs.input(Input::Symbol(v.name.clone()), 64, true)),
            (Space::Shared, _) => Ok(d.constant(64, self.shared_address(variable).into())),
            (Space::Local, VariableId::Local(index)) => {
                let at = inputs.local(self.frame, index);
                if self.side.log.locals.iter().all(|l| l.0 != at) {
                    self.side.log.locals.push((at, v.size));
                }
                Ok(d.zext(&at, 64))
            }
            (Space::Param, VariableId::Local(index)) => match self.program.variable(self.frame, index) {
                Some(at) => Ok(d.constant(64, at.into())),
                None => unpassed("a parameter without a place"),
            },
            (Space::Const, _) => Ok(d.constant(64, self.const_address(variable)?.into())),
            (other, _) => Err(Trap::Unsupported(format!("a variable in {} memory", name(other)))),
        }
    }
    fn param_address(&mut self, d: &Terms, index: u32, returns: bool) -> Result<TermId, Trap> {
        let frame = &self.program.frames[self.frame];
        let all = if returns { &frame.returns } else { &frame.params };
        match all.get(index as usize) {
            Some(at) => Ok(d.constant(64, (*at).into())),
            None => unpassed("a parameter that is not there"),
        }
    }
    fn function_address(&mut self, d: &Terms, function: FunctionId) -> Result<TermId, Trap> {
        match self.functions.get(&function) {
            Some(number) => Ok(d.constant(64, (*number).into())),
            None => Err(Trap::Unsupported("the address of a function that nothing takes".into())),
        }
    }
}

/// What is handed to a function or back cannot be: the checker of PTX lets none of that through.
fn unpassed<T>(what: &str) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

/// The low bits of a value, or the value with zeros above.
fn fit(d: &Terms, value: TermId, width: u32) -> TermId {
    if d.width_of(value) > width { d.extract(&value, 0, width) } else { d.zext(&value, width) }
}

/// Bits of a term: a slice of its normal form, or in an arena of raw terms an operand of what it was put together from.
pub(super) fn bits(inputs: &Inputs<'_>, t: TermId, low: u32, width: u32) -> TermId {
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
