//! Opaque operations that have a meaning for executors.

use sassafras_semantics::{Bits, Opaque, Trap};

/// Performs one.
///
/// # Errors
/// One that has no meaning here.
pub(crate) fn perform(op: Opaque) -> Result<Vec<Bits>, Trap> {
    // Accesses take effect at once, in program order, and no other grid runs.
    if op.family().timing { Ok(Vec::new()) } else { Err(Trap::Unsupported(op.name().into())) }
}
