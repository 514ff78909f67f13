//! All codes of reasons, of verdicts and of witnesses, for `docs/reasons.md` and `sassafras prove --explain`.

use sassafras_symbolic::obstacle::{self, Advice};
use sassafras_witness::fault;

/// What is said of each kind of obstacle and of each kind of fault of a witness, in the order of their codes.
pub fn all() -> impl Iterator<Item = &'static Advice> {
    obstacle::all().chain(fault::all())
}
