//! Phases by name.

use crate::Failure;
use crate::phase::Stage;

/// The stage of this name, which an option asks for.
///
/// # Errors
/// A name that no phase has.
pub(super) fn named(option: &str, name: &str) -> Result<Stage, Failure> {
    Stage::named(name).ok_or_else(|| {
        let names: Vec<&str> = crate::phase::PHASES.iter().map(|p| p.name).collect();
        Failure::Request(format!(
            "option `--{option}`: no phase is called `{name}`; there are {}",
            names.join(", ")
        ))
    })
}
