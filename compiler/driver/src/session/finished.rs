//! What becomes of a function.

use crate::statistics::Entry;
use sassafras_codegen::Code;

/// The number of branch folding that says that tails may read reserved registers (`fold-reserved-registers`), so that its judge allows it.
pub const RESERVED_TAILS: &str = "reserved_tails_allowed";

/// The same that says that the graph need not stay reducible (`disable-nvptx-require-structured-cfg`).
pub const UNSTRUCTURED: &str = "unstructured_allowed";

/// What became of one function.
pub(super) struct Finished {
    pub(super) code: Code,
    pub(super) entry: Entry,
    /// Its text, when the session stops at one of these phases.
    pub(super) text: Option<String>,
}
