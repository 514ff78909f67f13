//! Numbers as nvdisasm writes them: like C's `%.20g`, and `%.20e` from 1e9 on.

/// Digits after which nvdisasm rounds.
const DIGITS: usize = 20;
/// From this magnitude on it writes an exponent.
const EXPONENT_FROM: f64 = 1e9;

/// Text of a number given as binary64; `quiet` says whether a NaN's quiet bit is set, `negative` gives its sign.
pub fn write(value: f64, negative: bool, quiet: bool) -> String {
    let sign = if negative { "-" } else { "+" };
    if value.is_nan() {
        return format!("{sign}{}", if quiet { "QNAN" } else { "SNAN" });
    }
    if value.is_infinite() {
        return format!("{sign}INF");
    }
    if value == 0.0 {
        return if negative { "-0.0".to_owned() } else { "0".to_owned() };
    }
    if value.abs() >= EXPONENT_FROM { exponent(value, DIGITS, false) } else { general(value) }
}

/// Characters that a number of [`quick`] has at most: sign, point, zeros behind it and digits.
pub const QUICK: usize = DIGITS + 8;

/// The text of a number of everyday size, by integers alone; how many characters of the buffer it takes. `None` for what [`text`] must be
/// asked: very large and very small numbers, ties.
pub fn quick(bits: u64, format: Format, buffer: &mut [u8; QUICK]) -> Option<usize> {
    let value = match format {
        Format::Half => half(bits as u16),
        Format::Bfloat => f64::from(f32::from_bits((bits as u32) << 16)),
        Format::Single => f64::from(f32::from_bits(bits as u32)),
        Format::DoubleHigh => f64::from_bits(bits << 32),
    };
    if !(1e-4..EXPONENT_FROM).contains(&value.abs()) {
        return None;
    }
    // value = mantissa * 2^-places, an odd mantissa where there are places.
    let raw = value.to_bits();
    let mut mantissa = raw & ((1 << 52) - 1) | 1 << 52;
    let mut places = 1075 - (raw >> 52 & 0x7ff) as i32;
    let even = (mantissa.trailing_zeros() as i32).min(places);
    mantissa >>= even;
    places -= even;
    // Times ten it must fit 64 bits.
    if !(0..=60).contains(&places) {
        return None;
    }
    let (mut whole, mut rest) = (mantissa >> places, mantissa & ((1 << places) - 1));
    let mut length = 0;
    let mut put = |byte: u8| {
        buffer[length] = byte;
        length += 1;
    };
    if value < 0.0 {
        put(b'-');
    }
    let mut unit = 1;
    while whole / unit >= 10 {
        unit *= 10;
    }
    let mut digits = 0;
    let mut significant = whole != 0;
    while unit > 0 {
        put(b'0' + (whole / unit) as u8);
        whole %= unit;
        unit /= 10;
        digits += usize::from(significant);
    }
    if rest == 0 {
        return Some(length);
    }
    put(b'.');
    while rest != 0 && digits < DIGITS {
        rest *= 10;
        let digit = (rest >> places) as u8;
        rest &= (1 << places) - 1;
        significant |= digit != 0;
        digits += usize::from(significant);
        put(b'0' + digit);
    }
    if rest != 0 {
        let half = 1 << (places - 1);
        if rest == half {
            return None;
        }
        if rest > half {
            let last = buffer[..length].iter().rposition(|&b| b != b'9')?;
            if !buffer[last].is_ascii_digit() {
                return None;
            }
            buffer[last] += 1;
            length = last + 1;
        }
        while buffer[length - 1] == b'0' {
            length -= 1;
        }
    }
    Some(length)
}

/// `%.Ne`: `digits` after the point, exponent of at least two digits.
fn exponent(value: f64, digits: usize, trim: bool) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if trim && mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// `%.20g`.
fn general(value: f64) -> String {
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..DIGITS as i32).contains(&power) {
        return exponent(value, DIGITS - 1, true);
    }
    let digits = (DIGITS as i32 - 1 - power) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A binary16 number, exactly.
pub fn half(bits: u16) -> f64 {
    let magnitude = f64::from(bits & 0x3ff);
    let value = match bits >> 10 & 0x1f {
        0 => magnitude * 2f64.powi(-24),
        31 if magnitude == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (magnitude + 1024.0) * 2f64.powi(i32::from(e) - 25),
    };
    if bits >> 15 == 1 { -value } else { value }
}

/// Formats of immediates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// binary16.
    Half,
    /// The high half of a binary32 number.
    Bfloat,
    /// binary32.
    Single,
    /// The high half of a binary64 number.
    DoubleHigh,
}

/// Text of raw bits.
pub fn text(bits: u64, format: Format) -> String {
    match format {
        Format::Half => write(half(bits as u16), bits >> 15 & 1 == 1, bits >> 9 & 1 == 1),
        Format::Bfloat => text(bits << 16, Format::Single),
        Format::Single => {
            write(f64::from(f32::from_bits(bits as u32)), bits >> 31 & 1 == 1, bits >> 22 & 1 == 1)
        }
        Format::DoubleHigh => write(f64::from_bits(bits << 32), bits >> 31 & 1 == 1, bits >> 19 & 1 == 1),
    }
}

/// Raw bits of a text; `None` if it is no number or is not exact in the format (NaNs get one payload).
pub fn bits(text: &str, format: Format) -> Option<u64> {
    let (width, mantissa) = match format {
        Format::Half => (16, 10),
        Format::Bfloat => (16, 7),
        Format::Single => (32, 23),
        Format::DoubleHigh => (32, 20),
    };
    let sign = u64::from(text.starts_with('-')) << (width - 1);
    let top = ((1u64 << (width - 1)) - 1) >> mantissa << mantissa;
    match text.trim_start_matches(['+', '-']) {
        "INF" => return Some(sign | top),
        "QNAN" => return Some(sign | top | ((1 << mantissa) - 1)),
        "SNAN" => return Some(sign | top | 1),
        _ => {}
    }
    let value: f64 = text.parse().ok()?;
    let raw = match format {
        Format::Single => u64::from((value as f32).to_bits()),
        Format::DoubleHigh => value.to_bits() >> 32,
        Format::Bfloat => u64::from((value as f32).to_bits() >> 16),
        Format::Half => (0..=0xffff_u64).find(|&b| half(b as u16).to_bits() == value.to_bits())?,
    };
    (self::text(raw, format) == write(value, value.is_sign_negative(), true)).then_some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_nvdisasm_writes() {
        assert_eq!(text(0x3f80_0000, Format::Single), "1");
        assert_eq!(text(0x4e6e_6b27, Format::Single), "999999936");
        assert_eq!(text(0x4e6e_6b28, Format::Single), "1.00000000000000000000e+09");
        assert_eq!(text(0x3dcc_cccd, Format::Single), "0.10000000149011611938");
        assert_eq!(text(0x8000_0000, Format::Single), "-0.0");
        assert_eq!(text(0x7fc0_0000, Format::Single), "+QNAN");
        assert_eq!(text(0x3c00, Format::Half), "1");
        assert_eq!(text(0x0000_0001, Format::Single), "1.4012984643248170709e-45");
    }

    #[test]
    fn quick_ones_are_the_same() {
        let mut told = 0;
        let mut hold = |raw: u64, format| {
            let mut buffer = [0; QUICK];
            if let Some(length) = quick(raw, format, &mut buffer) {
                told += 1;
                assert_eq!(
                    str::from_utf8(&buffer[..length]),
                    Ok(text(raw, format).as_str()),
                    "{raw:#x} {format:?}"
                );
            }
        };
        for raw in 0..0x1_0000 {
            hold(raw, Format::Half);
            hold(raw, Format::Bfloat);
        }
        for raw in (0..1 << 32).step_by(65_521).chain((0..1 << 16).map(|top| top << 16)) {
            hold(raw, Format::Single);
            hold(raw, Format::DoubleHigh);
        }
        assert!(told > 30_000, "{told}");
    }

    #[test]
    fn halves_round_trip() {
        for raw in 0..0x7c00 {
            assert_eq!(bits(&text(raw, Format::Half), Format::Half), Some(raw));
        }
    }

    #[test]
    fn singles_round_trip() {
        for raw in (0..0x7f80_0000_u64).step_by(65_537) {
            assert_eq!(bits(&text(raw, Format::Single), Format::Single), Some(raw));
            assert_eq!(bits(&text(raw, Format::DoubleHigh), Format::DoubleHigh), Some(raw));
        }
    }
}
