//! Code of ptxas for chips other than sm_90 that was refuted, refused, or proved where it is wrong: the address that `LEPC` gives before sm_90, uniform
//! registers beyond UR63, weak accesses of sm_75, and signs behind bars around a uniform register. Each is proved, and with one instruction changed it is not.

#![allow(missing_docs)]

mod common;

use common::{line, module, z3};
use flate2::read::GzDecoder;
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, encode, parse, print};
use sassafras_prove::{Verdict, prove};
use std::io::Read;

/// The program, its chip, and a change: part of the one instruction that has it, and what stands there instead.
const PROGRAMS: [(&str, u32, &str, &str); 4] = [
    // The call comes back to itself.
    ("printf_80", 80, "MOV R11, 0x160", "MOV R11, 0x150"),
    ("elect_100", 100, "ELECT P0, UR79, PT", "ELECT P0, UR78, PT"),
    ("vadd_75", 75, "FADD R9, R4, R3", "FADD R9, R4, -R3"),
    ("xorsign_90", 90, "HMNMX2.XORSIGN", "HMNMX2"),
];

fn cubin(name: &str) -> (String, Cubin) {
    let folder = sassafras_oracle::workspace_root().join("verify/prove/tests/other_chips");
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).expect("a source");
    let mut bytes = Vec::new();
    let packed = std::fs::File::open(folder.join(format!("{name}.cubin.gz"))).expect("a cubin");
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("it is whole");
    (text, sassafras_cubin::read(&bytes).expect("a sound cubin"))
}

/// Changes the one instruction of the entry that has the text.
fn change(cubin: &mut Cubin, chip: Chip, from: &str, to: &str) {
    let entry = cubin.functions.iter_mut().find(|f| f.entry).expect("an entry");
    let mut changed = 0;
    for word in &mut entry.code {
        let old = decode(*word, chip).expect("it decodes");
        let text = print(&old, &Style::default()).to_string();
        if !text.contains(from) {
            continue;
        }
        let mut inst = parse(&text.replace(from, to), &Style::default()).expect("it reads");
        inst.control = old.control;
        *word = encode(&inst, chip).expect("it fits");
        changed += 1;
    }
    assert_eq!(changed, 1, "{from}");
}

#[test]
fn right_code_is_proved_and_wrong_code_is_not() {
    let Some(mut z3) = z3("right_code_is_proved_and_wrong_code_is_not") else { return };
    for (name, sm, from, to) in PROGRAMS {
        let chip = Chip::from_number(sm).expect("a chip");
        let (text, mut cubin) = cubin(name);
        let source = module(&text);
        let entry = source.functions.iter().find(|f| f.entry).expect("an entry").name.clone();
        let record = prove(&source, &entry, &cubin, &mut z3);
        assert_eq!(record.verdict, Verdict::Proved, "{name}: {}", line(&record));
        change(&mut cubin, chip, from, to);
        let record = prove(&source, &entry, &cubin, &mut z3);
        println!("{name}, {to}: {}", line(&record));
        assert!(
            matches!(record.verdict, Verdict::Refuted(_) | Verdict::Unknown(_)),
            "{name}: {}",
            line(&record)
        );
        sassafras_oracle::fault::planted("prove", &chip, &format!("{name}: {from} made {to}"), 1, 1);
    }
}
