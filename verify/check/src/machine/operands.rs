//! Registers as operands: virtual ones of the right kind in SSA, real ones inside their file afterwards.

use crate::report::Report;
use crate::rules::Rule;
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Block, Function, MInst, Op, Phase, Position, Pseudo, Reg, RegOperand, alignment};

/// Where an instruction stands; its text is made for what is objected to.
#[derive(Clone, Copy)]
struct At(Block, usize);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, instruction {}", self.0, self.1)
    }
}

/// Checks every operand of every instruction.
pub(super) fn check(f: &Function, report: &mut Report) {
    for (block, index, inst) in f.insts() {
        let place = At(block, index);
        pseudo(f, inst, place, report);
        tied(f, inst, place, report);
        for operand in inst.operands() {
            match operand.reg {
                Reg::Virtual(..) => virtual_operand(f, &operand, place, report),
                Reg::Physical(number) => physical(f, inst, &operand, number, place, report),
            }
        }
    }
}

fn pseudo(f: &Function, inst: &MInst, place: At, report: &mut Report) {
    let Op::Pseudo(pseudo) = &inst.op else { return };
    let gone = match pseudo {
        Pseudo::ParallelCopy(_) | Pseudo::Pack { .. } => f.phase > Phase::Ssa,
        Pseudo::Call { .. } | Pseudo::Invoke { .. } | Pseudo::Enter { .. } | Pseudo::Leave { .. } => {
            f.phase >= Phase::Placed
        }
        Pseudo::Copy { .. } | Pseudo::Undef { .. } | Pseudo::FrameAddress { .. } => f.phase >= Phase::Placed,
        Pseudo::Swap { .. } | Pseudo::Spill { .. } | Pseudo::Reload { .. } => f.phase != Phase::Allocated,
    };
    if gone {
        report.add(Rule::MachinePseudo, place, format!("{pseudo:?} in phase {}", f.phase));
    }
    if let Pseudo::Copy { dst, src } = pseudo
        && dst.units != src.units
    {
        report.add(Rule::MachineClass, place, format!("{} units are copied to {}", src.units, dst.units));
    }
    if let Pseudo::Spill { slot, src: at } | Pseudo::Reload { dst: at, slot } = pseudo
        && (slot % 4 != 0 || slot + 4 * u32::from(at.units) > f.frame.spill_bytes)
    {
        report.add(Rule::MachineLimit, place, format!("slot {slot} of {} bytes", f.frame.spill_bytes));
    }
    if let Pseudo::FrameAddress { offset, .. } = pseudo
        && *offset > f.frame.local_bytes
    {
        report.add(Rule::MachineLimit, place, format!("address {offset} of {} bytes", f.frame.local_bytes));
    }
}

fn tied(f: &Function, inst: &MInst, place: At, report: &mut Report) {
    for tied in &inst.tied {
        let Some(row) = inst.inst().map(|inst| inst.row()) else {
            report.add(Rule::MachineTied, place, "a pseudo-instruction has an old value");
            continue;
        };
        if row.fields.get(tied.field).is_none_or(|field| !field.write) {
            report.add(Rule::MachineTied, place, format!("field {} is not written", tied.field));
            continue;
        }
        let now = inst.inst().map(|inst| Reg::from_field(inst.fields[tied.field]));
        if f.phase != Phase::Ssa && now != Some(tied.old) {
            report.add(
                Rule::MachineTied,
                place,
                format!("the old value is in {:?}, not in {now:?}", tied.old),
            );
        }
    }
}

fn virtual_operand(f: &Function, operand: &RegOperand, place: At, report: &mut Report) {
    let Reg::Virtual(vreg, unit) = operand.reg else { return };
    if f.phase != Phase::Ssa {
        report.add(Rule::MachineVirtual, place, format!("{vreg} in phase {}", f.phase));
        return;
    }
    let Some(data) = f.vregs.get(vreg) else {
        report.add(Rule::MachineClass, place, format!("{vreg} does not exist"));
        return;
    };
    if data.class != operand.class {
        let what = format!("{vreg} of {:?} where {:?} is wanted", data.class, operand.class);
        report.add(Rule::MachineClass, place, what);
    }
    if unit + operand.units > data.units {
        let what = format!("units {unit} to {} of {vreg}, which has {}", unit + operand.units, data.units);
        report.add(Rule::MachineClass, place, what);
    }
    if operand.access == Access::Write && (unit != 0 || operand.units != data.units) {
        report.add(Rule::MachineSsa, place, format!("{vreg} is written in part"));
    }
}

fn physical(f: &Function, inst: &MInst, operand: &RegOperand, number: u16, place: At, report: &mut Report) {
    let RegOperand { position, class, units, .. } = *operand;
    let end = u32::from(number) + u32::from(units);
    let limit = match class {
        RegClass::R => f.max_registers.min(255),
        RegClass::UR => 63,
        RegClass::P | RegClass::UP => 7,
        RegClass::B => 16,
    };
    if end > limit {
        report.add(Rule::MachineLimit, place, format!("{}{} of {limit}", class.prefix(), end - 1));
    }
    // Copies and spills are cut into single registers later.
    let whole = inst.inst().is_some() && matches!(position, Position::Field(_) | Position::Tied(_));
    if whole && units > 1 && !number.is_multiple_of(u16::from(alignment(units))) {
        let what = format!("{units} registers start at {}{number}", class.prefix());
        report.add(Rule::MachineAlignment, place, what);
    }
}
