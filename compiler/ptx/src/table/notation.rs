//! Reads the lines of the table. A line that cannot be read is a mistake in this program, found by any test that touches the
//! table, so that reading panics with the line.

use super::row::{Choice, Element, Only, Row, Selector, Since, Slot, SlotKind, Texture, TypeRef, Value};
use crate::checked::{Op, Type};
use rustc_hash::FxHashMap;

/// Lists of words by name.
pub type Groups = FxHashMap<&'static str, &'static str>;

/// Reads `$name = a|b` lines.
pub fn groups(text: &'static str) -> Groups {
    lines(text)
        .map(|line| {
            let (name, words) = line.split_once('=').expect("a group has `=`");
            (name.trim().strip_prefix('$').expect("a group begins with `$`"), words.trim())
        })
        .collect()
}

/// The lines of a file that say something.
pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

/// The root of a row: its mnemonic up to the first dot.
pub fn root(line: &'static str) -> &'static str {
    line.split(|c: char| c.is_whitespace() || matches!(c, '.' | '{')).next().unwrap_or(line)
}

/// Reads a row of a family. `op` is its operation, where it is not the head that says it.
pub fn row(family: &'static str, line: &'static str, op: Option<Op>, groups: &Groups) -> Row {
    let mut parts = line.split_whitespace();
    let head = parts.next().expect("a row is not empty");
    let root = root(line);
    let elements = elements(&head[root.len()..], groups);
    let mut since = Since::new(1, 0, 0);
    let mut until = None;
    let mut slots = Vec::new();
    for part in parts {
        match part.split_at(1) {
            ("@", text) => since = Since::parse(text),
            ("!", text) => until = Some(Since::parse(text)),
            _ => slots.push(slot(part)),
        }
    }
    let op = op.or_else(|| Op::from_head(head)).unwrap_or_else(|| panic!("no operation `{root}`: {line}"));
    Row { text: line, family, root, op, elements, slots, since, until }
}

fn elements(mut head: &'static str, groups: &Groups) -> Vec<Element> {
    let mut list = Vec::new();
    while !head.is_empty() {
        let optional = head.starts_with('{');
        let end = if optional {
            head.find('}').expect("`}` closes `{`") + 1
        } else if head.starts_with(".<") {
            head.find('>').expect("`>` closes `<`") + 1
        } else {
            // The next dot outside of a version such as `^7.8/90`.
            let bytes = head.as_bytes();
            (1..head.len())
                .find(|&i| bytes[i] == b'{' || (bytes[i] == b'.' && !in_version(head, i)))
                .unwrap_or(head.len())
        };
        let (first, rest) = head.split_at(end);
        let inner = first.trim_start_matches('{').trim_end_matches('}');
        let inner = inner.strip_prefix('.').expect("an element begins with a dot");
        // `<a|b>^7.8/90` gives all of them the version.
        let (words, suffix) = match inner.strip_prefix('<').and_then(|w| w.rsplit_once('>')) {
            Some((words, suffix)) => (words, suffix.strip_prefix('^').map(Since::parse)),
            None => (inner, None),
        };
        let mut element = Element { choices: Vec::new(), optional, absent: None };
        choices(words, suffix, groups, &mut element.choices);
        head = rest;
        // `{.a}^2.0/20`: what it needs to be left out.
        if let Some(rest) = rest.strip_prefix('^').filter(|_| optional) {
            let end = (0..rest.len())
                .find(|&i| {
                    rest.as_bytes()[i] == b'{' || rest.as_bytes()[i] == b'.' && !in_version(head, i + 1)
                })
                .unwrap_or(rest.len());
            element.absent = Some(Since::parse(&rest[..end]));
            head = &rest[end..];
        }
        list.push(element);
    }
    list
}

fn in_version(head: &str, dot: usize) -> bool {
    head[..dot].rfind('^').is_some_and(|caret| head[caret + 1..dot].bytes().all(|b| b.is_ascii_digit()))
}

fn choices(words: &'static str, all: Option<Since>, groups: &Groups, list: &mut Vec<Choice>) {
    for word in words.split('|') {
        let (word, since) = match word.split_once('^') {
            Some((word, since)) => (word, Some(Since::parse(since))),
            None => (word, all),
        };
        match word.strip_prefix('$') {
            Some(name) => {
                let words = groups.get(name).unwrap_or_else(|| panic!("no group `{name}`"));
                choices(words, since, groups, list);
            }
            None => {
                let ty = Type::parse(word);
                list.push(Choice { words: word.split('+').collect(), ty, since });
            }
        }
    }
}

fn slot(text: &'static str) -> Slot {
    let plain = |kind| Slot { name: "a", kind, optional: false, pair: None };
    if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        return Slot { optional: true, ..slot(inner) };
    }
    if text == "call" {
        return plain(SlotKind::Call);
    }
    if let Some(name) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        if let Some(name) = name.strip_suffix(";d") {
            return Slot { name, ..plain(SlotKind::Tensor) };
        }
        let Some((name, what)) = name.split_once(':') else {
            return Slot { name, ..plain(SlotKind::Address) };
        };
        let (ty, count) = what.split_once('*').expect("coordinates have a number");
        let (layer, ty) = ty.strip_prefix("layer+").map_or((false, ty), |ty| (true, ty));
        let count = count.parse().expect("a number of coordinates");
        let texture = Texture { layer, ty: type_ref(ty), count };
        return Slot { name, ..plain(SlotKind::Texture(texture)) };
    }
    let (first, pair) = match text.split_once('|') {
        Some((first, second)) => {
            let optional = first.ends_with('{');
            let second = second.trim_end_matches('}');
            let (_, ty) = second.split_once(':').expect("a pair has a type");
            (first.trim_end_matches('{'), Some((type_ref(ty), optional)))
        }
        None => (text, None),
    };
    let (name, what) = first.split_once(':').unwrap_or_else(|| panic!("an operand without type: {text}"));
    let kind = match what {
        "label" => SlotKind::Label,
        "targets" => SlotKind::Targets,
        "pack" | "unpack" => SlotKind::Pack,
        "address" => SlotKind::AddressValue,
        ids if ids.starts_with("ids=") => {
            let (first, second) = ids["ids=".len()..].split_once(',').expect("two bounds");
            let (first, step) = first.split_once('/').unwrap_or((first, "1"));
            let number = |text: &str| text.parse().expect("a bound is a number");
            SlotKind::Ids { most: [number(first), number(second)], step: number(step) }
        }
        _ => SlotKind::Value(value(what)),
    };
    Slot { name, kind, optional: false, pair }
}

fn value(text: &str) -> Value {
    let end = text.find(['~', '*', '_', '#', '%', '=', '<', '>', '/', '^', '!']).unwrap_or(text.len());
    let (ty, marks) = text.split_at(end);
    let only = match marks {
        m if m.ends_with("=mov") => Only::Mov,
        m if m.ends_with("=special") => Only::Special,
        m if m.ends_with("=cvta") => Only::Cvta,
        m if m.ends_with("=sink") => Only::Sink,
        m if m.ends_with("=sign") => Only::Sign,
        m if m.ends_with("=part") => Only::Part(Selector::Source),
        m if m.ends_with("=negated") => Only::Part(Selector::Negated),
        m if m.ends_with("=signed") => Only::Part(Selector::Signed),
        m if m.ends_with("=mask2") => Only::Part(Selector::HalfMask),
        m if m.ends_with("=mask4") => Only::Part(Selector::ByteMask),
        m if m.ends_with("=lanes2") => Only::Part(Selector::Halves),
        m if m.ends_with("=lanes4") => Only::Part(Selector::Bytes),
        m if m.contains('#') => Only::Immediate,
        m if m.contains('%') => Only::Register,
        _ => Only::Any,
    };
    Value {
        ty: type_ref(ty),
        relaxed: marks.contains('~'),
        vector: marks.contains('*'),
        count: number_after(marks, "*").unwrap_or(0) as u8,
        offsets: marks.contains("*d-2"),
        per: number_after(marks, "*n/").unwrap_or(0) as u8,
        sink: marks.contains('_'),
        only,
        most: number_after(marks, "<=").unwrap_or(u64::MAX),
        multiple: if marks.contains("*n/") { 1 } else { number_after(marks, "/").unwrap_or(1) },
        least: number_after(marks, ">=").unwrap_or(0),
        power: marks.contains("^2"),
        fraction: marks.ends_with("=fraction"),
        untyped: marks.contains('!'),
    }
}

/// The number that follows a mark.
fn number_after(marks: &str, mark: &str) -> Option<u64> {
    let (_, rest) = marks.split_once(mark)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn type_ref(text: &str) -> TypeRef {
    match text {
        "T" => TypeRef::Suffix(0),
        "U" => TypeRef::Suffix(1),
        "V" => TypeRef::Suffix(2),
        "I" => TypeRef::Integer,
        "W" => TypeRef::Wide,
        name => TypeRef::Fixed(Type::parse(name).unwrap_or_else(|| panic!("no type `{name}`"))),
    }
}
