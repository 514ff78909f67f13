//! The text a module was read from, and positions in it.

use std::sync::Arc;

/// Bytes `start..end` of a source text.
///
/// Spans are where a thing was written, not what it says: any two are equal, so that syntax compares by content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }
    /// As a range of bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}
impl Eq for Span {}

/// A named text. Cheap to clone; like spans, any two are equal.
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    /// Byte offset of the start of each line.
    lines: Arc<[u32]>,
}

impl Source {
    /// Keeps a text and the name to show for it.
    pub fn new(name: &str, text: &str) -> Source {
        let starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        Source { name: name.into(), text: text.into(), lines: starts.collect() }
    }
    /// Name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// 1-based line of a byte.
    pub fn line_of(&self, byte: u32) -> u32 {
        self.lines.partition_point(|start| *start <= byte).max(1) as u32
    }
    /// 1-based line and column (in characters) of a byte. It counts the line's characters up to there.
    pub fn position(&self, byte: u32) -> (u32, u32) {
        let line = self.line_of(byte);
        let start = self.lines[line as usize - 1] as usize;
        let end = (byte as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(0, |t| t.chars().count());
        (line, column as u32 + 1)
    }
    /// A line without its newline; `line` is 1-based.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(start) = self.lines.get(index) else { return "" };
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| *next as usize - 1);
        self.text.get(*start as usize..end).unwrap_or("")
    }
}

impl Default for Source {
    fn default() -> Source {
        Source::new("", "")
    }
}

impl PartialEq for Source {
    fn eq(&self, _: &Source) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        let source = Source::new("a", "ab\nüx\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(2), (1, 3));
        assert_eq!(source.position(3), (2, 1));
        assert_eq!(source.position(5), (2, 2));
        assert_eq!(source.position(99), (3, 1));
        assert_eq!(source.line(2), "üx");
        assert_eq!(source.line(9), "");
    }
}
