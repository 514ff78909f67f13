//! `--hints`: where registers of the PTX lie at the heads of loops, for the prover to guess from.

use std::path::Path;

use sassafras_driver::options::{Arch, Input, Options};
use sassafras_driver::session::{Artifact, parse};
use sassafras_driver::statistics;
use sassafras_isa::Register;
use sassafras_machine::{Place, Reg};
use sassafras_prove::hints::{Entry, Head, Held, Hints, VERSION};
use sassafras_ptx::checked::Module;

use crate::{Failure, files};

/// Refuses what there are no hints about.
///
/// # Errors
/// The command line asks for no cubin, or for several.
pub(super) fn fits(options: &Options, inputs: &[Input]) -> Result<(), Failure> {
    let none =
        |what: &str| Err(Failure::usage(format!("--hints writes of the loops of a cubin, and {what}")));
    if options.stop_after.is_some() {
        return none("--stop-after makes none");
    }
    if options.start_from.is_some() {
        return none("what --start-from reads does not name registers of PTX");
    }
    if matches!(options.arch, Some(Arch::Virtual(_))) {
        return none("a virtual target makes none");
    }
    match inputs.len() {
        1 => Ok(()),
        _ => none("its PTX is one file"),
    }
}

/// Writes what is known of the loops of an artifact, whose PTX this is.
///
/// # Errors
/// The file cannot be written, or the PTX, which was compiled, is not taken again.
pub(super) fn write(path: &Path, text: &str, artifact: &Artifact) -> Result<(), Failure> {
    let (module, _) = parse(text, "the PTX").map_err(|stopped| Failure::internal(stopped.to_string()))?;
    let json = serde_json::to_string_pretty(&of(&module, artifact));
    let json = json.map_err(|e| Failure::internal(e.to_string()))?;
    files::write(path, format!("{json}\n").as_bytes())
}

/// What is known of the loops of an artifact, whose PTX this is.
pub(super) fn of(module: &Module, artifact: &Artifact) -> Hints {
    let entries = artifact.entries.iter().map(|of| entry(of, module)).collect();
    Hints { version: VERSION, entries }
}

fn entry(of: &statistics::Entry, module: &Module) -> Entry {
    let function = module.functions.iter().find(|f| f.entry && f.name == of.name);
    let names = function.map_or(&[][..], |f| &f.registers);
    let held = |(register, place): &(u32, Place)| {
        let Reg::Physical(number) = place.reg else { return None };
        let at = Register { class: place.class, number: u32::from(number) };
        let ptx = names.get(*register as usize)?.name.clone();
        Some(Held { ptx, at: at.to_string(), words: u32::from(place.units) })
    };
    let head = |head: &sassafras_codegen::Head| Head {
        line: head.line,
        offset: head.offset,
        // Heads of several turns stand for no registers of the source (`unroll`), and are not listed.
        turns: 1,
        registers: head.registers.iter().filter_map(held).collect(),
    };
    Entry { entry: of.name.clone(), heads: of.heads.iter().map(head).collect() }
}
