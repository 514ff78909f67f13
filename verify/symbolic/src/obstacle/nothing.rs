//! Sides between which there is nothing to compare.

use crate::obstacles;

const ENTRIES: &str = "an entry is compared with that of its name";
const NAMES: &str = "`sassafras list` shows which entries a file has; `--entry NAME`";

obstacles! {
    /// There is nothing to compare.
    Nothing;
    /// The source has no such entry.
    NotInSource {
        /// Its name.
        entry: Box<str>,
    } = "U1301" "the source has no entry `{entry}`", ENTRIES, NAMES;
    /// The target has no such entry.
    NotInTarget {
        /// Its name.
        entry: Box<str>,
    } = "U1302" "the target has no entry `{entry}`", ENTRIES, NAMES;
    /// They are for different chips.
    OtherChip {
        /// What the source is for.
        source: Box<str>,
        /// What the target is for.
        target: Box<str>,
    } = "U1303" "the source is for {source}, the target for {target}",
        "PTX runs on its target and on later chips, with an `a` on that one alone; code runs on its own", "compile for the chip that is meant: `-arch`";
}
