//! What was found wrong with a text: records with a stable code, a position and a help line.
//!
//! - [`codes`]: the table of codes.

pub mod codes;

pub use codes::{Class, Code};

use crate::source::{Source, Span};
use codespan_reporting::diagnostic::{Diagnostic as Report, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term;
use std::fmt;

/// How many records of one text are kept; later ones are only counted.
pub const LIMIT: usize = 100;

/// Most characters of a word in a message: names may be as long as the text.
const LONGEST: usize = 100;

/// A message in which no word is longer than a line: of a longer one its beginning.
pub fn shortened(message: &str) -> String {
    let mut out = String::new();
    for word in message.split_inclusive(|c: char| c.is_whitespace() || c == '`') {
        match word.char_indices().nth(LONGEST) {
            Some((at, _)) => {
                out.push_str(&word[..at]);
                out.push('…');
                out.extend(word.chars().next_back().filter(|c| c.is_whitespace() || *c == '`'));
            }
            None => out.push_str(word),
        }
    }
    out
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What kind of mistake; says whether the input is wrong or merely not supported.
    pub code: Code,
    /// One sentence about this place.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A second place that explains the first, such as an earlier definition.
    pub related: Option<(Span, String)>,
    /// What to do; the code's own help if `None`.
    pub help: Option<String>,
}

/// A finding as plain data, for JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Stable code, such as `P0301`.
    pub code: &'static str,
    /// `error`, `unsupported` or `warning`.
    pub severity: &'static str,
    /// One sentence.
    pub message: String,
    /// Name of the text.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
    /// What to do.
    pub help: String,
}

/// The findings about one text, at most [`LIMIT`] of them and the count of the rest.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    source: Source,
    list: Vec<Diagnostic>,
    /// How many more there were.
    suppressed: usize,
    wrong: bool,
    unsupported: bool,
}

impl Diagnostics {
    /// None yet.
    pub fn new(source: Source) -> Diagnostics {
        Diagnostics { source, list: Vec::new(), suppressed: 0, wrong: false, unsupported: false }
    }

    /// Adds a finding with the code's own help.
    pub fn push(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.add(Diagnostic { code, message: message.into(), span, related: None, help: None });
    }

    /// Adds a finding.
    pub fn add(&mut self, mut diagnostic: Diagnostic) {
        let related = diagnostic.related.as_mut().map(|r| &mut r.1);
        for text in [&mut diagnostic.message].into_iter().chain(related).chain(&mut diagnostic.help) {
            if text.len() > LONGEST {
                *text = shortened(text);
            }
        }
        match diagnostic.code.class() {
            Class::Wrong => self.wrong = true,
            Class::Unsupported => self.unsupported = true,
            Class::Warning => {}
        }
        if self.list.len() < LIMIT { self.list.push(diagnostic) } else { self.suppressed += 1 }
    }

    /// Adds all of `other`, which is about the same text.
    pub fn extend(&mut self, other: Diagnostics) {
        self.wrong |= other.wrong;
        self.unsupported |= other.unsupported;
        self.suppressed += other.suppressed;
        other.list.into_iter().for_each(|d| self.add(d));
    }

    /// Only the findings whose code fits; those not shown count as fitting if any that is shown does.
    pub(crate) fn retain(mut self, fits: impl Fn(Code) -> bool) -> Diagnostics {
        self.list.retain(|d| fits(d.code));
        self.wrong = self.list.iter().any(|d| d.code.class() == Class::Wrong);
        self.unsupported = self.list.iter().any(|d| d.code.class() == Class::Unsupported);
        if self.list.is_empty() {
            self.suppressed = 0;
        }
        self
    }

    /// Puts the findings in the order of the text.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|d| d.span.start);
    }

    /// The findings that were kept.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }
    /// How many findings there were in all.
    pub fn count(&self) -> usize {
        self.list.len() + self.suppressed
    }
    /// Whether further findings will only be counted.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= LIMIT
    }
    /// Nothing was found.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
    /// Whether the text cannot be used: it is wrong, or something in it is not supported.
    pub fn has_errors(&self) -> bool {
        self.wrong || self.unsupported
    }
    /// 1 if the text is wrong, else 4 if something in it is valid but not supported, else 0.
    pub fn exit_code(&self) -> u8 {
        match (self.wrong, self.unsupported) {
            (true, _) => 1,
            (false, true) => 4,
            (false, false) => 0,
        }
    }

    /// The text at a span, at most one line of it.
    pub fn excerpt(&self, span: Span) -> &str {
        &self.source.text()[self.clamp(span)]
    }

    /// The findings as plain data.
    pub fn records(&self) -> Vec<Record> {
        self.list
            .iter()
            .map(|d| {
                let (line, column) = self.source.position(d.span.start);
                Record {
                    code: d.code.name(),
                    severity: d.code.class().name(),
                    message: d.message.clone(),
                    file: self.source.name().to_owned(),
                    line,
                    column,
                    help: d.help.clone().unwrap_or_else(|| d.code.help().to_owned()),
                }
            })
            .collect()
    }

    /// The findings as text with carets; ends with a count of those not shown.
    pub fn render(&self) -> String {
        let file = SimpleFile::new(self.source.name(), self.source.text());
        let config = term::Config { chars: term::Chars::ascii(), ..term::Config::default() };
        let mut out = String::new();
        for d in &self.list {
            let mut report = match d.code.class() {
                Class::Warning => Report::warning(),
                Class::Wrong | Class::Unsupported => Report::error(),
            };
            report = report.with_code(d.code.name()).with_message(&d.message);
            let (line, column) = self.source.position(d.span.start);
            if self.source.line(line).len() > 400 {
                // A caret under a line of that length helps nobody and costs its whole length in output.
                report = report.with_note(format!("at {}:{line}:{column}", self.source.name()));
            } else {
                report = report.with_label(Label::primary((), self.clamp(d.span)));
                if let Some((span, message)) = &d.related
                    && self.source.line(self.source.line_of(span.start)).len() <= 400
                {
                    report = report.with_label(Label::secondary((), self.clamp(*span)).with_message(message));
                }
            }
            report = report.with_note(format!("help: {}", d.help.as_deref().unwrap_or(d.code.help())));
            if term::emit_to_string(&mut out, &config, &file, &report).is_err() {
                out.push_str(&format!("error[{}]: {line}:{column}: {}\n", d.code.name(), d.message));
            }
        }
        if self.suppressed > 0 {
            out.push_str(&format!("… and {} more\n", self.suppressed));
        }
        out
    }

    /// A span within the text that covers at most one line and falls between characters.
    fn clamp(&self, span: Span) -> std::ops::Range<usize> {
        let text = self.source.text();
        let start = text.floor_char_boundary(span.start as usize);
        let rest = &text[start..];
        let length = rest.find('\n').unwrap_or(rest.len());
        let end = text.ceil_char_boundary((span.end as usize).clamp(start, start + length));
        start..end
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_as_long_as_the_text_is_not_repeated() {
        let name = "é".repeat(5_000_000);
        let mut all = Diagnostics::new(Source::new("x", ""));
        all.push(Code::Undeclared, Span::default(), format!("`{name}` is not declared"));
        let message = &all.records()[0].message;
        assert_eq!(*message, format!("`{}…` is not declared", "é".repeat(LONGEST)));
        assert_eq!(shortened("`a` is not declared"), "`a` is not declared");
    }
}
