//! What is asked of several lanes at once, as events: the same names and operands on both sides.

use crate::trace::action::{Action, Word};
use crate::trace::event::Wait;
use crate::trace::fences::Fence;
use crate::trace::side::{Name, Side};
use sassafras_semantics::matrix::{Operand, split::products};
use sassafras_semantics::state::{BarrierMode, VoteMode};
use sassafras_semantics::{
    Access, AtomicOp, BinaryOp, Collective, CompareOp, Domain, Mma, Ordering, Scope, Space, TermId, Trap,
};

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

/// The lanes that take part in what is asked of several: none is said where it is all that have not ended, else their mask. `mask` is
/// what the source names; the target's instructions name nobody.
///
/// # Errors
/// Lanes of the target that may not be together.
fn members<R: Name>(side: &mut Side<'_, R>, mask: TermId, shuffle: bool) -> Result<Option<TermId>, Trap> {
    let full = |side: &Side<'_, R>, mask: TermId| side.inputs.known(mask) == Some(0xffff_ffff);
    if side.machine {
        if !side.path.parted {
            return Ok(None);
        }
        let Some((piece, mask)) = side.path.gathered.filter(|g| g.0 == side.path.piece) else {
            return unsupported("convergence: a cross-lane operation where lanes may be apart");
        };
        // Groups at one place may become one (C4); a shuffle sees the own lane of the mask all the same.
        if !shuffle && !side.path.exclusive && !side.inputs.is_uniform(mask) {
            return unsupported("convergence: lanes with other masks may have joined these");
        }
        // Who waited has to ask as well.
        if side.inputs.known(side.guard) == Some(1)
            && let Some(owed) = side.owed.get_mut(&piece)
        {
            owed.1 = true;
        }
        return Ok(if full(side, mask) { None } else { Some(mask) });
    }
    // Who is not in the mask of its own executes nothing defined (PTX ISA, "vote.sync" and its kin): where all lanes that have not ended
    // come with one mask, it names them all.
    // Lanes that waited somewhere else since they parted may have been met there by some of these, or still be on their way to an end.
    let waited = side.path.waited || side.ended_waiting;
    let all_come =
        side.alone() && !waited && side.inputs.is_uniform(side.guard) && side.inputs.is_uniform(mask);
    Ok(if full(side, mask) || all_come { None } else { Some(mask) })
}

/// A collective operation of the lanes here; its results, as [`Collective`] lists them. Where lanes wait for others that may be elsewhere, that is
/// noted.
///
/// # Errors
/// Lanes that may not be together.
pub fn collective<R: Name>(
    side: &mut Side<'_, R>,
    op: Collective,
    arguments: &[TermId],
) -> Result<Vec<TermId>, Trap> {
    let block = matches!(op, Collective::Barrier(_));
    let waits = match op {
        Collective::Shuffle(_) | Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => {
            true
        }
        Collective::Elect | Collective::WarpSync | Collective::Barrier(_) => true,
        Collective::Mma(_)
        | Collective::MatrixLoad(_)
        | Collective::MatrixStore(_)
        | Collective::MatrixTranspose
        | Collective::ActiveMask => false,
    };
    let unpaid = |side: &Side<'_, R>| {
        let here = side.path.gathered.filter(|g| g.0 == side.path.piece);
        here.is_some_and(|g| side.owed.get(&g.0).is_some_and(|o| !o.1))
    };
    if block && side.machine && unpaid(side) {
        return unsupported(
            "convergence: a barrier of the block between lanes that wait and what they wait for",
        );
    }
    let before = side.events.len();
    let results = perform(side, op, arguments)?;
    if waits && (block || side.path.parted) {
        // Barriers of the block wait by themselves.
        let own = if block { 1 << 32 | before as u64 } else { side.path.piece.into() };
        side.events[before..].iter_mut().for_each(|e| e.waits = Some(own));
        if block && side.machine {
            side.path.met.insert(Wait::At(own));
        }
    }
    if waits && side.path.parted {
        side.path.stopped |= block;
        side.path.waited |= !block;
    }
    Ok(results)
}

/// A lane is in the mask that it names: where it is not, the source is undefined (PTX ISA, "bar.warp.sync", "shfl.sync" and their kin), and what
/// the hardware does at a `WARPSYNC` is not known. Other instructions of the target name nobody.
pub fn names_itself<R: Name>(side: &mut Side<'_, R>, mask: TermId) {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    if inputs.known(mask) == Some(0xffff_ffff) {
        return;
    }
    let own = d.extract(&d.binary(BinaryOp::LShr, &mask, &inputs.laneid()), 0, 1);
    let missing = inputs.normal.of(d.and(&side.happens(), &d.not(&own)));
    match side.machine {
        _ if inputs.known(missing) == Some(0) => {}
        true => side.demands.push((missing, side.place)),
        false => side.undefined.push(missing),
    }
}

/// What the source leaves undefined of a barrier of the block and the number of its threads (PTX ISA, "bar"): operand a names one of 16 barriers, operand b is a multiple
/// of the warp's size, and no more threads take part than a block may have (1,024, CUDA C++ Programming Guide, "Compute capabilities").
fn undefined_barrier<R: Name>(side: &mut Side<'_, R>, barrier: TermId, threads: TermId) {
    let d = side.inputs.terms;
    let above = |t: &TermId, most: u128| d.compare(CompareOp::ULt, &d.constant(32, most), t);
    let part = d.not(&d.eq(&d.extract(&threads, 0, 5), &d.constant(5, 0)));
    for wrong in [above(&barrier, 15), part, above(&threads, 1024)] {
        let wrong = side.inputs.normal.of(d.and(&side.happens(), &wrong));
        if side.inputs.known(wrong) != Some(0) {
            side.undefined.push(wrong);
        }
    }
}

/// A product of matrices: one of integers as the smaller ones that it is the sum of, any other as it is.
fn matrix_product<R: Name>(
    side: &mut Side<'_, R>,
    mma: &Mma,
    arguments: &[TermId],
) -> Result<Vec<TermId>, Trap> {
    let d = side.inputs.terms;
    let zero = d.constant(32, 0);
    let is_zero = |factor: &TermId| d.is_zero_in(*factor, 0, 32);
    let split = products(d, mma, arguments, is_zero, |(small, [a, b])| {
        let results = side.event(Action::Mma(small), &[a, b, zero, zero], &[32, 32], false);
        <[TermId; 2]>::try_from(results).map_err(|_| Trap::Unsupported("a product of two registers".into()))
    })?;
    if let Some(results) = split {
        return Ok(results);
    }
    let widths = vec![mma.d.register(); mma.registers(Operand::D) as usize];
    Ok(side.event(Action::Mma(*mma), arguments, &widths, false))
}

fn perform<R: Name>(
    side: &mut Side<'_, R>,
    op: Collective,
    arguments: &[TermId],
) -> Result<Vec<TermId>, Trap> {
    let d = side.inputs.terms;
    side.assumed.insert(crate::assumption::Assumption::Conv);
    if matches!(op, Collective::Barrier(_)) {
        if side.machine && (side.path.parted || !side.inputs.is_uniform(side.guard)) {
            side.wait_outside();
        }
        if !side.machine {
            undefined_barrier(side, arguments[0], arguments[1]);
        }
    }
    if op == Collective::ActiveMask && side.unasked.lanes {
        return Ok(vec![side.somebody()]);
    }
    let mask = match op {
        Collective::Shuffle(_) => arguments.get(3),
        Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => arguments.get(1),
        Collective::Elect | Collective::WarpSync => arguments.first(),
        Collective::Mma(_)
        | Collective::MatrixLoad(_)
        | Collective::MatrixStore(_)
        | Collective::MatrixTranspose => {
            if side.machine {
                side.as_a_whole()?;
            }
            None
        }
        Collective::ActiveMask | Collective::Barrier(_) => None,
    };
    if let Some(mask) = mask.filter(|_| !side.machine) {
        names_itself(side, *mask);
    }
    let members = match mask {
        // A barrier of the warp waits by itself.
        Some(m) if side.machine && op == Collective::WarpSync => {
            let whole = !side.path.parted || side.inputs.known(*m) == Some(0xffff_ffff);
            (!whole).then_some(*m)
        }
        Some(m) => members(side, *m, matches!(op, Collective::Shuffle(_)))?,
        None => None,
    };
    let version = side.path.version;
    let own = side.path.stores.iter().any(|s| side.events[s.1].space == Space::Shared);
    let together = !side.path.parted && side.inputs.is_uniform(side.guard);
    let agree = together && arguments.first().is_some_and(|a| side.inputs.is_uniform(*a));
    let mut ask = |what: Action, n: usize, widths: &[u32], memory| {
        let all: Vec<TermId> = arguments[..n].iter().copied().chain(members).collect();
        side.event(what, &all, widths, memory)
    };
    Ok(match op {
        Collective::Shuffle(mode) => {
            // What is read of the lane, the clamp and the segment (PTX ISA, "shfl.sync": `b[4:0]`, `c[4:0]`, `c[12:8]`; SHFL's field has as many bits). Whatever
            // stands in the others, and an amount of 32 or more, asks for the same.
            let read = |t: TermId, bits: u128| side.inputs.normal.of(d.and(&t, &d.constant(32, bits)));
            let mut all = vec![arguments[0], read(arguments[1], 0x1f), read(arguments[2], 0x1f1f)];
            all.extend(members);
            side.event(Action::Shuffle(mode), &all, &[32, 1], false)
        }
        Collective::Match { all } => {
            let mut results = ask(Action::Match { all }, 1, &[32, 1], false);
            // All lanes come at once, with one value.
            if all && agree {
                results[1] = d.yes();
            }
            results
        }
        Collective::Redux(op) => ask(Action::Redux(op), 1, &[32], false),
        Collective::Elect => ask(Action::Elect, 0, &[32, 1], false),
        Collective::Mma(mma) => matrix_product(side, &mma, arguments)?,
        Collective::MatrixLoad(m) => {
            // A weak load: several may change places, and with stores of others they are ordered by what orders memory.
            let (what, widths) = (Action::MatrixLoad(m), vec![32; m.count as usize]);
            match own {
                true => ask(what, 1, &widths, true),
                false => side.event(what, &[arguments[0], version], &widths, false),
            }
        }
        Collective::MatrixStore(m) => ask(Action::MatrixStore(m), arguments.len(), &[], true),
        Collective::MatrixTranspose => ask(Action::MatrixTranspose, 1, &[32], false),
        Collective::WarpSync => ask(Action::WarpSync, 0, &[], true),
        Collective::ActiveMask => side.event(Action::Vote, &[d.yes()], &[32, 1, 1, 1], false),
        Collective::Vote(mode) => {
            let all = ask(Action::Vote, 1, &[32, 1, 1, 1], false);
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
            ask(Action::Barrier(mode), results.1, results.0, true)
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
    let (acquires, releases) = match access.ordering {
        Ordering::Relaxed | Ordering::Weak => (false, false),
        Ordering::Acquire => (true, false),
        Ordering::Release => (false, true),
        Ordering::AcquireRelease => (true, true),
        other => return unsupported(format!("an atomic of ordering {other:?}")),
    };
    let (space, address) = match access.space {
        Space::Global => (Space::Global, address),
        Space::Generic => {
            side.scattered = true;
            crate::trace::window::place(side, side.inputs.normal.of(address))?
        }
        Space::Shared if d.width(&address) > 32 => (Space::Shared, d.extract(&address, 0, 32)),
        Space::Shared => (Space::Shared, address),
        other => return unsupported(format!("an atomic in {other:?} memory")),
    };
    let address = match space {
        Space::Shared if d.width(&address) > 32 => d.extract(&address, 0, 32),
        Space::Local | Space::Const | Space::Param => {
            return unsupported(format!("an atomic in {space:?} memory"));
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
