//! Straight-line code.

use super::chains::chain;
use super::features::Feature;
use super::maker::Maker;
use super::rows::{GROUPS, needed};
use arbitrary::Result;

/// One template of a group that is on, with all that it names.
pub(super) fn straight(m: &mut Maker<'_, '_>) -> Result<()> {
    if m.has(Feature::Idioms) && m.one_in(3)? && chain(m)? {
        return Ok(());
    }
    loop {
        let group = m.below(GROUPS.len())?;
        let group = &GROUPS[group];
        // The first group is always on, and is what the end of the choices chooses.
        if group.feature.is_some_and(|f| !m.has(f)) || m.sm() < group.sm {
            m.fill("add.s32 <=r>, <r>, <ri>;")?;
            return Ok(());
        }
        let row = m.pick(group.rows)?;
        if needed(row).all(|f| m.has(f)) {
            return m.fill(row);
        }
        if m.u.is_empty() {
            return Ok(());
        }
    }
}

/// Some instructions that neither branch nor wait.
pub(super) fn few(m: &mut Maker<'_, '_>, most: usize) -> Result<()> {
    for _ in 0..m.below(most + 1)? {
        straight(m)?;
    }
    Ok(())
}
