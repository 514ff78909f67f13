//! Long sequences that a kernel has once and calls: what a division does where its short sequence does not hold.
//!
//! A routine is a function of its arguments alone. It is the compiler's own: no PTX names it, and each kernel holds the routines that it calls behind its code.

use crate::{FloatFormat, Rounding};

/// A routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Routine {
    /// The quotient of two floats, binary32 or binary64, whatever they are.
    Divide(FloatFormat, Rounding, bool),
    /// The quotient of two integers of 64 bits without a sign.
    Quotient64,
    /// The remainder of two integers of 64 bits without a sign.
    Remainder64,
}

/// A place in a routine's life, as an operation of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoutinePart {
    /// In a kernel: arguments to results.
    Call,
    /// At the begin of the routine itself: its arguments.
    Enter,
    /// At its end: its results.
    Leave,
}

use FloatFormat::{F32, F64};
use Rounding::{Down, NearestEven, Up, Zero};

impl Routine {
    /// Every routine with its name. A routine's number is its index.
    pub const ALL: [(Routine, &'static str); 14] = [
        (Routine::Divide(F32, NearestEven, false), "divide_f32_rn"),
        (Routine::Divide(F32, Zero, false), "divide_f32_rz"),
        (Routine::Divide(F32, Down, false), "divide_f32_rm"),
        (Routine::Divide(F32, Up, false), "divide_f32_rp"),
        (Routine::Divide(F32, NearestEven, true), "divide_f32_rn_ftz"),
        (Routine::Divide(F32, Zero, true), "divide_f32_rz_ftz"),
        (Routine::Divide(F32, Down, true), "divide_f32_rm_ftz"),
        (Routine::Divide(F32, Up, true), "divide_f32_rp_ftz"),
        (Routine::Divide(F64, NearestEven, false), "divide_f64_rn"),
        (Routine::Divide(F64, Zero, false), "divide_f64_rz"),
        (Routine::Divide(F64, Down, false), "divide_f64_rm"),
        (Routine::Divide(F64, Up, false), "divide_f64_rp"),
        (Routine::Quotient64, "quotient_64"),
        (Routine::Remainder64, "remainder_64"),
    ];

    /// Its number, which machine code knows it by. None of a quotient that no routine gives.
    pub fn number(self) -> Option<u8> {
        Routine::ALL.iter().position(|(routine, _)| *routine == self).map(|at| at as u8)
    }

    /// The routine of this number.
    pub fn numbered(number: u8) -> Option<Routine> {
        Routine::ALL.get(usize::from(number)).map(|(routine, _)| *routine)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Routine::ALL.iter().find(|(routine, _)| *routine == self).map_or("?", |(_, name)| name)
    }

    /// The routine of this name.
    pub fn named(name: &str) -> Option<Routine> {
        Routine::ALL.iter().find(|(_, its)| *its == name).map(|(routine, _)| *routine)
    }

    /// Bits of each argument and of the result.
    pub const fn width(self) -> u32 {
        match self {
            Routine::Divide(F32, ..) => 32,
            _ => 64,
        }
    }
}

impl RoutinePart {
    /// Every part with its name.
    pub const ALL: [(RoutinePart, &'static str); 3] =
        [(RoutinePart::Call, "call"), (RoutinePart::Enter, "enter"), (RoutinePart::Leave, "leave")];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for (number, (routine, name)) in Routine::ALL.into_iter().enumerate() {
            assert_eq!(Routine::numbered(number as u8), Some(routine));
            assert_eq!(routine.number(), Some(number as u8));
            assert_eq!(Routine::named(name), Some(routine));
            assert_eq!(routine.name(), name);
        }
    }
}
