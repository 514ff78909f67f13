//! Every arithmetic form of the PTX table, alone in a kernel, compiled by ptxas: the PTX executor on the text and the SASS
//! executor on the cubin must agree on all inputs. Two meanings written from different sources, and ptxas between them.

use sassafras_execute::{Approx, Argument, Launch, Options, ptx, sass};
use sassafras_ptx::table::{self, example};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Registers by name in examples, how each is loaded, and its size in bytes; the longest names first.
const CLASSES: [(&str, &str, usize); 8] = [
    ("%rs", "u16", 2),
    ("%rb", "u8", 1),
    ("%rd", "u64", 8),
    ("%rq", "b128", 16),
    ("%fd", "f64", 8),
    ("%r", "u32", 4),
    ("%f", "f32", 4),
    ("%p", "pred", 4),
];
/// Bytes of input for each register, of input for each thread, of output for each thread.
const CHUNK: usize = 16;
const RECORD: usize = CHUNK * 8 * 8;
const RESULT: usize = 2 * CHUNK;
const THREADS: usize = 64;

/// The registers that a piece of text names: class and number.
fn registers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('%') {
        let rest = &text[at..];
        let class = CLASSES.iter().position(|(name, ..)| {
            rest.strip_prefix(name).is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_digit()))
        });
        let Some(class) = class else { continue };
        let digits = &rest[CLASSES[class].0.len()..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        found.push((class, digits[..end].parse().expect("digits")));
    }
    found
}

/// An entry that loads what an instruction reads, executes it and stores what it writes.
fn entry(name: &str, line: &str) -> String {
    let operands = line.split_once(' ').map_or("", |(_, rest)| rest);
    // The destination ends at the first comma outside braces.
    let mut depth = 0;
    let end = operands
        .find(|c| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            c == ',' && depth == 0
        })
        .unwrap_or(operands.len());
    let (written, read) = operands.split_at(end);
    let mut text =
        format!(".visible .entry {name} (.param .u64 out, .param .u64 in)\n{{\n{}", example::DECLARATIONS);
    text += "\t.reg .b64 %to, %from;\n\t.reg .b32 %i, %w;\n\tmov.u32 %i, %tid.x;\n";
    text += "\tld.param.u64 %to, [out];\n\tld.param.u64 %from, [in];\n";
    let _ =
        writeln!(text, "\tmad.wide.u32 %to, %i, {RESULT}, %to;\n\tmad.wide.u32 %from, %i, {RECORD}, %from;");
    let mut seen = Vec::new();
    for (class, n) in registers(read) {
        if seen.contains(&(class, n)) {
            continue;
        }
        seen.push((class, n));
        let (name, ty, _) = CLASSES[class];
        let at = (class * 8 + n) * CHUNK;
        let _ = match ty {
            "pred" => writeln!(
                text,
                "\tld.global.u32 %w, [%from+{at}];\n\tand.b32 %w, %w, 1;\n\tsetp.ne.u32 {name}{n}, %w, 0;"
            ),
            _ => writeln!(text, "\tld.global.{ty} {name}{n}, [%from+{at}];"),
        };
    }
    // A carry that is known: set for the upper half of the threads.
    if line.starts_with("subc") {
        text += "\tsub.cc.u32 %w, 31, %i;\n";
    } else if line.starts_with("addc") || line.starts_with("madc") {
        text += "\tadd.cc.u32 %w, %i, -32;\n";
    }
    let _ = writeln!(text, "\t{line}");
    for (i, (class, n)) in registers(written).into_iter().enumerate() {
        let (name, ty, bytes) = CLASSES[class];
        let at = if written.contains('{') { i * bytes } else { i * CHUNK };
        let _ = match ty {
            "pred" => writeln!(text, "\tselp.u32 %w, 1, 0, {name}{n};\n\tst.global.u32 [%to+{at}], %w;"),
            _ => writeln!(text, "\tst.global.{ty} [%to+{at}], {name}{n};"),
        };
    }
    text + "\tret;\n}\n"
}

/// Small numbers, edges, floats of every class, noise.
fn inputs() -> Vec<u8> {
    const SOME: [u64; 16] = [
        0,
        1,
        2,
        31,
        33,
        0x8000_0000_8000_8080,
        0x7fff_ffff_7fff_7f7f,
        u64::MAX,
        0x3ff0_0000_3f80_0000,
        0x7ff0_0000_7f80_0000,
        0x7ff8_0000_7fc0_0001,
        0x0000_0001_8000_0001,
        0x4009_21fb_5444_2d18,
        0xc008_0000_4248_0000,
        0x3c00_7e00_fc00_8001,
        0x41e0_0000_4f00_0000,
    ];
    let word = |n: u64| {
        let mix = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        if mix >> 60 < 10 { SOME[(mix >> 40) as usize % 16] } else { mix ^ mix >> 29 }
    };
    (0..(THREADS * RECORD / 8) as u64).flat_map(|n| word(n + 1).to_le_bytes()).collect()
}

/// Where ptxas 13.0.88 and 13.5.37 do not do what the ISA says, by how forms begin.
const DEVIATIONS: [(&str, &str); 3] = [
    ("bfe.u64", "position and length are not restricted to 8 bits"),
    ("bfe.s64", "position and length are not restricted to 8 bits"),
    ("bfi.b64", "position and length are not restricted to 8 bits"),
];

/// Where the SASS executor is known to be wrong, by parts of forms: reported, not failed.
const OPEN: [(&str, &str); 2] = [
    (".xorsign.abs.f16", "HMNMX2.XORSIGN takes the signs of the magnitudes"),
    (".xorsign.abs.bf16", "HMNMX2.XORSIGN takes the signs of the magnitudes"),
];

/// Whether a form computes, exactly, on registers alone.
fn wanted(family: &str, line: &str) -> bool {
    let arithmetic = matches!(family, "integer" | "bits" | "compare" | "float" | "convert");
    let else_where = ["cvta", "isspacep", "fma.rn.oob"].iter().any(|start| line.starts_with(start));
    arithmetic && !else_where && !line.contains(".approx") && !line.contains(".full")
}

/// Bytes on which all choices of what is undefined agree.
fn defined(runs: &[Vec<u8>]) -> Vec<bool> {
    (0..runs[0].len()).map(|i| runs.iter().all(|r| r[i] == runs[0][i])).collect()
}

#[test]
fn every_form_means_what_ptxas_makes_of_it() {
    let ptxas = match sassafras_oracle::Tools::here().ptxas("13.0.88") {
        Ok(ptxas) => ptxas,
        Err(why) => return sassafras_oracle::skip("every_form_means_what_ptxas_makes_of_it", &why),
    };
    let lines: Vec<String> = table::rows()
        .iter()
        .flat_map(|row| row.variants().into_iter().map(|v| (row.family, row.instruction(&v))))
        .filter(|(family, line)| wanted(family, line))
        .map(|(_, line)| line)
        .collect();
    let header = format!(".version 9.0\n.target sm_90\n.address_size 64\n{}", example::MODULE);
    let entries: Vec<String> =
        lines.iter().enumerate().map(|(i, line)| entry(&format!("k{i}"), line)).collect();
    let text = header + &entries.concat();
    let module = sassafras_ptx::load(&text, "forms").unwrap_or_else(|e| panic!("{:?}", e.records().first()));
    let (bytes, _) = ptxas.compile_text(&text, "sm_90", &[]).expect("ptxas takes the forms");
    let cubin = sassafras_cubin::read(&bytes).expect("a cubin");
    let mut launch = Launch::new([1, 1, 1], [THREADS as u32, 1, 1]);
    let arguments = [Argument::Buffer(vec![0; THREADS * RESULT]), Argument::Buffer(inputs())];
    launch.arguments(&ptx::layout(&module, "k0").expect("an entry"), &arguments).expect("they fit");
    let (mut agree, mut open, mut differ, mut unknown) = (0, 0, Vec::new(), BTreeMap::new());
    for (i, line) in lines.iter().enumerate() {
        let name = format!("k{i}");
        let source: Vec<Vec<u8>> = [Approx::Nearest, Approx::Low, Approx::High]
            .map(|approx| Options { approx, ..Options::default() })
            .iter()
            .map(|o| {
                ptx::run(&module, &name, &launch, o)
                    .unwrap_or_else(|e| panic!("{line}: {e}"))
                    .buffers
                    .swap_remove(0)
            })
            .collect();
        let target = match sass::run(&cubin, &name, &launch, &Options::default()) {
            Ok(outcome) => outcome.buffers[0].clone(),
            Err(e) if !e.is_unsupported() => {
                differ.push(format!("{line}: {e}"));
                continue;
            }
            Err(e) => {
                unknown.entry(e.to_string().lines().next().unwrap_or_default().to_string()).or_insert(line);
                continue;
            }
        };
        let defined = defined(&source);
        // The payload of a binary64 NaN is unspecified.
        let is_nan = |v: &[u8], b: usize| {
            let at = b / CHUNK * CHUNK;
            f64::from_bits(u64::from_le_bytes(v[at..at + 8].try_into().expect("eight"))).is_nan()
        };
        let nan = |b: usize| line.contains(" %fd1") && is_nan(&source[0], b) && is_nan(&target, b);
        match (0..target.len()).find(|&b| defined[b] && source[0][b] != target[b] && !nan(b)) {
            None => agree += 1,
            Some(_) if OPEN.iter().any(|(part, _)| line.contains(part)) => open += 1,
            Some(_) if DEVIATIONS.iter().any(|(start, _)| line.starts_with(start)) => {}
            Some(b) => {
                let (thread, part) = (b / RESULT, b % RESULT / CHUNK * CHUNK);
                let show = |v: &[u8]| {
                    let at = thread * RESULT + part;
                    v[at..at + CHUNK].iter().rev().map(|b| format!("{b:02x}")).collect::<String>()
                };
                let given: Vec<String> = registers(line)
                    .iter()
                    .map(|(class, n)| {
                        let at = thread * RECORD + (class * 8 + n) * CHUNK;
                        let value = &launch.buffers[1].bytes[at..at + CLASSES[*class].2];
                        let hex: String = value.iter().rev().map(|b| format!("{b:02x}")).collect();
                        format!("{}{n}={hex}", CLASSES[*class].0)
                    })
                    .collect();
                differ.push(format!(
                    "{line} thread {thread}: PTX {}, SASS {}; {}",
                    show(&source[0]),
                    show(&target),
                    given.join(" ")
                ));
            }
        }
    }
    eprintln!(
        "{agree} of {} forms agree, {} differ, {open} are open, {} kinds of failures:",
        lines.len(),
        differ.len(),
        unknown.len()
    );
    for (why, line) in &unknown {
        eprintln!("  {why}: {line}");
    }
    assert!(differ.is_empty(), "\n{}", differ.join("\n"));
}
