//! Where a value stands in JSON text that has been read without an error.

/// One step to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The value of this name in an object.
    Name(&'static str),
    /// The element of an array.
    Index(usize),
}

/// Line and column of a value, from 1; of the last value on the way if there is none.
pub(super) fn locate(text: &str, path: &[Step]) -> (usize, usize) {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    reader.space();
    for &step in path {
        let start = reader.at;
        if !reader.enter(step) {
            reader.at = start;
            break;
        }
    }
    let before = &reader.bytes[..reader.at.min(reader.bytes.len())];
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    (line, column)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn now(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.now(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Passes over a text; gives what stands between its quotes.
    fn text(&mut self) -> std::ops::Range<usize> {
        let start = self.at + 1;
        self.at = start;
        while self.at < self.bytes.len() && self.now() != b'"' {
            self.at += if self.now() == b'\\' { 2 } else { 1 };
        }
        let end = self.at.min(self.bytes.len());
        self.at += 1;
        start.min(end)..end
    }

    /// Passes over a value.
    fn skip(&mut self) {
        let mut depth = 0;
        loop {
            match self.now() {
                b'"' => drop(self.text()),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b'}' | b']' | 0 if depth == 0 => return,
                0 => return,
                _ => self.at += 1,
            }
            if depth == 0 && matches!(self.now(), b',' | b'}' | b']' | 0) {
                return;
            }
        }
    }

    /// Goes to the value that a step leads to; the reader stands at the beginning of a value.
    fn enter(&mut self, step: Step) -> bool {
        let opening = self.now();
        if opening != b'{' && opening != b'[' {
            return false;
        }
        self.at += 1;
        let mut index = 0;
        loop {
            self.space();
            if matches!(self.now(), b'}' | b']' | 0) {
                return false;
            }
            let mut name = 0..0;
            if opening == b'{' {
                name = self.text();
                self.space();
                self.at += 1;
                self.space();
            }
            let found = match step {
                Step::Name(wanted) => opening == b'{' && &self.bytes[name] == wanted.as_bytes(),
                Step::Index(wanted) => opening == b'[' && index == wanted,
            };
            if found {
                return true;
            }
            self.skip();
            self.space();
            if self.now() == b',' {
                self.at += 1;
            }
            index += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, locate};

    #[test]
    fn values_are_found_behind_texts_and_nests() {
        let text = "{\"a\": \"]\\\"}\",\n \"b\": [1, {\"c\": [2, 3]},\n  4]}";
        assert_eq!(locate(text, &[]), (1, 1));
        assert_eq!(locate(text, &[Step::Name("a")]), (1, 7));
        assert_eq!(locate(text, &[Step::Name("b")]), (2, 7));
        assert_eq!(
            locate(text, &[Step::Name("b"), Step::Index(1), Step::Name("c"), Step::Index(1)]),
            (2, 21)
        );
        assert_eq!(locate(text, &[Step::Name("b"), Step::Index(2)]), (3, 3));
        // What is not there stands where its container does.
        assert_eq!(locate(text, &[Step::Name("b"), Step::Index(3)]), (2, 7));
    }
}
