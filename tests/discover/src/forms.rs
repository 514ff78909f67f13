//! Many forms at once: one learner per seed, all in lock-step, and a row proposed for each.

use crate::access;
use crate::learn::Learner;
use crate::pool::Pool;
use crate::row::{Access, Proposal, propose};
use anyhow::Result;
use sassafras_isa::{Chip, Rng, forms};
use sassafras_live::{Accesses, accesses};
use sassafras_oracle::{Nvdisasm, Ptxas};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Fresh random words on which each model is tried at the end.
const FRESH: usize = 1000;

/// What was learned of one form.
struct Learned<'a> {
    learner: Learner<'a>,
    /// Fresh random words, and those whose text was as predicted.
    tried: usize,
    equal: usize,
    words: Vec<u128>,
    /// Outlines of the forms that lie one bit away, with a word of each.
    variants: Vec<(String, u128)>,
}

/// The tools, and where their programs lie.
pub struct Tools<'t> {
    /// nvdisasm.
    pub nvdisasm: &'t Nvdisasm,
    /// ptxas, which makes the cubin that registers are read from.
    pub ptxas: &'t Ptxas,
    /// nvdisasm's program.
    pub program: &'t Path,
    /// Its version.
    pub version: &'t str,
}

/// Instructions that leave the straight path: nvdisasm follows them and shows no registers.
const BRANCHES: &[&str] = &[
    "BRA", "BRX", "BRXU", "CALL", "RET", "EXIT", "JMP", "JMX", "JMXU", "KILL", "BPT", "RTT", "BREAK", "BSSY",
    "BSYNC", "WARPSYNC",
];

/// Rounds: the second and third learn the variants that the one before met.
const ROUNDS: usize = 3;

/// Learns a form from each word and gives the text of a file of rows.
pub fn learn(seeds: &[u128], chip: Chip, tools: &Tools<'_>) -> Result<String> {
    let pool = Pool::new(tools.nvdisasm.clone(), &format!("SM{}", chip.number()));
    let mut list: Vec<Learned<'_>> = Vec::new();
    let mut shapes: BTreeSet<String> = BTreeSet::new();
    let mut seeds = seeds.to_vec();
    for _ in 0..ROUNDS {
        let found = together(&pool, &seeds, chip)?;
        let start = list.len();
        list.extend(found.into_iter().filter(|l| shapes.insert(l.learner.outline())));
        let mut next: BTreeMap<String, u128> = BTreeMap::new();
        for learned in &list[start..] {
            for (outline, word) in &learned.variants {
                if !shapes.contains(outline) {
                    next.entry(outline.clone()).or_insert(*word);
                }
            }
        }
        seeds = next.into_values().collect();
        if seeds.is_empty() {
            break;
        }
    }
    let (words, runs) = pool.cost();
    let all: Vec<u128> = list.iter().flat_map(|l| l.words.iter().copied()).collect();
    let seen = accesses(&all, chip, tools.ptxas.path(), tools.program)?;
    let mut out = format!(
        "# {chip}: {} forms, {words} words in {runs} runs of nvdisasm {}.\n",
        list.len(),
        tools.version
    );
    let mut at = 0;
    list.sort_by_key(|l| (l.learner.mnemonic.clone(), l.learner.seed & 0xfff));
    let mut places: BTreeMap<u128, &Option<Accesses>> = BTreeMap::new();
    for (word, seen) in all.iter().zip(&seen) {
        places.insert(*word, seen);
    }
    for learned in &list {
        at += learned.words.len();
        let seen: Vec<Option<Accesses>> = learned.words.iter().map(|w| places[w].clone()).collect();
        let draft = propose(&learned.learner, &BTreeMap::new());
        let (access, notes) = access::explain(&learned.learner, &draft.enums, &learned.words, &seen);
        let mut proposal = propose(&learned.learner, &access);
        proposal.notes.extend(notes);
        out += &text(learned, &proposal, &access, chip, tools.version);
    }
    debug_assert_eq!(at, all.len());
    Ok(out)
}

/// One thread per seed; the pool answers when all of them wait.
fn together<'a>(pool: &'a Pool, seeds: &[u128], chip: Chip) -> Result<Vec<Learned<'a>>> {
    pool.expect(seeds.len());
    let learned: Vec<Result<Option<Learned<'a>>>> = std::thread::scope(|scope| {
        let one = |seed: u128| {
            move || {
                let done =
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| learn_one(pool, seed, chip)));
                pool.leave();
                done.unwrap_or_else(|_| Err(anyhow::anyhow!("the learner of {seed:#034x} panicked")))
            }
        };
        let handles: Vec<_> = seeds.iter().map(|&seed| scope.spawn(one(seed))).collect();
        let panicked = |_| Err(anyhow::anyhow!("a learner panicked"));
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(panicked)).collect()
    });
    let mut list = Vec::new();
    for learned in learned {
        list.extend(learned?);
    }
    Ok(list)
}

fn learn_one<'a>(pool: &'a Pool, seed: u128, chip: Chip) -> Result<Option<Learned<'a>>> {
    let Some(mut learner) = Learner::new(pool, seed, chip)? else { return Ok(None) };
    learner.run()?;
    let mut rng = Rng(4242);
    let samples: Vec<_> = (0..FRESH).map(|_| learner.sample(&mut rng)).collect();
    let equal = learner.equal(&samples)?;
    let words =
        if BRANCHES.contains(&&*learner.mnemonic) { Vec::new() } else { access::words(&mut learner)? };
    let variants = learner.outlines()?;
    Ok(Some(Learned { learner, tried: FRESH, equal, words, variants }))
}

/// The row with its source and what is wrong with it before it.
fn text(
    learned: &Learned<'_>,
    proposal: &Proposal,
    access: &BTreeMap<usize, Access>,
    chip: Chip,
    version: &str,
) -> String {
    let learner = &learned.learner;
    let opcode = learner.seed & 0xfff;
    let mut out = format!(
        "# seed {:#034x}; nvdisasm {version}; {} of {} fresh words as predicted, {} words asked\n",
        learner.seed, learned.equal, learned.tried, learner.asked
    );
    for note in &proposal.notes {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "#   {note}");
    }
    let list = |pick: fn(&Access) -> bool| -> String {
        let names = access.iter().filter(|(_, a)| pick(a)).map(|(i, _)| proposal.names[*i].as_str());
        names.collect::<Vec<_>>().join(",")
    };
    let (writes, reads) = (list(|a| a.write), list(|a| a.read));
    let like = forms().iter().find(|form| form.mnemonic == &*learner.mnemonic);
    let pipe = like.map_or("?".to_owned(), |form| form.pipe.to_string());
    let uniform = if learner.seed >> 91 & 1 == 1 { ",91=1" } else { "" };
    let fixed = match proposal.fixed.as_str() {
        "-" if !uniform.is_empty() => uniform[1..].to_owned(),
        fixed => fixed.to_owned(),
    };
    let id = format!(
        "{}.{opcode:03x}{}",
        learner.mnemonic.to_lowercase(),
        if uniform.is_empty() { "" } else { ".u" }
    );
    let _ = write!(out, "{id} {} {opcode:03x} {fixed} \"{}\" ;", chip.number(), proposal.syntax);
    for (name, list) in [("w", writes), ("r", reads)] {
        if !list.is_empty() {
            let _ = write!(out, " {name}={list}");
        }
    }
    let _ = write!(out, " pipe={pipe}");
    if proposal.uniform_guard {
        out += " guard=up";
    }
    out += " sem=Unmodelled";
    for denied in &proposal.denied {
        let _ = write!(out, " deny={denied}");
    }
    out + "\n"
}
