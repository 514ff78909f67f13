//! The text of an instruction, as `nvdisasm -c` writes it.

use crate::float::{self, Format};
use crate::form::{Field, FieldKind, Form, Node, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::parse;
use crate::special;
use sassafras_chip::Chip;

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
        /// From a distance to a name.
        name: &'a dyn Fn(i64) -> Option<String>,
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
    if style.control {
        control(inst, out);
        out.push(' ');
    }
    plain(inst, style, out);
    if style.exact {
        out.push_str(&parse::lost(inst, style));
    }
}

/// The text without control bits and additions.
pub(crate) fn plain(inst: &Inst, style: &Style<'_>, out: &mut String) {
    let guard = inst.guard;
    if !guard.is_always() {
        out.push_str(if guard.negate { "@!" } else { "@" });
        register(if guard.uniform { RegClass::UP } else { RegClass::P }, u64::from(guard.pred), out);
        out.push(' ');
    }
    unguarded(inst, style, out);
}

/// The text without the guard.
pub(crate) fn unguarded(inst: &Inst, style: &Style<'_>, out: &mut String) {
    let row = inst.row();
    let alias = row.aliases.iter().find(|(tests, _)| tests.iter().all(|test| inst.test(test)));
    nodes(inst, row, alias.map_or(&row.syntax, |(_, syntax)| syntax), style, out);
}

fn control(inst: &Inst, out: &mut String) {
    let c = inst.control;
    out.push_str("[B");
    for i in 0..6 {
        out.push(if c.wait_mask >> i & 1 == 1 { char::from(b'0' + i) } else { '-' });
    }
    for (name, barrier) in [(":R", c.read_barrier), (":W", c.write_barrier)] {
        out.push_str(name);
        out.push(if barrier == 7 { '-' } else { char::from(b'0'.wrapping_add(barrier)) });
    }
    out.push_str(if c.yield_ { ":-:S" } else { ":Y:S" });
    out.push(char::from(b'0' + c.stall / 10));
    out.push(char::from(b'0' + c.stall % 10));
    out.push(']');
}

/// `0x1f`.
fn hexadecimal(value: u64, out: &mut String) {
    let mut digits = *b"0x0000000000000000";
    let count = (16 - value.leading_zeros() as usize / 4).max(1);
    for (i, digit) in digits[2..2 + count].iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(value >> (4 * (count - 1 - i)) & 15) as usize];
    }
    out.push_str(str::from_utf8(&digits[..2 + count]).unwrap_or_default());
}

/// `31`.
fn decimal(value: u64, out: &mut String) {
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), value);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push_str(str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// `R5`, `URZ`, `PT`, `%v3`.
fn register(class: RegClass, number: u64, out: &mut String) {
    let end = match class {
        RegClass::R | RegClass::UR => 'Z',
        _ => 'T',
    };
    if number >= VIRTUAL {
        out.push_str("%v");
        return decimal(number - VIRTUAL, out);
    }
    out.push_str(class.prefix());
    if class.constant() == Some(number) {
        out.push(end);
    } else if class == RegClass::UR && number == 255 {
        // Only chips with 8-bit fields have the register 63; see `encode`.
        out.push_str("63");
    } else {
        decimal(number, out);
    }
}

fn nodes(inst: &Inst, row: &Form, list: &[Node], style: &Style<'_>, out: &mut String) {
    for node in list {
        match node {
            Node::Literal(text) => out.push_str(text),
            Node::Hidden(_) => {}
            Node::When(tests, inside) => {
                if tests.iter().all(|test| inst.test(test)) {
                    nodes(inst, row, inside, style, out);
                }
            }
            Node::Unsigned(field) => {
                let bits = row.fields[*field].bits.len();
                hexadecimal(inst.fields[*field] & (u64::MAX >> (64 - bits)), out);
            }
            Node::Texts { field, texts } => {
                let text =
                    usize::try_from(inst.fields[*field]).ok().and_then(|i| texts.get(i)).copied().flatten();
                match text {
                    Some(text) => out.push_str(text),
                    None => {
                        out.push_str(".?");
                        decimal(inst.fields[*field], out);
                    }
                }
            }
            Node::Value { field, neg, abs, not, inv, tilde, reuse } => {
                let on = |flag: &Option<usize>| flag.is_some_and(|i| inst.fields[i] != 0);
                if on(not) {
                    out.push('!');
                }
                if on(inv) {
                    out.push('~');
                }
                if on(neg) {
                    out.push(if on(tilde) { '~' } else { '-' });
                }
                if on(abs) {
                    out.push('|');
                }
                value(inst, &row.fields[*field], *field, style, out);
                if on(abs) {
                    out.push('|');
                }
                let control = inst.control;
                if control.yield_ && reuse.is_some_and(|bit| control.reuse >> bit & 1 == 1) {
                    out.push_str(".reuse");
                }
            }
        }
    }
}

fn signed(value: i64, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    hexadecimal(value.unsigned_abs(), out);
}

fn value(inst: &Inst, field: &Field, i: usize, style: &Style<'_>, out: &mut String) {
    let value = inst.fields[i];
    match field.kind {
        FieldKind::Register { class, .. } => register(class, value, out),
        FieldKind::Signed { .. } => signed(value as i64, out),
        FieldKind::Target { .. } => target(value as i64, style, out),
        FieldKind::Float32 => number(value, Format::Single, style, out),
        FieldKind::Float64High => number(value, Format::DoubleHigh, style, out),
        FieldKind::Float16 => number(value, Format::Half, style, out),
        FieldKind::Bfloat16 => number(value, Format::Bfloat, style, out),
        FieldKind::Half { bfloat } => {
            let format = if inst.fields[bfloat] == 1 { Format::Bfloat } else { Format::Half };
            number(value, format, style, out);
        }
        FieldKind::ConstantOffset { spaced } => {
            out.push_str("c[");
            hexadecimal(inst.fields[i + 1], out);
            out.push_str(if spaced { "] [" } else { "][" });
            // Offsets from 32 KiB on are shown as negative.
            signed(if value < 0x8000 { value as i64 } else { value as i64 - 0x1_0000 }, out);
            out.push(']');
        }
        FieldKind::Special => out.push_str(&special::name(value)),
        FieldKind::Enum | FieldKind::Flag | FieldKind::Unsigned { .. } | FieldKind::Bank => {
            hexadecimal(value, out);
        }
    }
}

fn number(bits: u64, format: Format, style: &Style<'_>, out: &mut String) {
    // The most common by far, and not worth formatting.
    if bits == 0 {
        return out.push('0');
    }
    let text = float::text(bits, format);
    out.push_str(&text);
    if style.spaced && (text.ends_with(['F', 'N']) || text == "-0.0") {
        out.push(' ');
    }
}

fn target(distance: i64, style: &Style<'_>, out: &mut String) {
    match style.targets {
        Targets::At(address) => {
            let absolute = address.wrapping_add(16).wrapping_add(distance as u64);
            signed(absolute as i64, out);
        }
        Targets::Named { name, .. } => match name(distance) {
            Some(name) => out.push_str(&name),
            None => target(distance, &Style { targets: Targets::Relative, ..*style }, out),
        },
        Targets::Relative => {
            out.push_str("pc(");
            signed(distance, out);
            out.push(')');
        }
    }
}
