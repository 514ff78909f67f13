//! How a kernel calls a function that the driver resolves.
//!
//! By experiment on ptxas 13.0.88's code for sm_75, 80, 86, 89, 90, 100 and 120: kernels with 40 and 112 values that live across a call of `vprintf`, with 24 uniform
//! ones in a loop around it, divergent regions around it, and arguments of several sizes. What is read behind the call
//! and written before it lives across. Chips between these are taken to be as the one before them.

use crate::chip::Chip;

/// The first register of arguments and of the result: they are packed from here, each at a multiple of its size.
pub const FIRST_ARGUMENT: u16 = 4;
/// The pair that holds the return address.
pub const RETURN_ADDRESS: u16 = 20;
/// The pair that we put the callee's address into; ptxas takes any that is free.
pub const TARGET: u16 = 2;
/// The stack pointer.
pub const STACK_POINTER: u16 = 1;
/// The first convergence barrier that a callee keeps.
pub const FIRST_KEPT_BARRIER: u16 = 6;

/// Whether a callee keeps a general register: ptxas has values in R2, R16 to R19 and from R22 on that live across such calls. On sm_75 it leaves out the lower
/// four of every eight from R32 on, and takes R213 and more before it takes them. It keeps no predicate.
pub const fn keeps(chip: Chip, register: u16) -> bool {
    match register {
        STACK_POINTER | 2 | 16..=19 | 22..=31 => true,
        32.. => !matches!(chip, Chip::Sm75) || register & 4 != 0,
        _ => false,
    }
}

/// Whether a callee keeps a uniform register: ptxas has values in UR36 to UR38 that live across such calls, but none on sm_75.
pub const fn keeps_uniform(chip: Chip, register: u16) -> bool {
    !matches!(chip, Chip::Sm75) && matches!(register, 36..=38)
}

/// Whether a value may stay in a general register across a call of ours: not where we put the callee's address.
pub const fn lives_across(chip: Chip, register: u16) -> bool {
    keeps(chip, register) && register != TARGET
}
