//! Instructions whose control bits say nothing: ptxas 13.5.37 makes whole functions of them at -O0.

use sassafras_hazards::{Verdict, check_words};
use sassafras_isa::{Chip, Style, encode, parse};

fn verdict(lines: &[&str]) -> Verdict {
    let style = Style { chip: Some(Chip::Sm90), ..Style::default() };
    let word =
        |line: &&str| encode(&parse(line, &style).expect("an instruction"), Chip::Sm90).expect("a word");
    check_words(&lines.iter().map(word).collect::<Vec<u128>>(), Chip::Sm90)
}

#[test]
fn nobody_says_when_their_results_are_there() {
    let silent = |text: &str| format!("[B------:R-:W-:Y:S00] {text}");
    let (reader, end) = ("[B------:R-:W-:Y:S05] MOV R5, R2", "[B------:R-:W-:Y:S05] EXIT");
    for maker in ["LDC.64 R2, c[0x0][R2+0x210]", "MOV R2, 0x8"] {
        let whole = [maker, "MOV R5, R2", "EXIT"].map(silent);
        let nothing = verdict(&whole.each_ref().map(String::as_str));
        assert!(nothing.objections().is_empty(), "{nothing:?}");
        assert!(nothing.unknown().iter().any(|f| f.rule == "hazard-latency"), "{nothing:?}");
        // Where others say something, one that says nothing says too little; so does a stall of one.
        for bits in ["S00", "S01"] {
            let maker = format!("[B------:R-:W-:Y:{bits}] {maker}");
            let wrong = verdict(&[&maker, reader, end]);
            assert!(!wrong.objections().is_empty(), "{wrong:?}");
        }
    }
}

#[test]
fn a_matrix_operation_without_a_stall_is_held() {
    let product = "HMMA.16816.F16 R4, R4, R12, R14";
    let (reader, end) = ("[B------:R-:W-:Y:S05] MOV R5, R4", "[B------:R-:W-:Y:S05] EXIT");
    let with = |bits: &str| format!("[B------:R-:W-:Y:{bits}] {product}");
    let (held, early) = (with("S00"), with("S01"));
    let nothing = verdict(&[&held, reader, end]);
    assert!(nothing.objections().is_empty(), "{nothing:?}");
    assert!(nothing.unknown().iter().any(|f| f.rule == "hazard-latency"), "{nothing:?}");
    let wrong = verdict(&[&early, reader, end]);
    assert!(!wrong.objections().is_empty(), "{wrong:?}");
    // Where another one says how long it takes, one that does not says too little.
    let other = "[B------:R-:W-:Y:S15] HMMA.16816.F16 R20, R20, R12, R14";
    let wrong = verdict(&[&held, reader, other, "[B------:R-:W-:Y:S15] NOP", end]);
    assert!(!wrong.objections().is_empty(), "{wrong:?}");
}
