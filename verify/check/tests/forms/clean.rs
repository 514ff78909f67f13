//! What the compiler makes of the corpus breaks no rule.

use crate::collect::{Kept, corpus, forms};
use sassafras_check::{Finding, cubin, encode, ir, machine};
use sassafras_driver::Stage;

/// What is said about each function before and after its blocks were placed.
fn placements(forms: &[(Stage, Kept)]) -> impl Iterator<Item = Finding> {
    let at = |wanted: Stage| {
        forms.iter().filter_map(move |(stage, form)| match form {
            Kept::Machine(f) if *stage == wanted => Some(f),
            _ => None,
        })
    };
    at(Stage::Converge).flat_map(move |before| {
        let after = at(Stage::Layout).find(|after| after.name == before.name);
        let verdict = after.map(|after| machine::check_placement(before, after));
        verdict.map_or_else(Vec::new, |verdict| verdict.objections().to_vec())
    })
}

#[test]
fn nothing_to_say_about_the_corpus() {
    let (mut judged, mut refused, mut said) = (0, Vec::new(), Vec::new());
    for (name, text) in corpus() {
        let forms = match forms(&text, &name) {
            Ok(forms) => forms,
            Err(error) => {
                refused.push(format!("{name}: {}", error.lines().next().unwrap_or_default()));
                continue;
            }
        };
        let mut made = Vec::new();
        said.extend(placements(&forms).map(|f| format!("{name}: {f}")));
        for (stage, form) in forms {
            let verdict = match &form {
                Kept::Ir(module) => ir::check(module),
                Kept::Machine(f) => machine::check(f),
                Kept::Words(f, words) => {
                    made.push(cubin::Made::of(f, words));
                    encode::check(f, words, f.chip)
                }
                Kept::Cubin(all) => cubin::check(all, &made),
            };
            judged += 1;
            verdict.unknown().iter().for_each(|f| eprintln!("unknown: {name} after {stage}: {f}"));
            said.extend(verdict.objections().iter().take(3).map(|f| format!("{name} after {stage}: {f}")));
        }
    }
    refused.iter().for_each(|line| eprintln!("does not compile: {line}"));
    eprintln!("{judged} forms judged");
    assert!(judged > 1000, "only {judged} forms were judged");
    assert!(said.is_empty(), "{} findings:\n{}", said.len(), said.join("\n"));
}
