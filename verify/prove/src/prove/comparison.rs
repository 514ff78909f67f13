//! Both sides under a plan, while what has to hold between them is asked.

use super::discharge::{Open, Premises};
use super::evaluated::Evaluated;
use super::plan::Plan;
use super::sides::Run;
use super::task::Task;
use crate::obligation::Obligation;
use crate::reason::Reason;
use crate::verdict::Counterexample;
use rustc_hash::FxHashMap;
use sassafras_semantics::TermId;
use sassafras_symbolic::choice::Choice;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::container::Container;
use sassafras_symbolic::obstacle::convergence::Convergence;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::evaluation::Evaluation;
use sassafras_symbolic::obstacle::events::Events;
use sassafras_symbolic::obstacle::memory::Memory;
use sassafras_symbolic::obstacle::source::Source;
use sassafras_symbolic::obstacle::{Located, Obstacle};

/// Why a check does not hold, or is not known to.
pub enum Stop {
    /// Nothing was shown, and why.
    Unknown(Reason),
    /// Both executors show that the sides differ.
    Refuted(Box<Counterexample>),
}

impl From<Reason> for Stop {
    fn from(why: Reason) -> Stop {
        Stop::Unknown(why)
    }
}

impl From<Located> for Stop {
    fn from(why: Located) -> Stop {
        Stop::Unknown(why.into())
    }
}

impl From<Obstacle> for Stop {
    fn from(why: Obstacle) -> Stop {
        Stop::Unknown(why.into())
    }
}

macro_rules! of_obstacles {
    ($($name:ident),*) => {
        $(impl From<$name> for Stop {
            fn from(why: $name) -> Stop {
                Obstacle::from(why).into()
            }
        })*
    };
}

of_obstacles!(Container, Convergence, Coverage, Effort, Evaluation, Events, Memory, Source);

/// Both sides under a plan.
pub struct Comparison<'c, 'a, 'i> {
    /// What is to be proved.
    pub task: &'c mut Task<'a>,
    /// What both sides were run with.
    pub plan: &'c Plan,
    /// Inputs of both.
    pub inputs: &'i Inputs<'i>,
    /// What they did.
    pub run: Run<'i>,
    /// What is taken for what the source leaves undefined.
    pub choices: Vec<Choice>,
    /// Terms that others stand for, since they were shown to be equal.
    pub replaced: FxHashMap<TermId, TermId>,
    /// What concrete inputs show.
    pub evaluated: Evaluated,
    /// The partners among the events that others see, by their places in the lists.
    pub pairs: Vec<(usize, usize)>,
}

impl Comparison<'_, '_, '_> {
    /// Asks about each obligation under the assumptions, up to the first that is not shown.
    ///
    /// # Errors
    /// It can be violated, or nobody knows.
    pub fn discharge(&mut self, list: &[Obligation]) -> Result<(), Open> {
        let (inputs, differs) = (self.inputs, self.evaluated.differs);
        self.task.discharge(Premises { inputs, assumptions: &self.run.assumptions, differs }, list)
    }

    /// The same under more assumptions.
    ///
    /// # Errors
    /// It can be violated, or nobody knows.
    pub fn discharge_where(&mut self, within: Vec<TermId>, list: &[Obligation]) -> Result<(), Open> {
        let (inputs, differs) = (self.inputs, self.evaluated.differs);
        let assumptions: Vec<TermId> = self.run.assumptions.iter().copied().chain(within).collect();
        self.task.discharge(Premises { inputs, assumptions: &assumptions, differs }, list)
    }

    /// The same, where a violation is a difference that a launch may show.
    ///
    /// # Errors
    /// What was found out about the first that is not shown.
    pub fn held_or_refuted(&mut self, list: &[Obligation]) -> Result<(), Stop> {
        self.discharge(list).map_err(|open| match open {
            Open::Violated(first) => self.refute(&first),
            Open::Unknown(why) => why.into(),
        })
    }

    /// The partners among the events that others see, and those of the target that are one with such on another way.
    pub fn pairs_and_twins(&self) -> impl Iterator<Item = (usize, usize)> {
        let twins = &self.run.target.side.log.twins;
        let twin =
            move |&(i, j): &(usize, usize)| twins.iter().filter(move |t| t.0 == j).map(move |t| (i, t.1));
        self.pairs.iter().copied().chain(self.pairs.iter().flat_map(twin))
    }
}
