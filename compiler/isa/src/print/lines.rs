//! Lines of a listing, remembered.
//!
//! Code repeats itself, if scheduling is left aside. A line that was printed lately is copied, with its own address.

use super::line::{STEP, Sink, digits};
use super::{Style, Targets, Text, columns};
use crate::control::Control;
use crate::decode::{DecodeError, FIELDS, control, decode_into};
use sassafras_chip::Chip;

/// Longest text that is remembered, in bytes; what is longer is printed each time.
const TEXT: usize = 94;
/// Most lines that are remembered, of 112 bytes each: they should leave room in a second-level cache. Of the words of recorded kernels 49 % are
/// found among 1,024, 55 % among 4,096.
const MOST: usize = 1024;
/// Bits 105 to 108 and 110 to 121, stall, scoreboards and wait mask: no text depends on them.
const SCHEDULE: u128 = 0x1ffef << 105;

/// A line, less its address.
#[derive(Clone, Debug)]
struct Slot {
    /// The word without [`SCHEDULE`].
    key: u128,
    text: [u8; TEXT],
    /// Bytes of the text; 0 where nothing is remembered.
    length: u8,
    limits: Limits,
}

/// What of [`crate::ControlLimits`] depends on bits that are not in the key.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    write_barrier: bool,
    read_barrier: bool,
    wait: bool,
}

impl Limits {
    fn allow(self, control: Control) -> bool {
        control.fault().is_none()
            && (control.write_barrier == 7 || self.write_barrier)
            && (control.read_barrier == 7 || self.read_barrier)
            && (control.wait_mask == 0 || self.wait)
    }
}

/// `        /*0010*/`, as it was written last.
#[derive(Clone, Debug)]
struct Margin {
    bytes: [u8; STEP],
    length: usize,
    /// The address behind the last one.
    next: u64,
}

impl Margin {
    fn new() -> Margin {
        let mut margin = Margin { bytes: [b' '; STEP], length: 0, next: 0 };
        margin.set(0);
        margin
    }

    #[inline]
    fn write(&mut self, address: u64, out: &mut Text) {
        if address != self.next || address & 0xf0 == 0 {
            self.set(address);
        }
        self.next = address.wrapping_add(16);
        let room = out.room();
        *room = self.bytes;
        // The last digit but one counts on; the comment is closed behind the last. It is not put to the bytes here: they would be slow to
        // be read next time.
        room[self.length - 4] = b"0123456789abcdef"[(address >> 4 & 15) as usize];
        out.advance(self.length);
    }

    fn set(&mut self, address: u64) {
        self.bytes[..10].copy_from_slice(b"        /*");
        let end = 10 + digits(address, 4, &mut self.bytes[10..]);
        self.bytes[end..end + 2].copy_from_slice(b"*/");
        self.length = end + 2;
    }
}

/// Decodes and prints the words of one chip.
#[derive(Clone, Debug)]
pub struct Lines {
    chip: Chip,
    spaced: bool,
    /// A power of two of them.
    slots: Box<[Slot]>,
    /// Where a word is decoded.
    values: [u64; FIELDS],
    margin: Margin,
}

impl Lines {
    /// For about so many words. `spaced` as in [`Style`].
    pub fn new(chip: Chip, spaced: bool, words: usize) -> Lines {
        let empty = Slot { key: 0, text: [0; TEXT], length: 0, limits: Limits::default() };
        let count = words.clamp(1, MOST).next_power_of_two();
        Lines {
            chip,
            spaced,
            slots: vec![empty; count].into_boxed_slice(),
            values: [0; FIELDS],
            margin: Margin::new(),
        }
    }

    /// Decodes a word, and puts a line of nvdisasm's behind `out`. The line is what
    /// [`print_to`](crate::print_to) writes, behind the address, of four digits or more, and with a guard by P at the right of its column,
    /// which is 19 wide; a uniform guard stands behind it.
    ///
    /// # Errors
    /// As [`crate::decode`]; then nothing is written.
    pub fn print(
        &mut self,
        word: u128,
        address: u64,
        targets: Targets<'_>,
        out: &mut Text,
    ) -> Result<(), DecodeError> {
        let key = word & !SCHEDULE;
        let at = self.place(key);
        let slot = &self.slots[at];
        if slot.key == key && slot.length != 0 {
            let control = control(word);
            if slot.limits.allow(control) {
                self.margin.write(address, out);
                out.remembered(&slot.text, slot.length);
                return Ok(());
            }
        }
        let head = decode_into(word, self.chip, &mut self.values)?;
        self.margin.write(address, out);
        let before = out.mark();
        let style = Style { targets, spaced: self.spaced, ..Style::default() };
        columns(word, head, &self.values[..head.plan.takes.len()], &style, out);
        let (lasting, control) = (!head.plan.target, control(word));
        // Reuse bits without bit 109 are legal with some stalls only.
        if lasting && (control.yield_ || control.reuse == 0) {
            let length = out.mark() - before;
            if let Some(text) = out.last(length) {
                let row = head.row.control;
                let limits = Limits {
                    write_barrier: row.write_barrier,
                    read_barrier: row.read_barrier,
                    wait: row.wait,
                };
                self.slots[at] = Slot { key, text: *text, length: length as u8, limits };
            }
        }
        Ok(())
    }

    /// The one slot where a key may stand: its bits folded and multiplied by 2^64 over the golden ratio.
    fn place(&self, key: u128) -> usize {
        let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
        let spread = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 40) as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormId, Rng, decode, encode, forms, generate, print};

    /// What is written without a memory.
    fn plain(word: u128, address: u64) -> Result<String, DecodeError> {
        let inst = decode(word, Chip::Sm90)?;
        let style = Style { targets: Targets::At(address), spaced: true, ..Style::default() };
        let text = print(&inst, &style);
        // nvdisasm puts a uniform guard behind the column.
        let inside = !inst.guard.is_always() && !inst.guard.uniform;
        let guard = if inside { text.find(' ').unwrap_or_default() + 1 } else { 0 };
        Ok(format!("        /*{address:04x}*/{}{text}", " ".repeat(19 - guard)))
    }

    #[test]
    fn every_form_reads_the_same_from_memory() {
        let mut rng = Rng(1);
        let (mut lines, mut recalled) = (Lines::new(Chip::Sm90, true, 1 << 20), 0);
        for id in (0..forms().len() as u16).map(FormId).filter(|id| id.get().chips.contains(Chip::Sm90)) {
            for _ in 0..20 {
                let inst = generate(id, &mut rng);
                let word = encode(&inst, Chip::Sm90).expect("what is generated has a word");
                // The same but for its schedule, legal and illegal.
                for i in 0..32 {
                    let schedule = u128::from(rng.bits()) << 64 & SCHEDULE;
                    let word = if i == 0 { word } else { word & !SCHEDULE | schedule };
                    let address = 16 * i;
                    let mut text = Text::new();
                    let key = word & !SCHEDULE;
                    recalled += usize::from(lines.slots[lines.place(key)].key == key);
                    let found = lines.print(word, address, Targets::At(address), &mut text);
                    assert_eq!(
                        found.map(|()| text.as_str().to_owned()),
                        plain(word, address),
                        "{word:#034x}"
                    );
                }
            }
        }
        assert!(recalled > 100_000, "{recalled}");
    }

    #[test]
    fn an_error_writes_nothing() {
        let mut text = Text::new();
        text.push_str("> ");
        let mut lines = Lines::new(Chip::Sm90, true, 1);
        assert!(lines.print(0, 0, Targets::Relative, &mut text).is_err());
        assert_eq!(text.as_str(), "> ");
    }

    #[test]
    fn margins_count_on() {
        let mut lines = Lines::new(Chip::Sm90, true, 1);
        // NOP.
        let word = 0x000f_c000_0000_0000_0000_0000_0000_7918;
        for start in [0, 8, 0xff0, 0xffe8, 0xffff_fff0, u64::MAX - 95] {
            for address in
                (0..40).map(|i| 16 * i + start % 16).chain((0..20).map(|i| start.wrapping_add(16 * i)))
            {
                let mut text = Text::new();
                assert_eq!(lines.print(word, address, Targets::Relative, &mut text), Ok(()));
                let margin = format!("        /*{address:04x}*/    ");
                assert!(text.as_str().starts_with(&margin), "{}", text.as_str());
            }
        }
    }
}
