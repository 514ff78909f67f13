//! ptxas's recorded code of the kernels, for chips before and after sm_90, does in the executor what the PTX does.

use sassafras_chip::Chip;
use sassafras_corpus::{examine_code, expected, programs, runs_on};
use sassafras_reference::{traces, workspace_root};

/// Runs the first launch of every kernel that is recorded for the chip.
fn run(chip: Chip) {
    let root = workspace_root();
    let (mut ran, mut wrong) = (0, Vec::new());
    for program in programs(&root).expect("the corpus").iter().filter(|p| runs_on(p, chip) && !p.contracted) {
        let Some(bytes) = traces::cubin_for(&root, &chip.to_string(), &program.name) else { continue };
        let cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin");
        let expected = expected(program, 1).expect("a program of the corpus");
        assert!(expected.iter().all(Option::is_some), "{}", program.name);
        let said = examine_code(program, &cubin, &expected, false);
        ran += 1;
        if said != "agrees" {
            wrong.push(format!("{}: {said}", program.name));
        }
    }
    assert!(ran >= 40, "{ran} kernels are recorded for {chip}");
    assert!(wrong.is_empty(), "{chip}: {wrong:#?}");
}

#[test]
fn turing() {
    run(Chip::Sm75);
}

#[test]
fn ampere() {
    run(Chip::Sm80);
}

#[test]
fn ada() {
    run(Chip::Sm89);
}

#[test]
fn blackwell() {
    run(Chip::Sm100);
}

#[test]
fn blackwell_rtx() {
    run(Chip::Sm120);
}
