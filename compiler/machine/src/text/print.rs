//! Function to text.

use super::VERSION;
use crate::{Function, MInst, Op, Place, Pseudo, Reg};
use sassafras_isa::{Control, FieldKind, Guard, Inst, RegClass};
use std::fmt::Write;

/// The text of the whole function.
pub fn print(f: &Function) -> String {
    let mut out = String::new();
    write_function(&mut out, f).expect("writing to a string succeeds");
    out
}

/// The text of one instruction, without indentation.
pub fn print_inst(inst: &MInst) -> String {
    let mut out = String::new();
    write_inst(&mut out, inst).expect("writing to a string succeeds");
    out
}

fn write_function(out: &mut String, f: &Function) -> std::fmt::Result {
    writeln!(out, "sassafras machine {VERSION} {} {}", f.phase, f.chip)?;
    writeln!(out, "function \"{}\"", f.name.escape_default())?;
    writeln!(out, "entry {}", f.entry)?;
    write!(out, "layout")?;
    for block in &f.layout {
        write!(out, " {block}")?;
    }
    writeln!(out, "\nframe local {} spill {}", f.frame.local_bytes, f.frame.spill_bytes)?;
    writeln!(out, "shared {}\nparams {}\nregisters {}", f.shared_bytes, f.param_bytes, f.max_registers)?;
    for (vreg, data) in f.vregs.iter() {
        writeln!(out, "{vreg} {} {}", data.class.prefix(), data.units)?;
    }
    for (block, data) in f.blocks.iter() {
        writeln!(out, "{block}({}):", list(&data.params))?;
        for inst in &data.insts {
            out.push_str("  ");
            write_inst(out, inst)?;
            out.push('\n');
        }
        if !data.succs.is_empty() || data.line != 0 {
            let edges: Vec<String> =
                data.succs.iter().map(|edge| format!("{}({})", edge.block, list(&edge.args))).collect();
            write!(out, "  -> {}", edges.join(", "))?;
            if data.line != 0 {
                write!(out, " ; line {}", data.line)?;
            }
            out.push('\n');
        }
    }
    Ok(())
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

fn write_inst(out: &mut String, inst: &MInst) -> std::fmt::Result {
    match &inst.op {
        Op::Inst(real) => write_real(out, real)?,
        Op::Pseudo(pseudo) => write_pseudo(out, pseudo)?,
    }
    if let Some(target) = inst.target {
        write!(out, " ; target {target}")?;
    }
    for tied in &inst.tied {
        let field = inst.inst().map_or("", |real| real.row().fields[tied.field].name);
        let class = inst.inst().map_or(RegClass::R, |real| class_of(&real.row().fields[tied.field].kind));
        write!(out, " ; tied {field} {}", tied.old.display(class))?;
    }
    if inst.uniform {
        out.push_str(" ; uniform");
    }
    if inst.ordered {
        out.push_str(" ; ordered");
    }
    if let Some(origin) = inst.origin {
        write!(out, " ; origin {origin}")?;
    }
    if inst.line != 0 {
        write!(out, " ; line {}", inst.line)?;
    }
    if let Some(real) = inst.inst()
        && real.control != Control::SAFE
    {
        let Control { stall, yield_, write_barrier, read_barrier, wait_mask, reuse } = real.control;
        let yield_ = u8::from(yield_);
        write!(out, " ; control {stall} {yield_} {write_barrier} {read_barrier} {wait_mask:#x} {reuse}")?;
    }
    Ok(())
}

pub(super) fn class_of(kind: &FieldKind) -> RegClass {
    match kind {
        FieldKind::Register { class, .. } => *class,
        _ => RegClass::R,
    }
}

fn write_real(out: &mut String, inst: &Inst) -> std::fmt::Result {
    let Guard { pred, negate, uniform } = inst.guard;
    let class = if uniform { RegClass::UP } else { RegClass::P };
    if !inst.guard.is_always() {
        write!(out, "@{}{} ", if negate { "!" } else { "" }, Reg::from_field(pred.into()).display(class))?;
    }
    write!(out, "{}", inst.form)?;
    for (field, &value) in inst.row().fields.iter().zip(&inst.fields) {
        if value == field.default {
            continue;
        }
        write!(out, " {}=", field.name)?;
        let text = usize::try_from(value).ok().and_then(|index| field.texts.get(index).copied().flatten());
        let unique = |text: &str| field.texts.iter().filter(|other| **other == Some(text)).count() == 1;
        let plain = |text: &str| text.starts_with('.') && !text.contains([' ', ';', '=']);
        match (&field.kind, text) {
            (FieldKind::Register { class, .. }, _) if Reg::from_field(value).to_field() == value => {
                write!(out, "{}", Reg::from_field(value).display(*class))?
            }
            (FieldKind::Enum, Some(text)) if unique(text) && plain(text) => write!(out, "{text}")?,
            _ => write!(out, "{value:#x}")?,
        }
    }
    Ok(())
}

fn place(place: &Place) -> String {
    format!("{}:{}:{}", place.reg.display(place.class), place.class.prefix(), place.units)
}

fn write_pseudo(out: &mut String, pseudo: &Pseudo) -> std::fmt::Result {
    match pseudo {
        Pseudo::Copy { dst, src } => write!(out, "copy {}, {}", place(dst), place(src)),
        Pseudo::ParallelCopy(moves) => {
            let moves: Vec<String> =
                moves.iter().map(|(dst, src)| format!("{}, {}", place(dst), place(src))).collect();
            write!(out, "parallel {}", moves.join(", "))
        }
        Pseudo::Swap { a, b } => write!(out, "swap {}, {}", place(a), place(b)),
        Pseudo::Pack { dst, parts } => {
            write!(out, "pack {dst}, {}", parts.iter().map(place).collect::<Vec<_>>().join(", "))
        }
        Pseudo::Undef { dst } => write!(out, "undef {}", place(dst)),
        Pseudo::FrameAddress { dst, offset } => write!(out, "frame {}, {offset}", place(dst)),
        Pseudo::Spill { slot, src } => write!(out, "spill {slot}, {}", place(src)),
        Pseudo::Call { slot, result, arguments } => {
            let word = if result.is_some() { "syscallto" } else { "syscall" };
            let all: Vec<String> = result.iter().chain(arguments).map(place).collect();
            let comma = if all.is_empty() { "" } else { ", " };
            write!(out, "{word} {slot}{comma}{}", all.join(", "))
        }
        Pseudo::Invoke { routine, result, arguments } => {
            let all: Vec<String> = std::iter::once(result).chain(arguments).map(place).collect();
            write!(out, "invoke {routine}, {}", all.join(", "))
        }
        Pseudo::Enter { routine, arguments } => {
            let all: Vec<String> = arguments.iter().map(place).collect();
            write!(out, "enter {routine}, {}", all.join(", "))
        }
        Pseudo::Leave { routine, result } => write!(out, "leave {routine}, {}", place(result)),
        Pseudo::Reload { dst, slot } => write!(out, "reload {}, {slot}", place(dst)),
    }
}
