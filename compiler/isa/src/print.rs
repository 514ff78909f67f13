//! The text of an instruction, as `nvdisasm -c` writes it.
//!
//! The nodes of a form's text are made into flat [`Steps`] once, and a word is printed by going through them, into a [`Sink`]. What is
//! no word's is printed from the nodes themselves.

mod line;
mod lines;
mod nodes;
mod steps;
mod text;

use crate::control::{Control, Guard};
use crate::decode::{self, Head};
use crate::float::{self, Format};
use crate::form::{FieldKind, Form, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::plan::{Check, Plan};
use crate::{parse, special, table};
use line::{Line, PIECE, Sink};
use sassafras_chip::Chip;
use steps::Step;

pub use lines::Lines;
pub use text::Text;

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
    whole(inst, style, &mut line);
    line.flush();
}

/// The text of an instruction, with all that the style asks for.
fn whole(inst: &Inst, style: &Style<'_>, sink: &mut impl Sink) {
    if style.control {
        control(inst, sink);
    }
    instruction(inst, style, sink);
    if style.exact {
        sink.text(&parse::lost(inst, style));
    }
}

/// The text without control bits and additions.
pub(crate) fn plain(inst: &Inst, style: &Style<'_>, out: &mut String) {
    let mut line = Line::new(out);
    instruction(inst, style, &mut line);
    line.flush();
}

fn instruction(inst: &Inst, style: &Style<'_>, line: &mut impl Sink) {
    let plan = table::plan(inst.form);
    let values = &inst.fields[..];
    guard(inst.guard, line);
    let shown = Shown { values, off: plan.off(values), reuse: reuse(inst.control), style };
    unguarded(inst.row(), plan, &shown, line);
}

/// The text of a decoded word without control bits and additions, with the guard at the right of its column, which is 19 wide.
#[inline]
pub(crate) fn columns(word: u128, head: Head, values: &[u64], style: &Style<'_>, text: &mut Text) {
    let g = decode::guard(word, head.row);
    // A uniform guard stands behind the column.
    let width = if g.is_always() || g.uniform { 0 } else { 4 + usize::from(g.negate) };
    *text.room() = [b' '; line::STEP];
    text.advance(19 - width);
    guard(g, text);
    let shown = Shown { values, off: head.off, reuse: reuse(decode::control(word)), style };
    unguarded(head.row, head.plan, &shown, text);
}

/// The operands that the text calls reused, a bit for each.
fn reuse(control: Control) -> u8 {
    if control.yield_ { control.reuse } else { 0 }
}

fn guard(guard: Guard, sink: &mut impl Sink) {
    if !guard.is_always() {
        sink.byte(b'@');
        if guard.negate {
            sink.byte(b'!');
        }
        register(if guard.uniform { RegClass::UP } else { RegClass::P }, u64::from(guard.pred), sink);
        sink.byte(b' ');
    }
}

/// What of an instruction its text depends on, but for the guard.
struct Shown<'a> {
    values: &'a [u64],
    /// As [`Plan::off`].
    off: u64,
    /// As [`reuse`].
    reuse: u8,
    style: &'a Style<'a>,
}

/// The text without the guard.
#[inline]
fn unguarded(row: &Form, plan: &Plan, shown: &Shown<'_>, sink: &mut impl Sink) {
    let mut aliases = plan.aliases.iter();
    let holds = |checks: &[_]| checks.iter().all(|check: &Check| check.holds(shown.values, shown.off));
    let alias = aliases.position(|(checks, _)| holds(checks));
    let mark = sink.mark();
    let steps = alias.map_or(&plan.text, |at| &plan.aliases[at].1);
    if !walk(row, plan, steps, shown, sink) {
        sink.rewind(mark);
        let syntax = alias.map_or(&row.syntax, |at| &row.aliases[at].1);
        nodes::nodes(row, &plan.fields, syntax, shown, sink);
    }
}

/// Goes through the steps; false where there is a value that no word has.
#[inline]
fn walk(row: &Form, plan: &Plan, steps: &Steps, shown: &Shown<'_>, sink: &mut impl Sink) -> bool {
    let Steps { steps, pieces, checks } = steps;
    let value_of = |field: u8| shown.values[usize::from(field)];
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        at += 1;
        match *step {
            Step::Text { piece } => sink.piece(&pieces[usize::from(piece)]),
            Step::Pick { field, first, last } => {
                let piece = &pieces[usize::from(first) + value_of(field).min(u64::from(last)) as usize];
                if piece.len() > PIECE {
                    return false;
                }
                sink.piece(piece);
            }
            Step::Reuse { bit, first } => {
                sink.piece(&pieces[usize::from(first) + usize::from(shown.reuse >> bit & 1)]);
            }
            Step::Minus { neg, tilde, first } => {
                let which = if value_of(neg) == 0 { 0 } else { 1 + usize::from(value_of(tilde) != 0) };
                sink.piece(&pieces[usize::from(first) + which]);
            }
            Step::Unless { check, to } => {
                if !checks[usize::from(check)].holds(shown.values, shown.off) {
                    at = usize::from(to);
                }
            }
            Step::Register { class, field, comma } => match u8::try_from(value_of(field)) {
                Ok(number) => sink.register(class, number, comma),
                Err(_) => return false,
            },
            Step::Next { class, field } => register(class, next(class, value_of(field)), sink),
            Step::Signed { field } => signed(value_of(field) as i64, sink),
            Step::Constant { field, spaced } => constant(field.into(), spaced, shown, sink),
            Step::Value { field } => value(row, field.into(), shown, sink),
            Step::Unsigned { field } => {
                sink.hexadecimal(
                    value_of(field) & (u64::MAX >> (64 - plan.fields[usize::from(field)].width)),
                );
            }
        }
    }
    true
}

fn control(inst: &Inst, line: &mut impl Sink) {
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
fn register(class: RegClass, number: u64, sink: &mut impl Sink) {
    match u8::try_from(number) {
        Ok(number) => sink.register(class, number, false),
        Err(_) if number >= VIRTUAL => {
            sink.text("%v");
            sink.decimal(number - VIRTUAL);
        }
        Err(_) => {
            sink.text(class.prefix());
            sink.decimal(number);
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

fn signed(value: i64, sink: &mut impl Sink) {
    if value < 0 {
        sink.byte(b'-');
    }
    sink.hexadecimal(value.unsigned_abs());
}

fn constant(i: usize, spaced: bool, shown: &Shown<'_>, sink: &mut impl Sink) {
    let (value, bank) = (shown.values[i], shown.values[i + 1]);
    sink.text("c[");
    sink.hexadecimal(bank);
    sink.text(if spaced { "] [" } else { "][" });
    // Offsets from 32 KiB on are shown as negative.
    signed(if value < 0x8000 { value as i64 } else { value as i64 - 0x1_0000 }, sink);
    sink.byte(b']');
}

fn value(row: &Form, i: usize, shown: &Shown<'_>, sink: &mut impl Sink) {
    let (value, style) = (shown.values[i], shown.style);
    match row.fields[i].kind {
        FieldKind::Register { class, .. } => register(class, value, sink),
        FieldKind::Signed { .. } => signed(value as i64, sink),
        FieldKind::Target { .. } => target(value as i64, style, sink),
        FieldKind::Float32 => number(value, Format::Single, style, sink),
        FieldKind::Float64High => number(value, Format::DoubleHigh, style, sink),
        FieldKind::Float16 => number(value, Format::Half, style, sink),
        FieldKind::Bfloat16 => number(value, Format::Bfloat, style, sink),
        FieldKind::Half { bfloat } => {
            let format = if shown.values[bfloat] == 1 { Format::Bfloat } else { Format::Half };
            number(value, format, style, sink);
        }
        FieldKind::ConstantOffset { spaced } => constant(i, spaced, shown, sink),
        FieldKind::Special { since } => sink.text(&special::name_on(value, since)),
        FieldKind::Set => {
            sink.byte(b'{');
            for (i, bit) in (0..64).rev().filter(|bit| value >> bit & 1 == 1).enumerate() {
                if i > 0 {
                    sink.byte(b',');
                }
                sink.decimal(bit);
            }
            sink.byte(b'}');
        }
        FieldKind::Enum | FieldKind::Flag | FieldKind::Unsigned { .. } | FieldKind::Bank => {
            sink.hexadecimal(value);
        }
    }
}

fn number(bits: u64, format: Format, style: &Style<'_>, sink: &mut impl Sink) {
    // The most common by far, and not worth formatting.
    if bits == 0 {
        return sink.byte(b'0');
    }
    let mut buffer = [0; float::QUICK];
    if let Some(length) = float::quick(bits, format, &mut buffer) {
        return sink.text(str::from_utf8(&buffer[..length]).unwrap_or_default());
    }
    let text = float::text(bits, format);
    sink.text(&text);
    if style.spaced && (text.ends_with(['F', 'N']) || text == "-0.0") {
        sink.byte(b' ');
    }
}

fn target(distance: i64, style: &Style<'_>, sink: &mut impl Sink) {
    match style.targets {
        Targets::At(address) => {
            let absolute = address.wrapping_add(16).wrapping_add(distance as u64);
            signed(absolute as i64, sink);
        }
        Targets::Named { name, .. } => {
            let mut text = String::new();
            if name(distance, &mut text) { sink.text(&text) } else { relative(distance, sink) }
        }
        Targets::Relative => relative(distance, sink),
    }
}

fn relative(distance: i64, sink: &mut impl Sink) {
    sink.text("pc(");
    signed(distance, sink);
    sink.byte(b')');
}
