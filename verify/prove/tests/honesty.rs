//! What must never be `Proved`: wrong targets, whatever the solver says; and what solvers may do.

#![allow(missing_docs)]

mod common;

use common::{line, module, recorded, text, z3};
use sassafras_prove::{Answer, Limits, NoSolver, Solver, Verdict, Z3, prove, prove_within};
use sassafras_solve::smt::Script;
use sassafras_solve::solver;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

/// Says `unsat` to everything but the assumptions.
struct Unsat(u32);
impl Solver for Unsat {
    fn check(&mut self, script: &Script) -> Answer {
        self.0 += 1;
        match self.0 {
            1 => Answer::Sat(script.symbols.values().map(|t| (*t, 0)).collect::<BTreeMap<_, _>>()),
            _ => Answer::Unsat,
        }
    }
}

/// Gives the same answer to everything.
struct Always(Answer);
impl Solver for Always {
    fn check(&mut self, _: &Script) -> Answer {
        self.0.clone()
    }
}

/// A verdict on wrong code (13.0.88), or right code (13.5.37), of which the solver is asked whether its assumptions are possible.
fn verdict(set: &str, solver: &mut dyn Solver, launches: u64) -> Verdict {
    let name = "ptxas-errors/max_neg";
    let cubin = recorded(set, name).expect("it is recorded");
    // What launches show before a solver is asked would hide what it says.
    let limits = Limits { launches, ..Limits::default() };
    let record = prove_within(&module(&text(name)), "k", &cubin, solver, limits);
    eprintln!("{}", line(&record));
    record.verdict
}

fn unknown(verdict: &Verdict, why: &str) -> bool {
    matches!(verdict, Verdict::Unknown(reason) if reason.contains(why))
}

#[test]
fn a_solver_alone_proves_nothing_wrong() {
    assert!(unknown(&verdict("13.0.88", &mut Unsat(0), 0), "evaluation contradicts"));
    // Where no verdict comes of what it says, running both sides shows what is wrong.
    assert!(matches!(verdict("13.0.88", &mut Always(Answer::Unsat), 40), Verdict::Refuted(_)));
    assert!(unknown(&verdict("13.5.37", &mut Always(Answer::Unsat), 40), "vacuous"));
    let gives_up = Answer::Unknown("solver: tired".into());
    assert!(unknown(&verdict("13.5.37", &mut Always(gives_up), 40), "tired"));
    assert!(unknown(&verdict("13.5.37", &mut NoSolver, 40), "no solver"));
    // A model out of nowhere shows nothing: all inputs are zero. What is shown of the wrong code is what running it shows.
    let found = verdict("13.0.88", &mut Always(Answer::Sat(BTreeMap::new())), 40);
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
    // The right code is right by its form, and the model is taken for an input that the assumptions allow.
    let found = verdict("13.5.37", &mut Always(Answer::Sat(BTreeMap::new())), 40);
    assert_eq!(found, Verdict::Proved);
    assert!(unknown(&verdict("13.5.37", &mut Always(Answer::Unknown("time".into())), 40), "time"));
}

#[test]
fn a_solver_that_dies_or_babbles_is_no_answer() {
    for path in ["/bin/false", "/bin/cat", "/nonexistent/solver"] {
        let mut z3 = Z3 { path: path.into(), budget: 1, timeout: 1 };
        assert!(unknown(&verdict("13.5.37", &mut z3, 40), "solver"), "{path}");
    }
    // One that says nothing for ever, without reading what it is asked.
    let folder = tempfile::tempdir().expect("a folder");
    let hangs = folder.path().join("hangs");
    std::fs::write(&hangs, "#!/bin/sh\nexec sleep 1000\n").expect("written");
    std::fs::set_permissions(&hangs, PermissionsExt::from_mode(0o755)).expect("it may run");
    let started = std::time::Instant::now();
    let mut z3 = Z3 { path: hangs, budget: 1, timeout: 0 };
    assert!(unknown(&verdict("13.5.37", &mut z3, 40), "time"));
    assert!(started.elapsed().as_secs() < 100, "it was not ended");
    let script = Script::default();
    for text in
        ["", "sat\n((t1 #x0)", "timeout", "unsatisfied", "sat\n((t1 #x0))", "(error \"unsat\")\nunsat"]
    {
        assert!(matches!(solver::read(text, &script), Answer::Unknown(_)), "{text}");
    }
}

#[test]
fn a_flipped_operand_is_refuted() {
    let Some(mut z3) = z3("a_flipped_operand_is_refuted") else { return };
    let name = "features/sub_s32";
    let module = module(&text(name));
    let mut cubin = recorded("13.0.88", name).expect("it is recorded");
    let record = prove(&module, "k", &cubin, &mut z3);
    assert_eq!(record.verdict, Verdict::Proved, "{}", line(&record));
    let code = &mut cubin.functions.iter_mut().find(|f| f.name == "k").expect("the entry").code;
    let chip = sassafras_isa::Chip::Sm90;
    let flipped = code.iter_mut().find_map(|word| {
        let mut inst = sassafras_isa::decode(*word, chip).ok()?;
        let negated = inst.get("b.neg").or_else(|| inst.get("nb"))?;
        let field = if inst.get("b.neg").is_some() { "b.neg" } else { "nb" };
        if !inst.row().mnemonic.starts_with("IADD3") {
            return None;
        }
        inst.set(field, negated ^ 1).ok()?;
        *word = sassafras_isa::encode(&inst, chip).ok()?;
        Some(())
    });
    if flipped.is_none() {
        // No sign to flip: a bit of an immediate or register of the first addition.
        let word = code
            .iter_mut()
            .find(|w| sassafras_isa::decode(**w, chip).is_ok_and(|i| i.row().mnemonic.starts_with("IADD3")));
        *word.expect("an addition") ^= 1 << 32;
    }
    let record = prove(&module, "k", &cubin, &mut z3);
    assert!(matches!(record.verdict, Verdict::Refuted(_)), "{}", line(&record));
}
