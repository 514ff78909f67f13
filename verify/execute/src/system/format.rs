//! Format strings of C (ISO/IEC 9899:2018, 7.21.6.1), as the device's `printf` takes them: what each conversion takes, and its text.

use std::fmt::Write;

/// How an argument lies in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// 4 bytes.
    Word,
    /// 8 bytes.
    Long,
    /// 8 bytes, the address of a string.
    String,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Fixed(usize),
    /// The next argument says it.
    Argument,
}

/// What stands behind a `%`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Conversion {
    flags: Vec<u8>,
    width: Option<Size>,
    precision: Option<Size>,
    long: bool,
    /// The bits that `h` and `hh` leave of an integer.
    bits: Option<u32>,
    letter: u8,
}

/// A format in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Conversion(Conversion),
}

fn parts(format: &[u8]) -> Vec<Part> {
    let mut all = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let start = at - 1;
        let mut c = Conversion::default();
        let mut behind_point = false;
        while let Some(&byte) = format.get(at) {
            at += 1;
            let size = if behind_point { &mut c.precision } else { &mut c.width };
            match byte {
                b'*' => *size = Some(Size::Argument),
                b'0'..=b'9' if byte != b'0' || size.is_some() => {
                    let before = if let Some(Size::Fixed(n)) = *size { n } else { 0 };
                    *size = Some(Size::Fixed((10 * before + usize::from(byte - b'0')).min(4096)));
                }
                b'-' | b'+' | b' ' | b'#' | b'0' if !behind_point => c.flags.push(byte),
                b'0' => {}
                b'.' => {
                    behind_point = true;
                    c.precision = Some(Size::Fixed(0));
                }
                b'l' => c.long = true,
                b'h' => c.bits = Some(if c.bits.is_some() { 8 } else { 16 }),
                letter => {
                    c.letter = letter;
                    break;
                }
            }
        }
        match c.letter {
            b'%' => text.push(b'%'),
            b'c' | b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'p' | b'e' | b'E' | b'f' | b'F' | b'g'
            | b'G' | b'a' | b'A' | b's' => {
                if !text.is_empty() {
                    all.push(Part::Text(std::mem::take(&mut text)));
                }
                all.push(Part::Conversion(c));
            }
            // No conversion: nothing is taken, and it is printed as it stands.
            _ => text.extend(&format[start..at]),
        }
    }
    if !text.is_empty() {
        all.push(Part::Text(text));
    }
    all
}

/// The arguments that a format takes.
pub(super) fn conversions(format: &[u8]) -> Vec<Argument> {
    let mut all = Vec::new();
    for part in parts(format) {
        let Part::Conversion(c) = part else { continue };
        let stars = [c.width, c.precision].into_iter().filter(|s| *s == Some(Size::Argument));
        all.extend(stars.map(|_| Argument::Word));
        all.push(match c.letter {
            b's' => Argument::String,
            b'c' | b'd' | b'i' | b'o' | b'u' | b'x' | b'X' if !c.long => Argument::Word,
            _ => Argument::Long,
        });
    }
    all
}

/// The text of a format with its arguments, each in as many bytes as it takes, strings in place of their addresses. Arguments that are
/// missing end the text.
pub(super) fn text<'a>(format: &[u8], mut arguments: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts(format) {
        let c = match part {
            Part::Text(text) => {
                out.extend(text);
                continue;
            }
            Part::Conversion(c) => c,
        };
        let mut size = |size: Option<Size>| {
            Some(match size {
                Some(Size::Argument) => Some(integer(arguments.next()?, None) as i32),
                Some(Size::Fixed(n)) => Some(n as i32),
                None => None,
            })
        };
        let (Some(width), Some(precision)) = (size(c.width), size(c.precision)) else { return out };
        let Some(argument) = arguments.next() else { return out };
        let left = c.flags.contains(&b'-') || width.is_some_and(|w| w < 0);
        let precision = precision.and_then(|p| usize::try_from(p).ok());
        let (sign, digits) = one(&c, precision, argument);
        let missing = (width.unwrap_or(0).unsigned_abs() as usize).saturating_sub(sign.len() + digits.len());
        // Of integers a precision takes the zeros' place.
        let integer = matches!(c.letter, b'd' | b'i' | b'o' | b'u' | b'x' | b'X');
        let zeros = c.flags.contains(&b'0') && !left && !(integer && precision.is_some());
        let zeros = zeros && !matches!(c.letter, b's' | b'c' | b'p');
        let fill = |out: &mut Vec<u8>, byte: u8| out.extend(std::iter::repeat_n(byte, missing));
        if !left && !zeros {
            fill(&mut out, b' ');
        }
        out.extend(sign.bytes());
        if zeros {
            fill(&mut out, b'0');
        }
        out.extend(digits);
        if left {
            fill(&mut out, b' ');
        }
    }
    out
}

/// The bits of an argument; of `bits` of them alone if that is less.
fn integer(bytes: &[u8], bits: Option<u32>) -> u64 {
    let all = bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
    bits.map_or(all, |bits| all & ((1 << bits) - 1))
}

/// Sign or prefix of an argument, and the rest.
fn one(c: &Conversion, precision: Option<usize>, argument: &[u8]) -> (String, Vec<u8>) {
    let flag = |byte: u8| c.flags.contains(&byte);
    let plus = |negative: bool| match () {
        () if negative => "-",
        () if flag(b'+') => "+",
        () if flag(b' ') => " ",
        () => "",
    };
    let padded = |digits: String| {
        let zeros = precision.unwrap_or(1).saturating_sub(digits.len());
        ("0".repeat(zeros) + &digits).into_bytes()
    };
    let value = integer(argument, c.bits);
    let width = c.bits.unwrap_or(8 * argument.len() as u32).clamp(1, 64);
    let bare = precision == Some(0) && value == 0;
    match c.letter {
        b's' => {
            let most = precision.unwrap_or(argument.len()).min(argument.len());
            (String::new(), argument[..most].to_vec())
        }
        b'c' => (String::new(), vec![value as u8]),
        b'd' | b'i' => {
            let signed = (value << (64 - width)) as i64 >> (64 - width);
            let digits = if bare { String::new() } else { signed.unsigned_abs().to_string() };
            (plus(signed < 0).to_owned(), padded(digits))
        }
        b'u' => (String::new(), padded(if bare { String::new() } else { value.to_string() })),
        b'o' => {
            let digits = if bare { String::new() } else { format!("{value:o}") };
            let digits = if flag(b'#') && !digits.starts_with('0') { format!("0{digits}") } else { digits };
            (String::new(), padded(digits))
        }
        b'x' | b'X' => {
            let digits = match (bare, c.letter) {
                (true, _) => String::new(),
                (_, b'x') => format!("{value:x}"),
                _ => format!("{value:X}"),
            };
            let prefix =
                if flag(b'#') && value != 0 { format!("0{}", c.letter as char) } else { String::new() };
            (prefix, padded(digits))
        }
        // What an address is differs from compiler to compiler; see `print`.
        b'p' if argument.len() != 8 => (String::new(), b"(address)".to_vec()),
        b'p' => (String::new(), format!("{value:#x}").into_bytes()),
        letter => {
            let x = f64::from_bits(value);
            let text = match x.is_finite() {
                true => float(x.abs(), letter.to_ascii_lowercase(), precision, flag(b'#')),
                false if x.is_nan() => "nan".to_owned(),
                false => "inf".to_owned(),
            };
            let text = if letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
            (plus(x.is_sign_negative()).to_owned(), text.into_bytes())
        }
    }
}

/// A float that is not negative.
fn float(x: f64, letter: u8, precision: Option<usize>, all: bool) -> String {
    let places = precision.unwrap_or(6);
    match letter {
        b'f' => format!("{x:.places$}"),
        b'e' => exponential(x, places),
        b'g' => {
            let digits = places.max(1);
            let text = exponential(x, digits - 1);
            let exponent = text.rsplit_once('e').and_then(|e| e.1.parse::<i64>().ok()).unwrap_or(0);
            let text = if (-4..digits as i64).contains(&exponent) {
                format!("{x:.*}", (digits as i64 - 1 - exponent) as usize)
            } else {
                text
            };
            if all { text } else { short(&text) }
        }
        _ => hexadecimal(x, precision),
    }
}

fn exponential(x: f64, places: usize) -> String {
    let text = format!("{x:.places$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |e| ("-", e));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Without zeros at the end of its fraction.
fn short(text: &str) -> String {
    let (digits, exponent) = text.find('e').map_or((text, ""), |at| text.split_at(at));
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits}{exponent}")
}

fn hexadecimal(x: f64, precision: Option<usize>) -> String {
    let bits = x.to_bits();
    let (exponent, mut fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let mut lead = u64::from(exponent != 0);
    let places = precision.unwrap_or(13).min(13);
    if places < 13 {
        let cut = 4 * (13 - places);
        let (kept, rest, half) = (fraction >> cut, fraction & ((1 << cut) - 1), 1u64 << (cut - 1));
        let odd = if places == 0 { lead } else { kept } & 1;
        let up = u64::from(rest > half || rest == half && odd == 1);
        let whole = (lead << (52 - cut) | kept) + up;
        lead = whole >> (52 - cut);
        fraction = (whole & ((1 << (52 - cut)) - 1)) << cut;
    }
    let power = match (exponent, x == 0.0) {
        (_, true) => 0,
        (0, _) => -1022,
        _ => exponent - 1023,
    };
    let mut digits = format!("{fraction:013x}");
    digits.truncate(places);
    if precision.is_none() {
        digits.truncate(digits.trim_end_matches('0').len());
    }
    let mut text = format!("0x{lead}");
    if !digits.is_empty() {
        let _ = write!(text, ".{digits}");
    }
    let _ = write!(text, "p{power:+}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_take_what_their_conversions_say() {
        use Argument::{Long, String, Word};
        let of = |text: &str| conversions(text.as_bytes());
        assert_eq!(of("none %% 100%"), []);
        assert_eq!(of("%d%-08.3lx%hhu"), [Word, Long, Word]);
        assert_eq!(of("%*.2f|%s|%p|%lld|%c"), [Word, Long, String, Long, Long, Word]);
    }

    /// The right side is what glibc 2.36 prints.
    #[test]
    fn texts_are_those_of_c() {
        let int = |format: &str, n: i32| text(format.as_bytes(), [n.to_le_bytes().as_slice()].into_iter());
        let float = |format: &str, x: f64| text(format.as_bytes(), [x.to_le_bytes().as_slice()].into_iter());
        for (format, n, expected) in [
            ("%d", -7, "-7"),
            ("%5d|", -7, "   -7|"),
            ("%-5d|", 7, "7    |"),
            ("%05d", -7, "-0007"),
            ("%+.3d", 7, "+007"),
            ("% d", 7, " 7"),
            ("%u", -1, "4294967295"),
            ("%#x", 255, "0xff"),
            ("%#06X", 255, "0X00FF"),
            ("%o", 8, "10"),
            ("%#o", 8, "010"),
            ("%hhd", 0x180, "-128"),
            ("%hu", -1, "65535"),
            ("%c%%", 65, "A%"),
            ("%.0d|", 0, "|"),
        ] {
            assert_eq!(String::from_utf8_lossy(&int(format, n)), expected, "{format} of {n}");
        }
        for (format, x, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.2E", 1e-7, "1.00E-07"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1_000_000.0, "1e+06"),
            ("%#g", 1.5, "1.50000"),
            ("%a", 1.5, "0x1.8p+0"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%.1a", 1.96875, "0x2.0p+0"),
            ("%a", 0.0, "0x0p+0"),
            ("%08.2f", -1.0, "-0001.00"),
            ("%5f|", f64::INFINITY, "  inf|"),
            ("%F", f64::NAN, "NAN"),
        ] {
            assert_eq!(String::from_utf8_lossy(&float(format, x)), expected, "{format} of {x}");
        }
        let said =
            text(b"%.2s|%*d", [b"long".as_slice(), &4i32.to_le_bytes(), &7i32.to_le_bytes()].into_iter());
        assert_eq!(said, b"lo|   7");
        assert_eq!(text(b"a %d b", std::iter::empty()), b"a ", "an argument is missing");
    }
}
