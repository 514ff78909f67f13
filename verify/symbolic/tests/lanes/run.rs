//! A program's lanes by the rules, and in the executor.

use crate::graph::{Program, THREADS};
use sassafras_execute::options::{TraceEvent, Tracer};
use sassafras_execute::{Failure, Launch, Options, sass};
use sassafras_semantics::Terms;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::sass::target::{Request, Role, run};
use sassafras_symbolic::trace::action::Action;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// How often lanes return to the head of a loop, at most, and one more.
const BOUND: u32 = 6;

/// What the rules say of a program.
pub struct Said {
    /// Byte offsets of instructions at which no lane of the warp is elsewhere, whenever lanes come to them.
    pub together: BTreeSet<u64>,
    /// Byte offsets of votes, with the lanes that each is said to be of.
    pub votes: BTreeMap<u64, u32>,
    /// Whether no lane waits for ever at a convergence barrier, whatever the input.
    pub ends: bool,
}

/// Runs a program over terms; why not, if it is not followed.
pub fn said(program: &Program) -> Result<Said, Located> {
    let terms = Terms::new();
    let inputs = Inputs::new(&terms, sassafras_normal::Normal::boxed(&terms));
    let mut request = Request::default();
    (request.facts.votes, request.facts.combines) = (true, true);
    let function = &program.cubin.functions[0];
    let ran = run(&inputs, &program.cubin, function, BOUND, request, Role::Target)?;
    let course = &ran.side.walk.course;
    let seen: BTreeSet<u64> = course.visits.iter().filter(|v| !v.cut).map(|v| v.at).collect();
    let together = seen.into_iter().filter(|at| !course.apart.contains(at)).map(|at| 16 * at).collect();
    let mut votes = BTreeMap::new();
    for e in ran.side.log.events.iter().filter(|e| e.action() == Some(&Action::Vote)) {
        let mask = e.arguments.get(1).map_or(Some(u32::MAX), |m| Some(inputs.known(*m)? as u32));
        // Of a vote that is of other lanes each time nothing is said.
        let own = votes.entry(e.place).or_insert(mask);
        *own = own.filter(|_| *own == mask);
    }
    let votes = votes.into_iter().filter_map(|(at, mask)| Some((at, mask?))).collect();
    let ends = ran.side.warp.open().is_ok_and(<[_]>::is_empty);
    Ok(Said { together, votes, ends })
}

/// What is wrong with what was said, as the executor shows it.
#[derive(Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Lanes come to an instruction without others that have not ended: its byte offset, who came, and who had not ended.
    Apart(u64, u32, u32),
    /// Lanes wait for ever.
    Waits(String),
}

/// What is seen of a run.
struct Watch {
    together: BTreeSet<u64>,
    votes: BTreeMap<u64, u32>,
    /// By warp: who has not ended.
    left: Vec<u32>,
    /// By warp, vote and lane: how often it voted.
    voted: BTreeMap<(u32, u64), [u32; 32]>,
    /// Votes of some of those that they are said to be of: warp, vote, how often these had voted then, who voted, and who was to.
    parts: Vec<(u32, u64, u32, u32, u32)>,
    /// Warps whose lanes wait for each other for ever in the source: some at one vote for such as are at another that names them (C15).
    stuck: BTreeSet<u32>,
    wrong: Option<Wrong>,
}

impl Watch {
    fn new(said: &Said, threads: u32) -> Watch {
        let all = |warp: u32| u32::MAX >> (32 - (threads - 32 * warp).min(32));
        Watch {
            together: said.together.clone(),
            votes: said.votes.clone(),
            left: (0..threads.div_ceil(32)).map(all).collect(),
            voted: BTreeMap::new(),
            parts: Vec::new(),
            stuck: BTreeSet::new(),
            wrong: None,
        }
    }

    fn see(&mut self, e: &TraceEvent<'_>) {
        let alive = self.left[e.warp as usize];
        let all = !e.text.starts_with('@') && self.together.contains(&e.position);
        // A barrier of the block that is followed is one that a warp comes to as a whole (C14).
        if (all || e.text.starts_with("BAR.")) && e.lanes != alive {
            self.wrong.get_or_insert(Wrong::Apart(e.position, e.lanes, alive));
        }
        if let Some(mask) = self.votes.get(&e.position) {
            let wanted = mask & alive;
            let crossed = |(warp, at, _, here, all): &(u32, u64, u32, u32, u32)| {
                *warp == e.warp && *at != e.position && e.lanes & all & !here != 0 && mask & here != 0
            };
            if self.parts.iter().any(crossed) {
                self.stuck.insert(e.warp);
            }
            let counts = self.voted.entry((e.warp, e.position)).or_default();
            let own = |lane: &usize| e.lanes >> lane & 1 == 1;
            (0..32).filter(own).for_each(|lane| counts[lane] += 1);
            let turn = (0..32).filter(own).map(|lane| counts[lane]).max().unwrap_or(0);
            if e.lanes & !wanted != 0 {
                self.wrong.get_or_insert(Wrong::Apart(e.position, e.lanes, wanted));
            } else if e.lanes != wanted {
                self.parts.push((e.warp, e.position, turn, e.lanes, wanted));
            }
        }
        if e.text.contains("EXIT") {
            self.left[e.warp as usize] &= !e.lanes;
        }
    }

    /// What was wrong. If all lanes of a vote come to it, they come at once; that some never come is the source's affair (C15).
    fn wrong(&mut self) -> Option<Wrong> {
        let split = self.parts.iter().filter(|part| !self.stuck.contains(&part.0)).find(
            |(warp, at, turn, _, wanted)| {
                let counts = &self.voted[&(*warp, *at)];
                (0..32).filter(|lane| wanted >> lane & 1 == 1).all(|lane| counts[lane] >= *turn)
            },
        );
        self.wrong.take().or(split.map(|(_, at, _, here, wanted)| Wrong::Apart(*at, *here, *wanted)))
    }
}

/// Runs a program in an order, with inputs of a seed.
pub fn shows(program: &Program, said: &Said, order: u32, seed: u64) -> Option<Wrong> {
    let threads = THREADS[(seed % 3) as usize];
    let mut launch = Launch::new([1, 1, 1], [threads, 1, 1]);
    launch.params = [(seed as u32).wrapping_mul(0x9e37_79b9), 0xffff_ffff].map(u32::to_le_bytes).concat();
    let watch = Arc::new(Mutex::new(Watch::new(said, threads)));
    let tracer = {
        let watch = Arc::clone(&watch);
        Tracer(Arc::new(move |e| watch.lock().expect("no tracer panics").see(e)))
    };
    let options = Options { order, seed, trace: Some(tracer), step_limit: 100_000, ..Options::default() };
    let outcome = sass::run(&program.cubin, "k", &launch, &options);
    if let Some(wrong) = watch.lock().expect("no tracer panics").wrong() {
        return Some(wrong);
    }
    match outcome {
        Err(Failure::Deadlock { .. }) if said.ends && program.waits_for_none => {
            Some(Wrong::Waits(program.text.clone()))
        }
        _ => None,
    }
}
