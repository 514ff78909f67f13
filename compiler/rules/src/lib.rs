//! Lowering, rewrite and selection rules as rows.
//!
//! - [`select`]: from the IR to SASS. One row per rule: the pattern of IR operations, and the instructions that replace it.
//! - [`rewrite`]: from the IR to the IR. One row per rewrite: what computes something, and what computes the same with less.
//!
//! A row is data: `codegen` or `opt` matches it, `prove-rules` has proved it (`proved.json`, `rewrites.json`), and its text is checked against the tables it
//! names (every operation, form and field exists) by the tests of this crate.

mod lines;
pub mod rewrite;
pub mod select;
