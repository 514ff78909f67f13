//! What is wrong with a line of text.

use super::version::VERSION;
use crate::{Block, RegClass, VReg};
use sassafras_chip::UnknownChip;
use sassafras_isa::UnknownField;

/// What is wrong with a line of text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// Something else is wanted there.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A line of the header is missing.
    #[error("expected `{0} …`")]
    Header(String),
    /// Another number of words is wanted.
    #[error("expected {wanted} words, not {found}")]
    Words {
        /// How many are wanted.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// A text of another version.
    #[error("version {0} of the text; this reads {VERSION}")]
    Version(String),
    /// No chip.
    #[error(transparent)]
    Chip(#[from] UnknownChip),
    /// There is nothing of this name.
    #[error("no {kind} `{name}`")]
    Unknown {
        /// Of what kind.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A word is of another kind.
    #[error("`{text}` is no {kind}")]
    Kind {
        /// The word.
        text: String,
        /// What is wanted.
        kind: &'static str,
    },
    /// A word is of another form.
    #[error("`{text}` should be {form}")]
    Form {
        /// The word.
        text: String,
        /// How it should look.
        form: &'static str,
    },
    /// A name is none of a block or a virtual register, whichever is wanted.
    #[error("`{0}` names nothing of the kind expected here")]
    Name(String),
    /// A register is of another file.
    #[error("`{text}` is no register of {class:?}")]
    Class {
        /// The register.
        text: String,
        /// The file.
        class: RegClass,
    },
    /// A block does not have the next number.
    #[error("block {0} out of order")]
    BlockOrder(Block),
    /// Nor has a virtual register.
    #[error("{0} out of order")]
    RegisterOrder(String),
    /// There is no such block.
    #[error("no block {0}")]
    NoBlock(Block),
    /// There is no such virtual register.
    #[error("no register {0}")]
    NoRegister(VReg),
    /// What belongs into a block stands before the first one.
    #[error("{0} outside of a block")]
    Outside(&'static str),
    /// A number of 32-bit units that no register has.
    #[error("{0} units")]
    Units(u64),
    /// More units than a byte can number.
    #[error("too many units")]
    ManyUnits,
    /// A unit that no register has.
    #[error("unit {0}")]
    Unit(u64),
    /// A number of more than a byte.
    #[error("{0} is too large")]
    Large(u64),
    /// A form has no field of this name.
    #[error("`{form}` has no field `{field}`")]
    NoField {
        /// The form.
        form: String,
        /// The field.
        field: String,
    },
    /// A field has no value of this name.
    #[error(transparent)]
    Field(#[from] UnknownField),
    /// A pseudo-instruction has something that only others have.
    #[error("only real instructions have {0}")]
    Pseudo(&'static str),
    /// A pseudo-instruction has another number of operands.
    #[error("`{name}` takes {operands} operands")]
    Operands {
        /// Its name.
        name: String,
        /// How many it has.
        operands: usize,
    },
    /// A pseudo-instruction lacks what it takes.
    #[error("`{name}` takes {what}")]
    Takes {
        /// Its name.
        name: String,
        /// What it takes.
        what: &'static str,
    },
}
