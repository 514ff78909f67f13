//! The kernel around an instruction: it loads what the instruction reads, executes it once and stores what it writes.

use std::fmt::Write;

/// Registers by name: how each is loaded and stored, and its size in bytes; the longest names first.
pub(crate) const CLASSES: [(&str, &str, usize); 8] = [
    ("%rs", "u16", 2),
    ("%rb", "u8", 1),
    ("%rd", "u64", 8),
    ("%rq", "b128", 16),
    ("%fd", "f64", 8),
    ("%r", "u32", 4),
    ("%f", "f32", 4),
    ("%p", "pred", 4),
];
/// Registers of a class that an instruction may name: an accumulator of `wgmma` takes 128.
const REGISTERS: usize = 140;
/// Bytes between two registers in input and output.
pub(crate) const CHUNK: usize = 16;

/// How a register comes by its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// From the input buffer.
    Memory,
    /// From a parameter, so that it may be read from a constant bank or held in a uniform register.
    Parameter,
    /// A parameter and a constant added, so that it is held in a uniform register.
    Sum,
    /// From the input buffer, then through these instructions: `neg.s32`, `abs.f32`.
    Through(Vec<String>),
    /// It holds the address of this variable, as `shared` the 32-bit one.
    Address(String),
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The text.
    pub text: String,
    /// Whether the instruction writes the registers in it, and whether it reads them.
    pub written: bool,
    /// Whether it reads them.
    pub read: bool,
    /// How the registers it reads come by their values.
    pub source: Source,
}

/// An instruction with its operands apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `@%p7 ` or nothing.
    pub guard: String,
    /// With all modifiers.
    pub mnemonic: String,
    /// In the order that is written.
    pub operands: Vec<Operand>,
}

impl Line {
    /// Whether it needs a kernel of its own: what follows it does not run, or it changes the rules for the whole kernel.
    pub fn alone(&self) -> bool {
        const ROOTS: [&str; 15] = [
            "exit",
            "trap",
            "brkpt",
            "ret",
            "bra",
            "brx",
            "call",
            "wgmma",
            "setmaxnreg",
            "tcgen05",
            "alloca",
            "stacksave",
            "stackrestore",
            "griddepcontrol",
            "clusterlaunchcontrol",
        ];
        ROOTS.contains(&self.mnemonic.split('.').next().unwrap_or_default())
    }

    fn uses_shared_memory(&self) -> bool {
        self.operands.iter().any(|o| o.text.contains("%sh") || o.text.contains("%mb"))
    }

    fn uses_objects(&self) -> bool {
        let makes = self.mnemonic.starts_with("mbarrier.init");
        let shared = self.operands.iter().any(|o| o.text.contains("shared_memory"));
        self.mnemonic.contains("mbarrier") && !makes && (shared || self.uses_shared_memory())
    }

    /// The instruction.
    pub fn text(&self) -> String {
        let operands: Vec<&str> = self.operands.iter().map(|o| o.text.as_str()).collect();
        format!("{}{} {};", self.guard, self.mnemonic, operands.join(", ")).replace(" ;", ";")
    }
}

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
        found.extend(digits[..end].parse().ok().map(|n| (class, n)));
    }
    found
}

/// What a module needs before kernels.
pub const MODULE: &str = "\
.global .align 128 .b8 global_memory[1024];
.const .align 128 .b8 const_memory[1024];
.shared .align 128 .b8 shared_memory[1024];
.func callee () { ret; }
";

/// Barrier objects in all of shared memory, by 32 threads: what an operation does to other words is not defined.
const OBJECTS: &str = "\
\t{\n\t.reg .b32 %object;
\tmov.u32 %object, shared_memory;
\tmad.lo.u32 %object, %i, 32, %object;
\tmbarrier.init.shared.b64 [%object], 64;
\tmbarrier.init.shared.b64 [%object+8], 64;
\tmbarrier.init.shared.b64 [%object+16], 64;
\tmbarrier.init.shared.b64 [%object+24], 64;
\tbar.sync 0;\n\t}
";

/// What a module needs besides, where kernels name it.
pub const OPAQUE: [(&str, &str); 2] =
    [("[texture", ".global .texref texture;\n"), ("[surface", ".global .surfref surface;\n")];

/// The entry `name` around the lines. Its parameters are the addresses of output and input, and four values of 16 bytes.
pub fn entry(name: &str, lines: &[&Line]) -> String {
    let mut text = format!(
        ".visible .entry {name} (.param .u64 out, .param .u64 in, .param .align 16 .b8 value[64])\n{{\n"
    );
    for (class, ty, _) in CLASSES {
        let ty = match ty {
            "u16" => "b16",
            "u8" => "b8",
            "u64" => "b64",
            "u32" => "b32",
            other => other,
        };
        let _ = writeln!(text, "\t.reg .{ty} {class}<{REGISTERS}>;");
    }
    text += "\t.reg .b64 %to, %from;\n\t.reg .b32 %i, %w, %sh, %mb;\n";
    text += "\t.local .align 16 .b8 local_memory[256];\n\t.param .align 16 .b8 argument[64];\n";
    text += "\tmov.u32 %i, %tid.x;\n\tld.param.u64 %to, [out];\n\tld.param.u64 %from, [in];\n";
    text += "\tmad.wide.u32 %to, %i, 4096, %to;\n\tmad.wide.u32 %from, %i, 4096, %from;\n";
    if lines.iter().any(|l| l.uses_shared_memory()) {
        text += "\tmov.u32 %sh, shared_memory;\n\tadd.u32 %mb, %sh, 512;\n\tmad.lo.u32 %sh, %i, 16, %sh;\n";
    }
    if lines.iter().any(|l| l.uses_objects()) {
        text += OBJECTS;
    }
    let mut results = 0;
    for line in lines {
        let block = body(line, &mut results);
        // A block of its own, for labels.
        text += &if lines.len() > 1 { format!("{{\n{block}}}\n") } else { block };
    }
    text + "\tret;\n}\n"
}

/// Loads, the instruction, stores. `results` counts what is stored.
fn body(line: &Line, results: &mut usize) -> String {
    let mut text = String::new();
    let mut seen = Vec::new();
    for operand in line.operands.iter().filter(|o| o.read) {
        for (class, n) in registers(&operand.text) {
            if !seen.contains(&(class, n)) {
                load(&mut text, class, n, seen.len(), &operand.source);
                seen.push((class, n));
            }
        }
    }
    for (class, n) in registers(&line.guard) {
        load(&mut text, class, n, seen.len(), &Source::Memory);
        seen.push((class, n));
    }
    // A carry that is not known.
    if ["subc", "addc", "madc"].iter().any(|m| line.mnemonic.starts_with(m)) {
        text += "\tadd.cc.u32 %w, %i, -32;\n";
    }
    // With a guard, what is not written keeps a value from before.
    if !line.guard.is_empty() {
        for operand in line.operands.iter().filter(|o| o.written) {
            for (class, n) in registers(&operand.text) {
                if !seen.contains(&(class, n)) {
                    load(&mut text, class, n, seen.len(), &Source::Memory);
                    seen.push((class, n));
                }
            }
        }
    }
    if line.mnemonic.starts_with("brx") {
        text += "TARGETS: .branchtargets LABEL;\n";
    }
    let _ = writeln!(text, "\t{}", line.text());
    if ["bra", "brx"].iter().any(|m| line.mnemonic.starts_with(m)) {
        text += "\tst.global.u32 [%to], %i;\nLABEL:\n";
    }
    let mut stored = Vec::new();
    for operand in line.operands.iter().filter(|o| o.written) {
        for (class, n) in registers(&operand.text) {
            if stored.contains(&(class, n)) {
                continue;
            }
            stored.push((class, n));
            let (name, ty, _) = CLASSES[class];
            let at = *results * CHUNK;
            *results += 1;
            let _ = match ty {
                "pred" => writeln!(text, "\tselp.u32 %w, 1, 0, {name}{n};\n\tst.global.u32 [%to+{at}], %w;"),
                _ => writeln!(text, "\tst.global.{ty} [%to+{at}], {name}{n};"),
            };
        }
    }
    // What a carry is good for.
    if line.mnemonic.split('.').any(|m| m == "cc") {
        let at = *results * CHUNK;
        *results += 1;
        let _ = writeln!(text, "\taddc.u32 %w, %i, 0;\n\tst.global.u32 [%to+{at}], %w;");
    }
    text
}

fn load(text: &mut String, class: usize, n: usize, slot: usize, source: &Source) {
    let (name, ty, bytes) = CLASSES[class];
    let at = slot * CHUNK;
    let _ = match (source, ty) {
        (Source::Address(variable), "u32" | "u64") => {
            writeln!(text, "\tmov.{ty} {name}{n}, {variable};")
        }
        (Source::Parameter | Source::Sum, "pred") => {
            writeln!(text, "\tld.param.u32 %w, [value+{}];\n\tsetp.ne.u32 {name}{n}, %w, 0;", at % 64)
        }
        (_, "pred") => {
            writeln!(text, "\tld.global.u32 %w, [%from+{at}];\n\tsetp.ne.u32 {name}{n}, %w, 0;")
        }
        (Source::Parameter | Source::Sum, _) => {
            writeln!(
                text,
                "\tld.param.{ty} {name}{n}, [value+{}];",
                (at + slot / 4 * bytes) % 64 / bytes * bytes
            )
        }
        _ => writeln!(text, "\tld.global.{ty} {name}{n}, [%from+{at}];"),
    };
    if let (Source::Sum, "u32" | "u64") = (source, ty) {
        let _ = writeln!(text, "\tadd.{ty} {name}{n}, {name}{n}, 64;");
    }
    if let Source::Through(steps) = source {
        for step in steps {
            let _ = writeln!(text, "\t{step} {name}{n}, {name}{n};");
        }
    }
}
