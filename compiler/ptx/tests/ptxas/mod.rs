//! ptxas as a judge of single lines.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// What was said about a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Accepted,
    Unsupported,
    Rejected(String),
}

/// ptxas refuses a module.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What it says.
    pub stderr: String,
}

pub struct Judge {
    ptxas: PathBuf,
    folder: tempfile::TempDir,
}

impl Judge {
    /// ptxas 13.0.88 where it is installed; says so if not.
    pub fn find() -> Option<Judge> {
        Judge::of("13.0.88")
    }

    /// A version of ptxas where it is installed; says so if not.
    pub fn of(version: &str) -> Option<Judge> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let ptxas = PathBuf::from(root).join(format!(".oracle/{version}/nvidia/cu13/bin/ptxas"));
        if ptxas.exists() {
            return Some(Judge { ptxas, folder: tempfile::tempdir().expect("a folder can be made") });
        }
        eprintln!("skipped: ptxas {version} is not in .oracle");
        assert!(std::env::var("CI").as_deref() != Ok("true"), "ptxas is needed in CI");
        None
    }

    /// Judges every line, given how to make a module of lines. A line at which ptxas gives up is taken out, and the rest is
    /// judged again.
    pub fn verdicts(&self, lines: &[String], module: impl Fn(&[String]) -> (String, usize)) -> Vec<Verdict> {
        // After some thousands of errors ptxas falls silent.
        lines.chunks(500).flat_map(|chunk| self.chunk(chunk, &module)).collect()
    }

    fn chunk(&self, lines: &[String], module: &impl Fn(&[String]) -> (String, usize)) -> Vec<Verdict> {
        let mut given_up: BTreeMap<usize, String> = BTreeMap::new();
        loop {
            let current: Vec<String> = lines
                .iter()
                .enumerate()
                .map(|(i, line)| if given_up.contains_key(&i) { String::new() } else { line.clone() })
                // Never valid: ptxas then stops before it generates code for lines that make no sense together.
                .chain(["sentinel;".to_owned()])
                .collect();
            let (text, first) = module(&current);
            let messages = self.run(&text);
            let at = |line: usize| line.checked_sub(first).filter(|i| *i <= lines.len());
            let fatal = messages.iter().find(|(_, kind, _)| kind == "fatal");
            if let Some((line, _, message)) = fatal
                && let Some(i) = at(*line)
            {
                // A syntax error is often noticed at the start of the next line. Where ptxas gives up at a line that is gone already, halves find out.
                if given_up.insert(i, message.clone()).is_none() {
                    continue;
                }
            }
            // After an error in some macros of its own ptxas counts lines from there.
            let complete = messages.iter().any(|(line, _, _)| at(*line) == Some(lines.len()));
            if !complete {
                // ptxas itself failed somewhere: halves find out where.
                if lines.len() == 1 {
                    let message = fatal.map_or("ptxas failed", |(_, _, message)| message.as_str());
                    return vec![Verdict::Rejected(message.to_owned())];
                }
                let (a, b) = lines.split_at(lines.len() / 2);
                return [a, b].into_iter().flat_map(|half| self.chunk(half, module)).collect();
            }
            let mut verdicts = vec![Verdict::Accepted; lines.len() + 1];
            for (line, _, message) in messages.iter().filter(|(_, kind, _)| kind == "error") {
                let i =
                    at(*line).unwrap_or_else(|| panic!("an error outside of the lines: {line}: {message}"));
                verdicts[i] = Verdict::Rejected(message.clone());
            }
            for (i, message) in given_up {
                verdicts[i] = Verdict::Rejected(message);
            }
            verdicts.truncate(lines.len());
            return verdicts;
        }
    }

    /// Line, kind and text of each message with a line.
    fn run(&self, text: &str) -> Vec<(usize, String, String)> {
        let input = self.folder.path().join("lines.ptx");
        std::fs::write(&input, text).expect("the folder can be written");
        let output = Command::new(&self.ptxas)
            .args(["-arch", chip(text), "-O0", "-o", "/dev/null"])
            .arg(&input)
            .output()
            .expect("ptxas runs");
        let text =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let parsed = text.lines().filter_map(|l| {
            if let Some((_, rest)) = l.split_once("uses 32-bit address on line '") {
                // A warning, and then a fatal message without a line.
                let (line, _) = rest.split_once('\'')?;
                return Some((line.parse().ok()?, "error".to_owned(), "32-bit address".to_owned()));
            }
            let (_, rest) = l.split_once(", line ")?;
            let (line, rest) = rest.split_once("; ")?;
            let (kind, message) = rest.split_once(':')?;
            Some((line.parse().ok()?, kind.trim().to_owned(), message.trim().to_owned()))
        });
        let parsed: Vec<_> = parsed.collect();
        // Some lines make ptxas crash; those who ask then find out which.
        let crashed = output.status.code().is_none();
        assert!(output.status.success() || crashed || !parsed.is_empty(), "ptxas failed: {text}");
        parsed
    }
}

/// The chip that code is made for: the module's own target, or the first that still has code.
fn chip(text: &str) -> &str {
    let named = text.split_once(".target ").and_then(|(_, rest)| rest.split(['\n', ',']).next());
    named
        .filter(|t| t.starts_with("sm_1") && t.len() > "sm_10".len() || t.ends_with('a'))
        .unwrap_or("sm_90")
        .trim()
}

/// How long ptxas may take for a module of one line, which takes it a twentieth of a second.
const PATIENCE: Duration = Duration::from_secs(10);

impl Judge {
    /// Whether ptxas makes code of a line that it has not refused when reading it: of some it says no only then, at some it
    /// crashes, and at some it does not end.
    pub fn compiles(&self, line: &str, module: impl Fn(&[String]) -> (String, usize)) -> Verdict {
        let (text, _) = module(&[line.to_owned()]);
        let input = self.folder.path().join("line.ptx");
        std::fs::write(&input, &text).expect("the folder can be written");
        let messages =
            std::fs::File::create(self.folder.path().join("line.txt")).expect("a file can be made");
        let mut command = Command::new(&self.ptxas);
        command.args(["-arch", chip(&text), "-O0", "-o", "/dev/null"]).arg(&input);
        command.stdout(messages.try_clone().expect("a file can be shared")).stderr(messages);
        let mut child = command.spawn().expect("ptxas runs");
        let started = Instant::now();
        loop {
            match child.try_wait().expect("ptxas can be waited for") {
                Some(status) if status.success() => return Verdict::Accepted,
                Some(status) if status.code().is_none() => return Verdict::Rejected("ptxas crashed".into()),
                Some(_) => break,
                None if started.elapsed() > PATIENCE => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Verdict::Rejected("ptxas does not end".into());
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        let said = std::fs::read_to_string(self.folder.path().join("line.txt")).unwrap_or_default();
        Verdict::Rejected(said.lines().next().unwrap_or("ptxas failed").to_owned())
    }

    /// Judges a whole module; what was said if it is refused.
    pub fn module(&self, text: &str) -> Result<(), Refused> {
        let input = self.folder.path().join("module.ptx");
        std::fs::write(&input, text).expect("the folder can be written");
        let mut command = Command::new(&self.ptxas);
        // With `-c` functions may stay undefined, but shared memory is not counted.
        command.args((!text.contains(".shared")).then_some("-c"));
        let output =
            command.args(["-arch=sm_90", "-O0", "-o", "/dev/null"]).arg(&input).output().expect("ptxas runs");
        if output.status.success() {
            Ok(())
        } else {
            Err(Refused { stderr: String::from_utf8_lossy(&output.stderr).into_owned() })
        }
    }
}
