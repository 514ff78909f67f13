//! The text of an instruction, as `nvdisasm -c` writes it.
//!
//! The nodes of a form's text are made into flat [`Steps`] once, and a word is printed by going through them, into a [`Line`].

mod line;
mod lines;
mod steps;

use crate::float::{self, Format};
use crate::form::{FieldKind, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::{parse, special, table};
use line::Line;
use sassafras_chip::Chip;
use steps::Step;

pub use lines::Lines;

pub(crate) use steps::Steps;

/// How branch targets are written and read.
#[derive(Clone, Copy, Default)]
pub enum Targets<'a> {
    /// As the distance from the next instruction: `pc(0x40)`.
    #[default]
    Relative,
    /// As the absolute address, for an instruction at this byte address; as nvdisasm does for raw words.
    At(u64),
    /// By names for distances in bytes from the next instruction; what has no name is written as
    /// [`Targets::Relative`].
    Named {
        /// Puts the name of a distance behind the text; false where there is none.
        name: &'a dyn Fn(i64, &mut String) -> bool,
        /// From a name to a distance.
        find: &'a dyn Fn(&str) -> Option<i64>,
    },
}

/// What the text shows and how.
#[derive(Clone, Copy, Default)]
pub struct Style<'a> {
    /// Branch targets.
    pub targets: Targets<'a>,
    /// Put the control bits before the instruction, as in `[B0-----:R-:W1:-:S04]`: wait mask, read barrier, write
    /// barrier, `Y` where bit 109 is 0, stall.
    pub control: bool,
    /// Add what the plain text loses, as in `{q1=3}`: fields that are not shown, payloads of NaNs, the form where
    /// another has the same text. With it and `control`, `parse(print(i)) == i`.
    pub exact: bool,
    /// Put a space after an infinity, a NaN and a negative zero, as nvdisasm does in a listing.
    pub spaced: bool,
    /// Read a text as a form of this chip; without it the first form of the table that has the text is taken, and those
    /// of sm_90 stand first.
    pub chip: Option<Chip>,
}

/// The text of one instruction, without a semicolon.
pub fn print(inst: &Inst, style: &Style<'_>) -> String {
    let mut out = String::with_capacity(64);
    print_to(inst, style, &mut out);
    out
}

/// As [`print()`], behind what `out` holds already.
pub fn print_to(inst: &Inst, style: &Style<'_>, out: &mut String) {
    let mut line = Line::new(out);
    if style.control {
        control(inst, &mut line);
    }
    guard(inst, &mut line);
    unguarded(inst, style, &mut line);
    line.flush();
    if style.exact {
        out.push_str(&parse::lost(inst, style));
    }
}

/// As [`print_to`] without control bits and additions, on a line of nvdisasm's: behind the address, of four digits or more, and with the guard
/// at the right of its column, which is 19 wide.
pub(crate) fn print_line(inst: &Inst, address: u64, style: &Style<'_>, out: &mut String) {
    let mut line = Line::new(out);
    line.address(address);
    let g = inst.guard;
    let width = if g.is_always() { 0 } else { 4 + usize::from(g.negate) + usize::from(g.uniform) };
    line.blanks(19 - width);
    guard(inst, &mut line);
    unguarded(inst, style, &mut line);
    line.flush();
}

/// The text without control bits and additions.
pub(crate) fn plain(inst: &Inst, style: &Style<'_>, out: &mut String) {
    let mut line = Line::new(out);
    guard(inst, &mut line);
    unguarded(inst, style, &mut line);
    line.flush();
}

fn guard(inst: &Inst, line: &mut Line<'_>) {
    let guard = inst.guard;
    if !guard.is_always() {
        line.byte(b'@');
        if guard.negate {
            line.byte(b'!');
        }
        register(if guard.uniform { RegClass::UP } else { RegClass::P }, u64::from(guard.pred), line);
        line.byte(b' ');
    }
}

/// The text without the guard.
fn unguarded(inst: &Inst, style: &Style<'_>, line: &mut Line<'_>) {
    let plan = table::plan(inst.form);
    let values = &inst.fields[..];
    let off = plan.off(values);
    let mut aliases = plan.aliases.iter();
    let alias = aliases.find(|(checks, _)| checks.iter().all(|check| check.holds(values, off)));
    let Steps { steps, pieces, checks } = alias.map_or(&plan.text, |(_, steps)| steps);
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        at += 1;
        match *step {
            Step::Text { first, count } => {
                let first = usize::from(first);
                pieces[first..first + usize::from(count)]
                    .iter()
                    .flatten()
                    .for_each(|piece| line.piece(piece));
            }
            Step::Enum { field, first, count } => {
                let value = values[usize::from(field)];
                let known =
                    if value < u64::from(count) { pieces[usize::from(first) + value as usize] } else { None };
                match &known {
                    Some(piece) => line.piece(piece),
                    None => {
                        line.text(".?");
                        line.decimal(value);
                    }
                }
            }
            Step::Unless { check, to } => {
                if !checks[usize::from(check)].holds(values, off) {
                    at = usize::from(to);
                }
            }
            Step::Register { class, field } => register(class, values[usize::from(field)], line),
            Step::Next { class, field } => register(class, next(class, values[usize::from(field)]), line),
            Step::Value { field } => value(inst, usize::from(field), style, line),
            Step::Unsigned { field } => {
                let field = usize::from(field);
                line.hexadecimal(values[field] & (u64::MAX >> (64 - plan.fields[field].width)));
            }
            Step::Flag { field, byte } => {
                if values[usize::from(field)] != 0 {
                    line.byte(byte);
                }
            }
            Step::Minus { neg, tilde } => {
                if values[usize::from(neg)] != 0 {
                    line.byte(if values[usize::from(tilde)] != 0 { b'~' } else { b'-' });
                }
            }
            Step::Reuse { bit } => {
                if inst.control.yield_ && inst.control.reuse >> bit & 1 == 1 {
                    line.text(".reuse");
                }
            }
        }
    }
}

fn control(inst: &Inst, line: &mut Line<'_>) {
    let c = inst.control;
    line.text("[B");
    for i in 0..6 {
        line.byte(if c.wait_mask >> i & 1 == 1 { b'0' + i } else { b'-' });
    }
    for (name, barrier) in [(":R", c.read_barrier), (":W", c.write_barrier)] {
        line.text(name);
        line.byte(if barrier == 7 { b'-' } else { b'0' + (barrier & 7) });
    }
    line.text(if c.yield_ { ":-:S" } else { ":Y:S" });
    line.byte(b'0' + c.stall / 10 % 10);
    line.byte(b'0' + c.stall % 10);
    line.text("] ");
}

/// `R5`, `URZ`, `PT`, `%v3`.
#[inline]
fn register(class: RegClass, number: u64, line: &mut Line<'_>) {
    match u8::try_from(number) {
        Ok(number) => line.register(class, number),
        Err(_) if number >= VIRTUAL => {
            line.text("%v");
            line.decimal(number - VIRTUAL);
        }
        Err(_) => {
            line.text(class.prefix());
            line.decimal(number);
        }
    }
}

/// The number of the register behind this one; behind the last and behind the constant stands the constant.
pub(crate) fn next(class: RegClass, number: u64) -> u64 {
    let constant = class.constant().unwrap_or(u64::MAX);
    // Where uniform registers are wide, 255 stands for the register 63; see `encode`.
    match (class, number) {
        _ if number == constant => constant,
        (RegClass::UR, 62) => 255,
        (RegClass::UR, 255) => 64,
        (RegClass::UR, 254) => constant,
        _ => number + 1,
    }
}

fn signed(value: i64, line: &mut Line<'_>) {
    if value < 0 {
        line.byte(b'-');
    }
    line.hexadecimal(value.unsigned_abs());
}

fn value(inst: &Inst, i: usize, style: &Style<'_>, line: &mut Line<'_>) {
    let value = inst.fields[i];
    match inst.row().fields[i].kind {
        FieldKind::Register { class, .. } => register(class, value, line),
        FieldKind::Signed { .. } => signed(value as i64, line),
        FieldKind::Target { .. } => target(value as i64, style, line),
        FieldKind::Float32 => number(value, Format::Single, style, line),
        FieldKind::Float64High => number(value, Format::DoubleHigh, style, line),
        FieldKind::Float16 => number(value, Format::Half, style, line),
        FieldKind::Bfloat16 => number(value, Format::Bfloat, style, line),
        FieldKind::Half { bfloat } => {
            let format = if inst.fields[bfloat] == 1 { Format::Bfloat } else { Format::Half };
            number(value, format, style, line);
        }
        FieldKind::ConstantOffset { spaced } => {
            line.text("c[");
            line.hexadecimal(inst.fields[i + 1]);
            line.text(if spaced { "] [" } else { "][" });
            // Offsets from 32 KiB on are shown as negative.
            signed(if value < 0x8000 { value as i64 } else { value as i64 - 0x1_0000 }, line);
            line.byte(b']');
        }
        FieldKind::Special { since } => line.text(&special::name_on(value, since)),
        FieldKind::Set => {
            line.byte(b'{');
            for (i, bit) in (0..64).rev().filter(|bit| value >> bit & 1 == 1).enumerate() {
                if i > 0 {
                    line.byte(b',');
                }
                line.decimal(bit);
            }
            line.byte(b'}');
        }
        FieldKind::Enum | FieldKind::Flag | FieldKind::Unsigned { .. } | FieldKind::Bank => {
            line.hexadecimal(value);
        }
    }
}

fn number(bits: u64, format: Format, style: &Style<'_>, line: &mut Line<'_>) {
    // The most common by far, and not worth formatting.
    if bits == 0 {
        return line.byte(b'0');
    }
    let mut buffer = [0; float::QUICK];
    if let Some(length) = float::quick(bits, format, &mut buffer) {
        return line.text(str::from_utf8(&buffer[..length]).unwrap_or_default());
    }
    let text = float::text(bits, format);
    line.text(&text);
    if style.spaced && (text.ends_with(['F', 'N']) || text == "-0.0") {
        line.byte(b' ');
    }
}

fn target(distance: i64, style: &Style<'_>, line: &mut Line<'_>) {
    match style.targets {
        Targets::At(address) => {
            let absolute = address.wrapping_add(16).wrapping_add(distance as u64);
            signed(absolute as i64, line);
        }
        Targets::Named { name, .. } if name(distance, line.flush()) => {}
        Targets::Named { .. } | Targets::Relative => {
            line.text("pc(");
            signed(distance, line);
            line.byte(b')');
        }
    }
}
