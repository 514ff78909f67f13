//! Controls of the prover (`docs/proof.md`): what must still be proved, and what must never be.
//!
//! - `census`: every bit of proved code flipped. `benign`: why some change nothing.
//! - `planted`: code that means something else, in the ways in which a prover would overlook it.
//! - `pairs`: the code that the controls change, and how.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod benign;
mod census;
mod pairs;
mod planted;
