//! Whether a schedule keeps every register's accesses apart, one access at a time, by looking at all ways on from it.
//!
//! For each access of each instruction a search visits every state (place, cycles since, scoreboards that stand for the
//! access) until the register is surely written again or the access is over. Nothing is merged and nothing iterated to a fixed
//! point, which is how the judge works; the tables of latencies and of units that finish in order are shared.

use sassafras_check::hazard::{Program, drains, holds_until_read, listed};
use sassafras_chip::latency::{
    Class, Hazard, Kind, LONGEST, OperandKind, SCOREBOARD_SETUP, barrier_predicate, latency, least,
    predicate_with_sources, predicates_read_late, results_in_order, settled, sources_in_order,
};
use sassafras_isa::{Access, Chip, ControlFlowKind, Guard, Inst, Meaning, Operand, RegClass, Scoreboard};
use sassafras_machine::Function;
use std::collections::{HashMap, HashSet};

/// Which facts about units that finish in order are taken for true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// A later result of the same unit comes later.
    pub results: bool,
    /// A later instruction of the same pipe reads its sources later.
    pub sources: bool,
}

/// Every fact.
pub const ALL: Order = Order { results: true, sources: true };

/// The first harm that a schedule does; `None` when no way shows any.
pub fn harm(code: &Code<'_>, order: Order) -> Option<String> {
    (0..code.insts.len()).find_map(|at| code.instruction(at, order))
}

/// Why a schedule that does no harm does none although it was changed: which fact it rests on.
pub fn reason(code: &Code<'_>) -> &'static str {
    let with = |results, sources| harm(code, Order { results, sources }).is_none();
    match () {
        () if with(false, false) => "waited-or-apart",
        () if with(true, false) => "results-in-order",
        () if with(false, true) => "sources-in-order",
        () => "both-in-order",
    }
}

/// Instructions, and which may issue behind which.
pub struct Code<'a> {
    chip: Chip,
    insts: Vec<&'a Inst>,
    succs: Vec<Vec<usize>>,
    /// Whether the numbers of our scheduler hold, and not floors.
    strict: bool,
}

/// An access under way.
struct Begun {
    at: usize,
    class: Class,
    register: (RegClass, u32),
    write: bool,
    variable: bool,
    /// Whether the guard is read, which happens whatever it says.
    guard: bool,
}

/// Scoreboards that stand for the access, each with the cycles since it was raised, up to the set-up time, and how many raised it after what
/// stood for the access first.
type Boards = Vec<(u8, u8, u8)>;

impl<'a> Code<'a> {
    /// A program whose words all decode, with its own ways.
    #[allow(dead_code, reason = "one of the tests has programs")]
    pub fn of_program(program: &'a Program) -> Option<Code<'a>> {
        let insts = program.insts.iter().map(Option::as_ref).collect::<Option<Vec<_>>>()?;
        Some(Code { chip: program.chip, insts, succs: program.succs.clone(), strict: program.strict })
    }

    /// A scheduled function.
    #[allow(dead_code, reason = "one of the tests has functions")]
    pub fn of_function(f: &'a Function) -> Code<'a> {
        let mut starts = HashMap::new();
        let mut count = 0;
        for &block in &f.layout {
            starts.insert(block, count);
            count += f.blocks[block].insts.len();
        }
        let all: Vec<_> = f.insts().map(|(_, _, inst)| inst).collect();
        let insts: Vec<&Inst> = all.iter().map(|inst| inst.inst().expect("scheduled")).collect();
        let succs = all.iter().zip(&insts).enumerate().map(|(at, (inst, real))| {
            let kind = real.row().control_flow;
            let jump = (kind == Some(ControlFlowKind::Branch)).then_some(inst.target).flatten();
            let ends =
                matches!(kind, Some(ControlFlowKind::Branch | ControlFlowKind::Exit | ControlFlowKind::Trap));
            let decided = real
                .operands()
                .any(|o| matches!(o.class, RegClass::P | RegClass::UP) && o.access == Access::Read);
            let mut to: Vec<usize> = jump.map(|block| starts[&block]).into_iter().collect();
            if !ends || decided {
                to.push(at + 1);
            }
            to.retain(|&to| to < count);
            to
        });
        let succs = succs.collect();
        Code { chip: f.chip, insts, succs, strict: true }
    }

    fn instruction(&self, at: usize, order: Order) -> Option<String> {
        let inst = self.insts[at];
        let row = inst.row();
        let late = inst.pipe().variable(self.chip)
            || matches!(row.scoreboard, Scoreboard::Read | Scoreboard::ReadWrite);
        inst.operands().find_map(|operand| {
            (0..u32::from(operand.units)).find_map(|unit| {
                let class = inst.class(&operand, unit);
                let write = operand.access == Access::Write;
                // Guards and uniform registers are read at issue.
                let slow =
                    late && operand.field.is_some() && !matches!(operand.class, RegClass::UR | RegClass::UP);
                let slow = slow
                    && (operand.class != RegClass::P || predicates_read_late(self.chip, inst.row().pipe));
                let barrier = operand.class == RegClass::B;
                let variable = !barrier && if write { class.variable(self.chip) } else { slow };
                let register = (operand.class, operand.number + unit);
                let guard = operand.field.is_none();
                self.search(&Begun { at, class, register, write, variable, guard }, order)
            })
        })
    }

    /// Goes every way on from an access.
    fn search(&self, begun: &Begun, order: Order) -> Option<String> {
        let first = self.insts[begun.at];
        let mut boards = Boards::new();
        raise(&mut boards, first, begun.write);
        if begun.write && begun.register.0 == RegClass::P && predicate_with_sources(first.row().mnemonic) {
            raise(&mut boards, first, false);
        }
        let stall = first.control.stall.max(1);
        boards.iter_mut().for_each(|b| b.1 = stall.min(SCOREBOARD_SETUP));
        let kept = |under: Option<Guard>, inst: &Inst| under.filter(|&guard| !writes_guard(inst, guard));
        let under = kept(Some(first.guard).filter(|guard| guard.pred != 7 && !begun.guard), first);
        let mut work: Vec<(usize, u8, Boards, Option<Guard>)> =
            self.succs[begun.at].iter().map(|&to| (to, stall, boards.clone(), under)).collect();
        let mut seen = HashSet::new();
        while let Some((at, age, mut boards, under)) = work.pop() {
            if !seen.insert((at, age, boards.clone(), under)) {
                continue;
            }
            let inst = self.insts[at];
            let waits = |b: &(u8, u8, u8)| inst.control.wait_mask >> b.0 & 1 == 1 && b.1 >= SCOREBOARD_SETUP;
            let read =
                !begun.write && self.insts[begun.at].row().pipe == Class::Memory && holds_until_read(inst);
            let drained = drains(inst).is_some_and(|board| boards.iter().any(|b| b.0 == board));
            let counted = |b: &(u8, u8, u8)| left(inst, b.0).is_some_and(|left| left > 0 && b.2 >= left);
            let named = |b: &(u8, u8, u8)| listed(inst) >> b.0 & 1 == 1;
            let over = drained || boards.iter().any(|b| waits(b) || counted(b) || named(b));
            if over || (begun.variable && read) {
                continue;
            }
            let mut gone = false;
            for operand in inst.operands() {
                for unit in 0..u32::from(operand.units) {
                    if (operand.class, operand.number + unit) != begun.register {
                        continue;
                    }
                    let other = operand.field.is_some()
                        && under.is_some_and(|guard| complements(guard, inst.guard, operand.class));
                    if !other && self.clash(begun, age, inst, &operand, unit, order) {
                        let place = |at: usize| {
                            let text = sassafras_isa::print(self.insts[at], &sassafras_isa::Style::default());
                            format!("{at} `{text}`")
                        };
                        return Some(format!(
                            "{} then {}: {}{} after {age}",
                            place(begun.at),
                            place(at),
                            begun.register.0.prefix(),
                            begun.register.1
                        ));
                    }
                    gone |= operand.access == Access::Write && inst.guard.is_always();
                }
            }
            let held = inst.control.stall == 0 && inst.row().mnemonic == "ERRBAR";
            let stall = if held { 2 } else { inst.control.stall.max(1) };
            let far = settled(self.chip, begun.class).filter(|_| boards.is_empty());
            let age = match far {
                Some(cycles) => age.saturating_add(stall).min(cycles),
                None if begun.variable => 0,
                None => age.saturating_add(stall).min(LONGEST),
            };
            if begun.variable && far == Some(age) {
                continue;
            }
            if gone || (!begun.variable && age >= LONGEST) {
                continue;
            }
            boards.iter_mut().for_each(|b| b.1 = b.1.saturating_add(stall).min(SCOREBOARD_SETUP));
            if begun.variable && self.stands_for(begun, inst, order) {
                // By its result alone, where only that comes later.
                raise(&mut boards, inst, begun.write || !self.reads_behind(begun, inst, order));
            }
            boards.iter_mut().for_each(|b| {
                if [inst.control.write_barrier, inst.control.read_barrier].contains(&b.0) {
                    b.1 = stall.min(SCOREBOARD_SETUP);
                }
            });
            boards.sort_unstable();
            boards.dedup();
            let under = kept(under, inst);
            work.extend(self.succs[at].iter().map(|&to| (to, age, boards.clone(), under)));
        }
        None
    }

    /// Whether the scoreboards of a later instruction tell that the access is over: what has its result has read its sources.
    fn stands_for(&self, begun: &Begun, later: &Inst, order: Order) -> bool {
        let first = self.insts[begun.at].row();
        let behind = order.results && results_in_order(first.mnemonic, later.row().mnemonic);
        behind || (!begun.write && self.reads_behind(begun, later, order))
    }

    /// Whether a later instruction reads its sources after the one whose access it is.
    fn reads_behind(&self, begun: &Begun, later: &Inst, order: Order) -> bool {
        let (first, later) = (self.insts[begun.at].row(), later.row());
        order.sources && sources_in_order((first.pipe, first.mnemonic), (later.pipe, later.mnemonic))
    }

    /// Whether an access comes too early after the one under way.
    fn clash(&self, begun: &Begun, age: u8, inst: &Inst, operand: &Operand, unit: u32, order: Order) -> bool {
        let write = operand.access == Access::Write;
        let hazard = match (begun.write, write) {
            (false, false) => return false,
            (true, false) => Hazard::Raw,
            (true, true) => Hazard::Waw,
            (false, true) => Hazard::War,
        };
        if begun.variable {
            return !(write && self.stands_for(begun, inst, order));
        }
        if hazard == Hazard::War && operand.class == RegClass::P && age < barrier_predicate(self.chip) {
            let first = self.insts[begun.at];
            let read = |o: Operand| o.field.is_some() && (o.class, o.number) == begun.register;
            if first.row().mnemonic == "BAR" && first.operands().any(read) {
                return true;
            }
        }
        let guard = operand.field.is_none() && hazard == Hazard::Raw;
        let operand_kind = match operand.class {
            RegClass::R => OperandKind::Register,
            RegClass::P if guard => OperandKind::Guard,
            RegClass::P => OperandKind::Predicate,
            RegClass::UR => OperandKind::Uniform,
            RegClass::UP if guard => OperandKind::UniformGuard,
            RegClass::UP => OperandKind::UniformPredicate,
            RegClass::B => OperandKind::Convergence,
        };
        let kind = Kind { hazard, operand: operand_kind };
        let number = if self.strict { latency } else { least };
        number(self.chip, begun.class, inst.class(operand, unit), kind).is_some_and(|need| age < need)
    }
}

/// Adds an instruction's own scoreboards.
fn raise(boards: &mut Boards, inst: &Inst, write: bool) {
    let control = inst.control;
    let own = if write { [control.write_barrier, 7] } else { [control.read_barrier, control.write_barrier] };
    let own = if own[0] == own[1] { [own[0], 7] } else { own };
    for board in own.into_iter().filter(|&board| board < 6) {
        let before = boards.iter().find(|b| b.0 == board).map(|b| b.2);
        boards.retain(|b| b.0 != board);
        boards.push((board, 0, before.map_or(0, |behind| (behind + 1).min(63))));
    }
}

/// Whether an instruction writes the predicate of a guard.
fn writes_guard(inst: &Inst, guard: Guard) -> bool {
    let class = if guard.uniform { RegClass::UP } else { RegClass::P };
    inst.operands().any(|o| {
        let within = (o.number..o.number + u32::from(o.units)).contains(&guard.pred);
        o.access == Access::Write && o.class == class && within
    })
}

/// Whether no thread, or no warp where the registers are a warp's, has both guards.
fn complements(first: Guard, second: Guard, class: RegClass) -> bool {
    let lanes = matches!(class, RegClass::R | RegClass::P);
    (first.pred, first.uniform, !first.negate) == (second.pred, second.uniform, second.negate)
        && (lanes || first.uniform)
}

/// How many of those that raised a scoreboard a DEPBAR leaves under way.
fn left(inst: &Inst, board: u8) -> Option<u8> {
    let counts = inst.row().meaning == Meaning::Depbar && inst.guard.is_always();
    let own = inst.get("sb").filter(|sb| counts && *sb == u64::from(board));
    own.and_then(|_| inst.get("n")).and_then(|n| u8::try_from(n).ok())
}
