//! The census: every bit of proved code but the control bits is flipped, one at a time. What comes out does not decode, or
//! is refuted or unknown, or the bit is benign by a row of [`ROWS`]. What is proved is also executed against the original.

use crate::benign::{Flip, ROWS};
use crate::common::{report, z3};
use crate::pairs::{CHIP, Pair, Writes, execute, results, word as word_of, written};
use sassafras_cubin::Cubin;
use sassafras_execute::Failure;
use sassafras_isa::{Control, decode, encode};
use sassafras_prove::{Answer, Limits, Record, Solver, Verdict, Z3, prove_code, prove_within};
use sassafras_solve::smt::Script;
use sassafras_witness::check::{check, check_code};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Control bits of a word.
const CONTROL: std::ops::Range<u32> = 105..126;
/// The rows of what no other explains.
const CONFIRMED: &str = "other code for the same: the checker of witnesses accepts the proof";
const AS_BEFORE: &str = "other code for the same: the checker accepts a proof against the code as it was";
/// Inputs on which code with a benign bit is run.
const INPUTS: u64 = 100;

/// Programs of the census on every test run, and those of the whole.
const SAMPLE: [&str; 1] = ["sub_s32"];
/// Of how many bits one is flipped on every test run.
const STRIDE: usize = 16;
const WHOLE: [&str; 50] = [
    "sub_s32",
    "selp",
    "add_s32",
    "add_sat",
    "address_offsets",
    "arith_16",
    "arith_64",
    "rotate",
    "bfi",
    "bfind",
    "bmsk_szext",
    "brev",
    "shl",
    "carry_add",
    "carry_mad",
    "carry_sub",
    "clz",
    "copysign",
    "cvt_64",
    "cvt_narrow",
    "cvt_widen",
    "dp4a",
    "exit_early",
    "if_else",
    "if_nested",
    "ld_sizes",
    "ld_vectors",
    "lea",
    "logic_16",
    "logic_32",
    "logic_64",
    "logic_pred",
    "lop3",
    "lop3_imm",
    "mad_64",
    "mad_hi",
    "mad_lo",
    "mad_wide",
    "min_max_32",
    "min_max_64",
    "mov_pack",
    "mul_hi",
    "mul_lo",
    "popc",
    "predicated",
    "prmt",
    "sad",
    "setp_s32",
    "shf",
    "st_sizes",
];

#[derive(Default)]
struct Counts {
    bits: u32,
    undecodable: u32,
    /// Told apart by evaluation, and not asked about further.
    evaluated: u32,
    refuted: u32,
    unknown: BTreeMap<String, u32>,
    benign: BTreeMap<&'static str, u32>,
    /// Proved, and no row says why.
    wrong: Vec<String>,
    /// Called benign or proved, and it runs differently: the worst there is.
    differs: Vec<String>,
}

/// Answers nothing.
struct Silent;

impl Solver for Silent {
    fn check(&mut self, _: &Script) -> Answer {
        Answer::Unknown("silent".into())
    }
}

/// Whether the evaluation of concrete inputs tells the code apart: without a solver, and for good.
fn quick(pair: &Pair, mutant: &Cubin) -> Option<()> {
    let limits = Limits { launches: 0, ..Limits::default() };
    match prove_within(&pair.source, "k", mutant, &mut Silent, limits).verdict {
        // This is asked only after an evaluation that failed, which nothing makes good.
        Verdict::Unknown(why) => (*why == *"the assumptions: silent").then_some(()),
        _ => None,
    }
}

/// The code with an instruction that does nothing in the place of one; it waits as the other did.
fn gone(pair: &Pair, at: usize) -> Cubin {
    let nop = decode(word_of("NOP"), CHIP).expect("it decodes");
    pair.with(|code| {
        let before = decode(code[at], CHIP).expect("it was proved").control;
        let control = Control { write_barrier: 7, read_barrier: 7, reuse: 0, ..before };
        code[at] = encode(&sassafras_isa::Inst { control, ..nop.clone() }, CHIP).expect("it fits");
    })
}

/// Whether the checker of witnesses, which shares neither normal form nor guesses with the prover, accepts the proof, or one that the code
/// does what it did before: there what has not changed is the same term.
fn confirmed(pair: &Pair, mutant: &Cubin, record: &Record, z3: &mut Z3) -> Option<&'static str> {
    if record.witness(4).is_some_and(|entry| check(&pair.source, mutant, &entry, z3).is_ok()) {
        return Some(CONFIRMED);
    }
    let record = prove_code(&pair.cubin, "k", mutant, z3, Limits::default());
    let accepted = matches!(record.verdict, Verdict::Proved)
        && record.witness(4).is_some_and(|entry| check_code(&pair.cubin, mutant, &entry, z3).is_ok());
    accepted.then_some(AS_BEFORE)
}

/// What the original does, which is found out once for all bits.
struct Original<'a> {
    pair: &'a Pair,
    /// What it leaves for each seed.
    left: Vec<OnceCell<Result<Vec<Vec<u8>>, Failure>>>,
}

impl Original<'_> {
    /// Whether the code leaves something else for some inputs.
    fn differs(&self, mutant: &Cubin) -> bool {
        self.left.iter().zip(0..).any(|(left, seed)| {
            let new = execute(mutant, seed);
            // Of what the driver puts in bank 0 the executor knows some words alone.
            let known = !new.as_ref().is_err_and(Failure::is_unsupported);
            known && *left.get_or_init(|| execute(&self.pair.cubin, seed)) != new
        })
    }
}

/// What is known of one instruction of the original.
#[derive(Default)]
struct Place {
    /// Whether the code is proved without it.
    dead: OnceCell<bool>,
    /// What it writes for each seed, up to the first for which it writes nothing.
    writes: OnceCell<Vec<Writes>>,
}

impl Place {
    fn dead(&self, pair: &Pair, at: usize, z3: &mut Z3) -> bool {
        let limits = Limits { launches: 0, ..Limits::default() };
        let proved =
            || prove_within(&pair.source, "k", &gone(pair, at), z3, limits).verdict == Verdict::Proved;
        *self.dead.get_or_init(proved)
    }

    /// Whether an instruction in its place writes the same in all runs.
    fn alike(&self, pair: &Pair, mutant: &Cubin, place: u64) -> bool {
        let of = |cubin, seed| results(cubin, seed, place).filter(|w| !w.is_empty());
        let all = self.writes.get_or_init(|| (0..INPUTS).map_while(|seed| of(&pair.cubin, seed)).collect());
        all.len() as u64 == INPUTS
            && all.iter().zip(0..).all(|(old, seed)| of(mutant, seed).as_ref() == Some(old))
    }
}

fn census(pair: &Pair, z3: &mut Z3, full: bool, counts: &mut Counts) {
    let words = pair.words().to_vec();
    let original = Original { pair, left: (0..INPUTS).map(|_| OnceCell::new()).collect() };
    let exit = |w: &u128| decode(*w, CHIP).is_ok_and(|i| i.row().mnemonic == "EXIT");
    let last = words.iter().rposition(exit).expect("it ends");
    // The endless branch behind the last EXIT is looked at, the padding behind it is like it.
    for at in 0..(last + 2).min(words.len()) {
        eprintln!("{} {:#06x} {}", pair.name, 16 * at, written(words[at]));
        let known = Place::default();
        for bit in (0..128).filter(|b| !CONTROL.contains(b)) {
            if !full && !(5 * at + bit as usize).is_multiple_of(STRIDE) {
                continue;
            }
            counts.bits += 1;
            let word = words[at] ^ 1 << bit;
            let (Ok(before), Ok(after)) = (decode(words[at], CHIP), decode(word, CHIP)) else {
                counts.undecodable += 1;
                continue;
            };
            let mutant = pair.with(|code| code[at] = word);
            let record = match quick(pair, &mutant) {
                Some(()) => {
                    counts.evaluated += 1;
                    continue;
                }
                None => pair.prove(&mutant, z3),
            };
            let name = format!(
                "{} {:#06x} bit {bit}: {} => {}",
                pair.name,
                16 * at,
                written(words[at]),
                written(word)
            );
            match record.verdict {
                Verdict::Refuted(_) => counts.refuted += 1,
                Verdict::Unknown(why) | Verdict::Inapplicable(why) => {
                    let reason = why.split([':', ',']).next().unwrap_or_default().to_owned();
                    *counts.unknown.entry(reason).or_default() += 1;
                }
                Verdict::Proved | Verdict::ProvedWithin(_) => {
                    if original.differs(&mutant) {
                        eprintln!("  RUNS DIFFERENTLY: {name}");
                        counts.differs.push(name);
                        continue;
                    }
                    let dead = known.dead(pair, at, z3);
                    let alike = !dead && known.alike(pair, &mutant, 16 * at as u64);
                    let flip = Flip { before: &before, after: &after, behind: at > last, dead, alike };
                    let row = ROWS.iter().find(|b| (b.holds)(&flip)).map(|row| row.name);
                    let by_checker = || confirmed(pair, &mutant, &record, z3);
                    match row.or_else(by_checker) {
                        Some(row) => {
                            if [CONFIRMED, AS_BEFORE].contains(&row) {
                                eprintln!("  {row}: {name}");
                            }
                            *counts.benign.entry(row).or_default() += 1;
                        }
                        None => {
                            let name = format!("{name} [{:?}]", flip.field());
                            eprintln!("  proved: {name}");
                            counts.wrong.push(name);
                        }
                    }
                }
            }
        }
    }
}

/// The census as a section of `reports/controls.md`.
fn markdown(cubins: u32, counts: &Counts) -> String {
    let unknown: u32 = counts.unknown.values().sum();
    let benign: u32 = counts.benign.values().sum();
    let mut text = format!(
        "Every bit but those of the control codes, of {cubins} cubins of ptxas that are proved, flipped one at a time: {} bits.\n\n\
         | what it was | bits |\n| --- | --: |\n| does not decode | {} |\n| differs when both sides are evaluated | {} |\n\
         | refuted | {} |\n| unknown | {unknown} |\n| benign by a named row | {benign} |\n| wrongly proved | {} |\n",
        counts.bits,
        counts.undecodable,
        counts.evaluated,
        counts.refuted,
        counts.wrong.len() + counts.differs.len()
    );
    for (title, rows) in [
        ("reason of unknown", counts.unknown.iter().map(|(w, n)| (w.as_str(), *n)).collect::<Vec<_>>()),
        ("row of benign", counts.benign.iter().map(|(w, n)| (*w, *n)).collect()),
    ] {
        text += &format!("\n| {title} | bits |\n| --- | --: |\n");
        for (what, n) in rows {
            text += &format!("| {what} | {n} |\n");
        }
    }
    text
}

#[test]
fn no_flipped_bit_is_wrongly_proved() {
    let Some(mut z3) = z3("no_flipped_bit_is_wrongly_proved") else { return };
    z3.budget = 1;
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let named = std::env::var("SASSAFRAS_CENSUS").unwrap_or_default();
    let names: Vec<&str> = match (named.is_empty(), whole) {
        (false, _) => named.split(',').collect(),
        (true, true) => WHOLE.to_vec(),
        (true, false) => SAMPLE.to_vec(),
    };
    let mut counts = Counts::default();
    let mut cubins = 0;
    for name in names {
        let Some(pair) = Pair::recorded(&format!("features/{name}"), &mut z3) else { continue };
        census(&pair, &mut z3, whole || !named.is_empty(), &mut counts);
        cubins += 1;
    }
    let unknown: u32 = counts.unknown.values().sum();
    let benign: u32 = counts.benign.values().sum();
    eprintln!(
        "{cubins} cubins, {} bits: {} do not decode, {} differ when evaluated, {} refuted, {unknown} unknown, {benign} benign",
        counts.bits, counts.undecodable, counts.evaluated, counts.refuted
    );
    counts.unknown.iter().for_each(|(why, n)| eprintln!("  unknown: {n} {why}"));
    counts.benign.iter().for_each(|(why, n)| eprintln!("  benign: {n} {why}"));
    assert!(counts.differs.is_empty(), "{} proved changes run differently", counts.differs.len());
    assert!(counts.wrong.is_empty(), "{} proved changes have no row", counts.wrong.len());
    if whole {
        report::section("Flipped bits", &markdown(cubins, &counts));
    }
    assert!(cubins > 0 && counts.refuted + counts.evaluated > 0, "nothing was looked at");
}
