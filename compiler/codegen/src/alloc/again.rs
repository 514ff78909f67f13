//! Definitions that are made again where they are read, instead of being kept in a register or in the frame.
//!
//! Constants, and words of constant memory at a fixed place: kernel parameters, descriptors. Each has one definition, which reads no register and
//! gives the same whenever it runs. So has what is packed of them alone, unit by unit.

use super::work::{Item, Loc, Move, Work};
use rustc_hash::FxHashMap;
use sassafras_isa::{Access, FieldKind, MemorySpace, RegClass};
use sassafras_machine::{Function, MInst, Reg, VReg};

/// How a register is made again.
#[derive(Clone, Debug)]
enum Source {
    /// By one instruction.
    Whole(MInst),
    /// Each unit by itself; none where it is zero.
    Units(Vec<Option<MInst>>),
}

/// The definitions of general registers that can be made again.
#[derive(Clone, Debug, Default)]
pub struct Again(FxHashMap<VReg, Source>);

/// What is known of a register's definitions.
enum Found {
    Inst(MInst),
    /// Where each unit comes from, once it is known.
    Moves(Vec<Option<Loc>>),
    Other,
}

impl Again {
    /// Looks at every definition.
    pub fn new(f: &Function, work: &Work) -> Again {
        let found = definitions(f, work);
        let part = |loc: &Option<Loc>| match loc {
            Some(Loc::Constant(RegClass::R)) => Some(None),
            Some(Loc::Unit(vreg, 0)) if f.vregs[*vreg].units == 1 => match found.get(vreg) {
                Some(Found::Inst(inst)) => Some(Some(inst.clone())),
                _ => None,
            },
            _ => None,
        };
        let source = |(&vreg, found): (&VReg, &Found)| match found {
            Found::Inst(inst) => Some((vreg, Source::Whole(inst.clone()))),
            // A copy of one unit stays one.
            Found::Moves(units) if units.len() > 1 => {
                let units: Option<Vec<Option<MInst>>> = units.iter().map(part).collect();
                Some((vreg, Source::Units(units?)))
            }
            _ => None,
        };
        Again(found.iter().filter_map(source).collect())
    }

    /// Whether a register's value can be made again.
    pub fn has(&self, vreg: VReg) -> bool {
        self.0.contains_key(&vreg)
    }

    /// How many instructions make it.
    pub fn count(&self, vreg: VReg) -> usize {
        match self.0.get(&vreg) {
            Some(Source::Units(units)) => units.len(),
            Some(Source::Whole(_)) => 1,
            None => 0,
        }
    }

    /// The definition of `vreg`, of `new` instead. It belongs to the line that reads it.
    pub fn make(&self, vreg: VReg, new: VReg, line: u32) -> Vec<Item> {
        match self.0.get(&vreg) {
            Some(Source::Whole(inst)) => vec![defining(inst, new.into(), line)],
            Some(Source::Units(units)) => {
                (0..).zip(units).map(|(at, unit)| part(unit.as_ref(), (new, at), line)).collect()
            }
            None => Vec::new(),
        }
    }

    /// One unit of `vreg`, in a unit of a general register; none if it takes more than that.
    pub fn make_unit(&self, (vreg, unit): (VReg, u8), to: (VReg, u8), line: u32) -> Option<Item> {
        match self.0.get(&vreg)? {
            Source::Whole(inst) if inst.defs().all(|def| def.units == 1) => {
                Some(defining(inst, Reg::part(to.0, to.1), line))
            }
            Source::Whole(_) => None,
            Source::Units(units) => Some(part(units.get(usize::from(unit))?.as_ref(), to, line)),
        }
    }
}

fn part(inst: Option<&MInst>, (to, unit): (VReg, u8), line: u32) -> Item {
    match inst {
        Some(inst) => defining(inst, Reg::part(to, unit), line),
        None => Item::Moves(vec![Move { dst: Loc::Unit(to, unit), src: Loc::Constant(RegClass::R) }]),
    }
}

/// The same instruction with another result.
fn defining(inst: &MInst, new: Reg, line: u32) -> Item {
    let mut inst = inst.clone();
    inst.origin = None;
    inst.map_registers(|operand| if operand.access == Access::Write { new } else { operand.reg });
    Item::Inst(inst.from_line(line))
}

/// The definitions of each register.
fn definitions(f: &Function, work: &Work) -> FxHashMap<VReg, Found> {
    let mut found: FxHashMap<VReg, Found> = FxHashMap::default();
    for item in work.blocks.iter().flatten() {
        match item {
            Item::Inst(inst) => {
                for def in inst.defs() {
                    let Some(vreg) = def.reg.vreg() else { continue };
                    let whole = def.reg == Reg::from(vreg) && def.units == f.vregs[vreg].units;
                    let again = whole && f.vregs[vreg].class == RegClass::R && is_constant(inst);
                    let new = || if again { Found::Inst(inst.clone()) } else { Found::Other };
                    found.entry(vreg).and_modify(|known| *known = Found::Other).or_insert_with(new);
                }
            }
            Item::Moves(moves) => {
                for Move { dst, src } in moves {
                    let Loc::Unit(vreg, unit) = *dst else { continue };
                    let data = f.vregs[vreg];
                    let none = || match data.class {
                        RegClass::R => Found::Moves(vec![None; usize::from(data.units)]),
                        _ => Found::Other,
                    };
                    let known = found.entry(vreg).or_insert_with(none);
                    match known {
                        Found::Moves(units) if units[usize::from(unit)].is_none() => {
                            units[usize::from(unit)] = Some(*src);
                        }
                        _ => *known = Found::Other,
                    }
                }
            }
            Item::Held(units) => {
                for &(vreg, _) in units {
                    found.insert(vreg, Found::Other);
                }
            }
        }
    }
    found
}

/// Whether an instruction reads no register and gives the same whenever it runs.
pub fn is_constant(inst: &MInst) -> bool {
    let Some(real) = inst.inst() else { return false };
    let row = real.row();
    let fixed = match row.memory {
        Some(memory) => memory.space == MemorySpace::Constant,
        None => row.id.starts_with("mov."),
    };
    fixed
        && real.guard.is_always()
        && inst.tied.is_empty()
        && inst.target.is_none()
        && inst.defs().count() == 1
        && inst.uses().next().is_none()
        && !row.fields.iter().any(|field| matches!(field.kind, FieldKind::Special { .. }))
}
