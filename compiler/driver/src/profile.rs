//! The graph of a function's words, which a profile counts: what `run --profile` writes and `compile --profile` reads.
//!
//! Blocks begin at the first word, at targets of branches and behind what may go elsewhere, and stand in the order of addresses. What the graph does not show
//! is refused: a branch to a computed address, a call of one. What is called is no part of the graph: it comes back to the word behind.

mod fit;
mod graph;

pub use fit::{Profile, ProfileError, ProfileFault};
pub use graph::{Block, GraphError, blocks, flow, hash, issue_cycles, taken_branches};
