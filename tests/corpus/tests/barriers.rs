//! A sample of the random programs of barriers and lanes (`cargo xtask long barriers` takes the volume), and faults made in their code.
//!
//! `barriers.txt` names the seeds of the sample of which something is known to be wrong, with what. A seed that is right must leave the file.

use sassafras::harness::compiler::{Compiler, Made, Name};
use sassafras_chip::Chip;
use sassafras_corpus::barriers::{Effort, Fate, Reference, hold, run};
use sassafras_cubin::Cubin;
use sassafras_generate::barriers::program;
use sassafras_isa::{Style, decode, print};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seeds of the sample.
const SEEDS: u64 = 16;
/// Chips and levels in turn: each seed has two of each.
const CHIPS: [u32; 5] = [75, 80, 90, 100, 120];
const KNOWN: &str = include_str!("barriers.txt");
const EFFORT: Effort = Effort { orders: 10, sizes: 1 };
/// Stack of a worker, bytes.
const STACK: usize = 64 << 20;

fn ours(sm: u32, level: u8) -> Compiler {
    Compiler::find(&Name::Ours, sm, level).expect("this compiler is here")
}

/// What is wrong of a seed, by class.
fn wrong(seed: u64) -> Vec<String> {
    let mut found = BTreeSet::new();
    for n in 0..2 {
        let sm = CHIPS[((seed + 2 * n) % 5) as usize];
        let level = ((seed / 5 + 3 * n) % 4) as u8;
        let made = program(seed, sm);
        match Reference::of(&made, seed) {
            Ok(reference) => {
                let fate = hold(&reference, &ours(sm, level), EFFORT, seed as usize);
                if fate.is_finding() {
                    found.insert(format!("{}: {}", fate.word(), fate.class()));
                }
            }
            Err(why) => {
                found.insert(format!("not defined: {why}"));
            }
        }
    }
    found.into_iter().collect()
}

/// Does something for each seed, on two threads with a large stack.
fn each(seeds: u64, what: &(dyn Fn(u64) + Sync)) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let work = || {
                while let Some(seed) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < seeds) {
                    what(seed);
                }
            };
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        }
    });
}

#[test]
fn code_leaves_what_its_source_leaves_in_every_order() {
    let known: BTreeMap<u64, &str> = KNOWN
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(|l| l.split_once(' ').expect("a seed and what is wrong"))
        .map(|(seed, what)| (seed.parse().expect("a seed"), what))
        .collect();
    let found: Mutex<BTreeMap<u64, String>> = Mutex::default();
    each(SEEDS, &|seed| {
        let all = wrong(seed);
        if !all.is_empty() {
            found.lock().expect("nobody panics with it").insert(seed, all.join("; "));
        }
    });
    let found = found.into_inner().expect("nobody panics with it");
    let new: Vec<_> = found.iter().filter(|(seed, what)| known.get(seed) != Some(&what.as_str())).collect();
    let mended: Vec<_> = known.keys().filter(|seed| !found.contains_key(seed)).collect();
    assert!(
        new.is_empty() && mended.is_empty(),
        "new: {new:#?}\nright, so that they leave the file: {mended:?}"
    );
}

/// Programs of the volume of which something was wrong: seed, chip, level.
const MENDED: [(u64, u32, u8); 2] = [(502_407, 100, 1), (602_376, 80, 0)];

#[test]
fn what_was_wrong_is_right() {
    for (seed, sm, level) in MENDED {
        let reference = Reference::of(&program(seed, sm), seed).unwrap_or_else(|why| panic!("{seed}: {why}"));
        let fate = hold(&reference, &ours(sm, level), EFFORT, 0);
        assert!(
            matches!(fate, Fate::Right(runs) if runs > 0),
            "{seed}, sm_{sm}, -O{level}: {}: {}",
            fate.word(),
            fate.class()
        );
    }
}

/// Bits of a word below its control bits.
const MEANING: u32 = 105;

/// What is done to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fault {
    /// It is left out.
    Without(&'static str),
    /// It comes behind the next one that lanes execute together.
    Later(&'static str),
}

const FAULTS: [Fault; 5] = [
    Fault::Without("WARPSYNC"),
    Fault::Without("BREAK"),
    Fault::Without("BSYNC"),
    Fault::Without("BAR"),
    Fault::Later("BSYNC"),
];

/// The code with a fault at each place that has the instruction.
fn faulty(cubin: &Cubin, chip: Chip, fault: Fault) -> Vec<Cubin> {
    let mut all = Vec::new();
    let text =
        |word: u128| decode(word, chip).map_or_else(|_| String::new(), |i| print(&i, &Style::default()));
    for f in 0..cubin.functions.len() {
        let code = &cubin.functions[f].code;
        let Some(nop) = code.iter().copied().find(|w| text(*w).contains("NOP")) else { continue };
        for (at, word) in code.iter().enumerate() {
            let (Fault::Without(name) | Fault::Later(name)) = fault;
            if !text(*word).split([' ', '.']).any(|w| w == name) {
                continue;
            }
            let below = (1u128 << MEANING) - 1;
            let mut other = cubin.clone();
            let code = &mut other.functions[f].code;
            match fault {
                Fault::Without(_) => code[at] = nop & below | code[at] & !below,
                Fault::Later(_) => {
                    let together = |w: &u128| {
                        ["BAR", "VOTE", "SHFL", "MATCH", "REDUX"].iter().any(|n| text(*w).contains(n))
                    };
                    let Some(by) = code[at..].iter().take(16).position(together) else { continue };
                    code[at..=at + by].rotate_left(1);
                }
            }
            all.push(other);
        }
    }
    all
}

#[test]
fn faults_in_code_are_seen() {
    let counts: Mutex<BTreeMap<Fault, [usize; 2]>> = Mutex::default();
    each(40, &|seed| {
        let made = program(seed, 80);
        let Ok(reference) = Reference::of_text(&made.text, seed, made.plain, &[64]) else { return };
        let Made::Cubin(cubin, _) = ours(80, 1).compile(&reference.text) else { return };
        // The fifth of the sizes. What waits for ever for a word spins.
        let fate = |cubin: &Cubin| run(&reference, cubin, &[4], 10, false, 300_000);
        if !matches!(fate(&cubin), Fate::Right(_)) {
            return;
        }
        for fault in FAULTS {
            let chip = Chip::from_number(80).expect("a chip of the table");
            for other in faulty(&cubin, chip, fault).iter().take(3) {
                let seen = matches!(fate(other), Fate::Wrong(..) | Fate::Stopped(..));
                let mut counts = counts.lock().expect("nobody panics with it");
                let count = counts.entry(fault).or_default();
                count[0] += usize::from(seen);
                count[1] += 1;
            }
        }
    });
    let counts = counts.into_inner().expect("nobody panics with it");
    println!("seen, of how many: {counts:?}");
    for fault in FAULTS {
        assert!(counts.get(&fault).is_some_and(|c| c[0] > 0), "{fault:?} is not seen: {counts:?}");
    }
}
