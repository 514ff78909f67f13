//! Registers, labels, shared memory, and what is common to all parts.

use super::place::{GLOBALS, Place, Program, RECORD, THREADS};
use crate::program::Draws;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Values that each thread carries and that all parts change: `%v0` and so on.
const VALUES: usize = 6;
/// Bytes of shared memory for single words, 8 each; arrays lie behind.
const SINGLES: u32 = 1024;
/// Bytes of an array: a word for each thread.
const ARRAY: u32 = 4 * THREADS;

/// Writes a line.
macro_rules! put {
    ($m:expr, $($text:tt)*) => {{
        // What is written may draw too.
        let line = format!($($text)*);
        $m.put(line)
    }};
}
pub(super) use put;

/// The least place that a kind needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// All threads of the block.
    Block,
    /// All threads of the block, of which none may have ended.
    Whole,
    /// All lanes of the warp, or those of a mask.
    Mask,
    /// All lanes of the warp.
    Warp,
    /// Nothing, in a program of which threads end early, outside of masks.
    Ends,
    /// At most one loop around: lanes that spin in many take long in orders that hold others back.
    Shallow,
    /// Nothing.
    Nothing,
}

/// A kind: its name, the least chip, what it needs, how often it is drawn, what writes it.
pub(super) struct Row {
    pub name: &'static str,
    pub sm: u32,
    pub needs: Needs,
    pub weight: usize,
    pub write: fn(&mut Maker, &Place),
}

/// Kinds that are only parts of others, with the least chip (PTX ISA, "mbarrier.try_wait").
const PARTS: &[(&str, u32)] = &[("try_wait", 90)];

/// Writes one program.
pub(super) struct Maker {
    d: Draws,
    /// The kinds.
    pub rows: &'static [Row],
    /// As in `sm_90`.
    pub sm: u32,
    /// The least target so far.
    target: u32,
    lines: Vec<String>,
    /// Registers so far of the classes of [`CLASSES`].
    registers: [usize; 5],
    labels: usize,
    singles: u32,
    arrays: u32,
    globals: u32,
    kinds: BTreeSet<&'static str>,
    /// Whether some threads end before the others: then nothing counts on all of them.
    pub exits: bool,
    /// Accesses are ordered by more than barriers of the block.
    pub ordered_otherwise: bool,
    /// Regions around.
    pub depth: usize,
    /// Loops around.
    pub loops: usize,
    /// Regions around that are for the lanes of a mask: of these none may end.
    pub masks: usize,
    /// Of a function, where lanes return; of the entry, where threads end.
    pub end: String,
    /// A function is written.
    pub inside: bool,
    /// It is one that all threads of the block call: they return together.
    pub together: bool,
    /// Things that may still come.
    left: usize,
    /// Functions, and how many there are that all threads of a block may call, or any lanes.
    pub functions: Vec<String>,
    /// Calls so far to functions of each kind.
    pub callable: [Vec<String>; 2],
}

/// Prefix and type of registers that are made afresh.
const CLASSES: [(&str, &str); 5] =
    [("%r", "b32"), ("%p", "pred"), ("%d", "b64"), ("%f", "f32"), ("%h", "b16")];

impl Maker {
    pub fn new(mut d: Draws, sm: u32, rows: &'static [Row]) -> Maker {
        let exits = d.below(5) < 2;
        Maker {
            d,
            rows,
            sm,
            target: 75,
            lines: Vec::new(),
            registers: [0; 5],
            labels: 0,
            singles: 0,
            arrays: 0,
            globals: 0,
            kinds: BTreeSet::new(),
            exits,
            ordered_otherwise: false,
            depth: 0,
            loops: 0,
            masks: 0,
            end: "$END".into(),
            inside: false,
            together: false,
            left: 14,
            functions: Vec::new(),
            callable: [Vec::new(), Vec::new()],
        }
    }

    pub fn put(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.d.below(n)
    }
    pub fn one_in(&mut self, n: usize) -> bool {
        self.d.one_in(n)
    }
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.d.below(list.len())]
    }
    /// A kind is in the program, and needs a target.
    pub fn count(&mut self, kind: &'static str, sm: u32) {
        self.kinds.insert(kind);
        self.needs(sm);
    }
    /// The least chip that has a kind.
    fn least(&self, kind: &str) -> Option<u32> {
        let rows = self.rows.iter().map(|r| (r.name, r.sm));
        rows.chain(PARTS.iter().copied()).find(|(name, _)| *name == kind).map(|(_, sm)| sm)
    }
    /// Whether the chip has a kind, by the table.
    pub fn has(&self, kind: &str) -> bool {
        self.least(kind).is_some_and(|sm| self.sm >= sm)
    }
    /// A kind is in the program as a part of another.
    pub fn also(&mut self, kind: &'static str) {
        let sm = self.least(kind).unwrap_or_default();
        self.count(kind, sm);
    }
    /// An instruction needs a target.
    pub fn needs(&mut self, sm: u32) {
        self.target = self.target.max(sm);
    }

    /// Whether a thread may end here.
    pub fn may_end(&self) -> bool {
        self.exits && !self.inside && self.masks == 0
    }

    /// Whether the program has become long enough; asked before each thing.
    pub fn spent(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    fn fresh(&mut self, class: usize) -> String {
        self.registers[class] += 1;
        format!("{}{}", CLASSES[class].0, self.registers[class] - 1)
    }
    /// A register of 32 bits.
    pub fn r(&mut self) -> String {
        self.fresh(0)
    }
    /// A predicate.
    pub fn p(&mut self) -> String {
        self.fresh(1)
    }
    /// A register of 64 bits.
    pub fn d(&mut self) -> String {
        self.fresh(2)
    }
    /// A binary32.
    pub fn f(&mut self) -> String {
        self.fresh(3)
    }
    /// A register of 16 bits.
    pub fn h(&mut self) -> String {
        self.fresh(4)
    }
    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    /// A value to read.
    pub fn v(&mut self) -> String {
        format!("%v{}", self.below(VALUES))
    }
    /// A value takes a number in.
    pub fn mix(&mut self, x: &str) {
        let v = self.v();
        match self.below(3) {
            0 => put!(self, "mad.lo.u32 {v}, {v}, 33, {x};"),
            1 => put!(self, "xor.b32 {v}, {v}, {x};"),
            _ => put!(self, "add.u32 {v}, {v}, {x};"),
        }
    }
    /// The same under a guard.
    pub fn mix_if(&mut self, guard: &str, x: &str) {
        let v = self.v();
        put!(self, "@{guard} mad.lo.u32 {v}, {v}, 17, {x};");
    }

    /// A predicate that differs from lane to lane.
    pub fn apart(&mut self) -> String {
        let (p, r) = (self.p(), self.r());
        match self.below(5) {
            0 => {
                let least = self.pick(&[1, 3, 16, 31, 33, 40]);
                put!(self, "setp.ge.u32 {p}, %t, {least};");
            }
            1 => {
                let bit = self.pick(&[1, 2, 4, 16]);
                put!(self, "and.b32 {r}, %l, {bit};");
                put!(self, "setp.ne.u32 {p}, {r}, 0;");
            }
            _ => {
                let v = self.v();
                let bits = self.pick(&[1, 2, 3, 4, 7, 8]);
                put!(self, "and.b32 {r}, {v}, {bits};");
                let how = self.pick(&["ne", "eq"]);
                put!(self, "setp.{how}.u32 {p}, {r}, 0;");
            }
        }
        p
    }
    /// A predicate that is the same for all threads.
    pub fn alike(&mut self) -> String {
        let p = self.p();
        match self.below(3) {
            0 => {
                let least = self.pick(&[2, 32, 33, 64, 65]);
                put!(self, "setp.ge.u32 {p}, %nt, {least};");
            }
            1 => {
                let r = self.r();
                let bit = self.pick(&[1, 2, 4]);
                put!(self, "and.b32 {r}, %u, {bit};");
                put!(self, "setp.ne.u32 {p}, {r}, 0;");
            }
            _ => {
                let least = self.pick(&[2, 3, 4]);
                put!(self, "setp.lt.u32 {p}, %nw, {least};");
            }
        }
        p
    }
    /// A predicate that is the same for all lanes of a warp.
    pub fn warps_apart(&mut self) -> String {
        let (p, r) = (self.p(), self.r());
        match self.below(3) {
            0 => {
                put!(self, "and.b32 {r}, %w, 1;");
                put!(self, "setp.ne.u32 {p}, {r}, 0;");
            }
            1 => put!(self, "setp.eq.u32 {p}, %w, 0;"),
            _ => put!(self, "setp.ge.u32 {p}, %w, 2;"),
        }
        p
    }

    /// The offset of a word of 8 bytes of shared memory, zero at the start.
    pub fn single(&mut self) -> u32 {
        self.singles += 8;
        // Programs are far smaller; should one be not, words are used twice, which only changes what it computes.
        (self.singles - 8) % SINGLES
    }
    /// The offset of an array of a word for each thread, zero at the start.
    pub fn array(&mut self) -> u32 {
        self.arrays += 1;
        SINGLES + ARRAY * (self.arrays - 1)
    }
    /// The offset of a word of 8 bytes of global memory behind `%g`, zero at the start.
    pub fn global(&mut self) -> u32 {
        self.globals += 8;
        (self.globals - 8) % GLOBALS
    }

    /// Takes the lines that were written so far, to write others.
    pub fn swap(&mut self, lines: Vec<String>) -> Vec<String> {
        std::mem::replace(&mut self.lines, lines)
    }

    /// What each function begins with; `values` is where its values come from.
    fn start(&self, values: &[String]) -> String {
        let mut text = String::new();
        for (n, (name, ty)) in CLASSES.iter().enumerate() {
            let _ = writeln!(text, "\t.reg .{ty} {name}<{}>;", self.registers[n] + 1);
        }
        text += "\t.reg .b32 %t, %l, %w, %nt, %nw, %bs, %sa, %ta, %u;\n\t.reg .b64 %to, %g, %from, %all;\n";
        let _ = writeln!(text, "\t.reg .b32 %v<{VALUES}>;");
        for line in [
            "mov.u32 %t, %tid.x;",
            "mov.u32 %nt, %ntid.x;",
            "and.b32 %l, %t, 31;",
            "shr.u32 %w, %t, 5;",
            "add.u32 %nw, %nt, 31;",
            "shr.u32 %nw, %nw, 5;",
            "shl.b32 %bs, %nw, 5;",
            "mov.u32 %sa, sm;",
            "mad.lo.u32 %ta, %t, 4, %sa;",
        ]
        .into_iter()
        .map(str::to_owned)
        .chain(values.iter().cloned())
        {
            let _ = writeln!(text, "\t{line}");
        }
        text
    }

    /// The text of a function `name(v, u, out) -> v` with the lines that were written.
    pub fn function(&self, name: &str, lines: &[String]) -> String {
        let mut text = format!(
            ".func (.param .b32 result) {name}(.param .b32 value, .param .b32 same, .param .b64 place)\n{{\n"
        );
        let mut values = vec![
            "ld.param.b32 %v0, [value];".to_owned(),
            "ld.param.b32 %u, [same];".into(),
            "ld.param.b64 %g, [place];".into(),
        ];
        values.extend((1..VALUES).map(|n| format!("mad.lo.u32 %v{n}, %v{}, {}, {n};", n - 1, 2 * n + 3)));
        text += &self.start(&values);
        for line in lines {
            let _ = writeln!(text, "\t{line}");
        }
        let _ = writeln!(text, "{}:", self.end);
        for n in 1..VALUES {
            let _ = writeln!(text, "\tmad.lo.u32 %v0, %v0, 5, %v{n};");
        }
        text + "\tst.param.b32 [result], %v0;\n\tret;\n}\n"
    }

    /// The lines that set `bytes` of shared memory to zero.
    fn zero(bytes: u32) -> String {
        [
            "mov.u32 %r0, %t;",
            "$ZERO:",
            &format!("setp.ge.u32 %p0, %r0, {};", bytes / 16),
            "@%p0 bra $ZEROED;",
            "mad.lo.u32 %r1, %r0, 16, %sa;",
            "st.shared.v4.u32 [%r1], {0, 0, 0, 0};",
            "add.u32 %r0, %r0, %nt;",
            "bra $ZERO;",
            "$ZEROED:",
            "bar.sync 0;",
        ]
        .map(|line| format!("\t{line}\n"))
        .concat()
    }

    /// The program.
    pub fn finish(mut self) -> Program {
        let lines = std::mem::take(&mut self.lines);
        // `zero` has two registers and a predicate.
        self.registers[0] = self.registers[0].max(2);
        self.registers[1] = self.registers[1].max(1);
        let target = self.target;
        let version = if target >= 90 { "8.0" } else { "7.1" };
        let bytes = SINGLES + ARRAY * self.arrays.max(1);
        let mut text = format!(
            ".version {version}\n.target sm_{target}\n.address_size 64\n.shared .align 16 .b8 sm[{bytes}];\n"
        );
        text += &self.functions.concat();
        text += ".visible .entry k(.param .u64 k_out, .param .u64 k_in, .param .u32 k_n)\n{\n";
        let records = THREADS * RECORD;
        let values: Vec<String> = [
            "ld.param.u64 %to, [k_out];".to_owned(),
            "ld.param.u64 %all, [k_in];".into(),
            "ld.param.u32 %u, [k_n];".into(),
            "cvta.to.global.u64 %to, %to;".into(),
            "cvta.to.global.u64 %all, %all;".into(),
            format!("add.u64 %g, %to, {records};"),
            format!("mad.wide.u32 %to, %t, {RECORD}, %to;"),
            "mad.wide.u32 %from, %t, 16, %all;".into(),
            "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%from];".into(),
            "xor.b32 %v4, %v0, %t;".into(),
            "mad.lo.u32 %v5, %t, 7, %v1;".into(),
        ]
        .into();
        text += &self.start(&values);
        text += &Self::zero(bytes);
        for line in &lines {
            let _ = writeln!(text, "\t{line}");
        }
        text += "$END:\n\tst.global.v4.u32 [%to], {%v0, %v1, %v2, %v3};\n\tst.global.v2.u32 [%to+16], {%v4, %v5};\n\tret;\n}\n";
        Program { text, kinds: self.kinds, plain: !self.ordered_otherwise, target }
    }
}
