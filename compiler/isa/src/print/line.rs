//! What a line is written into.
//!
//! Most pieces of a text are a few characters long, and copying a number of bytes that is known only at run time costs more than the
//! bytes. So pieces are copied whole, padding included, and what follows overwrites the padding.

use crate::form::RegClass;

/// Bytes that one step may write: a piece with its padding.
pub(crate) const STEP: usize = 32;
/// Bytes that a piece holds.
pub(crate) const PIECE: usize = STEP - 1;
/// Bytes of the buffer of a [`Line`]; a longer line is written in parts.
const ROOM: usize = 192;

/// Up to [`PIECE`] characters of ASCII, blanks behind them, and how many they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece([u8; STEP]);

impl Piece {
    /// What is no text: no instruction has the value.
    pub const NONE: Piece = Piece([u8::MAX; STEP]);

    /// A text of no more than [`PIECE`] characters; of a longer one, the first.
    pub fn new(text: &str) -> Piece {
        let mut piece = [b' '; STEP];
        let count = text.len().min(PIECE);
        piece[..count].copy_from_slice(&text.as_bytes()[..count]);
        piece[PIECE] = count as u8;
        Piece(piece)
    }

    /// The pieces of a text; none for the empty one.
    pub fn of(text: &str) -> impl Iterator<Item = Piece> {
        text.as_bytes().chunks(PIECE).map(|chunk| Piece::new(str::from_utf8(chunk).unwrap_or_default()))
    }

    /// Characters.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.0[PIECE])
    }
}

/// What text is written into, step by step.
pub(crate) trait Sink {
    /// Room for a step, behind what is there.
    fn room(&mut self) -> &mut [u8; STEP];

    /// So many bytes of the room, all ASCII, are there now.
    fn advance(&mut self, count: usize);

    /// Any text.
    fn text(&mut self, text: &str);

    /// How much is there.
    fn mark(&self) -> usize;

    /// Takes back what was written since.
    fn rewind(&mut self, mark: usize);

    /// A piece that is not [`Piece::NONE`].
    #[inline]
    fn piece(&mut self, piece: &Piece) {
        *self.room() = piece.0;
        self.advance(piece.len());
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.room()[0] = byte;
        self.advance(1);
    }

    /// `R5`, `URZ`, `PT`; no number above 255. With a comma and a blank behind it if so wanted.
    #[inline]
    fn register(&mut self, class: RegClass, number: u8, comma: bool) {
        let name = &REGISTERS[usize::from(comma)][place(class)][usize::from(number)];
        self.room()[..8].copy_from_slice(name);
        self.advance(usize::from(name[7]));
    }

    /// `31`.
    fn decimal(&mut self, value: u64) {
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

    /// `0x1f`.
    #[inline]
    fn hexadecimal(&mut self, value: u64) {
        let room = self.room();
        room[..2].copy_from_slice(b"0x");
        let count = digits(value, 1, &mut room[2..]);
        self.advance(2 + count);
    }
}

/// Writes a number in hexadecimal, with zeros before it up to `least` digits, and gives how many there are. Up to 16 bytes are overwritten.
#[inline]
pub(crate) fn digits(value: u64, least: usize, room: &mut [u8]) -> usize {
    let (high, low) = ((value >> 32) as u32, value as u32);
    let mut put = |at: usize, value: u32, count: usize| {
        let text = hexadecimal(value) >> (8 * (8 - count));
        room[at..at + 8].copy_from_slice(&text.to_le_bytes());
        at + count
    };
    if high == 0 {
        return put(0, low, significant(low).max(least));
    }
    let at = put(0, high, significant(high));
    put(at, low, 8)
}

/// A text, and a line behind it that is not yet all there.
pub(crate) struct Line<'a> {
    out: &'a mut String,
    bytes: Buffer,
    length: usize,
}

/// What is to be UTF-8 is looked at word by word where it is aligned.
#[repr(align(16))]
struct Buffer([u8; ROOM]);

/// `R0` … `R254`, `RZ` and so on: seven characters and their number, by class and register number; then the same with a comma and a blank.
static REGISTERS: [[[[u8; 8]; 256]; 5]; 2] = [names(false), names(true)];

const fn names(comma: bool) -> [[[u8; 8]; 256]; 5] {
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
            all[class][number] = name(prefix.as_bytes(), number, constant, comma);
            number += 1;
        }
        // Only chips with 8-bit fields have the register UR63; see `encode`.
        if class == 1 {
            all[class][255] = name(prefix.as_bytes(), 63, (256, b' '), comma);
        }
        class += 1;
    }
    all
}

const fn name(prefix: &[u8], number: usize, constant: (usize, u8), comma: bool) -> [u8; 8] {
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
    if comma {
        text[at] = b',';
        at += 2;
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
        Line { out, bytes: Buffer([b' '; ROOM]), length: 0 }
    }

    /// Writes out what is there.
    pub fn flush(&mut self) -> &mut String {
        let before = self.out.len();
        // Whole blocks are looked through and copied faster than their parts.
        let blocks = self.length.next_multiple_of(16).min(ROOM);
        self.bytes.0[self.length..blocks].fill(b' ');
        match str::from_utf8(&self.bytes.0[..blocks]) {
            Ok(text) => self.out.push_str(text),
            Err(_) => unreachable!("pieces are ASCII, and texts are put in whole"),
        }
        self.out.truncate(before + self.length);
        self.length = 0;
        self.out
    }
}

impl Sink for Line<'_> {
    #[inline]
    fn room(&mut self) -> &mut [u8; STEP] {
        if self.length > ROOM - STEP {
            self.flush();
        }
        match self.bytes.0[self.length..].first_chunk_mut() {
            Some(room) => room,
            None => unreachable!("it was made"),
        }
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.length += count;
    }

    #[inline]
    fn text(&mut self, text: &str) {
        if text.len() > STEP {
            self.flush().push_str(text);
            return;
        }
        self.room()[..text.len()].copy_from_slice(text.as_bytes());
        self.advance(text.len());
    }

    #[inline]
    fn mark(&self) -> usize {
        self.out.len() + self.length
    }

    fn rewind(&mut self, mark: usize) {
        self.flush().truncate(mark);
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
                let mut four = [0; 32];
                let count = digits(value, 4, &mut four);
                assert_eq!(str::from_utf8(&four[..count]), Ok(format!("{value:04x}").as_str()));
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
                assert_eq!(written(|l| l.register(class, n, false)), expect(class));
                assert_eq!(written(|l| l.register(class, n, true)), expect(class) + ", ");
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

    #[test]
    fn what_is_taken_back_is_gone() {
        let back = |before: usize, since: usize| {
            written(|l| {
                (0..before).for_each(|_| l.byte(b'a'));
                let mark = l.mark();
                (0..since).for_each(|_| l.byte(b'b'));
                l.rewind(mark);
                l.byte(b'c');
            })
        };
        for (before, since) in [(0, 0), (3, 40), (100, 100), (30, 1000), (500, 500)] {
            assert_eq!(back(before, since), format!("> {}c", "a".repeat(before)));
        }
    }
}
