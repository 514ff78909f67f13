//! Why something is not lowered.

/// Why something is not lowered. What the check of a module has let through and lowering does not take is either not supported, or wrong in
/// a way that the check should have found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A form that is valid has no lowering.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// The same, of several.
    #[error("{0} are not supported")]
    UnsupportedSeveral(&'static str),
    /// An operation or a function has no lowering; its name.
    #[error("`{0}` is not supported")]
    UnsupportedName(String),
    /// No arm names the word of a modifier.
    #[error("`.{0}` is not supported here")]
    UnsupportedWord(&'static str),
    /// No arm names the kind of a modifier, or the type.
    #[error("{0} is not supported here")]
    UnsupportedHere(&'static str),
    /// A part of an instruction is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// Several are.
    #[error("{0} are missing")]
    MissingSeveral(&'static str),
    /// An operand is missing; its place, counted from 0.
    #[error("operand {} is missing", .0 + 1)]
    MissingOperand(usize),
    /// A part has no meaning that is known.
    #[error("{0} is not known")]
    Unknown(&'static str),
    /// An operand is of another kind.
    #[error("{0} is needed")]
    Needed(&'static str),
    /// A name stands for nothing.
    #[error("{0} does not exist")]
    Nonexistent(&'static str),
    /// An instruction is not of its form: what is wrong with it.
    #[error("{0}")]
    Malformed(&'static str),
    /// An indirect call names a prototype that does not exist.
    #[error("there is no prototype `{0}`")]
    NoPrototype(String),
    /// An indirect branch names a list of targets that does not exist.
    #[error("there is no list of targets `{0}`")]
    NoTargets(String),
    /// A kernel is called.
    #[error("`{0}` is a kernel")]
    Kernel(String),
    /// A call and its function have other parameters.
    #[error("the arguments do not match the parameters of `{0}`")]
    Arguments(String),
    /// A function of the driver is called with parameters that it does not have.
    #[error("`{0}` with these parameters is not supported")]
    SystemParameters(String),
    /// A function without a body is called.
    #[error("a call of `{0}`, which nothing defines, is not supported")]
    Undefined(String),
    /// Calls nest deeper than they are written out.
    #[error("calls that nest deeper than {most} functions are not supported")]
    Nested {
        /// How deep they are written out.
        most: usize,
    },
    /// A function that is not written out has parameters in registers.
    #[error("`{0}` with parameters in registers")]
    InRegisters(String),
    /// The same, of one that calls itself.
    #[error("`{0}` calls itself with parameters in registers")]
    RecursiveInRegisters(String),
    /// A kernel with all that it calls is larger than what is written out.
    #[error(
        "written out with all that it calls the kernel has {size} instructions; at most {most} are supported"
    )]
    Large {
        /// Its instructions.
        size: u64,
        /// How many there may be.
        most: usize,
    },
    /// The same, of recursive functions, or of what calls pass.
    #[error("{0}")]
    LargeCalls(&'static str),
}
