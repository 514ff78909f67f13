//! Random code with branches, loops, breaks, calls, masks and barriers: most of its barriers bring lanes together as they should, some do not.

use crate::maker::{Breaks, Maker, Program};

impl Maker {
    /// Random pieces.
    pub fn sequence(&mut self, depth: u32, breaks: Option<Breaks>) {
        for _ in 0..1 + self.draws.below(3) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.draws.below(100) {
                0..26 => self.work(),
                26..49 if depth > 0 => self.branch(depth, breaks),
                49..61 if depth > 0 => self.turns(depth),
                61..66 => self.wait(),
                66..70 => self.end(),
                70..77 if breaks.is_some() => self.leave(breaks),
                77..80 => self.wait_for_block(),
                80..83 if depth > 0 => self.call(),
                83..85 => self.line("YIELD"),
                85..88 => self.keep(),
                88..91 if depth > 0 => self.by_convergence(depth),
                91..93 => self.ask(),
                93..97 => self.pattern(),
                97..98 => self.operate(),
                _ => self.work(),
            }
        }
    }

    /// A branch whose lanes meet, or should.
    fn branch(&mut self, depth: u32, breaks: Option<Breaks>) {
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
            self.asked(15);
        }
        self.work();
    }

    /// A loop of at most four turns, of each lane its own, or one for all.
    fn turns(&mut self, depth: u32) {
        let (head, out) = (self.label(), self.label());
        let counter = 12 + depth;
        let from = if self.chance(70) { format!("R{}", self.any()) } else { "R8".into() };
        self.line(format!("LOP3.LUT R{counter}, {from}, 0x3, RZ, 0xc0, !PT"));
        let uniform = self.counts_in_uniform(depth);
        if let Some(register) = uniform {
            self.line(format!("UMOV UR{register}, 0x2"));
        }
        let meets = self.chance(85);
        let number = self.number();
        if meets {
            self.jump(format!("BSSY B{number}, "), out);
            self.held.push(number);
        }
        self.place(head);
        self.work();
        self.sequence(depth - 1, Some(Breaks { out, around: meets.then_some(number) }));
        self.line(format!("IADD3 R{counter}, R{counter}, -0x1, RZ"));
        match uniform {
            Some(register) => {
                self.line(format!("UIADD3 UR{register}, UR{register}, -0x1, URZ"));
                self.line(format!("ISETP.LE.AND P6, PT, RZ, UR{register}, PT"));
            }
            None => self.line(format!("ISETP.GE.AND P6, PT, R{counter}, RZ, PT")),
        }
        self.jump("@P6 BRA ", head);
        self.place(out);
        if meets {
            self.held.pop();
            self.line(format!("BSYNC B{number}"));
            self.asked(15);
        }
        self.work();
    }

    /// Lanes that should be together may ask each other something.
    fn asked(&mut self, percent: u64) {
        if !self.faulty && self.chance(percent) {
            self.ask();
        }
    }

    /// Lanes leave the loop.
    fn leave(&mut self, breaks: Option<Breaks>) {
        let Some(Breaks { out, around }) = breaks else { return };
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
        if self.chance(80) {
            self.ask();
        }
        self.place(behind);
        self.work();
    }

    /// A barrier of the block.
    fn wait_for_block(&mut self) {
        match self.draws.below(10) {
            0..6 => {
                self.line("WARPSYNC.ALL");
                self.barrier("");
            }
            6..9 => self.barrier(""),
            _ => self.arrive(),
        }
        self.work();
    }

    /// An operation of the whole warp.
    pub fn operate(&mut self) {
        if self.chance(50) {
            self.line("WARPSYNC.ALL");
        }
        self.transpose();
        self.work();
    }

    /// Lanes end: at once, or by going to where they do.
    fn end(&mut self) {
        self.condition(5);
        if self.chance(70) {
            return self.line("@P5 EXIT");
        }
        let on = self.label();
        self.jump("@P5 BRA ", on);
        self.line("EXIT");
        self.place(on);
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
        let to = self.label();
        self.routines.push((to, false));
        self.enter(to);
        self.work();
    }

    /// Lanes call a routine, and come back.
    pub fn enter(&mut self, routine: usize) {
        let back = self.label();
        self.jump("MOV R22, {to}", back);
        self.jump("CALL.REL.NOINC ", routine);
        self.place(back);
    }

    /// A branch on whether all lanes are here.
    fn by_convergence(&mut self, depth: u32) {
        let (apart, out) = (self.label(), self.label());
        self.jump("BRA.DIV ~URZ, ", apart);
        if self.chance(30) {
            self.ask();
        }
        self.work();
        self.jump("BRA ", out);
        self.place(apart);
        self.sequence(depth - 1, None);
        self.place(out);
        self.work();
    }
}

/// The program of a seed: every second is a pattern among a few pieces.
pub fn program(seed: u64) -> Program {
    let directed = matches!(seed % 4, 1 | 2);
    let mut maker = Maker::new(seed, if directed { 3 } else { 9 });
    if directed {
        if maker.chance(30) {
            maker.sequence(1, None);
        }
        match maker.shares() {
            true => maker.share(),
            false => maker.pattern(),
        }
    }
    if !directed || maker.chance(50) {
        maker.sequence(3, None);
    }
    maker.work();
    maker.finish()
}
