//! Answers of earlier runs, by the content of the question.

use sassafras_solve::smt::Script;
use sassafras_solve::solver::{Answer, Solver};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The layout of an entry; entries of another one are misses.
const VERSION: &str = "sassafras-answer-1";

/// Keeps the answers of a solver in a folder: one file for each question, named by the hash of the solver's name, its limits
/// and the question's text. An entry that cannot be read, or whose last line is not the hash of the others, is a miss. What is
/// not known is never kept: another run may know it.
pub struct Cache {
    inner: Box<dyn Solver>,
    folder: PathBuf,
    head: String,
    /// Answers found.
    pub hits: u64,
    /// Answers asked of the solver.
    pub misses: u64,
}

impl Cache {
    /// A cache before a solver, in a folder that is made if it is not there.
    pub fn new(inner: Box<dyn Solver>, folder: PathBuf) -> Cache {
        let head = format!("{VERSION}\n{}\n{}\n", inner.name(), inner.limits());
        Cache { inner, folder, head, hits: 0, misses: 0 }
    }

    /// The folder that users' answers are kept in, if the system has one.
    pub fn home() -> Option<PathBuf> {
        let of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let home = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?;
        Some(home.join("sassafras").join("answers"))
    }

    fn path(&self, script: &Script, effort: u64) -> PathBuf {
        let name = hex(&[&self.head, &effort.to_string(), &script.text]);
        self.folder.join(&name[..2]).join(&name[2..])
    }
}

fn hex(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// An answer as the lines of an entry.
fn written(answer: &Answer, script: &Script, key: &str) -> Option<String> {
    let mut text = match answer {
        Answer::Unsat => "unsat\n".to_owned(),
        Answer::Sat(model) => {
            let values = script.symbols.iter().map(|(name, t)| Some((name, model.get(t)?)));
            let lines: Option<Vec<String>> = values.map(|v| v.map(|(n, x)| format!("{n} {x:x}\n"))).collect();
            format!("sat\n{}", lines?.concat())
        }
        Answer::Unknown(_) => return None,
    };
    let hash = hex(&[key, &text]);
    text.push_str(&hash);
    Some(text)
}

/// An entry, read strictly.
fn known(text: &str, script: &Script, key: &str) -> Option<Answer> {
    let (body, hash) = text.split_at_checked(text.rfind('\n')? + 1)?;
    if hash != hex(&[key, body]) {
        return None;
    }
    let mut lines = body.lines();
    match lines.next()? {
        "unsat" => lines.next().is_none().then_some(Answer::Unsat),
        "sat" => {
            let mut model = BTreeMap::new();
            for line in lines {
                let (name, value) = line.split_once(' ')?;
                model.insert(*script.symbols.get(name)?, u128::from_str_radix(value, 16).ok()?);
            }
            (model.len() == script.symbols.len()).then_some(Answer::Sat(model))
        }
        _ => None,
    }
}

/// Writes a file so that others see all of it or nothing.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let own = path.with_extension(std::process::id().to_string());
    std::fs::write(&own, text)?;
    std::fs::rename(&own, path)
}

impl Cache {
    /// Effort: zero for all that the limits allow.
    fn look(&mut self, script: &Script, effort: u64, ask: impl Fn(&mut dyn Solver) -> Answer) -> Answer {
        let path = self.path(script, effort);
        let key = path.to_string_lossy().into_owned();
        let key = key.get(key.len().saturating_sub(65)..).unwrap_or_default();
        let entry = std::fs::read_to_string(&path).ok();
        if let Some(answer) = entry.and_then(|text| known(&text, script, key)) {
            self.hits += 1;
            return answer;
        }
        self.misses += 1;
        let answer = ask(self.inner.as_mut());
        if let Some(text) = written(&answer, script, key) {
            // A cache that cannot be written is a slow one.
            let _ = write(&path, &text);
        }
        answer
    }
}

impl Solver for Cache {
    fn check(&mut self, script: &Script) -> Answer {
        self.look(script, 0, |inner| inner.check(script))
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.look(script, effort, |inner| inner.check_short(script, effort))
    }

    fn inner(&self) -> Option<&dyn Solver> {
        Some(self.inner.as_ref())
    }
}
