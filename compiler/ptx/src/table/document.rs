//! The table and the codes as pages of the handbook.

use super::row::Row;
use super::{legacy, rows, unmodelled};
use crate::checked::Op;
use crate::diagnostics::Code;
use std::fmt::Write;

/// Every form of every instruction, by family: `docs/ptx-forms.md`.
pub fn forms() -> String {
    let mut out = String::from(
        "# Forms of PTX instructions\n\nMade from the table in `compiler/ptx/src/table/rows`, whose notation the documentation \
         of the module `table` gives. A form that is not here is an error with a position.\n",
    );
    out += "\n## Names for lists of words\n\n| name | words |\n| --- | --- |\n";
    for line in super::GROUPS.lines().filter(|l| l.starts_with('$')) {
        if let Some((name, words)) = line.split_once('=') {
            let _ = writeln!(out, "| `{}` | `{}` |", name.trim(), cell(words.trim()));
        }
    }
    let mut family = "";
    for row in rows().iter().chain(unmodelled()).chain(legacy()) {
        if row.family != family {
            family = row.family;
            let note = if row.op == Op::Unmodelled { " (checked, and not compiled yet)" } else { "" };
            let _ = write!(
                out,
                "\n## {family}{note}\n\n| form | PTX | target | example |\n| --- | --- | --- | --- |\n"
            );
        }
        let (major, minor) = row.since.version;
        let mut target = row.since.targets();
        if let Some(gone) = row.until {
            target += &format!(" until PTX {}.{} with sm_{}", gone.version.0, gone.version.1, gone.sm);
        }
        let _ =
            writeln!(out, "| `{}` | {major}.{minor} | {target} | `{}` |", form(row), cell(&row.example()));
    }
    out
}

/// The row's line without its version, as a cell of a table.
pub fn form(row: &Row) -> String {
    let words: Vec<&str> = row.text.split_whitespace().filter(|w| !w.starts_with(['@', '!'])).collect();
    cell(&words.join(" "))
}

/// A bar would end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Every code: `docs/ptx-errors.md`.
pub fn codes() -> String {
    let mut out = String::from(
        "# Messages about PTX\n\n`error` is an input that is wrong (exit code 1), `unsupported` one that is valid PTX but not \
         supported yet (exit code 4), `warning` one that is accepted. A code keeps its meaning for ever.\n\n\
         | code | severity | about | help |\n| --- | --- | --- | --- |\n",
    );
    for code in Code::ALL {
        let (name, severity) = (code.name(), code.class().name());
        let _ = writeln!(out, "| {name} | {severity} | {} | {} |", cell(code.title()), cell(code.help()));
    }
    out
}
