//! Orders of blocks over the corpus (`cargo xtask figures placement`): branches taken and issue cycles in the executor, backward branches, bytes of
//! code; our code in the order of the source, by chains and by score, and ptxas's as it is recorded.
//!
//! `placement [--folding true] [--every N] [--only TEXT] [--rows FILE]`; with `--folding true` each order with and without branch folding
//! (`cargo xtask figures folding`). Prints JSON, and writes a line for each program and side to FILE. A loop takes two branches an iteration
//! if each path around it runs a branch without a condition beside the one that may leave.

use anyhow::{Context, Result, anyhow, bail};
use sassafras_chip::{Chip, Target};
use sassafras_corpus::{Program, prepare, programs};
use sassafras_cubin::Cubin;
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::profile::{Block, blocks};
use sassafras_driver::session;
use sassafras_execute::{Options as Run, sass};
use sassafras_graph::{Dominators, Entity, Graph, Loops};
use sassafras_isa::decode;
use sassafras_reference::workspace_root;
use serde_json::json;
use std::io::Write;

sassafras_graph::entity!(Node, "block", "A block of a function's words.");

const CHIP: Chip = Chip::Sm90;
/// Launches of each program.
const LAUNCHES: usize = 2;

/// An order of blocks: its name, and the knobs that give it; none for ptxas's.
type Side = (&'static str, Option<&'static [&'static str]>);

const SOURCE: &str = "disable-block-placement=true";
const CHAINS: &str = "enable-ext-tsp-block-placement=false";
const UNFOLDED: &str = "disable-branch-fold=true";

/// What `figures placement` compares.
const ORDERS: &[Side] =
    &[("source", Some(&[SOURCE])), ("chains", Some(&[CHAINS])), ("ext_tsp", Some(&[])), ("ptxas", None)];
/// What `figures folding` compares.
const FOLDED: &[Side] = &[
    ("source_unfolded", Some(&[SOURCE, UNFOLDED])),
    ("source", Some(&[SOURCE])),
    ("chains_unfolded", Some(&[CHAINS, UNFOLDED])),
    ("chains", Some(&[CHAINS])),
    ("ext_tsp_unfolded", Some(&[UNFOLDED])),
    ("ext_tsp", Some(&[])),
];

/// Sums over programs.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    programs: u64,
    instructions: u64,
    bytes: u64,
    loops: u64,
    two_branches: u64,
    runs: u64,
    issued: u64,
    cycles: u64,
    taken: u64,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.programs += other.programs;
        self.instructions += other.instructions;
        self.bytes += other.bytes;
        self.loops += other.loops;
        self.two_branches += other.two_branches;
        self.runs += other.runs;
        self.issued += other.issued;
        self.cycles += other.cycles;
        self.taken += other.taken;
    }
}

fn main() -> Result<()> {
    let (mut every, mut only, mut rows, mut folding) = (1, String::new(), None, false);
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--every" => every = value.parse::<usize>()?.max(1),
            "--folding" => folding = value.parse()?,
            "--only" => only = value,
            "--rows" => rows = Some(std::fs::File::create(value)?),
            _ => bail!("no option `{name}`"),
        }
    }
    let root = workspace_root();
    let all = programs(&root)?;
    let wanted = all.iter().filter(|program| program.name.contains(&only)).step_by(every);
    let all_sides = if folding { FOLDED } else { ORDERS };
    let mut sums = vec![Sums::default(); all_sides.len()];
    let mut left_out = Vec::new();
    for program in wanted {
        // All sides speak of the same programs and launches.
        let sides: Result<Vec<Sums>> = all_sides
            .iter()
            .map(|(name, knobs)| {
                let cubin = match knobs {
                    Some(knobs) => compile(program, knobs),
                    None => program
                        .recorded(&root)
                        .context("not recorded")
                        .and_then(|bytes| Ok(sassafras_cubin::read(&bytes)?)),
                };
                cubin.and_then(|cubin| measure(program, &cubin)).map_err(|why| anyhow!("{name}: {why}"))
            })
            .collect();
        match sides {
            Ok(sides) => {
                for ((name, _), side) in all_sides.iter().zip(&sides) {
                    if let Some(file) = &mut rows {
                        writeln!(
                            file,
                            "{}",
                            json!({ "program": program.name, "side": name, "sums": record(side) })
                        )?;
                    }
                }
                sums.iter_mut().zip(sides).for_each(|(sum, side)| sum.add(side));
            }
            Err(why) => {
                let why = why.to_string();
                left_out.push(format!("{}: {}", program.name, why.lines().next().unwrap_or_default()))
            }
        }
    }
    let sides: serde_json::Map<String, serde_json::Value> =
        all_sides.iter().zip(&sums).map(|((name, _), sum)| ((*name).to_owned(), record(sum))).collect();
    let record = json!({ "schema": 1, "figure": if folding { "folding" } else { "placement" }, "chip": "sm_90", "sides": sides, "left_out": left_out });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

fn record(s: &Sums) -> serde_json::Value {
    json!({
        "programs": s.programs, "instructions": s.instructions, "code_bytes": s.bytes, "loops": s.loops, "loops_of_two_branches": s.two_branches,
        "runs": s.runs, "issued": s.issued, "issue_cycles": s.cycles, "taken_branches": s.taken,
    })
}

fn compile(program: &Program, knobs: &[&str]) -> Result<Cubin> {
    let mut options = Options { arch: Some(Arch::Real(Target::base(CHIP))), jobs: 1, ..Options::default() };
    knobs.iter().try_for_each(|knob| options.knobs.set_by(knob))?;
    let made = session::compile(&program.text, &program.name, &options, None, &Nobody);
    let (cubin, _) = made?.cubin.context("no cubin")?;
    Ok(cubin)
}

/// Loops of a function, and how many of them run a branch without a condition on each path around.
fn loops(blocks: &[Block]) -> (u64, u64) {
    let number = |word: usize| blocks.iter().position(|block| block.words.start == word);
    let succs = |n: usize| -> Vec<usize> {
        let falls = blocks[n].falls.then(|| number(blocks[n].words.end)).flatten();
        falls.into_iter().chain(blocks[n].taken.and_then(number)).collect()
    };
    let edges =
        (0..blocks.len()).flat_map(|n| succs(n).into_iter().map(move |to| (Node(n as u32), Node(to as u32))));
    let graph = Graph::new(Node(0), blocks.len(), edges);
    let found = Loops::new(&graph, &Dominators::new(&graph));
    let mut two = 0;
    for id in found.ids() {
        let header = found.header(id).index();
        // Fewest such branches from the header to each block, around one time.
        let mut fewest = vec![u64::MAX; blocks.len()];
        let (mut least, mut work) = (u64::MAX, vec![(header, 0)]);
        while let Some((n, sum)) = work.pop() {
            let cost = sum + u64::from(blocks[n].taken.is_some() && !blocks[n].conditional);
            for to in succs(n).into_iter().filter(|&to| found.contains(id, Node(to as u32))) {
                if to == header {
                    least = least.min(cost);
                } else if cost < fewest[to] {
                    fewest[to] = cost;
                    work.push((to, cost));
                }
            }
        }
        two += u64::from(least > 0);
    }
    (found.ids().count() as u64, two)
}

fn measure(program: &Program, cubin: &Cubin) -> Result<Sums> {
    let mut sums = Sums { programs: 1, ..Sums::default() };
    for function in &cubin.functions {
        sums.bytes += 16 * function.code.len() as u64;
        // Without the padding behind the end.
        let nop = |word: &&u128| decode(**word, CHIP).is_ok_and(|inst| inst.row().id == "nop");
        let padding = function.code.iter().rev().take_while(nop).count();
        sums.instructions += (function.code.len() - padding) as u64;
        // What has calls within its code counts by its bytes alone.
        if let Ok(blocks) = blocks(&function.code, CHIP) {
            let (all, two) = loops(&blocks);
            sums.loops += all;
            sums.two_branches += two;
        }
    }
    for from in program.launches.iter().take(LAUNCHES) {
        let launch = prepare(from, &sass::layout(cubin, &from.entry))?;
        let outcome = sass::run(cubin, &from.entry, &launch, &Run::default())?;
        sums.runs += 1;
        for coverage in &outcome.coverage {
            let function =
                cubin.functions.iter().find(|f| f.name == coverage.function).context("no function")?;
            for (&word, &count) in function.code.iter().zip(&coverage.counts) {
                let inst = decode(word, CHIP)?;
                sums.issued += count;
                sums.cycles += count * u64::from(inst.control.stall.max(1));
            }
            sums.taken +=
                coverage.edges.iter().filter(|((from, to), _)| *to != from + 1).map(|(_, n)| n).sum::<u64>();
        }
    }
    Ok(sums)
}
