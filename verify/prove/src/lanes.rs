//! What is asked of several lanes at once, as events: the same names and operands on both sides.

use crate::side::{Name, Side};
use sassafras_semantics::matrix::Operand;
use sassafras_semantics::state::{BarrierMode, VoteMode};
use sassafras_semantics::{Access, AtomicOp, Collective, Domain, Ordering, Scope, Space, TermId, Trap};

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

/// A collective operation of the lanes here; its results, as [`Collective`] lists them. Member masks are not compared:
/// what they demand is that the lanes be together.
///
/// # Errors
/// Lanes that may not be together; masks that do not name all.
pub fn collective<R: Name>(
    side: &mut Side<'_, R>,
    op: Collective,
    arguments: &[TermId],
) -> Result<Vec<TermId>, Trap> {
    let d = side.inputs.terms;
    side.assumed.insert(crate::verdict::Assumption::Conv);
    if side.machine
        && !matches!(op, Collective::Barrier(_) | Collective::ActiveMask | Collective::WarpSync)
        && side.path.parted
    {
        return unsupported("convergence: a cross-lane operation where lanes may be apart");
    }
    if side.machine && matches!(op, Collective::Barrier(_)) && side.path.parted {
        side.path.meeting.wait_outside()?;
    }
    let mask = match op {
        // What a lane gets from one that its mask does not name is undefined: with all of them here, there is nothing to ask.
        Collective::Shuffle(_) => None,
        Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => arguments.get(1),
        Collective::Elect | Collective::WarpSync => arguments.first(),
        Collective::ActiveMask
        | Collective::Barrier(_)
        | Collective::Mma(_)
        | Collective::MatrixLoad(_)
        | Collective::MatrixStore(_)
        | Collective::MatrixTranspose => None,
    };
    if mask.is_some_and(|m| side.inputs.known(*m) != Some(0xffff_ffff)) {
        return unsupported("convergence: a member mask that is not known to name all lanes");
    }
    let mut ask =
        |what: String, n: usize, widths: &[u32], memory| side.event(what, &arguments[..n], widths, memory);
    Ok(match op {
        Collective::Shuffle(mode) => ask(format!("Shuffle {mode:?}"), 3, &[32, 1], false),
        Collective::Match { all } => ask(format!("Match {all}"), 1, &[32, 1], false),
        Collective::Redux(op) => ask(format!("Redux {op:?}"), 1, &[32], false),
        Collective::Elect => ask("Elect".into(), 0, &[32, 1], false),
        Collective::Mma(mma) => {
            let widths = vec![mma.d.register(); mma.registers(Operand::D) as usize];
            ask(format!("{mma:?}"), arguments.len(), &widths, false)
        }
        Collective::MatrixLoad(m) => ask(format!("Load {m:?}"), 1, &vec![32; m.count as usize], true),
        Collective::MatrixStore(m) => ask(format!("Store {m:?}"), arguments.len(), &[], true),
        Collective::MatrixTranspose => ask("MatrixTranspose".into(), 1, &[32], false),
        Collective::WarpSync => ask("WarpSync".into(), 0, &[], true),
        Collective::ActiveMask => side.event("Vote".into(), &[d.yes()], &[32, 1, 1, 1], false),
        Collective::Vote(mode) => {
            let all = ask("Vote".into(), 1, &[32, 1, 1, 1], false);
            let decision = match mode {
                VoteMode::All => all[1],
                VoteMode::Any | VoteMode::Ballot => all[2],
                VoteMode::Uniform => all[3],
            };
            vec![all[0], decision]
        }
        Collective::Barrier(mode) => {
            let results: (&[u32], usize) = match mode {
                BarrierMode::Popc => (&[32], 3),
                BarrierMode::And | BarrierMode::Or => (&[1], 3),
                BarrierMode::Sync | BarrierMode::Arrive => (&[], 2),
            };
            ask(format!("Barrier {mode:?}"), results.1, results.0, true)
        }
    })
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
    if !matches!(access.ordering, Ordering::Relaxed | Ordering::Weak) {
        return unsupported(format!("an atomic of ordering {:?}", access.ordering));
    }
    let (space, address) = match access.space {
        Space::Global => (Space::Global, address),
        Space::Generic => crate::window::place(side, side.inputs.normal.of(address))?,
        Space::Shared if d.width(&address) > 32 => (Space::Shared, d.extract(&address, 0, 32)),
        Space::Shared => (Space::Shared, address),
        other => return unsupported(format!("an atomic in {other:?} memory")),
    };
    let address = match space {
        Space::Shared if d.width(&address) > 32 => d.extract(&address, 0, 32),
        Space::Local => return unsupported("an atomic in local memory"),
        _ => address,
    };
    // Shared memory is the block's: no wider scope says more.
    let scope = if space == Space::Shared { Scope::Cta } else { executed(access.scope) };
    let mut all = vec![address];
    all.extend(operands);
    let what = format!("atomic {op:?} {space:?} {} {scope:?}", access.bytes);
    Ok(side.event(what, &all, &[8 * access.bytes], true)[0])
}

/// The scope in which the hardware does what is asked for one: no instruction has that of the cluster, and the device's holds it.
pub fn executed(scope: Scope) -> Scope {
    if scope == Scope::Cluster { Scope::Gpu } else { scope }
}

/// A fence, sequentially consistent or not.
pub fn fence<R: Name>(side: &mut Side<'_, R>, sequential: bool, scope: Scope) {
    let kind = if sequential { "sc" } else { "acq_rel" };
    let scope = executed(scope);
    side.event(format!("fence {kind} {scope:?}"), &[], &[], true);
}
