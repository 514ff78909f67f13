//! The help text, from the table.

use std::fmt::Write;

use super::row::{Effect, Origin, Row};
use super::table::ROWS;

/// The text of `--help`.
pub fn help(program: &str) -> String {
    let mut out = format!("Usage: {program} [options] FILE.ptx...\n");
    let groups: [(&str, &[Origin]); 2] = [
        ("Options of ptxas", &[Origin::Ptxas, Origin::PtxasLater, Origin::PtxasHidden]),
        ("Options of Sassafras", &[Origin::Sassafras]),
    ];
    for (title, origins) in groups {
        let _ = writeln!(out, "\n{title}:");
        for row in ROWS.iter().filter(|row| origins.contains(&row.origin)) {
            write_row(&mut out, row);
        }
    }
    out
}

fn write_row(out: &mut String, row: &Row) {
    let mut head = format!("--{}", row.long);
    if !row.value.is_empty() {
        let _ = write!(head, " {}", row.value);
    }
    if !row.short.is_empty() && row.short != row.long {
        let _ = write!(head, ", -{}", row.short);
    }
    let _ = writeln!(out, "  {head}");
    let mut text = row.help.to_owned();
    if !row.default.is_empty() {
        let _ = write!(text, " Default: {}.", row.default);
    }
    match row.effect {
        Effect::Set(_) | Effect::Choice(_) => {}
        Effect::Holds(sentence) | Effect::Ignored(_, sentence) => {
            let _ = write!(text, " Changes nothing: {sentence}");
        }
        Effect::Only(values, sentence) => {
            let _ = write!(text, " Only {} is supported: {sentence}", values.join(", "));
        }
        Effect::Refused(sentence) => {
            let _ = write!(text, " Not supported yet: {sentence}");
        }
    }
    let mut column = 0;
    for word in text.split_whitespace() {
        if column == 0 || column + word.len() > 96 {
            let _ = write!(out, "{}        {word}", if column == 0 { "" } else { "\n" });
            column = 8 + word.len();
        } else {
            let _ = write!(out, " {word}");
            column += 1 + word.len();
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_option_is_listed() {
        let text = super::help("sassafras compile");
        for row in super::ROWS.iter() {
            assert!(text.contains(&format!("--{}", row.long)), "--{}", row.long);
        }
        assert!(text.lines().all(|line| line.len() <= 120), "lines stay short");
    }
}
