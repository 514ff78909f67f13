//! Timing: when registers are ready, lane by lane.
//!
//! A lane's clock counts the stalls of the instructions that it was in the issuing group of; other groups can only make more
//! time pass. A result of fixed latency is ready when the distance that `sassafras_chip::latency` demands has passed; a
//! result of variable latency when the scoreboard that its write barrier names has been waited for. Reading earlier is an
//! error (code of others may leave less than our own: [`least`]), as is overwriting a register that an instruction in flight still reads or writes.

use crate::collective::lanes;
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_chip::latency::{
    Class, Hazard, Kind, OperandKind, SCOREBOARD_SETUP, least, predicate_with_sources, results_unit, settled,
    sources_in_order,
};
use sassafras_isa::{Access, Control, Inst, Meaning, Operand, RegClass, Register, Scoreboard};
use sassafras_semantics::Trap;

/// What makes a result, or the reading of a source, complete.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Until {
    /// The passing of cycles.
    Cycles,
    /// A wait for the scoreboard.
    Board(Raised),
    /// The passing of cycles, or a wait for the scoreboard, whichever is first: what takes a fixed time raises one at times, and nobody need wait for it.
    Sooner(Raised),
    /// A wait for either of two scoreboards.
    Either([Raised; 2]),
    /// A wait for a later instruction of the same in-order unit.
    Unit(Unit, u32),
    /// So many cycles that it is there although nothing tells; nothing but the end of the program where the tables have no such number.
    Settled(Option<u8>),
}

/// How an instruction raised a scoreboard: which, in which generation, and as which of all that raised it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Raised {
    board: usize,
    generation: u32,
    number: u32,
}

/// A unit that finishes in order, so that one scoreboard can stand for several instructions (ptxas leaves out all but the last write
/// barrier of such a run): a row of `latency/order.csv`.
type Unit = usize;

/// An access that may not be complete.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The lane's clock at issue.
    issued: u32,
    class: Class,
    until: Until,
    /// Of a source that is read in the order of its pipe: its turn there; 0 for others.
    turn: u32,
    /// The unit that gives results in order, and which of its instructions this is.
    unit: Option<(Unit, u32)>,
    pc: u64,
}

#[derive(Clone, Debug, Default)]
struct Lane {
    clock: u32,
    /// Completed generations of each scoreboard.
    generation: [u32; 6],
    /// When each scoreboard was last raised.
    raised: [u32; 6],
    /// How often each was raised, and how many of the first of these are over by a DEPBAR that left the others under way.
    raises: [u32; 6],
    over: [u32; 6],
    /// For each scoreboard, the units whose instructions up to a number are complete when it is, and as which of all they raised it.
    covers: [Vec<(Unit, u32, u32)>; 6],
    /// Instructions issued by each unit, and those known to be complete.
    units: FxHashMap<Unit, (u32, u32)>,
    /// The same for pipes that read their sources in order: a scoreboard of a later one stands for the sources of those before.
    pipes: FxHashMap<Class, (u32, u32)>,
    /// For each scoreboard, the pipes whose sources up to a turn have been read when it is waited for.
    covers_sources: [Vec<(Class, u32)>; 6],
    written: FxHashMap<Register, Pending>,
    read: FxHashMap<Register, Pending>,
}

/// The clocks and pending accesses of a warp.
#[derive(Debug)]
pub(super) struct Timing {
    chip: Chip,
    lanes: Vec<Lane>,
}

fn operand_kind(class: RegClass, guard: bool) -> OperandKind {
    match (class, guard) {
        (RegClass::R, _) => OperandKind::Register,
        (RegClass::P, false) => OperandKind::Predicate,
        (RegClass::P, true) => OperandKind::Guard,
        (RegClass::UR, _) => OperandKind::Uniform,
        (RegClass::UP, false) => OperandKind::UniformPredicate,
        (RegClass::UP, true) => OperandKind::UniformGuard,
        (RegClass::B, _) => OperandKind::Convergence,
    }
}

/// The operands that latencies are about: convergence barriers are settled by the dispatcher itself.
fn accesses(inst: &Inst) -> impl Iterator<Item = Operand> + '_ {
    inst.operands().filter(|o| o.class != RegClass::B)
}

/// The pipe in whose order an instruction reads its sources late, if it does.
fn reads_in_turn(inst: &Inst, chip: Chip) -> Option<Class> {
    let (own, pipe) = ((inst.row().pipe, inst.row().mnemonic), inst.row().pipe.whole());
    (inst.pipe().variable(chip) && sources_in_order(own, own) && pipe != Class::Xu).then_some(pipe)
}

impl Timing {
    pub fn new(chip: Chip) -> Timing {
        // Clocks start at one: a scoreboard raised at zero is one that never was.
        Timing { chip, lanes: vec![Lane { clock: 1, ..Lane::default() }; 32] }
    }

    /// Issues an instruction for the lanes of a group, of which `executing` have a true guard.
    ///
    /// # Errors
    /// [`Trap::Poison`] or [`Trap::Overwritten`], with the lane that it was found in.
    pub fn issue(&mut self, inst: &Inst, pc: u64, group: u32, executing: u32) -> Result<(), (u32, Trap)> {
        let chip = self.chip;
        let row = inst.row();
        let unit = results_unit(row.mnemonic).filter(|_| inst.pipe().variable(chip));
        let turns = reads_in_turn(inst, chip);
        for l in lanes(group) {
            let lane = &mut self.lanes[l];
            lane.wait(inst.control.wait_mask);
            lane.count_down(inst);
            lane.wait_listed(inst);
            let takes_part = executing >> l & 1 != 0;
            let found = |trap| (l as u32, trap);
            for operand in accesses(inst).filter(|o| takes_part || o.field.is_none()) {
                let guard = operand.field.is_none();
                for n in 0..u32::from(operand.units) {
                    let register = Register { class: operand.class, number: operand.number + n };
                    let class = inst.class(&operand, n);
                    match operand.access {
                        Access::Read => lane.check_read(chip, register, class, guard).map_err(found)?,
                        Access::Write => {
                            lane.check_write(chip, register, class, (unit, turns)).map_err(found)?
                        }
                    }
                }
            }
            lane.record(chip, inst, unit, pc, takes_part);
            lane.clock += u32::from(inst.control.stall.max(1));
        }
        Ok(())
    }
}

impl Lane {
    fn wait(&mut self, mask: u8) {
        // Too early after the instruction that raises it, the counter may still read zero.
        let seen = |lane: &Lane, board: usize| {
            lane.clock >= lane.raised[board] + u32::from(SCOREBOARD_SETUP) || lane.raised[board] == 0
        };
        (0..6).filter(|b| mask >> b & 1 != 0).for_each(|board| {
            if seen(self, board) {
                self.end(board);
            }
        });
    }

    /// The scoreboards that a DEPBAR lists behind its count.
    fn wait_listed(&mut self, inst: &Inst) {
        let lists = inst.row().mnemonic == "DEPBAR" && inst.guard.is_always();
        let mask = inst.get("w").filter(|_| lists).unwrap_or(0);
        (0..6).filter(|b| mask >> b & 1 != 0).for_each(|board| self.end(board));
    }

    /// What raised a scoreboard is over.
    fn end(&mut self, board: usize) {
        self.generation[board] += 1;
        for (unit, number, _) in std::mem::take(&mut self.covers[board]) {
            let entry = self.units.entry(unit).or_default();
            entry.1 = entry.1.max(number);
        }
        for (pipe, turn) in std::mem::take(&mut self.covers_sources[board]) {
            let entry = self.pipes.entry(pipe).or_default();
            entry.1 = entry.1.max(turn);
        }
    }

    /// DEPBAR: all that raised the scoreboard but the last `n` are over. Who uses it so has instructions on it that end in order.
    fn count_down(&mut self, inst: &Inst) {
        if inst.row().meaning != Meaning::Depbar || !inst.guard.is_always() {
            return;
        }
        let board = inst.get("sb").and_then(|b| usize::try_from(b).ok()).filter(|b| *b < 6);
        let left = inst.get("n").and_then(|n| u32::try_from(n).ok());
        if let (Some(board), Some(left)) = (board, left) {
            let over = self.raises[board].saturating_sub(left);
            self.over[board] = self.over[board].max(over);
            for &(unit, number, raised) in &self.covers[board] {
                if raised <= over {
                    let entry = self.units.entry(unit).or_default();
                    entry.1 = entry.1.max(number);
                }
            }
        }
    }

    fn is_over(&self, raised: Raised) -> bool {
        self.generation[raised.board] > raised.generation || self.over[raised.board] >= raised.number
    }

    fn complete(&self, pending: &Pending) -> Option<bool> {
        // A later result of the same unit has been waited for.
        let has_passed = |(unit, number)| self.units.get(&unit).is_some_and(|u| u.1 >= number);
        let passed = pending.unit.is_some_and(has_passed);
        match pending.until {
            Until::Cycles => None,
            Until::Sooner(raised) => self.is_over(raised).then_some(true),
            Until::Board(raised) => Some(passed || self.is_over(raised)),
            Until::Either(boards) => Some(passed || boards.iter().any(|&raised| self.is_over(raised))),
            Until::Unit(unit, number) => Some(has_passed((unit, number))),
            Until::Settled(cycles) => {
                Some(cycles.is_some_and(|cycles| self.clock >= pending.issued + u32::from(cycles)))
            }
        }
    }

    /// Whether the distance that the table demands has passed since a pending access.
    fn passed(
        &self,
        chip: Chip,
        pending: &Pending,
        consumer: Class,
        hazard: Hazard,
        operand: OperandKind,
    ) -> bool {
        match least(chip, pending.class, consumer, Kind { hazard, operand }) {
            Some(least) => self.clock >= pending.issued + u32::from(least),
            // What the tables do not say is for the hazard checker to report as unknown.
            None => true,
        }
    }

    fn check_read(&self, chip: Chip, register: Register, consumer: Class, guard: bool) -> Result<(), Trap> {
        let Some(pending) = self.written.get(&register) else { return Ok(()) };
        let ready = self.complete(pending).unwrap_or_else(|| {
            self.passed(chip, pending, consumer, Hazard::Raw, operand_kind(register.class, guard))
        });
        if ready {
            Ok(())
        } else {
            Err(Trap::Poison(format!("{register}, written at {:#x},", pending.pc * 16)))
        }
    }

    fn check_write(
        &self,
        chip: Chip,
        register: Register,
        consumer: Class,
        (unit, turns): (Option<Unit>, Option<Class>),
    ) -> Result<(), Trap> {
        let operand = operand_kind(register.class, false);
        // A result of the same unit comes later by itself.
        let ordered = |pending: &&Pending| unit.is_none() || pending.unit.map(|(unit, _)| unit) != unit;
        if let Some(pending) = self.written.get(&register).filter(ordered) {
            let done = self
                .complete(pending)
                .unwrap_or_else(|| self.passed(chip, pending, consumer, Hazard::Waw, operand));
            if !done {
                return Err(Trap::Overwritten(format!("{register}, written at {:#x},", pending.pc * 16)));
            }
        }
        // What has its result has read its sources.
        if let Some(pending) = self.read.get(&register).filter(ordered) {
            let done = self
                .complete(pending)
                .unwrap_or_else(|| self.passed(chip, pending, consumer, Hazard::War, operand));
            let later = self.pipes.get(&pending.class.whole());
            let in_turn = pending.turn > 0 && later.is_some_and(|(_, read)| *read >= pending.turn);
            // Who reads behind it writes later still.
            let behind = pending.turn > 0 && turns == Some(pending.class.whole());
            if !done && !in_turn && !behind {
                return Err(Trap::Overwritten(format!("{register}, read at {:#x},", pending.pc * 16)));
            }
        }
        Ok(())
    }

    /// Notes what the instruction leaves in flight.
    /// A lane whose guard is false still sees the scoreboards: an earlier instruction of the same unit is done by then.
    fn record(&mut self, chip: Chip, inst: &Inst, unit: Option<Unit>, pc: u64, takes_part: bool) {
        let (class, control) = (inst.row().pipe, inst.control);
        let variable = inst.pipe().variable(chip);
        let turn = unit.map(|unit| {
            let entry = self.units.entry(unit).or_default();
            entry.0 += 1;
            (unit, entry.0)
        });
        let board = |b: u8| usize::from(b).lt(&6).then_some(usize::from(b));
        let (write, read) = (board(control.write_barrier), board(control.read_barrier));
        for b in [write, read].into_iter().flatten() {
            self.raised[b] = self.clock;
            self.raises[b] += 1;
        }
        if let Some(b) = write {
            self.covers[b].extend(turn.map(|(unit, number)| (unit, number, self.raises[b])));
        }
        let source_turn = reads_in_turn(inst, chip).map(|pipe| {
            let entry = self.pipes.entry(pipe).or_default();
            entry.0 += 1;
            entry.0
        });
        for (b, turn) in [write, read].into_iter().flatten().zip(source_turn.into_iter().cycle()) {
            self.covers_sources[b].push((class.whole(), turn));
        }
        // When what says nothing is over nobody knows; the hazard checker reports it.
        if !takes_part || control == Control::SILENT {
            return;
        }
        let pending = |until| Pending { issued: self.clock, class, until, turn: 0, unit: turn, pc };
        let raised = |b: usize| Raised { board: b, generation: self.generation[b], number: self.raises[b] };
        let result = match (write, turn) {
            (Some(b), _) if variable => Until::Board(raised(b)),
            (Some(b), _) => Until::Sooner(raised(b)),
            (None, Some((unit, number))) => Until::Unit(unit, number),
            (None, None) if variable => Until::Settled(settled(chip, class)),
            (None, None) => Until::Cycles,
        };
        let late = variable || matches!(inst.row().scoreboard, Scoreboard::Read | Scoreboard::ReadWrite);
        // What has its results has read its sources.
        let source = match (read, result) {
            (Some(r), Until::Board(write)) => Until::Either([write, raised(r)]),
            (Some(r), _) if late => Until::Board(raised(r)),
            (Some(r), _) => Until::Sooner(raised(r)),
            (None, _) => Until::Cycles,
        };
        // A predicate that comes with the reading of the sources.
        let predicate = match source {
            Until::Either(_) if predicate_with_sources(inst.row().mnemonic) => source,
            _ => result,
        };
        let (result, predicate, source) = (pending(result), pending(predicate), pending(source));
        let source = Pending { turn: source_turn.unwrap_or(0), ..source };
        for operand in accesses(inst) {
            for n in 0..u32::from(operand.units) {
                let register = Register { class: operand.class, number: operand.number + n };
                let class = inst.class(&operand, n);
                match operand.access {
                    Access::Write => {
                        let result = if operand.class == RegClass::P { predicate } else { result };
                        self.written.insert(register, Pending { class, ..result });
                    }
                    // Predicates and uniform registers are read at issue (ptxas overwrites them under an open read
                    // barrier). Of several readers the one in flight counts.
                    Access::Read if operand.class != RegClass::R => {}
                    Access::Read => {
                        let open = self.read.get(&register).is_some_and(|p| self.complete(p) == Some(false));
                        if source.until != Until::Cycles || !open {
                            self.read.insert(register, Pending { class, ..source });
                        }
                    }
                }
            }
        }
    }
}
