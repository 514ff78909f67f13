//! Code at which one rule of `docs/convergence.md` decides what is known of lanes: around it random pieces, of each several variants. In some lanes
//! wait for ever, or do what they may not do apart; that must not be said of them.

use crate::maker::Maker;

impl Maker {
    /// One of the patterns.
    pub fn pattern(&mut self) {
        match self.draws.below(28) {
            0 => self.meet_at_two_places(),
            1 => self.set_by_some(),
            2 => self.joined_by_others(),
            3 => self.set_in_a_circle(),
            4 => self.met_out_of_order(),
            5 => self.leave_two(),
            6 => self.end_after_a_wait(),
            7 => self.wait_on_one_side(),
            8 => self.wait_on_both_sides(),
            9 => self.wait_in_halves(),
            10 => self.yield_before_others(),
            11 => self.keep_on_one_side(),
            12 => self.restore_anything(),
            13 => self.part_behind_a_wait(),
            14 => self.ask_on_one_side(),
            15 => self.block_on_one_side(),
            16 => self.block_behind_some(),
            17 => self.block_by_turns(),
            18 => self.call_with_two_masks(),
            19 => self.turns_with_two_masks(),
            20 => self.hold_some(),
            21 => self.leave_one(),
            22 => self.part_at_a_barrier(),
            23 => self.block_under_a_guard(),
            24 => self.operate_apart(),
            25 => self.ask_in_a_collective(),
            26 => self.branch_by_an_answer(),
            _ => self.set_in_turns(),
        }
    }

    /// A few steps of no matter.
    fn filler(&mut self) {
        for _ in 0..self.draws.below(3) {
            self.work();
        }
    }

    /// Something that shows which lanes are here: they ask each other, or come to a barrier of the block.
    fn show(&mut self) {
        self.filler();
        match self.draws.below(7) {
            0..2 => self.work(),
            2..4 => self.ask(),
            4..6 => self.barrier(""),
            _ => self.operate(),
        }
    }

    /// Lanes part, and meet nowhere: those of `p` come later.
    fn parted(&mut self, p: u32) {
        let other = self.label();
        self.differs(p);
        self.jump(format!("@P{p} BRA "), other);
        self.work();
        self.filler();
        self.place(other);
    }

    /// A mask of half of the lanes into R17, of each lane its own half.
    fn halves(&mut self) {
        self.line("ISETP.LT.AND P3, PT, R18, 0x10, PT");
        self.line("MOV R17, 0xffff0000");
        self.line("@P3 MOV R17, 0xffff");
    }

    /// `WARPSYNC` of R17, by some way.
    fn sync_some(&mut self) {
        let exclusive = self.one_of(&["", ".EXCLUSIVE"]);
        self.line(format!("WARPSYNC{exclusive} R17"));
    }

    /// C8: a barrier is met at two places; lanes of the first may end before those of the second go on.
    fn meet_at_two_places(&mut self) {
        let (second, join) = (self.label(), self.label());
        self.filler();
        let b = self.set(join);
        self.differs(0);
        self.jump("@P0 BRA ", second);
        self.filler();
        self.line(format!("BSYNC B{b}"));
        self.work();
        self.filler();
        match self.draws.below(3) {
            0 => self.jump("BRA ", join),
            _ => self.line("EXIT"),
        }
        self.place(second);
        self.filler();
        self.meet();
        self.show();
        self.filler();
        self.place(join);
        self.work();
    }

    /// C4: a barrier is set on one of two ways, which lanes of one warp go together, or not.
    fn set_by_some(&mut self) {
        let (past, join, other) = (self.label(), self.label(), self.label());
        let b = (0..16).find(|b| !self.held.contains(b)).unwrap_or(15);
        let before = self.chance(40);
        if before {
            self.jump(format!("BSSY B{b}, "), join);
        }
        match self.chance(80) {
            true => self.agrees(0),
            false => self.differs(0),
        }
        self.jump("@P0 BRA ", past);
        match before {
            true => self.line(format!("BSYNC B{b}")),
            false => self.jump(format!("BSSY B{b}, "), join),
        }
        self.place(past);
        self.filler();
        self.differs(1);
        self.jump("@P1 BRA ", other);
        self.work();
        self.filler();
        self.place(other);
        self.place(join);
        self.line(format!("BSYNC B{b}"));
        self.show();
    }

    /// C4: others come to where lanes of a mask are, to do the same for the mask of their own.
    fn joined_by_others(&mut self) {
        let join = self.label();
        self.parted(0);
        self.halves();
        let side = self.one_of(&["", "!"]);
        self.jump(format!("@{side}P3 BRA "), join);
        self.sync_some();
        self.ask();
        self.place(join);
        self.ask();
        self.work();
    }

    /// C7: two barriers, each set within the other by some.
    fn set_in_a_circle(&mut self) {
        let (other, join) = (self.label(), self.label());
        let [a, b] = [10, 11];
        self.differs(0);
        self.jump("@P0 BRA ", other);
        for (first, then) in [(a, b), (b, a)] {
            self.jump(format!("BSSY B{first}, "), join);
            self.filler();
            self.jump(format!("BSSY B{then}, "), join);
            self.filler();
            self.line(format!("BSYNC B{then}"));
            self.line(format!("BSYNC B{first}"));
            if first == a {
                self.jump("BRA ", join);
                self.place(other);
            }
        }
        self.place(join);
        self.work();
    }

    /// C8: lanes wait at a barrier in which others set one more, and wait there for these.
    fn met_out_of_order(&mut self) {
        let (other, join) = (self.label(), self.label());
        let [a, b] = [10, 11];
        if self.chance(50) {
            self.parted(2);
        }
        self.jump(format!("BSSY B{a}, "), join);
        self.jump(format!("BSSY B{b}, "), join);
        self.differs(0);
        self.jump("@P0 BRA ", other);
        self.filler();
        self.line(format!("BSYNC B{a}"));
        self.line(format!("BSYNC B{b}"));
        self.jump("BRA ", join);
        self.place(other);
        self.filler();
        self.line(format!("BSYNC B{b}"));
        self.line(format!("BSYNC B{a}"));
        self.place(join);
        self.work();
    }

    /// C9: lanes leave barriers, one or two at once, while others wait.
    fn leave_two(&mut self) {
        let out = self.label();
        let outer = self.set(out);
        self.differs(0);
        self.jump("@P0 BRA ", out);
        let (inner_out, middle_out) = (self.label(), self.label());
        let middle = self.set(middle_out);
        let two = self.chance(75);
        let inner = if two { self.set(inner_out) } else { middle };
        self.filler();
        self.differs(1);
        if two {
            self.line(format!("@P1 BREAK B{inner}"));
        }
        self.line(format!("@P1 BREAK B{middle}"));
        if self.chance(25) {
            self.line(format!("@P1 BREAK B{outer}"));
        }
        self.jump("@P1 BRA ", out);
        self.filler();
        if two {
            self.place(inner_out);
            self.meet();
            self.filler();
        } else {
            self.place(inner_out);
        }
        self.place(middle_out);
        self.meet();
        self.work();
        self.place(out);
        self.meet();
        self.show();
    }

    /// C9: lanes leave a barrier, and end, or come to it all the same.
    fn leave_one(&mut self) {
        let (other, out) = (self.label(), self.label());
        let b = self.set(out);
        self.filler();
        self.differs(1);
        self.line(format!("@P1 BREAK B{b}"));
        if self.chance(60) {
            self.jump("@!P1 BRA ", other);
            self.work();
            self.filler();
            self.line("EXIT");
        }
        self.place(other);
        self.filler();
        self.place(out);
        self.meet();
        self.show();
        self.work();
    }

    /// C9: lanes end that have waited for others, which then go on.
    fn end_after_a_wait(&mut self) {
        let other = self.label();
        self.differs(0);
        self.jump("@P0 BRA ", other);
        self.filler();
        self.line("WARPSYNC.ALL");
        self.ask();
        self.work();
        self.work();
        self.line("EXIT");
        self.place(other);
        self.filler();
        self.line("WARPSYNC.ALL");
        self.ask();
        self.show();
        self.work();
    }

    /// C10: some wait for all, and then all do.
    fn wait_on_one_side(&mut self) {
        let join = self.label();
        self.differs(0);
        self.jump("@P0 BRA ", join);
        self.filler();
        self.line("WARPSYNC.ALL");
        self.ask();
        self.filler();
        self.place(join);
        self.line("WARPSYNC.ALL");
        self.ask();
        self.show();
        self.work();
    }

    /// C10: lanes wait for all at two places at once.
    fn wait_on_both_sides(&mut self) {
        let (other, join) = (self.label(), self.label());
        self.differs(0);
        self.jump("@P0 BRA ", other);
        self.filler();
        self.line("WARPSYNC.ALL");
        self.ask();
        self.work();
        self.jump("BRA ", join);
        self.place(other);
        self.filler();
        self.line("WARPSYNC.ALL");
        self.ask();
        self.work();
        self.place(join);
        self.filler();
    }

    /// C10, C13: all come, and each waits for its half.
    fn wait_in_halves(&mut self) {
        self.parted(0);
        self.halves();
        self.sync_some();
        self.ask();
        if self.chance(50) {
            self.work();
            self.line("WARPSYNC.ALL");
        }
        self.show();
        self.work();
    }

    /// C11: lanes yield while others wait for them.
    fn yield_before_others(&mut self) {
        let (head, out) = (self.label(), self.label());
        self.set(out);
        self.differs(0);
        self.jump("@P0 BRA ", out);
        let register = self.any();
        self.line(format!("LOP3.LUT R19, R{register}, 0x3, RZ, 0xc0, !PT"));
        self.place(head);
        self.line("YIELD");
        self.filler();
        self.line("IADD3 R19, R19, -0x1, RZ");
        self.line("ISETP.GE.AND P6, PT, R19, RZ, PT");
        self.jump("@P6 BRA ", head);
        self.place(out);
        self.meet();
        if self.chance(50) {
            return self.show();
        }
        // Who was let go sets the barrier again, while others are in it.
        let again = self.label();
        self.set(again);
        self.filler();
        self.line("WARPSYNC.ALL");
        self.filler();
        self.place(again);
        self.meet();
    }

    /// C11: some lanes' places in a barrier are kept in a register, and written back or not.
    fn keep_on_one_side(&mut self) {
        let out = self.label();
        let b = self.set(out);
        self.differs(0);
        self.jump("@P0 BRA ", out);
        self.line(format!("BMOV.32.CLEAR R16, B{b}"));
        self.work();
        self.filler();
        if self.chance(60) {
            self.line(format!("BMOV.32 B{b}, R16"));
        }
        self.filler();
        self.place(out);
        self.meet();
        self.show();
    }

    /// C11: what is written to a barrier is not what was read of it. Others set it, and wait for lanes that wait for them.
    fn restore_anything(&mut self) {
        let (other, join) = (self.label(), self.label());
        let [a, b] = [10, 11];
        let anything = self.any();
        self.differs(0);
        self.jump("@P0 BRA ", other);
        if self.chance(60) {
            self.line(format!("BMOV.32.CLEAR R16, B{a}"));
        }
        self.line(format!("BMOV.32 B{a}, R{anything}"));
        self.jump(format!("BSSY B{b}, "), join);
        self.filler();
        self.line(format!("BSYNC B{b}"));
        self.jump("BRA ", join);
        self.place(other);
        self.jump(format!("BSSY B{b}, "), join);
        self.jump(format!("BSSY B{a}, "), join);
        self.filler();
        self.line(format!("BSYNC B{a}"));
        self.line(format!("BSYNC B{b}"));
        self.place(join);
        self.work();
    }

    /// C13: lanes of a mask part behind their wait.
    fn part_behind_a_wait(&mut self) {
        self.parted(0);
        self.halves();
        self.line("WARPSYNC.EXCLUSIVE R17");
        self.ask();
        if self.chance(50) {
            self.parted(1);
        } else {
            let join = self.label();
            self.differs(1);
            self.jump("@P1 BRA ", join);
            self.ask();
            self.place(join);
        }
        self.ask();
        self.work();
    }

    /// C13: nobody has waited for anybody.
    fn ask_on_one_side(&mut self) {
        let join = self.label();
        self.differs(0);
        self.jump("@P0 BRA ", join);
        self.filler();
        if self.chance(30) {
            self.ask();
        }
        self.place(join);
        self.ask();
        self.work();
    }

    /// C14: some of a warp come to a barrier of the block.
    fn block_on_one_side(&mut self) {
        let join = self.label();
        let guard = if self.chance(30) { "@P1 " } else { "" };
        match self.chance(50) {
            true => self.agrees(1),
            false => self.differs(1),
        }
        self.differs(0);
        self.jump("@P0 BRA ", join);
        self.filler();
        if self.chance(50) {
            self.line("WARPSYNC.ALL");
        }
        self.barrier(guard);
        self.work();
        self.place(join);
        self.work();
    }

    /// C14: lanes come to a barrier of the block behind a wait for some of the warp, or for all, or for none.
    fn block_behind_some(&mut self) {
        self.parted(0);
        match self.draws.below(3) {
            0 => {
                self.halves();
                self.sync_some();
                self.ask();
            }
            1 => self.line("WARPSYNC.ALL"),
            _ => {}
        }
        self.barrier("");
        self.work();
    }

    /// C14: lanes come to a barrier of the block each by itself, and then as a whole.
    fn block_by_turns(&mut self) {
        let join = self.label();
        self.differs(0);
        self.jump("@P0 BRA ", join);
        self.filler();
        if self.chance(50) {
            self.arrive();
        } else {
            self.line("WARPSYNC.ALL");
            self.ask();
        }
        self.place(join);
        self.filler();
        if self.chance(50) {
            self.arrive();
        }
        self.show();
        self.work();
    }

    /// C14: lanes come to an operation of the whole warp, by the same ways or not.
    fn operate_apart(&mut self) {
        let join = self.label();
        if self.chance(50) {
            self.parted(0);
        } else {
            self.differs(0);
            self.jump("@P0 BRA ", join);
        }
        self.filler();
        self.operate();
        self.show();
        self.place(join);
        self.work();
    }

    /// C10, C13: lanes of one mask do something alone, and others join them behind it.
    fn ask_in_a_collective(&mut self) {
        let behind = self.label();
        self.parted(0);
        self.halves();
        self.jump("WARPSYNC.COLLECTIVE R17, ", behind);
        self.ask();
        self.line("ENDCOLLECTIVE");
        self.place(behind);
        if self.chance(40) {
            self.ask();
        }
        self.work();
    }

    /// C3, C13: lanes go ways by what they were told by each other: by all, or by those of a mask.
    fn branch_by_an_answer(&mut self) {
        let (other, join) = (self.label(), self.label());
        if self.chance(50) {
            self.parted(0);
            self.halves();
            self.line("WARPSYNC.EXCLUSIVE R17");
        }
        self.differs(1);
        let mode = self.one_of(&["ALL", "ANY", "EQ"]);
        self.line(format!("VOTE.{mode} R21, P2, P1"));
        match self.chance(50) {
            true => self.jump("@P2 BRA ", other),
            false => {
                self.line("ISETP.LT.AND P2, PT, R21, RZ, PT");
                self.jump("@P2 BRA ", other);
            }
        }
        self.work();
        self.show();
        self.jump("BRA ", join);
        self.place(other);
        self.show();
        self.place(join);
        self.work();
    }

    /// C13: lanes of two masks come to one place from two calls.
    fn call_with_two_masks(&mut self) {
        let (routine, other, join) = (self.label(), self.label(), self.label());
        self.routines.push((routine, true));
        self.line("ISETP.LT.AND P3, PT, R18, 0x10, PT");
        self.jump("@!P3 BRA ", other);
        self.line("MOV R17, 0xffff");
        self.filler();
        self.enter(routine);
        self.jump("BRA ", join);
        self.place(other);
        self.line("MOV R17, 0xffff0000");
        self.filler();
        self.enter(routine);
        self.place(join);
        self.work();
    }

    /// C13: lanes of two masks come to one place in two turns of a loop.
    fn turns_with_two_masks(&mut self) {
        let (head, bottom) = (self.label(), self.label());
        self.line("MOV R17, 0xffff");
        self.line("MOV R19, 0x2");
        self.place(head);
        self.line("SHF.R.U32.HI R25, RZ, R18, R17");
        self.line("LOP3.LUT R25, R25, 0x1, RZ, 0xc0, !PT");
        self.line("ISETP.EQ.AND P3, PT, R25, RZ, PT");
        self.jump("@P3 BRA ", bottom);
        let apart = self.label();
        let by_branch = self.chance(40);
        if by_branch {
            self.line("R2UR UR6, R17");
            self.jump("BRA.DIV UR6, ", apart);
        } else {
            self.sync_some();
        }
        self.ask();
        if by_branch {
            self.jump("BRA ", bottom);
            self.place(apart);
            self.line("WARPSYNC.EXCLUSIVE R17");
            self.ask();
        }
        self.place(bottom);
        self.line("LOP3.LUT R17, R17, 0xffffffff, RZ, 0x3c, !PT");
        self.line("IADD3 R19, R19, -0x1, RZ");
        self.line("ISETP.GT.AND P6, PT, R19, RZ, PT");
        self.jump("@P6 BRA ", head);
        self.work();
    }

    /// C13: a branch on whether the lanes of a mask are here.
    fn hold_some(&mut self) {
        let (apart, join) = (self.label(), self.label());
        self.parted(0);
        self.line("UMOV UR6, 0xffff");
        if self.chance(50) {
            self.line("ISETP.LT.AND P3, PT, R18, 0x10, PT");
            self.jump("@!P3 BRA ", join);
        }
        self.jump("BRA.DIV UR6, ", apart);
        self.ask();
        self.jump("BRA ", join);
        self.place(apart);
        self.line("MOV R17, 0xffff");
        self.line("WARPSYNC R17");
        self.ask();
        self.place(join);
        self.work();
    }

    /// C7, C8: a barrier is set by lanes that come one after another, and they come to it together.
    fn part_at_a_barrier(&mut self) {
        let join = self.label();
        self.parted(0);
        let b = self.set(join);
        self.work();
        self.line("WARPSYNC.ALL");
        self.filler();
        self.held.pop();
        self.place(join);
        self.line(format!("BSYNC B{b}"));
        self.show();
        self.work();
    }

    /// C14: lanes that are together come to a barrier of the block, all or some.
    fn block_under_a_guard(&mut self) {
        match self.chance(50) {
            true => self.agrees(1),
            false => self.differs(1),
        }
        self.filler();
        self.barrier("@P1 ");
        self.work();
    }

    /// C7: a barrier is set by lanes that come one after another, around a branch whose lanes meet there.
    fn set_in_turns(&mut self) {
        let (other, join) = (self.label(), self.label());
        match self.draws.below(3) {
            0 => self.parted(0),
            1 => {
                self.line("ISETP.LT.AND P3, PT, R18, 0x10, PT");
                self.jump("@P3 BRA ", join);
            }
            _ => {}
        }
        let guard = if self.chance(40) { "@P2 " } else { "" };
        self.differs(2);
        self.jump(format!("{guard}BSSY B12, "), join);
        self.differs(1);
        self.jump("@P1 BRA ", other);
        self.work();
        self.filler();
        self.place(other);
        self.line("BSYNC B12");
        self.show();
        self.place(join);
        self.work();
    }
}
