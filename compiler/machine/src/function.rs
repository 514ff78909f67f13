//! Functions and blocks.

use crate::{Block, MInst, Place, RegClass, VReg};
use sassafras_chip::Chip;
use sassafras_graph::PrimaryMap;
use std::fmt;

/// How far a function has come. Each phase promises what its line says, beside what [the crate](crate) says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Virtual registers, each defined once, before its uses.
    Ssa,
    /// Real registers only. No block parameters and no edge arguments. Pseudo-instructions of the kinds copy, swap,
    /// undef, frame address, spill and reload.
    Allocated,
    /// No pseudo-instruction. Convergence barriers stand, blocks are in their order, branches are explicit.
    Placed,
    /// Instructions stand in their final order with their control bits.
    Scheduled,
}

impl Phase {
    /// Every phase with its name in the text, in order.
    pub const NAMES: [(Phase, &'static str); 4] = [
        (Phase::Ssa, "ssa"),
        (Phase::Allocated, "allocated"),
        (Phase::Placed, "placed"),
        (Phase::Scheduled, "scheduled"),
    ];
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Phase::NAMES.iter().find(|(phase, _)| phase == self).map_or("?", |(_, name)| name);
        f.write_str(name)
    }
}

/// A virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VRegData {
    /// The file.
    pub class: RegClass,
    /// 32-bit units, [`Reg::MAX_UNITS`](crate::Reg::MAX_UNITS) at most. More than one only in R and UR; the real register is then a multiple of
    /// [`alignment`] of the number.
    pub units: u8,
}

/// What the number of the first of so many registers is a multiple of. Sources: operands of 2, 4 and 8 registers, NAK; accumulators of a warpgroup's
/// product, where ptxas 13.0.88 puts several side by side (`R24`, `R36`, `R48` of 12 registers; `R24`, `R32`, `R40` of 6).
pub const fn alignment(units: u8) -> u8 {
    match units {
        0 | 1 => 1,
        2 => 2,
        3 | 4 => 4,
        5..=8 => 8,
        _ => 4,
    }
}

/// A way out of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it goes.
    pub block: Block,
    /// One per parameter of the block.
    pub args: Vec<VReg>,
}

impl Edge {
    /// An edge without arguments.
    pub fn to(block: Block) -> Edge {
        Edge { block, args: Vec::new() }
    }
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockData {
    /// Written by the edges that enter.
    pub params: Vec<VReg>,
    /// The instructions.
    pub insts: Vec<MInst>,
    /// The ways out; see [the crate](crate).
    pub succs: Vec<Edge>,
    /// 1-based line of the PTX source of the branch or jump that leads out; 0 if none.
    pub line: u32,
}

/// The thread's local memory, from the stack pointer upwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Bytes for the program's own variables, from offset 0.
    pub local_bytes: u32,
    /// Bytes for spilled registers, behind the variables.
    pub spill_bytes: u32,
}

impl Frame {
    /// Alignment of the frame and of its two parts, in bytes: that of the widest access.
    pub const ALIGN: u32 = 16;

    /// Offset of the spill area from the stack pointer, in bytes.
    pub const fn spill_offset(self) -> u32 {
        self.local_bytes.next_multiple_of(Self::ALIGN)
    }

    /// All bytes.
    pub const fn size(self) -> u32 {
        self.spill_offset() + self.spill_bytes.next_multiple_of(Self::ALIGN)
    }
}

/// A function of machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// The chip it is for.
    pub chip: Chip,
    /// How far it has come.
    pub phase: Phase,
    /// The blocks.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// The blocks that count, in order; the entry is first. What is not listed is dead.
    pub layout: Vec<Block>,
    /// Where it starts.
    pub entry: Block,
    /// The virtual registers. They stay when allocation has replaced them.
    pub vregs: PrimaryMap<VReg, VRegData>,
    /// Local memory.
    pub frame: Frame,
    /// Bytes of static shared memory, without what the system reserves.
    pub shared_bytes: u32,
    /// Bytes of kernel parameters.
    pub param_bytes: u32,
    /// How many general registers may be used: R0 up to this, excluded. What the hardware keeps of a kernel's count
    /// (two registers) comes on top.
    pub max_registers: u32,
    /// Where registers of the source lie.
    pub held: Holdings,
}

/// Where registers of the source lie at the begin of blocks, for those who look for the source in the code. Nothing depends on it, no text has it, and
/// functions that differ in it alone are equal.
#[derive(Clone, Debug, Default)]
pub struct Holdings(pub Vec<Held>);

impl PartialEq for Holdings {
    fn eq(&self, _: &Holdings) -> bool {
        true
    }
}

impl Eq for Holdings {}

/// A register of the source that lies in a register where a block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The block.
    pub block: Block,
    /// 1-based line of its first instruction in the source; 0 if none is known.
    pub line: u32,
    /// The register's number in the source's function.
    pub register: u32,
    /// Where it lies.
    pub place: Place,
}

impl Function {
    /// A function of one empty block.
    pub fn new(name: impl Into<String>, chip: Chip) -> Function {
        let mut blocks = PrimaryMap::new();
        let entry = blocks.push(BlockData::default());
        Function {
            name: name.into(),
            chip,
            phase: Phase::Ssa,
            blocks,
            layout: vec![entry],
            entry,
            vregs: PrimaryMap::new(),
            frame: Frame::default(),
            shared_bytes: 0,
            param_bytes: 0,
            max_registers: chip.limits().registers_per_thread - chip.limits().reserved_registers,
            held: Holdings::default(),
        }
    }

    /// Adds a block at the end of the layout.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }

    /// Adds a virtual register.
    pub fn add_vreg(&mut self, class: RegClass, units: u8) -> VReg {
        self.vregs.push(VRegData { class, units })
    }

    /// All units of a virtual register as operand of a pseudo-instruction.
    pub fn place(&self, vreg: VReg) -> crate::Place {
        let VRegData { class, units } = self.vregs[vreg];
        crate::Place::of(vreg, class, units)
    }

    /// Instructions of all blocks in the layout.
    pub fn insts(&self) -> impl Iterator<Item = (Block, usize, &MInst)> {
        let blocks = self.layout.iter().copied();
        blocks
            .flat_map(|b| self.blocks[b].insts.iter().enumerate().map(move |(index, inst)| (b, index, inst)))
    }
}
