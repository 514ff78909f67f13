//! Any bytes through the PTX front end.

use crate::codec::Fate;
use sassafras_ptx::{check, parse, print};

/// The front end never panics; each finding lies within the text; and what it accepts it prints so that the print parses to
/// the same print.
///
/// # Panics
/// When one of these does not hold.
pub fn parser(bytes: &[u8]) -> Fate {
    let text = String::from_utf8_lossy(bytes);
    let (module, found) = parse(&text, "fuzz.ptx");
    let lines = text.split('\n').count();
    for record in found.records() {
        let line = record.line as usize;
        assert!((1..=lines).contains(&line), "line {line} of {lines}: {}", record.message);
    }
    if found.has_errors() {
        return Fate::Rejected;
    }
    let printed = print(&module);
    let (again, found) = parse(&printed, "printed.ptx");
    assert!(!found.has_errors(), "what was printed does not parse:\n{printed}\n{}", found.render());
    assert_eq!(print(&again), printed, "the print of the print differs");
    match check(&module) {
        Ok(_) => Fate::Accepted,
        Err(_) => Fate::Rejected,
    }
}
