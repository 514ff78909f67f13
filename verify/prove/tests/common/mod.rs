//! What the tests of the prover have in common.

#![allow(dead_code)]

pub mod midpoints;
pub mod report;
pub mod sequence;
pub mod table;

use sassafras_cubin::Cubin;
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::Options;
use sassafras_driver::session;
use sassafras_isa::{Access, Chip, RegClass, Style, decode, encode, parse};
use sassafras_oracle::workspace_root;
use sassafras_prove::{Limits, Record, Solver, Verdict, Z3, prove_within};
use sassafras_ptx::checked::Module;
use std::path::PathBuf;

/// z3, or a skip that is heard.
pub fn z3(test: &str) -> Option<Z3> {
    let root = workspace_root();
    let found = Z3::find(&[&root], 30, 20);
    if found.is_none() {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}

/// The fastest solver there is, with a budget in millions of z3's `rlimit`, or a skip that is heard.
pub fn solver(test: &str, budget: u64) -> Option<Box<dyn Solver>> {
    let process = z3(test)?;
    #[cfg(feature = "z3")]
    return Some(Box::new(sassafras_solve::solver::NativeZ3 { budget, timeout: process.timeout }));
    #[cfg(not(feature = "z3"))]
    Some(Box::new(Z3 { budget, ..process }))
}

/// The text of `corpus/NAME.ptx`.
pub fn text(name: &str) -> String {
    let path = workspace_root().join("corpus").join(format!("{name}.ptx"));
    std::fs::read_to_string(&path).expect("the corpus has it")
}

/// PTX files of these folders of the corpus, by name.
pub fn programs(folders: &[&str]) -> Vec<String> {
    let corpus = workspace_root().join("corpus");
    let mut folders: Vec<PathBuf> = folders.iter().map(|f| corpus.join(f)).collect();
    let mut all = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the corpus").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                let name = path.strip_prefix(&corpus).expect("in the corpus").with_extension("");
                all.push(name.to_string_lossy().into_owned());
            }
        }
    }
    all.sort();
    all
}

/// A checked module.
pub fn module(text: &str) -> Module {
    session::parse(text, "test").expect("it is valid").0
}

/// Our cubin of a text for sm_90, if it compiles.
pub fn ours(text: &str) -> Option<Cubin> {
    ours_for(text, "sm_90").ok()
}

/// Our cubin of a text for a target, or why there is none.
pub fn ours_for(text: &str, target: &str) -> Result<Cubin, sassafras_driver::Failure> {
    ours_without(text, target, Vec::new())
}

/// Our cubin of a text for sm_90 with its loops as they are written, if it compiles: an iteration is one on both sides.
pub fn not_unrolled(text: &str) -> Option<Cubin> {
    not_unrolled_for(text, "sm_90").ok()
}

/// The same for a target, or why there is none.
pub fn not_unrolled_for(text: &str, target: &str) -> Result<Cubin, sassafras_driver::Failure> {
    ours_without(text, target, vec!["unroll".into()])
}

fn ours_without(text: &str, target: &str, disabled: Vec<String>) -> Result<Cubin, sassafras_driver::Failure> {
    let words = [format!("-arch={target}")];
    let options = sassafras_driver::options::parse(&words, &|_: &str| Ok(String::new())).expect("an option");
    let made = session::compile(text, "test", &Options { jobs: 1, disabled, ..options }, None, &Nobody);
    Ok(made?.cubin.expect("nothing stopped it").0)
}

/// ptxas's recorded cubin.
pub fn recorded(set: &str, name: &str) -> Option<Cubin> {
    let bytes = sassafras_reference::traces::cubin(&workspace_root(), set, name)?;
    Some(sassafras_cubin::read(&bytes).expect("a sound cubin"))
}

/// One line about a record.
pub fn line(record: &Record) -> String {
    format!("{} {:?} {:?} {:.2} s", record.entry, record.verdict, record.obligations, record.seconds)
}

/// Our code of a kernel `k` is proved by a lemma, and is not where one of its instructions of these mnemonics is missing. How many there
/// are.
pub fn loses_each(
    source: &str,
    lemma: &str,
    computes: &[&str],
    limits: Limits,
    solver: &mut dyn Solver,
) -> usize {
    let chip = Chip::from_number(90).expect("a chip");
    let nop = encode(&parse("NOP", &Style::default()).expect("a text"), chip).expect("a word");
    let (module, cubin) = (module(source), ours(source).expect("it compiles"));
    let record = prove_within(&module, "k", &cubin, solver, limits);
    assert_eq!(record.verdict, Verdict::Proved, "{source}");
    assert!(record.lemmas.contains(lemma), "{source}: {:?}", record.lemmas);
    assert_eq!(record.exit_code(), 14);
    let mut count = 0;
    for at in 0..cubin.functions[0].code.len() {
        let inst = decode(cubin.functions[0].code[at], chip).expect("a word");
        if !computes.contains(&inst.row().mnemonic) {
            continue;
        }
        let mut changed = cubin.clone();
        changed.functions[0].code[at] = nop;
        let mut verdict = prove_within(&module, "k", &changed, solver, limits).verdict;
        if verdict == Verdict::Proved {
            // Its result may be there already, by chance of allocation: then another value in its place.
            let source = inst.operands().find(|o| o.access == Access::Read && o.class == RegClass::R);
            let field = source.and_then(|o| o.field).expect("what computes reads a register");
            let mut other = inst.clone();
            other.fields[field] = 255;
            changed.functions[0].code[at] = encode(&other, chip).expect("RZ is a register");
            verdict = prove_within(&module, "k", &changed, solver, limits).verdict;
        }
        assert_ne!(verdict, Verdict::Proved, "{source} without {at}");
        count += 1;
    }
    sassafras_oracle::fault::planted(
        "lemma",
        &chip,
        &format!("{lemma} without an instruction"),
        count,
        count,
    );
    count
}

/// Features whose code of ours is proved, and faults of them that are not: the feature, what stands there, and what is compiled in its place.
pub fn proved_but_for(features: &[&str], faults: &[(&str, &str, &str)], solver: &mut dyn Solver) {
    let mut proved = |name: &str, compiled: &str| {
        let cubin = ours(compiled).expect("it compiles");
        prove_within(&module(&text(name)), "k", &cubin, solver, Limits::default()).verdict
    };
    for name in features {
        let name = format!("features/{name}");
        assert_eq!(proved(&name, &text(&name)), Verdict::Proved, "{name}");
    }
    for (name, right, wrong) in faults {
        let name = format!("features/{name}");
        let source = text(&name);
        assert!(source.contains(right), "{name}: {right}");
        let verdict = proved(&name, &source.replace(right, wrong));
        let passed = matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_));
        assert!(!passed, "{name}, {wrong}: {verdict:?}");
    }
}
