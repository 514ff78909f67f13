//! What a proof within a bound covers: that the source's loops are cut where the bound says, and that the evaluation has reached what is left.

use super::{Run, Task};
use crate::reach::{Evaluation, Given, Goal, goals};
use crate::reason::Reason;
use sassafras_semantics::{Domain, TermId};
use sassafras_solve::solver::Answer;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::origin::Ways;
use sassafras_symbolic::trace::course::Course;
use std::collections::BTreeSet;

/// Most goals that a solver is asked about.
const MOST_ASKED: usize = 48;
/// Effort for each, in thousands of z3's `rlimit`.
const EFFORT: u64 = 2_000;

impl Task<'_> {
    /// Whether the source was left unfinished only where a loop is past the bound.
    pub(super) fn counted(&mut self, course: &Course) -> Result<(), Reason> {
        let unroll = self.limits.unroll;
        let Some(flow) = self.origin.flow(unroll.saturating_add(1)) else { return Ok(()) };
        sassafras_witness::activations::judge(&flow, &course.visits, unroll).map_err(|why| {
            let why = Reason::miscounted(why);
            self.record.contradiction = Some(why.to_string());
            why
        })
    }

    /// How far the evaluation went, of a source that was left unfinished. Of what was not reached so far a solver is asked for an input, or
    /// says that there is none.
    ///
    /// # Errors
    /// A way, or a loop, that inputs may go through, and no evaluated input does; an input on which the sides differ.
    pub(super) fn reached(
        &mut self,
        inputs: &Inputs<'_>,
        run: &Run<'_>,
        pointers: &[u64],
        ways: Ways,
        mut reached: BTreeSet<Goal>,
    ) -> Result<Evaluation, Reason> {
        let d = inputs.terms;
        let course = &run.source.course;
        let goals = goals(course);
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
            let all: Vec<TermId> = run.assumptions.iter().copied().chain([any]).collect();
            match self.solver.check_short(&inputs.script(&all), EFFORT) {
                Answer::Unsat => {
                    never.insert(*goal);
                }
                Answer::Sat(model) => given.push(Given::of(inputs, &model, pointers)),
                Answer::Unknown(_) => {}
            }
        }
        if !given.is_empty() {
            let (count, before) = (self.record.obligations.evaluated, self.differs);
            let again = self.evaluated(pointers, ways, given)?;
            reached.extend(again.1);
            (self.record.obligations.evaluated, self.differs) = (count, before);
        }
        let evaluation = Evaluation::of(course, &goals, &reached, &never);
        match evaluation.lacks() {
            Some(what) => Err(format!("coverage: evaluation: {what}").into()),
            None => Ok(evaluation),
        }
    }
}
