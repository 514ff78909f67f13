//! `sassafras disasm`.

use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_chip::Target;
use sassafras_cubin::elf::{self, Data, Header, Image, Section, constants as c};
use sassafras_isa::Chip;

use super::Context;
use crate::containers::{self, Choice, Index};
use crate::listing::{Listing, Look, Mode, Nodes, Refusal, Source, UnknownWord, chip, listing, parts};
use crate::{Exit, Failure, files};

/// Print the text of `nvdisasm -c`.
#[derive(Args)]
pub struct Disasm {
    /// A cubin or a file that holds cubins, or with --raw a file of bare instruction words; - is standard input.
    input: PathBuf,
    #[command(flatten)]
    index: Index,
    /// Of a file that holds several cubins, the one for this target; a cubin of its own must be for it.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
    /// Of a file that holds several cubins, the one with this kernel.
    #[arg(long)]
    entry: Option<String>,
    /// The input is bare words for this chip, such as SM90.
    #[arg(short = 'b', long, alias = "binary", value_name = "SMxx", conflicts_with_all = ["index", "arch", "entry"])]
    raw: Option<String>,
    /// With --raw: the address of the first word.
    #[arg(long, alias = "base-address", value_name = "ADDRESS", requires = "raw", value_parser = number)]
    base: Option<u64>,
    /// Append the words in hexadecimal.
    #[arg(long, alias = "print-instruction-encoding")]
    hex: bool,
    /// Add control bits, in a form that `asm` reads back.
    #[arg(long)]
    control: bool,
    /// A word without a form is printed as data, with exit 1 at the end; so it is without this option too.
    #[arg(long)]
    lenient: bool,
    /// Print every section, as nvdisasm without -c.
    #[arg(long, conflicts_with_all = ["json", "cfg", "bbcfg", "raw"])]
    all: bool,
    /// Print code sections only, as nvdisasm; so it is without --all.
    #[arg(short, long = "print-code", conflicts_with = "all")]
    code: bool,
    /// Print nvdisasm's JSON; see --format json for our own.
    #[arg(long, alias = "emit-json", conflicts_with_all = ["cfg", "bbcfg", "plr", "control", "raw"])]
    json: bool,
    /// Print the control-flow graph, a node for each hyperblock, for Graphviz.
    #[arg(long, alias = "output-control-flow-graph", conflicts_with_all = ["bbcfg", "plr", "control", "raw"])]
    cfg: bool,
    /// Print the control-flow graph, a node for each basic block, for Graphviz.
    #[arg(long, alias = "output-control-flow-graph-with-basic-blocks", conflicts_with_all = ["plr", "control", "raw"])]
    bbcfg: bool,
    /// Put the lines of the source between the instructions.
    #[arg(short = 'g', long = "print-line-info", conflicts_with_all = ["json", "cfg", "bbcfg", "raw"])]
    lines: bool,
    /// Put the lines of the source between the instructions, and where they are inlined.
    #[arg(long = "gi", alias = "print-line-info-inline", conflicts_with_all = ["json", "cfg", "bbcfg", "raw"])]
    inlined: bool,
    /// Of the cubin's functions only these: indices in the symbol table, or names.
    #[arg(long = "fun", alias = "cuda-function-index", value_name = "N|NAME,...", conflicts_with_all = ["all", "raw"])]
    functions: Option<String>,
    /// nvdisasm's, which changes nothing here.
    #[arg(long = "ndf", alias = "no-dataflow")]
    ndf: bool,
    /// Put offsets before the instructions of a graph (--cfg, --bbcfg).
    #[arg(long, alias = "print-instr-offsets-cfg")]
    poff: bool,
    /// Print the life ranges of registers behind the code.
    #[arg(long, alias = "print-life-ranges", conflicts_with_all = ["hex", "control", "raw"])]
    plr: bool,
}

/// `0x100` or decimal.
fn number(text: &str) -> Result<u64, ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
}

pub(super) fn run(arguments: &Disasm, context: &Context) -> Result<Exit, Failure> {
    let path = &arguments.input;
    if arguments.poff && !arguments.cfg && !arguments.bbcfg {
        return Err(Failure::usage("`--poff` is about a graph: give it with --cfg or --bbcfg"));
    }
    let bytes = files::read(path)?;
    let (image, chip) = match &arguments.raw {
        Some(name) => raw(bytes, name).map_err(|f| f.about(path))?,
        None => {
            let choice = Choice {
                index: arguments.index.index,
                arch: arguments.arch.map(|a| a.to_string()),
                entry: arguments.entry.as_deref(),
            };
            let opened = containers::cubin(path, bytes, &choice)?;
            let mut image = elf::read(&opened.bytes).map_err(|e| Failure::from(e).about(opened.path()))?;
            let chip = chip(&image)
                .ok_or_else(|| Failure::unsupported("the chip has no instruction table").about(path))?;
            if let Some(list) = &arguments.functions {
                super::nvdisasm::only(&mut image, list).map_err(|f| f.about(path))?;
            }
            (image, chip)
        }
    };
    let mode = match (arguments.json, arguments.cfg, arguments.bbcfg) {
        (true, ..) => Mode::Json,
        (_, true, _) => Mode::Graph(Nodes::Hyperblocks),
        (.., true) => Mode::Graph(Nodes::Blocks),
        _ => Mode::Code,
    };
    let look = Look {
        hex: arguments.hex,
        control: arguments.control,
        lenient: true,
        all: arguments.all,
        ranges: arguments.plr,
        source: match (arguments.inlined, arguments.lines) {
            (true, _) => Source::Inlined,
            (false, true) => Source::Lines,
            (false, false) => Source::None,
        },
        mode,
        offsets: arguments.poff,
        raw: arguments.raw.as_ref().map(|_| arguments.base.unwrap_or(0)),
    };
    let made = match look.raw {
        // Bare words may be many: they are written as they are read.
        Some(_) if !context.json => parts(&image, chip, look, &mut files::put).map_err(Refusal::from),
        _ => listing(&image, chip, look),
    };
    let Listing { text, unknown, notes, .. } = made.map_err(|refusal| {
        match refusal {
            Refusal::Word(word) => Failure::word(word.to_string()),
            Refusal::Unsupported(what) => Failure::unsupported(what),
        }
        .about(path)
    })?;
    if context.json {
        let unknown: Vec<_> = unknown
            .iter()
            .map(|u| serde_json::json!({ "section": u.section, "address": u.address, "error": u.error.to_string() }))
            .collect();
        let record = serde_json::json!({
            "schema": 1, "chip": chip.to_string(), "text": text, "unknown": unknown, "notes": notes
        });
        files::print(&format!("{record}\n"));
    } else {
        files::print(&text);
        complain(path, &unknown, &notes);
    }
    Ok(if unknown.is_empty() && notes.is_empty() { Exit::Done } else { Exit::Wrong })
}

/// Most lines about words without a form.
const NAMED: usize = 20;

/// Says what in a listing is not known, on standard error.
pub(super) fn complain(path: &Path, unknown: &[UnknownWord], notes: &[String]) {
    for word in unknown.iter().take(NAMED) {
        eprintln!("{}: {word}", path.display());
    }
    notes.iter().for_each(|note| eprintln!("{}: {note}", path.display()));
    if !unknown.is_empty() {
        let have = if unknown.len() == 1 { "has" } else { "have" };
        eprintln!("{}: {} {have} no form", path.display(), crate::plural::count(unknown.len(), "word"));
    }
}

/// Bare words as an image of one section.
pub(super) fn raw(bytes: Vec<u8>, name: &str) -> Result<(Image, Chip), Failure> {
    let lower = name.to_lowercase();
    let number = lower.strip_prefix("sm_").or_else(|| lower.strip_prefix("sm")).and_then(|n| n.parse().ok());
    let chip = number
        .and_then(Chip::from_number)
        .ok_or_else(|| Failure::usage(format!("`{name}` is no known chip")))?;
    if !bytes.len().is_multiple_of(16) {
        return Err(Failure::wrong(format!(
            "{} bytes are no whole number of 16-byte instructions",
            bytes.len()
        )));
    }
    let code = Section {
        name: ".text".into(),
        kind: c::PROGBITS,
        flags: c::ALLOC | c::EXEC,
        align: 16,
        data: Data::Bytes(bytes),
        ..Section::default()
    };
    let header = Header { kind: c::EXECUTABLE, flags: chip.number() << 8, ..Header::default() };
    Ok((Image { header, sections: vec![code], ..Image::default() }, chip))
}
