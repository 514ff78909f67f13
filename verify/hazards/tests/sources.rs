//! When the sources of double precision may be overwritten, where it is of variable latency: behind a wait, or by the next of its pipe.

use sassafras_hazards::{Verdict, check_words};
use sassafras_isa::{Chip, Style, encode, parse};

/// Chips whose double precision gives its results when a scoreboard says so.
const VARIABLE: [Chip; 6] = [Chip::Sm75, Chip::Sm80, Chip::Sm88, Chip::Sm89, Chip::Sm103, Chip::Sm120];

/// The verdict on some lines and what ends the program.
fn verdict(chip: Chip, lines: &[&str]) -> Verdict {
    let style = Style { chip: Some(chip), ..Style::default() };
    let word = |line: &&str| {
        encode(&parse(line, &style).unwrap_or_else(|e| panic!("{line}: {e}")), chip).expect("a word")
    };
    let end = ["[B------:R-:W-:-:S05] EXIT"];
    check_words(&lines.iter().chain(&end).map(word).collect::<Vec<u128>>(), chip)
}

/// Far behind a DFMA with a read barrier, as `dropped-far-wait` left it on sm_88.
fn far(chip: Chip, product: &str, wait: &str) -> Verdict {
    let shift = format!("[B{wait}:R-:W-:-:S05] SHF.R.U64 R38, R18, RZ, R19");
    let fill = "[B------:R-:W-:Y:S13] MOV R26, 0x1";
    verdict(chip, &[product, fill, fill, fill, &shift])
}

const BOTH: &str = "[B------:R0:W5:-:S01] DFMA R30, R30, R30, R38";
const RESULT: &str = "[B------:R-:W5:-:S01] DFMA R30, R30, R30, R38";

fn is_too_early(verdict: &Verdict) -> bool {
    verdict.objections().iter().any(|f| f.rule == "hazard-source")
}

#[test]
fn a_wait_stands_before_what_overwrites_a_source() {
    for chip in VARIABLE {
        for wait in ["0-----", "-----5"] {
            assert_eq!(far(chip, BOTH, wait), Verdict::Passed, "{chip} {wait}");
        }
        assert_eq!(far(chip, RESULT, "-----5"), Verdict::Passed, "{chip}");
        for (product, wait) in [(BOTH, "------"), (BOTH, "-1----"), (RESULT, "------")] {
            let early = far(chip, product, wait);
            assert!(is_too_early(&early), "{chip} `{product}` {wait}: {early:?}");
        }
    }
}

/// kernels/physics64 on sm_86: `DMUL R16, R10, R14`, then `DMUL R14, R10, c[0x0][0x180]` four cycles later.
#[test]
fn the_next_of_the_pipe_reads_later_and_stands_for_it() {
    for chip in VARIABLE {
        let next = "[B------:R-:W1:-:S02] DMUL R38, R10, R12";
        assert_eq!(verdict(chip, &[BOTH, next]), Verdict::Passed, "{chip}");
        let other = "[B------:R1:W2:-:S02] DMUL R14, R10, R12";
        let shift = |wait: &str| format!("[B{wait}:R-:W-:-:S05] SHF.R.U64 R38, R18, RZ, R19");
        for (wait, early) in [("-1----", false), ("--2---", false), ("---3--", true)] {
            let found = verdict(chip, &[BOTH, other, &shift(wait)]);
            assert_eq!(is_too_early(&found), early, "{chip} {wait}: {found:?}");
        }
    }
}

#[test]
fn where_the_latency_is_fixed_sources_are_read_in_time() {
    for chip in [Chip::Sm90, Chip::Sm100] {
        let fixed = "[B------:R-:W-:-:S01] DFMA R30, R30, R30, R38";
        assert_eq!(far(chip, fixed, "------"), Verdict::Passed, "{chip}");
    }
}
