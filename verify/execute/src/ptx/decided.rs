//! What lanes do next.

use sassafras_ptx::checked::LabelId;

/// What lanes do next that were stepped together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    Next,
    Branch(LabelId),
    Return,
    Exit,
}
