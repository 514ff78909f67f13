//! Which special register of the vocabulary a SASS special register is.
//!
//! Source: PTX `mov` of each special register through ptxas 13.0.88.

use crate::{Inst, Meaning};
use sassafras_semantics::{Axis, SpecialRegister as R};

/// What a special register's number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// Reads zero.
    Zero,
    /// A register of the vocabulary.
    Register(R),
    /// Warp in bits 8 to 14, SM in bits 20 to 28.
    Identity,
    /// Numbers of warps and SMs in the same places.
    Configuration,
    /// High word of the generic address of the shared window.
    SharedWindowHigh,
    /// High word of the generic address of the local window.
    LocalWindowHigh,
}

/// By name, as nvdisasm writes it.
const NAMES: &[(&str, Special)] = &[
    ("SRZ", Special::Zero),
    ("SR_VIRTCFG", Special::Configuration),
    ("SR_VIRTID", Special::Identity),
    ("SR_LANEID", Special::Register(R::LaneId)),
    ("SR_TID.X", Special::Register(R::Tid(Axis::X))),
    ("SR_TID.Y", Special::Register(R::Tid(Axis::Y))),
    ("SR_TID.Z", Special::Register(R::Tid(Axis::Z))),
    ("SR_CTAID.X", Special::Register(R::Ctaid(Axis::X))),
    ("SR_CTAID.Y", Special::Register(R::Ctaid(Axis::Y))),
    ("SR_CTAID.Z", Special::Register(R::Ctaid(Axis::Z))),
    ("SR_EQMASK", Special::Register(R::LaneMaskEq)),
    ("SR_LTMASK", Special::Register(R::LaneMaskLt)),
    ("SR_LEMASK", Special::Register(R::LaneMaskLe)),
    ("SR_GTMASK", Special::Register(R::LaneMaskGt)),
    ("SR_GEMASK", Special::Register(R::LaneMaskGe)),
    ("SR_CLOCKLO", Special::Register(R::Clock)),
    ("SR_CLOCKHI", Special::Register(R::ClockHi)),
    ("SR_GLOBALTIMERLO", Special::Register(R::GlobalTimerLo)),
    ("SR_GLOBALTIMERHI", Special::Register(R::GlobalTimerHi)),
    ("SR_VIRTUALSMID", Special::Register(R::SmId)),
    ("SR_CgaCtaId", Special::Register(R::ClusterCtaRank)),
    ("SR_CgaSize", Special::Register(R::BankCopy)),
    ("SR_SWINHI", Special::SharedWindowHigh),
    ("SR_LWINHI", Special::LocalWindowHigh),
    // The least offset that a stack may reach: ptxas -O0 traps where the stack pointer is below. Stacks here reach down to zero.
    ("SR_LMEMHIOFF", Special::Zero),
    ("SR_PM0", Special::Register(R::Pm(0))),
    ("SR_PM1", Special::Register(R::Pm(1))),
    ("SR_PM2", Special::Register(R::Pm(2))),
    ("SR_PM3", Special::Register(R::Pm(3))),
    ("SR_PM4", Special::Register(R::Pm(4))),
    ("SR_PM5", Special::Register(R::Pm(5))),
    ("SR_PM6", Special::Register(R::Pm(6))),
    ("SR_PM7", Special::Register(R::Pm(7))),
];

/// The meaning of a number; none if it is not known here.
pub(super) fn meaning(number: u64) -> Option<Special> {
    let name = crate::special::name(number);
    NAMES.iter().find(|(n, _)| *n == name).map(|(_, meaning)| *meaning)
}

/// The special register that an instruction reads; none if it reads none, or one whose meaning is not known.
pub fn special_register(inst: &Inst) -> Option<R> {
    if !matches!(inst.row().meaning, Meaning::Cs2r | Meaning::S2r | Meaning::S2ur) {
        return None;
    }
    match meaning(inst.get("sr")?)? {
        Special::Register(register) => Some(register),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_register_of_nvdisasm() {
        for (name, special) in NAMES {
            let number = crate::special::number(name).expect(name);
            assert_eq!(meaning(number), Some(*special));
        }
    }
}
