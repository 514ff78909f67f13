//! Code that is being made, instruction by instruction, with labels; and the program that comes of it.

use sassafras_cubin::{Cubin, Function};
use sassafras_execute::order::Draws;
use sassafras_isa::{Style, encode, parse};
use sassafras_semantics::draw::hash;
use std::collections::BTreeSet;

/// The chip: it has every instruction that code here is made of.
const CHIP: sassafras_isa::Chip = sassafras_isa::Chip::Sm90;

/// The first of the registers that nobody writes: each holds anything, for each lane another.
const ANY: u64 = 32;

/// How many there are.
const COUNT: u64 = 12;

/// The register that counts what lanes do.
const COUNTER: u32 = 20;

/// The first of the registers of the warp that anybody writes, and those behind it that count turns of loops.
const UNIFORM: [u64; 2] = [8, 10];

/// Of a barrier of the block, what stands in its place where only its lanes are looked at.
pub const MARK: &str = "IADD3 R24, R24, 0x1, RZ";

/// The same of an operation of the whole warp.
pub const WHOLE: &str = "IADD3 R26, R26, 0x1, RZ";

/// An instruction, with a label that it names.
struct Line {
    text: String,
    to: Option<usize>,
}

/// Lanes that leave a loop: where they go, and the barrier that brings them together there.
#[derive(Clone, Copy)]
pub struct Breaks {
    pub out: usize,
    pub around: Option<u32>,
}

/// Code that is being made.
pub struct Maker {
    pub draws: Draws,
    /// Barriers that are set around here.
    pub held: Vec<u32>,
    /// Routines that are to be written behind the end: where each begins, and whether its lanes ask each other something.
    pub routines: Vec<(usize, bool)>,
    /// How many more pieces there may be.
    pub budget: u32,
    /// Whether barriers may be set, left and met otherwise than they nest.
    pub faulty: bool,
    /// Whether barriers of the block and operations of the whole warp are aligned: lanes of a warp that do not come to them together are nobody's affair.
    pub aligned: bool,
    /// What decides where registers of the warp are written and read, if they are: draws of their own, so that the code around is the same without them.
    uniform: Option<Draws>,
    /// How many constants were written to them.
    constants: u32,
    lines: Vec<Line>,
    /// By label: the line that it stands before.
    labels: Vec<usize>,
    /// Lines at which the lanes of a warp come as a whole to a barrier of the block, or to an operation of the warp.
    whole: Vec<usize>,
}

/// A program of its own for each seed.
pub struct Program {
    /// The code.
    pub cubin: Cubin,
    /// The same without waits for others of the block, so that whoever comes to a barrier of the block is seen there, and goes on.
    pub watched: Cubin,
    /// Byte offsets of what is executed by all lanes of a warp at once, if it is followed: barriers of the block, and operations of the whole warp.
    pub barriers: BTreeSet<u64>,
    /// Whether these are aligned.
    pub aligned: bool,
    /// Its lines, for people.
    pub text: String,
    /// Whether nothing in it waits for some of the lanes: that its lanes come to their end is up to convergence barriers alone.
    pub waits_for_none: bool,
    /// Whether lanes ask each other something in routines.
    pub asks_in_calls: bool,
}

impl Maker {
    /// Nothing yet.
    pub fn new(seed: u64, budget: u32) -> Maker {
        let mut maker = Maker {
            draws: Draws::new(hash(seed, &[7])),
            held: Vec::new(),
            routines: Vec::new(),
            budget,
            faulty: !seed.is_multiple_of(3),
            aligned: seed.is_multiple_of(2),
            uniform: seed.is_multiple_of(5).then(|| Draws::new(hash(seed, &[8]))),
            constants: 0,
            lines: Vec::new(),
            labels: Vec::new(),
            whole: Vec::new(),
        };
        maker.line("LDC R8, c[0x0][0x210]");
        maker.line("LDC R9, c[0x0][0x214]");
        maker.line("S2R R18, SR_LANEID");
        if maker.uniform.is_some() {
            (UNIFORM[0]..UNIFORM[1]).for_each(|register| maker.set_uniform(register));
        }
        maker
    }

    /// A draw that holds so often.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.draws.below(100) < percent
    }

    /// One of several.
    pub fn one_of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.draws.below(all.len() as u64) as usize]
    }

    /// A new label.
    pub fn label(&mut self) -> usize {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    /// A label stands here.
    pub fn place(&mut self, label: usize) {
        self.labels[label] = self.lines.len();
    }

    /// An instruction.
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), to: None });
    }

    /// An instruction that ends with a label.
    pub fn jump(&mut self, text: impl Into<String>, to: usize) {
        self.lines.push(Line { text: text.into(), to: Some(to) });
    }

    /// Something that every lane does which comes by.
    pub fn work(&mut self) {
        self.line(format!("IADD3 R{COUNTER}, R{COUNTER}, 0x1, RZ"));
        let Some(draws) = &mut self.uniform else { return };
        let register = UNIFORM[0] + draws.below(UNIFORM[1] - UNIFORM[0]);
        match draws.below(10) {
            0 => self.set_uniform(register),
            1..5 => self.line(format!("IADD3 R28, R28, UR{register}, RZ")),
            _ => {}
        }
    }

    /// A constant that nobody else writes into a register of the warp.
    pub fn set_uniform(&mut self, register: u64) {
        self.constants += 1;
        self.line(format!("UMOV UR{register}, {:#x}", self.constants));
    }

    /// Whether registers of the warp are written and read.
    pub fn shares(&self) -> bool {
        self.uniform.is_some()
    }

    /// Whether a register of the warp counts the turns of a loop, so many loops deep: which.
    pub fn counts_in_uniform(&mut self, depth: u32) -> Option<u64> {
        let counts = self.uniform.as_mut()?.below(2) == 0;
        counts.then_some(UNIFORM[1] + u64::from(depth))
    }

    /// A register that holds anything, of each lane another.
    pub fn any(&mut self) -> u64 {
        ANY + self.draws.below(COUNT)
    }

    /// A predicate of each lane's own.
    pub fn differs(&mut self, p: u32) {
        let (register, relation) = (self.any(), self.one_of(&["LT", "GE"]));
        self.line(format!("ISETP.{relation}.AND P{p}, PT, R{register}, RZ, PT"));
    }

    /// A predicate that is one for all lanes.
    pub fn agrees(&mut self, p: u32) {
        let relation = self.one_of(&["LT", "GE"]);
        self.line(format!("ISETP.{relation}.AND P{p}, PT, R8, RZ, PT"));
    }

    /// A predicate: of each lane its own, or one for all, or what lanes were last told by each other.
    pub fn condition(&mut self, p: u32) {
        let register = match self.draws.below(100) {
            0..70 => format!("R{}", self.any()),
            70..92 => "R8".into(),
            _ => "R21".into(),
        };
        let relation = self.one_of(&["LT", "GE", "EQ", "NE"]);
        self.line(format!("ISETP.{relation}.AND P{p}, PT, {register}, RZ, PT"));
    }

    /// Lanes ask each other something.
    pub fn ask(&mut self) {
        let (a, b) = (self.any(), self.any());
        let text = match self.draws.below(9) {
            0..3 => "VOTE.ALL R21, P1, P2".into(),
            3 => "VOTE.ANY R21, P1, P2".into(),
            4 => format!("MATCH.ANY R21, R{a}"),
            5 => format!("MATCH.ALL P1, R21, R{a}"),
            6 => format!("SHFL.BFLY P1, R21, R{a}, 0x1, 0x1f"),
            7 => format!("REDUX.SUM UR5, R{a}"),
            _ => format!("SHFL.IDX P1, R21, R{a}, R{b}, 0x1f"),
        };
        self.line(text);
    }

    /// The number of a barrier that is free here; now and then one that is not.
    pub fn number(&mut self) -> u32 {
        let free = (0..16).find(|b| !self.held.contains(b)).unwrap_or(15);
        if self.faulty && self.chance(12) { self.draws.below(4) as u32 } else { free }
    }

    /// A barrier that is free here is set, for lanes that meet at a label.
    pub fn set(&mut self, to: usize) -> u32 {
        let number = (0..16).find(|b| !self.held.contains(b)).unwrap_or(15);
        self.jump(format!("BSSY B{number}, "), to);
        self.held.push(number);
        number
    }

    /// Lanes meet at the barrier that was set last.
    pub fn meet(&mut self) {
        if let Some(number) = self.held.pop() {
            self.line(format!("BSYNC B{number}"));
        }
    }

    /// A barrier of the block, to which the lanes of a warp have to come at once.
    pub fn barrier(&mut self, guard: &str) {
        self.whole.push(self.lines.len());
        self.line(format!("{guard}BAR.SYNC.DEFER_BLOCKING 0x0"));
    }

    /// An operation of the whole warp.
    pub fn transpose(&mut self) {
        self.whole.push(self.lines.len());
        self.line("MOVM.16.MT88 R21, R21");
    }

    /// Lanes come to a barrier of the block each for itself.
    pub fn arrive(&mut self) {
        let behind = self.label();
        self.jump("WARPSYNC.COLLECTIVE.ALL ", behind);
        self.line("BAR.SYNC.DEFER_BLOCKING 0x0");
        self.line("ENDCOLLECTIVE");
        self.place(behind);
    }

    fn write_routines(&mut self) {
        let start = self.label();
        self.labels[start] = 0;
        for (label, asks) in std::mem::take(&mut self.routines) {
            self.place(label);
            self.line("MOV R23, 0x0");
            if asks {
                self.line("WARPSYNC R17");
                self.line("VOTE.ALL R21, P1, P2");
            }
            self.work();
            self.jump("RET.REL.NODEC R22 ", start);
        }
    }

    /// The lines, with places for labels.
    fn texts(&self) -> Vec<String> {
        let text = |(i, line): (usize, &Line)| {
            let Some(to) = line.to else { return line.text.clone() };
            if line.text.contains("{to}") {
                return line.text.replace("{to}", &format!("{:#x}", 16 * self.labels[to]));
            }
            let distance = 16 * (self.labels[to] as i64 - i as i64 - 1);
            let sign = if distance < 0 { "-" } else { "" };
            format!("{}pc({sign}{:#x})", line.text, distance.abs())
        };
        self.lines.iter().enumerate().map(text).collect()
    }

    /// The program: all lanes end.
    pub fn finish(mut self) -> Program {
        self.line("EXIT");
        let asks_in_calls = self.routines.iter().any(|(_, asks)| *asks);
        self.write_routines();
        let texts = self.texts();
        let barriers = self.whole.iter().map(|i| 16 * *i as u64).collect();
        Program::of(&texts, barriers, self.aligned, asks_in_calls)
    }
}

impl Program {
    /// Of instructions as text.
    pub fn of(texts: &[String], barriers: BTreeSet<u64>, aligned: bool, asks_in_calls: bool) -> Program {
        let is_of_some = |text: &String| text.contains("WARPSYNC") && !text.contains(".ALL");
        // Where such is aligned, that some of a warp are elsewhere is the source's affair, and so is that the others wait for them.
        let is_of_warp = |text: &String| text.contains("MOVM");
        let marked = texts.iter().map(|text| unwaiting(text));
        let text = texts.iter().enumerate().map(|(i, own)| format!("{:#06x} {own}\n", 16 * i)).collect();
        Program {
            cubin: cubin(texts),
            watched: cubin(&marked.collect::<Vec<_>>()),
            barriers,
            aligned,
            text,
            waits_for_none: !(texts.iter().any(is_of_some) || aligned && texts.iter().any(is_of_warp)),
            asks_in_calls,
        }
    }
}

/// The same instruction, or what stands in its place, under the same guard, of one that asks for the whole block or warp.
fn unwaiting(text: &str) -> String {
    for (name, mark) in [("BAR.SYNC", MARK), ("MOVM", WHOLE)] {
        if let Some((guard, _)) = text.split_once(name) {
            return format!("{guard}{mark}");
        }
    }
    text.to_owned()
}

fn cubin(texts: &[String]) -> Cubin {
    let word = |own: &String| {
        let inst = parse(own, &Style::default()).unwrap_or_else(|e| panic!("{own}: {e}"));
        encode(&inst, CHIP).unwrap_or_else(|e| panic!("{own}: {e:?}"))
    };
    let function = Function {
        name: "k".into(),
        entry: true,
        code: texts.iter().map(word).collect(),
        registers: 64,
        barriers: 1,
        param_base: 0x210,
        param_size: 8,
        ..Function::default()
    };
    Cubin { sm: CHIP.number(), functions: vec![function], ..Cubin::default() }
}
