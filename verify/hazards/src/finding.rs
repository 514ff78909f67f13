//! What a judge says.

use std::fmt;

/// One thing that is wrong, or that a judge could not decide.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    /// The rule, by name; the same for all findings of one kind.
    pub rule: &'static str,
    /// Where: function, block and instruction, or the address of a word.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.place, self.message, self.rule)
    }
}

/// What a judge answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every rule holds.
    Passed,
    /// No rule is known to be broken, and these could not be decided.
    Unknown(Vec<Finding>),
    /// These rules are broken.
    Objected(Vec<Finding>),
}

impl Verdict {
    /// The verdict from what was found: an objection outweighs what is unknown.
    pub fn of(objections: Vec<Finding>, unknown: Vec<Finding>) -> Verdict {
        match (objections.is_empty(), unknown.is_empty()) {
            (false, _) => Verdict::Objected(objections),
            (true, false) => Verdict::Unknown(unknown),
            (true, true) => Verdict::Passed,
        }
    }

    /// What two judges say.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        let objections = [self.objections(), other.objections()].concat();
        Verdict::of(objections, [self.unknown(), other.unknown()].concat())
    }

    /// What is broken; empty unless objected.
    pub fn objections(&self) -> &[Finding] {
        if let Verdict::Objected(list) = self { list } else { &[] }
    }

    /// What could not be decided; empty unless unknown.
    pub fn unknown(&self) -> &[Finding] {
        if let Verdict::Unknown(list) = self { list } else { &[] }
    }
}
