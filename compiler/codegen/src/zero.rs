//! Registers that become zero two at a time.
//!
//! Does: makes one `CS2R Rd, SRZ` of two moves of RZ that stand one behind the other and fill an aligned pair. Sums of a matrix product begin so, by the
//! hundred. Does not: move anything. Needs real registers. Source: ptxas 13.0.88 clears registers so on every chip.

use crate::Error;
use crate::expand::make;
use sassafras_chip::Chip;
use sassafras_isa::Inst;
use sassafras_machine::MInst;

/// See the head of this file.
pub fn pair(chip: Chip, insts: &mut Vec<MInst>) -> Result<(), Error> {
    let old = std::mem::take(insts);
    let plain = make(chip, "mov.r", &[("b", ZERO_REGISTER)])?;
    let mut last: Option<u64> = None;
    for inst in old {
        let cleared = cleared(&inst, &plain);
        if let (Some(a), Some(b)) = (last, cleared)
            && a ^ b == 1
        {
            let mut both = MInst::new(make(chip, "cs2r", &[("d", a & !1), ("sr", ZERO)])?);
            both.line = inst.line;
            insts.pop();
            insts.push(both);
            last = None;
            continue;
        }
        last = cleared;
        insts.push(inst);
    }
    Ok(())
}

/// RZ.
const ZERO_REGISTER: u64 = 255;

/// SRZ, the special register that reads as zero.
const ZERO: u64 = 255;

/// The register into which an instruction that no earlier phase knows moves RZ.
fn cleared(inst: &MInst, plain: &Inst) -> Option<u64> {
    let real = inst.inst().filter(|_| inst.origin.is_none())?;
    let register = real.get("d").filter(|_| real.form == plain.form)?;
    let mut clear = plain.clone();
    clear.set("d", register).ok()?;
    (*real == clear && register != ZERO_REGISTER).then_some(register)
}
