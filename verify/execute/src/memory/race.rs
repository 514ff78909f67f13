//! Whether threads race: what a program leaves then is not defined, whatever order an executor takes.

use super::touch::{Touch, Use};
use sassafras_semantics::Space;
use std::collections::HashMap;

/// Accesses of a byte by threads that no barrier parts: of each kind, strong and weak, at most two threads are kept, which is enough to tell others from them.
#[derive(Default)]
struct Byte(Vec<(Touch, bool)>);

/// Whether two accesses are of two threads, and no barrier of their block lies between them.
fn unordered(a: &Touch, b: &Touch) -> bool {
    let same_block = a.who.block == b.who.block;
    let (same_thread, same_epoch) = (a.who.thread == b.who.thread, a.who.epoch == b.who.epoch);
    !(same_block && (same_thread || !same_epoch))
}

/// Whether two accesses conflict: one of them stores, and not both are atomic. Atomics do not race with one another here: of those that commute and
/// whose results nobody reads the order does not matter, and runs in several orders show the others.
fn conflict(a: Use, b: Use) -> bool {
    (a != Use::Load || b != Use::Load) && (a, b) != (Use::Atomic, Use::Atomic)
}

/// The first two accesses that race: they conflict, and nothing orders them.
pub fn race(touches: &[Touch]) -> Option<(Touch, Touch)> {
    race_where(touches, &|_| false, &|_, _| true)
}

/// The first two that race and count. `strong`: whether an access is more than weak; two such accesses do not race (PTX ISA, "Memory Consistency Model": morally strong).
pub fn race_where(
    touches: &[Touch],
    strong: &dyn Fn(&Touch) -> bool,
    counts: &dyn Fn(&Touch, &Touch) -> bool,
) -> Option<(Touch, Touch)> {
    let mut bytes: HashMap<(bool, u64, u64), Byte> = HashMap::new();
    for touch in touches {
        let shared = touch.space == Space::Shared;
        let own = touch.how == Use::Atomic || strong(touch);
        for at in touch.address..touch.address + u64::from(touch.bytes) {
            // Each block has shared memory of its own.
            let Byte(kept) = bytes.entry((shared, if shared { touch.who.block } else { 0 }, at)).or_default();
            let races = |(other, theirs): &&(Touch, bool)| {
                let weak = !(own && *theirs);
                weak && conflict(other.how, touch.how) && unordered(other, touch) && counts(other, touch)
            };
            if let Some((other, _)) = kept.iter().find(races) {
                return Some((*other, *touch));
            }
            // Of one block, what was before a barrier is ordered before all that follows.
            let like = |k: &Touch, theirs: bool| k.how == touch.how && theirs == own;
            kept.retain(|(k, theirs)| {
                !like(k, *theirs) || k.who.block != touch.who.block || k.who.epoch == touch.who.epoch
            });
            let same = kept.iter().filter(|(k, theirs)| like(k, *theirs));
            if same.clone().count() < 2 && !same.clone().any(|(k, _)| k.who == touch.who) {
                kept.push((*touch, own));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Who;

    fn touch(block: u64, thread: u32, epoch: u32, address: u64, how: Use) -> Touch {
        Touch { who: Who { block, thread, epoch, at: 1 }, space: Space::Global, address, bytes: 4, how }
    }

    #[test]
    fn stores_of_two_threads_race_unless_a_barrier_parts_them() {
        let store = |block, thread, epoch, at| touch(block, thread, epoch, at, Use::Store);
        assert!(race(&[store(0, 0, 0, 0), store(0, 1, 0, 3)]).is_some(), "a byte is enough");
        assert!(race(&[store(0, 0, 0, 0), store(0, 1, 0, 4)]).is_none(), "beside each other");
        assert!(race(&[store(0, 0, 0, 0), store(0, 1, 1, 0)]).is_none(), "a barrier between");
        assert!(race(&[store(0, 0, 0, 0), store(1, 1, 1, 0)]).is_some(), "blocks share no barrier");
        assert!(race(&[store(0, 0, 0, 0), store(0, 0, 0, 0)]).is_none(), "one thread");
    }

    #[test]
    fn loads_and_atomics_race_with_stores_alone() {
        let of = |thread, how| touch(0, thread, 0, 0, how);
        assert!(race(&[of(0, Use::Load), of(1, Use::Load), of(2, Use::Load)]).is_none());
        assert!(race(&[of(0, Use::Atomic), of(1, Use::Atomic)]).is_none());
        assert!(race(&[of(0, Use::Load), of(1, Use::Load), of(1, Use::Store)]).is_some());
        assert!(race(&[of(0, Use::Atomic), of(1, Use::Load)]).is_some());
    }
}
