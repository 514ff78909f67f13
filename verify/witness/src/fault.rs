//! What is wrong with a witness.

/// Why a witness is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not one, is about other files, or says what is not so.
    #[error("{0}")]
    Rejected(String),
    /// The solver could not tell.
    #[error("{0}")]
    Undecided(String),
}
