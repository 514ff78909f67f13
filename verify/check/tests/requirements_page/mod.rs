//! Pages of requirements and the tests that show them, each made from a table.
// Each test of a page is a crate of its own, and uses what it needs.
#![allow(dead_code)]

use std::fmt::Write;

/// A requirement: its id, what it asks in a few words, the tests that show it, as file and function, and what is missing of it or stands in its place.
pub type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

/// The page: its head, which ends with the titles of four columns, and a line for each requirement.
pub fn document(head: &str, rows: &[Row]) -> String {
    let mut out = format!("{head}\n| --- | --- | --- | --- |\n");
    for (id, asks, tests, instead) in rows {
        let list: Vec<String> = tests.iter().map(|(file, name)| format!("`{file}` `{name}`")).collect();
        let _ = writeln!(out, "| {id} | {asks} | {} | {instead} |", list.join("<br>"));
    }
    out
}

/// Holds the tests of each requirement to be there, and to be tests.
pub fn tests_exist(rows: &[Row]) {
    let root = sassafras_reference::workspace_root();
    for (id, _, tests, _) in rows {
        for (file, name) in *tests {
            let text =
                std::fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{id}: {file}: {e}"));
            let at =
                text.find(&format!("\nfn {name}(")).unwrap_or_else(|| panic!("{id}: {file} has no `{name}`"));
            let above = text[..at].lines().rev().take_while(|line| !line.is_empty());
            assert!(above.into_iter().any(|line| line == "#[test]"), "{id}: `{name}` of {file} is no test");
        }
    }
}

/// Holds the page `docs/NAME.md` to its table, or writes it if `BLESS` is set.
pub fn page(name: &str, test: &str, document: &str) {
    let path = sassafras_reference::workspace_root().join(format!("docs/{name}.md"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, document).expect("the folder is there");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(page, document, "run `BLESS=1 cargo test -p sassafras-check --test {test}`");
}
