//! `sassafras disasm`.

use std::path::PathBuf;

use clap::Args;
use sassafras_cubin::elf::{self, Data, Header, Image, Section, constants as c};
use sassafras_isa::Chip;

use super::Context;
use crate::listing::{Listing, Look, Mode, Nodes, Refusal, chip, listing, parts};
use crate::{Exit, Failure, files};

/// Print the text of `nvdisasm -c`.
#[derive(Args)]
pub struct Disasm {
    /// A cubin, or with --raw a file of bare instruction words; - is standard input.
    input: PathBuf,
    /// The input is bare words for this chip, such as SM90.
    #[arg(long, value_name = "SMxx")]
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
    /// Print a word without a form as data, and go on; exit 1 at the end.
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
    #[arg(long, alias = "output-control-flow-graph", conflicts_with_all = ["bbcfg", "plr", "control", "raw", "lenient"])]
    cfg: bool,
    /// Print the control-flow graph, a node for each basic block, for Graphviz.
    #[arg(long, alias = "output-control-flow-graph-with-basic-blocks", conflicts_with_all = ["plr", "control", "raw", "lenient"])]
    bbcfg: bool,
    /// Put offsets before the instructions of a graph.
    #[arg(long, alias = "print-instr-offsets-cfg")]
    poff: bool,
    /// Print the life ranges of registers behind the code.
    #[arg(long, alias = "print-life-ranges", conflicts_with_all = ["hex", "control", "raw", "lenient"])]
    plr: bool,
}

/// `0x100` or decimal.
fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|e| e.to_string())
}

pub(super) fn run(arguments: &Disasm, context: &Context) -> Result<Exit, Failure> {
    let path = &arguments.input;
    let bytes = files::read(path)?;
    let (image, chip) = match &arguments.raw {
        Some(name) => raw(bytes, name).map_err(|f| f.about(path))?,
        None => {
            let image = elf::read(&bytes).map_err(|e| Failure::from(e).about(path))?;
            let chip = chip(&image)
                .ok_or_else(|| Failure::unsupported("the chip has no instruction table").about(path))?;
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
        lenient: arguments.lenient,
        all: arguments.all,
        ranges: arguments.plr,
        mode,
        offsets: arguments.poff,
        raw: arguments.raw.as_ref().map(|_| arguments.base.unwrap_or(0)),
    };
    let made = match look.raw {
        // Bare words may be many: they are written as they are read.
        Some(_) if !context.json => parts(&image, chip, look, &mut files::put).map_err(Refusal::from),
        _ => listing(&image, chip, look),
    };
    let Listing { text, unknown, .. } = made.map_err(|refusal| {
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
        let record =
            serde_json::json!({ "schema": 1, "chip": chip.to_string(), "text": text, "unknown": unknown });
        files::print(&format!("{record}\n"));
    } else {
        files::print(&text);
        if !unknown.is_empty() {
            eprintln!("{}: {} words have no form", path.display(), unknown.len());
        }
    }
    Ok(if unknown.is_empty() { Exit::Done } else { Exit::Wrong })
}

/// Bare words as an image of one section.
fn raw(bytes: Vec<u8>, name: &str) -> Result<(Image, Chip), Failure> {
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
    let header = Header { kind: c::EXECUTABLE, flags: chip.number() << 8 };
    Ok((Image { header, sections: vec![code], ..Image::default() }, chip))
}
