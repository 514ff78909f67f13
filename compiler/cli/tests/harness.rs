//! Short twins of the fuzz targets over the pipeline: the same few choices in every run.

mod common;

use arbitrary::{Result, Unstructured};
use sassafras::harness::targets;
use std::collections::BTreeMap;

/// Runs a target on some choices; it must have come to `wanted` at least once.
fn twin(name: &str, wanted: &[&str], target: fn(&mut Unstructured<'_>) -> Result<&'static str>) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    // The same choices in every run, the seeds in `fuzz/seeds/choices`: new ones are for the fuzz targets.
    for seed in 0..8u64 {
        let bytes = common::choices(seed);
        let fate = target(&mut Unstructured::new(&bytes)).expect("choices have no errors of their own");
        *counts.entry(fate).or_default() += 1;
    }
    eprintln!("{name}: {counts:?}");
    if counts.contains_key("skipped") {
        return sassafras_oracle::skip(name, &"a tool or a solver is not here");
    }
    assert!(
        wanted.iter().any(|w| counts.contains_key(w)),
        "{name} came to {counts:?}, and to none of {wanted:?}"
    );
}

#[test]
fn pipeline_twin() {
    twin("pipeline_twin", &["agrees"], targets::pipeline);
}

#[test]
fn pipeline_ptxas_twin() {
    twin("pipeline_ptxas_twin", &["agrees"], targets::pipeline_ptxas);
}

#[test]
fn optimise_pass_twin() {
    twin("optimise_pass_twin", &["agrees"], targets::optimise_pass);
}

#[test]
fn allocate_twin() {
    twin("allocate_twin", &["caught"], targets::allocate);
}

#[test]
fn schedule_twin() {
    twin("schedule_twin", &["caught"], targets::schedule);
}

#[test]
fn prove_vs_run_twin() {
    twin("prove_vs_run_twin", &["refuted"], targets::prove_vs_run);
}

#[test]
fn container_twin() {
    twin("container_twin", &["read"], targets::container);
}

#[test]
fn asm_twin() {
    twin("asm_twin", &["assembled"], targets::asm);
}

#[test]
fn domtree_loops_twin() {
    twin("domtree_loops_twin", &["equal"], targets::domtree_loops);
}

#[test]
fn parallel_move_twin() {
    twin("parallel_move_twin", &["moved"], targets::parallel_move);
}

#[test]
fn ir_verifier_twin() {
    twin("ir_verifier_twin", &["caught"], targets::ir_verifier);
}

#[test]
fn tv_smt_twin() {
    twin("tv_smt_twin", &["different"], targets::tv_smt);
}

#[test]
fn enc_vs_nvdisasm_twin() {
    twin("enc_vs_nvdisasm_twin", &["equal"], targets::enc_vs_nvdisasm);
}

/// Modules of seeds mean something, whatever is open, and our code agrees; `SASSAFRAS_SEEDS=FROM-TO` runs others.
#[test]
fn seeds_mean_something_and_agree() {
    use sassafras::harness::{case::Case, compiler::Compiler, compiler::Name, oracle};
    use sassafras_generate::ptx::{Request, seeded};
    let asked = std::env::var("SASSAFRAS_SEEDS").unwrap_or_default();
    let asked = asked.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (from, to): (u64, u64) = asked.unwrap_or((0, 12));
    let (mut counts, mut wrong) = (BTreeMap::<&str, u32>::new(), Vec::new());
    for seed in from..to {
        let sm = [80, 86, 90, 100, 120][seed as usize % 5];
        let request = Request { sm, size: 10 + (seed % 60) as usize, ..Request::default() };
        let case = Case::of(seeded(seed, &request), seed);
        let module = case.module().unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        match case.expected(&module) {
            Ok(expected) if expected.open() == 0 => {}
            Ok(expected) => wrong.push(format!("seed {seed}: {} bytes are open", expected.open())),
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
        let compiler = Compiler::find(&Name::Ours, sm, (seed % 4) as u8).expect("ours");
        let decision = oracle::by_running(&case, &compiler);
        *counts.entry(decision.word()).or_default() += 1;
        if let oracle::Decision::Wrong(_, how) | oracle::Decision::Refused(how) = decision {
            wrong.push(format!("seed {seed}: {}: {how}", compiler.label()));
        }
    }
    eprintln!("{counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
