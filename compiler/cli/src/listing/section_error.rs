//! What is not known of a section outside code.

use sassafras_cubin as cubin;

/// What is not known of a section outside code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectionError {
    /// Line information that cannot be read, or records of `.nv.info` that cannot.
    #[error(transparent)]
    Container(#[from] cubin::Error),
    /// A record names symbols by their names, which no file does.
    #[error("symbols by name are not what a file holds")]
    SymbolNames,
    /// A note that is none of NVIDIA's.
    #[error("section `{section}` is no note of NVIDIA's")]
    Note {
        /// The section.
        section: String,
    },
}
