//! The line that is being written.
//!
//! Most pieces of a text are a few characters long, and copying a number of bytes that is known only at run time costs more than the
//! bytes. So pieces are copied whole, padding included, into a buffer, and what follows overwrites the padding. The text that
//! the line is added to is touched once.

use crate::form::RegClass;

/// Bytes that a piece holds.
pub(crate) const PIECE: usize = 31;
/// Bytes of the buffer; a longer line is written in parts.
const ROOM: usize = 192;
/// Bytes that one step may write: a piece with its padding.
const STEP: usize = 32;

/// Up to [`PIECE`] characters of ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    bytes: [u8; STEP],
    length: u8,
}

impl Piece {
    /// No text.
    pub const EMPTY: Piece = Piece { bytes: [b' '; STEP], length: 0 };

    /// The pieces of a text; none for the empty one.
    pub fn of(text: &str) -> impl Iterator<Item = Piece> {
        text.as_bytes().chunks(PIECE).map(|chunk| {
            let mut piece = Piece { length: chunk.len() as u8, ..Piece::EMPTY };
            piece.bytes[..chunk.len()].copy_from_slice(chunk);
            piece
        })
    }
}

/// A text, and a line behind it that is not yet all there.
pub(crate) struct Line<'a> {
    out: &'a mut String,
    bytes: [u8; ROOM],
    length: usize,
}

/// `R0` … `R254`, `RZ` and so on: seven characters and their number, by class and register number.
static REGISTERS: [[[u8; 8]; 256]; 5] = {
    let mut all = [[[b' '; 8]; 256]; 5];
    let mut class = 0;
    while class < 5 {
        let (prefix, constant) = match class {
            0 => ("R", (255, b'Z')),
            1 => ("UR", (63, b'Z')),
            2 => ("P", (7, b'T')),
            3 => ("UP", (7, b'T')),
            _ => ("B", (256, b' ')),
        };
        let mut number = 0;
        while number < 256 {
            all[class][number] = name(prefix.as_bytes(), number, constant);
            number += 1;
        }
        // Only chips with 8-bit fields have the register UR63; see `encode`.
        if class == 1 {
            all[class][255] = name(prefix.as_bytes(), 63, (256, b' '));
        }
        class += 1;
    }
    all
};

const fn name(prefix: &[u8], number: usize, constant: (usize, u8)) -> [u8; 8] {
    let mut text = [b' '; 8];
    let mut at = 0;
    while at < prefix.len() {
        text[at] = prefix[at];
        at += 1;
    }
    if number == constant.0 {
        text[at] = constant.1;
        at += 1;
    } else {
        let mut unit = if number >= 100 {
            100
        } else if number >= 10 {
            10
        } else {
            1
        };
        while unit > 0 {
            text[at] = b'0' + (number / unit % 10) as u8;
            at += 1;
            unit /= 10;
        }
    }
    text[7] = at as u8;
    text
}

const fn place(class: RegClass) -> usize {
    match class {
        RegClass::R => 0,
        RegClass::UR => 1,
        RegClass::P => 2,
        RegClass::UP => 3,
        RegClass::B => 4,
    }
}

impl<'a> Line<'a> {
    pub fn new(out: &'a mut String) -> Line<'a> {
        Line { out, bytes: [0; ROOM], length: 0 }
    }

    /// Writes out what is there.
    pub fn flush(&mut self) -> &mut String {
        match str::from_utf8(&self.bytes[..self.length]) {
            Ok(text) => self.out.push_str(text),
            Err(_) => unreachable!("pieces are ASCII, and texts are put in whole"),
        }
        self.length = 0;
        self.out
    }

    /// Makes room for a step.
    #[inline]
    fn room(&mut self) {
        if self.length > ROOM - STEP {
            self.flush();
        }
    }

    #[inline]
    pub fn piece(&mut self, piece: &Piece) {
        self.room();
        self.bytes[self.length..self.length + STEP].copy_from_slice(&piece.bytes);
        self.length += usize::from(piece.length);
    }

    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.room();
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    /// So many blanks; no more than [`STEP`].
    pub fn blanks(&mut self, count: usize) {
        self.piece(&Piece { length: count.min(STEP) as u8, ..Piece::EMPTY });
    }

    /// Any text.
    #[inline]
    pub fn text(&mut self, text: &str) {
        if text.len() > STEP {
            self.flush().push_str(text);
            return;
        }
        self.room();
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text.as_bytes());
        self.length += text.len();
    }

    /// `R5`, `URZ`, `PT`; no number above 255.
    #[inline]
    pub fn register(&mut self, class: RegClass, number: u8) {
        self.room();
        let name = &REGISTERS[place(class)][usize::from(number)];
        self.bytes[self.length..self.length + 8].copy_from_slice(name);
        self.length += usize::from(name[7]);
    }

    /// `31`.
    pub fn decimal(&mut self, value: u64) {
        let mut digits = [0; 20];
        let (mut at, mut rest) = (digits.len(), value);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text(str::from_utf8(&digits[at..]).unwrap_or_default());
    }

    /// `        /*0010*/`.
    #[inline]
    pub fn address(&mut self, address: u64) {
        self.text("        /*");
        self.room();
        let (high, low) = ((address >> 32) as u32, address as u32);
        if high != 0 {
            self.digits(high, significant(high));
        }
        self.digits(low, if high == 0 { significant(low).max(4) } else { 8 });
        self.text("*/");
    }

    /// Bytes that [`Line::address`] writes.
    pub fn address_length(address: u64) -> usize {
        let (high, low) = ((address >> 32) as u32, address as u32);
        12 + if high == 0 { significant(low).max(4) } else { 8 + significant(high) }
    }

    /// The first `length` bytes of a text that was part of a line; it is copied whole, as pieces are.
    #[inline]
    pub fn remembered<const N: usize>(&mut self, text: &[u8; N], length: u8) {
        const { assert!(N + STEP <= ROOM) }
        if self.length > ROOM - N {
            self.flush();
        }
        self.bytes[self.length..self.length + N].copy_from_slice(text);
        self.length += usize::from(length);
    }

    /// `0x1f`.
    #[inline]
    pub fn hexadecimal(&mut self, value: u64) {
        self.room();
        let at = self.length;
        self.bytes[at..at + 2].copy_from_slice(b"0x");
        let (high, low) = ((value >> 32) as u32, value as u32);
        self.length += 2;
        if high != 0 {
            self.digits(high, significant(high));
        }
        self.digits(low, if high == 0 { significant(low) } else { 8 });
    }

    /// The last `count` hexadecimal digits.
    #[inline]
    pub fn digits(&mut self, value: u32, count: usize) {
        let text = hexadecimal(value) >> (8 * (8 - count));
        self.bytes[self.length..self.length + 8].copy_from_slice(&text.to_le_bytes());
        self.length += count;
    }
}

/// How many hexadecimal digits a number needs.
fn significant(value: u32) -> usize {
    (8 - value.leading_zeros() as usize / 4).max(1)
}

/// Eight hexadecimal digits, the first in the lowest byte. All nibbles at once: each gets a byte of its own, and those from
/// ten on are moved from behind `9` to `a`.
fn hexadecimal(value: u32) -> u64 {
    let mut x = u64::from(value);
    x = (x << 16 | x) & 0x0000_ffff_0000_ffff;
    x = (x << 8 | x) & 0x00ff_00ff_00ff_00ff;
    x = (x << 4 | x) & 0x0f0f_0f0f_0f0f_0f0f;
    let letters = (x + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (x + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'9' - 1)).swap_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Line<'_>)) -> String {
        let mut out = String::from("> ");
        let mut line = Line::new(&mut out);
        write(&mut line);
        line.flush();
        out
    }

    #[test]
    fn numbers_as_format_writes_them() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, 0xfedc_ba98_7654_3210 >> shift] {
                assert_eq!(written(|l| l.hexadecimal(value)), format!("> {value:#x}"));
                assert_eq!(written(|l| l.decimal(value)), format!("> {value}"));
                let address = format!(">         /*{value:04x}*/");
                assert_eq!(written(|l| l.address(value)), address);
                assert_eq!(Line::address_length(value), address.len() - 2);
            }
        }
    }

    #[test]
    fn registers_by_name() {
        for n in 0..=255 {
            let plain = |prefix: &str| format!("> {prefix}{n}");
            let expect = |class: RegClass| match (class, n) {
                (RegClass::UR, 255) => "> UR63".to_owned(),
                _ if class.constant() == Some(u64::from(n)) => {
                    format!(
                        "> {}{}",
                        class.prefix(),
                        if matches!(class, RegClass::R | RegClass::UR) { 'Z' } else { 'T' }
                    )
                }
                _ => plain(class.prefix()),
            };
            for class in [RegClass::R, RegClass::UR, RegClass::P, RegClass::UP, RegClass::B] {
                assert_eq!(written(|l| l.register(class, n)), expect(class));
            }
        }
    }

    #[test]
    fn long_lines_come_out_whole() {
        let long = "a text that is longer than a piece, and in the end longer than the buffer; ";
        let expected = format!("> {}", long.repeat(9));
        assert_eq!(written(|l| (0..9).for_each(|_| Piece::of(long).for_each(|p| l.piece(&p)))), expected);
        assert_eq!(written(|l| (0..9).for_each(|_| l.text(long))), expected);
        assert_eq!(written(|l| long.repeat(9).bytes().for_each(|b| l.byte(b))), expected);
    }
}
