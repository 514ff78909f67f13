//! Why the IR of an entry was neither shown to do what its PTX does, nor refuted.

use crate::side_error::SideError;
use sassafras_prove_passes::desk::Undecided;
use sassafras_prove_passes::malformed::Malformed;
use sassafras_solve::limit::Reached;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::obstacle::effort::Effort;
use std::fmt;

/// Why nothing was shown.
#[derive(Clone, Debug)]
pub enum Obstacle {
    /// Effort, time, or no solver.
    Effort(Effort),
    /// The IR is not well formed.
    Malformed(Malformed),
    /// The source is no PTX.
    NoPtx,
    /// There is no entry to hold the source against.
    NoEntry,
    /// The PTX cannot be run over terms.
    Source(Located),
    /// The IR cannot be run over terms.
    Target(SideError),
    /// Some blocks of the IR were reached by no iteration: more iterations may help.
    Coverage {
        /// Blocks that were reached.
        reached: usize,
        /// All of them.
        blocks: usize,
    },
    /// An obligation was not decided.
    Undecided(Undecided),
    /// The executors show no difference on the input that a solver found.
    Replay {
        /// What had to be shown.
        what: String,
    },
}

impl Obstacle {
    /// Its kind in a word, to count by.
    pub fn kind(&self) -> &'static str {
        match self {
            Obstacle::Effort(_) => "effort",
            Obstacle::Malformed(_) => "malformed",
            Obstacle::NoPtx | Obstacle::NoEntry => "no entry",
            Obstacle::Source(_) => "source",
            Obstacle::Target(_) => "target",
            Obstacle::Coverage { .. } => "coverage",
            Obstacle::Undecided(_) => "undecided",
            Obstacle::Replay { .. } => "replay",
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Effort(why) => why.fmt(f),
            Obstacle::Malformed(why) => why.fmt(f),
            Obstacle::NoPtx => f.write_str("no PTX"),
            Obstacle::NoEntry => f.write_str("no entry"),
            Obstacle::Source(why) => write!(f, "source, {why}"),
            Obstacle::Target(why) => write!(f, "target, {why}"),
            Obstacle::Coverage { reached, blocks } => {
                write!(f, "coverage: {reached} of {blocks} blocks of the IR are reached")
            }
            Obstacle::Undecided(why) => why.fmt(f),
            Obstacle::Replay { what } => {
                write!(f, "replay: {what}: the executors show no difference on the input")
            }
        }
    }
}

impl std::error::Error for Obstacle {}

impl From<Malformed> for Obstacle {
    fn from(why: Malformed) -> Obstacle {
        Obstacle::Malformed(why)
    }
}

impl From<Reached> for Obstacle {
    fn from(reached: Reached) -> Obstacle {
        Obstacle::Effort(match reached {
            Reached::Work => Effort::Work {},
            Reached::Time => Effort::Time {},
        })
    }
}
