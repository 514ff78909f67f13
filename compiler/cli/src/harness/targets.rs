//! One check for each fuzz target over the pipeline, and over parts of it alone (`parts`). `fuzz/` calls each with libFuzzer's bytes, `tests/harness.rs` with a few.
//!
//! Each panics with a sentence and the program when a promise is broken, and gives what became of its input otherwise.

mod parts;

pub use parts::{domtree_loops, enc_vs_nvdisasm, ir_verifier, parallel_move, tv_smt};

use super::case::Case;
use super::compiler::{Broken, Compiler, Made, Name};
use super::oracle::{self, Decision};
use crate::assembly;
use crate::listing::{Look, listing};
use arbitrary::{Result, Unstructured};
use sassafras_chip::Chip;
use sassafras_driver::{Stage, Warning, phase, plant};
use sassafras_generate::ptx::{Feature, Features, Request, module};
use sassafras_prove::Verdict;
use std::cell::RefCell;

/// The low bits of the word of `EXIT`.
const EXIT: u128 = 0x94d;

/// A generated case of at most `most` instructions, and a compiler of ours for its chip.
fn case(u: &mut Unstructured<'_>, most: usize, features: Features) -> Result<(Case, Compiler)> {
    let sm = u.choose(&Chip::ALL)?.number();
    let level = u.int_in_range(0..=3)?;
    let size = u.int_in_range(1..=most)?;
    let seed = u.arbitrary()?;
    let made = module(u, &Request { sm, features, size })?;
    let compiler = Compiler::find(&Name::Ours, sm, level).expect("this compiler is here");
    Ok((Case::of(made, seed), compiler))
}

/// Panics where a decision is a finding, with the program as a file that says its launch.
fn held(case: &Case, compiler: &Compiler, decision: Decision) -> &'static str {
    match &decision {
        Decision::Wrong(kind, how) => panic!("{}: {kind:?}: {how}\n{}", compiler.label(), case.file()),
        Decision::Meaningless(why) => panic!("a generated program: {why}\n{}", case.file()),
        _ => decision.word(),
    }
}

/// Text through the compiler with every fast judge; both executors agree; and the text prints to one that parses to the same.
///
/// # Panics
/// When a promise is broken.
pub fn pipeline(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let (case, compiler) = case(u, 40, Features::ALL)?;
    let (parsed, _) = sassafras_ptx::parse(&case.text, "case.ptx");
    let printed = sassafras_ptx::print(&parsed);
    let (again, _) = sassafras_ptx::parse(&printed, "printed.ptx");
    assert!(again.items == parsed.items, "what is printed parses to something else:\n{}", case.text);
    Ok(held(&case, &compiler, oracle::by_running(&case, &compiler)))
}

thread_local! {
    /// Versions of ptxas that are here.
    static PTXAS: RefCell<Option<Vec<Name>>> = const { RefCell::new(None) };
}

/// Three votes: the PTX executor, the SASS executor on our code, and on ptxas's.
///
/// # Panics
/// When a promise is broken.
pub fn pipeline_ptxas(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let names = PTXAS.with_borrow_mut(|n| n.get_or_insert_with(super::compiler::installed).clone());
    if names.is_empty() {
        return Ok("skipped");
    }
    let (case, compiler) = case(u, 40, Features::ALL.without(Feature::Known))?;
    held(&case, &compiler, oracle::by_running(&case, &compiler));
    let Ok(ptxas) = Compiler::find(u.choose(&names)?, compiler.sm, compiler.level) else {
        return Ok("skipped");
    };
    Ok(held(&case, &ptxas, oracle::by_running(&case, &ptxas)))
}

/// Passes of the optimiser alone: all that can be left out are, but for some.
///
/// # Panics
/// When a promise is broken.
pub fn optimise_pass(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let (case, mut compiler) = case(u, 30, Features::ALL)?;
    compiler.level = 3;
    let mut off = phase::optional();
    for _ in 0..u.int_in_range(1..=3)? {
        if !off.is_empty() {
            off.remove(u.choose_index(off.len())?);
        }
    }
    let off = off.join(",");
    let (module, expected) = match case.module().and_then(|m| Ok((case.expected(&m)?, m))) {
        Ok((expected, module)) => (module, expected),
        Err(why) => panic!("a generated program: {why}\n{}", case.file()),
    };
    drop(module);
    let decision = match compiler.ours_with(&case.text, &["--disable-phase", &off], &mut Vec::new()) {
        Made::Refused(why) => Decision::Refused(why),
        Made::Broken(why) => Decision::Wrong(oracle::Kind::Broken, why.to_string()),
        Made::Cubin(cubin, _) => oracle::run(&case, &expected, &cubin, true),
    };
    if let Decision::Wrong(_, how) = &decision {
        panic!("without {off}: {how}\n{}", case.file());
    }
    Ok(held(&case, &compiler, decision))
}

/// A fault planted behind some stages: where it finds a place a judge objects, or it does no harm; and without it none does.
fn planted(u: &mut Unstructured<'_>, stages: &[Stage]) -> Result<&'static str> {
    let (case, compiler) = case(u, 30, Features::ALL)?;
    let faults: Vec<_> = plant::faults().into_iter().filter(|f| stages.contains(&f.stage)).collect();
    let fault = u.choose(&faults)?.name;
    let seed: u8 = u.arbitrary()?;
    match compiler.compile(&case.text) {
        Made::Refused(_) => return Ok("refused"),
        Made::Broken(how) => panic!("{}: {how}\n{}", compiler.label(), case.file()),
        Made::Cubin(..) => {}
    }
    let plant = format!("{fault}:{seed}");
    let mut warnings = Vec::new();
    match compiler.ours_with(&case.text, &["--plant", &plant], &mut warnings) {
        Made::Broken(Broken::Objection(_)) => Ok("caught"),
        Made::Broken(how) => panic!("{plant} breaks the compiler: {how}\n{}", case.file()),
        Made::Cubin(..) if warnings.iter().any(|w| matches!(w, Warning::NoPlace { .. })) => Ok("no place"),
        // Another scoreboard, say, for which somebody waits in time too.
        Made::Cubin(cubin, _) => match case.module().and_then(|m| case.expected(&m)) {
            Ok(expected) => match oracle::run(&case, &expected, &cubin, true) {
                Decision::Wrong(_, how) => {
                    panic!("{}: no judge objects to {plant}: {how}\n{}", compiler.label(), case.file())
                }
                Decision::Agrees => Ok("harmless"),
                // Whether it does harm is not known.
                other => Ok(other.word()),
            },
            Err(why) => panic!("a generated program: {why}\n{}", case.file()),
        },
        Made::Refused(why) => panic!("{plant}: {why}\n{}", case.file()),
    }
}

/// Faults of allocation, and of what comes between it and scheduling.
///
/// # Panics
/// When no judge objects to a fault, or one objects without.
pub fn allocate(u: &mut Unstructured<'_>) -> Result<&'static str> {
    planted(u, &[Stage::Allocate, Stage::Expand, Stage::Converge, Stage::Layout])
}

/// Faults of scheduling.
///
/// # Panics
/// When no judge objects to a fault, or one objects without.
pub fn schedule(u: &mut Unstructured<'_>) -> Result<&'static str> {
    planted(u, &[Stage::Schedule, Stage::Emit])
}

/// Bits of an instruction word below its control bits.
const MEANING: u32 = 105;

/// A word that is changed in one to three bits, or another one of the code in its place; none where it is no instruction.
fn changed(u: &mut Unstructured<'_>, code: &[u128], at: usize, chip: Chip) -> Result<Option<u128>> {
    let below = (1u128 << MEANING) - 1;
    let mut word = match u.ratio(1, 3)? {
        true => code[at] & !below | u.choose(code)? & below,
        false => code[at],
    };
    for _ in 0..u.int_in_range(0..=3)? {
        word ^= 1 << u.int_in_range(0..=MEANING - 1)?;
    }
    let sound = word != code[at] && sassafras_isa::decode(word, chip).is_ok();
    Ok(sound.then_some(word))
}

/// Our own code with an instruction changed, held against its source: what is proved never differs in the executors.
///
/// # Panics
/// When it does.
pub fn prove_vs_run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let (case, compiler) = case(u, 12, Features::ALL.without(Feature::Graphs).without(Feature::Loops))?;
    let Made::Cubin(mut cubin, _) = compiler.compile(&case.text) else { return Ok("refused") };
    let chip = Chip::from_number(compiler.sm).expect("a chip that is compiled for");
    let code = &mut cubin.functions.iter_mut().find(|f| f.name == "k").expect("the entry").code;
    // Behind the end of the program there is nothing to change.
    let last = code.iter().rposition(|w| w & 0xfff == EXIT).unwrap_or(code.len() - 1);
    let mut changes = 0;
    for _ in 0..8 {
        let at = u.int_in_range(0..=last)?;
        if let Some(word) = changed(u, code, at, chip)? {
            code[at] = word;
            changes += 1;
        }
        if changes > 0 && !u.ratio(1, 4)? {
            break;
        }
    }
    if changes == 0 {
        return Ok("unchanged");
    }
    let (module, expected) = match case.module().and_then(|m| Ok((case.expected(&m)?, m))) {
        Ok((expected, module)) => (module, expected),
        Err(why) => panic!("a generated program: {why}\n{}", case.file()),
    };
    let proof = oracle::record(&module, &cubin);
    if let Some(what) = &proof.contradiction {
        panic!("the prover contradicts itself: {what}\n{}\n{:032x?}", case.file(), cubin.functions);
    }
    match proof.verdict {
        Verdict::Proved | Verdict::ProvedWithin(_) => match oracle::run(&case, &expected, &cubin, false) {
            Decision::Wrong(_, how) => {
                let code = &cubin.functions.iter().find(|f| f.name == "k").expect("the entry").code;
                panic!("{}: proved, and it differs: {how}\n{}\n{code:#034x?}", compiler.label(), case.file())
            }
            _ => Ok("proved"),
        },
        Verdict::Refuted(_) => Ok("refuted"),
        Verdict::Unknown(_) | Verdict::Inapplicable(_) => Ok("undecided"),
    }
}

/// A cubin reads as what was written, its words encode again, and any bytes in it are read or refused.
///
/// # Panics
/// When a promise is broken.
pub fn container(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let (case, compiler) = case(u, 20, Features::ALL)?;
    let Made::Cubin(cubin, mut bytes) = compiler.compile(&case.text) else { return Ok("refused") };
    let again = sassafras_cubin::read(&bytes).unwrap_or_else(|e| panic!("{e}\n{}", case.file()));
    assert!(again.functions == cubin.functions, "functions differ when read back\n{}", case.file());
    for _ in 0..u.int_in_range(0..=4)? {
        let at = u.choose_index(bytes.len())?;
        bytes[at] = u.arbitrary()?;
    }
    crate::checks::cubin(&bytes);
    Ok("read")
}

/// The listing with control bits assembles to the same words.
///
/// # Panics
/// When it does not.
pub fn asm(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let (case, compiler) = case(u, 30, Features::ALL)?;
    let Made::Cubin(cubin, bytes) = compiler.compile(&case.text) else { return Ok("refused") };
    let image = sassafras_cubin::elf::read(&bytes).unwrap_or_else(|e| panic!("{e}\n{}", case.file()));
    let chip = Chip::from_number(compiler.sm).expect("a chip that is compiled for");
    let look = Look { control: true, ..Look::default() };
    let text = listing(&image, chip, look).unwrap_or_else(|e| panic!("{e}\n{}", case.file())).text;
    let back = assembly::read(&text, None)
        .unwrap_or_else(|found| panic!("{}", assembly::render("listing", &text, &found)));
    for f in &cubin.functions {
        let section = back.sections.iter().find(|s| s.name.as_ref() == Some(&format!(".text.{}", f.name)));
        let words = section.map(|s| s.words.iter().map(|w| w.bits).collect::<Vec<_>>());
        assert!(
            words.as_ref() == Some(&f.code),
            "`{}` assembles to other words:\n{text}\n{}",
            f.name,
            case.file()
        );
    }
    Ok("assembled")
}
