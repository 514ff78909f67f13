//! `sassafras disasm`.

use std::path::PathBuf;

use clap::Args;
use sassafras_cubin::elf::{self, Data, Header, Image, Section, constants as c};
use sassafras_isa::Chip;

use super::Context;
use crate::listing::{Listing, Look, chip, listing};
use crate::{Exit, Failure, files};

/// Print the text of `nvdisasm -c`.
#[derive(Args)]
pub struct Disasm {
    /// A cubin, or with --raw a file of bare instruction words; - is standard input.
    input: PathBuf,
    /// The input is bare words for this chip, such as SM90.
    #[arg(long, value_name = "SMxx")]
    raw: Option<String>,
    /// Append the words in hexadecimal.
    #[arg(long, alias = "print-instruction-encoding")]
    hex: bool,
    /// Add control bits, in a form that can be assembled again.
    #[arg(long)]
    control: bool,
    /// Print a word without a form as data, and go on; exit 1 at the end.
    #[arg(long)]
    lenient: bool,
    /// Print every section, as plain nvdisasm (not supported yet).
    #[arg(long)]
    all: bool,
    /// Print JSON, as nvdisasm (not supported yet; see --format json).
    #[arg(long)]
    json: bool,
    /// Print the control-flow graph (not supported yet).
    #[arg(long)]
    cfg: bool,
    /// Print the graph of basic blocks (not supported yet).
    #[arg(long)]
    bbcfg: bool,
    /// Print the life ranges of registers (not supported yet).
    #[arg(long)]
    plr: bool,
}

pub(super) fn run(arguments: &Disasm, context: &Context) -> Result<Exit, Failure> {
    let refused = [
        (arguments.all, "--all"),
        (arguments.json, "-json"),
        (arguments.cfg, "-cfg"),
        (arguments.bbcfg, "-bbcfg"),
        (arguments.plr, "-plr"),
    ];
    if let Some((_, name)) = refused.iter().find(|r| r.0) {
        return Err(Failure::unsupported(format!(
            "`disasm {name}` is not supported yet; code is listed as by `nvdisasm -c`"
        )));
    }
    let path = &arguments.input;
    let bytes = files::read(path)?;
    let (image, chip) = match &arguments.raw {
        Some(name) => raw(&bytes, name).map_err(|f| f.about(path))?,
        None => {
            let image = elf::read(&bytes).map_err(|e| Failure::from(e).about(path))?;
            let chip = chip(&image)
                .ok_or_else(|| Failure::unsupported("the chip has no instruction table").about(path))?;
            (image, chip)
        }
    };
    let look = Look { hex: arguments.hex, control: arguments.control, lenient: arguments.lenient };
    let Listing { text, unknown, .. } =
        listing(&image, chip, look).map_err(|e| Failure::word(e.to_string()).about(path))?;
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
fn raw(bytes: &[u8], name: &str) -> Result<(Image, Chip), Failure> {
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
        data: Data::Bytes(bytes.to_vec()),
        ..Section::default()
    };
    let header = Header { kind: c::EXECUTABLE, flags: chip.number() << 8 };
    Ok((Image { header, sections: vec![code], ..Image::default() }, chip))
}
