//! Text that grows in memory which is already there.

use super::line::{STEP, Sink};
use super::{Style, whole};
use crate::inst::Inst;
use std::fmt;

/// Bytes that there are at first.
const FIRST: usize = 1 << 12;

/// Text that is written step by step. Memory is kept when it is cleared, so that a long listing can be written in parts.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The text, and what steps have overwritten behind it.
    bytes: Vec<u8>,
    length: usize,
}

impl Text {
    /// An empty text.
    pub fn new() -> Text {
        Text::default()
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Takes all of it away.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Its bytes, which are UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// As text, all of which is looked through.
    pub fn as_str(&self) -> &str {
        match str::from_utf8(self.as_bytes()) {
            Ok(text) => text,
            Err(_) => unreachable!("pieces are ASCII, and texts are put in whole"),
        }
    }

    /// Puts an instruction behind it, as [`crate::print_to`].
    pub fn print(&mut self, inst: &Inst, style: &Style<'_>) {
        whole(inst, style, self);
    }

    /// Puts text behind it.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        match *text.as_bytes() {
            // The ends of lines.
            [a, b, c] => self.short([a, b, c, b' '], 3),
            [a, b] => self.short([a, b, b' ', b' '], 2),
            ref bytes => self.bytes(bytes),
        }
    }

    #[inline]
    fn short(&mut self, text: [u8; 4], count: usize) {
        self.room()[..4].copy_from_slice(&text);
        self.length += count;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Makes room for so many bytes.
    #[cold]
    #[inline(never)]
    fn reserve(&mut self, count: usize) {
        let least = self.length + count + STEP;
        if self.bytes.len() < least {
            self.bytes.resize(least.max(FIRST).next_power_of_two(), b' ');
        }
    }

    /// The last `length` bytes and what follows them, if they are no more than `N` and so many there are.
    pub(crate) fn last<const N: usize>(&self, length: usize) -> Option<&[u8; N]> {
        self.bytes.get(self.length - length..)?.first_chunk().filter(|_| length <= N)
    }

    /// Bytes that were text; they are copied whole, and of them so many count.
    #[inline]
    pub(crate) fn remembered<const N: usize>(&mut self, bytes: &[u8; N], length: u8) {
        if self.bytes.len() - self.length < N {
            self.reserve(N);
        }
        self.bytes[self.length..self.length + N].copy_from_slice(bytes);
        self.length += usize::from(length);
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

impl Sink for Text {
    #[inline]
    fn room(&mut self) -> &mut [u8; STEP] {
        if self.bytes.len() - self.length < STEP {
            self.reserve(STEP);
        }
        match self.bytes[self.length..].first_chunk_mut() {
            Some(room) => room,
            None => unreachable!("it was made"),
        }
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.length += count;
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    #[inline]
    fn mark(&self) -> usize {
        self.length
    }

    fn rewind(&mut self, mark: usize) {
        self.length = mark;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_whole() {
        let (mut text, mut expected) = (Text::new(), String::new());
        for i in 0..3000 {
            let part = "ab\u{e4}cdefg".repeat(i % 7);
            text.push_str(&part);
            text.push_str(" ;\n");
            text.push_str(";\n");
            expected.push_str(&format!("{part} ;\n;\n"));
        }
        assert_eq!(text.as_str(), expected);
        assert_eq!(text.len(), expected.len());
        text.clear();
        assert!(text.is_empty());
        text.push_str("again");
        assert_eq!(text.as_bytes(), b"again");
    }
}
