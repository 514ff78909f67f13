//! Whether threads race: what a program leaves then is not defined, whatever order an executor takes.

use super::{Touch, Use};
use sassafras_semantics::Space;
use std::collections::HashMap;

/// Accesses of a byte by threads that no barrier parts: at most two threads of each kind are kept, which is enough to tell others from them.
#[derive(Default)]
struct Byte {
    stores: Vec<Touch>,
    atomics: Vec<Touch>,
    loads: Vec<Touch>,
}

impl Byte {
    fn of(&mut self, how: Use) -> &mut Vec<Touch> {
        match how {
            Use::Store => &mut self.stores,
            Use::Atomic => &mut self.atomics,
            Use::Load => &mut self.loads,
        }
    }
}

/// Whether two accesses are of two threads, and no barrier of their block lies between them.
fn unordered(a: &Touch, b: &Touch) -> bool {
    let same_block = a.who.block == b.who.block;
    let (same_thread, same_epoch) = (a.who.thread == b.who.thread, a.who.epoch == b.who.epoch);
    !(same_block && (same_thread || !same_epoch))
}

/// The first two accesses that race: one of them stores, and nothing orders them. Atomics do not race with one another here: of those that commute and
/// whose results nobody reads the order does not matter, and runs in several orders show the others.
pub fn race(touches: &[Touch]) -> Option<(Touch, Touch)> {
    let mut bytes: HashMap<(bool, u64, u64), Byte> = HashMap::new();
    for touch in touches {
        let shared = touch.space == Space::Shared;
        for at in touch.address..touch.address + u64::from(touch.bytes) {
            // Each block has shared memory of its own.
            let byte = bytes.entry((shared, if shared { touch.who.block } else { 0 }, at)).or_default();
            let against: &[Use] = match touch.how {
                Use::Store => &[Use::Store, Use::Atomic, Use::Load],
                Use::Atomic => &[Use::Store, Use::Load],
                Use::Load => &[Use::Store, Use::Atomic],
            };
            for how in against {
                if let Some(other) = byte.of(*how).iter().find(|other| unordered(other, touch)) {
                    return Some((*other, *touch));
                }
            }
            let kept = byte.of(touch.how);
            // Of one block, what was before a barrier is ordered before all that follows.
            kept.retain(|k| k.who.block != touch.who.block || k.who.epoch == touch.who.epoch);
            if kept.len() < 2 && !kept.iter().any(|k| k.who == touch.who) {
                kept.push(*touch);
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
