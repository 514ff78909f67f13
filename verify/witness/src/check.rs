//! Checks a witness: both sides run once more over raw terms, and a solver is asked what the matching says.

pub use super::fault::{Fault, Rejection, Undecided};
pub use super::guide::Guide;

use super::obligations::{Events, Step, assumptions, partners, stack, steps};
use super::rewrite::Recorded;
use super::script::How;
use super::so_far::{SoFar, Way};
use super::{Entry, FORMAT, Matching, Witness, sha256};
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_ptx::checked::Module;
use sassafras_semantics::{Domain, TermId, Terms};
use sassafras_solve::solver::{Answer, Solver};
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::cut::{self, Cutting};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::lemma;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::place::Place;
use sassafras_symbolic::origin::{self, Freedom, Origin, Trace, Ways};
use sassafras_symbolic::sass::target::{self, Role, Target};
use sassafras_symbolic::trace::cut::hold_again;
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

fn rejected<T>(rejection: Rejection) -> Result<T, Fault> {
    Err(rejection.into())
}

/// Reads a witness.
///
/// # Errors
/// A text that is none, or of another format.
pub fn read(text: &str) -> Result<Witness, Fault> {
    let value: serde_json::Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(e) => return rejected(Rejection::NoJson { said: e.to_string() }),
    };
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(n) if n == u64::from(FORMAT) => {}
        Some(n) => return rejected(Rejection::Format { format: n, own: FORMAT }),
        None => return rejected(Rejection::NoFormat {}),
    }
    let witness: Witness = match serde_json::from_value(value) {
        Ok(witness) => witness,
        Err(e) => return rejected(Rejection::NoWitness { said: e.to_string() }),
    };
    if witness.entries.is_empty() {
        return rejected(Rejection::NoEntry {});
    }
    let names: BTreeSet<&str> = witness.entries.iter().map(|e| e.entry.as_str()).collect();
    if names.len() < witness.entries.len() {
        return rejected(Rejection::EntryTwice {});
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
            return rejected(Rejection::Hash { file: input.path.clone() });
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
        return rejected(Rejection::Chips {});
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
        return rejected(Rejection::MissingEntry { entry: entry.entry.clone() });
    };
    let mut lemmas = Vec::new();
    for name in &entry.lemmas {
        match lemma::named(name) {
            Some(lemma) => lemmas.push(lemma),
            None => return rejected(Rejection::UnknownLemma { lemma: name.clone() }),
        }
    }
    let Some(chip) = Chip::from_number(cubin.sm) else { return rejected(Rejection::Chip {}) };
    origin.fits(cubin, code, entry.matching.own_first)?;
    let terms = Terms::raw();
    let inputs = Inputs::raw(&terms);
    inputs.in_clusters(origin.in_clusters());
    inputs.in_blocks(origin.blocks());
    let pair = Pair { origin, cubin, code, entry };
    let sides = pair.run(&inputs)?;
    pair.names_assumptions(&terms, &sides)?;
    let (known, list) = pair.claims(&inputs, &sides, chip)?;
    // If nothing can happen, everything holds.
    let mut so_far = SoFar::new(&inputs, known);
    match solver.check(&so_far.script(&so_far.known, Way::Bits(How::PLAIN))) {
        Answer::Sat(_) => {}
        Answer::Unsat => return rejected(Rejection::Vacuous {}),
        Answer::Unknown(why) => return Err(Fault::Undecided(Undecided::Assumptions { said: why })),
    }
    // What lemmas say of the source's operations.
    let open = sassafras_symbolic::ptx::choose::undefined(&terms, &sides.roots);
    let of_source: Vec<TermId> = sides.left.events.iter().flat_map(Event::terms).collect();
    let first_said = so_far.known.len();
    for lemma in lemmas {
        let said = lemma::said(&inputs, lemma, &of_source, &open);
        so_far.known.extend(said.map_err(|why| Rejection::Lemma { why })?);
    }
    so_far.lemmas = first_said..so_far.known.len();
    guide.begin(&mut so_far)?;
    go_through(list, &mut so_far, guide, solver)
}

/// Asks about each step, in order.
fn go_through(
    list: Vec<Step>,
    so_far: &mut SoFar<'_, '_>,
    guide: &mut dyn Guide,
    solver: &mut dyn Solver,
) -> Result<Asked, Fault> {
    let (inputs, d) = (so_far.inputs, so_far.inputs.terms);
    let mut asked = Asked::default();
    for (i, step) in list.into_iter().enumerate() {
        match step {
            Step::Assume(t) => so_far.known.push(t),
            Step::Same(a, b) if so_far.ordered(a, b) => so_far.learn(a, b),
            Step::Same(a, b) => so_far.known.push(d.eq(&a, &b)),
            Step::Cut(a, b) if !so_far.ordered(a, b) => {}
            Step::Cut(a, b) => {
                asked.solver += 1;
                let t = d.not(&d.eq(&a, &b));
                guide.before(so_far, i, t, solver)?;
                if so_far.is_same(a, b, solver) || guide.numbers(i) && so_far.is_never_as_numbers(t, solver) {
                    so_far.learn(a, b);
                }
            }
            Step::Never(_, t) if inputs.settled(t) == Some(0) => asked.constant += 1,
            Step::Never(what, t) => {
                asked.solver += 1;
                if guide.before(so_far, i, t, solver)? {
                    so_far.never(&what, t, solver)?;
                }
            }
        }
    }
    Ok(asked)
}

/// Two entries, and what a witness says of them.
struct Pair<'p> {
    origin: Origin<'p>,
    cubin: &'p Cubin,
    code: &'p Function,
    entry: &'p Entry,
}

/// Both sides over raw terms.
struct Sides<'i> {
    left: Trace,
    right: Target<'i>,
    /// The number of the source's first undefined value.
    first: u32,
    /// The terms of all events.
    roots: Vec<TermId>,
    /// What lanes of the source choose, and what is chosen.
    follows: Vec<(TermId, TermId)>,
}

impl Pair<'_> {
    /// How often the head of a loop is come to at most.
    fn bound(&self) -> u32 {
        self.entry.unroll.saturating_add(1)
    }

    /// Runs both sides in the way that the witness says: the source first, since what a term was shown to be has to have a lower number.
    fn run<'i>(&self, inputs: &'i Inputs<'i>) -> Result<Sides<'i>, Fault> {
        let Pair { origin, cubin, code, entry } = *self;
        let first = sassafras_symbolic::ptx::choose::count(inputs.terms);
        let Matching { payloads, own_first, updates, .. } = entry.matching;
        let (fused, estimated) = (entry.matching.fused.clone(), entry.matching.estimated.clone());
        if let Some(name) = estimated.values().find(|l| !entry.lemmas.contains(l)) {
            return rejected(Rejection::UnnamedLemma { lemma: name.clone() });
        }
        let (ways, placed) = (Ways { fused, estimated }, &entry.matching.placed);
        let Matching { cuts, unfolds, never, .. } = &entry.matching;
        let cutting = Cutting { loops: cuts, unfolds, never, follows: None, watches: false };
        let freedom =
            Freedom { payloads, like: None, written: None, ways, own_first, updates, placed, cutting };
        let bound = self.bound();
        let (left, _) = origin.run(inputs, cubin, code, bound, freedom)?;
        // What is left out of account is what goes beyond the bound, and nothing else.
        if let Some(flow) = origin.flow(bound, unfolds) {
            super::activations::judge(&flow, &left.course.visits, entry.unroll)
                .map_err(|why| Rejection::Miscounted { why })?;
        }
        let (mut request, most) = (origin.request(cubin, &entry.matching.fences), bound.saturating_add(2));
        (request.updates, request.cutting) = (updates, cutting);
        request.facts.calls = origin.recurses().then_some(bound);
        let right = target::run(inputs, cubin, code, most, request, Role::Target)?;
        // Whatever one turn of a loop rests on holds behind it.
        for needs in [&left.needs, &right.side.cuts.needs_by(&cut::key)] {
            hold_again(needs).map_err(Located::from)?;
        }
        // Lanes of the source choose versions of loops as those of the target do: which they choose changes nothing of what they do.
        let came = &right.side.cuts.came;
        let follows = |(key, chosen): &(_, TermId)| {
            (*chosen, came.get(key).copied().unwrap_or_else(|| inputs.terms.no()))
        };
        let follows: Vec<(TermId, TermId)> = left.chosen.iter().map(follows).collect();
        if follows.iter().any(|(chosen, comes)| inputs.is_uniform(*chosen) && !inputs.is_uniform(*comes)) {
            let at = Place::Line(unfolds.first().map_or(0, |unfold| unfold.head));
            return Err(Located::from(Coverage::CutWrong { at }).into());
        }
        let events = left.events.iter().chain(&right.side.log.events);
        let roots = events.flat_map(Event::terms).collect();
        Ok(Sides { left, right, first, roots, follows })
    }

    /// The witness names what its proof rests on, and nothing that is not known; a bounded one has seen all of the target.
    fn names_assumptions(&self, d: &Terms, sides: &Sides<'_>) -> Result<(), Fault> {
        let Pair { origin, cubin, code, entry } = *self;
        let Sides { left, right, .. } = sides;
        let mut used: BTreeSet<Assumption> = left.assumed.union(&right.side.log.assumed).copied().collect();
        used.extend([Assumption::Launch, Assumption::Ub, Assumption::Drf, Assumption::Solver]);
        used.extend(origin.recurses().then_some(Assumption::Stack));
        origin.hazards(&mut used)?;
        origin::hazards(cubin, code, &right.side.log.jumped, &mut used).map_err(Located::from)?;
        if d.topological(&sides.roots).iter().any(|t| sassafras_symbolic::float::is_float(&d.node(*t))) {
            used.insert(Assumption::Fp);
        }
        if entry.bounded && !left.beyond.is_empty() {
            used.insert(Assumption::Term);
            let (reached, all) = right.reached;
            if reached < all {
                return rejected(Rejection::Beyond {});
            }
        }
        if let Some(a) = used.iter().find(|a| entry.assumptions.iter().all(|id| id != a.id())) {
            return rejected(Rejection::UnnamedAssumption { assumption: a.id() });
        }
        let unknown = |id: &&String| Assumption::ALL.iter().all(|a| a.id() != **id);
        match entry.assumptions.iter().find(unknown) {
            Some(id) => rejected(Rejection::UnknownAssumption { assumption: id.clone() }),
            None => Ok(()),
        }
    }

    /// What is known of inputs that count, and what has to hold on each of them.
    fn claims(
        &self,
        inputs: &Inputs<'_>,
        sides: &Sides<'_>,
        chip: Chip,
    ) -> Result<(Vec<TermId>, Vec<Step>), Fault> {
        let Pair { origin, cubin, code, entry } = *self;
        let (d, bound) = (inputs.terms, self.bound());
        let Sides { left, right, first, roots, follows } = sides;
        let mut known = assumptions(inputs, origin, &left.events);
        let excluded = if entry.bounded { &left.beyond[..] } else { &[] };
        known.extend(excluded.iter().chain(&left.undefined).map(|t| d.not(t)));
        let of_source: Vec<TermId> = left.events.iter().flat_map(Event::terms).collect();
        known.extend(follows.iter().map(|(chosen, comes)| d.eq(chosen, comes)));
        known.extend(&right.side.cuts.known);
        let (choices, targets) = (&entry.matching.choices, &right.side.log.events);
        let chosen = sassafras_symbolic::ptx::choose::said(d, choices, &of_source, *first, targets);
        let chosen = chosen.map_err(|why| Rejection::Choice { why })?;
        known.extend(chosen.into_iter().map(|(u, value)| d.eq(&u, &value)));
        let at = inputs.variable("address", 64, false);
        let (a, b) = (Events::new(&left.events), Events::new(targets));
        let of_code = matches!(origin, Origin::Code { .. });
        let mut list = steps(d, at, &entry.matching, &a, &b, of_code)?;
        let partners = partners(&entry.matching, &a, &b, of_code)?;
        if let Some(barrier) = right.side.warp.circle(targets, &partners) {
            return rejected(Rejection::Circle { barrier });
        }
        let top = inputs.stack_top(chip);
        let room = (origin.stack(cubin, code), bound);
        known.extend(origin.placed(inputs, top, room));
        let variables = origin.variables(bound);
        known.extend(sassafras_symbolic::places::assumptions(inputs, &variables, &left.events));
        known.extend(sassafras_symbolic::trace::window::assumptions(inputs, roots));
        list.extend(stack(inputs, origin, &left.events, targets, top, room));
        self.ends(d, sides, &mut list)?;
        Ok((known, list))
    }

    /// How both sides end: loops, traps, and what stops a target for ever.
    fn ends(&self, d: &Terms, sides: &Sides<'_>, list: &mut Vec<Step>) -> Result<(), Fault> {
        let (left, right) = (&sides.left, &sides.right.side);
        for t in left.beyond.iter().filter(|_| !self.entry.bounded) {
            list.push(Step::Never("a loop of the source goes on beyond what was looked at".into(), *t));
        }
        let trapped = |all: &[(TermId, u64)]| all.iter().fold(d.no(), |any, t| d.or(&any, &t.0));
        let traps = d.xor(&trapped(&left.traps), &trapped(&right.log.traps));
        list.push(Step::Never("both sides trap alike".into(), traps));
        for (i, t) in right.log.beyond.iter().enumerate() {
            list.push(Step::Never(format!("loop {i} of the target ends where the source's do"), *t));
        }
        for (t, place) in right.warp.open().map_err(Located::from)? {
            list.push(Step::Never(format!("lanes wait for ever, with {place:#x}"), *t));
        }
        for (t, place) in right.log.demands.iter().chain(&left.demands) {
            list.push(Step::Never(format!("what the hardware demands at {place:#x}"), *t));
        }
        Ok(())
    }
}
