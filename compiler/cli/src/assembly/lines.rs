//! What stands on the lines of a text, comments aside.

use super::finding::Finding;
use std::ops::Range;

/// A statement, a label or a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// `NAME:`.
    Label(&'a str),
    /// An instruction, without its semicolon.
    Instruction(&'a str),
    /// `.quad LOW, HIGH`: a word as data.
    Quad(u64, u64),
    /// `.target sm_XX`.
    Target(&'a str),
    /// `.section NAME,…`; executable when it says `"ax"`, or nothing and is called `.text…`.
    Section {
        /// Its name.
        name: &'a str,
        /// Whether it holds instructions.
        executable: bool,
    },
    /// `Function : NAME`, before the code of a function by cuobjdump.
    Function(&'a str),
    /// A directive that says nothing about the words.
    Other,
}

/// One of them, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// What it is.
    pub item: Item<'a>,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

/// Directives that say nothing about the words. In sections of data any directive is passed over.
const SILENT: &[&str] = &[
    ".elftype",
    ".align",
    ".global",
    ".weak",
    ".local",
    ".type",
    ".size",
    ".other",
    ".sectionflags",
    ".sectioninfo",
    ".sectionentsize",
    ".word",
    ".short",
    ".byte",
    ".dword",
    ".zero",
    ".string",
    ".nv_debug_line_sass",
    ".tkinfo",
    ".visibility",
];

/// Splits a text into what stands on its lines; findings are added.
pub fn lines<'a>(text: &'a str, found: &mut Vec<Finding>) -> Vec<Line<'a>> {
    let mut out = Vec::new();
    let mut at = 0;
    let (mut comment, mut executable) = (None, true);
    for line in text.split_inclusive('\n') {
        if comment.is_none() && is_entry_head(line.trim()) {
            at += line.len();
            continue;
        }
        let pieces = pieces(line.trim_end_matches(['\n', '\r']), at, &mut comment);
        at += line.len();
        for (start, piece) in pieces {
            statements(piece, start, &mut executable, &mut out, found);
        }
    }
    if let Some(start) = comment {
        found.push(Finding::new("A0006", start..start + 2, "the comment does not end"));
    }
    out
}

/// Whether cuobjdump writes the line about an entry of a fat binary.
fn is_entry_head(line: &str) -> bool {
    const WHOLE: [&str; 4] = ["Fatbin elf code:", "Fatbin ptx code:", "has debug info", "compressed"];
    const NAMES: [&str; 6] = ["arch", "code version", "host", "compile_size", "identifier", "ptxasOptions"];
    WHOLE.contains(&line)
        || !line.is_empty() && line.bytes().all(|b| b == b'=')
        || line.split_once(" =").is_some_and(|(name, _)| NAMES.contains(&name))
}

/// The parts of a line outside comments, each with its place. `comment` is where a comment over several lines began.
fn pieces<'a>(line: &'a str, at: usize, comment: &mut Option<usize>) -> Vec<(usize, &'a str)> {
    let mut out = Vec::new();
    let mut place = 0;
    loop {
        let rest = &line[place..];
        if comment.is_some() {
            let Some(end) = rest.find("*/") else { return out };
            *comment = None;
            place += end + 2;
            continue;
        }
        let next = ["/*", "//", "(*\""].iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min();
        let Some((start, mark)) = next else {
            out.push((at + place, rest));
            return out;
        };
        out.push((at + place, &rest[..start]));
        match mark {
            "//" => return out,
            "/*" => {
                *comment = Some(at + place + start);
                place += start + 2;
            }
            // nvdisasm's note about the targets of an indirect branch.
            _ => match rest[start..].find("\"*)") {
                Some(end) => place += start + end + 3,
                None => return out,
            },
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_.$@".contains(c)
}

fn statements<'a>(
    piece: &'a str,
    start: usize,
    executable: &mut bool,
    out: &mut Vec<Line<'a>>,
    found: &mut Vec<Finding>,
) {
    let mut rest = piece;
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t', ';']);
        if trimmed.trim().is_empty() {
            return;
        }
        let from = start + (piece.len() - trimmed.len());
        // A label ends with a colon; control bits begin with a bracket, so theirs are not met here.
        let name = trimmed.find(|c| !is_name(c)).unwrap_or(trimmed.len());
        if name > 0 && trimmed[name..].starts_with(':') {
            out.push(Line { item: Item::Label(&trimmed[..name]), span: from..from + name });
            rest = &trimmed[name + 1..];
            continue;
        }
        let end = trimmed.find(';').unwrap_or(trimmed.len());
        let statement = trimmed[..end].trim_end();
        let span = from..from + statement.len();
        rest = &trimmed[end..];
        let item = if let Some(name) = statement.strip_prefix("Function : ") {
            *executable = true;
            Item::Function(name.trim())
        } else if let Some(chip) = statement.strip_prefix("code for ") {
            Item::Target(chip.trim())
        } else if statement.starts_with('.') {
            let Some(item) = directive(statement, executable) else {
                let word = statement.split_whitespace().next().unwrap_or_default();
                found.push(Finding::new(
                    "A0006",
                    from..from + word.len(),
                    format!("`{word}` is no directive of code"),
                ));
                continue;
            };
            item
        } else {
            Item::Instruction(statement)
        };
        // In a section of data everything but the directives above is its contents.
        if *executable || !matches!(item, Item::Instruction(_) | Item::Quad(..)) {
            out.push(Line { item, span });
        }
    }
}

fn directive<'a>(statement: &'a str, executable: &mut bool) -> Option<Item<'a>> {
    let (word, rest) = statement.split_once([' ', '\t']).unwrap_or((statement, ""));
    let rest = rest.trim();
    Some(match word {
        ".headerflags" => {
            // Cubins of CUDA 12 and bare words name the chip here.
            let chip = |w: &&str| {
                w.strip_prefix("EF_CUDA_SM").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
            };
            rest.split([' ', '"']).find(chip).map_or(Item::Other, Item::Target)
        }
        ".target" => Item::Target(rest.split([',', ' ']).next().unwrap_or_default()),
        ".section" => {
            let mut parts = rest.split(',').map(str::trim);
            let name = parts.next().unwrap_or_default();
            *executable = parts.next().map_or(name.starts_with(".text"), |flags| flags.contains('x'));
            Item::Section { name, executable: *executable }
        }
        ".quad" => {
            let mut parts = rest.split(',').map(|p| p.trim().strip_prefix("0x"));
            let mut number = || u64::from_str_radix(parts.next()??, 16).ok();
            let (low, high) = (number()?, number()?);
            if parts.next().is_some() {
                return None;
            }
            Item::Quad(low, high)
        }
        // The end of a function by cuobjdump.
        _ if word.bytes().all(|b| b == b'.') => Item::Other,
        _ if SILENT.contains(&word) || !*executable => Item::Other,
        _ => return None,
    })
}
