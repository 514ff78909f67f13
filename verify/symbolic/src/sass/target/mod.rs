//! The target: SASS over terms.
//!
//! - `run`: a run of code from one place to others, instruction by instruction. `code`: its instructions, and what is asked of them before any is executed. `request`: what is
//!   asked of a run.
//! - What instructions come to, by kind: `branch` (branches, calls, returns, ends), `converge` (convergence barriers, waits of the warp), `across` (what lanes ask
//!   each other, barriers of the block), `swap` (loops around a compare-and-swap), `system` (calls that the driver resolves).
//! - `state`: registers and memory, as the meanings of instructions see them. `bank`: constant bank 0. `affine`: addresses of one unknown.
//! - `stop`: why an instruction is not followed.

mod across;
mod affine;
mod bank;
mod branch;
mod code;
mod converge;
mod request;
mod run;
mod state;
mod stop;
mod swap;
mod system;

pub use code::{declared_stack, text, unasked};
pub use request::{Request, Role};
pub use run::{Target, piece, run, run_from};
pub use state::Write;
