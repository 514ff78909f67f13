//! Spill code.
//!
//! Does: gives each spilled general register a slot in the frame (each spilled predicate or uniform register a
//! general register), each instruction that reads it a reload in front, each that writes it a spill behind, through a
//! register of its own. Moves name the slot itself. What can be made again ([`super::again`]) is made in front of each reader, and has neither slot nor
//! definition of its own. Does not: place anything.

use super::again::Again;
use super::assign::Spilled;
use super::work::{Item, Loc, Move, Work};
use crate::Error;
use rustc_hash::FxHashMap;
use sassafras_graph::Entity;
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Function, MInst, Place, Pseudo, Reg, RegOperand, VReg};

/// Where a spilled register lives.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// Byte offset of unit 0 in the spill area.
    Slot(u32),
    /// A general register of as many units.
    Register(VReg),
    /// Nowhere: it is made again.
    Again,
}

impl Home {
    fn loc(self, unit: u8) -> Loc {
        match self {
            Home::Slot(offset) => Loc::Slot(offset + 4 * u32::from(unit)),
            Home::Register(vreg) => Loc::Unit(vreg, unit),
            Home::Again => unreachable!("what is made again is no end of a move"),
        }
    }
}

/// See the head of this file.
pub fn spill(f: &mut Function, work: &mut Work, list: &[Spilled], again: &Again) -> Result<(), Error> {
    let kept = list.iter().any(|spilled| !again.has(spilled.vreg));
    work.frame |= kept;
    if kept && work.scratch.is_none() {
        let limit = f.max_registers.min(f.chip.limits().registers_per_thread) as u16;
        work.scratch = Some([limit - 1, limit - 2]);
    }
    let mut slots: FxHashMap<usize, u32> = FxHashMap::default();
    let mut homes: Vec<Option<Home>> = vec![None; f.vregs.len()];
    for spilled in list {
        let data = f.vregs[spilled.vreg];
        homes[spilled.vreg.index()] = Some(match data.class {
            _ if again.has(spilled.vreg) => Home::Again,
            RegClass::R => {
                let slot = *slots.entry(spilled.group).or_insert_with(|| {
                    let bytes = 4 * u32::from(spilled.group_units).next_power_of_two();
                    let slot = f.frame.spill_bytes.next_multiple_of(bytes.min(16));
                    f.frame.spill_bytes = slot + bytes;
                    slot
                });
                Home::Slot(slot + 4 * u32::from(spilled.offset))
            }
            _ => Home::Register(f.add_vreg(RegClass::R, data.units)),
        });
    }
    let home = |vreg: VReg| homes.get(vreg.index()).copied().flatten();
    for at in 0..work.blocks.len() {
        let items = std::mem::take(&mut work.blocks[at]);
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Item::Moves(mut moves) => {
                    let through = |loc: &mut Loc| {
                        if let Loc::Unit(vreg, unit) = *loc
                            && let Some(home) = home(vreg)
                        {
                            *loc = home.loc(unit);
                        }
                    };
                    // What is given up needs no definition.
                    let given_up = |vreg: VReg| matches!(home(vreg), Some(Home::Again));
                    moves.retain(|one| {
                        let gone = matches!(one.dst, Loc::Unit(vreg, _) if given_up(vreg));
                        if let (true, Loc::Unit(part, _)) = (gone, one.src) {
                            work.released.insert(part);
                        }
                        !gone
                    });
                    // Behind the others: it reads nothing that they write.
                    let mut made = Vec::new();
                    moves.retain(|one| match one.src {
                        Loc::Unit(vreg, unit) if given_up(vreg) => {
                            made.push((one.dst, vreg, unit));
                            false
                        }
                        _ => true,
                    });
                    for one in &mut moves {
                        through(&mut one.dst);
                        through(&mut one.src);
                    }
                    moves.retain(|one| one.dst != one.src);
                    if !moves.is_empty() {
                        out.push(Item::Moves(moves));
                    }
                    for (mut dst, vreg, unit) in made {
                        through(&mut dst);
                        make(f, work, again, (dst, vreg, unit), &mut out);
                    }
                }
                Item::Held(mut units) => {
                    units.retain(|&(vreg, _)| home(vreg).is_none());
                    out.push(Item::Held(units));
                }
                Item::Inst(inst) => instruction(f, work, &home, again, inst, &mut out),
            }
        }
        work.blocks[at] = out;
    }
    Ok(())
}

/// Makes a value again for the destination of a move: in it, or in a register of its own.
fn make(
    f: &mut Function,
    work: &mut Work,
    again: &Again,
    (dst, vreg, unit): (Loc, VReg, u8),
    out: &mut Vec<Item>,
) {
    let data = f.vregs[vreg];
    if let Loc::Unit(to, at) = dst
        && f.vregs[to].class == data.class
        && let Some(item) = again.make_unit((vreg, unit), (to, at), 0)
    {
        return out.push(item);
    }
    let tiny = work.tiny(f, data.class, data.units);
    out.extend(again.make(vreg, tiny, 0));
    out.push(Item::Moves(vec![Move { dst, src: Loc::Unit(tiny, unit) }]));
}

fn instruction(
    f: &mut Function,
    work: &mut Work,
    home: &impl Fn(VReg) -> Option<Home>,
    again: &Again,
    mut inst: MInst,
    out: &mut Vec<Item>,
) {
    let given_up = |vreg: VReg| matches!(home(vreg), Some(Home::Again));
    if inst.defs().any(|operand| operand.reg.vreg().is_some_and(given_up)) {
        return;
    }
    // What is made again, whole, whatever parts of it are read.
    let mut made: Vec<(VReg, VReg)> = Vec::new();
    for vreg in inst
        .uses()
        .filter_map(|operand| operand.reg.vreg())
        .filter(|vreg| given_up(*vreg))
        .collect::<Vec<_>>()
    {
        if made.iter().all(|(old, _)| *old != vreg) {
            let data = f.vregs[vreg];
            let new = work.tiny(f, data.class, data.units);
            out.extend(again.make(vreg, new, inst.line));
            made.push((vreg, new));
        }
    }
    inst.map_registers(|operand| match operand.reg {
        Reg::Virtual(vreg, unit) => {
            let new = made.iter().find(|(old, _)| *old == vreg);
            new.map_or(operand.reg, |(_, new)| Reg::Virtual(*new, unit))
        }
        reg => reg,
    });
    // One register per operand named, shared by a tied use and its definition.
    let mut own: Vec<(Reg, u8, VReg)> = Vec::new();
    let mut behind = Vec::new();
    for operand in inst.operands() {
        let Reg::Virtual(vreg, unit) = operand.reg else { continue };
        let Some(home) = home(vreg) else { continue };
        let known = own.iter().find(|(reg, units, _)| (*reg, *units) == (operand.reg, operand.units));
        let (new, fresh) = match known {
            Some(&(_, _, new)) => (new, false),
            None => {
                let new = work.tiny(f, operand.class, operand.units);
                own.push((operand.reg, operand.units, new));
                (new, true)
            }
        };
        match operand.access {
            Access::Read if fresh => out.push(transfer(home, unit, new, &operand, false, inst.line)),
            Access::Read => {}
            Access::Write => behind.push(transfer(home, unit, new, &operand, true, inst.line)),
        }
    }
    inst.map_registers(|operand| {
        let known = own.iter().find(|(reg, units, _)| (*reg, *units) == (operand.reg, operand.units));
        known.map_or(operand.reg, |(_, _, new)| (*new).into())
    });
    // What is undefined needs no store.
    let undefined = matches!(inst.as_pseudo(), Some(Pseudo::Undef { .. })) && !behind.is_empty();
    if !undefined {
        out.push(Item::Inst(inst));
        out.extend(behind);
    }
}

/// A reload of `new`, which stands for an operand of an instruction of this line, or a store of it.
fn transfer(home: Home, unit: u8, new: VReg, operand: &RegOperand, store: bool, line: u32) -> Item {
    let RegOperand { class, units, .. } = *operand;
    match home {
        Home::Slot(slot) => {
            let slot = slot + 4 * u32::from(unit);
            // Three words are read as four: their slot has as many.
            let place = Place::of(new, class, units.next_power_of_two());
            let pseudo =
                if store { Pseudo::Spill { slot, src: place } } else { Pseudo::Reload { dst: place, slot } };
            Item::Inst(MInst::pseudo(pseudo).from_line(line))
        }
        Home::Again => unreachable!("what is made again is not moved"),
        Home::Register(_) => Item::Moves(
            (0..units)
                .map(|offset| {
                    let (there, here) = (home.loc(unit + offset), Loc::Unit(new, offset));
                    if store { Move { dst: there, src: here } } else { Move { dst: here, src: there } }
                })
                .collect(),
        ),
    }
}
