//! What a cubin says beyond its code: where the entry lies, how it is launched, registers, barriers, parameters, shared
//! memory, images of variables.

use crate::functions;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{FieldKind, Meaning, RegClass, decode};
use sassafras_ptx::checked::{self, FunctionId};
use sassafras_semantics::Space;
use std::collections::BTreeMap;

/// The register that is always zero.
const RZ: u32 = 255;

/// Holds what the cubin declares of an entry against what its code and its source need.
///
/// # Errors
/// What does not fit.
pub fn check(
    module: &checked::Module,
    source: &checked::Function,
    cubin: &Cubin,
    code: &Function,
) -> Result<(), String> {
    declared(cubin, code)?;
    let threads = |n: [u32; 3]| n.iter().map(|&n| u64::from(n)).product::<u64>();
    launch(source.reqntid, source.maxntid.map(threads), code)?;
    images(module, &functions::addresses(module, &source.name, cubin)?, cubin)?;
    let wanted = source.params.iter().map(|p| (p.offset, p.size, p.name.as_str()));
    parameters(wanted, source.param_size, code)?;
    let functions = crate::calls::reachable(module, source);
    let mut insts = functions.iter().flat_map(|f| f.insts.iter().flatten());
    let uses = insts.any(|i| i.mods.space == Some(Space::Shared));
    let of_module = module.variables.iter().filter(|_| uses);
    let all = functions.iter().flat_map(|f| &f.variables).chain(of_module);
    shared(all.filter(|v| v.space == Space::Shared).map(|v| v.size).sum(), code)
}

/// The same where the source is a cubin too, which has to keep its own word as well.
///
/// # Errors
/// What does not fit.
pub fn check_code(other: &Cubin, source: &Function, cubin: &Cubin, code: &Function) -> Result<(), String> {
    declared(other, source).map_err(|e| format!("source, {e}"))?;
    declared(cubin, code)?;
    let threads = |n: [u32; 3]| n.iter().map(|&n| u64::from(n)).product::<u64>();
    launch(source.required_threads, source.max_threads.map(threads), code)?;
    variables(other, cubin)?;
    let wanted = source.params.iter().map(|p| (u32::from(p.offset), p.size, "the source's"));
    parameters(wanted, source.param_size, code)?;
    shared(source.shared.map_or(0, |s| s.size.into()), code)
}

/// What a cubin declares of an entry suffices for its code.
fn declared(cubin: &Cubin, code: &Function) -> Result<(), String> {
    let Some(chip) = Chip::from_number(cubin.sm) else { return Err("the chip is not known".into()) };
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
        return Err(format!(
            "cubin: R{highest} is used, the hardware keeps {reserved}, and {} registers are declared",
            code.registers
        ));
    }
    place(cubin, code)?;
    barriers(code, chip)
}

/// Parameters, as offset, size and name, have the size and place of the source's.
fn parameters<'n>(
    mut wanted: impl Iterator<Item = (u32, u32, &'n str)>,
    bytes: u32,
    code: &Function,
) -> Result<(), String> {
    let there = |at: u32, size: u32| code.params.iter().any(|c| u32::from(c.offset) == at && c.size == size);
    if let Some((at, size, name)) = wanted.find(|(at, size, _)| !there(*at, *size)) {
        return Err(format!("cubin: it has no parameter of {size} bytes at offset {at} (`{name}`)"));
    }
    if code.param_size < bytes {
        return Err(format!("cubin: {} bytes of parameters, not {bytes}", code.param_size));
    }
    Ok(())
}

/// There is as much shared memory as the source's `bytes`.
fn shared(bytes: u64, code: &Function) -> Result<(), String> {
    if u64::from(code.shared.map_or(0, |s| s.size)) < bytes {
        return Err(format!("cubin: fewer than {bytes} bytes of shared memory"));
    }
    Ok(())
}

/// The entry begins where its section does, and nothing takes the place of what the cubin says of it.
fn place(cubin: &Cubin, code: &Function) -> Result<(), String> {
    if cubin.functions.iter().filter(|f| f.name == code.name).count() > 1
        || cubin.symbols.iter().any(|s| s.name == code.name)
    {
        return Err(format!("cubin: the symbol `{}` is not the whole of one section", code.name));
    }
    let own = format!(".{}", code.name);
    let meant = |name: &str| {
        name.starts_with(".nv.constant") && (name.ends_with(&own) || !name[1..].contains('.'))
            || name == format!(".nv.shared{own}")
            || name.starts_with(".nv.global")
    };
    match cubin.sections.iter().find(|s| meant(&s.name)) {
        Some(s) => Err(format!("cubin: the section `{}` cannot be read", s.name)),
        None => Ok(()),
    }
}

/// Whoever may launch the source may launch the target. The source demands a shape of blocks, or allows `most` threads.
fn launch(required: Option<[u32; 3]>, most: Option<u64>, code: &Function) -> Result<(), String> {
    let threads = |n: [u32; 3]| n.iter().map(|&n| u64::from(n)).product::<u64>();
    if code.required_threads.is_some() && code.required_threads != required {
        return Err(format!("cubin: blocks of {:?} are required", code.required_threads.unwrap_or_default()));
    }
    let wanted = required.map(threads).or(most).unwrap_or(1024);
    match code.max_threads.map(threads) {
        Some(most) if most < wanted => {
            Err(format!("cubin: blocks of at most {most} threads, the source allows {wanted}"))
        }
        _ => Ok(()),
    }
}

/// At least the barriers that are named are declared.
fn barriers(code: &Function, chip: Chip) -> Result<(), String> {
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
    if u64::from(code.barriers) < wanted {
        return Err(format!("cubin: {wanted} barriers are used, and {} are declared", code.barriers));
    }
    Ok(())
}

/// Variables of the module that the cubin has are as large as in the source, hold the same before the launch, and do not
/// overlap.
fn images(
    module: &checked::Module,
    functions: &BTreeMap<FunctionId, u64>,
    cubin: &Cubin,
) -> Result<(), String> {
    use sassafras_cubin::Space as Where;
    for v in module.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const)) {
        let space = if v.space == Space::Const { Where::Constant } else { Where::Global };
        let Some(x) = cubin.variables.iter().find(|x| x.name == v.name) else { continue };
        if x.space != space || x.size < v.size {
            return Err(format!("cubin: the variable `{}` is another", v.name));
        }
        let size = v.size as usize;
        let filled: Vec<u64> = v.init_addresses.iter().map(|a| a.offset).collect();
        let told = |i: usize| filled.iter().any(|&at| (at..at + 8).contains(&(i as u64)));
        let wanted = functions::image(v, size, functions).map_err(|e| format!("cubin: {e}"))?;
        let mut found = x.init.clone().unwrap_or_default();
        found.resize(size, 0);
        if (0..size).any(|i| !told(i) && wanted[i] != found[i]) {
            return Err(format!("cubin: the image of `{}` is another", v.name));
        }
        let there = |r: &sassafras_cubin::Relocation| filled.contains(&r.offset);
        if filled.len() != x.relocations.len() || !x.relocations.iter().all(there) {
            return Err(format!("cubin: the addresses in `{}` are others", v.name));
        }
        for a in &v.init_addresses {
            let name = match a.symbol {
                checked::VariableId::Module(i) => module.variables.get(i as usize).map(|v| v.name.as_str()),
                checked::VariableId::Local(_) => None,
            };
            let same = |r: &sassafras_cubin::Relocation| {
                r.offset == a.offset && Some(r.symbol.as_str()) == name && r.addend == a.addend
            };
            if !x.relocations.iter().any(same) {
                return Err(format!("cubin: the address at {} in `{}` is another", a.offset, v.name));
            }
        }
    }
    apart(cubin)
}

/// The same of two cubins. Addresses in bank 3 are numbers in the code of both: there all has to lie where it does in the
/// source.
fn variables(source: &Cubin, cubin: &Cubin) -> Result<(), String> {
    use sassafras_cubin::Space as Where;
    for v in &source.variables {
        let Some(x) = cubin.variables.iter().find(|x| x.name == v.name) else {
            if v.space == Where::Constant {
                return Err(format!("cubin: the constant `{}` is missing", v.name));
            }
            continue;
        };
        if x.space != v.space || x.size < v.size || v.space == Where::Constant && x.offset != v.offset {
            return Err(format!("cubin: the variable `{}` is another", v.name));
        }
        let image = |v: &sassafras_cubin::Variable, size: u64| {
            let mut all = v.init.clone().unwrap_or_default();
            all.resize(size as usize, 0);
            all
        };
        if image(v, v.size) != image(x, v.size) {
            return Err(format!("cubin: the image of `{}` is another", v.name));
        }
        if v.relocations != x.relocations {
            return Err(format!("cubin: the addresses in `{}` are others", v.name));
        }
    }
    apart(cubin)
}

/// Constants do not overlap.
fn apart(cubin: &Cubin) -> Result<(), String> {
    use sassafras_cubin::Space as Where;
    let kept = |v: &&sassafras_cubin::Variable| v.space == Where::Constant;
    let mut all: Vec<_> = cubin.variables.iter().filter(kept).collect();
    all.sort_by_key(|v| v.offset);
    match all.windows(2).find(|w| w[0].offset.saturating_add(w[0].size) > w[1].offset) {
        Some(w) => Err(format!("cubin: `{}` and `{}` overlap", w[0].name, w[1].name)),
        None => Ok(()),
    }
}
