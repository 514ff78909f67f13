//! What an example is.

use super::common;
use super::solvers::z3;
use flate2::read::GzDecoder;
use sassafras_cubin::Cubin;
use sassafras_prove::{Limits, Record, Solver, Verdict, prove_code, prove_within};
use sassafras_ptx::checked::Module;
use sassafras_witness::Entry;
use sassafras_witness::check::{Fault, Rejection, check, check_code};
use std::io::Read;
use std::path::PathBuf;

/// What a cubin is held against.
#[derive(Clone, Copy)]
pub enum Source {
    /// PTX with an entry `k`.
    Ptx(&'static str),
    /// The same, made.
    Made(fn() -> String),
    /// The same in `NAME.ptx` below the folder of tests.
    Stored(&'static str),
    /// What our compiler makes of PTX, and what is changed there: the source is code itself.
    Code(&'static str, fn(&mut Cubin)),
}

/// What is held against it.
#[derive(Clone, Copy)]
pub enum Target {
    /// What our compiler makes of PTX for a chip.
    Ours(&'static str, &'static str),
    /// `NAME.cubin.gz` below the folder of tests.
    Stored(&'static str),
}

/// Who is asked about the two.
#[derive(Clone, Copy)]
pub enum Asked {
    /// The prover.
    Prover,
    /// The prover, why loops are not shown to do the same for any number of turns.
    Turns,
    /// The checker of witnesses, with what the prover found, which is changed.
    Checker(fn(&mut Entry)),
}

/// A reason, and what has it.
#[derive(Clone, Copy)]
pub struct Example {
    /// The code.
    pub code: &'static str,
    /// What a cubin is held against.
    pub source: Source,
    /// The cubin.
    pub target: Target,
    /// What is changed there.
    pub change: fn(&mut Cubin),
    /// Who is asked about the two.
    pub asked: Asked,
    /// The solver.
    pub solver: fn() -> Box<dyn Solver>,
    /// How much is tried.
    pub limits: fn(Limits) -> Limits,
}

/// A source against our code of another one.
pub const fn example(code: &'static str, source: &'static str, target: &'static str) -> Example {
    Example {
        code,
        source: Source::Ptx(source),
        target: Target::Ours(target, "sm_90"),
        change: |_| {},
        asked: Asked::Prover,
        solver: z3,
        limits: |limits| limits,
    }
}

/// A source against its own code, which is changed.
pub const fn changed(code: &'static str, source: &'static str, change: fn(&mut Cubin)) -> Example {
    Example { change, ..example(code, source, source) }
}

/// A source against other code, with a solver that says one thing.
pub const fn told(
    code: &'static str,
    source: &'static str,
    target: &'static str,
    solver: fn() -> Box<dyn Solver>,
) -> Example {
    Example { solver, ..example(code, source, target) }
}

/// A source and a cubin that other tests have.
pub const fn stored(code: &'static str, name: &'static str) -> Example {
    Example { source: Source::Stored(name), target: Target::Stored(name), ..example(code, "", "") }
}

/// Code against code, both from one source, each changed.
pub const fn of_code(
    code: &'static str,
    ptx: &'static str,
    source: fn(&mut Cubin),
    target: fn(&mut Cubin),
) -> Example {
    Example { source: Source::Code(ptx, source), ..changed(code, ptx, target) }
}

/// A source with loops against our code of another one.
pub const fn turns(code: &'static str, source: &'static str, target: &'static str) -> Example {
    Example { asked: Asked::Turns, ..example(code, source, target) }
}

/// A witness about a source and its own code, which is changed.
pub const fn witness(code: &'static str, source: &'static str, change: fn(&mut Entry)) -> Example {
    Example { asked: Asked::Checker(change), ..example(code, source, source) }
}

impl Example {
    /// The code of the reason that there is, with what is said.
    pub fn reason(&self) -> (Option<&'static str>, String) {
        let held = self.source.held();
        let mut cubin = self.target.cubin(self.code);
        // A witness is written before what it speaks of is changed.
        if !matches!(self.asked, Asked::Checker(_)) {
            (self.change)(&mut cubin);
        }
        let mut solver = (self.solver)();
        // Launches that are drawn would refute what is wrong here before a solver is asked.
        let limits = (self.limits)(Limits { launches: 0, ..Limits::default() });
        let record = match &held {
            Held::Module(module) => prove_within(module, "k", &cubin, solver.as_mut(), limits),
            Held::Code(source) => prove_code(source, "k", &cubin, solver.as_mut(), limits),
        };
        let change = match self.asked {
            Asked::Prover => return (code(&record), common::line(&record)),
            Asked::Turns => {
                let said = record.turns.as_ref().map(ToString::to_string).unwrap_or_default();
                return (record.turns.map(|why| why.advice().code), said);
            }
            Asked::Checker(change) => change,
        };
        let Some(mut entry) = record.witness(4) else { return (None, common::line(&record)) };
        change(&mut entry);
        (self.change)(&mut cubin);
        let said = match &held {
            Held::Module(module) => check(module, &cubin, &entry, solver.as_mut()),
            Held::Code(source) => check_code(source, &cubin, &entry, solver.as_mut()),
        };
        match said {
            Err(Fault::Rejected(why)) => match why {
                Rejection::Obstacle { obstacle } => {
                    (Some(obstacle.obstacle.advice().code), obstacle.to_string())
                }
                other => (None, other.to_string()),
            },
            other => (None, format!("{other:?}")),
        }
    }
}

impl Target {
    /// What is held against the source of the example of a code.
    fn cubin(self, code: &str) -> Cubin {
        match self {
            Target::Ours(text, chip) => {
                let made = common::not_unrolled_for(text, chip);
                made.unwrap_or_else(|why| panic!("{code}: it is not compiled: {why}"))
            }
            Target::Stored(name) => {
                let mut bytes = Vec::new();
                let packed = std::fs::File::open(beside(name, "cubin.gz")).expect("a cubin");
                GzDecoder::new(packed).read_to_end(&mut bytes).expect("it is whole");
                sassafras_cubin::read(&bytes).expect("a sound cubin")
            }
        }
    }
}

/// A source, read.
enum Held {
    Module(Module),
    Code(Box<Cubin>),
}

impl Source {
    fn held(self) -> Held {
        match self {
            Source::Ptx(text) => Held::Module(common::module(text)),
            Source::Made(make) => Held::Module(common::module(&make())),
            Source::Stored(name) => {
                let text = std::fs::read_to_string(beside(name, "ptx")).expect("a source");
                Held::Module(common::module(&text))
            }
            Source::Code(text, change) => {
                let mut cubin = common::ours(text).expect("it is compiled");
                change(&mut cubin);
                Held::Code(Box::new(cubin))
            }
        }
    }
}

/// A file of the tests of this crate.
fn beside(name: &str, kind: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).join(format!("{name}.{kind}"))
}

/// The code of a verdict that proves nothing.
pub fn code(record: &Record) -> Option<&'static str> {
    match &record.verdict {
        Verdict::Unknown(why) | Verdict::Inapplicable(why) => Some(why.advice().code),
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::Refuted(_) => None,
    }
}
