//! Paths that start in their own crate, in a source text.

/// Code without comments, what strings and characters hold, and items for tests alone.
pub fn code(text: &str) -> String {
    without_tests(&without_texts(text, false))
}

/// How many lines have code: those that are blank, that are comments, and those of items for tests alone are none. A line of a string is one.
pub fn code_lines(text: &str) -> usize {
    without_tests(&without_texts(text, true)).lines().filter(|l| !l.trim().is_empty()).count()
}

/// Skips what is quoted, and comments; `marked` leaves a mark for each line of what is quoted.
pub(super) fn without_texts(text: &str, marked: bool) -> String {
    let all: Vec<char> = text.chars().collect();
    let (mut out, mut i) = (String::new(), 0);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    while i < all.len() {
        let rest = &all[i..];
        let starts = |what: &str| what.chars().eq(rest.iter().copied().take(what.len()));
        let hashes = |from: usize| rest.iter().skip(from).take_while(|c| **c == '#').count();
        let named = i > 0 && is_name(all[i - 1]);
        let from = i;
        if starts("//") {
            i += rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
        } else if starts("/*") {
            i += 2 + closing(&rest[2..], "*/");
        } else if rest[0] == 'r' && !named && rest.get(1 + hashes(1)) == Some(&'"') {
            let n = hashes(1);
            i += 2 + n + closing(&rest[2 + n..], &format!("\"{}", "#".repeat(n)));
        } else if rest[0] == '"' {
            i += 1 + quoted(&rest[1..], '"');
        } else if rest[0] == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
            i += 1 + quoted(&rest[1..], '\'');
        } else {
            out.push(rest[0]);
            i += 1;
            continue;
        }
        let comment = starts("//") || starts("/*");
        if marked && !comment {
            out.push('"');
            all[from..i].iter().filter(|c| **c == '\n').for_each(|_| out.push_str("\n\""));
        } else if marked {
            out.extend(all[from..i].iter().filter(|c| **c == '\n'));
        }
    }
    out
}

/// How far it is to behind an end.
fn closing(rest: &[char], end: &str) -> usize {
    let end: Vec<char> = end.chars().collect();
    rest.windows(end.len()).position(|w| w == end).map_or(rest.len(), |at| at + end.len())
}

/// How far it is to behind a quote that no backslash stands before.
fn quoted(rest: &[char], end: char) -> usize {
    let mut i = 0;
    while i < rest.len() && rest[i] != end {
        i += if rest[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(rest.len())
}

/// Skips items that are built for tests alone.
fn without_tests(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once(MARK) {
        out += before;
        let mut depth = 0i32;
        let end = behind.char_indices().find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(c, ';' | '}')
        });
        rest = end.map_or("", |(at, _)| &behind[at + 1..]);
    }
    out + rest
}

/// The paths in code whose first name is one of `heads`, name by name.
pub fn paths(code: &str, heads: &[&str]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let tokens = tokens(code);
    for i in 0..tokens.len() {
        let first = i == 0 || tokens[i - 1] != "::";
        if first && heads.contains(&tokens[i]) && tokens.get(i + 1) == Some(&"::") {
            tree(&tokens, i, &mut Vec::new(), &mut all);
        }
    }
    all
}

fn tokens(code: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut all, mut rest) = (Vec::new(), code.trim_start());
    while let Some(c) = rest.chars().next() {
        let end = match c {
            _ if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => c.len_utf8(),
        };
        all.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    all
}

/// Reads a path or a tree of such from a token on; gives the token behind it.
fn tree(tokens: &[&str], mut at: usize, before: &mut Vec<String>, all: &mut Vec<Vec<String>>) -> usize {
    let depth = before.len();
    loop {
        match tokens.get(at).copied() {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|t| *t != "}") {
                    let next = tree(tokens, at, before, all);
                    at = next.max(at + 1);
                    if tokens.get(at) == Some(&",") {
                        at += 1;
                    }
                }
                before.truncate(depth);
                return at + 1;
            }
            Some(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                // `x::{self, y}`: the module itself.
                if name != "self" || before.is_empty() {
                    before.push(name.to_owned());
                }
                at += 1;
            }
            Some("*") => at += 1,
            _ => {}
        }
        if tokens.get(at) == Some(&"::") {
            at += 1;
            continue;
        }
        if tokens.get(at) == Some(&"as") {
            at += 2;
        }
        all.push(before.clone());
        before.truncate(depth);
        return at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let code = code(text);
        paths(&code, &["crate", "super"]).into_iter().map(|p| p.join("::")).collect()
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        let text =
            "use crate::a::{self, b::C as D, e::*};\nfn f<'a>(x: &'a crate::g::H) { super::super::i(); }";
        assert_eq!(
            found(text),
            ["crate::a", "crate::a::b::C", "crate::a::e", "crate::g::H", "super::super::i"]
        );
    }

    #[test]
    fn lines_of_code_are_counted() {
        let count = |text: &str| code_lines(text);
        assert_eq!(count("//! Of.\n\n/// A.\nfn f() { // why\n}\n/* one\ntwo */\n"), 2);
        assert_eq!(count("let x = \"one\ntwo // no comment\n\";\nlet y = '\"'; /* a */ f()\n"), 4);
        assert_eq!(count("fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() { \"}\" }\n}\nfn h() {}\n"), 2);
        assert_eq!(count("#[cfg(test)]\nmod tests;\nmod b;\n"), 1);
    }

    #[test]
    fn what_is_no_code_is_passed_over() {
        let text = "// crate::a\n/* crate::b */ let x = (\"crate::c \\\" crate::d\", r#\"crate::e \" \"#, '\"');\n\
                    #[cfg(test)]\nmod tests { use crate::f; mod more { } }\n#[cfg(test)]\nuse crate::g;\nuse crate::h;";
        assert_eq!(found(text), ["crate::h"]);
    }
}
