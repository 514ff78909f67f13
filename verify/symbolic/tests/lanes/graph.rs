//! Random code with branches, loops, breaks, calls, masks and barriers: most of its barriers bring lanes together as they should, some do not.

use sassafras_cubin::{Cubin, Function};
use sassafras_execute::order::Draws;
use sassafras_isa::{Style, encode, parse};
use sassafras_semantics::draw::hash;

/// The chip: it has every instruction that code here is made of.
pub const CHIP: sassafras_isa::Chip = sassafras_isa::Chip::Sm90;

/// The first of the registers that nobody writes: each holds anything, for each lane another.
const ANY: u64 = 32;

/// How many there are.
const COUNT: u64 = 12;

/// The register that counts what lanes do.
const COUNTER: u32 = 20;

/// Lanes of a thread's block that wait at a barrier of the block are two warps.
pub const THREADS: [u32; 3] = [32, 23, 64];

/// An instruction, with a label that it names.
struct Line {
    text: String,
    to: Option<usize>,
}

/// Code that is being made.
struct Maker {
    draws: Draws,
    lines: Vec<Line>,
    /// By label: the line that it stands before.
    labels: Vec<usize>,
    /// Barriers that are set around here: number, and whether lanes leave it where they leave the loop.
    held: Vec<u32>,
    /// Calls that are to be written behind the end.
    routines: Vec<usize>,
    budget: u32,
    faulty: bool,
}

/// A program of its own for each seed.
pub struct Program {
    /// The code.
    pub cubin: Cubin,
    /// Its lines, for people.
    pub text: String,
    /// Whether nothing in it waits for lanes of a mask, nor at a barrier of the block: that its lanes come to their end is up to convergence barriers alone.
    pub waits_for_none: bool,
}

impl Maker {
    fn chance(&mut self, percent: u64) -> bool {
        self.draws.below(100) < percent
    }

    fn label(&mut self) -> usize {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    fn place(&mut self, label: usize) {
        self.labels[label] = self.lines.len();
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), to: None });
    }

    fn jump(&mut self, text: impl Into<String>, to: usize) {
        self.lines.push(Line { text: text.into(), to: Some(to) });
    }

    /// Something that every lane does which comes by.
    fn work(&mut self) {
        self.line(format!("IADD3 R{COUNTER}, R{COUNTER}, 0x1, RZ"));
    }

    /// A predicate: of each lane its own, or one for all.
    fn condition(&mut self, p: u32) {
        let register =
            if self.chance(75) { format!("R{}", ANY + self.draws.below(COUNT)) } else { "R8".into() };
        let relation = ["LT", "GE", "EQ", "NE"][self.draws.below(4) as usize];
        self.line(format!("ISETP.{relation}.AND P{p}, PT, {register}, RZ, PT"));
    }

    /// The number of a barrier that is free here; now and then one that is not.
    fn number(&mut self) -> u32 {
        let free = (0..16).find(|b| !self.held.contains(b)).unwrap_or(15);
        if self.faulty && self.chance(12) { self.draws.below(4) as u32 } else { free }
    }

    fn sequence(&mut self, depth: u32, breaks: Option<(usize, Option<u32>)>) {
        for _ in 0..1 + self.draws.below(3) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.draws.below(100) {
                0..30 => self.work(),
                30..55 if depth > 0 => self.branch(depth, breaks),
                55..67 if depth > 0 => self.turns(depth),
                67..73 => self.wait(),
                73..77 => self.end(),
                77..84 if breaks.is_some() => self.leave(breaks),
                84..87 => self.barrier(),
                87..90 if depth > 0 => self.call(),
                90..92 => self.line("YIELD"),
                92..95 => self.keep(),
                95..98 if depth > 0 => self.by_convergence(depth),
                _ => self.work(),
            }
        }
    }

    /// A branch whose lanes meet, or should.
    fn branch(&mut self, depth: u32, breaks: Option<(usize, Option<u32>)>) {
        let (other, join) = (self.label(), self.label());
        let meets = !self.faulty || self.chance(80);
        let number = self.number();
        if meets {
            self.jump(format!("BSSY B{number}, "), join);
            self.held.push(number);
        }
        let p = self.draws.below(3) as u32;
        self.condition(p);
        self.jump(format!("@P{p} BRA "), other);
        self.sequence(depth - 1, breaks);
        self.jump("BRA ", join);
        self.place(other);
        if self.chance(70) {
            self.sequence(depth - 1, breaks);
        }
        self.place(join);
        if meets {
            self.held.pop();
            if !self.faulty || self.chance(90) {
                self.line(format!("BSYNC B{number}"));
            }
        }
        self.work();
    }

    /// A loop of at most four turns, of each lane its own, or one for all.
    fn turns(&mut self, depth: u32) {
        let (head, out) = (self.label(), self.label());
        let counter = 12 + depth;
        let from = if self.chance(70) { format!("R{}", ANY + self.draws.below(COUNT)) } else { "R8".into() };
        self.line(format!("LOP3.LUT R{counter}, {from}, 0x3, RZ, 0xc0, !PT"));
        let meets = self.chance(85);
        let number = self.number();
        if meets {
            self.jump(format!("BSSY B{number}, "), out);
            self.held.push(number);
        }
        self.place(head);
        self.work();
        self.sequence(depth - 1, Some((out, meets.then_some(number))));
        self.line(format!("IADD3 R{counter}, R{counter}, -0x1, RZ"));
        self.line(format!("ISETP.GE.AND P6, PT, R{counter}, RZ, PT"));
        self.jump("@P6 BRA ", head);
        self.place(out);
        if meets {
            self.held.pop();
            self.line(format!("BSYNC B{number}"));
        }
        self.work();
    }

    /// Lanes leave the loop.
    fn leave(&mut self, breaks: Option<(usize, Option<u32>)>) {
        let Some((out, around)) = breaks else { return };
        self.condition(4);
        // They leave the barriers that were set in the loop.
        let inner: Vec<u32> = match around {
            Some(b) => self.held.iter().rev().take_while(|h| **h != b).copied().collect(),
            None => Vec::new(),
        };
        for b in inner {
            if !self.faulty || self.chance(85) {
                self.line(format!("@P4 BREAK B{b}"));
            }
        }
        self.jump("@P4 BRA ", out);
    }

    /// A wait for lanes of the warp: all, or some, of which none but these come to it.
    fn wait(&mut self) {
        let behind = self.label();
        let exclusive = if self.chance(30) { ".EXCLUSIVE" } else { "" };
        match self.draws.below(10) {
            0..6 => self.line("WARPSYNC.ALL"),
            6..9 => {
                let (mask, relation) =
                    [(0xffff_u32, "LT"), (0xffff_0000, "GE")][self.draws.below(2) as usize];
                self.line(format!("ISETP.{relation}.AND P3, PT, R18, 0x10, PT"));
                self.jump("@!P3 BRA ", behind);
                self.line(format!("MOV R17, {mask:#x}"));
                self.line(format!("WARPSYNC{exclusive} R17"));
            }
            _ => self.line(format!("WARPSYNC{exclusive} R9")),
        }
        if self.chance(70) {
            self.line("VOTE.ALL R21, P1, P2");
        }
        self.place(behind);
        self.work();
    }

    /// A barrier of the block.
    fn barrier(&mut self) {
        if self.chance(60) {
            self.line("WARPSYNC.ALL");
        }
        self.line("BAR.SYNC.DEFER_BLOCKING 0x0");
        self.work();
    }

    /// Lanes end.
    fn end(&mut self) {
        self.condition(5);
        self.line("@P5 EXIT");
    }

    /// A barrier's lanes are kept, and it is set anew.
    fn keep(&mut self) {
        let Some(&b) = self.held.last() else { return self.work() };
        if self.chance(50) {
            self.line(format!("BMOV.32.CLEAR R16, B{b}"));
            self.work();
            self.line(format!("BMOV.32 B{b}, R16"));
        } else {
            self.line(format!("BMOV.32 R16, B{b}"));
        }
    }

    /// A routine that lanes come back from.
    fn call(&mut self) {
        let (to, back) = (self.label(), self.label());
        self.routines.push(to);
        self.jump("MOV R22, {to}", back);
        self.jump("CALL.REL.NOINC ", to);
        self.place(back);
        self.work();
    }

    /// A branch on whether all lanes are here.
    fn by_convergence(&mut self, depth: u32) {
        let (apart, out) = (self.label(), self.label());
        self.jump("BRA.DIV ~URZ, ", apart);
        self.work();
        self.jump("BRA ", out);
        self.place(apart);
        self.sequence(depth - 1, None);
        self.place(out);
        self.work();
    }

    fn finish(mut self) -> Program {
        self.line("EXIT");
        let start = self.label();
        self.labels[start] = 0;
        for label in std::mem::take(&mut self.routines) {
            self.place(label);
            self.line("MOV R23, 0x0");
            self.work();
            self.jump("RET.REL.NODEC R22 ", start);
        }
        let mut words = Vec::new();
        let mut text = String::new();
        for (i, line) in self.lines.iter().enumerate() {
            let mut own = line.text.clone();
            if own.contains("{to}") {
                own = own.replace("{to}", &format!("{:#x}", 16 * self.labels[line.to.unwrap_or_default()]));
            } else if let Some(to) = line.to {
                let distance = 16 * (self.labels[to] as i64 - i as i64 - 1);
                let sign = if distance < 0 { "-" } else { "" };
                own += &format!("pc({sign}{:#x})", distance.abs());
            }
            let inst = parse(&own, &Style::default()).unwrap_or_else(|e| panic!("{own}: {e}"));
            words.push(encode(&inst, CHIP).unwrap_or_else(|e| panic!("{own}: {e:?}")));
            text += &format!("{:#06x} {own}\n", 16 * i);
        }
        let waits = |l: &Line| l.text.contains("WARPSYNC") || l.text.starts_with("BAR.");
        let waits_for_none = !self.lines.iter().any(waits);
        let function = Function {
            name: "k".into(),
            entry: true,
            code: words,
            registers: 64,
            barriers: 1,
            param_base: 0x210,
            param_size: 8,
            ..Function::default()
        };
        let cubin = Cubin { sm: CHIP.number(), functions: vec![function], ..Cubin::default() };
        Program { cubin, text, waits_for_none }
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut maker = Maker {
        draws: Draws::new(hash(seed, &[7])),
        lines: Vec::new(),
        labels: Vec::new(),
        held: Vec::new(),
        routines: Vec::new(),
        budget: 9,
        faulty: !seed.is_multiple_of(3),
    };
    maker.line("LDC R8, c[0x0][0x210]");
    maker.line("LDC R9, c[0x0][0x214]");
    maker.line("S2R R18, SR_LANEID");
    maker.sequence(3, None);
    maker.work();
    maker.finish()
}
