//! One entry of a module or a cubin against one of a cubin.

mod attempts;
mod coverage;

use crate::ask::{Violated, ask};
use crate::evaluate::{LEAST, Log, Raw, evaluate};
use crate::obligation::{Lone, Obligation, assumptions, covered, events, frame, intervals, one_event, traps};
use crate::reach::{Given, Goal, Goals, goals, numbers};
use crate::reason::{Kind, Reason};
use crate::replay::{Sides, explain, pointers, replay, wishes};
use crate::smallest::{Demands, Model, smallest};
use crate::verdict::{Counterexample, Counts, Phases, Record, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_normal::Normal;
use sassafras_ptx::checked::Module;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Concrete, Domain, TermId, Terms};
use sassafras_solve::limit::Limits;
use sassafras_solve::read::Read;
use sassafras_solve::solver::{Answer, Solver};
use sassafras_solvers::Timed;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::origin;
use sassafras_symbolic::origin::{Freedom, Origin, Trace, Ways};
use sassafras_symbolic::places::{self, Placed};
use sassafras_symbolic::ptx::choose::choose;
use sassafras_symbolic::sass::target;
use sassafras_symbolic::trace::event::Event;
use sassafras_symbolic::trace::fences::{self, Weakened};
use sassafras_symbolic::trace::lanes::awaited;
use sassafras_symbolic::trace::order::waits_out_of_order;
use std::collections::BTreeSet;
use std::time::Instant;

/// Most times that the target is run again with what lemmas say.
const LEMMA_ROUNDS: u32 = 32;

/// How often a function is called within itself where more is too much.
const FEW_CALLS: u32 = 2;
/// Which part of the effort is for as many calls as are asked for.
const DEEP_SHARE: u64 = 6;

/// Holds the entry `name` of a cubin against the entry of that name of a module.
pub fn prove(module: &Module, name: &str, cubin: &Cubin, solver: &mut dyn Solver) -> Record {
    prove_within(module, name, cubin, solver, Limits::default())
}

/// The same, with limits.
pub fn prove_within(
    module: &Module,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Record {
    against(Origin::of_module(module, name), name, cubin, solver, limits)
}

/// Holds the entry `name` of a cubin against the entry of that name of another one, which is the source.
pub fn prove_code(
    source: &Cubin,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Record {
    against(Origin::of_cubin(source, name), name, cubin, solver, limits)
}

/// Where functions call themselves, terms grow with the power of the depth: what a part of the effort does not show of as many calls as are asked for is tried with
/// few of them.
fn against(
    origin: Option<Origin<'_>>,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Record {
    let Some(own) = origin.filter(|o| limits.unroll > 0 && o.recurses()) else {
        return once(origin, name, cubin, solver, limits);
    };
    // A function that calls itself twice is written out less deep.
    let depths = [limits.unroll, FEW_CALLS.min(limits.unroll), 1];
    let Some(most) = depths.into_iter().find(|d| own.is_written_out(d.saturating_add(1))) else {
        return once(origin, name, cubin, solver, limits);
    };
    let limits = Limits { unroll: most, ..limits };
    if most <= FEW_CALLS {
        return once(origin, name, cubin, solver, limits);
    }
    let part = Limits { effort: limits.effort / DEEP_SHARE, launches: 0, ..limits };
    let deep = once(origin, name, cubin, solver, part);
    match deep.verdict {
        Verdict::Unknown(_) if deep.contradiction.is_none() => {
            let few = once(origin, name, cubin, solver, Limits { unroll: FEW_CALLS, ..limits });
            Record { seconds: deep.seconds + few.seconds, ..few }
        }
        _ => deep,
    }
}

/// The same, with one depth of calls.
fn once(
    origin: Option<Origin<'_>>,
    name: &str,
    cubin: &Cubin,
    solver: &mut dyn Solver,
    limits: Limits,
) -> Record {
    let started = Instant::now();
    let mut record = Record {
        entry: name.to_owned(),
        verdict: Verdict::Inapplicable("".into()),
        assumptions: BTreeSet::new(),
        lemmas: BTreeSet::new(),
        obligations: Counts::default(),
        unroll: limits.unroll,
        coverage: None,
        evaluation: None,
        contradiction: None,
        matching: None,
        seconds: 0.0,
        phases: Phases::default(),
    };
    let mut solver = Timed::within(solver, limits.effort);
    let code = cubin.functions.iter().find(|f| f.entry && f.name == name);
    record.verdict = match (origin, code) {
        (Some(origin), _) if let Some(why) = origin.excludes(cubin) => Verdict::Inapplicable(why.into()),
        (Some(origin), Some(code)) => {
            let (solver, record) = (&mut solver, &mut record);
            let mut task = Task {
                origin,
                cubin,
                code,
                solver,
                limits,
                record,
                differs: false,
                payloads: Payloads::Open,
                own_first: false,
                updates: false,
                opaque: false,
                unfinished: false,
                weakened: Vec::new(),
                placed: Vec::new(),
                pointers: Vec::new(),
            };
            // Wrong code mostly does something else on the first launches that are drawn, and a solver may look for long.
            let (first, effort) = crate::search::FIRST;
            let first = task.drawn((first.min(limits.launches), effort));
            first.unwrap_or_else(|| {
                let verdict = task.attempts();
                task.searched(verdict)
            })
        }
        (None, _) => Verdict::Inapplicable(format!("the source has no entry `{name}`").into()),
        (_, None) => Verdict::Inapplicable(format!("the target has no entry `{name}`").into()),
    };
    (record.phases.solver, record.phases.questions) = (solver.seconds, solver.questions);
    record.seconds = started.elapsed().as_secs_f64();
    record
}

struct Task<'a> {
    origin: Origin<'a>,
    cubin: &'a Cubin,
    code: &'a sassafras_cubin::Function,
    solver: &'a mut dyn Solver,
    limits: Limits,
    record: &'a mut Record,
    /// Whether the sides differ on one of the concrete inputs.
    differs: bool,
    /// What NaNs are whose payload the source leaves open.
    payloads: Payloads,
    /// Shared variables of functions lie before those of the module.
    own_first: bool,
    /// Atomic operations are changes of words.
    updates: bool,
    /// Values are abstracted.
    opaque: bool,
    /// Whether loops of the source go on beyond the bound.
    unfinished: bool,
    /// What fences of the target are taken for.
    weakened: Vec<Weakened>,
    /// Where local variables of the source lie, of those of which that is decided.
    placed: Vec<Placed>,
    /// Offsets of parameters that addresses start from, in bytes, where the source has terms.
    pointers: Vec<u64>,
}

/// Both sides in one arena.
struct Run<'i> {
    source: Trace,
    target: target::Target<'i>,
    assumed: BTreeSet<Assumption>,
    assumptions: Vec<TermId>,
    /// Terms with lower ids were made by the target.
    of_target: usize,
    /// The number of the source's first undefined value.
    first: u32,
    /// What the source does of what it may do.
    ways: Ways,
    /// Lemmas by which terms of the target are operations.
    lemmas: BTreeSet<&'static str>,
    /// Why the source may have several results on one input.
    lenient: Option<&'static str>,
    /// The source's events before anything was chosen, where it may.
    open: Vec<Event>,
}

/// The terms of events.
fn roots(events: &[Event]) -> Vec<TermId> {
    events.iter().flat_map(Event::terms).collect()
}

/// The same, and what others see of them.
fn operands(events: &[Event]) -> impl Iterator<Item = TermId> {
    events.iter().flat_map(|e| [e.guard, e.address, e.value].into_iter().chain(e.arguments.clone()))
}

impl Task<'_> {
    /// Runs both sides. `ways`: what the source does, if it was said before; else what the target does.
    fn both<'i>(&self, inputs: &'i Inputs<'i>, ways: Option<Ways>) -> Result<Run<'i>, String> {
        let d = inputs.terms;
        let bound = self.limits.unroll.saturating_add(1);
        let (mut request, most) = (self.origin.request(self.cubin, &self.weakened), bound.saturating_add(2));
        request.updates = self.updates;
        request.facts.calls = self.origin.recurses().then_some(bound);
        let run = |request: target::Request<'_>| {
            target::run(inputs, self.cubin, self.code, most, request, target::Role::Target)
                .map_err(|e| format!("target, {e}"))
        };
        let start = sassafras_symbolic::ptx::choose::count(d);
        let mut target = run(request)?;
        // What later runs leave open is what the first does: what is said of it speaks of that, and what is known of terms is seen in those
        // that are made of it.
        let open = start..sassafras_symbolic::ptx::choose::count(d) - 1;
        let run = |request: target::Request<'_>| d.again(open.clone(), || run(request));
        let of_target = d.len();
        let like =
            ways.is_none().then(|| sassafras_symbolic::ptx::contract::terms(d, &target.side.log.events));
        let written = ways.is_none().then(|| {
            d.topological(&target.computed().chain(operands(&target.side.log.events)).collect::<Vec<_>>())
                .into_iter()
                .collect()
        });
        let mut first = sassafras_symbolic::ptx::choose::count(d);
        let free = ways.is_none();
        let meant = |ways, like: Option<&FxHashSet<TermId>>, written: Option<&FxHashSet<TermId>>| {
            let (payloads, own_first, updates) = (self.payloads, self.own_first, self.updates);
            let placed = &self.placed;
            let freedom = Freedom { payloads, like, written, ways, own_first, updates, placed };
            let run = self.origin.run(inputs, self.cubin, self.code, bound, freedom);
            run.map_err(|e| format!("source, {e}"))
        };
        let (mut source, mut ways) = meant(ways.unwrap_or_default(), like.as_ref(), written.as_ref())?;
        if inputs.opaque.is_active() {
            // What quotients are made of is known from the start now, and what the source stores.
            inputs.opaque.found();
            first = sassafras_symbolic::ptx::choose::count(d);
            (source, ways) = meant(Ways::default(), like.as_ref(), written.as_ref())?;
            inputs.opaque.hold(&source.events);
            let reached = target.reached;
            target = run(request)?;
            target.reached = reached;
        }
        // What is weakened is named by how often its place was come to, which has to be the same in the run of raw terms.
        let plain =
            || self.weakened.is_empty() && fences::ease(&source.events, &target.side.log.events).is_empty();
        let excluded = source.beyond.len() + source.undefined.len() > 0;
        if inputs.normal.is_active() && excluded && plain() {
            // Iterations that no admitted input reaches are not unrolled.
            let out = source.beyond.iter().chain(&source.undefined).fold(d.no(), |any, c| d.or(&any, c));
            request.admitted = Some(inputs.normal.of(d.not(&out)));
            let reached = target.reached;
            target = run(request)?;
            target.reached = reached;
        }
        // Operands of one lemma may be results of another.
        let mut lemmas: BTreeSet<&'static str> = ways
            .estimated
            .values()
            .filter_map(|l| sassafras_symbolic::lemma::named(l))
            .map(|l| l.name)
            .collect();
        for _ in 0..LEMMA_ROUNDS {
            let uses = match inputs.normal.is_active() {
                true => {
                    let written: Vec<TermId> =
                        target.computed().chain(operands(&target.side.log.events)).collect();
                    sassafras_symbolic::lemma::uses(inputs, &source.events, &written)
                }
                false => break,
            };
            if uses.same.is_empty() {
                // Factors of what is fused may be results of lemmas: the target shows it only now.
                if !(free && self.origin.contracts() && ways.estimated.is_empty()) {
                    break;
                }
                let (like, at) = (
                    sassafras_symbolic::ptx::contract::terms(d, &target.side.log.events),
                    sassafras_symbolic::ptx::choose::count(d),
                );
                let (again, more) = meant(Ways::default(), Some(&like), Some(&FxHashSet::default()))?;
                if more.fused.len() <= ways.fused.len() {
                    break;
                }
                (source, ways, first) = (again, more, at);
                continue;
            }
            lemmas.extend(uses.names);
            inputs.normal.declare(&uses.same);
            let reached = target.reached;
            target = run(request)?;
            target.reached = reached;
        }
        let mut all = roots(&source.events);
        all.extend(roots(&target.side.log.events));
        let lanes = inputs.asks_lane(&all);
        let mut assumptions = assumptions(inputs, self.origin, &source.events, lanes);
        if let Some(chip) = Chip::from_number(self.cubin.sm) {
            let top = inputs.stack_top(chip);
            let bytes = self.origin.stack(self.cubin, self.code);
            assumptions.extend(self.origin.placed(inputs, top, (bytes, bound)));
            let local = places::assumptions(inputs, &self.origin.variables(bound), &source.events);
            assumptions.extend(local.into_iter().map(|a| inputs.normal.of(a)));
        }
        assumptions.extend(sassafras_symbolic::trace::window::assumptions(inputs, &all));
        for excluded in source.beyond.iter().chain(&source.undefined) {
            assumptions.push(inputs.normal.of(d.not(excluded)));
        }
        let mut assumed: BTreeSet<Assumption> =
            source.assumed.union(&target.side.log.assumed).copied().collect();
        assumed.extend([Assumption::Launch, Assumption::Ub, Assumption::Drf, Assumption::Solver]);
        assumed.extend(self.origin.recurses().then_some(Assumption::Stack));
        if d.topological(&all).iter().any(|t| sassafras_symbolic::float::is_float(&d.node(*t))) {
            assumed.insert(Assumption::Fp);
        }
        let of = d.topological(&roots(&source.events));
        let lenient = if self.payloads != Payloads::Open {
            Some("undefined: the source leaves the payload of a NaN open")
        } else if of.iter().any(|t| matches!(d.node(*t), Node::Undef { .. })) {
            Some("undefined: the source leaves part of its results open")
        } else if of.iter().any(|t| matches!(d.node(*t), Node::Approximate { .. })) {
            Some("approximation: the source bounds its result and does not fix it")
        } else if places::shown(inputs, &self.origin.variables(bound), &source.events) {
            Some("places: where a local variable lies is open")
        } else if of.iter().any(|t| sassafras_symbolic::ptx::flush::is_open(&d.node(*t))) {
            Some("flushing: the source leaves open what is flushed next to the least normal number")
        } else if self.origin.contracts() {
            Some("contraction: products and sums without a rounding may be fused")
        } else {
            None
        };
        let open = lenient.map_or_else(Vec::new, |_| source.events.clone());
        Ok(Run { source, target, assumed, assumptions, of_target, first, ways, lemmas, lenient, open })
    }

    fn run(&mut self) -> Result<Verdict, Reason> {
        self.origin.fits(self.cubin, self.code, self.own_first)?;
        let mut of_source = BTreeSet::new();
        self.origin.hazards(&mut of_source)?;
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, Normal::boxed(&terms));
        inputs.in_clusters(self.origin.in_clusters());
        inputs.in_blocks(self.origin.blocks());
        if self.opaque {
            inputs.opaque.begin();
        }
        let started = Instant::now();
        let mut run = self.both(&inputs, None)?;
        self.unfinished = !run.source.beyond.is_empty();
        self.counted(&run.source.course)?;
        let weakened = fences::ease(&run.source.events, &run.target.side.log.events);
        if self.weakened.is_empty() && !weakened.is_empty() {
            self.weakened = weakened;
            return self.run();
        }
        if self.placed.is_empty() {
            let variables = self.origin.variables(self.limits.unroll.saturating_add(1));
            let (source, target) = (&run.source.events, &run.target.side.log.events);
            self.placed = places::found(&inputs, &variables, source, target, self.cubin);
            if !self.placed.is_empty() {
                return self.run();
            }
        }
        self.record.phases.sides += started.elapsed().as_secs_f64();
        let targets = &run.target.side.log.events;
        let (choices, mut replaced) =
            choose(&inputs, &mut run.source.events, targets, &mut run.assumptions, run.first);
        let pointers = pointers(&inputs, self.origin, &run.source.events);
        self.pointers.clone_from(&pointers);
        let started = Instant::now();
        let ways = run.ways.clone();
        let evaluated = self.evaluated(&pointers, ways.clone(), Vec::new());
        self.record.phases.evaluation += started.elapsed().as_secs_f64();
        if let Ok((raw, _)) = &evaluated {
            run.assumed.extend(raw);
        }
        if !self.solver.present() {
            return Err("no solver".into());
        }
        if evaluated.is_err() {
            // Before anything is said about an input, it has to exist.
            match self.solver.check(&inputs.script(&run.assumptions)) {
                Answer::Sat(_) => {}
                Answer::Unsat => return Err(Reason::vacuous()),
                Answer::Unknown(why) => return Err(format!("the assumptions: {why}").into()),
            }
        }
        let paired = self.events(&inputs, &mut run, &mut replaced)?;
        self.stood_in(&inputs, &mut run)?;
        let targets = &run.target.side.log.events;
        let twins = &run.target.side.log.twins;
        let twin = |&(i, j): &(usize, usize)| twins.iter().filter(move |t| t.0 == j).map(move |t| (i, t.1));
        let all = paired.iter().copied().chain(paired.iter().flat_map(twin));
        let both = |(a, b): &(usize, usize)| {
            let guards = inputs.terms.and(&targets[*a].guard, &targets[*b].guard);
            inputs.known(inputs.normal.of(guards)) != Some(0)
        };
        if let Some((a, b)) = waits_out_of_order(targets, all).into_iter().find(both) {
            let at = |i: usize| targets[i].place;
            return Err(format!(
                "convergence: lanes wait at {:#06x} and {:#06x} in another order than the source's",
                at(a),
                at(b)
            )
            .into());
        }
        let code = matches!(self.origin, Origin::Code { .. });
        let twin = |&(i, j): &(usize, usize)| twins.iter().filter(move |t| t.0 == j).map(move |t| (i, t.1));
        let all = paired.iter().copied().chain(paired.iter().flat_map(twin));
        let partners = all.map(|(i, j)| (j, awaited(&run.source.events[i], code))).collect();
        if let Some(barrier) = run.target.side.warp.circle(targets, &partners) {
            return Err(format!("convergence: lanes at B{barrier} may wait for what waits for them").into());
        }
        for interval in intervals(&inputs, self.origin, &run.source.events, targets) {
            let mut failed = match interval.paired {
                Some(list) => self.discharge(&inputs, &run.assumptions, &list)?,
                None => Some(None),
            };
            if let Some(first) = failed.take() {
                // Not one to one: perhaps in another order, or in other pieces.
                if let Some(second) = self.discharge(&inputs, &run.assumptions, &[interval.whole])? {
                    return self.refute(&inputs, &run, &pointers, first.or(second));
                }
            }
        }
        let mut open = covered(&inputs, self.origin, &run.source.events, targets);
        open.extend(run.target.side.log.demands.iter().map(|(violated, place)| Obligation {
            what: format!("what the hardware demands of memory at {place:#06x}"),
            violated: *violated,
        }));
        open.push(traps(&terms, &run.source.traps, &run.target.side.log.traps));
        if let Some(violated) = self.discharge(&inputs, &run.assumptions, &open)? {
            return self.refute(&inputs, &run, &pointers, violated);
        }
        self.nested(&inputs, &run)?;
        self.frame(&inputs, &run)?;
        self.demands(&inputs, &run)?;
        let beyond: Vec<Obligation> = run
            .target
            .side
            .log
            .beyond
            .iter()
            .map(|b| Obligation { what: "the target's loops end where the source's do".into(), violated: *b })
            .collect();
        match self.discharge(&inputs, &run.assumptions, &beyond) {
            Ok(None) => {}
            Ok(Some(_)) => {
                return Err("coverage: a loop of the target may go on longer than the source's".into());
            }
            Err(why) => return Err(format!("coverage: {why}").into()),
        }
        run.assumed.extend(of_source);
        origin::hazards(self.cubin, self.code, &run.target.side.log.jumped, &mut run.assumed)?;
        if let Err(why) = &evaluated
            && why.kind == Kind::Contradiction
        {
            self.record.contradiction = Some(why.to_string());
        }
        let (_, reached) = evaluated?;
        if self.record.obligations.by_solver > 0 {
            // A solver that calls everything impossible is of no use.
            match self.solver.check_last(&inputs.script(&run.assumptions)) {
                Answer::Sat(_) => {}
                Answer::Unsat => {
                    return Err("vacuous: to the solver the assumptions contradict each other".into());
                }
                Answer::Unknown(why) => return Err(format!("the assumptions: {why}").into()),
            }
        }
        if self.unfinished {
            self.record.evaluation = Some(self.reached(&inputs, &run, &pointers, ways, reached)?);
        }
        self.record.assumptions = run.assumed;
        self.record.lemmas = run.lemmas;
        let (source, target) = (&run.source.events, &run.target.side.log.events);
        let found = crate::matching::matching(&terms, source, target, &paired, &run.target.side.log.twins);
        self.record.matching = Some(sassafras_witness::Matching {
            choices,
            payloads: self.payloads,
            fused: run.ways.fused,
            estimated: run.ways.estimated,
            own_first: self.own_first,
            updates: self.updates,
            fences: self.weakened.clone(),
            placed: self.placed.clone(),
            ..found
        });
        let (reached, all) = run.target.reached;
        self.record.coverage = Some(crate::verdict::Coverage { reached, instructions: all });
        if run.source.beyond.is_empty() {
            return Ok(Verdict::Proved);
        }
        self.record.assumptions.insert(Assumption::Term);
        if reached < all {
            return Err(format!(
                "coverage: within {} iterations {reached} of {all} instructions are reached",
                self.limits.unroll
            )
            .into());
        }
        Ok(Verdict::ProvedWithin(self.limits.unroll))
    }

    /// What loads of the target found of stores is what these store. What is proved of a value need not be proved again.
    fn stood_in(&mut self, inputs: &Inputs<'_>, run: &mut Run<'_>) -> Result<(), String> {
        let d = inputs.terms;
        let side = &mut run.target.side;
        let open: Vec<Obligation> = side
            .log
            .stood_in
            .iter()
            .map(|s| Obligation {
                what: format!("what is stored at {:#06x} is what loads find", side.log.events[s.index].place),
                violated: d.and(&s.guard, &d.not(&d.eq(&s.own, &s.given))),
            })
            .collect();
        if let Some(first) = self.discharge(inputs, &run.assumptions, &open)? {
            return Err(first.map_or_else(String::new, |o| o.what));
        }
        for s in &side.log.stood_in {
            side.log.events[s.index].value = inputs.normal.of(s.given);
        }
        Ok(())
    }

    /// No lane of the target waits for ever at a convergence barrier.
    fn nested(&mut self, inputs: &Inputs<'_>, run: &Run<'_>) -> Result<(), String> {
        let open = run.target.side.warp.open()?.iter().map(|(violated, place)| Obligation {
            what: format!("barriers nest at {place:#06x}"),
            violated: *violated,
        });
        let open: Vec<Obligation> = open.collect();
        match self.discharge(inputs, &run.assumptions, &open) {
            Ok(None) => Ok(()),
            Ok(Some(first)) => {
                let what = first.map_or_else(String::new, |o| o.what);
                Err(format!("target, convergence: lanes may wait for ever: {what}"))
            }
            Err(why) => Err(format!("target, convergence: {why}")),
        }
    }

    /// The hardware takes what a source does that is code.
    fn demands(&mut self, inputs: &Inputs<'_>, run: &Run<'_>) -> Result<(), String> {
        let open: Vec<Obligation> = run
            .source
            .demands
            .iter()
            .map(|(violated, place)| Obligation {
                what: format!("what is demanded of memory at {}", self.origin.place(*place)),
                violated: *violated,
            })
            .collect();
        match self.discharge(inputs, &run.assumptions, &open)? {
            None => Ok(()),
            Some(first) => Err(format!("source: {}", first.map_or_else(String::new, |o| o.what))),
        }
    }

    /// Finds partners for the events that others see. Two that are not equal as terms are asked about; if they are one event, what
    /// the target's yields is what the source's does. Whether one without a partner happens at all is asked too: rounds of loops that no
    /// input comes to have such.
    fn events(
        &mut self,
        inputs: &Inputs<'_>,
        run: &mut Run<'_>,
        replaced: &mut FxHashMap<TermId, TermId>,
    ) -> Result<Vec<(usize, usize)>, String> {
        let (mut asked, mut idle, mut found) = (BTreeSet::new(), BTreeSet::new(), 0);
        let (mut last, mut left_out) = (String::new(), BTreeSet::new());
        loop {
            let (source, target) = (&mut run.source.events, &mut run.target.side.log.events);
            let matched = events(inputs.terms, self.origin, source, target);
            // What became one with what was found before has one answer too.
            let answers = |&(i, j): &(usize, usize)| {
                let (a, b) = (&source[i], &target[j]);
                b.results.iter().copied().zip(a.results.iter().copied()).filter(|(x, y)| x != y)
            };
            let pairs = matched.as_ref().unwrap_or_else(|alone| &alone.pairs);
            let new: Vec<(TermId, TermId)> =
                pairs.iter().flat_map(answers).filter(|(x, _)| !replaced.contains_key(x)).collect();
            let alone = match matched {
                Ok(pairs) if new.is_empty() => {
                    // Lanes at one place of the target would wait for such as are to come to another.
                    if let Some((i, _)) = pairs.iter().find(|(i, _)| left_out.contains(&source[*i].place)) {
                        let place = self.origin.place(source[*i].place);
                        return Err(format!("events: the target has some of the shuffles of {place}"));
                    }
                    let by_terms = (pairs.len() - found) as u32;
                    self.record.obligations.total += by_terms;
                    self.record.obligations.by_terms += by_terms;
                    return Ok(pairs);
                }
                Ok(_) => None,
                Err(alone) => Some(alone).filter(|_| new.is_empty()),
            };
            let near = alone.as_ref().and_then(|a| a.near.iter().copied().find(|n| asked.insert(*n)));
            replaced.extend(new);
            if let Some((i, j)) = near {
                let one = one_event(inputs, self.origin, &source[i], &target[j]);
                match self.discharge(inputs, &run.assumptions, &[one]) {
                    Ok(None) => found += 1,
                    Ok(Some(_)) => {
                        last = "; the nearest differs".into();
                        continue;
                    }
                    Err(why) => {
                        last = format!("; {why}");
                        continue;
                    }
                }
                let (a, b) = (&source[i], &target[j]);
                replaced.extend(b.results.iter().copied().zip(a.results.iter().copied()));
                if inputs.known(a.guard) == Some(1) {
                    // What was shown of operands on every input that counts need not be shown again of what is made of them.
                    let d = inputs.terms;
                    let same = |x: TermId, y: TermId| x != y && d.width_of(x) == d.width_of(y);
                    let free = |x: TermId, y: TermId| {
                        inputs.known(y).is_none()
                            && !d.topological(&[x]).contains(&y)
                            && !d.topological(&[y]).contains(&x)
                    };
                    let merged = a.operands_for(b).iter().zip(&b.arguments);
                    replaced.extend(
                        merged.filter(|(x, y)| same(**x, **y) && free(**x, **y)).map(|(x, y)| (*y, *x)),
                    );
                }
                let (arguments, guard, version) = (a.arguments.clone(), a.guard, a.version);
                (target[j].arguments, target[j].guard, target[j].version) = (arguments, guard, version);
            } else if let Some(alone) = alone {
                let event = match alone.event {
                    Lone::Source(i) => &mut source[i],
                    Lone::Target(j) => &mut target[j],
                };
                let what = "an event without a partner happens".into();
                if matches!((alone.event, self.origin), (Lone::Source(_), Origin::Ptx { .. }))
                    && event.is_optional()
                {
                    left_out.insert(event.place);
                    event.guard = inputs.terms.no();
                    // A word that is the same in all lanes: whoever is asked answers it, or the answer is undefined.
                    let (word, answer) = (event.arguments[0], event.results[0]);
                    if !inputs.is_uniform(word) || replaced.contains_key(&answer) {
                        continue;
                    }
                    replaced.insert(answer, word);
                } else {
                    let never = Obligation { what, violated: event.guard };
                    let asked = idle.insert(alone.event) && inputs.known(event.guard).is_none();
                    if !asked || !matches!(self.discharge(inputs, &run.assumptions, &[never]), Ok(None)) {
                        return Err(alone.why + &last);
                    }
                    replaced.insert(event.guard, inputs.terms.no());
                    event.guard = inputs.terms.no();
                    // The state of memory behind what never happens is none that is seen: it may have any name.
                    if let Some(after) = event.results.last().filter(|_| event.orders) {
                        replaced.insert(*after, event.version);
                    }
                }
            }
            inputs.normal.replace(replaced);
            read_alike(inputs, replaced);
            for t in replaced.values_mut() {
                *t = inputs.normal.of(*t);
            }
            inputs.normal.replace(replaced);
            for e in source.iter_mut().chain(target) {
                let own = [&mut e.guard, &mut e.address, &mut e.value, &mut e.version];
                for t in own.into_iter().chain(&mut e.arguments) {
                    *t = inputs.normal.of(*t);
                }
            }
        }
    }

    /// The stack has room for the target's local memory.
    fn frame(&mut self, inputs: &Inputs<'_>, run: &Run<'_>) -> Result<(), String> {
        let Some(chip) = Chip::from_number(self.cubin.sm) else { return Err("the chip is not known".into()) };
        let top = inputs.stack_top(chip);
        let bytes = self.origin.stack(self.cubin, self.code);
        let deep = self.limits.unroll.saturating_add(1);
        let (source, target) = (&run.source.events, &run.target.side.log.events);
        let (within, open) = frame(inputs, self.origin, source, target, top, (bytes, deep));
        let mut assumptions = run.assumptions.clone();
        assumptions.extend(within);
        match self.discharge(inputs, &assumptions, &open)? {
            None => Ok(()),
            Some(first) => {
                let what = first.map_or_else(String::new, |o| o.what);
                Err(format!("cubin: {bytes} bytes of stack are declared: {what}"))
            }
        }
    }

    fn count_term(&mut self) -> bool {
        self.record.obligations.total += 1;
        self.record.obligations.by_terms += 1;
        false
    }

    /// Asks about each obligation; the first that can be violated, if any.
    fn discharge(
        &mut self,
        inputs: &Inputs<'_>,
        assumptions: &[TermId],
        list: &[Obligation],
    ) -> Result<Option<Option<Obligation>>, String> {
        for o in list {
            let executed = inputs.normal.executed(o.violated);
            let o = &Obligation { what: o.what.clone(), violated: inputs.normal.of(o.violated) };
            if inputs.terms.as_constant(&o.violated) == Some(0) {
                self.count_term();
                continue;
            }
            self.record.obligations.total += 1;
            let violated = Violated { normal: o.violated, executed };
            match ask(inputs, assumptions, violated, self.solver) {
                Answer::Unsat => self.record.obligations.by_solver += 1,
                Answer::Sat(model) => {
                    let of = |v: TermId| model.get(&v).copied().unwrap_or(0);
                    let shown = inputs.terms.evaluate(&Concrete::default(), o.violated, of).is_true();
                    if !shown && !self.differs {
                        // To the solver operations of floats are functions of which it knows nothing.
                        return Err(format!("arithmetic: {}: no example that floats bear out", o.what));
                    }
                    return Ok(Some(Some(o.clone())));
                }
                Answer::Unknown(why) => return Err(format!("{}: {why}", o.what)),
            }
        }
        Ok(None)
    }

    /// Looks for a model that can be replayed, and replays it.
    fn refute(
        &mut self,
        inputs: &Inputs<'_>,
        run: &Run<'_>,
        pointers: &[u64],
        violated: Option<Obligation>,
    ) -> Result<Verdict, Reason> {
        let Some(violated) = violated else { return Err(Reason::replay("nothing to replay")) };
        if self.opaque {
            return Err(format!("{}: not for any value", violated.what).into());
        }
        // Where the source allows several results, one other result shows nothing: the input has to be one on which it does not.
        if let Some(why) =
            run.lenient.filter(|_| self.payloads != Payloads::Open || !crate::fixed::alone(&run.open))
        {
            return Err(format!("{}: {why}", violated.what).into());
        }
        let mut assumed = run.assumptions.clone();
        assumed.extend(wishes(inputs, self.origin, &run.source.events, pointers));
        let wrong = Violated { normal: violated.violated, executed: violated.violated };
        let model: Model = match ask(inputs, &assumed, wrong, self.solver) {
            Answer::Sat(model) => model,
            Answer::Unsat => {
                let why = format!("{}: no launch of one warp shows it", violated.what);
                return Err(Reason::replay(why));
            }
            Answer::Unknown(why) => return Err(Reason::replay(format!("{}: {why}", violated.what))),
        };
        let sides = Sides {
            inputs,
            origin: self.origin,
            cubin: self.cubin,
            code: self.code,
            source: &run.source.events,
            target: &run.target.side.log.events,
            writes: &run.target.writes,
        };
        let (contracts, unbounded) = (self.origin.contracts(), self.origin.unbounded());
        let shows = |model: &Model| -> Result<Counterexample, Reason> {
            let found = replay(&sides, model, pointers)
                .map_err(|e| Reason::replay(format!("{}: {e}", violated.what)))?;
            if unbounded {
                return Err(format!(
                    "approximation: {}: the ISA bounds the source's result for some operands alone",
                    violated.what
                )
                .into());
            }
            match run.lenient {
                Some(why) if !crate::fixed::fixed(inputs, contracts, &run.open, model, &found) => {
                    Err(format!("{}: {why}", violated.what).into())
                }
                _ => Ok(found),
            }
        };
        let found = shows(&model)?;
        let mut bits = assumed;
        bits.push(violated.violated);
        let fixed = pointers.iter().map(|at| inputs.chunk(*at)).collect();
        let demands = Demands { inputs, bits, fixed };
        let (model, mut found) = smallest(&demands, model, found, &shows);
        explain(&sides, &model, pointers, &mut found);
        self.record.assumptions = run.assumed.clone();
        Ok(Verdict::Refuted(Box::new(found)))
    }

    /// Runs both sides once more without simplification, and evaluates them on concrete inputs, `given` ones among them; what that run assumed, and
    /// what was reached of what a bounded proof has to reach.
    fn evaluated(
        &mut self,
        pointers: &[u64],
        ways: Ways,
        given: Vec<Given>,
    ) -> Result<(BTreeSet<Assumption>, BTreeSet<Goal>), Reason> {
        let terms = Terms::raw();
        let inputs = Inputs::raw(&terms);
        inputs.in_clusters(self.origin.in_clusters());
        inputs.in_blocks(self.origin.blocks());
        let run = self.both(&inputs, Some(ways)).map_err(|e| format!("evaluation: {e}"))?;
        self.counted(&run.source.course)?;
        let (source, target) = (&run.source, &run.target.side);
        let bounded = self.unfinished.then_some(self.limits.unroll);
        let goals = if self.unfinished { goals(&source.course) } else { Goals::new() };
        let numbers = numbers(&terms, &goals);
        let log = |events, traps, beyond, undefined| Log { events, traps, beyond, undefined };
        let raw = Raw {
            inputs: &inputs,
            assumptions: &run.assumptions,
            source: log(&source.events, &source.traps, &source.beyond, &source.undefined),
            target: log(&target.log.events, &target.log.traps, &target.log.beyond, &target.log.undefined),
            never: target.log.demands.iter().map(|(wrong, _)| *wrong).collect(),
            tangled: target.warp.open()?.iter().map(|(wrong, _)| *wrong).collect(),
            pointers,
            required: self.origin.required_threads(),
            words: &self.origin.words(self.cubin),
            of_target: run.of_target,
            locals: &self.origin.variables(self.limits.unroll.saturating_add(1)),
            placed: &self.placed,
            top: places::top(&inputs, self.cubin),
            bounded,
            goals,
            numbers,
            given,
        };
        let evaluated = evaluate(&raw);
        self.differs = evaluated.is_err();
        let reach = evaluated.map_err(|e| match e.kind {
            Kind::Tangled => Reason::from(format!("evaluation: {e}")),
            _ => Reason::contradiction(e),
        })?;
        self.record.obligations.evaluated = reach.count;
        if reach.count < LEAST {
            return Err(Reason::few_inputs(reach.count));
        }
        Ok((run.assumed, reach.reached))
    }
}

/// Memory in a state that was shown to be another holds what it holds there: what is read of the one is what is read of the other.
fn read_alike(inputs: &Inputs<'_>, replaced: &mut FxHashMap<TermId, TermId>) {
    let d = inputs.terms;
    let all = inputs.reads();
    for own in &all {
        let version = inputs.normal.of(own.version);
        if version == own.version || replaced.contains_key(&own.variable) {
            continue;
        }
        let base = inputs.normal.of(own.base);
        let same = |r: &&Read| {
            (r.memory, r.version, r.offset) == (own.memory, version, own.offset)
                && inputs.normal.of(r.base) == base
                && d.width_of(r.variable) == d.width_of(own.variable)
                && !replaced.contains_key(&r.variable)
        };
        if let Some(other) = all.iter().find(same) {
            replaced.insert(own.variable, other.variable);
        }
    }
}
