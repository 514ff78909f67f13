//! Why nothing was shown.

use std::fmt;
use std::ops::Deref;

/// What a reason is about, as far as the strategy looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No input meets the assumptions.
    Vacuous,
    /// Few inputs were found that meet the assumptions.
    FewInputs,
    /// The solver's example could not be shown in both executors.
    Replay,
    /// On a drawn input lanes may wait for ever, which a proof excludes otherwise.
    Tangled,
    /// Values on a drawn input say otherwise than what was shown.
    Contradiction,
    /// Anything else, of which the text speaks.
    Other,
}

/// A reason, with its text for people (`advice.rs`). Whatever decides something looks at the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What it is about.
    pub kind: Kind,
    text: String,
}

impl Reason {
    /// No input meets the assumptions.
    pub fn vacuous() -> Reason {
        Reason { kind: Kind::Vacuous, text: "vacuous: the assumptions contradict each other".into() }
    }

    /// So few inputs were found that meet the assumptions.
    pub fn few_inputs(count: u32) -> Reason {
        Reason {
            kind: Kind::FewInputs,
            text: format!("evaluation: only {count} inputs meet the assumptions"),
        }
    }

    /// The solver's example was not shown, and why.
    pub fn replay(why: impl fmt::Display) -> Reason {
        Reason { kind: Kind::Replay, text: format!("replay: {why}") }
    }

    /// Lanes may wait for ever on the input of this seed.
    pub fn tangled(seed: u64) -> Reason {
        let text = format!("convergence: lanes may wait for ever: input {seed}");
        Reason { kind: Kind::Tangled, text }
    }

    /// What values on a drawn input say against what was shown.
    pub fn contradiction(why: impl fmt::Display) -> Reason {
        Reason { kind: Kind::Contradiction, text: format!("evaluation contradicts the solver: {why}") }
    }

    /// The source was left unfinished elsewhere than the bound says.
    pub fn miscounted(why: impl fmt::Display) -> Reason {
        Reason { kind: Kind::Contradiction, text: format!("coverage contradicts the bound: {why}") }
    }

    /// Whether more iterations may help: too few inputs end within the bound.
    pub fn is_empty_within_bound(&self) -> bool {
        matches!(self.kind, Kind::Vacuous | Kind::FewInputs)
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason { kind: Kind::Other, text }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        text.to_owned().into()
    }
}

impl Deref for Reason {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for Reason {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}
