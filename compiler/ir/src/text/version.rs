//! The version of the text.

/// Version of the text form, in its first line.
pub const VERSION: u32 = 1;
