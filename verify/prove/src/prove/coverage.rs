//! What a proof within a bound covers: what is left of the source where its loops are cut, and whether the evaluation has reached that.

use super::comparison::Comparison;
use super::evaluated::evaluated;
use crate::reach::{Evaluation, Given, Goal, Goals, goals};
use crate::reason::Reason;
use sassafras_semantics::{Domain, TermId};
use sassafras_solve::solver::Answer;
use std::collections::BTreeSet;

/// Most goals that a solver is asked about.
const MOST_ASKED: usize = 48;
/// Effort for each, in thousands of z3's `rlimit`.
const EFFORT: u64 = 2_000;

impl Comparison<'_, '_, '_> {
    /// How far the evaluation went, of a source that was left unfinished. Of what was not reached so far a solver is asked for an input, or
    /// says that there is none.
    ///
    /// # Errors
    /// A way, or a loop, that inputs may go through, and no evaluated input does; an input on which the sides differ.
    pub fn evaluation(&mut self, mut reached: BTreeSet<Goal>) -> Result<Evaluation, Reason> {
        let goals = goals(&self.run.source.course);
        let (never, given) = self.asked(&goals, &reached);
        if !given.is_empty() {
            let (entries, plan, ways) = (self.task.entries, self.plan, self.run.ways.clone());
            let count = self.task.record.obligations.evaluated;
            let again = evaluated(entries, plan, &self.task.met, self.task.record, ways, given);
            reached.extend(again.reached?);
            self.task.record.obligations.evaluated = count;
        }
        let evaluation = Evaluation::of(&self.run.source.course, &goals, &reached, &never);
        let origin = self.task.entries.origin;
        match evaluation.lacks(|at| origin.place(at)) {
            Some(what) => Err(what.into()),
            None => Ok(evaluation),
        }
    }

    /// Of the goals that were not reached those that no input reaches, and inputs that reach others.
    fn asked(&mut self, goals: &Goals, reached: &BTreeSet<Goal>) -> (BTreeSet<Goal>, Vec<Given>) {
        let (inputs, d) = (self.inputs, self.inputs.terms);
        let (mut never, mut given, mut asked) = (BTreeSet::new(), Vec::new(), 0);
        for (goal, conditions) in goals.iter().filter(|(goal, _)| !reached.contains(goal)) {
            let any: TermId = conditions.iter().fold(d.no(), |any, c| d.or(&any, c));
            let any = inputs.normal.of(any);
            if inputs.known(any) == Some(0) {
                never.insert(*goal);
                continue;
            }
            asked += 1;
            if asked > MOST_ASKED {
                continue;
            }
            let all: Vec<TermId> = self.run.assumptions.iter().copied().chain([any]).collect();
            match self.task.solver.check_short(&inputs.script(&all), EFFORT) {
                Answer::Unsat => {
                    never.insert(*goal);
                }
                Answer::Sat(model) => given.push(Given::of(inputs, &model, &self.task.met.pointers)),
                Answer::Unknown(_) => {}
            }
        }
        (never, given)
    }
}
