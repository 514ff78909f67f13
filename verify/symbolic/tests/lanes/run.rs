//! A program's lanes by the rules, and in the executor.

use crate::maker::Program;
use crate::watch::{Watch, Wrong};
use sassafras_execute::options::Tracer;
use sassafras_execute::{Failure, Launch, Options, sass};
use sassafras_isa::RegClass;
use sassafras_semantics::Terms;
use sassafras_symbolic::cut::{self, Cut, Cutting, Need, Needs};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::sass::target::{Request, Role, Target, run};
use sassafras_symbolic::trace::action::Action;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Threads of a block: one warp, a part of one, two.
const THREADS: [u32; 3] = [32, 23, 64];

/// How often lanes return to the head of a loop, at most, and one more.
const BOUND: u32 = 6;

/// How often a routine is followed within itself, where lanes in different calls are followed apart.
const CALLS: u32 = 2;

/// Whom an operation across lanes is said to be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Those of a mask.
    These(u32),
    /// Of each lane those of the mask with which it waited last.
    Own,
}

/// What is said of an operation across lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Of whom it is.
    pub members: Members,
    /// Whether each lane sees the one whose value it gets, and no other: lanes besides are no matter.
    pub shuffle: bool,
}

/// What the rules say of a program.
#[derive(Clone, Default)]
pub struct Said {
    /// Byte offsets of instructions at which no lane of the warp is elsewhere, whenever lanes come to them.
    pub together: BTreeSet<u64>,
    /// By the byte offsets of operations across lanes.
    pub asked: BTreeMap<u64, Asked>,
    /// Byte offsets of reads of registers of the warp that find what the lane wrote last.
    pub reads: BTreeSet<u64>,
    /// Byte offsets of heads of loops that are gone through once, with the registers of the warp that may hold anything there: what lanes find then.
    pub heads: BTreeMap<u64, Vec<String>>,
    /// Whether there are such.
    pub cut: bool,
    /// Whether no lane waits for ever at a convergence barrier, whatever the input.
    pub ends: bool,
}

/// Of whom an operation is, by the place of its mask among its arguments; none of what is no operation across lanes.
fn mask_of(action: &Action) -> Option<usize> {
    match action {
        Action::Vote | Action::Match { .. } | Action::Redux(_) => Some(1),
        Action::Shuffle(_) => Some(3),
        Action::Elect => Some(0),
        _ => None,
    }
}

/// Most times that less is said of loops that are gone through once.
const WEAKER: u32 = 24;

/// What does not hold again at heads of loops is given up.
fn give_up(cuts: &mut [Cut], needs: Needs) {
    for (number, need) in needs {
        let cut = &mut cuts[number];
        let weaker = &mut cut.weaker[1];
        match need {
            Need::Register(r) if cut.free[1].contains(&r) => weaker.apart = true,
            Need::Register(r) => cut.free[1].push(r),
            Need::NotCommon(_) => {}
            Need::Memory => cut.keeps_memory = false,
            Need::OwnMemory => cut.own_memory = true,
            Need::Apart => weaker.apart = true,
            Need::Ways => weaker.ways = true,
            Need::Waited => weaker.waited = true,
            Need::Stopped => weaker.stopped = true,
            Need::Ended => weaker.ended = true,
            Need::Lost(barrier) => weaker.lost.push(barrier),
        }
    }
}

/// Runs a program over terms, with some of its loops gone through once.
fn follow<'i>(
    inputs: &'i Inputs<'i>,
    program: &Program,
    loops: &[Cut],
    watches: bool,
) -> Result<Target<'i>, Located> {
    let mut request =
        Request { cutting: Cutting { loops, watches, ..Cutting::default() }, ..Request::default() };
    (request.facts.votes, request.facts.combines) = (true, true);
    (request.facts.aligned, request.facts.whole) = (program.aligned, program.aligned);
    request.facts.calls = program.asks_in_calls.then_some(CALLS);
    run(inputs, &program.cubin, &program.cubin.functions[0], BOUND, request, Role::Target)
}

/// What holds at the heads of a program's loops, if that is followed; else none are gone through once.
fn loops(program: &Program) -> Vec<Cut> {
    let mut loops: Vec<Cut> = Vec::new();
    for time in 0..WEAKER {
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, sassafras_normal::Normal::boxed(&terms));
        let Ok(ran) = follow(&inputs, program, &loops, time == 0) else { return Vec::new() };
        if time == 0 {
            // The first arrival in each loop is at its head.
            let mut heads: BTreeMap<usize, u64> = BTreeMap::new();
            for (arrival, own) in ran.side.cuts.arrivals.iter().filter_map(|a| Some((a, a.rounds.last()?.0)))
            {
                heads.entry(own).or_insert(arrival.at);
            }
            let cut = |at: &u64| Cut { target: *at, keeps_memory: true, ..Cut::default() };
            loops = heads.values().map(cut).collect();
            continue;
        }
        let needs = ran.side.cuts.needs_by(&cut::key);
        if needs.is_empty() {
            return loops;
        }
        give_up(&mut loops, needs);
    }
    Vec::new()
}

/// Runs a program over terms; why not, if it is not followed. `cut`: its loops are gone through once, if that is followed.
pub fn said(program: &Program, cut: bool) -> Result<Said, Located> {
    let loops = if cut { loops(program) } else { Vec::new() };
    let terms = Terms::new();
    let inputs = Inputs::new(&terms, sassafras_normal::Normal::boxed(&terms));
    let ran = follow(&inputs, program, &loops, false)?;
    let course = &ran.side.walk.course;
    let seen: BTreeSet<u64> = course.visits.iter().filter(|v| !v.cut).map(|v| v.at).collect();
    let together = seen.into_iter().filter(|at| !course.apart.contains(at)).map(|at| 16 * at).collect();
    let mut asked: BTreeMap<u64, Option<Asked>> = BTreeMap::new();
    for e in &ran.side.log.events {
        let Some((action, mask)) = e.action().and_then(|a| Some((a, mask_of(a)?))) else { continue };
        let members = match e.arguments.get(mask).map(|m| inputs.known(*m)) {
            None => Members::These(u32::MAX),
            Some(Some(known)) => Members::These(known as u32),
            Some(None) => Members::Own,
        };
        let own = Asked { members, shuffle: matches!(action, Action::Shuffle(_)) };
        let before = asked.entry(e.place).or_insert(Some(own));
        let all = |asked: Asked| asked.members == Members::These(u32::MAX);
        *before = match *before {
            Some(other) if other == own => Some(own),
            Some(other) if !all(other) && !all(own) => Some(Asked { members: Members::Own, ..own }),
            // Of what is of all one time and of some another nothing is said.
            _ => None,
        };
    }
    let asked = asked.into_iter().filter_map(|(at, asked)| Some((at, asked?))).collect();
    let ends = ran.side.warp.open().is_ok_and(<[_]>::is_empty);
    let of_warp =
        |key: &cut::Key| cut::register(*key).filter(|r| r.class == RegClass::UR).map(|r| r.to_string());
    let heads = loops.iter().map(|l| (16 * l.target, l.free[1].iter().filter_map(of_warp).collect()));
    let heads: BTreeMap<u64, Vec<String>> = heads.collect();
    Ok(Said { together, asked, reads: ran.later, cut: !heads.is_empty(), heads, ends })
}

/// Runs a program in an order, with inputs of a seed: what is wrong with what was said.
pub fn shows(program: &Program, said: &Said, order: u32, seed: u64) -> Option<Wrong> {
    let threads = THREADS[(seed % 3) as usize];
    let mut launch = Launch::new([1, 1, 1], [threads, 1, 1]);
    launch.params = [(seed as u32).wrapping_mul(0x9e37_79b9), 0xffff_ffff].map(u32::to_le_bytes).concat();
    let watch = Arc::new(Mutex::new(Watch::new(program, said, threads)));
    let tracer = {
        let watch = Arc::clone(&watch);
        Tracer(Arc::new(move |e| watch.lock().expect("no tracer panics").see(e)))
    };
    let options = Options { order, seed, trace: Some(tracer), step_limit: 100_000, ..Options::default() };
    let outcome = sass::run(&program.watched, "k", &launch, &options);
    let stuck = matches!(outcome, Err(Failure::Deadlock { .. }));
    watch.lock().expect("no tracer panics").wrong(stuck)
}
