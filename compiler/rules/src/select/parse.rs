//! Reads the notation of selection rules.

use super::attribute::head_named;
use super::row::{Action, Arg, Condition, Emit, FormPiece, Kinds, Pattern, Row, Value};
use crate::lines::{RowError, RowFault, joined};

/// Reads all rows of a file.
pub fn parse(file: &'static str, text: &str) -> Result<Vec<Row>, RowError> {
    joined(text).into_iter().map(|(line, text)| row(&text, (file, line))).collect()
}

/// The head of a row's pattern as it is written: the first word behind the first bracket, up to its suffix or conditions.
pub(super) fn head_of(text: &str) -> &str {
    let pattern = text.split_once('(').map_or("", |(_, pattern)| pattern.trim_start());
    let end = pattern.find(|c: char| c.is_whitespace() || matches!(c, '.' | '[' | '(' | ')'));
    &pattern[..end.unwrap_or(pattern.len())]
}

/// Reads one row.
pub(super) fn row(text: &str, place: (&'static str, usize)) -> Result<Row, RowError> {
    let fail = |fault: RowFault| RowError { file: place.0, line: place.1, fault };
    let (left, right) = text.split_once("=>").ok_or_else(|| fail(RowFault::NoArrow))?;
    let (name, pattern) =
        left.trim().split_once(char::is_whitespace).ok_or_else(|| fail(RowFault::NoPattern))?;
    let tokens = tokens(pattern);
    let mut at = 0;
    let pattern = node(&tokens, &mut at, None).map_err(&fail)?;
    if at != tokens.len() {
        return Err(fail(RowFault::AfterPattern(tokens[at].clone())));
    }
    let actions = right.split(';').map(|a| action(a.trim())).collect::<Result<Vec<_>, _>>().map_err(fail)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(Row { name: name.to_owned(), text: words.join(" "), place, pattern, actions })
}

fn tokens(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

fn node(tokens: &[String], at: &mut usize, name: Option<String>) -> Result<Pattern, RowFault> {
    if tokens.get(*at).map(String::as_str) != Some("(") {
        return Err(RowFault::PatternBracket);
    }
    *at += 1;
    let word = tokens.get(*at).ok_or(RowFault::NoOperation)?;
    *at += 1;
    let (word, conditions) = match word.split_once('[') {
        Some((w, c)) => (w, c.strip_suffix(']').ok_or(RowFault::Unclosed('[', ']'))?),
        None => (word.as_str(), ""),
    };
    let (head, suffix) = match word.split_once('.') {
        Some((h, s)) => (h, Some(s.to_owned())),
        None => (word, None),
    };
    let head = head_named(head).ok_or_else(|| RowFault::UnknownOperation(head.to_owned()))?;
    let conditions = conditions.split(',').filter(|c| !c.is_empty()).map(condition).collect();
    let mut args = Vec::new();
    loop {
        match tokens.get(*at).map(String::as_str) {
            None => return Err(RowFault::Unclosed('(', ')')),
            Some(")") => {
                *at += 1;
                return Ok(Pattern { head, suffix, conditions, args, name });
            }
            Some("(") => args.push(Arg::Node(Box::new(node(tokens, at, None)?))),
            Some(word) if word.ends_with('@') => {
                *at += 1;
                let name = word.trim_end_matches('@').to_owned();
                args.push(Arg::Node(Box::new(node(tokens, at, Some(name))?)));
            }
            Some(word) => {
                args.push(operand(word)?);
                *at += 1;
            }
        }
    }
}

fn condition(text: &str) -> Condition {
    match (text.split_once('='), text.strip_prefix('!')) {
        (Some((name, value)), _) => Condition::Is(name.to_owned(), value.to_owned()),
        (None, Some(name)) => Condition::Flag(name.to_owned(), false),
        (None, None) => Condition::Flag(text.to_owned(), true),
    }
}

fn operand(word: &str) -> Result<Arg, RowFault> {
    if word == "_" {
        return Ok(Arg::Any);
    }
    if let Some(n) = integer(word) {
        return Ok(Arg::Integer(n));
    }
    let (name, letters) = word.split_once(':').unwrap_or((word, "r"));
    let mut kinds = Kinds::default();
    for letter in letters.chars() {
        match letter {
            'r' => kinds.register = true,
            'i' => kinds.immediate = true,
            'b' => kinds.byte = true,
            's' => kinds.shift = true,
            't' => kinds.count = true,
            'f' => kinds.float64 = true,
            'c' => kinds.constant = true,
            'm' => kinds.modifiers = true,
            'h' => kinds.half = true,
            other => return Err(RowFault::OperandKind(other)),
        }
    }
    Ok(Arg::Bind { name: name.to_owned(), kinds })
}

fn integer(word: &str) -> Option<i128> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

fn action(text: &str) -> Result<Action, RowFault> {
    let mut words = text.split_whitespace();
    let first = words.next().ok_or(RowFault::EmptyReplacement)?;
    match first {
        "pack" => {
            let mut values = words.map(value).collect::<Result<Vec<_>, _>>()?;
            if values.len() < 2 {
                return Err(RowFault::Pack);
            }
            let result = values.remove(0);
            Ok(Action::Pack(result, values))
        }
        "copy" => match (words.next(), words.next(), words.next()) {
            (Some(to), Some(from), None) => Ok(Action::Copy(value(to)?, value(from)?)),
            _ => Err(RowFault::Copy),
        },
        form => {
            let fields = words
                .map(|w| {
                    let (name, v) = w.split_once('=').ok_or_else(|| RowFault::Field(w.to_owned()))?;
                    Ok((name.to_owned(), value(v)?))
                })
                .collect::<Result<Vec<_>, RowFault>>()?;
            Ok(Action::Emit(Emit { form: pieces(form)?, fields }))
        }
    }
}

fn pieces(form: &str) -> Result<Vec<FormPiece>, RowFault> {
    let mut all = Vec::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('{') {
        if !before.is_empty() {
            all.push(FormPiece::Text(before.to_owned()));
        }
        let (name, after) = after.split_once('}').ok_or(RowFault::Unclosed('{', '}'))?;
        all.push(FormPiece::Kind(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        all.push(FormPiece::Text(rest.to_owned()));
    }
    Ok(all)
}

fn value(word: &str) -> Result<Value, RowFault> {
    if let Some(text) = word.strip_prefix('.') {
        return Ok(Value::Text(if text.is_empty() { String::new() } else { word.to_owned() }));
    }
    if let Some(name) = word.strip_prefix('$') {
        return Ok(match name.split_once('.') {
            Some((node, name)) => Value::Attribute(Some(node.to_owned()), name.to_owned()),
            None => Value::Attribute(None, name.to_owned()),
        });
    }
    if let Some(name) = word.strip_prefix('@') {
        let (name, unit) = name.split_once('.').unwrap_or((name, "0"));
        let unit = unit.parse().map_err(|_| RowFault::Unit(word.to_owned()))?;
        return Ok(Value::Window(name.to_owned(), unit));
    }
    if let Some(name) = word.strip_prefix("32-") {
        return Ok(Value::Rest(name.to_owned()));
    }
    if let Some(n) = integer(word) {
        return i64::try_from(n).map(Value::Integer).map_err(|_| RowFault::TooLarge(word.to_owned()));
    }
    let (name, unit) = match word.rsplit_once('.') {
        Some((name, unit)) => (name, Some(unit.parse::<u8>().map_err(|_| RowFault::Unit(word.to_owned()))?)),
        None => (word, None),
    };
    Ok(match name {
        "d" | "d0" => Value::Result(0, unit),
        "d1" => Value::Result(1, unit),
        "results" => Value::Results,
        "args" => Value::Args,
        "desc" => Value::Descriptor,
        _ => match name.strip_prefix('%') {
            Some(temp) => Value::Temp(temp.to_owned(), unit),
            None => Value::Operand(name.to_owned(), unit),
        },
    })
}
