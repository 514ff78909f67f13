//! The text part of a row, before names are resolved.

/// A piece of text with names still as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Raw {
    /// These characters.
    Literal(String),
    /// The words between `<` and `>`.
    Field(Vec<String>),
    /// Conditions, and what is shown when they hold.
    When(String, Vec<Raw>),
}

/// Reads the text part of a row.
pub fn read(text: &str) -> Result<Vec<Raw>, String> {
    let mut rest = text;
    let nodes = sequence(&mut rest)?;
    if rest.is_empty() { Ok(nodes) } else { Err(format!("`{rest}` is left over")) }
}

fn sequence(rest: &mut &str) -> Result<Vec<Raw>, String> {
    let mut nodes = Vec::new();
    loop {
        let end = rest.find(['<', '{', '}']).unwrap_or(rest.len());
        if end > 0 {
            nodes.push(Raw::Literal(rest[..end].to_owned()));
            *rest = &rest[end..];
        }
        if let Some(after) = rest.strip_prefix('<') {
            let (inside, after) = after.split_once('>').ok_or("a field does not end")?;
            nodes.push(Raw::Field(inside.split_whitespace().map(str::to_owned).collect()));
            *rest = after;
        } else if let Some(after) = rest.strip_prefix('{') {
            let (conditions, after) = after.split_once('?').ok_or("a condition does not end")?;
            *rest = after;
            let inside = sequence(rest)?;
            *rest = rest.strip_prefix('}').ok_or("a conditional text does not end")?;
            nodes.push(Raw::When(conditions.to_owned(), inside));
        } else {
            return Ok(nodes);
        }
    }
}
