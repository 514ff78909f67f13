//! Lanes of two masks that meet at one `WARPSYNC.COLLECTIVE` or `.EXCLUSIVE` are two groups (`docs/convergence.md`, C10): code of ptxas -O0 that
//! rests on it is not refuted, and code that has other lanes in its votes, sums and matches is not proved.

#![allow(missing_docs)]

mod common;

use common::{line, module, z3};
use flate2::read::GzDecoder;
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse};
use sassafras_prove::{Verdict, prove};
use std::io::Read;

/// ptxas 13.5.37 -O0: the program, its chip and whether it is proved.
const PROGRAMS: [(&str, u32, bool); 6] = [
    ("vote_data_90", 90, true),
    ("elect_par_90", 90, true),
    ("redux_quad_90", 90, true),
    ("match_quad_90", 90, true),
    ("redux_data_80", 80, true),
    ("redux_branch_80", 80, false),
];

fn pair(name: &str) -> (String, Cubin) {
    let folder = sassafras_oracle::workspace_root().join("verify/prove/tests/collective");
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).expect("a source");
    let mut bytes = Vec::new();
    let packed = std::fs::File::open(folder.join(format!("{name}.cubin.gz"))).expect("a cubin");
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("it is whole");
    (text, sassafras_cubin::read(&bytes).expect("a sound cubin"))
}

/// Where an instruction of this mnemonic stands, in any function.
fn place(cubin: &Cubin, chip: Chip, mnemonic: &str) -> Option<(usize, usize)> {
    cubin.functions.iter().enumerate().find_map(|(f, function)| {
        let at = function.code.iter().position(|word| {
            decode(*word, chip).is_ok_and(|inst| inst.row().mnemonic.starts_with(mnemonic))
        })?;
        Some((f, at))
    })
}

#[test]
fn masks_of_disjoint_lanes_are_groups_of_their_own() {
    let Some(mut z3) = z3("masks_of_disjoint_lanes_are_groups_of_their_own") else { return };
    for (name, number, proved) in PROGRAMS {
        let chip = Chip::from_number(number).expect("a chip");
        let (text, cubin) = pair(name);
        let source = module(&text);
        let record = prove(&source, "k", &cubin, &mut z3);
        eprintln!("{name}: {}", line(&record));
        assert!(!matches!(record.verdict, Verdict::Refuted(_)), "{name}: {}", line(&record));
        assert_eq!(record.verdict == Verdict::Proved, proved, "{name}: {}", line(&record));
        let mut wrong = Vec::new();
        // Nobody waits.
        let nop = encode(&parse("NOP", &Style::default()).expect("a text"), chip).expect("a word");
        let (f, at) = place(&cubin, chip, "WARPSYNC").expect("a wait");
        let mut other = cubin.clone();
        other.functions[f].code[at] = nop;
        wrong.push(("no wait", other));
        // What the lanes do together stands behind the end: others may join them there.
        if let Some((f, at)) = place(&cubin, chip, "ENDCOLLECTIVE") {
            let mut other = cubin.clone();
            other.functions[f].code.swap(at - 1, at);
            wrong.push(("behind the end", other));
        }
        for (what, other) in wrong {
            let record = prove(&source, "k", &other, &mut z3);
            eprintln!("{name}, {what}: {}", line(&record));
            assert!(matches!(record.verdict, Verdict::Unknown(_) | Verdict::Refuted(_)), "{name}, {what}");
        }
    }
}
