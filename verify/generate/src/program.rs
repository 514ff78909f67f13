//! Random programs over the arithmetic forms: straight lines, guards, ifs and counted loops, each a kernel that loads its
//! registers, computes, and stores all of them. The same seed gives the same program.

use crate::forms::{self, Form};
use std::fmt::Write;

/// Threads of the one block that each program is made for.
pub const THREADS: usize = forms::THREADS;

/// Register classes: name, declared type, how they are loaded and stored, size in bytes.
const CLASSES: [(&str, &str, &str, usize); 6] = [
    ("%rs", "b16", "u16", 2),
    ("%rd", "b64", "u64", 8),
    ("%fd", "f64", "f64", 8),
    ("%r", "b32", "u32", 4),
    ("%f", "f32", "f32", 4),
    ("%p", "pred", "pred", 4),
];
/// Registers of each class, numbered from 1.
const REGISTERS: usize = 5;
/// Bytes that a register takes in input and output.
const CHUNK: usize = 8;
/// Bytes of input, and of output, for each thread.
const RECORD: usize = CLASSES.len() * REGISTERS * CHUNK;
/// Size of the input buffer and of the output buffer in bytes.
pub const BUFFER: usize = THREADS * RECORD;

/// Draws by splitmix64.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Draws {
        Draws(seed)
    }
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Lines of the body.
    pub lines: Vec<Line>,
}

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The block that it opens or closes; such lines are left out together.
    pub block: Option<usize>,
}

/// The forms that programs are made of: those whose registers are of the classes here, and that need no carry. Left out is
/// what makes a NaN of unspecified bits in a register that integer forms read: its bits may decide a comparison.
pub fn ingredients() -> Vec<Form> {
    let usable = |line: &str| {
        let carry = ["addc", "subc", "madc"].iter().any(|start| line.starts_with(start));
        let half = line.contains("f16");
        let any_nan = half
            && (["abs.", "neg.", "cvt."].iter().any(|start| line.starts_with(start))
                || line.contains("xorsign"));
        // The sign of a binary64 NaN is unspecified.
        let sign = line.starts_with("copysign.f64");
        !carry && !any_nan && !sign && !line.contains("%rb") && !line.contains("%rq")
    };
    forms::arithmetic().into_iter().filter(|f| usable(&f.line)).collect()
}

/// What makes a division defined: a divisor that is not zero.
fn defined(line: &str) -> Option<String> {
    let (mnemonic, operands) = line.split_once(' ')?;
    if !["div.", "rem."].iter().any(|start| mnemonic.starts_with(start)) {
        return None;
    }
    let divisor = operands.rsplit(' ').next()?.trim_end_matches(';');
    let (_, ty, ..) = CLASSES.iter().find(|(name, ..)| {
        divisor.strip_prefix(name).is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    ty.starts_with('b').then(|| format!("or.{ty} {divisor}, {divisor}, 1;"))
}

impl Program {
    /// The program of a seed, of about `length` instructions.
    pub fn random(seed: u64, length: usize, ingredients: &[Form]) -> Program {
        let mut d = Draws(seed.wrapping_mul(0xd1b5_4a32_d192_ed03));
        let mut lines = Vec::new();
        // Open blocks: the lines that close each, how many instructions it still takes, and its number.
        let mut open: Vec<(Vec<String>, usize, usize)> = Vec::new();
        let whole = |block: usize| move |text: String| Line { text, block: Some(block) };
        for n in 0..length {
            if open.len() < 3 && d.one_in(8) {
                let (close, head) = if d.one_in(3) {
                    let times = 2 + d.below(3);
                    let head = vec![format!("mov.u32 %c{n}, 0;"), format!("LOOP{n}:")];
                    let close = vec![
                        format!("add.u32 %c{n}, %c{n}, 1;"),
                        format!("setp.lt.u32 %b{n}, %c{n}, {times};"),
                        format!("@%b{n} bra LOOP{n};"),
                    ];
                    (close, head)
                } else {
                    let negate = if d.one_in(2) { "!" } else { "" };
                    let head = vec![format!("@{negate}%p{} bra SKIP{n};", 1 + d.below(REGISTERS))];
                    (vec![format!("SKIP{n}:")], head)
                };
                lines.extend(head.into_iter().map(whole(n)));
                open.push((close, 1 + d.below(6), n));
            }
            let form = &ingredients[d.below(ingredients.len())];
            let mut text = renumbered(&form.line, &mut d);
            let before = defined(&text);
            if d.one_in(5) {
                let negate = if d.one_in(2) { "!" } else { "" };
                text = format!("@{negate}%p{} {text}", 1 + d.below(REGISTERS));
            }
            if let Some(before) = before {
                text = format!("{before} {text}");
            }
            lines.push(Line { text, block: None });
            for block in &mut open {
                block.1 -= 1;
            }
            while open.last().is_some_and(|b| b.1 == 0) {
                let (close, _, number) = open.pop().unwrap_or_default();
                lines.extend(close.into_iter().map(whole(number)));
                // What encloses the block must not end inside it.
                if let Some(outer) = open.last_mut() {
                    outer.1 = outer.1.max(1);
                }
            }
            if let Some(inner) = open.last().map(|b| b.1) {
                for outer in &mut open {
                    outer.1 = outer.1.max(inner);
                }
            }
        }
        while let Some((close, _, number)) = open.pop() {
            lines.extend(close.into_iter().map(whole(number)));
        }
        Program { lines }
    }

    /// The module, with one entry `k(out, in)`.
    pub fn text(&self) -> String {
        let mut text = String::from(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k (.param .u64 out, .param .u64 in)\n{\n",
        );
        for (name, ty, ..) in CLASSES {
            let _ = writeln!(text, "\t.reg .{ty} {name}<{}>;", REGISTERS + 1);
        }
        text += "\t.reg .b64 %to, %from;\n\t.reg .b32 %i, %w;\n\t.reg .b32 %c<200>;\n\t.reg .pred %b<200>;\n";
        text += "\tmov.u32 %i, %tid.x;\n\tld.param.u64 %to, [out];\n\tld.param.u64 %from, [in];\n";
        let _ = writeln!(
            text,
            "\tmad.wide.u32 %to, %i, {RECORD}, %to;\n\tmad.wide.u32 %from, %i, {RECORD}, %from;"
        );
        for (name, ty, at) in registers() {
            let _ = match ty {
                "pred" => writeln!(
                    text,
                    "\tld.global.u32 %w, [%from+{at}];\n\tand.b32 %w, %w, 1;\n\tsetp.ne.u32 {name}, %w, 0;"
                ),
                _ => writeln!(text, "\tld.global.{ty} {name}, [%from+{at}];"),
            };
        }
        for line in &self.lines {
            let _ = writeln!(text, "\t{}", line.text);
        }
        for (name, ty, at) in registers() {
            let _ = match ty {
                "pred" => writeln!(text, "\tselp.u32 %w, 1, 0, {name};\n\tst.global.u32 [%to+{at}], %w;"),
                _ => writeln!(text, "\tst.global.{ty} [%to+{at}], {name};"),
            };
        }
        text + "\tret;\n}\n"
    }

    /// The program without line `n`, and without the other lines of its block if it opens or closes one.
    pub fn without(&self, n: usize) -> Option<Program> {
        let block = self.lines.get(n)?.block;
        let kept = |(i, l): &(usize, &Line)| *i != n && (block.is_none() || l.block != block);
        Some(Program { lines: self.lines.iter().enumerate().filter(kept).map(|(_, l)| l.clone()).collect() })
    }

    /// A program from which no single line can be left out so that `keep` still holds, given that it holds of this one.
    pub fn reduced(&self, keep: impl Fn(&Program) -> bool) -> Program {
        let mut small = self.clone();
        // From the end: what follows a line is there no more when its turn comes.
        for n in (0..self.lines.len()).rev() {
            if let Some(smaller) = small.without(n).filter(|p| keep(p)) {
                small = smaller;
            }
        }
        small
    }
}

/// Every register: its name, how it is loaded and stored, and where.
fn registers() -> impl Iterator<Item = (String, &'static str, usize)> {
    CLASSES.iter().enumerate().flat_map(|(class, (name, _, ty, _))| {
        (0..REGISTERS).map(move |n| (format!("{name}{}", n + 1), *ty, (class * REGISTERS + n) * CHUNK))
    })
}

/// The instruction with other registers, two destinations never the same.
fn renumbered(line: &str, d: &mut Draws) -> String {
    let mut text = String::new();
    let mut rest = line;
    let mut last = 0;
    while let Some(at) = rest.find('%') {
        let digits = at + 1 + rest[at + 1..].find(|c: char| c.is_ascii_digit()).unwrap_or(0);
        let end = digits + rest[digits..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - digits);
        let mut number = 1 + d.below(REGISTERS);
        if number == last {
            number = 1 + number % REGISTERS;
        }
        last = number;
        text += &rest[..digits];
        let _ = write!(text, "{number}");
        rest = &rest[end..];
    }
    text + rest
}

/// Contents of the input buffer for a seed.
pub fn inputs(seed: u64) -> Vec<u8> {
    const SOME: [u64; 8] = [
        0,
        1,
        31,
        0x8000_0000_8000_8080,
        u64::MAX,
        0x3ff0_0000_3f80_0000,
        0x7ff8_0000_7fc0_0001,
        0x4009_21fb_5444_2d18,
    ];
    let mut d = Draws(seed);
    (0..BUFFER / 8)
        .flat_map(|_| {
            let draw = d.draw();
            if d.one_in(3) { SOME[draw as usize % SOME.len()] } else { draw }.to_le_bytes()
        })
        .collect()
}

/// The first register that differs from what it may be: `sources` are outputs under several choices of what is undefined,
/// and only where they agree is anything asked of `target`.
pub fn difference(sources: &[Vec<u8>], target: &[u8]) -> Option<String> {
    let source = sources.first()?;
    let number = |v: &[u8], at: usize| {
        v.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().expect("eight")))
    };
    for thread in 0..THREADS {
        for (name, ty, at) in registers() {
            let at = thread * RECORD + at;
            let (expected, found) = (number(source, at), number(target, at));
            let defined = sources.iter().all(|s| number(s, at) == expected);
            // The payload of a binary64 NaN is unspecified.
            let nan = ty == "f64" && f64::from_bits(expected).is_nan() && f64::from_bits(found).is_nan();
            if expected != found && defined && !nan {
                return Some(format!("thread {thread}: {name} should be {expected:#x}, is {found:#x}"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_ptx_and_follow_their_seed() {
        let ingredients = ingredients();
        for seed in 0..40 {
            let program = Program::random(seed, 40, &ingredients);
            assert_eq!(program, Program::random(seed, 40, &ingredients));
            let text = program.text();
            sassafras_ptx::load(&text, "random")
                .unwrap_or_else(|e| panic!("{text}\n{:?}", e.records().first()));
        }
    }

    #[test]
    fn reduction_keeps_what_matters() {
        let program = Program::random(3, 60, &ingredients());
        let wanted = program.lines.iter().filter(|l| l.block.is_none()).nth(7).expect("many lines").clone();
        let small = program.reduced(|p| p.lines.contains(&wanted));
        assert_eq!(small.lines, [wanted]);
    }
}
