//! All commands: which exit code says what, and that no option is taken and then ignored.

mod common;

use common::{Run, sassafras};
use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// Two kernels; one reads what was never written, depends on the order of warps, and approximates.
const SOURCE: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    .reg .f32 %f<4>;
    ld.param.u64 %d0, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 8;
    add.u64 %d2, %d0, %d1;
    .loc 1 3 0
    atom.global.add.u32 %r2, [%d0], 1;
    cvt.rn.f32.u32 %f1, %r1;
    ex2.approx.f32 %f2, %f1;
    st.global.u32 [%d2+16], %r2;
    st.global.f32 [%d2+20], %f2;
    ret;
}
.visible .entry other(.param .u64 p)
{
    .reg .b64 %d;
    .reg .b32 %r<2>;
    ld.param.u64 %d, [p];
    st.global.u32 [%d], %r1;
    ret;
}
.file 1 \"k.cu\"
";

const GRAPHS: &str = "{\"format\":\"cfg-layout-v1\",\"graphs\":[]}";

fn recorded(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/containers").join(format!("{name}.gz"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// Every kind of file that a command reads.
fn folder() -> TempDir {
    let folder = tempdir().expect("a folder");
    let at = folder.path();
    let write = |name: &str, bytes: &[u8]| std::fs::write(at.join(name), bytes).expect("it is ours");
    write("in.ptx", SOURCE.as_bytes());
    write("graphs.json", GRAPHS.as_bytes());
    write("many.fatbin", &recorded("two.none.fatbin"));
    let run = |words: &[&str]| sassafras(at, words).expect(0, "").out.clone();
    run(&["compile", "in.ptx", "-arch=sm_90", "-lineinfo", "--quiet", "-o", "in.cubin"]);
    run(&["compile", "in.ptx", "-arch=sm_90", "-e", "k", "--stop-after", "lower", "-o", "k.ir"]);
    for phase in ["prepare", "allocate"] {
        let words = ["compile", "in.ptx", "-arch=sm_90", "-e", "k", "--stop-after", phase, "-o"];
        run(&[&words[..], &[&format!("{phase}.mach")]].concat());
    }
    let listing = run(&["disasm", "--control", "in.cubin"]);
    write("in.sass", listing.as_bytes());
    // An exit that the records of the cubin do not name.
    let (before, behind) = listing.rsplit_once(" NOP;").expect("there is padding");
    write("more.sass", format!("{before} EXIT ;{behind}").as_bytes());
    let bare: String = listing.lines().filter(|l| !l.contains(".target")).map(|l| format!("{l}\n")).collect();
    write("bare.sass", bare.as_bytes());
    run(&["asm", "in.sass", "--section", ".text.other", "-o", "words.bin"]);
    folder
}

/// What a run leaves behind: its code, its texts, the files that are new.
fn left(at: &Path, words: &str) -> (i32, String, Vec<(String, Vec<u8>)>) {
    let list = || -> BTreeSet<String> {
        let all = std::fs::read_dir(at).expect("it is there");
        all.map(|e| e.expect("it can be read").file_name().to_string_lossy().into_owned()).collect()
    };
    let before = list();
    let Run { code, out, err } = sassafras(at, &words.split(' ').collect::<Vec<_>>());
    let new: Vec<String> = list().difference(&before).cloned().collect();
    let take = |name: String| {
        let path = at.join(&name);
        let bytes = std::fs::read(&path).unwrap_or_default();
        let _ = std::fs::remove_file(&path);
        (name, bytes)
    };
    (code, format!("{out}{err}"), new.into_iter().map(take).collect())
}

/// Where the effect of an option is seen.
enum Seen {
    /// Here: the words without it and with it, and the exit code with it.
    Here(&'static str, &'static str, i32),
    /// By a test file of this folder that gives it, by these words.
    By(&'static str, &'static str),
    /// Nowhere: it is for those who come from NVIDIA's tools, and the help text says so.
    Nowhere(&'static str),
}

use Seen::{By, Here, Nowhere};

const RUN: &str = "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024";

/// Every option of every command; `compile` has its own test (`options.rs`).
const OPTIONS: &[(&str, &str, Seen)] = &[
    ("check", "--arch", Here("check in.ptx", "check in.ptx --arch sm_75", 1)),
    ("check", "--index", Here("check in.ptx", "check in.ptx --index 1", 2)),
    ("check", "--entry", Here("check in.ptx", "check in.ptx --entry nobody", 2)),
    ("check", "--before", Here("check allocate.mach", "check in.cubin --before prepare.mach", 2)),
    ("check", "--races", Here("check in.ptx", "check in.ptx --races", 10)),
    ("disasm", "--index", Here("disasm many.fatbin", "disasm many.fatbin --index 2", 0)),
    ("disasm", "--arch", Here("disasm many.fatbin", "disasm many.fatbin --arch sm_90", 0)),
    ("disasm", "--entry", Here("disasm in.cubin", "disasm in.cubin --entry nobody", 2)),
    ("disasm", "--raw", Here("disasm words.bin", "disasm words.bin --raw SM90", 0)),
    ("disasm", "--base", Here("disasm words.bin --raw SM90", "disasm words.bin --raw SM90 --base 0x100", 0)),
    ("disasm", "--hex", Here("disasm in.cubin", "disasm in.cubin --hex", 0)),
    ("disasm", "--control", Here("disasm in.cubin", "disasm in.cubin --control", 0)),
    ("disasm", "--lenient", Nowhere("so it is without this option too")),
    ("disasm", "--all", Here("disasm in.cubin", "disasm in.cubin --all", 0)),
    ("disasm", "--print-code", Nowhere("so it is without --all")),
    ("disasm", "--json", Here("disasm in.cubin", "disasm in.cubin --json", 0)),
    ("disasm", "--cfg", Here("disasm in.cubin", "disasm in.cubin --cfg", 0)),
    ("disasm", "--bbcfg", Here("disasm in.cubin", "disasm in.cubin --bbcfg", 0)),
    ("disasm", "--print-line-info", Here("disasm in.cubin", "disasm in.cubin --print-line-info", 0)),
    ("disasm", "--gi", Here("disasm in.cubin", "disasm in.cubin --gi", 0)),
    ("disasm", "--fun", Here("disasm in.cubin", "disasm in.cubin --fun k", 0)),
    ("disasm", "--ndf", Nowhere("changes nothing here")),
    ("disasm", "--poff", Here("disasm in.cubin --cfg", "disasm in.cubin --cfg --poff", 0)),
    ("disasm", "--plr", Here("disasm in.cubin", "disasm in.cubin --plr", 0)),
    (
        "asm",
        "--arch",
        Here(
            "asm bare.sass --section .text.k -o new.bin",
            "asm bare.sass --section .text.k -o new.bin --arch sm_90",
            0,
        ),
    ),
    ("asm", "--into", Here("asm in.sass -o new.cubin", "asm in.sass --into in.cubin -o new.cubin", 0)),
    (
        "asm",
        "--update",
        Here(
            "asm more.sass --into in.cubin -o new.cubin",
            "asm more.sass --into in.cubin --update -o new.cubin",
            0,
        ),
    ),
    ("asm", "--section", Here("asm in.sass -o new.bin", "asm in.sass --section .text.k -o new.bin", 0)),
    ("asm", "--output", Here("asm in.sass --into in.cubin", "asm in.sass --into in.cubin -o new.cubin", 0)),
    ("roundtrip", "--index", Here("roundtrip many.fatbin", "roundtrip many.fatbin --index 2", 0)),
    ("roundtrip", "--arch", Here("roundtrip many.fatbin", "roundtrip many.fatbin --arch sm_90", 0)),
    ("roundtrip", "--entry", Here("roundtrip in.cubin", "roundtrip in.cubin --entry nobody", 2)),
    (
        "run",
        "--entry",
        Here(
            "run in.ptx --grid 1 --block 1 --arg zeros:1024",
            "run in.ptx --entry k --grid 1 --block 1 --arg zeros:1024",
            0,
        ),
    ),
    ("run", "--grid", Here(RUN, "run in.ptx --entry k --grid 2 --block 64 --arg zeros:1024", 0)),
    ("run", "--block", Here(RUN, "run in.ptx --entry k --grid 1 --block 32 --arg zeros:1024", 0)),
    (
        "run",
        "--shared",
        Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --shared 999999999", 2),
    ),
    ("run", "--arg", Here("run in.ptx --entry k --grid 1 --block 64", RUN, 0)),
    (
        "run",
        "--dump",
        Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --dump 0=new.bin", 0),
    ),
    ("run", "--timing", Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --timing", 2)),
    ("run", "--order", Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --order 1", 0)),
    (
        "run",
        "--approx",
        Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --approx high", 0),
    ),
    (
        "run",
        "--seed",
        Here(
            "run in.cubin --entry other --grid 1 --block 1 --arg zeros:8",
            "run in.cubin --entry other --grid 1 --block 1 --arg zeros:8 --seed many",
            2,
        ),
    ),
    ("run", "--steps", Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --steps 3", 5)),
    ("run", "--stack", Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --stack 64", 2)),
    ("run", "--races", Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --races", 0)),
    ("run", "--trace", Here(RUN, "run in.ptx --entry k --grid 1 --block 64 --arg zeros:1024 --trace", 0)),
    (
        "run",
        "--profile",
        Here(
            "run in.cubin --entry k --grid 1 --block 64 --arg zeros:1024",
            "run in.cubin --entry k --grid 1 --block 64 --arg zeros:1024 --profile new.json",
            0,
        ),
    ),
    ("prove", "--against", Here("prove in.cubin", "prove in.cubin --against nowhere", 1)),
    ("prove", "--witness", By("prove.rs", "--witness")),
    ("prove", "--hints", By("hints.rs", "--hints")),
    ("prove", "--explain", Here("prove --explain U0504", "prove --explain U9999", 2)),
    ("prove", "--entry", Here("prove in.ptx --entry k", "prove in.ptx --entry nobody", 2)),
    (
        "prove",
        "--arch",
        Here("prove in.ptx --against nowhere", "prove in.ptx --against in.cubin --arch sm_80", 2),
    ),
    (
        "prove",
        "--index",
        Here("prove in.ptx --against nowhere", "prove in.ptx --against in.cubin --index 1", 2),
    ),
    ("prove", "--unroll", By("../../../verify/prove/tests/recursion.rs", "unroll")),
    ("prove", "--budget", By("prove.rs", "--budget")),
    ("prove", "--timeout", By("prove.rs", "--timeout")),
    ("prove", "--solver", Here("prove in.cubin", "prove in.ptx --solver nobody", 2)),
    ("prove", "--cache", Here("prove in.cubin", "prove in.ptx --cache", 2)),
    ("prove", "--questions", Here("prove in.cubin", "prove in.ptx --questions in.ptx", 1)),
    ("check-witness", "--budget", Here("check-witness nowhere", "check-witness nowhere --budget 0", 2)),
    ("check-witness", "--timeout", Here("check-witness nowhere", "check-witness nowhere --timeout 0", 2)),
    ("check-witness", "--solver", Here("check-witness nowhere", "check-witness nowhere --solver nobody", 2)),
    ("check-witness", "--cache", Here("check-witness nowhere", "check-witness nowhere --cache", 2)),
    (
        "check-witness",
        "--questions",
        Here("check-witness nowhere", "check-witness nowhere --questions in.ptx", 1),
    ),
    ("rules", "--prove", By("../../../tests/files/cases/line/rules_proved_anywhere.txt", "rules --prove")),
    ("rules", "--budget", Here("rules add", "rules add --budget 3", 2)),
    ("rules", "--timeout", Here("rules add", "rules add --timeout 3", 2)),
    ("layout", "--output", Here("layout graphs.json", "layout graphs.json -o new.json", 0)),
    ("layout", "--judge", Here("layout graphs.json", "layout graphs.json --judge in.ptx", 1)),
    (
        "layout",
        "--algorithm",
        Here("layout graphs.json --judge in.ptx", "layout graphs.json --judge in.ptx --algorithm chain", 2),
    ),
    ("layout", "--contiguous", Here("layout --list-knobs", "layout --list-knobs --contiguous", 2)),
    ("layout", "--knob", Here("layout graphs.json", "layout graphs.json --knob nobody=1", 2)),
    ("layout", "--list-knobs", Here("layout graphs.json", "layout --list-knobs", 0)),
    ("isa", "--arch", Here("isa IADD3", "isa IADD3 --arch sm_120", 0)),
];

/// Options of these are tested in the files named.
const ELSEWHERE: [(&str, &str); 3] = [("fuzz", "fuzz.rs"), ("reduce", "reduce.rs"), ("lint", "lint.rs")];

/// Options of every command.
const EVERYWHERE: [&str; 4] = ["--format", "--jobs", "--quiet", "--help"];

fn commands() -> Vec<String> {
    let help = sassafras(Path::new("."), &["help"]).out;
    let (_, list) = help.split_once("Commands:\n").expect("help lists the commands");
    let rows = list.lines().take_while(|l| l.starts_with("  "));
    let names: Vec<String> =
        rows.filter_map(|l| l.split_whitespace().next()).map(str::to_owned).filter(|n| n != "help").collect();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// The long options of a command, as its help text has them.
fn options(command: &str) -> (BTreeSet<String>, String) {
    let help = sassafras(Path::new("."), &[command, "--help"]).out;
    let starts = |line: &&str| line.trim_start().starts_with('-') && line.starts_with("  ");
    let names = help.lines().filter(starts).filter_map(|line| {
        let word = line.split([' ', ',']).find(|word| word.starts_with("--"))?;
        Some(word.to_owned())
    });
    (names.collect(), help)
}

#[test]
fn no_option_is_taken_and_ignored() {
    let at = folder();
    let mut wrong = Vec::new();
    for command in commands().iter().filter(|c| *c != "compile") {
        if let Some((_, file)) = ELSEWHERE.iter().find(|(name, _)| name == command) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
            assert!(path.is_file(), "{file}");
            continue;
        }
        let (names, help) = options(command);
        let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for name in names.iter().filter(|n| !EVERYWHERE.contains(&n.as_str())) {
            let Some((.., seen)) = OPTIONS.iter().find(|row| row.0 == command && row.1 == name) else {
                wrong.push(format!("{command} {name} has no row"));
                continue;
            };
            match seen {
                Here(without, with, code) => {
                    let (without, result) = (left(at.path(), without), left(at.path(), with));
                    if without == result {
                        wrong.push(format!("{command} {name} changes nothing: {with}"));
                    }
                    if result.0 != *code {
                        wrong.push(format!("`{with}` ends with {}: {}", result.0, result.1));
                    }
                }
                By(file, words) => {
                    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
                    let text = std::fs::read_to_string(path).unwrap_or_default();
                    if !text.contains(words) {
                        wrong.push(format!("{file} does not give {name}"));
                    }
                }
                Nowhere(words) => {
                    if !flat.contains(words) {
                        wrong.push(format!("{command} --help does not say `{words}`"));
                    }
                }
            }
        }
        let unknown = OPTIONS.iter().filter(|row| row.0 == command && !names.contains(row.1));
        wrong.extend(unknown.map(|row| format!("{command} has no {}", row.1)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// An input that is wrong (1), and a name that is not there or options that do not fit (2).
const CODES: &[(&str, Option<&str>, &str)] = &[
    ("compile", Some("compile nowhere"), "compile in.ptx -arch=sm_90 -e nobody -o new"),
    ("check", Some("check nowhere"), "check in.ptx --entry nobody"),
    ("disasm", Some("disasm nowhere"), "disasm in.cubin --index 2"),
    ("asm", Some("asm nowhere -o new"), "asm in.sass --section nobody -o new"),
    ("list", Some("list in.sass"), "list"),
    ("roundtrip", Some("roundtrip nowhere"), "roundtrip in.cubin --arch sm_80"),
    ("run", Some("run nowhere --grid 1 --block 1"), "run in.ptx --entry nobody --grid 1 --block 1"),
    ("prove", Some("prove nowhere"), "prove in.ptx --entry nobody"),
    ("check-witness", Some("check-witness nowhere"), "check-witness"),
    ("reduce", None, "reduce in.ptx"),
    ("fuzz", None, "fuzz --compiler nobody --count 1 --findings new"),
    ("rules", None, "rules nobody"),
    ("layout", Some("layout in.ptx"), "layout graphs.json --knob nobody=1"),
    ("lint", Some("lint nowhere"), "lint"),
    ("isa", Some("isa 0x1ff"), "isa nobody"),
    ("oracle", None, "oracle install nobody"),
];

#[test]
fn a_wrong_input_is_1_and_a_wrong_command_line_is_2() {
    let at = folder();
    let mut wrong = Vec::new();
    for command in commands() {
        let Some((_, input, usage)) = CODES.iter().find(|row| row.0 == command) else {
            wrong.push(format!("{command} has no row"));
            continue;
        };
        let nonsense = format!("{command} --nonsense");
        let mut cases = vec![(nonsense.as_str(), 2), (usage, 2)];
        cases.extend(input.map(|words| (words, 1)));
        for (words, code) in cases {
            let found = left(at.path(), words);
            if found.0 != code || found.1.is_empty() {
                wrong.push(format!("`{words}` ends with {} for {code}: {}", found.0, found.1));
            }
        }
        for words in [format!("{command} --jobs many"), format!("{command} --format nonsense")] {
            let found = left(at.path(), &words);
            if found.0 != 2 {
                wrong.push(format!("`{words}` ends with {}: {}", found.0, found.1));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Options that say nothing about this input.
#[test]
fn what_has_no_meaning_is_refused() {
    let at = folder();
    for (words, part) in [
        ("disasm in.cubin --index 2", "the file is one cubin; there is no number 2"),
        ("disasm in.cubin --arch sm_80", "the cubin is for sm_90, not for sm_80"),
        ("disasm words.bin --raw SM90 --index 1", "cannot be used with"),
        ("disasm words.bin --raw SM90 --arch sm_90", "cannot be used with"),
        ("disasm words.bin --raw SM90 --entry k", "cannot be used with"),
        ("disasm in.cubin --poff", "give it with --cfg or --bbcfg"),
        ("prove in.ptx --index 1", "`--index 1` chooses from a file that holds several cubins"),
        ("prove in.ptx --against in.cubin --index 1", "and none is given"),
        ("check in.ptx --index 1", "`--index` is for files that hold several cubins"),
        ("check k.ir --arch sm_90", "this text names its chip"),
        ("check k.ir --entry k", "`--entry` is for PTX and cubins"),
        ("check k.ir --before k.ir", "`--before` is for machine code"),
        ("check in.sass --before k.ir", "`--before` is for texts of machine code"),
        ("check in.cubin --before k.ir", "`--before` is for texts of machine code"),
        ("rules --budget 3", "--prove"),
        ("rules --prove add --budget 0", "0 is not in 1.."),
        ("prove in.ptx --budget 0", "0 is not in 1.."),
        ("layout graphs.json --list-knobs", "cannot be used with"),
    ] {
        sassafras(at.path(), &words.split(' ').collect::<Vec<_>>()).expect(2, part);
    }
    // A cubin of its own is number 1 of its file, as `list` says.
    sassafras(at.path(), &["disasm", "in.cubin", "--index", "1", "--arch", "sm_90"]).expect(0, "EXIT");
}

#[test]
fn the_help_of_compile_is_its_own() {
    let help = |words: &[&str]| sassafras(Path::new("."), words).expect(0, "--stop-after").out.clone();
    assert_eq!(help(&["help", "compile"]), help(&["compile", "--help"]));
    // Commands that have the option say the same of it.
    for command in ["prove", "check-witness", "rules"] {
        let (_, help) = options(command);
        let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains(
                "Effort for each question, in millions of z3's `rlimit`; 1 at least. Without it 30"
            )
        );
    }
}

#[test]
fn a_text_without_o_goes_to_standard_output() {
    let at = folder();
    let words = ["compile", "in.ptx", "-arch=sm_90", "-e", "k", "--stop-after", "lower"];
    let run = sassafras(at.path(), &words);
    assert!(run.code == 0 && run.out.starts_with("sassafras ir "), "{}", run.out);
    assert!(!at.path().join("in.txt").exists(), "nothing is written beside");
    // JSON takes standard output, and names the file.
    let json = sassafras(at.path(), &[&words[..], &["--format", "json"]].concat());
    json.expect(0, "\"output\":\"in.txt\"");
    assert!(at.path().join("in.txt").exists());
}
