//! Checks a witness: both sides run once more over raw terms, and a solver is asked what the matching says.

pub use super::fault::Fault;
pub use super::guide::Guide;

use super::obligations::{Events, Step, assumptions, partners, stack, steps};
use super::rewrite::Recorded;
use super::script::How;
use super::so_far::{SoFar, Way};
use super::{Entry, FORMAT, Matching, Witness, sha256};
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::Module;
use sassafras_semantics::{Domain, TermId, Terms};
use sassafras_solve::solver::{Answer, Solver};
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::lemma;
use sassafras_symbolic::origin::{self, Freedom, Origin, Ways};
use sassafras_symbolic::sass::target::{self, Role};
use sassafras_symbolic::trace::event::Event;
use std::collections::BTreeSet;

/// What was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Questions that a solver answered.
    pub solver: u32,
    /// Questions whose bit is a constant.
    pub constant: u32,
}

fn rejected<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Rejected(what.into()))
}

/// Reads a witness.
///
/// # Errors
/// A text that is none, or of another format.
pub fn read(text: &str) -> Result<Witness, Fault> {
    let value: serde_json::Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(e) => return rejected(format!("it is no JSON: {e}")),
    };
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(n) if n == u64::from(FORMAT) => {}
        Some(n) => return rejected(format!("its format is {n}, this reads {FORMAT}")),
        None => return rejected("it says no format"),
    }
    let witness: Witness = match serde_json::from_value(value) {
        Ok(witness) => witness,
        Err(e) => return rejected(format!("it is no witness: {e}")),
    };
    if witness.entries.is_empty() {
        return rejected("it has no entry");
    }
    let names: BTreeSet<&str> = witness.entries.iter().map(|e| e.entry.as_str()).collect();
    if names.len() < witness.entries.len() {
        return rejected("an entry is there twice");
    }
    Ok(witness)
}

/// Whether the files are those that it is about.
///
/// # Errors
/// Another hash.
pub fn inputs_are(witness: &Witness, ptx: &[u8], cubin: &[u8]) -> Result<(), Fault> {
    for (input, bytes) in [(&witness.source, ptx), (&witness.target, cubin)] {
        if input.sha256 != sha256(bytes) {
            return rejected(format!("{} has another hash", input.path));
        }
    }
    Ok(())
}

/// Checks what it says of one entry. The solver is one that reads text.
///
/// # Errors
/// Why that is no proof.
pub fn check(module: &Module, cubin: &Cubin, entry: &Entry, solver: &mut dyn Solver) -> Result<Asked, Fault> {
    against(Origin::of_module(module, &entry.entry), cubin, entry, solver, &mut Recorded::of(entry))
}

/// The same where the source is a cubin too.
///
/// # Errors
/// Why that is no proof.
pub fn check_code(
    source: &Cubin,
    cubin: &Cubin,
    entry: &Entry,
    solver: &mut dyn Solver,
) -> Result<Asked, Fault> {
    if source.sm != cubin.sm {
        return rejected("the two cubins are for different chips");
    }
    against(Origin::of_cubin(source, &entry.entry), cubin, entry, solver, &mut Recorded::of(entry))
}

/// Goes through what a witness says of one entry.
///
/// # Errors
/// Why that is no proof.
pub fn against(
    origin: Option<Origin<'_>>,
    cubin: &Cubin,
    entry: &Entry,
    solver: &mut dyn Solver,
    guide: &mut dyn Guide,
) -> Result<Asked, Fault> {
    let code = cubin.functions.iter().find(|f| f.entry && f.name == entry.entry);
    let (Some(origin), Some(code)) = (origin, code) else {
        return rejected(format!("there is no entry `{}`", entry.entry));
    };
    let mut lemmas = Vec::new();
    for name in &entry.lemmas {
        match lemma::named(name) {
            Some(lemma) => lemmas.push(lemma),
            None => return rejected(format!("the lemma `{name}` is not known")),
        }
    }
    let Some(chip) = Chip::from_number(cubin.sm) else { return rejected("the chip is not known") };
    let said = |e: String| Fault::Rejected(e);
    origin.fits(cubin, code, entry.matching.own_first).map_err(said)?;
    let terms = Terms::raw();
    let inputs = Inputs::raw(&terms);
    inputs.in_clusters(origin.in_clusters());
    inputs.in_blocks(origin.blocks());
    let d = &terms;
    let bound = entry.unroll.saturating_add(1);
    let first = sassafras_symbolic::ptx::choose::count(d);
    let Matching { payloads, own_first, updates, .. } = entry.matching;
    let (fused, estimated) = (entry.matching.fused.clone(), entry.matching.estimated.clone());
    if let Some(name) = estimated.values().find(|l| !entry.lemmas.contains(l)) {
        return rejected(format!("it does not name the lemma `{name}`"));
    }
    let ways = Ways { fused, estimated };
    let placed = &entry.matching.placed;
    let freedom = Freedom { payloads, like: None, written: None, ways, own_first, updates, placed };
    // The source first: what a term was shown to be has to have a lower number.
    let (left, _) = origin.run(&inputs, cubin, code, bound, freedom).map_err(said)?;
    // What is left out of account is what goes beyond the bound, and nothing else.
    if let Some(flow) = origin.flow(bound) {
        super::activations::judge(&flow, &left.course.visits, entry.unroll).map_err(said)?;
    }
    let (mut request, most) = (origin.request(cubin, &entry.matching.fences), bound.saturating_add(2));
    request.updates = updates;
    request.facts.calls = origin.recurses().then_some(bound);
    let right = target::run(&inputs, cubin, code, most, request, Role::Target).map_err(said)?;
    let mut used: BTreeSet<Assumption> = left.assumed.union(&right.side.log.assumed).copied().collect();
    used.extend([Assumption::Launch, Assumption::Ub, Assumption::Drf, Assumption::Solver]);
    used.extend(origin.recurses().then_some(Assumption::Stack));
    origin.hazards(&mut used).map_err(said)?;
    origin::hazards(cubin, code, &right.side.log.jumped, &mut used).map_err(said)?;
    let events = left.events.iter().chain(&right.side.log.events);
    let roots: Vec<TermId> = events.flat_map(Event::terms).collect();
    if d.topological(&roots).iter().any(|t| sassafras_symbolic::float::is_float(&d.node(*t))) {
        used.insert(Assumption::Fp);
    }
    if entry.bounded && !left.beyond.is_empty() {
        used.insert(Assumption::Term);
        let (reached, all) = right.reached;
        if reached < all {
            return rejected("the source's loops go on beyond what was looked at");
        }
    }
    if let Some(a) = used.iter().find(|a| entry.assumptions.iter().all(|id| id != a.id())) {
        return rejected(format!("it does not name {}", a.id()));
    }
    if let Some(id) = entry.assumptions.iter().find(|id| Assumption::ALL.iter().all(|a| a.id() != **id)) {
        return rejected(format!("the assumption `{id}` is not known"));
    }
    let mut known = assumptions(&inputs, origin, &left.events);
    let excluded = if entry.bounded { &left.beyond[..] } else { &[] };
    known.extend(excluded.iter().chain(&left.undefined).map(|t| d.not(t)));
    let of_source: Vec<TermId> = left.events.iter().flat_map(Event::terms).collect();
    let chosen = sassafras_symbolic::ptx::choose::said(
        d,
        &entry.matching.choices,
        &of_source,
        first,
        &right.side.log.events,
    );
    known.extend(chosen.map_err(said)?.into_iter().map(|(u, value)| d.eq(&u, &value)));
    let at = inputs.variable("address", 64, false);
    let (a, b) = (Events::new(&left.events), Events::new(&right.side.log.events));
    let of_code = matches!(origin, Origin::Code { .. });
    let mut list = steps(d, at, &entry.matching, &a, &b, of_code).map_err(said)?;
    let partners = partners(&entry.matching, &a, &b, of_code).map_err(said)?;
    if let Some(barrier) = right.side.warp.circle(&right.side.log.events, &partners) {
        return Err(said(format!("lanes at B{barrier} may wait for what waits for them")));
    }
    let top = inputs.stack_top(chip);
    let room = (origin.stack(cubin, code), bound);
    known.extend(origin.placed(&inputs, top, room));
    known.extend(sassafras_symbolic::places::assumptions(&inputs, &origin.variables(bound), &left.events));
    known.extend(sassafras_symbolic::trace::window::assumptions(&inputs, &roots));
    list.extend(stack(&inputs, origin, &left.events, &right.side.log.events, top, room));
    for t in left.beyond.iter().filter(|_| !entry.bounded) {
        list.push(Step::Never("a loop of the source goes on beyond what was looked at".into(), *t));
    }
    let trapped = |all: &[(TermId, u64)]| all.iter().fold(d.no(), |any, t| d.or(&any, &t.0));
    let traps = d.xor(&trapped(&left.traps), &trapped(&right.side.log.traps));
    list.push(Step::Never("both sides trap alike".into(), traps));
    for (i, t) in right.side.log.beyond.iter().enumerate() {
        list.push(Step::Never(format!("loop {i} of the target ends where the source's do"), *t));
    }
    for (t, place) in right.side.warp.open().map_err(said)? {
        list.push(Step::Never(format!("lanes wait for ever, with {place:#x}"), *t));
    }
    for (t, place) in right.side.log.demands.iter().chain(&left.demands) {
        list.push(Step::Never(format!("what the hardware demands at {place:#x}"), *t));
    }
    let mut asked = Asked::default();
    // If nothing can happen, everything holds.
    let mut so_far = SoFar::new(&inputs, known);
    match solver.check(&so_far.script(&so_far.known, Way::Bits(How::PLAIN))) {
        Answer::Sat(_) => {}
        Answer::Unsat => return rejected("the assumptions contradict each other"),
        Answer::Unknown(why) => return Err(Fault::Undecided(format!("the assumptions: {why}"))),
    }
    // What lemmas say of the source's operations.
    let open = sassafras_symbolic::ptx::choose::undefined(d, &roots);
    let first_said = so_far.known.len();
    for lemma in lemmas {
        so_far.known.extend(lemma::said(&inputs, lemma, &of_source, &open).map_err(said)?);
    }
    so_far.lemmas = first_said..so_far.known.len();
    guide.begin(&mut so_far)?;
    for (i, step) in list.into_iter().enumerate() {
        match step {
            Step::Assume(t) => so_far.known.push(t),
            Step::Same(a, b) if so_far.ordered(a, b) => so_far.learn(a, b),
            Step::Same(a, b) => so_far.known.push(d.eq(&a, &b)),
            Step::Cut(a, b) if !so_far.ordered(a, b) => {}
            Step::Cut(a, b) => {
                asked.solver += 1;
                let t = d.not(&d.eq(&a, &b));
                guide.before(&mut so_far, i, t, solver)?;
                if so_far.is_same(a, b, solver) || guide.numbers(i) && so_far.is_never_as_numbers(t, solver) {
                    so_far.learn(a, b);
                }
            }
            Step::Never(_, t) if inputs.settled(t) == Some(0) => asked.constant += 1,
            Step::Never(what, t) => {
                asked.solver += 1;
                if guide.before(&mut so_far, i, t, solver)? {
                    so_far.never(&what, t, solver)?;
                }
            }
        }
    }
    Ok(asked)
}
