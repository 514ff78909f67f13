//! Registers that all lanes of a warp share.

use crate::obstacles;

const READ: &str = "a uniform register, which all lanes of a warp share, is read where other lanes may have written another value";
const PIECE: &str =
    "read it in the straight piece of code that writes it, or make it of what is the same in all lanes";

obstacles! {
    /// A uniform register that may not be the same for all lanes.
    Uniform;
    /// It takes a value that may differ between lanes.
    Differs {
        /// The register.
        register: Box<str>,
    } = "U0501" "uniform: {register} takes a value that may differ between lanes",
        "a uniform register, which all lanes of a warp share, is made of what may differ between lanes", PIECE;
    /// It holds what some lanes answered each other.
    Answered {
        /// The register.
        register: Box<str>,
    } = "U0502" "uniform: {register}, which holds what some lanes answered is not supported", READ, PIECE;
    /// Other lanes may have written it meanwhile.
    WrittenMeanwhile {
        /// Byte offset of the instruction that reads it.
        at: u64,
        /// The register.
        register: Box<str>,
    } = "U0503" "uniform: {at:#06x} reads {register}, which other lanes of the warp may have written meanwhile", READ, PIECE;
    /// A callee may have left it changed.
    Called {
        /// Byte offset of the instruction that reads it.
        at: u64,
        /// The register.
        register: Box<str>,
    } = "U0504" "uniform: {at:#06x} reads {register}, which a callee may have left changed",
        "a uniform register is read behind a call of a function that the driver resolves, by which other lanes may have come", PIECE;
}
