//! What a `Proved` rests on: the crate that checks witnesses and everything that it is built with, in lines of code. `docs/proof.md` has the numbers,
//! which only shrink.

use super::crates::Crate;
use super::imports::code_lines;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The document that has the numbers.
pub const DOCUMENT: &str = "docs/proof.md";

/// The crate that says whether a proof holds.
const CHECKER: &str = "sassafras-witness";

/// What files of tables end in: rows of instructions, opaque operations, latencies, code of lemmas.
const TABLES: [&str; 4] = ["tbl", "txt", "csv", "sass"];

/// Lines of code by crate.
type Lines = BTreeMap<String, usize>;

/// A crate and all that it is built with, by however many steps.
pub fn below<'c>(crates: &'c [Crate], top: &'c str) -> BTreeSet<&'c str> {
    let (mut all, mut open) = (BTreeSet::from([top]), vec![top]);
    while let Some(name) = open.pop() {
        let needs = crates.iter().filter(|c| c.name == name).flat_map(|c| &c.needs);
        open.extend(needs.map(String::as_str).filter(|n| all.insert(n)));
    }
    all
}

/// Prints the crates that a proof rests on, and says where that is not as the document has it.
///
/// # Errors
/// A folder or a file that cannot be read, a document without the list.
pub fn trust(root: &Path, crates: &[Crate]) -> Result<Vec<String>> {
    let names = below(crates, CHECKER);
    let mut found = Lines::new();
    for c in crates.iter().filter(|c| names.contains(c.name.as_str())) {
        found.insert(c.name.clone(), lines_below(&c.folder.join("src"))?);
    }
    println!("a proof rests on these lines of code:");
    found.iter().for_each(|(name, lines)| println!("{lines:6} {name}"));
    println!("{:6} in all", found.values().sum::<usize>());
    let document = root.join(DOCUMENT);
    let text = std::fs::read_to_string(&document).with_context(|| document.display().to_string())?;
    Ok(against(&found, &listed(&text)?))
}

/// Lines of code in the Rust files and tables of a folder, files of modules for tests alone left out.
fn lines_below(folder: &Path) -> Result<usize> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).with_context(|| at.display().to_string())? {
            let path = entry?.path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if ending == "rs" || TABLES.contains(&ending.as_str()) {
                let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
                let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                files.push((name, text));
            }
        }
    }
    Ok(lines(&files))
}

/// The same of files by name.
fn lines(files: &[(String, String)]) -> usize {
    let tests: Vec<String> = files.iter().flat_map(|(name, text)| modules_of_tests(name, text)).collect();
    let for_tests = |name: &str| {
        let of = |module: &String| {
            name.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
        };
        tests.iter().any(of)
    };
    let count = |name: &str, text: &str| match name.ends_with(".rs") {
        true => code_lines(text),
        false => text.lines().filter(|l| !is_blank_in_a_table(l)).count(),
    };
    files.iter().filter(|(name, _)| !for_tests(name)).map(|(name, text)| count(name, text)).sum()
}

/// Whether a line of a table is empty or a comment.
fn is_blank_in_a_table(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line.starts_with("//")
}

/// The files, without ending, of the modules that a file declares for tests alone.
fn modules_of_tests(name: &str, text: &str) -> Vec<String> {
    let Some(path) = name.strip_suffix(".rs") else { return Vec::new() };
    let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
    let own = match last {
        "mod" | "lib" | "main" => folder.to_owned(),
        _ => path.to_owned(),
    };
    let declared = text.split("#[cfg(test)]").skip(1).filter_map(|behind| {
        let item = behind.trim_start().strip_prefix("mod ")?;
        let (module, _) = item.split_once(';')?;
        module.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(module)
    });
    declared.map(|m| if own.is_empty() { m.to_owned() } else { format!("{own}/{m}") }).collect()
}

/// The numbers of a document: lines `N crate` in a block fenced by "```trusted", and their sum as `N in all`.
fn listed(text: &str) -> Result<Lines> {
    let mut blocks = text.split("```trusted\n").skip(1);
    let (Some(block), None) = (blocks.next(), blocks.next()) else {
        bail!("{DOCUMENT}: one block of trusted crates is wanted")
    };
    let (block, _) = block.split_once("```").context("a block ends nowhere")?;
    let (mut all, mut sum) = (Lines::new(), None);
    for line in block.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (lines, name) = line.split_once(' ').with_context(|| format!("{DOCUMENT}: `{line}`"))?;
        let lines: usize = lines.parse().with_context(|| format!("{DOCUMENT}: `{line}`"))?;
        match name.trim() {
            "in all" => sum = Some(lines),
            name if all.insert(name.to_owned(), lines).is_some() => bail!("{name} is listed twice"),
            _ => {}
        }
    }
    let is: usize = all.values().sum();
    if sum != Some(is) {
        bail!("{DOCUMENT}: the trusted crates have {is} lines in all, which the list does not say");
    }
    Ok(all)
}

/// Holds what was counted against the list, both ways.
fn against(found: &Lines, listed: &Lines) -> Vec<String> {
    let mut faults = Vec::new();
    for name in found.keys().chain(listed.keys().filter(|name| !found.contains_key(*name))) {
        match (found.get(name), listed.get(name)) {
            (Some(is), None) => faults.push(format!("a proof rests on {name} ({is} lines), which {DOCUMENT} does not list")),
            (None, _) => faults.push(format!("no proof rests on {name}: take it from {DOCUMENT}")),
            (Some(is), Some(was)) if is > was => faults.push(format!(
                "{name} has {is} lines of code, {} more than {DOCUMENT} says: what proofs rest on only shrinks",
                is - was
            )),
            (Some(is), Some(was)) if is < was => {
                faults.push(format!("{name} has {is} lines of code, and {DOCUMENT} still says {was}: write {is}"));
            }
            _ => {}
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn code_is_counted_and_tests_are_not() {
        let sound = vec![
            file(
                "lib.rs",
                "//! Of.\n\nmod a;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod more {\n    fn f() {}\n}\n",
            ),
            file("a.rs", "/// A.\npub fn f() {}\n#[cfg(test)]\nmod tests;\n"),
            file("rows.tbl", "# Rows.\n\na b\nc d\n"),
            file("code.sass", "// R4.\nEXIT\n"),
        ];
        assert_eq!(lines(&sound), 1 + 1 + 2 + 1);
        let with = |name: &str, text: &str| lines(&[&sound[..], &[file(name, text)]].concat());
        for test in ["tests.rs", "tests/inner.rs", "a/tests.rs"] {
            assert_eq!(with(test, "fn g() {}\n"), 5, "{test}");
        }
        // A file counts by how it is declared, whatever its name.
        for code in ["b/tests.rs", "tests_of.rs", "a/inner.rs"] {
            assert_eq!(with(code, "fn g() {}\n"), 6, "{code}");
        }
    }

    #[test]
    fn a_planted_crate_is_seen() {
        let planted = |name: &str, needs: &[&str]| Crate {
            name: name.to_owned(),
            folder: std::path::PathBuf::new(),
            needs: needs.iter().map(|n| (*n).to_owned()).collect(),
        };
        let crates = [planted("a", &[]), planted("b", &["a"]), planted("c", &["b"]), planted("d", &["c"])];
        assert_eq!(below(&crates, "c"), ["a", "b", "c"].into());
    }

    #[test]
    fn the_numbers_only_shrink() {
        let listed = |text: &str| listed(&format!("Text.\n```trusted\n{text}```\nMore."));
        let list = listed("2 a\n3 b\n5 in all\n").expect("it is one");
        let faults = |a: usize, b: usize| against(&[("a".into(), a), ("b".into(), b)].into(), &list);
        assert_eq!(faults(2, 3), Vec::<String>::new());
        assert!(faults(2, 4)[0].starts_with("b has 4 lines of code, 1 more than"), "{:?}", faults(2, 4));
        assert!(faults(1, 3)[0].ends_with("write 1"), "{:?}", faults(1, 3));
        // One crate's gain is no other's loss.
        assert_eq!(faults(1, 4).len(), 2);
        assert_eq!(against(&[("a".into(), 2)].into(), &list).len(), 1);
        let more = [("a".into(), 2), ("b".into(), 3), ("c".into(), 1)].into();
        assert!(against(&more, &list)[0].starts_with("a proof rests on c"));
        for wrong in ["2 a\n", "2 a\n3 in all\n", "2 a\n2 a\n4 in all\n", "a 2\n2 in all\n"] {
            assert!(listed(wrong).is_err(), "{wrong}");
        }
        assert!(super::listed("no block").is_err());
    }
}
