//! `compile --certify`: a cubin with its proof beside it, which is checked without the compiler and without the prover.

#![allow(missing_docs)]

mod common;

use common::sassafras;
use sassafras_oracle::workspace_root;
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// PTX of the corpus, and the exit code of the proof of our code for it: all proved, proved with further assumptions, or within a bound.
const KERNELS: [(&str, i32); 5] = [
    ("first/padding_shuffled.ptx", 0),
    ("first/vector_add_long.ptx", 14),
    ("kernels/transpose/transpose.fmad.ptx", 0),
    ("kernels/saxpy/saxpy.fmad.ptx", 14),
    ("features/flow_into_second_loop.ptx", 11),
];

fn there(test: &str) -> bool {
    let found = sassafras_prove::Z3::find(&[&workspace_root()], 1, 1).is_some();
    if !found {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), bytes).expect("the folder is ours");
}

/// A folder with this text as `k.ptx`.
fn holding(text: &str) -> TempDir {
    let folder = tempdir().expect("a folder");
    write(folder.path(), "k.ptx", text);
    folder
}

fn corpus(name: &str) -> String {
    std::fs::read_to_string(workspace_root().join("corpus").join(name)).expect("the corpus has it")
}

/// Entries that each store a constant; of the last, squarings, whose normal form has no end.
fn module(entries: &[&str], squarings: usize) -> String {
    let mut text = String::from(".version 8.3\n.target sm_90\n.address_size 64\n");
    for (n, name) in entries.iter().enumerate() {
        text += &format!(
            ".visible .entry {name}(.param .u64 p) {{ .reg .b32 a; .reg .b64 d; ld.param.u64 d, [p]; st.global.u32 [d], {n}; ret; }}\n"
        );
    }
    if squarings > 0 {
        let all = "mad.lo.u32 a, a, a, 7;\n".repeat(squarings);
        text += &format!(
            ".visible .entry many(.param .u64 p) {{ .reg .b32 a; .reg .b64 d; ld.param.u64 d, [p]; ld.global.u32 a, [d];\n{all}st.global.u32 [d], a; ret; }}\n"
        );
    }
    text
}

const CERTIFY: [&str; 5] = ["compile", "--certify", "-arch=sm_90", "k.ptx", "-o"];

#[test]
fn a_certificate_stands_with_its_ptx_and_its_cubin_alone() {
    if !there("a_certificate_stands_with_its_ptx_and_its_cubin_alone") {
        return;
    }
    for (name, code) in KERNELS {
        let folder = holding(&corpus(name));
        let run = |words: &[&str]| sassafras(folder.path(), words);
        std::fs::create_dir(folder.path().join("out")).expect("the folder is ours");
        let made = run(&[&CERTIFY[..], &["out/k.cubin"]].concat());
        made.expect(code, "proved").expect(code, "out/k.witness: `sassafras check-witness` checks it");
        run(&["check-witness", "out/k.witness"]).expect(code, "accepted: 1 entry");
        // The same cubin as without a proof.
        run(&["compile", "-arch=sm_90", "k.ptx", "-o", "plain.cubin"]).expect(0, "");
        let cubin = read(folder.path(), "out/k.cubin");
        assert_eq!(cubin, read(folder.path(), "plain.cubin"), "{name}");

        // Elsewhere, and the three side by side.
        let (ptx, witness) = (read(folder.path(), "k.ptx"), read(folder.path(), "out/k.witness"));
        let other = tempdir().expect("a folder");
        let lay = |ptx: &[u8], cubin: &[u8], witness: &[u8]| {
            write(other.path(), "k.ptx", ptx);
            write(other.path(), "k.cubin", cubin);
            write(other.path(), "k.witness", witness);
            sassafras(other.path(), &["check-witness", "k.witness"])
        };
        lay(&ptx, &cubin, &witness).expect(code, "accepted: 1 entry");
        // A byte of the cubin, a comment in the PTX, and the witness itself.
        let mut changed = cubin.clone();
        let at = changed.len() / 2;
        changed[at] ^= 1;
        lay(&ptx, &changed, &witness).expect(1, "rejected");
        lay(&[&ptx[..], b"// more\n"].concat(), &cubin, &witness).expect(1, "rejected");
        let text = String::from_utf8(witness.clone()).expect("it is text");
        for (from, to) in [("\"entry\": \"", "\"entry\": \"x"), ("\"sha256\": \"", "\"sha256\": \"0")] {
            assert!(text.contains(from), "{name}: no {from} in {text}");
            lay(&ptx, &cubin, text.replacen(from, to, 1).as_bytes()).expect(1, "rejected");
        }
        // Wrong code whose hash the witness has.
        run(&["compile", "-arch=sm_90", "k.ptx", "-o", "wrong.cubin", "--judge", "none", "--plant", FAULT])
            .expect(0, "");
        let wrong = read(folder.path(), "wrong.cubin");
        let (own, others) = (sassafras_witness::sha256(&cubin), sassafras_witness::sha256(&wrong));
        assert!(text.contains(&own) && wrong != cubin, "{name}");
        let forged = lay(&ptx, &wrong, text.replace(&own, &others).as_bytes());
        assert!(forged.code == 1 || forged.code == 12, "{name}: {}{}", forged.out, forged.err);
        assert!(!forged.out.contains("accepted"), "{name}: {}", forged.out);
    }
}

#[test]
fn what_is_unknown_is_written_without_a_proof() {
    if !there("what_is_unknown_is_written_without_a_proof") {
        return;
    }
    let folder = holding(&module(&[], 24));
    let words = [&CERTIFY[..], &["k.cubin", "--budget", "1"]].concat();
    write(folder.path(), "k.witness", "of an earlier cubin");
    sassafras(folder.path(), &words).expect(12, "many: unknown");
    assert!(!read(folder.path(), "k.cubin").is_empty());
    assert!(!folder.path().join("k.witness").exists(), "nothing was proved");

    // Of two entries one is proved: the witness has that one, and says that the other is not covered.
    write(folder.path(), "k.ptx", module(&["one"], 24));
    sassafras(folder.path(), &words).expect(12, "one: proved").expect(12, "many: unknown");
    let checked = sassafras(folder.path(), &["check-witness", "k.witness"]);
    checked.expect(12, "accepted: 1 entry").expect(12, "not covered: many");
    let json = sassafras(folder.path(), &[&words[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json.expect(12, "").out).expect("it is JSON");
    assert_eq!(json["exit"], 12);
    let certificate = &json["files"][0]["certificate"];
    assert_eq!((&certificate["exit"], &certificate["witness"]), (&12.into(), &"k.witness".into()));
    let verdicts: Vec<_> =
        certificate["entries"].as_array().expect("entries").iter().map(|e| &e["verdict"]).collect();
    assert_eq!(verdicts, ["proved", "unknown"]);

    write(folder.path(), "k.ptx", module(&[], 0));
    sassafras(folder.path(), &words).expect(13, "");
    assert!(!folder.path().join("k.witness").exists(), "there is nothing to prove");
}

/// A fault in the code that no other judge is asked about.
#[test]
fn nothing_is_written_of_what_is_refuted() {
    if !there("nothing_is_written_of_what_is_refuted") {
        return;
    }
    let folder = holding(&corpus("features/sub_s32.ptx"));
    let plain = [&CERTIFY[..], &["k.cubin"]].concat();
    sassafras(folder.path(), &plain).expect(0, "k: proved");
    let (cubin, witness) = (read(folder.path(), "k.cubin"), folder.path().join("k.witness"));
    assert!(witness.exists());
    let faulty = [&plain[..], &["--judge", "none", "--plant", FAULT]].concat();
    let run = sassafras(folder.path(), &faulty);
    run.expect(10, "k: refuted").expect(10, "a defect of this compiler");
    assert!(!witness.exists(), "the witness of an earlier cubin is gone");
    assert_eq!(read(folder.path(), "k.cubin"), cubin, "the earlier cubin is as it was");
    std::fs::remove_file(folder.path().join("k.cubin")).expect("it is ours");
    sassafras(folder.path(), &faulty).expect(10, "k: refuted");
    assert!(!folder.path().join("k.cubin").exists());
}

/// Wrong code which is made after the last judge of machine code.
const FAULT: &str = "wrong-destination";

#[test]
fn what_a_witness_cannot_be_about_is_refused() {
    let folder = holding(&module(&["k"], 0));
    let at = folder.path();
    write(at, "l.ptx", module(&["l"], 0));
    for (words, part) in [
        ("compile --certify k.ptx --stop-after lower", "--stop-after makes none"),
        ("compile --certify k.ptx -arch=compute_90", "a virtual target makes none"),
        ("compile --certify k.ptx -o -", "have to be files"),
        ("compile --certify - -o k.cubin", "have to be files"),
        ("compile --certify k.ptx l.ptx -o both.cubin", "several became one"),
        ("compile --certify k.ptx -o k.witness", "the cubin's own name"),
        ("compile --certify k.ptx -e k", "every entry of its PTX"),
        ("compile k.ptx --budget 3", "goes with --certify"),
        ("compile --certify k.ptx --budget 0", "is no number above 0"),
    ] {
        let run = sassafras(at, &words.split(' ').collect::<Vec<_>>());
        run.expect(2, part);
        assert!(!at.join("k.cubin").exists() && !at.join("k.witness").exists(), "{words}");
    }
}
