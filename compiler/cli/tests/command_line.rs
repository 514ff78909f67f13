//! The command line as tools speak it: called as `ptxas`, in ptxas's shapes.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Run, sassafras};
use tempfile::{TempDir, tempdir};

const ONE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one(.param .u64 p)\n{\n.reg .b64 %d;\n\
                   ld.param.u64 %d, [p];\nst.global.u32 [%d], 1;\nret;\n}\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("the folder is ours");
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sassafras"), folder.path().join("ptxas")).expect("a name");
    folder
}

/// Runs the binary by its name `ptxas`.
fn ptxas(folder: &Path, words: &[&str]) -> Run {
    let output = Command::new(folder.join("ptxas")).args(words).current_dir(folder).output();
    Run::of(output.expect("it starts"))
}

/// As [`ptxas`], of one line, whose output file is new.
fn line(folder: &Path, words: &str) -> Run {
    ptxas(folder, &words.split(' ').collect::<Vec<_>>())
}

#[test]
fn the_version_is_what_tools_read() {
    let folder = folder(&[]);
    let run = line(folder.path(), "--version");
    run.expect(0, "Sassafras").expect(0, "ptxas: ").expect(0, "release 13.5, V13.5.0");
    assert!(run.err.is_empty());
    // Triton calls a second link for newer chips.
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sassafras"), folder.path().join("ptxas-blackwell"))
        .expect("a name");
    let other = Command::new(folder.path().join("ptxas-blackwell")).arg("--version").output();
    assert_eq!(Run::of(other.expect("it starts")).out, run.out);
    sassafras(folder.path(), &["compile", "--version"]).expect(0, "sassafras ");
}

/// XLA asks for the newest PTX version: it splits all of standard error at single quotes, and wants three parts.
#[test]
fn the_newest_version_stands_between_the_only_quotes() {
    let folder = folder(&[]);
    let run = ptxas(folder.path(), &["--input-as-string", ".version 99.99"]);
    run.expect(
        1,
        "ptxas application ptx input, line 1; fatal   : Unsupported .version 99.99; current version is '",
    );
    assert_eq!(run.err.split('\'').collect::<Vec<_>>()[1..2], ["9.5"]);
    assert_eq!(run.err.split('\'').count(), 3, "{}", run.err);
}

#[test]
fn spellings_that_ptxas_takes_compile() {
    let folder = folder(&[("in.ptx", ONE)]);
    for words in [
        "-arch=sm_90 -m64 in.ptx -o out",
        "-arch sm_90 -m 64 -O3 in.ptx -o=out",
        "-arch=sm_90 --machine 64 --opt-level 3 --fmad false -split-compile=2 -split-compile=2 in.ptx -o out",
        "-m64 -O0 --gpu-name sm_90 --output-file out in.ptx -v",
        "-arch=sm_90 -m64 -v -O2 -v -w in.ptx --output-file=out",
        "-lineinfo --fmad=false -v --regAllocOptLevel=2 --gpu-name=sm_90a in.ptx -o out",
        "-lineinfo -suppress-debug-info -v --regAllocOptLevel=2 --gpu-name=sm_90a in.ptx -o out",
        "-arch=sm_90 -regUsageLevel=10 -maxrregcount=32 in.ptx -o out",
    ] {
        let _ = std::fs::remove_file(folder.path().join("out"));
        line(folder.path(), words).expect(0, "");
        assert!(folder.path().join("out").exists(), "{words}");
    }
    // nvcc -ptx only has its PTX parsed.
    line(folder.path(), "-arch=compute_90 -m64 in.ptx").expect(0, "");
    assert!(!folder.path().join("elf.o").exists());
}

#[test]
fn messages_stand_in_the_shapes_of_ptxas() {
    let bad = ONE.replace("st.global.u32", "foo.u32").replace("[%d], 1", "[%d], %x");
    let folder = folder(&[
        ("in.ptx", ONE),
        ("bad.ptx", &bad),
        ("text.ptx", "hello\n"),
        ("x.ptx", ".version 8.0\n.target sm_90\nx\n"),
    ]);
    let path = folder.path();
    for (words, code, part) in [
        ("-arch=sm_99 in.ptx", 2, "ptxas fatal   : Value 'sm_99' is not defined for option 'gpu-name'\n"),
        ("--nonsense in.ptx", 2, "ptxas fatal   : Unknown option '-nonsense'\n"),
        (
            "-arch=sm_90 no.ptx",
            1,
            "ptxas fatal   : Input file 'no.ptx' could not be opened\nptxas fatal   : Ptx assembly aborted",
        ),
        (
            "-arch=sm_90 bad.ptx",
            1,
            "ptxas bad.ptx, line 8; error   : Not a name of any known instruction: 'foo",
        ),
        ("-arch=sm_90 bad.ptx", 1, "\nptxas fatal   : Ptx assembly aborted due to errors\n"),
        ("-arch=sm_90 x.ptx", 1, "ptxas x.ptx, line 3; fatal   : Parsing error near 'x': syntax error"),
        ("-arch=sm_90 text.ptx", 1, "ptxas text.ptx, line 1; fatal   : "),
        ("-arch=sm_90 -e two in.ptx", 1, "ptxas fatal   : Unknown function two\n"),
        (
            "-arch=sm_90 -maxrregcount=5 in.ptx",
            0,
            "ptxas warning : For entry one adjusting per thread register count of 5 to lower bound of 24\n",
        ),
        ("-arch=sm_90 -Werror -maxrregcount=5 in.ptx", 1, "ptxas error   : For entry one adjusting"),
        (
            "-arch=sm_90 -O3 -O2 in.ptx",
            0,
            "ptxas warning : incompatible redefinition for option 'opt-level', the last value of this option was used\n",
        ),
        ("in.ptx", 1, "give -arch=sm_90"),
        (
            "-arch=sm_80 in.ptx",
            1,
            "ptxas fatal   : SM version specified by .target is higher than default SM version assumed",
        ),
    ] {
        let run = line(path, words);
        run.expect(code, part);
        assert!(run.err.starts_with("ptxas "), "{words}: {}", run.err);
    }
    for option in ["-c", "-g", "-ewp", "-pic=false", "-astoolspatch", "-annotate", "-preserve-relocs"] {
        line(path, &format!("-arch=sm_90 {option} in.ptx -o out")).expect(4, "ptxas fatal   : option `-");
    }
    // Warnings that are no errors can be switched off.
    assert!(line(path, "-arch=sm_90 -w -maxrregcount=5 in.ptx").err.is_empty());
}

#[test]
fn statistics_are_read_by_tools() {
    let folder = folder(&[("in.ptx", ONE)]);
    let run = line(folder.path(), "-arch=sm_90 -v in.ptx -o out");
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "ptxas info    : 0 bytes gmem",
            "ptxas info    : Compiling entry function 'one' for 'sm_90'",
            "ptxas info    : Function properties for one",
        ]
    );
    assert_eq!(lines[3], "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads");
    assert!(
        lines[4].starts_with("ptxas info    : Used ") && lines[4].ends_with(" registers, used 0 barriers"),
        "{}",
        run.err
    );
}

#[test]
fn spills_are_told_in_the_words_that_xla_reads() {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxnreg 24\n{\n\
         .reg .b64 %d<2>; .reg .f32 %f<64>;\nld.param.u64 %d1,[p];\n",
    );
    (0..60).for_each(|i| text += &format!("ld.global.f32 %f{i}, [%d1+{}];\n", 4 * i));
    text += "bar.sync 0;\n";
    (0..60).for_each(|i| text += &format!("st.global.f32 [%d1+{}], %f{};\n", 400 - 4 * i, 59 - i));
    text += "ret;\n}\n";
    let folder = folder(&[("in.ptx", &text)]);
    let run = line(folder.path(), "in.ptx -o out -arch=sm_90 --warn-on-spills");
    run.expect(0, "ptxas warning : Registers are spilled to local memory in function 'k', ");
    let numbers = run.err.split("'k', ").nth(1).unwrap_or_default().trim_end();
    let words: Vec<&str> = numbers.split(' ').collect();
    assert!(matches!(words[..], [_, "bytes", "spill", "stores,", _, "bytes", "spill", "loads"]), "{numbers}");
    assert!(words[0].parse::<u32>().is_ok_and(|n| n > 0), "{numbers}");
}

#[test]
fn an_entry_compiles_beside_what_is_not_supported() {
    // A name that the driver resolves, with other parameters than its own.
    let other = "\n.visible .entry two(.param .u64 p)\n{\n.reg .b32 %r;\ncall (%r), malloc, (%r);\nret;\n}\n";
    let text = format!(
        "{}{other}",
        ONE.replace(".visible .entry", ".extern .func (.reg .b32 r) malloc (.reg .b32 x);\n.visible .entry")
    );
    let folder = folder(&[("in.ptx", &text)]);
    assert_ne!(line(folder.path(), "-arch=sm_90 in.ptx -o out").code, 0);
    line(folder.path(), "-arch=sm_90 -e one in.ptx -o out").expect(0, "");
    // What is wrong stays wrong.
    std::fs::write(folder.path().join("in.ptx"), format!("{ONE}.visible .entry two()\n{{\nfoo;\n}}\n"))
        .expect("ours");
    line(folder.path(), "-arch=sm_90 -e one in.ptx -o out").expect(1, "line 13");
}

#[test]
fn several_inputs_make_one_cubin() {
    let two = ONE.replace("one", "two").replace("8.0", "7.8");
    let three = ONE.replace("one", "three").replace("1;", "%x;");
    let folder = folder(&[("a.ptx", ONE), ("b.ptx", &two), ("c.ptx", &three)]);
    let path = folder.path();
    line(path, "-arch=sm_90 a.ptx b.ptx").expect(0, "");
    let cubin = sassafras_cubin::read(&std::fs::read(path.join("elf.o")).expect("ptxas's name for it"));
    let names: Vec<String> = cubin.expect("it reads").functions.into_iter().map(|f| f.name).collect();
    assert_eq!(names, ["two", "one"]);
    sassafras(path, &["compile", "a.ptx", "b.ptx", "-arch=sm_90", "-o", "out"]).expect(0, "");
    assert_eq!(
        std::fs::read(path.join("out")).expect("written"),
        std::fs::read(path.join("elf.o")).expect("written")
    );
    line(path, "-arch=sm_90 a.ptx a.ptx").expect(1, "ptxas a.ptx, line 4; error   : ");
    line(path, "-arch=sm_90 a.ptx c.ptx").expect(1, "ptxas c.ptx, line 8; error   : Unknown symbol '%x'");
}

#[test]
fn options_of_every_command_may_stand_before_it() {
    let folder = folder(&[("in.ptx", ONE)]);
    let path = folder.path();
    let run =
        sassafras(path, &["--quiet", "compile", "in.ptx", "-arch=sm_90", "-opt-fp-atomics", "-o", "out"]);
    assert!(run.expect(0, "").err.is_empty());
    sassafras(path, &["--format", "json", "--jobs=1", "compile", "in.ptx", "-arch=sm_90", "-o", "out"])
        .expect(0, "\"exit\":0");
    sassafras(path, &["--nonsense", "compile"]).expect(2, "nonsense");
}

/// A reader that has gone ends nothing: the exit code stays.
#[test]
fn closed_pipes_are_quiet() {
    let folder = folder(&[("in.ptx", ONE), ("bad.ptx", ".version 8.0\n.target sm_90\nx\n")]);
    let path = folder.path().display();
    for (command, code) in [
        ("./ptxas -arch=sm_90 bad.ptx 2>&1", 1),
        ("./ptxas -arch=sm_90 -v in.ptx -o out 2>&1", 0),
        ("./ptxas -arch=sm_99 in.ptx 2>&1", 2),
        ("./ptxas --help", 0),
        ("./ptxas -arch=sm_90 in.ptx -o -", 0),
        ("./sassafras check bad.ptx 2>&1", 1),
        ("./sassafras nonsense 2>&1", 2),
        ("./sassafras disasm nowhere.cubin 2>&1", 1),
    ] {
        // The reader is gone before the writer starts.
        let script = format!(
            "cd {path}; ln -sf {} sassafras; {{ sleep 0.2; {command}; echo $? >&3; }} 3>&2 | true",
            env!("CARGO_BIN_EXE_sassafras")
        );
        let output = Command::new("bash").args(["-c", &script]).output().expect("bash is here");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err.trim(), code.to_string(), "{command}: {err}");
    }
}

/// Command lines of every option, of values good and bad, in any order: an exit code of ours, and no panic.
#[test]
fn random_command_lines_never_panic() {
    let folder = folder(&[("in.ptx", ONE)]);
    let rows = &*sassafras_driver::options::ROWS;
    arbtest::arbtest(|u| {
        let mut words: Vec<String> = Vec::new();
        for _ in 0..u.int_in_range(1..=6)? {
            let row = u.choose(rows)?;
            let dashes = *u.choose(&["-", "--", ""])?;
            let name = if u.arbitrary()? { row.long } else { row.short };
            let values = [
                "",
                "0",
                "3",
                "64",
                "-1",
                "99999999999999999999",
                "true",
                "sm_90",
                "cg",
                "in.ptx",
                "x,y",
                "'",
                "é",
                "\u{0}1",
            ];
            let value = (*u.choose(&values)?).replace('\0', "");
            match u.int_in_range(0..=3)? {
                0 => words.push(format!("{dashes}{name}")),
                1 => words.push(format!("{dashes}{name}={value}")),
                2 => words.push(format!("{dashes}{name}{value}")),
                _ => words.extend([format!("{dashes}{name}"), value]),
            }
        }
        let result = std::panic::catch_unwind(|| {
            let none = |_: &str| Err(std::io::ErrorKind::NotFound.into());
            drop(sassafras_driver::options::parse(&words, &none));
        });
        assert!(result.is_ok(), "{words:?}");
        Ok(())
    })
    .budget_ms(2_000);
    // Some of them through the whole binary.
    for words in [
        &["-O", "-m64", "-"][..],
        &["-arch", "sm_90", "in.ptx", "-o", ""],
        &["-arch=sm_90", "-ias", "", "-o", "x"],
        &["-maxntid=,,", "in.ptx"],
        &["-optf", "in.ptx"],
        &["--", "in.ptx"],
        &["-arch=sm_90", "-e", ",,", "in.ptx", "-o", "x"],
        &["-arch=sm_90", "in.ptx", "in.ptx", "-o", "x"],
        &["-arch=sm_90", ".", "-o", "x"],
    ] {
        let run = ptxas(folder.path(), words);
        assert!([0, 1, 2, 4].contains(&run.code), "{words:?}: {} {}", run.code, run.err);
    }
}

/// The mnemonic of a kernel's only access of this kind to global memory.
fn mnemonic(path: &Path, instruction: &str, options: &str) -> String {
    let text = ONE.replace("st.global.u32 [%d], 1;", instruction);
    std::fs::write(path.join("cache.ptx"), text).expect("the folder is ours");
    let words = format!("-arch=sm_90 cache.ptx -o cache.cubin {options}");
    line(path, words.trim_end()).expect(0, "");
    let listing = sassafras(path, &["disasm", "cache.cubin"]);
    let kind = if instruction.contains("ld.") { "LD" } else { "ST" };
    let found = listing
        .expect(0, "")
        .out
        .split_whitespace()
        .find(|w| w.starts_with(&format!("{kind}G.")) || w.starts_with(&format!("{kind}.E")));
    found.unwrap_or_else(|| panic!("{instruction}: no access in\n{}", listing.out)).to_owned()
}

/// Each as ptxas 13.0.88 -arch=sm_90 has it.
#[test]
fn cache_operators_are_in_the_code() {
    let folder = folder(&[]);
    let path = folder.path();
    let load = |op: &str| format!(".reg .b32 %r; {op} %r, [%d]; st.global.u32 [%d+8], %r;");
    let store = |op: &str| format!("{op} [%d], 1;");
    for (op, options, text) in [
        ("ld.global.u32", "", "LDG.E"),
        ("ld.global.ca.u32", "", "LDG.E.STRONG.SM"),
        ("ld.global.cg.u32", "", "LDG.E.STRONG.GPU"),
        ("ld.global.cs.u32", "", "LDG.E.EF"),
        ("ld.global.lu.u32", "", "LDG.E.LU"),
        ("ld.global.cv.u32", "", "LDG.E.STRONG.SYS"),
        ("ld.cg.u32", "", "LD.E.STRONG.GPU"),
        ("ld.cs.u32", "", "LD.E.EF"),
        ("ld.global.u32", "-dlcm=cg", "LDG.E.STRONG.GPU"),
        ("ld.global.cs.u32", "-dlcm=cg", "LDG.E.EF"),
        ("ld.global.cs.u32", "-flcm cg", "LDG.E.STRONG.GPU"),
        ("ld.u32", "--def-load-cache=cs", "LD.E.EF"),
        ("ld.global.nc.u32", "-dlcm=cg", "LDG.E.CONSTANT"),
        ("ld.global.nc.u32", "-dlcm=cs", "LDG.E.EF.CONSTANT"),
        ("ld.volatile.global.u32", "-flcm=cs", "LDG.E.STRONG.SYS"),
        ("ld.relaxed.gpu.global.u32", "-flcm=cs", "LDG.E.STRONG.GPU"),
        ("st.global.u32", "", "STG.E"),
        ("st.global.wb.u32", "", "STG.E.STRONG.SM"),
        ("st.global.cg.u32", "", "STG.E.STRONG.GPU"),
        ("st.global.cs.u32", "", "STG.E.EF"),
        ("st.global.wt.u32", "", "STG.E.STRONG.SYS"),
        ("st.wt.u32", "", "ST.E.STRONG.SYS"),
        ("st.global.u32", "-dscm=wt", "STG.E.STRONG.SYS"),
        ("st.global.cg.u32", "-dscm=wt", "STG.E.STRONG.GPU"),
        ("st.global.cg.u32", "-fscm=cs", "STG.E.EF"),
    ] {
        let instruction = if op.starts_with("ld") { load(op) } else { store(op) };
        assert_eq!(mnemonic(path, &instruction, options), text, "{op} {options}");
    }
    line(path, "-arch=sm_90 -dlcm=wt cache.ptx")
        .expect(2, "ptxas fatal   : Invalid default cache modifier on load specified: wt");
}

/// What a newcomer meets: each says what was done, and what to do.
#[test]
fn a_virtual_target_says_that_nothing_is_written() {
    let folder = folder(&[("a.ptx", ONE)]);
    let run = sassafras(folder.path(), &["compile", "-arch=compute_90", "-o", "a.cubin", "a.ptx"]);
    run.expect(0, "note: a virtual target only checks the PTX, and nothing is written");
    assert!(!folder.path().join("a.cubin").exists());
    // ptxas says nothing.
    assert_eq!(ptxas(folder.path(), &["-arch=compute_90", "-o", "a.cubin", "a.ptx"]).err, "");
}

#[test]
fn layout_writes_to_standard_output_without_a_file() {
    let graph = r#"{"format": "cfg-layout-v1", "graphs": [{"name": "g", "entry": 0, "blocks": [{"id": 0, "size": 16, "count": 1}], "edges": []}]}"#;
    let folder = folder(&[("in.json", graph)]);
    let run = sassafras(folder.path(), &["layout", "in.json"]);
    assert_eq!(run.out, sassafras(folder.path(), &["layout", "in.json", "-o", "-"]).out);
    run.expect(0, "cfg-order-v1");
}

#[test]
fn status_names_the_solver_that_prove_uses() {
    let folder = folder(&[]);
    let run = sassafras(folder.path(), &["oracle", "status"]);
    let line = run.out.lines().last().unwrap_or_default().to_owned();
    assert!(line.starts_with("prove uses "), "{}", run.out);
    let named = folder.path().join("z3");
    std::fs::write(&named, "").expect("a place for it");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sassafras"));
    command.args(["oracle", "status"]).env("SASSAFRAS_Z3", &named).current_dir(folder.path());
    let run = Run::of(command.output().expect("it starts"));
    assert!(
        cfg!(feature = "z3") || run.out.contains(&format!("prove uses {}", named.display())),
        "{}",
        run.out
    );
}

#[test]
fn check_says_where_latencies_come_from() {
    let folder = folder(&[("a.ptx", ONE)]);
    sassafras(folder.path(), &["compile", "-arch=sm_90", "-o", "a.cubin", "a.ptx"]).expect(0, "");
    let run = sassafras(folder.path(), &["check", "a.cubin"]);
    run.expect(0, "; latencies: ").expect(0, "the tables of Mesa's NAK");
    assert!(!run.out.contains("rests on"), "{}", run.out);
}

/// Sets have names; `--ptxas` takes versions of ptxas alone.
#[test]
fn what_is_installed_is_named() {
    let folder = tempdir().expect("a folder");
    let install = |words: &[&str]| sassafras(folder.path(), &[&["oracle", "install"], words].concat());
    install(&["--ptxas", "z3"]).expect(2, "`z3` is no version of ptxas: `sassafras oracle install z3`");
    install(&["--ptxas", "1.0"]).expect(2, "no ptxas 1.0 is in the oracle's table; it has 13.0.88");
    install(&["z4"]).expect(2, "`z4` is not in the oracle's table");
}
