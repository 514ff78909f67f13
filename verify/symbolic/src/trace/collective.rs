//! What is asked of several lanes at once, as events: the same names and operands on both sides.

use crate::obstacle::Obstacle;
use crate::obstacle::convergence::Convergence;
use crate::obstacle::target::Target;
use crate::trace::action::Action;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::matrix::{Operand, split::products};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{BinaryOp, Collective, CompareOp, Domain, Matrices, Mma, Space, TermId};

/// The lanes that take part in what is asked of several: none is said where it is all that have not ended, else their mask. `mask` is
/// what the source names; the target's instructions name nobody.
///
/// # Errors
/// Lanes of the target that may not be together.
fn members<R: Name>(
    side: &mut Side<'_, R>,
    mask: TermId,
    shuffle: bool,
) -> Result<Option<TermId>, Convergence> {
    if side.machine {
        let (lanes, warp, here) = side.lanes();
        return lanes.members(warp, &here, shuffle);
    }
    let alone = side.alone();
    let (lanes, warp, here) = side.lanes();
    Ok(lanes.named(warp, &here, mask, alone))
}

/// Whether lanes wait for others at an operation.
fn waits(op: Collective) -> bool {
    match op {
        Collective::Shuffle(_) | Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => {
            true
        }
        Collective::Elect | Collective::WarpSync | Collective::Barrier(_) => true,
        Collective::Mma(_)
        | Collective::MatrixLoad(_)
        | Collective::MatrixStore(_)
        | Collective::MatrixTranspose
        | Collective::ActiveMask => false,
    }
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
) -> Result<Vec<TermId>, Obstacle> {
    let block = matches!(op, Collective::Barrier(_));
    if block && side.machine {
        side.path.lanes.owe_nothing(&side.warp)?;
    }
    let before = side.log.events.len();
    let results = perform(side, op, arguments)?;
    if waits(op)
        && let Some(own) = side.path.lanes.wait(block, before, side.machine)
    {
        side.log.events[before..].iter_mut().for_each(|e| e.waits = Some(own));
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
    match side.machine {
        true => side.demand_not(d.not(&own)),
        false => side.undefined_where(d.not(&own)),
    }
}

/// What the source leaves undefined of a barrier of the block and the number of its threads (PTX ISA, "bar"): operand a names one of 16 barriers, operand b is a multiple
/// of the warp's size, and no more threads take part than a block may have (1,024, CUDA C++ Programming Guide, "Compute capabilities").
fn undefined_barrier<R: Name>(side: &mut Side<'_, R>, barrier: TermId, threads: TermId) {
    let d = side.inputs.terms;
    let above = |t: &TermId, most: u128| d.compare(CompareOp::ULt, &d.constant(32, most), t);
    let part = d.not(&d.eq(&d.extract(&threads, 0, 5), &d.constant(5, 0)));
    for wrong in [above(&barrier, 15), part, above(&threads, 1024)] {
        side.undefined_where(wrong);
    }
}

/// A product of matrices: one of integers as the smaller ones that it is the sum of, any other as it is.
fn matrix_product<R: Name>(
    side: &mut Side<'_, R>,
    mma: &Mma,
    arguments: &[TermId],
) -> Result<Vec<TermId>, Obstacle> {
    let d = side.inputs.terms;
    let zero = d.constant(32, 0);
    let is_zero = |factor: &TermId| d.is_zero_in(*factor, 0, 32);
    let split = products(d, mma, arguments, is_zero, |(small, [a, b])| {
        let results = side.event(Action::Mma(small), &[a, b, zero, zero], &[32, 32], false);
        <[TermId; 2]>::try_from(results)
            .map_err(|_| Target::NoMeaning { form: "a product of two registers".into() })
    })?;
    if let Some(results) = split {
        return Ok(results);
    }
    let widths = vec![mma.d.register(); mma.registers(Operand::D) as usize];
    Ok(side.event(Action::Mma(*mma), arguments, &widths, false))
}

/// The mask that an operation names, if it names one.
fn mask_of(op: Collective, arguments: &[TermId]) -> Option<TermId> {
    match op {
        Collective::Shuffle(_) => arguments.get(3).copied(),
        Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => arguments.get(1).copied(),
        Collective::Elect | Collective::WarpSync => arguments.first().copied(),
        Collective::Mma(_)
        | Collective::MatrixLoad(_)
        | Collective::MatrixStore(_)
        | Collective::MatrixTranspose
        | Collective::ActiveMask
        | Collective::Barrier(_) => None,
    }
}

/// What has to hold of the lanes here, and which take part if not all do.
///
/// # Errors
/// Lanes that may not be together.
fn convene<R: Name>(
    side: &mut Side<'_, R>,
    op: Collective,
    arguments: &[TermId],
) -> Result<Option<TermId>, Convergence> {
    match op {
        Collective::Barrier(_) if side.machine => {
            let (lanes, warp, here) = side.lanes();
            lanes.wait_outside(warp, &here);
        }
        Collective::Barrier(_) => undefined_barrier(side, arguments[0], arguments[1]),
        Collective::Mma(_)
        | Collective::MatrixLoad(_)
        | Collective::MatrixStore(_)
        | Collective::MatrixTranspose
            if side.machine =>
        {
            side.as_a_whole()?;
        }
        _ => {}
    }
    let Some(mask) = mask_of(op, arguments) else { return Ok(None) };
    if !side.machine {
        names_itself(side, mask);
    } else if op == Collective::WarpSync {
        // A barrier of the warp waits by itself.
        let whole = !side.path.lanes.are_apart() || side.inputs.known(mask) == Some(0xffff_ffff);
        return Ok((!whole).then_some(mask));
    }
    members(side, mask, matches!(op, Collective::Shuffle(_)))
}

/// A load of matrices. It is a weak load: several may change places, and with stores of others they are ordered by what orders memory.
fn matrix_load<R: Name>(side: &mut Side<'_, R>, matrices: Matrices, address: TermId) -> Vec<TermId> {
    let (what, widths) = (Action::MatrixLoad(matrices), vec![32; matrices.count as usize]);
    if side.path.stores.iter().any(|s| side.log.events[s.1].space == Space::Shared) {
        return side.event(what, &[address], &widths, true);
    }
    let version = side.path.version;
    side.event(what, &[address, version], &widths, false)
}

/// A shuffle. What is read of the lane, the clamp and the segment (PTX ISA, "shfl.sync": `b[4:0]`, `c[4:0]`, `c[12:8]`; SHFL's field has as many bits): whatever
/// stands in the others, and an amount of 32 or more, asks for the same.
fn shuffle<R: Name>(
    side: &mut Side<'_, R>,
    mode: ShuffleMode,
    arguments: &[TermId],
    members: Option<TermId>,
) -> Vec<TermId> {
    let d = side.inputs.terms;
    let read = |t: TermId, bits: u128| side.inputs.normal.of(d.and(&t, &d.constant(32, bits)));
    let mut all = vec![arguments[0], read(arguments[1], 0x1f), read(arguments[2], 0x1f1f)];
    all.extend(members);
    side.event(Action::Shuffle(mode), &all, &[32, 1], false)
}

fn perform<R: Name>(
    side: &mut Side<'_, R>,
    op: Collective,
    arguments: &[TermId],
) -> Result<Vec<TermId>, Obstacle> {
    let d = side.inputs.terms;
    side.log.assumed.insert(crate::assumption::Assumption::Conv);
    if op == Collective::ActiveMask && side.reading.unasked.lanes {
        return Ok(vec![side.somebody()]);
    }
    let members = convene(side, op, arguments)?;
    let together = !side.path.lanes.are_apart() && side.inputs.is_uniform(side.guard);
    let agree = together && arguments.first().is_some_and(|a| side.inputs.is_uniform(*a));
    let mut ask = |what: Action, n: usize, widths: &[u32], memory| {
        let all: Vec<TermId> = arguments[..n].iter().copied().chain(members).collect();
        side.event(what, &all, widths, memory)
    };
    Ok(match op {
        Collective::Shuffle(mode) => shuffle(side, mode, arguments, members),
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
        Collective::MatrixLoad(m) => matrix_load(side, m, arguments[0]),
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
