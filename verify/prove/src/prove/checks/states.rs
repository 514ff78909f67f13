//! States of memory that are one on both sides, though lanes come together under other conditions.
//!
//! Where several ways meet, the state is a choice between those of the ways, by the conditions under which lanes go them: both sides say the same conditions in their
//! own words, as a loop of which a target does several iterations in one. What comes behind would be in states of which nothing is known.

use crate::ask::{Violated, ask};
use crate::prove::comparison::Comparison;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId, Terms};
use sassafras_solve::solver::Answer;
use sassafras_solvers::Timed;
use sassafras_symbolic::trace::event::Event;
use std::collections::BTreeSet;

/// Effort of all questions of one look, in thousands of z3's `rlimit`.
const EFFORT: u64 = 2_000;

/// States of which it was asked whether they are one.
#[derive(Default)]
pub struct States {
    asked: BTreeSet<(TermId, TermId)>,
}

impl States {
    /// Makes states of the target those of the source that they are. Whether terms stand for others since.
    ///
    /// Two are one wherever anything happens in them, on either side: what memory holds in a state matters where somebody looks.
    pub fn unite(&mut self, c: &mut Comparison<'_, '_, '_>) -> bool {
        let (inputs, d) = (c.inputs, c.inputs.terms);
        let (source, target) = (&c.run.source.events, &c.run.target.side.log.events);
        let own = joined(d, source);
        let mut found: Vec<(TermId, TermId)> = Vec::new();
        let mut few = Timed::within(c.task.solver, EFFORT);
        for state in joined(d, target).difference(&own) {
            let ways = leaves(d, *state);
            let guards = source.iter().chain(target).filter(|e| d.topological(&[e.version]).contains(state));
            let looks = guards.fold(d.no(), |any, e| d.or(&any, &e.guard));
            for other in own.iter().filter(|other| leaves(d, **other) == ways) {
                if !self.asked.insert((*other, *state)) || d.topological(&[*other]).contains(state) {
                    continue;
                }
                let violated = d.and(&looks, &d.not(&d.eq(other, state)));
                let (normal, executed) = (inputs.normal.of(violated), inputs.normal.executed(violated));
                let asks = Violated { normal, executed };
                if matches!(ask(inputs, &c.run.assumptions, asks, &mut few), Answer::Unsat) {
                    found.push((*state, *other));
                    break;
                }
            }
        }
        let number = found.len() as u32;
        c.task.record.obligations.total += number;
        c.task.record.obligations.by_solver += number;
        c.replaced.extend(found);
        number > 0
    }
}

/// States that events see which are choices.
fn joined(d: &Terms, events: &[Event]) -> BTreeSet<TermId> {
    let choice = |t: &TermId| matches!(d.node(*t), Node::Ite(..));
    events.iter().map(|e| e.version).filter(choice).collect()
}

/// What a choice may be.
fn leaves(d: &Terms, choice: TermId) -> BTreeSet<TermId> {
    let (mut all, mut seen, mut stack) = (BTreeSet::new(), BTreeSet::new(), vec![choice]);
    while let Some(t) = stack.pop() {
        match d.node(t) {
            _ if !seen.insert(t) => {}
            Node::Ite(_, a, b) => stack.extend([a, b]),
            _ => {
                all.insert(t);
            }
        }
    }
    all
}
