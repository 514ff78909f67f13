//! Functions of the trusted part, `verify`, that are too long to be read at once. Those that were when the rule came are listed in `lengths.txt`, which
//! only shrinks.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Most lines of a function, from its name to its closing brace.
const MOST: usize = 100;

/// Longer ones, by file and name, and how long they may be.
const COUNTED: &str = include_str!("lengths.txt");

/// Functions by file and name, with their lines. Of several of one name the longest.
type Lengths = BTreeMap<(String, String), usize>;

/// What the first word behind qualifiers such as `pub(super) const` names, if the line begins a function.
fn function(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        let (word, behind) = rest.split_once(' ')?;
        match word {
            "fn" => return behind.split(|c: char| !c.is_alphanumeric() && c != '_').next(),
            "const" | "async" | "unsafe" | "extern" => rest = behind,
            // `pub(in a::b)` has a blank.
            _ if word.starts_with("pub") && word.contains("(in") => rest = behind.split_once(' ')?.1,
            _ if word.starts_with("pub") || word.starts_with('"') => rest = behind,
            _ => return None,
        }
    }
}

/// The functions of a text that is laid out as rustfmt does: each ends at the first brace that stands as far to the right as it begins.
fn functions(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let ends = move |from: usize| {
        let line = lines[from];
        let name = function(line)?;
        let end =
            |l: &&str| indent(l) == indent(line) && (l.trim_start().starts_with('}') || l.ends_with(';'));
        let one_line = line.ends_with('}') || line.ends_with(';');
        let more = if one_line { 0 } else { lines[from + 1..].iter().position(end)? + 1 };
        Some((name, 1 + more))
    };
    (0..text.lines().count()).filter_map(ends)
}

/// The functions below a folder that are too long.
fn gather(root: &Path, folder: &Path, found: &mut Lengths) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            gather(root, &path, found)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let place = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            for (name, lines) in functions(&text).filter(|(_, lines)| *lines > MOST) {
                let longest = found.entry((place.clone(), name.to_owned())).or_default();
                *longest = lines.max(*longest);
            }
        }
    }
    Ok(())
}

/// The list: lines, file and name of each.
fn listed(text: &str) -> Result<Lengths> {
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let [lines, file, name] = row.split(' ').collect::<Vec<_>>()[..] else {
            anyhow::bail!("`{row}` is not lines, file and name");
        };
        let lines = lines.parse().with_context(|| format!("`{row}` begins with no number"))?;
        Ok(((file.to_owned(), name.to_owned()), lines))
    })
    .collect()
}

/// What is longer than it may be, and what is listed and need not be any more.
fn against(found: &Lengths, counted: &Lengths) -> Vec<String> {
    let long =
        found.iter().filter(|(function, lines)| counted.get(*function).is_none_or(|most| *lines > most));
    let long = long.map(|((file, name), lines)| {
        format!("{file}: `{name}` has {lines} lines, more than {MOST}: split it by what it does")
    });
    let gone = counted.keys().filter(|function| !found.contains_key(*function));
    let gone = gone.map(|(file, name)| {
        format!("{file}: `{name}` is not above {MOST} lines any more: take it from lengths.txt")
    });
    long.chain(gone).collect()
}

/// Objections to functions below the `src` folders of `verify`.
pub fn lengths(root: &Path) -> Result<Vec<String>> {
    let (mut found, verify) = (Lengths::new(), root.join("verify"));
    for entry in std::fs::read_dir(&verify).with_context(|| verify.display().to_string())? {
        let source = entry?.path().join("src");
        if source.is_dir() {
            gather(root, &source, &mut found)?;
        }
    }
    println!("functions of verify above {MOST} lines: {}", found.len());
    Ok(against(&found, &listed(COUNTED)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A method of so many lines, with what may mislead: a closure, a nested function, a declaration without a body.
    fn planted(lines: usize) -> String {
        let body = "        let f = |x| {\n            x\n        };\n".repeat((lines - 2) / 3);
        let rest = "        f(1);\n".repeat((lines - 2) % 3);
        format!(
            "trait T {{\n    fn declared(\n        &self,\n    );\n}}\n\nimpl A {{\n    pub(super) const fn planted(&self) {{\n{body}{rest}    }}\n\n    fn short() {{}}\n}}\n"
        )
    }

    fn lengths_of(text: &str) -> Vec<(&str, usize)> {
        functions(text).collect()
    }

    #[test]
    fn functions_are_measured_from_their_names_to_their_ends() {
        for lines in [2, 3, 4, 100, 101] {
            let expected = [("declared", 3), ("planted", lines), ("short", 1)];
            assert_eq!(lengths_of(&planted(lines)), expected);
        }
        assert_eq!(
            lengths_of("pub(in crate::a) unsafe extern \"C\" fn a_1<T>(t: T)\nwhere\n    T: Copy,\n{\n}\n"),
            [("a_1", 5)]
        );
        assert_eq!(lengths_of("let fnord = 1;\n// fn none() {\nfn_of(2);\n"), []);
    }

    #[test]
    fn a_function_of_101_lines_is_an_objection_unless_it_is_listed() {
        let of = |lines: usize| {
            let text = planted(lines);
            let long = functions(&text).filter(|(_, lines)| *lines > MOST);
            long.map(|(name, lines)| (("a.rs".to_owned(), name.to_owned()), lines)).collect::<Lengths>()
        };
        let list = |text: &str| listed(text).unwrap();
        assert_eq!(against(&of(100), &list("")), Vec::<String>::new());
        assert_eq!(against(&of(101), &list("")).len(), 1);
        assert_eq!(against(&of(101), &list("# why\n101 a.rs planted\n")), Vec::<String>::new());
        assert_eq!(against(&of(102), &list("101 a.rs planted\n")).len(), 1);
        let gone = against(&of(100), &list("101 a.rs planted\n"));
        assert!(gone[0].contains("take it from lengths.txt"), "{gone:?}");
        assert!(listed("a.rs planted").is_err());
    }
}
