//! `sassafras run`: a program in the executors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_driver::profile;
use sassafras_execute::options::Tracer;
use sassafras_execute::outcome::Coverage;
use sassafras_execute::{Approx, Argument, Failure as Stopped, Launch, Options, Order, Outcome, ptx, sass};
use sassafras_placement::format;
use serde_json::json;

use super::Context;
use crate::{Exit, Failure, files};

/// Run an entry of a PTX module or a cubin, without a GPU.
#[derive(Args)]
pub struct Run {
    /// A PTX file or a cubin.
    input: PathBuf,
    /// The entry; may be left out when there is one.
    #[arg(long)]
    entry: Option<String>,
    /// Blocks.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape)]
    grid: [u32; 3],
    /// Threads in a block.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape)]
    block: [u32; 3],
    /// Dynamic shared memory in bytes.
    #[arg(long, default_value_t = 0)]
    shared: u32,
    /// One argument: u8|s8|…|f64:VALUE, buf:FILE, zeros:BYTES, hex:BYTES:FILL[,0xOFFSET=DIGITS]…, rand:TYPE:COUNT[:SEED] or struct:FILE.
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Write the buffer of argument N to a file afterwards.
    #[arg(long = "dump", value_name = "N=FILE")]
    dumps: Vec<String>,
    /// A register that is read before its producer is ready holds poison (cubins only).
    #[arg(long)]
    timing: bool,
    /// Which interleaving of warps and lanes.
    #[arg(long, default_value_t = 0)]
    order: u32,
    /// How approximate functions round: nearest, low, high or a seed.
    #[arg(long, default_value = "nearest")]
    approx: String,
    /// Seed of everything that is undefined or free.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after so many instructions.
    #[arg(long, value_name = "MAX")]
    steps: Option<u64>,
    /// Bytes of stack for each thread of a cubin, if its code does not declare more.
    #[arg(long, value_name = "BYTES")]
    stack: Option<u32>,
    /// Say whether threads race, and where: exit 10 if they do for certain, 12 if what may order them is not followed.
    #[arg(long)]
    races: bool,
    /// Print each instruction with what it writes to standard error.
    #[arg(long)]
    trace: bool,
    /// Write how often blocks and edges were run, as cfg-layout-v1 (cubins only).
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

/// Why a text is no shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ShapeError {
    /// More numbers than three.
    #[error("`{0}` has more than three dimensions")]
    Dimensions(String),
    /// A part that is no number.
    #[error("`{0}` is no number")]
    Number(String),
}

/// `X[,Y[,Z]]`.
pub(super) fn shape(text: &str) -> Result<[u32; 3], ShapeError> {
    let mut shape = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(ShapeError::Dimensions(text.to_owned()));
    }
    for (n, part) in shape.iter_mut().zip(parts) {
        *n = part.trim().parse().map_err(|_| ShapeError::Number(part.to_owned()))?;
    }
    Ok(shape)
}

/// A program of either kind.
enum Program {
    Ptx(sassafras_ptx::checked::Module),
    Sass(Box<sassafras_cubin::Cubin>),
}

pub(super) fn run(arguments: &Run, context: &Context) -> Result<Exit, Failure> {
    let program = load(&arguments.input, context)?;
    let entry = match &arguments.entry {
        Some(name) if !entries(&program).contains(&name.as_str()) => {
            let has = entries(&program).iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
            let has = if has.is_empty() { "none".to_owned() } else { has };
            return Err(Failure::usage(format!("there is no entry `{name}`; the file has {has}")));
        }
        Some(name) => name.clone(),
        None => only_entry(&program)?,
    };
    let mut launch = Launch::new(arguments.grid, arguments.block);
    launch.dynamic_shared = arguments.shared;
    let read = |path: &Path| files::read(path).map_err(|f| std::io::Error::other(f.message));
    let parsed = arguments.arguments.iter().map(|spec| Argument::parse(spec, &read));
    if arguments.timing && matches!(program, Program::Ptx(_)) {
        return Err(Failure::usage(
            "`--timing` is about machine code: PTX has no latencies, so run the cubin",
        ));
    }
    if arguments.stack.is_some() && matches!(program, Program::Ptx(_)) {
        return Err(Failure::usage(
            "`--stack` is about machine code: PTX has no stack of a size, so run the cubin",
        ));
    }
    if arguments.profile.is_some() && matches!(program, Program::Ptx(_)) {
        return Err(Failure::usage("`--profile` is about machine code: run the cubin"));
    }
    let values = parsed.collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
    let dumps = dumps(arguments, &values)?;
    let layout = match &program {
        Program::Ptx(module) => ptx::layout(module, &entry),
        Program::Sass(cubin) => sass::layout(cubin, &entry),
    };
    let layout = layout.map_err(|e| Failure::wrong(e.to_string()))?;
    launch.arguments(&layout, &values).map_err(|e| Failure::usage(e.to_string()))?;
    let approx: Approx = arguments.approx.parse().map_err(Failure::usage)?;
    let mut options = Options {
        order: arguments.order,
        approx,
        seed: arguments.seed,
        timing: arguments.timing,
        touches: arguments.races,
        ..Options::default()
    };
    if let Some(steps) = arguments.steps {
        options.step_limit = steps;
    }
    if let Some(stack) = arguments.stack {
        options.stack = stack;
    }
    if arguments.trace {
        options.trace = Some(tracer());
    }
    let outcome = launched(&program, &entry, &launch, &options)
        .map_err(|stopped| failure(&program, &entry, &launch, &options, &stopped))?;
    for (buffer, path) in dumps {
        files::write(&path, &outcome.buffers[buffer])?;
    }
    let issue = match &program {
        Program::Sass(cubin) => Some(issue(cubin, &outcome)?),
        Program::Ptx(_) => None,
    };
    if let (Some(path), Program::Sass(cubin)) = (&arguments.profile, &program) {
        files::write(path, counted(cubin, &outcome)?.as_bytes())?;
    }
    let races = arguments.races.then(|| raced(&program, &launch, &outcome));
    say(&outcome, issue, races.as_ref(), context);
    Ok(races.map_or(Exit::Done, |races| races.exit))
}

fn launched(program: &Program, entry: &str, launch: &Launch, options: &Options) -> Result<Outcome, Stopped> {
    match program {
        Program::Ptx(module) => ptx::run(module, entry, launch, options),
        Program::Sass(cubin) => sass::run(cubin, entry, launch, options),
    }
}

/// Why a run has no outcome. Whether lanes wait for ever may depend on who runs when, so that other orders are tried then.
fn failure(program: &Program, entry: &str, launch: &Launch, options: &Options, stopped: &Stopped) -> Failure {
    let text = stopped.to_string();
    match stopped {
        Stopped::Launch(_) => Failure::usage(text),
        Stopped::Deadlock(_) | Stopped::StepLimit(_) => {
            let other = order_that_ends(program, entry, launch, options);
            Failure::program(format!("{text}\n  in the order `--order {}`; {other}", options.order))
        }
        _ if stopped.is_unsupported() => Failure::unsupported(text),
        _ => Failure::program(text),
    }
}

/// Orders that are tried where the given one does not end: the fixed ones, and two random ones.
const TRIED: u32 = Order::NAMED + 2;

/// Says which other order ends. Each attempt has its share of the steps, so that the search takes no longer than the run did.
fn order_that_ends(program: &Program, entry: &str, launch: &Launch, options: &Options) -> String {
    let step_limit = options.step_limit / u64::from(TRIED);
    let mut others = (0..TRIED).filter(|order| *order != options.order);
    let ends = others.find(|order| {
        let tried = Options { order: *order, step_limit, trace: None, touches: false, ..options.clone() };
        launched(program, entry, launch, &tried).is_ok()
    });
    match ends {
        Some(order) => format!("in the order `--order {order}` it ends"),
        None => format!("none of the orders 0 to {} ends within {step_limit} instructions", TRIED - 1),
    }
}

/// What a run shows of races.
struct Raced {
    exit: Exit,
    text: String,
    json: serde_json::Value,
}

/// Of PTX it is known what orders threads. Of machine code only barriers of the block are followed.
fn raced(program: &Program, launch: &Launch, outcome: &Outcome) -> Raced {
    match program {
        Program::Ptx(module) => match sassafras_execute::races::race(module, launch, &outcome.touches) {
            Some(race) => {
                let exit = if race.unless.is_none() { Exit::Refuted } else { Exit::Unknown };
                let text = format!("threads {} race\n{}\n", may(race.unless.is_some()), indented(&race));
                Raced { exit, text, json: super::races::json(&race) }
            }
            None => none(),
        },
        Program::Sass(_) => match sassafras_execute::memory::race(&outcome.touches) {
            Some((a, b)) => {
                let text = format!(
                    "threads may race: at {:#06x} and {:#06x} threads {} and {} of blocks {} and {} access a byte at {:#x}, and no barrier of the block orders them\n",
                    a.who.at, b.who.at, a.who.thread, b.who.thread, a.who.block, b.who.block, b.address
                );
                let json = json!({ "certain": false, "instructions": [a.who.at, b.who.at] });
                Raced { exit: Exit::Unknown, text, json }
            }
            None => none(),
        },
    }
}

fn none() -> Raced {
    Raced { exit: Exit::Done, text: "no race in this launch\n".into(), json: serde_json::Value::Null }
}

fn may(uncertain: bool) -> &'static str {
    if uncertain { "may" } else { "do" }
}

fn indented(race: &sassafras_execute::races::Race) -> String {
    race.to_string().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// The code of a function that was run.
fn code<'a>(cubin: &'a Cubin, name: &str) -> Result<(&'a [u128], Chip), Failure> {
    let function = cubin.functions.iter().find(|f| f.name == name);
    let found = function.map(|f| &f.code[..]).zip(Chip::from_number(cubin.sm));
    found.ok_or_else(|| Failure::wrong(format!("there is no code of `{name}`")))
}

/// Issue cycles and taken branches of a run.
fn issue(cubin: &Cubin, outcome: &Outcome) -> Result<(u64, u64), Failure> {
    let mut sums = (0, 0);
    for coverage in &outcome.coverage {
        let (words, chip) = code(cubin, &coverage.function)?;
        sums.0 += profile::issue_cycles(words, chip, &coverage.counts).map_err(Failure::wrong)?;
        sums.1 += profile::taken_branches(&coverage.edges);
    }
    Ok(sums)
}

/// The counts of a run, as `compile --profile` reads them.
fn counted(cubin: &Cubin, outcome: &Outcome) -> Result<String, Failure> {
    let graph = |coverage: &Coverage| {
        let (words, chip) = code(cubin, &coverage.function)?;
        let flow = profile::flow(words, chip, Some((&coverage.counts, &coverage.edges)));
        let name = coverage.function.clone();
        let flow = flow.map_err(|why| Failure::unsupported(format!("a profile of `{name}`: {why}")))?;
        Ok(format::Named { name, flow, code: Some(profile::hash(words)) })
    };
    let graphs = outcome.coverage.iter().map(graph).collect::<Result<Vec<_>, Failure>>()?;
    Ok(format::write_graphs(&graphs))
}

fn load(path: &Path, context: &Context) -> Result<Program, Failure> {
    let bytes = files::read(path)?;
    if bytes.starts_with(b"\x7fELF") {
        let cubin = sassafras_cubin::read(&bytes).map_err(|e| Failure::from(e).about(path))?;
        return Ok(Program::Sass(Box::new(cubin)));
    }
    let text = files::text(path, bytes)?;
    match sassafras_driver::session::parse(&text, &path.display().to_string()) {
        Ok((module, findings)) => {
            if !context.quiet && !context.json {
                eprint!("{}", findings.render());
            }
            Ok(Program::Ptx(module))
        }
        Err(sassafras_driver::Failure::Ptx(findings)) => {
            let exit = Exit::from_code(findings.exit_code()).unwrap_or(Exit::Wrong);
            Err(Failure::diagnostics(exit, findings.render()))
        }
        Err(other) => Err(Failure::wrong(other.to_string()).about(path)),
    }
}

fn entries(program: &Program) -> Vec<&str> {
    match program {
        Program::Ptx(m) => m.functions.iter().filter(|f| f.entry).map(|f| f.name.as_str()).collect(),
        Program::Sass(c) => c.functions.iter().filter(|f| f.entry).map(|f| f.name.as_str()).collect(),
    }
}

fn only_entry(program: &Program) -> Result<String, Failure> {
    let names = entries(program);
    match names[..] {
        [name] => Ok(name.to_owned()),
        [] => Err(Failure::wrong("the file has no entry")),
        _ => Err(Failure::usage(format!("choose an entry with --entry: {}", names.join(", ")))),
    }
}

/// The buffers to write, by index among the buffers.
fn dumps(arguments: &Run, values: &[Argument]) -> Result<Vec<(usize, PathBuf)>, Failure> {
    let is_buffer = |v: &&Argument| matches!(v, Argument::Buffer(_));
    let parse = |spec: &String| {
        let (number, path) =
            spec.split_once('=').ok_or_else(|| format!("`--dump {spec}`: expected N=FILE"))?;
        let number: usize =
            number.parse().map_err(|_| format!("`--dump {spec}`: `{number}` is no argument's number"))?;
        if !values.get(number).is_some_and(|v| is_buffer(&v)) {
            return Err(format!("`--dump {spec}`: argument {number} is no buffer"));
        }
        Ok((values[..number].iter().filter(is_buffer).count(), PathBuf::from(path)))
    };
    arguments.dumps.iter().map(parse).collect::<Result<_, _>>().map_err(Failure::usage)
}

fn tracer() -> Tracer {
    Tracer(Arc::new(|event| {
        let [x, y, z] = event.block;
        let mut line = format!(
            "({x},{y},{z}) warp {} lanes {:08x} {:#06x} {}",
            event.warp, event.lanes, event.position, event.text
        );
        for (name, lane, bits) in event.writes.iter().take(4) {
            line.push_str(&format!(" {name}[{lane}]={bits:#x}"));
        }
        if !event.unwritten.is_empty() {
            line.push_str(&format!(" reads what was never written: {}", event.unwritten.join(", ")));
        }
        eprintln!("{line}");
    }))
}

fn say(outcome: &Outcome, issue: Option<(u64, u64)>, races: Option<&Raced>, context: &Context) {
    if context.json {
        let buffers: Vec<_> = outcome
            .buffers
            .iter()
            .map(|b| json!({ "bytes": b.len(), "fnv": format!("{:016x}", fnv(b)) }))
            .collect();
        let mut record = json!({
            "schema": 1, "steps": outcome.steps, "issue_cycles": issue.map(|i| i.0), "taken_branches": issue.map(|i| i.1), "lane_steps": outcome.lane_steps, "buffers": buffers,
            "printed": printed(outcome), "drawn": outcome.drawn,
            "rests": outcome.rests.as_ref().map(ToString::to_string), "open_bytes": outcome.open.len(),
        });
        if let Some(races) = races {
            record["race"] = races.json.clone();
        }
        files::print(&format!("{record}\n"));
    } else if !context.quiet {
        files::print(&printed(outcome));
        if let Some(races) = races {
            files::print(&races.text);
        }
        files::print(&format!("{} instructions by warps, {} by lanes\n", outcome.steps, outcome.lane_steps));
        if let Some((cycles, taken)) = issue {
            files::print(&format!("{cycles} issue cycles, {taken} branches taken\n"));
        }
        if let Some(at) = &outcome.rests {
            files::print(&format!(
                "what it does has no meaning from here on, since the source leaves open what decides it\n  at {at}\n"
            ));
        }
        if !outcome.open.is_empty() {
            files::print(&format!(
                "{} bytes of global memory hold what the source leaves open\n",
                outcome.open.len()
            ));
        }
        if outcome.drawn > 0 {
            files::print(&format!(
                "{} values of textures, surfaces or sparse products were invented: a launch does not give them\n",
                outcome.drawn
            ));
        }
        for (i, b) in outcome.buffers.iter().enumerate() {
            let first: Vec<String> = b.iter().take(16).map(|b| format!("{b:02x}")).collect();
            let more = if b.len() > 16 { " …" } else { "" };
            files::print(&format!(
                "buffer {i}: {} bytes, fnv {:016x}: {}{more}\n",
                b.len(),
                fnv(b),
                first.join(" ")
            ));
        }
    }
}

/// What the program printed, in the order of blocks, threads and calls.
fn printed(outcome: &Outcome) -> String {
    let all: Vec<u8> =
        outcome.calls.iter().filter_map(sassafras_execute::system::Called::printed).flatten().collect();
    String::from_utf8_lossy(&all).into_owned()
}

/// FNV-1a, to tell results apart at a glance.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}
