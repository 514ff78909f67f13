//! From the text of a file to rows: macros are put in, shapes are spread.

use super::NotationError;

/// One form's row, with macros and shapes gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Name of the form.
    pub id: String,
    /// Chips, as in `80-90`.
    pub chips: String,
    /// Bits 0 to 11.
    pub opcode: u16,
    /// Fixed bits: first bit, number of bits, value.
    pub fixed: Vec<(u8, u8, u64)>,
    /// The text.
    pub syntax: String,
    /// Other texts with their conditions.
    pub aliases: Vec<(String, String)>,
    /// Attributes: name and value, in order; `deny` may come more than once.
    pub attributes: Vec<(String, String)>,
}

/// Chips whose numbers stand in IDs where a chip writes a form otherwise than sm_90.
const CHIPS: &[&str] = &["75", "80", "86", "89", "90", "100", "103", "110", "120"];

impl Row {
    /// The name by which the form is known on every chip that has it: its attribute, or its ID without chips.
    pub fn family(&self) -> String {
        let own = self.attributes.iter().find(|(name, _)| name == "family");
        let parts = || self.id.split('.').filter(|part| !CHIPS.contains(part));
        own.map_or_else(|| parts().collect::<Vec<_>>().join("."), |(_, family)| family.clone())
    }
}

/// Reads all rows of a file.
///
/// # Errors
/// The first line that is no row.
pub fn rows(text: &str) -> Result<Vec<Row>, NotationError> {
    let mut macros: Vec<(String, String)> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut spread = 0;
    for line in text.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(definition) = line.strip_prefix('@') {
            let (name, body) = definition.split_once(' ').unwrap_or((definition, ""));
            macros.push((name.to_owned(), substitute(body.trim(), &macros)));
            continue;
        }
        let line = substitute(line, &macros);
        if let Some(alias) = line.trim_start().strip_prefix("| ") {
            let (conditions, syntax) =
                alias.split_once(' ').ok_or_else(|| error(alias, "an alias needs a text"))?;
            let syntax = quoted(alias, syntax)?.0;
            let from = rows.len() - spread;
            for row in &mut rows[from..] {
                // An alias of a spread row is written for the shapes whose placeholders it can fill.
                if let Some(only) = conditions.split('&').find_map(|c| c.strip_prefix("shape=")) {
                    let shape = row.id.rsplit('.').next().unwrap_or_default();
                    if !only.split('/').any(|s| s == shape) {
                        continue;
                    }
                }
                let kept: Vec<&str> = conditions.split('&').filter(|c| !c.starts_with("shape=")).collect();
                let shape = row.id.rsplit('.').next().unwrap_or_default().to_owned();
                let text =
                    if syntax.contains("<@") { place(&row.id, &syntax, &shape)? } else { syntax.clone() };
                row.aliases.push((kept.join("&"), text));
            }
            continue;
        }
        let new = row(&line)?;
        spread = new.len();
        rows.extend(new);
    }
    Ok(rows)
}

fn error(row: &str, message: &str) -> NotationError {
    NotationError { row: row.to_owned(), message: message.to_owned() }
}

fn substitute(line: &str, macros: &[(String, String)]) -> String {
    let mut text = line.to_owned();
    // The longest name first, so that $ab is not read as $a.
    let mut order: Vec<&(String, String)> =
        macros.iter().filter(|(name, _)| text.contains(&format!("${name}"))).collect();
    order.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, body) in order {
        text = text.replace(&format!("${name}"), body);
    }
    text
}

/// The quoted text and what follows it.
fn quoted<'a>(row: &str, text: &'a str) -> Result<(String, &'a str), NotationError> {
    let text = text.trim_start().strip_prefix('"').ok_or_else(|| error(row, "the text needs quotes"))?;
    let (inside, after) = text.split_once('"').ok_or_else(|| error(row, "the text does not end"))?;
    Ok((inside.to_owned(), after))
}

/// One line: several rows when it has shapes.
fn row(line: &str) -> Result<Vec<Row>, NotationError> {
    let mut rest = line;
    let mut word = || {
        let (first, after) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
        rest = after;
        first.to_owned()
    };
    let (id, chips, opcodes, fixed) = (word(), word(), word(), word());
    let (syntax, after) = quoted(&id, rest)?;
    let attributes: Vec<(String, String)> = after
        .trim_start_matches([' ', ';'])
        .split_whitespace()
        .map(|a| {
            a.split_once('=').map_or((a.to_owned(), String::new()), |(n, v)| (n.to_owned(), v.to_owned()))
        })
        .collect();
    let mut rows = Vec::new();
    for item in opcodes.split(',') {
        let (shape, opcode) = item.split_once(':').map_or((None, item), |(s, o)| (Some(s), o));
        let (opcode, only) = opcode.split_once('@').map_or((opcode, None), |(o, only)| (o, Some(only)));
        let opcode =
            u16::from_str_radix(opcode, 16).map_err(|_| error(&id, "the opcode is not hexadecimal"))?;
        let mut bits = Vec::new();
        for part in fixed.split(',').filter(|part| *part != "-") {
            bits.push(fixed_bits(part).ok_or_else(|| error(&id, &format!("`{part}` fixes no bits")))?);
        }
        let (mut name, mut text) = (id.clone(), syntax.clone());
        if let Some(shape) = shape {
            name = id.replace('*', shape);
            text = place(&id, &syntax, shape)?;
            if shape.contains('u') && !bits.contains(&(91, 1, 1)) {
                bits.push((91, 1, 1));
            }
        }
        rows.push(Row {
            id: name,
            chips: only.unwrap_or(&chips).to_owned(),
            opcode,
            fixed: bits,
            syntax: text,
            aliases: Vec::new(),
            attributes: attributes.clone(),
        });
    }
    Ok(rows)
}

fn fixed_bits(part: &str) -> Option<(u8, u8, u64)> {
    let (place, value) = part.split_once('=')?;
    let (first, count) = place.split_once('+').unwrap_or((place, "1"));
    Some((first.parse().ok()?, count.parse().ok()?, value.parse().ok()?))
}

/// Puts the operands that a shape names in the place of `<@name options>`.
fn place(row: &str, syntax: &str, shape: &str) -> Result<String, NotationError> {
    let mut letters = shape.chars();
    let special_c = shape.len() == 3 && (shape.ends_with(['i', 'c']) || shape.ends_with("ru"));
    let mut out = String::new();
    let mut rest = syntax;
    while let Some((before, after)) = rest.split_once("<@") {
        out.push_str(before);
        let (inside, after) = after.split_once('>').ok_or_else(|| error(row, "an operand does not end"))?;
        rest = after;
        let mut words = inside.split(' ');
        let name = words.next().unwrap_or_default();
        let letter = letters.next().ok_or_else(|| error(row, &format!("shape `{shape}` is too short")))?;
        let (slot, neg, abs) = match (name, special_c) {
            ("a", _) => (24, 72, 73),
            ("b", false) | ("c", true) => (32, 63, 62),
            ("b", true) | ("c", false) => (64, 75, 74),
            _ => return Err(error(row, &format!("`@{name}` has no place"))),
        };
        let mut kind = "s32";
        let reuse =
            u8::try_from((b'a'..=b'c').position(|n| name.as_bytes() == [n]).unwrap_or(0)).unwrap_or(0);
        let mut flags = format!(" u{reuse}");
        let mut options = String::new();
        for option in words {
            match option.split_once('=') {
                Some(("k", k)) => kind = k,
                _ if matches!(option, "u0" | "u1" | "u2") => flags.replace_range(..3, &format!(" {option}")),
                _ if option == "n" => flags += &format!(" n{neg}"),
                _ if option == "a" => flags += &format!(" a{abs}"),
                _ if option == "~" => flags += &format!(" ~{neg}"),
                _ if option.starts_with("i=") => flags += &format!(" {option}"),
                _ => options += &format!(" {option}"),
            }
        }
        match letter {
            'r' => out += &format!("<R {name} {slot}{flags}{options}>"),
            'u' => out += &format!("<UR {name} {slot}{}{options}>", &flags[3..]),
            'c' if slot == 32 => out += &format!("<C {name} 32{}>", &flags[3..]),
            'i' if slot == 32 => out += &format!("<{kind} {name} 32>"),
            _ => return Err(error(row, &format!("`{letter}` cannot stand at bit {slot}"))),
        }
    }
    Ok(out + rest)
}
