//! Random loop-free functions, compiled by Sassafras and by the newest ptxas: no code of ours is refuted, and a pair that is
//! proved never differs in execution. `cargo xtask long random-prove` takes 2,000 functions and writes
//! `reports/random-prove.md`.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, table, z3};
use sassafras_execute::order::hash;
use sassafras_execute::{Launch, Options, ptx, sass};
use sassafras_generate::straight;
use sassafras_prove::verdict::Counterexample;
use sassafras_prove::{Limits, Verdict, prove_within};
use sassafras_ptx::checked::Module;
use sassafras_symbolic::choice::Payloads;
use std::collections::BTreeMap;

const NEWEST: &str = "13.5.37";
/// Inputs on which a proved pair is run.
const INPUTS: u64 = 100;

/// A launch of a seed: the two buffers are one in every third.
fn launch(seed: u64) -> Launch {
    let mut launch = Launch::new([1, 1, 1], [straight::THREADS as u32, 1, 1]);
    let contents = |tag: u64| -> Vec<u8> {
        let word = |i: usize| {
            let h = hash(seed, &[tag, i as u64]);
            match h % 6 {
                0 => [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 64][(h >> 8) as usize % 8],
                1 => (h >> 32) as u32 % 70,
                2 => 0x3f80_0000 ^ ((h >> 20) as u32 & 0x80ff_ffff),
                3 => [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x8000_0001, 0x7f7f_ffff]
                    [(h >> 8) as usize % 6],
                _ => (h >> 32) as u32,
            }
        };
        (0..straight::BUFFER / 4).flat_map(|i| word(i).to_le_bytes()).collect()
    };
    let a = launch.buffer(contents(1));
    let b = launch.buffer(contents(2));
    launch.params = [a, if seed.is_multiple_of(3) { a } else { b }].map(u64::to_le_bytes).concat();
    launch
}

/// The function with the payloads of NaNs that the proof says: `abs` and `neg` leave them open (PTX ISA), and what is proved is that one choice is what
/// the target does. Bits alone are changed, as IEEE 754, 5.5.1 has both operations, and -0 is added where the choice is a sum. None if it is neither.
fn with_payloads(text: &str, payloads: Payloads) -> Option<String> {
    let (mut all, mut any) = (String::new(), false);
    for line in text.lines() {
        let ops = [("neg.f32 ", "xor.b32", "0x80000000"), ("abs.f32 ", "and.b32", "0x7fffffff")];
        let found = ops.into_iter().find_map(|(op, bits, mask)| {
            let (guard, operands) = line.split_once(op)?;
            let (to, from) = operands.strip_suffix(';')?.split_once(", ")?;
            Some((guard, format!("{bits} {to}, {from}, {mask};"), to))
        });
        let Some((guard, changed, to)) = found else {
            all = all + line + "\n";
            continue;
        };
        any = true;
        all += &format!("{guard}{changed}\n");
        if payloads == Payloads::Sum {
            all += &format!("{guard}add.rn.f32 {to}, {to}, 0f80000000;\n");
        }
    }
    (!any || payloads != Payloads::Open).then_some(all)
}

/// Whether a refutation is an error of ptxas's, `corpus/ptxas-open/max_same_nan.ptx`: the extremum of a NaN and itself.
fn same_nan(text: &str, found: &Counterexample) -> bool {
    let extremum = text.contains("max.f32") || text.contains("min.f32");
    let nan = |hex: &str| {
        let bytes = u32::from_str_radix(hex, 16).map(u32::swap_bytes);
        hex.len() == 8 && bytes.is_ok_and(|b| f32::from_bits(b).is_nan())
    };
    extremum && nan(&found.source) && nan(&found.target)
}

/// Seeds whose refutation is another error of ptxas's, looked at by hand, and the line that it compiles wrongly: the selection by the sign of a
/// negated number, `corpus/ptxas-open/slct_neg.ptx`.
const KNOWN: [(u64, &str); 1] = [(648, "slct.s32.s32 %r4, %r4, %r1, %r1;")];

/// The first input on which the two differ, and where: in more than the payload of a NaN, if these are `open`.
fn difference(module: &Module, cubin: &sassafras_cubin::Cubin, open: bool) -> Option<String> {
    let options = Options::default();
    for seed in 0..INPUTS {
        let launch = launch(seed);
        let source = ptx::run(module, "k", &launch, &options).map(|o| o.buffers);
        let target = sass::run(cubin, "k", &launch, &options).map(|o| o.buffers);
        let (s, t) = match (source, target) {
            (Ok(s), Ok(t)) => (s, t),
            (s, t) => return Some(format!("input {seed}: {:?}, {:?}", s.err(), t.err())),
        };
        for (buffer, (s, t)) in s.iter().zip(&t).enumerate() {
            let (s, t) = (s.as_chunks::<4>().0, t.as_chunks::<4>().0);
            let nan = |word: &[u8; 4]| f32::from_le_bytes(*word).is_nan();
            let other = |i: &usize| s[*i] != t[*i] && !(open && nan(&s[*i]) && nan(&t[*i]));
            if let Some(i) = (0..s.len()).find(other) {
                let (at, s, t) = (4 * i, s[i], t[i]);
                return Some(format!(
                    "input {seed}: buffer {buffer} at {at:#x}: source {s:02x?}, target {t:02x?}"
                ));
            }
        }
    }
    None
}

#[test]
fn payloads_other_than_those_that_were_proved_are_seen() {
    // This one's code moves the bits of a NaN, and what it stores of them is no NaN.
    let text = straight::text(&straight::random(1617));
    let cubin = ours(&text).expect("we compile it");
    let differs = |payloads| {
        let text = with_payloads(&text, payloads).expect("it is chosen");
        difference(&module(&text), &cubin, false).is_some()
    };
    let as_executed = difference(&module(&text), &cubin, true).is_some();
    assert_eq!((as_executed, differs(Payloads::Natural), differs(Payloads::Sum)), (true, false, true));
}

#[test]
fn random_functions_are_not_refuted_and_proofs_hold_in_execution() {
    const NAME: &str = "random_functions_are_not_refuted_and_proofs_hold_in_execution";
    let Some(mut z3) = z3(NAME) else { return };
    // Little effort, so that it ends long before the wall clock, on which no verdict may hang.
    z3.budget = 2;
    z3.timeout = 60;
    let whole = std::env::var_os("SASSAFRAS_ALL_RANDOM").is_some();
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("SASSAFRAS_RANDOM_FROM").unwrap_or(0);
    let count = number("SASSAFRAS_RANDOM_COUNT").unwrap_or(if whole { 2000 } else { 5 });
    let ptxas = sassafras_oracle::Tools::here().ptxas(NEWEST);
    if let Err(why) = &ptxas {
        sassafras_oracle::skip(NAME, why);
    }
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let (mut open, mut errors) = (0, 0);
    let mut features: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lengths = Vec::new();
    let mut run = 0;
    for seed in first..first + count {
        let function = straight::random(seed);
        let text = straight::text(&function);
        lengths.push(straight::features::length(&function));
        for feature in straight::features::of(&function).into_keys() {
            *features.entry(feature).or_default() += 1;
        }
        let module = module(&text);
        let theirs = ptxas.as_ref().ok().map(|p| {
            let (bytes, _) = p.compile_text(&text, "sm_90", &[]).expect("ptxas takes it");
            sassafras_cubin::read(&bytes).expect("a sound cubin")
        });
        let sides = [("ours", ours(&text)), ("ptxas", theirs)];
        if sides[0].1.is_none() {
            faults.push(format!("{seed}: we do not compile it"));
        }
        for (who, cubin) in sides {
            let Some(cubin) = cubin else { continue };
            let record = prove_within(&module, "k", &cubin, &mut z3, Limits::default());
            eprintln!("{seed} {who}: {}", line(&record));
            match &record.verdict {
                Verdict::Proved => {
                    run += 1;
                    let payloads = record.matching.as_ref().expect("of what is proved").payloads;
                    let chosen = with_payloads(&text, payloads);
                    open += usize::from(chosen.is_none());
                    let source = common::module(chosen.as_deref().unwrap_or(&text));
                    let differs = difference(&source, &cubin, chosen.is_none());
                    faults
                        .extend(differs.map(|why| format!("{seed} of {who}: proved, and it differs: {why}")));
                }
                Verdict::Refuted(c)
                    if who == "ptxas"
                        && (same_nan(&text, c)
                            || KNOWN.iter().any(|(of, line)| *of == seed && text.contains(line))) =>
                {
                    errors += 1;
                }
                Verdict::Refuted(_) => faults.push(format!("{seed} of {who}: refuted")),
                Verdict::Unknown(_) | Verdict::ProvedWithin(_) => {}
                Verdict::Inapplicable(why) => {
                    faults.push(format!("{seed} of {who}: {why}"));
                }
            }
            rows.push(table::Row::new(who, &record));
        }
    }
    let [ours, theirs] = ["ours", "ptxas"].map(|who| rows.iter().filter(move |r| r.group == who));
    for (who, all) in [("ours", ours.collect::<Vec<_>>()), ("ptxas", theirs.collect())] {
        let proved = all.iter().filter(|r| r.verdict == "proved").count();
        eprintln!("{who}: {proved} of {} proved", all.len());
    }
    eprintln!(
        "{run} proved pairs run on {INPUTS} inputs each, {} faults; functions with {features:#?}\n\
         {errors} refuted by an error of ptxas's in corpus/ptxas-open; payloads of NaNs not compared: {open}",
        faults.len()
    );
    if whole {
        let (least, most) = (lengths.iter().min().unwrap_or(&0), lengths.iter().max().unwrap_or(&0));
        let mut has = format!(
            "\nFunctions have {least} to {most} instructions, those that load parameters and `ret` aside. How many have\n\n| feature | functions |\n| --- | --: |\n"
        );
        for feature in straight::features::ALL {
            has += &format!("| {feature} | {} |\n", features.get(feature).unwrap_or(&0));
        }
        let head = format!(
            "# {count} random loop-free functions\n\nWritten by `cargo xtask long random-prove`: functions of 10 to 60 instructions \
             (`verify/generate/src/straight.rs`),\ncompiled by Sassafras and by ptxas {NEWEST} for sm_90, with {} million of z3's `rlimit` for a question. \
             Each of the {run} proved pairs was run on {INPUTS} inputs of {} threads; {} faults. {errors} of ptxas's are refuted by an error of its that \
             `corpus/ptxas-open` shows. Of what\n`abs` and `neg` \
             leave open (payloads of NaNs, PTX ISA) the run has what the proof says; of {open} pairs it says nothing.\n\n",
            z3.budget,
            straight::THREADS,
            faults.len()
        );
        let path = sassafras_oracle::workspace_root().join("reports/random-prove.md");
        std::fs::write(path, head + &table::markdown("compiler", &rows) + &has).expect("written");
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
