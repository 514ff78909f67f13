//! The version of the text.

/// Version of the text, raised when old texts no longer read.
pub const VERSION: u32 = 1;
