//! What came against what was expected.

use crate::Case;

/// A finding that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// 1-based line.
    pub line: u32,
    /// Its code.
    pub code: String,
    /// Its message.
    pub message: String,
}

/// What is not as expected; empty when all is. `all` is everything that was printed.
pub fn compare(case: &Case, exit: i32, out: &str, all: &str, found: &[Found]) -> Vec<String> {
    let mut wrong = Vec::new();
    if exit != case.exit {
        wrong.push(format!("exit code {exit}, not {}", case.exit));
    }
    for part in &case.has {
        if !all.contains(part.as_str()) {
            wrong.push(format!("`{part}` was not printed"));
        }
    }
    let mut rest = out;
    for part in &case.then {
        match rest.find(part.as_str()) {
            Some(at) => rest = &rest[at + part.len()..],
            None => wrong.push(format!("`{part}` was not printed behind what should stand before it")),
        }
    }
    for part in &case.not {
        if all.contains(part.as_str()) {
            wrong.push(format!("`{part}` was printed"));
        }
    }
    if let Some(lines) = &case.out {
        let expected: String = lines.iter().map(|l| format!("{}\n", l.trim_end())).collect();
        let found: String = out.lines().map(|l| format!("{}\n", l.trim_end())).collect();
        if expected != found {
            wrong.push(format!(
                "standard output differs (BLESS=1 takes the new one):\n{}",
                difference(&expected, &found)
            ));
        }
    }
    let mut left: Vec<&Found> = found.iter().collect();
    for e in &case.expected {
        let fits = |f: &&Found| f.line == e.line && f.code == e.code && f.message.contains(&e.part);
        match left.iter().position(fits) {
            Some(at) => drop(left.remove(at)),
            None => wrong.push(format!("line {}: {} `{}` did not come", e.line, e.code, e.part)),
        }
    }
    // Findings count as unexpected only where the file talks of findings at all.
    if !case.expected.is_empty() {
        wrong.extend(
            left.iter().map(|f| format!("line {}: {} `{}` was not expected", f.line, f.code, f.message)),
        );
    }
    wrong
}

fn difference(expected: &str, found: &str) -> String {
    similar::TextDiff::from_lines(expected, found)
        .unified_diff()
        .context_radius(2)
        .header("expected", "found")
        .to_string()
}

/// The file's text with its `OUT` lines replaced by what came.
pub fn bless(text: &str, out: &str) -> String {
    let mut result = String::new();
    let mut written = false;
    let block: String = out.lines().map(|l| format!("// OUT: {}\n", l.trim_end())).collect();
    for line in text.lines() {
        if line.starts_with("// OUT:") {
            if !written {
                result.push_str(&block);
                written = true;
            }
            continue;
        }
        result.push_str(line);
        result.push('\n');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn findings_match_both_ways() {
        let case = parse("// RUN: check %s\n// EXIT: 1\nmov; //~ P1 one\n").expect("it is sound");
        let of = |line, code: &str| Found { line, code: code.into(), message: "one thing".into() };
        assert!(compare(&case, 1, "", "", &[of(3, "P1")]).is_empty());
        assert_eq!(compare(&case, 1, "", "", &[of(2, "P1")]).len(), 2);
        assert_eq!(compare(&case, 1, "", "", &[of(3, "P1"), of(3, "P2")]).len(), 1);
        assert_eq!(compare(&case, 0, "", "", &[]).len(), 2);
    }

    #[test]
    fn parts_in_order() {
        let case = parse("// RUN: isa\n// THEN: one\n// THEN: two\n").expect("it is sound");
        assert!(compare(&case, 0, "one\ntwo\n", "", &[]).is_empty());
        assert_eq!(compare(&case, 0, "two\none\n", "", &[]).len(), 1);
        assert_eq!(compare(&case, 0, "one\n", "one two", &[]).len(), 1, "standard output alone counts");
    }

    #[test]
    fn blessed_output_fits() {
        let text = "// RUN: isa\n// OUT: old\n// OUT: older\nrest\n";
        let blessed = bless(text, "new\n");
        assert_eq!(blessed, "// RUN: isa\n// OUT: new\nrest\n");
        let case = parse(&blessed).expect("it is sound");
        assert!(compare(&case, 0, "new\n", "new\n", &[]).is_empty());
        assert_eq!(compare(&case, 0, "newer\n", "", &[]).len(), 1);
    }
}
