//! nvdisasm's text as tokens: numbers apart from words, signs with the operand they stand before.

use sassafras_isa::special;
use std::fmt;
use std::sync::Arc;

/// What a number in the text counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Kind {
    /// General register.
    R,
    /// Uniform register.
    UR,
    /// Predicate.
    P,
    /// Uniform predicate.
    UP,
    /// Convergence barrier.
    B,
    /// Hexadecimal number.
    Hex,
    /// Decimal number, which may be a floating-point number without a fraction.
    Decimal,
    /// Floating-point number.
    Float,
    /// Special register.
    Special,
    /// Distance of a branch target from the next instruction.
    Target,
}

/// Signs before an operand.
pub mod flag {
    /// A minus.
    pub const NEG: u8 = 1;
    /// Bars around it.
    pub const ABS: u8 = 2;
    /// An exclamation mark.
    pub const NOT: u8 = 4;
    /// A tilde.
    pub const INV: u8 = 8;
}

/// One token.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    /// The characters, without the signs before an operand.
    pub text: Arc<str>,
    /// Signs, of [`flag`].
    pub flags: u8,
}

impl Token {
    /// What it counts and how many, when it is a number.
    pub fn number(&self, uniform_constant: i64) -> Option<(Kind, i64)> {
        number(&self.text, uniform_constant)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (bit, sign) in [(flag::NOT, "!"), (flag::INV, "~"), (flag::NEG, "-"), (flag::ABS, "|")] {
            if self.flags & bit != 0 {
                f.write_str(sign)?;
            }
        }
        f.write_str(&self.text)
    }
}

/// The value of a signed hexadecimal number.
fn hex(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = u64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()? as i64;
    Some(if negative { value.wrapping_neg() } else { value })
}

fn number(text: &str, uniform_constant: i64) -> Option<(Kind, i64)> {
    if let Some(inside) = text.strip_prefix("pc(") {
        return Some((Kind::Target, hex(inside.strip_suffix(')')?)?));
    }
    if text.contains("0x") {
        return Some((Kind::Hex, hex(text)?));
    }
    if text.starts_with("SR") {
        return Some((Kind::Special, special::number(text)? as i64));
    }
    if text.ends_with("INF") || text.ends_with("NAN") {
        return Some((Kind::Float, 0));
    }
    if text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
        return Some(text.parse().map_or((Kind::Float, 0), |value| (Kind::Decimal, value)));
    }
    for (kind, prefix, constant) in [
        (Kind::UR, "UR", Some(('Z', uniform_constant))),
        (Kind::UP, "UP", Some(('T', 7))),
        (Kind::R, "R", Some(('Z', 255))),
        (Kind::P, "P", Some(('T', 7))),
        (Kind::B, "B", None),
    ] {
        let Some(rest) = text.strip_prefix(prefix) else { continue };
        if let Some((letter, value)) = constant
            && rest.len() == 1
            && rest.starts_with(letter)
        {
            return Some((kind, value));
        }
        if !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) {
            return Some((kind, rest.parse().ok()?));
        }
    }
    None
}

/// Splits a text. With `relative`, a target is shown as its distance from the instruction after `address`.
pub fn tokens(text: &str, relative: bool, address: u64) -> Vec<Token> {
    let mut list: Vec<Token> = Vec::new();
    let mut rest = text;
    let mut flags = 0;
    // The signs of `-|c[0x0][0x160]|` go with the bank's number.
    let mut carried = 0;
    while !rest.is_empty() {
        let n = length(rest, list.last());
        let (mut token, after) = rest.split_at(n);
        rest = after;
        let operand = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
        match token {
            "!" if operand(rest) => flags |= flag::NOT,
            "~" if operand(rest) => flags |= flag::INV,
            "-" if operand(rest) || rest.starts_with('|') => flags |= flag::NEG,
            "|" if operand(rest) => flags |= flag::ABS,
            "|" => {}
            _ => {
                if token.trim().is_empty() {
                    token = " ";
                }
                if matches!(token, "c" | "cx") {
                    (carried, flags) = (flags, 0);
                } else if carried != 0 && (token.starts_with("0x") || token.starts_with("UR")) {
                    (carried, flags) = (0, carried);
                }
                list.push(Token { text: Arc::from(token), flags });
                flags = 0;
            }
        }
    }
    if relative
        && !text.contains(".ABS")
        && let Some(last) = list.last_mut()
        && let Some((Kind::Hex, target)) = last.number(0)
    {
        let distance = target.wrapping_sub(address as i64).wrapping_sub(16);
        let sign = if distance < 0 { "-" } else { "" };
        last.text = Arc::from(format!("pc({sign}{:#x})", distance.unsigned_abs()));
    }
    list
}

/// Length of the token that a text begins with.
fn length(text: &str, before: Option<&Token>) -> usize {
    let run = |from: usize, test: &dyn Fn(char) -> bool| {
        text[from..].find(|c: char| !test(c)).map_or(text.len(), |n| from + n)
    };
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if let Some(rest) = text.strip_prefix(", ") {
        return text.len() - rest.len();
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let signed = text.len() - digits.len();
    // A plus belongs to a special value only; between parts of an address it is a token of its own.
    let sign_ok = !text.starts_with('+') || before.is_none_or(|t| t.text.ends_with(' '));
    if sign_ok && ["INF", "QNAN", "SNAN"].iter().any(|v| digits.starts_with(v)) {
        return run(signed, &word);
    }
    if !text.starts_with('+') {
        if digits.starts_with("0x") {
            return run(signed + 2, &|c| c.is_ascii_hexdigit());
        }
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            let mut end = run(signed, &|c| c.is_ascii_digit() || c == '.');
            if text[end..].starts_with("e+") || text[end..].starts_with("e-") {
                end = run(end + 2, &|c| c.is_ascii_digit());
            }
            return end;
        }
    }
    if let Some(rest) = text.strip_prefix('.') {
        return if rest.starts_with(word) { run(1, &word) } else { 1 };
    }
    if text.starts_with("SR") {
        return run(0, &|c| word(c) || c == '.');
    }
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return run(0, &word);
    }
    if text.starts_with(' ') {
        return run(0, &|c| c == ' ');
    }
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        tokens(text, false, 0).iter().map(Token::to_string).collect()
    }

    #[test]
    fn operands_keep_their_signs() {
        assert_eq!(
            split("FFMA.FTZ R1, -|R2|, c[0x0][0x160], -1.5"),
            [
                "FFMA", ".FTZ", " ", "R1", ", ", "-|R2", ", ", "c", "[", "0x0", "]", "[", "0x160", "]", ", ",
                "-1.5"
            ]
        );
        assert_eq!(split("@!P0 X [R2.64+-0x10]")[..2], ["@", "!P0"]);
        assert_eq!(split("[R2.64+-0x10]"), ["[", "R2", ".64", "+", "-0x10", "]"]);
        assert_eq!(split("S2R R1, SR_TID.X")[4], "SR_TID.X");
        assert_eq!(split("FADD R1, R2, +INF")[6], "+INF");
    }

    #[test]
    fn targets_are_distances() {
        let list = tokens("BRA 0x150", true, 0x100);
        assert_eq!(list[2].number(63), Some((Kind::Target, 0x40)));
    }
}
