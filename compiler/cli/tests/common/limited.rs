//! Runs the binary with little memory and little time.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Address space of a command, in KiB.
const MEMORY: u64 = 8_000_000;
/// Seconds for a command.
const SECONDS: u64 = 20;

/// How a command ended, if it did otherwise than it may.
pub fn fault(folder: &Path, words: &[&str]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
    let line = format!("ulimit -v {MEMORY}; exec '{}' {}", env!("CARGO_BIN_EXE_sassafras"), quoted.join(" "));
    let mut child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(folder.join("stdout")).expect("the folder is ours"))
        .stderr(std::fs::File::create(folder.join("stderr")).expect("the folder is ours"))
        .spawn()
        .expect("a shell");
    let started = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None if started.elapsed() > Duration::from_secs(SECONDS) => {
                child.kill().expect("it runs");
                child.wait().expect("it ends");
                return Some(format!("more than {SECONDS} seconds"));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
    let (out, err) = (read("stdout"), read("stderr"));
    let said = String::from_utf8_lossy(&err);
    let start: String = said.chars().take(300).collect();
    match status.code() {
        None => Some(format!("killed: {start}")),
        Some(0..=2 | 4 | 5 | 10..=14) if said.contains("panicked") => Some(format!("panicked: {start}")),
        Some(0..=2 | 4 | 5 | 10..=14) if err.len() > 1 << 16 && !out.is_empty() => {
            Some(format!("{} bytes of messages", err.len()))
        }
        Some(0..=2 | 4 | 5 | 10..=14) => None,
        Some(code) => Some(format!("exit code {code}: {start}")),
    }
}
