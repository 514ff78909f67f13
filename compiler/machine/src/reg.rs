//! Registers as values of instruction fields.

use crate::VReg;
use sassafras_graph::Entity;
use sassafras_isa::{RegClass, VIRTUAL};
use std::fmt;

/// A register that an operand names: the first of the units it spans.
///
/// A field of [`sassafras_isa::Inst`] holds it as a number: a real register as its number, unit `u` of virtual
/// register `v` as `VIRTUAL + 8 * v + u`. Eight is the most units that one operand spans.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reg {
    /// The register of this number, or the constant of the class (RZ, URZ, PT, UPT).
    Physical(u16),
    /// A unit of a virtual register, 0 being the low word.
    Virtual(VReg, u8),
}

impl Reg {
    /// Units that a virtual register may have at most.
    pub const MAX_UNITS: u8 = 128;

    /// A unit of a virtual register.
    pub const fn part(vreg: VReg, unit: u8) -> Reg {
        Reg::Virtual(vreg, unit)
    }

    /// Value for an instruction's field.
    pub fn to_field(self) -> u64 {
        match self {
            Reg::Physical(number) => u64::from(number),
            Reg::Virtual(vreg, unit) => {
                VIRTUAL + vreg.index() as u64 * u64::from(Self::MAX_UNITS) + u64::from(unit)
            }
        }
    }

    /// The register that a field's value names.
    pub fn from_field(value: u64) -> Reg {
        match value.checked_sub(VIRTUAL) {
            None => Reg::Physical(value as u16),
            Some(rest) => {
                let units = u64::from(Self::MAX_UNITS);
                Reg::Virtual(VReg::from_index((rest / units) as usize), (rest % units) as u8)
            }
        }
    }

    /// The virtual register, if it is one.
    pub fn vreg(self) -> Option<VReg> {
        match self {
            Reg::Virtual(vreg, _) => Some(vreg),
            Reg::Physical(_) => None,
        }
    }

    /// The register `units` further on.
    pub fn offset(self, units: u8) -> Reg {
        match self {
            Reg::Physical(number) => Reg::Physical(number + u16::from(units)),
            Reg::Virtual(vreg, unit) => Reg::Virtual(vreg, unit + units),
        }
    }

    /// Whether this is the constant of the class: RZ, URZ, PT, UPT.
    pub fn is_constant(self, class: RegClass) -> bool {
        matches!(self, Reg::Physical(number) if Some(u64::from(number)) == class.constant())
    }

    /// The text: `v3`, `v3.1`, `R7`, `UPT`.
    pub fn display(self, class: RegClass) -> impl fmt::Display {
        DisplayReg(self, class)
    }
}

impl From<VReg> for Reg {
    fn from(vreg: VReg) -> Reg {
        Reg::Virtual(vreg, 0)
    }
}

struct DisplayReg(Reg, RegClass);

impl fmt::Display for DisplayReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reg::Virtual(vreg, 0) => write!(f, "{vreg}"),
            Reg::Virtual(vreg, unit) => write!(f, "{vreg}.{unit}"),
            Reg::Physical(number) => write!(f, "{}{number}", self.1.prefix()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip() {
        for reg in [Reg::Physical(0), Reg::Physical(255), Reg::Virtual(VReg(0), 0), Reg::Virtual(VReg(9), 7)]
        {
            assert_eq!(Reg::from_field(reg.to_field()), reg);
        }
        assert!(Reg::Physical(255).is_constant(RegClass::R));
        assert!(!Reg::Physical(7).is_constant(RegClass::R));
        assert!(Reg::Physical(7).is_constant(RegClass::P));
    }
}
