//! Selection: from the IR to machine code in SSA, by the rows of [`sassafras_rules::select`].
//!
//! Does: chooses for every operation that is needed the largest row that matches, folds immediates, constant-bank words, negations
//! and predicates into operands, lays out shared, local and constant variables ([`Layout`]).
//! Does not: schedule, place convergence barriers, or change control flow.
//! Needs: legal IR (`opt::legalize::selectable`), no `Switch`.
//! Preserves: the order of operations with effects.
//!
//! `plan` walks blocks backwards and decides which operations become the root of a row, which disappear into one,
//! and which nobody needs. `emit` walks forwards and writes the rows' instructions. `predicate` then executes one side of a
//! choice under its predicate, where that saves the choice.

mod emit;
mod layout;
mod matcher;
mod memory;
mod operand;
mod plan;
mod predicate;
mod special;
mod tensor;
mod vote;
mod warpgroup;

pub use layout::{Layout, system_calls};

use sassafras_chip::Chip;
use sassafras_ir as ir;
use sassafras_machine as machine;

/// Why an operation cannot be selected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No row matches.
    #[error("line {line}: no selection rule for {operation}")]
    NoRule {
        /// 1-based line of the PTX source; 0 if none.
        line: u32,
        /// The operation with its width.
        operation: String,
    },
    /// A row does not fit the instruction table, or the value it was given.
    #[error("line {line}: rule {rule}: {message}")]
    Rule {
        /// 1-based line of the PTX source; 0 if none.
        line: u32,
        /// Name of the row.
        rule: String,
        /// What does not fit.
        message: String,
    },
}

/// Selects instructions for one kernel.
///
/// # Errors
/// The first operation for which there is no row, or whose row does not fit.
pub fn select(
    module: &ir::Module,
    function: &ir::Function,
    layout: &Layout,
    chip: Chip,
) -> Result<machine::Function, Error> {
    let plan = plan::plan(function, layout, chip)?;
    let mut made = emit::emit(module, function, layout, chip, &plan)?;
    predicate::predicate_choices(&mut made);
    Ok(made)
}
