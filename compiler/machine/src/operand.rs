//! The registers that an instruction reads and writes, pseudo-instructions and tied uses included.

use crate::{MInst, Op, Place, Pseudo, Reg};
use sassafras_isa::{Access, FieldKind, RegClass};
use smallvec::{SmallVec, smallvec};

/// Where in an instruction an operand stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Position {
    /// The guard.
    Guard,
    /// The form's field of this index.
    Field(usize),
    /// The old value of the definition in the form's field of this index.
    Tied(usize),
    /// The n-th place of a pseudo-instruction, in the order of its text.
    Pseudo(usize),
}

/// One operand. RZ, URZ, PT and UPT are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegOperand {
    /// Where it stands.
    pub position: Position,
    /// The file.
    pub class: RegClass,
    /// The first register.
    pub reg: Reg,
    /// How many.
    pub units: u8,
    /// Read or written. What is both comes twice, the read first.
    pub access: Access,
}

impl Pseudo {
    /// The places in a fixed order, each with how it is accessed: writes after reads but in [`Pseudo::ParallelCopy`],
    /// where each destination precedes its source.
    pub fn places(&self) -> SmallVec<[(Place, Access); 4]> {
        use Access::{Read, Write};
        match self {
            Pseudo::Copy { dst, src } => smallvec![(*src, Read), (*dst, Write)],
            Pseudo::ParallelCopy(moves) => {
                moves.iter().flat_map(|(dst, src)| [(*dst, Write), (*src, Read)]).collect()
            }
            Pseudo::Swap { a, b } => smallvec![(*a, Read), (*b, Read), (*a, Write), (*b, Write)],
            Pseudo::Pack { dst, parts } => {
                let units = parts.iter().map(|part| part.units).sum();
                let class = parts.first().map_or(RegClass::R, |part| part.class);
                let reads = parts.iter().map(|part| (*part, Read));
                reads.chain([(Place::of(*dst, class, units), Write)]).collect()
            }
            Pseudo::Undef { dst } | Pseudo::FrameAddress { dst, .. } | Pseudo::Reload { dst, .. } => {
                smallvec![(*dst, Write)]
            }
            Pseudo::Spill { src, .. } => smallvec![(*src, Read)],
            Pseudo::Invoke { result, arguments, .. } => {
                arguments.iter().map(|a| (*a, Read)).chain([(*result, Write)]).collect()
            }
            Pseudo::Enter { arguments, .. } => arguments.iter().map(|a| (*a, Write)).collect(),
            Pseudo::Leave { result, .. } => smallvec![(*result, Read)],
            Pseudo::Call { result, arguments, .. } => {
                arguments.iter().map(|a| (*a, Read)).chain(result.iter().map(|r| (*r, Write))).collect()
            }
        }
    }

    /// Puts other registers in the places, counted as in [`Self::places`].
    pub fn map_places(&mut self, mut change: impl FnMut(usize, Place, Access) -> Reg) {
        use Access::{Read, Write};
        match self {
            Pseudo::Copy { dst, src } => {
                src.reg = change(0, *src, Read);
                dst.reg = change(1, *dst, Write);
            }
            Pseudo::ParallelCopy(moves) => {
                for (index, (dst, src)) in moves.iter_mut().enumerate() {
                    dst.reg = change(2 * index, *dst, Write);
                    src.reg = change(2 * index + 1, *src, Read);
                }
            }
            Pseudo::Swap { a, b } => {
                a.reg = change(0, *a, Read);
                b.reg = change(1, *b, Read);
            }
            Pseudo::Pack { parts, .. } => {
                for (index, part) in parts.iter_mut().enumerate() {
                    part.reg = change(index, *part, Read);
                }
            }
            Pseudo::Undef { dst } | Pseudo::FrameAddress { dst, .. } | Pseudo::Reload { dst, .. } => {
                dst.reg = change(0, *dst, Write);
            }
            Pseudo::Spill { src, .. } => src.reg = change(0, *src, Read),
            Pseudo::Invoke { result, arguments, .. } => {
                let count = arguments.len();
                for (index, argument) in arguments.iter_mut().enumerate() {
                    argument.reg = change(index, *argument, Read);
                }
                result.reg = change(count, *result, Write);
            }
            Pseudo::Enter { arguments, .. } => {
                for (index, argument) in arguments.iter_mut().enumerate() {
                    argument.reg = change(index, *argument, Write);
                }
            }
            Pseudo::Leave { result, .. } => result.reg = change(0, *result, Read),
            Pseudo::Call { result, arguments, .. } => {
                let count = arguments.len();
                for (index, argument) in arguments.iter_mut().enumerate() {
                    argument.reg = change(index, *argument, Read);
                }
                if let Some(result) = result {
                    result.reg = change(count, *result, Write);
                }
            }
        }
    }
}

impl MInst {
    /// Every register operand: guard, tied uses, then fields in order.
    pub fn operands(&self) -> SmallVec<[RegOperand; 8]> {
        match &self.op {
            Op::Pseudo(pseudo) => {
                let places = pseudo.places().into_iter().enumerate();
                let live = places.filter(|(_, (place, _))| !place.reg.is_constant(place.class));
                live.map(|(index, (place, access))| RegOperand {
                    position: Position::Pseudo(index),
                    class: place.class,
                    reg: place.reg,
                    units: place.units,
                    access,
                })
                .collect()
            }
            Op::Inst(inst) => {
                let mut operands: SmallVec<[RegOperand; 8]> = SmallVec::new();
                for tied in &self.tied {
                    let FieldKind::Register { class, .. } = inst.row().fields[tied.field].kind else {
                        continue;
                    };
                    if tied.old.is_constant(class) {
                        continue;
                    }
                    let (position, units) = (Position::Tied(tied.field), inst.units(tied.field));
                    operands.push(RegOperand { position, class, reg: tied.old, units, access: Access::Read });
                }
                for operand in inst.operands() {
                    operands.push(RegOperand {
                        position: operand.field.map_or(Position::Guard, Position::Field),
                        class: operand.class,
                        reg: Reg::from_field(u64::from(operand.number)),
                        units: operand.units,
                        access: operand.access,
                    });
                }
                operands
            }
        }
    }

    /// What is read.
    pub fn uses(&self) -> impl Iterator<Item = RegOperand> + use<> {
        self.operands().into_iter().filter(|operand| operand.access == Access::Read)
    }

    /// What is written.
    pub fn defs(&self) -> impl Iterator<Item = RegOperand> + use<> {
        self.operands().into_iter().filter(|operand| operand.access == Access::Write)
    }

    /// Puts other registers in the operands. A place that is read and written is asked for once per access and must
    /// get the same answer. The destination of a [`Pseudo::Pack`] stays.
    pub fn map_registers(&mut self, mut change: impl FnMut(&RegOperand) -> Reg) {
        let operands = self.operands();
        match &mut self.op {
            Op::Pseudo(pseudo) => pseudo.map_places(|index, place, access| {
                if place.reg.is_constant(place.class) {
                    return place.reg;
                }
                let Place { class, reg, units } = place;
                change(&RegOperand { position: Position::Pseudo(index), class, reg, units, access })
            }),
            Op::Inst(inst) => {
                for operand in &operands {
                    let reg = change(operand);
                    match operand.position {
                        Position::Guard => inst.guard.pred = reg.to_field() as u32,
                        Position::Field(field) => inst.fields[field] = reg.to_field(),
                        Position::Tied(field) => {
                            let tied = self.tied.iter_mut().filter(|tied| tied.field == field);
                            tied.for_each(|tied| tied.old = reg);
                        }
                        Position::Pseudo(_) => {}
                    }
                }
            }
        }
    }
}
