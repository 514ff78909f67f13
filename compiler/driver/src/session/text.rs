//! The text of each form.

use std::fmt::Write;

use sassafras_ir as ir;
use sassafras_ptx as ptx;

use crate::observe::Form;
use crate::phase::Stage;

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
        Form::Machine(f) => sassafras_machine::text::print(f),
        Form::Words(f, words) => {
            let mut out = format!("sassafras words 1 emit {}\nfunction \"{}\"\n", f.chip, f.name);
            for (i, word) in words.iter().enumerate() {
                let _ = writeln!(out, "{:04x} {word:032x}", 16 * i);
            }
            out
        }
        Form::Cubin(cubin, bytes) => format!("{cubin:#?}\n{} bytes\n", bytes.len()),
    }
}
