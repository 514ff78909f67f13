//! The SSA intermediate representation, its editor, its text and what each operation means.
//!
//! - [`op`]: operations. Values are bits of a width; operations carry the format.
//! - [`operations`]: a row per operation: text, head in rules, widths, traits.
//! - [`function`]: functions of blocks with parameters; an edge's arguments are what NIR calls phi sources.
//! - [`edit`]: making and changing functions; [`Builder`] appends instructions to a block.
//! - [`CfgEditor`]: every change of a graph. [`repair`]: SSA again after blocks were copied or edges led elsewhere.
//! - [`uses`]: who uses a value. [`flow`]: the control-flow graph.
//! - [`evaluate()`]: what each pure operation means, over any [`sassafras_semantics::Domain`].
//! - [`interpret`]: runs a function of one thread without memory, for tests of passes and expansions.
//! - [`uniformity`]: what all lanes of a warp agree on, why the rest differs, and where all lanes are together.
//! - [`tree`]: the control tree, the structured view of a function.
//! - [`text`]: the lossless text form.

mod build;
pub mod cfg;
pub mod edit;
mod entities;
pub mod evaluate;
pub mod flow;
pub mod function;
pub mod interpret;
pub mod op;
pub mod operations;
pub mod repair;
pub mod text;
pub mod tree;
pub mod uniformity;
pub mod uses;

pub use build::Builder;
pub use cfg::CfgEditor;
pub use evaluate::{division_is_safe, evaluate};
pub use function::{
    Block, BlockData, Edge, Function, Guard, Inst, InstData, Module, Name, Names, Param, Terminator, Value,
    ValueData, ValueDef, Variable, VariableId,
};
pub use op::{CacheOperator, Compare, FloatCompare, MemoryAccess, Op, PackedOp, Type};
pub use uses::{User, Uses};
