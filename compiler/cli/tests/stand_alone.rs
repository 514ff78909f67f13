//! What entries pay for, and who sees what: as ptxas has it, and proved. Each file of `stand_alone/` is compiled by both.

#![allow(missing_docs)]

mod common;

use common::sassafras;
use sassafras_cubin::{Cubin, Space, read};
use sassafras_oracle::{Tools, skip, workspace_root};
use std::collections::BTreeSet;

/// Name, and the shared memory and visibility of an entry.
type Entry = (String, Option<(u32, u32)>, String);

fn entries(cubin: &Cubin) -> Vec<Entry> {
    let shared = |f: &sassafras_cubin::Function| f.shared.map(|s| (s.size, s.align));
    cubin.functions.iter().map(|f| (f.name.clone(), shared(f), format!("{:?}", f.binding))).collect()
}

/// Name, space, size, visibility and mark of each variable, by name: where they lie is each compiler's own.
fn variables(cubin: &Cubin) -> Vec<(String, bool, u64, bool, bool, u8)> {
    let one = |v: &sassafras_cubin::Variable| {
        (v.name.clone(), v.space == Space::Global, v.size, v.exported, v.weak, v.other)
    };
    let mut all: Vec<_> = cubin.variables.iter().map(one).collect();
    all.sort();
    all
}

/// The assumptions of a proof that docs/proof.md names as outside the base set.
fn beyond_the_base_set(out: &str) -> BTreeSet<&str> {
    const BEYOND: [&str; 9] =
        ["A-NC", "A-FP", "A-TERM", "A-LEADER", "A-OPAQUE", "A-CALL", "A-RETRY", "A-STACK", "A-READY"];
    let ids = out.lines().filter_map(|line| line.trim().strip_prefix("assuming ")?.split([' ', ':']).next());
    ids.filter(|id| BEYOND.contains(id)).collect()
}

#[test]
fn entries_and_variables_are_those_of_ptxas() {
    let test = "entries_and_variables_are_those_of_ptxas";
    let tools = Tools::here();
    let ptxas = match tools.ptxas("13.0.88") {
        Ok(ptxas) => ptxas,
        Err(why) => return skip(test, &why),
    };
    let solver = sassafras_prove::Z3::find(&[&workspace_root()], 1, 1).is_some();
    if !solver {
        skip(test, &"z3 is not installed");
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand_alone");
    let mut count = 0;
    let mut files: Vec<_> = std::fs::read_dir(&folder).expect("the folder").flatten().collect();
    files.sort_by_key(|f| f.file_name());
    for file in files {
        let (path, place) = (file.path(), tempfile::tempdir().expect("a folder"));
        let name = path.to_str().expect("a name").to_owned();
        let run = sassafras(place.path(), &["compile", &name, "-arch", "sm_90", "-o", "own.cubin"]);
        run.expect(0, "");
        let (theirs, said) = ptxas.compile(&path, "sm_90", &[]).expect("ptxas takes it");
        std::fs::write(place.path().join("theirs.cubin"), &theirs).expect("a place for it");
        let own = std::fs::read(place.path().join("own.cubin")).expect("it was written");
        let (own, theirs) = (read(&own).expect("a cubin"), read(&theirs).expect("a cubin"));
        assert_eq!(entries(&own), entries(&theirs), "{name}");
        assert_eq!(variables(&own), variables(&theirs), "{name}");
        // What ptxas warns of is warned of here too.
        for line in said.stderr.lines().filter(|l| l.contains("Unresolved extern variable")) {
            let line = line.split_once(": ").map_or(line, |(_, text)| text);
            assert!(run.err.contains(line), "{name}: {line}: {}", run.err);
        }
        count += 1;
        for (target, other) in [("own.cubin", None), ("theirs.cubin", Some("A-FP"))] {
            if !solver {
                continue;
            }
            // From where the solver is found.
            let target = place.path().join(target);
            let target = target.to_str().expect("a name");
            let run = sassafras(&workspace_root(), &["prove", &name, "--against", target]);
            let seen = format!("{name} {target}: {}{}", run.out, run.err);
            // A recursive function is unrolled to a bound, and has its stack. NVIDIA's code moves constants by HFMA2.
            let beyond = beyond_the_base_set(&run.out);
            let bounded = beyond.contains("A-TERM");
            let code = if bounded {
                11
            } else if beyond.is_empty() {
                0
            } else {
                14
            };
            assert_eq!(run.code, code, "{seen}");
            assert_eq!(bounded, name.ends_with("shared_dynamic.ptx"), "{seen}");
            let known = |id: &str| other == Some(id) || bounded && matches!(id, "A-TERM" | "A-STACK");
            assert!(beyond.iter().all(|id| known(id)), "{seen}");
        }
    }
    assert_eq!(count, 6);
}

/// What a cubin says of calls that the driver resolves.
fn calls(cubin: &Cubin) -> Vec<String> {
    let mut all: Vec<String> = cubin.externs.iter().map(|e| format!("undefined {}", e.name)).collect();
    all.extend(cubin.calls[0].iter().map(|(from, to)| format!("{from} calls {to}")));
    for f in &cubin.functions {
        for record in &f.attributes {
            match (record.id, &record.value) {
                (sassafras_cubin::attribute::EXTERNS, value) => all.push(format!("{}: {value:?}", f.name)),
                (sassafras_cubin::attribute::SYSCALL_OFFSETS, sassafras_cubin::Value::Bytes(bytes)) => {
                    all.push(format!("{}: {} calls", f.name, bytes.len() / 4));
                }
                _ => {}
            }
        }
    }
    all.sort();
    all
}

#[test]
fn system_calls_are_declared_as_ptxas_declares_them() {
    let test = "system_calls_are_declared_as_ptxas_declares_them";
    let tools = Tools::here();
    let (ptxas, nvdisasm) = match (tools.ptxas("13.0.88"), tools.nvdisasm()) {
        (Ok(ptxas), Ok(nvdisasm)) => (ptxas, nvdisasm),
        (Err(why), _) | (_, Err(why)) => return skip(test, &why),
    };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system_calls");
    for name in ["each.ptx", "many.ptx"] {
        let (path, place) = (folder.join(name), tempfile::tempdir().expect("a folder"));
        let text = path.to_str().expect("a name").to_owned();
        // The judges of every stage look on.
        let words = ["compile", &text, "-arch", "sm_90", "-o", "own.cubin", "--judge", "fast"];
        sassafras(place.path(), &words).expect(0, "");
        let own = std::fs::read(place.path().join("own.cubin")).expect("it was written");
        let listing = nvdisasm.disassemble_bytes(&own).expect("nvdisasm takes it");
        assert!(listing.contains("CALL.ABS.NOINC"), "{listing}");
        let (theirs, _) = ptxas.compile(&path, "sm_90", &[]).expect("ptxas takes it");
        let (own, theirs) = (read(&own).expect("a cubin"), read(&theirs).expect("a cubin"));
        assert_eq!(calls(&own), calls(&theirs), "{name}");
    }
}

#[test]
fn what_nothing_defines_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let body = "{ .param .b32 x; st.param.b32 [x], 1; call other, (x); }";
    for (text, message) in [
        (
            format!(".extern .func other(.param .b32 a); .entry k() {{ {body} ret; }}"),
            "Unresolved extern function 'other'",
        ),
        (
            format!(".extern .func other(.param .b32 a); .func f() {{ {body} ret; }}"),
            "Unresolved extern function 'other'",
        ),
        (
            ".extern .func vprintf(.param .b32 a); .entry k() { .reg .b64 d; mov.u64 d, vprintf; ret; }"
                .to_owned(),
            "Cannot take address of function 'vprintf'",
        ),
    ] {
        std::fs::write(folder.path().join("in.ptx"), format!("{head}{text}")).expect("a place for it");
        sassafras(folder.path(), &["compile", "in.ptx", "-arch", "sm_90", "-o", "o.cubin"])
            .expect(1, message);
    }
}
