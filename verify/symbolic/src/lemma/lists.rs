//! All lemmas.

use super::approximations::ESTIMATES;
use super::bits::BITS;
use super::doubles::DOUBLES;
use super::form::Lemma;
use super::routines::ROUTINES;
use super::table::LEMMAS;

/// Those that are matched on terms.
pub fn of_terms() -> impl Iterator<Item = &'static Lemma> {
    LEMMAS.iter().chain(ROUTINES).chain(DOUBLES)
}

/// Those that are matched where the source has an instruction.
pub fn of_sites() -> impl Iterator<Item = &'static Lemma> {
    ESTIMATES.iter().chain(BITS)
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Lemma> {
    of_terms().chain(of_sites())
}

/// The lemma of a name.
pub fn named(name: &str) -> Option<&'static Lemma> {
    all().find(|l| l.name == name)
}
