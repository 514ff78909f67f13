//! What can be set in the passes over machine code: the tables of all of them, as one.

use crate::fold;
use sassafras_placement::{self as placement, KnobError};

/// The values of all knobs, as the compiler has them by default.
#[derive(Clone, PartialEq, Debug)]
pub struct Knobs {
    /// Of the order of blocks.
    pub placement: placement::Knobs,
    /// Of branch folding.
    pub folding: fold::Knobs,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs { placement: placement::Knobs::of_the_compiler(), folding: fold::Knobs::default() }
    }
}

/// A knob with its present value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its value, as text.
    pub value: String,
    /// What it does, with its unit.
    pub what: &'static str,
}

/// Why a knob was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// Its table does not take it.
    #[error(transparent)]
    Table(#[from] KnobError),
    /// It stands without a value.
    #[error("`{0}` is no knob with a value: NAME=VALUE")]
    NoValue(String),
    /// The compiler does nothing with it.
    #[error("the knob `{name}` is not one of the compiler's: {why}")]
    Elsewhere {
        /// The knob.
        name: String,
        /// Why.
        why: &'static str,
    },
}

/// Beginnings of the names of knobs that the compiler does nothing with, and why.
const ELSEWHERE: [(&str, &str); 2] = [("align-all-", PADDING), ("max-bytes-for-alignment", PADDING)];
const PADDING: &str = "the compiler pads no code";

/// Why the compiler does nothing with the knob called `name`, if it does nothing.
fn elsewhere(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, why)| *why)
}

impl Knobs {
    /// Sets the knob called `name`, in whichever table it is.
    ///
    /// # Errors
    /// There is none of this name, the value is none of its type, or the compiler does nothing with it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        if let Some(why) = elsewhere(name) {
            return Err(SettingError::Elsewhere { name: name.to_owned(), why });
        }
        if fold::TABLE.iter().any(|row| row.name == name) {
            return Ok(self.folding.set(name, value)?);
        }
        Ok(self.placement.set(name, value)?)
    }

    /// Sets a knob by `NAME=VALUE`.
    ///
    /// # Errors
    /// As [`Knobs::set`], or there is no value.
    pub fn set_by(&mut self, text: &str) -> Result<(), SettingError> {
        let parts = text.split_once('=');
        let (name, value) = parts.ok_or_else(|| SettingError::NoValue(text.to_owned()))?;
        self.set(name, value)
    }

    /// Every knob that the compiler knows.
    pub fn settings(&self) -> Vec<Setting> {
        let folding = fold::TABLE.iter().zip(self.folding.values());
        let folding = folding.map(|(row, value)| Setting { name: row.name, value, what: row.what });
        let values = self.placement.values();
        let rows = placement::TABLE.iter().zip(values);
        rows.filter(|(row, _)| elsewhere(row.name).is_none())
            .map(|(row, value)| Setting { name: row.name, value, what: row.what })
            .chain(folding)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_knobs_alone_and_takes_its_own_value() {
        let settings = Knobs::default().settings();
        let mut names: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), settings.len());
        let mut knobs = Knobs::default();
        for Setting { name, value, .. } in &settings {
            knobs.set(name, value).unwrap_or_else(|why| panic!("{why}"));
        }
        assert_eq!(knobs, Knobs::default());
    }

    #[test]
    fn what_is_no_knob_is_refused() {
        let mut knobs = Knobs::default();
        for (text, part) in [
            ("misfetch-cost", "NAME=VALUE"),
            ("misfetch=1", "no knob is called"),
            ("misfetch-cost=much", "is no value"),
            ("align-all-blocks=4", "pads no code"),
        ] {
            let why = knobs.set_by(text).expect_err(text).to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
        assert_eq!(knobs, Knobs::default());
    }
}
