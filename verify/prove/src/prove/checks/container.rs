//! What is asked of the two entries before they are run.

use crate::prove::plan::Plan;
use crate::prove::task::Entries;
use crate::reason::Reason;
use sassafras_symbolic::assumption::Assumption;
use std::collections::BTreeSet;

/// The cubin declares what its code and the source need.
pub fn fits(entries: Entries<'_>, plan: &Plan, _: &mut BTreeSet<Assumption>) -> Result<(), Reason> {
    Ok(entries.origin.fits(entries.cubin, entries.code, plan.own_first)?)
}

/// The hazard checker has no objection to a source that is code.
pub fn hazards_of_source(
    entries: Entries<'_>,
    _: &Plan,
    assumed: &mut BTreeSet<Assumption>,
) -> Result<(), Reason> {
    Ok(entries.origin.hazards(assumed)?)
}
