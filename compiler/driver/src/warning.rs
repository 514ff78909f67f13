//! What a compilation warns of.

/// What a compilation warns of. Where ptxas has words for it, these are the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// An entry computes in double precision, which was asked about.
    #[error("line {line}: `{function}` computes in double precision")]
    Double {
        /// The 1-based line of the first instruction that does.
        line: u32,
        /// The function.
        function: String,
    },
    /// A variable is declared and not defined.
    #[error("Unresolved extern variable '{0}' in whole program compilation, ignoring extern qualifier")]
    Extern(String),
    /// Line information names files, and none is declared.
    #[error(
        ".loc directive without .file directive is found, line information in generated binary may not be complete"
    )]
    NoFiles,
    /// Line information names a file of an index that none has.
    #[error("a .loc names file {0}, which no .file declares; line information may not be complete")]
    NoFile(u32),
    /// A fault that was to be made found no place.
    #[error("the fault `{fault}` found no place")]
    NoPlace {
        /// The fault.
        fault: &'static str,
    },
    /// A limit of registers is above what there are.
    #[error("Too big maxrregcount value specified {0}, will be ignored")]
    ManyRegisters(u32),
    /// More blocks are asked for than a multiprocessor has.
    #[error("Value of minnctapersm for entry {entry} is out of range. minnctapersm will be ignored")]
    Blocks {
        /// The entry.
        entry: String,
    },
    /// More threads are asked for than a multiprocessor has.
    #[error("Value of threads per SM for entry {entry} is out of range. {name} will be ignored")]
    Threads {
        /// The entry.
        entry: String,
        /// The option or the directive.
        name: &'static str,
    },
    /// A limit of registers is below what there must be.
    #[error("For entry {entry} adjusting per thread register count of {asked} to lower bound of {least}")]
    FewRegisters {
        /// The entry.
        entry: String,
        /// What was asked for.
        asked: u32,
        /// What there must be.
        least: u32,
    },
    /// Registers are spilled, which was asked about. XLA and nvFuser look for these words of ptxas, and read the numbers.
    #[error(
        "Registers are spilled to local memory in function '{function}', {stores} bytes spill stores, {loads} bytes spill loads"
    )]
    Spills {
        /// The function.
        function: String,
        /// Bytes that stores move.
        stores: u64,
        /// Bytes that loads move.
        loads: u64,
    },
    /// Local memory is used, which was asked about.
    #[error("Local memory used for function '{function}', size of stack frame: {bytes} bytes")]
    Local {
        /// The function.
        function: String,
        /// Bytes of a thread's frame.
        bytes: u32,
    },
}

impl Warning {
    /// The 1-based line of the source that it is about.
    pub fn line(&self) -> Option<u32> {
        match self {
            Warning::Double { line, .. } => Some(*line),
            _ => None,
        }
    }
}
