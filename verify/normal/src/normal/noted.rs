//! What is noted on the way to a normal form.

use sassafras_semantics::TermId;
use std::cell::RefCell;

/// Two equal terms.
pub type Equal = (TermId, TermId);

/// An equality, and what it rests on besides what holds for all terms; that comes before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The terms.
    pub equal: Equal,
    /// Equalities that were noted before.
    pub by: Vec<Equal>,
    /// Terms of which nothing has to be known, where that is clear.
    pub anything: Option<Vec<TermId>>,
}

/// What a normal form was found by.
#[derive(Debug, Default)]
pub struct Traced {
    /// In the order in which it was found.
    pub notes: Vec<Noted>,
    /// Those on which no other one rests.
    pub last: Vec<Equal>,
}

/// None where nobody asked.
#[derive(Debug, Default)]
pub(super) struct Trace(pub(super) RefCell<Option<Traced>>);
