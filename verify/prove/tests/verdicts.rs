//! Folders of kernels with `proofs.csv`: what the prover says of our code and of ptxas's, without and with optimisation. No verdict may get worse, and no code
//! of ours is refuted. `corpus/first` are the first programs that somebody writes, `corpus/modern` and `corpus/calls` what nvcc makes of others; a folder of the
//! corpus may also be named by a row.
//!
//! Of what is long every seventh row is tried that was proved; `SASSAFRAS_ALL_PROOFS=1` (`cargo xtask long verdicts`) tries all. `BLESS=1` writes the files anew,
//! with what got better; what got worse is a failure even then.

#![allow(missing_docs)]

mod common;

use common::solver;
use sassafras_cubin::Cubin;
use sassafras_driver::observe::Nobody;
use sassafras_driver::session;
use sassafras_oracle::workspace_root;
use sassafras_prove::{Limits, Solver, Verdict, prove_within};
use std::path::Path;

const VERSION: &str = "13.0.88";
/// The newest PTX that this ptxas takes; that of newer producers is given to it as this.
const NEWEST: &str = ".version 9.0";
/// Every how many rows of the longer lists are tried where not all are.
const STEP: usize = 7;

/// A line of `proofs.csv`: a kernel, a compiler with its level, the verdict, and the reason of what is not proved.
#[derive(Clone, Debug)]
struct Row {
    kernel: String,
    code: String,
    verdict: String,
    reason: String,
}

impl Row {
    fn parse(line: &str) -> Row {
        let mut parts = line.splitn(4, ',').map(|p| p.trim_matches('"').to_owned());
        let mut next = || parts.next().unwrap_or_default();
        Row { kernel: next(), code: next(), verdict: next(), reason: next() }
    }

    /// How much the verdict says: more is better.
    fn rank(&self) -> usize {
        let all = ["refuted", "none", "unknown", "within", "proved"];
        all.iter().position(|v| *v == self.verdict).expect("a verdict")
    }
}

/// A verdict as a word, and why.
fn words(verdict: &Verdict) -> (&'static str, String) {
    match verdict {
        Verdict::Proved => ("proved", String::new()),
        Verdict::ProvedWithin(bound) => ("within", format!("{bound} rounds")),
        Verdict::Refuted(found) => ("refuted", format!("{:?}", found.thread)),
        Verdict::Unknown(why) => ("unknown", why.to_string()),
        Verdict::Inapplicable(why) => ("none", why.to_string()),
    }
}

/// Why there is no code.
enum NoCode {
    /// We refuse the text.
    Refused,
    /// ptxas does; what it says.
    Ptxas(String),
    /// ptxas's file cannot be read.
    Unreadable(sassafras_cubin::Error),
}

impl std::fmt::Display for NoCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoCode::Refused => f.write_str("refused"),
            NoCode::Ptxas(said) => f.write_str(said),
            NoCode::Unreadable(why) => why.fmt(f),
        }
    }
}

/// Our code of a text.
fn ours(text: &str, target: &str, level: &str) -> Result<Cubin, NoCode> {
    let words = [format!("-arch={target}"), level.to_owned()];
    let options = sassafras_driver::options::parse(&words, &|_: &str| Ok(String::new())).expect("options");
    let options = sassafras_driver::options::Options { jobs: 1, ..options };
    let made = session::compile(text, "test", &options, None, &Nobody).map_err(|_| NoCode::Refused)?;
    made.cubin.map(|c| c.0).ok_or(NoCode::Refused)
}

/// ptxas's, or `None` where it is not at hand.
fn theirs(text: &str, target: &str, level: &str) -> Option<Result<Cubin, NoCode>> {
    let ptxas = sassafras_oracle::Tools::here().ptxas(VERSION).ok()?;
    let at = text.find(".version")?;
    let number = text[at..].lines().next()?;
    let newer = number.trim().trim_start_matches(".version").trim().parse::<f64>().is_ok_and(|n| n > 9.0);
    let text = if newer { text.replacen(number, NEWEST, 1) } else { text.to_owned() };
    let made = ptxas.compile_text(&text, target, &[level]);
    Some(
        made.map_err(|e| NoCode::Ptxas(e.to_string()))
            .and_then(|(bytes, _)| sassafras_cubin::read(&bytes).map_err(NoCode::Unreadable)),
    )
}

/// What becomes of a row now; `None` where there is no ptxas.
fn judged(folder: &str, row: &Row, solver: &mut dyn Solver) -> Option<Row> {
    let name = if row.kernel.contains('/') { row.kernel.clone() } else { format!("{folder}/{}", row.kernel) };
    let text = common::text(&name);
    let target = text.lines().find_map(|l| l.trim().strip_prefix(".target ")).expect("a target");
    let target = target.split(',').next().expect("a word").trim();
    let (who, level) = row.code.split_once(' ').expect("who, and the level");
    let cubin = if who == "ours" { ours(&text, target, level) } else { theirs(&text, target, level)? };
    let (verdict, reason) = match cubin {
        Err(why) => ("none", why.to_string()),
        Ok(cubin) => {
            let (module, _) = session::parse(&text, &name).expect("it is valid");
            let entry = module.functions.iter().find(|f| f.entry).expect("an entry");
            let record = prove_within(&module, &entry.name, &cubin, solver, Limits::default());
            eprintln!("{name} {}: {:.2} s", row.code, record.seconds);
            words(&record.verdict)
        }
    };
    let reason = reason.replace(['"', '\n'], "'");
    Some(Row { verdict: verdict.to_owned(), reason, ..row.clone() })
}

/// Tries a folder's rows: all of them where that is asked for, else every so many of those that were proved.
fn hold(test: &str, folder: &str, step: usize) {
    let whole = std::env::var_os("SASSAFRAS_ALL_PROOFS").is_some();
    let Some(mut solver) = solver(test, 30) else { return };
    let file = workspace_root().join("corpus").join(folder).join("proofs.csv");
    let text = std::fs::read_to_string(&file).expect("the folder has its list");
    let mut rows: Vec<Row> = text.lines().skip(1).map(Row::parse).collect();
    let (mut worse, mut better, mut missing) = (Vec::new(), 0, false);
    let proved = |r: &&mut Row| whole || r.rank() >= 3;
    for row in rows.iter_mut().filter(proved).step_by(if whole { 1 } else { step }) {
        let Some(now) = judged(folder, row, &mut *solver) else {
            missing = true;
            continue;
        };
        if now.verdict == "refuted" && now.code.starts_with("ours") || now.rank() < row.rank() {
            worse.push(format!(
                "{} {}: {} ({}), not {}",
                now.kernel, now.code, now.verdict, now.reason, row.verdict
            ));
            continue;
        }
        better += usize::from(now.rank() > row.rank());
        *row = now;
    }
    if missing {
        sassafras_oracle::skip(test, &"ptxas is not installed");
    }
    if std::env::var_os("BLESS").is_some() {
        write(&file, &rows);
    }
    eprintln!("{test}: {better} better than recorded");
    assert!(worse.is_empty(), "{worse:#?}");
}

fn write(file: &Path, rows: &[Row]) {
    let mut text = String::from("kernel,code,verdict,reason\n");
    for r in rows {
        text += &format!("{},{},{},\"{}\"\n", r.kernel, r.code, r.verdict, r.reason);
    }
    std::fs::write(file, text).expect("written");
}

#[test]
fn first_programs_keep_their_verdicts() {
    hold("first_programs_keep_their_verdicts", "first", 1);
}

#[test]
fn modern_kernels_keep_their_verdicts() {
    hold("modern_kernels_keep_their_verdicts", "modern", STEP);
}

#[test]
fn kernels_with_calls_keep_their_verdicts() {
    hold("kernels_with_calls_keep_their_verdicts", "calls", STEP);
}

/// A verdict that is worse than the recorded one is seen, and so is ours that is refuted.
#[test]
fn verdicts_have_an_order() {
    let row = |verdict: &str| Row::parse(&format!("k,ours -O3,{verdict},\"why, not\""));
    let all = ["proved", "within", "unknown", "none", "refuted"].map(|v| row(v).rank());
    assert!(all.is_sorted_by(|a, b| a > b));
    assert_eq!(row("unknown").reason, "why, not");
}
