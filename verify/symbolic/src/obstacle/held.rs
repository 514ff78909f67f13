//! The obstacle behind a trap: step functions hand on a trap, which has a text alone, and the state that made it keeps what it is.

use super::target::Target;
use super::whole::Obstacle;
use sassafras_semantics::Trap;
use std::cell::RefCell;

/// What stands behind the texts of traps.
const SUFFIX: &str = " is not supported";

/// The last obstacle that a state made a trap of.
#[derive(Debug, Default)]
pub struct Held(RefCell<Option<Obstacle>>);

impl Held {
    /// A trap for an obstacle, which is kept.
    pub fn trap(&self, obstacle: impl Into<Obstacle>) -> Trap {
        let obstacle = obstacle.into();
        let text = obstacle.to_string();
        self.0.replace(Some(obstacle));
        Trap::Unsupported(text.strip_suffix(SUFFIX).unwrap_or(&text).to_owned())
    }

    /// The obstacle behind a trap: that which was kept, if it is its; else `form`, of what a step function has no meaning for.
    pub fn behind(&self, trap: &Trap, form: impl Fn(&str) -> Obstacle) -> Obstacle {
        match trap {
            Trap::Unsupported(what) => {
                let text = trap.to_string();
                let kept = self.0.take().filter(|kept| {
                    let own = kept.to_string();
                    own == text || own == *what
                });
                kept.unwrap_or_else(|| form(what))
            }
            Trap::OutOfBounds { .. }
            | Trap::Misaligned { .. }
            | Trap::Trapped
            | Trap::Poison(_)
            | Trap::Overwritten(_) => Target::Stopped { said: trap.to_string().into() }.into(),
        }
    }
}
