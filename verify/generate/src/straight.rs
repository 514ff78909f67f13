//! Random loop-free functions for a prover: integers, f32, predicates, branches, accesses of mixed widths to two buffers that
//! may be one, in place, and shift counts at and past the width. The same seed gives the same function.
//!
//! Each thread has [`RECORD`] bytes of each buffer for itself, so that no function has a race.

pub mod features;

use crate::program::{Draws, Line, Program};
use std::fmt::Write;

/// Threads of the one block that each function is made for.
pub const THREADS: usize = 32;
/// Bytes of each buffer for each thread.
pub const RECORD: usize = 256;
/// Size of each buffer in bytes.
pub const BUFFER: usize = THREADS * RECORD;

/// Register classes: letter in templates, name, declared type, suffix of loads and stores, bytes, registers.
const CLASSES: [(char, &str, &str, &str, usize, usize); 5] = [
    ('r', "%r", "b32", "u32", 4, 6),
    ('d', "%rd", "b64", "u64", 8, 4),
    ('h', "%rs", "b16", "u16", 2, 3),
    ('f', "%f", "f32", "f32", 4, 4),
    ('p', "%p", "pred", "pred", 4, 4),
];

/// Templates: a letter with `=` is a register that is written, a letter alone one that is read, with `i` a register or an
/// immediate, `c` a shift count.
const FORMS: &[&str] = &[
    "add.s32 r= r ri",
    "sub.s32 r= r ri",
    "sub.u32 r= ri r",
    "mul.lo.s32 r= r ri",
    "mul.hi.u32 r= r ri",
    "mul.hi.s32 r= r r",
    "mad.lo.s32 r= r ri r",
    "mul.wide.s32 d= r ri",
    "mul.wide.u32 d= r r",
    "mad.wide.u32 d= r ri d",
    "min.s32 r= r ri",
    "max.u32 r= r ri",
    "max.s32 r= r r",
    "abs.s32 r= r",
    "neg.s32 r= r",
    "and.b32 r= r ri",
    "or.b32 r= r ri",
    "xor.b32 r= r ri",
    "not.b32 r= r",
    "shl.b32 r= r c",
    "shr.u32 r= r c",
    "shr.s32 r= r c",
    "shf.l.wrap.b32 r= r r c",
    "shf.l.clamp.b32 r= r r c",
    "shf.r.wrap.b32 r= r r c",
    "shf.r.clamp.b32 r= r r c",
    "bfe.u32 r= r c c",
    "bfe.s32 r= r c c",
    "bfi.b32 r= r r c c",
    "prmt.b32 r= r r ri",
    "lop3.b32 r= r r r 0x96",
    "lop3.b32 r= r r r 0xca",
    "popc.b32 r= r",
    "clz.b32 r= r",
    "brev.b32 r= r",
    "bfind.u32 r= r",
    "sad.u32 r= r r r",
    "selp.b32 r= ri r p",
    "add.s64 d= d di",
    "sub.s64 d= d d",
    "mul.lo.s64 d= d di",
    "and.b64 d= d di",
    "or.b64 d= d d",
    "xor.b64 d= d di",
    "shl.b64 d= d c",
    "shr.u64 d= d c",
    "shr.s64 d= d c",
    "min.s64 d= d d",
    "max.u64 d= d di",
    "neg.s64 d= d",
    "popc.b64 r= d",
    "selp.b64 d= d d p",
    "cvt.u64.u32 d= r",
    "cvt.s64.s32 d= r",
    "cvt.u32.u64 r= d",
    "cvt.s32.s8 r= r",
    "cvt.u32.u16 r= h",
    "cvt.s32.s16 r= h",
    "cvt.u16.u32 h= r",
    "cvt.s16.s8 h= h",
    "add.s16 h= h hi",
    "sub.s16 h= h h",
    "mul.lo.s16 h= h hi",
    "mul.wide.s16 r= h h",
    "shl.b16 h= h c",
    "shr.u16 h= h c",
    "shr.s16 h= h c",
    "min.s16 h= h h",
    "max.u16 h= h hi",
    "xor.b16 h= h hi",
    "add.rn.f32 f= f fi",
    "sub.rn.f32 f= f f",
    "mul.rn.f32 f= f fi",
    "add.rn.ftz.f32 f= f f",
    "mul.rn.ftz.f32 f= f f",
    "fma.rn.f32 f= f f f",
    "fma.rn.f32 f= f fi f",
    "add.rn.sat.f32 f= f f",
    "min.f32 f= f fi",
    "max.f32 f= f f",
    "neg.f32 f= f",
    "abs.f32 f= f",
    "copysign.f32 f= f f",
    "selp.f32 f= f f p",
    "mov.b32 r= f",
    "mov.b32 f= r",
    "cvt.rn.f32.s32 f= r",
    "cvt.rzi.s32.f32 r= f",
    "cvt.rni.f32.f32 f= f",
    "setp.lt.s32 p= r ri",
    "setp.ge.u32 p= r ri",
    "setp.eq.s32 p= r r",
    "setp.ne.s64 p= d d",
    "setp.gt.s64 p= d di",
    "setp.le.u64 p= d d",
    "setp.lt.s16 p= h hi",
    "setp.hi.u32 p= r r",
    "setp.lt.f32 p= f fi",
    "setp.geu.f32 p= f f",
    "setp.nan.f32 p= f f",
    "setp.lt.and.s32 p= r r p",
    "set.lt.u32.s32 r= r ri",
    "set.gt.u32.f32 r= f f",
    "and.pred p= p p",
    "or.pred p= p p",
    "xor.pred p= p p",
    "not.pred p= p",
    "slct.s32.s32 r= r r r",
];

const COUNTS: [u32; 14] = [0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255];
const NUMBERS: [i64; 14] = [0, 1, -1, 2, 3, 7, 10, 16, 31, 255, 4096, -128, 0x7fff_ffff, -0x8000_0000];
const FLOATS: [&str; 6] =
    ["0f3F800000", "0fBF000000", "0f00000000", "0f80000000", "0f7F800000", "0f3DCCCCCD"];
/// Loads and stores: suffix, class, bytes.
const ACCESSES: [(&str, char, usize); 9] = [
    ("u8", 'r', 1),
    ("s8", 'r', 1),
    ("u16", 'r', 2),
    ("s16", 'r', 2),
    ("u32", 'r', 4),
    ("u32", 'r', 4),
    ("f32", 'f', 4),
    ("u64", 'd', 8),
    ("u16", 'h', 2),
];

/// How many instructions a function has at least and at most, those that load parameters and `ret` aside.
const LENGTH: [usize; 2] = [10, 60];

struct Maker {
    d: Draws,
    /// Which registers hold a value, by class.
    defined: [usize; CLASSES.len()],
    lines: Vec<Line>,
    block: Option<usize>,
}

fn class(letter: char) -> usize {
    CLASSES.iter().position(|c| c.0 == letter).expect("a class")
}

impl Maker {
    fn read(&mut self, letter: char) -> String {
        let c = class(letter);
        format!("{}{}", CLASSES[c].1, 1 + self.d.below(self.defined[c]))
    }

    /// A register to write: where the instruction may not run, one that has a value.
    fn write(&mut self, letter: char, surely: bool) -> String {
        let c = class(letter);
        let (defined, all) = (self.defined[c], CLASSES[c].5);
        let n = if surely && defined < all { defined } else { self.d.below(defined) };
        self.defined[c] = defined.max(n + 1);
        format!("{}{}", CLASSES[c].1, n + 1)
    }

    fn immediate(&mut self, letter: char) -> String {
        let number = NUMBERS[self.d.below(NUMBERS.len())];
        match letter {
            'f' => FLOATS[self.d.below(FLOATS.len())].to_owned(),
            'h' => (number as i16).to_string(),
            _ => number.to_string(),
        }
    }

    fn push(&mut self, text: String) {
        self.lines.push(Line { text, block: None });
    }

    /// Where an access of some size goes: at a constant place of the thread's part of a buffer, or at one that a register says.
    fn address(&mut self, bytes: usize) -> String {
        let buffer = if self.d.one_in(2) { "%a" } else { "%b" };
        if self.d.one_in(4) {
            let index = self.read('r');
            let most = RECORD / bytes / 4 - 1;
            self.push(format!("and.b32 %w, {index}, {most}; mad.wide.u32 %at, %w, {bytes}, {buffer};"));
            return "[%at]".into();
        }
        // Few places, so that accesses meet.
        format!("[{buffer}+{}]", self.d.below(24 / bytes.min(8)) * bytes)
    }

    fn instruction(&mut self) {
        let guarded = self.d.one_in(6);
        let guard = if guarded {
            let negate = if self.d.one_in(2) { "!" } else { "" };
            format!("@{negate}{} ", self.read('p'))
        } else {
            String::new()
        };
        let surely = !guarded && self.block.is_none();
        if self.d.one_in(4) {
            let (suffix, letter, bytes) = ACCESSES[self.d.below(ACCESSES.len())];
            let address = self.address(bytes);
            let text = if self.d.one_in(2) {
                let to = self.write(letter, surely);
                format!("{guard}ld.global.{suffix} {to}, {address};")
            } else {
                format!("{guard}st.global.{suffix} {address}, {};", self.read(letter))
            };
            return self.push(text);
        }
        let template = FORMS[self.d.below(FORMS.len())];
        let (mnemonic, rest) = template.split_once(' ').expect("operands");
        let mut operands = vec![String::new()];
        let mut to = None;
        for word in rest.split(' ') {
            let letter = word.chars().next().unwrap_or('r');
            operands.push(match word.get(1..) {
                Some("=") => {
                    to = Some(letter);
                    continue;
                }
                Some("i") if self.d.one_in(2) => self.immediate(letter),
                _ if letter == 'c' && self.d.one_in(3) => self.read('r'),
                _ if letter == 'c' => COUNTS[self.d.below(COUNTS.len())].to_string(),
                _ if letter == '0' => word.to_owned(),
                _ => self.read(letter),
            });
        }
        // The destination last: what is read had a value before.
        operands[0] = self.write(to.unwrap_or('r'), surely);
        self.push(format!("{guard}{mnemonic} {};", operands.join(", ")));
    }
}

/// The function of a seed.
pub fn random(seed: u64) -> Program {
    let mut m = Maker {
        d: Draws::new(seed.wrapping_mul(0xa076_1d64_78bd_642f)),
        defined: [0; CLASSES.len()],
        lines: Vec::new(),
        block: None,
    };
    let length = LENGTH[0] + m.d.below(LENGTH[1] - LENGTH[0] + 1);
    // Two registers of each class have values from the start.
    for (c, (_, name, _, ty, bytes, _)) in CLASSES.iter().enumerate() {
        for n in 1..=2 {
            let at = 32 * n + 8 * c;
            let text = match *ty {
                "pred" => format!("setp.ne.u32 {name}{n}, %r{n}, {};", 5 * n),
                _ if *bytes == 8 => format!("ld.global.{ty} {name}{n}, [%a+{}];", at / 8 * 8),
                _ => format!("ld.global.{ty} {name}{n}, [%a+{at}];"),
            };
            m.push(text);
        }
        m.defined[c] = 2;
    }
    let stores = 3;
    let body = length.saturating_sub(10 + stores);
    let mut left = 0;
    for n in 0..body.max(1) {
        if m.block.is_none() && m.d.one_in(7) {
            let negate = if m.d.one_in(2) { "!" } else { "" };
            let text = format!("@{negate}{} bra SKIP{n};", m.read('p'));
            m.lines.push(Line { text, block: Some(n) });
            (m.block, left) = (Some(n), 1 + m.d.below(5));
        }
        m.instruction();
        if let Some(block) = m.block {
            left -= 1;
            if left == 0 {
                m.lines.push(Line { text: format!("SKIP{block}:"), block: Some(block) });
                m.block = None;
            }
        }
    }
    if let Some(block) = m.block.take() {
        m.lines.push(Line { text: format!("SKIP{block}:"), block: Some(block) });
    }
    for n in 0..stores {
        let (_, _, _, ty, bytes, _) = CLASSES[n % 4];
        let value = m.read(CLASSES[n % 4].0);
        m.push(format!("st.global.{ty} [%b+{}], {value};", 128 + 8 * n / bytes * bytes));
    }
    Program { lines: m.lines }
}

/// The module, with one entry `k(a, b)`.
pub fn text(function: &Program) -> String {
    let mut text = String::from(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k (.param .u64 a, .param .u64 b)\n{\n",
    );
    for (_, name, ty, _, _, count) in CLASSES {
        let _ = writeln!(text, "\t.reg .{ty} {name}<{}>;", count + 1);
    }
    text += "\t.reg .b64 %a, %b, %at;\n\t.reg .b32 %i, %w;\n";
    text += "\tmov.u32 %i, %tid.x;\n\tld.param.u64 %a, [a];\n\tld.param.u64 %b, [b];\n";
    let _ = writeln!(text, "\tmad.wide.u32 %a, %i, {RECORD}, %a;\n\tmad.wide.u32 %b, %i, {RECORD}, %b;");
    for line in &function.lines {
        let _ = writeln!(text, "\t{}", line.text);
    }
    text + "\tret;\n}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_ptx_and_follow_their_seed() {
        for seed in 0..300 {
            let function = random(seed);
            assert_eq!(function, random(seed));
            let text = text(&function);
            sassafras_ptx::load(&text, "random")
                .unwrap_or_else(|e| panic!("{text}\n{:?}", e.records().first()));
        }
    }
}
