//! Passes over the IR: a function after a pass against the same function before it.
//!
//! The claim is refinement, thread by thread: for every input on which the function before is defined, the one after does the same
//! events in the same order, leaves the same bytes between two of them, reads only bytes that were accessed there, and ends the
//! same way. Values that were undefined may be chosen; values that are undefined now may be anything.
//!
//! - `alike`: nothing but numbers differs. `world`, `replay`: concrete inputs, on which the IR's interpreter shows what is
//!   refuted.
//! - `shape`: dominance, liveness, cuts. `meaning`, `run`: a side over terms, with the paths and events of `sassafras_symbolic::trace::side`.
//! - `relation`: what holds at a cut. `segment`: from cut to cut, with the obligations of `sassafras_prove::obligation`. `desk`: who is
//!   asked.
//!
//! Loops are proved by induction: both functions are cut at blocks that both have, every cycle at one at least, and each piece
//! between cuts is compared under the relation found at its start. Where that fails, loops are gone through as often as the
//! bound says.

mod alike;
pub mod desk;
pub mod malformed;
mod meaning;
mod obstacle;
mod relation;
mod replay;
mod run;
mod segment;
pub mod shape;
mod side_error;
mod world;

use desk::{Desk, Failure};
use meaning::{Pair, Who};
use obstacle::{Obstacle, Replayed};
use relation::Relation;
use replay::{Shown, input};
use sassafras_ir::{Block, Function, Op, text::print_op};
use sassafras_normal::Normal;
use sassafras_prove::Reason;
use sassafras_prove::verdict::{Counterexample, Counts, Coverage, Phases, Record, Verdict};
use sassafras_semantics::{Ordering, Terms};
use sassafras_solve::limit::Limits;
use sassafras_solve::solver::Solver;
use sassafras_solvers::Timed;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::effort::Effort;
use segment::{Both, leaves_open};
use shape::{Shape, cuts, kept};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use world::Input;

/// Concrete inputs on which both functions are run.
const INPUTS: u64 = 24;
/// Effort for all questions about one pass, in thousands of z3's `rlimit`: a function goes through two dozen.
const EFFORT: u64 = 6_000;
/// Most times that a relation is made weaker before it is given up.
const ROUNDS: usize = 400;

/// Holds a function after a pass against the one before.
///
/// Both are run on concrete inputs first: a difference there refutes the pass. What is left is for [`by_terms`].
pub fn prove_pass(before: &Function, after: &Function, solver: &mut dyn Solver, limits: Limits) -> Record {
    judge(before, after, solver, limits, true)
}

/// The same without concrete inputs but those that a solver finds.
pub fn by_terms(before: &Function, after: &Function, solver: &mut dyn Solver, limits: Limits) -> Record {
    judge(before, after, solver, limits, false)
}

/// An input among so many on which the functions differ, as the interpreter shows.
pub fn differ(before: &Function, after: &Function, inputs: u64) -> Option<Counterexample> {
    let both = replay::Both { before, after, fenced: fenced(after) };
    (0..inputs).find_map(|seed| match both.show(&Input::random(before, seed)) {
        Shown::Differs(found) => Some(*found),
        Shown::Same | Shown::Nothing(_) => None,
    })
}

fn judge(
    before: &Function,
    after: &Function,
    solver: &mut dyn Solver,
    limits: Limits,
    concrete: bool,
) -> Record {
    let started = Instant::now();
    let mut timed = Timed::within(solver, EFFORT);
    let mut task = Task {
        both: replay::Both { before, after, fenced: fenced(after) },
        limits,
        desk: Desk::new(&mut timed),
        assumed: BTreeSet::new(),
        evaluated: 0,
        sides: 0.0,
        coverage: None,
    };
    let verdict =
        task.verdict(concrete).unwrap_or_else(|why| Verdict::Unknown(Reason::other(&why.to_string())));
    let Task { desk, assumed, evaluated, sides, coverage, .. } = task;
    let counts = Counts { evaluated, ..desk.counts };
    let proved = matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_));
    Record {
        entry: before.name.clone(),
        verdict,
        unroll: 0,
        assumptions: if proved { assumed } else { BTreeSet::new() },
        lemmas: BTreeSet::new(),
        obligations: counts,
        coverage,
        evaluation: None,
        contradiction: None,
        turns: None,
        matching: None,
        seconds: started.elapsed().as_secs_f64(),
        phases: Phases { sides, evaluation: 0.0, solver: timed.seconds, questions: timed.questions },
    }
}

struct Task<'a> {
    both: replay::Both<'a>,
    limits: Limits,
    desk: Desk<'a>,
    assumed: BTreeSet<Assumption>,
    evaluated: u32,
    /// Seconds in which sides were run.
    sides: f64,
    coverage: Option<Coverage>,
}

impl Task<'_> {
    fn verdict(&mut self, concrete: bool) -> Result<Verdict, Obstacle> {
        let (before, after) = (self.both.before, self.both.after);
        if !alike::signature(before, after) {
            return Err(Obstacle::Signature);
        }
        let source = Shape::new(before).map_err(|why| Obstacle::Malformed(Who::Before, why))?;
        let target = Shape::new(after).map_err(|why| Obstacle::Malformed(Who::After, why))?;
        if alike::alike(before, after) {
            return Ok(Verdict::Proved);
        }
        expanded(&source, &target)?;
        if concrete {
            for seed in 0..INPUTS {
                let input = Input::random(before, seed);
                match self.both.show(&input) {
                    Shown::Same => self.evaluated += 1,
                    Shown::Differs(_) => return Ok(self.refuted(input)),
                    Shown::Nothing(_) => {}
                }
            }
        }
        approximated(&source, &target)?;
        if !self.desk.solver.present() {
            return Err(Obstacle::Effort(Effort::NoSolver {}));
        }
        let kept = kept(before, after);
        let fenced = self.both.fenced;
        let pair = || Pair { kept: &kept, fenced };
        let loops = !source.headers().is_empty() || !target.headers().is_empty();
        let why = match cuts(&source, &target) {
            None => Obstacle::NoCuts,
            Some(cuts) => {
                let both = Both { before: &source, after: &target, pair: pair(), cuts, bound: 1 };
                match self.induct(&both) {
                    Ok(()) => return Ok(Verdict::Proved),
                    Err(Failed::Input(what, input)) => return self.replayed(what, *input),
                    Err(Failed::Unknown(why)) => why,
                }
            }
        };
        if !loops {
            return Err(why);
        }
        // Not by induction: as far as the bound goes.
        let rounds = self.limits.unroll;
        let within = |induction, bounded| {
            let (induction, bounded) = (Box::new(induction), Box::new(bounded));
            Obstacle::Within { induction, rounds, bounded }
        };
        let bound = self.limits.unroll.saturating_add(1);
        let both = Both { before: &source, after: &target, pair: pair(), cuts: BTreeSet::new(), bound };
        match self.segment(&both, None, &BTreeMap::new()) {
            Ok(()) => {
                self.assumed.insert(Assumption::Term);
                Ok(Verdict::ProvedWithin(self.limits.unroll))
            }
            Err(Failed::Input(what, input)) => {
                self.replayed(what, *input).map_err(|other| within(why, other))
            }
            Err(Failed::Unknown(other)) => Err(within(why, other)),
        }
    }

    /// The functions differ on an input.
    fn refuted(&self, input: Input) -> Verdict {
        let smaller = self.both.smaller(input);
        match self.both.show(&smaller) {
            Shown::Differs(found) => Verdict::Refuted(found),
            _ => Verdict::Unknown(Reason::other("replay: an input shows a difference once and not again")),
        }
    }

    /// What an input shows that a solver found.
    fn replayed(&self, what: String, input: Input) -> Result<Verdict, Obstacle> {
        let shown = match self.both.show(&input) {
            Shown::Differs(_) => return Ok(self.refuted(input)),
            Shown::Same => Replayed::Same,
            Shown::Nothing(why) => Replayed::Nothing(why),
        };
        Err(Obstacle::Replay { what, shown })
    }

    /// Proves each segment between cuts, with the relations that hold there.
    fn induct(&mut self, both: &Both<'_, '_>) -> Result<(), Failed> {
        let mut relations: BTreeMap<Block, Relation> = BTreeMap::new();
        let mut work: Vec<Option<Block>> = if both.cuts.is_empty() { Vec::new() } else { vec![None] };
        let mut rounds = 0;
        while let Some(from) = work.pop() {
            rounds += 1;
            if rounds > ROUNDS {
                return Err(Failed::Unknown(Obstacle::NoRelation { rounds: ROUNDS }));
            }
            for (cut, relation) in self.arrivals(both, from, &relations).map_err(Failed::Unknown)? {
                if relations.get(&cut) != Some(&relation) {
                    relations.insert(cut, relation);
                    if !work.contains(&Some(cut)) {
                        work.push(Some(cut));
                    }
                }
            }
        }
        self.segment(both, None, &relations)?;
        for cut in relations.keys() {
            self.segment(both, Some(*cut), &relations)?;
        }
        Ok(())
    }

    /// The relations that a segment leaves of those that held at the cuts it comes to.
    fn arrivals(
        &mut self,
        both: &Both<'_, '_>,
        from: Option<Block>,
        relations: &BTreeMap<Block, Relation>,
    ) -> Result<Vec<(Block, Relation)>, Obstacle> {
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, Normal::boxed(&terms));
        let started = Instant::now();
        let sides = both.run(&inputs, from.map(|cut| (cut, &relations[&cut])))?;
        self.sides += started.elapsed().as_secs_f64();
        let assumed = both.assumed(&inputs, &sides);
        let mut all = Vec::new();
        for (cut, source) in &sides.source.arrivals {
            let (Some(cut), Some(target)) = (*cut, sides.target.arrivals.get(cut)) else { continue };
            let old = relations.get(&cut);
            let found = both
                .found(&inputs, cut, old, [source, target], &assumed, &mut self.desk)
                .map_err(Obstacle::Relation)?;
            all.push((cut, found));
        }
        Ok(all)
    }

    /// Proves one segment.
    fn segment(
        &mut self,
        both: &Both<'_, '_>,
        from: Option<Block>,
        relations: &BTreeMap<Block, Relation>,
    ) -> Result<(), Failed> {
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, Normal::boxed(&terms));
        let started = Instant::now();
        let start = from.map(|cut| (cut, &relations[&cut]));
        let mut sides = both.run(&inputs, start).map_err(Failed::Unknown)?;
        self.sides += started.elapsed().as_secs_f64();
        if both.bound == 1 && sides.source.side.log.beyond.len() + sides.target.side.log.beyond.len() > 0 {
            return Err(Failed::Unknown(Obstacle::RunTwice));
        }
        let (reached, blocks) = (sides.target.reached, both.after.blocks().len());
        if both.bound > 1 {
            let (reached, blocks) = (reached as u32, blocks as u32);
            self.coverage = Some(Coverage { reached, instructions: blocks });
            if reached < blocks {
                return Err(Failed::Unknown(Obstacle::Unreached { reached, blocks }));
            }
        }
        let open = leaves_open(&inputs, &sides.source.side.log.events);
        match both.check(&inputs, &mut sides, relations, &mut self.desk, &mut self.assumed) {
            Ok(()) => Ok(()),
            Err(Failure::Unknown(why)) => Err(Failed::Unknown(why)),
            // From a cut it is not known that lanes come there with these values.
            Err(Failure::Violated { what, .. }) if from.is_some() || open => {
                Err(Failed::Unknown(Obstacle::NotShown { what }))
            }
            Err(Failure::Violated { what, model }) => {
                let found = input(&inputs, self.both.before, &model);
                Err(Failed::Input(what, Box::new(found)))
            }
        }
    }
}

/// Why a proof failed.
enum Failed {
    /// An obligation does not hold on an input.
    Input(String, Box<Input>),
    Unknown(Obstacle),
}

/// Whether no access of a function is acquiring or releasing.
fn fenced(f: &Function) -> bool {
    let ordered = |op: &Op| match op {
        Op::Load(a) | Op::Store(a) | Op::Atomic { access: a, .. } => {
            matches!(a.ordering, Ordering::Acquire | Ordering::Release | Ordering::AcquireRelease)
        }
        _ => false,
    };
    f.blocks.values().all(|b| b.insts.iter().all(|&i| !ordered(&f.insts[i].op)))
}

/// Events of another kind than there were: an operation that others see is expanded into several. Whether they are as good is a
/// question of what several threads do together, which one thread does not answer.
fn expanded(before: &Shape<'_>, after: &Shape<'_>) -> Result<(), Obstacle> {
    let mut more: BTreeMap<String, i64> = BTreeMap::new();
    for (shape, one) in [(before, -1), (after, 1)] {
        let f = shape.function;
        for &inst in shape.blocks().iter().flat_map(|&b| &f.blocks[b].insts) {
            let kind = match f.insts[inst].op {
                Op::Load(_) | Op::Store(_) | Op::Fence(..) => continue,
                ref op if !op.has_effect() => continue,
                Op::Atomic { op, access } => format!("atomic {op:?} {:?} {}", access.space, access.bytes),
                ref op => print_op(op),
            };
            *more.entry(kind).or_default() += one;
        }
    }
    let gone = more.iter().find(|(_, n)| **n < 0);
    let new = more.iter().find(|(_, n)| **n > 0);
    match (gone, new) {
        (Some((gone, _)), Some((new, _))) => Err(Obstacle::Events { gone: gone.clone(), new: new.clone() }),
        _ => Ok(()),
    }
}

/// Approximations that were not there: an operation is expanded into a sequence that is right for every result within their
/// bounds, of which terms know nothing (`docs/ir.md`, "Expansion").
fn approximated(before: &Shape<'_>, after: &Shape<'_>) -> Result<(), Obstacle> {
    let count = |shape: &Shape<'_>| {
        let f = shape.function;
        let all = shape.blocks().iter().flat_map(|&b| &f.blocks[b].insts);
        all.filter(|&&i| matches!(f.insts[i].op, Op::Approximate { .. })).count()
    };
    if count(after) > count(before) {
        return Err(Obstacle::Approximation);
    }
    Ok(())
}
