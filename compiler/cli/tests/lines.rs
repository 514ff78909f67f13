//! Line information: what nvdisasm shows of our code beside what it shows of ptxas's, for the kernels of `corpus/lines`.
//!
//! The code is not the same, so that addresses cannot be compared. Compared are the places that have code, each with the calls
//! around it, and the places of instructions that both compilers must keep: accesses to memory, atomics, barriers, operations
//! across lanes, calls. Those are matched in order within each class of opcodes; where the two have different numbers of a class
//! (ptxas unrolls loops, joins accesses and inlines less), by place alone.

mod common;

use common::sassafras;
use sassafras_oracle::{Nvdisasm, Ptxas, Tools, skip, workspace_root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::tempdir;

/// The classes of opcodes that both compilers keep: the name of each and how its opcodes begin.
const CLASSES: &[(&str, &[&str])] = &[
    ("load", &["LDG", "LD.E"]),
    ("store", &["STG", "ST.E"]),
    ("shared load", &["LDS"]),
    ("shared store", &["STS"]),
    ("atomic", &["ATOM", "RED.", "REDG", "REDS"]),
    ("barrier", &["BAR"]),
    ("shuffle", &["SHFL"]),
    ("vote", &["VOTE"]),
];

/// One instruction of a listing: its opcode and the lines that nvdisasm prints for it.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    opcode: String,
    place: String,
}

/// The instructions of each function in a listing of `nvdisasm -c -gi`, padding left out.
fn listing(text: &str) -> BTreeMap<String, Vec<Shown>> {
    let mut out: BTreeMap<String, Vec<Shown>> = BTreeMap::new();
    let (mut function, mut place, mut fresh) = (String::new(), String::new(), false);
    for line in text.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix(".section\t.text.") {
            function = name.split(',').next().unwrap_or_default().to_owned();
            place.clear();
        } else if let Some(said) = line.strip_prefix("//## ") {
            // Several lines in a row are one chain of calls.
            if !std::mem::replace(&mut fresh, true) {
                place.clear();
            }
            place += said;
            place.push('\n');
        } else if let Some((_, word)) = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
            fresh = false;
            let mut words = word.split_whitespace().filter(|word| !word.starts_with('@'));
            let opcode = words.next().unwrap_or_default().trim_end_matches(';').to_owned();
            if opcode != "NOP" {
                out.entry(function.clone()).or_default().push(Shown { opcode, place: place.clone() });
            }
        } else if !line.is_empty() {
            fresh = false;
        }
    }
    out
}

/// What a comparison found.
#[derive(Default, Debug)]
struct Count {
    /// Places that both have, that ptxas alone has, that we alone have.
    places: [usize; 3],
    /// Instructions of the classes with equal places, with different ones, and without a partner.
    matched: [usize; 3],
}

fn compare(ours: &[Shown], theirs: &[Shown], name: &str, count: &mut Count) {
    let places = |list: &[Shown]| -> BTreeSet<String> { list.iter().map(|i| i.place.clone()).collect() };
    let (a, b) = (places(ours), places(theirs));
    count.places[0] += a.intersection(&b).count();
    for (index, only) in [(1, b.difference(&a)), (2, a.difference(&b))] {
        for place in only {
            count.places[index] += 1;
            let who = if index == 1 { "ptxas" } else { "ours" };
            println!("  {name}: only {who}: {}", place.trim_end().replace('\n', " | "));
        }
    }
    for (class, starts) in CLASSES {
        let of = |list: &[Shown]| -> Vec<String> {
            let fits = |i: &&Shown| starts.iter().any(|start| i.opcode.starts_with(start));
            list.iter().filter(fits).map(|i| i.place.clone()).collect()
        };
        let (ours, mut theirs) = (of(ours), of(theirs));
        if ours.len() == theirs.len() {
            // The schedules differ: equal lists as wholes, whatever the order.
            for place in &ours {
                match theirs.iter().position(|other| other == place) {
                    Some(at) => {
                        theirs.remove(at);
                        count.matched[0] += 1;
                    }
                    None => {
                        count.matched[1] += 1;
                        println!("  {name}: {class}: {}", place.trim_end().replace('\n', " | "));
                    }
                }
            }
        } else {
            let (a, b): (BTreeSet<_>, BTreeSet<_>) = (ours.iter().collect(), theirs.iter().collect());
            println!("  {name}: {class}: {} of ours, {} of ptxas's", ours.len(), theirs.len());
            count.matched[if a == b { 0 } else { 1 }] += ours.len().min(theirs.len());
            count.matched[2] += ours.len().abs_diff(theirs.len());
        }
    }
}

fn kernels() -> Vec<PathBuf> {
    let folder = workspace_root().join("corpus/lines");
    let entries = std::fs::read_dir(folder).expect("the folder of kernels");
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "ptx")).collect();
    paths.sort();
    assert!(paths.len() >= 20, "{} kernels", paths.len());
    paths
}

fn tools(name: &str) -> Option<(Ptxas, Nvdisasm)> {
    let tools = Tools::here();
    match (tools.ptxas("13.0.88"), tools.nvdisasm_of("13.0.88")) {
        (Ok(ptxas), Ok(nvdisasm)) => Some((ptxas, nvdisasm)),
        (Err(missing), _) | (_, Err(missing)) => {
            skip(name, &missing);
            None
        }
    }
}

fn shown(nvdisasm: &Nvdisasm, cubin: &Path) -> BTreeMap<String, Vec<Shown>> {
    let output = nvdisasm.run(cubin, &["-c", "-gi"]).expect("nvdisasm runs");
    assert!(output.ok(), "{}: {}", cubin.display(), output.stderr);
    listing(&output.stdout)
}

#[test]
fn nvdisasm_shows_the_lines_that_it_shows_of_ptxas() {
    let Some((ptxas, nvdisasm)) = tools("lines-nvdisasm") else { return };
    let folder = tempdir().expect("a folder");
    let mut total = Count::default();
    for path in kernels() {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (ours, theirs) = (folder.path().join("ours.cubin"), folder.path().join("theirs.cubin"));
        let (input, output) = (path.to_string_lossy(), ours.to_string_lossy());
        sassafras(folder.path(), &["compile", "-lineinfo", "-arch=sm_90", &input, "-o", &output])
            .expect(0, "");
        let (bytes, _) = ptxas.compile(&path, "sm_90", &["-lineinfo"]).expect("ptxas compiles");
        std::fs::write(&theirs, bytes).expect("the folder is ours");
        let (ours, theirs) = (shown(&nvdisasm, &ours), shown(&nvdisasm, &theirs));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{name}");
        let mut count = Count::default();
        for (function, list) in &ours {
            assert!(
                list.iter().all(|inst| !inst.place.is_empty()),
                "{name}: {function} has code without a place"
            );
            compare(list, &theirs[function], &name, &mut count);
        }
        println!("{name}: {count:?}");
        for (sum, one) in
            total.places.iter_mut().chain(&mut total.matched).zip(count.places.iter().chain(&count.matched))
        {
            *sum += one;
        }
    }
    println!("all: {total:?}");
}

/// Without `-lineinfo` a module with `.loc` has lines too, as ptxas does it; with `-suppress-debug-info` none has.
#[test]
fn when_lines_are_written() {
    let folder = tempdir().expect("a folder");
    let input = workspace_root().join("corpus/lines/saxpy.ptx");
    let text = std::fs::read_to_string(&input).expect("a kernel");
    let plain: String =
        text.lines().filter(|l| !l.trim_start().starts_with(".loc")).collect::<Vec<_>>().join("\n");
    std::fs::write(folder.path().join("with.ptx"), text).expect("the folder is ours");
    std::fs::write(folder.path().join("plain.ptx"), plain).expect("the folder is ours");
    let sections = |name: &str, options: &[&str]| {
        let words = [&["compile", "-arch=sm_90", name, "-o", "out.cubin"], options].concat();
        sassafras(folder.path(), &words).expect(0, "");
        let bytes = std::fs::read(folder.path().join("out.cubin")).expect("it was written");
        let cubin = sassafras_cubin::read(&bytes).expect("it reads");
        let names: Vec<String> =
            cubin.sections.iter().filter(|s| s.is_lines()).map(|s| s.name.clone()).collect();
        (cubin.functions[0].code.clone(), names.join(" "), cubin.debug)
    };
    use sassafras_cubin::Debug;
    let all = ".debug_line .debug_str .nv_debug_line_sass .nv_debug_ptx_txt";
    let (code, names, debug) = sections("with.ptx", &["-lineinfo"]);
    assert_eq!((names.as_str(), debug), (all, Debug::Sections));
    assert_eq!(sections("with.ptx", &[]), (code.clone(), all.into(), Debug::Sections));
    let suppressed = sections("with.ptx", &["-lineinfo", "-suppress-debug-info"]);
    assert_eq!(suppressed, (code.clone(), String::new(), Debug::None));
    assert_eq!(sections("plain.ptx", &[]), (code.clone(), String::new(), Debug::None));
    assert_eq!(sections("plain.ptx", &["-lineinfo"]), (code, all.into(), Debug::Sections));
}

/// DWARF that the PTX brings along, as Triton's does: its lines are written, the rest is left out, and said to be.
#[test]
fn sections_of_the_ptx() {
    let folder = tempdir().expect("a folder");
    let text = "
.version 8.4
.target sm_90a
.address_size 64
.visible .entry add_one(.param .u64 p)
.reqntid 32
{
.reg .b32 %r<4>;
.reg .b64 %rd<3>;
$L__func_begin0:
.loc 1 5 0
ld.param.u64 %rd1, [p];
$L__tmp0:
.loc 1 10 24 // add.py:10:24
mov.u32 %r1, %tid.x;
mul.wide.s32 %rd2, %r1, 4;
add.s64 %rd1, %rd1, %rd2;
.loc 2 30 8
ld.global.b32 %r2, [ %rd1 + 0 ];
$L__tmp1:
add.s32 %r3, %r2, 1;
.loc 1 12 4
st.global.b32 [ %rd1 + 0 ], %r3;
ret;
$L__func_end0:
}
.file 1 \"/src/add.py\"
.file 2 \"/lib/triton/standard.py\"
.section .debug_abbrev
{
.b8 1, 17, 0, 37, 8, 0, 0
.b8 0
}
.section .debug_info
{
.b32 19
.b8 2, 0
.b32 .debug_abbrev
.b8 8, 1
.b64 $L__func_begin0
.b64 $L__func_end0
}
.section .debug_macinfo { }
";
    std::fs::write(folder.path().join("add.ptx"), text).expect("the folder is ours");
    let words = ["compile", "-lineinfo", "-arch=sm_90a", "add.ptx", "-o", "add.cubin", "--judge", "fast"];
    let left_out = "note: add.ptx: debug sections of the PTX are left out, which only -g would keep: \
                    .debug_abbrev, .debug_info, .debug_macinfo";
    sassafras(folder.path(), &words).expect(0, left_out);
    let bytes = std::fs::read(folder.path().join("add.cubin")).expect("it was written");
    let cubin = sassafras_cubin::read(&bytes).expect("it reads");
    let names: Vec<&str> =
        cubin.sections.iter().map(|s| s.name.as_str()).filter(|n| n.contains("debug")).collect();
    assert_eq!(names, [".debug_line", ".nv_debug_line_sass", ".nv_debug_ptx_txt"]);
    let rows = &sassafras_check::lines::sequences(&cubin, ".debug_line").expect("it reads")[0].rows;
    let places: BTreeSet<(&str, u64)> = rows.iter().map(|r| (r.frames[0].file.as_str(), r.line)).collect();
    let (own, library) = ("/src/add.py", "/lib/triton/standard.py");
    assert_eq!(places, BTreeSet::from([(own, 5), (own, 10), (own, 12), (library, 30)]));
}

/// A `.loc` that names no file loses its lines, and says so.
#[test]
fn files_that_are_not_declared() {
    let folder = tempdir().expect("a folder");
    let module = |files: &str| {
        let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
        let text = format!("{head}{files}\n.visible .entry k() {{\n.loc 7 3 1\nret;\n}}\n");
        std::fs::write(folder.path().join("k.ptx"), text).expect("the folder is ours");
        sassafras(folder.path(), &["compile", "-arch=sm_90", "k.ptx", "-o", "k.cubin", "--judge", "fast"])
    };
    // The first sentence is ptxas's.
    module("").expect(0, ".loc directive without .file directive is found, line information");
    module(".file 1 \"a.cu\"").expect(0, "a .loc names file 7, which no .file declares");
    module(".file 7 \"\"").expect(0, "a .loc names file 7, which no .file declares");
    let quiet = module(".file 7 \"a.cu\"\n.file 2 \"b.cu\"");
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
    // Numbers with gaps are packed, and the row names the right file.
    let cubin = sassafras_cubin::read(&std::fs::read(folder.path().join("k.cubin")).expect("it was written"));
    let rows = sassafras_check::lines::sequences(&cubin.expect("it reads"), ".debug_line").expect("it reads");
    assert_eq!(rows[0].rows[0].frames[0].file, "a.cu");
}
