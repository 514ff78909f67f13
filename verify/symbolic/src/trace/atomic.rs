//! Read-modify-writes, as events.

use crate::obstacle::memory::Memory;
use crate::trace::action::{Action, Word};
use crate::trace::ordering::{acquire, executed, release};
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::{Access, AtomicOp, Domain, Ordering, Scope, Space, TermId, Trap};

fn refused<R: Name, T>(side: &Side<'_, R>, obstacle: Memory) -> Result<T, Trap> {
    Err(side.inputs.held.trap(obstacle))
}

/// A read-modify-write; the old value.
///
/// # Errors
/// Orderings and spaces that are not covered.
pub fn atomic<R: Name>(
    side: &mut Side<'_, R>,
    access: &Access,
    op: AtomicOp,
    address: TermId,
    operands: &[TermId],
) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    let (acquires, releases) = match access.ordering {
        Ordering::Relaxed | Ordering::Weak => (false, false),
        Ordering::Acquire => (true, false),
        Ordering::Release => (false, true),
        Ordering::AcquireRelease => (true, true),
        other => return Err(Trap::Unsupported(format!("an atomic of ordering {other:?}"))),
    };
    let (space, address) = match access.space {
        Space::Global => (Space::Global, address),
        Space::Generic => {
            side.log.generic.stored = true;
            crate::trace::window::place(side, side.inputs.normal.of(address))?
        }
        Space::Shared if d.width(&address) > 32 => (Space::Shared, d.extract(&address, 0, 32)),
        Space::Shared => (Space::Shared, address),
        other => {
            let space = format!("{other:?}").into();
            return refused(side, Memory::AtomicSpace { space });
        }
    };
    let address = match space {
        Space::Shared if d.width(&address) > 32 => d.extract(&address, 0, 32),
        Space::Local | Space::Const | Space::Param => {
            let space = format!("{space:?}").into();
            return refused(side, Memory::AtomicSpace { space });
        }
        _ => address,
    };
    // Shared memory is the block's: no wider scope says more.
    let scope = if space == Space::Shared { Scope::Cta } else { executed(access.scope) };
    let mut all = vec![address];
    all.extend(operands);
    let what = Action::Atomic(op, Word { space, bytes: access.bytes, scope });
    if releases {
        release(side, access.scope);
    }
    let own = side
        .reading
        .updates
        .then(|| crate::trace::update::atomic(side, op, (space, scope), address, access.bytes, operands));
    let old = match own.flatten() {
        Some(old) => old,
        None => side.event(what, &all, &[8 * access.bytes], true)[0],
    };
    if acquires {
        acquire(side, access.scope);
    }
    Ok(old)
}
