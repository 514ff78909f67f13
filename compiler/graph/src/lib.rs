//! Entity indices, the `ControlFlow` trait and every graph algorithm, once.
//!
//! - [`entity`]: `u32` newtypes whose `Display` is the text of the IR, and maps indexed only by them.

pub mod entity;

pub use entity::{Entity, PrimaryMap, SecondaryMap};
