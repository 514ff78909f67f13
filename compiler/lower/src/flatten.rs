//! A kernel and all that it calls as one list.
//!
//! Every call gets an instance of its own: its own registers and parameter storage. A `.param` variable of a caller *is* the
//! storage of the parameter it is passed for. Recursion and indirect calls are not supported.

use crate::error::Error;
use sassafras_ptx::checked::{
    AddressBase, Function, FunctionId, Guard, Inst, LabelId, Module, Op, Operand, RegisterId, Type,
    VariableId,
};
use sassafras_semantics::Space;

/// One call of a function; 0 is the kernel.
pub(crate) struct Instance<'a> {
    /// The function.
    pub function: &'a Function,
    /// Added to a register's index to get its variable.
    pub base: u32,
    /// Where each parameter is, and each return parameter. Empty for the kernel.
    params: [Vec<Place>; 2],
    /// Storage of the function's own `.param` variables, by index.
    locals: Vec<Option<u32>>,
}

/// Where a parameter of a device function is.
#[derive(Clone, Copy)]
enum Place {
    Storage(u32),
    /// In a register of the callee, which a copy sets.
    Register,
}

/// A step of the list.
pub(crate) enum Item<'a> {
    /// An instruction that does not branch.
    Inst { instance: usize, inst: &'a Inst },
    /// `to = from` between instances at a call.
    Copy { to: (usize, RegisterId), from: (usize, Given<'a>), inst: &'a Inst },
    /// A register or constant becomes the parameter of a call.
    Pass { storage: u32, ty: Type, from: (usize, &'a Operand), inst: &'a Inst },
    /// A result of a call goes to a register.
    Take { to: (usize, RegisterId), storage: u32, ty: Type, inst: &'a Inst },
    /// To an item, if the guard holds.
    Goto { guard: Option<(usize, Guard)>, target: Target },
    /// `brx.idx`
    Switch { index: (usize, &'a Operand), targets: Vec<Target>, inst: &'a Inst },
    /// The thread ends (`trap`: traps), if the guard holds.
    End { guard: Option<(usize, Guard)>, trap: bool, inst: &'a Inst },
}

/// What is copied at a call.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    Operand(&'a Operand),
    Register(RegisterId),
}

/// A place in the list.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Label { instance: usize, label: LabelId },
    EndOf(usize),
    Item(usize),
}

/// The list.
pub(crate) struct Flat<'a> {
    pub items: Vec<Item<'a>>,
    pub instances: Vec<Instance<'a>>,
    /// Number of registers of all instances.
    pub registers: u32,
    /// Number of parameter storages.
    pub storages: u32,
    /// By instance: first item of each of its instructions; one more for its end.
    starts: Vec<Vec<usize>>,
    pub errors: Vec<Error>,
}

/// Items that a kernel may grow to by inlining.
const MOST_ITEMS: usize = 4_000_000;

pub(crate) fn flatten<'a>(module: &'a Module, kernel: &'a Function) -> Flat<'a> {
    let mut flat = Flat {
        items: Vec::new(),
        instances: Vec::new(),
        registers: 0,
        storages: 0,
        starts: Vec::new(),
        errors: Vec::new(),
    };
    let instance = flat.add_instance(kernel, [Vec::new(), Vec::new()]);
    flat.body(module, instance, &mut Vec::new());
    flat
}

impl<'a> Flat<'a> {
    fn add_instance(&mut self, function: &'a Function, params: [Vec<Place>; 2]) -> usize {
        let base = self.registers;
        self.registers += function.registers.len() as u32;
        let mut locals = Vec::new();
        for variable in &function.variables {
            let is_param = variable.space == Space::Param;
            locals.push(is_param.then_some(self.storages));
            self.storages += u32::from(is_param);
        }
        self.instances.push(Instance { function, base, params, locals });
        self.starts.push(Vec::new());
        self.instances.len() - 1
    }

    /// Index of the item that a target names.
    pub fn resolve(&self, target: Target) -> usize {
        match target {
            Target::Item(item) => item,
            Target::EndOf(instance) => *self.starts[instance].last().expect("a body has an end"),
            Target::Label { instance, label } => {
                let label = &self.instances[instance].function.labels[label.0 as usize];
                self.starts[instance][label.target as usize]
            }
        }
    }

    /// The dense index of a register.
    pub fn register(&self, instance: usize, register: RegisterId) -> u32 {
        self.instances[instance].base + register.0
    }

    /// The storage that a parameter address names, if it is one within device functions.
    pub fn storage(&self, instance: usize, base: AddressBase) -> Option<u32> {
        let instance = &self.instances[instance];
        match base {
            AddressBase::Symbol(VariableId::Local(i)) => instance.locals[i as usize],
            AddressBase::Param(i, is_return) => {
                match instance.params[usize::from(is_return)].get(i as usize)? {
                    Place::Storage(s) => Some(*s),
                    Place::Register => None,
                }
            }
            _ => None,
        }
    }

    fn body(&mut self, module: &'a Module, instance: usize, stack: &mut Vec<FunctionId>) {
        let function = self.instances[instance].function;
        let guard_of = |inst: &Inst| inst.guard.map(|g| (instance, g));
        for inst in function.insts.iter().flatten() {
            let start = self.items.len();
            self.starts[instance].push(start);
            if self.items.len() > MOST_ITEMS {
                continue;
            }
            let guard = guard_of(inst);
            match inst.op {
                Op::Bra => match inst.operands.first() {
                    Some(Operand::Label(label)) => {
                        let target = Target::Label { instance, label: *label };
                        self.items.push(Item::Goto { guard, target });
                    }
                    _ => self.errors.push(Error::at(inst, "a branch without a label is not supported")),
                },
                Op::BrxIdx => self.switch(instance, function, inst),
                Op::Exit => self.items.push(Item::End { guard, trap: false, inst }),
                Op::Trap => self.items.push(Item::End { guard, trap: true, inst }),
                Op::Ret if instance == 0 => self.items.push(Item::End { guard, trap: false, inst }),
                Op::Ret => self.items.push(Item::Goto { guard, target: Target::EndOf(instance) }),
                Op::Call => {
                    let skip = self.items.len();
                    if let Some((instance, g)) = guard {
                        let not = Guard { negate: !g.negate, ..g };
                        let target = Target::Item(usize::MAX);
                        self.items.push(Item::Goto { guard: Some((instance, not)), target });
                    }
                    if let Err(message) = self.call(module, instance, inst, stack) {
                        self.errors.push(Error::at(inst, message));
                    }
                    let end = self.items.len();
                    if let (Some(_), Some(Item::Goto { target, .. })) = (guard, self.items.get_mut(skip)) {
                        *target = Target::Item(end);
                    }
                }
                _ => self.items.push(Item::Inst { instance, inst }),
            }
        }
        let end = self.items.len();
        self.starts[instance].push(end);
    }

    fn switch(&mut self, instance: usize, function: &'a Function, inst: &'a Inst) {
        let (Some(index), Some(Operand::BranchTargets(name))) = (inst.operands.first(), inst.operands.get(1))
        else {
            self.errors.push(Error::at(inst, "the operands are not an index and a list of targets"));
            return;
        };
        let Some(labels) = function.branch_targets.get(name) else {
            self.errors.push(Error::at(inst, format!("there is no list of targets `{name}`")));
            return;
        };
        let targets = labels.iter().map(|&label| Target::Label { instance, label }).collect();
        // A guarded switch is skipped by a branch around it.
        if let Some(g) = inst.guard {
            let not = Guard { negate: !g.negate, ..g };
            let target = Target::Item(self.items.len() + 2);
            self.items.push(Item::Goto { guard: Some((instance, not)), target });
        }
        self.items.push(Item::Switch { index: (instance, index), targets, inst });
    }

    fn call(
        &mut self,
        module: &'a Module,
        caller: usize,
        inst: &'a Inst,
        stack: &mut Vec<FunctionId>,
    ) -> Result<(), String> {
        let position = inst.operands.iter().position(|o| matches!(o, Operand::Function(_)));
        let Some((at, Operand::Function(id))) = position.map(|at| (at, &inst.operands[at])) else {
            return Err("an indirect call is not supported".into());
        };
        let callee = module.functions.get(id.0 as usize).ok_or("the function does not exist")?;
        if callee.insts.is_none() {
            return Err(format!("`{}` is declared and not defined; linking is not supported", callee.name));
        }
        if callee.entry || stack.contains(id) {
            return Err(format!("`{}` calls itself; recursion is not supported", callee.name));
        }
        let (returns, args) = (arguments(&inst.operands[..at]), arguments(&inst.operands[at + 1..]));
        if args.len() != callee.params.len() || returns.len() != callee.returns.len() {
            return Err(format!("the arguments do not match the parameters of `{}`", callee.name));
        }
        let mut places = [Vec::new(), Vec::new()];
        for (list, (params, given)) in
            [(&callee.params, &args), (&callee.returns, &returns)].into_iter().enumerate()
        {
            for (param, argument) in params.iter().zip(given) {
                places[list].push(match (param.register, argument) {
                    (Some(_), _) => Place::Register,
                    (None, Operand::Symbol(id, 0)) => {
                        let storage = self.storage(caller, AddressBase::Symbol(*id));
                        Place::Storage(storage.ok_or("an argument is not a `.param` variable")?)
                    }
                    (None, Operand::Param(i, is_return, 0)) => {
                        let storage = self.storage(caller, AddressBase::Param(*i, *is_return));
                        Place::Storage(storage.ok_or("a kernel parameter as argument is not supported")?)
                    }
                    // A register, a constant, or a result that nobody wants: storage of its own.
                    (None, Operand::Register(_) | Operand::Immediate(_) | Operand::Sink) => {
                        self.storages += 1;
                        Place::Storage(self.storages - 1)
                    }
                    _ => return Err("this kind of argument is not supported".into()),
                });
            }
        }
        let both = |a: &Place| matches!(a, Place::Storage(s) if places[1].iter().any(|b| matches!(b, Place::Storage(t) if s == t)));
        if places[0].iter().any(both) {
            return Err("one variable as argument and result of a call is not supported".into());
        }
        let instance = self.add_instance(callee, places.clone());
        for ((param, argument), place) in callee.params.iter().zip(&args).zip(&places[0]) {
            if let (Place::Storage(storage), Operand::Register(_) | Operand::Immediate(_)) = (place, argument)
            {
                self.items.push(Item::Pass {
                    storage: *storage,
                    ty: param.ty,
                    from: (caller, argument),
                    inst,
                });
            }
        }
        for (param, argument) in callee.params.iter().zip(&args) {
            if let Some(register) = param.register {
                self.items.push(Item::Copy {
                    to: (instance, register),
                    from: (caller, Given::Operand(argument)),
                    inst,
                });
            }
        }
        stack.push(*id);
        self.body(module, instance, stack);
        stack.pop();
        for ((param, result), place) in callee.returns.iter().zip(&returns).zip(&places[1]) {
            let Operand::Register(to) = result else { continue };
            if let Place::Storage(storage) = place {
                self.items.push(Item::Take { to: (caller, *to), storage: *storage, ty: param.ty, inst });
            }
            if let Some(register) = param.register {
                self.items.push(Item::Copy {
                    to: (caller, *to),
                    from: (instance, Given::Register(register)),
                    inst,
                });
            }
        }
        Ok(())
    }
}

fn arguments(operands: &[Operand]) -> Vec<&Operand> {
    let mut all = Vec::new();
    for operand in operands {
        match operand {
            Operand::List(items) => all.extend(items),
            other => all.push(other),
        }
    }
    all
}
