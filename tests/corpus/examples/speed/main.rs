//! How fast the executors are: `speed [TURNS]` runs five kernels of a loop each in both, for one warp schedule, and prints a JSON record for
//! each: lane-instructions a second of processor time, stepping all lanes of a group together and one after the other.

use anyhow::Context;
use sassafras_corpus::{Program, compile};
use sassafras_execute::{Argument, Failure, Launch, Options, Outcome, ptx, sass};
use serde_json::{Value, json};

const KERNELS: [(&str, &str); 5] = [
    ("integers", include_str!("integers.ptx")),
    ("floats", include_str!("floats.ptx")),
    ("memory", include_str!("memory.ptx")),
    ("shared", include_str!("shared.ptx")),
    ("divergent", include_str!("divergent.ptx")),
];

/// Blocks and threads of a launch.
const SHAPE: (u32, u32) = (8, 128);

/// Nanoseconds that this thread has had a processor.
fn processor() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// The least seconds of three runs.
fn best(run: impl Fn() -> Result<Outcome, Failure>) -> anyhow::Result<(Outcome, f64)> {
    let mut best: Option<(Outcome, f64)> = None;
    for _ in 0..3 {
        let start = processor().context("this system does not count a thread's time")?;
        let outcome = run()?;
        let seconds = (processor().unwrap_or(start) - start) as f64 * 1e-9;
        if best.as_ref().is_none_or(|(_, least)| seconds < *least) {
            best = Some((outcome, seconds));
        }
    }
    best.context("never run")
}

fn measure(name: &str, text: &str, turns: u32) -> anyhow::Result<Value> {
    let module = sassafras_ptx::load(text, name).map_err(|e| anyhow::anyhow!("{e}"))?;
    let program = Program {
        name: name.to_owned(),
        text: text.to_owned(),
        launches: Vec::new(),
        reference: None,
        contracted: false,
        approximate: false,
        tolerance: None,
    };
    let (cubin, _) = compile(&program)?;
    let arguments = [
        Argument::Buffer(vec![0; 4 * (SHAPE.0 * SHAPE.1) as usize]),
        Argument::Value(turns.to_le_bytes().to_vec()),
    ];
    let launch = |layout: Result<Vec<sassafras_execute::Slot>, sassafras_execute::LaunchError>| {
        let mut launch = Launch::new([SHAPE.0, 1, 1], [SHAPE.1, 1, 1]);
        let slots = layout?;
        launch.arguments(&slots, &arguments)?;
        Ok::<Launch, sassafras_execute::LaunchError>(launch)
    };
    let (on_sass, on_ptx) = (launch(sass::layout(&cubin, "k"))?, launch(ptx::layout(&module, "k"))?);
    let options = |one_by_one| Options { one_by_one, step_limit: u64::MAX, ..Options::default() };
    let record = |run: &dyn Fn(&Options) -> Result<Outcome, Failure>| {
        let (together, fast) = best(|| run(&options(false)))?;
        let (apart, slow) = best(|| run(&options(true)))?;
        if together.buffers != apart.buffers {
            anyhow::bail!("stepped together, lanes leave other results");
        }
        let rate = |seconds: f64| together.lane_steps as f64 / seconds;
        Ok(json!({
            "lane_instructions": together.lane_steps,
            "per_second": rate(fast),
            "per_second_one_by_one": rate(slow),
            "ratio": slow / fast,
        }))
    };
    Ok(json!({
        "kernel": name,
        "sass": record(&|o| sass::run(&cubin, "k", &on_sass, o))?,
        "ptx": record(&|o| ptx::run(&module, "k", &on_ptx, o))?,
    }))
}

fn main() {
    let turns = std::env::args().nth(1).map_or(Ok(200), |n| n.parse());
    let Ok(turns) = turns else {
        eprintln!("usage: speed [TURNS]");
        std::process::exit(2);
    };
    for (name, text) in KERNELS {
        println!(
            "{}",
            measure(name, text, turns)
                .unwrap_or_else(|why| json!({ "kernel": name, "error": why.to_string() }))
        );
    }
}
