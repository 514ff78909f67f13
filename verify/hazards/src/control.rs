//! Control bits that no instruction may have (swept with nvdisasm on all chips).

use sassafras_isa::{Control, Inst};

/// What is illegal about the control bits of an instruction.
pub(crate) fn faults(inst: &Inst) -> Vec<String> {
    let (control, row) = (inst.control, inst.row());
    let mut faults: Vec<String> = control.fault().map(str::to_owned).into_iter().collect();
    if control.write_barrier != 7 && !row.control.write_barrier {
        faults.push(format!("{} cannot set a write barrier", row.mnemonic));
    }
    if control.read_barrier != 7 && !row.control.read_barrier {
        faults.push(format!("{} cannot set a read barrier", row.mnemonic));
    }
    match control {
        // Without bit 109 the same bits mark runs of texture instructions.
        Control { yield_: false, reuse: 1..=5, stall: 1.., .. } if row.control.runs => {}
        Control { yield_: false, reuse: 1.., .. } => faults.push("reuse needs bit 109".to_owned()),
        Control { reuse, .. } if reuse & !row.control.reuse != 0 => {
            faults.push(format!("{} has no operand for reuse {reuse:#05b}", row.mnemonic));
        }
        Control { .. } => {}
    }
    faults
}
