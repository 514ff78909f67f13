//! Collectives: what the lanes of a group, or the threads of a block, do together.

use super::group::{Group, Wait};
use super::warp::Warp;
use crate::barrier::{Arrival, ArrivalError};
use crate::collective;
use crate::matrix;
use crate::memory::{number, range};
use crate::schedule::Block;
use sassafras_semantics::state::{BarrierMode, ShuffleMode};
use sassafras_semantics::{Bits, Collective, Concrete, Domain, Matrices, Space, Trap};
use smallvec::SmallVec;

/// The arguments of the participating lanes.
pub(super) struct Gathered {
    pub op: Collective,
    pub args: [SmallVec<[Bits; 4]>; 32],
    /// Lanes of the group whose guard holds.
    pub lanes: u32,
    /// They are within `WARPSYNC.COLLECTIVE`, or behind `WARPSYNC.EXCLUSIVE` (C10).
    pub alone: bool,
}

/// Why a collective of these lanes has no meaning. Lanes are masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Apart {
    /// An operation of the whole warp by some of its lanes.
    #[error("a matrix operation of the lanes {lanes:#010x} alone")]
    Matrix { lanes: u32 },
    /// A barrier of the block by some lanes of a warp.
    #[error(
        "a barrier of the block by the lanes {lanes:#010x} alone, while {elsewhere:#010x} of the warp are elsewhere"
    )]
    Barrier { lanes: u32, elsewhere: u32 },
    /// An arrival at a barrier of the block.
    #[error(transparent)]
    Arrival(#[from] ArrivalError),
}

/// What comes of a collective.
pub(super) enum End {
    /// Results by lane, in order.
    Results(Vec<(usize, SmallVec<[Bits; 2]>)>),
    /// The lanes block or go on as these parts of the group say.
    Parts(Vec<Group>),
}

fn words(gathered: &Gathered, argument: usize) -> [u128; 32] {
    std::array::from_fn(|lane| gathered.args[lane].get(argument).map_or(0, |v| v.bits()))
}

/// Results of the participating lanes.
fn each(g: &Gathered, mut f: impl FnMut(usize) -> SmallVec<[Bits; 2]>) -> End {
    End::Results(collective::lanes(g.lanes).map(|lane| (lane, f(lane))).collect())
}

/// Results of all lanes, in order.
fn of_lanes(of: Vec<Vec<Bits>>) -> End {
    End::Results(of.into_iter().enumerate().map(|(lane, all)| (lane, all.into())).collect())
}

/// Performs a collective of a group at `pc`.
pub(super) fn perform(
    d: &Concrete,
    warp: &mut Warp,
    block: &mut Block,
    g: &Gathered,
    pc: u64,
) -> Result<Result<End, Apart>, Trap> {
    let bits = |width, value: u32| d.constant(width, value.into());
    let first = words(g, 0);
    if g.op.of_whole_warp() && g.lanes != u32::MAX {
        return Ok(Err(Apart::Matrix { lanes: g.lanes }));
    }
    Ok(Ok(match g.op {
        Collective::Mma(mma) => {
            of_lanes(matrix::multiply(d, &mma, &std::array::from_fn(|lane| &g.args[lane][..]))?)
        }
        Collective::MatrixLoad(matrices) => load_matrix(block, matrices, &first)?,
        Collective::MatrixStore(matrices) => store_matrix(block, g, matrices, &first)?,
        Collective::MatrixTranspose => {
            let matrices = Matrices { count: 1, transpose: true };
            let rows = matrix::rows(Matrices { transpose: false, ..matrices }, |lane, _| first[lane]);
            of_lanes(matrix::spread(matrices, &rows))
        }
        Collective::Shuffle(mode) => shuffle(d, g, mode, &first),
        Collective::Vote(mode) => {
            let predicates = collective::lanes(g.lanes).fold(0, |m, l| m | u32::from(first[l] != 0) << l);
            let (ballot, decision) = collective::vote(mode, predicates, g.lanes);
            each(g, |_| [bits(32, ballot), bits(1, decision.into())].into_iter().collect())
        }
        Collective::Match { all: true } => {
            let (mask, equal) = collective::match_all(&first, g.lanes);
            each(g, |_| [bits(32, mask), bits(1, equal.into())].into_iter().collect())
        }
        Collective::Match { all: false } => each(g, |lane| {
            [bits(32, collective::match_any(&first, g.lanes, lane)), bits(1, 0)].into_iter().collect()
        }),
        Collective::Redux(op) => {
            let value = collective::redux(op, &first, g.lanes)?;
            each(g, |_| [bits(32, value)].into_iter().collect())
        }
        Collective::ActiveMask => each(g, |_| [bits(32, g.lanes)].into_iter().collect()),
        Collective::Elect => {
            let leader = collective::elect(g.lanes);
            each(g, |lane| [bits(32, leader), bits(1, (lane as u32 == leader).into())].into_iter().collect())
        }
        Collective::WarpSync => wait_for_lanes(g, pc, &first),
        Collective::Barrier(mode) => return Ok(arrive(warp, block, g, pc, mode).map(End::Parts)),
    }))
}

fn load_matrix(block: &Block, matrices: Matrices, addresses: &[u128; 32]) -> Result<End, Trap> {
    let mut rows = [0; 32];
    for lane in 0..8 * matrices.count as usize {
        let at = range(Space::Shared, block.shared.len(), addresses[lane] as u64, 16)?;
        rows[lane] = number(&block.shared[at]);
    }
    Ok(of_lanes(matrix::spread(matrices, &rows)))
}

fn store_matrix(
    block: &mut Block,
    g: &Gathered,
    matrices: Matrices,
    addresses: &[u128; 32],
) -> Result<End, Trap> {
    let word = |lane: usize, m: u32| g.args[lane].get(1 + m as usize).map_or(0, |v| v.bits());
    let rows = matrix::rows(matrices, word);
    for lane in 0..8 * matrices.count as usize {
        let at = range(Space::Shared, block.shared.len(), addresses[lane] as u64, 16)?;
        block.shared[at].copy_from_slice(&rows[lane].to_le_bytes());
    }
    Ok(End::Results(Vec::new()))
}

fn shuffle(d: &Concrete, g: &Gathered, mode: ShuffleMode, first: &[u128; 32]) -> End {
    let (b, c) = (words(g, 1), words(g, 2));
    each(g, |lane| {
        let (source, within) = collective::shuffle_source(mode, lane as u32, b[lane] as u32, c[lane] as u32);
        // A lane that does not execute the shuffle has no value to give.
        let value = if g.lanes >> (source & 31) & 1 != 0 {
            d.constant(32, u128::from(first[source as usize & 31] as u32))
        } else {
            d.undef(32, "a shuffle from a lane that does not take part")
        };
        [value, d.constant(1, within.into())].into_iter().collect()
    })
}

/// `WARPSYNC`: lanes wait for those of their masks.
fn wait_for_lanes(g: &Gathered, pc: u64, masks: &[u128; 32]) -> End {
    let mut parts: Vec<Group> = Vec::new();
    for lane in collective::lanes(g.lanes) {
        let wait = Some(Wait::Warp(masks[lane] as u32));
        match parts.iter_mut().find(|p| p.wait == wait) {
            Some(part) => part.lanes |= 1 << lane,
            None => parts.push(Group { pc, lanes: 1 << lane, wait, alone: None }),
        }
    }
    End::Parts(parts)
}

/// Lanes arrive at barriers of the block: at each those that name it, with the same number of threads.
fn arrive(
    warp: &Warp,
    block: &mut Block,
    g: &Gathered,
    pc: u64,
    mode: BarrierMode,
) -> Result<Vec<Group>, Apart> {
    let elsewhere = !g.lanes & !warp.exited;
    if elsewhere != 0 && !g.alone {
        // C14: what the hardware does then is not known. Lanes of a collective arrive for themselves: ptxas 13.0.88 sets one around each
        // `barrier` without `.aligned` to which lanes may come apart.
        return Err(Apart::Barrier { lanes: g.lanes, elsewhere });
    }
    let (barriers, threads, predicates) = (words(g, 0), words(g, 1), words(g, 2));
    let mut parts: Vec<(u128, u128, u32)> = Vec::new();
    for lane in collective::lanes(g.lanes) {
        match parts.iter_mut().find(|p| (p.0, p.1) == (barriers[lane], threads[lane])) {
            Some(part) => part.2 |= 1 << lane,
            None => parts.push((barriers[lane], threads[lane], 1 << lane)),
        }
    }
    let mut groups = Vec::new();
    for (barrier, threads, lanes) in parts {
        let predicates = collective::lanes(lanes).fold(0, |m, l| m | u32::from(predicates[l] != 0) << l);
        let (barrier, threads) = (barrier as u32, threads as u32);
        let arrival = Arrival { barrier, threads, lanes, existing: warp.existing, predicates };
        let ticket = block.barriers.arrive(&arrival)?;
        groups.push(match mode {
            BarrierMode::Arrive => Group { pc: pc + 1, lanes, wait: None, alone: None },
            _ => Group { pc, lanes, wait: Some(Wait::Block(ticket, mode)), alone: None },
        });
    }
    Ok(groups)
}
