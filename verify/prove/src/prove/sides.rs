//! Both sides run over terms in one arena under a plan, with what is assumed of their inputs.

use super::plan::Plan;
use super::task::Entries;
use crate::obligation::assumptions;
use crate::reason::Reason;
use crate::verdict::Record;
use rustc_hash::FxHashSet;
use sassafras_chip::Chip;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::cut::Cutting;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::obstacle::evaluation::Evaluation;
use sassafras_symbolic::obstacle::freedom::Leniency;
use sassafras_symbolic::obstacle::place::Side as Which;
use sassafras_symbolic::origin::{Freedom, Trace, Ways};
use sassafras_symbolic::places;
use sassafras_symbolic::ptx::choose::count;
use sassafras_symbolic::ptx::contract;
use sassafras_symbolic::sass::target::{self, Request, Role, Target};
use sassafras_symbolic::trace::course::Course;
use sassafras_symbolic::trace::event::Event;
use sassafras_symbolic::trace::fences;
use sassafras_symbolic::{lemma, ptx};
use std::collections::BTreeSet;
use std::ops::Range;

/// Most times that the target is run again with what lemmas say.
const LEMMA_ROUNDS: u32 = 32;

/// Both sides in one arena.
pub struct Run<'i> {
    /// What the source did.
    pub source: Trace,
    /// What the target did.
    pub target: Target<'i>,
    /// What that rests on.
    pub assumed: BTreeSet<Assumption>,
    /// What holds on every input that counts, one bit each.
    pub assumptions: Vec<TermId>,
    /// Terms with lower ids were made by the target.
    pub of_target: usize,
    /// The number of the source's first undefined value.
    pub first: u32,
    /// What the source does of what it may do.
    pub ways: Ways,
    /// Lemmas by which terms of the target are operations.
    pub lemmas: BTreeSet<&'static str>,
    /// Why the source may have several results on one input.
    pub lenient: Option<Leniency>,
    /// The source's events before anything was chosen, where it may.
    pub open: Vec<Event>,
}

/// Runs both sides. `ways`: what the source does, if it was said before; else what the target does.
///
/// # Errors
/// What one of them does is not covered.
pub fn run<'i>(
    entries: Entries<'_>,
    plan: &Plan,
    inputs: &'i Inputs<'i>,
    ways: Option<Ways>,
) -> Result<Run<'i>, Located> {
    run_and_watch(entries, plan, inputs, ways, false)
}

/// The same. `watches`: whether arrivals at the heads of loops are noted.
///
/// # Errors
/// What one of them does is not covered.
pub fn run_and_watch<'i>(
    entries: Entries<'_>,
    plan: &Plan,
    inputs: &'i Inputs<'i>,
    ways: Option<Ways>,
    watches: bool,
) -> Result<Run<'i>, Located> {
    let d = inputs.terms;
    let free = ways.is_none();
    let mut runner = Runner::new(entries, plan, inputs, watches);
    let start = count(d);
    let target = runner.target()?;
    runner.open = start..count(d) - 1;
    let of_target = d.len();
    let alike = free.then(|| Alike::of(inputs, &target));
    let first = count(d);
    let (source, ways) = runner.source(&target, ways.unwrap_or_default(), alike.as_ref())?;
    let mut traces = Traces { source, ways, target, first };
    if inputs.opaque.is_active() {
        runner.abstract_values(&mut traces, alike.as_ref())?;
    }
    runner.leave_out_excluded(&mut traces)?;
    let lemmas = runner.apply_lemmas(&mut traces, free)?;
    let Traces { source, ways, target, first } = traces;
    let assumptions = premises(entries, plan, inputs, &source, &target);
    let assumed = assumed(entries, inputs, &source, &target);
    let lenient = lenient(entries, plan, inputs, &source.events);
    let open = lenient.map_or_else(Vec::new, |_| source.events.clone());
    Ok(Run { source, target, assumed, assumptions, of_target, first, ways, lemmas, lenient, open })
}

/// Whether the source was left unfinished only where a loop is past the bound.
///
/// # Errors
/// It was not: the prover contradicts itself.
pub fn counted(
    entries: Entries<'_>,
    plan: &Plan,
    record: &mut Record,
    course: &Course,
) -> Result<(), Reason> {
    let Some(flow) = entries.origin.flow(plan.visits(), &plan.unfolds) else { return Ok(()) };
    sassafras_witness::activations::judge(&flow, &course.visits, plan.unroll).map_err(|why| {
        let why = Reason::from(Evaluation::Miscounted { because: why });
        record.contradiction = Some(why.to_string());
        why
    })
}

/// The terms of events.
fn roots(events: &[Event]) -> Vec<TermId> {
    events.iter().flat_map(Event::terms).collect()
}

/// The same, and what others see of them.
fn operands(events: &[Event]) -> impl Iterator<Item = TermId> {
    events.iter().flat_map(|e| [e.guard, e.address, e.value].into_iter().chain(e.arguments.clone()))
}

/// What the target computes and does something with.
fn computed(target: &Target<'_>) -> Vec<TermId> {
    target.computed().chain(operands(&target.side.log.events)).collect()
}

/// Terms of the target that the source may do alike.
struct Alike {
    /// Products and sums that may be fused.
    fused: FxHashSet<TermId>,
    /// All terms, of which some may be approximations.
    written: FxHashSet<TermId>,
}

impl Alike {
    fn of(inputs: &Inputs<'_>, target: &Target<'_>) -> Alike {
        let d = inputs.terms;
        let fused = contract::terms(d, &target.side.log.events);
        Alike { fused, written: d.topological(&computed(target)).into_iter().collect() }
    }
}

/// What both sides did so far.
struct Traces<'i> {
    source: Trace,
    ways: Ways,
    target: Target<'i>,
    /// The number of the source's first undefined value.
    first: u32,
}

/// Runs each side, as often as it takes.
struct Runner<'r, 'i> {
    entries: Entries<'r>,
    plan: &'r Plan,
    inputs: &'i Inputs<'i>,
    /// How the target is read.
    request: Request<'r>,
    /// Undefined values that the first run of the target made. What later runs leave open is what the first does: what is said of it speaks of
    /// that, and what is known of terms is seen in those that are made of it.
    open: Range<u32>,
}

impl<'r, 'i> Runner<'r, 'i> {
    fn new(entries: Entries<'r>, plan: &'r Plan, inputs: &'i Inputs<'i>, watches: bool) -> Runner<'r, 'i> {
        let mut request = entries.origin.request(entries.cubin, &plan.weakened);
        request.updates = plan.updates();
        let (unfolds, never) = (plan.unfolds.as_slice(), plan.never.as_deref().unwrap_or_default());
        request.cutting = Cutting { loops: &plan.cuts, unfolds, never, watches, ..Cutting::default() };
        request.facts.calls = entries.origin.recurses().then_some(plan.visits());
        Runner { entries, plan, inputs, request, open: 0..0 }
    }

    fn target(&self) -> Result<Target<'i>, Located> {
        let Entries { cubin, code, .. } = self.entries;
        // Where nothing is shown of the run, more turns than the source takes show no more.
        let most = self.plan.visits().saturating_add(if self.request.cutting.watches { 0 } else { 2 });
        target::run(self.inputs, cubin, code, most, self.request, Role::Target)
            .map_err(|e| e.on(Which::Target))
    }

    /// Runs the target once more, with what is known by now. What it came to is what the first run came to.
    fn target_again(&self, target: &mut Target<'i>) -> Result<(), Located> {
        let again = self.inputs.terms.again(self.open.clone(), || self.target())?;
        *target = Target { reached: target.reached, ..again };
        Ok(())
    }

    /// Runs the source, which follows the target.
    fn source(
        &self,
        target: &Target<'i>,
        ways: Ways,
        alike: Option<&Alike>,
    ) -> Result<(Trace, Ways), Located> {
        let Entries { origin, cubin, code } = self.entries;
        let freedom = Freedom {
            payloads: self.plan.payloads,
            like: alike.map(|a| &a.fused),
            written: alike.map(|a| &a.written),
            ways,
            own_first: self.plan.own_first,
            updates: self.plan.updates(),
            placed: &self.plan.placed,
            cutting: Cutting { follows: Some(&target.side.cuts.came), ..self.request.cutting },
        };
        // Where a version of a loop is left, its lanes come to the choice behind it once more.
        let more = u32::from(self.request.cutting.watches && !self.plan.unfolds.is_empty());
        let visits = self.plan.visits().saturating_add(more);
        let run = origin.run(self.inputs, cubin, code, visits, freedom);
        run.map_err(|e| e.on(Which::Source))
    }

    /// What quotients are made of is known from the start now, and what the source stores.
    fn abstract_values(&self, traces: &mut Traces<'i>, alike: Option<&Alike>) -> Result<(), Located> {
        self.inputs.opaque.found();
        traces.first = count(self.inputs.terms);
        (traces.source, traces.ways) = self.source(&traces.target, Ways::default(), alike)?;
        self.inputs.opaque.hold(&traces.source.events);
        self.target_again(&mut traces.target)
    }

    /// Iterations that no admitted input reaches are not unrolled.
    fn leave_out_excluded(&mut self, traces: &mut Traces<'i>) -> Result<(), Located> {
        let (d, source) = (self.inputs.terms, &traces.source);
        let excluded = source.beyond.len() + source.undefined.len() > 0;
        // What is weakened is named by how often its place was come to, which has to be the same in the run of raw terms.
        let plain = || {
            let weakened = &self.plan.weakened;
            weakened.is_empty() && fences::ease(&source.events, &traces.target.side.log.events).is_empty()
        };
        if !(self.inputs.normal.is_active() && excluded && plain()) {
            return Ok(());
        }
        let out = source.beyond.iter().chain(&source.undefined).fold(d.no(), |any, c| d.or(&any, c));
        self.request.admitted = Some(self.inputs.normal.of(d.not(&out)));
        self.target_again(&mut traces.target)
    }

    /// Takes what the target computes by the code of lemmas for their operations, until there is no more: operands of one lemma may be results
    /// of another. The lemmas, by name.
    fn apply_lemmas(&self, traces: &mut Traces<'i>, free: bool) -> Result<BTreeSet<&'static str>, Located> {
        let estimates = traces.ways.estimated.values();
        let mut lemmas: BTreeSet<&'static str> =
            estimates.filter_map(|l| lemma::named(l)).map(|l| l.name).collect();
        if !self.inputs.normal.is_active() {
            return Ok(lemmas);
        }
        for _ in 0..LEMMA_ROUNDS {
            let uses = lemma::uses(self.inputs, &traces.source.events, &computed(&traces.target));
            if uses.same.is_empty() {
                if !self.fuse_more(traces, free)? {
                    break;
                }
                continue;
            }
            lemmas.extend(uses.names);
            self.inputs.normal.declare(&uses.same);
            self.target_again(&mut traces.target)?;
        }
        Ok(lemmas)
    }

    /// Runs the source with what the target is seen to fuse now: factors of it may be results of lemmas. Whether that is more.
    fn fuse_more(&self, traces: &mut Traces<'i>, free: bool) -> Result<bool, Located> {
        if !(free && self.entries.origin.contracts() && traces.ways.estimated.is_empty()) {
            return Ok(false);
        }
        let d = self.inputs.terms;
        let fused = contract::terms(d, &traces.target.side.log.events);
        let first = count(d);
        let alike = Alike { fused, written: FxHashSet::default() };
        let (source, ways) = self.source(&traces.target, Ways::default(), Some(&alike))?;
        if ways.fused.len() <= traces.ways.fused.len() {
            return Ok(false);
        }
        (traces.source, traces.ways, traces.first) = (source, ways, first);
        Ok(true)
    }
}

/// What holds on every input that counts.
fn premises(
    entries: Entries<'_>,
    plan: &Plan,
    inputs: &Inputs<'_>,
    source: &Trace,
    target: &Target<'_>,
) -> Vec<TermId> {
    let Entries { origin, cubin, code } = entries;
    let (d, visits) = (inputs.terms, plan.visits());
    let mut all = roots(&source.events);
    all.extend(roots(&target.side.log.events));
    let lanes = inputs.asks_lane(&all);
    let mut assumptions = assumptions(inputs, origin, &source.events, lanes);
    if let Some(chip) = Chip::from_number(cubin.sm) {
        let top = inputs.stack_top(chip);
        let bytes = origin.stack(cubin, code);
        assumptions.extend(origin.placed(inputs, top, (bytes, visits)));
        let local = places::assumptions(inputs, &origin.variables(visits), &source.events);
        assumptions.extend(local.into_iter().map(|a| inputs.normal.of(a)));
    }
    assumptions.extend(sassafras_symbolic::trace::window::assumptions(inputs, &all));
    for excluded in source.beyond.iter().chain(&source.undefined) {
        assumptions.push(inputs.normal.of(d.not(excluded)));
    }
    assumptions.extend(target.side.cuts.known.iter().map(|known| inputs.normal.of(*known)));
    assumptions
}

/// What the two traces rest on, and everything that is shown of them.
fn assumed(
    entries: Entries<'_>,
    inputs: &Inputs<'_>,
    source: &Trace,
    target: &Target<'_>,
) -> BTreeSet<Assumption> {
    let d = inputs.terms;
    let mut assumed: BTreeSet<Assumption> = source.assumed.union(&target.side.log.assumed).copied().collect();
    assumed.extend([Assumption::Launch, Assumption::Ub, Assumption::Drf, Assumption::Solver]);
    assumed.extend(entries.origin.recurses().then_some(Assumption::Stack));
    let mut all = roots(&source.events);
    all.extend(roots(&target.side.log.events));
    if d.topological(&all).iter().any(|t| sassafras_symbolic::float::is_float(&d.node(*t))) {
        assumed.insert(Assumption::Fp);
    }
    assumed
}

/// Why the source may have several results on one input, if it may.
fn lenient(entries: Entries<'_>, plan: &Plan, inputs: &Inputs<'_>, source: &[Event]) -> Option<Leniency> {
    let d = inputs.terms;
    let all = d.topological(&roots(source));
    let has = |is: fn(&Node) -> bool| all.iter().any(|t| is(&d.node(*t)));
    if plan.payloads != Payloads::Open || has(|node| matches!(node, Node::Undef { .. })) {
        Some(Leniency::Undefined)
    } else if has(|node| matches!(node, Node::Approximate { .. })) {
        Some(Leniency::Approximate)
    } else if places::shown(inputs, &entries.origin.variables(plan.visits()), source) {
        Some(Leniency::Places)
    } else if has(ptx::flush::is_open) {
        Some(Leniency::Flushing)
    } else if entries.origin.contracts() {
        Some(Leniency::Contraction)
    } else {
        None
    }
}
