//! Proofs by the binary, an entry at a time.

use super::process;
use serde_json::Value;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The binary, and how much it may do.
#[derive(Clone, Debug)]
pub struct Prover {
    /// `sassafras`.
    pub binary: PathBuf,
    /// Effort, in millions of z3's `rlimit`.
    pub budget: u64,
    /// Seconds on the clock, for safety. The effort ends a proof before, unless the machine has other work.
    pub timeout: u64,
}

/// Why a compiler makes no code of a file.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Its exit code, where it ended by itself.
    pub code: Option<i32>,
    /// The first line that it said.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "exit {code}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Refusal {}

/// What was said of an entry.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// As `prove` says it, `killed`, or `no answer`.
    pub verdict: String,
    /// The code of the reason.
    pub code: String,
    /// The reason, where a counterexample differs, or what was said instead of an answer.
    pub why: String,
    /// Code and reason of why loops were not shown to do the same for any number of turns.
    pub turns: Option<(String, String)>,
    /// What `sassafras run` has to be given to see the counterexample again.
    pub run: Option<String>,
    /// Processor seconds.
    pub seconds: f64,
}

impl Said {
    /// Whether it is proved for all inputs.
    pub fn is_proved(&self) -> bool {
        self.verdict == "proved"
    }
}

impl Prover {
    /// Compiles a file at -O3, without judges.
    ///
    /// # Errors
    /// When the binary cannot be started.
    pub fn compile(&self, ptx: &Path, chip: &str, cubin: &Path) -> io::Result<Result<(), Refusal>> {
        let mut command = Command::new(&self.binary);
        command.args(["compile", "--quiet", "--judge", "none", "-O3", &format!("-arch={chip}"), "-o"]);
        command.arg(cubin).arg(ptx);
        let ended = process::run(&mut command, Duration::from_secs(600))?;
        let said = String::from_utf8_lossy(&ended.err);
        let first = said.lines().next().unwrap_or_default();
        Ok(match ended.code {
            Some(0) => Ok(()),
            code => Err(Refusal { code, message: first.into() }),
        })
    }

    /// Holds the code of an entry against its source.
    ///
    /// # Errors
    /// When the binary cannot be started.
    pub fn prove(&self, ptx: &Path, entry: &str, cubin: &Path) -> io::Result<Said> {
        let mut command = Command::new(&self.binary);
        command.args(["prove", "--format", "json", "--jobs", "1", "--budget", &self.budget.to_string()]);
        command.args(["--timeout", &self.timeout.to_string(), "--entry", entry, "--against"]);
        command.arg(cubin).arg(ptx);
        // Beyond its own limit only what hangs is ended.
        let ended = process::run(&mut command, Duration::from_secs(self.timeout * 3 + 60))?;
        let answer: Value = serde_json::from_slice(&ended.out).unwrap_or_default();
        let mut said = match answer["entries"].as_array().map(Vec::as_slice) {
            Some([one]) => read(one),
            _ => {
                let verdict = if ended.code.is_none() { "killed" } else { "no answer" };
                let text = String::from_utf8_lossy(&ended.err);
                let why =
                    format!("exit {}: {}", ended.code.unwrap_or(-1), text.lines().next().unwrap_or_default());
                Said { verdict: verdict.into(), why, ..Said::default() }
            }
        };
        said.seconds = ended.seconds;
        Ok(said)
    }
}

fn read(entry: &Value) -> Said {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let example = &entry["counterexample"];
    let why = match example.is_null() {
        true => text(&entry["reason"]),
        false => format!(
            "at {} the source leaves {} and the target {} by {}",
            text(&example["address"]),
            text(&example["source"]),
            text(&example["target"]),
            text(&example["text"]),
        ),
    };
    let turns = &entry["turns"];
    Said {
        verdict: text(&entry["verdict"]),
        code: text(&entry["code"]),
        why,
        turns: (!turns.is_null()).then(|| (text(&turns["code"]), text(&turns["reason"]))),
        run: example["run"].as_str().map(str::to_owned),
        seconds: 0.0,
    }
}
