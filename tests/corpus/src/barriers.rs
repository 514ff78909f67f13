//! Random programs of barriers and lanes ([`sassafras_generate::barriers`]): compiled under every fast judge, and their code run in every kind of order.
//!
//! - [`Reference`]: what the PTX executor leaves, the same in all its orders, for each size of block.
//! - [`Effort`], [`hold`]: code held against that. [`Fate`]: what became of it.
//! - [`tally`]: counts by chip and level. [`finding`]: a program that shows something, reduced, as a file.

pub mod finding;
pub mod tally;

use anyhow::{Context, Result, anyhow};
use sassafras::harness::case::Case;
use sassafras::harness::compiler::{Compiler, Made};
use sassafras_cubin::Cubin;
use sassafras_execute::memory::race;
use sassafras_execute::{Failure, Options, ptx, sass};
use sassafras_generate::barriers::{IN, OUT, Program};
use sassafras_ptx::checked::Module;
use std::collections::BTreeSet;

/// Threads of the blocks that programs are launched with: whole warps and others.
pub const SIZES: [u32; 7] = [1, 31, 32, 33, 64, 96, 128];
/// Most instructions of a run. Programs take thousands; where lanes spin, orders that hold others back take a thousand times as many.
pub const STEPS: u64 = 20_000_000;
/// Orders in which the PTX executor runs a program.
const ORDERS_OF_PTX: u32 = 4;

/// How much is run of each piece of code.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Orders, from 0. Those below [`sassafras_execute::Order::NAMED`] are fixed, others random; from 10 on each kind is there, with and without what C7 and C9 leave open.
    pub orders: u32,
    /// Sizes of blocks out of [`SIZES`], others for each chip and level.
    pub sizes: usize,
}

/// A program, and what it leaves.
pub struct Reference {
    /// Its seed: of the program, and of its inputs.
    pub seed: u64,
    /// Its text.
    pub text: String,
    /// By size of block, as in [`SIZES`].
    expected: Vec<Vec<u8>>,
}

/// What became of a program on a chip at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All that was run left what it should: so many runs.
    Right(usize),
    /// The compiler does not take it (exit code 4), and what it says.
    Refused(String),
    /// A judge objects, or a phase breaks its own rules, or panics (exit code 3).
    Broken(String),
    /// Other bytes, or a fault: threads of the block, number of the order, how.
    Wrong(u32, u32, String),
    /// Lanes wait for ever, or a run does not end.
    Stopped(u32, u32, String),
    /// The executor has no meaning for a form.
    Unsupported(String),
}

impl Fate {
    /// As one word.
    pub fn word(&self) -> &'static str {
        match self {
            Fate::Right(_) => "right",
            Fate::Refused(_) => "refused",
            Fate::Broken(_) => "exit 3",
            Fate::Wrong(..) => "wrong",
            Fate::Stopped(..) => "stopped",
            Fate::Unsupported(_) => "unsupported",
        }
    }

    /// Whether it is an error of the compiler.
    pub fn is_finding(&self) -> bool {
        matches!(self, Fate::Broken(_) | Fate::Wrong(..) | Fate::Stopped(..))
    }

    /// By which findings are grouped: the rule of the judge that objects, or a sentence without numbers.
    pub fn class(&self) -> String {
        let why = match self {
            Fate::Right(_) => return String::new(),
            Fate::Refused(why) | Fate::Broken(why) | Fate::Unsupported(why) => why,
            Fate::Wrong(_, _, how) | Fate::Stopped(_, _, how) => how,
        };
        if let Fate::Broken(_) = self {
            let rule = |line: &str| {
                let line = line.trim_end();
                line.ends_with(']').then(|| line.rfind('[').map(|at| line[at..].to_owned()))?
            };
            let rules: BTreeSet<String> = why.lines().filter_map(rule).collect();
            if !rules.is_empty() {
                return rules.into_iter().collect::<Vec<_>>().join(" ");
            }
        }
        // A place is not of the kind: neither behind `at` nor as a number.
        let line = why.lines().next().unwrap_or_default();
        let words = line.split_whitespace().filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
        words.take(14).collect::<Vec<_>>().join(" ")
    }
}

/// A text as a case of so many threads.
pub fn case(text: &str, seed: u64, threads: u32) -> Case {
    Case { text: text.to_owned(), blocks: 1, threads, out: OUT, input: IN, seed }
}

/// What a text leaves for blocks of one size, whatever the order, the places of variables, and what was never written.
///
/// # Errors
/// The program is not defined, does not end, or leaves what depends on these.
fn defined(module: &Module, case: &Case, plain: bool, orders: u32) -> Result<Vec<u8>> {
    let layout = ptx::layout(module, "k")?;
    let launch = case.launch(&layout)?;
    let mut first: Option<Vec<u8>> = None;
    for order in 0..orders {
        let options = Options {
            order,
            seed: order.into(),
            places: order,
            step_limit: STEPS,
            touches: plain && order == 0,
            ..Options::default()
        };
        let said = |what: &str| anyhow!("{} threads, order {order}: {what}", case.threads);
        let outcome = ptx::run(module, "k", &launch, &options).map_err(|e| said(&e.to_string()))?;
        if let Some(at) = &outcome.rests {
            return Err(said(&format!("it rests on what is open, at {at}")));
        }
        if !outcome.open.is_empty() {
            return Err(said("it leaves what is open"));
        }
        if let Some((a, b)) = race(&outcome.touches) {
            return Err(said(&format!(
                "threads {} and {} race at lines {} and {}",
                a.who.thread, b.who.thread, a.who.at, b.who.at
            )));
        }
        let bytes = outcome.buffers.into_iter().next().unwrap_or_default();
        match &first {
            Some(first) if *first != bytes => return Err(said("it leaves something else than in order 0")),
            Some(_) => {}
            None => first = Some(bytes),
        }
    }
    first.context("no order was run")
}

impl Reference {
    /// Runs a program of the generator.
    ///
    /// # Errors
    /// It is not what the generator promises; that is an error of the generator, or of the executor of PTX.
    pub fn of(program: &Program, seed: u64) -> Result<Reference> {
        Reference::of_text(&program.text, seed, program.plain, &SIZES)
    }

    /// The same of a text, for some sizes; the others have no bytes.
    ///
    /// # Errors
    /// As above.
    pub fn of_text(text: &str, seed: u64, plain: bool, sizes: &[u32]) -> Result<Reference> {
        let module = case(text, seed, 1).module().map_err(|e| anyhow!("{e}"))?;
        let of = |threads: u32| match sizes.contains(&threads) {
            true => defined(&module, &case(text, seed, threads), plain, ORDERS_OF_PTX),
            false => Ok(Vec::new()),
        };
        let expected = SIZES.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(Reference { seed, text: text.to_owned(), expected })
    }

    /// The sizes that are run for a chip and a level: in turn, so that all of them are run for each program.
    pub fn sizes(&self, effort: Effort, turn: usize) -> Vec<usize> {
        let first = self.seed as usize + 3 * turn;
        (0..effort.sizes.min(SIZES.len())).map(|n| (first + 2 * n) % SIZES.len()).collect()
    }
}

/// The first word that differs.
fn difference(expected: &[u8], found: &[u8]) -> Option<String> {
    let at = expected.chunks(4).zip(found.chunks(4)).position(|(a, b)| a != b)?;
    let word = |bytes: &[u8]| {
        bytes.get(4 * at..4 * at + 4).map_or(0, |w| u32::from_le_bytes(w.try_into().expect("four")))
    };
    let (a, b) = (word(expected), word(found));
    Some(format!("the word at {:#x} of `out` is {a:#010x} in the source, {b:#010x} in the target", 4 * at))
}

/// Runs code in every order on blocks of some sizes, by their numbers, with at most so many instructions each.
pub fn run(
    reference: &Reference,
    cubin: &Cubin,
    sizes: &[usize],
    orders: u32,
    ours: bool,
    steps: u64,
) -> Fate {
    let mut runs = 0;
    for &size in sizes {
        let (threads, expected) = (SIZES[size], &reference.expected[size]);
        let case = case(&reference.text, reference.seed, threads);
        let launch = match sass::layout(cubin, "k").and_then(|layout| case.launch(&layout)) {
            Ok(launch) => launch,
            Err(e) => return Fate::Wrong(threads, 0, e.to_string()),
        };
        for order in 0..orders {
            let options = Options {
                order,
                seed: order.into(),
                timing: ours && order == 0,
                step_limit: steps,
                ..Options::default()
            };
            runs += 1;
            match sass::run(cubin, "k", &launch, &options) {
                Ok(outcome) => {
                    if let Some(how) = difference(expected, &outcome.buffers[0]) {
                        return Fate::Wrong(threads, order, how);
                    }
                }
                Err(e) if e.is_unsupported() => return Fate::Unsupported(e.to_string()),
                Err(e @ (Failure::Deadlock(_) | Failure::StepLimit(_))) => {
                    return Fate::Stopped(threads, order, e.to_string());
                }
                Err(e) => return Fate::Wrong(threads, order, e.to_string()),
            }
        }
    }
    Fate::Right(runs)
}

/// Compiles a program and runs what was made. `turn` chooses the sizes.
pub fn hold(reference: &Reference, compiler: &Compiler, effort: Effort, turn: usize) -> Fate {
    match compiler.compile(&reference.text) {
        Made::Refused(why) => Fate::Refused(why),
        Made::Broken(why) => Fate::Broken(why.to_string()),
        Made::Cubin(cubin, _) => {
            let sizes = reference.sizes(effort, turn);
            run(reference, &cubin, &sizes, effort.orders, compiler.is_ours(), STEPS)
        }
    }
}
