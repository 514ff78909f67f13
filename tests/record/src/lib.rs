//! What ptxas makes of generated PTX on each chip: recording it, and holding the table of instructions against it.

pub mod compile;
pub mod measure;
pub mod words;
