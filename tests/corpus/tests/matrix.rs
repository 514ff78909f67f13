//! What becomes of every form of the PTX table: each alone in a kernel, with registers, constants, parameters, negated values and
//! addresses of every kind as its operands, executed by the PTX executor; compiled by us, judged and executed; compiled by
//! ptxas and executed. `cargo xtask long matrix` takes all kernels and writes `reports/ptx-matrix.md`.

use sassafras_chip::{Chip, Features, Target};
use sassafras_corpus::{Program, compile};
use sassafras_cubin::Cubin;
use sassafras_execute::{Approx, Argument, Failure, Launch, Options, Outcome, ptx, sass};
use sassafras_generate::exercise::{self, Exercise};
use sassafras_generate::{forms, ptxas as ptxas_errors};
use sassafras_oracle::{Ptxas, workspace_root};
use sassafras_ptx::checked::Module;
use sassafras_ptx::table::{self, document};
use sassafras_semantics::Trap;
use std::collections::BTreeMap;
use std::fmt::Write;

const VERSION: &str = "13.0.88";
/// Threads of the one block, and bytes of input and of output for each ([`exercise`]).
const THREADS: u32 = 32;
const RECORD: usize = 4096;
/// Kernels per call of ptxas.
const PACK: usize = 40;
/// Of how many kernels one is tried where not all are.
const STEP: usize = 151;

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
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
fn launch(module: &Module, entry: &str) -> Launch {
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
fn prepared(e: &Exercise) -> Exercise {
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
fn free(line: &str) -> Option<&'static str> {
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
fn sources(module: &Module, entry: &str, launch: &Launch) -> Result<Vec<Outcome>, Failure> {
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

fn first_line(text: &impl std::fmt::Display) -> String {
    text.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Whether a result is within what the ISA says of an approximate form beyond what the executor's choices show.
fn within(line: &str, expected: &[u8], found: &[u8]) -> bool {
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
fn difference(line: &str, sources: &[Outcome], target: &Outcome) -> Option<String> {
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

fn against(
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

/// Compiles kernels by ptxas; those that it refuses come alone, with nothing.
fn by_ptxas<'e>(ptxas: &Ptxas, all: &[&'e Exercise]) -> Vec<(Vec<&'e Exercise>, Option<Cubin>)> {
    let text = exercise::module(Target::base(Chip::Sm90), all.iter().copied());
    match ptxas.compile_text(&text, "sm_90", &[]) {
        Ok((bytes, _)) => vec![(all.to_vec(), sassafras_cubin::read(&bytes).ok())],
        Err(_) if all.len() < 2 => vec![(all.to_vec(), None)],
        Err(_) => all.chunks(all.len().div_ceil(4)).flat_map(|part| by_ptxas(ptxas, part)).collect(),
    }
}

/// What became of the kernels of one row.
#[derive(Clone, Debug, Default)]
struct Count {
    kernels: usize,
    not_ptx: usize,
    ours: [usize; 4],
    theirs: [usize; 4],
    why: BTreeMap<String, usize>,
}

impl Count {
    fn add(side: &mut [usize; 4], why: &mut BTreeMap<String, usize>, fate: &Fate) {
        let (at, said) = match fate {
            Fate::Agrees => (0, None),
            Fate::Refused(said) => (1, Some(said)),
            Fate::NotRun(said) => (2, Some(said)),
            Fate::Differs(said) => (3, Some(said)),
        };
        side[at] += 1;
        if let Some(said) = said {
            *why.entry(said.clone()).or_default() += 1;
        }
    }

    fn sum(all: &[Count]) -> Count {
        let mut sum = Count::default();
        for c in all {
            (sum.kernels, sum.not_ptx) = (sum.kernels + c.kernels, sum.not_ptx + c.not_ptx);
            for i in 0..4 {
                sum.ours[i] += c.ours[i];
                sum.theirs[i] += c.theirs[i];
            }
        }
        sum
    }

    fn cells(&self) -> String {
        let [a, b, c, d] = self.ours;
        let [e, f, g, h] = self.theirs;
        format!("{} | {} | {a} | {b} | {c} | {d} | {e} | {f} | {g} | {h} |", self.kernels, self.not_ptx)
    }
}

const HEAD: &str = "\
# What becomes of every form of PTX

Written by `cargo xtask long matrix`. Each form of the table ([ptx-forms.md](../docs/ptx-forms.md)) stands alone in kernels, with its operands in registers, constants,
parameters, negated and absolute, guarded, with addresses of every kind (`verify/generate/src/exercise`), for sm_90. The PTX executor runs the text on 32
threads. **ours**: compiled by us, accepted by all judges, run in timing mode by the SASS executor. **ptxas**: the same with ptxas 13.0.88's code.

* *not PTX*: constants out of range and the like, refused with a position.
* *refused*: the compiler says that it does not support it, and where.
* *not run*: an executor has no meaning for the form, lanes wait for each other for ever, or it does something undefined.
* *differs*: the executors disagree. Of ptxas these are its errors in `corpus/ptxas-open`.

";

const COLUMNS: &str = "| kernels | not PTX | ours agrees | refused | not run | differs | ptxas agrees | refused | not run | differs |\n";

fn page(counts: &[Count]) -> String {
    let rule = "| --- |".to_owned() + &" --- |".repeat(10) + "\n";
    let mut out = HEAD.to_owned();
    let mut families: Vec<&str> = table::rows().iter().map(|r| r.family).collect();
    families.dedup();
    let of = |family: &str| -> Vec<Count> {
        table::rows().iter().zip(counts).filter(|(r, _)| r.family == family).map(|(_, c)| c.clone()).collect()
    };
    out += &format!("| family {COLUMNS}{rule}");
    for family in &families {
        let _ = writeln!(out, "| {family} | {}", Count::sum(&of(family)).cells());
    }
    let _ = writeln!(out, "| all | {}", Count::sum(counts).cells());
    for family in families {
        let _ = write!(out, "\n## {family}\n\n| form {COLUMNS}{rule}");
        for (row, count) in table::rows().iter().zip(counts).filter(|(r, _)| r.family == family) {
            let _ = writeln!(out, "| `{}` | {}", document::form(row), count.cells());
        }
    }
    out += "\n## Why\n\nWhat was said of kernels that were refused, not run or differ, and how often.\n\n";
    let mut why: BTreeMap<&str, usize> = BTreeMap::new();
    for (said, n) in counts.iter().flat_map(|c| &c.why) {
        *why.entry(said).or_default() += n;
    }
    let mut why: Vec<_> = why.into_iter().collect();
    why.sort_by_key(|(said, n)| (std::cmp::Reverse(*n), *said));
    for (said, n) in why.iter().take(60) {
        let _ = writeln!(out, "- {n}: {said}");
    }
    out
}

/// A message without what is particular to the kernel.
fn general(said: &str) -> String {
    let said = said.split(" at line ").next().unwrap_or(said);
    let said: Vec<&str> = said.split_whitespace().filter(|w| !w.contains("matrix:")).collect();
    said.join(" ")
}

#[test]
fn every_form_is_executed_or_refused() {
    const NAME: &str = "every_form_is_executed_or_refused";
    let ptxas = match sassafras_oracle::Tools::here().ptxas(VERSION) {
        Ok(ptxas) => ptxas,
        Err(why) => return sassafras_oracle::skip(NAME, &why),
    };
    let whole = std::env::var_os("SASSAFRAS_ALL_FORMS").is_some();
    let wanted = std::env::var("SASSAFRAS_FORMS_ONLY").unwrap_or_default();
    let step = if whole || !wanted.is_empty() { 1 } else { STEP };
    let all: Vec<Exercise> = exercise::all().iter().map(prepared).collect();
    let some: Vec<&Exercise> = all
        .iter()
        .filter(|e| {
            e.row.is_some() && e.need.sm <= 90 && e.need.features == Features::Base && e.id.contains(&wanted)
        })
        .step_by(step)
        .collect();
    let mut counts = vec![Count::default(); table::rows().len()];
    let (mut wrong, mut errors) = (Vec::new(), 0);
    for pack in some.chunks(PACK) {
        let mut loaded = Vec::new();
        for e in pack {
            let count = &mut counts[e.row.expect("a row")];
            count.kernels += 1;
            let text = exercise::module(Target::base(Chip::Sm90), [*e]);
            let Ok(module) = sassafras_ptx::load(&text, "matrix") else {
                count.not_ptx += 1;
                continue;
            };
            let launch = launch(&module, &e.entry);
            let expected = sources(&module, &e.entry, &launch);
            let program = Program {
                name: "matrix".into(),
                text,
                launches: Vec::new(),
                reference: None,
                contracted: false,
                approximate: false,
                tolerance: None,
            };
            let fate = match compile(&program) {
                Ok((cubin, _)) => against(&expected, &cubin, e, &launch, true),
                Err(said) => match said.strip_prefix("unsupported: ") {
                    Some(what) => Fate::Refused(general(what)),
                    None => Fate::Differs(said),
                },
            };
            if let Fate::Differs(how) = &fate {
                wrong.push(format!("{}: {how}", e.id));
            }
            Count::add(&mut count.ours, &mut count.why, &fate);
            loaded.push((*e, launch, expected));
        }
        let kernels: Vec<&Exercise> = loaded.iter().map(|(e, ..)| *e).collect();
        if kernels.is_empty() {
            continue;
        }
        for (together, cubin) in by_ptxas(&ptxas, &kernels) {
            for e in together {
                let (_, launch, expected) =
                    loaded.iter().find(|(f, ..)| f.entry == e.entry).expect("it was loaded");
                let fate = match &cubin {
                    Some(cubin) => against(expected, cubin, e, launch, false),
                    None => Fate::Refused("ptxas refuses it".into()),
                };
                match &fate {
                    Fate::Differs(_) if ptxas_errors::error(&e.line, &e.id).is_some() => errors += 1,
                    Fate::Differs(how) => wrong.push(format!("ptxas, {}: {how}", e.id)),
                    _ => {}
                }
                let count = &mut counts[e.row.expect("a row")];
                Count::add(&mut count.theirs, &mut count.why, &fate);
            }
        }
    }
    let sum = Count::sum(&counts);
    eprintln!("{} kernels: {}\n{errors} of ptxas's differ by its open errors", some.len(), sum.cells());
    if whole {
        std::fs::write(workspace_root().join("reports/ptx-matrix.md"), page(&counts)).expect("written");
    }
    assert!(sum.ours[0] > 0, "nothing agrees");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), some.len(), wrong.join("\n"));
}

/// The page was written for the table as it is.
#[test]
fn the_page_is_about_this_table() {
    let page = std::fs::read_to_string(workspace_root().join("reports/ptx-matrix.md")).expect("the page");
    for row in table::rows() {
        let start = format!("| `{}` | ", document::form(row));
        let line = page.lines().find(|l| l.starts_with(&start));
        let kernels = line.and_then(|l| l[start.len()..].split(' ').next()?.parse::<usize>().ok());
        // Kernels are for sm_90: what needs sm_90a or a later chip stands there without any.
        let elsewhere = row.since.sm > 90 || !row.since.only.any();
        let tried = kernels.is_some_and(|n| n > 0 || elsewhere);
        assert!(tried, "`{}` is not in reports/ptx-matrix.md; `cargo xtask long matrix` writes it", row.text);
    }
}
