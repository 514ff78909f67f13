//! Instructions of machine code.

use crate::{Block, Reg, VReg};
use sassafras_isa::{Inst, RegClass};
use smallvec::SmallVec;

/// One instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MInst {
    /// What it is.
    pub op: Op,
    /// Where a branch or BSSY goes. The field in the word is set at emission.
    pub target: Option<Block>,
    /// Old values of guarded definitions.
    pub tied: SmallVec<[Tied; 1]>,
    /// For a conditional branch: the lanes of a warp that reach it together all go the same way.
    pub uniform: bool,
    /// For a `WARPSYNC`: nothing has brought all lanes of the warp together since they may have gone their own way, so that those that it is for
    /// may wait anywhere before it.
    pub scattered: bool,
    /// An access to memory that is not weak: it keeps its order against every other one. Words of shared memory have no mark for that.
    pub ordered: bool,
    /// Name of the instruction across allocation and later stages: the judges compare two forms of one function by it.
    /// Set by allocation to a number unique in the function; what a later stage adds has none.
    pub origin: Option<u32>,
    /// 1-based line of the PTX source that it comes from; 0 if none.
    pub line: u32,
}

/// An instruction of the hardware, or one that is expanded before scheduling.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Of the hardware; register fields as [`Reg::to_field`] says.
    Inst(Inst),
    /// Of the compiler.
    Pseudo(Pseudo),
}

/// The old value of a definition that its guard may skip: lanes where the guard is false keep it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tied {
    /// Index, in the form's fields, of the definition.
    pub field: usize,
    /// The old value, of as many units. After allocation it is the register of the definition itself.
    pub old: Reg,
}

/// Registers, as operand of a pseudo-instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file.
    pub class: RegClass,
    /// The first register.
    pub reg: Reg,
    /// How many.
    pub units: u8,
}

impl Place {
    /// All units of a virtual register.
    pub fn of(vreg: VReg, class: RegClass, units: u8) -> Place {
        Place { class, reg: vreg.into(), units }
    }
}

impl Reg {
    /// This register as `units` units of `class`, for a pseudo-instruction.
    pub fn place(self, class: RegClass, units: u8) -> Place {
        Place { class, reg: self, units }
    }
}

/// Instructions of the compiler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pseudo {
    /// `dst = src`, of as many units. The classes may differ: a predicate in a general register is 1 or 0, and a
    /// general register that is not zero is a true predicate; a general register that goes to a uniform one must be
    /// the same in all lanes. The source may be the constant of its class.
    Copy {
        /// Written.
        dst: Place,
        /// Read.
        src: Place,
    },
    /// All sources are read, then all destinations, which do not overlap, are written. From allocation to
    /// sequencing only.
    ParallelCopy(Vec<(Place, Place)>),
    /// The two exchange their values. Of one class; after allocation only.
    Swap {
        /// Read and written.
        a: Place,
        /// Read and written.
        b: Place,
    },
    /// `dst` is made of the parts, low units first; their units add up to those of `dst`.
    Pack {
        /// Written.
        dst: VReg,
        /// Read.
        parts: SmallVec<[Place; 4]>,
    },
    /// `dst` has any value, not the same for every reader.
    Undef {
        /// Written.
        dst: Place,
    },
    /// `dst` is the 32-bit local address `offset` bytes above the frame's start (the stack pointer R1).
    FrameAddress {
        /// Written: one unit of R.
        dst: Place,
        /// In bytes, within [`crate::Frame::local_bytes`].
        offset: u32,
    },
    /// A call of the function whose address lies `slot` bytes into constant bank 4 (`sassafras_chip::abi`). It clobbers what a callee
    /// does not keep, and may touch all memory.
    Call {
        /// In bytes, a multiple of 8.
        slot: u32,
        /// Written, if the function has a result; of class R.
        result: Option<Place>,
        /// Read, each of class R, in the order of the parameters.
        arguments: Vec<Place>,
    },
    /// A call of the compiler's own routine of this number (`sassafras_chip::abi::routine`): it clobbers what the convention says, and
    /// touches no memory.
    Invoke {
        /// Its number.
        routine: u8,
        /// Written; of class R.
        result: Place,
        /// Read, each of class R.
        arguments: Vec<Place>,
    },
    /// The begin of the routine of this number: its arguments.
    Enter {
        /// Its number.
        routine: u8,
        /// Written, each of class R.
        arguments: Vec<Place>,
    },
    /// The end of the routine of this number, in front of the EXIT that becomes its return.
    Leave {
        /// Its number.
        routine: u8,
        /// Read; of class R.
        result: Place,
    },
    /// The slot holds the value of `src`. After allocation only.
    Spill {
        /// Byte offset in the frame's spill area, a multiple of 4.
        slot: u32,
        /// Read; of class R.
        src: Place,
    },
    /// `dst` is what the slot holds. After allocation only.
    Reload {
        /// Written; of class R.
        dst: Place,
        /// Byte offset in the frame's spill area, a multiple of 4.
        slot: u32,
    },
}

impl MInst {
    /// An instruction of the hardware.
    pub fn new(inst: Inst) -> MInst {
        MInst::of(Op::Inst(inst))
    }

    /// An instruction of the compiler.
    pub fn pseudo(pseudo: Pseudo) -> MInst {
        MInst::of(Op::Pseudo(pseudo))
    }

    fn of(op: Op) -> MInst {
        MInst {
            op,
            target: None,
            tied: SmallVec::new(),
            uniform: false,
            scattered: false,
            ordered: false,
            origin: None,
            line: 0,
        }
    }

    /// The same, from this line of the PTX source.
    pub fn from_line(self, line: u32) -> MInst {
        MInst { line, ..self }
    }

    /// The hardware's instruction, if it is one.
    pub fn inst(&self) -> Option<&Inst> {
        match &self.op {
            Op::Inst(inst) => Some(inst),
            Op::Pseudo(_) => None,
        }
    }

    /// The hardware's instruction, if it is one.
    pub fn inst_mut(&mut self) -> Option<&mut Inst> {
        match &mut self.op {
            Op::Inst(inst) => Some(inst),
            Op::Pseudo(_) => None,
        }
    }

    /// Whether it is this pseudo-instruction or none.
    pub fn as_pseudo(&self) -> Option<&Pseudo> {
        match &self.op {
            Op::Inst(_) => None,
            Op::Pseudo(pseudo) => Some(pseudo),
        }
    }

    /// Whether it may send control elsewhere than to the next instruction: branches, calls, returns, `exit`, traps.
    /// Waiting instructions (BSYNC, WARPSYNC, BAR) fall through.
    pub fn transfers_control(&self) -> bool {
        use sassafras_isa::ControlFlowKind as K;
        let kind = self.inst().and_then(|inst| inst.row().control_flow);
        matches!(kind, Some(K::Branch | K::IndirectBranch | K::Call | K::Return | K::Exit | K::Trap))
    }
}
