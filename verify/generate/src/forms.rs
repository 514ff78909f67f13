//! One kernel for each arithmetic form of the PTX table: it loads what the form reads, executes it once and stores what it
//! writes. Whoever compiles and runs these kernels is held against the table form by form.

use crate::exercise::kernel::{CHUNK, CLASSES};
use sassafras_ptx::table::{self, example};
use std::fmt::Write;

/// Bytes of input for each thread, of output for each thread.
const RECORD: usize = CHUNK * 8 * 8;
const RESULT: usize = 2 * CHUNK;
/// Threads of the one block that each kernel is made for.
pub const THREADS: usize = 64;
/// Size of the output buffer in bytes.
pub const OUTPUT: usize = THREADS * RESULT;

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

/// Contents of the input buffer: small numbers, edges, floats of every class, noise.
pub fn inputs() -> Vec<u8> {
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

/// Whether a form computes, exactly, on registers alone.
fn wanted(family: &str, line: &str) -> bool {
    let arithmetic = matches!(family, "integer" | "bits" | "compare" | "float" | "convert");
    let else_where = ["cvta", "isspacep", "fma.rn.oob"].iter().any(|start| line.starts_with(start));
    arithmetic && !else_where && !line.contains(".approx") && !line.contains(".full")
}

/// A kernel around one form.
#[derive(Clone, Debug)]
pub struct Form {
    /// The instruction.
    pub line: String,
    /// The entry's name, different for each form. Its parameters are the addresses of output and input.
    pub entry: String,
    /// The entry's text, for [`module`].
    pub text: String,
}

/// A kernel for every form of sm_90 that computes on registers alone and is exact.
pub fn arithmetic() -> Vec<Form> {
    let lines = table::rows().iter().flat_map(|row| {
        let here = |v: &Vec<_>| row.matches(v).is_some_and(|m| m.since.example_target() == "sm_90");
        let lines = row.variants().into_iter().filter(here).map(|v| row.instruction(&v));
        lines.filter(|line| wanted(row.family, line))
    });
    lines
        .enumerate()
        .map(|(i, line)| {
            let name = format!("k{i}");
            Form { text: entry(&name, &line), entry: name, line }
        })
        .collect()
}

/// A module of some of the kernels, for sm_90.
pub fn module<'a>(forms: impl IntoIterator<Item = &'a Form>) -> String {
    let mut text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{}", example::MODULE);
    for form in forms {
        text += &form.text;
    }
    text
}

/// How the output of something that was made from a form differs from what the form may give: `sources` are outputs under
/// several choices of what is undefined, and only where they agree is anything asked of `target`.
pub fn difference(form: &Form, sources: &[Vec<u8>], target: &[u8], inputs: &[u8]) -> Option<String> {
    let source = sources.first()?;
    // The payload of a binary64 NaN is unspecified.
    let is_nan = |v: &[u8], b: usize| {
        let at = b / CHUNK * CHUNK;
        f64::from_bits(u64::from_le_bytes(v[at..at + 8].try_into().expect("eight bytes"))).is_nan()
    };
    let nan = |b: usize| form.line.contains(" %fd1") && is_nan(source, b) && is_nan(target, b);
    let defined = |b: usize| sources.iter().all(|s| s[b] == source[b]);
    let b = (0..source.len()).find(|&b| target.get(b) != Some(&source[b]) && defined(b) && !nan(b))?;
    let (thread, part) = (b / RESULT, b % RESULT / CHUNK * CHUNK);
    let hex = |v: &[u8]| v.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    let show =
        |v: &[u8]| v.get(thread * RESULT + part..).map_or(String::new(), |v| hex(&v[..CHUNK.min(v.len())]));
    let given = |(class, n): (usize, usize)| {
        let at = thread * RECORD + (class * 8 + n) * CHUNK;
        format!(" {}{n}={}", CLASSES[class].0, hex(&inputs[at..at + CLASSES[class].2]))
    };
    let given: String = registers(&form.line).into_iter().map(given).collect();
    Some(format!("{} thread {thread}: expected {}, found {};{given}", form.line, show(source), show(target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_ptx() {
        let forms = arithmetic();
        assert!(forms.len() > 1000);
        let module = sassafras_ptx::load(&module(&forms), "forms")
            .unwrap_or_else(|e| panic!("{:?}", e.records().first()));
        assert_eq!(module.functions.iter().filter(|f| f.entry).count(), forms.len());
    }

    #[test]
    fn undefined_bytes_are_not_asked_for() {
        let form = arithmetic().swap_remove(0);
        let (zeros, mut ones) = (vec![0; OUTPUT], vec![0; OUTPUT]);
        ones[40] = 1;
        let mut target = vec![0; OUTPUT];
        target[40] = 9;
        assert_eq!(difference(&form, &[zeros.clone(), ones], &target, &inputs()), None);
        target[41] = 9;
        assert!(difference(&form, &[zeros], &target, &inputs()).is_some_and(|d| d.contains("thread 1")));
    }
}
