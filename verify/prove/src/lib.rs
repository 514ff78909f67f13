//! Terms and solvers: PTX against SASS, and SASS against SASS. What a verdict means is in `docs/proof.md`.
//!
//! - [`mod@prove`]: one entry of a module or a cubin against one of a cubin; the way to a verdict.
//! - [`inputs`]: what both sides start from: launch state, parameters, initial memory, as shared variables.
//! - [`origin`]: what a cubin is held against, PTX or another cubin.
//! - [`side`]: what one side did: path conditions, loads and stores. `source`, `target`: the sides themselves.
//!   `calls`: the source with its calls written out. `system`: calls of functions that the driver resolves. `fences`: what fences of the target are taken for. `leader`: one lane's
//!   atomic for others. `contract`: products and sums of the source that may be one operation. `choose`: what is undefined. `window`: generic addresses.
//! - [`opaque`]: values that are taken for anything. `upper`: upper halves of products with constants.
//! - [`lemma`]: code that is known to give an operation's result.
//! - [`obligation`]: what has to hold between the two sides.
//! - [`mod@ask`]: from an obligation to an answer. [`smt`]: terms as SMT-LIB text. [`solver`]: the [`solver::Solver`] trait, and
//!   the solvers. `signature`: values of terms on many inputs.
//! - [`evaluate`]: the same obligations on concrete inputs, without a solver.
//! - [`replay`]: a model as a launch, run in both executors. `smallest`: a smaller one. [`steps`]: what a thread does. `fixed`:
//!   whether the source leaves a result open.
//!   `search`: launches that tell the sides apart, where nothing was proved.
//! - [`rules`]: selection rules, each proved for every width and modifier it is used with.
//! - [`passes`]: a function of the IR after a pass against the one before.
//! - [`witness`]: what a proof found, as a file, and the checker of such files.
//! - [`verdict`]: verdicts, assumptions, records.

mod abstracted;
pub mod advice;
mod again;
pub mod approximate;
pub mod ask;
pub mod assumption;
mod bank;
mod beyond;
mod blame;
mod calls;
pub mod choice;
mod choose;
mod contract;
mod copies;
mod demand;
pub mod evaluate;
pub mod event;
pub mod explain;
mod fences;
mod fixed;
mod float;
pub mod floats;
pub mod flush;
mod functions;
pub mod inputs;
pub mod integer;
mod jumps;
mod lanes;
mod leader;
pub mod lemma;
pub mod limit;
mod matching;
mod meeting;
mod nesting;
pub mod normal;
pub mod obligation;
pub mod opaque;
mod order;
pub mod origin;
pub mod passes;
pub mod places;
pub mod prove;
pub mod read;
pub mod replay;
mod retry;
pub mod rules;
mod search;
mod settled;
pub mod side;
mod signature;
pub mod simplify;
mod smallest;
pub mod smt;
pub mod solver;
mod source;
pub mod steps;
mod sum;
mod system;
mod target;
mod unwritten;
mod update;
mod upper;
pub mod verdict;
mod window;
pub mod witness;

pub use assumption::Assumption;
pub use limit::Limits;
pub use passes::prove_pass;
pub use prove::{prove, prove_code, prove_within};
pub use solver::{Answer, NoSolver, Solver, Z3};
pub use verdict::{Coverage, Phases, Record, Verdict};
