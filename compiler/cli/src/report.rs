//! What `prove` says to a person about one entry.

mod numbers;
pub mod sarif;

use std::fmt::Write;

use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{Style, decode, print};
use sassafras_prove::steps::Step;
use sassafras_prove::verdict::Counterexample;
use sassafras_prove::{Place, Reason, Record, Verdict};

use crate::plural::count;
use numbers::{type_of, typed};

/// Width of the left of two columns.
const COLUMN: usize = 62;
/// Most lines of two columns; of more the last ones are shown.
const LINES: usize = 60;

/// The two files of a comparison, for their text.
pub struct Files<'a> {
    /// Name of the source.
    pub source: &'a str,
    /// Name of the target.
    pub target: &'a str,
    /// The PTX, or the cubin that is the source.
    pub text: Result<&'a str, &'a Cubin>,
    /// The target.
    pub cubin: &'a Cubin,
}

/// What a line of PTX comes from, as `.loc` says: `file:line`.
fn source_of(text: &str, at: u64) -> Option<String> {
    // Few modules say it, and only these are read again.
    let module = text.contains(".loc").then(|| sassafras_ptx::load(text, "").ok()).flatten()?;
    let (file, location) = module.source_of(u32::try_from(at).ok()?)?;
    Some(format!("{}:{}", file.name, location.line))
}

impl Files<'_> {
    /// What stands at a place of the source, with its place.
    fn of_source(&self, entry: &str, at: u64) -> Option<String> {
        match self.text {
            Ok(text) => {
                let line = text.lines().nth(usize::try_from(at).ok()?.checked_sub(1)?)?;
                let from = source_of(text, at).map_or(String::new(), |place| format!("  // {place}"));
                Some(format!("line {at}: {}{from}", line.trim()))
            }
            Err(cubin) => instruction(cubin, entry, at),
        }
    }

    /// A line of the source's PTX.
    fn line(&self, at: u64) -> Option<&str> {
        self.text.ok()?.lines().nth(usize::try_from(at).ok()?.checked_sub(1)?)
    }

    /// The type that the PTX gives a parameter.
    fn type_of_parameter(&self, name: &str) -> Option<&str> {
        // Several may stand on one line.
        let declares = |one: &&str| {
            let word = |c: char| c.is_whitespace() || matches!(c, '[' | ']');
            one.contains(".param") && one.split(word).any(|w| w == name)
        };
        self.text.ok()?.split([',', '(', ')', ';']).find(declares).and_then(type_of)
    }

    /// The places that a reason is about, with what stands there, each once.
    fn named(&self, entry: &str, reason: &Reason) -> Vec<(&'static str, String)> {
        let mut all: Vec<(&'static str, String)> = Vec::new();
        for place in reason.places() {
            let found = match place {
                Place::Line(at) | Place::SourceOffset(at) => self.of_source(entry, at).map(|t| ("source", t)),
                Place::Offset(at) => instruction(self.cubin, entry, at).map(|t| ("target", t)),
                Place::Named(_) => None,
            };
            all.extend(found.filter(|f| !all.contains(f)));
        }
        all
    }
}

/// The instruction at a byte offset of an entry, with the offset.
fn instruction(cubin: &Cubin, entry: &str, at: u64) -> Option<String> {
    let function: &Function = cubin.functions.iter().find(|f| f.name == entry)?;
    let word = function.code.get(usize::try_from(at / 16).ok()?).filter(|_| at.is_multiple_of(16))?;
    let inst = decode(*word, Chip::from_number(cubin.sm)?).ok()?;
    Some(format!("{at:#06x}: {}", print(&inst, &Style::default())))
}

/// The whole of it.
pub fn report(record: &Record, files: &Files<'_>) -> String {
    let mut text =
        format!("{} => {}\n{}: {}", files.source, files.target, record.entry, record.verdict.word());
    match &record.verdict {
        Verdict::Proved => proved(&mut text, record, "for every input the target does what the source does"),
        Verdict::ProvedWithin(rounds) => {
            let what = format!(
                "for every input on which no loop of the source, each time that it is entered, returns to its head more than {rounds} times, the target does what the source does"
            );
            proved(&mut text, record, &what);
        }
        Verdict::Unknown(why) => {
            let _ = writeln!(text, ": it was not shown, nor the contrary: {why}");
            for (side, line) in files.named(&record.entry, why) {
                let _ = writeln!(text, "  {side}: {line}");
            }
            let page = why.advice();
            let _ = writeln!(text, "  this means ({}): {}\n  to try: {}", page.code, page.means, page.hint);
            counted(&mut text, record);
        }
        Verdict::Inapplicable(why) => {
            let _ = writeln!(text, ": there is nothing to compare ({}): {why}", why.advice().code);
        }
        Verdict::Refuted(c) => refuted(&mut text, record, c, files),
    }
    if let Some(why) = &record.turns {
        let _ = writeln!(text, "  loops, for any number of turns ({}): {why}", why.advice().code);
    }
    if let Some(why) = &record.contradiction {
        let _ = writeln!(text, "  the prover contradicts itself: {why}");
    }
    for a in &record.assumptions {
        let outside = if a.base() { "" } else { " (outside the base set)" };
        let _ = writeln!(text, "  assuming {}{outside}: {}", a.id(), a.what());
    }
    text
}

fn proved(text: &mut String, record: &Record, what: &str) {
    let _ = writeln!(text, ": {what}");
    counted(text, record);
    if let Some(c) = record.coverage {
        let _ = writeln!(
            text,
            "  {} of {} instructions of the target lie on a path that was looked at",
            c.reached, c.instructions
        );
    }
    if let Some(e) = &record.evaluation {
        let _ = writeln!(text, "  evaluation: {}", e.text());
    }
    match record.lemmas.is_empty() {
        true => {
            let _ = writeln!(text, "  no lemmas");
        }
        false => {
            for lemma in &record.lemmas {
                let _ = writeln!(text, "  by the lemma A-LEMMA[{lemma}] (outside the base set)");
            }
        }
    }
}

fn counted(text: &mut String, record: &Record) {
    let n = record.obligations;
    let _ = writeln!(
        text,
        "  {}: {} equal as terms, {} by the solver; {} evaluated",
        count(n.total, "obligation"),
        n.by_terms,
        n.by_solver,
        count(n.evaluated, "input")
    );
}

fn refuted(text: &mut String, record: &Record, c: &Counterexample, files: &Files<'_>) {
    let _ = writeln!(text, ": on the input below the target does something else, as both executors show");
    let _ = writeln!(text, "  grid {:?}, block {:?}, thread {:?}", c.grid, c.block, c.thread);
    let wide = c.arguments.iter().map(|a| a.name.len()).max().unwrap_or(0);
    for a in &c.arguments {
        let what = if a.pointer {
            format!("{} (a buffer)", numbers::hexadecimal(&a.bytes))
        } else {
            typed(&a.bytes, files.type_of_parameter(&a.name))
        };
        let _ = writeln!(text, "  {:wide$} {what}", a.name);
    }
    read(text, record, c, files);
    if c.fill != 0 {
        let _ = writeln!(text, "  all other bytes of buffers are {:#04x}", c.fill);
    }
    if c.address.is_empty() {
        let _ = writeln!(text, "  source: {}\n  target: {}", c.source, c.target);
    } else {
        let (source, target) = values(c, files);
        let _ = writeln!(text, "  leaves at {}\n    source: {source}\n    target: {target}", c.address);
    }
    if let Some(line) = c.line.and_then(|at| files.of_source(&record.entry, at)) {
        let _ = writeln!(text, "  what the source stores there: {line}");
    }
    if let (Some(at), Some(instruction)) = (c.instruction, &c.text) {
        match &c.cause {
            None => {
                let _ = writeln!(text, "  first instruction that goes wrong: {at:#06x}: {instruction}");
            }
            Some(cause) => {
                let _ = writeln!(text, "  look first at {at:#06x}: {instruction}");
                let _ = writeln!(text, "    {}", cause.why);
                let shows = cause.seen_text.as_deref().unwrap_or_default();
                let _ = writeln!(text, "    it shows at {:#06x}: {shows}", cause.seen);
            }
        }
    }
    if let Some(run) = &c.run {
        // A name with a blank or a quote is one word to the shell.
        let word = |name: &str| format!("'{}'", name.replace('\'', "'\\''"));
        let file = |name: &str| if name.bytes().all(is_plain) { name.to_owned() } else { word(name) };
        let _ = writeln!(text, "  to see it again:");
        for name in [files.source, files.target] {
            let (name, entry) = (file(name), file(&record.entry));
            let _ = writeln!(text, "    sassafras run {name} --entry {entry} {run} --trace");
        }
    }
    columns(text, c, files);
}

/// What the thread reads, by the type of the instruction that reads it; then what else buffers hold.
fn read(text: &mut String, record: &Record, c: &Counterexample, files: &Files<'_>) {
    for r in &c.reads {
        let value = numbers::elements(&r.bytes, files.line(r.at).and_then(type_of));
        let by = files.of_source(&record.entry, r.at).map_or(String::new(), |line| format!(", by {line}"));
        let _ = writeln!(text, "  reads at {}: {value}{by}", r.address);
    }
    let start = |address: &str| u64::from_str_radix(address.trim_start_matches("0x"), 16).ok();
    let told: Vec<(u64, u64)> =
        c.reads.iter().filter_map(|r| Some((start(&r.address)?, r.bytes.len() as u64 / 2))).collect();
    let is_told = |at: u64| told.iter().any(|(from, size)| (*from..from + size).contains(&at));
    for (address, bytes) in &c.memory {
        let Some(from) = start(address) else { continue };
        // Four bytes at a time: no instruction says how wide they are.
        for (i, word) in bytes.as_bytes().chunks(8).enumerate() {
            let word = String::from_utf8_lossy(word);
            let at = from + 4 * i as u64;
            let known = (at..at + word.len() as u64 / 2).all(is_told);
            let filled = format!("{:02x}", c.fill).repeat(word.len() / 2);
            if !known && word != filled {
                let _ = writeln!(text, "  the buffer holds at {at:#x}: {}", numbers::hexadecimal(&word));
            }
        }
    }
}

/// What the sides leave where they differ, the source's first, by the type of the instruction that stores it.
pub fn values(c: &Counterexample, files: &Files<'_>) -> (String, String) {
    let stored = c.line.and_then(|at| files.line(at)).and_then(type_of);
    (numbers::elements(&c.source, stored), numbers::elements(&c.target, stored))
}

/// Whether a shell takes a byte as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-/+,:".contains(&byte)
}

/// Both sides step by step, beside each other.
fn columns(text: &mut String, c: &Counterexample, files: &Files<'_>) {
    let is_ptx = files.text.is_ok();
    let left: Vec<String> = c.source_steps.iter().map(|s| step(s, !is_ptx, "")).collect();
    let right: Vec<String> = c.target_steps.iter().map(|s| step(s, true, mark(c, s.at))).collect();
    let lines = left.len().max(right.len());
    if lines == 0 {
        return;
    }
    let _ = writeln!(text, "  step by step:");
    let row = |text: &mut String, l: &str, r: &str| {
        let line = format!("  {l:COLUMN$} | {r}");
        let _ = writeln!(text, "{}", line.trim_end());
    };
    row(text, "source", "target");
    let skip = lines.saturating_sub(LINES);
    if skip > 0 {
        let _ = writeln!(text, "  … {skip} before");
    }
    for i in skip..lines {
        let of = |all: &[String]| all.get(i).cloned().unwrap_or_default();
        row(text, &of(&left), &of(&right));
    }
}

/// Bits in hex digits; of a PTX instruction on floats the float.
fn float(bits: &str, ty: Option<&str>) -> String {
    match (ty, u64::from_str_radix(bits, 16)) {
        (Some("f32"), Ok(value)) => format!("{:?}", f32::from_bits(value as u32)),
        (Some("f64"), Ok(value)) => format!("{:?}", f64::from_bits(value)),
        _ => bits.to_owned(),
    }
}

/// What is said of an instruction of the target.
fn mark(c: &Counterexample, at: u64) -> &'static str {
    match &c.cause {
        None if c.instruction == Some(at) => "  <-- goes wrong",
        Some(_) if c.instruction == Some(at) => "  <-- look here",
        Some(cause) if cause.seen == at => "  <-- shows",
        _ => "",
    }
}

fn step(s: &Step, offset: bool, mark: &str) -> String {
    let at = if offset { format!("{:#06x}", s.at) } else { s.at.to_string() };
    // A comparison names the type of what it compares.
    let ty = type_of(&s.text).filter(|_| !offset && !s.text.contains("setp") && !s.text.contains("testp"));
    let writes: Vec<String> =
        s.writes.iter().map(|(name, bits)| format!("{name} = {}", float(bits, ty))).collect();
    let text = s.text.trim_end_matches([';', ' ']);
    if writes.is_empty() {
        format!("{at} {text}{mark}")
    } else {
        format!("{at} {text}  [{}]{mark}", writes.join(", "))
    }
}
