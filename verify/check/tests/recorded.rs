//! The hazard checker over what NVIDIA's compiler made of the corpus.

use sassafras_check::{Finding, Verdict, hazard};
use sassafras_isa::Chip;
use std::collections::BTreeMap;

#[test]
fn recorded_cubins() {
    let root = sassafras_reference::workspace_root();
    let mut names: Vec<String> = Vec::new();
    for kernel in sassafras_reference::kernels(&root).expect("the corpus reads") {
        names.push(format!("kernels/{0}/{0}", kernel.name));
        names.push(format!("kernels/{0}/{0}.fmad", kernel.name));
    }
    for feature in sassafras_reference::features(&root).expect("the corpus reads") {
        names.push(format!("features/{}", feature.name));
    }
    let mut rules: BTreeMap<(&str, bool), (usize, String)> = BTreeMap::new();
    let (mut functions, mut passed, mut wrong) = (0, 0, 0);
    let mut count = |name: &str, objected: bool, findings: &[Finding]| {
        for finding in findings {
            let entry = rules.entry((finding.rule, objected)).or_default();
            entry.0 += 1;
            if entry.1.is_empty() {
                entry.1 = format!("{name}: {finding}");
            }
        }
    };
    for name in &names {
        let Some(bytes) =
            sassafras_reference::traces::cubin(&root, sassafras_reference::traces::RECORDED, name)
        else {
            continue;
        };
        let cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin reads");
        for function in &cubin.functions {
            functions += 1;
            match hazard::check_words(&function.code, Chip::Sm90) {
                Verdict::Passed => passed += 1,
                Verdict::Unknown(findings) => count(name, false, &findings),
                Verdict::Objected(findings) => {
                    wrong += 1;
                    count(name, true, &findings);
                }
            }
        }
    }
    eprintln!("{functions} functions: {passed} passed, {wrong} objected");
    for ((rule, objected), (number, example)) in &rules {
        let what = if *objected { "objections" } else { "unknown" };
        eprintln!("{number:>6} {what} {rule}, as {example}");
    }
    assert_eq!(wrong, 0, "NVIDIA's code is right; the tables or the checker are not");
    assert!(functions > 100, "{functions} recorded functions");
}
