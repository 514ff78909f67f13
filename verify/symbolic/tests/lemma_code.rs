//! Code of lemmas over terms, as built and in normal form.

#![allow(missing_docs)]

use sassafras_semantics::*;

/// What an instruction reads under a guard is what it is where the guard holds: registers hold the same as without the normal form, and
/// other guards give something else.
#[test]
fn reads_under_a_guard_hold() {
    use sassafras_symbolic::inputs::Inputs;
    use sassafras_symbolic::lemma::{Lemma, Subject, Yield, code};
    let text = |first: &str, second: &str| {
        format!(
            "ISETP.LT.U32.AND P0, PT, R4, R5, PT\nISETP.NE.U32.AND P1, PT, R4, 0x3, PT\nMOV R6, R5\nMOV R7, R4\nMOV R8, R4\n\
             {first} IADD3 R6, R4, 0x1, RZ\n{second} IADD3 R7, R6, R6, RZ\n@!P0 IADD3 R7, R6, 0x9, RZ\n\
             {second} IADD3 R8, R6, R7, RZ\n@!P1 MOV R8, R7\n"
        )
    };
    let lemma = Lemma {
        name: "guards",
        subject: Subject::Quotient(32),
        code: "",
        given: &["R4", "R5"],
        yields: &[(&["R6", "R7", "R8"], Yield::Result)],
        premise: None,
        checked: "",
    };
    let values = |text: &str, raw: bool| {
        let terms = if raw { Terms::raw() } else { Terms::new() };
        let operands = [terms.variable("a", 32), terms.variable("b", 32)];
        let inputs = if raw {
            Inputs::raw(&terms)
        } else {
            Inputs::new(&terms, sassafras_normal::Normal::boxed(&terms))
        };
        let results = code(text).and_then(|c| c.results(&lemma, &inputs, &operands)).expect("it runs");
        let mut all = Vec::new();
        for (x, y) in (0..6u128).flat_map(|x| (0..6u128).map(move |y| (x, y))) {
            let of = |t| if t == operands[0] { x } else { y };
            all.extend(results.iter().map(|r| terms.evaluate(&Concrete::default(), r.2, of).bits()));
        }
        all
    };
    let mut seen = Vec::new();
    for first in ["@P0", "@!P0", "@P1", ""] {
        for second in ["@P0", "@!P0", "@P1", "@!P1"] {
            let text = text(first, second);
            let (raw, made) = (values(&text, true), values(&text, false));
            assert_eq!(raw, made, "{first} {second}");
            assert!(!seen.contains(&raw), "{first} {second}");
            seen.push(raw);
        }
    }
}
