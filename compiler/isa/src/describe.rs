//! A form in words, for people.

use crate::form::{FieldKind, Form, FormId, Test, Units};
use std::fmt::Write;

/// A description of a form over several lines: text, word, fields with their bits and values, what it reads and
/// writes, chips, pipe and source.
pub fn describe(id: FormId) -> String {
    let form = id.get();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = lines(form, id, &mut out);
    out
}

fn lines(form: &Form, id: FormId, out: &mut String) -> std::fmt::Result {
    writeln!(out, "{}  ({}, {})", form.id, form.mnemonic, form.chips)?;
    writeln!(out, "  meaning    {:?}", form.meaning)?;
    writeln!(out, "  text       {}", crate::print(&crate::Inst::new(id), &crate::Style::default()))?;
    writeln!(out, "  opcode     {:#05x}", form.opcode)?;
    let fixed: Vec<String> = (12..105)
        .filter(|bit| form.mask >> bit & 1 == 1 && form.value >> bit & 1 == 1)
        .map(|bit| bit.to_string())
        .collect();
    if !fixed.is_empty() {
        writeln!(out, "  fixed at 1 bits {}", fixed.join(" "))?;
    }
    writeln!(out, "  pipe       {}{}", form.pipe, if form.uniform { ", once per warp" } else { "" })?;
    writeln!(out, "  scoreboard {:?}", form.scoreboard)?;
    if let Some(kind) = form.control_flow {
        writeln!(out, "  control    {kind:?}")?;
    }
    if let Some(memory) = form.memory {
        writeln!(out, "  memory     {:?} {:?}", memory.kind, memory.space)?;
    }
    writeln!(out, "  fields")?;
    for field in &form.fields {
        let access = match (field.read, field.write) {
            (true, true) => " read and written",
            (true, false) => " read",
            (false, true) => " written",
            (false, false) => "",
        };
        let kind = match field.kind {
            FieldKind::Register { class, inverted } => {
                format!("register {}{}", class.prefix(), if inverted { ", inverted" } else { "" })
            }
            FieldKind::Enum => {
                let texts: Vec<String> = field
                    .texts
                    .iter()
                    .enumerate()
                    .filter_map(|(i, text)| {
                        text.map(|t| format!("{i}:{}", if t.is_empty() { "(none)" } else { t }))
                    })
                    .collect();
                texts.join(" ")
            }
            other => format!("{other:?}"),
        };
        let units = match &field.units {
            Units::Fixed(1) => String::new(),
            Units::Fixed(n) => format!(" x{n}"),
            Units::By { field, .. } => format!(" width by `{}`", form.fields[*field].name),
        };
        writeln!(
            out,
            "    {:<8} bits {:<10} {kind}{units}{access}, default {}",
            field.name,
            ranges(&field.bits),
            field.default
        )?;
    }
    for tests in &form.denied {
        writeln!(out, "  never      {}", condition(form, tests))?;
    }
    writeln!(out, "  source     {}", form.source)
}

/// `40-53,54`: places in the order of the value's bits.
fn ranges(bits: &[u8]) -> String {
    let mut parts: Vec<(u8, u8)> = Vec::new();
    for &bit in bits {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == bit => *last = bit,
            _ => parts.push((bit, bit)),
        }
    }
    let texts: Vec<String> =
        parts.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect();
    texts.join(",")
}

/// A conjunction of tests in the table's notation.
pub(crate) fn condition(form: &Form, tests: &[Test]) -> String {
    let name = |i: usize| form.fields[i].name;
    let texts: Vec<String> = tests
        .iter()
        .map(|test| match *test {
            Test::Given(i) => name(i).to_owned(),
            Test::Absent(i) => format!("!{}", name(i)),
            Test::Is(i, value) => format!("{}={value}", name(i)),
            Test::IsNot(i, value) => format!("{}!={value}", name(i)),
            Test::PowerOfTwo(i) => format!("{}=pow2", name(i)),
        })
        .collect();
    texts.join(" & ")
}
