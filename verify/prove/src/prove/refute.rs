//! From an obligation that can be violated to a launch on which both executors show it.

use super::comparison::{Comparison, Stop};
use super::plan::View;
use crate::ask::{Violated, ask};
use crate::obligation::Obligation;
use crate::reason::Reason;
use crate::replay::{Sides, explain, replay, wishes};
use crate::smallest::{Demands, Model, smallest};
use crate::verdict::Counterexample;
use sassafras_solve::solver::Answer;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::freedom::Freedom;
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::obstacle::replay::Replay;

/// An example in which long quotients, and what loads find, have any values. It says nothing of those that they have. What is told of an entry for which nothing
/// is proved is the reason of the view without such values.
pub fn abstracted(claim: Claim) -> Effort {
    Effort::GaveUp { claim, said: "an example with any values for quotients".into() }
}

impl Comparison<'_, '_, '_> {
    /// Looks for a model that can be replayed, and replays it.
    pub fn refute(&mut self, violated: &Obligation) -> Stop {
        match self.shown(violated) {
            Ok(found) => Stop::Refuted(Box::new(found)),
            Err(why) => Stop::Unknown(why),
        }
    }

    fn shown(&mut self, violated: &Obligation) -> Result<Counterexample, Reason> {
        if self.plan.view == View::Opaque {
            return Err(Obstacle::from(abstracted(violated.what.clone())).into());
        }
        if !self.plan.cuts.is_empty() {
            return Err(Obstacle::from(Coverage::OneTurn { claim: violated.what.clone() }).into());
        }
        let run = &self.run;
        // Where the source allows several results, one other result shows nothing: the input has to be one on which it does not.
        let fixable = self.plan.payloads == Payloads::Open && crate::fixed::alone(&run.open);
        if let Some(why) = run.lenient.filter(|_| !fixable) {
            return Err(Obstacle::from(why.of(violated.what.clone())).into());
        }
        let (inputs, entries) = (self.inputs, self.task.entries);
        let pointers = &self.task.met.pointers;
        let mut bits = run.assumptions.clone();
        bits.extend(wishes(inputs, entries.origin, &run.source.events, pointers));
        let wrong = Violated { normal: violated.violated, executed: violated.violated };
        let model: Model = match ask(inputs, &bits, wrong, self.task.solver) {
            Answer::Sat(model) => model,
            Answer::Unsat => {
                return Err(Replay::NoLaunch { claim: violated.what.clone() }.into());
            }
            Answer::Unknown(why) => {
                return Err(Replay::GaveUp { claim: violated.what.clone(), said: why.into() }.into());
            }
        };
        let sides = Sides {
            inputs,
            origin: entries.origin,
            cubin: entries.cubin,
            code: entries.code,
            source: &run.source.events,
            target: &run.target.side.log.events,
            writes: &run.target.writes,
        };
        let replayed = |model: &Model| self.replayed(&sides, violated, model);
        let found = replayed(&model)?;
        bits.push(violated.violated);
        let fixed = pointers.iter().map(|at| inputs.chunk(*at)).collect();
        let demands = Demands { inputs, bits, fixed };
        let (model, mut found) = smallest(&demands, model, found, &replayed);
        explain(&sides, &model, pointers, &mut found);
        self.task.record.assumptions = run.assumed.clone();
        Ok(found)
    }

    /// What a model shows in both executors.
    fn replayed(
        &self,
        sides: &Sides<'_>,
        violated: &Obligation,
        model: &Model,
    ) -> Result<Counterexample, Reason> {
        let claim = || violated.what.clone();
        let origin = self.task.entries.origin;
        let found = replay(sides, model, &self.task.met.pointers).map_err(|why| why.of(claim()))?;
        if origin.unbounded() {
            return Err(Obstacle::from(Freedom::Unbounded { claim: claim() }).into());
        }
        let fixed = || crate::fixed::fixed(self.inputs, origin.contracts(), &self.run.open, model, &found);
        match self.run.lenient {
            Some(why) if !fixed() => Err(Obstacle::from(why.of(claim())).into()),
            _ => Ok(found),
        }
    }
}
