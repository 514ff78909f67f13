//! `sassafras fuzz`: an error that is planted in a compiler is found, reduced, reported, and folded when it is met again; a campaign that was stopped
//! goes on.

#![cfg(unix)]

mod common;

use common::{Run, sassafras};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::tempdir;

/// A compiler called as ptxas is: ours, and then each exclusive or is an inclusive one.
fn planted(folder: &Path) {
    let script = format!(
        "#!/bin/sh
S='{}'
for out; do :; done
\"$S\" compile \"$@\" || exit $?
\"$S\" disasm --control \"$out\" | sed 's/, 0x3c, /, 0xfc, /' > \"$out.sass\"
\"$S\" asm \"$out.sass\" --into \"$out\" -o \"$out\"
",
        env!("CARGO_BIN_EXE_sassafras")
    );
    let path = folder.join("planted");
    std::fs::write(&path, script).expect("the folder is ours");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// A campaign over small programs.
fn fuzz(folder: &Path, compiler: &str, seeds: &str, more: &[&str]) -> Run {
    let words = ["fuzz", "--findings", "found", "--features", "none", "--size", "7", "--jobs", "2"];
    let own = ["--compiler", compiler, "--seeds", seeds];
    sassafras(folder, &[&words[..], &own, more].concat())
}

/// Lines of the journal behind the first.
fn journal(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("found/journal.jsonl")).expect("a journal");
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Seeds of which the first meets the planted error.
const SEEDS: &str = "4..9";

#[test]
fn a_planted_error_is_found_reduced_reported_and_folded() {
    let folder = tempdir().expect("a folder");
    planted(folder.path());
    let run = fuzz(folder.path(), "program:planted", SEEDS, &["--level", "1", "--level", "3"]);
    run.expect(10, "2 differs");
    let found: Vec<_> = std::fs::read_dir(folder.path().join("found"))
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.is_dir())
        .collect();
    let [finding] = &found[..] else { panic!("{found:?}\n{}", run.out) };
    assert!(finding.to_string_lossy().contains("xor"), "{finding:?}");
    let read =
        |name: &str| std::fs::read_to_string(finding.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let reduced = read("reduced.ptx");
    assert!(reduced.contains("xor.b32") && reduced.lines().count() <= 18, "{reduced}");
    let report = read("report.md");
    for part in [
        "wrong code for",
        "`xor.b32`",
        "the source leaves",
        "LOP3.LUT",
        "| ours | sm_90 | right | right |",
        "WRONG",
    ] {
        assert!(report.contains(part), "`{part}` is not in\n{report}");
    }
    assert!(read("report.html").contains("<code>xor.b32</code>"));
    // Met at both levels, and shown once.
    let lines = journal(folder.path());
    let count = |fold: &str| lines.iter().filter(|l| l.contains(&format!("\"fold\":\"{fold}\""))).count();
    assert_eq!(count("new"), 1, "{lines:#?}");
    assert!(count("again") >= 1, "{lines:#?}");
    // What the report says about how to see it is true.
    let see = |file: &str, out: &str| {
        let line =
            report.lines().find(|l| l.starts_with(&format!("sassafras run {file} "))).expect("a command");
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        sassafras(finding, &words).expect(0, "");
        std::fs::read(finding.join(out)).expect("it was written")
    };
    assert_ne!(see("reduced.ptx", "should.bin"), see("code.cubin", "is.bin"));
}

#[test]
fn a_campaign_that_was_stopped_goes_on() {
    let folder = tempdir().expect("a folder");
    planted(folder.path());
    fuzz(folder.path(), "program:planted", "4..6", &[]).expect(10, "2 seeds");
    let before = journal(folder.path());
    // Stopped in the middle of a line.
    let path = folder.path().join("found/journal.jsonl");
    let text = std::fs::read_to_string(&path).expect("a journal");
    std::fs::write(&path, format!("{text}{{\"seed\":6,\"sm\"")).expect("the folder is ours");
    fuzz(folder.path(), "program:planted", SEEDS, &[]).expect(10, "5 seeds");
    let after = journal(folder.path());
    assert_eq!(after[..2], before[..], "what was there stays");
    let seeds: std::collections::BTreeSet<&str> = after.iter().filter_map(|l| l.split(',').next()).collect();
    assert_eq!((after.len(), seeds.len()), (5, 5), "{after:#?}");
    let news = after.iter().filter(|l| l.contains("\"fold\":\"new\"")).count();
    assert_eq!(news, 1, "{after:#?}");
    // Nothing is left to do, and the folder says what it said.
    let again = fuzz(folder.path(), "program:planted", SEEDS, &["--format", "json"]);
    again.expect(10, "\"seeds\":5");
    assert_eq!(journal(folder.path()), after);
    // Another campaign does not go on in it.
    fuzz(folder.path(), "ours", SEEDS, &[]).expect(2, "another campaign");
}

/// No compiler but ours is looked for.
#[test]
fn ours_alone_needs_no_ptxas() {
    let folder = tempdir().expect("a folder");
    let words = ["--arch", "sm_80", "--arch", "sm_120", "--level", "0", "--level", "3"];
    let run = fuzz(folder.path(), "ours", "0..2", &words);
    run.expect(0, "2 seeds: 4 agrees; 0 findings");
    let lines = journal(folder.path());
    assert!(lines.iter().any(|l| l.contains("ours sm_80 -O0")), "{lines:#?}");
    assert!(lines.iter().any(|l| l.contains("ours sm_120 -O3")), "{lines:#?}");
}

/// Nothing is known of a compiler that refuses whatever it gets, and one that is beside it does not hide it.
#[test]
fn a_compiler_that_refuses_everything_is_not_clean() {
    let folder = tempdir().expect("a folder");
    let run = fuzz(folder.path(), "program:/bin/false", "0..1", &["--compiler", "ours"]);
    run.expect(12, "program:/bin/false refuses every program");
    assert!(run.out.starts_with("1 seed: 1 agrees, 1 refused; 0 findings\n"), "{}", run.out);
    let json = fuzz(folder.path(), "program:/bin/false", "0..1", &["--compiler", "ours", "--format", "json"]);
    json.expect(12, "\"idle\":[\"program:/bin/false\"]");
}

#[test]
fn what_a_campaign_cannot_do_is_said() {
    let folder = tempdir().expect("a folder");
    let of = |compiler: &str, seeds: &str, more: &[&str]| fuzz(folder.path(), compiler, seeds, more);
    of("ptxas@1.0", "0..1", &[]).expect(2, "1.0");
    of("program:none", "0..1", &[]).expect(2, "no file");
    of("theirs", "0..1", &[]).expect(2, "`theirs` is none of");
    of("ours", "3..3", &[]).expect(2, "no seed");
    of("ours", "0..1", &["--time", "3d"]).expect(2, "no time");
    std::fs::create_dir(folder.path().join("found")).expect("the folder is ours");
    std::fs::write(folder.path().join("found/journal.jsonl"), "{}\n").expect("the folder is ours");
    of("ours", "0..1", &[]).expect(1, "no line of a journal");
}
