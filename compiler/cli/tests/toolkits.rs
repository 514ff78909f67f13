//! Cubins of every toolkit from CUDA 11.8 to 13.5: listed, disassembled, checked and held against their PTX; none is refused.

#![allow(missing_docs)]

mod common;

use common::sassafras;
use sassafras::listing::{Look, chip, listing};
use sassafras_cubin::{UNKNOWN_STACK, elf, read};
use sassafras_emit::exact;
use sassafras_oracle::{Tools, skip, table, workspace_root};
use sassafras_reference::traces;
use std::collections::BTreeMap;
use tempfile::tempdir;

const CHIPS: [&str; 3] = ["sm_75", "sm_90", "sm_120"];

/// One recorded cubin.
struct Recorded {
    version: &'static str,
    chip: &'static str,
    name: String,
    bytes: Vec<u8>,
    text: String,
}

impl Recorded {
    fn what(&self) -> String {
        format!("{} {} {}", self.version, self.chip, self.name)
    }
}

fn all() -> Vec<Recorded> {
    let root = workspace_root();
    let names = traces::toolkit_names(&root);
    let mut all = Vec::new();
    for version in table::TOOLKITS {
        for chip in CHIPS {
            for name in &names {
                if let Some((bytes, text)) = traces::toolkit(&root, version, chip, name) {
                    all.push(Recorded { version, chip, name: name.clone(), bytes, text });
                }
            }
        }
    }
    // 13 versions, each for two chips.
    assert_eq!((names.len(), all.len()), (12, 12 * 13 * 2));
    all
}

/// A listing without the lines and the numbers of labels: nvdisasm 13.5.37 has labels behind calls that 13.2.51, whose text ours is, has not.
fn without_labels(text: &str) -> String {
    let mut all = String::new();
    for line in text.lines().filter(|l| !l.starts_with(".L_x_")) {
        let mut parts = line.split(".L_x_");
        all += parts.next().unwrap_or_default();
        for part in parts {
            all += ".L";
            all += part.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        all.push('\n');
    }
    all
}

/// How many named barriers an entry of a program uses.
fn barriers(name: &str) -> u8 {
    match name {
        "named_barriers" => 4,
        "barrier_numbers" => 16,
        "atomics" | "dynamic_shared" | "reductions" | "several" => 1,
        _ => 0,
    }
}

/// The listing is nvdisasm's; the file comes back; the model has the barriers, and a stack where one is known.
#[test]
fn every_toolkits_cubins_are_read() {
    for r in all() {
        let what = r.what();
        let image = elf::read(&r.bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        let ours = listing(&image, chip(&image).expect("a chip of the table"), Look::default())
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        let (ours, theirs) = match r.version {
            table::CUDA_NEWER => (without_labels(&ours.text), without_labels(&r.text)),
            _ => (ours.text, r.text.clone()),
        };
        let place = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert!(ours == theirs, "{what}: {place:#?}");
        let file = exact::read(&r.bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(exact::write(&file).is_ok_and(|again| again == r.bytes), "{what} does not come back");
        let cubin = read(&r.bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        let f = cubin.functions.iter().find(|f| f.name == r.name).expect("the entry is there");
        assert_eq!(f.barriers, barriers(&r.name), "{what}");
        assert!(f.stack() < UNKNOWN_STACK, "{what}: {}", f.stack());
        let frame = if r.name == "prints" { 8 } else { f.frame_size };
        assert!(f.stack() >= frame, "{what}");
    }
}

/// A barrier that the flags do not declare is objected to: the judge reads them.
#[test]
fn barriers_that_the_flags_lack_are_missed() {
    let r = all().into_iter().find(|r| r.what() == "12.2.140 sm_90 named_barriers").expect("it is recorded");
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("in.cubin");
    std::fs::write(&path, &r.bytes).expect("the folder is ours");
    sassafras(folder.path(), &["check", "in.cubin"]).expect(0, "hazards: 0 objections");
    let mut file = exact::read(&r.bytes).expect("it reads");
    let text = file.sections.iter_mut().find(|s| s.name.starts_with(".text.")).expect("code");
    text.flags -= 1 << 20;
    std::fs::write(&path, exact::write(&file).expect("it is written")).expect("the folder is ours");
    sassafras(folder.path(), &["check", "in.cubin"]).expect(10, "3 declared, 4 used [cubin-barriers]");
}

/// No command refuses one, and `check` objects to none.
#[test]
fn every_toolkits_cubins_pass_the_commands() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("in.cubin");
    let mut wrong = Vec::new();
    for r in all() {
        std::fs::write(&path, &r.bytes).expect("the folder is ours");
        for (command, codes) in [("list", &[0][..]), ("disasm", &[0]), ("check", &[0, 12])] {
            let run = sassafras(folder.path(), &[command, "in.cubin"]);
            if !codes.contains(&run.code) {
                wrong.push(format!("{} {command}: exit {}", r.what(), run.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Held against the PTX: none is refuted, none is unknown because of its container, and those that are proved stay so. One version of each
/// generation of the container; `TOOLKITS_FULL` takes all.
#[test]
fn every_toolkits_cubins_are_held_against_their_ptx() {
    let root = workspace_root();
    if let Err(reason) = Tools::here().z3() {
        return skip("every_toolkits_cubins_are_held_against_their_ptx", &reason);
    }
    let folder = tempdir().expect("a folder");
    // The solver is looked for from the working folder upwards.
    std::os::unix::fs::symlink(root.join(".z3"), folder.path().join(".z3")).expect("a link");
    let path = folder.path().join("in.cubin");
    let full = std::env::var_os("TOOLKITS_FULL").is_some();
    let some = ["11.8.89", "12.4.131", "12.9.86"];
    let (mut wrong, mut verdicts) = (Vec::new(), BTreeMap::new());
    for r in all() {
        if !full && (!some.contains(&r.version) || r.chip == "sm_75" && r.version != "11.8.89") {
            continue;
        }
        std::fs::write(&path, &r.bytes).expect("the folder is ours");
        let source = root.join(format!("corpus/toolkits/{}.ptx", r.name));
        let source = source.to_str().expect("a path of text");
        let run = sassafras(folder.path(), &["prove", source, "--against", "in.cubin", "--timeout", "20"]);
        *verdicts.entry(run.code).or_insert(0) += 1;
        if ![0, 11, 12, 14].contains(&run.code)
            || run.out.contains("cubin:")
            || run.out.contains("not linked")
            || run.out.contains("by a relocation")
        {
            let line = run.out.lines().find(|l| l.contains("unknown") || l.contains("refuted"));
            wrong.push(format!("{}: {} {line:?}", r.what(), run.code));
        }
    }
    println!("exit codes and how often: {verdicts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(verdicts.get(&14).is_some_and(|n| *n >= 24), "{verdicts:?}");
}
