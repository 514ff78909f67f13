//! Witnesses of bounded proofs: the checker takes them for their own pair, and for no source that was edited.

use crate::common::{module, not_unrolled, solver};
use crate::edits::{KINDS, edited};
use crate::truth::{differences, instrumented};
use crate::{BOUNDS, KERNELS};
use sassafras_cubin::Cubin;
use sassafras_prove::{Limits, Solver, Verdict, explain::explain, prove_within};
use sassafras_ptx::checked::Module;
use sassafras_witness::Entry;
use sassafras_witness::check::{Fault, check};

/// Effort for each question of the checker, as `check-witness` has it by itself, in millions of z3's `rlimit`.
const CHECKER: u64 = 30;
/// Kernels, and edits of each, that are tried on every run; all of them with `SASSAFRAS_ALL_CONTROLS`, which takes an hour.
const SAMPLE: [&str; 1] = ["search"];
const EDITS: usize = 1;

struct Proof {
    module: Module,
    cubin: Cubin,
    entry: Entry,
}

/// The proof of a kernel as it is.
fn proof(kernel: &str, bound: u32, prover: &mut dyn Solver, checker: &mut dyn Solver) -> Proof {
    let text = instrumented(kernel, false);
    let (module, cubin) = (module(&text), not_unrolled(&text).expect("it compiles"));
    let limits = Limits { unroll: bound, turns: false, ..Limits::default() };
    let record = prove_within(&module, "k", &cubin, prover, limits);
    assert_eq!(record.verdict, Verdict::ProvedWithin(bound), "a control of nothing");
    let mut entry = record.witness(bound).expect("it was proved");
    explain(&module, &cubin, &mut entry, checker);
    Proof { module, cubin, entry }
}

#[test]
fn witnesses_of_bounded_proofs_are_taken_for_their_own_pair_alone() {
    let name = "witnesses_of_bounded_proofs_are_taken_for_their_own_pair_alone";
    let (Some(mut prover), Some(mut checker)) = (solver(name, 4), solver(name, CHECKER)) else { return };
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let bounds = if whole { &BOUNDS[..3] } else { &BOUNDS[..1] };
    let (mut taken, mut undecided, mut rejected, mut wrong) = (0, Vec::new(), 0, Vec::new());
    let kernels = KERNELS.iter().filter(|k| whole || SAMPLE.contains(&k.0));
    for ((name, kernel), &bound) in kernels.flat_map(|k| bounds.iter().map(move |b| (k, b))) {
        let proof = proof(kernel, bound, &mut *prover, &mut *checker);
        match check(&proof.module, &proof.cubin, &proof.entry, &mut *checker) {
            Ok(_) => taken += 1,
            Err(Fault::Undecided(why)) => undecided.push(format!("{name}, {bound}: {why}")),
            Err(why) => wrong.push(format!("{name}, {bound}: {why}")),
        }
        let mut see = |what: String, module: &Module, entry: &Entry, checker: &mut dyn Solver| match check(
            module,
            &proof.cubin,
            entry,
            checker,
        ) {
            Ok(_) => wrong.push(what),
            Err(_) => rejected += 1,
        };
        let all = Entry { bounded: false, ..proof.entry.clone() };
        see(format!("{name}, {bound}: for all inputs"), &proof.module, &all, &mut *checker);
        let mut left = if whole { usize::MAX } else { EDITS };
        for kind in KINDS {
            let Some(text) = edited(kernel, kind).filter(|_| left > 0) else { continue };
            let source = module(&instrumented(&text, false));
            let found = differences(&source, &module(&instrumented(&text, true)), &proof.module);
            if found.iter().any(|d| d.returns <= bound) {
                see(format!("{name}, {bound}: {}", kind.name), &source, &proof.entry, &mut *checker);
                left -= 1;
            }
        }
    }
    eprintln!("{taken} taken, {rejected} rejected of other pairs, undecided: {undecided:#?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(taken > undecided.len() && rejected >= 2 * SAMPLE.len(), "{taken} taken, {rejected} rejected");
}
