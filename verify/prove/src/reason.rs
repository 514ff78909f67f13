//! Why nothing was shown.

use crate::places::places;
use sassafras_symbolic::obstacle::container::Container;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::evaluation::Evaluation;
use sassafras_symbolic::obstacle::events::Events;
use sassafras_symbolic::obstacle::nothing::Nothing;
use sassafras_symbolic::obstacle::place::Place;
use sassafras_symbolic::obstacle::replay::Replay;
use sassafras_symbolic::obstacle::{Advice, Located, Obstacle};
use std::fmt;
use std::ops::Deref;

/// What a reason is about, as far as the strategy looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No input meets the assumptions.
    Vacuous,
    /// Few inputs were found that meet the assumptions.
    FewInputs,
    /// The solver's example could not be shown in both executors.
    Replay,
    /// Values on a drawn input say otherwise than what was shown.
    Contradiction,
    /// Anything else, which decides nothing.
    Other,
}

impl Kind {
    fn of(obstacle: &Obstacle) -> Kind {
        match obstacle {
            Obstacle::Evaluation(evaluation) => match **evaluation {
                Evaluation::Vacuous {} => Kind::Vacuous,
                Evaluation::FewInputs { .. } => Kind::FewInputs,
                Evaluation::Contradicted { .. } | Evaluation::Miscounted { .. } => Kind::Contradiction,
                Evaluation::VacuousAtLast {} | Evaluation::Tangled { .. } => Kind::Other,
            },
            Obstacle::Replay(_) => Kind::Replay,
            Obstacle::Source(_)
            | Obstacle::Target(_)
            | Obstacle::Convergence(_)
            | Obstacle::Uniform(_)
            | Obstacle::Events(_)
            | Obstacle::Memory(_)
            | Obstacle::Freedom(_)
            | Obstacle::Container(_)
            | Obstacle::Effort(_)
            | Obstacle::Coverage(_)
            | Obstacle::Nothing(_)
            | Obstacle::Unevaluated(_)
            | Obstacle::Other(_) => Kind::Other,
        }
    }
}

/// An obstacle, where it was met, and its text for people, which decides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What it is about.
    pub kind: Kind,
    located: Located,
    text: String,
}

impl Reason {
    /// What a prover says in words that has no obstacles of its own: that of the lowering, or of the passes.
    pub fn other(said: &str) -> Reason {
        Obstacle::Other(said.into()).into()
    }

    /// The obstacle, and where it was met.
    pub fn located(&self) -> &Located {
        &self.located
    }

    /// The places in both sides that it is about, in the order of its text.
    pub fn places(&self) -> Vec<Place> {
        places(&self.located)
    }

    /// What is said of its kind of obstacle.
    pub fn advice(&self) -> &'static Advice {
        self.located.obstacle.advice()
    }

    /// Whether more iterations may help: too few inputs end within the bound.
    pub fn is_empty_within_bound(&self) -> bool {
        matches!(self.kind, Kind::Vacuous | Kind::FewInputs)
    }
}

impl From<Located> for Reason {
    fn from(located: Located) -> Reason {
        Reason { kind: Kind::of(&located.obstacle), text: located.to_string(), located }
    }
}

macro_rules! of_obstacles {
    ($($name:ident),*) => {
        $(impl From<$name> for Reason {
            fn from(obstacle: $name) -> Reason {
                Located::from(obstacle).into()
            }
        })*
    };
}

of_obstacles!(Obstacle, Container, Coverage, Effort, Evaluation, Events, Nothing, Replay);

impl Deref for Reason {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for Reason {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}
