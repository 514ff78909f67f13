//! Obligations, asked one after the other.

use super::task::Task;
use crate::ask::{Violated, ask};
use crate::obligation::Obligation;
use sassafras_semantics::{Concrete, Domain, TermId};
use sassafras_solve::solver::Answer;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::effort::Effort;

/// What stands against a list of obligations.
pub enum Open {
    /// This one can be violated.
    Violated(Obligation),
    /// Nobody knows, and why.
    Unknown(Effort),
}

/// What obligations are asked under.
#[derive(Clone, Copy)]
pub struct Premises<'p> {
    /// Inputs of both sides.
    pub inputs: &'p Inputs<'p>,
    /// What holds on every input that counts, one bit each.
    pub assumptions: &'p [TermId],
    /// Whether the sides differ on one of the concrete inputs.
    pub differs: bool,
}

impl Task<'_> {
    /// Asks about each obligation, up to the first that is not shown.
    ///
    /// # Errors
    /// It can be violated, or nobody knows.
    pub fn discharge(&mut self, premises: Premises<'_>, list: &[Obligation]) -> Result<(), Open> {
        list.iter().try_for_each(|obligation| self.discharge_one(premises, obligation))
    }

    fn discharge_one(&mut self, premises: Premises<'_>, obligation: &Obligation) -> Result<(), Open> {
        let inputs = premises.inputs;
        let executed = inputs.normal.executed(obligation.violated);
        let normal = inputs.normal.of(obligation.violated);
        let what = &obligation.what;
        self.record.obligations.total += 1;
        if inputs.terms.as_constant(&normal) == Some(0) {
            self.record.obligations.by_terms += 1;
            return Ok(());
        }
        match ask(inputs, premises.assumptions, Violated { normal, executed }, self.solver) {
            Answer::Unsat => {
                self.record.obligations.by_solver += 1;
                Ok(())
            }
            Answer::Sat(model) => {
                let of = |v: TermId| model.get(&v).copied().unwrap_or(0);
                let shown = inputs.terms.evaluate(&Concrete::default(), normal, of).is_true();
                Err(if shown || premises.differs {
                    Open::Violated(Obligation { what: what.clone(), violated: normal })
                } else {
                    // To the solver operations of floats are functions of which it knows nothing.
                    Open::Unknown(Effort::Floats { claim: what.clone() })
                })
            }
            Answer::Unknown(why) => Err(Open::Unknown(Effort::gave_up(what.clone(), why))),
        }
    }
}
