//! Reads the notation of rewrites.

use super::expression::{self, Comparison, Condition};
use super::form::{Arg, Node, Rewrite};
use super::number::number;
use crate::lines::{RowError, RowFault, joined};
use sassafras_ir::text::parse_op;

/// Reads all rows of a file.
///
/// # Errors
/// The first row that cannot be read, or whose replacement names what its pattern does not.
pub fn parse(file: &'static str, text: &str) -> Result<Vec<Rewrite>, RowError> {
    let read = |(line, text): (usize, String)| {
        row(&text, (file, line)).map_err(|fault| RowError { file, line, fault })
    };
    joined(text).into_iter().map(read).collect()
}

fn row(text: &str, place: (&'static str, usize)) -> Result<Rewrite, RowFault> {
    let (left, right) = text.split_once("=>").ok_or(RowFault::NoArrow)?;
    let (name, pattern) = left.trim().split_once(char::is_whitespace).ok_or(RowFault::NoPattern)?;
    let (replacement, conditions) = right.split_once(" where ").unwrap_or((right, ""));
    let Arg::Node(pattern) = whole(pattern)? else { return Err(RowFault::NoOperationPattern) };
    let replacement = whole(replacement)?;
    let conditions: Vec<&str> = conditions.split(',').filter(|c| !c.trim().is_empty()).collect();
    let conditions = conditions.into_iter().map(condition).collect::<Result<Vec<_>, _>>()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let row = Rewrite {
        name: name.to_owned(),
        text: words.join(" "),
        place,
        pattern: *pattern,
        replacement,
        conditions,
    };
    check(&row)?;
    Ok(row)
}

/// A name of the replacement or of a condition stands in the pattern; a pattern computes nothing.
fn check(row: &Rewrite) -> Result<(), RowFault> {
    let (mut known, mut used) = (Vec::new(), Vec::new());
    names(&Arg::Node(Box::new(row.pattern.clone())), &mut known);
    names(&row.replacement, &mut used);
    for condition in &row.conditions {
        used.extend(
            [&condition.left, &condition.right].into_iter().flat_map(|e| e.names()).map(str::to_owned),
        );
    }
    if known.iter().any(|n| n.starts_with('{')) {
        return Err(RowFault::ComputedPattern);
    }
    match used.iter().find(|n| !n.starts_with('{') && !known.contains(n)) {
        Some(name) => Err(RowFault::NotInPattern(name.clone())),
        None => Ok(()),
    }
}

/// Every name; `{` for a computed constant.
fn names(arg: &Arg, all: &mut Vec<String>) {
    match arg {
        Arg::Name(name, _) | Arg::Constant(name, _) => all.push(name.clone()),
        Arg::Number(..) => {}
        Arg::Computed(e) => {
            all.push("{".into());
            all.extend(e.names().into_iter().map(str::to_owned));
        }
        Arg::Node(node) => node.args.iter().for_each(|arg| names(arg, all)),
    }
}

fn condition(text: &str) -> Result<Condition, RowFault> {
    let words =
        [("==", Comparison::Eq), ("!=", Comparison::Ne), ("<=", Comparison::Le), (" < ", Comparison::Lt)];
    let found = words.iter().find_map(|(word, comparison)| Some((text.split_once(word)?, *comparison)));
    let ((left, right), comparison) = found.ok_or_else(|| RowFault::Condition(text.to_owned()))?;
    Ok(Condition { comparison, left: expression::read(left)?, right: expression::read(right)? })
}

fn whole(text: &str) -> Result<Arg, RowFault> {
    let mut rest = text;
    let arg = arg(&mut rest)?;
    match rest.trim().is_empty() {
        true => Ok(arg),
        false => Err(RowFault::TooMuch(rest.trim().to_owned())),
    }
}

fn arg(rest: &mut &str) -> Result<Arg, RowFault> {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('{') {
        let (inner, after) = inner.split_once('}').ok_or(RowFault::Unclosed('{', '}'))?;
        *rest = after;
        return Ok(Arg::Computed(expression::read(inner)?));
    }
    if rest.starts_with('(') || rest.starts_with("@(") {
        return node(rest).map(|node| Arg::Node(Box::new(node)));
    }
    let word = word(rest);
    let (name, width) = with_width(word)?;
    if let Some(n) = number(name) {
        return Ok(Arg::Number(n, width));
    }
    match name.chars().next() {
        Some(c) if c.is_ascii_uppercase() => Ok(Arg::Constant(name.to_owned(), width)),
        Some(c) if c.is_ascii_lowercase() => Ok(Arg::Name(name.to_owned(), width)),
        _ => Err(RowFault::Argument(word.to_owned())),
    }
}

fn node(rest: &mut &str) -> Result<Node, RowFault> {
    let sole = rest.starts_with('@');
    *rest = rest.trim_start_matches('@').strip_prefix('(').ok_or(RowFault::OperationBracket)?;
    let op = word(rest);
    let (op, width) = with_width(op)?;
    let op = parse_op(op).ok_or_else(|| RowFault::UnknownOperation(op.to_owned()))?;
    let mut args = Vec::new();
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(')') {
            *rest = after;
            return Ok(Node { op, width, args, sole });
        }
        if rest.is_empty() {
            return Err(RowFault::Unclosed('(', ')'));
        }
        args.push(arg(rest)?);
    }
}

/// The next word, up to a blank or a bracket.
fn word<'t>(rest: &mut &'t str) -> &'t str {
    let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    word
}

fn with_width(word: &str) -> Result<(&str, Option<u32>), RowFault> {
    match word.split_once(':') {
        Some((name, width)) => Ok((name, Some(width.parse().map_err(|_| RowFault::Width(word.to_owned()))?))),
        None => Ok((word, None)),
    }
}
