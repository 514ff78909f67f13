//! What a cubin says beyond its code: where the entry lies, registers, barriers, images of variables; and how it is launched.

mod launch;

use crate::obstacle::Located;
use crate::obstacle::container::Container;
use crate::obstacle::place::Side;
use crate::obstacle::target::Target;
use crate::ptx::calls::{Program, dynamic_align, reserved_shared};
use crate::ptx::functions;
pub use launch::Clusters;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function, Kind, elf};
use sassafras_isa::{FieldKind, Meaning, RegClass, decode};
use sassafras_ptx::checked::{self, FunctionId};
use sassafras_semantics::Space;
use sassafras_semantics::SystemCall;
use std::collections::{BTreeMap, BTreeSet};

/// The register that is always zero.
const RZ: u32 = 255;

/// Holds what the cubin declares of an entry against what its code and its source need. `own_first`: shared variables of functions lie
/// before those of the module.
///
/// # Errors
/// What does not fit.
pub fn check(
    module: &checked::Module,
    source: &checked::Function,
    cubin: &Cubin,
    code: &Function,
    own_first: bool,
) -> Result<(), Located> {
    declared(cubin, code)?;
    launch::check(source.reqntid, source.maxntid, Clusters::of_source(source), cubin, code)?;
    images(module, &functions::addresses(module, &source.name, cubin)?, cubin)?;
    let wanted = source.params.iter().map(|p| (p.offset, p.size, p.name.as_str()));
    launch::parameters(wanted, source.param_size, cubin.sm, code)?;
    let (bytes, whole) = extent(module, source, cubin.sm, own_first);
    Ok(launch::shared(bytes, whole, cubin, code)?)
}

/// How many bytes of shared memory the source takes, padding between variables, and before dynamic shared memory, which follows
/// what is static, too: at least, and at most, where dynamic shared memory of other entries is counted.
fn extent(module: &checked::Module, source: &checked::Function, sm: u32, own_first: bool) -> (u64, u64) {
    let Ok(mut program) = Program::new(module, source, 1) else { return (0, 0) };
    program.own_first = own_first;
    let end = program.shared(sm).iter().map(|(v, at)| at + v.size - reserved_shared(sm)).max().unwrap_or(0);
    (end, end.next_multiple_of(dynamic_align(module)))
}

/// The same where the source is a cubin too, which has to keep its own word as well.
///
/// # Errors
/// What does not fit.
pub fn check_code(other: &Cubin, source: &Function, cubin: &Cubin, code: &Function) -> Result<(), Located> {
    declared(other, source).map_err(|e| e.on(Side::Source))?;
    declared(cubin, code)?;
    let clusters = Clusters::of_code(source);
    launch::check(source.required_threads, source.max_threads, clusters, cubin, code)?;
    variables(other, cubin)?;
    let wanted = source.params.iter().map(|p| (u32::from(p.offset), p.size, "the source's"));
    launch::parameters(wanted, source.param_size, cubin.sm, code)?;
    let bytes = source.shared.map_or(0, |s| s.size.into());
    Ok(launch::shared(bytes, bytes, cubin, code)?)
}

/// What a cubin declares of an entry suffices for its code.
fn declared(cubin: &Cubin, code: &Function) -> Result<(), Located> {
    let Some(chip) = Chip::from_number(cubin.sm) else { return Err(Target::Chip { sm: cubin.sm }.into()) };
    let mut highest = None;
    for word in &code.code {
        let Ok(inst) = decode(*word, chip) else { continue };
        for o in inst.operands().filter(|o| o.class == RegClass::R && o.number != RZ) {
            highest = highest.max(Some(o.number + u32::from(o.units.max(1)) - 1));
        }
    }
    let reserved = chip.limits().reserved_registers;
    if let Some(highest) = highest
        && code.registers < highest + 1 + reserved
    {
        return Err(Container::Registers { highest, reserved, declared: code.registers }.into());
    }
    place(cubin, code)?;
    launch::stack(code, chip)?;
    Ok(barriers(code, chip)?)
}

/// The entry begins where its section does, nothing takes the place of what the cubin says of it, and a name is that of one thing.
fn place(cubin: &Cubin, code: &Function) -> Result<(), Container> {
    if cubin.kind != Kind::Executable {
        return Err(Container::NotLinked {});
    }
    // Functions that the driver resolves are looked at where they are called. With another one missing there is no launch.
    if let Some(other) = cubin.externs.iter().find(|e| !e.function || SystemCall::named(&e.name).is_none()) {
        return Err(Container::Elsewhere { symbol: other.name.as_str().into() });
    }
    let functions = cubin.functions.iter().map(|f| &f.name);
    // Relocations name what they refer to.
    let mut named: BTreeSet<&String> = BTreeSet::new();
    if let Some(twice) = functions.chain(cubin.variables.iter().map(|v| &v.name)).find(|n| !named.insert(n)) {
        return Err(Container::Twice { symbol: twice.as_str().into() });
    }
    if let Some(other) = cubin.symbols.iter().find(|s| named.contains(&s.name)) {
        return Err(Container::Part { symbol: other.name.as_str().into() });
    }
    let own = format!(".{}", code.name);
    let meant = |name: &str| {
        name.starts_with(".nv.constant") && (name.ends_with(&own) || !name[1..].contains('.'))
            || name == format!(".nv.shared{own}")
            || name.starts_with(".nv.global")
    };
    // One of relocations without addends changes what is read elsewhere, but for what debuggers read.
    let moves = |s: &sassafras_cubin::Section| {
        s.kind == elf::constants::REL && !s.info.as_ref().is_some_and(|of| of.starts_with(".debug_"))
    };
    match cubin.sections.iter().find(|s| meant(&s.name) || moves(s)) {
        Some(s) => Err(Container::Section { section: s.name.as_str().into() }),
        None => Ok(()),
    }
}

/// At least the barriers that are named are declared.
fn barriers(code: &Function, chip: Chip) -> Result<(), Container> {
    let mut wanted = 0;
    for inst in code.code.iter().filter_map(|w| decode(*w, chip).ok()) {
        let row = inst.row();
        let Some(i) = row.field("b").filter(|_| row.meaning == Meaning::Bar) else { continue };
        let named = match row.fields[i].kind {
            FieldKind::Register { .. } => 16,
            _ => inst.fields[i] + 1,
        };
        wanted = wanted.max(named);
    }
    let most = chip.limits().block_barriers;
    if u32::from(code.barriers) > most {
        return Err(Container::ManyBarriers { declared: code.barriers, most });
    }
    if u64::from(code.barriers) < wanted {
        return Err(Container::Barriers { used: wanted, declared: code.barriers });
    }
    Ok(())
}

/// Variables of the module that the cubin has are as large as in the source, hold the same before the launch, and do not
/// overlap.
fn images(
    module: &checked::Module,
    functions: &BTreeMap<FunctionId, u64>,
    cubin: &Cubin,
) -> Result<(), Container> {
    use sassafras_cubin::Space as Where;
    for v in module.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const)) {
        let space = if v.space == Space::Const { Where::Constant } else { Where::Global };
        let Some(x) = cubin.variables.iter().find(|x| x.name == v.name) else { continue };
        if x.space != space || x.size < v.size {
            return Err(Container::Variable { variable: v.name.as_str().into() });
        }
        aligned(x, v.align)?;
        let size = v.size as usize;
        let numbers = functions::constant_offsets(module, v, cubin);
        let filled: Vec<u64> = v
            .init_addresses
            .iter()
            .map(|a| a.offset)
            .filter(|at| numbers.iter().all(|(n, ..)| n != at))
            .collect();
        let told = |i: usize| filled.iter().any(|&at| (at..at + 8).contains(&(i as u64)));
        let Some(mut wanted) = functions::image(v, size, functions) else {
            return Err(Container::Image { variable: v.name.as_str().into() });
        };
        functions::put(&mut wanted, &numbers);
        let mut found = x.init.clone().unwrap_or_default();
        found.resize(size, 0);
        if (0..size).any(|i| !told(i) && wanted[i] != found[i]) {
            return Err(Container::Image { variable: v.name.as_str().into() });
        }
        let there = |r: &sassafras_cubin::Relocation| filled.contains(&r.offset);
        if filled.len() != x.relocations.len() || !x.relocations.iter().all(there) {
            return Err(Container::Addresses { variable: v.name.as_str().into() });
        }
        for a in v.init_addresses.iter().filter(|a| filled.contains(&a.offset)) {
            let name = match a.symbol {
                checked::VariableId::Module(i) => module.variables.get(i as usize).map(|v| v.name.as_str()),
                checked::VariableId::Local(_) => None,
            };
            let same = |r: &sassafras_cubin::Relocation| {
                r.offset == a.offset && Some(r.symbol.as_str()) == name && r.addend == a.addend
            };
            if !x.relocations.iter().any(same) {
                return Err(Container::Address { at: a.offset, variable: v.name.as_str().into() });
            }
        }
    }
    apart(cubin)
}

/// The same of two cubins. Addresses in bank 3 are numbers in the code of both: there all has to lie where it does in the
/// source.
fn variables(source: &Cubin, cubin: &Cubin) -> Result<(), Container> {
    use sassafras_cubin::Space as Where;
    for v in &source.variables {
        let Some(x) = cubin.variables.iter().find(|x| x.name == v.name) else {
            if v.space == Where::Constant {
                return Err(Container::NoConstant { variable: v.name.as_str().into() });
            }
            continue;
        };
        if x.space != v.space || x.size < v.size || v.space == Where::Constant && x.offset != v.offset {
            return Err(Container::Variable { variable: v.name.as_str().into() });
        }
        // What the reader gives as the alignment of the source's is that of its section.
        aligned(x, if v.offset == 0 { v.align } else { v.align.min(1 << v.offset.trailing_zeros()) })?;
        let image = |v: &sassafras_cubin::Variable, size: u64| {
            let mut all = v.init.clone().unwrap_or_default();
            all.resize(size as usize, 0);
            all
        };
        if image(v, v.size) != image(x, v.size) {
            return Err(Container::Image { variable: v.name.as_str().into() });
        }
        if v.relocations != x.relocations {
            return Err(Container::Addresses { variable: v.name.as_str().into() });
        }
    }
    apart(cubin)
}

/// A variable lies at a multiple of `wanted` bytes: in its section, and that in memory.
fn aligned(x: &sassafras_cubin::Variable, wanted: u64) -> Result<(), Container> {
    if x.align < wanted || !x.offset.is_multiple_of(wanted.max(1)) {
        return Err(Container::Alignment { variable: x.name.as_str().into(), wanted });
    }
    Ok(())
}

/// Constants do not overlap.
fn apart(cubin: &Cubin) -> Result<(), Container> {
    use sassafras_cubin::Space as Where;
    let kept = |v: &&sassafras_cubin::Variable| v.space == Where::Constant;
    let mut all: Vec<_> = cubin.variables.iter().filter(kept).collect();
    all.sort_by_key(|v| v.offset);
    match all.windows(2).find(|w| w[0].offset.saturating_add(w[0].size) > w[1].offset) {
        Some(w) => {
            let [first, second] = [0, 1].map(|i| w[i].name.as_str().into());
            Err(Container::Overlap { first, second })
        }
        None => Ok(()),
    }
}
