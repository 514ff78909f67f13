//! The text of an instruction, as `nvdisasm -c` writes it.

use crate::float::{self, Format};
use crate::form::{FieldKind, Node, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::parse;
use crate::special;
use sassafras_chip::Chip;
use std::fmt::Write;

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
    /// Read a text as a form of this chip; without it the first form of the table that has the text is taken, and those
    /// of sm_90 stand first.
    pub chip: Option<Chip>,
}

/// The text of one instruction, without a semicolon.
pub fn print(inst: &Inst, style: &Style<'_>) -> String {
    let mut out = String::new();
    if style.control {
        out += &control(inst);
        out.push(' ');
    }
    plain(inst, style, &mut out);
    if style.exact {
        out += &parse::lost(inst, style);
    }
    out
}

/// The text without control bits and additions.
pub(crate) fn plain(inst: &Inst, style: &Style<'_>, out: &mut String) {
    let guard = inst.guard;
    if !guard.is_always() {
        out.push_str(if guard.negate { "@!" } else { "@" });
        register(if guard.uniform { RegClass::UP } else { RegClass::P }, u64::from(guard.pred), out);
        out.push(' ');
    }
    let row = inst.row();
    let alias = row.aliases.iter().find(|(tests, _)| tests.iter().all(|test| inst.test(test)));
    nodes(inst, alias.map_or(&row.syntax, |(_, syntax)| syntax), style, out);
}

fn control(inst: &Inst) -> String {
    let c = inst.control;
    let waits: String =
        (0..6).map(|i| if c.wait_mask >> i & 1 == 1 { char::from(b'0' + i) } else { '-' }).collect();
    let barrier = |b: u8| if b == 7 { "-".to_owned() } else { b.to_string() };
    let yields = if c.yield_ { '-' } else { 'Y' };
    format!("[B{waits}:R{}:W{}:{yields}:S{:02}]", barrier(c.read_barrier), barrier(c.write_barrier), c.stall)
}

/// `R5`, `URZ`, `PT`, `%v3`.
fn register(class: RegClass, number: u64, out: &mut String) {
    let end = match class {
        RegClass::R | RegClass::UR => 'Z',
        _ => 'T',
    };
    // Writing to a string cannot fail.
    let _ = if class == RegClass::UR && number == 255 {
        // Only chips with 8-bit fields have the register 63; see `encode`.
        write!(out, "UR63")
    } else if number >= VIRTUAL {
        write!(out, "%v{}", number - VIRTUAL)
    } else if class.constant() == Some(number) {
        write!(out, "{}{end}", class.prefix())
    } else {
        write!(out, "{}{number}", class.prefix())
    };
}

fn nodes(inst: &Inst, list: &[Node], style: &Style<'_>, out: &mut String) {
    for node in list {
        match node {
            Node::Literal(text) => out.push_str(text),
            Node::Hidden(_) => {}
            Node::When(tests, inside) => {
                if tests.iter().all(|test| inst.test(test)) {
                    nodes(inst, inside, style, out);
                }
            }
            Node::Unsigned(field) => {
                let bits = inst.row().fields[*field].bits.len();
                let _ = write!(out, "{:#x}", inst.fields[*field] & (u64::MAX >> (64 - bits)));
            }
            Node::Texts { field, texts } => {
                let text =
                    usize::try_from(inst.fields[*field]).ok().and_then(|i| texts.get(i)).copied().flatten();
                match text {
                    Some(text) => out.push_str(text),
                    None => {
                        let _ = write!(out, ".?{}", inst.fields[*field]);
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
                value(inst, *field, style, out);
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
    let sign = if value < 0 { "-" } else { "" };
    let _ = write!(out, "{sign}{:#x}", value.unsigned_abs());
}

fn value(inst: &Inst, i: usize, style: &Style<'_>, out: &mut String) {
    let field = &inst.row().fields[i];
    let value = inst.fields[i];
    match field.kind {
        FieldKind::Register { class, .. } => register(class, value, out),
        FieldKind::Signed { .. } => signed(value as i64, out),
        FieldKind::Target { .. } => target(value as i64, style, out),
        FieldKind::Float32 => out.push_str(&float::text(value, Format::Single)),
        FieldKind::Float64High => out.push_str(&float::text(value, Format::DoubleHigh)),
        FieldKind::Float16 => out.push_str(&float::text(value, Format::Half)),
        FieldKind::Bfloat16 => out.push_str(&float::text(value, Format::Bfloat)),
        FieldKind::Half { bfloat } => {
            let format = if inst.fields[bfloat] == 1 { Format::Bfloat } else { Format::Half };
            out.push_str(&float::text(value, format));
        }
        FieldKind::ConstantOffset => {
            let bank = inst.fields[i + 1];
            let _ = write!(out, "c[{bank:#x}][");
            // Offsets from 32 KiB on are shown as negative.
            signed(if value < 0x8000 { value as i64 } else { value as i64 - 0x1_0000 }, out);
            out.push(']');
        }
        FieldKind::Special => out.push_str(&special::name(value)),
        FieldKind::Enum | FieldKind::Flag | FieldKind::Unsigned { .. } | FieldKind::Bank => {
            let _ = write!(out, "{value:#x}");
        }
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
