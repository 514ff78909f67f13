//! From two logs of events to a verdict: PTX against SASS, and SASS against SASS. What a verdict means is in `docs/proof.md`.
//!
//! - [`mod@prove`]: one entry of a module or a cubin against one of a cubin; the way to a verdict. [`verdict`]: verdicts and records.
//! - [`obligation`]: what has to hold between the two sides. [`mod@ask`]: from an obligation to an answer.
//! - [`evaluate`]: the same obligations on concrete inputs, without a solver.
//! - [`replay`]: a model as a launch, run in both executors. `smallest`: a smaller one. [`steps`]: what a thread does. `execute`: a source in its executor. `fixed`:
//!   whether the source leaves a result open. `blame`: the first instruction that differs.
//!   `search`: launches that tell the sides apart, where nothing was proved.
//! - [`matching`], [`explain`]: what a proof found, for witnesses. [`hints`]: what a compiler says of its loops, which is a guess.

pub mod advice;
mod again;
pub mod ask;
mod blame;
pub mod evaluate;
mod execute;
pub mod explain;
mod fixed;
pub mod hints;
pub mod matching;
pub mod obligation;
mod places;
pub mod prove;
pub mod races;
pub mod reach;
pub mod reason;
pub mod replay;
mod search;
mod settled;
mod smallest;
pub mod steps;
pub mod verdict;

pub use prove::{prove, prove_code, prove_hinted, prove_within};
pub use reason::Reason;
pub use sassafras_solve::{Answer, Limits, NoSolver, Solver, Z3, limit};
pub use sassafras_symbolic::Assumption;
pub use sassafras_symbolic::obstacle::Advice;
pub use sassafras_symbolic::obstacle::place::Place;
pub use verdict::{Coverage, Phases, Record, Verdict};
