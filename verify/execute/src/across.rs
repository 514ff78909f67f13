//! What lanes ask of each other: the results of a collective for each lane that takes part, from what each of them asks.
//!
//! Both the executor of PTX and that of the IR ask in the words of [`Collective`]; who takes part is theirs to say.

use crate::collective::{self, lanes};
use crate::matrix;
use crate::memory::address::{number, range};
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::{Collective, Domain, Matrices, Space, Trap};
use smallvec::{SmallVec, smallvec};

/// What a lane asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asks<'a> {
    /// The lane.
    pub lane: usize,
    /// Its arguments, in the order that [`Collective`] names.
    pub arguments: &'a [Bits],
}

/// A lane's results, in the order that [`Collective`] names.
pub(crate) type Results = SmallVec<[Option<Bits>; 2]>;

/// What a lane is given: its number, its results, and whether they are open.
pub(crate) type Given = (usize, Results, bool);

/// The member mask among a collective's arguments; `None` for a form without.
pub(crate) fn member_mask(op: Collective, arguments: &[Bits]) -> Option<u32> {
    let index = match op {
        Collective::Shuffle(_) => 3,
        Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => 1,
        Collective::Elect | Collective::WarpSync => 0,
        // A warp of fewer threads has no matrices: who is missing is found when the others are there.
        op if op.of_whole_warp() => return Some(u32::MAX),
        _ => return None,
    };
    arguments.get(index).map(|v| v.bits() as u32)
}

/// The results of a collective for each participant.
///
/// # Errors
/// What has no meaning, and faults of matrices in shared memory.
pub(crate) fn evaluate(
    d: &Concrete,
    shared: &mut [u8],
    op: Collective,
    asked: &[Asks<'_>],
    participants: u32,
) -> Result<Vec<Given>, Trap> {
    if op.of_whole_warp() {
        return matrices(d, shared, op, asked, participants);
    }
    let mut values = [0u128; 32];
    for a in asked {
        values[a.lane] = a.arguments.first().map_or(0, |v| v.bits());
    }
    let word = |v: u32| Some(Bits::new(32, v.into()));
    let bit = |v: bool| Some(Bits::new(1, v.into()));
    let predicates = lanes(participants).filter(|&l| values[l] & 1 != 0).fold(0u32, |m, l| m | 1 << l);
    let mut all = Vec::with_capacity(asked.len());
    for a in asked {
        let argument = |i: usize| a.arguments.get(i).map_or(0, |v| v.bits() as u32);
        let mut open = false;
        let results: Results = match op {
            Collective::Shuffle(mode) => {
                let (source, in_range) =
                    collective::shuffle_source(mode, a.lane as u32, argument(1), argument(2));
                let value = if participants >> source & 1 != 0 {
                    Bits::new(32, values[source as usize])
                } else {
                    open = true;
                    d.undef(32, "shuffle from a lane that does not take part")
                };
                smallvec![Some(value), bit(in_range)]
            }
            Collective::Vote(mode) => {
                let (ballot, decision) = collective::vote(mode, predicates, participants);
                smallvec![word(ballot), bit(decision)]
            }
            Collective::Match { all: true } => {
                let (mask, equal) = collective::match_all(&values, participants);
                smallvec![word(mask), bit(equal)]
            }
            Collective::Match { all: false } => {
                smallvec![word(collective::match_any(&values, participants, a.lane))]
            }
            Collective::Redux(op) => smallvec![word(collective::redux(op, &values, participants)?)],
            Collective::ActiveMask => smallvec![word(participants)],
            Collective::Elect => {
                let leader = collective::elect(participants);
                smallvec![word(leader), bit(leader == a.lane as u32)]
            }
            _ => SmallVec::new(),
        };
        all.push((a.lane, results, open));
    }
    Ok(all)
}

/// The matrix operations, which are of all 32 lanes.
fn matrices(
    d: &Concrete,
    shared: &mut [u8],
    op: Collective,
    asked: &[Asks<'_>],
    participants: u32,
) -> Result<Vec<Given>, Trap> {
    if participants != u32::MAX || asked.len() != 32 {
        return Err(Trap::Unsupported(format!("a matrix operation of the lanes {participants:#010x} alone")));
    }
    let mut lanes: matrix::Lanes<'_> = [&[]; 32];
    for a in asked {
        lanes[a.lane] = a.arguments;
    }
    let first = |lane: usize| lanes[lane].first().map_or(0, |v| v.bits());
    let size = shared.len();
    let row = |lane: usize| range(Space::Shared, size, first(lane) as u64, 16);
    let results = match op {
        Collective::Mma(mma) => matrix::multiply(d, &mma, &lanes)?,
        Collective::MatrixLoad(matrices) => {
            let mut rows = [0; 32];
            for (lane, bits) in rows.iter_mut().enumerate().take(8 * matrices.count as usize) {
                *bits = number(&shared[row(lane)?]);
            }
            matrix::spread(matrices, &rows)
        }
        Collective::MatrixStore(matrices) => {
            let word = |lane: usize, m: u32| lanes[lane].get(1 + m as usize).map_or(0, |v| v.bits());
            let rows = matrix::rows(matrices, word);
            for (lane, bits) in rows.iter().enumerate().take(8 * matrices.count as usize) {
                shared[row(lane)?].copy_from_slice(&bits.to_le_bytes());
            }
            Vec::new()
        }
        _ => {
            let rows = matrix::rows(Matrices { count: 1, transpose: false }, |lane, _| first(lane));
            matrix::spread(Matrices { count: 1, transpose: true }, &rows)
        }
    };
    Ok(results
        .into_iter()
        .enumerate()
        .map(|(lane, all)| (lane, all.into_iter().map(Some).collect(), false))
        .collect())
}
