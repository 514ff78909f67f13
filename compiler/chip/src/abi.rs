//! How a kernel calls a function that the driver resolves, and how it calls a routine of its own ([`routine`]).
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

/// How a kernel calls a routine of its own (`docs/machine.md`, "Routines"): a convention that only the compiler's code knows.
pub mod routine {
    /// The pair of the return address, as a distance from the kernel's start: the caller sets the lower word, the routine the upper one, at its end.
    pub const RETURN_ADDRESS: u16 = 2;
    /// The first register of the arguments, one behind the other, and of the result.
    pub const FIRST_ARGUMENT: u16 = 4;
    /// P0 up to this, excluded, are a routine's to use.
    pub const PREDICATES: u16 = 7;

    /// R0 up to this, excluded, but for the stack pointer, are the routine's to use: as few as it gets along with
    /// (`sassafras_semantics::Routine` has the numbers).
    pub const fn registers(number: u8) -> u16 {
        match number {
            // Quotients of binary32.
            0..=7 => 14,
            // Quotients of binary64.
            8..=11 => 24,
            // Integers.
            _ => 18,
        }
    }

    /// Whether a general register may hold another value behind a call.
    pub const fn clobbers(number: u8, register: u16) -> bool {
        register < registers(number) && register != super::STACK_POINTER
    }

    /// Whether a predicate may.
    pub const fn clobbers_predicate(register: u16) -> bool {
        register < PREDICATES
    }
}
