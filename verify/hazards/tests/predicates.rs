//! The predicate of a generic atomic operation says whether the address was global. It comes with the reading of the sources, before the old
//! value: ptxas 13.0.88 and 13.5.37 branch on it after a wait for the read barrier (`atom.add.f32` without a space, sm_90 to sm_120).

use sassafras_hazards::{Verdict, check_words};
use sassafras_isa::{Chip, Style, encode, parse};

/// The verdict on an atomic operation, another instruction, and what reads its results.
fn verdict(chip: Chip, atomic: &str, reader: &str) -> Verdict {
    let style = Style { chip: Some(chip), ..Style::default() };
    let lines = [
        format!("[B------:R0:W5:-:S01] {atomic}"),
        "[B------:R-:W-:-:S04] IADD3 R20, PT, PT, R21, R22, RZ".to_owned(),
        reader.to_owned(),
        "[B------:R-:W-:-:S05] EXIT".to_owned(),
    ];
    let word = |line: &String| {
        let line = if chip == Chip::Sm90 { line.replace("PT, PT, ", "") } else { line.clone() };
        encode(&parse(&line, &style).expect("an instruction"), chip).expect("a word")
    };
    check_words(&lines.iter().map(word).collect::<Vec<u128>>(), chip)
}

const GENERIC: &str = "ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R0, desc[UR4][R4.64], R7";

#[test]
fn either_scoreboard_stands_for_it() {
    for chip in [Chip::Sm90, Chip::Sm100, Chip::Sm120] {
        for board in ["0-----", "-----5"] {
            let passed = verdict(chip, GENERIC, &format!("[B{board}:R-:W-:-:S05] @P0 EXIT"));
            assert_eq!(passed, Verdict::Passed, "{chip} {board}");
        }
        let early = verdict(chip, GENERIC, "[B------:R-:W-:-:S05] @P0 EXIT");
        assert!(early.objections().iter().any(|f| f.rule == "hazard-wait"), "{chip}: {early:?}");
    }
}

#[test]
fn the_old_value_comes_later() {
    for chip in [Chip::Sm90, Chip::Sm100, Chip::Sm120] {
        let early = verdict(chip, GENERIC, "[B0-----:R-:W-:-:S05] MOV R9, R0");
        assert!(early.objections().iter().any(|f| f.rule == "hazard-wait"), "{chip}: {early:?}");
        assert_eq!(verdict(chip, GENERIC, "[B-----5:R-:W-:-:S05] MOV R9, R0"), Verdict::Passed, "{chip}");
    }
}

#[test]
fn of_other_atomic_operations_nobody_says_so() {
    let global = "ATOMG.E.ADD.STRONG.GPU P0, R0, desc[UR4][R4.64], R7";
    let early = verdict(Chip::Sm90, global, "[B0-----:R-:W-:-:S05] @P0 EXIT");
    assert!(early.objections().iter().any(|f| f.rule == "hazard-wait"), "{early:?}");
}

/// ptxas 13.0.88 gives each BAR.RED a stall of 6 cycles from sm_90 on; before, it overwrites the predicate in the next cycle.
#[test]
fn a_barrier_reads_its_predicate_for_six_cycles() {
    let barrier = |chip: Chip, stall: u8| {
        let style = Style { chip: Some(chip), ..Style::default() };
        let lines = [
            format!("[B------:R-:W-:-:S{stall:02}] BAR.RED.OR.DEFER_BLOCKING 0x0, P0"),
            "[B------:R-:W-:Y:S13] ISETP.GT.U32.AND P0, PT, R2, R3, PT".to_owned(),
            "[B------:R-:W-:-:S05] @P0 EXIT".to_owned(),
            "[B------:R-:W-:-:S05] EXIT".to_owned(),
        ];
        let word = |line: &String| {
            encode(&parse(line, &style).unwrap_or_else(|e| panic!("{line}: {e}")), chip).expect("a word")
        };
        check_words(&lines.iter().map(word).collect::<Vec<u128>>(), chip)
    };
    for chip in [Chip::Sm90, Chip::Sm100, Chip::Sm120] {
        assert_eq!(barrier(chip, 6), Verdict::Passed, "{chip}");
        let early = barrier(chip, 5);
        assert!(early.objections().iter().any(|f| f.rule == "hazard-source"), "{chip}: {early:?}");
    }
    assert_eq!(barrier(Chip::Sm80, 1), Verdict::Passed);
}
