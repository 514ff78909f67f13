//! Function to text.

use super::version::VERSION;
use crate::{Function, MInst, Op, Place, Pseudo, Reg, VReg};
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
        write!(out, "{block}(")?;
        list(out, &data.params)?;
        out.push_str("):\n");
        for inst in &data.insts {
            out.push_str("  ");
            write_inst(out, inst)?;
            out.push('\n');
        }
        if !data.succs.is_empty() || data.line != 0 {
            out.push_str("  -> ");
            for (n, edge) in data.succs.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                write!(out, "{}(", edge.block)?;
                list(out, &edge.args)?;
                out.push(')');
            }
            if data.line != 0 {
                write!(out, " ; line {}", data.line)?;
            }
            out.push('\n');
        }
    }
    Ok(())
}

fn list(out: &mut String, items: &[VReg]) -> std::fmt::Result {
    for (n, item) in items.iter().enumerate() {
        out.push_str(if n == 0 { "" } else { ", " });
        write!(out, "{item}")?;
    }
    Ok(())
}

/// A number in decimal digits.
fn decimal(out: &mut String, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    digits[at..].iter().for_each(|&digit| out.push(char::from(digit)));
}

/// A number in hexadecimal digits behind `0x`.
fn hexadecimal(out: &mut String, value: u64) {
    out.push_str("0x");
    let digits = (64 - (value | 1).leading_zeros()).div_ceil(4);
    for digit in (0..digits).rev() {
        out.push(char::from(b"0123456789abcdef"[(value >> (4 * digit) & 15) as usize]));
    }
}

/// As [`Reg::display`] has it, without the machinery of formats: a function has many.
fn register(out: &mut String, reg: Reg, class: RegClass) {
    match reg {
        Reg::Virtual(vreg, unit) => {
            out.push('v');
            decimal(out, u64::from(vreg.0));
            if unit != 0 {
                out.push('.');
                decimal(out, unit.into());
            }
        }
        Reg::Physical(number) => {
            out.push_str(class.prefix());
            decimal(out, number.into());
        }
    }
}

fn write_inst(out: &mut String, inst: &MInst) -> std::fmt::Result {
    match &inst.op {
        Op::Inst(real) => write_real(out, real)?,
        Op::Pseudo(pseudo) => write_pseudo(out, pseudo)?,
    }
    if let Some(target) = inst.target {
        out.push_str(" ; target ");
        write!(out, "{target}")?;
    }
    for tied in &inst.tied {
        let field = inst.inst().map_or("", |real| real.row().fields[tied.field].name);
        let class = inst.inst().map_or(RegClass::R, |real| class_of(&real.row().fields[tied.field].kind));
        write!(out, " ; tied {field} {}", tied.old.display(class))?;
    }
    if inst.uniform {
        out.push_str(" ; uniform");
    }
    if inst.scattered {
        out.push_str(" ; scattered");
    }
    if inst.ordered {
        out.push_str(" ; ordered");
    }
    if let Some(origin) = inst.origin {
        out.push_str(" ; origin ");
        decimal(out, origin.into());
    }
    if inst.line != 0 {
        out.push_str(" ; line ");
        decimal(out, inst.line.into());
    }
    if let Some(real) = inst.inst()
        && real.control != Control::SAFE
    {
        let Control { stall, yield_, write_barrier, read_barrier, wait_mask, reuse } = real.control;
        let yield_ = u8::from(yield_);
        out.push_str(" ; control");
        for number in [stall, yield_, write_barrier, read_barrier] {
            out.push(' ');
            decimal(out, number.into());
        }
        out.push(' ');
        hexadecimal(out, wait_mask.into());
        out.push(' ');
        decimal(out, reuse.into());
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
        out.push_str(if negate { "@!" } else { "@" });
        register(out, Reg::from_field(pred.into()), class);
        out.push(' ');
    }
    out.push_str(inst.row().id);
    for (field, &value) in inst.row().fields.iter().zip(&inst.fields) {
        if value == field.default {
            continue;
        }
        out.push(' ');
        out.push_str(field.name);
        out.push('=');
        match field.kind {
            FieldKind::Register { class, .. } if Reg::from_field(value).to_field() == value => {
                register(out, Reg::from_field(value), class);
                continue;
            }
            FieldKind::Enum => {}
            _ => {
                hexadecimal(out, value);
                continue;
            }
        }
        let text = usize::try_from(value).ok().and_then(|index| field.texts.get(index).copied().flatten());
        let unique = |text: &str| field.texts.iter().filter(|other| **other == Some(text)).count() == 1;
        let plain = |text: &str| text.starts_with('.') && !text.contains([' ', ';', '=']);
        match text.filter(|text| plain(text) && unique(text)) {
            Some(text) => out.push_str(text),
            None => hexadecimal(out, value),
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
