//! Values of attributes.

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// Set or not; as a field's value 1 or 0.
    Flag(bool),
    /// A text: conditions compare it, and an enum field is set by it.
    Text(&'static str),
    /// A number.
    Number(i64),
}
