//! Addresses of functions.
//!
//! PTX says of them only that those of two functions differ. Code may have any numbers for them, as long as it is the same number wherever
//! the function is named: in initialisers and in code. Here they are what the target has.

use crate::obstacle::source::Source;
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::{FunctionId, InitAddress, Inst, Module, Op, Operand, Variable, VariableId};
use sassafras_semantics::Space;
use std::collections::{BTreeMap, BTreeSet};

/// How far apart the numbers are where the cubin says nothing of them. Any others would do.
const STRIDE: u64 = 16;

/// Functions whose addresses are taken: in initialisers, or in code other than a call by name.
pub fn taken(module: &Module) -> BTreeSet<FunctionId> {
    let variables = module.variables.iter().chain(module.functions.iter().flat_map(|f| &f.variables));
    let mut all: BTreeSet<FunctionId> = variables.flat_map(|v| &v.init_functions).map(|f| f.1).collect();
    for inst in module.functions.iter().flat_map(|f| f.insts.iter().flatten()) {
        named(inst, &mut all);
    }
    all
}

/// Adds the functions that an instruction names, but for the one that it calls.
fn named(inst: &Inst, all: &mut BTreeSet<FunctionId>) {
    for (at, operand) in inst.operands.iter().enumerate() {
        let called = inst.op == Op::Call && at == 1;
        match operand {
            Operand::Function(_) if called => {}
            Operand::Vector(parts) => all.extend(parts.iter().filter_map(|o| function(o))),
            Operand::List(parts) => all.extend(parts.iter().filter_map(function)),
            other => all.extend(function(other)),
        }
    }
}

fn function(operand: &Operand) -> Option<FunctionId> {
    if let Operand::Function(id) = operand { Some(*id) } else { None }
}

/// The address of each function whose address is taken, for the entry `name` of a cubin: where it lies in the entry's section, else
/// what stands in an initialiser, else any number.
///
/// # Errors
/// Two functions at one address; one at zero.
pub fn addresses(module: &Module, name: &str, cubin: &Cubin) -> Result<BTreeMap<FunctionId, u64>, Source> {
    let mut all = BTreeMap::new();
    for id in taken(module) {
        let Some(f) = module.functions.get(id.0 as usize) else { continue };
        let there = place(cubin, name, &f.name).or_else(|| initialiser(module, cubin, id));
        all.insert(id, there.unwrap_or(STRIDE * (u64::from(id.0) + 1)));
    }
    let different: BTreeSet<u64> = all.values().copied().collect();
    match different.len() < all.len() || different.contains(&0) {
        true => Err(Source::OneAddress {}),
        false => Ok(all),
    }
}

/// Where a function lies in the section of an entry, as ptxas names it there.
fn place(cubin: &Cubin, entry: &str, function: &str) -> Option<u64> {
    let code = cubin.functions.iter().find(|f| f.entry && f.name == entry)?;
    let name = format!("${entry}${function}");
    code.subroutines.iter().find(|s| s.name == name).map(|s| s.offset.into())
}

/// What the first initialiser that names a function has in its place.
fn initialiser(module: &Module, cubin: &Cubin, id: FunctionId) -> Option<u64> {
    module.variables.iter().find_map(|v| {
        let at = v.init_functions.iter().find(|f| f.1 == id)?.0 as usize;
        let init = cubin.variables.iter().find(|x| x.name == v.name)?.init.as_ref()?;
        Some(u64::from_le_bytes(init.get(at..at + 8)?.try_into().ok()?))
    })
}

/// The image of a variable before the launch, without addresses of variables. None if an initialiser names a function without an address, or
/// one beyond its end.
pub fn image(v: &Variable, size: usize, addresses: &BTreeMap<FunctionId, u64>) -> Option<Vec<u8>> {
    let mut all = v.init.clone().unwrap_or_default();
    all.resize(size, 0);
    for (at, id) in &v.init_functions {
        let place = all.get_mut(*at as usize..*at as usize + 8)?;
        place.copy_from_slice(&addresses.get(id)?.to_le_bytes());
    }
    Some(all)
}

/// The addresses of constants in their own space that an initialiser has: byte offset in it, the number that stands there, which is where the cubin has the
/// constant in bank 3, and of how many bytes it is. Constants that it does not have are left out.
pub fn constant_offsets(module: &Module, v: &Variable, cubin: &Cubin) -> Vec<(u64, u64, u8)> {
    let number = |a: &InitAddress| {
        let VariableId::Module(target) = a.symbol else { return None };
        let target = module.variables.get(target as usize)?;
        let there = |x: &&sassafras_cubin::Variable| {
            x.space == sassafras_cubin::Space::Constant && x.name == target.name
        };
        let x = cubin.variables.iter().find(there)?;
        (target.space == Space::Const && !a.generic)
            .then(|| (a.offset, x.offset.wrapping_add_signed(a.addend), a.bytes))
    };
    v.init_addresses.iter().filter_map(number).collect()
}

/// Puts numbers of so many bytes into an image; one beyond its end is left out, so that images differ.
pub fn put(image: &mut [u8], numbers: &[(u64, u64, u8)]) {
    for (at, number, bytes) in numbers {
        let bytes = usize::from(*bytes);
        if let Some(place) = image.get_mut(*at as usize..*at as usize + bytes) {
            place.copy_from_slice(&number.to_le_bytes()[..bytes]);
        }
    }
}
