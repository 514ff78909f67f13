//! What a case says of a condition.

/// What became of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// It is known in this case: forms are as before.
    Known(bool),
    /// It may be assumed.
    Open,
    /// It is something else.
    Other,
}
