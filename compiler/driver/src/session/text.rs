//! The text of each form.

use std::fmt::Write;

use sassafras_ir as ir;
use sassafras_machine::Phase;
use sassafras_ptx as ptx;

use crate::Failure;
use crate::observe::Form;
use crate::phase::{FormKind, Stage};

const AFTER: &str = "# after ";

/// A text that `--stop-after` wrote.
pub enum Text {
    /// PTX.
    Ptx,
    /// An IR module as a stage left it.
    Ir(ir::Module, Stage),
    /// A function of machine code as a stage left it.
    Machine(Box<sassafras_machine::Function>, Stage),
}

/// Reads a text of any form, which messages call `name`; one that names no form of ours is taken for PTX, unread.
///
/// # Errors
/// A text of IR or machine code that does not read, with its line.
pub fn read(source: &str, name: &str) -> Result<Text, Failure> {
    let first = source
        .lines()
        .find(|l| !l.trim().is_empty() && !l.starts_with('#') && !l.starts_with("//"))
        .unwrap_or_default();
    let wrong = |line: usize, message: &str| Failure::Text(format!("{name}:{line}: {message}"));
    if first.starts_with("sassafras ir ") {
        let (module, phase) = ir::text::parse(source).map_err(|e| wrong(e.line, &e.fault.to_string()))?;
        let stage = Stage::named(&phase).filter(|s| s.row().form == FormKind::Ir);
        let stage = stage.ok_or_else(|| wrong(1, &format!("`{phase}` is no phase that leaves IR behind")))?;
        return Ok(Text::Ir(module, stage));
    }
    if first.starts_with("sassafras machine ") {
        let function =
            sassafras_machine::text::parse(source).map_err(|e| wrong(e.line, &e.fault.to_string()))?;
        let stated = source.lines().rev().find_map(|l| l.strip_prefix(AFTER)).and_then(Stage::named);
        let stage = stated.filter(|s| s.row().form == FormKind::Machine).unwrap_or(match function.phase {
            Phase::Ssa => Stage::Select,
            Phase::Allocated => Stage::Allocate,
            Phase::Placed => Stage::Layout,
            Phase::Scheduled => Stage::Schedule,
        });
        return Ok(Text::Machine(Box::new(function), stage));
    }
    if first.starts_with("sassafras ") {
        return Err(wrong(1, "a session can start from PTX, IR or machine code only"));
    }
    Ok(Text::Ptx)
}

/// PTX, printed anew from its syntax.
pub(super) fn ptx(source: &str, name: &str) -> String {
    ptx::print(&ptx::parse(source, name).0)
}

/// An IR module.
pub(super) fn ir(module: &ir::Module, stage: Stage) -> String {
    ir::text::print(module, stage.row().name)
}

/// Any form.
pub(super) fn form(form: Form<'_>, stage: Stage) -> String {
    match form {
        // A checked module has no text of its own; its syntax is what `--print-after parse` shows.
        Form::Ptx(module) => format!("{module:#?}\n"),
        Form::Ir(module) => ir(module, stage),
        // Readers skip lines that begin with `#`; [`read`] finds the stage there.
        Form::Machine(f) => format!("{}{AFTER}{stage}\n", sassafras_machine::text::print(f)),
        Form::Words(f, _, words) => {
            let mut out = format!("sassafras words 1 emit {}\nfunction \"{}\"\n", f.chip, f.name);
            for (i, word) in words.iter().enumerate() {
                let _ = writeln!(out, "{:04x} {word:032x}", 16 * i);
            }
            out
        }
        Form::Cubin(cubin, bytes) => format!("{cubin:#?}\n{} bytes\n", bytes.len()),
    }
}
