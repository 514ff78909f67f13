//! Accesses of memory.

use super::super::example::{Example, example};
use super::ptx;
use sassafras_prove::Limits;

/// A source against its own code.
const fn own(code: &'static str, source: &'static str) -> Example {
    example(code, source, source)
}

pub const ALL: &[Example] = &[
    own("U0701", ptx!("two_windows")),
    own("U0702", ptx!("windows")),
    own("U0706", ptx!("strong_constant")),
    own("U0707", ptx!("stored_constant")),
    own("U0709", ptx!("atomic_local")),
    // Loops are unrolled, and not gone through once for any number of turns.
    Example { limits: |limits| Limits { turns: false, ..limits }, ..own("U0710", ptx!("many_stores")) },
];
