//! What an instruction does to registers, as the latency tables count it.

use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_chip::latency::{Class, Hazard, Kind, LONGEST, OperandKind, latency};
use sassafras_isa::{
    Access, Control, ControlFlowKind, Meaning, MemoryKind, MemorySpace, RegClass, Scoreboard,
};
use sassafras_machine::{Function, MInst, Position, Reg, VReg};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;

/// No waits, no scoreboards, the shortest stall.
pub const NEUTRAL: Control =
    Control { stall: 1, yield_: false, write_barrier: 7, read_barrier: 7, wait_mask: 0, reuse: 0 };

/// How many numbers [`id`] gives.
pub const REGISTERS: usize = 256 + 256 + 8 + 8 + 16;

/// Stands among the registers for the completion of fences.
pub const FENCE: usize = REGISTERS;

/// The scoreboard by which DEPBAR waits for groups of bulk copies: where there are any, nothing else raises it.
pub const COUNTED: u8 = 0;

/// A number for each real register of every file.
pub fn id(class: RegClass, number: u16) -> usize {
    let number = usize::from(number);
    match class {
        RegClass::R => number & 255,
        RegClass::UR => 256 + (number & 255),
        RegClass::P => 512 + (number & 7),
        RegClass::UP => 520 + (number & 7),
        RegClass::B => 528 + (number & 15),
    }
}

/// Numbers for the registers of some instructions: of a real one [`id`], of the units of virtual ones the numbers behind.
#[derive(Debug, Default)]
pub struct Names {
    first: FxHashMap<VReg, usize>,
    units: usize,
}

impl Names {
    /// For these instructions.
    pub fn of(f: &Function, insts: &[MInst]) -> Names {
        let mut names = Names::default();
        for vreg in insts.iter().flat_map(|inst| inst.operands()).filter_map(|operand| operand.reg.vreg()) {
            let next = REGISTERS + names.units;
            if let Entry::Vacant(entry) = names.first.entry(vreg) {
                entry.insert(next);
                names.units += usize::from(f.vregs[vreg].units);
            }
        }
        names
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        REGISTERS + self.units
    }

    /// The number of a register; `None` for a virtual one of other instructions.
    pub fn number(&self, class: RegClass, reg: Reg) -> Option<usize> {
        match reg {
            Reg::Physical(number) => Some(id(class, number)),
            Reg::Virtual(vreg, unit) => Some(self.first.get(&vreg)? + usize::from(unit)),
        }
    }
}

/// What the scheduler knows of one instruction.
#[derive(Clone, Debug)]
pub struct Facts {
    pub class: Class,
    /// Register and role.
    pub reads: SmallVec<[(usize, OperandKind); 8]>,
    pub writes: SmallVec<[(usize, OperandKind); 4]>,
    /// Whether results are ready only when a scoreboard says so.
    pub late_results: bool,
    /// Whether [`Self::sources`] may be read after issue.
    pub late_reads: bool,
    /// Whether it must come after every earlier [`Self::fences`] is done: accesses to memory, fences, block barriers.
    pub ordered: bool,
    /// Whether it is a fence that says by a scoreboard when it is done: by its read barrier, as ptxas 13.0.88 uses MEMBAR.
    pub fences: bool,
    /// Whether such a fence says so by its write barrier, as FENCE.VIEW.ASYNC, which has no other.
    pub fences_late: bool,
    /// Whether every distance must have passed: where a routine begins and ends, whose other side is scheduled by itself.
    pub settles: bool,
    /// Whether nothing may be on its way: at calls and returns, and where products of a warpgroup take over registers.
    pub calls: bool,
    /// Whether a wait for its group says when general registers are free, and neither distance nor scoreboard.
    pub grouped: bool,
    /// Whether it ends a group of bulk copies, which [`COUNTED`] counts.
    pub counted: bool,
}

impl Facts {
    /// Of an instruction over real registers.
    pub fn new(chip: Chip, inst: &MInst) -> Facts {
        Facts::named(chip, inst, &Names::default())
    }

    /// Of an instruction whose registers have these names.
    pub fn named(chip: Chip, inst: &MInst, names: &Names) -> Facts {
        let Some(real) = inst.inst() else {
            let mut facts = Facts {
                class: Class::Alu,
                reads: SmallVec::new(),
                writes: SmallVec::new(),
                late_results: false,
                calls: false,
                settles: false,
                grouped: false,
                counted: false,
                late_reads: false,
                ordered: false,
                fences: false,
                fences_late: false,
            };
            facts.name(inst, names, false, false);
            return facts;
        };
        let row = real.row();
        let mut facts = Facts {
            class: row.pipe,
            reads: SmallVec::new(),
            writes: SmallVec::new(),
            late_results: false,
            late_reads: false,
            ordered: row.memory.is_some_and(|memory| memory.space != MemorySpace::Constant)
                || row.control_flow == Some(ControlFlowKind::Block)
                || row.meaning == Meaning::Bulk,
            calls: matches!(row.control_flow, Some(ControlFlowKind::Call | ControlFlowKind::Return))
                || row.meaning == Meaning::GmmaFence,
            settles: row.control_flow == Some(ControlFlowKind::Return)
                || row.control_flow == Some(ControlFlowKind::Call) && !row.id.starts_with("call.abs"),
            grouped: row.meaning == Meaning::Gmma,
            counted: row.mnemonic == "UTMACMDFLUSH",
            fences: row.memory.is_some_and(|memory| memory.kind == MemoryKind::Fence)
                && matches!(row.scoreboard, Scoreboard::Read | Scoreboard::ReadWrite),
            fences_late: false,
        };
        facts.fences_late = facts.fences && !row.control.read_barrier;
        let decides = matches!(row.control_flow, Some(ControlFlowKind::Branch | ControlFlowKind::Exit));
        facts.name(inst, names, decides, row.meaning == Meaning::Vote);
        if crate::emit::called(real).is_some() {
            // Whatever is read late must be read by now, also what no routine changes: of the ways behind a return the judge knows each call's, and some
            // of them overwrite it.
            facts.writes.extend((0..255).map(|number| (id(RegClass::R, number), OperandKind::Register)));
            facts.writes.extend((0..7).map(|number| (id(RegClass::P, number), OperandKind::Predicate)));
        }
        let variable = real.pipe().variable(chip);
        facts.late_results = !facts.writes.is_empty()
            && (variable || matches!(row.scoreboard, Scoreboard::Write | Scoreboard::ReadWrite));
        facts.late_reads = facts.sources().next().is_some()
            && (variable || matches!(row.scoreboard, Scoreboard::Read | Scoreboard::ReadWrite));
        facts
    }

    /// Sets down what is read and written. A branch `decides` by a uniform predicate, and what VOTE votes on is read as late as a guard.
    fn name(&mut self, inst: &MInst, names: &Names, decides: bool, votes: bool) {
        for operand in inst.operands() {
            let Some(first) = names.number(operand.class, operand.reg) else { continue };
            let guard = operand.position == Position::Guard;
            let kind = match operand.class {
                RegClass::R => OperandKind::Register,
                RegClass::UR => OperandKind::Uniform,
                RegClass::P if guard || votes && operand.access == Access::Read => OperandKind::Guard,
                RegClass::P => OperandKind::Predicate,
                RegClass::UP if guard || decides => OperandKind::UniformGuard,
                RegClass::UP => OperandKind::UniformPredicate,
                RegClass::B => OperandKind::Convergence,
            };
            for unit in 0..usize::from(operand.units) {
                match operand.access {
                    Access::Read => self.reads.push((first + unit, kind)),
                    Access::Write => self.writes.push((first + unit, kind)),
                }
            }
        }
    }

    /// Registers that a late reader may still need after issue: all but guards.
    pub fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        let late = |kind: &OperandKind| {
            matches!(kind, OperandKind::Register | OperandKind::Uniform | OperandKind::Predicate)
        };
        self.reads.iter().filter(move |(_, kind)| late(kind)).map(|(register, _)| *register)
    }
}

/// Cycles between two accesses; the longest where the tables do not say.
pub fn distance(chip: Chip, earlier: Class, later: Class, hazard: Hazard, operand: OperandKind) -> u8 {
    latency(chip, earlier, later, Kind { hazard, operand }).unwrap_or(LONGEST)
}

/// Least stall count of an instruction. Source: what ptxas 13.0.88 gives at least on sm_90: 5 behind what transfers control, waits for lanes,
/// leaves a barrier or moves one, 6 behind barriers and fences, 4 behind DEPBAR.
pub fn least_stall(inst: &MInst) -> u8 {
    let Some(row) = inst.inst().map(|real| real.row()) else { return 1 };
    use ControlFlowKind as K;
    match row.control_flow {
        Some(K::Branch | K::IndirectBranch | K::Call | K::Return | K::Exit | K::Trap | K::Sync | K::Warp) => {
            5
        }
        Some(K::Block) => 6,
        Some(K::Break) => 5,
        Some(K::Push) => 1,
        None if row.memory.is_some_and(|memory| memory.kind == MemoryKind::Fence) => 6,
        None if row.meaning == Meaning::GmmaWait => 2,
        None if row.meaning == Meaning::Depbar => 4,
        None if matches!(row.mnemonic, "BMOV" | "NANOSLEEP" | "YIELD") => 5,
        None => 1,
    }
}
