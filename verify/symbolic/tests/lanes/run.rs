//! A program's lanes by the rules, and in the executor.

use crate::maker::Program;
use crate::watch::{Watch, Wrong};
use sassafras_execute::options::Tracer;
use sassafras_execute::{Failure, Launch, Options, sass};
use sassafras_semantics::Terms;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::sass::target::{Request, Role, run};
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
#[derive(Clone)]
pub struct Said {
    /// Byte offsets of instructions at which no lane of the warp is elsewhere, whenever lanes come to them.
    pub together: BTreeSet<u64>,
    /// By the byte offsets of operations across lanes.
    pub asked: BTreeMap<u64, Asked>,
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

/// Runs a program over terms; why not, if it is not followed.
pub fn said(program: &Program) -> Result<Said, Located> {
    let terms = Terms::new();
    let inputs = Inputs::new(&terms, sassafras_normal::Normal::boxed(&terms));
    let mut request = Request::default();
    (request.facts.votes, request.facts.combines) = (true, true);
    (request.facts.aligned, request.facts.whole) = (program.aligned, program.aligned);
    request.facts.calls = program.asks_in_calls.then_some(CALLS);
    let function = &program.cubin.functions[0];
    let ran = run(&inputs, &program.cubin, function, BOUND, request, Role::Target)?;
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
    Ok(Said { together, asked, ends })
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
