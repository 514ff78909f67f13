//! How a kernel calls a function that the driver resolves.
//!
//! By experiment on ptxas 13.0.88's code for sm_90: kernels with many live values across such calls, divergent regions around them, and
//! arguments of several sizes.

use crate::chip::Chip;

/// Whether the convention is known on a chip.
pub const fn is_known(chip: Chip) -> bool {
    matches!(chip, Chip::Sm90)
}

/// The first register of arguments and of the result: they are packed from here, each at a multiple of its size.
pub const FIRST_ARGUMENT: u16 = 4;
/// The pair that holds the return address.
pub const RETURN_ADDRESS: u16 = 20;
/// The pair that we put the callee's address into; ptxas takes any that is free.
pub const TARGET: u16 = 2;
/// The stack pointer.
pub const STACK_POINTER: u16 = 1;
/// The first uniform register that a callee keeps. It keeps no predicate.
pub const FIRST_KEPT_UNIFORM: u16 = 36;
/// The first convergence barrier that a callee keeps.
pub const FIRST_KEPT_BARRIER: u16 = 6;

/// Whether a callee keeps a general register: ptxas has values in R2 that live across such calls, never in R0 or R3.
pub const fn keeps(register: u16) -> bool {
    register == STACK_POINTER || matches!(register, 2 | 16..=19) || register >= 22
}

/// Whether a value may stay in a general register across a call of ours: not where we put the callee's address.
pub const fn lives_across(register: u16) -> bool {
    keeps(register) && register != TARGET
}
