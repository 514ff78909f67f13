//! What is wrong with a text.

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term;
use serde_json::{Value, json};
use std::ops::Range;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its code, a row of [`CODES`].
    pub code: &'static str,
    /// One sentence about this place, without its full stop.
    pub message: String,
    /// The bytes of the text that it is about; empty at 0 when it is about the whole.
    pub span: Range<usize>,
}

/// Every code with its meaning and what to do.
pub const CODES: &[(&str, &str, &str)] = &[
    ("A0001", "the chip is not known", "give -arch sm_XX, or begin the text with `.target sm_XX`"),
    (
        "A0002",
        "a statement is no instruction of the chip",
        "`sassafras isa MNEMONIC -arch sm_XX` shows the forms that the chip has",
    ),
    ("A0003", "an instruction has no word", "`sassafras isa FORM` shows which values fit"),
    ("A0004", "a label cannot be reached", "define it in the same section, or give an address as 0x…"),
    ("A0005", "a label is defined twice", "rename one of them"),
    ("A0006", "a line is not understood", "an instruction ends with `;`, a label with `:`"),
    ("A0007", "the text has no code", "give the text of `sassafras disasm`, or instructions"),
    ("A0008", "the code does not fit the cubin", "NOPs at the end may be taken; see docs/assembly.md"),
];

/// How many findings are shown; the rest is counted.
const SHOWN: usize = 50;

impl Finding {
    /// A finding of this code.
    pub fn new(code: &'static str, span: Range<usize>, message: impl Into<String>) -> Finding {
        Finding { code, message: message.into(), span }
    }

    fn help(&self) -> &'static str {
        CODES.iter().find(|row| row.0 == self.code).map_or("", |row| row.2)
    }
}

/// The findings as text with carets.
pub fn render(name: &str, text: &str, found: &[Finding]) -> String {
    let file = SimpleFile::new(name, text);
    let config = term::Config { chars: term::Chars::ascii(), ..term::Config::default() };
    let mut out = String::new();
    for finding in found.iter().take(SHOWN) {
        let mut report = Diagnostic::error().with_code(finding.code).with_message(&finding.message);
        if !finding.span.is_empty() || finding.span.start > 0 {
            let start = text.floor_char_boundary(finding.span.start);
            let end = text.ceil_char_boundary(finding.span.end.max(start));
            report = report.with_label(Label::primary((), start..end));
        }
        report = report.with_note(format!("help: {}", finding.help()));
        if term::emit_to_string(&mut out, &config, &file, &report).is_err() {
            out.push_str(&format!("error[{}]: {}\n", finding.code, finding.message));
        }
    }
    if found.len() > SHOWN {
        out.push_str(&format!("… and {} more\n", found.len() - SHOWN));
    }
    out
}

/// The findings as records for JSON.
pub fn records(name: &str, text: &str, found: &[Finding]) -> Vec<Value> {
    found
        .iter()
        .map(|f| {
            let before = &text[..text.floor_char_boundary(f.span.start)];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            json!({ "code": f.code, "severity": "error", "message": f.message, "file": name,
                "line": line, "column": column, "help": f.help() })
        })
        .collect()
}
