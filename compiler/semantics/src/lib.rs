//! Values, machine state and the vocabulary that every form's meaning is written in.
//!
//! - [`vocabulary`]: memory spaces, scopes, orderings, roundings, float formats, special registers.
//! - [`domain`]: the [`Domain`] trait: bit-vectors by width and floats by format, in two homes:
//!   concrete bits (executors, constant folding) and hash-consed terms (proofs).
//! - [`state`]: the [`State`] trait: registers, memory and special registers of one lane; and [`state::Collective`],
//!   what an instruction asks of all lanes of a warp or block at once.
//! - [`opaque`]: operations that are known by name, operands, results and effects alone.
//! - [`matrix`]: the matrix operations of a warp, and how matrices lie in its registers.
//! - [`concrete`]: the home of known bits; bit-exact floats; a chooser for what is only bounded.
//! - [`term`]: the home of hash-consed terms. [`draw`]: numbers from seeds, for tests and searches.
//!
//! `ptx`, `ir` and `isa` each have one `step` over these traits. They call the primitives of [`Domain`] and never one another,
//! so that one misreading of an instruction cannot hide on both sides of a comparison.

pub mod concrete;
pub mod domain;
pub mod draw;
pub mod matrix;
pub mod opaque;
mod routine;
pub mod state;
mod system_call;
pub mod term;
pub mod vocabulary;

pub use concrete::{Bits, Chooser, Concrete};
pub use domain::{BinaryOp, CompareOp, Domain, FloatMode, FloatOp, FloatRelation, UnaryOp};
pub use matrix::{Matrices, Mma};
pub use opaque::Opaque;
pub use routine::{Routine, RoutinePart};
pub use state::{Access, AtomicOp, Collective, State, Trap};
pub use system_call::SystemCall;
pub use term::{TermId, Terms};
pub use vocabulary::{Approximation, Axis, FloatFormat, Ordering, Rounding, Scope, Space, SpecialRegister};
