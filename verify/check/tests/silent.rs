//! Instructions whose control bits say nothing: ptxas 13.5.37 makes whole functions of them at -O0.

use sassafras_check::{Verdict, hazard};
use sassafras_isa::{Chip, Style, encode, parse};

fn verdict(lines: &[&str]) -> Verdict {
    let style = Style { chip: Some(Chip::Sm90), ..Style::default() };
    let word =
        |line: &&str| encode(&parse(line, &style).expect("an instruction"), Chip::Sm90).expect("a word");
    hazard::check_words(&lines.iter().map(word).collect::<Vec<u128>>(), Chip::Sm90)
}

#[test]
fn nobody_says_when_their_results_are_there() {
    let end = "[B------:R-:W-:Y:S05] EXIT";
    let reader = "[B------:R-:W-:Y:S05] MOV R5, R2";
    for maker in ["LDC.64 R2, c[0x0][R2+0x210]", "MOV R2, 0x8"] {
        let silent = verdict(&[&format!("[B------:R-:W-:Y:S00] {maker}"), reader, end]);
        assert!(silent.objections().is_empty(), "{silent:?}");
        assert!(silent.unknown().iter().any(|f| f.rule == "hazard-latency"), "{silent:?}");
        // With a stall of one it says something, and that is too little.
        let wrong = verdict(&[&format!("[B------:R-:W-:Y:S01] {maker}"), reader, end]);
        assert!(!wrong.objections().is_empty(), "{wrong:?}");
    }
}
