//! Variables: those of the module, and those of each function body.

use crate::error::Error;
use crate::flatten::Flat;
use crate::refusal::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_ir::{Module, Variable, VariableId};
use sassafras_ptx::checked::{self, InitAddress};
use sassafras_semantics::Space;

/// Which IR variable a symbol names.
#[derive(Clone, Default)]
pub(crate) struct Symbols {
    module: Vec<Option<VariableId>>,
    /// By instance and index.
    locals: FxHashMap<(usize, u32), VariableId>,
    /// Where activations are stacked, if there are any.
    pub stack: Option<VariableId>,
    /// By instance and index: offset in the frame of its activation.
    placed: FxHashMap<(usize, u32), u32>,
    /// By instance that is an activation's: bytes of its frame, without what callers keep.
    frames: FxHashMap<usize, u32>,
}

/// Alignment of the frames of activations, in bytes.
pub(crate) const FRAME_ALIGN: u32 = 16;
/// Bytes at the start of each frame: the number of the place to return to.
const FRAME_HEAD: u32 = 16;

impl Symbols {
    /// The variable of a symbol seen from an instance.
    pub fn get(&self, instance: usize, id: checked::VariableId) -> Option<VariableId> {
        match id {
            checked::VariableId::Module(i) => self.module.get(i as usize).copied().flatten(),
            checked::VariableId::Local(i) => self.locals.get(&(instance, i)).copied(),
        }
    }

    /// The offset of a local variable in the frame of its activation, if it lies there.
    pub fn in_frame(&self, instance: usize, id: checked::VariableId) -> Option<u32> {
        match id {
            checked::VariableId::Local(i) => self.placed.get(&(instance, i)).copied(),
            checked::VariableId::Module(_) => None,
        }
    }

    /// Bytes of the frame of an activation that belong to the callee.
    pub fn frame(&self, instance: usize) -> u32 {
        self.frames.get(&instance).copied().unwrap_or(FRAME_HEAD)
    }

    /// Static shared variables that an entry pays for, in ptxas's order: its own, those of the module that it or what it calls names,
    /// then those of the functions that it calls; each in the order of declaration.
    pub fn shared(&self, module: &checked::Module, flat: &Flat) -> Vec<VariableId> {
        let mut functions: Vec<(usize, &checked::Function)> = Vec::new();
        for (instance, data) in flat.instances.iter().enumerate() {
            if !functions.iter().any(|(_, f)| std::ptr::eq(*f, data.function)) {
                functions.push((instance, data.function));
            }
        }
        let mut named = FxHashSet::default();
        for operand in functions.iter().flat_map(|(_, f)| f.insts.iter().flatten()).flat_map(|i| &i.operands)
        {
            operand.symbols(&mut |id| {
                named.insert(id);
            });
        }
        let place = |f: &checked::Function| module.functions.iter().position(|g| std::ptr::eq(f, g));
        functions[1..].sort_by_key(|(_, f)| place(f));
        let own = |&(instance, f): &(usize, &checked::Function)| {
            (0..f.variables.len() as u32).map(move |i| (instance, checked::VariableId::Local(i)))
        };
        let of_module = (0..module.variables.len() as u32).map(checked::VariableId::Module);
        let of_module = of_module.filter(|id| named.contains(id)).map(|id| (0, id));
        let all = own(&functions[0]).chain(of_module).chain(functions[1..].iter().flat_map(own));
        let ids = all.filter_map(|(instance, id)| {
            let v = match id {
                checked::VariableId::Module(i) => &module.variables[i as usize],
                checked::VariableId::Local(i) => &flat.instances[instance].function.variables[i as usize],
            };
            (v.space == Space::Shared && v.size > 0).then(|| self.get(instance, id)).flatten()
        });
        ids.collect()
    }

    /// Adds the variables of all bodies of a kernel's list. A `.local` variable exists once per instance, others once per kernel; one of
    /// an instance that may be entered again while it is active lies in the frame of the activation. `names` are those of all variables.
    pub fn add_locals(
        &mut self,
        flat: &Flat,
        out: &mut Module,
        names: &mut FxHashSet<String>,
        errors: &mut Vec<Error>,
    ) {
        let owner = out.functions.len() as u32;
        if !flat.sites.is_empty() {
            // First of the frame, so that below it the stack is free.
            let stack = Variable {
                name: format!("{}$stack", flat.instances[0].function.name),
                space: Space::Local,
                size: u64::from(FRAME_ALIGN),
                align: u64::from(FRAME_ALIGN),
                init: None,
                init_addresses: Vec::new(),
                init_offsets: Vec::new(),
                visible: false,
                weak: false,
                managed: false,
                owner: Some(owner),
            };
            names.insert(stack.name.clone());
            self.stack = Some(out.variables.push(stack));
        }
        let mut shared: FxHashMap<(*const checked::Function, u32), VariableId> = FxHashMap::default();
        let kernel = flat.instances[0].function;
        for (instance, data) in flat.instances.iter().enumerate() {
            for (i, v) in data.function.variables.iter().enumerate() {
                if v.space == Space::Param {
                    continue;
                }
                if let Some(activation) = data.activation.filter(|_| v.space == Space::Local) {
                    let end = self.frames.entry(activation.instance).or_insert(FRAME_HEAD);
                    let at = end.next_multiple_of(v.align.max(1) as u32);
                    *end = at + v.size as u32;
                    self.placed.insert((instance, i as u32), at);
                    if v.align > u64::from(FRAME_ALIGN) {
                        errors.push(Error::named(
                            &v.name,
                            Refusal::Unsupported("this alignment in a recursive function"),
                        ));
                    }
                    continue;
                }
                let key = (std::ptr::from_ref(data.function), i as u32);
                let id = match shared.get(&key) {
                    Some(&id) if v.space != Space::Local => id,
                    _ => {
                        let mut name = v.name.clone();
                        if names.contains(&name) {
                            name = format!("{}${}", kernel.name, v.name);
                        }
                        let plain = name.clone();
                        let mut n = 0;
                        while !names.insert(name.clone()) {
                            n += 1;
                            name = format!("{plain}${n}");
                        }
                        let id = out.variables.push(Variable { name, owner: Some(owner), ..variable(v) });
                        shared.insert(key, id);
                        id
                    }
                };
                self.locals.insert((instance, i as u32), id);
                if !v.init_addresses.is_empty() {
                    errors.push(Error::named(
                        &v.name,
                        Refusal::UnsupportedSeveral("addresses in the initialiser of a body's variable"),
                    ));
                }
            }
        }
    }
}

fn variable(v: &checked::Variable) -> Variable {
    let mut init = v.init.clone();
    for &(offset, function) in &v.init_functions {
        let bytes = init.get_or_insert_default();
        let (at, end) = (offset as usize, offset as usize + 8);
        bytes.resize(bytes.len().max(end), 0);
        bytes[at..end].copy_from_slice(&function_address(function).to_le_bytes());
    }
    Variable {
        name: v.name.clone(),
        space: v.space,
        size: v.size,
        align: v.align,
        init,
        init_addresses: Vec::new(),
        init_offsets: Vec::new(),
        // An `.extern` that nothing defines becomes a definition under the name other modules know: its symbol stays global, as in
        // ptxas 13.0.88's cubins.
        visible: v.visible || v.external && matches!(v.space, Space::Global | Space::Const),
        weak: v.weak,
        managed: v.managed,
        owner: None,
    }
}

/// What stands for the address of a function: calls through registers choose by it. A program may compare addresses and hand them on
/// within its module; it cannot look behind them.
pub(crate) fn function_address(function: checked::FunctionId) -> u64 {
    FUNCTION_STRIDE * (u64::from(function.0) + 1)
}

/// Distance of two functions' addresses, in bytes.
pub(crate) const FUNCTION_STRIDE: u64 = 16;

/// Adds the module's variables.
pub(crate) fn module_variables(
    module: &checked::Module,
    out: &mut Module,
    errors: &mut Vec<Error>,
) -> Symbols {
    let mut symbols = Symbols::default();
    for v in &module.variables {
        // An `.extern` variable that nothing defines is zeros of its own, as for ptxas without `-c`, which warns of it.
        symbols.module.push(Some(out.variables.push(variable(v))));
    }
    for (v, id) in module.variables.iter().zip(&symbols.module) {
        let Some(id) = *id else { continue };
        for InitAddress { offset, symbol, addend, generic, bytes } in &v.init_addresses {
            let Some(target) = symbols.get(0, *symbol) else {
                errors.push(Error::named(
                    &v.name,
                    Refusal::Malformed("an address in the initialiser names no variable of the module"),
                ));
                continue;
            };
            let place = (*offset, target, *addend);
            match (out.variables[target].space, *generic) {
                (Space::Global, _) | (Space::Const, true) => out.variables[id].init_addresses.push(place),
                (Space::Const, false) => {
                    let (at, target, addend) = place;
                    out.variables[id].init_offsets.push((at, target, addend, *bytes));
                }
                _ => {
                    let message =
                        Refusal::Unsupported("the address of a variable in this space in an initialiser");
                    errors.push(Error::named(&v.name, message));
                }
            }
        }
    }
    symbols
}
