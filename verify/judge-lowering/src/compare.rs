//! What one launch shows.

use crate::settled::{Place, deeds, settled};
use crate::source::Source;
use crate::{Difference, hex};
use rustc_hash::FxHashSet;
use sassafras_execute::memory::{Deed, Touch, Use, race};
use sassafras_execute::{Failure, Launch, Options, Outcome};
use sassafras_ir::{Module, Op};
use sassafras_semantics::{Space, Trap};

/// Most instructions of a run of the source, issued by groups of lanes.
const STEPS: u64 = 3_000;
/// The IR may take so many for each of the source's, and so many besides: an instruction of PTX is at most a few dozen operations.
const AS_LONG: u64 = 64;
const LEAST: u64 = 10_000;
/// What a step of a group costs beside those of its lanes.
const OF_GROUP: u64 = 1;
/// How much less the steps of a launch count that does not: another one is worth more than what is left.
const OF_NOTHING: u64 = 4;

/// What a launch shows.
pub(crate) enum Shown {
    /// Both do the same.
    Same,
    /// It does not count; why.
    Nothing(String),
    Differs(Box<Difference>),
}

/// A difference and where it shows.
struct Found {
    place: Place,
    what: String,
    source: String,
    target: String,
    line: Option<u32>,
    thread: Option<u32>,
}

/// Both sides.
pub(crate) struct Judge<'a> {
    source: Source<'a>,
    target: &'a Module,
    name: &'a str,
    /// Whether sums may be fused, or payloads of NaNs are open.
    loose: bool,
    /// Whether the IR has barrier objects as words.
    barrier_words: bool,
    /// Instructions executed by lanes of both sides so far.
    pub steps: u64,
}

/// Whether barrier objects of a module are words, since no operation is one on an object of the unit.
pub fn barrier_words(module: &Module) -> bool {
    let unit = |op: &Op| match op {
        Op::Opaque(op) => op.head() == "mbarrier" && !op.has("words"),
        _ => false,
    };
    !module.functions.iter().any(|f| f.insts.values().any(|i| unit(&i.op)))
}

/// The first line of a failure.
fn first_line(failure: &Failure) -> String {
    failure.to_string().lines().next().unwrap_or_default().to_owned()
}

impl<'a> Judge<'a> {
    pub fn new(source: Source<'a>, target: &'a Module, name: &'a str) -> Judge<'a> {
        let loose = source.origin.contracts() || source.origin.leaves_payloads();
        Judge { source, target, name, loose, barrier_words: barrier_words(target), steps: 0 }
    }

    /// Runs both sides.
    pub fn differ(&mut self, launch: &Launch) -> Shown {
        let barrier_words = self.barrier_words;
        let options = Options { step_limit: STEPS, touches: true, barrier_words, ..Options::default() };
        let source = match self.source.execute(launch, &options) {
            Ok(outcome) => outcome,
            Err(failure) => return self.source_failed(launch, &failure),
        };
        let steps = source.lane_steps + OF_GROUP * source.steps;
        if self.races(launch, &source, &options) {
            self.steps += steps / OF_NOTHING;
            return Shown::Nothing("threads race".into());
        }
        self.steps += steps;
        let limit = AS_LONG * source.steps + LEAST;
        let options = Options { step_limit: limit, ..options };
        let found = match sassafras_execute::ir::run(self.target, self.name, launch, &options) {
            Ok(target) => {
                self.steps += target.lane_steps + OF_GROUP * target.steps;
                differences(launch, &source, &target)
            }
            Err(failure) if failure.is_unsupported() => return Shown::Nothing(first_line(&failure)),
            Err(failure) => vec![ended("it ends", &failure)],
        };
        if found.is_empty() {
            return Shown::Same;
        }
        if self.loose && source.several {
            return Shown::Nothing("a sum may be fused, or a NaN has any payload".into());
        }
        // In other interleavings each lane may take its steps alone.
        let base = Options { step_limit: 2 * STEPS + 2 * source.lane_steps, ..options };
        let settled = |f: &Found| settled(self.source, launch, &source, &base, &f.place);
        match found.into_iter().find(settled) {
            None => Shown::Nothing("what differs is left open by the source".into()),
            Some(f) => Shown::Differs(Box::new(Difference {
                launch: launch.clone(),
                what: f.what,
                source: f.source,
                target: f.target,
                line: f.line,
                thread: f.thread,
            })),
        }
    }

    /// Whether threads race. Of lanes of one warp it is not noted what orders them (`bar.warp.sync`, products of matrices): where they alone do, other
    /// interleavings say whether something orders them.
    fn races(&self, launch: &Launch, source: &Outcome, options: &Options) -> bool {
        if race(&source.touches).is_none() {
            return false;
        }
        let of_warp = |t: &Touch| {
            let mut t = *t;
            t.who.thread -= t.who.thread % 32;
            t
        };
        let of_warps: Vec<Touch> = source.touches.iter().map(of_warp).collect();
        let asks = |deed: &(_, Deed)| matches!(deed.1, Deed::Collective(..));
        if race(&of_warps).is_some() || !source.deeds.iter().any(asks) {
            return true;
        }
        let same = |order: u32| {
            let other = self.source.execute(launch, &Options { order, ..options.clone() });
            other.is_ok_and(|o| o.buffers == source.buffers && o.variables == source.variables)
        };
        !(1..4).all(same)
    }

    /// The source does not come to its end: a trap is one of the ends that a program may have, all others say nothing.
    fn source_failed(&mut self, launch: &Launch, failure: &Failure) -> Shown {
        let trapped =
            |f: &Failure| matches!(f, Failure::Trap { trap: Trap::Trapped, .. } | Failure::Assertion { .. });
        match failure {
            f if f.is_unsupported() => Shown::Nothing(first_line(f)),
            Failure::Launch(_) => Shown::Nothing(format!("the launch does not fit: {}", first_line(failure))),
            Failure::StepLimit(steps) => {
                self.steps += steps / OF_NOTHING;
                Shown::Nothing("it takes too many instructions".into())
            }
            // What others do before a thread stops the launch is not said.
            f if trapped(f) && launch.blocks() * u64::from(launch.threads()) == 1 => {
                let options = Options { step_limit: AS_LONG * STEPS, ..Options::default() };
                let others = (1..4).map(|seed| Options { seed, ..options.clone() });
                let open =
                    others.into_iter().any(|o| !self.source.execute(launch, &o).is_err_and(|e| trapped(&e)));
                match sassafras_execute::ir::run(self.target, self.name, launch, &options) {
                    Err(other) if trapped(&other) => Shown::Same,
                    Err(other) if other.is_unsupported() => Shown::Nothing(first_line(&other)),
                    _ if open => Shown::Nothing("whether it traps is left open by the source".into()),
                    other => Shown::Differs(Box::new(Difference {
                        launch: launch.clone(),
                        what: "how it ends".into(),
                        source: failure.to_string(),
                        target: other.map_or_else(|e| e.to_string(), |_| "it ends".into()),
                        line: line(failure),
                        thread: Some(0),
                    })),
                }
            }
            f if trapped(f) => Shown::Nothing("a thread of several traps".into()),
            f => Shown::Nothing(format!("undefined: {}", kind(f))),
        }
    }
}

/// What kind of failure it is, without numbers of its own.
fn kind(failure: &Failure) -> &'static str {
    match failure {
        Failure::Trap { trap: Trap::OutOfBounds { .. }, .. } => "an access is out of bounds",
        Failure::Trap { trap: Trap::Misaligned { .. }, .. } => "an access is misaligned",
        Failure::Undefined { .. } => "what the PTX ISA leaves undefined",
        Failure::Deadlock(_) => "its lanes wait for ever",
        _ => "it fails",
    }
}

fn line(failure: &Failure) -> Option<u32> {
    match failure {
        Failure::Trap { at, .. } | Failure::Undefined { at, .. } | Failure::Assertion { at, .. } => at.line,
        Failure::Deadlock(all) => all.first().and_then(|at| at.line),
        _ => None,
    }
}

fn ended(source: &str, failure: &Failure) -> Found {
    Found {
        place: Place::Course,
        what: "how it ends".into(),
        source: source.into(),
        target: failure.to_string(),
        line: line(failure),
        thread: None,
    }
}

/// What differs between two runs that ended.
fn differences(launch: &Launch, source: &Outcome, target: &Outcome) -> Vec<Found> {
    let mut all = left(launch, source, target);
    all.extend(variables(source, target));
    all.extend(said(source, target));
    all.extend(done(launch, source, target));
    all.extend(wild(launch, source, target));
    all
}

/// Most places of a launch that are looked at: what stands there may be open in the first ones.
const WORDS: usize = 16;

/// Words of buffers that are left with other contents.
fn left(launch: &Launch, source: &Outcome, target: &Outcome) -> Vec<Found> {
    let mut all = Vec::new();
    for (buffer, (a, b)) in launch.buffers.iter().zip(source.buffers.iter().zip(&target.buffers)) {
        let words = a.chunks(4).zip(b.chunks(4)).enumerate().filter(|(_, (a, b))| a != b);
        for (i, (a, b)) in words.take(WORDS.saturating_sub(all.len())) {
            let at = buffer.address + 4 * i as u64;
            let touches = |t: &&Touch| {
                let (from, to) = (t.address, t.address + u64::from(t.bytes));
                t.how != Use::Load && t.space == Space::Global && from < at + 4 && at < to
            };
            let last = source.touches.iter().rev().find(touches);
            // A word of eight bytes is open as a whole: an address has the same upper half wherever it leads.
            let wide = last.is_some_and(|t| t.bytes >= 8);
            let place = if wide { Place::Bytes(at & !7, 8) } else { Place::Bytes(at, a.len()) };
            let last = last.or_else(|| target.touches.iter().rev().find(touches));
            all.push(Found {
                place,
                what: format!("the bytes at {at:#x} are others"),
                source: hex(a),
                target: hex(b),
                line: last.map(|t| t.who.at as u32).filter(|l| *l > 0),
                thread: last.map(|t| t.who.thread),
            });
        }
    }
    all
}

/// Variables of the module that are left with other contents.
fn variables(source: &Outcome, target: &Outcome) -> Vec<Found> {
    let mut all = Vec::new();
    for (name, a) in &source.variables {
        let Some(b) = target.variables.get(name).filter(|b| b.len() == a.len()) else { continue };
        let words = a.chunks(4).zip(b.chunks(4)).enumerate().filter(|(_, (a, b))| a != b);
        for (i, (x, y)) in words.take(WORDS.saturating_sub(all.len())) {
            // It may be part of an address, whose upper half is the same wherever it leads.
            let word = 4 * i / 8 * 8;
            all.push(Found {
                place: Place::Variable(name.clone(), word, (word + 8).min(a.len())),
                what: format!("the bytes of `{name}` from {} on are others", 4 * i),
                source: hex(x),
                target: hex(y),
                line: None,
                thread: None,
            });
        }
    }
    all
}

/// The first call of a function that the driver resolves that a thread does otherwise.
fn said(source: &Outcome, target: &Outcome) -> Option<Found> {
    let at = (0..source.calls.len().max(target.calls.len()))
        .find(|&i| source.calls.get(i) != target.calls.get(i))?;
    let text = |o: &Outcome| o.calls.get(at).map_or("it calls nothing more".to_owned(), ToString::to_string);
    Some(Found {
        place: Place::Deed,
        what: "a call".into(),
        source: text(source),
        target: text(target),
        line: None,
        thread: source.calls.get(at).or_else(|| target.calls.get(at)).map(|c| c.thread),
    })
}

/// The first deed that a thread does otherwise.
fn done(launch: &Launch, source: &Outcome, target: &Outcome) -> Option<Found> {
    let (a, b) = (deeds(launch, &source.deeds), deeds(launch, &target.deeds));
    let threads = a.keys().chain(b.keys());
    let who = threads.into_iter().find(|who| a.get(who) != b.get(who))?;
    let none = Vec::new();
    let (a, b) = (a.get(who).unwrap_or(&none), b.get(who).unwrap_or(&none));
    let at = (0..a.len().max(b.len())).find(|&i| a.get(i) != b.get(i))?;
    let text = |d: Option<&_>| d.map_or("nothing more".to_owned(), |d| format!("{d:?}"));
    let mut own = source.deeds.iter().filter(|(w, _)| (w.block, w.thread) == *who);
    let line = own.nth(at).map(|(w, _)| w.at as u32).filter(|l| *l > 0);
    Some(Found {
        place: Place::Deed,
        what: "what others see of a thread".into(),
        source: text(a.get(at)),
        target: text(b.get(at)),
        line,
        thread: Some(who.1),
    })
}

/// An access of a buffer by one side, of bytes that the other does not access so. A load that nobody needs may be left out, and may take what
/// lies beside what is needed, up to the widest access: that faults nowhere else.
fn wild(launch: &Launch, source: &Outcome, target: &Outcome) -> Option<Found> {
    let unit = |how: Use| if how == Use::Load { 16 } else { 1 };
    let set = |outcome: &Outcome| -> FxHashSet<(Use, u64)> {
        let bytes = |t: &Touch| {
            let (how, from) = (t.how, t.address);
            (0..u64::from(t.bytes)).map(move |i| (how, from.wrapping_add(i) / unit(how)))
        };
        outcome.touches.iter().filter(|t| t.space == Space::Global).flat_map(bytes).collect()
    };
    let inside = |t: &&Touch| {
        let own = |b: &sassafras_execute::launch::Buffer| {
            (b.address..b.address + b.bytes.len() as u64).contains(&t.address)
        };
        t.space == Space::Global && launch.buffers.iter().any(own)
    };
    let (a, b) = (set(source), set(target));
    let lacks = |known: &FxHashSet<(Use, u64)>, t: &Touch| {
        (0..u64::from(t.bytes)).any(|i| !known.contains(&(t.how, (t.address + i) / unit(t.how))))
    };
    let more = target
        .touches
        .iter()
        .filter(inside)
        .find(|t| lacks(&a, t) && !(t.how == Use::Load && written(source, t)));
    let less = || source.touches.iter().filter(inside).find(|t| t.how != Use::Load && lacks(&b, t));
    let text = |t: &Touch| format!("{:?} of {} bytes at {:#x}", t.how, t.bytes, t.address);
    let (t, source, target) = match more {
        Some(t) => (t, "no such access".to_owned(), text(t)),
        None => less().map(|t| (t, text(t), "no such access".to_owned()))?,
    };
    Some(Found {
        place: Place::Course,
        what: "an access".into(),
        source,
        target,
        line: (t.who.at > 0).then_some(t.who.at as u32),
        thread: Some(t.who.thread),
    })
}

/// Whether the source accesses the bytes of a load in any way.
fn written(source: &Outcome, load: &Touch) -> bool {
    let end = load.address + u64::from(load.bytes);
    source
        .touches
        .iter()
        .any(|t| t.space == load.space && t.address < end && load.address < t.address + u64::from(t.bytes))
}
