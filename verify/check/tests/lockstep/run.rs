//! Programs of [`super::graphs`], compiled and run.

use super::graphs::EVENTS;
use sassafras_cubin::Cubin;
use sassafras_driver::observe::{Form, Nobody, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Stage, session};
use sassafras_execute::{Argument, Launch, Options as Run, ptx, sass};
use sassafras_ir::tree::{Extra, Tree};
use sassafras_ptx::checked::Module;
use std::sync::Mutex;

/// What went wrong, for people.
pub type Failed = Box<dyn std::error::Error>;

/// How the log of the code is not that of the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// A lane passes other blocks.
    #[error("lane {lane} goes another way")]
    Way { lane: usize },
    /// A lane passes more events, or fewer.
    #[error("lane {lane} passes {found} events instead of {wanted}")]
    Count { lane: usize, found: usize, wanted: usize },
    /// A lane passes another block at an event.
    #[error("lane {lane}, event {event}, L{block}: it passes L{other} instead")]
    Block { lane: usize, event: usize, block: u32, other: u32 },
    /// A lane passes an event without lanes that it passes it with in the source.
    #[error("lane {lane}, event {event}, L{block}: it is with {with:08x} instead of {lanes:08x}")]
    With { lane: usize, event: usize, block: u32, with: u32, lanes: u32 },
}

/// What each lane wrote down: the block, and the lanes together.
pub type Log = Vec<Vec<(u32, u32)>>;

fn options() -> Options {
    let arch = Some(Arch::Real("sm_90".parse().expect("a target")));
    Options { arch, jobs: 1, ..Options::default() }
}

/// By which rules the judge of machine code, which looks at every path, has objected; it lets the compiler go on.
#[derive(Default)]
struct Paths(Mutex<Vec<&'static str>>);

impl Paths {
    fn rules(self) -> Vec<&'static str> {
        self.0.into_inner().expect("no judge panics")
    }
}

impl Observer for Paths {
    fn observe(&self, _: Stage, _: Option<Form<'_>>, after: Form<'_>, _: &Notes) -> Result<(), Objection> {
        if let Form::Machine(f) = after {
            let verdict = sassafras_check::machine::check(f);
            self.0.lock().expect("no judge panics").extend(verdict.objections().iter().map(|o| o.rule));
        }
        Ok(())
    }
}

/// The program through the compiler.
pub fn compile(text: &str) -> Cubin {
    let artifact = session::compile(text, "graph", &options(), None, &Nobody)
        .unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    artifact.cubin.expect("nothing stopped it").0
}

/// The same with a fault: the cubin, and whether the judge that looks at every path objects; nothing where the fault finds no place.
pub fn plant(text: &str, fault: &str) -> Option<(Cubin, bool)> {
    let options = Options { plant: Some(fault.to_owned()), ..options() };
    let paths = Paths::default();
    let artifact = session::compile(text, "graph", &options, None, &paths)
        .unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let planted = artifact.notes.iter().any(|(_, notes)| notes.planted.is_some());
    planted.then(|| (artifact.cubin.expect("nothing stopped it").0, !paths.rules().is_empty()))
}

/// The same with each function made a tree behind the optimiser, and a graph again; and how many trees need a selector.
pub fn through_tree(text: &str) -> Result<(Cubin, usize), Failed> {
    let (back, selected) = as_tree(text)?;
    let start = Options { start_from: Some("graph".into()), ..options() };
    let artifact = session::compile(&back, "graph", &start, None, &Nobody);
    let artifact = artifact.map_err(|failure| format!("{failure}\n{back}"))?;
    Ok((artifact.cubin.expect("nothing stopped it").0, selected))
}

/// What the optimiser leaves with each function made a tree and a graph again; and how many trees need a selector.
fn as_tree(text: &str) -> Result<(String, usize), Failed> {
    let stop = Options { stop_after: Some("optimise".into()), ..options() };
    let stopped = session::compile(text, "graph", &stop, None, &Nobody)?;
    let stopped = stopped.stopped.expect("it stops behind the optimiser");
    let (mut module, phase) = sassafras_ir::text::parse(&stopped)?;
    let mut selected = 0;
    for f in &mut module.functions {
        selected += usize::from(Tree::structure(f, Extra::None).is_err());
        let tree = Tree::structure(f, Extra::Selector)?;
        let verdict = sassafras_check::tree::check(&tree);
        if verdict != sassafras_check::Verdict::Passed {
            return Err(format!("{verdict:?}").into());
        }
        *f = tree.into_function()?;
        f.compact();
    }
    Ok((sassafras_ir::text::print(&module, &phase), selected))
}

/// What comes of a placed function's text, and by which rules the judge of machine code has objected to it.
pub fn from_machine(text: &str) -> Result<(Cubin, Vec<&'static str>), Failed> {
    let start = Options { start_from: Some("layout".into()), ..options() };
    let paths = Paths::default();
    let artifact = session::compile(text, "graph", &start, None, &paths);
    let artifact = artifact.map_err(|failure| format!("{failure}\n{text}"))?;
    Ok((artifact.cubin.expect("nothing stopped it").0, paths.rules()))
}

fn launch(slots: &[sassafras_execute::Slot], seed: u32) -> Launch {
    let mut launch = Launch::new([1, 1, 1], [32, 1, 1]);
    let arguments =
        [Argument::Buffer(vec![0; 32 * EVENTS * 8]), Argument::Value(seed.to_le_bytes().to_vec())];
    launch.arguments(slots, &arguments).expect("they fit");
    launch
}

fn log(bytes: &[u8]) -> Log {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let lane = |lane: usize| {
        let events = (0..EVENTS).map(|event| 8 * (EVENTS * lane + event));
        events.map(|at| (word(at), word(at + 4))).take_while(|&(block, _)| block != 0).collect()
    };
    (0..32).map(lane).collect()
}

/// The source in lock step.
pub fn source(module: &Module, seed: u32) -> Result<Log, Failed> {
    let launch = launch(&ptx::layout(module, "k").expect("an entry"), seed);
    let run = ptx::run(module, "k", &launch, &Run { lockstep: true, ..Run::default() });
    Ok(log(&run?.buffers[0]))
}

/// The code in an order.
pub fn code(cubin: &Cubin, seed: u32, order: u32) -> Result<Log, Failed> {
    let launch = launch(&sass::layout(cubin, "k").expect("an entry"), seed);
    let run = sass::run(cubin, "k", &launch, &Run { order, step_limit: 400_000, ..Run::default() });
    Ok(log(&run?.buffers[0]))
}

/// How the lanes of the code are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Together {
    /// As in the source.
    Equal,
    /// At some events, more of them.
    More,
}

/// Each lane passes the same blocks in the same order.
pub fn same_ways(source: &Log, code: &Log) -> Result<(), Difference> {
    let way = |log: &[(u32, u32)]| log.iter().map(|&(block, _)| block).collect::<Vec<u32>>();
    match source.iter().zip(code).position(|(wanted, found)| way(wanted) != way(found)) {
        Some(lane) => Err(Difference::Way { lane }),
        None => Ok(()),
    }
}

/// Holds the code's log to the source's: each lane passes the same blocks in the same order, and with all lanes at least
/// that it passes them with in the source.
pub fn compare(source: &Log, code: &Log) -> Result<Together, Difference> {
    let mut together = Together::Equal;
    for (lane, (wanted, found)) in source.iter().zip(code).enumerate() {
        if wanted.len() != found.len() {
            return Err(Difference::Count { lane, found: found.len(), wanted: wanted.len() });
        }
        for (event, (&(block, lanes), &(other, with))) in wanted.iter().zip(found).enumerate() {
            if block != other {
                let other = other.wrapping_sub(1);
                return Err(Difference::Block { lane, event, block: block - 1, other });
            }
            if lanes & !with != 0 {
                return Err(Difference::With { lane, event, block: block - 1, with, lanes });
            }
            if lanes != with {
                together = Together::More;
            }
        }
    }
    Ok(together)
}
