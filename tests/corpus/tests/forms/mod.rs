//! The kernels of single forms: how they are launched, and how two executions of one are compared.

#![allow(dead_code)]

use sassafras_cubin::Cubin;
use sassafras_execute::{Approx, Argument, Failure, Launch, Options, Outcome, ptx, sass};
use sassafras_generate::exercise::Exercise;
use sassafras_generate::forms;
use sassafras_ptx::checked::Module;
use sassafras_semantics::Trap;

/// Threads of the one block, and bytes of input and of output for each ([`Exercise`]).
const THREADS: u32 = 32;
const RECORD: usize = 4096;

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Both executors did the same.
    Agrees,
    /// The compiler said that it does not support it, and where.
    Refused(String),
    /// No executor's word can be had: a form without a meaning, lanes that wait for ever, something undefined.
    NotRun(String),
    /// They did not do the same.
    Differs(String),
}

/// The same launch for all kernels: what [`exercise`] says of their parameters, and a record at both ends for offsets.
pub fn launch(module: &Module, entry: &str) -> Launch {
    let noise = forms::inputs();
    let bytes =
        |from: usize, n: usize| -> Vec<u8> { noise.iter().cycle().skip(from).take(n).copied().collect() };
    let mut launch = Launch::new([1, 1, 1], [THREADS, 1, 1]);
    let size = (THREADS as usize + 2) * RECORD;
    let arguments =
        [Argument::Buffer(bytes(8, size)), Argument::Buffer(bytes(0, size)), Argument::Value(bytes(72, 64))];
    launch.arguments(&ptx::layout(module, entry).expect("an entry"), &arguments).expect("they fit");
    launch
}

/// The kernel, so that it is defined what it does: addresses stay within what there is, member masks name all lanes that the
/// guard lets through, barriers the whole block, and the carry is known.
pub fn prepared(e: &Exercise) -> Exercise {
    let mut text = e.text.replace("+8388592]", "+2032]").replace("+1048576]", "+1024]");
    for (register, width, place) in [("%to", "u64", "4096"), ("%from", "u64", "4096"), ("%sh", "u32", "128")]
    {
        let start = text.lines().find(|l| l.starts_with("\tmad.") && l.ends_with(&format!(", {register};")));
        if let Some(line) = start.map(str::to_owned) {
            text = text.replace(&line, &format!("{line}\n\tadd.{width} {register}, {register}, {place};"));
        }
    }
    let guard = e.line.starts_with('@').then(|| e.line.split_once(' ')).flatten();
    let bare = guard.map_or(e.line.as_str(), |(_, rest)| rest);
    let (mnemonic, operands) = bare.split_once(' ').unwrap_or((bare, ""));
    let operands: Vec<&str> = operands.trim_end_matches(';').split(", ").collect();
    let is_register = |o: &&&str| o.strip_prefix("%r").is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    let root = mnemonic.split('.').next().unwrap_or_default();
    let mut fixed = String::new();
    match root {
        "shfl" | "vote" | "match" | "redux" | "elect" => {
            if let Some(mask) = operands.last().filter(is_register) {
                // Under a guard, the lanes for which it holds.
                let who = e.line.split_once(' ').and_then(|(first, _)| first.strip_prefix('@'));
                fixed += &match who {
                    Some(guard) => format!("\tvote.sync.ballot.b32 {mask}, {guard}, -1;\n"),
                    None => format!("\tmov.b32 {mask}, -1;\n"),
                };
            }
        }
        "bar" | "barrier" if mnemonic.contains("warp") => {
            if let Some(mask) = operands.last().filter(is_register) {
                fixed += &format!("\tmov.b32 {mask}, -1;\n");
            }
        }
        "bar" | "barrier" => {
            let results = usize::from(mnemonic.contains(".red"));
            let values = ["3".to_owned(), THREADS.to_string()];
            for (register, value) in operands[results.min(operands.len())..].iter().zip(values) {
                if is_register(&register) {
                    fixed += &format!("\tmov.b32 {register}, {value};\n");
                }
            }
        }
        _ => {}
    }
    if guard.is_some() && mnemonic.contains(".cc") {
        // What the carry is where the guard does not hold.
        fixed += "\tadd.cc.u32 %w, %i, -32;\n";
    }
    let line = format!("\t{}\n", e.line);
    text = text.replacen(&line, &format!("{fixed}{line}"), 1);
    let mut prepared = e.clone();
    prepared.text = text;
    prepared
}

/// Why nothing is to be compared: what a form gives is the implementation's to choose.
pub fn free(line: &str) -> Option<&'static str> {
    let mnemonic = line.split(' ').find(|w| !w.starts_with('@')).unwrap_or_default();
    if mnemonic.starts_with("cvta.") {
        return Some("`cvta` of a number that is no address");
    }
    if mnemonic.starts_with("mov.") && line.contains("shared_memory") {
        return Some("where shared variables lie is the implementation's");
    }
    if mnemonic.starts_with("mov.") && line.contains("{") && line.contains("global_memory") {
        return Some(
            "the ISA takes vectors apart that are in registers; ptxas takes halfwords of an address",
        );
    }
    ["%clock", "%globaltimer", "%smid", "%warpid", "%gridid", "%pm", "%nsmid", "%envreg"]
        .iter()
        .any(|r| line.contains(r))
        .then_some("a special register whose value is the implementation's")
}

/// What the PTX executor says, under several choices of what the ISA leaves open.
pub fn sources(module: &Module, entry: &str, launch: &Launch) -> Result<Vec<Outcome>, Failure> {
    let choices = [
        (Approx::Nearest, 0),
        (Approx::Low, 1),
        (Approx::High, 2),
        (Approx::Seed(3), 3),
        (Approx::Seed(4), 4),
    ];
    let run = |(approx, seed)| {
        ptx::run(module, entry, launch, &Options { approx, seed, step_limit: 20_000, ..Options::default() })
    };
    choices.into_iter().map(run).collect()
}

pub fn first_line(text: &impl std::fmt::Display) -> String {
    text.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Whether a result is within what the ISA says of an approximate form beyond what the executor's choices show.
pub fn within(line: &str, expected: &[u8], found: &[u8]) -> bool {
    let single = |v: &[u8]| f32::from_le_bytes(v[..4].try_into().expect("four bytes"));
    let double = |v: &[u8]| f64::from_le_bytes(v[..8].try_into().expect("eight bytes"));
    let bare = if line.starts_with('@') { line.split_once(' ').map_or("", |(_, rest)| rest) } else { line };
    let starts = |start: &str| bare.starts_with(start);
    if starts("div.approx.f32") {
        // PTX ISA, `div`: x * (1/y), with a bound where |y| is in [2^-126, 2^126] alone.
        return !single(expected).is_finite();
    }
    if starts("mul.f32") && line.contains("0f3f800000") || starts("div.approx") && line.contains("0f3f800000")
    {
        // The payload of a NaN that is multiplied by one.
        return single(expected).is_nan() && single(found).is_nan();
    }
    if starts("rsqrt.approx.f64") {
        // PTX ISA, `rsqrt`: an approximation; CUDA's table of functions has one unit in the last place for rsqrt.
        return (double(expected).to_bits()).abs_diff(double(found).to_bits()) <= 1;
    }
    if starts("sin.approx") || starts("cos.approx") {
        // PTX ISA, `sin`: at most 2^-20.5 in all.
        return (single(expected) - single(found)).abs() <= 2f32.powf(-20.5);
    }
    false
}

/// Results that all sources agree on are asked of the target; the payload of a binary64 NaN is nobody's.
pub fn difference(line: &str, sources: &[Outcome], target: &Outcome) -> Option<String> {
    /// Results stand so many bytes apart.
    const CHUNK: usize = 16;
    let wide = line.contains("f64");
    let nan = |v: &[u8]| f64::from_le_bytes(v[..8].try_into().expect("eight bytes")).is_nan();
    let hex = |v: &[u8]| v.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    for (n, expected) in sources[0].buffers.iter().enumerate() {
        let found = &target.buffers[n];
        if expected == found {
            continue;
        }
        for (i, (e, f)) in expected.chunks(CHUNK).zip(found.chunks(CHUNK)).enumerate() {
            let at = i * CHUNK..(i + 1) * CHUNK;
            let open = sources.iter().any(|s| s.buffers[n][at.clone()] != *e) || wide && nan(e) && nan(f);
            if e != f && !open && !within(line, e, f) {
                let (thread, at) = ((at.start / RECORD).wrapping_sub(1), at.start % RECORD);
                let (e, f) = (hex(e), hex(f));
                return Some(format!("buffer {n} thread {thread} byte {at}: expected {e}, found {f}"));
            }
        }
    }
    None
}

pub fn against(
    sources: &Result<Vec<Outcome>, Failure>,
    cubin: &Cubin,
    e: &Exercise,
    launch: &Launch,
    timing: bool,
) -> Fate {
    let options = Options { timing, step_limit: 20_000, ..Options::default() };
    if let Some(why) = free(&e.line) {
        return Fate::NotRun(why.into());
    }
    match (sources, sass::run(cubin, &e.entry, launch, &options)) {
        (Ok(s), Ok(t)) => difference(&e.line, s, &t).map_or(Fate::Agrees, Fate::Differs),
        (Err(why), _) if !matches!(why, Failure::Trap { trap: Trap::Trapped, .. }) => {
            Fate::NotRun(format!("PTX: {}", first_line(why)))
        }
        (_, Err(why)) if why.is_unsupported() => Fate::NotRun(format!("SASS: {}", first_line(&why))),
        (Err(Failure::Trap { .. }), Err(Failure::Trap { .. })) => Fate::Agrees,
        (Err(why), Ok(_)) => {
            Fate::Differs(format!("the source fails, {}; the target does not", first_line(why)))
        }
        (_, Err(why)) => Fate::Differs(first_line(&why)),
    }
}

/// A message without what is particular to the kernel.
pub fn general(said: &str) -> String {
    let said = said.split(" at line ").next().unwrap_or(said);
    let said: Vec<&str> = said.split_whitespace().filter(|w| !w.contains("matrix:")).collect();
    said.join(" ")
}
