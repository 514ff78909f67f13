//! Compilers as processes: processor time and peak memory of ours without judges, of ours with every fast judge, and of ptxas -O3, on the same functions.
//!
//! Processor time is what bash's `time` says of the process with all its threads, in milliseconds; the least of several runs counts. Peak memory is
//! `VmHWM`, read while the process runs. Linux only.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Between two looks at the memory of a process.
const LOOK: Duration = Duration::from_millis(1);
/// The least of so many runs counts; of what takes longer than [`LONG`] seconds one run does.
const RUNS: usize = 5;
const LONG: f64 = 2.0;

/// One compiler on one function.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    kib: u64,
}

/// Runs a command once.
fn once(command: &[&str]) -> Result<Cost> {
    let words = ["-c", "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null", "time"];
    let child = Command::new("bash").args(words).args(command).stderr(Stdio::piped()).spawn();
    let mut child = child.context("bash measures processor time")?;
    let inner = format!("/proc/{0}/task/{0}/children", child.id());
    let mut kib = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        kib = kib.max(peak(&inner).unwrap_or(0));
        std::thread::sleep(LOOK);
    };
    let said = std::io::read_to_string(child.stderr.take().context("its messages")?)?;
    if !status.success() {
        bail!("{command:?} failed: {said}");
    }
    let last = said.lines().last().unwrap_or_default();
    let times: Vec<f64> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [user, system] = times[..] else { bail!("no times of {command:?}: {said}") };
    Ok(Cost { seconds: user + system, kib })
}

/// The peak so far of the process that bash started.
fn peak(children: &str) -> Option<u64> {
    let pids = std::fs::read_to_string(children).ok()?;
    let status = std::fs::read_to_string(format!("/proc/{}/status", pids.split_whitespace().next()?)).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn cost(command: &[&str]) -> Result<Cost> {
    let mut least = once(command)?;
    for _ in 1..RUNS {
        if least.seconds > LONG {
            break;
        }
        let again = once(command)?;
        least = Cost { seconds: least.seconds.min(again.seconds), kib: least.kib.max(again.kib) };
    }
    Ok(least)
}

/// Compares the compilers on functions of growing sizes: `texts` are their instructions of PTX and the PTX. ptxas is not asked about more than `most` instructions.
pub fn compare(ours: &Path, ptxas: &Path, texts: &[(usize, String)], most: usize) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ptx, cubin) = (path("k.ptx"), path("k.cubin"));
    let (ours, ptxas) = (ours.display().to_string(), ptxas.display().to_string());
    let mut rows = Vec::new();
    let mut last: Option<(usize, Vec<(&str, f64)>)> = None;
    let mut growth = Map::new();
    for (size, text) in texts {
        std::fs::write(&ptx, text)?;
        let own = |judge: &str| {
            cost(&[&ours, "compile", "--quiet", "-arch=sm_90", "--judge", judge, &ptx, "-o", &cubin])
        };
        let (plain, judged) = (own("none")?, own("fast")?);
        let theirs = match *size <= most {
            true => Some(cost(&[&ptxas, "-O3", "-arch=sm_90", &ptx, "-o", &cubin])?),
            false => None,
        };
        eprintln!(
            "{size}: ours {:.3} s, with judges {:.3} s, ptxas {:.3} s",
            plain.seconds,
            judged.seconds,
            theirs.map_or(f64::NAN, |cost| cost.seconds)
        );
        let show = |cost: Cost| json!({ "seconds": cost.seconds, "peak_kib": cost.kib });
        rows.push(json!({
            "instructions": size, "ours": show(plain), "judged": show(judged), "ptxas": theirs.map(show),
            "ptxas_to_ours": theirs.map(|cost| cost.seconds / plain.seconds),
            "ptxas_to_judged": theirs.map(|cost| cost.seconds / judged.seconds),
            "judges_to_ours": (judged.seconds - plain.seconds) / plain.seconds,
        }));
        let mut now = vec![("ours", plain.seconds), ("judged", judged.seconds)];
        now.extend(theirs.map(|cost| ("ptxas", cost.seconds)));
        if let Some((before, costs)) = &last {
            for ((name, a), (_, b)) in costs.iter().zip(&now) {
                let exponent = (b / a).ln() / (*size as f64 / *before as f64).ln();
                growth.insert((*name).to_owned(), json!(exponent));
            }
        }
        last = Some((*size, now));
    }
    Ok(json!({ "rows": rows, "growth": growth }))
}
