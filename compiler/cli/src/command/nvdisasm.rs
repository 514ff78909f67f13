//! The binary called `nvdisasm`: its options, its text.
//!
//! Options and messages: nvdisasm 13.2.51.

use std::path::PathBuf;

use sassafras_cubin::elf::{self, Image, constants as c};

use super::disasm::{complain, raw};
use super::spelling::{Found, Spelling, Tool, words};
use crate::listing::{Look, Mode, Nodes, Source, chip, listing};
use crate::{Exit, Failure, files};

/// Every option that is taken: long name, short name, whether it has a value, whether it is followed.
const OPTIONS: &[Spelling] = &[
    Spelling::flag("print-code", "c"),
    Spelling::flag("print-instruction-encoding", "hex"),
    Spelling::flag("print-life-ranges", "plr"),
    Spelling::flag("emit-json", "json"),
    Spelling::flag("output-control-flow-graph", "cfg"),
    Spelling::flag("output-control-flow-graph-with-basic-blocks", "bbcfg"),
    Spelling::flag("print-instr-offsets-cfg", "poff"),
    // What the text does not depend on.
    Spelling::flag("no-dataflow", "ndf"),
    Spelling::flag("no-vliw", "novliw"),
    Spelling::flag("print-line-info", "g"),
    Spelling::flag("print-line-info-inline", "gi"),
    Spelling::value("binary", "b"),
    Spelling::value("base-address", "base"),
    Spelling::value("cuda-function-index", "fun"),
    Spelling::value("life-range-mode", "lrm"),
    Spelling::flag("version", "V"),
    Spelling::flag("help", "h"),
    Spelling::refused("print-line-info-ptx", "gp"),
    Spelling::refused("print-raw", "raw"),
    Spelling::refused("separate-functions", "sf"),
    Spelling::refused("sort-sections", "sort"),
    Spelling::refused("options-file", "optf"),
];

const TOOL: Tool = Tool { name: "nvdisasm", options: OPTIONS };

/// Runs a command line, without the program's name.
pub fn run(arguments: &[String]) -> Exit {
    match words(&TOOL, arguments).and_then(|found| disassemble(&found)) {
        Ok(exit) => exit,
        Err(failure) => TOOL.fatal(&failure),
    }
}

fn disassemble(found: &Found) -> Result<Exit, Failure> {
    if found.has("version") {
        files::print(&TOOL.version());
        return Ok(Exit::Done);
    }
    if found.has("help") {
        files::print(&TOOL.help());
        return Ok(Exit::Done);
    }
    let [path] = &found.inputs[..] else {
        return Err(Failure::wrong(match found.inputs.len() {
            0 => "No input files specified; use option --help for more information",
            _ => "More than one input file specified; use option --help for more information",
        }));
    };
    let path = PathBuf::from(path);
    let bytes = files::read(&path)?;
    let mode = match (found.has("emit-json"), found.has("output-control-flow-graph")) {
        (true, _) => Mode::Json,
        (_, true) => Mode::Graph(Nodes::Hyperblocks),
        _ if found.has("output-control-flow-graph-with-basic-blocks") => Mode::Graph(Nodes::Blocks),
        _ => Mode::Code,
    };
    let mut look = Look {
        hex: found.has("print-instruction-encoding"),
        lenient: true,
        ranges: found.has("print-life-ranges"),
        source: match (found.has("print-line-info-inline"), found.has("print-line-info")) {
            (true, _) => Source::Inlined,
            (false, true) => Source::Lines,
            (false, false) => Source::None,
        },
        mode,
        offsets: found.has("print-instr-offsets-cfg"),
        ..Look::default()
    };
    if look.ranges && found.value("life-range-mode").is_some_and(|mode| mode != "count") {
        return Err(Failure::unsupported("--life-range-mode other than `count`"));
    }
    let (image, chip) = match found.value("binary") {
        Some(name) => {
            look.raw = Some(found.number("base-address")?.unwrap_or(0));
            raw(bytes, name)?
        }
        None => {
            if !bytes.starts_with(b"\x7fELF") {
                let what = format!("File {} does not appear to be an Elf file", path.display());
                return Err(Failure::wrong(what));
            }
            let mut image = elf::read(&bytes)?;
            let chip =
                chip(&image).ok_or_else(|| Failure::unsupported("the chip has no instruction table"))?;
            look.all = mode == Mode::Code && !found.has("print-code") && !look.ranges;
            if let Some(list) = found.value("cuda-function-index") {
                only(&mut image, list)?;
                look.all = false;
            }
            (image, chip)
        }
    };
    let made = listing(&image, chip, look).map_err(|refusal| Failure::unsupported(refusal.to_string()))?;
    files::print(&made.text);
    complain(&path, &made.unknown, &made.notes);
    Ok(if made.unknown.is_empty() { Exit::Done } else { Exit::Wrong })
}

/// Leaves the functions of a list, by index in the symbol table (as nvdisasm) or by name; a section's symbol stands for its code.
///
/// # Errors
/// A symbol that is no function.
pub(super) fn only(image: &mut Image, list: &str) -> Result<(), Failure> {
    let mut kept = Vec::new();
    for wanted in list.split(',').map(str::trim) {
        let found = match wanted.parse::<usize>() {
            Ok(index) => image.symbols.get(index),
            Err(_) => image.symbols.iter().find(|s| s.name == wanted && s.info & 15 == 2),
        };
        let code = |s: &&elf::Symbol| {
            let section = image.sections.get(usize::from(s.section));
            matches!(s.info & 15, 2 | 3) && section.is_some_and(|s| s.flags & c::EXEC != 0)
        };
        let symbol = found.filter(code);
        let symbol =
            symbol.ok_or_else(|| Failure::usage(format!("`{wanted}` is no function of the file")))?;
        kept.push(usize::from(symbol.section));
    }
    for (index, section) in image.sections.iter_mut().enumerate() {
        if section.flags & c::EXEC != 0 && !kept.contains(&index) {
            section.flags &= !c::EXEC;
        }
    }
    // Labels are numbered over what is shown.
    for symbol in image.symbols.iter_mut().filter(|s| s.section != 0 && s.info & 15 == 2) {
        if !kept.contains(&usize::from(symbol.section)) {
            symbol.info &= !15;
        }
    }
    Ok(())
}
