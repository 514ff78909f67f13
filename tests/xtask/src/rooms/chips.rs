//! Lines that name a chip. A chip's number stands in `compiler/chip` and in the table of `isa`; code asks them. Lines elsewhere that name one are
//! counted in `chips.txt`, which only shrinks.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines of code outside, file by file, as they were when the rule came.
const COUNTED: &str = include_str!("chips.txt");

/// Where chips are described.
const HOMES: [&str; 2] = ["compiler/chip/src", "compiler/isa/src/table"];

/// The numbers in `sm_NN`.
fn is_chip(digits: &str) -> bool {
    sassafras_chip::Chip::ALL.iter().any(|chip| chip.number().to_string() == digits)
}

/// The digits that a text begins with.
fn digits(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

/// Whether some `prefix` in a line is followed by a chip's number, with blanks between where `apart`.
fn names(line: &str, prefix: &str, apart: bool) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let rest = &line[at + prefix.len()..];
        is_chip(digits(if apart { rest.trim_start() } else { rest }))
    })
}

/// Whether a comparison with a chip's number stands behind `prefix`.
fn compares(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let rest = line[at + prefix.len()..].trim_start();
        let operand = rest.trim_start_matches(['<', '>', '=', '!']);
        operand.len() < rest.len() && is_chip(digits(operand.trim_start()))
    })
}

/// Whether a text in quotes is the ID of a form of one chip, such as `ldg.80`.
fn is_form_of_a_chip(line: &str) -> bool {
    line.split('"').skip(1).step_by(2).any(|text| {
        let form = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.');
        form && text.rsplit_once('.').is_some_and(|(_, last)| is_chip(last))
    })
}

/// Whether a line of code, without its comment, names a chip.
fn names_a_chip(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    names(code, "Sm", false)
        || names(code, "sm_", false)
        || names(code, "sm:", true)
        || compares(code, "number()")
        || compares(code, ".sm")
        || is_form_of_a_chip(code)
}

/// Lines that name a chip in a file, up to its tests.
fn count(text: &str) -> usize {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| names_a_chip(line)).count()
}

/// Every Rust file below a folder but those of tests, with what is counted there.
fn gather(root: &Path, folder: &Path, found: &mut BTreeMap<String, usize>) -> Result<()> {
    if HOMES.iter().any(|home| folder == root.join(home)) {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            if name != "tests" {
                gather(root, &path, found)?;
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let lines = count(&std::fs::read_to_string(&path)?);
            if lines > 0 {
                found.insert(place, lines);
            }
        }
    }
    Ok(())
}

/// What is not as `chips.txt` counts it.
pub fn chips(root: &Path) -> Result<Vec<String>> {
    let mut found = BTreeMap::new();
    for part in ["compiler", "verify"] {
        for entry in std::fs::read_dir(root.join(part))? {
            let sources = entry?.path().join("src");
            if sources.is_dir() {
                gather(root, &sources, &mut found)?;
            }
        }
    }
    println!(
        "{} lines in {} files name a chip outside its tables",
        found.values().sum::<usize>(),
        found.len()
    );
    against(&found, COUNTED)
}

/// Holds what was found against the list, both ways.
fn against(found: &BTreeMap<String, usize>, counted: &str) -> Result<Vec<String>> {
    let mut listed = BTreeMap::new();
    for line in counted.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (lines, file) = line.trim().split_once(' ').with_context(|| format!("chips.txt: `{line}`"))?;
        listed.insert(file.to_owned(), lines.parse::<usize>()?);
    }
    let mut faults = Vec::new();
    for file in found.keys().chain(listed.keys().filter(|file| !found.contains_key(*file))) {
        let lines = |of: &BTreeMap<String, usize>| of.get(file).copied().unwrap_or(0);
        let (is, was) = (lines(found), lines(&listed));
        if is > was {
            faults.push(format!(
                "{file}: {is} lines name a chip, and {was} may: ask `chip` or the table of `isa`"
            ));
        } else if is < was {
            faults.push(format!("{file}: {is} lines name a chip, and rooms/chips.txt still has {was}"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_name_a_chip_are_seen() {
        for line in [
            "let c = Chip::Sm90;",
            "form(\"ldg.80\")",
            "if chip.number() >= 100 {",
            "if cubin.sm < 90 {",
            "sm: 75,",
            "x == \"sm_120\"",
        ] {
            assert!(names_a_chip(line), "{line}");
        }
        for line in
            ["// sm_90", "chip.number()", "let sm = 9;", "\"hmma.16816\"", "Smallest90", "number() > 4"]
        {
            assert!(!names_a_chip(line), "{line}");
        }
        assert_eq!(count("Chip::Sm90\nChip::Sm75\n#[cfg(test)]\nChip::Sm80\n"), 2);
    }

    #[test]
    fn the_list_only_shrinks() {
        let found = BTreeMap::from([("a.rs".to_owned(), 2)]);
        let faults = |list: &str| against(&found, list).expect("a list").len();
        assert_eq!(faults("# files\n2 a.rs\n"), 0);
        assert_eq!(faults("1 a.rs\n"), 1);
        assert_eq!(faults("3 a.rs\n"), 1);
        assert_eq!(faults("2 a.rs\n1 b.rs\n"), 1);
        assert_eq!(faults(""), 1);
        assert!(against(&found, "two a.rs").is_err());
    }
}
