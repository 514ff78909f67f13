//! Definitions that are made again where they are read, instead of being kept in a register or in the frame.
//!
//! Constants, and words of constant memory at a fixed place: kernel parameters, descriptors. Each has one definition, which reads no register and
//! gives the same whenever it runs.

use super::work::{Item, Loc, Work};
use rustc_hash::FxHashMap;
use sassafras_isa::{Access, FieldKind, MemorySpace, RegClass};
use sassafras_machine::{Function, MInst, Reg, VReg};

/// The definitions of general registers that can be made again.
#[derive(Clone, Debug, Default)]
pub struct Again(FxHashMap<VReg, MInst>);

impl Again {
    /// Looks at every definition.
    pub fn new(f: &Function, work: &Work) -> Again {
        let mut found: FxHashMap<VReg, Option<MInst>> = FxHashMap::default();
        for item in work.blocks.iter().flatten() {
            match item {
                Item::Inst(inst) => {
                    for def in inst.defs() {
                        let Some(vreg) = def.reg.vreg() else { continue };
                        let whole = def.reg == Reg::from(vreg) && def.units == f.vregs[vreg].units;
                        let again = whole && f.vregs[vreg].class == RegClass::R && is_constant(inst);
                        found
                            .entry(vreg)
                            .and_modify(|known| *known = None)
                            .or_insert(again.then(|| inst.clone()));
                    }
                }
                Item::Moves(moves) => {
                    for one in moves {
                        if let Loc::Unit(vreg, _) = one.dst {
                            found.insert(vreg, None);
                        }
                    }
                }
                Item::Held(units) => {
                    for &(vreg, _) in units {
                        found.insert(vreg, None);
                    }
                }
            }
        }
        Again(found.into_iter().filter_map(|(vreg, inst)| Some((vreg, inst?))).collect())
    }

    /// Whether a register's value can be made again.
    pub fn has(&self, vreg: VReg) -> bool {
        self.0.contains_key(&vreg)
    }

    /// The definition of `vreg`, of `new` instead. It belongs to the line that reads it.
    pub fn make(&self, vreg: VReg, new: Reg, line: u32) -> Option<MInst> {
        let mut inst = self.0.get(&vreg)?.clone();
        inst.origin = None;
        inst.map_registers(|operand| if operand.access == Access::Write { new } else { operand.reg });
        Some(inst.from_line(line))
    }
}

/// Whether an instruction reads no register and gives the same whenever it runs.
fn is_constant(inst: &MInst) -> bool {
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
