//! Stall counts.
//!
//! A forward dataflow problem. Lattice: per register, for each class of instruction that wrote or read it, the least
//! number of cycles since, by minimum; what is longer ago than any distance is forgotten. An instruction's distances
//! are met by the stall count of the one before it. Those of a block's first instruction are met by every instruction
//! from which control comes to the block: `lead` is what they add. Ages at entries only fall and leads only grow.

use super::hazard::{Facts, REGISTERS, distance, least_stall};
use super::order::plain;
use crate::{Error, expand::make};
use sassafras_chip::Chip;
use sassafras_chip::latency::{Class, Hazard, Kind, LONGEST, OperandKind, SCOREBOARD_SETUP, latency};
use sassafras_graph::{BitSet, Entity, SecondaryMap};
use sassafras_machine::{Block, Function, MInst};
use std::collections::BTreeMap;

/// What may be too recent: a register and how it was touched, or a scoreboard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Write(usize, Class),
    Read(usize, Class),
    Raised(u8),
}

/// Cycles since the events that may still matter.
type Ages = BTreeMap<Event, u32>;

/// The longest stall of one instruction.
const MOST: u32 = 15;

/// Cycles behind which nothing that a routine does comes too soon after an instruction of a class: the longest distance to anything in the general
/// files, less the least stall of the call or return in between.
fn settled(chip: Chip, class: Class) -> u8 {
    use Class::{Add, Alu, Control, Dispatch, Double, Fma, FmaWide, Memory, Xu};
    use Hazard::{Raw, War, Waw};
    use OperandKind::{Guard, Predicate, Register};
    let later = [Alu, Add, Fma, FmaWide, Double, Dispatch, Xu, Memory, Control];
    let kinds = [(Raw, Register), (Raw, Predicate), (Raw, Guard), (Waw, Register), (Waw, Predicate)];
    let kinds = kinds.into_iter().chain([(War, Register), (War, Predicate)]);
    let all = kinds.flat_map(|(hazard, operand)| later.map(|later| (later, Kind { hazard, operand })));
    let known = all.filter_map(|(later, kind)| latency(chip, class, later, kind));
    known.max().unwrap_or(LONGEST).saturating_sub(BEHIND)
}

/// The least stall behind a call or a return.
const BEHIND: u8 = 5;

/// Sets stall counts; returns how many NOPs were added.
pub fn set(f: &mut Function) -> Result<usize, Error> {
    let mut entry: SecondaryMap<Block, Option<Ages>> = SecondaryMap::new();
    let mut lead: SecondaryMap<Block, u32> = SecondaryMap::new();
    entry[f.entry] = Some(Ages::new());
    // Per block: cycles behind each instruction, without the leads of what follows.
    let mut gaps: SecondaryMap<Block, Vec<u32>> = SecondaryMap::new();
    let mut stale = BitSet::new(f.blocks.len());
    stale.insert(f.entry.index());
    let mut recent = Recent::new();
    // In order of the layout, each block again alone when the ages at its entry have fallen.
    while !stale.is_empty() {
        for &block in &f.layout {
            if !stale.remove(block.index()) {
                continue;
            }
            let Some(ages) = &entry[block] else { continue };
            recent.start(ages);
            let walk = walk(f.chip, &f.blocks[block].insts, &mut recent);
            lead[block] = lead[block].max(walk.lead);
            for (at, succ) in exits(f, block) {
                let ages = &walk.behind[at];
                let changed = match &mut entry[succ] {
                    Some(known) => meet(known, ages),
                    unknown => {
                        *unknown = Some(ages.clone());
                        true
                    }
                };
                if changed {
                    stale.insert(succ.index());
                }
            }
            gaps[block] = walk.gaps;
        }
    }
    let mut nops = 0;
    for block in f.layout.clone() {
        let mut own = gaps[block].clone();
        for (at, succ) in exits(f, block) {
            let base = gaps[block].get(at).copied().unwrap_or(1);
            own[at] = own[at].max(base + lead[succ]);
        }
        nops += write(f, block, &own)?;
    }
    Ok(nops)
}

/// Instructions behind which control may leave the block, and where to.
fn exits(f: &Function, block: Block) -> Vec<(usize, Block)> {
    let insts = &f.blocks[block].insts;
    let last = insts.len().saturating_sub(1);
    let branch = |to: Block| {
        insts.iter().position(|inst| {
            let jumps = inst
                .inst()
                .is_some_and(|real| real.row().control_flow == Some(sassafras_isa::ControlFlowKind::Branch));
            jumps && inst.target == Some(to)
        })
    };
    let succs = f.blocks[block].succs.iter().map(|edge| edge.block);
    succs.map(|succ| (branch(succ).unwrap_or(last), succ)).collect()
}

fn meet(known: &mut Ages, other: &Ages) -> bool {
    let mut changed = false;
    for (&event, &age) in other {
        let old = known.entry(event).or_insert(u32::MAX);
        changed |= age < *old;
        *old = (*old).min(age);
    }
    changed
}

struct Walk {
    /// Cycles that the first instruction lacks.
    lead: u32,
    gaps: Vec<u32>,
    /// What is recent behind each instruction and its gap.
    behind: Vec<Ages>,
}

fn walk(chip: Chip, insts: &[MInst], recent: &mut Recent) -> Walk {
    let mut walk = Walk { lead: 0, gaps: Vec::new(), behind: Vec::new() };
    for (index, inst) in insts.iter().enumerate() {
        let facts = Facts::new(chip, inst);
        let lacking = recent.lacking(chip, inst, &facts);
        recent.now += lacking;
        match walk.gaps.last_mut() {
            Some(gap) => *gap += lacking,
            None => walk.lead = lacking,
        }
        recent.add(inst, &facts);
        let gap = u32::from(least_stall(inst));
        recent.now += gap;
        walk.gaps.push(gap);
        let leaves = index + 1 == insts.len() || inst.target.is_some();
        walk.behind.push(if leaves { recent.ages() } else { Ages::new() });
    }
    walk
}

/// Events by register, with the time of each.
struct Recent {
    now: u32,
    writes: Vec<Vec<(Class, u32)>>,
    reads: Vec<Vec<(Class, u32)>>,
    raised: [Option<u32>; 8],
    /// Registers with events.
    touched: Vec<usize>,
}

impl Recent {
    fn new() -> Recent {
        Recent {
            now: 0,
            writes: vec![Vec::new(); REGISTERS],
            reads: vec![Vec::new(); REGISTERS],
            raised: [None; 8],
            touched: Vec::new(),
        }
    }

    /// Begins a block. Time starts late enough that ages at the entry are not negative.
    fn start(&mut self, entry: &Ages) {
        for register in self.touched.drain(..) {
            self.writes[register].clear();
            self.reads[register].clear();
        }
        self.raised = [None; 8];
        self.now = u32::from(LONGEST);
        for (&event, &age) in entry {
            let time = self.now - age;
            match event {
                Event::Write(register, class) => {
                    self.writes[register].push((class, time));
                    self.touched.push(register);
                }
                Event::Read(register, class) => {
                    self.reads[register].push((class, time));
                    self.touched.push(register);
                }
                Event::Raised(board) => self.raised[usize::from(board)] = Some(time),
            }
        }
    }

    /// Cycles that must still pass before the instruction may issue.
    fn lacking(&self, chip: Chip, inst: &MInst, facts: &Facts) -> u32 {
        let mut until = self.now;
        let mut need = |time: u32, cycles: u8| until = until.max(time + u32::from(cycles));
        for &(register, kind) in &facts.reads {
            for &(class, time) in &self.writes[register] {
                need(time, distance(chip, class, facts.class, Hazard::Raw, kind));
            }
        }
        for &(register, kind) in facts.writes.iter().filter(|_| !facts.settles) {
            let kind: OperandKind = plain(kind);
            for &(class, time) in &self.writes[register] {
                need(time, distance(chip, class, facts.class, Hazard::Waw, kind));
            }
            for &(class, time) in &self.reads[register] {
                need(time, distance(chip, class, facts.class, Hazard::War, kind));
            }
        }
        if facts.settles {
            for register in self.touched.iter().copied() {
                self.writes[register].iter().for_each(|&(class, time)| need(time, settled(chip, class)));
                self.reads[register].iter().for_each(|&(class, time)| need(time, settled(chip, class)));
            }
        }
        let mask = inst.inst().map_or(0, |real| real.control.wait_mask);
        for board in (0..6).filter(|board| mask >> board & 1 == 1) {
            if let Some(time) = self.raised[board] {
                need(time, SCOREBOARD_SETUP);
            }
        }
        until - self.now
    }

    fn add(&mut self, inst: &MInst, facts: &Facts) {
        // What a routine did is long over behind its return.
        if facts.settles {
            return;
        }
        let put = |list: &mut Vec<(Class, u32)>| {
            list.retain(|&(class, time)| class != facts.class && time + u32::from(LONGEST) > self.now);
            list.push((facts.class, self.now));
        };
        let counted = |(_, kind): &&(usize, OperandKind)| !facts.grouped || *kind != OperandKind::Register;
        let both = facts.reads.iter().chain(&facts.writes).filter(counted);
        self.touched.extend(both.map(|(register, _)| *register));
        facts.reads.iter().filter(counted).for_each(|(register, _)| put(&mut self.reads[*register]));
        facts.writes.iter().filter(counted).for_each(|(register, _)| put(&mut self.writes[*register]));
        if let Some(real) = inst.inst() {
            for board in [real.control.write_barrier, real.control.read_barrier] {
                if let Some(raised) = self.raised.get_mut(usize::from(board)) {
                    *raised = Some(self.now);
                }
            }
        }
    }

    fn ages(&mut self) -> Ages {
        self.touched.sort_unstable();
        self.touched.dedup();
        let young = |time: u32| Some(self.now - time).filter(|&age| age < u32::from(LONGEST));
        let mut ages = Ages::new();
        for &register in &self.touched {
            for &(class, time) in &self.writes[register] {
                ages.extend(young(time).map(|age| (Event::Write(register, class), age)));
            }
            for &(class, time) in &self.reads[register] {
                ages.extend(young(time).map(|age| (Event::Read(register, class), age)));
            }
        }
        for board in 0..6u8 {
            let age = self.raised[usize::from(board)].and_then(young);
            ages.extend(age.map(|age| (Event::Raised(board), age)));
        }
        ages
    }
}

/// Writes the gaps as stall counts. Where one is too long, NOPs take the rest: in front of an instruction that sends
/// control away, else behind.
fn write(f: &mut Function, block: Block, gaps: &[u32]) -> Result<usize, Error> {
    let insts = std::mem::take(&mut f.blocks[block].insts);
    let mut out: Vec<MInst> = Vec::with_capacity(insts.len());
    let mut nops = 0;
    for (mut inst, &gap) in insts.into_iter().zip(gaps) {
        let own = gap.min(MOST);
        let mut rest = gap - own;
        let mut filler = Vec::new();
        while rest > 0 {
            let mut nop = make(f.chip, "nop", &[])?;
            nop.control = super::hazard::NEUTRAL;
            nop.control.stall = rest.min(MOST) as u8;
            rest -= u32::from(nop.control.stall);
            filler.push(MInst::new(nop));
        }
        nops += filler.len();
        if let Some(real) = inst.inst_mut() {
            real.control.stall = own as u8;
        }
        if inst.transfers_control() {
            out.append(&mut filler);
            out.push(inst);
        } else {
            out.push(inst);
            out.append(&mut filler);
        }
    }
    f.blocks[block].insts = out;
    Ok(nops)
}
