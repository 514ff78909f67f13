//! Bytes as numbers: hexadecimal, signed, and as a float where there is one of the size.

/// The bytes of hex digits, first byte first; none if they are something else.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pair = |i: usize| digits.get(2 * i..2 * i + 2).and_then(|d| u8::from_str_radix(d, 16).ok());
    (digits.len().is_multiple_of(2) && !digits.is_empty())
        .then(|| (0..digits.len() / 2).map(pair).collect())?
}

/// `0x` and the digits, the last byte first.
pub fn hexadecimal(digits: &str) -> String {
    match bytes(digits) {
        Some(all) => all.iter().rev().fold("0x".to_owned(), |text, b| text + &format!("{b:02x}")),
        None => digits.to_owned(),
    }
}

/// The bytes as numbers: of 4 as binary32 too, of 8 as binary64; of 16 as four words.
pub fn number(digits: &str) -> String {
    let Some(all) = bytes(digits) else { return digits.to_owned() };
    let hex = hexadecimal(digits);
    match all.len() {
        1 => format!("{hex} = {}", all[0] as i8),
        2 => format!("{hex} = {}", i16::from_le_bytes([all[0], all[1]])),
        4 => {
            let bits = u32::from_le_bytes(std::array::from_fn(|i| all[i]));
            format!("{hex} = {} = {:e}f", bits as i32, f32::from_bits(bits))
        }
        8 => {
            let bits = u64::from_le_bytes(std::array::from_fn(|i| all[i]));
            format!("{hex} = {} = {:e}", bits as i64, f64::from_bits(bits))
        }
        16 => {
            let words = digits.as_bytes().chunks(8).map(|w| hexadecimal(&String::from_utf8_lossy(w)));
            format!("{{{}}}", words.collect::<Vec<_>>().join(", "))
        }
        _ => hex,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_numbers() {
        assert_eq!(number("0000803f"), "0x3f800000 = 1065353216 = 1e0f");
        assert_eq!(number("ff"), "0xff = -1");
        assert_eq!(number("ffffffffffffffff"), "0xffffffffffffffff = -1 = NaN");
        assert_eq!(
            number("00000000000000000000000001000000"),
            "{0x00000000, 0x00000000, 0x00000000, 0x00000001}"
        );
        assert_eq!(number("it ends"), "it ends");
        assert_eq!(number(""), "");
    }
}
