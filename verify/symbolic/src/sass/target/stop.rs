//! Why a run does not go on.

use crate::obstacle::Obstacle;
use crate::obstacle::convergence::Convergence;
use crate::obstacle::coverage::Coverage;
use crate::obstacle::held::Held;
use crate::obstacle::target::Target;
use crate::obstacle::uniform::Uniform;
use sassafras_semantics::Trap;

/// Why an instruction is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Its meaning stopped: the obstacle is the one that the state keeps, if it made the trap.
    Trap(Trap),
    /// Something else.
    Obstacle(Obstacle),
}

impl Stop {
    /// What stands in the way.
    pub(super) fn obstacle(self, held: &Held) -> Obstacle {
        match self {
            Stop::Trap(trap) => held.behind(&trap, |form| Target::NoMeaning { form: form.into() }.into()),
            Stop::Obstacle(obstacle) => obstacle,
        }
    }
}

impl From<Trap> for Stop {
    fn from(trap: Trap) -> Stop {
        Stop::Trap(trap)
    }
}

impl From<Obstacle> for Stop {
    fn from(obstacle: Obstacle) -> Stop {
        Stop::Obstacle(obstacle)
    }
}

impl From<Convergence> for Stop {
    fn from(obstacle: Convergence) -> Stop {
        Stop::Obstacle(obstacle.into())
    }
}

impl From<Coverage> for Stop {
    fn from(obstacle: Coverage) -> Stop {
        Stop::Obstacle(obstacle.into())
    }
}

impl From<Target> for Stop {
    fn from(obstacle: Target) -> Stop {
        Stop::Obstacle(obstacle.into())
    }
}

impl From<Uniform> for Stop {
    fn from(obstacle: Uniform) -> Stop {
        Stop::Obstacle(obstacle.into())
    }
}
