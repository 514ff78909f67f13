//! Code in which lanes of a warp write and read what they have in common, in orders that decide whether a read finds what was written before it.

use crate::maker::Maker;

/// The register of the warp that is written and read here.
const SHARED: u64 = 8;

impl Maker {
    /// One of the patterns in which registers of the warp are written and read.
    pub fn share(&mut self) {
        match self.draws.below(6) {
            0 => self.write_on_one_side(),
            1 => self.read_on_both_sides(),
            2 => self.lag_in_a_loop(),
            3 => self.write_and_end(),
            4 => self.run_ahead(),
            _ => self.read_past_two_waits(),
        }
    }

    fn read_shared(&mut self) {
        self.line(format!("IADD3 R28, R28, UR{SHARED}, RZ"));
    }

    /// A new straight piece of code.
    fn piece(&mut self) {
        let next = self.label();
        self.jump("BRA ", next);
        self.place(next);
    }

    /// What may bring all lanes together, or not.
    fn gather(&mut self) {
        match self.draws.below(5) {
            0..2 => self.line("WARPSYNC.ALL"),
            2 => self.line("YIELD"),
            _ => {}
        }
    }

    /// Some write what the others read, before or behind what brings all together.
    fn write_on_one_side(&mut self) {
        let (other, join) = (self.label(), self.label());
        let meets = self.chance(70);
        self.set_uniform(SHARED);
        if meets {
            self.set(join);
        }
        self.differs(0);
        self.jump("@P0 BRA ", other);
        if self.chance(50) {
            self.set_uniform(SHARED);
            if self.chance(60) {
                self.piece();
                self.read_shared();
            }
        }
        self.gather();
        self.jump("BRA ", join);
        self.place(other);
        if self.chance(50) {
            self.read_shared();
        }
        self.gather();
        if self.chance(40) {
            self.set_uniform(SHARED);
        }
        self.place(join);
        if meets {
            self.meet();
        }
        self.gather();
        if self.chance(70) {
            self.set_uniform(SHARED);
        }
        self.piece();
        self.read_shared();
    }

    /// Either side has a value of its own.
    fn read_on_both_sides(&mut self) {
        let (other, join) = (self.label(), self.label());
        self.set(join);
        self.differs(0);
        self.jump("@P0 BRA ", other);
        for side in 0..2 {
            let (skip, writes) = (self.label(), self.chance(60));
            if writes {
                self.set_uniform(SHARED);
            }
            // Some of these lanes part once more.
            if self.chance(50) {
                self.differs(1);
                self.jump("@P1 BRA ", skip);
                if self.chance(50) {
                    self.read_shared();
                }
                if self.chance(20) {
                    self.set_uniform(SHARED);
                }
                self.place(skip);
            }
            self.piece();
            if writes || self.chance(40) {
                self.read_shared();
            }
            if side == 0 {
                self.jump("BRA ", join);
                self.place(other);
            }
        }
        self.place(join);
        self.meet();
    }

    /// A loop that lanes leave one after another: who has left it may be elsewhere, or waits for the others.
    fn lag_in_a_loop(&mut self) {
        let (head, out) = (self.label(), self.label());
        let meets = self.chance(50);
        let each = self.any();
        self.line(format!("LOP3.LUT R15, R{each}, 0x3, RZ, 0xc0, !PT"));
        self.set_uniform(SHARED);
        if meets {
            self.set(out);
        }
        self.place(head);
        self.read_shared();
        if self.chance(30) {
            self.set_uniform(SHARED);
        }
        self.line("IADD3 R15, R15, -0x1, RZ");
        self.line("ISETP.GE.AND P6, PT, R15, RZ, PT");
        self.jump("@P6 BRA ", head);
        self.place(out);
        if meets {
            self.meet();
        }
        self.gather();
        if self.chance(70) {
            self.set_uniform(SHARED);
        }
        self.piece();
        self.read_shared();
    }

    /// Lanes go round together, and some write and end.
    fn write_and_end(&mut self) {
        let (head, join, on) = (self.label(), self.label(), self.label());
        let meets = self.chance(60);
        self.set_uniform(SHARED);
        self.line("UMOV UR12, 0x2");
        self.place(head);
        self.read_shared();
        if meets {
            self.set(join);
        }
        self.differs(0);
        self.jump("@P0 BRA ", on);
        self.work();
        if self.chance(70) {
            self.set_uniform(SHARED);
        }
        match self.draws.below(3) {
            0 => {}
            _ => self.line("EXIT"),
        }
        self.place(on);
        self.place(join);
        match meets {
            true => self.meet(),
            false => self.line("WARPSYNC.ALL"),
        }
        match self.draws.below(5) {
            0 => self.set_uniform(SHARED),
            // One way writes, if the launch has it so.
            1 | 2 => {
                let past = self.label();
                self.agrees(2);
                self.jump("@P2 BRA ", past);
                self.set_uniform(SHARED);
                self.place(past);
            }
            _ => {}
        }
        if self.chance(50) {
            self.piece();
        }
        self.read_shared();
        self.line("UIADD3 UR12, UR12, -0x1, URZ");
        self.line("ISETP.LE.AND P6, PT, RZ, UR12, PT");
        self.jump("@P6 BRA ", head);
    }

    /// Lanes that wait may be let go before the others come, who read behind them what they write.
    fn run_ahead(&mut self) {
        let join = self.label();
        self.set_uniform(SHARED);
        self.set(join);
        self.differs(0);
        self.jump("@P0 BRA ", join);
        if self.chance(70) {
            self.line("YIELD");
            self.work();
            self.line("YIELD");
        }
        self.place(join);
        self.meet();
        self.piece();
        self.read_shared();
        self.piece();
        self.set_uniform(SHARED);
    }

    /// Lanes part twice, and are together in between.
    fn read_past_two_waits(&mut self) {
        self.set_uniform(SHARED);
        for _ in 0..2 {
            let (past, join) = (self.label(), self.label());
            self.set(join);
            self.differs(0);
            self.jump("@P0 BRA ", past);
            self.work();
            if self.chance(30) {
                self.set_uniform(SHARED);
            }
            self.place(past);
            if self.chance(50) {
                self.read_shared();
            }
            self.place(join);
            self.meet();
            if self.chance(60) {
                self.set_uniform(SHARED);
            }
        }
        self.gather();
        self.piece();
        self.read_shared();
    }
}
