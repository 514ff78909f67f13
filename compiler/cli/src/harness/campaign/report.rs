//! A finding for a reader, as Markdown and as HTML: made to be sent to those who make the compiler.

use crate::harness::case::Case;
use crate::harness::compiler::Compiler;
use crate::harness::oracle::{Decision, Kind};
use sassafras_execute::ptx;
use sassafras_generate::ptx::inputs;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What a version of a compiler makes of the program.
pub struct Row {
    /// As on the command line.
    pub compiler: String,
    /// Its build.
    pub build: String,
    /// The chip.
    pub sm: u32,
    /// The level.
    pub level: u8,
    /// The outcome.
    pub word: &'static str,
}

/// What a report says of a finding.
pub struct Told<'a> {
    /// Who errs.
    pub compiler: &'a Compiler,
    /// How it shows.
    pub kind: Kind,
    /// The same as a sentence.
    pub how: &'a str,
    /// Whether the prover found it, rather than the executors.
    pub proved: bool,
    /// The reduced program.
    pub case: &'a Case,
    /// Its instructions.
    pub about: &'a BTreeSet<String>,
    /// What the prover says.
    pub verdict: Option<&'a str>,
    /// The first instruction that goes wrong, and its offset in bytes.
    pub first: Option<&'a (u64, String)>,
    /// The listing.
    pub code: Option<&'a str>,
    /// Other versions, chips, levels.
    pub rows: &'a [Row],
}

/// A part of a document.
enum Part {
    Title(String),
    Heading(&'static str),
    /// Text; what stands between backquotes is code.
    Text(String),
    Code(String),
    Table(Vec<Vec<String>>),
}

/// A document, to be written in either form.
pub struct Document(Vec<Part>);

/// The whole of it.
pub fn document(told: &Told<'_>) -> Document {
    let Told { compiler, case, .. } = told;
    let list: Vec<String> =
        told.about.iter().map(|name| format!("`{}`", name.trim_start_matches('@'))).collect();
    let list = list.join(", ");
    let build = compiler.build();
    let command = compiler.command("reduced.ptx", "code.cubin");
    let found = if told.proved { "by proof" } else { "by executing both" };
    let what = match told.kind {
        Kind::Broken => format!("The compiler breaks on the program below: {}.", told.how),
        Kind::Differs | Kind::Refuted => format!(
            "The machine code does not do what the PTX below says. Sassafras {} found it {found}; no GPU was involved.",
            env!("CARGO_PKG_VERSION")
        ),
    };
    let title = match told.kind {
        Kind::Broken => "breaks on",
        Kind::Differs | Kind::Refuted => "wrong code for",
    };
    let mut parts = vec![
        Part::Title(format!("{}: {title} {list}", compiler.label())),
        Part::Text(format!("Compiler: {build}. Command: `{command}`. {what}")),
        Part::Heading("Program"),
        Part::Code(case.file()),
        Part::Text(format!("What it should do is said by the PTX ISA in the sections of {list}.")),
    ];
    if told.kind != Kind::Broken {
        parts.push(Part::Heading("What goes wrong"));
        parts.push(Part::Text(format!("{}.", told.how)));
        match told.first {
            Some((at, text)) => {
                parts.push(Part::Text(format!("First instruction that goes wrong: `{at:#06x}: {text}`.")));
            }
            None => parts.push(Part::Text("Which instruction goes wrong first is not known.".into())),
        }
        if let Some(verdict) = told.verdict {
            parts.push(Part::Code(verdict.to_owned()));
        }
        parts.push(Part::Heading("To see it"));
        let n = case.blocks * case.threads;
        // Parameters that nothing reads are gone.
        let parameters =
            case.module().ok().and_then(|m| ptx::layout(&m, "k").ok()).map_or(3, |all| all.len());
        let all =
            [format!(" --arg zeros:{}", case.out), " --arg buf:in.bin".into(), format!(" --arg u32:{n}")];
        let run = format!(
            "--entry k --grid {} --block {}{} --dump 0",
            case.blocks,
            case.threads,
            all[..parameters.min(3)].concat()
        );
        parts.push(Part::Text(
            "With these files in a folder; the two files that are written differ where the code errs. On a GPU: launch `k` with the same arguments.".into(),
        ));
        parts.push(Part::Code(format!(
            "{command}\nsassafras run reduced.ptx {run}=should.bin\nsassafras run code.cubin {run}=is.bin\ncmp should.bin is.bin\n"
        )));
        parts.push(Part::Text(format!(
            "`in.bin` holds {} bytes; the first 64, by words of 32 bits, first byte last:",
            case.input
        )));
        parts.push(Part::Code(words(&inputs(case.seed, case.input.min(64)))));
    }
    if !told.rows.is_empty() {
        parts.push(Part::Heading("Other versions, chips and levels"));
        parts.push(Part::Table(table(told.rows)));
        let mut builds: Vec<String> =
            told.rows.iter().map(|r| format!("{}: {}", r.compiler, r.build)).collect();
        builds.dedup();
        parts.push(Part::Code(builds.join("\n")));
    }
    if let Some(code) = told.code {
        parts.push(Part::Heading("Machine code"));
        parts.push(Part::Code(code.to_owned()));
    }
    Document(parts)
}

/// Bytes as words of 32 bits, four a line.
fn words(bytes: &[u8]) -> String {
    let word = |b: &[u8]| b.iter().rev().fold("0x".to_owned(), |text, b| text + &format!("{b:02x}"));
    let lines = bytes.chunks(16).map(|line| line.chunks(4).map(word).collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

/// A row for each compiler and chip, a column for each level.
fn table(rows: &[Row]) -> Vec<Vec<String>> {
    let mut levels: Vec<u8> = rows.iter().map(|r| r.level).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut head = vec!["compiler".to_owned(), "chip".to_owned()];
    head.extend(levels.iter().map(|l| format!("-O{l}")));
    let mut all = vec![head];
    let mut seen = BTreeSet::new();
    for row in rows {
        if !seen.insert((&row.compiler, row.sm)) {
            continue;
        }
        let of = |level: &u8| {
            let cell = rows.iter().find(|r| (&r.compiler, r.sm, r.level) == (&row.compiler, row.sm, *level));
            cell.map_or("", |r| shown(r.word)).to_owned()
        };
        let mut line = vec![row.compiler.clone(), format!("sm_{}", row.sm)];
        line.extend(levels.iter().map(of));
        all.push(line);
    }
    all
}

/// An outcome in a table.
fn shown(word: &'static str) -> &'static str {
    let wrong =
        [Kind::Broken, Kind::Differs, Kind::Refuted].map(|k| Decision::Wrong(k, String::new()).word());
    match word {
        "agrees" | "proved" => "right",
        "within" => "right within a bound",
        _ if wrong.contains(&word) => "WRONG",
        _ => word,
    }
}

impl Document {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for part in &self.0 {
            let _ = match part {
                Part::Title(text) => writeln!(out, "# {text}\n"),
                Part::Heading(text) => writeln!(out, "## {text}\n"),
                Part::Text(text) => writeln!(out, "{text}\n"),
                Part::Code(text) => writeln!(out, "```\n{}\n```\n", text.trim_end()),
                Part::Table(rows) => {
                    for (n, row) in rows.iter().enumerate() {
                        let _ = writeln!(out, "| {} |", row.join(" | "));
                        if n == 0 {
                            let _ = writeln!(out, "|{}", " --- |".repeat(row.len()));
                        }
                    }
                    writeln!(out)
                }
            };
        }
        out
    }

    /// As a page of HTML that needs no other file.
    pub fn html(&self) -> String {
        let mut body = String::new();
        let mut title = String::new();
        for part in &self.0 {
            let _ = match part {
                Part::Title(text) => {
                    title = escaped(&text.replace('`', ""));
                    writeln!(body, "<h1>{}</h1>", inline(text))
                }
                Part::Heading(text) => writeln!(body, "<h2>{text}</h2>"),
                Part::Text(text) => writeln!(body, "<p>{}</p>", inline(text)),
                Part::Code(text) => writeln!(body, "<pre>{}</pre>", escaped(text.trim_end())),
                Part::Table(rows) => {
                    body += "<table>\n";
                    for (n, row) in rows.iter().enumerate() {
                        let tag = if n == 0 { "th" } else { "td" };
                        let cells = row.iter().map(|c| match c.as_str() {
                            "WRONG" => format!("<{tag} class=\"wrong\">{c}</{tag}>"),
                            _ => format!("<{tag}>{}</{tag}>", escaped(c)),
                        });
                        let _ = writeln!(body, "<tr>{}</tr>", cells.collect::<String>());
                    }
                    writeln!(body, "</table>")
                }
            };
        }
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
        )
    }
}

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}pre{background:#f4f4f4;padding:.8em;overflow-x:auto;\
font-size:13px}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left}.wrong{color:#a00;font-weight:bold}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text whose parts between backquotes are code.
fn inline(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(n, part)| if n % 2 == 1 { format!("<code>{}</code>", escaped(part)) } else { escaped(part) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let table = vec![vec!["a".to_owned()], vec!["WRONG".to_owned()]];
        let parts = vec![
            Part::Title("of `x<y`".into()),
            Part::Heading("H"),
            Part::Code("a & b\n".into()),
            Part::Table(table),
        ];
        let document = Document(parts);
        assert_eq!(
            document.markdown(),
            "# of `x<y`\n\n## H\n\n```\na & b\n```\n\n| a |\n| --- |\n| WRONG |\n\n"
        );
        let html = document.html();
        for part in
            ["<code>x&lt;y</code>", "<pre>a &amp; b</pre>", "class=\"wrong\"", "<title>of x&lt;y</title>"]
        {
            assert!(html.contains(part), "{part} is not in\n{html}");
        }
    }
}
