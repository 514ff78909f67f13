//! The programs that some ptxas gets wrong: its wrong code is refuted, its right code and ours proved.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, recorded, text, z3};
use sassafras_prove::{Verdict, prove};

const NAMES: [&str; 5] = ["rotate64", "bfe_sign", "carry_folded", "max_neg", "vanished_branch"];

#[test]
fn wrong_code_is_refuted_and_right_code_proved() {
    let Some(mut z3) = z3("wrong_code_is_refuted_and_right_code_proved") else { return };
    let mut faults = Vec::new();
    for name in NAMES {
        let path = format!("ptxas-errors/{name}");
        let source = text(&path);
        let module = module(&source);
        let mut hold = |who: &str, cubin: Option<sassafras_cubin::Cubin>, right: bool| {
            let Some(cubin) = cubin else { return };
            let record = prove(&module, "k", &cubin, &mut z3);
            eprintln!("{name} of {who}: {}", line(&record));
            let held = match record.verdict {
                Verdict::Proved => right,
                Verdict::Refuted(_) => !right,
                _ => false,
            };
            if !held {
                faults.push(format!("{name} of {who}"));
            }
        };
        hold("13.0.88", recorded("13.0.88", &path), false);
        hold("13.5.37", recorded("13.5.37", &path), true);
        hold("ours", ours(&source), true);
    }
    assert!(faults.is_empty(), "{faults:?}");
}

/// The ISA bounds the error of `sin.approx`, and lets products and sums without a rounding be fused: another result than the
/// executor's is no error.
#[test]
fn freedom_of_the_source_is_not_refuted() {
    let Some(mut z3) = z3("freedom_of_the_source_is_not_refuted") else { return };
    z3.budget = 2;
    for name in ["features/sin_cos", "kernels/fft/fft.fmad"] {
        let source = text(name);
        let module = module(&source);
        let entry = module.functions.iter().find(|f| f.entry).expect("an entry").name.clone();
        for cubin in [recorded("13.0.88", name), ours(&source)].into_iter().flatten() {
            let record = prove(&module, &entry, &cubin, &mut z3);
            assert!(!matches!(record.verdict, Verdict::Refuted(_)), "{}", line(&record));
        }
    }
}
