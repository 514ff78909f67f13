//! What ptxas does and our scheduler does not: each is accepted, and its neighbour that is wrong is not.

use sassafras_hazards::{Verdict, check_own_words, check_words};
use sassafras_isa::{Chip, Style, encode, parse};

fn words(chip: Chip, lines: &[&str]) -> Vec<u128> {
    let style = Style { chip: Some(chip), ..Style::default() };
    let end = ["[B------:R-:W-:-:S05] EXIT"];
    let word = |line: &&str| encode(&parse(line, &style).expect(line), chip).expect(line);
    lines.iter().chain(&end).map(word).collect()
}

fn verdict(chip: Chip, lines: &[&str]) -> Verdict {
    check_words(&words(chip, lines), chip)
}

fn objected(chip: Chip, lines: &[&str], rule: &str) {
    let verdict = verdict(chip, lines);
    assert!(verdict.objections().iter().any(|f| f.rule == rule), "{chip} {lines:?}: {verdict:?}");
}

/// corpus/large network at -O1: `@!P0 MUFU.RCP R9` in front of `@P0 FFMA R9`.
#[test]
fn guards_that_exclude_each_other() {
    let slow = "[B------:R-:W0:-:S04] @!P0 MUFU.RCP R9, R4";
    let other = "[B------:R-:W-:Y:S05] @P0 FFMA R9, R5, R6, RZ";
    let reader = "[B0-----:R-:W-:Y:S05] MOV R7, R9";
    for chip in [Chip::Sm75, Chip::Sm80, Chip::Sm90, Chip::Sm120] {
        assert_eq!(verdict(chip, &[slow, other, reader]), Verdict::Passed, "{chip}");
        // Who reads either waits for the one that is slow.
        objected(chip, &[slow, other, "[B------:R-:W-:Y:S05] MOV R7, R9"], "hazard-wait");
        objected(chip, &[slow, "[B------:R-:W-:Y:S04] @!P0 FFMA R9, R5, R6, RZ", reader], "hazard-wait");
        objected(chip, &[slow, "[B------:R-:W-:Y:S04] FFMA R9, R5, R6, RZ", reader], "hazard-wait");
        // The predicate is another one by then.
        let again = "[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R2, R3, PT";
        objected(chip, &[slow, again, other, reader], "hazard-wait");
        // And of a fixed time, in the other direction.
        let quick = "[B------:R-:W-:Y:S01] @P0 MOV R9, R5";
        assert_eq!(verdict(chip, &[quick, "[B------:R-:W-:Y:S05] @!P0 MOV R8, R9"]), Verdict::Passed);
        objected(chip, &[quick, "[B------:R-:W-:Y:S05] @P0 MOV R8, R9"], "hazard-early");
    }
}

/// A predicate of lanes says nothing of a register that the warp has once.
#[test]
fn guards_of_lanes_do_not_part_what_a_warp_has_once() {
    let first = "[B------:R-:W-:Y:S13] @P0 R2UR UR4, R2";
    let second = "[B------:R-:W-:Y:S13] @!P0 R2UR UR4, R3";
    let reader = "[B------:R-:W-:Y:S05] @!P0 MOV R5, UR4";
    assert_eq!(verdict(Chip::Sm90, &[first, second, reader]).objections().len(), 0);
    objected(Chip::Sm90, &["[B------:R-:W-:Y:S01] @P0 R2UR UR4, R2", second, reader], "hazard-early");
    objected(Chip::Sm90, &["[B------:R-:W-:Y:S01] @P0 R2UR UR4, R2", reader], "hazard-early");
}

/// Textures end in order, so that a count says which are over.
#[test]
fn counted_scoreboards() {
    let fetch = |to: u32| format!("[B------:R-:W5:-:S02] TEX.LL RZ, R{to}, R4, R0, UR4, 0x0, 2D, 0x1");
    let (a, b, c) = (fetch(8), fetch(10), fetch(12));
    let read = |from: u32| format!("[B------:R-:W-:Y:S05] MOV R20, R{from}");
    let wait = |n: u32| format!("[B------:R-:W-:-:S04] DEPBAR.LE SB5, {n:#x}");
    for (left, reads, passes) in [(1, 8, true), (1, 10, true), (1, 12, false), (2, 8, true), (2, 10, false)] {
        let verdict = verdict(Chip::Sm90, &[&a, &b, &c, &wait(left), &read(reads)]);
        assert_eq!(verdict == Verdict::Passed, passes, "{left} {reads}: {verdict:?}");
        assert_eq!(verdict.objections().is_empty(), passes, "{left} {reads}: {verdict:?}");
    }
    // What ends in any order may still be under way.
    let load = |to: u32| format!("[B------:R-:W5:-:S02] LDG.E R{to}, desc[UR4][R2.64]");
    let verdict = verdict(Chip::Sm90, &[&load(8), &load(10), &wait(1), &read(8)]);
    assert!(verdict.unknown().iter().any(|f| f.rule == "hazard-partial"), "{verdict:?}");
}

/// corpus/large finance with 32 registers on sm_86: `DEPBAR.LE SB0, 0x0, {2,1}` behind R2UR.
#[test]
fn scoreboards_that_are_listed() {
    let made = "[B------:R-:W1:-:S02] R2UR UR4, R4";
    let read = "[B------:R-:W-:Y:S05] MOV R20, UR4";
    let wait = |list: &str| format!("[B------:R-:W-:Y:S07] DEPBAR.LE SB0, 0x0, {list}");
    for chip in [Chip::Sm80, Chip::Sm86] {
        assert_eq!(verdict(chip, &[made, &wait("{2,1}"), read]), Verdict::Passed, "{chip}");
        objected(chip, &[made, &wait("{3,2}"), read], "hazard-wait");
    }
}

/// A floor holds for code of others; ours keeps the table's number.
#[test]
fn floors_are_for_others() {
    let lines = ["[B------:R-:W-:-:S02] UMOV UR7, 0x3", "[B------:R-:W-:Y:S12] UMOV UR5, UR7"];
    for chip in [Chip::Sm75, Chip::Sm86, Chip::Sm90, Chip::Sm100, Chip::Sm120] {
        assert_eq!(verdict(chip, &lines), Verdict::Passed, "{chip}");
        let own = check_own_words(&words(chip, &lines), chip);
        assert!(own.objections().iter().any(|f| f.rule == "hazard-early"), "{chip}: {own:?}");
        let near = ["[B------:R-:W-:-:S01] UMOV UR7, 0x3", lines[1]];
        objected(chip, &near, "hazard-early");
    }
}

/// What takes a fixed time may raise a scoreboard: either tells.
#[test]
fn a_fixed_time_or_its_scoreboard() {
    let product = "[B------:R-:W0:-:S02] DADD R4, R6, R8";
    assert_eq!(verdict(Chip::Sm90, &[product, "[B0-----:R-:W-:Y:S05] MOV R20, R4"]), Verdict::Passed);
    objected(Chip::Sm90, &[product, "[B------:R-:W-:Y:S05] MOV R20, R4"], "hazard-early");
}
