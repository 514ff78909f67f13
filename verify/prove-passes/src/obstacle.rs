//! Why a function after a pass was neither shown to keep what the one before does, nor refuted.

use super::desk::Undecided;
use super::malformed::Malformed;
use super::meaning::Who;
use super::side_error::SideError;
use sassafras_symbolic::obstacle::effort::Effort;
use std::fmt;

/// What an input that a solver found shows when both functions are run on it, where that is no difference.
#[derive(Debug)]
pub(crate) enum Replayed {
    /// Both functions do the same.
    Same,
    /// Nothing; why.
    Nothing(String),
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replayed::Same => f.write_str("both functions do the same on that input"),
            Replayed::Nothing(why) => f.write_str(why),
        }
    }
}

/// Why nothing was shown.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// Name, parameters or directives differ.
    Signature,
    /// One of the functions is not well formed.
    Malformed(Who, Malformed),
    /// An operation that others see is expanded into another.
    Events {
        /// What there was.
        gone: String,
        /// What there is instead.
        new: String,
    },
    /// An operation is expanded into a sequence that is right within bounds.
    Approximation,
    /// Effort, time, or no solver.
    Effort(Effort),
    /// There are no blocks at which both functions are cut.
    NoCuts,
    /// Relations at cuts did not settle.
    NoRelation {
        /// After how many iterations.
        rounds: usize,
    },
    /// A block is run twice between cuts.
    RunTwice,
    /// Some blocks were reached by no iteration.
    Unreached {
        /// Blocks that were reached.
        reached: u32,
        /// All of them.
        blocks: u32,
    },
    /// An obligation does not hold for values with which it is not known that lanes come there.
    NotShown {
        /// What had to be shown.
        what: String,
    },
    /// Lanes come to a cut at which nothing is said to hold.
    CutWithoutRelation,
    /// A relation at a cut cannot be held against what lanes bring there.
    Relation(SideError),
    /// One side cannot be run.
    Side(Who, SideError),
    /// An obligation was not decided.
    Undecided(Undecided),
    /// The input that a solver found shows no difference.
    Replay {
        /// What had to be shown.
        what: String,
        /// What the input shows.
        shown: Replayed,
    },
    /// Neither by induction nor within the bound.
    Within {
        /// Why not by induction.
        induction: Box<Obstacle>,
        /// The bound: how often lanes return to the head of a loop.
        rounds: u32,
        /// Why not within it.
        bounded: Box<Obstacle>,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Signature => f.write_str("signature: name, parameters or directives differ"),
            Obstacle::Malformed(who, why) => write!(f, "{who}: {why}"),
            Obstacle::Events { gone, new } => write!(f, "events: `{new}` takes the place of `{gone}`"),
            Obstacle::Approximation => {
                f.write_str("approximation: an operation is expanded into a sequence that rests on bounds")
            }
            Obstacle::Effort(why) => why.fmt(f),
            Obstacle::NoCuts => f.write_str("loops: there are no blocks at which both are cut"),
            Obstacle::NoRelation { rounds } => write!(f, "loops: no relation after {rounds} iterations"),
            Obstacle::RunTwice => f.write_str("loops: a block is run twice between cuts"),
            Obstacle::Unreached { reached, blocks } => {
                write!(f, "coverage: {reached} of {blocks} blocks are reached")
            }
            Obstacle::NotShown { what } => write!(f, "not shown: {what}"),
            Obstacle::CutWithoutRelation => f.write_str("a cut without a relation"),
            Obstacle::Relation(why) => why.fmt(f),
            Obstacle::Side(who, why) => write!(f, "{who}, {why}"),
            Obstacle::Undecided(why) => why.fmt(f),
            Obstacle::Replay { what, shown } => write!(f, "replay: {what}: {shown}"),
            Obstacle::Within { induction, rounds, bounded } => {
                write!(f, "{induction}; within {rounds}: {bounded}")
            }
        }
    }
}

impl std::error::Error for Obstacle {}

impl From<Undecided> for Obstacle {
    fn from(why: Undecided) -> Obstacle {
        Obstacle::Undecided(why)
    }
}
