//! Inputs that are small to say and large to work through, over all commands: each ends within some seconds and some memory, without a panic. What a command
//! says of them is its own matter; that it says something in time is this one's.
//!
//! Memory is limited by the shell that starts the command (`ulimit -v`), time by the test, which ends what takes longer.

#![cfg(unix)]

mod common;

use common::limited::fault;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tempfile::tempdir;

/// What a giant is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Ptx,
    Sass,
    Cubin,
    Witness,
}

/// Commands by form; `in` is the giant, and `good.ptx`, `good.cubin` lie beside it.
fn commands(form: Form) -> &'static [&'static [&'static str]] {
    match form {
        Form::Ptx => &[
            &["compile", "in", "-o", "out"],
            &["check", "in"],
            &["run", "in", "--entry", "k", "--grid", "1", "--block", "1", "--steps", "100000"],
            &["prove", "in", "--timeout", "5"],
            &["prove", "in", "--against", "good.cubin", "--timeout", "5"],
        ],
        Form::Sass => &[&["asm", "in", "-arch", "sm_90", "-o", "out"]],
        Form::Cubin => &[
            &["disasm", "in"],
            &["disasm", "-cfg", "in"],
            &["roundtrip", "in"],
            &["check", "in"],
            &["list", "in"],
            &["run", "in", "--entry", "k", "--grid", "1", "--block", "1", "--steps", "100000"],
            &["prove", "good.ptx", "--against", "in", "--timeout", "5"],
        ],
        Form::Witness => &[&["check-witness", "in"]],
    }
}

const HEAD: &str = ".version 8.3\n.target sm_90\n.address_size 64\n";

fn ptx(rest: &str) -> Vec<u8> {
    format!("{HEAD}{rest}").into_bytes()
}

fn entry(body: &str) -> Vec<u8> {
    ptx(&format!(
        ".visible .entry k(.param .u64 p)\n{{\n.reg .b32 r, s;\n.reg .b64 d, e;\n.reg .f32 f;\n.reg .pred q;\nld.param.u64 d, [p];\n{body}\nret;\n}}\n"
    ))
}

fn repeated(line: &str, times: usize) -> Vec<u8> {
    entry(&line.repeat(times))
}

fn numbered(times: usize, line: impl Fn(usize) -> String) -> String {
    (0..times).map(line).collect()
}

/// Functions of which each calls the next so often.
fn tower(functions: usize, calls: usize) -> Vec<u8> {
    let mut text = ".func f0(){ ret; }\n".to_owned();
    for i in 1..functions {
        let call = format!("call f{}; ", i - 1).repeat(calls);
        let _ = writeln!(text, ".func f{i}(){{ {call}ret; }}");
    }
    ptx(&format!("{text}.visible .entry k(){{ call f{}; ret; }}\n", functions - 1))
}

/// A sound cubin with other bytes at some place.
fn cubin_with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut all = common::cubin();
    all[at..at + bytes.len()].copy_from_slice(bytes);
    all
}

/// A cubin of one kernel with many words.
fn long_cubin(words: usize, word: impl Fn(usize) -> u128) -> Vec<u8> {
    let mut cubin = sassafras_cubin::read(&common::cubin()).expect("it is sound");
    let end = std::mem::take(&mut cubin.functions[0].code);
    cubin.functions[0].code = (0..words).map(word).chain(end).collect();
    cubin.functions[0].exit_offsets = vec![16 * words as u32];
    sassafras_emit::write(&cubin).expect("it fits")
}

/// A cubin whose kernel declares so much stack.
fn stack_cubin(bytes: u32) -> Vec<u8> {
    let mut cubin = sassafras_cubin::read(&common::cubin()).expect("it is sound");
    cubin.functions[0].min_stack = Some(bytes);
    cubin.functions[0].frame_size = bytes;
    sassafras_emit::write(&cubin).expect("it fits")
}

const NOP: u128 = 0x000fc000_00000000_00000000_00007918;

type Giant = (&'static str, Form, fn() -> Vec<u8>);

const GIANTS: &[Giant] = &[
    // Names, lines and tokens.
    ("a name of 10 MB as operand", Form::Ptx, || {
        entry(&format!("add.u32 {}, r, 1;", "x".repeat(10_000_000)))
    }),
    ("a name of 10 MB as instruction", Form::Ptx, || entry(&format!("{} r, r, 1;", "x".repeat(10_000_000)))),
    ("a name of 10 MB as variable", Form::Ptx, || {
        ptx(&format!(".global .b32 {};\n.visible .entry k(){{ ret; }}", "x".repeat(10_000_000)))
    }),
    ("a name of 10 MB as entry", Form::Ptx, || {
        ptx(&format!(".visible .entry {}(){{ ret; }}", "x".repeat(10_000_000)))
    }),
    ("a name of 10 MB declared twice", Form::Ptx, || {
        let name = "x".repeat(5_000_000);
        ptx(&format!(".global .b32 {name};\n.global .b32 {name};\n.visible .entry k(){{ ret; }}"))
    }),
    ("one line of 4 MB", Form::Ptx, || {
        entry(&"add.u32 r, r, 1; ".repeat(20_000))
            .into_iter()
            .map(|b| if b == b'\n' { b' ' } else { b })
            .collect()
    }),
    ("one line of 1 MB of spaces", Form::Ptx, || entry(&" ".repeat(1 << 20))),
    ("a comment of 16 MB", Form::Ptx, || entry(&format!("/*{}*/", "*".repeat(1 << 24)))),
    ("a comment without an end", Form::Ptx, || entry(&format!("/*{}", "/*".repeat(1 << 20)))),
    ("a million line comments", Form::Ptx, || entry(&"// x\n".repeat(1 << 20))),
    ("a string of 8 MB", Form::Ptx, || {
        ptx(&format!(".file 1 \"{}\"\n.visible .entry k(){{ ret; }}", "x".repeat(8 << 20)))
    }),
    ("a string without an end", Form::Ptx, || ptx(&format!(".file 1 \"{}", "x".repeat(1 << 20)))),
    ("a megabyte of zeros", Form::Ptx, || vec![0; 1 << 20]),
    ("a megabyte of one letter", Form::Ptx, || vec![b'a'; 1 << 20]),
    ("a megabyte of noise", Form::Ptx, || {
        (0u32..1 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x7f).collect()
    }),
    ("a number of a million digits", Form::Ptx, || entry(&format!("mov.u32 r, {};", "9".repeat(1 << 20)))),
    ("a float of a million digits", Form::Ptx, || entry(&format!("mov.f32 f, 1.{};", "9".repeat(1 << 20)))),
    ("a hundred thousand unknown instructions", Form::Ptx, || repeated("nonsense r, r;\n", 100_000)),
    ("a hundred thousand undeclared names", Form::Ptx, || {
        entry(&numbered(100_000, |i| format!("add.u32 r, r, n{i};\n")))
    }),
    // Nesting.
    ("deep blocks", Form::Ptx, || entry(&format!("{}{}", "{".repeat(100_000), "}".repeat(100_000)))),
    ("deep parentheses", Form::Ptx, || {
        entry(&format!("mov.u32 r, {}1{};", "(".repeat(100_000), ")".repeat(100_000)))
    }),
    ("deep minus signs", Form::Ptx, || entry(&format!("mov.u32 r, {}1;", "- ".repeat(100_000)))),
    ("deep complements", Form::Ptx, || entry(&format!("mov.u32 r, {}1;", "~".repeat(100_000)))),
    ("a long sum of constants", Form::Ptx, || entry(&format!("mov.u32 r, 1{};", "+1".repeat(100_000)))),
    ("deep choices of constants", Form::Ptx, || entry(&format!("mov.u32 r, {}1;", "1?2:".repeat(50_000)))),
    ("deep initialisers", Form::Ptx, || {
        ptx(&format!(
            ".global .b32 a[2] = {}1{};\n.visible .entry k(){{ ret; }}",
            "{".repeat(50_000),
            "}".repeat(50_000)
        ))
    }),
    ("many dimensions", Form::Ptx, || {
        ptx(&format!(".global .b32 a{};\n.visible .entry k(){{ ret; }}", "[1]".repeat(50_000)))
    }),
    ("deep vectors", Form::Ptx, || {
        entry(&format!("mov.b64 d, {}r{};", "{".repeat(20_000), "}".repeat(20_000)))
    }),
    ("a list of a hundred thousand elements", Form::Ptx, || {
        entry(&format!("mov.b64 d, {{{}r}};", "r,".repeat(100_000)))
    }),
    // Sizes.
    ("4 GiB of registers", Form::Ptx, || entry(".reg .b32 x<4294967295>;\nadd.u32 x1, x2, x3;")),
    ("a million registers", Form::Ptx, || entry(".reg .b32 x<1000000>;\nadd.u32 x1, x2, x3;")),
    ("two to the 63 of registers", Form::Ptx, || {
        entry(".reg .b32 x<9223372036854775808>;\nadd.u32 x1, x2, x3;")
    }),
    ("160 MB of local memory", Form::Ptx, || {
        entry(".local .align 16 .b8 big[167772160];\nst.local.b32 [big], r;\nld.local.b32 r, [big+64];")
    }),
    ("512 KiB of local memory", Form::Ptx, || {
        entry(".local .align 16 .b8 big[524288];\nst.local.b32 [big], r;\nld.local.b32 r, [big+64];")
    }),
    ("5 GB of local memory", Form::Ptx, || {
        entry(".local .align 16 .b8 big[5000000000];\nst.local.b32 [big], r;")
    }),
    ("5 GB of shared memory", Form::Ptx, || {
        entry(".shared .align 16 .b8 big[5000000000];\nst.shared.b32 [big], r;")
    }),
    ("5 GB of global memory", Form::Ptx, || {
        ptx(
            ".global .align 16 .b8 big[5000000000];\n.visible .entry k(){ .reg .b32 r; ld.global.b32 r, [big]; ret; }",
        )
    }),
    ("1 GB of global memory", Form::Ptx, || {
        ptx(
            ".global .align 16 .b8 big[1000000000];\n.visible .entry k(){ .reg .b32 r; ld.global.b32 r, [big]; ret; }",
        )
    }),
    ("50 MB of global memory with a value", Form::Ptx, || {
        ptx(
            ".global .align 16 .b8 big[50000000] = {1};\n.visible .entry k(){ .reg .b32 r; ld.global.b32 r, [big]; ret; }",
        )
    }),
    ("many variables of 3 GB", Form::Ptx, || {
        ptx(&(numbered(50, |i| format!(".global .b8 big{i}[3000000000];\n"))
            + ".visible .entry k(){ .reg .b32 r; ld.global.b32 r, [big7]; ret; }"))
    }),
    ("sizes whose product is too large", Form::Ptx, || {
        ptx(".global .b64 big[4294967296][4294967296];\n.visible .entry k(){ ret; }")
    }),
    ("an alignment of 2 GiB", Form::Ptx, || {
        ptx(
            ".global .align 2147483648 .b8 a[4];\n.shared .align 2147483648 .b8 b[4];\n.visible .entry k(){ .local .align 1073741824 .b8 c[4]; .reg .b32 r; ld.global.b32 r, [a]; ld.local.b32 r, [c]; ret; }",
        )
    }),
    ("a parameter of 4 GB", Form::Ptx, || ptx(".visible .entry k(.param .b8 p[4000000000]){ ret; }")),
    ("a parameter of a function of 4 GB", Form::Ptx, || {
        ptx(
            ".func f(.param .b8 p[4000000000]){ ret; }\n.visible .entry k(){ .param .b8 q[4000000000]; call f, (q); ret; }",
        )
    }),
    ("a parameter of a function of 64 KB", Form::Ptx, || {
        ptx(
            ".func f(.param .b8 p[65536]){ ret; }\n.visible .entry k(){ .param .b8 q[65536]; call f, (q); ret; }",
        )
    }),
    ("more than a thousand parameters", Form::Ptx, || {
        ptx(&format!(
            ".visible .entry k({}.param .u32 last){{ ret; }}",
            numbered(1000, |i| format!(".param .u8 p{i}, "))
        ))
    }),
    ("a hundred thousand parameters", Form::Ptx, || {
        ptx(&format!(
            ".visible .entry k({}.param .u32 last){{ ret; }}",
            numbered(100_000, |i| format!(".param .u8 p{i}, "))
        ))
    }),
    ("a hundred thousand variables", Form::Ptx, || {
        ptx(&(numbered(100_000, |i| format!(".global .b32 v{i} = {i};\n")) + ".visible .entry k(){ ret; }"))
    }),
    ("twenty thousand local variables", Form::Ptx, || {
        entry(&numbered(20_000, |i| format!(".local .b32 v{i};\n")))
    }),
    ("an initialiser of a million elements", Form::Ptx, || {
        ptx(&format!(
            ".global .b8 v[1000001] = {{{}1}};\n.visible .entry k(){{ ret; }}",
            "1,".repeat(1_000_000)
        ))
    }),
    ("blocks of four billion threads", Form::Ptx, || {
        ptx(".visible .entry k() .reqntid 4294967295, 4294967295, 4294967295 { ret; }")
    }),
    ("a launch of all there is", Form::Ptx, || {
        ptx(".visible .entry k() .maxntid 1024 .minnctapersm 4294967295 { ret; }")
    }),
    // Calls.
    ("three thousand functions, each calling the next", Form::Ptx, || tower(3000, 1)),
    ("200 functions, each calling the next", Form::Ptx, || tower(200, 1)),
    ("forty functions, each calling the next twice", Form::Ptx, || tower(40, 2)),
    ("eight functions, each calling the next ten times", Form::Ptx, || tower(8, 10)),
    ("a function that calls a hundred thousand times", Form::Ptx, || {
        ptx(&format!(".func f(){{ ret; }}\n.visible .entry k(){{ {} ret; }}", "call f;\n".repeat(100_000)))
    }),
    ("a function that calls itself", Form::Ptx, || {
        ptx(".func f(){ call f; ret; }\n.visible .entry k(){ call f; ret; }")
    }),
    ("a function that calls itself forty times", Form::Ptx, || {
        ptx(&format!(".func f(){{ {} ret; }}\n.visible .entry k(){{ call f; ret; }}", "call f; ".repeat(40)))
    }),
    ("a hundred functions that call each other", Form::Ptx, || {
        let names = numbered(100, |i| format!(".func f{i}();\n"));
        let bodies = numbered(100, |i| {
            format!(
                ".func f{i}(){{ {} ret; }}\n",
                numbered(100, |j| format!("call f{j}; ")).replace(&format!("call f{i}; "), "")
            )
        });
        ptx(&format!("{names}{bodies}.visible .entry k(){{ call f0; ret; }}"))
    }),
    ("a hundred thousand functions", Form::Ptx, || {
        ptx(&(numbered(100_000, |i| format!(".func f{i}(){{ ret; }}\n")) + ".visible .entry k(){ ret; }"))
    }),
    ("a thousand entries", Form::Ptx, || {
        ptx(&(numbered(1000, |i| format!(".visible .entry e{i}(){{ ret; }}\n"))
            + ".visible .entry k(){ ret; }"))
    }),
    // Control flow.
    ("a hundred thousand labels", Form::Ptx, || entry(&numbered(100_000, |i| format!("L{i}:\n")))),
    ("two thousand branches to one label", Form::Ptx, || {
        entry(&(numbered(2_000, |i| format!("setp.eq.u32 q, r, {i};\n@q bra END;\n")) + "END:"))
    }),
    ("two thousand branches in a ladder", Form::Ptx, || {
        entry(&numbered(2_000, |i| {
            format!("setp.eq.u32 q, r, {i};\n@q bra L{i};\nadd.u32 r, r, 1;\nL{i}:\n")
        }))
    }),
    ("two hundred loops, one in the other", Form::Ptx, || {
        let open = numbered(200, |i| format!("L{i}:\n"));
        let close =
            numbered(200, |i| format!("add.u32 r, r, 1;\nsetp.lt.u32 q, r, {i};\n@q bra L{};\n", 199 - i));
        entry(&(open + &close))
    }),
    ("a switch with ten thousand targets", Form::Ptx, || {
        entry(&format!("T: .branchtargets {}L0;\nbrx.idx r, T;\nL0:", "L0, ".repeat(10_000)))
    }),
    ("a loop without an end", Form::Ptx, || entry("L: bra L;")),
    ("a loop of a billion rounds", Form::Ptx, || {
        entry("mov.u32 r, 0;\nL: add.u32 r, r, 1;\nsetp.lt.u32 q, r, 1000000000;\n@q bra L;")
    }),
    ("a graph that is not reducible", Form::Ptx, || {
        entry(
            &(numbered(200, |i| {
                format!("setp.eq.u32 q, r, {i};\n@q bra L{};\nL{i}:\nadd.u32 r, r, s;\n", (i * 7 + 3) % 200)
            })),
        )
    }),
    // Terms that grow.
    ("twelve squarings", Form::Ptx, || {
        entry(&format!(
            "ld.global.u32 r, [d];\n{}st.global.u32 [d], r;",
            "mad.lo.u32 r, r, r, 7;\n".repeat(12)
        ))
    }),
    ("forty squarings of 64 bits", Form::Ptx, || {
        entry(&format!(
            "ld.global.u64 e, [d];\n{}st.global.u64 [d], e;",
            "mad.lo.u64 e, e, e, 7;\n".repeat(40)
        ))
    }),
    ("a hundred rotations and sums", Form::Ptx, || {
        entry(&format!(
            "ld.global.u32 r, [d];\n{}st.global.u32 [d], r;",
            "shf.l.wrap.b32 s, r, r, 7;\nadd.u32 r, r, s;\nxor.b32 r, r, s;\n".repeat(100)
        ))
    }),
    ("a hundred high products", Form::Ptx, || {
        entry(&format!(
            "ld.global.u32 r, [d];\n{}st.global.u32 [d], r;",
            "mul.hi.u32 s, r, r;\nadd.u32 r, r, s;\n".repeat(100)
        ))
    }),
    ("fifty quotients", Form::Ptx, || {
        entry(&format!(
            "ld.global.u32 r, [d];\n{}st.global.u32 [d], r;",
            "div.u32 s, r, 7;\nmad.lo.u32 r, s, r, s;\n".repeat(50)
        ))
    }),
    ("five hundred stores through what was loaded", Form::Ptx, || {
        entry(&"ld.global.u64 e, [d];\nst.global.u64 [e], d;\nadd.u64 d, d, e;\n".repeat(250))
    }),
    ("two hundred choices", Form::Ptx, || {
        entry(&format!(
            "ld.global.u32 r, [d];\n{}st.global.u32 [d], r;",
            "setp.lt.u32 q, r, s;\nselp.b32 s, r, s, q;\nadd.u32 r, r, s;\n".repeat(200)
        ))
    }),
    ("thirty thousand instructions", Form::Ptx, || repeated("add.u32 r, r, s;\n", 30_000)),
    ("four thousand loads", Form::Ptx, || {
        entry(
            &(numbered(4_000, |i| format!("ld.global.u32 s, [d+{}];\nadd.u32 r, r, s;\n", 4 * i))
                + "st.global.u32 [d], r;"),
        )
    }),
    ("three hundred values alive at once", Form::Ptx, || {
        let load = numbered(300, |i| format!(".reg .b32 v{i};\nld.global.u32 v{i}, [d+{}];\n", 4 * i));
        let store = numbered(300, |i| format!("st.global.u32 [d+{}], v{i};\n", 4 * (299 - i)));
        entry(&(load + "bar.sync 0;\n" + &store))
    }),
    ("a thousand barriers", Form::Ptx, || repeated("bar.sync 0;\n", 1000)),
    ("a thousand shuffles", Form::Ptx, || repeated("shfl.sync.bfly.b32 r, r, 1, 31, -1;\n", 1000)),
    // Machine code as text.
    ("a line of 8 MB of SASS", Form::Sass, || vec![b'A'; 8 << 20]),
    ("a hundred thousand labels of SASS", Form::Sass, || {
        numbered(100_000, |i| format!(".L_{i}:\n")).into_bytes()
    }),
    ("a hundred thousand instructions of SASS", Form::Sass, || "NOP;\n".repeat(100_000).into_bytes()),
    ("a hundred thousand words that are none", Form::Sass, || {
        "NONSENSE R1, R2;\n".repeat(100_000).into_bytes()
    }),
    ("deep brackets of SASS", Form::Sass, || {
        format!("LDG.E R1, {}R2{};\n", "[".repeat(100_000), "]".repeat(100_000)).into_bytes()
    }),
    // Cubins.
    ("a cubin with many sections by its header", Form::Cubin, || cubin_with(0x3c, &[0xff, 0xff])),
    ("a cubin whose sections lie far away", Form::Cubin, || cubin_with(0x28, &[0xff; 8])),
    ("a cubin whose section entries are large", Form::Cubin, || cubin_with(0x3a, &[0xff, 0xff])),
    ("a cubin with many segments by its header", Form::Cubin, || cubin_with(0x38, &[0xff, 0xff])),
    ("a megabyte of ones behind a header", Form::Cubin, || {
        [&common::cubin()[..64], &[0xff; 1 << 20]].concat()
    }),
    ("a hundred thousand NOPs", Form::Cubin, || long_cubin(100_000, |_| NOP)),
    ("twenty thousand branches", Form::Cubin, || {
        long_cubin(20_000, |_| 0x000fc000_0383ffff_fffffff0_00fc7947)
    }),
    ("twenty thousand unknown words", Form::Cubin, || long_cubin(20_000, |i| 0x1ff + i as u128)),
    ("a cubin that declares 160 MB of stack", Form::Cubin, || stack_cubin(167_772_160)),
    ("a cubin that declares 4 GB of stack", Form::Cubin, || stack_cubin(0xffff_fff0)),
    ("a cubin with ten thousand functions", Form::Cubin, || {
        let mut cubin = sassafras_cubin::read(&common::cubin()).expect("it is sound");
        let one = cubin.functions[0].clone();
        for i in 0..10_000 {
            cubin.functions.push(sassafras_cubin::Function { name: format!("f{i}"), ..one.clone() });
        }
        sassafras_emit::write(&cubin).expect("it fits")
    }),
    // Witnesses.
    ("a witness that nests deeply", Form::Witness, || "[".repeat(1 << 20).into_bytes()),
    ("a witness of a name of 10 MB", Form::Witness, || {
        format!("{{\"format\": 2, \"{}\": 1}}", "x".repeat(10_000_000)).into_bytes()
    }),
    ("a witness of a million entries", Form::Witness, || {
        format!("{{\"format\": 2, \"entries\": [{}1]}}", "1,".repeat(1 << 20)).into_bytes()
    }),
    ("a witness in another format", Form::Witness, || b"{\"format\": 18446744073709551615}".to_vec()),
];

#[test]
fn giants_end_in_time_and_memory() {
    let only = std::env::var("SASSAFRAS_GIANT").ok();
    // Every second one on every run; all with `cargo xtask long bad-inputs`.
    let all = only.is_some() || std::env::var_os("SASSAFRAS_ALL_BAD").is_some();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        while let Some((name, form, make)) =
            GIANTS.get(next.fetch_add(if all { 1 } else { 2 }, Ordering::Relaxed))
        {
            if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
                continue;
            }
            let folder = tempdir().expect("a folder");
            let good = format!("{HEAD}.visible .entry k() {{ ret; }}\n");
            for (file, bytes) in
                [("in", make()), ("good.ptx", good.into_bytes()), ("good.cubin", common::cubin())]
            {
                std::fs::write(folder.path().join(file), bytes).expect("the folder is ours");
            }
            for words in commands(*form) {
                let started = Instant::now();
                let found = fault(folder.path(), words);
                let seconds = started.elapsed().as_secs_f64();
                if seconds > 2.0 {
                    eprintln!("{seconds:.1} s: {} on {name}", words.join(" "));
                }
                faults.extend(found.map(|what| format!("{} on {name}: {what}", words.join(" "))));
            }
        }
        faults
    };
    let faults: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        all.into_iter().flat_map(|t| t.join().expect("it ends")).collect()
    });
    assert!(GIANTS.len() >= 100, "{}", GIANTS.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
