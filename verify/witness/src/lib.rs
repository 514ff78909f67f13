//! What a proof found, written down so that it can be checked by less than the prover.
//!
//! - [`Witness`]: the file: hashes of both inputs, and of each entry the assumptions and which event stands for which.
//! - [`check`](mod@check): both sides run again over raw terms, and what the matching says is asked of
//!   a solver. `obligations`: what that is. [`rewrite`]: steps on the way. `so_far`: what was shown. [`fault`]: why a witness is no proof. `script`: raw terms as SMT-LIB; `words`: long ones in pieces. `laws`: what a
//!   script says of operations on floats. [`activations`]: where loops of the source are left unfinished. Matching and steps are found by the prover (`matching.rs`, `explain.rs`).
//!
//! The checker shares with the prover how sides are executed and the judges beyond the code. It has no normal form, no
//! matching and no guesses of its own, and nothing else of the prover decides for it.

pub mod activations;
pub mod check;
pub mod fault;
pub mod guide;
mod laws;
mod numbers;
#[cfg(test)]
mod numbers_tests;
mod obligations;
pub mod rewrite;
mod script;
mod so_far;
#[cfg(test)]
mod step_tests;
#[cfg(test)]
mod tests;
pub mod words;
#[cfg(test)]
mod words_tests;

pub use so_far::SoFar;

use sassafras_symbolic::choice::{Choice, Payloads, Place};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The format that is written and read.
pub const FORMAT: u32 = 2;

/// A file of witnesses for entries of one source and one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// [`FORMAT`].
    pub format: u32,
    /// What the source is; a file that does not say is about PTX.
    #[serde(default, skip_serializing_if = "Form::is_ptx")]
    pub form: Form,
    /// The source.
    pub source: Input,
    /// The cubin.
    pub target: Input,
    /// Who wrote it.
    pub tools: Tools,
    /// The entries that were proved.
    pub entries: Vec<Entry>,
}

/// What a source is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// PTX.
    #[default]
    Ptx,
    /// A cubin.
    Cubin,
}

impl Form {
    fn is_ptx(&self) -> bool {
        *self == Form::Ptx
    }
}

/// A file that a witness is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Where it lay, from the folder that the witness was written from.
    pub path: String,
    /// SHA-256 of its bytes in hex digits.
    pub sha256: String,
}

impl Input {
    /// Of some bytes.
    pub fn new(path: &str, bytes: &[u8]) -> Input {
        Input { path: path.to_owned(), sha256: sha256(bytes) }
    }
}

/// Hex digits of the SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Versions of what proved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// Sassafras.
    pub sassafras: String,
    /// The solver.
    pub solver: String,
}

/// What was found about one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub entry: String,
    /// Ids of what it rests on.
    pub assumptions: Vec<String>,
    /// Lemmas that it rests on; a reader that does not know one rejects it.
    pub lemmas: Vec<String>,
    /// Most rounds of a loop.
    pub unroll: u32,
    /// Whether it holds for inputs alone on which no loop takes more rounds.
    pub bounded: bool,
    /// Which event stands for which.
    pub matching: Matching,
    /// Terms that are others, where a solver does not see it by itself.
    #[serde(default, skip_serializing_if = "rewrite::Rewrites::is_empty")]
    pub rewrites: rewrite::Rewrites,
}

/// Which event of the source stands for which of the target. What is in no list does not happen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matching {
    /// Events that others see, in the order in which the source has them.
    pub events: Vec<(Place, Place)>,
    /// Events of the target of which one happens or the other, and which count as one: the first, which is named among the events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<(Place, Place)>,
    /// Loads that load the same. This only says where to look for what is equal: nothing rests on it.
    pub loads: Vec<(Place, Place)>,
    /// Stores one to one.
    pub stores: Vec<(Place, Place)>,
    /// Stores that together leave the same memory.
    pub groups: Vec<(Vec<Place>, Vec<Place>)>,
    /// For each access of the target those of the source that cover it.
    pub covers: Vec<(Place, Vec<Place>)>,
    /// What is taken for undefined values of the source; those in no list may be anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// What NaNs are whose payload is unspecified.
    #[serde(default)]
    pub payloads: Payloads,
    /// By index of a sum in the source: which of its operands is a product that it is fused with.
    #[serde(default)]
    pub fused: std::collections::BTreeMap<u32, u8>,
    /// By index of an instruction of the source whose result is bounded and not fixed: the lemma whose code gives it.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub estimated: sassafras_symbolic::ptx::approximate::Estimated,
    /// Whether shared variables of functions lie before those of the module.
    #[serde(default)]
    pub own_first: bool,
    /// Whether atomic operations are changes of words, and loops around a compare-and-swap such.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub updates: bool,
    /// Fences of the target that are taken for less than they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fences: Vec<sassafras_symbolic::trace::fences::Weakened>,
    /// Where local variables of the source lie, of those of which that is decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placed: Vec<sassafras_symbolic::places::Placed>,
    /// Loops that are gone through once for any number of turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<sassafras_symbolic::cut::Cut>,
    /// Loops of the source that are unfolded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfolds: Vec<sassafras_symbolic::cut::Unfold>,
    /// Ways of the source that are never gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<sassafras_symbolic::cut::Way>,
}
