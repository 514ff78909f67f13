//! Errors that are texts: `Result<_, String>`. Whoever gets one can only print it, or decide by its words. `texts.txt` has how many of these types each
//! crate has, its tests included, which only shrinks.

use super::crates::Crate;
use super::imports::without_texts;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Such types by crate, as they were when the rule came; a crate that is not listed has none.
const COUNTED: &str = include_str!("texts.txt");

/// How many types `Result<_, String>` a text names, comments and what is quoted aside.
fn count(text: &str) -> usize {
    let code = without_texts(text, false);
    let starts = code.match_indices("Result<").map(|(at, word)| at + word.len());
    starts
        .filter(|&at| {
            error_type(&code[at..]).is_some_and(|error| error == "String" || error.ends_with("= String"))
        })
        .count()
}

/// The second argument of a type whose arguments a text begins with; none if there is only one.
fn error_type(arguments: &str) -> Option<&str> {
    let (mut depth, mut comma, mut before) = (0u32, None, ' ');
    for (at, c) in arguments.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            // Of `->` the sign closes nothing.
            '>' if before == '-' => {}
            '>' | ')' | ']' if depth > 0 => depth -= 1,
            '>' => return comma.map(|from| arguments[from..at].trim_end_matches([',', ' ', '\n']).trim()),
            ',' if depth == 0 && comma.is_none() => comma = Some(at + 1),
            _ => {}
        }
        before = c;
    }
    None
}

/// The same of every Rust file below a folder, that of other crates aside.
fn gather(folder: &Path, others: &[&Path]) -> Result<usize> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            let skipped = path.ends_with("target") || others.contains(&path.as_path());
            sum += if skipped { 0 } else { gather(&path, others)? };
        } else if path.extension().is_some_and(|e| e == "rs") {
            sum += count(&std::fs::read_to_string(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(sum)
}

/// Prints how many there are, and says which crate has not the number that is listed.
///
/// # Errors
/// A folder or a file that cannot be read, a list that is none.
pub fn texts(crates: &[Crate]) -> Result<Vec<String>> {
    let folders: Vec<&Path> = crates.iter().map(|c| c.folder.as_path()).collect();
    let mut found = BTreeMap::new();
    for c in crates {
        found.insert(c.name.clone(), gather(&c.folder, &folders)?);
    }
    println!("errors that are texts: {}", found.values().sum::<usize>());
    found.iter().filter(|(_, n)| **n > 0).for_each(|(name, n)| println!("{n:6} {name}"));
    against(&found, COUNTED)
}

/// Holds numbers against a list of lines `N crate`, both ways.
fn against(found: &BTreeMap<String, usize>, counted: &str) -> Result<Vec<String>> {
    let mut listed = BTreeMap::new();
    for line in counted.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (texts, name) = line.trim().split_once(' ').with_context(|| format!("texts.txt: `{line}`"))?;
        listed.insert(name.to_owned(), texts.parse::<usize>()?);
    }
    let mut faults = Vec::new();
    for name in found.keys().chain(listed.keys().filter(|name| !found.contains_key(*name))) {
        let number = |of: &BTreeMap<String, usize>| of.get(name).copied().unwrap_or(0);
        let (is, was) = (number(found), number(&listed));
        if is > was {
            faults.push(format!(
                "{name}: {is} errors are texts, and {was} may be: an error is a type that says what went wrong"
            ));
        } else if is < was {
            faults.push(format!("{name}: {is} errors are texts, and rooms/texts.txt still has {was}"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_are_texts_are_seen() {
        for one in [
            "fn f() -> Result<(), String> {",
            "type R<T> = std::result::Result<T, String>;",
            "type R<T> = A;\ntype Result<T, E = String> = std::result::Result<T, E>;",
            "Result<Vec<(u8, String)>, String>",
            "Result<fn(u8) -> Option<u8>, String>",
            "fn f() -> Result<\n    BTreeMap<u8, u8>,\n    String,\n> {",
        ] {
            assert_eq!(count(one), 1, "{one}");
        }
        assert_eq!(count("Result<Result<u8, String>, String>"), 2);
        for none in [
            "fn f() -> Result<String> {",
            "Result<String, Error>",
            "Result<(), (u32, String)>",
            "Result<(), Vec<String>>",
            "// Result<(), String>",
            "\"Result<(), String>\"",
            "Result<",
        ] {
            assert_eq!(count(none), 0, "{none}");
        }
    }

    #[test]
    fn a_planted_text_is_an_objection() {
        let tree = std::env::temp_dir().join(format!("sassafras-texts-{}", std::process::id()));
        let (outer, inner) = (tree.join("outer"), tree.join("outer/inner"));
        let write = |place: &str, text: &str| {
            let path = tree.join(place);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
            std::fs::write(path, text).expect("a file is written");
        };
        write("outer/src/lib.rs", "fn f() -> Result<(), String> {}\n#[cfg(test)]\nmod tests {}\n");
        write("outer/tests/all.rs", "fn g() -> Result<u8, String> {}\n");
        write("outer/target/made.rs", "fn h() -> Result<u8, String> {}\n");
        write("outer/inner/src/lib.rs", "fn i() -> Result<u8, String> {}\n");
        let planted = |name: &str, folder: &Path| Crate {
            name: name.to_owned(),
            folder: folder.to_owned(),
            needs: [].into(),
        };
        let crates = [planted("outer", &outer), planted("inner", &inner)];
        let folders = [outer.as_path(), inner.as_path()];
        let found: BTreeMap<String, usize> = crates
            .iter()
            .map(|c| (c.name.clone(), gather(&c.folder, &folders).expect("the tree reads")))
            .collect();
        std::fs::remove_dir_all(&tree).expect("the tree goes");
        assert_eq!(found, [("outer".to_owned(), 2), ("inner".to_owned(), 1)].into());
        let faults = |list: &str| against(&found, list).expect("a list");
        assert_eq!(faults("# crates\n2 outer\n1 inner\n"), Vec::<String>::new());
        assert!(faults("1 outer\n1 inner\n")[0].starts_with("outer: 2 errors are texts, and 1 may be"));
        assert!(faults("3 outer\n1 inner\n")[0].ends_with("still has 3"));
        assert_eq!(faults("2 outer\n").len(), 1);
        assert_eq!(faults("2 outer\n1 inner\n1 gone\n").len(), 1);
        assert!(against(&found, "two outer").is_err());
    }
}
