//! What the fuzz targets check. Each function takes raw input and panics with a sentence when a promise is broken; `fuzz/` calls it with
//! libFuzzer's inputs, and a test of this crate calls it for a second with random ones.
//!
//! - [`parser`]: any bytes through the PTX front end.
//! - [`codec`]: any 16 bytes through the SASS codec.

mod codec;
mod parser;

pub use codec::codec;
pub use parser::parser;
