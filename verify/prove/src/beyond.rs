//! What a cubin says beyond its code: registers, barriers, parameters, shared memory.

use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{RegClass, decode};
use sassafras_ptx::checked;
use sassafras_semantics::Space;

/// The register that is always zero.
const RZ: u32 = 255;

/// Holds what the cubin declares of an entry against what its code and its source need.
///
/// # Errors
/// What does not fit.
pub fn check(source: &checked::Function, cubin: &Cubin, code: &Function) -> Result<(), String> {
    let Some(chip) = Chip::from_number(cubin.sm) else { return Err("the chip is not known".into()) };
    let mut highest = None;
    for word in &code.code {
        let Ok(inst) = decode(*word, chip) else { continue };
        for o in inst.operands().filter(|o| o.class == RegClass::R && o.number != RZ) {
            highest = highest.max(Some(o.number + u32::from(o.units.max(1)) - 1));
        }
    }
    if let Some(highest) = highest
        && code.registers <= highest
    {
        return Err(format!("cubin: R{highest} is used, and {} registers are declared", code.registers));
    }
    let mut params = source.params.iter();
    let there =
        |p: &&checked::Param| code.params.iter().any(|c| u32::from(c.offset) == p.offset && c.size == p.size);
    if let Some(p) = params.find(|p| !there(p)) {
        return Err(format!(
            "cubin: it has no parameter of {} bytes at offset {} (`{}`)",
            p.size, p.offset, p.name
        ));
    }
    if code.param_size < source.param_size {
        return Err(format!("cubin: {} bytes of parameters, not {}", code.param_size, source.param_size));
    }
    let shared: u64 = source.variables.iter().filter(|v| v.space == Space::Shared).map(|v| v.size).sum();
    if u64::from(code.shared.map_or(0, |s| s.size)) < shared {
        return Err(format!("cubin: fewer than {shared} bytes of shared memory"));
    }
    Ok(())
}
