//! What is wrong with the value of an option.

use sassafras_codegen::SettingError;

/// What is wrong with the value of an option. Where ptxas has a sentence for it, that is the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// No number, where ptxas wants one.
    #[error("'{0}': expected a number")]
    Number(String),
    /// No limit of registers.
    #[error("Invalid value '{0}' for option 'maxrregcount'")]
    RegisterLimit(String),
    /// No chip.
    #[error("Value '{0}' is not defined for option 'gpu-name'")]
    Chip(String),
    /// No speed of `-Ofc`.
    #[error("Invalid value for --Ofast-compile/-Ofc ({0}), is not 'max', 'mid', 'min', or '0'")]
    FastCompile(String),
    /// No cache operator, or one that such an access does not have.
    #[error("Invalid default cache modifier on {} specified: {value}", if *.store { "store" } else { "load" })]
    CacheOperator {
        /// What was given.
        value: String,
        /// Whether it is of stores, not of loads.
        store: bool,
    },
    /// A number of threads is none, or zero.
    #[error("`{0}` is no number above 0")]
    NotPositive(String),
    /// No number, where ptxas has no sentence for it.
    #[error("`{0}` is no number")]
    NoNumber(String),
    /// No number of threads to compile with.
    #[error("`{0}` is no number of threads")]
    Jobs(String),
    /// None of the values that there are.
    #[error("`{value}` is none of {choices}")]
    Choice {
        /// What was given.
        value: String,
        /// What there is.
        choices: &'static str,
    },
    /// No form of messages.
    #[error("`{0}` is neither text nor json")]
    Format(String),
    /// A target of link-time optimisation.
    #[error("`{0}` asks for link-time optimisation, which does not exist here")]
    LinkTime(String),
    /// A knob was not set.
    #[error(transparent)]
    Knob(#[from] SettingError),
}

impl ValueError {
    /// Whether the text leaves open of which option it speaks.
    pub(super) fn needs_option(&self) -> bool {
        use sassafras_placement::KnobError;
        match self {
            ValueError::Number(_)
            | ValueError::RegisterLimit(_)
            | ValueError::Chip(_)
            | ValueError::FastCompile(_)
            | ValueError::CacheOperator { .. } => false,
            ValueError::NotPositive(_)
            | ValueError::NoNumber(_)
            | ValueError::Jobs(_)
            | ValueError::Choice { .. }
            | ValueError::Format(_)
            | ValueError::LinkTime(_) => true,
            // These call it a knob.
            ValueError::Knob(SettingError::Elsewhere { .. } | SettingError::Table(KnobError::Unknown(_))) => {
                false
            }
            ValueError::Knob(SettingError::NoValue(_) | SettingError::Table(_)) => true,
        }
    }
}
