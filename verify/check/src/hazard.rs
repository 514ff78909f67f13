//! Whether every result is ready when it is read, on every path: stalls, scoreboards, control bits.
//!
//! An abstract interpretation of control words over a flow graph of single instructions, across branches and back
//! edges. Time is counted as `sassafras_chip::latency` says; a wait takes no time that may be relied on.
//!
//! # Lattice
//! A state maps each register to the accesses to it that may still be in flight. An access is known by instruction
//! and direction, and carries the fewest cycles since its issue on any path; one of variable latency also the
//! scoreboards that cover it. The *meet* is the union with the smaller age. A fixed access leaves after
//! [`LONGEST`] cycles, which satisfy every pair; a variable one when it was waited for.
//!
//! # Transfer
//! 1. Waiting: a scoreboard must have been set at least [`SCOREBOARD_SETUP`] cycles ago. What it covers leaves.
//! 2. Reading: against writes in flight. Writing: against writes and reads in flight. A fixed pair needs the cycles
//!    of the table; a pair that the table lacks is unknown unless [`LONGEST`] cycles passed. Of a variable
//!    one nothing may be in flight.
//! 3. The own accesses are noted, then all ages grow by the stall count.
//!
//! Some units give their results in order: an access without scoreboard is then covered by that of a later
//! instruction of the same mnemonic.

mod control;
mod flight;
mod flow;

pub use flow::Program;

use crate::rules::Rule;
use crate::{Finding, Verdict};
use flight::{Access, Flight, Register, State};
use rustc_hash::FxHashSet;
use sassafras_chip::latency::{Class, Hazard, Kind, LONGEST, OperandKind, SCOREBOARD_SETUP, latency};
use sassafras_isa::{Chip, Inst, Operand, RegClass, Scoreboard};

/// Checks a scheduled function.
pub fn check(f: &sassafras_machine::Function) -> Verdict {
    Program::of_function(f).map_or_else(|fault| Verdict::Objected(vec![fault]), |program| judge(&program))
}

/// Checks the words of one function, wherever they come from. Words that do not decode are unknown.
pub fn check_words(words: &[u128], chip: Chip) -> Verdict {
    judge(&Program::of_words(words, chip))
}

/// Checks a program.
pub fn judge(program: &Program) -> Verdict {
    let mut judge = Judge {
        program,
        objections: Vec::new(),
        unknown: program.unknown.clone(),
        said: FxHashSet::default(),
    };
    for at in 0..program.insts.len() {
        judge.control(at);
    }
    let mut entries: Vec<Option<State>> = vec![None; program.insts.len()];
    if let Some(first) = entries.first_mut() {
        *first = Some(State::default());
    }
    // Only the entries of blocks keep a state; within a block it is carried on.
    let mut work: std::collections::BTreeSet<usize> = [0].into();
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
    Verdict::of(judge.objections, judge.unknown)
}

struct Judge<'a> {
    program: &'a Program,
    objections: Vec<Finding>,
    unknown: Vec<Finding>,
    said: FxHashSet<(Rule, usize, usize, Register)>,
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
        let late = matches!(row.scoreboard, Scoreboard::Read | Scoreboard::ReadWrite);
        let always = inst.guard.is_always();
        let mut made = Vec::new();
        for operand in inst.operands() {
            for unit in 0..u32::from(operand.units) {
                let class = inst.class(&operand, unit);
                let write = operand.access == sassafras_isa::Access::Write;
                // Guards and uniform registers are read at issue.
                let uniform = matches!(operand.class, RegClass::UR | RegClass::UP);
                let variable =
                    if write { class.variable(chip) } else { late && operand.field.is_some() && !uniform };
                let boards = match (write, variable) {
                    (_, false) => 0,
                    (true, true) => board(inst.control.write_barrier),
                    (false, true) => board(inst.control.read_barrier) | board(inst.control.write_barrier),
                };
                let access = if write { Access::Write } else { Access::Read };
                let flight = Flight { at, access, class, age: 0, variable, boards, mnemonic: row.mnemonic };
                made.push(((operand.class, operand.number + unit), flight));
            }
        }
        state.cover(
            row.mnemonic,
            row.pipe,
            board(inst.control.write_barrier),
            board(inst.control.read_barrier),
        );
        for (register, flight) in made {
            state.add(register, flight, always);
        }
        for barrier in [inst.control.write_barrier, inst.control.read_barrier] {
            if barrier < 6 {
                state.set_at[usize::from(barrier)] = Some(0);
            }
        }
        state.pass(inst.control.stall.max(1));
    }

    /// Waits as the wait mask says.
    fn wait(&mut self, at: usize, inst: &Inst, state: &mut State, report: bool) {
        let mask = inst.control.wait_mask;
        for barrier in (0..6).filter(|barrier| mask >> barrier & 1 == 1) {
            let early = state.set_at[usize::from(barrier)].is_some_and(|age| age < SCOREBOARD_SETUP);
            if early && report {
                let message = format!("waits for scoreboard {barrier} in the cycle after it was set");
                self.object(Rule::HazardSetup, at, at, (RegClass::B, u32::MAX), message);
            }
            if !early {
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
        let name = format!("{}{}", register.0.prefix(), register.1);
        let from = self.program.place(flight.at);
        if flight.variable {
            if flight.precedes(inst.row().mnemonic, inst.row().pipe, write) {
                return;
            }
            let (rule, what) = match hazard {
                Hazard::Raw => (Rule::HazardWait, format!("reads {name} before")),
                Hazard::Waw => (Rule::HazardWait, format!("overwrites {name} before")),
                Hazard::War => (Rule::HazardSource, format!("overwrites {name}, the source of")),
            };
            let boards = match flight.boards {
                0 => "which sets no scoreboard".to_owned(),
                boards => format!("which is not waited for (scoreboard {})", boards.trailing_zeros()),
            };
            return self.object(rule, at, flight.at, register, format!("{what} {from}, {boards}"));
        }
        let decides = inst.row().control_flow.is_some();
        let kind = match (register.0, operand.field.is_none(), hazard) {
            (RegClass::R, ..) => OperandKind::Register,
            (RegClass::UR, ..) => OperandKind::Uniform,
            (RegClass::B, ..) => OperandKind::Convergence,
            (RegClass::P, true, Hazard::Raw) => OperandKind::Guard,
            (RegClass::P, ..) => OperandKind::Predicate,
            (RegClass::UP, guard, Hazard::Raw) if guard || decides => OperandKind::UniformGuard,
            (RegClass::UP, ..) => OperandKind::UniformPredicate,
        };
        let consumer = inst.class(operand, unit);
        let need = latency(self.program.chip, flight.class, consumer, Kind { hazard, operand: kind });
        let age = flight.age;
        let verb = match hazard {
            Hazard::Raw => "reads what is written to",
            Hazard::Waw => "writes after a write to",
            Hazard::War => "writes after a read of",
        };
        let what = format!("{verb} {name} by {from}");
        match need {
            Some(need) if age < need => {
                let message = format!("{what}: {age} cycles after it, and {need} are needed");
                self.object(Rule::HazardEarly, at, flight.at, register, message);
            }
            None if age < LONGEST && !in_order(hazard, flight.class, consumer) => {
                let new = self.said.insert((Rule::HazardLatency, at, flight.at, register));
                if new {
                    let message = format!(
                        "{what}: no number for {} then {consumer} ({kind:?}), {age} cycles",
                        flight.class
                    );
                    let place = self.program.place(at);
                    self.unknown.push(Finding { rule: Rule::HazardLatency.id(), place, message });
                }
            }
            _ => {}
        }
    }

    /// Control bits that no instruction may have.
    fn control(&mut self, at: usize) {
        let Some(inst) = &self.program.insts[at] else { return };
        for message in control::faults(inst) {
            let place = self.program.place(at);
            self.objections.push(Finding { rule: Rule::HazardControl.id(), place, message });
        }
    }

    fn object(&mut self, rule: Rule, at: usize, from: usize, register: Register, message: String) {
        if self.said.insert((rule, at, from, register)) {
            let place = self.program.place(at);
            self.objections.push(Finding { rule: rule.id(), place, message });
        }
    }
}

/// The mask of a scoreboard's number.
fn board(number: u8) -> u8 {
    if number < 6 { 1 << number } else { 0 }
}

/// Instructions of one class that take the same time finish in order.
fn in_order(hazard: Hazard, first: Class, second: Class) -> bool {
    hazard != Hazard::Raw && first == second
}
