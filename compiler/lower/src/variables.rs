//! Variables: those of the module, and those of each function body.

use crate::error::Error;
use crate::flatten::Flat;
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
}

impl Symbols {
    /// The variable of a symbol seen from an instance.
    pub fn get(&self, instance: usize, id: checked::VariableId) -> Option<VariableId> {
        match id {
            checked::VariableId::Module(i) => self.module.get(i as usize).copied().flatten(),
            checked::VariableId::Local(i) => self.locals.get(&(instance, i)).copied(),
        }
    }

    /// Adds the variables of all bodies of a kernel's list. A `.local` variable exists once per instance, others once per kernel.
    pub fn add_locals(&mut self, flat: &Flat, out: &mut Module, errors: &mut Vec<Error>) {
        let owner = out.functions.len() as u32;
        let mut shared: FxHashMap<(*const checked::Function, u32), VariableId> = FxHashMap::default();
        let mut names: FxHashSet<String> = out.variables.values().map(|v| v.name.clone()).collect();
        let kernel = flat.instances[0].function;
        for (instance, data) in flat.instances.iter().enumerate() {
            for (i, v) in data.function.variables.iter().enumerate() {
                if v.space == Space::Param {
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
                        "addresses in the initialiser of a body's variable are not supported",
                    ));
                }
            }
        }
    }
}

fn variable(v: &checked::Variable) -> Variable {
    Variable {
        name: v.name.clone(),
        space: v.space,
        size: v.size,
        align: v.align,
        init: v.init.clone(),
        init_addresses: Vec::new(),
        visible: v.visible,
        owner: None,
    }
}

/// Adds the module's variables.
pub(crate) fn module_variables(
    module: &checked::Module,
    out: &mut Module,
    errors: &mut Vec<Error>,
) -> Symbols {
    let mut symbols = Symbols::default();
    for v in &module.variables {
        let dynamic_shared = v.external && v.space == Space::Shared;
        if v.external && !dynamic_shared {
            errors.push(Error::named(&v.name, "an external variable is not supported: there is no linking"));
        }
        symbols.module.push(Some(out.variables.push(variable(v))));
    }
    for (v, id) in module.variables.iter().zip(&symbols.module) {
        let Some(id) = *id else { continue };
        for InitAddress { offset, symbol, addend, generic } in &v.init_addresses {
            let Some(target) = symbols.get(0, *symbol) else {
                errors.push(Error::named(
                    &v.name,
                    "an address in the initialiser names no variable of the module",
                ));
                continue;
            };
            let space = out.variables[target].space;
            if !matches!((space, *generic), (Space::Global, _) | (Space::Const, true)) {
                let message = "the address of a variable in this space in an initialiser is not supported";
                errors.push(Error::named(&v.name, message));
            }
            out.variables[id].init_addresses.push((*offset, target, *addend));
        }
    }
    symbols
}
