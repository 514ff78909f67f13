//! The SSA intermediate representation, its editor, its text and what each operation means.
//!
//! - [`op`]: operations. Values are bits of a width; operations carry the format.
//! - [`function`]: functions of blocks with parameters; an edge's arguments are what NIR calls phi sources.

pub mod function;
pub mod op;

pub use function::{
    Block, BlockData, Edge, Function, Guard, Inst, InstData, Module, Param, Terminator, Value, ValueData,
    ValueDef, Variable, VariableId,
};
pub use op::{Compare, FloatCompare, MemoryAccess, Op, Type};
