//! A process with a limit, and the processor time that it took.

use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of `/proc/PID/stat` in a second: `USER_HZ`, which is 100 on every architecture that Rust's tier 1 knows (`man 5 proc`).
const TICKS: f64 = 100.0;

/// How a process ended.
pub struct Ended {
    /// Exit code; none if a signal or the limit ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Processor seconds, its own and its children's; those on the clock where `/proc` does not say.
    pub seconds: f64,
}

/// Runs a command to its end, at most `limit` on the clock.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let pipe = |from: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // A pipe that breaks ends what was said.
            let _ = from.map(|mut f| f.read_to_end(&mut bytes));
            bytes
        })
    };
    let out = pipe(out.map(|p| Box::new(p) as _));
    let err = pipe(err.map(|p| Box::new(p) as _));
    let mut seconds = None;
    let mut pause = Duration::from_millis(1);
    // While it is not waited for, what has ended still says what it took.
    while begun.elapsed() < limit {
        match stat(&child) {
            Some((true, used)) => {
                seconds = Some(used);
                break;
            }
            Some((false, used)) => seconds = Some(used),
            None => break,
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    if begun.elapsed() >= limit {
        child.kill()?;
    }
    let code = child.wait()?.code();
    let seconds = seconds.unwrap_or(begun.elapsed().as_secs_f64());
    Ok(Ended { code, out: out.join().unwrap_or_default(), err: err.join().unwrap_or_default(), seconds })
}

/// Whether the process has ended, and its processor seconds (`man 5 proc`: the state is field 3, times are fields 14 to 17).
fn stat(child: &Child) -> Option<(bool, f64)> {
    let path = PathBuf::from(format!("/proc/{}/stat", child.id()));
    let text = std::fs::read_to_string(path).ok()?;
    // The name of the program, in brackets, may hold blanks.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11..15)?.iter().filter_map(|f| f.parse::<f64>().ok()).sum();
    Some((fields[0] == "Z", ticks / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_and_limited() {
        let sleep = run(Command::new("sleep").arg("0.3"), Duration::from_secs(20)).expect("sleep");
        assert_eq!(sleep.code, Some(0));
        assert!(sleep.seconds < 0.2, "{}", sleep.seconds);
        let begun = Instant::now();
        let long = run(Command::new("sleep").arg("60"), Duration::from_millis(300)).expect("sleep");
        assert_eq!(long.code, None);
        assert!(begun.elapsed() < Duration::from_secs(20));
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done";
        let busy = run(Command::new("sh").args(["-c", busy]), Duration::from_secs(60)).expect("sh");
        assert_eq!(busy.out, b"done\n");
        assert!(busy.seconds > 0.02, "{}", busy.seconds);
    }
}
