//! Changes that keep the meaning: registers with other numbers, independent instructions in another order, another way to
//! meet. A prover that no longer proves them has become useless without anybody seeing it.

use crate::common::{line, report, table, z3};
use crate::pairs::{CHIP, Pair, entry, find, word, written};
use sassafras_cubin::Cubin;
use sassafras_isa::{Inst, Style, decode, encode, parse};
use sassafras_prove::Verdict;
use std::collections::{BTreeMap, BTreeSet};

const PROGRAMS: [&str; 17] = [
    "own/rings",
    "own/fused",
    "own/volatile",
    "own/relaxed",
    "own/bounds",
    "own/leave",
    "own/shuffle",
    "own/arms",
    "sub_s32",
    "selp",
    "carry_add",
    "exit_early",
    "if_nested",
    "predicated",
    "st_sizes",
    "mov_pack",
    "prmt",
];

/// How far registers move: vectors stay at multiples of four.
const SHIFT: u32 = 8;

/// Lanes meet at a `WARPSYNC` of all instead of at a `BSYNC`.
pub fn by_warpsync(cubin: &mut Cubin) {
    for (from, to) in [("BSSY B0", "NOP"), ("BSYNC B0", "WARPSYNC.ALL")] {
        let at = find(cubin, from);
        entry(cubin).code[at] = word(to);
    }
}

/// Names of registers, with the place of each in a text.
fn registers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let part = |i: usize| bytes.get(i).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let starts = (0..bytes.len()).filter(|&i| part(i) && (i == 0 || !part(i - 1) && bytes[i - 1] != b'.'));
    let words = starts.map(|i| (i, (i..=bytes.len()).find(|&j| !part(j)).unwrap_or(bytes.len())));
    words
        .filter(|&(i, j)| {
            let name = text[i..j].trim_start_matches(['U']);
            let digits = name.strip_prefix(['R', 'P', 'B']);
            digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
        })
        .collect()
}

/// The word of a text with the control bits of another.
fn like(text: &str, old: &Inst) -> Option<u128> {
    let mut inst = parse(text, &Style::default()).ok()?;
    inst.control = old.control;
    encode(&inst, CHIP).ok()
}

/// Every general register has a higher number.
fn renamed(cubin: &mut Cubin) -> Option<()> {
    let function = entry(cubin);
    for w in &mut function.code {
        let old = decode(*w, CHIP).ok()?;
        let mut text = written(*w);
        for (i, j) in registers(&text).into_iter().rev() {
            // R1 holds the top of the stack where the code begins.
            if let Some(n) = text[i..j].strip_prefix('R').and_then(|n| n.parse::<u32>().ok())
                && n > 1
            {
                text.replace_range(i..j, &format!("R{}", n + SHIFT));
            }
        }
        if text != written(*w) {
            *w = like(&text, &old)?;
        }
    }
    function.registers += SHIFT;
    Some(())
}

/// Whether an instruction computes and does nothing else, with no scoreboard.
fn plain(inst: &Inst) -> bool {
    let kinds =
        ["IMAD", "IADD3", "LOP3", "SHF", "SEL", "MOV", "PRMT", "FADD", "FMUL", "FFMA", "ISETP", "LEA"];
    let name = inst.row().mnemonic.split('.').next().unwrap_or_default();
    kinds.contains(&name) && inst.control.write_barrier == 7 && inst.control.read_barrier == 7
}

/// Pairs of neighbours that share no register; pairs count as a whole.
fn independent(words: &[u128]) -> Vec<usize> {
    let names = |w: u128| -> BTreeSet<(String, u32)> {
        let text = written(w);
        let vectors = text.contains("WIDE") || text.contains(".64");
        let all = registers(&text).into_iter().flat_map(|(i, j)| {
            let at = text[i..j].find(|c: char| c.is_ascii_digit()).unwrap_or(0);
            let number: u32 = text[i + at..j].parse().unwrap_or(0);
            let wide = if vectors && !text[i..j].contains('P') { 2 } else { 1 };
            let kind = text[i..i + at].to_owned();
            (0..wide).map(move |k| (kind.clone(), number + k))
        });
        all.collect()
    };
    let is_plain = |w: u128| decode(w, CHIP).is_ok_and(|i| plain(&i));
    (1..words.len())
        .filter(|&i| is_plain(words[i - 1]) && is_plain(words[i]))
        .filter(|&i| names(words[i - 1]).is_disjoint(&names(words[i])))
        .collect()
}

/// Two neighbours change places; both wait for what either waited for, and as long as can be.
fn exchanged(cubin: &mut Cubin, at: usize) -> Option<()> {
    let code = &mut entry(cubin).code;
    let pair = [at - 1, at].map(|i| decode(code[i], CHIP));
    let [Ok(mut first), Ok(mut second)] = pair else { return None };
    for inst in [&mut first, &mut second] {
        inst.control = sassafras_isa::Control::default();
    }
    if let Some(before) = at.checked_sub(2) {
        // What the pair reads may have become ready in the time of the first of it.
        let mut inst = decode(code[before], CHIP).ok()?;
        inst.control.stall = 15;
        code[before] = encode(&inst, CHIP).ok()?;
    }
    code[at - 1] = encode(&second, CHIP).ok()?;
    code[at] = encode(&first, CHIP).ok()?;
    Some(())
}

#[test]
fn changes_that_keep_the_meaning_are_proved() {
    let Some(mut z3) = z3("changes_that_keep_the_meaning_are_proved") else { return };
    z3.budget = 4;
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut faults = Vec::new();
    for program in PROGRAMS {
        let pair = Pair::of(program, &mut z3).unwrap_or_else(|| panic!("{program} is not proved"));
        let mut mutants: Vec<(&str, Cubin)> = Vec::new();
        let mut made = |what, change: &mut dyn FnMut(&mut Cubin) -> Option<()>| {
            let mut cubin = pair.cubin.clone();
            if change(&mut cubin).is_some() && cubin != pair.cubin {
                mutants.push((what, cubin));
            }
        };
        made("registers with other numbers", &mut renamed);
        for at in independent(pair.words()) {
            made("independent neighbours in the other order", &mut |c| exchanged(c, at));
        }
        if program == "own/shuffle" {
            made("WARPSYNC for BSYNC", &mut |c| {
                by_warpsync(c);
                Some(())
            });
        }
        for (what, cubin) in mutants {
            let record = pair.prove(&cubin, &mut z3);
            let (all, proved) = counts.entry(what).or_default();
            *all += 1;
            match &record.verdict {
                Verdict::Proved => *proved += 1,
                Verdict::Unknown(why) if why.starts_with("solver") || why.ends_with("time") => {
                    eprintln!("{program}, {what}: {}", table::class(why));
                }
                _ => faults.push(format!("{program}, {what}: {}", line(&record))),
            }
        }
    }
    let mut rows = String::from("| change | made | still proved |\n| --- | --: | --: |\n");
    for (what, (all, proved)) in &counts {
        eprintln!("{what}: {proved} of {all} proved");
        rows += &format!("| {what} | {all} | {proved} |\n");
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(counts.values().all(|(all, _)| *all > 0) && counts.len() == 3, "{counts:?}");
    report::section("Changes that keep the meaning", &rows);
}
