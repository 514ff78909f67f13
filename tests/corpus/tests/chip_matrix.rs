//! Every form of the PTX table on every chip that has it: refused by name, or compiled past all judges, executed like its PTX, and proved.
//! `cargo xtask long chip-matrix` takes all forms and writes `reports/ptx-matrix-chips.md`; `SASSAFRAS_CHIPS=75,120` takes these chips alone.

mod forms;

use forms::{Fate, against, general, launch, prepared, sources};
use sassafras_chip::{Chip, Features, Target};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Failure as NotCompiled, session};
use sassafras_generate::exercise::{self, Exercise};
use sassafras_oracle::workspace_root;
use sassafras_prove::{Limits, Solver, Verdict, Z3, prove_within};
use sassafras_ptx::table::{self, document};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Of how many forms one is tried on each chip where not all are.
const STEP: usize = 997;
/// The solver's budget for one kernel, and its seconds.
const BUDGET: u64 = 5;
const SECONDS: u64 = 10;

/// Known defects: the start of a kernel's instruction, and what is said of it. They count as wrong on the page. A line goes with its defect; none may come.
const DEFECTS: [(&str, &str); 0] = [];

/// What became of the kernels of a row on a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    kernels: usize,
    not_ptx: usize,
    refused: usize,
    right: usize,
    not_run: usize,
    proved: usize,
    unknown: usize,
    wrong: usize,
}

impl Count {
    const FIELDS: usize = 8;

    fn numbers(self) -> [usize; Count::FIELDS] {
        [
            self.kernels,
            self.not_ptx,
            self.refused,
            self.right,
            self.not_run,
            self.proved,
            self.unknown,
            self.wrong,
        ]
    }

    fn of(n: [usize; Count::FIELDS]) -> Count {
        let [kernels, not_ptx, refused, right, not_run, proved, unknown, wrong] = n;
        Count { kernels, not_ptx, refused, right, not_run, proved, unknown, wrong }
    }

    fn add(&mut self, other: Count) {
        let (a, b) = (self.numbers(), other.numbers());
        *self = Count::of(std::array::from_fn(|i| a[i] + b[i]));
    }

    fn compiled(self) -> usize {
        self.kernels - self.not_ptx - self.refused
    }
}

/// What is to be said of one kernel.
struct Found {
    count: Count,
    /// Why it was refused, not run, not proved or wrong.
    said: Vec<(&'static str, String)>,
}

/// The target of a chip that has a form: the plain one where that suffices.
fn target(chip: Chip, e: &Exercise) -> Target {
    match e.need.features {
        Features::Base => Target::base(chip),
        _ => exercise::target(chip),
    }
}

/// Compiles, executes and proves one kernel for a chip.
fn examine(e: &Exercise, chip: Chip, solver: &mut dyn Solver) -> Found {
    let mut found = Found { count: Count { kernels: 1, ..Count::default() }, said: Vec::new() };
    let target = target(chip, e);
    let text = exercise::module(target, [e]);
    let Ok(module) = sassafras_ptx::load(&text, "matrix") else {
        found.count.not_ptx = 1;
        return found;
    };
    let options = Options { arch: Some(Arch::Real(target)), jobs: 1, ..Options::default() };
    let made = session::compile(&text, "matrix", &options, None, &sassafras::judges::Judges::default());
    let cubin = match made.map(|made| made.cubin) {
        Ok(Some((cubin, _))) => cubin,
        Ok(None) => return wrong(found, "no cubin".into()),
        Err(why @ (NotCompiled::Ptx(_) | NotCompiled::Unsupported { .. })) => {
            found.count.refused = 1;
            found.said.push(("refused", general(&forms::first_line(&why))));
            return found;
        }
        Err(why) => return wrong(found, format!("exit 3: {}", forms::first_line(&why))),
    };
    let launch = launch(&module, &e.entry);
    let expected = sources(&module, &e.entry, &launch);
    match against(&expected, &cubin, e, &launch, true) {
        Fate::Agrees => found.count.right = 1,
        Fate::NotRun(why) => {
            found.count.not_run = 1;
            found.said.push(("not run", general(&why)));
        }
        Fate::Refused(why) | Fate::Differs(why) => found = wrong(found, why),
    }
    match prove_within(&module, &e.entry, &cubin, solver, Limits::default()).verdict {
        Verdict::Proved | Verdict::ProvedWithin(_) => found.count.proved = 1,
        Verdict::Refuted(why) => found = wrong(found, format!("refuted: {} for {}", why.target, why.source)),
        Verdict::Unknown(why) | Verdict::Inapplicable(why) => {
            found.count.unknown = 1;
            found.said.push(("unknown", general(&why.to_string())));
        }
    }
    found
}

fn wrong(mut found: Found, why: String) -> Found {
    found.count.wrong = 1;
    found.said.push(("wrong", why));
    found
}

/// What was found on one chip, by row, and what was said and how often.
#[derive(Default)]
struct OnChip {
    counts: BTreeMap<usize, Count>,
    said: BTreeMap<(String, String), usize>,
}

/// All of some kernels on a chip, on all processors.
fn run(chip: Chip, some: &[&Exercise], z3: &Z3) -> (OnChip, Vec<String>) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut solver = Z3 { budget: BUDGET, timeout: SECONDS, ..z3.clone() };
        let mut all = Vec::new();
        while let Some(e) = some.get(next.fetch_add(1, Ordering::Relaxed)) {
            all.push((*e, examine(e, chip, &mut solver)));
        }
        all
    };
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let all: Vec<(&Exercise, Found)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect()
    });
    let (mut on, mut faults) = (OnChip::default(), Vec::new());
    for (e, found) in all {
        on.counts.entry(e.row.expect("a row")).or_default().add(found.count);
        for (kind, why) in found.said {
            let known = |(start, what): &(&str, &str)| e.id.starts_with(start) && why.contains(what);
            if kind == "wrong" && !DEFECTS.iter().any(known) {
                faults.push(format!("sm_{}: {}: {why}", chip.number(), e.id));
            }
            *on.said.entry((kind.to_owned(), why)).or_default() += 1;
        }
    }
    faults.sort();
    (on, faults)
}

/// The chips that are asked for: all, or those of a list such as `75,120`.
fn chips() -> Vec<Chip> {
    let list = std::env::var("SASSAFRAS_CHIPS").unwrap_or_default();
    let named =
        |chip: &Chip| list.is_empty() || list.split(',').any(|n| n.trim() == chip.number().to_string());
    Chip::ALL.into_iter().filter(named).collect()
}

/// Where what was found on a chip is kept until all chips have been gone over.
fn kept(root: &Path, chip: Chip) -> PathBuf {
    root.join(format!("target/ptx-matrix/sm_{}.txt", chip.number()))
}

fn write(path: &Path, on: &OnChip) {
    let mut text = String::new();
    for (row, count) in &on.counts {
        let numbers: Vec<String> = count.numbers().iter().map(usize::to_string).collect();
        let _ = writeln!(text, "{row}\t{}", numbers.join("\t"));
    }
    for ((kind, why), n) in &on.said {
        let _ = writeln!(text, "{kind}\t{n}\t{why}");
    }
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

fn read(path: &Path) -> Option<OnChip> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut on = OnChip::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[0].parse::<usize>() {
            Ok(row) => {
                let numbers: Vec<usize> = fields[1..].iter().filter_map(|f| f.parse().ok()).collect();
                on.counts.insert(row, Count::of(numbers.try_into().ok()?));
            }
            Err(_) => {
                on.said.insert((fields[0].to_owned(), fields[2].to_owned()), fields[1].parse().ok()?);
            }
        }
    }
    Some(on)
}

const HEAD: &str = "\
# Every form of PTX on every chip

Written by `cargo xtask long chip-matrix`. Each form of the table ([ptx-forms.md](../docs/ptx-forms.md)) stands alone in a kernel with its operands in
registers: each row with each of its types, each of its modifiers, and pairs of them. The values are ends of ranges and noise. The kernel is compiled for
each chip that has the form, judged, executed by the SASS executor in timing mode against the PTX executor on 32 threads, and proved.

* *not PTX*: the checker refuses the form for the target, with a position.
* *refused*: the compiler says that it does not support it, and where.
* *not run*: an executor has no meaning for the form, or it does something undefined. *unknown*: the prover says why it gives no verdict.
* *wrong*: the executors differ, the prover refutes, or a judge stops the compiler.

";

fn page(all: &[(Chip, OnChip)], step: usize) -> String {
    let mut out = HEAD.to_owned();
    if step > 1 {
        let _ = writeln!(out, "This is a sample: one form of {step} on each chip.\n");
    }
    out += "| chip | rows | kernels | not PTX | refused | compiled | executed right | not run | proved | unknown | wrong |\n";
    out += &("| --- |".to_owned() + &" --: |".repeat(10) + "\n");
    for (chip, on) in all {
        let mut sum = Count::default();
        on.counts.values().for_each(|c| sum.add(*c));
        let rows = on.counts.values().filter(|c| c.compiled() > 0).count();
        let [kernels, not_ptx, refused, right, not_run, proved, unknown, wrong] = sum.numbers();
        let _ = writeln!(
            out,
            "| sm_{} | {rows} | {kernels} | {not_ptx} | {refused} | {} | {right} | {not_run} | {proved} | {unknown} | {wrong} |",
            chip.number(),
            sum.compiled()
        );
    }
    out += "\n## By row\n\nCompiled, executed right, proved; `-` where all is refused, nothing where the chip has no such form.\n\n| form |";
    for (chip, _) in all {
        let _ = write!(out, " {} |", chip.number());
    }
    out += &format!("\n| --- |{}\n", " --- |".repeat(all.len()));
    for (index, row) in table::rows().iter().enumerate() {
        let _ = write!(out, "| `{}` |", document::form(row));
        for (_, on) in all {
            let c = on.counts.get(&index).copied().unwrap_or_default();
            let _ = match (c.compiled(), c.refused) {
                (0, 0) => write!(out, " |"),
                (0, _) => write!(out, " - |"),
                (n, _) if c.right == n && c.proved == n => write!(out, " {n} |"),
                (n, _) => write!(out, " {n}, {}, {} |", c.right, c.proved),
            };
        }
        out += "\n";
    }
    let mut said: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for ((kind, why), n) in all.iter().flat_map(|(_, on)| &on.said) {
        *said.entry((kind, why)).or_default() += n;
    }
    let mut said: Vec<_> = said.into_iter().collect();
    said.sort_by_key(|((kind, why), n)| (*kind, std::cmp::Reverse(*n), *why));
    out += "\n## Why\n\nWhat was said, and how often.\n\n";
    for ((kind, why), n) in said.iter().take(120) {
        let _ = writeln!(out, "- {kind}, {n}: {why}");
    }
    out
}

#[test]
fn every_form_is_refused_or_right_on_every_chip() {
    const NAME: &str = "every_form_is_refused_or_right_on_every_chip";
    let root = workspace_root();
    let Some(z3) = Z3::find(&[&root], SECONDS, BUDGET) else {
        return sassafras_oracle::skip(NAME, &"z3 is not installed");
    };
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<usize>().ok());
    let whole = std::env::var_os("SASSAFRAS_ALL_FORMS").is_some();
    let wanted = std::env::var("SASSAFRAS_FORMS_ONLY").unwrap_or_default();
    let all = if whole || !wanted.is_empty() { 1 } else { STEP };
    let step = number("SASSAFRAS_FORMS_STEP").unwrap_or(all);
    let every: Vec<Exercise> =
        exercise::all().iter().filter(|e| e.row.is_some() && e.plain).map(prepared).collect();
    let mut faults = Vec::new();
    for (n, chip) in chips().into_iter().enumerate() {
        let there = |e: &&Exercise| e.need.sm <= chip.number() && e.id.contains(&wanted);
        // Each chip begins elsewhere, so that a sample on all chips is of more forms.
        let some: Vec<&Exercise> = every.iter().filter(there).skip(n * 83 % step).step_by(step).collect();
        let (on, more) = run(chip, &some, &z3);
        let mut sum = Count::default();
        on.counts.values().for_each(|c| sum.add(*c));
        eprintln!("sm_{}: {sum:?}", chip.number());
        for ((kind, why), n) in on.said.iter().filter(|_| !wanted.is_empty() || step < STEP) {
            eprintln!("  {kind}, {n}: {why}");
        }
        if whole {
            write(&kept(&root, chip), &on);
        } else {
            assert!(sum.right + sum.not_run > 0 || !wanted.is_empty(), "nothing is right on {chip:?}");
        }
        faults.extend(more);
    }
    let all: Vec<(Chip, OnChip)> =
        Chip::ALL.into_iter().filter_map(|chip| Some((chip, read(&kept(&root, chip))?))).collect();
    if whole && all.len() == Chip::ALL.len() {
        std::fs::write(root.join("reports/ptx-matrix-chips.md"), page(&all, step)).expect("written");
    }
    assert!(faults.is_empty(), "{} are wrong:\n{}", faults.len(), faults.join("\n"));
}
