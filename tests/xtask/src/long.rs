//! `cargo xtask long`: searches that take minutes to hours.

use crate::process::{cargo, run, shown};
use anyhow::{Result, bail};
use std::path::Path;

/// Name, what it does, and the cargo command that does it. The fuzz targets are found on disk.
const LONG: &[(&str, &str, &[&str])] = &[
    (
        "ignored",
        "every test marked #[ignore] because it takes long",
        &["test", "--release", "--workspace", "--", "--ignored"],
    ),
    (
        "corpus",
        "every program, launch, order and chooser; every cubin read by NVIDIA's tools",
        &["test", "--release", "--package", "sassafras-corpus"],
    ),
    (
        "chips",
        "every program on every chip, our code and ptxas's: made, read by nvdisasm, run; writes reports/chips.md",
        &[
            "run",
            "--release",
            "--package",
            "sassafras-corpus",
            "--example",
            "chips",
            "--",
            "--every",
            "1",
            "--report",
            "reports/chips.md",
        ],
    ),
    (
        "large",
        "every kernel of corpus/large at -O1 to -O3 on three chips, under every judge",
        &["test", "--release", "--package", "sassafras-corpus", "--test", "large"],
    ),
    (
        "loops-compile",
        "every kernel of corpus/loops at -O1 to -O3 on three chips, under every judge",
        &["test", "--release", "--package", "sassafras-corpus", "--test", "loops"],
    ),
    (
        "loops",
        "every kernel of corpus/loops, ours and two versions of ptxas's, held against its source; rows in target/loops.csv, with which it goes on; --every N --from K, --half report, --chip sm_80, --folder corpus/large, --budget N, --jobs N",
        &["run", "--release", "--package", "sassafras-corpus", "--example", "loops", "--"],
    ),
    (
        "loop-faults",
        "faults planted in the loops of 45 kernels, none proved, and edits that mean the same; --per-kind N, --sides ours,13.0.88, --budget N, --jobs N",
        &["run", "--release", "--package", "sassafras-corpus", "--example", "loop_faults", "--"],
    ),
    (
        "orders",
        "the corpus in the executors, every order of warps and groups",
        &["test", "--release", "--package", "sassafras-execute"],
    ),
    (
        "trees",
        "10,000 random control trees with 50 random edits each, and as many graphs made into trees",
        &["test", "--release", "--package", "sassafras-ir", "--test", "tree"],
    ),
    (
        "judged-trees",
        "the judge of control trees after every one of those edits; every graph of five blocks made a tree; 10,000 random graphs in lock step with their code",
        &[
            "test",
            "--release",
            "--package",
            "sassafras-check",
            "--test",
            "trees",
            "--test",
            "structure",
            "--test",
            "lockstep",
            "--",
            "--nocapture",
        ],
    ),
    (
        "graphs",
        "every graph of up to five blocks and 100,000 random ones: each algorithm against its definition",
        &["test", "--release", "--package", "sassafras-check", "--test", "graphs", "--", "--nocapture"],
    ),
    (
        "folding",
        "the condition on reducibility of branch folding on every graph of five blocks and 100,000 random ones, against T1 and T2",
        &[
            "test",
            "--release",
            "--package",
            "sassafras-codegen",
            "--test",
            "folding",
            "--",
            "--ignored",
            "--nocapture",
        ],
    ),
    (
        "modes",
        "every mode of disasm on every recorded cubin, against nvdisasm",
        &["test", "--release", "--package", "sassafras", "--test", "modes"],
    ),
    (
        "lanes",
        "what the prover says of lanes of 100,000 random programs, against the executor's groups in ten orders; SASSAFRAS_SEEDS=from-to for others",
        &[
            "test",
            "--release",
            "--package",
            "sassafras-symbolic",
            "--test",
            "lanes",
            "--",
            "--ignored",
            "--nocapture",
        ],
    ),
    (
        "barriers",
        "random programs of barriers and lanes on five chips at four levels, their code in every kind of order; --from A --to B, --chips, --levels, --witness 13.0.88, --settings-every 20 (one chip and level a program)",
        &["run", "--release", "--package", "sassafras-corpus", "--example", "barriers", "--"],
    ),
    (
        "lines",
        "what nvdisasm -gi shows of our code and of ptxas's for the kernels of corpus/lines: places and instructions, equal and different",
        &["test", "--package", "sassafras", "--test", "lines", "--", "--nocapture"],
    ),
    (
        "isa",
        "10,000 random words of every row on every chip that it claims against nvdisasm, text and registers",
        &["run", "--release", "--package", "sassafras-discover", "--", "rows"],
    ),
    (
        "words",
        "100 million random words through the codec, two million to nvdisasm",
        &[
            "test",
            "--release",
            "--package",
            "sassafras",
            "--test",
            "words",
            "--",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ],
    ),
    (
        "controls",
        "every bit of 50 proved cubins flipped, every planted change, witnesses of proofs checked and corrupted",
        &[
            "test",
            "--release",
            "--package",
            "sassafras-prove",
            "--features",
            "z3",
            "--test",
            "controls",
            "--test",
            "witness",
            "--",
            "--nocapture",
        ],
    ),
    (
        "matrix",
        "every form of PTX in kernels of its own: executed, compiled and executed, by ptxas too; writes reports/ptx-matrix.md",
        &["test", "--package", "sassafras-corpus", "--test", "matrix", "--", "--nocapture", "executed"],
    ),
    (
        "chip-matrix",
        "every form of PTX on every chip that has it: compiled, executed and proved; writes reports/ptx-matrix-chips.md; SASSAFRAS_CHIPS=75,120 takes some chips",
        &["test", "--package", "sassafras-corpus", "--test", "chip_matrix", "--", "--nocapture"],
    ),
    (
        "spellings",
        "three spellings of each class for each form of PTX, accepted and refused as by two versions of ptxas; writes reports/spellings.md",
        &["test", "--package", "sassafras-generate", "--test", "spellings", "--", "--ignored", "--nocapture"],
    ),
    (
        "vocabulary",
        "every instruction of PTX with the modifiers that the ISA lists, on every target, accepted and refused as by ptxas; writes reports/vocabulary.md",
        &[
            "test",
            "--package",
            "sassafras-generate",
            "--test",
            "vocabulary",
            "--",
            "--ignored",
            "--nocapture",
        ],
    ),
    (
        "recorded",
        "every recorded word of ptxas on every chip through the table of instructions",
        &["test", "--release", "--package", "sassafras-words", "--", "--nocapture"],
    ),
    (
        "newer",
        "words of ptxas 13.5.37 for generated PTX and the corpus on every chip, against its own nvdisasm and the table of instructions",
        &["run", "--release", "--package", "sassafras-record", "--", "--check", "13.5.37"],
    ),
    (
        "cubins",
        "cubins of the whole corpus by both versions of ptxas, all chips and options, read and written back",
        &["test", "--release", "--package", "sassafras-emit", "--test", "exact", "--", "--nocapture"],
    ),
    (
        "calibrate",
        "a kernel for each PTX form by ptxas, without and with optimisation, proved; writes reports/calibration.md",
        &["test", "--package", "sassafras-prove", "--test", "calibrate", "--", "--nocapture"],
    ),
    (
        "verdicts",
        "every kernel of corpus/first, corpus/modern and corpus/calls, ours and ptxas's, held against its source; none fares worse than proofs.csv says",
        &[
            "test",
            "--package",
            "sassafras-prove",
            "--features",
            "z3",
            "--test",
            "verdicts",
            "--",
            "--nocapture",
        ],
    ),
    (
        "corpus-prove",
        "each entry of the corpus, ours and ptxas's, proved; writes reports/corpus-proofs.md and .csv; each instruction of a recursion left out",
        &[
            "test",
            "--package",
            "sassafras-prove",
            "--features",
            "z3",
            "--test",
            "corpus_prove",
            "--test",
            "recursion",
            "--test",
            "opaque",
            "--",
            "--nocapture",
        ],
    ),
    (
        "random-prove",
        "2,000 random loop-free functions, ours and ptxas's, proved; writes reports/random-prove.md",
        &["test", "--package", "sassafras-prove", "--test", "random_prove", "--", "--nocapture"],
    ),
    (
        "open",
        "2,000 random programs over what PTX leaves open, ours and ptxas's -O0 and -O3, none refuted; writes reports/open-prove.md",
        &["test", "--package", "sassafras-prove", "--test", "open_prove", "--", "--nocapture"],
    ),
    (
        "objections",
        "50,000 random programs of every generator on all chips and levels, with few registers and many: no judge objects, and each runs as its source",
        &["test", "--release", "--package", "sassafras", "--test", "objections", "--", "--nocapture"],
    ),
    (
        "bad-inputs",
        "20,000 files changed at random, and 102 giants, over all commands: no panic, nothing that takes long or much memory",
        &["test", "--package", "sassafras", "--test", "mutated", "--test", "giants", "--", "--nocapture"],
    ),
    (
        "lemmas",
        "the lemmas about division and roots: every divisor of 32 bits, the grid with more numbers, every instruction left out",
        &["test", "--release", "--package", "sassafras-prove", "--test", "lemmas", "--", "--nocapture"],
    ),
    (
        "passes",
        "each pass of the optimiser over the corpus and over random functions, proved; writes reports/pass-proofs.md",
        &[
            "test",
            "--package",
            "sassafras-prove-passes",
            "--features",
            "z3",
            "--test",
            "passes",
            "--",
            "--nocapture",
        ],
    ),
    (
        "triton",
        "14 kernels compiled by Triton's wheel with our binary as its ptxas, without a GPU",
        &["test", "--package", "sassafras", "--test", "producers", "--", "--ignored", "--nocapture"],
    ),
];

/// What makes a test take its full volume.
const WHOLE: [&str; 17] = [
    "SASSAFRAS_ALL_ORDERS",
    "SASSAFRAS_ALL_WORDS",
    "SASSAFRAS_ALL_FORMS",
    "SASSAFRAS_ALL_CUBINS",
    "CORPUS_FULL",
    "SASSAFRAS_ALL_TREES",
    "SASSAFRAS_ALL_GRAPHS",
    "SASSAFRAS_ALL_MODES",
    "SASSAFRAS_ALL_CONTROLS",
    "SASSAFRAS_ALL_CALIBRATION",
    "SASSAFRAS_ALL_RANDOM",
    "SASSAFRAS_ALL_PROOFS",
    "SASSAFRAS_ALL_PASSES",
    "SASSAFRAS_ALL_LEMMAS",
    "SASSAFRAS_ALL_OPEN",
    "SASSAFRAS_ALL_BAD",
    "SASSAFRAS_ALL_OBJECTIONS",
];

/// Runs the search called `name`, or lists them. `rest` goes to it: for a fuzz target, options of libFuzzer.
pub fn long(root: &Path, name: Option<&str>, rest: &[String]) -> Result<()> {
    let targets = fuzz_targets(root);
    let Some(name) = name else {
        for (name, what, _) in LONG {
            println!("{name:<16} {what}");
        }
        println!(
            "{:<16} rules of the prover's lanes planted wrong, and whether `lanes` sees it",
            "lane-mutants"
        );
        for target in &targets {
            println!("{target:<16} fuzz target; needs cargo-fuzz (`cargo install cargo-fuzz --locked`)");
        }
        return Ok(());
    };
    if name == "lane-mutants" {
        return crate::lane_mutants::lane_mutants(root);
    }
    let mut command = if let Some((_, _, args)) = LONG.iter().find(|(n, ..)| *n == name) {
        let mut c = cargo(root, args);
        c.envs(WHOLE.map(|name| (name, "1"))).args(rest);
        c
    } else if targets.iter().any(|t| t == name) {
        // `-s none` fuzzes on a stable compiler, about five times as fast as with a sanitizer; the code is safe Rust.
        let mut c = cargo(root, &["fuzz", "run", "-s", "none", name]);
        if !rest.is_empty() {
            c.arg("--").args(rest);
        }
        c
    } else {
        bail!("no long search is called `{name}`; `cargo xtask long` lists them");
    };
    println!("== {}", shown(&command));
    match run(&mut command)? {
        Some(0) => Ok(()),
        code => bail!("{name} ended with {code:?}"),
    }
}

fn fuzz_targets(root: &Path) -> Vec<String> {
    let files = std::fs::read_dir(root.join("fuzz/fuzz_targets")).into_iter().flatten().flatten();
    let mut names: Vec<String> = files
        .map(|f| f.path())
        .filter(|p| p.extension().is_some_and(|e| e == "rs"))
        .filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}
