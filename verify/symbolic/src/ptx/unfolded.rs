//! What is unfolded of a program's loops.

use crate::cut::Version;
use std::collections::BTreeMap;

/// What is unfolded of a program's loops.
#[derive(Clone, Debug, Default)]
pub struct Unfolded {
    /// Where a way leads to that led elsewhere as the program is written; places by their numbers since.
    pub(super) detours: BTreeMap<(u64, u64), u64>,
    /// What lanes choose: a version with its first place.
    pub(super) choices: Vec<(Version, u64)>,
    /// Places in versions.
    pub(super) copies: Vec<u64>,
}
