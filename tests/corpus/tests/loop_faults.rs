//! A fixed sample of faults planted in loops, none of which is proved, and of edits that mean the same, most of which are. `xtask long loop-faults` plants all.

use anyhow::{Context, anyhow};
use sassafras::judges::Judges;
use sassafras_corpus::loops::faults::{Effect, KERNELS, is_equal, kinds};
use sassafras_driver::options::parse;
use sassafras_driver::session;
use sassafras_oracle::{skip, workspace_root};
use sassafras_prove::{Limits, Verdict, Z3, prove_within};
use std::collections::BTreeSet;

/// Seconds for a question, for safety.
const SECONDS: u64 = 60;
/// Effort for a question, in thousands of z3's `rlimit`, and for an entry.
const BUDGET: u64 = 1_000;

/// Kernels of which turns prove the code within a second.
const SAMPLE: [(&str, &str); 3] = [
    ("algebra", "transpose_tiled"),
    ("memory", "scatter_with_mask"),
    ("counters", "bound_inclusive_unsigned"),
];

/// Edits of the sample that mean the same and are proved.
const SAME: usize = 3;

fn compiled(text: &str, name: &str) -> anyhow::Result<sassafras_cubin::Cubin> {
    let words = ["-arch=sm_90", "-O3", "--judge", "none", "-o", "x.cubin", "x.ptx"].map(String::from);
    let options = parse(&words, &|_| unreachable!("no file is named"));
    let options = options?;
    let made = session::compile(text, name, &options, None, &Judges::new(options.judges));
    Ok(made.map_err(|e| anyhow!("{e}"))?.cubin.context("no cubin")?.0)
}

/// Each kind has a place in a kernel, names are unique, and what is edited is PTX that compiles.
#[test]
fn kinds_have_places() {
    let all = kinds();
    let faults = all.iter().filter(|k| k.effect == Effect::Fault).count();
    assert!(faults >= 60, "{faults} kinds of faults");
    let names: BTreeSet<&str> = all.iter().map(|k| k.name).collect();
    assert_eq!(names.len(), all.len());
    let mut wrong = Vec::new();
    for kind in &all {
        let mut places = 0;
        for (file, entry) in KERNELS {
            let path = workspace_root().join(format!("corpus/loops/{file}.ptx"));
            let text = std::fs::read_to_string(path).expect("a file of the corpus");
            let Some(edited) = kind.apply(&text, entry) else { continue };
            places += 1;
            if let Err(why) = sassafras_ptx::load(&edited, entry) {
                wrong.push(format!("{} of {entry}: {why}", kind.name));
            }
        }
        if places == 0 {
            wrong.push(format!("{} has no place", kind.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_fault_of_the_sample_is_proved() {
    let Some(z3) = Z3::find(&[&workspace_root()], SECONDS, BUDGET) else {
        return skip("no_fault_of_the_sample_is_proved", &"z3 is not installed");
    };
    let (mut wrong, mut faults, mut same) = (Vec::new(), 0, 0);
    for (file, entry) in SAMPLE {
        let path = workspace_root().join(format!("corpus/loops/{file}.ptx"));
        let text = std::fs::read_to_string(path).expect("a file of the corpus");
        let module = sassafras_ptx::load(&text, file).unwrap_or_else(|e| panic!("{file}: {e}"));
        for kind in kinds() {
            let Some(edited) = kind.apply(&text, entry) else { continue };
            let cubin = compiled(&edited, file).unwrap_or_else(|e| panic!("{} of {entry}: {e}", kind.name));
            let limits = Limits { effort: BUDGET, ..Limits::default() };
            let verdict = prove_within(&module, entry, &cubin, &mut z3.clone(), limits).verdict;
            match (kind.effect, verdict) {
                (Effect::Fault, Verdict::Proved) if !is_equal(entry, kind.name) => {
                    wrong.push(format!("{} of {entry} is proved", kind.name))
                }
                (Effect::Fault, _) => faults += 1,
                (Effect::Same, Verdict::Refuted(_)) => {
                    wrong.push(format!("{} of {entry} is refuted", kind.name))
                }
                (Effect::Same, Verdict::Proved) => same += 1,
                (Effect::Same, _) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(faults >= 20, "{faults} faults were planted");
    assert!(same >= SAME, "{same} edits that mean the same are proved");
}
