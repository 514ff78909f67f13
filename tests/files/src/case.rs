//! What a file says about itself.

use anyhow::{anyhow, bail};

/// A finding that a line expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// 1-based line.
    pub line: u32,
    /// Its stable code.
    pub code: String,
    /// A part of its message.
    pub part: String,
}

/// A test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The words of each command.
    pub commands: Vec<Vec<String>>,
    /// The exit code of the last command; the others must exit with 0.
    pub exit: i32,
    /// The lines of standard output, when they are stated.
    pub out: Option<Vec<String>>,
    /// Parts of the output.
    pub has: Vec<String>,
    /// Whether a solver is needed to say what is expected.
    pub solver: bool,
    /// Parts of standard output, each behind the one before.
    pub then: Vec<String>,
    /// What must not be in the output.
    pub not: Vec<String>,
    /// Files that the text holds, by name: what stands between `FILE` lines, without the words in capitals.
    pub files: Vec<(String, String)>,
    /// Findings.
    pub expected: Vec<Expected>,
}

/// Reads a file.
///
/// # Errors
/// It has no command, or says something that is not understood.
pub fn parse(text: &str) -> anyhow::Result<Case> {
    let mut case = Case::default();
    let mut exits = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        if let Some((_, note)) = line.split_once("//~") {
            let (number, note) = match note.strip_prefix('^') {
                Some(note) if number > 1 => (number - 1, note),
                Some(_) => bail!("line {number}: no line stands above"),
                None => (number, note),
            };
            let (code, part) = note.trim().split_once(' ').unwrap_or((note.trim(), ""));
            if code.is_empty() {
                bail!("line {number}: a finding is expected without a code");
            }
            case.expected.push(Expected { line: number, code: code.into(), part: part.trim().into() });
            continue;
        }
        let said = line.strip_prefix("// ").and_then(|l| l.split_once(':'));
        let said = said.filter(|(word, _)| !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase()));
        let Some((word, rest)) = said else {
            if let Some((_, text)) = case.files.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
            continue;
        };
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match word {
            "RUN" => case.commands.push(rest.split_whitespace().map(str::to_owned).collect()),
            "EXIT" => {
                exits += 1;
                case.exit =
                    rest.trim().parse().map_err(|_| anyhow!("line {number}: `{rest}` is no exit code"))?;
            }
            "OUT" => case.out.get_or_insert_default().push(rest.to_owned()),
            "NEEDS" if rest.trim() == "solver" => case.solver = true,
            "THEN" => case.then.push(rest.trim_end().to_owned()),
            "NOT" => case.not.push(rest.trim_end().to_owned()),
            "FILE" if rest.trim().is_empty() || rest.contains('/') => {
                bail!("line {number}: `{rest}` is no name of a file");
            }
            "FILE" => case.files.push((rest.trim().to_owned(), String::new())),
            "HAS" => case.has.push(rest.trim_end().to_owned()),
            _ => bail!("line {number}: `{word}` is no word that a test knows"),
        }
    }
    if case.commands.is_empty() || case.commands.iter().any(Vec::is_empty) {
        bail!("the file states no command (`// RUN: …`)");
    }
    if exits > 1 {
        bail!("the exit code is stated twice");
    }
    if case.expected.is_empty()
        && case.out.is_none()
        && case.has.is_empty()
        && case.then.is_empty()
        && case.not.is_empty()
        && exits == 0
    {
        bail!("the file expects nothing (EXIT, OUT, HAS, THEN, NOT or //~)");
    }
    Ok(case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_case() {
        let text = "// RUN: check %s\n// EXIT: 1\n// HAS: caret\nmov; //~ P0301 not declared\n//~^ P0100\n";
        let case = parse(text).expect("it is sound");
        assert_eq!(case.commands, [["check", "%s"]]);
        assert_eq!((case.exit, case.has.len()), (1, 1));
        let of = |code: &str, part: &str| Expected { line: 4, code: code.into(), part: part.into() };
        assert_eq!(case.expected, [of("P0301", "not declared"), of("P0100", "")]);
    }

    #[test]
    fn files_in_a_file() {
        let text = "// RUN: prove b --against a\n// FILE: a\none\n// HAS: k\n// two\n// FILE: b\n// NOT: z\n";
        let case = parse(text).expect("it is sound");
        assert_eq!(case.files, [("a".into(), "one\n// two\n".into()), ("b".into(), String::new())]);
        assert_eq!((case.has, case.not), (vec!["k".into()], vec!["z".into()]));
    }

    #[test]
    fn what_says_nothing_fails() {
        for text in [
            "",
            "mov;\n",
            "// RUN:\n// EXIT: 0\n",
            "// RUN: check %s\n",
            "// RUN: a\n// EXITS: 1\n",
            "// RUN: a\n//~\n",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
