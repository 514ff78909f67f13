//! The one machine-code form: blocks of SASS instructions over virtual or real registers, with a text.
//!
//! * [`Function`]: blocks, virtual registers, frame, and the [`Phase`] that says what else holds.
//! * [`MInst`]: an `isa` instruction, or a [`Pseudo`] that disappears before scheduling.
//! * [`Reg`]: how a register field names a unit of a virtual register.
//! * [`Builder`]: how selection writes instructions.
//! * [`Merge`]: what branch folding records for its judge.
//! * [`text`]: `parse(print(f)) == f`.
//!
//! # The shape of a function
//! * `entry` has no parameters and no predecessors. A block's parameters are written, all at once, by the edge that
//!   enters it, from the arguments of the edge.
//! * Until `Placed`, a block ends in one of three ways, and no other instruction is a branch:
//!   no successor, and a last instruction that ends the thread (`exit`);
//!   one successor, and no branch;
//!   two successors, and a last instruction `bra` whose guard decides: taken to `target`, which is the first
//!   successor, else to the second. An `exit` under a guard may stand anywhere.
//! * From `Placed` on, blocks follow one another in `layout`: control that does not branch falls into the next.
//!
//! # Values
//! A value of 64 or 128 bits is one virtual register of 2 or 4 *units* of 32 bits; unit 0 is the low word. An operand
//! names a register from one unit on, and spans as many units as the form says. In SSA each virtual register has one
//! definition, which writes all its units. A guarded definition that may leave lanes unwritten carries the old value
//! as a [`Tied`] use; without one, the lanes that the guard leaves out are undefined.

mod builder;
mod entities;
mod flow;
mod function;
pub mod generate;
mod inst;
mod merge;
mod operand;
mod reg;
pub mod text;

pub use builder::{BuildError, Builder, InstBuilder};
pub use entities::{Block, VReg};
pub use function::{BlockData, Edge, Frame, Function, Held, Holdings, Phase, VRegData, alignment};
pub use inst::{MInst, Op, Place, Pseudo, Tied};
pub use merge::Merge;
pub use operand::{Position, RegOperand};
pub use reg::Reg;
pub use sassafras_isa::{Access, RegClass};
