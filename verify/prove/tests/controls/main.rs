//! Controls of the prover (`docs/proof-notes.md`): what must still be proved, and what must never be.
//!
//! - `census`: every bit of proved code flipped. `benign`: why some change nothing.
//! - `kept`: code that means the same and looks different is still proved.
//! - `planted`: code that means something else, in the ways in which a prover would overlook it.
//! - `pairs`: the code that the controls change, and how.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod benign;
mod census;
mod kept;
mod pairs;
mod planted;
