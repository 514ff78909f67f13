//! Assumptions that no input meets, and what the evaluation on drawn inputs says.

use crate::obstacles;
use std::fmt;

/// How the sides differ on an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The hardware does not take an access of the target.
    Faults,
    /// The target rests on what is undefined.
    Undefined,
    /// The stores differ.
    Stores,
    /// The events that others see differ.
    Events,
    /// One side traps.
    Traps,
    /// The target accesses an address that the source does not.
    Access(u64),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Faults => f.write_str("the hardware faults"),
            Difference::Undefined => f.write_str("the target depends on what is undefined"),
            Difference::Stores => f.write_str("the stores differ"),
            Difference::Events => f.write_str("the events differ"),
            Difference::Traps => f.write_str("one side traps"),
            Difference::Access(at) => write!(f, "the target accesses {at:#x}, the source does not"),
        }
    }
}

/// How the loops of a source that was left unfinished contradict the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miscount {
    /// A loop is followed for more returns to its head than the bound.
    Beyond {
        /// Returns.
        returns: u32,
        /// The bound.
        bound: u32,
    },
    /// Lanes are left at a place, by its number, where no loop is past the bound.
    Early {
        /// The place.
        place: u64,
        /// The bound.
        bound: u32,
    },
}

impl fmt::Display for Miscount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Miscount::Beyond { returns, bound } => {
                write!(f, "a loop is followed for {returns} returns to its head, and the bound is {bound}")
            }
            Miscount::Early { place, bound } => {
                write!(f, "place {place} is left where no loop is past its bound of {bound}")
            }
        }
    }
}

impl std::error::Error for Miscount {}

const VACUOUS: &str = "no input meets what is assumed of the source: its loops do not end within the unroll bound, or all that it does rests on what nobody wrote";
const MORE: &str = "`--unroll N` with a larger N; `.reqntid` in the PTX where the kernel is meant for one shape of blocks; `sassafras run` on the PTX names registers that were never written";
const REPORT: &str = "report it, with both files";

obstacles! {
    /// Nothing to prove, or inputs that say otherwise.
    Evaluation;
    /// The assumptions contradict each other.
    Vacuous {} = "U0101" "vacuous: the assumptions contradict each other", VACUOUS, MORE;
    /// They do in the end, to the solver that proved all.
    VacuousAtLast {} = "U0102" "vacuous: to the solver the assumptions contradict each other",
        "all was proved, and the solver that did so finds no input that meets what is assumed of the source: it would prove anything", MORE;
    /// So few inputs were found that meet the assumptions.
    FewInputs {
        /// How many.
        count: u32,
    } = "U0103" "evaluation: only {count} inputs meet the assumptions",
        "before a proof is told both sides are evaluated on drawn inputs; too few of these meet what is assumed of the source",
        "`--unroll N`, if loops take more iterations; `.reqntid` in the PTX, if the kernel is meant for one shape of blocks";
    /// On a drawn input lanes may wait for ever, which was shown to be impossible.
    Tangled {
        /// Which input.
        input: u64,
    } = "U0104" "evaluation: convergence: lanes may wait for ever: input {input}",
        "on a drawn input lanes of the target may wait at convergence barriers for ever",
        "look at the `BSSY`, `BSYNC` and `BREAK` of the target (docs/convergence.md)";
    /// On a drawn input the sides differ, and all was proved.
    Contradicted {
        /// Which input.
        input: u64,
        /// How they differ.
        difference: Difference,
    } = "U0105" "evaluation contradicts the solver: input {input}: {difference}",
        "all obligations were shown, and a drawn input says otherwise: the prover is wrong in one of the two", REPORT;
    /// Loops of the source were left elsewhere than the bound says.
    Miscounted {
        /// Where.
        because: Miscount,
    } = "U0106" "coverage contradicts the bound: {because}",
        "where the source was left unfinished is not where the bound leaves it: the prover is wrong about its loops", REPORT;
}
