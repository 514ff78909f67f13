//! What the program says when it is called `ptxas`: ptxas's shapes, and its words where tools search for them.
//!
//! Wording by black-box runs of ptxas 13.0.88; who searches for what: `tests/tools/*.toml`. There are no carets here, and
//! single quotes only where ptxas has them: XLA finds the PTX version between the two quotes of the whole output.

use std::fmt::Write;

use sassafras_driver::options::Options;
use sassafras_driver::session::Joined;
use sassafras_driver::{Failure as Stopped, Stage, Warning, statistics};
use sassafras_ptx::check::VERSIONS;
use sassafras_ptx::{Diagnostics, Record};

use super::{Compiled, has_warnings};
use crate::Failure;

/// The CUDA release that brought a PTX version (PTX ISA, "Release History"; ptxas 13.0.88 and 13.5.37, `--list-version`).
const RELEASES: [((u32, u32), (u32, u32)); 6] = [
    ((9, 0), (13, 0)),
    ((9, 1), (13, 1)),
    ((9, 2), (13, 2)),
    ((9, 3), (13, 3)),
    ((9, 4), (13, 4)),
    ((9, 5), (13, 5)),
];

/// The newest PTX version.
fn newest() -> (u32, u32) {
    VERSIONS.last().copied().unwrap_or_default()
}

/// The release whose PTX we read. Tools derive the PTX version that they write from it.
fn release() -> (u32, u32) {
    let row = RELEASES.iter().rev().find(|(version, _)| *version <= newest());
    row.map_or((13, 0), |row| row.1)
}

/// The text of `--version`.
pub(super) fn version() -> String {
    version_of("ptxas", "an open PTX optimizing assembler")
}

/// The text of `--version` of a tool in whose place we are called. Triton reads the release of each.
pub(in crate::command) fn version_of(name: &str, what: &str) -> String {
    let (major, minor) = release();
    format!(
        "{name}: Sassafras, {what} in the place of NVIDIA's\n\
         Sassafras {}\n\
         Cuda compilation tools, release {major}.{minor}, V{major}.{minor}.0\n",
        env!("CARGO_PKG_VERSION")
    )
}

const ABORTED: &str = "ptxas fatal   : Ptx assembly aborted due to errors\n";

/// A failure that is about no line.
pub(super) fn failure(failure: &Failure) -> String {
    match failure.code {
        "C0002" => format!("ptxas fatal   : {}\n{ABORTED}", failure.message),
        _ => format!("ptxas fatal   : {}\n", failure.message),
    }
}

/// One finding, on one line.
fn finding(record: &Record, text: &str, joined: Option<&Joined>) -> String {
    let (file, line) =
        joined.and_then(|j| j.place(record.line)).unwrap_or((record.file.as_str(), record.line));
    let (severity, what) = match record.code {
        "P0101" => ("fatal   ", format!("Missing .version directive at start of file '{file}'")),
        "P0102" => {
            let (major, minor) = newest();
            ("fatal   ", format!("Unsupported .version {text}; current version is '{major}.{minor}'"))
        }
        "P0001" | "P0002" | "P0003" => {
            ("fatal   ", format!("Parsing error near '{text}': syntax error: {}", record.message))
        }
        "P0201" => ("error   ", format!("Unknown symbol '{text}'")),
        "P0301" => ("error   ", format!("Not a name of any known instruction: '{text}'")),
        _ if record.severity == "warning" => ("warning ", record.message.clone()),
        _ => ("error   ", record.message.clone()),
    };
    format!("ptxas {file}, line {line}; {severity}: {what}\n")
}

fn findings(all: &Diagnostics, joined: Option<&Joined>) -> String {
    let mut out = String::new();
    let mut other_target = false;
    for (record, diagnostic) in all.records().iter().zip(all.iter()) {
        if record.code == "P0112" {
            // ptxas gives no line here.
            let _ = writeln!(
                out,
                "ptxas fatal   : SM version specified by .target is higher than default SM version assumed: {}",
                record.message
            );
            other_target = true;
            continue;
        }
        out.push_str(&finding(record, all.excerpt(diagnostic.span), joined));
    }
    if all.has_errors() && !other_target {
        out.push_str(ABORTED);
    }
    out
}

/// Everything that a compilation says, for standard error.
pub(super) fn text(done: &[Compiled], options: &Options) -> String {
    let mut out = String::new();
    let warn = !options.no_warnings && !options.quiet || options.warnings_are_errors;
    let word = if options.warnings_are_errors { "error   " } else { "warning " };
    if !options.quiet && !options.no_warnings {
        options.remarks.iter().for_each(|r| out += &format!("ptxas info    : {r}\n"));
    }
    if warn {
        options.warnings.iter().for_each(|w| out += &format!("ptxas {word}: {w}\n"));
    }
    for c in done {
        match &c.result {
            Ok(artifact) => {
                for (stage, function, text) in &artifact.printed {
                    let of = if function.is_empty() { "" } else { " of " };
                    let _ = write!(out, "# after {stage}{of}{function}\n{text}");
                }
                if warn && has_warnings(artifact, options) {
                    artifact.findings.iter().for_each(|f| out += &findings(f, c.joined.as_ref()));
                    artifact.warnings.iter().for_each(|w| out += &warning(w, word, c));
                }
                // ptxas says nothing of them.
                if options.verbose && !options.quiet {
                    artifact.remarks.iter().for_each(|r| out += &format!("ptxas info    : {r}\n"));
                }
                for o in c.opinions.iter().filter(|o| o.is_said() && !options.quiet) {
                    let _ = writeln!(out, "ptxas info    : {}", super::say::undecided(o));
                }
                if let (true, Some((cubin, _)), Some(target)) =
                    (options.verbose, &artifact.cubin, artifact.target)
                {
                    out += &statistics::text("ptxas", &target.to_string(), cubin, &artifact.entries);
                }
            }
            Err(Stopped::Ptx(found)) => out += &findings(found, c.joined.as_ref()),
            // XLA tries another configuration after these words.
            Err(stopped @ Stopped::Unsupported { stage: Stage::Allocate, .. }) => {
                let _ = writeln!(out, "ptxas fatal   : Register allocation failed: {stopped}");
            }
            Err(stopped) => {
                let _ = writeln!(out, "ptxas fatal   : {stopped}");
            }
        }
    }
    out
}

/// A warning; one that is about a line stands in ptxas's form for lines.
fn warning(warning: &Warning, word: &str, compiled: &Compiled) -> String {
    let text = warning.to_string();
    let Some(line) = warning.line() else { return format!("ptxas {word}: {text}\n") };
    let what = text.strip_prefix(&format!("line {line}: ")).unwrap_or(&text);
    let place = compiled.joined.as_ref().and_then(|j| j.place(line));
    let (file, line) = place.unwrap_or((compiled.name.as_str(), line));
    format!("ptxas {file}, line {line}; {word}: {what}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_has_a_release() {
        assert!(RELEASES.iter().any(|row| row.0 == newest()), "{:?} stands in no row", newest());
        assert_eq!(release(), (13, 5));
    }
}
