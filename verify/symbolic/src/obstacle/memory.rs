//! Accesses of memory.

use crate::obstacles;
use std::fmt;

/// What is wrong with where a local variable is said to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// There is no such variable.
    Missing,
    /// Its place, in bytes below the top of the stack, is no multiple of its alignment.
    Misaligned(u64),
    /// Its place, in bytes below the top of the stack, is not within the stack.
    Outside(u64),
    /// Two lie at one place.
    Overlap,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misplaced::Missing => f.write_str("a place of a local variable that is not there"),
            Misplaced::Misaligned(below) => {
                write!(f, "a local variable {below} bytes below the top of the stack is not aligned")
            }
            Misplaced::Outside(below) => {
                write!(f, "a local variable {below} bytes below the top of the stack is not in it")
            }
            Misplaced::Overlap => f.write_str("two local variables lie at one place"),
        }
    }
}

const GENERIC: &str = "of a generic address it was not shown in which space it lies";
const SPACES: &str = "`.global`, `.shared` or `.local` accesses, or `cvta` where the space is known";
const FORM: &str = "such an access has no meaning here yet";
const ELSE: &str = "nothing: the rest of the module can be proved with `--entry`";

obstacles! {
    /// Accesses that the prover does not follow, and stores that were not shown to be the source's.
    Memory;
    /// An address that is made of two windows.
    TwoWindows {} = "U0701" "generic: an address in one window or another is not supported", GENERIC, SPACES;
    /// An address of which it is not known in which window it lies.
    UnknownWindow {} = "U0702" "generic: an address of which it is not known in which window it lies", GENERIC, SPACES;
    /// A strong access of memory that nobody writes.
    FixedOrdering {
        /// The ordering.
        ordering: Box<str>,
        /// The space.
        space: Box<str>,
    } = "U0706" "an access of ordering {ordering} of {space} memory is not supported", FORM, ELSE;
    /// A store, by a generic address, to memory that nobody writes.
    Fixed {
        /// The space.
        space: Box<str>,
    } = "U0707" "such an access of {space} memory is not supported", FORM, ELSE;
    /// An atomic in a space that has none.
    AtomicSpace {
        /// The space.
        space: Box<str>,
    } = "U0709" "an atomic in {space} memory is not supported", FORM, ELSE;
    /// A load behind more stores than are looked through.
    ManyStores {
        /// How many are looked through.
        most: usize,
    } = "U0710" "a load after more than {most} stores is not supported",
        "what a load of the thread's own memory finds is looked for among its stores, and these are too many", "`--unroll` with fewer iterations";
    /// A local variable of the source that cannot lie where the target has it.
    LocalPlace {
        /// What is wrong.
        fault: Misplaced,
    } = "U0711" "{fault}",
        "where a local variable of the source lies is read from the target, and it cannot lie there", "do not store or compare that address";
}
