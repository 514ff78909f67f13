//! The order of blocks, on a graph with sizes and frequencies and without instructions.
//!
//! * [`Flow`]: what is placed: blocks with size, frequency and flags, edges with frequency and kind.
//! * [`estimate`](estimate()): frequencies from structure, where nobody counted.
//! * [`Scorer`]: the ext-TSP score of an order. [`Cost`]: taken branches, which the evaluator and others weigh.
//! * [`chains`]: chains along likely edges, loops first, turned. [`ext_tsp`]: chains merged by their score.
//! * [`improve`]: moves of parts of an order. [`exact`]: the best order of a small graph.
//! * [`Evaluator`]: proposes hotter fall-throughs, and keeps them if they save enough.
//! * [`copies`]: blocks that are worth a copy in a predecessor.
//! * [`place`](place()): all of these, of which the best is kept. [`Knobs`]: what can be set, with defaults.
//! * [`statistics`](statistics()): branches of an order, and how often they are taken.
//! * [`endings`]: how each block ends in an order. [`alignment`]: where padding goes.
//! * [`format`](mod@format): cfg-layout-v1 and cfg-order-v1, as text. [`generate`]: random graphs, for tests and figures.
//!
//! The judge of an order is `sassafras_check::order`.
//!
//! Sources: A. Newell and S. Pupyrev, "Improved Basic Block Reordering" (2018), for ext-TSP; K. Pettis and R. Hansen, "Profile
//! Guided Code Positioning" (1990), for chains; T. Ball and J. Larus, "Branch Prediction for Free" (1993), and Y. Wu and J. Larus,
//! "Static Branch Frequency and Program Profile Analysis" (1994), for frequencies; LLVM's documentation for names and defaults.

mod align;
mod chain;
mod constraint;
mod cost;
mod duplicate;
mod endings;
mod estimate;
mod evaluate;
mod exact;
mod ext_tsp;
mod flow;
pub mod format;
pub mod generate;
mod knob_error;
mod knobs;
mod local;
mod place;
mod rotate;
mod score;
mod statistics;

pub use align::alignment;
pub use chain::chains;
pub use constraint::Constraint;
pub use cost::{Cost, chip_index};
pub use duplicate::{Copy, copies};
pub use endings::{Ending, endings};
pub use estimate::{Hint, estimate};
pub use evaluate::{Evaluator, Force};
pub use exact::{Exact, exact};
pub use ext_tsp::ext_tsp;
pub use flow::{Block, Edge, Error, Flow, Kind, Node};
pub use knob_error::KnobError;
pub use knobs::{Knob, Knobs, TABLE};
pub use local::improve;
pub use place::{Algorithm, Method, Options, Placement, place};
pub use score::Scorer;
pub use statistics::{Statistics, statistics};
