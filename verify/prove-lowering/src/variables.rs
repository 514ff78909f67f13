//! Where variables lie: the same on both sides, in terms of the source's.
//!
//! The side of PTX takes addresses of constants from a cubin. Here there is none yet: [`container`] has the variables of the module one after another,
//! as the source declares them.

use crate::side_error::SideError;
use sassafras_chip::Chip;
use sassafras_cubin as cubin;
use sassafras_ir::{Module, VariableId};
use sassafras_ptx::checked::{self, Variable};
use sassafras_semantics::{Domain, Space, TermId};
use sassafras_symbolic::input::Input;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::ptx::calls::Program;
use std::collections::BTreeMap;

/// Distance of two functions' addresses, in bytes: the side of PTX has the same where no cubin says otherwise, and lowering too.
const FUNCTION_STRIDE: u64 = 16;

/// A cubin with the constants of a module and an entry without code, for a chip.
pub(crate) fn container(module: &checked::Module, entry: &checked::Function, chip: Chip) -> cubin::Cubin {
    let mut end = 0u64;
    let mut variables = Vec::new();
    for v in module.variables.iter().filter(|v| v.space == Space::Const) {
        let offset = end.next_multiple_of(v.align.max(1));
        end = offset + v.size;
        let mut init = v.init.clone().unwrap_or_default();
        init.resize(v.size as usize, 0);
        for (at, function) in &v.init_functions {
            if let Some(place) = init.get_mut(*at as usize..*at as usize + 8) {
                place.copy_from_slice(&(FUNCTION_STRIDE * (u64::from(function.0) + 1)).to_le_bytes());
            }
        }
        variables.push(cubin::Variable {
            name: v.name.clone(),
            space: cubin::Space::Constant,
            offset,
            size: v.size,
            align: v.align,
            init: Some(init),
            relocations: Vec::new(),
            exported: v.visible,
            weak: v.weak,
            other: 0,
        });
    }
    let code = cubin::Function {
        name: entry.name.clone(),
        entry: true,
        param_size: entry.param_size,
        ..cubin::Function::default()
    };
    cubin::Cubin { sm: chip.number(), functions: vec![code], variables, ..cubin::Cubin::default() }
}

/// Where a variable of the IR lies.
#[derive(Clone, Debug)]
enum Place {
    /// In global memory, by name.
    Global(String),
    /// A number in its space: shared memory, constants.
    At(u64),
    /// The local variable of that number of the entry.
    Local(u32),
}

/// Where all variables of a module of the IR lie.
pub(crate) struct Addresses(BTreeMap<VariableId, Place>);

impl Addresses {
    /// Finds for each variable of the IR that a function may name the one of the source. A variable that is of no one of the source, or of several,
    /// has no place.
    pub fn new(source: &Program<'_>, cubin: &cubin::Cubin, target: &Module, number: u32) -> Addresses {
        let entry = source.frames[0].function;
        let shared = source.shared(cubin.sm);
        let mut all = BTreeMap::new();
        let own = |owner: Option<u32>| owner.is_none_or(|o| o == number);
        for (id, v) in target.variables.iter().filter(|(_, v)| own(v.owner)) {
            let named = |x: &&Variable| {
                let of_entry = format!("{}${}", entry.name, x.name);
                x.space == v.space && x.size == v.size && (x.name == v.name || of_entry == v.name)
            };
            let place = match v.space {
                Space::Global => Some(Place::Global(v.name.clone())),
                Space::Const => {
                    let there = |x: &&cubin::Variable| x.name == v.name;
                    cubin.variables.iter().find(there).map(|x| Place::At(x.offset))
                }
                Space::Shared => {
                    let mut found = shared.iter().filter(|(x, _)| named(x));
                    let first = found.next().map(|(_, at)| Place::At(*at));
                    first.filter(|_| found.next().is_none())
                }
                Space::Local => {
                    let mut found = (0..).zip(&entry.variables).filter(|(_, x)| named(x));
                    let first = found.next().map(|(i, _)| Place::Local(i));
                    first.filter(|_| found.next().is_none())
                }
                _ => None,
            };
            // Of one that has no place it matters only where it is named.
            if let Some(place) = place {
                all.insert(id, place);
            }
        }
        Addresses(all)
    }

    /// The address of a variable in its space, of a width in bits.
    ///
    /// # Errors
    /// One whose place is not known.
    pub fn of(&self, inputs: &Inputs<'_>, id: VariableId, width: u32) -> Result<TermId, SideError> {
        let d = inputs.terms;
        let term = match self.0.get(&id) {
            None => return Err(SideError::Variable(id)),
            Some(Place::Global(name)) => inputs.input(Input::Symbol(name.clone()), 64, true),
            Some(Place::At(at)) => d.constant(64, (*at).into()),
            Some(Place::Local(index)) => d.zext(&inputs.local(0, *index), 64),
        };
        Ok(if width < 64 { d.extract(&term, 0, width) } else { term })
    }
}
