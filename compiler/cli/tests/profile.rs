//! `run --profile` and `compile --profile`, and the knobs of `compile`.

mod common;

use common::sassafras;
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// A loop in which fifteen of sixteen iterations take the branch, which the source's order does not know.
const HOT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [out];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
LOOP:
    .pragma \"nounroll\";
    and.b32 %r3, %r1, 15;
    setp.ne.u32 %p0, %r3, 0;
    @%p0 bra OFTEN;
    st.volatile.global.u32 [%d0+4], %r1;
    ld.volatile.global.u32 %r4, [%d0+8];
    add.u32 %r2, %r2, %r4;
    st.volatile.global.u32 [%d0+12], %r2;
    bra NEXT;
OFTEN:
    st.volatile.global.u32 [%d0+16], %r2;
    ld.volatile.global.u32 %r4, [%d0+20];
    add.u32 %r2, %r2, %r4;
    st.volatile.global.u32 [%d0+24], %r2;
NEXT:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r0;
    @%p1 bra LOOP;
    st.global.u32 [%d0], %r2;
    ret;
}
";

fn folder() -> TempDir {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), HOT).expect("the folder is ours");
    folder
}

fn compile(folder: &Path, to: &str, words: &[&str]) -> common::Run {
    sassafras(folder, &[&["compile", "in.ptx", "--quiet", "-o", to], words].concat())
}

/// Runs a cubin; issue cycles and taken branches.
fn run(folder: &Path, cubin: &str, words: &[&str]) -> (u64, u64) {
    let all = [
        &[
            "run", cubin, "--grid", "1", "--block", "32", "--arg", "zeros:32", "--arg", "u32:160",
            "--format", "json",
        ],
        words,
    ];
    let ran = sassafras(folder, &all.concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let record: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let number = |name: &str| record[name].as_u64().unwrap_or_else(|| panic!("{name} in {record}"));
    (number("issue_cycles"), number("taken_branches"))
}

#[test]
fn a_profile_changes_the_order_and_saves_cycles() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(compile(at, "a.cubin", &[]).code, 0);
    let (cycles, taken) = run(at, "a.cubin", &["--profile", "p.json"]);
    let profile = std::fs::read_to_string(at.join("p.json")).expect("it was written");
    assert!(
        profile.contains("\"format\": \"cfg-layout-v1\"") && profile.contains("\"name\": \"k\""),
        "{profile}"
    );
    // 150 of 160 iterations.
    assert!(profile.contains("\"count\": 150"), "{profile}");
    let made = compile(at, "b.cubin", &["--profile", "p.json"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let (fewer_cycles, fewer_taken) = run(at, "b.cubin", &[]);
    assert!(fewer_taken <= taken && fewer_cycles < cycles, "{taken} {fewer_taken}, {cycles} {fewer_cycles}");
    let layout = |words: &[&str]| {
        assert_eq!(compile(at, "out.txt", &[&["--stop-after", "layout"], words].concat()).code, 0);
        let text = std::fs::read_to_string(at.join("out.txt")).expect("it was written");
        text.lines().find(|line| line.starts_with("layout")).expect("it has one").to_owned()
    };
    assert_ne!(layout(&[]), layout(&["--profile", "p.json"]));
    // `layout` reads the same file.
    assert_eq!(sassafras(at, &["layout", "p.json", "-o", "o.json"]).code, 0);
}

#[test]
fn a_profile_of_other_code_is_refused_with_its_place() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(compile(at, "a.cubin", &[]).code, 0);
    run(at, "a.cubin", &["--profile", "p.json"]);
    let text = std::fs::read_to_string(at.join("p.json")).expect("it was written");
    let edge = text.lines().position(|line| line.contains("\"src\": 0")).expect("an edge") + 1;
    let last = text.lines().filter(|line| line.contains("\"id\"")).count() - 1;
    let size = text.lines().nth(2).expect("the first block").to_owned();
    for (from, to, expected) in [
        (
            "\"name\": \"k\"".to_owned(),
            "\"name\": \"other\"".to_owned(),
            "p.json:2:12: there is no function `other`".to_owned(),
        ),
        (
            size.clone(),
            size.replace("\"size\": ", "\"size\": 16"),
            "p.json:3:5: block 0 of the code has".to_owned(),
        ),
        (format!("\"dst\": {last}"), "\"dst\": 0".to_owned(), "p.json:".to_owned()),
        ("cfg-layout-v1".to_owned(), "cfg-layout-v9".to_owned(), "p.json:1:12:".to_owned()),
        (
            "\"src\": 0, \"dst\": 3".to_owned(),
            "\"src\": 0, \"dst\": 2".to_owned(),
            format!("p.json:{edge}:5: the code has no such edge"),
        ),
    ] {
        assert!(text.contains(&from), "{from} in {text}");
        std::fs::write(at.join("p.json"), text.replacen(&from, &to, 1)).expect("the folder is ours");
        let made = compile(at, "b.cubin", &["--profile", "p.json"]);
        assert_eq!(made.code, 1, "{to}: {}", made.err);
        assert!(made.err.contains(&expected), "{to}: {}", made.err);
    }
    let without = text.split(", \"count\"").next().expect("a part").to_owned();
    assert!(without.len() < text.len());
    let bare = "{\"format\": \"cfg-layout-v1\", \"graphs\": [{\"name\": \"k\", \"entry\": 0, \"blocks\": [{\"id\": 0, \"size\": 16}], \"edges\": []}]}";
    std::fs::write(at.join("p.json"), bare).expect("the folder is ours");
    let made = compile(at, "b.cubin", &["--profile", "p.json"]);
    assert!(made.code == 1 && made.err.contains("this graph has no counts"), "{}", made.err);
    // PTX has no blocks of words.
    let ran = sassafras(
        at,
        &[
            "run",
            "in.ptx",
            "--grid",
            "1",
            "--block",
            "1",
            "--arg",
            "zeros:32",
            "--arg",
            "u32:1",
            "--profile",
            "q.json",
        ],
    );
    assert_eq!(ran.code, 2, "{}", ran.err);
}

/// A constant makes other code of the same graph: its blocks and sizes are the same, and its hash is not.
#[test]
fn a_profile_of_other_code_with_the_same_graph_is_refused() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(compile(at, "a.cubin", &[]).code, 0);
    run(at, "a.cubin", &["--profile", "p.json"]);
    assert_eq!(compile(at, "b.cubin", &["--profile", "p.json"]).code, 0);
    std::fs::write(at.join("in.ptx"), HOT.replace("[%d0+24]", "[%d0+28]")).expect("the folder is ours");
    let made = compile(at, "b.cubin", &["--profile", "p.json"]);
    assert_eq!(made.code, 1, "{}", made.err);
    assert!(made.err.contains("p.json:2:25: other code with this graph was counted"), "{}", made.err);
    // Without a hash the graph alone decides.
    let text = std::fs::read_to_string(at.join("p.json")).expect("it was written");
    let (before, rest) = text.split_once(" \"code\": ").expect("it has a hash");
    let (_, after) = rest.split_once(',').expect("more follows");
    std::fs::write(at.join("p.json"), format!("{before}{after}")).expect("the folder is ours");
    assert_eq!(compile(at, "b.cubin", &["--profile", "p.json"]).code, 0);
    std::fs::write(at.join("p.json"), text.replace(" \"code\": \"", " \"code\": \"0x")).expect("ours");
    let made = compile(at, "b.cubin", &["--profile", "p.json"]);
    assert!(made.code == 1 && made.err.contains("is not sixteen hexadecimal digits"), "{}", made.err);
}

/// MBP-25f: for size, the order has no more code than the one by frequencies.
#[test]
fn mbp_25f_the_compiler_orders_for_size_if_asked() {
    let folder = folder();
    let at = folder.path();
    // A profile is of the code that the same options make.
    let layout = |words: &[&str]| {
        assert_eq!(compile(at, "a.cubin", words).code, 0);
        run(at, "a.cubin", &["--profile", "p.json"]);
        let words = [&["--stop-after", "layout", "--profile", "p.json"], words].concat();
        assert_eq!(compile(at, "out.txt", &words).code, 0);
        let text = std::fs::read_to_string(at.join("out.txt")).expect("it was written");
        (text.matches(" bra ").count(), text)
    };
    let by_counts = layout(&[]);
    let for_size = layout(&["--knob", "apply-ext-tsp-for-size=true"]);
    assert_ne!(by_counts.1, for_size.1);
    assert!(for_size.0 <= by_counts.0, "{} {}", for_size.0, by_counts.0);
}

/// BF-02c, MBP-14: behind placement what ends the thread goes to the end, where that costs nothing: here in a part that was never run.
#[test]
fn bf_02c_branch_fold_placement_settles_what_depends_on_the_order() {
    let folder = folder();
    let at = folder.path();
    let work = |first: u32| {
        let [a, b, c] = [first, first + 4, first + 8];
        format!(
            "st.volatile.global.u32 [%d0+{a}], %r2;\nld.volatile.global.u32 %r4, [%d0+{b}];\n\
             add.u32 %r2, %r2, %r4;\nst.volatile.global.u32 [%d0+{c}], %r2;\n"
        )
    };
    let [one, two, three, four] = [16, 32, 48, 64].map(work);
    let seldom = format!(
        "setp.lt.u32 %p0, %r0, 100;\n@!%p0 bra HOT;\nsetp.gt.u32 %p1, %r0, 7;\n@%p1 bra ON;\n{one}ret;\nON:\n{two}\
         setp.gt.u32 %p1, %r0, 9;\n@%p1 bra MORE;\n{three}MORE:\n{four}ret;\nHOT:\n"
    );
    let text =
        HOT.replace("    mov.u32 %r1, 0;\n", &format!("    mov.u32 %r1, 0;\n    mov.u32 %r2, 0;\n{seldom}"));
    std::fs::write(at.join("in.ptx"), text).expect("the folder is ours");
    let settled = |words: &[&str]| {
        assert_eq!(compile(at, "a.cubin", words).code, 0);
        run(at, "a.cubin", &["--profile", "p.json"]);
        let words = [&["--report", "r.json", "--profile", "p.json"], words].concat();
        let made = compile(at, "b.cubin", &words);
        assert_eq!(made.code, 0, "{}", made.err);
        let text = std::fs::read_to_string(at.join("r.json")).expect("it was written");
        let (_, number) = text.split_once("\"settled\": ").expect("it is told");
        number.chars().next().and_then(|digit| digit.to_digit(10)).expect("a number")
    };
    let chains = ["--knob", "enable-ext-tsp-block-placement=false"];
    assert!(settled(&chains) > 0);
    let off = ["--knob", "branch-fold-placement=false"];
    assert_eq!(settled(&[&chains[..], &off].concat()), 0);
}

/// MBP-01: the pass is left out by its name, or by its knob, with the same result.
#[test]
fn mbp_01_the_pass_has_its_names() {
    let folder = folder();
    let at = folder.path();
    let layout = |words: &[&str]| {
        assert_eq!(compile(at, "out.txt", &[&["--stop-after", "layout"], words].concat()).code, 0);
        std::fs::read_to_string(at.join("out.txt")).expect("it was written")
    };
    let left_out = layout(&["--disable-phase", "block-placement"]);
    assert_eq!(left_out, layout(&["--knob", "disable-block-placement=true"]));
}

/// MBP-25a and the table of knobs.
#[test]
fn mbp_25a_knobs_of_the_compiler() {
    let folder = folder();
    let at = folder.path();
    let listed = sassafras(at, &["compile", "--list-knobs"]);
    assert_eq!(listed.code, 0);
    assert!(listed.out.contains("\nenable-ext-tsp-block-placement = true: "), "{}", listed.out);
    let changed = sassafras(at, &["compile", "--knob", "misfetch-cost=2.5", "--list-knobs"]);
    assert!(changed.out.contains("\nmisfetch-cost = 2.5: "), "{}", changed.out);
    for (knob, expected) in [
        ("nothing=1", "no knob is called `nothing`"),
        ("jump-inst-cost", "NAME=VALUE"),
        ("align-all-blocks=4", "pads no code"),
    ] {
        let made = compile(at, "a.cubin", &["--knob", knob]);
        assert!(made.code == 2 && made.err.contains(expected), "{knob}: {} {}", made.code, made.err);
    }
    let report = |words: &[&str]| {
        assert_eq!(compile(at, "a.cubin", &[&["--report", "r.json"], words].concat()).code, 0);
        std::fs::read_to_string(at.join("r.json")).expect("it was written")
    };
    assert!(!report(&[]).contains("conditional_taken"));
    assert!(report(&["--knob", "enable-block-placement-stats=true"]).contains("conditional_taken"));
    // Behind layout blocks are named by their places, if a knob asks for it.
    let edges =
        |words: &[&str]| compile(at, "a.cubin", &[&["--dump-cfg", "edges@layout"], words].concat()).out;
    let renumbered = edges(&["--knob", "renumber-blocks-before-view=true"]);
    assert_ne!(edges(&[]), renumbered);
    assert!(renumbered.starts_with("bix0 -> "), "{renumbered}");
}

/// MBP-03, MBP-13: copies of small blocks are made if a knob asks for it, where no branch is divergent, and the judges agree.
#[test]
fn mbp_03_the_compiler_copies_tails_if_asked() {
    let folder = folder();
    let at = folder.path();
    let words = ["--knob", "tail-dup-placement=true", "--knob", "tail-dup-placement-aggressive-threshold=9"];
    let copies = |words: &[&str]| {
        let made = compile(at, "a.cubin", &[&["--report", "r.json"], words].concat());
        assert_eq!(made.code, 0, "{}", made.err);
        let text = std::fs::read_to_string(at.join("r.json")).expect("it was written");
        let (_, number) = text.split_once("\"duplicated\": ").expect("it is told");
        number
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .and_then(|n| n.parse::<u32>().ok())
            .expect("a number")
    };
    assert_eq!(copies(&[]), 0);
    let (_, taken) = run(at, "a.cubin", &[]);
    let made = copies(&words);
    let (_, fewer) = run(at, "a.cubin", &[]);
    assert!(made > 0 && fewer <= taken, "{made} {taken} {fewer}");
    // Lanes part: each has a bound of its own.
    std::fs::write(at.join("in.ptx"), HOT.replace("ld.param.u32 %r0, [n];", "mov.u32 %r0, %tid.x;"))
        .expect("ours");
    assert_eq!(copies(&words), 0);
}
