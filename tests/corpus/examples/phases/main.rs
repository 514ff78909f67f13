//! Processor time of each phase and time of each judge as functions grow (`cargo xtask figures phases`): straight code, code of many branches, and functions of so many
//! blocks. One function a module, one thread.
//!
//! `phases [--instructions 1000,4000] [--blocks 1000,10000] [--judged true|false] [--ours SASSAFRAS --ptxas PTXAS [--ptxas-up-to 16000]]`; prints JSON. The growth of a
//! phase is the exponent of its time in the size, between the two largest sizes. Shares are of the sum of all phases, judges apart; `worst` is the phase with the largest.
//! With `--ours` and `--ptxas` both compilers are compared as processes too (`processes`).

mod processes;

use anyhow::{Context, Result, bail};
use sassafras::judges::Judges;
use sassafras_chip::{Chip, Target};
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Stage, session};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;

/// Seconds of processor time of all threads of this process (Linux's `schedstat`): what runs beside it does not count.
fn spent() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    nanoseconds.sum::<u64>() as f64 / 1e9
}

/// Takes the time between phases, and hands each to the judges in between.
struct Clock {
    judges: Option<Judges>,
    state: Mutex<(f64, BTreeMap<String, f64>)>,
}

impl Observer for Clock {
    fn wants_before(&self, stage: Stage) -> bool {
        self.judges.as_ref().is_some_and(|judges| judges.wants_before(stage))
    }

    fn observe(
        &self,
        stage: Stage,
        before: Option<Form<'_>>,
        after: Form<'_>,
        notes: &Notes,
    ) -> Result<(), Objection> {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let phase = spent() - state.0;
        *state.1.entry(stage.to_string()).or_default() += phase;
        let said = self.judges.as_ref().map_or(Ok(()), |judges| judges.observe(stage, before, after, notes));
        state.0 = spent();
        said
    }
}

/// A shape of code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One block.
    Straight,
    /// A branch for each eight instructions, and a loop around each sixteen branches.
    Branchy,
}

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n    .reg .pred %p<4>;\n    .reg .b32 %r<40>;\n    .reg .b64 %d<2>;\n    ld.param.u64 %d0, [out];\n    ld.param.u32 %r0, [n];\n    mov.u32 %r1, %tid.x;\n";

/// A function of about so many instructions of PTX.
fn text(shape: Shape, instructions: usize) -> String {
    let mut out = HEAD.to_owned();
    (2..40).for_each(|r| writeln!(out, "    add.u32 %r{r}, %r1, {r};").unwrap_or_default());
    let (mut at, mut group) = (0, 0);
    while at < instructions {
        let r = |k: usize| 2 + (group * 7 + k * 5) % 38;
        if shape == Shape::Branchy && group % 16 == 0 {
            let _ = writeln!(out, "    mov.u32 %r0, 0;\nL{group}:");
        }
        if shape == Shape::Branchy {
            let _ = writeln!(out, "    setp.gt.s32 %p0, %r{}, {group};\n    @%p0 bra E{group};", r(0));
        }
        let _ = writeln!(out, "    mad.lo.u32 %r{}, %r{}, %r{}, %r{};", r(1), r(2), r(3), r(4));
        let _ = writeln!(out, "    xor.b32 %r{}, %r{}, %r{};", r(2), r(1), r(5));
        let _ = writeln!(out, "    st.volatile.global.u32 [%d0+{}], %r{};", group % 64 * 4, r(2));
        let _ = writeln!(out, "    ld.volatile.global.u32 %r{}, [%d0+{}];", r(3), group % 32 * 4);
        if shape == Shape::Branchy {
            let _ = writeln!(out, "    bra.uni F{group};\nE{group}:");
        }
        let _ = writeln!(out, "    sub.u32 %r{}, %r{}, %r{};", r(4), r(3), r(1));
        let _ = writeln!(out, "    st.volatile.global.u32 [%d0+{}], %r{};", group % 16 * 4, r(4));
        if shape == Shape::Branchy {
            let _ = writeln!(out, "F{group}:");
            if group % 16 == 15 {
                let first = group - 15;
                let _ = writeln!(
                    out,
                    "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p1, %r0, 4;\n    @%p1 bra L{first};"
                );
            }
            at += 3;
        }
        at += 6;
        group += 1;
    }
    out.push_str("    ret;\n}\n");
    out
}

/// Seconds by phase and by judge.
fn measure(ptx: &str, judged: bool) -> Result<(BTreeMap<String, f64>, BTreeMap<String, f64>, Value)> {
    let options = Options { arch: Some(Arch::Real(Target::base(Chip::Sm90))), jobs: 1, ..Options::default() };
    let judges = judged.then(Judges::default);
    let clock = Clock { judges, state: Mutex::new((spent(), BTreeMap::new())) };
    let made = session::compile(ptx, "k.ptx", &options, None, &clock).map_err(|e| anyhow::anyhow!("{e}"))?;
    let (cubin, _) = made.cubin.context("no cubin")?;
    let words = cubin.functions.iter().map(|f| f.code.len()).sum::<usize>();
    let blocks =
        sassafras_driver::profile::blocks(&cubin.functions[0].code, Chip::Sm90).map_or(0, |b| b.len());
    let mut by_judge: BTreeMap<String, f64> = BTreeMap::new();
    for opinion in clock.judges.map(Judges::opinions).unwrap_or_default() {
        *by_judge.entry(opinion.judge.to_owned()).or_default() += opinion.seconds;
    }
    let (_, phases) = clock.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok((phases, by_judge, json!({ "instructions": words, "blocks": blocks })))
}

/// One size: seconds and shares.
fn row(phases: &BTreeMap<String, f64>, judges: &BTreeMap<String, f64>, size: Value) -> Value {
    let all: f64 = phases.values().sum();
    let share = |seconds: f64| json!({ "seconds": seconds, "share": seconds / all });
    let worst = phases.iter().max_by(|a, b| a.1.total_cmp(b.1));
    let phases: Map<String, Value> = phases.iter().map(|(name, &s)| (name.clone(), share(s))).collect();
    let judged: f64 = judges.values().sum();
    let judges: Map<String, Value> = judges.iter().map(|(name, &s)| (name.clone(), share(s))).collect();
    let worst = worst.map(|(name, s)| json!({ "phase": name, "share": s / all }));
    json!({ "size": size, "seconds": all, "judges_seconds": judged, "worst": worst, "phases": phases, "judges": judges })
}

fn series(shape: Shape, sizes: &[usize], judged: bool) -> Result<Value> {
    let mut rows = Vec::new();
    let mut last: Vec<(f64, BTreeMap<String, f64>)> = Vec::new();
    for &size in sizes {
        let (phases, judges, real) = measure(&text(shape, size), judged)?;
        eprintln!(
            "{size}: {:.3} s, judges {:.3} s",
            phases.values().sum::<f64>(),
            judges.values().sum::<f64>()
        );
        rows.push(row(&phases, &judges, real));
        let judges = judges.into_iter().map(|(name, s)| (format!("judge {name}"), s));
        last.push((size as f64, phases.into_iter().chain(judges).collect()));
    }
    let growth: Map<String, Value> = match &last[..] {
        [.., (m, a), (n, b)] => b
            .iter()
            .filter_map(|(name, &s)| {
                let before = *a.get(name)?;
                let exponent = (s / before).ln() / (n / m).ln();
                exponent.is_finite().then(|| (name.clone(), json!(exponent)))
            })
            .collect(),
        _ => Map::new(),
    };
    Ok(json!({ "rows": rows, "growth": growth }))
}

fn main() -> Result<()> {
    let (mut instructions, mut blocks, mut judged) =
        (vec![1000, 4000, 16_000, 64_000], vec![1000, 10_000, 100_000], true);
    let (mut ours, mut ptxas, mut up_to) = (None, None, 16_000);
    let numbers = |value: &str| -> Result<Vec<usize>> {
        value.split(',').filter(|part| !part.is_empty()).map(|part| Ok(part.parse()?)).collect()
    };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--instructions" => instructions = numbers(&value)?,
            "--blocks" => blocks = numbers(&value)?,
            "--judged" => judged = value.parse()?,
            "--ours" => ours = Some(PathBuf::from(value)),
            "--ptxas" => ptxas = Some(PathBuf::from(value)),
            "--ptxas-up-to" => up_to = value.parse()?,
            _ => bail!("no option `{name}`"),
        }
    }
    // A group of nine instructions has three blocks.
    let of_blocks: Vec<usize> = blocks.iter().map(|count| 3 * count).collect();
    let compare = |shape: Shape| {
        let (Some(ours), Some(ptxas)) = (&ours, &ptxas) else { return Ok(Value::Null) };
        let texts: Vec<_> = instructions.iter().map(|&size| (size, text(shape, size))).collect();
        processes::compare(ours, ptxas, &texts, up_to)
    };
    let record = json!({
        "schema": 2, "figure": "phases", "chip": "sm_90",
        "processes": { "straight": compare(Shape::Straight)?, "branchy": compare(Shape::Branchy)? },
        "straight": series(Shape::Straight, &instructions, judged)?,
        "branchy": series(Shape::Branchy, &instructions, judged)?,
        "blocks": series(Shape::Branchy, &of_blocks, false)?,
    });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}
