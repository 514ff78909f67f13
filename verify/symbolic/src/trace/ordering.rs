//! What orders memory: fences, acquires and releases, as events.

use crate::trace::action::Action;
use crate::trace::fence::Fence;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::{Ordering, Scope};

/// The scope in which the hardware does what is asked for one: no instruction has that of the cluster, and the device's holds it.
pub fn executed(scope: Scope) -> Scope {
    if scope == Scope::Cluster { Scope::Gpu } else { scope }
}

/// What a fence of the source does: a release and an acquire, or the half that it names (PTX ISA, "membar, fence").
pub fn fence<R: Name>(side: &mut Side<'_, R>, ordering: Ordering, scope: Scope) {
    match ordering {
        Ordering::SequentiallyConsistent => {
            sequential(side, scope);
            acquire(side, scope);
        }
        Ordering::Acquire => acquire(side, scope),
        Ordering::Release => release(side, scope),
        _ => {
            release(side, scope);
            acquire(side, scope);
        }
    }
}

/// Accesses before it are done before those behind it, for all threads in the scope. `MEMBAR.ALL` does it (Mesa's NAK writes `MEMBAR`
/// for a releasing barrier).
pub fn release<R: Name>(side: &mut Side<'_, R>, scope: Scope) {
    side.event(Action::Fence(Fence::Release(executed(scope))), &[], &[], true);
}

/// Accesses behind it see what those saw that it acquires from. Below the device's scope the first-level cache is common, so that there is
/// nothing to do; else lines that the cache holds are dropped: `CCTL.IVALL` (NAK, for an acquiring barrier). In any case the accesses
/// before it that others see already end what is known of memory.
pub fn acquire<R: Name>(side: &mut Side<'_, R>, scope: Scope) {
    if scope > Scope::Cta {
        side.event(Action::Fence(Fence::Acquire), &[], &[], true);
    }
}

/// A release in the one order that all threads agree on: `MEMBAR.SC`.
pub fn sequential<R: Name>(side: &mut Side<'_, R>, scope: Scope) {
    side.event(Action::Fence(Fence::Sequential(executed(scope))), &[], &[], true);
}
