//! The 63 reserved registers (requirement BF-13) and how SASS reads each.
//!
//! Sources: the document on branch folding for the list. For what SASS reads: ptxas 13.0.88's code for sm_90 of kernels that store one register each. What has no
//! special register there is read from constant memory (`%ntid.x` from `c[0x0][0x0]`, `%envreg31` from `c[0x0][0xbc]`), or is the stack pointer, R1.

use sassafras_isa::{FieldKind, RegClass, special};
use sassafras_machine::{MInst, Reg};

/// Each register with the special registers of SASS that give it, alone or packed with others (`SR_TID`, `SR_NTID`).
pub const RESERVED: &[(&str, &[&str])] = &[
    ("tid.x", &["SR_TID.X", "SR_TID"]),
    ("tid.y", &["SR_TID.Y", "SR_TID"]),
    ("tid.z", &["SR_TID.Z", "SR_TID"]),
    ("ntid.x", &["SR_NTID"]),
    ("ntid.y", &["SR_NTID"]),
    ("ntid.z", &["SR_NTID"]),
    ("ctaid.x", &["SR_CTAID.X"]),
    ("ctaid.y", &["SR_CTAID.Y"]),
    ("ctaid.z", &["SR_CTAID.Z"]),
    ("nctaid.x", &[]),
    ("nctaid.y", &[]),
    ("nctaid.z", &[]),
    ("warpid", &["SR_VIRTID"]),
    ("laneid", &["SR_LANEID"]),
    ("cluster_ctarank", &["SR_CgaCtaId"]),
    ("cluster_nctarank", &[]),
    ("cluster_ctaid.x", &["SR_CTAID.X"]),
    ("cluster_ctaid.y", &["SR_CTAID.Y"]),
    ("cluster_ctaid.z", &["SR_CTAID.Z"]),
    ("cluster_nctaid.x", &[]),
    ("cluster_nctaid.y", &[]),
    ("cluster_nctaid.z", &[]),
    ("clusterid.x", &["SR_CTAID.X"]),
    ("clusterid.y", &["SR_CTAID.Y"]),
    ("clusterid.z", &["SR_CTAID.Z"]),
    ("nclusterid.x", &[]),
    ("nclusterid.y", &[]),
    ("nclusterid.z", &[]),
    ("is_explicit_cluster", &[]),
    ("SP", &[]),
    ("SPL", &[]),
];

/// ENVREG0 and up: so many constants of the driver, in constant memory from 0x40 on.
pub const ENVIRONMENT: u32 = 32;

/// The stack pointer in SASS: SP and SPL.
const STACK: Reg = Reg::Physical(1);

/// The reserved register that an instruction reads, if it reads one. R1 is the stack pointer where the function has a frame.
pub fn read(inst: &MInst, frame: bool) -> Option<String> {
    if frame && inst.uses().any(|operand| operand.class == RegClass::R && operand.reg == STACK) {
        return Some("the stack pointer".into());
    }
    let real = inst.inst()?;
    let fields = real.row().fields.iter().zip(&real.fields);
    let mut names = fields.filter(|(field, _)| matches!(field.kind, FieldKind::Special { .. }));
    names.find_map(|(_, &value)| {
        let name = special::name(value);
        let known = RESERVED.iter().any(|(_, sources)| sources.contains(&&*name));
        known.then(|| name.into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BF-13 counts 63, and every source is a special register of SASS.
    #[test]
    fn there_are_63() {
        assert_eq!(RESERVED.len() + ENVIRONMENT as usize, 63);
        for name in RESERVED.iter().flat_map(|(_, sources)| sources.iter()) {
            assert!(special::number(name).is_some(), "{name}");
        }
    }
}
