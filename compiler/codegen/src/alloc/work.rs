//! The form that allocation works on: virtual registers with any number of definitions, and parallel moves.

use rustc_hash::FxHashSet;
use sassafras_graph::Entity;
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Function, MInst, Reg, VReg};

/// One end of a move: 32 bits, or a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Loc {
    /// A unit of a virtual register.
    Unit(VReg, u8),
    /// Four bytes of the frame's spill area, by offset.
    Slot(u32),
    /// RZ, URZ, PT or UPT. A source only.
    Constant(RegClass),
}

/// `dst = src`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    pub dst: Loc,
    pub src: Loc,
}

/// One step of a block.
#[derive(Clone, Debug)]
pub enum Item {
    /// All sources are read, then all destinations written.
    Moves(Vec<Move>),
    /// `undef`, `frame`, `spill`, `reload` or an instruction of the hardware. Tied uses name the definition itself.
    Inst(MInst),
    /// These are not free before this place. Nothing is emitted.
    Held(Vec<(VReg, u8)>),
}

/// A function in that form. Blocks are in the order of the layout.
#[derive(Debug)]
pub struct Work {
    pub blocks: Vec<Vec<Item>>,
    /// Registers made by spilling, which must not be spilled; by index, absent is false.
    pub tiny: Vec<bool>,
    /// Whether R1 is the stack pointer.
    pub frame: bool,
    /// Two general registers for moves, once something was spilled.
    pub scratch: Option<[u16; 2]>,
    /// Registers of products of a warpgroup; by index, absent is false.
    pub grouped: Vec<bool>,
    /// What was packed into registers that are made again now: where nothing else reads it, it need not be made.
    pub released: FxHashSet<VReg>,
}

impl Work {
    pub fn is_tiny(&self, vreg: VReg) -> bool {
        self.tiny.get(vreg.index()).copied().unwrap_or(false)
    }

    pub fn is_grouped(&self, vreg: VReg) -> bool {
        self.grouped.get(vreg.index()).copied().unwrap_or(false)
    }

    /// A new register that must not be spilled.
    pub fn tiny(&mut self, f: &mut Function, class: RegClass, units: u8) -> VReg {
        let vreg = f.add_vreg(class, units.next_power_of_two());
        self.tiny.resize(vreg.index() + 1, false);
        self.tiny[vreg.index()] = true;
        vreg
    }
}

impl Item {
    /// Every unit of a virtual register that is read, then every one that is written.
    pub fn units(&self, access: Access, mut each: impl FnMut(VReg, u8)) {
        match self {
            Item::Moves(moves) => {
                for one in moves {
                    let end = if access == Access::Read { one.src } else { one.dst };
                    if let Loc::Unit(vreg, unit) = end {
                        each(vreg, unit);
                    }
                }
            }
            Item::Held(units) => {
                if access == Access::Read {
                    units.iter().for_each(|&(vreg, unit)| each(vreg, unit));
                }
            }
            Item::Inst(inst) => {
                for operand in inst.operands() {
                    if operand.access == access
                        && let Reg::Virtual(vreg, first) = operand.reg
                    {
                        (0..operand.units).for_each(|unit| each(vreg, first + unit));
                    }
                }
            }
        }
    }
}
