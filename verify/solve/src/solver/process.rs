//! Solvers as processes that read SMT-LIB: where they are, a question to one, and what it printed.

use super::ask::{Answer, short};
use crate::smt::Script;
use sassafras_semantics::TermId;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Seconds that a solver has beyond its own limit before it is ended.
const GRACE: u64 = 5;

/// How a question is asked.
pub const CHECK: &str = "(check-sat)";

/// A tool by an environment variable, if it is set; else under one of the folders or those above them.
pub fn found(variable: &str, place: &str, folders: &[&Path], is: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(value) => Some(PathBuf::from(value)).filter(|p| is(p)),
        None => folders.iter().flat_map(|f| f.ancestors()).map(|f| f.join(place)).find(|p| is(p)),
    }
}

/// Gives a program a question, how to ask it, and a wish for the values of all symbols; what it prints within some seconds. One
/// that neither answers nor ends by then is ended.
///
/// # Errors
/// A program that does not start, or cannot be ended.
pub fn converse(
    command: &mut Command,
    head: &str,
    ask: &str,
    script: &Script,
    seconds: u64,
) -> std::io::Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let names: Vec<&str> = script.symbols.keys().map(String::as_str).collect();
    let values =
        if names.is_empty() { String::new() } else { format!("(get-value ({}))\n", names.join(" ")) };
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let question = format!("{head}{ask}\n{values}");
    // Each end has a thread of its own: a solver may stop reading, and stop writing.
    let writer = std::thread::spawn(move || {
        // A solver that has gone away has closed its end; what it printed tells.
        stdin.map(|mut s| s.write_all(question.as_bytes()))
    });
    let (done, read) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = stdout.map_or(Ok(0), |mut s| s.read_to_end(&mut bytes));
        // Nobody listens any more if it was too late.
        let _ = done.send(result.map(|_| bytes));
    });
    let answer = read.recv_timeout(Duration::from_secs(seconds.saturating_add(GRACE)));
    if answer.is_err() {
        child.kill()?;
    }
    child.wait()?;
    let Ok(bytes) = answer else { return Ok("timeout".into()) };
    // Both ends are closed by now.
    let _ = (writer.join(), reader.join());
    Ok(String::from_utf8_lossy(&bytes?).into_owned())
}

/// What a solver printed, read strictly: anything else than an answer is none.
pub fn read(text: &str, script: &Script) -> Answer {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.trim() {
        "unsat" => Answer::Unsat,
        "sat" => match model(rest, script) {
            Some(values) => Answer::Sat(values),
            None => Answer::Unknown("solver: its model cannot be read".into()),
        },
        "unknown" => short(),
        "timeout" => Answer::Unknown("time".into()),
        other => Answer::Unknown(format!("solver: it said `{}`", other.chars().take(80).collect::<String>())),
    }
}

/// `((NAME VALUE) …)`.
fn model(text: &str, script: &Script) -> Option<BTreeMap<TermId, u128>> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty()).collect();
    let mut values = BTreeMap::new();
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        let (digits, radix) = match (value.strip_prefix("#x"), value.strip_prefix("#b")) {
            (Some(digits), _) => (digits, 16),
            (_, Some(digits)) => (digits, 2),
            _ => return None,
        };
        values.insert(*script.symbols.get(*name)?, u128::from_str_radix(digits, radix).ok()?);
    }
    (values.len() == script.symbols.len()).then_some(values)
}
