//! Several workers, with an eye on those that hang or die.

use crate::session::Record;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A worker's process.
struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    fn start(command: &mut Command) -> Result<Worker> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("a worker does not start")?;
        let input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Worker { child, input, lines })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Nothing is left to do for a worker that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What bounds a run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Workers at a time.
    pub workers: usize,
    /// How long a maker may take.
    pub silence: Duration,
    /// When no further item is begun.
    pub end: Instant,
    /// How many makers there are.
    pub makers: usize,
}

/// Runs items `from..to` by the processes that `command` starts, and gives every record to `take`. The number of the first item that
/// was not begun is the result.
///
/// # Errors
/// When no worker can be started, or one says what it should not.
pub fn run(
    bounds: Bounds,
    (from, to): (u64, u64),
    command: impl Fn() -> Command + Sync,
    name: impl Fn(u64) -> String + Sync,
    maker: impl Fn(usize) -> String + Sync,
    take: impl Fn(Record) + Sync,
) -> Result<u64> {
    let next = AtomicU64::new(from);
    let work = || -> Result<()> {
        let mut worker: Option<Worker> = None;
        loop {
            if Instant::now() >= bounds.end {
                return Ok(());
            }
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= to {
                return Ok(());
            }
            let mut at = 0;
            while at < bounds.makers {
                let w = match &mut worker {
                    Some(w) => w,
                    None => worker.insert(Worker::start(&mut command())?),
                };
                let sent = writeln!(w.input, "{item} {at}").and_then(|()| w.input.flush());
                let end = if sent.is_err() { End::Died } else { listen(w, bounds.silence, &mut at, &take)? };
                let verdict = match end {
                    End::Done => break,
                    End::Lost => None,
                    End::Hung => Some("hangs"),
                    End::Died => Some("dies"),
                };
                if let Some(verdict) = verdict {
                    take(Record::whole(&name(item), &maker(at), verdict.into()));
                }
                worker = None;
                at += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..bounds.workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| anyhow::bail!("a thread panicked")))
    })?;
    Ok(next.load(Ordering::Relaxed).min(to))
}

/// How an item ended.
enum End {
    Done,
    Lost,
    Hung,
    Died,
}

fn listen(w: &Worker, silence: Duration, at: &mut usize, take: &impl Fn(Record)) -> Result<End> {
    loop {
        let line = match w.lines.recv_timeout(silence) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Ok(End::Hung),
            Err(RecvTimeoutError::Disconnected) => return Ok(End::Died),
        };
        match line.as_str() {
            "done" => return Ok(End::Done),
            "lost" => return Ok(End::Lost),
            line => match line.strip_prefix("begin ") {
                Some(n) => *at = n.parse()?,
                None => take(serde_json::from_str(line).with_context(|| line.to_owned())?),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A worker in the shell: maker 1 of item 2 hangs, of item 3 dies, of item 4 loses its context.
    const SCRIPT: &str = r#"
        say() { echo "{\"program\":\"$1\",\"maker\":\"$2\",\"launch\":\"\",\"verdict\":\"agrees\",\"buffers\":[]}"; }
        while read item maker; do
            while [ $maker -lt 3 ]; do
                echo "begin $maker"
                case "$item $maker" in
                    "2 1") sleep 60 ;;
                    "3 1") exit 1 ;;
                    "4 1") say $item $maker; echo lost; exit 0 ;;
                esac
                say $item $maker
                maker=$((maker + 1))
            done
            echo done
        done"#;

    #[test]
    fn workers_that_hang_or_die_are_named_and_replaced() {
        let bounds = Bounds {
            workers: 2,
            silence: Duration::from_secs(3),
            end: Instant::now() + Duration::from_secs(600),
            makers: 3,
        };
        let seen = Mutex::new(Vec::new());
        let command = || {
            let mut command = Command::new("sh");
            command.args(["-c", SCRIPT]);
            command
        };
        let take = |r: Record| seen.lock().expect("unpoisoned").push((r.program, r.maker, r.verdict));
        let end = run(bounds, (0, 6), command, |n| n.to_string(), |n| n.to_string(), take).expect("it runs");
        assert_eq!(end, 6);
        let mut seen = seen.into_inner().expect("unpoisoned");
        seen.sort();
        let mut expected: Vec<_> = (0..6)
            .flat_map(|item| (0..3).map(move |maker| (item, maker)))
            .map(|(item, maker)| {
                let verdict = match (item, maker) {
                    (2, 1) => "hangs",
                    (3, 1) => "dies",
                    _ => "agrees",
                };
                (item.to_string(), maker.to_string(), verdict.to_owned())
            })
            .collect();
        expected.sort();
        assert_eq!(seen, expected);
    }
}
