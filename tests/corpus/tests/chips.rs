//! For chips before and after sm_90, ptxas's recorded code of the kernels and our own code do in the executor what the PTX does.

use sassafras_chip::Chip;
use sassafras_corpus::{compile_for, examine_code, expected, programs, runs_on};
use sassafras_oracle::{Tools, skip};
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

/// Compiles and runs every twelfth program.
fn ours(chip: Chip) {
    let root = workspace_root();
    let all = programs(&root).expect("the corpus");
    let (mut ran, mut wrong) = (0, Vec::new());
    for program in all.iter().filter(|p| runs_on(p, chip)).step_by(12) {
        let expected = expected(program, 1).expect("a program of the corpus");
        ran += 1;
        match compile_for(program, chip) {
            Ok((cubin, _)) => match examine_code(program, &cubin, &expected, true).as_str() {
                "agrees" => {}
                said => wrong.push(format!("{}: {said}", program.name)),
            },
            Err(e) => wrong.push(format!("{}: {e}", program.name)),
        }
    }
    assert!(ran >= 25, "{ran} programs for {chip}");
    assert!(wrong.is_empty(), "{chip}: {wrong:#?}");
}

#[test]
fn our_turing() {
    ours(Chip::Sm75);
}

#[test]
fn our_ampere() {
    ours(Chip::Sm80);
}

#[test]
fn our_blackwell_rtx() {
    ours(Chip::Sm120);
}

/// docs/convergence.md, P1: lanes that vote until the others exit must not be waited for.
#[test]
fn votes_that_end_with_the_others() {
    let root = workspace_root();
    let tools = Tools::find(&root);
    let all = programs(&root).expect("the corpus");
    let names = ["features/sync_until_exit", "features/sync_leave_loop", "features/sync_loop_until_exit"];
    let found: Vec<_> = all.iter().filter(|p| names.contains(&p.name.as_str())).collect();
    assert_eq!(found.len(), names.len());
    for program in found {
        let expected = expected(program, 1).expect("a program of the corpus");
        for chip in [Chip::Sm75, Chip::Sm80, Chip::Sm89, Chip::Sm90, Chip::Sm120] {
            let (cubin, _) = compile_for(program, chip).expect("code");
            assert_eq!(
                examine_code(program, &cubin, &expected, false),
                "agrees",
                "{} on {chip}",
                program.name
            );
            let ptxas = match tools.ptxas(traces::RECORDED) {
                Ok(ptxas) => ptxas,
                Err(e) => return skip("votes_that_end_with_the_others", &e),
            };
            let file = root.join("corpus").join(format!("{}.ptx", program.name));
            let (bytes, _) = ptxas.compile(&file, &chip.to_string(), &[]).expect("ptxas compiles it");
            let theirs = sassafras_cubin::read(&bytes).expect("a cubin");
            let said = examine_code(program, &theirs, &expected, false);
            let waits = chip < Chip::Sm90;
            assert_eq!(said != "agrees", waits, "{} on {chip}: {said}", program.name);
            assert!(!waits || said.contains("deadlock"), "{} on {chip}: {said}", program.name);
        }
    }
}
