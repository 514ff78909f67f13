//! Lowering: the IR of an entry against its PTX, over terms.
//!
//! The claim is that of `docs/proof.md`, "Lowering". The side of PTX is that of the prover (`sassafras_symbolic::ptx`); `lane` makes one of the IR that
//! speaks of the same memories and events, `walk` goes through its blocks, and `variables` says where variables lie. What has to hold between two sides is
//! `sassafras_prove::obligation`'s, and who is asked `sassafras_prove_passes::desk`'s. What a solver finds is a refutation only if both executors
//! show it (`sassafras_judge_lowering`).

mod lane;
pub mod obstacle;
pub mod side_error;
mod variables;
mod walk;

use lane::{Lane, PLACES};
use obstacle::Obstacle;
use rustc_hash::FxHashSet;
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_ir::{Function, Inst, Value};
use sassafras_judge_lowering::{Difference, Finding};
use sassafras_normal::Normal;
use sassafras_prove::obligation::{Compared, Obligation, assumptions, covered, intervals, traps};
use sassafras_prove::replay::{self, pointers, wishes};
use sassafras_prove_passes::desk::{Desk, Failure};
use sassafras_prove_passes::shape::Shape;
use sassafras_ptx::checked;
use sassafras_semantics::{Domain, TermId, Terms};
use sassafras_solve::limit::{self, Limits};
use sassafras_solve::solver::{Answer, Solver};
use sassafras_solvers::Timed;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::place::{Claim, Place};
use sassafras_symbolic::origin::{Freedom, Origin, Trace};
use sassafras_symbolic::places;
use sassafras_symbolic::ptx::calls::Program;
use sassafras_symbolic::ptx::{choose, contract};
use sassafras_symbolic::trace::event::Event;
use sassafras_symbolic::trace::fences::{self, Less, Weakened};
use sassafras_symbolic::trace::window;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use variables::{Addresses, container};
use walk::{Walked, walk};

/// Effort for all questions about an entry, in thousands of z3's `rlimit`.
const EFFORT: u64 = 6_000;
/// Which part of the work beside the solver's questions that a proof of machine code may take.
const SHARE: u64 = 16;

/// Most times that a loop is unrolled where fewer leave blocks of the IR out.
const MOST_UNROLL: u32 = 8;

/// What is said of an entry.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// For every input the IR does what the PTX does.
    Proved,
    /// The same for inputs on which no activation of a loop of the PTX returns to its head more often than this.
    ProvedWithin(u32),
    /// It does not, as both executors show.
    Refuted(Box<Difference>),
    /// Neither was shown, and why.
    Unknown(Obstacle),
}

/// A verdict and what it rests on.
#[derive(Clone, Debug)]
pub struct Record {
    /// The entry.
    pub entry: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// What was assumed, of a proof.
    pub assumptions: BTreeSet<Assumption>,
    /// Obligations.
    pub obligations: u32,
    /// How many of them a solver showed.
    pub by_solver: u32,
    /// How long it took.
    pub seconds: f64,
}

/// How places are called.
#[derive(Clone, Copy)]
struct Names<'a>(Origin<'a>, &'a Function);

impl Compared for Names<'_> {
    fn place(self, at: u64) -> Place {
        Origin::place(self.0, at)
    }
    fn target(self, at: u64) -> Place {
        let inst = Inst((at / PLACES) as u32);
        let named = |line| format!("{inst} (line {line})");
        Place::Named(self.1.insts.get(inst).map_or_else(|| inst.to_string(), |data| named(data.line)))
    }
    fn required_threads(self) -> Option<[u32; 3]> {
        self.0.required_threads()
    }
}

/// Holds the IR of an entry against its PTX. None if the PTX or the IR has no such entry.
pub fn prove(
    source: &checked::Module,
    target: &sassafras_ir::Module,
    name: &str,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Option<Record> {
    let started = Instant::now();
    let origin = Origin::of_module(source, name)?;
    let (number, function) = (0..).zip(&target.functions).find(|(_, f)| f.name == name)?;
    let entry = source.functions.iter().find(|f| f.entry && f.name == name)?;
    // What differs by chip is what barrier objects are: the IR says which of them it was made for.
    let words = sassafras_judge_lowering::barrier_words(target);
    let chip = Chip::ALL.into_iter().find(|c| c.has_barrier_unit() != words)?;
    let mut timed = Timed::within(solver, EFFORT);
    let mut task = Task {
        source,
        target,
        origin,
        function,
        number,
        cubin: container(source, entry, chip),
        limits,
        desk: Desk::new(&mut timed),
        assumed: BTreeSet::new(),
        weakened: Vec::new(),
    };
    let verdict = limit::within(limits.work / SHARE, limits.deadline, || task.at_bounds());
    let verdict = verdict.unwrap_or_else(|reached| Err(reached.into()));
    let verdict = verdict.unwrap_or_else(Verdict::Unknown);
    let proved = matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_));
    Some(Record {
        entry: name.to_owned(),
        verdict,
        assumptions: if proved { task.assumed } else { BTreeSet::new() },
        obligations: task.desk.counts.total,
        by_solver: task.desk.counts.by_solver,
        seconds: started.elapsed().as_secs_f64(),
    })
}

struct Task<'a> {
    source: &'a checked::Module,
    target: &'a sassafras_ir::Module,
    origin: Origin<'a>,
    function: &'a Function,
    number: u32,
    cubin: Cubin,
    limits: Limits,
    desk: Desk<'a>,
    assumed: BTreeSet<Assumption>,
    /// What fences of the IR are taken for.
    weakened: Vec<Weakened>,
}

/// Both sides in one arena.
struct Sides<'i> {
    source: Trace,
    target: Walked<'i>,
    /// The number of the source's first undefined value.
    first: u32,
    assumptions: Vec<TermId>,
}

/// The terms of events.
fn terms(events: &[Event]) -> Vec<TermId> {
    events.iter().flat_map(Event::terms).collect()
}

impl<'a> Task<'a> {
    /// With the bound on loops that was asked for, and with larger ones while blocks of the IR are not reached.
    fn at_bounds(&mut self) -> Result<Verdict, Obstacle> {
        loop {
            let verdict = self.verdict();
            let most = self.limits.unroll >= MOST_UNROLL;
            if most || !matches!(verdict, Err(Obstacle::Coverage { .. })) {
                return verdict;
            }
            self.limits.unroll = MOST_UNROLL.min(4 * self.limits.unroll.max(1));
            self.weakened.clear();
        }
    }

    fn verdict(&mut self) -> Result<Verdict, Obstacle> {
        if !self.desk.solver.present() {
            return Err(Obstacle::Effort(Effort::NoSolver {}));
        }
        let shape = Shape::new(self.function)?;
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, Normal::boxed(&terms));
        inputs.in_clusters(self.origin.in_clusters());
        inputs.in_blocks(self.origin.blocks());
        let mut sides = self.both(&inputs, &shape)?;
        if self.weakened.is_empty() {
            let fence = |w: &Weakened| matches!(w.taken, None | Some(Less::Fence(_)));
            let all = fences::ease(&sides.source.events, &sides.target.side.log.events);
            self.weakened = all.into_iter().filter(fence).collect();
            if !self.weakened.is_empty() {
                return self.verdict();
            }
        }
        let unfinished = !sides.source.beyond.is_empty();
        let (reached, blocks) = (sides.target.reached, shape.blocks().len());
        if reached < blocks && unfinished {
            return Err(Obstacle::Coverage { reached, blocks });
        }
        match self.check(&inputs, &mut sides) {
            Ok(()) => {}
            Err(Failure::Unknown(why)) => return Err(Obstacle::Undecided(why)),
            Err(Failure::Violated { what, model }) => return self.replayed(&inputs, &sides, what, &model),
        }
        Ok(if unfinished {
            self.assumed.insert(Assumption::Term);
            Verdict::ProvedWithin(self.limits.unroll)
        } else {
            Verdict::Proved
        })
    }

    fn both<'i>(&self, inputs: &'i Inputs<'i>, shape: &Shape<'_>) -> Result<Sides<'i>, Obstacle> {
        let bound = self.limits.unroll.saturating_add(1);
        let Origin::Ptx { function: entry, .. } = self.origin else { return Err(Obstacle::NoPtx) };
        let program = Program::new(self.source, entry, bound).map_err(Obstacle::Source)?;
        let addresses = Addresses::new(&program, &self.cubin, self.target, self.number);
        let local = self.origin.variables(bound).into_iter().map(|v| v.size).max();
        let room = local.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let mut undefined = 0;
        let facts = self.origin.request(&self.cubin, &[]).facts;
        let mut execute = |side: &mut sassafras_symbolic::trace::side::Side<'i, Value>, inst: Inst| {
            side.reading.constants = sassafras_symbolic::trace::bank::constants(&self.cubin);
            // Lanes come to barriers of the IR as they do to those of the PTX.
            side.reading.facts.aligned = facts.aligned;
            let mut lane = Lane {
                side,
                function: self.function,
                addresses: &addresses,
                cubin: &self.cubin,
                weakened: &self.weakened,
                room,
                undefined: &mut undefined,
            };
            lane.execute(inst)
        };
        // Lowering keeps loops as they are: that the IR's end where those of the PTX do is an obligation.
        let target = walk(inputs, shape, &mut execute, bound).map_err(Obstacle::Target)?;
        let d = inputs.terms;
        let like = contract::terms(d, &target.side.log.events);
        let written: FxHashSet<TermId> = d.topological(&terms(&target.side.log.events)).into_iter().collect();
        let first = choose::count(d);
        let freedom = Freedom {
            payloads: Payloads::Open,
            like: Some(&like),
            written: Some(&written),
            ..Freedom::default()
        };
        let code = self.cubin.functions.first().ok_or(Obstacle::NoEntry)?;
        let (source, _) =
            self.origin.run(inputs, &self.cubin, code, bound, freedom).map_err(Obstacle::Source)?;
        let mut all = terms(&source.events);
        all.extend(terms(&target.side.log.events));
        let lanes = inputs.asks_lane(&all);
        let mut assumptions = assumptions(inputs, Names(self.origin, self.function), &source.events, lanes);
        let local = places::assumptions(inputs, &self.origin.variables(bound), &source.events);
        assumptions.extend(local.into_iter().map(|a| inputs.normal.of(a)));
        assumptions.extend(window::assumptions(inputs, &all));
        for excluded in source.beyond.iter().chain(&source.undefined) {
            assumptions.push(inputs.normal.of(d.not(excluded)));
        }
        Ok(Sides { source, target, first, assumptions })
    }

    /// Shows all that has to hold.
    fn check(&mut self, inputs: &Inputs<'_>, sides: &mut Sides<'_>) -> Result<(), Failure> {
        let d = inputs.terms;
        let names = Names(self.origin, self.function);
        let Sides { source, target, first, assumptions } = sides;
        let of_target = &mut target.side;
        let (_, mut replaced) =
            choose::choose(inputs, &mut source.events, &of_target.log.events, assumptions, *first);
        self.desk.events(
            inputs,
            names,
            assumptions,
            (&source.events, &mut of_target.log.events),
            &mut replaced,
        )?;
        let again = |t: &mut TermId| *t = inputs.normal.of(*t);
        of_target.log.undefined.iter_mut().chain(&mut of_target.log.beyond).for_each(again);
        of_target.log.traps.iter_mut().chain(&mut of_target.log.demands).map(|t| &mut t.0).for_each(again);
        for interval in intervals(inputs, names, &source.events, &of_target.log.events) {
            match interval.paired.map(|list| self.desk.discharge(inputs, assumptions, &list)) {
                Some(Ok(())) => {}
                Some(Err(Failure::Unknown(why))) => return Err(Failure::Unknown(why)),
                // Not one to one: perhaps in another order, or in other pieces.
                Some(Err(Failure::Violated { .. })) | None => {
                    self.desk.discharge(inputs, assumptions, &[interval.whole])?;
                }
            }
        }
        let mut open = covered(inputs, names, &source.events, &of_target.log.events);
        open.push(traps(d, &source.traps, &of_target.log.traps));
        let say = |what: &str, violated: TermId| Obligation { what: Claim::Named(what.to_owned()), violated };
        open.extend(of_target.log.undefined.iter().map(|u| say("what is done is defined where it was", *u)));
        open.extend(of_target.log.demands.iter().map(|u| say("generic addresses stay in their window", u.0)));
        open.extend(of_target.log.beyond.iter().map(|u| say("coverage: loops end where they did", *u)));
        self.desk.discharge(inputs, assumptions, &open)?;
        self.desk.possible(inputs, assumptions)?;
        self.assumed.extend(source.assumed.iter().chain(&of_target.log.assumed));
        let all = [Assumption::Launch, Assumption::Ub, Assumption::Drf, Assumption::Solver];
        self.assumed.extend(all);
        let all = terms(&of_target.log.events);
        if d.topological(&all).iter().any(|t| sassafras_symbolic::float::is_float(&d.node(*t))) {
            self.assumed.insert(Assumption::Fp);
        }
        Ok(())
    }

    /// What an input shows that a solver found.
    fn replayed(
        &mut self,
        inputs: &Inputs<'_>,
        sides: &Sides<'_>,
        what: String,
        model: &BTreeMap<TermId, u128>,
    ) -> Result<Verdict, Obstacle> {
        let code = self.cubin.functions.first().ok_or(Obstacle::NoEntry)?;
        let events = &sides.target.side.log.events;
        let pointers = pointers(inputs, self.origin, &sides.source.events);
        let replayed = replay::Sides {
            inputs,
            origin: self.origin,
            cubin: &self.cubin,
            code,
            source: &sides.source.events,
            target: events,
            writes: &[],
        };
        // An input that is easy to run, if there is one among those that the values are of.
        let mut models = vec![model.clone()];
        let mut asserted = sides.assumptions.clone();
        asserted.extend(wishes(inputs, self.origin, &sides.source.events, &pointers));
        if let Some(violated) = self.violated(inputs, sides)
            && let Answer::Sat(found) = {
                asserted.push(violated);
                self.desk.solver.check(&inputs.script(&asserted))
            }
        {
            models.insert(0, found);
        }
        for model in &models {
            for fill in [0, 0x5a] {
                let Ok(launch) = replay::launch(&replayed, model, &pointers, fill) else { continue };
                let found = sassafras_judge_lowering::judge_on(
                    self.source,
                    self.target,
                    &self.function.name,
                    &launch,
                );
                if let Some(Finding::Differs(difference)) = found {
                    return Ok(Verdict::Refuted(difference));
                }
            }
        }
        Err(Obstacle::Replay { what })
    }

    /// One bit: what two sides leave in their last interval differs.
    fn violated(&self, inputs: &Inputs<'_>, sides: &Sides<'_>) -> Option<TermId> {
        let names = Names(self.origin, self.function);
        let d = inputs.terms;
        let all = intervals(inputs, names, &sides.source.events, &sides.target.side.log.events);
        all.into_iter().map(|i| i.whole.violated).reduce(|a, b| d.or(&a, &b)).map(|t| inputs.normal.of(t))
    }
}
