//! Copies to shared memory that are under way: `LDGSTS` goes on by itself, and is over for certain where a `DEPBAR` has waited for the
//! scoreboard of an `LDGDEPBAR` behind it (ptxas 13.0.88 makes the three of `cp.async`, its `commit_group` and its waits).
//!
//! In terms a copy is done at once. That is all that can be seen of it where, until it has been waited for, nothing looks at shared memory,
//! nothing is stored, and nobody else is told or waited for: this is what is asked here. What is asked for less, such as a ring of copies of
//! which some are left under way, is `Unknown`.

use crate::obstacle::target::Target;
use crate::trace::event::{Kind, Place, place};
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_hazards::drains;
use sassafras_isa::step::Outcome;
use sassafras_isa::{Chip, Inst, Meaning, MemoryKind, MemorySpace, decode};
use sassafras_semantics::{CompareOp, Domain, Space, TermId};

/// Whether an instruction may see a copy that is under way, or change what it copies, by how it touches memory: all but loads of global
/// memory that order nothing, constants, and the thread's own stack.
fn sees(inst: &Inst) -> bool {
    inst.row().memory.is_some_and(|m| match m.space {
        _ if matches!(inst.row().meaning, Meaning::Ldgsts | Meaning::Ldgdepbar) => false,
        MemorySpace::Local | MemorySpace::Constant => false,
        MemorySpace::Global => m.kind != MemoryKind::Load || inst.get("sem").is_some_and(|sem| sem != 0),
        MemorySpace::Generic | MemorySpace::Shared => true,
    })
}

/// Whether lanes do nothing that others see, or wait for: they go on, or part and meet.
fn alone<V>(outcome: &Outcome<V>) -> bool {
    match outcome {
        Outcome::Next | Outcome::Yield => true,
        Outcome::Branch { .. } | Outcome::IndirectBranch { .. } | Outcome::BranchByConvergence { .. } => true,
        Outcome::SetBarrier { .. } | Outcome::Sync { .. } | Outcome::Break { .. } => true,
        Outcome::WriteBarrier { .. } | Outcome::ReadBarrier { .. } => true,
        Outcome::Exit { .. } | Outcome::Collective { .. } | Outcome::BarrierResult { .. } => false,
    }
}

/// An instruction that is about to be executed.
///
/// # Errors
/// One that may see a copy that is under way.
pub fn before<R: Name>(side: &Side<'_, R>, inst: &Inst) -> Result<(), Target> {
    match side.path.copies.is_empty() || !sees(inst) {
        true => Ok(()),
        false => Err(Target::CopyUnderWay {}),
    }
}

/// Whether a thread of this code may end while its copies are under way: nobody learns that it has, since nothing in it waits for others of
/// the block, so that nobody may look at what is copied.
pub fn may_end(code: &[u128], chip: Chip) -> bool {
    use Meaning::{Arrives, AtomArrive, AtomsArrive, Bar, Syncs};
    let waits = |inst: &Inst| matches!(inst.row().meaning, Arrives | AtomArrive | AtomsArrive | Bar | Syncs);
    code.iter().all(|word| decode(*word, chip).is_ok_and(|inst| !waits(&inst)))
}

/// What an instruction that was executed says of copies. Whether the code [`may_end`] with some under way is told.
///
/// # Errors
/// What others see, or wait for, while a copy is under way. A copy that is no store of shared memory in the log.
pub fn after<R: Name, V>(
    side: &mut Side<'_, R>,
    inst: &Inst,
    outcome: &Outcome<V>,
    may_end: bool,
) -> Result<(), Target> {
    let ends = may_end && matches!(outcome, Outcome::Exit { .. });
    if !side.path.copies.is_empty() && !alone(outcome) && !ends {
        return Err(Target::CopyUnderWay {});
    }
    let whole = side.inputs.known(side.guard) == Some(1);
    match inst.row().meaning {
        Meaning::Ldgsts => {
            let last = side.log.events.len().wrapping_sub(1);
            let Some(own) =
                side.log.events.last().filter(|e| e.kind == Kind::Store && e.space == Space::Shared)
            else {
                return Err(Target::CopySeen {});
            };
            let (at, bytes) = (own.address, own.bytes);
            // Which of two copies comes first, nothing says.
            let others: Vec<TermId> =
                side.path.copies.keys().filter_map(|i| meets(side, (at, bytes), *i)).collect();
            for common in others {
                let wrong = side.inputs.terms.and(&side.happens(), &common);
                let wrong = side.inputs.normal.of(wrong);
                if side.inputs.known(wrong) != Some(0) {
                    side.log.demands.push((wrong, side.place));
                }
            }
            side.path.copies.insert(last, None);
        }
        Meaning::Ldgdepbar if whole => {
            let board = Some(inst.control.write_barrier).filter(|board| *board < 6);
            side.path.copies.values_mut().filter(|own| own.is_none()).for_each(|own| *own = board);
        }
        Meaning::Depbar if whole => {
            if let Some(board) = drains(inst) {
                side.path.copies.retain(|_, own| *own != Some(board));
            }
        }
        _ => {}
    }
    Ok(())
}

/// That an access has a byte in common with an earlier store, one bit; none if it has not.
fn meets<R: Name>(side: &Side<'_, R>, (at, bytes): (TermId, u32), store: usize) -> Option<TermId> {
    let (d, store) = (side.inputs.terms, &side.log.events[store]);
    if place(d, at, bytes, store) == Place::Apart {
        return None;
    }
    let inside = |a: TermId, b: TermId, bytes: u32| {
        d.compare(CompareOp::ULt, &d.sub(&a, &b), &d.constant(d.width_of(a), bytes.into()))
    };
    let (first, second) = (inside(at, store.address, store.bytes), inside(store.address, at, bytes));
    Some(d.and(&store.guard, &d.or(&first, &second)))
}
