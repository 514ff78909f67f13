//! The hazard checker over what NVIDIA's compiler made of the corpus, for every chip.

use sassafras_hazards::{Finding, Program, Verdict, judge};
use sassafras_isa::Chip;
use sassafras_reference::{traces, workspace_root};
use std::collections::BTreeMap;

#[test]
fn recorded_cubins() {
    let root = workspace_root();
    let mut wrong = Vec::new();
    eprintln!("chip    functions   words  passed objected  unknown");
    for chip in Chip::ALL {
        let (mut functions, mut words, mut passed, mut objected) = (0, 0, 0, 0);
        let mut unknown: BTreeMap<&str, (usize, String)> = BTreeMap::new();
        for name in traces::names(&root, &chip.to_string()) {
            let bytes = traces::cubin_for(&root, &chip.to_string(), &name).expect("it is there");
            let cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin reads");
            for function in &cubin.functions {
                functions += 1;
                words += function.code.len();
                let verdict = judge(&Program::of_cubin(function, chip));
                passed += usize::from(verdict == Verdict::Passed);
                for Finding { rule, place, message } in verdict.unknown() {
                    let entry = unknown.entry(rule).or_default();
                    entry.0 += 1;
                    entry.1 = format!("{name}: {place}: {message}");
                }
                objected += usize::from(!verdict.objections().is_empty());
                wrong.extend(verdict.objections().iter().map(|finding| format!("{chip} {name}: {finding}")));
            }
        }
        let counts: Vec<String> = unknown.iter().map(|(rule, (n, _))| format!("{n} {rule}")).collect();
        eprintln!("{chip:<8} {functions:>8} {words:>7} {passed:>7} {objected:>8}  {}", counts.join(", "));
        unknown.iter().for_each(|(rule, (_, example))| eprintln!("        {rule}, as {example}"));
        assert!(functions > 30, "{functions} functions for {chip}");
        // Of every pair that decodes the tables know the distance.
        assert!(!unknown.contains_key("hazard-latency"), "{chip}: {unknown:?}");
    }
    assert_eq!(wrong, Vec::<String>::new(), "NVIDIA's code is right; the tables or the checker are not");
}
