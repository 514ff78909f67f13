//! Random programs that use what the PTX ISA leaves open: registers and memory that were never written, addresses as values, payloads of NaNs, quotients by zero,
//! counts past the width, clocks and places of threads, and the order of races. The same seed gives the same program.
//!
//! A compiler may do with each of these what it likes, so that no right code may be called wrong because of them. Beside them stands what is
//! fixed, so that wrong code shows. [`changed`] gives such code: the program with one fixed operation done as another.

use crate::program::Draws;
use std::fmt::Write;

/// Threads of the one block that each program is made for.
pub const THREADS: usize = 32;
/// Bytes of output for each thread.
pub const RECORD: usize = 128;

/// Something that the ISA leaves open, or that is easily taken so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Openness {
    /// Nothing: an operation on what is there.
    Fixed,
    /// A register that was never written is an operand, or decides a branch.
    Unwritten,
    /// Where a variable lies is a value.
    Addresses,
    /// A NaN's payload.
    Payloads,
    /// Shifts and bit fields past the width.
    Counts,
    /// A quotient or remainder by zero.
    Quotients,
    /// Local or shared memory before it is written.
    Memory,
    /// A variable without its space, and registers wider than what is moved.
    Widths,
    /// Clocks, multiprocessors, warps.
    Machine,
    /// Lanes: shuffles out of range, who is active.
    Lanes,
    /// Who stores last.
    Races,
    /// Floats as integers that they do not fit.
    Conversions,
}

/// All of them.
pub const ALL: [Openness; 12] = [
    Openness::Fixed,
    Openness::Unwritten,
    Openness::Addresses,
    Openness::Payloads,
    Openness::Counts,
    Openness::Quotients,
    Openness::Memory,
    Openness::Widths,
    Openness::Machine,
    Openness::Lanes,
    Openness::Races,
    Openness::Conversions,
];

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Lines of the body, and what each is about.
    pub lines: Vec<(Openness, String)>,
    /// Whether most of what is never written is written on some inputs.
    pub partly: bool,
}

/// Templates. `R` is a word that is written, `r` one that was loaded, `u` one that was never written but by an earlier line, `n` any of them; `D`, `d` the same of 64 bits, `F`, `f` of
/// floats, `H`, `h` of 16 bits, `P`, `p` of predicates, `q` a predicate that was never written but by an earlier line; `V` a variable, `L` a label of its own; `0` to `9` are themselves.
const TEMPLATES: &[(Openness, &[&str])] = &[
    (
        Openness::Fixed,
        &[
            "add.u32 %R, %r, %r;",
            "sub.u32 %R, %r, %r;",
            "xor.b32 %R, %r, 85;",
            "mul.lo.u32 %R, %r, 12;",
            "min.s32 %R, %r, %r;",
            "add.u64 %D, %d, 24;",
            "setp.lt.u32 %P, %r, 40;",
            "setp.ge.s32 %P, %r, %r;",
            "selp.b32 %R, %r, %r, %p;",
            "@%p add.u32 %R, %r, 3;",
            "add.rn.f32 %F, %f, 0f3F800000;",
        ],
    ),
    (
        Openness::Unwritten,
        &[
            "add.u32 %R, %r, %u;",
            "and.b32 %R, %u, 0;",
            "or.b32 %R, %u, 255;",
            "mov.b64 %D, {%u, %r};",
            "mul.wide.u32 %D, %u, %r;",
            "selp.b32 %R, %r, %r, %q;",
            "selp.b32 %R, %u, %r, %p;",
            "setp.le.u32 %P, %r, %u;",
            "setp.eq.u32 %P, %r, %u;",
            "setp.lt.u32 %P, %u, 1000;",
            "@%q add.u32 %R, %r, 1;",
            "setp.le.u32 %P, %r, %u; @%P bra %L; xor.b32 %R, %r, 1; %L:",
            "@%q bra %L; add.u32 %R, %r, 7; %L:",
            "@%p mov.u32 %U, %r;",
            "@%p setp.gt.u32 %Q, %r, 12;",
            "cvt.u64.u32 %D, %u;",
            "max.u32 %R, %u, %u;",
            "sub.u32 %R, %u, %u;",
        ],
    ),
    (
        Openness::Addresses,
        &[
            "mov.u64 %D, %V;",
            "mov.u32 %R, box;",
            "mov.u32 %R, sa;",
            "cvta.local.u64 %D, other;",
            "cvta.shared.u64 %D, sb;",
            "mov.u64 %D, box; mov.u64 %E, other; setp.lt.u64 %P, %D, %E;",
            "mov.u64 %D, sa; mov.u64 %E, sb; sub.u64 %D, %D, %E;",
            "mov.u64 %D, box; and.b64 %D, %D, 7;",
            "mov.u64 %D, sa; setp.eq.u64 %P, %D, 0; selp.b32 %R, %r, 1, %P;",
            "mov.u64 %D, other; add.u64 %D, %D, 4;",
            "mov.u64 %D, gv; and.b64 %D, %D, 15;",
            "mov.u64 %D, other; shr.u64 %D, %D, 5;",
        ],
    ),
    (
        Openness::Payloads,
        &[
            "neg.f32 %F, %f;",
            "abs.f32 %F, %f;",
            "add.rn.f32 %F, %f, %f;",
            "mul.rn.f32 %F, %f, 0f7FC12345;",
            "min.f32 %F, %f, %f;",
            "max.f32 %F, %f, 0f7FC00001;",
            "neg.f32 %F, %f; mov.b32 %R, %F; and.b32 %R, %R, 255;",
            "copysign.f32 %F, %f, %f;",
            "setp.nan.f32 %P, %f, %f;",
            "neg.f32 %F, %f; mov.b32 %R, %F; setp.lt.s32 %P, %R, 0;",
        ],
    ),
    (
        Openness::Counts,
        &[
            "shl.b32 %R, %r, %r;",
            "shr.u32 %R, %r, %r;",
            "shr.s32 %R, %r, 40;",
            "shl.b64 %D, %d, %r;",
            "shf.l.wrap.b32 %R, %r, %r, %r;",
            "shf.r.clamp.b32 %R, %r, %r, %r;",
            "bfe.u32 %R, %r, %r, %r;",
            "bfe.s32 %R, %r, 20, 20;",
            "bfi.b32 %R, %r, %r, %r, %r;",
            "shl.b16 %H, %h, %r;",
        ],
    ),
    (
        Openness::Quotients,
        &[
            "mov.u32 %R, 0; div.u32 %R, %r, %R;",
            "and.b32 %R, %r, 3; div.u32 %R, %r, %R;",
            "and.b32 %R, %r, 3; rem.u32 %R, %r, %R;",
            "rem.u32 %R, %r, 0;",
            "div.u32 %R, %r, 0;",
            "and.b32 %R, %r, 1; rem.s32 %R, %r, %R; setp.eq.u32 %P, %R, %r;",
            "rem.u16 %H, %h, 0;",
        ],
    ),
    (
        Openness::Memory,
        &[
            "ld.local.u32 %R, [box+4];",
            "ld.local.u64 %D, [other+8];",
            "st.local.u32 [box], %r; ld.local.u64 %D, [box];",
            "st.local.u32 [other+12], %r; ld.local.u32 %R, [other+12];",
            "and.b32 %R, %r, 12; mov.u32 %S, other; add.u32 %S, %S, %R; st.local.u32 [%S], %r; ld.local.u32 %R, [other+4];",
            "ld.shared.u32 %R, [sb+4];",
            "ld.local.u8 %R, [box+9]; setp.gt.u32 %P, %R, 100;",
            "st.local.u8 [box+1], %r; ld.local.u16 %R, [box];",
        ],
    ),
    (
        Openness::Widths,
        &[
            "ld.global.u8 %R, [%from+1];",
            "ld.global.s8 %D, [%from+2];",
            "ld.global.u16 %D, [%from+4];",
            "ld.global.u8 %H, [%from+3];",
            "st.global.u8 [%own+1], %r;",
            "st.global.u16 [%own+2], %d;",
            "st.global.u8 [%own+5], %h;",
            "st.b32 [box], %r; ld.b32 %R, [box];",
            "ld.b32 %R, [gv+4];",
            "ld.const.u8 %R, [cv+4];",
            "cvt.u32.u8 %R, %r;",
            "cvt.s64.s16 %D, %r;",
        ],
    ),
    (
        Openness::Machine,
        &[
            "mov.u32 %R, %smid;",
            "mov.u32 %R, %warpid;",
            "mov.u32 %R, %nsmid; setp.gt.u32 %P, %R, 10;",
            "mov.u32 %R, %clock;",
            "mov.u64 %D, %clock64; mov.u64 %E, %clock64; sub.u64 %D, %E, %D;",
            "mov.u32 %R, %smid; setp.lt.u32 %P, %R, 500; @%P bra %L; add.u32 %R, %r, 1; %L:",
        ],
    ),
    (
        Openness::Lanes,
        &[
            "shfl.sync.idx.b32 %R, %r, %r, 31, -1;",
            "shfl.sync.up.b32 %R|%P, %r, 4, 0, -1;",
            "shfl.sync.down.b32 %R, %u, 1, 31, -1;",
            "vote.sync.ballot.b32 %R, %p, -1;",
            "vote.sync.any.pred %P, %q, -1;",
            "activemask.b32 %R;",
        ],
    ),
    (
        Openness::Races,
        &[
            "st.shared.u32 [sa], %r; bar.sync 0; ld.shared.u32 %R, [sa];",
            "st.global.u32 [%to], %r;",
            "atom.global.add.u32 %R, [%to], 1;",
            "atom.shared.exch.b32 %R, [sa], %r;",
            "st.shared.u32 [%mine], %r; bar.sync 0; ld.shared.u32 %R, [sa+8]; bar.sync 0;",
        ],
    ),
    (
        Openness::Conversions,
        &[
            "cvt.rzi.s32.f32 %R, %f;",
            "cvt.rzi.u32.f32 %R, %f;",
            "cvt.rni.u64.f32 %D, %f;",
            "cvt.rzi.s16.f32 %H, %f;",
            "cvt.rn.f16.f32 %H, %f;",
            "cvt.f32.f16 %F, %h;",
            "cvt.rzi.u32.f32 %R, 0f7FC00000;",
            "cvt.sat.u8.s32 %R, %r;",
        ],
    ),
];

const VARIABLES: [&str; 5] = ["box", "other", "sa", "sb", "gv"];

/// What lanes do together, or all wait for, stands under no branch.
fn is_together(template: &str) -> bool {
    [".sync", "bar.", "activemask"].iter().any(|part| template.contains(part))
}

impl Open {
    /// The program of a seed.
    pub fn random(seed: u64) -> Open {
        let mut d = Draws::new(seed.wrapping_mul(0x9e6c_63d0_876a_3f6b));
        let count = 3 + d.below(8);
        // A few kinds of openness together, so that each meets the others and none is in all.
        let some: Vec<usize> = (0..3).map(|_| d.below(TEMPLATES.len())).collect();
        let mut lines = Vec::new();
        let mut close: Option<(usize, usize)> = None;
        for n in 0..count {
            let (about, templates) = TEMPLATES[if d.one_in(3) { 0 } else { some[d.below(some.len())] }];
            let template = templates[d.below(templates.len())];
            if close.is_none() && d.one_in(6) {
                let predicate = if d.one_in(4) { "%q" } else { "%p" };
                let register = filled(predicate, &mut d, n);
                let kind = if predicate == "%q" { Openness::Unwritten } else { Openness::Fixed };
                lines.push((kind, format!("@{register} bra OVER{n};")));
                close = Some((n, n + 1 + d.below(3)));
            }
            if close.is_some() && is_together(template) {
                continue;
            }
            lines.push((about, filled(template, &mut d, n)));
            if let Some((label, _)) = close.filter(|(_, end)| *end <= n) {
                lines.push((Openness::Fixed, format!("OVER{label}:")));
                close = None;
            }
        }
        if let Some((label, _)) = close {
            lines.push((Openness::Fixed, format!("OVER{label}:")));
        }
        Open { lines, partly: !d.one_in(6) }
    }

    /// What it uses.
    pub fn uses(&self) -> Vec<Openness> {
        let mut all: Vec<Openness> = self.lines.iter().map(|l| l.0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The module, with one entry `k(to, from)`.
    pub fn text(&self) -> String {
        let mut text = String::from(
            ".version 8.3\n.target sm_90\n.address_size 64\n.global .align 8 .b32 gv[4] = {1, 2, 3, 4};\n.const .align 4 .b32 cv[2] = {5, 6};\n\
             .visible .entry k(.param .u64 k_to, .param .u64 k_from)\n{\n\
             \t.local .align 8 .b8 box[16];\n\t.local .align 16 .b8 other[32];\n\t.shared .align 4 .b32 sa[32];\n\t.shared .align 8 .b32 sb[8];\n\
             \t.reg .b32 %r<9>, %me, %mine;\n\t.reg .b64 %d<7>, %to, %from, %own;\n\t.reg .f32 %f<5>;\n\t.reg .b16 %h<4>;\n\t.reg .pred %p<7>;\n\
             \tmov.u32 %me, %tid.x;\n\tld.param.u64 %to, [k_to];\n\tld.param.u64 %from, [k_from];\n",
        );
        let _ = writeln!(text, "\tmad.wide.u32 %own, %me, {RECORD}, %to;\n\tadd.u64 %own, %own, 16;");
        let _ = writeln!(text, "\tmad.wide.u32 %from, %me, {RECORD}, %from;");
        text += "\tmov.u32 %mine, sa;\n\tmad.lo.u32 %mine, %me, 4, %mine;\n";
        for i in 1..=4 {
            let _ = writeln!(text, "\tld.global.u32 %r{i}, [%from+{}];", 4 * i);
        }
        for i in 1..=2 {
            let _ = writeln!(text, "\tld.global.u64 %d{i}, [%from+{}];", 16 + 8 * i);
            let _ = writeln!(text, "\tld.global.f32 %f{i}, [%from+{}];", 44 + 4 * i);
            let _ = writeln!(text, "\tld.global.u16 %h{i}, [%from+{}];", 56 + 2 * i);
            let _ = writeln!(text, "\tsetp.lt.u32 %p{i}, %r{i}, {};", 20 * i);
        }
        // Most programs write what else is never written where some predicate holds, so that they mean something on some inputs.
        if self.partly {
            text += "\t@%p1 mov.u32 %r5, %r2;\n\t@%p2 mov.u32 %r6, %r3;\n";
            text += "\t@%p1 setp.gt.u32 %p3, %r2, 9;\n\t@%p2 setp.gt.u32 %p4, %r3, 9;\n\t@%p1 setp.lt.s32 %p5, %r4, 0;\n";
        }
        for (_, line) in &self.lines {
            let _ = writeln!(text, "\t{line}");
        }
        for i in 1..=8 {
            let _ = writeln!(text, "\tst.global.u32 [%own+{}], %r{i};", 8 + 4 * (i - 1));
        }
        for i in 1..=4 {
            let _ = writeln!(text, "\tst.global.u64 [%own+{}], %d{i};", 40 + 8 * (i - 1));
            let _ = writeln!(text, "\tst.global.f32 [%own+{}], %f{i};", 72 + 4 * (i - 1));
        }
        for i in 1..=3 {
            let _ = writeln!(text, "\tst.global.u16 [%own+{}], %h{i};", 88 + 2 * (i - 1));
        }
        for i in 1..=4 {
            let _ = writeln!(text, "\tselp.u32 %r1, 1, 0, %p{i};\n\tst.global.u8 [%own+{}], %r1;", 94 + i);
        }
        text + "\tret;\n}\n"
    }

    /// The program without a line; those of a branch, and those with labels, stay.
    pub fn without(&self, n: usize) -> Option<Open> {
        let line = &self.lines.get(n)?.1;
        let stays = line.contains("OVER");
        let mut lines = self.lines.clone();
        lines.remove(n);
        (!stays).then_some(Open { lines, partly: self.partly })
    }
}

/// A program with a fixed operation done as another; none if it has none.
pub fn changed(program: &Open) -> Option<Open> {
    let others =
        [("add.u32", "sub.u32"), ("sub.u32", "add.u32"), ("xor.b32", "or.b32"), ("mul.lo.u32 ", "add.u32 ")];
    let fixed = |(about, line): &(Openness, String)| {
        let found = others.iter().find(|(from, _)| line.starts_with(from));
        found.filter(|_| *about == Openness::Fixed).map(|(from, to)| line.replacen(from, to, 1))
    };
    let (at, line) = program.lines.iter().enumerate().rev().find_map(|(i, l)| Some((i, fixed(l)?)))?;
    let mut lines = program.lines.clone();
    lines[at].1 = line;
    Some(Open { lines, partly: program.partly })
}

/// A template with registers for its letters. What is written in it by a capital is the same wherever it stands.
fn filled(template: &str, d: &mut Draws, n: usize) -> String {
    let mut own: Vec<(char, String)> = Vec::new();
    let mut text = String::new();
    let mut rest = template.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let after = {
            let mut ahead = rest.clone();
            ahead.next();
            ahead.next().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
        };
        let letter = next.filter(|l| c == '%' && after && "RSrnuUDEdFfHhPpqQVL".contains(*l));
        let Some(letter) = letter else {
            text.push(c);
            continue;
        };
        rest.next();
        let known = own.iter().find(|(l, _)| *l == letter).map(|(_, r)| r.clone());
        let mut draw = |from: usize, count: usize| from + d.below(count);
        let register = known.unwrap_or_else(|| match letter {
            'R' => format!("%r{}", draw(1, 6)),
            // A second word that is written: another one.
            'S' => "%r7".into(),
            'r' => format!("%r{}", draw(1, 4)),
            'n' => format!("%r{}", draw(1, 8)),
            'u' | 'U' => format!("%r{}", draw(5, 3)),
            'D' => format!("%d{}", draw(1, 4)),
            'E' => "%d5".into(),
            'd' => format!("%d{}", draw(1, 2)),
            'F' => format!("%f{}", draw(1, 4)),
            'f' => format!("%f{}", draw(1, 2)),
            'H' => format!("%h{}", draw(1, 3)),
            'h' => format!("%h{}", draw(1, 2)),
            'P' => format!("%p{}", draw(1, 4)),
            'p' => format!("%p{}", draw(1, 2)),
            'q' | 'Q' => format!("%p{}", draw(3, 3)),
            'V' => VARIABLES[draw(0, VARIABLES.len())].into(),
            _ => format!("HERE{n}"),
        });
        if letter.is_uppercase() && own.iter().all(|(l, _)| *l != letter) {
            own.push((letter, register.clone()));
        }
        text += &register;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn programs_are_accepted_and_use_all_there_is() {
        let mut used = BTreeSet::new();
        let mut other = 0;
        for seed in 0..400 {
            let program = Open::random(seed);
            assert_eq!(program, Open::random(seed));
            used.extend(program.uses());
            let text = program.text();
            if let Err(found) = sassafras_ptx::load(&text, "test") {
                panic!("{seed}: {found:?}\n{text}");
            }
            other += usize::from(changed(&program).is_some_and(|c| c.text() != text));
        }
        assert_eq!(used.into_iter().collect::<Vec<_>>(), ALL);
        assert!(other > 150, "{other} of 400 can be changed");
    }
}
