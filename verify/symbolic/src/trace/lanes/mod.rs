//! Where the lanes of a warp may be, by the rules of `docs/convergence.md`: one method for each rule.
//!
//! [`Lanes`] is what is known of the lanes on one path: whether others of the warp may be elsewhere, which barriers they are in, whom they
//! waited for. [`Warp`] is what is known of all of them in a run. Nothing here executes an instruction or logs an event.
//!
//! - `state`: the two types, and what they are asked. `moves`: lanes part and end (C3, C9). `barriers`: convergence barriers (C7 to C9, C11).
//!   `warp`: waits for others of the warp, and what the lanes of a warp do together (C10, C13). `block`: barriers of the block (C14).
//!   `join`: two groups come to one place (C4). `cut`: the head of a loop that is gone through once.
//! - `eras`: when all were together, and what lies between.
//! - `meeting`, `nesting`: the two rules by which no lane waits for ever. `circle`: lanes that wait for some of the warp in a barrier (O6).

mod barriers;
mod block;
mod circle;
mod cut;
mod eras;
mod join;
mod meeting;
mod moves;
mod nesting;
mod state;
mod warp;

pub use circle::awaited;
pub use cut::Marks;
pub use eras::{Elsewhere, Span};
pub use nesting::under;
pub use state::{Here, Lanes, Warp};
pub use warp::WarpSync;
