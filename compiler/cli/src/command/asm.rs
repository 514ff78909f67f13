//! `sassafras asm`.

use std::path::PathBuf;

use clap::Args;
use sassafras_chip::Target;
use sassafras_cubin::elf;
use serde_json::json;

use super::Context;
use crate::assembly::{self, Finding, into};
use crate::listing::chip;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// Assemble the text of `disasm`.
#[derive(Args)]
pub struct Asm {
    /// The text; - is standard input.
    input: PathBuf,
    /// The chip; the text's `.target` without it.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
    /// The cubin whose code is replaced, section by section; every other byte stays as it is.
    #[arg(long, value_name = "CUBIN")]
    into: Option<PathBuf>,
    /// With --into: correct the records of exits and registers that the new code belies.
    #[arg(long, requires = "into")]
    update: bool,
    /// The code section to write, where the text has several and there is no --into.
    #[arg(long, value_name = "NAME", conflicts_with = "into")]
    section: Option<String>,
    /// The cubin with --into, else a file of bare words; - is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(arguments: &Asm, context: &Context) -> Result<Exit, Failure> {
    let path = &arguments.input;
    let name = path.display().to_string();
    files::apart(path, &arguments.output)?;
    let text = files::read_text(path)?;
    let fail = |found: Vec<Finding>| {
        if context.json {
            let records = assembly::records(&name, &text, &found);
            files::print(&format!("{}\n", json!({ "schema": 1, "exit": 1, "diagnostics": records })));
        } else {
            eprint!("{}", assembly::render(&name, &text, &found));
        }
        Ok(Exit::Wrong)
    };
    let assembly = match assembly::read(&text, arguments.arch.map(|t| t.chip)) {
        Ok(assembly) => assembly,
        Err(found) => return fail(found),
    };
    let words: usize = assembly.sections.iter().map(|s| s.words.len()).sum();
    let report = match &arguments.into {
        Some(cubin) => {
            let mut bytes = files::read(cubin)?;
            let image = elf::read(&bytes).map_err(|e| Failure::from(e).about(cubin))?;
            let chip = chip(&image)
                .ok_or_else(|| Failure::unsupported("the chip has no instruction table").about(cubin))?;
            match into::into(&mut bytes, &image, chip, &assembly, arguments.update) {
                Ok(report) => {
                    files::write(&arguments.output, &bytes)?;
                    report
                }
                Err(found) => return fail(found),
            }
        }
        None => bare(arguments, &assembly)?,
    };
    if context.json {
        let record = json!({ "schema": 1, "exit": 0, "diagnostics": [], "words": words,
            "changed": report.changed, "safe": report.safe, "warnings": report.warnings });
        // Standard output may be where the words go.
        if arguments.output.as_os_str() != "-" {
            files::print(&format!("{record}\n"));
        }
    } else if !context.quiet {
        report.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
        if report.safe > 0 {
            let (have, they) = if report.safe == 1 { ("has", "it waits") } else { ("have", "they wait") };
            let stall = if report.safe == 1 { "stalls" } else { "stall" };
            eprintln!(
                "note: {} {have} no control bits in the text; {they} for everything and {stall} for 15 cycles",
                count(report.safe, "instruction")
            );
        }
    }
    Ok(Exit::Done)
}

/// Writes bare words.
fn bare(arguments: &Asm, assembly: &assembly::Assembly) -> Result<into::Report, Failure> {
    if arguments.output.extension().is_some_and(|e| e == "cubin") {
        return Err(Failure::usage(
            "a cubin needs what a listing does not tell, such as parameters: name the one to take it from with --into",
        ));
    }
    let named = |s: &&assembly::Code| arguments.section.is_none() || s.name == arguments.section;
    let sections: Vec<_> = assembly.sections.iter().filter(named).collect();
    let [section] = sections[..] else {
        let names: Vec<&str> =
            assembly.sections.iter().map(|s| s.name.as_deref().unwrap_or("(without a name)")).collect();
        return Err(Failure::usage(format!(
            "bare words are of one section; choose it with --section: {}",
            names.join(", ")
        )));
    };
    if let Some(at) = section.words.iter().position(|w| w.linked) {
        return Err(Failure::unsupported(format!(
            "bare words with an operand that a linker fills in (the instruction at {:#06x}); use --into",
            16 * at
        )));
    }
    let bytes: Vec<u8> = section.words.iter().flat_map(|w| w.bits.to_le_bytes()).collect();
    files::write(&arguments.output, &bytes)?;
    let safe = section.words.iter().filter(|w| w.is_safe()).count();
    Ok(into::Report { safe, ..into::Report::default() })
}
