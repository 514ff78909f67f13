//! From the text of `disasm` back to machine code.
//!
//! * [`read`]: a text becomes sections of words, or findings with positions.
//! * [`lines`](mod@lines): what stands on a line, comments aside.
//! * [`Finding`]: what is wrong, with a stable code.
//! * [`into`]: the words take the place of those in a cubin.

mod finding;
pub mod into;
pub mod lines;

pub use finding::{CODES, Finding, records, render};

use lines::{Item, Line};
use sassafras_isa::{Chip, Control, Inst, Style, Targets, encode, parse};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

/// One word of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The 128 bits.
    pub bits: u128,
    /// The instruction; none for a word given as data.
    pub inst: Option<Inst>,
    /// Whether the text states the control bits.
    pub controlled: bool,
    /// Whether a linker fills in an operand: the instruction has 0 there.
    pub linked: bool,
    /// Where it stands in the text.
    pub span: Range<usize>,
}

/// One section of code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Its name; none for instructions that stand before any `.section`.
    pub name: Option<String>,
    /// Its words.
    pub words: Vec<Word>,
    /// Its labels, with the byte offset of each.
    pub labels: Vec<(String, u64)>,
    /// Where it begins in the text.
    pub span: Range<usize>,
}

/// A whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// The chip that the words are for.
    pub chip: Chip,
    /// The sections of code, in the order of the text.
    pub sections: Vec<Code>,
}

/// Where a label stands: number of the section, byte offset.
type Places<'a> = HashMap<&'a str, (usize, u64)>;

/// Reads a text. `chip` overrides the text's `.target`.
///
/// # Errors
/// Every finding, in the order of the text.
pub fn read(text: &str, chip: Option<Chip>) -> Result<Assembly, Vec<Finding>> {
    let mut found = Vec::new();
    let lines = lines::lines(text, &mut found);
    let chip = chip.or_else(|| target(&lines, &mut found));
    let mut sections: Vec<(Code, Vec<(&Line<'_>, u64)>)> = Vec::new();
    let mut places = Places::new();
    let mut code = true;
    for line in &lines {
        let begun = match line.item {
            Item::Section { name, executable } => Some((name.to_owned(), executable)),
            Item::Function(name) => Some((format!(".text.{name}"), true)),
            _ => None,
        };
        if let Some((name, executable)) = begun {
            code = executable;
            if code {
                let section = Code { name: Some(name), span: line.span.clone(), ..Code::default() };
                sections.push((section, Vec::new()));
            }
            continue;
        }
        let stands = matches!(line.item, Item::Label(_) | Item::Quad(..) | Item::Instruction(_));
        if !code || !stands {
            continue;
        }
        if sections.is_empty() {
            sections.push((Code { span: line.span.clone(), ..Code::default() }, Vec::new()));
        }
        let number = sections.len() - 1;
        let (section, items) = &mut sections[number];
        let at = 16 * items.len() as u64;
        match line.item {
            Item::Label(name) => {
                section.labels.push((name.to_owned(), at));
                if places.insert(name, (number, at)).is_some() {
                    found.push(Finding::new(
                        "A0005",
                        line.span.clone(),
                        format!("`{name}` is defined twice"),
                    ));
                }
            }
            _ => items.push((line, at)),
        }
    }
    let Some(chip) = chip else {
        found.sort_by_key(|f| f.span.start);
        return Err(found);
    };
    let mut done = Vec::new();
    for (number, (mut section, items)) in sections.into_iter().enumerate() {
        for (line, at) in items {
            match word(line, chip, number, at, &places) {
                Ok(word) => section.words.push(word),
                Err(finding) => found.push(finding),
            }
        }
        done.push(section);
    }
    if found.is_empty() && done.iter().all(|s| s.words.is_empty()) {
        found.push(Finding::new("A0007", 0..0, "there is no instruction in the text"));
    }
    found.sort_by_key(|f| f.span.start);
    if found.is_empty() { Ok(Assembly { chip, sections: done }) } else { Err(found) }
}

/// The chip of the text's `.target`.
fn target(lines: &[Line<'_>], found: &mut Vec<Finding>) -> Option<Chip> {
    let stated = lines.iter().find_map(|line| match line.item {
        Item::Target(name) => Some((name, line.span.clone())),
        _ => None,
    });
    let Some((name, span)) = stated else {
        found.push(Finding::new("A0001", 0..0, "the text has no `.target`, and no -arch is given"));
        return None;
    };
    let number = ["sm_", "EF_CUDA_SM"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let number = number.and_then(|n| n.trim_end_matches(['a', 'f']).parse().ok());
    let chip = number.and_then(Chip::from_number);
    if chip.is_none() {
        found.push(Finding::new("A0001", span, format!("`{name}` is no known chip")));
    }
    chip
}

fn word(line: &Line<'_>, chip: Chip, section: usize, at: u64, places: &Places<'_>) -> Result<Word, Finding> {
    let span = line.span.clone();
    let text = match line.item {
        Item::Quad(low, high) => {
            let bits = u128::from(low) | u128::from(high) << 64;
            return Ok(Word { bits, inst: None, controlled: true, linked: false, span });
        }
        Item::Instruction(text) => text,
        _ => unreachable!("only words are handed on"),
    };
    let unlinked = unlinked(text);
    let (text, linked) = (unlinked.as_deref().unwrap_or(text), unlinked.is_some());
    let missing: Cell<Option<&'static str>> = Cell::new(None);
    let find = |name: &str| {
        let inner = name.strip_prefix("`(").and_then(|n| n.strip_suffix(')')).unwrap_or(name);
        let place = match inner.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => match places.get(inner) {
                Some((number, place)) if *number == section => Some(*place),
                Some(_) => {
                    missing.set(Some("stands in another section: a jump there needs the linker"));
                    None
                }
                None => {
                    missing.set(Some("is not defined"));
                    None
                }
            },
        };
        place.map(|place| place.wrapping_sub(at).wrapping_sub(16) as i64)
    };
    let name = |_: i64, _: &mut String| false;
    let style =
        Style { targets: Targets::Named { name: &name, find: &find }, chip: Some(chip), ..Style::default() };
    let inst = parse(text, &style).map_err(|error| {
        let column = error.column.min(text.len());
        let rest = &text[column..];
        let length = rest.find([',', ' ', ';']).unwrap_or(rest.len()).max(1);
        let place =
            span.start + column..(span.start + column + length).min(span.end.max(span.start + column));
        match missing.get() {
            Some(why) => Finding::new(
                "A0004",
                place,
                format!("the label `{}` {why}", rest[..length.min(rest.len())].trim()),
            ),
            None => Finding::new("A0002", place, error.message),
        }
    })?;
    let bits = encode(&inst, chip).map_err(|e| Finding::new("A0003", span.clone(), e.to_string()))?;
    Ok(Word { bits, inst: Some(inst), controlled: text.starts_with('['), linked, span })
}

/// The text with 0 for an address that a linker fills in, `32@lo(NAME)`, `32@hi(NAME)`, or the `` `(NAME)`` of an absolute call (R_CUDA_ABS47_34,
/// R_CUDA_ABS55_16_34); none where there is none.
fn unlinked(text: &str) -> Option<String> {
    let called = || text.contains("CALL.ABS").then(|| text.find("`("))?;
    let start = ["32@lo(", "32@hi("].iter().find_map(|half| text.find(half)).or_else(called)?;
    let mut depth = 0usize;
    let end = text[start..].find(|c| {
        depth += usize::from(c == '(');
        let closed = c == ')' && depth == 1;
        depth -= usize::from(c == ')' && depth > 0);
        closed
    })?;
    Some(format!("{}0x0{}", &text[..start], &text[start + end + 1..]))
}

impl Word {
    /// Whether the word waits for everything and stalls longest, because the text says nothing of control bits.
    pub fn is_safe(&self) -> bool {
        !self.controlled && self.inst.as_ref().is_some_and(|i| i.control.wait_mask == Control::SAFE.wait_mask)
    }
}
