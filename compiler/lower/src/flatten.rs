//! A kernel and all that it calls as one list.
//!
//! Every call gets an instance of its own: its own registers and parameter storage. A `.param` variable of a caller *is* the
//! storage of the parameter it is passed for. Only functions that may call themselves have one instance for each call from outside of
//! them, an *activation*, whose body is entered from several *sites*: what is live across such a call waits on a stack in local memory
//! (`crate::stack`).
//! A call through a register chooses among the functions whose address is taken somewhere.

use crate::calls::Calls;
use crate::error::Error;
use crate::refusal::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_ptx::checked::{
    self, AddressBase, Function, FunctionId, Guard, Inst, LabelId, Module, Op, Operand, RegisterId, Type,
    VariableId,
};
use sassafras_semantics::{Space, SystemCall};

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
    /// The activation that this instance is part of.
    pub activation: Option<Activation>,
}

/// One body of a function that may call itself.
#[derive(Clone, Copy)]
pub(crate) struct Activation {
    /// The instance that is the body.
    pub instance: usize,
    /// Bodies that are entered from one call outside: control comes into a group, and leaves it, in one place.
    group: usize,
}

/// A call of a function that may call itself.
pub(crate) struct Site {
    /// The activation that is entered.
    pub instance: usize,
    /// Index of the item where the caller goes on.
    pub resume: usize,
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
    /// To an item, if the guard holds. `line` as in [`Inst::line`].
    Goto { guard: Option<(usize, Guard)>, target: Target, line: u32 },
    /// `brx.idx`, or by the address of a function.
    Switch { index: (usize, &'a Operand), targets: Vec<Target>, by_address: bool, inst: &'a Inst },
    /// The caller puts aside what is live behind the call.
    Save { site: usize, inst: &'a Inst },
    /// A call that the driver resolves: arguments lie in storages, and the result goes to one.
    System { call: SystemCall, arguments: Vec<u32>, result: Option<u32>, inst: &'a Inst },
    /// One parameter's storage is copied to another.
    Move { from: u32, to: u32 },
    /// The activation is entered.
    Enter { site: usize, inst: &'a Inst },
    /// The caller takes back what it put aside.
    Resume { site: usize, inst: &'a Inst },
    /// An activation ends: on to the site that it was entered from.
    Return { instance: usize },
    /// The thread ends (`trap`: traps), if the guard holds.
    End { guard: Option<(usize, Guard)>, trap: bool, inst: &'a Inst },
}

impl Item<'_> {
    /// 1-based line of the PTX of an item that ends a block; 0 of others.
    pub fn line(&self) -> u32 {
        match self {
            Item::Goto { line, .. } => *line,
            Item::Switch { inst, .. } | Item::End { inst, .. } | Item::Enter { inst, .. } => inst.line,
            _ => 0,
        }
    }
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
    StartOf(usize),
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
    pub sites: Vec<Site>,
    /// Functions that may call themselves.
    recursive: FxHashSet<FunctionId>,
    /// Functions whose address is taken.
    taken: Vec<FunctionId>,
    /// The bodies of each group, by function, and those that are still to come.
    activations: FxHashMap<(usize, FunctionId), usize>,
    waiting: Vec<(usize, FunctionId)>,
    groups: usize,
    pub errors: Vec<Error>,
}

/// Items that a kernel may grow to by inlining.
const MOST_ITEMS: usize = 1_000_000;
/// Calls that may be open at one place of an inlined kernel. Each takes room on our own stack; programs have some ten.
const MOST_NESTED: usize = 256;

pub(crate) fn flatten<'a>(module: &'a Module, calls: &Calls, kernel: &'a Function) -> Flat<'a> {
    let Calls { recursive, taken } = calls.clone();
    let mut flat = Flat {
        items: Vec::new(),
        instances: Vec::new(),
        registers: 0,
        storages: 0,
        starts: Vec::new(),
        sites: Vec::new(),
        recursive,
        taken,
        activations: FxHashMap::default(),
        waiting: Vec::new(),
        groups: 0,
        errors: Vec::new(),
    };
    let mut sizes = FxHashMap::default();
    if let Some((inst, size)) = too_large(module, &flat.recursive, kernel, &mut sizes) {
        flat.errors.push(Error::at(inst, Refusal::Large { size, most: MOST_ITEMS }));
        return flat;
    }
    let instance = flat.add_instance(kernel, [Vec::new(), Vec::new()], None);
    flat.body(module, instance, &mut Vec::new());
    while let Some(key) = flat.waiting.pop() {
        if flat.items.len() > MOST_ITEMS {
            flat.errors
                .push(Error::named("call", Refusal::LargeCalls("the kernel becomes too large by inlining")));
            break;
        }
        if let Some(inst) = flat.last_inst(kernel) {
            // The kernel's body, or the one before, must not run on into this one.
            flat.items.push(Item::End { guard: None, trap: false, inst });
        }
        let instance = flat.activations[&key];
        flat.body(module, instance, &mut vec![key.1]);
        flat.items.push(Item::Return { instance });
    }
    flat
}

/// A call of a kernel that becomes too large by it, and how many instructions it has then.
fn too_large<'a>(
    module: &'a Module,
    recursive: &FxHashSet<FunctionId>,
    kernel: &'a Function,
    sizes: &mut FxHashMap<FunctionId, u64>,
) -> Option<(&'a Inst, u64)> {
    let mut size = 0u64;
    let mut last = None;
    for inst in kernel.insts.iter().flatten() {
        size = size.saturating_add(1);
        if let Some(id) = callee(module, recursive, inst) {
            size = size.saturating_add(written_out(module, recursive, id, sizes));
            last = Some(inst);
        }
        if let Some(call) = last.filter(|_| size > MOST_ITEMS as u64) {
            return Some((call, size));
        }
    }
    None
}

/// The function that a call names, if its body is written out in its place.
fn callee(module: &Module, recursive: &FxHashSet<FunctionId>, inst: &Inst) -> Option<FunctionId> {
    let Some(Operand::Function(id)) = inst.operands.get(1).filter(|_| inst.op == Op::Call) else {
        return None;
    };
    let has_body = module.functions.get(id.0 as usize).is_some_and(|f| f.insts.is_some());
    (has_body && !recursive.contains(id)).then_some(*id)
}

/// Instructions of a function that does not call itself, with those of all that it calls. Functions wait on a list, however deep calls nest.
fn written_out(
    module: &Module,
    recursive: &FxHashSet<FunctionId>,
    id: FunctionId,
    sizes: &mut FxHashMap<FunctionId, u64>,
) -> u64 {
    let mut waiting = vec![id];
    while let Some(&next) = waiting.last() {
        let insts = || module.functions[next.0 as usize].insts.iter().flatten();
        let callees = || insts().filter_map(|inst| callee(module, recursive, inst));
        let before = waiting.len();
        waiting.extend(callees().filter(|c| !sizes.contains_key(c)));
        if waiting.len() > before {
            continue;
        }
        let size = callees().fold(insts().count() as u64, |sum, c| sum.saturating_add(sizes[&c]));
        sizes.insert(next, size);
        waiting.pop();
    }
    sizes[&id]
}

impl<'a> Flat<'a> {
    /// Some instruction of the kernel, for its line.
    fn last_inst(&self, kernel: &'a Function) -> Option<&'a Inst> {
        kernel.insts.as_ref().and_then(|insts| insts.last())
    }

    fn add_instance(
        &mut self,
        function: &'a Function,
        params: [Vec<Place>; 2],
        activation: Option<Activation>,
    ) -> usize {
        let base = self.registers;
        self.registers += function.registers.len() as u32;
        let mut locals = Vec::new();
        for variable in &function.variables {
            let is_param = variable.space == Space::Param;
            locals.push(is_param.then_some(self.storages));
            self.storages += u32::from(is_param);
        }
        self.instances.push(Instance { function, base, params, locals, activation });
        self.starts.push(Vec::new());
        self.instances.len() - 1
    }

    /// Index of the item that a target names.
    pub fn resolve(&self, target: Target) -> usize {
        match target {
            Target::Item(item) => item,
            Target::EndOf(instance) => *self.starts[instance].last().expect("a body has an end"),
            Target::StartOf(instance) => *self.starts[instance].first().expect("a body has a start"),
            Target::Label { instance, label } => {
                let label = &self.instances[instance].function.labels[label.0 as usize];
                self.starts[instance][label.target as usize]
            }
        }
    }

    /// The items at which a loop begins that is not to be unrolled, if one does.
    pub fn nounroll(&self) -> FxHashSet<usize> {
        let of = |(instance, starts): (&Instance, &Vec<usize>)| -> Vec<usize> {
            instance.function.nounroll.iter().filter_map(|&at| starts.get(at as usize).copied()).collect()
        };
        self.instances.iter().zip(&self.starts).flat_map(of).collect()
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
                        self.items.push(Item::Goto { guard, target, line: inst.line });
                    }
                    _ => self.errors.push(Error::at(inst, Refusal::Unsupported("a branch without a label"))),
                },
                Op::BrxIdx => self.switch(instance, function, inst),
                Op::Exit => self.items.push(Item::End { guard, trap: false, inst }),
                Op::Trap | Op::Brkpt => self.items.push(Item::End { guard, trap: true, inst }),
                Op::Ret if instance == 0 => self.items.push(Item::End { guard, trap: false, inst }),
                Op::Ret => {
                    self.items.push(Item::Goto { guard, target: Target::EndOf(instance), line: inst.line })
                }
                Op::Call => {
                    let skip = self.items.len();
                    if let Some((instance, g)) = guard {
                        let not = Guard { negate: !g.negate, ..g };
                        let target = Target::Item(usize::MAX);
                        self.items.push(Item::Goto { guard: Some((instance, not)), target, line: inst.line });
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
            self.errors.push(Error::at(
                inst,
                Refusal::Malformed("the operands are not an index and a list of targets"),
            ));
            return;
        };
        let Some(labels) = function.branch_targets.get(name) else {
            self.errors.push(Error::at(inst, Refusal::NoTargets(name.clone())));
            return;
        };
        let targets = labels.iter().map(|&label| Target::Label { instance, label }).collect();
        // A guarded switch is skipped by a branch around it.
        if let Some(g) = inst.guard {
            let not = Guard { negate: !g.negate, ..g };
            let target = Target::Item(self.items.len() + 2);
            self.items.push(Item::Goto { guard: Some((instance, not)), target, line: inst.line });
        }
        self.items.push(Item::Switch { index: (instance, index), targets, by_address: false, inst });
    }

    /// The items where the sites of an activation go on.
    pub fn entered(&self, instance: usize) -> Vec<usize> {
        self.sites.iter().filter(|s| s.instance == instance).map(|s| s.resume).collect()
    }

    /// The storages in which an activation leaves its results, and the registers.
    pub fn results(&self, instance: usize) -> (Vec<u32>, Vec<u32>) {
        let instance = &self.instances[instance];
        let storages = instance.params[1].iter().filter_map(|p| match p {
            Place::Storage(s) => Some(*s),
            Place::Register => None,
        });
        let registers = instance.function.returns.iter().filter_map(|p| p.register);
        (storages.collect(), registers.map(|r| instance.base + r.0).collect())
    }

    fn call(
        &mut self,
        module: &'a Module,
        caller: usize,
        inst: &'a Inst,
        stack: &mut Vec<FunctionId>,
    ) -> Result<(), Refusal> {
        let direct = inst.operands.iter().position(|o| matches!(o, Operand::Function(_)));
        if let Some((at, Operand::Function(id))) = direct.map(|at| (at, &inst.operands[at])) {
            let (returns, args) = (arguments(&inst.operands[..at]), arguments(&inst.operands[at + 1..]));
            return self.call_of(module, caller, *id, &returns, &args, inst, stack);
        }
        let [results, target @ Operand::Register(_), given, Operand::Prototype(name)] = &inst.operands[..]
        else {
            return Err(Refusal::Unsupported("this kind of call"));
        };
        let prototype = self.instances[caller].function.prototypes.get(name);
        let prototype = prototype.ok_or_else(|| Refusal::NoPrototype(name.clone()))?;
        let (returns, args) =
            (arguments(std::slice::from_ref(results)), arguments(std::slice::from_ref(given)));
        let sizes = |params: &[checked::Param]| params.iter().map(|p| p.size).collect::<Vec<_>>();
        let fits = |f: &Function| {
            let registers = f.params.iter().chain(&f.returns).any(|p| p.register.is_some());
            !f.entry
                && f.insts.is_some()
                && !registers
                && sizes(&f.params) == sizes(&prototype.params)
                && sizes(&f.returns) == sizes(&prototype.returns)
        };
        // By the number of the function in the module; what cannot be called is undefined, and traps.
        let switch = self.items.len();
        self.items.push(Item::Switch {
            index: (caller, target),
            targets: Vec::new(),
            by_address: true,
            inst,
        });
        let mut targets = vec![Target::Item(self.items.len()); module.functions.len()];
        self.items.push(Item::End { guard: None, trap: true, inst });
        let mut ends = Vec::new();
        for id in self.taken.clone() {
            if !fits(&module.functions[id.0 as usize]) {
                continue;
            }
            targets[id.0 as usize] = Target::Item(self.items.len());
            self.call_of(module, caller, id, &returns, &args, inst, stack)?;
            ends.push(self.items.len());
            self.items.push(Item::Goto { guard: None, target: Target::Item(usize::MAX), line: inst.line });
        }
        let end = self.items.len();
        for at in ends {
            if let Item::Goto { target, .. } = &mut self.items[at] {
                *target = Target::Item(end);
            }
        }
        if let Item::Switch { targets: list, .. } = &mut self.items[switch] {
            *list = targets;
        }
        Ok(())
    }

    /// A call of one function, whose body stands in place or is an activation's.
    fn call_of(
        &mut self,
        module: &'a Module,
        caller: usize,
        id: FunctionId,
        returns: &[&'a Operand],
        args: &[&'a Operand],
        inst: &'a Inst,
        stack: &mut Vec<FunctionId>,
    ) -> Result<(), Refusal> {
        let callee = module.functions.get(id.0 as usize).ok_or(Refusal::Nonexistent("the function"))?;
        if callee.entry {
            return Err(Refusal::Kernel(callee.name.clone()));
        }
        if args.len() != callee.params.len() || returns.len() != callee.returns.len() {
            return Err(Refusal::Arguments(callee.name.clone()));
        }
        let system = match (&callee.insts, SystemCall::named(&callee.name)) {
            (Some(_), _) => None,
            (None, Some(call)) if takes(callee, call) => Some(call),
            (None, Some(_)) => {
                return Err(Refusal::SystemParameters(callee.name.clone()));
            }
            (None, None) => {
                return Err(Refusal::Undefined(callee.name.clone()));
            }
        };
        if self.recursive.contains(&id) {
            return self.activate(caller, id, callee, returns, args, inst);
        }
        let mut places = [Vec::new(), Vec::new()];
        for (list, (params, given)) in
            [(&callee.params, args), (&callee.returns, returns)].into_iter().enumerate()
        {
            for (param, argument) in params.iter().zip(given) {
                places[list].push(match (param.register, argument) {
                    (Some(_), _) => Place::Register,
                    (None, Operand::Symbol(id, 0)) => {
                        let storage = self.storage(caller, AddressBase::Symbol(*id));
                        Place::Storage(
                            storage.ok_or(Refusal::Malformed("an argument is not a `.param` variable"))?,
                        )
                    }
                    (None, Operand::Param(i, is_return, 0)) => {
                        let storage = self.storage(caller, AddressBase::Param(*i, *is_return));
                        Place::Storage(storage.ok_or(Refusal::Unsupported("a kernel parameter as argument"))?)
                    }
                    // A register, a constant, or a result that nobody wants: storage of its own.
                    (None, Operand::Register(_) | Operand::Immediate(_) | Operand::Sink) => {
                        self.storages += 1;
                        Place::Storage(self.storages - 1)
                    }
                    _ => return Err(Refusal::Unsupported("this kind of argument")),
                });
            }
        }
        let both = |a: &Place| matches!(a, Place::Storage(s) if places[1].iter().any(|b| matches!(b, Place::Storage(t) if s == t)));
        if places[0].iter().any(both) {
            return Err(Refusal::Unsupported("one variable as argument and result of a call"));
        }
        if let Some(call) = system {
            return self.system(caller, call, callee, &places, returns, args, inst);
        }
        let activation = self.instances[caller].activation;
        let instance = self.add_instance(callee, places.clone(), activation);
        for ((param, argument), place) in callee.params.iter().zip(args).zip(&places[0]) {
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
        for (param, argument) in callee.params.iter().zip(args) {
            if let Some(register) = param.register {
                self.items.push(Item::Copy {
                    to: (instance, register),
                    from: (caller, Given::Operand(argument)),
                    inst,
                });
            }
        }
        if stack.len() >= MOST_NESTED {
            return Err(Refusal::Nested { most: MOST_NESTED });
        }
        stack.push(id);
        self.body(module, instance, stack);
        stack.pop();
        for ((param, result), place) in callee.returns.iter().zip(returns).zip(&places[1]) {
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

    /// A call of a function that the driver resolves.
    fn system(
        &mut self,
        caller: usize,
        call: SystemCall,
        callee: &'a Function,
        places: &[Vec<Place>; 2],
        returns: &[&'a Operand],
        args: &[&'a Operand],
        inst: &'a Inst,
    ) -> Result<(), Refusal> {
        let storages = |list: &[Place]| {
            let one = |place: &Place| match place {
                Place::Storage(storage) => Ok(*storage),
                Place::Register => Err(Refusal::InRegisters(callee.name.clone())),
            };
            list.iter().map(one).collect::<Result<Vec<u32>, Refusal>>()
        };
        let (arguments, results) = (storages(&places[0])?, storages(&places[1])?);
        for ((param, argument), &storage) in callee.params.iter().zip(args).zip(&arguments) {
            if let Operand::Register(_) | Operand::Immediate(_) = argument {
                self.items.push(Item::Pass { storage, ty: param.ty, from: (caller, argument), inst });
            }
        }
        self.items.push(Item::System { call, arguments, result: results.first().copied(), inst });
        for ((param, result), &storage) in callee.returns.iter().zip(returns).zip(&results) {
            if let Operand::Register(to) = result {
                self.items.push(Item::Take { to: (caller, *to), storage, ty: param.ty, inst });
            }
        }
        Ok(())
    }

    /// A call of a function that may call itself.
    fn activate(
        &mut self,
        caller: usize,
        id: FunctionId,
        callee: &'a Function,
        returns: &[&'a Operand],
        args: &[&'a Operand],
        inst: &'a Inst,
    ) -> Result<(), Refusal> {
        let group = match self.instances[caller].activation {
            Some(outer) => outer.group,
            None => {
                self.groups += 1;
                self.groups
            }
        };
        let instance = match self.activations.get(&(group, id)) {
            Some(&instance) => instance,
            None => {
                let places = [&callee.params, &callee.returns].map(|params| {
                    let place = |p: &checked::Param| match p.register {
                        Some(_) => Place::Register,
                        None => {
                            self.storages += 1;
                            Place::Storage(self.storages - 1)
                        }
                    };
                    params.iter().map(place).collect::<Vec<_>>()
                });
                let activation = Activation { instance: self.instances.len(), group };
                let instance = self.add_instance(callee, places, Some(activation));
                self.activations.insert((group, id), instance);
                self.waiting.push((group, id));
                instance
            }
        };
        let site = self.sites.len();
        self.sites.push(Site { instance, resume: usize::MAX });
        self.items.push(Item::Save { site, inst });
        let given = |flat: &Self, operand: &Operand| match operand {
            Operand::Symbol(id, 0) => flat.storage(caller, AddressBase::Symbol(*id)),
            _ => None,
        };
        for (n, (param, argument)) in callee.params.iter().zip(args).enumerate() {
            let item = match (param.register, self.instances[instance].params[0][n]) {
                (Some(_), _) => {
                    return Err(Refusal::RecursiveInRegisters(callee.name.clone()));
                }
                (None, Place::Storage(to)) => match (given(self, argument), argument) {
                    (Some(from), _) => Item::Move { from, to },
                    (None, Operand::Register(_) | Operand::Immediate(_)) => {
                        Item::Pass { storage: to, ty: param.ty, from: (caller, argument), inst }
                    }
                    _ => return Err(Refusal::Unsupported("this kind of argument")),
                },
                (None, Place::Register) => continue,
            };
            self.items.push(item);
        }
        self.items.push(Item::Enter { site, inst });
        self.sites[site].resume = self.items.len();
        self.items.push(Item::Resume { site, inst });
        for (n, (param, result)) in callee.returns.iter().zip(returns).enumerate() {
            let item = match (param.register, self.instances[instance].params[1][n], *result) {
                (_, _, Operand::Sink) => continue,
                (Some(register), _, Operand::Register(to)) => {
                    Item::Copy { to: (caller, *to), from: (instance, Given::Register(register)), inst }
                }
                (None, Place::Storage(from), operand) => match (given(self, operand), operand) {
                    (Some(to), _) => Item::Move { from, to },
                    (None, Operand::Register(to)) => {
                        Item::Take { to: (caller, *to), storage: from, ty: param.ty, inst }
                    }
                    _ => return Err(Refusal::Unsupported("this kind of result")),
                },
                _ => return Err(Refusal::Unsupported("this kind of result")),
            };
            self.items.push(item);
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

/// Whether a declaration has the parameters that the system call has.
fn takes(f: &Function, call: SystemCall) -> bool {
    let bits = |params: &[checked::Param]| params.iter().map(|p| 8 * p.size).collect::<Vec<u32>>();
    bits(&f.params) == call.parameters() && bits(&f.returns) == call.result().into_iter().collect::<Vec<_>>()
}
