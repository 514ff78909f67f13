//! Registers of any file.

use crate::form::RegClass;
use std::fmt;

/// A register of any file: 32 bits in R and UR, one bit in P and UP. RZ, URZ, PT and UPT are never asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// The file.
    pub class: RegClass,
    /// The number.
    pub number: u32,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.prefix(), self.number)
    }
}
