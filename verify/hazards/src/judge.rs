//! Whether every result is ready when it is read, on every path: stalls, scoreboards, control bits.
//!
//! An abstract interpretation of control words over a flow graph of single instructions, across branches and back
//! edges. Time is counted as `sassafras_chip::latency` says; a wait takes no time that may be relied on.
//!
//! # Lattice
//! A state maps each register to the accesses to it that may still be in flight. An access is known by instruction
//! and direction, and carries the fewest cycles since its issue on any path; one of variable latency also the
//! scoreboards that cover it. The *meet* is the union with the smaller age. A fixed access leaves after
//! [`LONGEST`] cycles, which satisfy every pair; a variable one when it was waited for. Behind a call comes what is called.
//!
//! # Transfer
//! 1. Waiting: a scoreboard must have been set at least [`SCOREBOARD_SETUP`] cycles ago. What it covers leaves.
//! 2. Reading: against writes in flight. Writing: against writes and reads in flight. A fixed pair needs the cycles
//!    of the table; a pair that the table lacks is unknown unless [`LONGEST`] cycles passed. Of a variable
//!    one nothing may be in flight.
//! 3. The own accesses are noted, then all ages grow by the stall count.
//!
//! In a function all of whose instructions have [`Control::SILENT`](sassafras_isa::Control::SILENT) (ptxas 13.5.37 makes such at -O0) nothing says when accesses are over:
//! what would be an objection is unknown then. So is what comes too near behind a matrix operation, where all of a function's have a stall of 0
//! (ptxas 13.0.88 at -O0; the next instruction reads the result, so that it must be held).
//!
//! Some units give their results, or read their sources, in order (`sassafras_chip::latency::order_rows`): the scoreboards of a later
//! instruction then stand for an earlier access too. So do the scoreboards of a generic atomic operation's sources for its predicate.

use crate::control;
use crate::finding::{Finding, Verdict};
use crate::flight::{Access, Flight, State};
use crate::flow::Program;
use crate::groups;
use crate::register::Register;
use crate::rules::Rule;
use crate::stall;
use rustc_hash::FxHashSet;
use sassafras_chip::latency::{
    Basis, Class, Hazard, LONGEST, SCOREBOARD_SETUP, barrier_predicate, basis, predicate_with_sources,
    predicates_read_late, settled, source,
};
use sassafras_isa::{Chip, Inst, Meaning, Operand, RegClass, Scoreboard};
use std::collections::{BTreeMap, BTreeSet};

/// Checks the words of one function, wherever they come from. Words that do not decode are unknown.
pub fn check_words(words: &[u128], chip: Chip) -> Verdict {
    judge(&Program::of_words(words, chip))
}

/// The same, of words that we made: floors do not hold for them (see `sassafras_chip::latency::least`).
pub fn check_own_words(words: &[u128], chip: Chip) -> Verdict {
    let mut program = Program::of_words(words, chip);
    program.strict = true;
    judge(&program)
}

/// The same, of a function of which it is known where jumps and returns go: pairs of the numbers of words, from and to. A jump to an
/// address that is in none of them goes to a place that is not known.
pub fn check_words_with(words: &[u128], chip: Chip, jumps: &BTreeSet<(usize, usize)>) -> Verdict {
    judge(&Program::of_words_with(words, chip, jumps))
}

/// Checks a program.
pub fn judge(program: &Program) -> Verdict {
    examine(program).0
}

/// Checks a program, and counts for each thing that latencies rest on how many pairs of accesses were held against such a
/// number. What scoreboards decide is not among them.
pub fn examine(program: &Program) -> (Verdict, BTreeMap<Basis, usize>) {
    let mut judge = Judge {
        program,
        partial: counted_down(program),
        objections: Vec::new(),
        unknown: program.unknown.clone(),
        said: FxHashSet::default(),
        bases: BTreeMap::new(),
    };
    for at in 0..program.insts.len() {
        judge.control(at);
    }
    let mut entries: Vec<Option<State>> = vec![None; program.insts.len()];
    if let Some(first) = entries.first_mut() {
        *first = Some(State::default());
    }
    // Only the entries of blocks keep a state; within a block it is carried on.
    let mut work: BTreeSet<usize> = [0].into();
    while let Some(start) = work.pop_first() {
        let Some(state) = entries[start].clone() else { continue };
        judge.run(start, state, false, &mut |to, state| {
            let changed = match &mut entries[to] {
                Some(old) => old.meet(&state),
                slot => {
                    *slot = Some(state);
                    true
                }
            };
            if changed {
                work.insert(to);
            }
        });
    }
    for (start, entry) in entries.iter().enumerate() {
        if let Some(state) = entry {
            judge.run(start, state.clone(), true, &mut |_, _| {});
        }
    }
    judge.unreached(&entries);
    judge.products();
    judge.counted();
    (Verdict::of(judge.objections, judge.unknown), judge.bases)
}

struct Judge<'a> {
    program: &'a Program,
    /// Scoreboards, by bit, of which some DEPBAR waits for a part.
    partial: u8,
    objections: Vec<Finding>,
    unknown: Vec<Finding>,
    said: FxHashSet<(Rule, usize, usize, Register)>,
    bases: BTreeMap<Basis, usize>,
}

impl Judge<'_> {
    /// Runs a block from its start, and hands its last state to each successor.
    fn run(&mut self, start: usize, mut state: State, report: bool, leave: &mut dyn FnMut(usize, State)) {
        let mut at = start;
        loop {
            let Some(inst) = &self.program.insts[at] else { return };
            self.step(at, inst, &mut state, report);
            match &self.program.succs[at][..] {
                [next] if *next == at + 1 && !self.program.leaders[*next] => at = *next,
                succs => {
                    succs.iter().for_each(|&to| leave(to, state.clone()));
                    return;
                }
            }
        }
    }

    fn step(&mut self, at: usize, inst: &Inst, state: &mut State, report: bool) {
        self.wait(at, inst, state, report);
        if holds_until_read(inst) {
            state.read();
        }
        if report && inst.row().family == "call.abs.r" {
            // What is called puts aside what it must keep, and waits for no scoreboard of ours.
            for (register, flight) in state.late_results() {
                let (name, from) =
                    (format!("{}{}", register.0.prefix(), register.1), self.program.place(flight.at));
                let what = format!("calls before {from} has written {name}");
                self.object(Rule::Wait, at, flight.at, register, what);
            }
        }
        let row = inst.row();
        let chip = self.program.chip;
        if report {
            for operand in inst.operands() {
                for unit in 0..u32::from(operand.units) {
                    let register = (operand.class, operand.number + unit);
                    for flight in state.at(register) {
                        self.meet(at, inst, &operand, unit, register, flight);
                    }
                }
            }
        }
        if report && let Some((register, from)) = state.kept.stale(inst) {
            let name = format!("{}{}", register.0.prefix(), register.1);
            let message =
                format!("reads {name} as {} kept it: it was overwritten since", self.program.place(from));
            self.object(Rule::Reuse, at, from, register, message);
        }
        state.kept.step(at, inst);
        let late = reads_late(inst, chip);
        let always = inst.guard.is_always();
        let mut made = Vec::new();
        // When a product's general registers are free, its group says (`groups`).
        let grouped = |o: &Operand| row.meaning == Meaning::Gmma && o.class == RegClass::R;
        for operand in inst.operands().filter(|o| !grouped(o)) {
            for unit in 0..u32::from(operand.units) {
                let class = inst.class(&operand, unit);
                let write = operand.access == sassafras_isa::Access::Write;
                // Guards and uniform registers are read at issue; convergence barriers have a scoreboard of their own (NAK).
                let waits = match operand.class {
                    RegClass::R => true,
                    RegClass::P => write || predicates_read_late(chip, row.pipe),
                    RegClass::UR | RegClass::UP => write,
                    RegClass::B => false,
                };
                let slow = if write { class.variable(chip) } else { late && operand.field.is_some() };
                let variable = waits && slow;
                let boards = match (write, variable) {
                    // Cycles decide, but what raises a scoreboard is there when that was waited for, too.
                    (true, false) => board(inst.control.write_barrier),
                    (false, false) if operand.field.is_none() => 0,
                    // A predicate that comes with the reading of the sources is there when either scoreboard says so.
                    (true, true) if operand.class == RegClass::P && predicate_with_sources(row.mnemonic) => {
                        board(inst.control.write_barrier) | board(inst.control.read_barrier)
                    }
                    (true, true) => board(inst.control.write_barrier),
                    (false, _) => board(inst.control.read_barrier) | board(inst.control.write_barrier),
                };
                let access = if write { Access::Write } else { Access::Read };
                let mnemonic = row.mnemonic;
                // The guard itself is read whatever it says.
                let under = Some(inst.guard).filter(|_| operand.field.is_some() && inst.guard.pred != 7);
                let flight =
                    Flight { at, access, class, age: 0, variable, boards, behind: [0; 6], mnemonic, under };
                made.push(((operand.class, operand.number + unit), flight));
            }
        }
        state.cover(inst, board(inst.control.write_barrier), board(inst.control.read_barrier));
        for (register, flight) in made {
            state.add(register, flight, always);
        }
        for operand in inst.operands().filter(|o| o.access == sassafras_isa::Access::Write) {
            (0..u32::from(operand.units))
                .for_each(|unit| state.rewritten((operand.class, operand.number + unit)));
        }
        for barrier in [inst.control.write_barrier, inst.control.read_barrier] {
            if barrier < 6 {
                state.set_at[usize::from(barrier)] = Some(0);
            }
        }
        state.pass(passes(inst));
    }

    /// Waits as the wait mask says, and DEPBAR as it says itself, however near what sets its scoreboard stands: ptxas 13.0.88
    /// puts it in the next cycle.
    fn wait(&mut self, at: usize, inst: &Inst, state: &mut State, report: bool) {
        if let Some(barrier) = drains(inst) {
            state.waited(barrier);
        }
        (0..6).filter(|barrier| listed(inst) >> barrier & 1 == 1).for_each(|barrier| state.waited(barrier));
        if let Some((barrier, left)) = counts_down(inst) {
            state.counted(barrier, left);
        }
        let mask = inst.control.wait_mask;
        for barrier in (0..6).filter(|barrier| mask >> barrier & 1 == 1) {
            let early = state.set_at[usize::from(barrier)].is_some_and(|age| age < SCOREBOARD_SETUP);
            let held = early && at > 0 && self.program.holds(at - 1);
            if early && report && held {
                let message =
                    format!("waits for scoreboard {barrier} right behind a matrix operation without a stall");
                self.doubt(at, at - 1, (RegClass::B, u32::MAX), message);
            } else if early && report {
                let message = format!("waits for scoreboard {barrier} in the cycle after it was set");
                self.object(Rule::Setup, at, at, (RegClass::B, u32::MAX), message);
            }
            if !early || held {
                state.waited(barrier);
            }
        }
    }

    /// One access in flight meets one that is about to happen to the same register.
    fn meet(
        &mut self,
        at: usize,
        inst: &Inst,
        operand: &Operand,
        unit: u32,
        register: Register,
        flight: &Flight,
    ) {
        let write = operand.access == sassafras_isa::Access::Write;
        let hazard = match (flight.access, write) {
            (Access::Read, false) => return,
            (Access::Write, false) => Hazard::Raw,
            (Access::Write, true) => Hazard::Waw,
            (Access::Read, true) => Hazard::War,
        };
        if operand.field.is_some() && flight.excludes(inst.guard, operand.class) {
            return;
        }
        // Nearly all that meets is in order: texts are made for what is not.
        let text = || (format!("{}{}", register.0.prefix(), register.1), self.program.place(flight.at));
        if flight.variable {
            let settled = settled(self.program.chip, flight.class).is_some_and(|cycles| flight.age >= cycles);
            if flight.precedes(inst.row().mnemonic, inst.row().pipe, write) || (settled && flight.boards == 0)
            {
                return;
            }
            let (name, from) = text();
            let (rule, what) = match hazard {
                Hazard::Raw => (Rule::Wait, format!("reads {name} before")),
                Hazard::Waw => (Rule::Wait, format!("overwrites {name} before")),
                Hazard::War => (Rule::Source, format!("overwrites {name}, the source of")),
            };
            let boards = match flight.boards {
                0 => "which sets no scoreboard".to_owned(),
                boards => format!("which is not waited for (scoreboard {})", boards.trailing_zeros()),
            };
            // A DEPBAR that leaves some under way may have waited for this one. Which those are is known where they end in order.
            if flight.boards & self.partial != 0 && !flight.ends_in_turn() {
                let message = format!("{what} {from}, {boards}, but for a part of what set it");
                return self.unfollowed(at, flight.at, register, message);
            }
            return self.early(rule, at, flight.at, register, format!("{what} {from}, {boards}"));
        }
        let late = barrier_predicate(self.program.chip);
        if hazard == Hazard::War && flight.age < late && self.program.votes_with(flight.at, register) {
            let (name, from) = text();
            let message = format!(
                "overwrites {name}, which {from} reads: {} cycles after it, and {late} are needed",
                flight.age
            );
            return self.early(Rule::Source, at, flight.at, register, message);
        }
        let kind = Program::kind_of(operand, hazard);
        let consumer = inst.class(operand, unit);
        let need = self.program.need(flight.class, consumer, kind);
        let age = flight.age;
        let verb = match hazard {
            Hazard::Raw => "reads what is written to",
            Hazard::Waw => "writes after a write to",
            Hazard::War => "writes after a read of",
        };
        let what = || {
            let (name, from) = text();
            format!("{verb} {name} by {from}")
        };
        match need {
            Some(need) if age < need => {
                let what = what();
                let source = source(self.program.chip, flight.class, consumer, kind).unwrap_or_default();
                let message = format!("{what}: {age} cycles after it, and {need} are needed ({source})");
                self.early(Rule::Early, at, flight.at, register, message);
            }
            None if age < LONGEST && !in_order(hazard, flight.class, consumer) => {
                let what = what();
                let message = format!(
                    "{what}: no number for {} then {consumer} ({:?}), {age} cycles",
                    flight.class, kind.operand
                );
                self.doubt(at, flight.at, register, message);
            }
            _ => {}
        }
        if let Some(basis) = basis(self.program.chip, flight.class, consumer, kind) {
            *self.bases.entry(basis).or_default() += 1;
        }
    }

    /// The scoreboard of groups of bulk copies, which DEPBAR counts down to a number that need not be 0.
    fn counted(&mut self) {
        let program = self.program;
        let flushes = |inst: &Inst| inst.row().mnemonic == "UTMACMDFLUSH";
        let all = || program.insts.iter().enumerate().filter_map(|(at, inst)| Some((at, inst.as_ref()?)));
        let boards =
            all().filter(|(_, inst)| flushes(inst)).fold(0, |m, (_, i)| m | board(i.control.read_barrier));
        for (at, inst) in all().filter(|(_, inst)| !flushes(inst)) {
            let raised = board(inst.control.read_barrier) | board(inst.control.write_barrier);
            if raised & boards != 0 {
                let what = "raises the scoreboard by which groups of bulk copies are counted".to_owned();
                self.object(Rule::Counted, at, at, (RegClass::B, u32::MAX), what);
            }
        }
    }

    /// Registers of a warpgroup's products.
    fn products(&mut self) {
        for (at, fault) in groups::faults(self.program) {
            match fault {
                groups::Fault::InUse(register, from) => {
                    let product = self.program.place(from);
                    let message =
                        format!("touches R{register}, which {product} uses until its group is waited for");
                    self.object(Rule::Group, at, from, (RegClass::R, register), message);
                }
                groups::Fault::Unseen(register, from) => {
                    let place = from.map_or("before the function".to_owned(), |from| {
                        format!("by {}", self.program.place(from))
                    });
                    let message =
                        format!("uses R{register}, written {place}, and no WARPGROUP.ARRIVE stands between");
                    self.object(Rule::Arrive, at, from.unwrap_or(at), (RegClass::R, register), message);
                }
            }
        }
    }

    /// Instructions that were not looked at. Where the flow is not known, that is said already.
    fn unreached(&mut self, entries: &[Option<State>]) {
        if !self.program.unknown.is_empty() {
            return;
        }
        let mut reached = false;
        for (at, entry) in entries.iter().enumerate() {
            let first = at == 0 || self.program.leaders[at] || self.program.succs[at - 1] != [at];
            reached = if first { entry.is_some() } else { reached };
            // Behind a call that never returns an EXIT may stand that nobody comes to.
            if !reached && !self.program.is_padding(at) && !self.program.is_exit(at) {
                let (rule, place) = (Rule::Unreached.id(), self.program.place(at));
                self.unknown.push(Finding { rule, place, message: "no known way leads to it".to_owned() });
            }
        }
    }

    /// Control bits that no instruction may have, and a stall that is too short by itself.
    fn control(&mut self, at: usize) {
        let Some(inst) = &self.program.insts[at] else { return };
        let own = self.program.own;
        let (least, stall) = (stall::least(inst, self.program.chip, own), inst.control.stall);
        if stall < least && (own || stall > 0) && !self.program.is_silent() && !self.program.is_padding(at) {
            let message = format!("{} has a stall of {stall}, and {least} are needed", inst.row().mnemonic);
            self.objections.push(Finding { rule: Rule::Stall.id(), place: self.program.place(at), message });
        }
        for message in control::faults(inst) {
            let place = self.program.place(at);
            self.objections.push(Finding { rule: Rule::Control.id(), place, message });
        }
    }

    /// An access comes before an earlier one is over, as far as the control bits of that say when.
    fn early(&mut self, rule: Rule, at: usize, from: usize, register: Register, message: String) {
        if self.program.holds(from) {
            let held = "a matrix operation without a stall holds the warp, for how long is not known";
            self.doubt(at, from, register, format!("{message}; {held}"));
        } else if self.program.is_silent() {
            self.doubt(at, from, register, format!("{message}; control bits say nothing at all"));
        } else {
            self.object(rule, at, from, register, message);
        }
    }

    fn unfollowed(&mut self, at: usize, from: usize, register: Register, message: String) {
        if self.said.insert((Rule::Partial, at, from, register)) {
            let (rule, place) = (Rule::Partial.id(), self.program.place(at));
            self.unknown.push(Finding { rule, place, message });
        }
    }

    fn doubt(&mut self, at: usize, from: usize, register: Register, message: String) {
        if self.said.insert((Rule::Latency, at, from, register)) {
            let (rule, place) = (Rule::Latency.id(), self.program.place(at));
            self.unknown.push(Finding { rule, place, message });
        }
    }

    fn object(&mut self, rule: Rule, at: usize, from: usize, register: Register, message: String) {
        if self.said.insert((rule, at, from, register)) {
            let place = self.program.place(at);
            self.objections.push(Finding { rule: rule.id(), place, message });
        }
    }
}

/// Whether sources are read at a time that a scoreboard tells. What gives its results late reads its sources late: ptxas 13.0.88 waits for the
/// read barrier, or for the result, before it overwrites an address of LDG or a source of MUFU (79 and 17 times in the corpus, never without).
/// So does double precision: only the next of its own pipe overwrites a source without a wait (kernels/dot64 and physics64 of every chip from sm_75 to sm_121 that has it so).
fn reads_late(inst: &Inst, chip: Chip) -> bool {
    let row = inst.row();
    inst.pipe().variable(chip) || matches!(row.scoreboard, Scoreboard::Read | Scoreboard::ReadWrite)
}

/// Cycles from the issue of an instruction to that of the next, at the least. ERRBAR with a stall of 0 holds the warp until it is over: on sm_75 ptxas 13.5.37 leaves two
/// cycles fewer around it than its numbers for any other pair (corpus/modern grid_barrier: IMAD.MOV, ULDC, IMAD, ERRBAR, ISETP).
fn passes(inst: &Inst) -> u8 {
    match inst.control.stall {
        0 if inst.row().mnemonic == "ERRBAR" => 2,
        stall => stall.max(1),
    }
}

/// The mask of a scoreboard's number.
fn board(number: u8) -> u8 {
    if number < 6 { 1 << number } else { 0 }
}

/// Whether an instruction holds the warp until the memory instructions before it have read their sources: BAR.SYNC without
/// .DEFER_BLOCKING, behind which ptxas 13.0.88 overwrites the sources of STS on sm_75 (the one chip for which it makes it).
pub fn holds_until_read(inst: &Inst) -> bool {
    inst.row().id.starts_with("bar.sync") && inst.get("defer") == Some(0) && inst.guard.is_always()
}

/// The scoreboard that a DEPBAR holds the warp for until nothing is under way. One that leaves some under way says nothing of
/// which.
pub fn drains(inst: &Inst) -> Option<u8> {
    let all = inst.row().meaning == Meaning::Depbar && inst.get("n") == Some(0) && inst.guard.is_always();
    inst.get("sb").filter(|_| all).and_then(|board| u8::try_from(board).ok()).filter(|board| *board < 6)
}

/// Scoreboards, by bit, that a DEPBAR lists behind its count: it waits for all of each. ptxas 13.0.88 reads what R2UR writes behind no other wait on sm_80 and
/// sm_86 (`DEPBAR.LE SB0, 0x0, {2,1}`, corpus/large finance at 32 registers).
pub fn listed(inst: &Inst) -> u8 {
    let lists = inst.row().mnemonic == "DEPBAR" && inst.guard.is_always();
    inst.get("w").filter(|_| lists).map_or(0, |mask| (mask & 0x3f) as u8)
}

/// The scoreboard of which a DEPBAR lets a number be under way, and the number.
fn counts_down(inst: &Inst) -> Option<(u8, u8)> {
    let counts = inst.row().meaning == Meaning::Depbar && inst.guard.is_always();
    let board = inst.get("sb").filter(|board| counts && *board < 6)?;
    let left = inst.get("n").filter(|left| *left > 0)?;
    Some((u8::try_from(board).ok()?, u8::try_from(left).ok()?))
}

/// Scoreboards, by bit, of which some DEPBAR lets a number be under way.
fn counted_down(program: &Program) -> u8 {
    let partial = |inst: &Inst| {
        let some = inst.row().meaning == Meaning::Depbar && inst.get("n").is_some_and(|n| n > 0);
        inst.get("sb").filter(|board| some && *board < 6).map_or(0, |board| 1 << board)
    };
    program.insts.iter().flatten().map(partial).fold(0, |all, board| all | board)
}

/// Instructions of one class that take the same time finish in order.
fn in_order(hazard: Hazard, first: Class, second: Class) -> bool {
    hazard != Hazard::Raw && first == second
}
