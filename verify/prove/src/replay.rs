//! A model as a launch, run in both executors.

use crate::execute::execute;
use crate::settled::{Place, Variants, bytes};
use crate::verdict::{Argument, Counterexample};
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_execute::{Failure, Launch, Options, Outcome, sass};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, Concrete, Domain, TermId, Terms};
use sassafras_symbolic::inputs::{AXES, Inputs};
use sassafras_symbolic::obstacle::place::Claim;
use sassafras_symbolic::obstacle::replay::Replay;
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::sass::target::{self, Write};
use sassafras_symbolic::trace::event::{Event, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of each buffer.
const BUFFER: usize = 1 << 18;
/// Most instructions of a run.
const STEPS: u64 = 1_000_000;

/// Why a model that violates an obligation shows nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Unshown {
    /// A launch made of it leaves the same memory on both sides.
    Alike,
    /// What differs is open in the source.
    Open,
    /// It has more blocks than are run.
    Blocks,
    /// The source does not run.
    Source(Failure),
    /// The target does not launch.
    Refused(String),
    /// The target does not run.
    Target(Failure),
    /// The target does not end.
    GoesOn(Failure),
}

impl Unshown {
    /// As what stands in the way of a verdict on a claim.
    pub fn of(self, claim: Claim) -> Replay {
        let said = |e: Failure| e.to_string().into();
        match self {
            Unshown::Alike => Replay::Alike { claim },
            Unshown::Open => Replay::Open { claim },
            Unshown::Blocks => Replay::Blocks { claim },
            Unshown::Source(e) => Replay::SourceStops { claim, said: said(e) },
            Unshown::Refused(e) => Replay::TargetRefused { claim, said: e.into() },
            Unshown::Target(e) => Replay::TargetStops { claim, said: said(e) },
            Unshown::GoesOn(e) => Replay::TargetGoesOn { claim, said: said(e) },
        }
    }
}

/// What a replay needs to know of the two sides.
pub struct Sides<'a> {
    /// Inputs of both.
    pub inputs: &'a Inputs<'a>,
    /// The source.
    pub origin: Origin<'a>,
    /// The cubin.
    pub cubin: &'a Cubin,
    /// The entry in it.
    pub code: &'a sassafras_cubin::Function,
    /// Accesses of the source.
    pub source: &'a [Event],
    /// Accesses of the target.
    pub target: &'a [Event],
    /// Register writes of the target.
    pub writes: &'a [Write],
}

/// Offsets of parameters that addresses start from: eight bytes that are a summand of an address.
pub fn pointers(inputs: &Inputs<'_>, origin: Origin<'_>, events: &[Event]) -> Vec<u64> {
    let mut leaves = BTreeSet::new();
    for e in events.iter().filter(|e| e.accesses() || !e.arguments.is_empty()) {
        let at = if e.accesses() { e.address } else { e.arguments[0] };
        leaves.extend(summands(inputs.terms, at));
    }
    let pointer = |at: &u64| leaves.contains(&inputs.chunk(*at));
    origin.wide_params().into_iter().filter(pointer).collect()
}

fn summands(terms: &Terms, address: TermId) -> Vec<TermId> {
    let (mut leaves, mut stack) = (Vec::new(), vec![address]);
    while let Some(t) = stack.pop() {
        match terms.node(t) {
            Node::Binary(BinaryOp::Add, a, b) => stack.extend([a, b]),
            _ => leaves.push(t),
        }
    }
    leaves
}

/// A launch without contents: a buffer for each pointer, of one byte over and over.
fn bare(pointers: &[u64], fill: u8) -> (Launch, Vec<u64>) {
    let mut launch = Launch::new([1, 1, 1], [1, 1, 1]);
    // A launch may always give some: without it what lies there is outside of shared memory.
    launch.dynamic_shared = crate::search::SHARED;
    let addresses = pointers.iter().map(|_| launch.buffer(vec![fill; BUFFER])).collect();
    (launch, addresses)
}

/// What makes a model easy to replay: one block of a warp, pointers at buffers, the source's accesses within them.
pub fn wishes(inputs: &Inputs<'_>, origin: Origin<'_>, source: &[Event], pointers: &[u64]) -> Vec<TermId> {
    let d = inputs.terms;
    let mut all: Vec<TermId> = AXES.map(|a| d.eq(&inputs.nctaid(a), &d.constant(32, 1))).into();
    if origin.required_threads().is_none() {
        let most = [32, 1, 1].into_iter().zip(AXES);
        all.extend(most.map(|(n, a)| d.compare(CompareOp::ULe, &inputs.ntid(a), &d.constant(32, n))));
    }
    let (_, addresses) = bare(pointers, 0);
    for (&at, &address) in pointers.iter().zip(&addresses) {
        let chunk = inputs.chunk(at);
        all.push(d.eq(&chunk, &d.constant(64, address.into())));
        for e in source.iter().filter(|e| e.accesses() && summands(d, e.address).contains(&chunk)) {
            let within = d.constant(64, (BUFFER - 16) as u128);
            let inside = d.compare(CompareOp::ULe, &d.sub(&e.address, &chunk), &within);
            all.push(d.or(&d.not(&e.guard), &inside));
        }
    }
    all
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Runs a model in both executors. What the model says nothing of holds zeros, then something else: a store of what is there
/// already leaves no trace.
///
/// # Errors
/// Why it does not show a difference.
pub fn replay(
    sides: &Sides<'_>,
    model: &BTreeMap<TermId, u128>,
    pointers: &[u64],
) -> Result<Counterexample, Unshown> {
    filled(sides, model, pointers, 0).or_else(|_| filled(sides, model, pointers, 0x5a))
}

/// Shows what the thread does on both sides, step by step.
pub fn explain(
    sides: &Sides<'_>,
    model: &BTreeMap<TermId, u128>,
    pointers: &[u64],
    found: &mut Counterexample,
) {
    let Ok(launch) = launch(sides, model, pointers, found.fill) else { return };
    let options = Options { step_limit: STEPS, ..Options::default() };
    let target = Origin::Code { cubin: sides.cubin, code: sides.code };
    found.reads = crate::steps::reads(sides.origin, &launch, found.thread, &options);
    found.source_steps = crate::steps::steps(sides.origin, &launch, found.thread, &options);
    found.target_steps = crate::steps::steps(target, &launch, found.thread, &options);
    if let Some(chip) = sassafras_isa::Chip::from_number(sides.cubin.sm) {
        let accessed = crate::steps::accessed(sides.origin, &launch, found.thread, &options);
        crate::blame::point(found, sides.code, chip, &accessed);
    }
}

/// A model as a launch.
///
/// # Errors
/// More blocks than are run.
pub fn launch(
    sides: &Sides<'_>,
    model: &BTreeMap<TermId, u128>,
    pointers: &[u64],
    fill: u8,
) -> Result<Launch, Unshown> {
    let (inputs, d) = (sides.inputs, Concrete::default());
    let terms = inputs.terms;
    let value = |t: TermId| terms.evaluate(&d, t, |v| model.get(&v).copied().unwrap_or(0)).bits();
    let of = |t: TermId| value(t) as u32;
    let (mut launch, _) = bare(pointers, fill);
    launch.grid = AXES.map(|a| of(inputs.nctaid(a)).max(1));
    launch.block = AXES.map(|a| of(inputs.ntid(a)).max(1));
    if launch.blocks() > 64 {
        return Err(Unshown::Blocks);
    }
    launch.params = vec![0; sides.code.param_size.max(sides.origin.param_size()) as usize];
    for (i, chunk) in launch.params.chunks_mut(8).enumerate() {
        let bytes = (value(inputs.chunk(8 * i as u64)) as u64).to_le_bytes();
        chunk.copy_from_slice(&bytes[..chunk.len()]);
    }
    for r in
        inputs.reads().into_iter().filter(|r| r.memory.is_empty() && terms.as_constant(&r.version) == Some(0))
    {
        let at = (value(r.base) as u64).wrapping_add(r.offset as u64);
        let Some(&bits) = model.get(&r.variable) else { continue };
        let buffer =
            launch.buffers.iter_mut().find(|b| (b.address..b.address + BUFFER as u64 - 8).contains(&at));
        if let Some(b) = buffer {
            let start = (at - b.address) as usize;
            b.bytes[start..start + 8].copy_from_slice(&(bits as u64).to_le_bytes());
        }
    }
    Ok(launch)
}

fn filled(
    sides: &Sides<'_>,
    model: &BTreeMap<TermId, u128>,
    pointers: &[u64],
    fill: u8,
) -> Result<Counterexample, Unshown> {
    let (terms, d) = (sides.inputs.terms, Concrete::default());
    let value = |t: TermId| terms.evaluate(&d, t, |v| model.get(&v).copied().unwrap_or(0)).bits();
    let launch = launch(sides, model, pointers, fill)?;
    let mut found = Counterexample { fill, ..described(sides, &launch, pointers, &value) };
    let options = Options { step_limit: STEPS, ..Options::default() };
    let source = execute(sides.origin, &launch, &options).map_err(Unshown::Source)?;
    let target = match sass::run(sides.cubin, &sides.code.name, &launch, &options) {
        Ok(target) => target,
        Err(Failure::Launch(e)) => return Err(Unshown::Refused(e.to_string())),
        Err(e) if e.is_unsupported() => return Err(Unshown::Target(e)),
        Err(e) => return stopped(sides, &launch, &options, e, found),
    };
    let (at, n) = differing(sides, &launch, &source, &target, &value).ok_or(Unshown::Alike)?;
    if !agreed(sides, &launch, &source, Place::Bytes(at, n)) {
        return Err(Unshown::Open);
    }
    found.address = format!("{at:#x}");
    found.source = hex(bytes(&launch, &source, at, n).unwrap_or_default());
    found.target = hex(bytes(&launch, &target, at, n).unwrap_or_default());
    let at_line = sides.source.iter().find(|e| e.stores() && value(e.address) as u64 == at);
    found.line = at_line.map(|e| e.place);
    found.instruction = culprit(sides, at, &value);
    let chip = Chip::from_number(sides.cubin.sm);
    found.text = found.instruction.zip(chip).map(|(at, chip)| target::text(sides.code, chip, at));
    Ok(found)
}

/// Whether the source does one thing at a place, whatever it leaves open.
fn agreed(sides: &Sides<'_>, launch: &Launch, source: &Outcome, place: Place) -> bool {
    Variants::run(sides.origin, launch, STEPS, source).is_some_and(|v| v.agree(place))
}

/// The launch of a counterexample, without what differs. `value`: of terms in the model.
fn described(
    sides: &Sides<'_>,
    launch: &Launch,
    pointers: &[u64],
    value: &dyn Fn(TermId) -> u128,
) -> Counterexample {
    let argument = |(name, offset, size): (String, u32, u32)| {
        let bytes = launch.params.get(offset as usize..(offset + size) as usize).unwrap_or_default();
        Argument { name, offset, bytes: hex(bytes), pointer: pointers.contains(&offset.into()) }
    };
    let loaded = sides.source.iter().filter(|e| e.kind == Kind::Load && e.accesses() && value(e.guard) == 1);
    let memory = loaded.map(|e| {
        let bytes = value(e.value).to_le_bytes();
        (format!("{:#x}", value(e.address)), hex(&bytes[..e.bytes as usize]))
    });
    Counterexample {
        grid: launch.grid,
        block: launch.block,
        thread: AXES.map(|a| value(sides.inputs.tid(a)) as u32),
        parameters: hex(&launch.params),
        arguments: sides.origin.params().into_iter().map(argument).collect(),
        memory: memory.collect(),
        reads: Vec::new(),
        fill: 0,
        run: crate::again::arguments(launch, &sides.origin.params(), 0),
        address: String::new(),
        source: String::new(),
        target: String::new(),
        line: None,
        instruction: None,
        text: None,
        cause: None,
        source_steps: Vec::new(),
        target_steps: Vec::new(),
    }
}

/// The target stops, where the source does not.
fn stopped(
    sides: &Sides<'_>,
    launch: &Launch,
    options: &Options,
    why: Failure,
    mut found: Counterexample,
) -> Result<Counterexample, Unshown> {
    let (Failure::Trap { at, .. } | Failure::Undefined { at, .. }) = &why else {
        return Err(Unshown::GoesOn(why));
    };
    found.instruction = Some(at.position);
    found.text = Some(at.text.clone());
    // The thread that is shown is the one that stops; of block 0 alone are there steps.
    found.thread = if at.block == [0; 3] { at.thread } else { found.thread };
    found.source = "it ends".into();
    found.target = why.to_string();
    let listed = Options { touches: true, ..options.clone() };
    let source = execute(sides.origin, launch, &listed).map_err(Unshown::Source)?;
    agreed(sides, launch, &source, Place::Deed).then_some(found).ok_or(Unshown::Open)
}

/// Where the two sides leave something else, and how many bytes: at a store of the thread in question, else at any place.
fn differing(
    sides: &Sides<'_>,
    launch: &Launch,
    source: &Outcome,
    target: &Outcome,
    value: &dyn Fn(TermId) -> u128,
) -> Option<(u64, usize)> {
    let differs = |at: u64, n: usize| bytes(launch, source, at, n) != bytes(launch, target, at, n);
    let mut stores = sides.source.iter().chain(sides.target).filter(|e| e.stores() && value(e.guard) == 1);
    if let Some(e) = stores.find(|e| differs(value(e.address) as u64, e.bytes as usize)) {
        return Some((value(e.address) as u64, e.bytes as usize));
    }
    let places = launch.buffers.iter().flat_map(|b| (0..BUFFER as u64 / 4).map(|i| b.address + 4 * i));
    places.into_iter().find(|&a| differs(a, 4)).map(|first| (first, 4))
}

/// The instruction that made the first differing word of what is stored at an address; the store itself, if that is not known.
fn culprit(sides: &Sides<'_>, at: u64, value: &dyn Fn(TermId) -> u128) -> Option<u64> {
    let terms = sides.inputs.terms;
    let here = |e: &&Event| e.stores() && value(e.address) as u64 == at;
    let wrong = sides.target.iter().rev().find(|e| here(e) && value(e.guard) == 1)?;
    let Some(right) = sides.source.iter().rev().find(|e| here(e) && e.bytes == wrong.bytes) else {
        return Some(wrong.place);
    };
    for i in 0..wrong.bytes.div_ceil(4) {
        let width = (8 * wrong.bytes - 32 * i).min(32);
        let word = |v: TermId| sides.inputs.normal.of(terms.extract(&v, 32 * i, width));
        if value(word(wrong.value)) == value(word(right.value)) {
            continue;
        }
        let made = |w: &&Write| {
            w.0 < wrong.place
                && terms.width_of(w.1) >= width
                && sides.inputs.normal.of(terms.extract(&w.1, 0, width)) == word(wrong.value)
        };
        return Some(sides.writes.iter().rev().find(made).map_or(wrong.place, |w| w.0));
    }
    Some(wrong.place)
}
