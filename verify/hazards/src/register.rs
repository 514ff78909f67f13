//! Registers as the judge knows them.

use sassafras_isa::RegClass;

/// A register by file and number.
pub(crate) type Register = (RegClass, u32);
