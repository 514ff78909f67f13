//! Obligations of a segment, asked one by one.

use rustc_hash::FxHashMap;
use sassafras_prove::ask::{Violated, ask};
use sassafras_prove::obligation::{Compared, Obligation, events, one_event};
use sassafras_prove::verdict::Counts;
use sassafras_semantics::{Concrete, TermId};
use sassafras_solve::solver::{Answer, Solver};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::events::Events;
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::trace::event::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Most terms of an obligation that is asked about.
const MOST_TERMS: usize = 30_000;
/// Effort of a question whose answer is only a hint, in thousands of z3's `rlimit`.
const SHORT: u64 = 300;

/// Why an obligation was not decided.
#[derive(Clone, Debug)]
pub enum Undecided {
    /// It has more terms than are asked about.
    Size {
        /// What has to hold.
        claim: Claim,
        /// How many terms are asked about.
        most: usize,
    },
    /// The solver gave up, or its example is none.
    Effort(Effort),
    /// What was assumed contradicts itself.
    Vacuous,
    /// An event has no partner on the other side.
    Lone(Box<Events>),
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Size { claim, most } => write!(f, "{claim}: more than {most} terms"),
            Undecided::Effort(why) => why.fmt(f),
            Undecided::Vacuous => f.write_str("vacuous: the assumptions contradict each other"),
            Undecided::Lone(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Undecided {}

/// Why a segment is not shown. `U`: why nothing was decided.
#[derive(Debug)]
pub enum Failure<U = Undecided> {
    /// An obligation does not hold for these values.
    Violated {
        /// What has to hold.
        what: String,
        /// Values of free terms for which it does not.
        model: BTreeMap<TermId, u128>,
    },
    /// One was not decided, or something is not covered.
    Unknown(U),
}

fn of_effort(why: Effort) -> Failure {
    Failure::Unknown(Undecided::Effort(why))
}

/// Who asks, and what was answered.
pub struct Desk<'a> {
    /// Who is asked.
    pub solver: &'a mut dyn Solver,
    /// What was answered, and by whom.
    pub counts: Counts,
    /// Whether an answer of the solver was needed since [`Desk::possible`] was last asked.
    asked: bool,
}

impl<'a> Desk<'a> {
    /// Of a solver.
    pub fn new(solver: &'a mut dyn Solver) -> Desk<'a> {
        Desk { solver, counts: Counts::default(), asked: false }
    }

    /// Asks about each obligation.
    ///
    /// # Errors
    /// The first that is not shown.
    pub fn discharge(
        &mut self,
        inputs: &Inputs<'_>,
        assumed: &[TermId],
        list: &[Obligation],
    ) -> Result<(), Failure> {
        for o in list {
            let violated = inputs.normal.of(o.violated);
            self.counts.total += 1;
            if inputs.known(violated) == Some(0) {
                self.counts.by_terms += 1;
                continue;
            }
            if inputs.terms.topological(&[violated]).len() > MOST_TERMS {
                let claim = o.what.clone();
                return Err(Failure::Unknown(Undecided::Size { claim, most: MOST_TERMS }));
            }
            let violated = Violated { normal: violated, executed: inputs.normal.executed(o.violated) };
            match ask(inputs, assumed, violated, self.solver) {
                Answer::Unsat => {
                    self.asked = true;
                    self.counts.by_solver += 1;
                }
                Answer::Sat(model) => {
                    let of = |v: TermId| model.get(&v).copied().unwrap_or(0);
                    if !inputs.terms.evaluate(&Concrete::default(), violated.normal, of).is_true() {
                        // To the solver operations of floats are functions of which it knows nothing.
                        return Err(of_effort(Effort::Floats { claim: o.what.clone() }));
                    }
                    return Err(Failure::Violated { what: o.what.to_string(), model });
                }
                Answer::Unknown(said) => return Err(of_effort(Effort::gave_up(o.what.clone(), said))),
            }
        }
        Ok(())
    }

    /// Whether something is shown to be impossible with little effort: a hint, which is asked about again where it matters.
    pub fn holds_shortly(&mut self, inputs: &Inputs<'_>, assumed: &[TermId], violated: TermId) -> bool {
        let violated = inputs.normal.of(violated);
        match inputs.known(violated) {
            Some(bits) => bits == 0,
            None if inputs.terms.topological(&[violated]).len() > MOST_TERMS => false,
            None => {
                let mut asserted = assumed.to_vec();
                asserted.push(violated);
                self.solver.check_short(&inputs.script(&asserted), SHORT) == Answer::Unsat
            }
        }
    }

    /// Where the solver was needed, it has to say that what was assumed is possible.
    ///
    /// # Errors
    /// What was assumed contradicts itself, or it was not decided.
    pub fn possible(&mut self, inputs: &Inputs<'_>, assumed: &[TermId]) -> Result<(), Failure> {
        if !std::mem::take(&mut self.asked) {
            return Ok(());
        }
        match self.solver.check(&inputs.script(assumed)) {
            Answer::Sat(_) => Ok(()),
            Answer::Unsat => Err(Failure::Unknown(Undecided::Vacuous)),
            Answer::Unknown(said) => Err(of_effort(Effort::Assumptions { said: said.into() })),
        }
    }

    /// Finds partners for the events that others see, in order. Two that are not equal as terms are asked about; if they are one
    /// event, what the target's yields is what the source's does.
    ///
    /// # Errors
    /// An event that has no partner, or two of which it is not shown that they are one.
    pub fn events(
        &mut self,
        inputs: &Inputs<'_>,
        names: impl Compared,
        assumed: &[TermId],
        (source, target): (&[Event], &mut [Event]),
        replaced: &mut FxHashMap<TermId, TermId>,
    ) -> Result<(), Failure> {
        let mut asked = BTreeSet::new();
        loop {
            let alone = match events(inputs.terms, names, source, target) {
                Ok(pairs) => {
                    let by_terms = (pairs.len() - asked.len()) as u32;
                    self.counts.total += by_terms;
                    self.counts.by_terms += by_terms;
                    return Ok(());
                }
                Err(alone) => alone,
            };
            let Some((i, j)) = alone.near.first().copied().filter(|n| asked.insert(*n)) else {
                return Err(Failure::Unknown(Undecided::Lone(alone.why)));
            };
            let one = one_event(inputs, names, &source[i], &target[j]);
            self.discharge(inputs, assumed, &[one])?;
            let (a, b) = (&source[i], &target[j]);
            replaced.extend(b.results.iter().copied().zip(a.results.iter().copied()));
            inputs.normal.replace(replaced);
            let (arguments, guard, version) = (a.arguments.clone(), a.guard, a.version);
            (target[j].arguments, target[j].guard, target[j].version) = (arguments, guard, version);
            for e in &mut *target {
                let own = [&mut e.guard, &mut e.address, &mut e.value, &mut e.version];
                own.into_iter().chain(&mut e.arguments).for_each(|t| *t = inputs.normal.of(*t));
            }
        }
    }
}
