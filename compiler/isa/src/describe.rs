//! A form in words, for people.

use crate::form::{Field, FieldKind, Form, FormId, Test, Units};
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
    let control = form.control;
    let mut may = Vec::new();
    if control.write_barrier {
        may.push("set a write barrier".to_owned());
    }
    if control.read_barrier {
        may.push("set a read barrier".to_owned());
    }
    if control.reuse != 0 {
        let slots: Vec<&str> =
            (0..3).filter(|i| control.reuse >> i & 1 == 1).map(|i| ["first", "second", "third"][i]).collect();
        may.push(format!("keep the {} operand for reuse", slots.join(" or ")));
    }
    if control.runs {
        may.push("say that it is the first or last of a run".to_owned());
    }
    writeln!(
        out,
        "  may        {}",
        if !control.wait {
            "only stall, and wait for nothing".to_owned()
        } else if may.is_empty() {
            "only stall and wait".to_owned()
        } else {
            may.join(", ")
        }
    )?;
    for (what, reads) in [("reads", true), ("writes", false)] {
        let names: Vec<String> = form
            .fields
            .iter()
            .filter(|f| if reads { f.read } else { f.write })
            .map(|f| format!("{}{}", f.name, units(form, f)))
            .collect();
        if !names.is_empty() {
            writeln!(out, "  {what:<10} {}", names.join(", "))?;
        }
    }
    writeln!(out, "  fields")?;
    for field in &form.fields {
        let access = match (field.read, field.write) {
            (true, true) => " read and written",
            (true, false) => " read",
            (false, true) => " written",
            (false, false) => "",
        };
        let kind = kind(field);
        let default = match &field.texts[..] {
            [] => field.default.to_string(),
            texts => match texts.get(field.default as usize).copied().flatten() {
                Some("") | None => "(none)".to_owned(),
                Some(text) => text.to_owned(),
            },
        };
        let head = format!("    {:<8} bits {:<12} ", field.name, ranges(&field.bits));
        writeln!(out, "{head}{kind}{}{access}, default {default}", units(form, field))?;
        if field.kind == FieldKind::Enum {
            values(field, head.len(), out)?;
        }
    }
    for never in form.never() {
        writeln!(out, "  never      {never}")?;
    }
    writeln!(out, "  source     {}", form.source)
}

/// What a field holds, in words.
fn kind(field: &Field) -> String {
    let scaled = |what: &str, scale: u64| {
        if scale == 1 { what.to_owned() } else { format!("{what} in units of {scale}") }
    };
    match field.kind {
        FieldKind::Register { class, inverted } => {
            format!("register {}{}", class.prefix(), if inverted { ", inverted" } else { "" })
        }
        FieldKind::Enum => "one of the values below".to_owned(),
        FieldKind::Flag => "flag".to_owned(),
        FieldKind::Signed { scale } => scaled("signed number", scale),
        FieldKind::Unsigned { scale } => scaled("unsigned number", scale),
        FieldKind::Target { scale } => scaled("distance to a place in code", scale),
        FieldKind::Float32 => "binary32 number".to_owned(),
        FieldKind::Float64High => "high half of a binary64 number".to_owned(),
        FieldKind::Float16 => "binary16 number".to_owned(),
        FieldKind::Bfloat16 => "bfloat16 number".to_owned(),
        FieldKind::Half { .. } => "binary16 or bfloat16 number".to_owned(),
        FieldKind::ConstantOffset { .. } => "offset in a constant bank, in units of 4".to_owned(),
        FieldKind::Bank => "constant bank".to_owned(),
        FieldKind::Special { .. } => "special register".to_owned(),
        FieldKind::Set => "set of numbers, a bit for each".to_owned(),
    }
}

/// ` x2`, or what decides it.
fn units(form: &Form, field: &Field) -> String {
    match &field.units {
        Units::Fixed(1) => String::new(),
        Units::Fixed(n) => format!(" x{n}"),
        Units::By { terms, .. } => {
            let names: Vec<String> =
                terms.iter().map(|(field, _)| format!("`{}`", form.fields[*field].name)).collect();
            format!(" width by {}", names.join(" and "))
        }
    }
}

/// The values of an enumeration, over lines of a readable length.
fn values(field: &Field, indent: usize, out: &mut String) -> std::fmt::Result {
    const WIDTH: usize = 120;
    let mut line = String::new();
    for (i, text) in field.texts.iter().enumerate() {
        let Some(text) = text else { continue };
        let item = format!("{i}:{} ", if text.is_empty() { "(none)" } else { text });
        if indent + line.len() + item.len() > WIDTH && !line.is_empty() {
            writeln!(out, "{:indent$}{}", "", line.trim_end())?;
            line.clear();
        }
        line.push_str(&item);
    }
    writeln!(out, "{:indent$}{}", "", line.trim_end())
}

impl Form {
    /// Combinations of values that no instruction of the form has, in the table's notation.
    pub fn never(&self) -> Vec<String> {
        self.denied.iter().map(|tests| condition(self, tests)).collect()
    }
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
