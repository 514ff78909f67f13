//! What works on each chip, over the corpus: our code and ptxas's, made, read by nvdisasm, run and proved.
//!
//! `chips [--chips sm_80,sm_120] [--every N] [--only TEXT] [--launches N] [--prove BINARY] [--timeout SECONDS] [--rows FILE] [--ptxas VERSION] [--report FILE]
//! [--merge FILE,FILE]`: prints a table and the most frequent reasons, writes a line of JSON for each program and chip to the file of `--rows`, and the
//! table to that of `--report`. With `--merge` nothing is run: the lines are those of earlier runs, with the same options.

use anyhow::{Context, Result, bail};
use sassafras_chip::Chip;
use sassafras_corpus::{Code, Program, Sides, compile_for, examine_code, expected, programs, runs_on};
use sassafras_execute::Outcome;
use sassafras_oracle::Tools;
use sassafras_reference::{traces, workspace_root};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Arguments {
    chips: Vec<Chip>,
    every: usize,
    only: String,
    launches: usize,
    prove: Option<PathBuf>,
    /// Seconds of clock time for one proof. The effort ends it long before, unless the machine has other work.
    timeout: u64,
    rows: Option<PathBuf>,
    ptxas: String,
    report: Option<PathBuf>,
    merge: Vec<PathBuf>,
    jobs: usize,
}

fn arguments() -> Result<Arguments> {
    let mut to = Arguments {
        chips: Chip::ALL.to_vec(),
        every: 8,
        only: String::new(),
        launches: 1,
        prove: None,
        timeout: 30,
        rows: None,
        ptxas: traces::RECORDED.into(),
        report: None,
        merge: Vec::new(),
        jobs: 2,
    };
    let mut all = std::env::args().skip(1);
    while let Some(name) = all.next() {
        let value = all.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--chips" => to.chips = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "--every" => to.every = value.parse::<usize>()?.max(1),
            "--only" => to.only = value,
            "--launches" => to.launches = value.parse()?,
            "--prove" => to.prove = Some(value.into()),
            "--timeout" => to.timeout = value.parse()?,
            "--rows" => to.rows = Some(value.into()),
            "--ptxas" => to.ptxas = value,
            "--merge" => to.merge = value.split(',').map(PathBuf::from).collect(),
            "--report" => to.report = Some(value.into()),
            "--jobs" => to.jobs = value.parse::<usize>()?.max(1),
            _ => bail!("no option `{name}`"),
        }
    }
    Ok(to)
}

/// A program on a chip, with what the prover says of both sides.
#[derive(serde::Serialize, serde::Deserialize)]
struct Record {
    #[serde(flatten)]
    sides: Sides,
    /// Verdicts and reasons, entry by entry.
    proofs: BTreeMap<String, Vec<(String, String)>>,
}

struct House {
    arguments: Arguments,
    root: PathBuf,
    tools: Tools,
}

impl House {
    fn read(&self, bytes: &[u8]) -> String {
        let Ok(nvdisasm) = self.tools.nvdisasm_of(&self.arguments.ptxas) else { return String::new() };
        match nvdisasm.disassemble_bytes(bytes) {
            Ok(_) => "read".into(),
            Err(e) => e.to_string(),
        }
    }

    fn prove(&self, ptx: &Path, cubin: &[u8]) -> Result<Vec<(String, String)>> {
        let Some(binary) = &self.arguments.prove else { return Ok(Vec::new()) };
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("code.cubin");
        std::fs::write(&file, cubin)?;
        let mut command = Command::new(binary);
        command
            .args([
                "prove",
                "--format",
                "json",
                "--budget",
                "10",
                "--timeout",
                &self.arguments.timeout.to_string(),
            ])
            .arg(ptx);
        let said = command.arg("--against").arg(&file).output()?;
        let answer: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
        let entries = answer["entries"].as_array().cloned().unwrap_or_default();
        let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
        Ok(entries.iter().map(|e| (text(&e["verdict"]), text(&e["reason"]))).collect())
    }

    fn program(&self, program: &Program, expected: &[Option<Outcome>], chip: Chip) -> Result<Record> {
        let ptx = self.root.join("corpus").join(format!("{}.ptx", program.name));
        let mut sides = Sides {
            name: program.name.clone(),
            chip: chip.to_string(),
            ours: Code::default(),
            ptxas: Code::default(),
        };
        let mut proofs = BTreeMap::new();
        match compile_for(program, chip) {
            Ok((cubin, bytes)) => {
                sides.ours.made = "made".into();
                sides.ours.read = self.read(&bytes);
                sides.ours.ran = examine_code(program, &cubin, expected, true);
                proofs.insert("ours".to_owned(), self.prove(&ptx, &bytes)?);
            }
            Err(e) => sides.ours.made = e.to_string(),
        }
        let recorded = match self.arguments.ptxas == traces::RECORDED {
            true => traces::cubin_for(&self.root, &chip.to_string(), &program.name),
            false => None,
        };
        let made = match (recorded, self.tools.ptxas(&self.arguments.ptxas)) {
            (Some(bytes), _) => Ok(bytes),
            (None, Ok(ptxas)) => {
                ptxas.compile(&ptx, &chip.to_string(), &[]).map(|(bytes, _)| bytes).map_err(|e| e.to_string())
            }
            (None, Err(_)) => Err("not recorded, and no ptxas here".into()),
        };
        match made {
            Ok(bytes) => {
                sides.ptxas.made = "made".into();
                match sassafras_cubin::read(&bytes) {
                    Ok(cubin) => sides.ptxas.ran = examine_code(program, &cubin, expected, false),
                    Err(e) => sides.ptxas.ran = format!("unsupported: {e}"),
                }
                proofs.insert("ptxas".to_owned(), self.prove(&ptx, &bytes)?);
            }
            Err(e) => sides.ptxas.made = e.lines().next().unwrap_or_default().into(),
        }
        Ok(Record { sides, proofs })
    }
}

/// A reason without what differs from program to program: words that are numbers become `#`, and what stands in brackets goes.
fn class(reason: &str) -> String {
    let number = |word: &str| word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let words = reason.split(" (").next().unwrap_or_default().split("   at block").next().unwrap_or_default();
    let words: Vec<&str> = words.split(' ').take(20).map(|w| if number(w) { "#" } else { w }).collect();
    words.join(" ")
}

/// Counts on one chip.
#[derive(Default)]
struct Line {
    programs: usize,
    ours: [usize; 3],
    ptxas: [usize; 2],
    verdicts: BTreeMap<(String, String), usize>,
    reasons: BTreeMap<String, usize>,
}

impl Line {
    fn take(&mut self, r: &Record) {
        self.programs += 1;
        let (ours, ptxas) = (&r.sides.ours, &r.sides.ptxas);
        let counts = [ours.made == "made", ours.read == "read", ours.ran == "agrees"];
        counts.iter().zip(&mut self.ours).for_each(|(on, n)| *n += usize::from(*on));
        let counts = [ptxas.made == "made", ptxas.ran == "agrees"];
        counts.iter().zip(&mut self.ptxas).for_each(|(on, n)| *n += usize::from(*on));
        let mut reason = |side: &str, text: &str| {
            if !matches!(text, "" | "made" | "read" | "agrees") {
                *self.reasons.entry(format!("{side}: {}", class(text))).or_default() += 1;
            }
        };
        reason("ours", &ours.made);
        reason("ours read", &ours.read);
        reason("ours ran", &ours.ran);
        reason("ptxas", &ptxas.made);
        reason("ptxas ran", &ptxas.ran);
        for (side, verdicts) in &r.proofs {
            for (verdict, why) in verdicts {
                *self.verdicts.entry((side.clone(), verdict.clone())).or_default() += 1;
                if verdict != "proved" {
                    reason(&format!("{side} {verdict}"), why);
                }
            }
        }
    }

    fn print(&self, chip: Chip) {
        let [made, read, ran] = self.ours;
        let [theirs, right] = self.ptxas;
        println!(
            "{chip}: {} programs; ours: {made} compiled, {read} read by nvdisasm, {ran} right; ptxas's: {theirs} made, {right} right",
            self.programs
        );
        for ((side, verdict), n) in &self.verdicts {
            println!("  {side}: {verdict}: {n}");
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        reasons.iter().take(25).for_each(|(why, n)| println!("  {n:5} {why}"));
    }
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    if !arguments.merge.is_empty() {
        return finish(&arguments, &merged(&arguments.merge)?);
    }
    let root = workspace_root();
    let all = programs(&root)?;
    let all: Vec<Program> =
        all.into_iter().filter(|p| p.name.contains(&arguments.only)).step_by(arguments.every).collect();
    let house = House { tools: Tools::find(&root), root, arguments };
    let file = house.arguments.rows.as_ref().map(std::fs::File::create).transpose()?;
    let (at, done) = (AtomicUsize::new(0), Mutex::new((BTreeMap::<Chip, Line>::new(), file)));
    std::thread::scope(|scope| {
        for _ in 0..house.arguments.jobs {
            scope.spawn(|| {
                while let Some(program) = all.get(at.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(expected) = expected(program, house.arguments.launches) else { continue };
                    for &chip in house.arguments.chips.iter().filter(|c| runs_on(program, **c)) {
                        let record = house.program(program, &expected, chip);
                        let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        let (lines, file) = &mut *done;
                        match record.and_then(|r| Ok((serde_json::to_string(&r)?, r))) {
                            Ok((text, record)) => {
                                lines.entry(chip).or_default().take(&record);
                                if let Some(Err(e)) = file.as_mut().map(|file| writeln!(file, "{text}")) {
                                    eprintln!("{e}");
                                }
                            }
                            Err(e) => eprintln!("{} on {chip}: {e}", program.name),
                        }
                    }
                }
            });
        }
    });
    let (lines, _) = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    finish(&house.arguments, &lines)
}

/// The lines of earlier runs.
fn merged(files: &[PathBuf]) -> Result<BTreeMap<Chip, Line>> {
    let mut lines = BTreeMap::<Chip, Line>::new();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        for line in text.lines() {
            let record: Record = serde_json::from_str(line).with_context(|| file.display().to_string())?;
            lines.entry(record.sides.chip.parse()?).or_default().take(&record);
        }
    }
    Ok(lines)
}

/// Prints the table, and writes the report that is asked for.
fn finish(arguments: &Arguments, lines: &BTreeMap<Chip, Line>) -> Result<()> {
    lines.iter().for_each(|(chip, line)| line.print(*chip));
    if let Some(file) = &arguments.report {
        std::fs::write(file, report(arguments, lines)).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// The table, and what is not as it should be.
fn report(arguments: &Arguments, lines: &BTreeMap<Chip, Line>) -> String {
    let which = match arguments.every {
        1 => "Every program".to_owned(),
        n => format!("One program in {n}"),
    };
    let mut out = format!(
        "# What works on each chip\n\n{which} of the corpus that the chip can run, as `cargo xtask long chips` counts it. Of each program {} of its launches \
         are run, ours in timing\nmode. *Read* means by nvdisasm {}, *right* that the SASS executor's results are those of the PTX executor.\n\n\
         | chip | programs | compiled | read | right | ptxas's code made | right |\n| --- | --: | --: | --: | --: | --: | --: |\n",
        arguments.launches, arguments.ptxas
    );
    for (chip, line) in lines {
        let [made, read, ran] = line.ours;
        let [theirs, right] = line.ptxas;
        out += &format!("| {chip} | {} | {made} | {read} | {ran} | {theirs} | {right} |\n", line.programs);
    }
    let mut proofs = String::new();
    for (chip, line) in lines {
        for ((side, verdict), n) in &line.verdicts {
            proofs += &format!("| {chip} | {side} | {verdict} | {n} |\n");
        }
    }
    if !proofs.is_empty() {
        out += &format!("\n| chip | code | verdict | entries |\n| --- | --- | --- | --: |\n{proofs}");
    }
    out += "\nWhat is not so, and on how many programs:\n\n";
    for (chip, line) in lines {
        let mut reasons: Vec<_> = line.reasons.iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        reasons.iter().for_each(|(why, n)| out += &format!("- {chip}: {n} × {why}\n"));
    }
    out
}
