//! What a stage cannot do.

use sassafras_isa::EncodeError;
use sassafras_machine::{Block, BuildError, Phase, RegClass};

/// Why a stage stopped. Positions are blocks and instructions of the function as the stage found it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Error {
    /// The function is in another phase than the stage needs.
    #[error("`{stage}` needs a function in phase {needed}, not {found}")]
    Phase {
        /// The stage.
        stage: &'static str,
        /// What it needs.
        needed: Phase,
        /// What it was given.
        found: Phase,
    },
    /// The function is not as its phase promises.
    #[error("{block}, instruction {index}: {what}")]
    Malformed {
        /// The block.
        block: Block,
        /// Index in the block.
        index: usize,
        /// What is not as promised.
        what: String,
    },
    /// Fewer registers were allowed than the allocator promises to manage with.
    #[error("{given} registers are fewer than the {minimum} that allocation needs")]
    TooFewRegisters {
        /// What was allowed.
        given: u32,
        /// [`crate::MINIMUM_REGISTERS`].
        minimum: u32,
    },
    /// Values of this class would have to be spilled, which cannot be done.
    #[error(
        "{block}, instruction {index}: no {class:?} register is free, and values of this class cannot be spilled"
    )]
    OutOfRegisters {
        /// Where the value that finds no register begins.
        block: Block,
        /// Index in the block.
        index: usize,
        /// Its class.
        class: RegClass,
    },
    /// A copy between these classes does not exist.
    #[error("{block}, instruction {index}: no instruction copies {from:?} to {to:?}")]
    NoCopy {
        /// The block.
        block: Block,
        /// Index in the block.
        index: usize,
        /// Source.
        from: RegClass,
        /// Destination.
        to: RegClass,
    },
    /// More convergence barriers are open at one place than the chip has.
    #[error("{block}: more than {limit} convergence barriers are open")]
    TooManyBarriers {
        /// The block with the branch.
        block: Block,
        /// How many there are.
        limit: u32,
    },
    /// An instruction of this stage's own making is not in the table.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An instruction does not encode.
    #[error("{block}, instruction {index}: {error}")]
    Encode {
        /// The block.
        block: Block,
        /// Index in the block.
        index: usize,
        /// Why not.
        error: EncodeError,
    },
}

impl Error {
    /// An error unless the function is in this phase.
    pub(crate) fn unless(stage: &'static str, needed: Phase, found: Phase) -> Result<(), Error> {
        if needed == found { Ok(()) } else { Err(Error::Phase { stage, needed, found }) }
    }

    pub(crate) fn malformed(block: Block, index: usize, what: impl Into<String>) -> Error {
        Error::Malformed { block, index, what: what.into() }
    }
}
