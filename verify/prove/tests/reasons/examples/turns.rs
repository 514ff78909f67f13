//! Loops that are gone through once, for any number of turns.

use super::ptx;
use crate::example::{Example, turns, witness};

/// All of them.
pub const ALL: &[Example] = &[
    witness("U1110", ptx!("turns"), |entry| entry.matching.cuts[0].free[1].clear()),
    witness("U1111", ptx!("turns_if"), |entry| entry.matching.cuts[0].source += 3),
    turns("U1113", ptx!("turns_stack"), ptx!("turns_stack")),
    witness("U1114", ptx!("turns"), |entry| entry.matching.cuts[0].rows[0].registers[0] = 200),
    witness("U1115", ptx!("turns"), |entry| entry.matching.cuts[0].variables[0].width = 64),
    turns("U1116", ptx!("turns"), ptx!("turns_late")),
    turns("U1117", ptx!("turns"), ptx!("turns_none")),
];
