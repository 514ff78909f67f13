//! An obstacle of any group, and where it was met.

use super::container::Container;
use super::convergence::Convergence;
use super::coverage::Coverage;
use super::effort::Effort;
use super::evaluation::Evaluation;
use super::events::Events;
use super::freedom::Freedom;
use super::memory::Memory;
use super::nothing::Nothing;
use super::page::Advice;
use super::place::{Place, Position, Side};
use super::replay::Replay;
use super::source::Source;
use super::target::Target;
use super::uniform::Uniform;
use std::fmt;

macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident),* $(,)?) => {
        /// Why nothing was shown.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Obstacle {
            $($(#[$doc])* $group(Box<$group>),)*
            /// One that the second run of both sides met, on raw terms, before they were evaluated.
            Unevaluated(Box<Located>),
            /// One of a prover that says what stands in its way in words: that of the lowering or of the passes.
            Other(Box<str>),
        }

        $(impl From<$group> for Obstacle {
            fn from(obstacle: $group) -> Obstacle {
                Obstacle::$group(Box::new(obstacle))
            }
        }

        impl From<$group> for Located {
            fn from(obstacle: $group) -> Located {
                Obstacle::from(obstacle).into()
            }
        })*

        impl Obstacle {
            /// What is said of its kind.
            pub fn advice(&self) -> &'static Advice {
                match self {
                    $(Obstacle::$group(obstacle) => obstacle.advice(),)*
                    Obstacle::Unevaluated(_) => &UNEVALUATED,
                    Obstacle::Other(_) => &OTHER,
                }
            }
        }

        impl fmt::Display for Obstacle {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Obstacle::$group(obstacle) => obstacle.fmt(f),)*
                    Obstacle::Unevaluated(located) => write!(f, "evaluation: {located}"),
                    Obstacle::Other(said) => f.write_str(said),
                }
            }
        }

        /// What is said of each kind of obstacle, in the order of their codes.
        pub fn all() -> impl Iterator<Item = &'static Advice> {
            let groups = [$($group::ALL),*, &[UNEVALUATED, OTHER]];
            let mut all: Vec<&'static Advice> = groups.into_iter().flatten().collect();
            all.sort_by_key(|advice| advice.code);
            all.into_iter()
        }
    };
}

groups! {
    /// Assumptions that no input meets, and inputs that say otherwise.
    Evaluation,
    /// A source that is not followed.
    Source,
    /// Code that is not followed.
    Target,
    /// Lanes that may be apart, or wait for ever.
    Convergence,
    /// Registers that all lanes of a warp share.
    Uniform,
    /// Events that others see.
    Events,
    /// Accesses of memory.
    Memory,
    /// What the source leaves open.
    Freedom,
    /// What stands beside the code.
    Container,
    /// Effort, time and solvers.
    Effort,
    /// Loops, and ways that have to be gone.
    Coverage,
    /// Examples that show nothing.
    Replay,
    /// Sides between which there is nothing to compare.
    Nothing,
}

const UNEVALUATED: Advice = Advice {
    code: "U0107",
    text: "evaluation: {located}",
    means: "a drawn input was to be evaluated on both sides, and could not be",
    hint: "report it, with both files, if what follows names nothing that you know",
};

/// What is said of an obstacle of another prover.
pub const OTHER: Advice = Advice {
    code: "U1401",
    text: "{said}",
    means: "a pass, or the lowering, was not shown to keep what the function before it does",
    hint: "`sassafras prove` on the PTX and the cubin looks at the whole of the way",
};

/// What is said of the kind with a code; none if there is no such code.
pub fn explained(code: &str) -> Option<&'static Advice> {
    all().find(|advice| advice.code == code)
}

/// An obstacle, and where it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Where, as far as that is known.
    pub position: Position,
    /// What it is.
    pub obstacle: Obstacle,
}

impl Located {
    /// At a line of PTX.
    pub fn at_line(line: u32, obstacle: impl Into<Obstacle>) -> Located {
        let place = Some(Place::Line(line.into()));
        Located { position: Position { side: None, place, text: None }, obstacle: obstacle.into() }
    }

    /// The same on one of two sides.
    pub fn on(mut self, side: Side) -> Located {
        self.position.side = Some(side);
        self
    }
}

impl From<Obstacle> for Located {
    fn from(obstacle: Obstacle) -> Located {
        Located { position: Position::default(), obstacle }
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.position, self.obstacle)
    }
}

impl std::error::Error for Located {}
