//! Findings as they are gathered.

use crate::rules::Rule;
use sassafras_hazards::{Finding, Verdict};
use std::fmt::Display;

/// What was found so far, and in which function.
#[derive(Default)]
pub(crate) struct Report {
    /// The function that is looked at.
    pub(crate) function: String,
    objections: Vec<Finding>,
    unknown: Vec<Finding>,
}

impl Report {
    /// About this function.
    pub(crate) fn of(function: &str) -> Report {
        Report { function: function.to_owned(), ..Report::default() }
    }

    /// Adds an objection.
    pub(crate) fn add(&mut self, rule: Rule, place: impl Display, message: impl Into<String>) {
        let place = format!("`{}` {place}", self.function);
        self.objections.push(Finding { rule: rule.id(), place, message: message.into() });
    }

    /// Adds what could not be decided.
    pub(crate) fn unknown(&mut self, rule: Rule, place: impl Display, message: impl Into<String>) {
        let place = format!("`{}` {place}", self.function);
        self.unknown.push(Finding { rule: rule.id(), place, message: message.into() });
    }

    /// How many objections there are.
    pub(crate) fn len(&self) -> usize {
        self.objections.len()
    }

    /// The verdict.
    pub(crate) fn verdict(self) -> Verdict {
        Verdict::of(self.objections, self.unknown)
    }
}
