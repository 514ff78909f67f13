//! Every instruction of PTX with the modifiers, types and operands that the PTX ISA's syntax lists: a reader must take those that
//! go together on a target and refuse the others.
//!
//! The templates stand in `vocabulary/*.txt`, in the notation of `exercise::extra`. Each is sampled: every alternative is in some line, and
//! the rest of the lines choose at random, by a seed that is the template's text. The rows of the table and the templates of
//! the exercises, which are all valid somewhere, are here as well.

use crate::exercise::extra;
use sassafras_ptx::table::{self, example};
use std::collections::BTreeSet;
use std::fmt::Write;

const FILES: [&str; 5] = [
    include_str!("vocabulary/arithmetic.txt"),
    include_str!("vocabulary/memory.txt"),
    include_str!("vocabulary/warp.txt"),
    include_str!("vocabulary/async.txt"),
    include_str!("vocabulary/matrix.txt"),
];

/// Targets to ask for, with or without features of their own.
pub const TARGETS: [&str; 13] = [
    "sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_110a",
    "sm_120", "sm_120a", "sm_120f",
];

/// Most lines of one template.
const MOST: usize = 48;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its mnemonic's first words, such as `tcgen05.ld`.
    pub class: String,
    /// The instruction.
    pub line: String,
}

/// All lines, each once.
pub fn all() -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    let mut push = |line: String| {
        if seen.insert(line.clone()) {
            list.push(Entry { class: class(&line), line });
        }
    };
    for row in table::rows().iter().chain(table::unmodelled()).chain(table::legacy()) {
        for suffixes in row.variants() {
            push(row.instruction(&suffixes));
        }
    }
    for (.., line) in extra::lines() {
        push(line.text());
    }
    for template in
        FILES.iter().flat_map(|text| text.lines()).filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        for text in sample(template, MOST) {
            push(extra::line(&text).1.text());
        }
    }
    list
}

/// The first words of a mnemonic, as many as name the instruction.
fn class(line: &str) -> String {
    let mnemonic = line.split([' ', ';']).next().unwrap_or_default();
    let words: Vec<&str> = mnemonic.split('.').collect();
    let count = match words[0] {
        "tcgen05" | "multimem" | "wgmma" | "mbarrier" | "clusterlaunchcontrol" | "tensormap" | "barrier" => 2,
        "cp" if words.contains(&"tensor") => {
            return format!("cp{}.tensor", if words[1] == "reduce" { ".reduce" } else { "" });
        }
        "cp" if words.contains(&"bulk") => return "cp.bulk".to_owned(),
        _ => 1,
    };
    words[..count.min(words.len())].join(".")
}

/// A part of a template: text, or alternatives with the number of the choice that says which.
enum Part<'a> {
    Text(&'a str),
    Choice(usize, Vec<&'a str>),
}

/// Some of a template's lines, all if they are at most `most`.
fn sample(template: &str, most: usize) -> Vec<String> {
    let (parts, sizes) = parts(template);
    let text = |chosen: &[usize]| {
        let piece = |part: &Part| match part {
            Part::Text(text) => (*text).to_owned(),
            Part::Choice(choice, list) => list[chosen[*choice]].to_owned(),
        };
        parts.iter().map(piece).collect::<String>()
    };
    let total = sizes.iter().try_fold(1usize, |all, n| all.checked_mul(*n)).unwrap_or(usize::MAX);
    let mut lines = Vec::new();
    if total <= most {
        for n in 0..total {
            let mut rest = n;
            let chosen: Vec<usize> = sizes.iter().map(|size| (rest % size, rest /= size).0).collect();
            lines.push(text(&chosen));
        }
        return lines;
    }
    let mut random = Random(hash(template));
    for (choice, size) in sizes.iter().enumerate() {
        for alternative in 0..*size {
            let mut chosen: Vec<usize> = sizes.iter().map(|size| random.below(*size)).collect();
            chosen[choice] = alternative;
            lines.push(text(&chosen));
            // Most combinations are wrong: the first alternatives of all others go together more often.
            let mut first = vec![0; sizes.len()];
            first[choice] = alternative;
            lines.push(text(&first));
        }
    }
    while lines.len() < most {
        let chosen: Vec<usize> = sizes.iter().map(|size| random.below(*size)).collect();
        lines.push(text(&chosen));
    }
    lines
}

/// The parts of a template, and how many alternatives each choice has.
fn parts(template: &str) -> (Vec<Part<'_>>, Vec<usize>) {
    let (mut parts, mut sizes, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = template;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap_or_else(|| panic!("`<` is closed: {template}"));
        parts.push(Part::Text(&rest[..start]));
        let inner = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let (label, list) = match inner.split_once(':') {
            Some((label, list)) if label.len() == 1 && !list.starts_with(':') => (Some(label), list),
            _ => (None, inner),
        };
        let list: Vec<&str> = list.split('|').collect();
        let known = label.and_then(|l| labels.iter().find(|(name, _)| *name == l).map(|(_, n)| *n));
        let choice = known.unwrap_or(sizes.len());
        if known.is_none() {
            sizes.push(list.len());
            labels.extend(label.map(|l| (l, choice)));
        }
        assert_eq!(sizes[choice], list.len(), "alternatives of one label are as many: {template}");
        parts.push(Part::Choice(choice, list));
    }
    parts.push(Part::Text(rest));
    (parts, sizes)
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// A linear congruence, whose high bits are taken.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// A module of a version and target with one of `lines` per line in its body, and the number of the first.
pub fn module(version: (u32, u32), target: &str, lines: &[String]) -> (String, usize) {
    let mut text = format!(".version {}.{}\n.target {target}\n.address_size 64\n", version.0, version.1);
    text += example::MODULE;
    text += ".visible .entry k (.param .align 16 .b8 parameter[64])\n{\n";
    for (class, ty) in [
        ("p", "pred"),
        ("rb", "b8"),
        ("rs", "b16"),
        ("r", "b32"),
        ("rd", "b64"),
        ("rq", "b128"),
        ("f", "f32"),
        ("fd", "f64"),
    ] {
        let _ = writeln!(text, "\t.reg .{ty} %{class}<160>;");
    }
    text += "\t.reg .b64 %to, %from;\n\t.reg .b32 %sh, %mb;\n\t.local .align 16 .b8 local_memory[64];\n\
             \t.param .align 16 .b8 argument[64];\nLABEL:\nTARGETS: .branchtargets LABEL;\n";
    let first = text.lines().count() + 1;
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text += "\tret;\n}\n";
    (text, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alternative_is_in_some_line() {
        let template = "ld<.a|.b|.c><1:.d|.e><|.f><|.g><|.h><|.i> <1:r|rd> <1|2|3|4>";
        let lines = sample(template, 20);
        for word in [".a", ".b", ".c", ".d", ".e", ".f", ".g", ".h", ".i", "1", "2", "3", "4"] {
            assert!(lines.iter().any(|l| l.contains(word)), "{word}");
        }
        assert!(lines.iter().all(|l| l.contains(".d") == l.contains(" r ")), "{lines:?}");
        assert_eq!(sample("a<b|c><|d>", 20), ["ab", "ac", "abd", "acd"]);
    }

    #[test]
    fn every_root_of_the_table_has_lines() {
        let classes: BTreeSet<String> = all().into_iter().map(|e| e.line).collect();
        assert!(classes.len() > 10_000, "{} lines", classes.len());
    }
}
