//! Programs over terms: what a thread of PTX or SASS does, as a log of guarded events. Knows no solver's answer and no normal form but what
//! [`inputs::Inputs`] is handed.
//!
//! - [`inputs`], [`input`]: what both sides start from: launch state, parameters, initial memory, as shared variables. [`origin`]: what a cubin is held
//!   against, PTX or another cubin. [`assumption`]: what a verdict rests on. [`choice`]: names of events and choices that outlive a run. [`cut`]: loops that are cut.
//! - [`trace`]: what one side did: paths, lanes, memory, events. [`ptx`]: the source. [`sass`]: the target.
//! - [`lemma`]: code that is known to give an operation's result. [`beyond`]: what a container says beside its code.
//! - [`obstacle`]: why nothing was shown.
//! - [`opaque`], [`abstracted`]: values that are abstracted. [`unwritten`]: what rests on what was never written. [`places`]: where local variables lie.
//!   [`sum`]: addresses of 32 bits as sums. [`mod@float`]: which operations are on floats.

pub mod abstracted;
pub mod assumption;
pub mod beyond;
pub mod choice;
pub mod cut;
pub mod float;
pub mod input;
pub mod inputs;
pub mod lemma;
pub mod obstacle;
pub mod opaque;
pub mod origin;
pub mod places;
pub mod ptx;
pub mod sass;
pub mod sum;
pub mod trace;
pub mod unwritten;

pub use assumption::Assumption;
