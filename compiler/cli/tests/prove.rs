//! What `prove` says to a person and to a program. `BLESS=1` writes the texts anew.

#![allow(missing_docs)]

mod common;

use common::sassafras;
use sassafras_oracle::workspace_root;
use std::path::Path;

/// Name of the golden text, source, target, exit code; names as in the corpus, of PTX or of a recorded cubin.
const CASES: [(&str, &str, &str, i32); 4] = [
    ("proved", "features/sub_s32.ptx", "13.0.88/features/sub_s32", 0),
    ("refuted", "ptxas-errors/rotate64.ptx", "13.0.88/ptxas-errors/rotate64", 10),
    ("unknown", "features/ld_order.ptx", "13.0.88/features/ld_order", 12),
    ("code", "13.5.37/ptxas-errors/carry_folded", "13.0.88/ptxas-errors/carry_folded", 10),
];

/// Puts a file of the corpus into a folder; its name there.
fn lay(folder: &Path, name: &str) -> String {
    let root = workspace_root();
    let (bytes, file) = match name.strip_suffix(".ptx") {
        Some(_) => {
            let bytes = std::fs::read(root.join("corpus").join(name)).expect("the corpus has it");
            (bytes, name.rsplit('/').next().expect("a name").to_owned())
        }
        None => {
            let (set, path) = name.split_once('/').expect("a set of tools");
            let bytes = sassafras_reference::traces::cubin(&root, set, path).expect("it is recorded");
            (bytes, format!("{}.{set}.cubin", path.rsplit('/').next().expect("a name")))
        }
    };
    std::fs::write(folder.join(&file), bytes).expect("a place for it");
    file
}

fn there(test: &str) -> bool {
    let found = sassafras_prove::Z3::find(&[&workspace_root()], 1, 1).is_some();
    if !found {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}

#[test]
fn texts_are_the_golden_ones() {
    if !there("texts_are_the_golden_ones") {
        return;
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts");
    let bless = std::env::var_os("BLESS").is_some();
    let mut faults = Vec::new();
    for (name, source, target, code) in CASES {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, target) = (lay(folder.path(), source), lay(folder.path(), target));
        let run = sassafras(folder.path(), &["prove", &source, "--against", &target]);
        assert_eq!(run.code, code, "{name}: {}{}", run.out, run.err);
        let path = golden.join(format!("{name}.txt"));
        if bless {
            std::fs::write(&path, &run.out).expect("a place for it");
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        if wanted != run.out {
            faults.push(format!("{name}: BLESS=1 writes it anew\n{}\ninstead of\n{wanted}", run.out));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn json_names_tools_and_steps() {
    if !there("json_names_tools_and_steps") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (_, source, target, code) = CASES[3];
    let (source, target) = (lay(folder.path(), source), lay(folder.path(), target));
    let run = sassafras(folder.path(), &["--format", "json", "prove", &source, "--against", &target]);
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(json["exit"], code);
    for side in ["source", "target"] {
        let version = json["tools"][side]["version"].as_str().expect("a version");
        assert!(version.contains("release"), "{version}");
    }
    assert!(json["tools"]["solver"].as_str().is_some_and(|s| !s.is_empty()), "{json}");
    let found = &json["entries"][0]["counterexample"];
    let steps = |side: &str| found[side].as_array().map_or(0, Vec::len);
    assert!(steps("source_steps") > 3 && steps("target_steps") > 3, "{found}");
    // Of code it is not said whether lanes look at each other: warps are whole.
    assert_eq!(found["block"], serde_json::json!([32, 1, 1]));
    assert_ne!(found["source"], found["target"]);
}

#[test]
fn a_cubin_alone_has_nothing_to_be_held_against() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.cubin"), common::cubin()).expect("a place for it");
    sassafras(folder.path(), &["prove", "k.cubin"]).expect(2, "--against");
}

#[test]
fn the_wrong_order_says_which_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptx = lay(folder.path(), "features/sub_s32.ptx");
    let cubin = lay(folder.path(), "13.0.88/features/sub_s32");
    let run = sassafras(folder.path(), &["prove", &cubin, "--against", &ptx]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("the order is `prove PTX --against CUBIN`"), "{}", run.err);
}

/// Entries that store their names' lengths.
fn module(target: &str, entries: &[&str]) -> String {
    let entry = |name: &&str| {
        format!(
            ".visible .entry {name}(.param .u64 p) {{ .reg .b64 d; ld.param.u64 d, [p]; st.global.u32 [d], {}; ret; }}\n",
            name.len()
        )
    };
    let all: String = entries.iter().map(entry).collect();
    format!(".version 8.3\n.target {target}\n.address_size 64\n{all}")
}

#[test]
fn what_is_not_covered_is_said() {
    if !there("what_is_not_covered_is_said") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        std::fs::write(folder.path().join(name), text).expect("the folder is ours");
    };
    let run = |words: &[&str]| sassafras(folder.path(), words);
    write("one.ptx", module("sm_90", &["a"]));
    write("two.ptx", module("sm_90", &["a", "bb"]));
    write("none.ptx", module("sm_90", &[]));
    run(&["compile", "two.ptx", "-arch", "sm_90", "-o", "two.cubin"]).expect(0, "");
    run(&["compile", "one.ptx", "-arch", "sm_90", "-o", "one.cubin"]).expect(0, "");
    run(&["prove", "two.ptx", "--against", "two.cubin"]).expect(0, "bb: proved");
    // An entry that the source lacks, one that the cubin lacks, and a source without any.
    let extra = run(&["prove", "one.ptx", "--against", "two.cubin"]);
    extra.expect(12, "a: proved").expect(12, "bb: not covered: one.ptx has no such entry");
    run(&["prove", "one.ptx", "--against", "two.cubin", "--entry", "a"]).expect(0, "a: proved");
    run(&["prove", "two.ptx", "--against", "one.cubin"]).expect(13, "the target has no entry `bb`");
    run(&["prove", "none.ptx", "--against", "one.cubin"]).expect(12, "none.ptx: it has no entry");
    let json = run(&["--format", "json", "prove", "one.ptx", "--against", "two.cubin"]);
    json.expect(12, "\"uncovered\":[\"bb\"]");
    // A witness that names one of two.
    run(&["prove", "two.ptx", "--against", "two.cubin", "--witness", "all"]).expect(0, "");
    run(&["check-witness", "all"]).expect(0, "accepted: 2 entries");
    run(&["prove", "two.ptx", "--against", "two.cubin", "--entry", "a", "--witness", "some"]).expect(0, "");
    run(&["check-witness", "some"]).expect(12, "accepted: 1 entry").expect(12, "not covered: bb");
    // Of several the one that is rejected decides.
    let text = std::fs::read_to_string(folder.path().join("all")).expect("it was written");
    write("forged", text.replace("two.ptx", "one.ptx"));
    run(&["check-witness", "forged"]).expect(1, "rejected");
    run(&["check-witness", "all", "forged", "some"])
        .expect(1, "not covered: bb")
        .expect(1, "forged: rejected");
}

#[test]
fn a_solver_that_is_named_and_not_there_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), module("sm_90", &["k"])).expect("the folder is ours");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sassafras"));
    command.args(["prove", "k.ptx", "-arch", "sm_90"]).current_dir(folder.path());
    command.env("SASSAFRAS_Z3", "nowhere/z3");
    let run = common::Run::of(command.output().expect("the binary starts"));
    match cfg!(feature = "z3") {
        true => run.expect(0, "proved"),
        false => run.expect(2, "SASSAFRAS_Z3 is `nowhere/z3`, which is no file"),
    };
}

#[test]
fn a_cubin_for_another_target_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| sassafras(folder.path(), words);
    for target in ["sm_90", "sm_90a"] {
        let file = format!("{target}.ptx");
        std::fs::write(folder.path().join(&file), module(target, &["k"])).expect("the folder is ours");
        run(&["compile", &file, "-arch", target, "-o", &format!("{target}.cubin")]).expect(0, "");
    }
    let against = |source: &str, target: &str| {
        run(&["prove", &format!("{source}.ptx"), "--against", &format!("{target}.cubin")])
    };
    against("sm_90a", "sm_90").expect(13, "the source is for sm_90a, the target for sm_90");
    if there("a_cubin_for_another_target_is_refused") {
        against("sm_90", "sm_90a").expect(0, "proved");
        against("sm_90a", "sm_90a").expect(0, "proved");
        run(&["prove", "sm_90a.ptx", "-arch", "sm_90a", "--against", "sm_90a.cubin"]).expect(0, "proved");
    }
}

/// Squarings: their normal form has no end.
#[test]
fn limits_hold_beside_the_solver() {
    if !there("limits_hold_beside_the_solver") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let squarings = "mad.lo.u32 a, a, a, 7;\n".repeat(12);
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 a;\n.reg .b64 d;\n\
         ld.param.u64 d, [p];\nld.global.u32 a, [d];\n{squarings}st.global.u32 [d], a;\nret;\n}}\n"
    );
    std::fs::write(folder.path().join("in.ptx"), text).expect("the folder is ours");
    let started = std::time::Instant::now();
    let run = sassafras(folder.path(), &["prove", "in.ptx", "--timeout", "2"]);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!(run.code == 0 || run.code == 12 && run.out.contains("time"), "{}{}", run.out, run.err);
    let run = sassafras(folder.path(), &["prove", "in.ptx", "--budget", "1"]);
    assert!(run.code == 0 || run.code == 12 && run.out.contains("effort"), "{}{}", run.out, run.err);
}

#[test]
fn a_code_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = sassafras(folder.path(), &["prove", "--explain", "U0504"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.starts_with("U0504: uniform: ") && run.out.contains("to try: "), "{}", run.out);
    let run = sassafras(folder.path(), &["--format", "json", "prove", "--explain", "w0503"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!((run.code, &json["code"]), (0, &serde_json::json!("W0503")));
    for wrong in [&["prove", "--explain", "U9999"][..], &["prove"], &["prove", "--explain", "U0504", "a.ptx"]]
    {
        let run = sassafras(folder.path(), wrong);
        assert_eq!(run.code, 2, "{wrong:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn programs_are_told_the_code_of_a_reason() {
    if !there("programs_are_told_the_code_of_a_reason") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (_, source, target, code) = CASES[2];
    let (source, target) = (lay(folder.path(), source), lay(folder.path(), target));
    let run = |format: &str| {
        let run = sassafras(folder.path(), &["--format", format, "prove", &source, "--against", &target]);
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        serde_json::from_str::<serde_json::Value>(&run.out).expect("it is JSON")
    };
    let own = run("json")["entries"][0]["code"].clone();
    let own = own.as_str().expect("a code");
    assert!(own.len() == 5 && own.starts_with('U'), "{own}");
    let sarif = run("sarif")["runs"][0]["results"][0]["properties"]["code"].clone();
    assert_eq!(sarif, own);
}
