//! PTX that the table has no rows for yet, as templates.
//!
//! ```text
//! MNEMONIC OPERAND OPERAND … @SM
//! ```
//! `<a|b>` is one of several, everywhere in the line; `<1:a|b>` and `<1:c|d>` choose alike. An operand is `CLASS` or
//! `COUNT*CLASS` (a vector in braces) for registers, where `CLASS` is a register's name without `%` and number, `r f rd fd rs rb rq p`;
//! `=` before it says that it is written, `+` that it is read and written. `a|p` is a pair. Anything else stands for itself, with
//! `$r` and the like for a register that is read. `%from` and `%to` are addresses in global memory, `%sh` and `%mb` in shared memory.
//! `@100a` names the first target that has the form.

use super::kernel::{Line, Operand, Source};
use super::need::Need;
use sassafras_chip::Features;

const FILES: [(&str, &str); 7] = [
    ("matrix", include_str!("extra/matrix.txt")),
    ("wgmma", include_str!("extra/wgmma.txt")),
    ("tcgen05", include_str!("extra/tcgen05.txt")),
    ("async", include_str!("extra/async.txt")),
    ("texture", include_str!("extra/texture.txt")),
    ("memory", include_str!("extra/memory.txt")),
    ("arithmetic", include_str!("extra/arithmetic.txt")),
];

/// Every template's lines: family, what each needs, the instruction.
pub fn lines() -> Vec<(&'static str, Need, Line)> {
    let mut all = Vec::new();
    for (family, text) in FILES {
        for template in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let mut expanded = Vec::new();
            expand(template, &mut Vec::new(), &mut expanded);
            for text in &expanded {
                let (need, line) = line(text);
                let bound = bound(family, &line);
                all.extend([vec![line], bound].concat().into_iter().map(|line| (family, need, line)));
            }
        }
    }
    all
}

/// The same textures and surfaces with handles that a chip may take from elsewhere than a register: from a constant bank, and
/// from a uniform register, in which a sum is held.
fn bound(family: &str, line: &Line) -> Vec<Line> {
    let Some(handle) = line.operands.iter().position(|o| family == "texture" && o.text.starts_with("[%rd"))
    else {
        return Vec::new();
    };
    let from = |source: Source| {
        let mut line = line.clone();
        line.operands[handle].source = source;
        line
    };
    vec![from(Source::Parameter), from(Source::Sum)]
}

/// Every choice of the alternatives in a template. `chosen` holds which one each label stands for.
pub(crate) fn expand(template: &str, chosen: &mut Vec<(String, usize)>, all: &mut Vec<String>) {
    let Some(start) = template.find('<') else {
        all.push(template.to_owned());
        return;
    };
    let end = start + template[start..].find('>').unwrap_or_else(|| panic!("`<` is closed: {template}"));
    let inner = &template[start + 1..end];
    let (label, list) = match inner.split_once(':') {
        Some((label, list)) if label.len() == 1 && !list.starts_with(':') => (Some(label), list),
        _ => (None, inner),
    };
    let fixed = label.and_then(|l| chosen.iter().find(|(name, _)| name == l)).map(|(_, n)| *n);
    for (n, word) in list.split('|').enumerate().filter(|(n, _)| fixed.is_none_or(|f| f == *n)) {
        let rest = format!("{}{word}{}", &template[..start], &template[end + 1..]);
        let depth = chosen.len();
        if let (Some(label), None) = (label, fixed) {
            chosen.push((label.to_owned(), n));
        }
        expand(&rest, chosen, all);
        chosen.truncate(depth);
    }
}

/// The instruction of an expanded template, and what it needs.
pub(crate) fn line(text: &str) -> (Need, Line) {
    let mut need = Need { sm: 75, features: Features::Base };
    let mut words = text.split_whitespace();
    let mnemonic = words.next().unwrap_or_default().to_owned();
    let mut operands = Vec::new();
    let mut next = 0;
    for word in words {
        match word.strip_prefix('@') {
            Some(target) => need = Need::parse(target),
            None => operands.push(operand(word, &mut next)),
        }
    }
    (need, Line { guard: String::new(), mnemonic, operands })
}

fn operand(word: &str, next: &mut usize) -> Operand {
    let (written, read, rest) = match word.as_bytes()[0] {
        b'=' => (true, false, &word[1..]),
        b'+' => (true, true, &word[1..]),
        _ => (false, true, word),
    };
    let parts: Vec<String> = rest.split('|').map(|part| registers(part, next)).collect();
    Operand { text: parts.join("|"), written, read, source: Source::Memory }
}

/// A register, a vector of them, or text with `$r` in it.
fn registers(part: &str, next: &mut usize) -> String {
    let mut fresh = |class: &str| {
        *next += 1;
        format!("%{class}{}", *next)
    };
    if is_class(part) {
        return fresh(part);
    }
    if let Some((count, class)) = part.split_once('*')
        && let Ok(count) = count.parse::<usize>()
        && is_class(class)
    {
        let items: Vec<String> = (0..count).map(|_| fresh(class)).collect();
        return format!("{{{}}}", items.join(", "));
    }
    let mut out = String::new();
    let mut rest = part;
    while let Some(at) = rest.find('$') {
        out += &rest[..at];
        let tail = &rest[at + 1..];
        let end = tail.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(tail.len());
        out += &fresh(&tail[..end]);
        rest = &tail[end..];
    }
    out + rest
}

fn is_class(text: &str) -> bool {
    ["r", "f", "rd", "fd", "rs", "rb", "rq", "p"].contains(&text)
}
