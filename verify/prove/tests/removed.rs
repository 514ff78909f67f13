//! Every single instruction of some cubins taken away: what is left is never proved, unless the instruction does nothing.

#![allow(missing_docs)]

mod common;

use common::{line, module, recorded, text, z3};
use sassafras_isa::{Chip, Style, decode, print};
use sassafras_prove::{Verdict, prove};

/// Instructions that the code does not need, each shown by hand: `carry_folded` stores a word that is 0 whatever it loads.
const BENIGN: [&str; 1] = ["ptxas-errors/carry_folded without LDG"];

/// What the code does without: the stack pointer of a kernel without a stack, padding.
const NOTHING: [&str; 3] = ["LDC R1,", "NOP", "BRA"];

#[test]
fn no_instruction_is_superfluous() {
    let Some(mut z3) = z3("no_instruction_is_superfluous") else { return };
    z3.budget = 1;
    let mut wrong = Vec::new();
    let (mut count, mut refuted) = (0, 0);
    for name in ["ptxas-errors/rotate64", "ptxas-errors/bfe_sign", "ptxas-errors/carry_folded"] {
        let source = module(&text(name));
        let right = recorded("13.5.37", name).expect("it is recorded");
        let record = prove(&source, "k", &right, &mut z3);
        assert_eq!(record.verdict, Verdict::Proved, "{}", line(&record));
        let code = right.functions.iter().position(|f| f.name == "k").expect("the entry");
        let words = right.functions[code].code.clone();
        let written =
            |word: u128| decode(word, Chip::Sm90).map_or(String::new(), |i| print(&i, &Style::default()));
        let nop = *words.iter().find(|w| written(**w).starts_with("NOP")).expect("padding");
        for (at, word) in words.iter().enumerate() {
            let gone = written(*word);
            if NOTHING.iter().any(|n| gone.starts_with(n)) {
                continue;
            }
            let mut less = right.clone();
            less.functions[code].code[at] = nop;
            let record = prove(&source, "k", &less, &mut z3);
            count += 1;
            match record.verdict {
                Verdict::Proved | Verdict::ProvedWithin(_) => wrong.push(format!("{name} without {gone}")),
                Verdict::Refuted(_) => refuted += 1,
                _ => {}
            }
        }
    }
    eprintln!("{count} instructions taken away, {refuted} refuted");
    let named = |w: &&String| BENIGN.iter().any(|b| w.starts_with(b));
    assert_eq!(
        wrong.iter().filter(named).count(),
        BENIGN.len(),
        "what is called benign must be proved: {wrong:?}"
    );
    wrong.retain(|w| !named(&w));
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(count > 20, "{count}");
}
