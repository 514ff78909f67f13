//! Why a compilation stopped.

use sassafras_ptx::Diagnostics;

use crate::observe::Objection;
use crate::phase::Stage;

/// Why a compilation stopped.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The PTX is wrong, or holds a form that is not supported; the findings say which and where.
    #[error("{}", .0.render())]
    Ptx(Diagnostics),
    /// Options and module do not fit each other, or an option names what does not exist.
    #[error("{0}")]
    Request(String),
    /// The program takes more of something than the chip has.
    #[error("{0}")]
    Limit(String),
    /// A text given to `--start-from` does not read.
    #[error("{0}")]
    Text(String),
    /// Valid, but a phase cannot do it yet.
    #[error("{stage}{}: {what} is not supported yet", function.as_ref().map(|f| format!(" of `{f}`")).unwrap_or_default())]
    Unsupported {
        /// The phase.
        stage: Stage,
        /// The function.
        function: Option<String>,
        /// The form, with its place.
        what: String,
    },
    /// A judge objects.
    #[error(transparent)]
    Objection(#[from] Objection),
    /// A phase broke its own rules.
    #[error("{stage}{}: {what}", function.as_ref().map(|f| format!(" of `{f}`")).unwrap_or_default())]
    Internal {
        /// The phase.
        stage: Stage,
        /// The function.
        function: Option<String>,
        /// What happened.
        what: String,
    },
}
