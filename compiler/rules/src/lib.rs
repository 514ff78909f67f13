//! Lowering, rewrite and selection rules as rows.
//!
//! - [`select`]: from the IR to SASS. One row per rule: the pattern of IR operations, and the instructions that replace it.
//!
//! A row is data: `codegen` matches it, `prove` has proved it (`proved.json`), and its text is checked against the tables it
//! names (every operation, form and field exists) by the tests of this crate.

pub mod select;
