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

/// The bytes as numbers: of 4 as binary32 too, of 8 as binary64, where that is no zero and no subnormal, which small integers look like; of 16 as
/// four words.
pub fn number(digits: &str) -> String {
    let Some(all) = bytes(digits) else { return digits.to_owned() };
    let hex = hexadecimal(digits);
    match all.len() {
        1 => format!("{hex} = {}", all[0] as i8),
        2 => format!("{hex} = {}", i16::from_le_bytes([all[0], all[1]])),
        4 => {
            let bits = u32::from_le_bytes(std::array::from_fn(|i| all[i]));
            let float = f32::from_bits(bits);
            let seen = if float.is_normal() || !float.is_finite() {
                format!(" = {float:e}f")
            } else {
                String::new()
            };
            format!("{hex} = {}{seen}", bits as i32)
        }
        8 => {
            let bits = u64::from_le_bytes(std::array::from_fn(|i| all[i]));
            let float = f64::from_bits(bits);
            let seen =
                if float.is_normal() || !float.is_finite() { format!(" = {float:e}") } else { String::new() };
            format!("{hex} = {}{seen}", bits as i64)
        }
        16 => {
            let words = digits.as_bytes().chunks(8).map(|w| hexadecimal(&String::from_utf8_lossy(w)));
            format!("{{{}}}", words.collect::<Vec<_>>().join(", "))
        }
        _ => hex,
    }
}

/// The bytes as a value of a PTX type (`f32`, `u64`, `b16` …), and in hexadecimal; as [`number`] where the type says no more or is of another size.
pub fn typed(digits: &str, ty: Option<&str>) -> String {
    let Some((all, ty)) = bytes(digits).zip(ty) else { return number(digits) };
    let size = ty.get(1..).and_then(|bits| bits.parse::<usize>().ok()).map(|bits| bits / 8);
    if size != Some(all.len()) || all.len() > 8 {
        return number(digits);
    }
    let bits = all.iter().rev().fold(0u64, |bits, b| bits << 8 | u64::from(*b));
    let hex = hexadecimal(digits);
    let unused = 64 - 8 * all.len() as u32;
    match (ty.as_bytes()[0], all.len()) {
        (b'f', 4) => format!("{:?} ({hex})", f32::from_bits(bits as u32)),
        (b'f', 8) => format!("{:?} ({hex})", f64::from_bits(bits)),
        (b's', _) => format!("{} ({hex})", (bits << unused) as i64 >> unused),
        (b'u', _) => format!("{bits} ({hex})"),
        _ => number(digits),
    }
}

/// The bytes as values of a PTX type, in braces where there are several, as a vector access has them.
pub fn elements(digits: &str, ty: Option<&str>) -> String {
    let size = ty.and_then(|ty| ty.get(1..)).and_then(|bits| bits.parse::<usize>().ok()).map(|bits| bits / 8);
    match size {
        Some(size) if size > 0 && digits.len() > 2 * size && digits.len().is_multiple_of(2 * size) => {
            let each = digits.as_bytes().chunks(2 * size).map(|d| typed(&String::from_utf8_lossy(d), ty));
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        }
        _ => typed(digits, ty),
    }
}

/// The first type that an instruction or a declaration names, which is that of its result: `f32` of `cvt.rn.f32.s32 %f1, %r1;`.
pub fn type_of(text: &str) -> Option<&str> {
    let types = |word: &&str| {
        let (kind, bits) = word.split_at_checked(1).unwrap_or_default();
        matches!(kind, "f" | "s" | "u" | "b") && matches!(bits, "8" | "16" | "32" | "64")
    };
    // Registers are called like types by some, and come behind the first blank.
    let opcode = text.trim_start().trim_start_matches(['@', '!']);
    let words = opcode.split(|c: char| c.is_whitespace() || c == '[').filter(|word| word.contains('.'));
    words.flat_map(|word| word.split('.')).find(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_that_the_text_names() {
        assert_eq!(type_of("st.global.f64 \t[%rd9], %fd12;"), Some("f64"));
        assert_eq!(type_of("@%p1 st.global.v2.u32 [%rd9], {%r1, %r2};"), Some("u32"));
        assert_eq!(type_of(".param .u64 k_param_0,"), Some("u64"));
        assert_eq!(type_of("cvt.rn.f32.s32 %f1, %r1;"), Some("f32"));
        assert_eq!(type_of("ret;"), None);
        assert_eq!(typed("0000803f", Some("f32")), "1.0 (0x3f800000)");
        assert_eq!(typed("ffffffff", Some("s32")), "-1 (0xffffffff)");
        assert_eq!(typed("ffffffff", Some("u32")), "4294967295 (0xffffffff)");
        assert_eq!(typed("ffff", Some("u32")), number("ffff"));
        assert_eq!(typed("0000803f", None), number("0000803f"));
        assert_eq!(elements("0100000002000000", Some("u32")), "{1 (0x00000001), 2 (0x00000002)}");
        assert_eq!(elements("01000000", Some("u32")), "1 (0x00000001)");
        assert_eq!(elements("01000000", Some("u64")), number("01000000"));
    }

    #[test]
    fn bytes_are_numbers() {
        assert_eq!(number("0000803f"), "0x3f800000 = 1065353216 = 1e0f");
        assert_eq!(number("ff"), "0xff = -1");
        assert_eq!(number("40000000"), "0x00000040 = 64");
        assert_eq!(number("ffffffffffffffff"), "0xffffffffffffffff = -1 = NaN");
        assert_eq!(
            number("00000000000000000000000001000000"),
            "{0x00000000, 0x00000000, 0x00000000, 0x00000001}"
        );
        assert_eq!(number("it ends"), "it ends");
        assert_eq!(number(""), "");
    }
}
