//! Known errors of ptxas: does this PTX meet one?
//!
//! - [`known`]: the errors, a row each: the program of the corpus that shows it, the section of the PTX ISA, the pattern
//! - [`measured`]: which ptxas errs on which chip at which level, as `cargo xtask figures errors` found it
//! - [`view`]: a function with its registers' single definitions
//! - [`pattern`]: what the errors look like in PTX
//! - [`slice`](mod@slice): a module that asks whether values on which an error shows can come to a match
//! - [`way`]: how to write it otherwise, from a program that is held against the one that shows the error
//!
//! A pattern knows the form of an instruction, its guard, and where its operands come from. Its condition says for which values ptxas errs. Whether such
//! values can come is a question for the prover, which this crate only writes down.

pub mod known;
pub mod measured;
pub mod pattern;
pub mod slice;
pub mod view;
pub mod way;

use known::Known;
use pattern::Found;
use sassafras_ptx::checked::Module;
use view::View;

/// A place of a module that meets an error.
#[derive(Clone, Debug)]
pub struct Match {
    /// The error.
    pub known: &'static Known,
    /// Name of the function.
    pub function: String,
    /// 1-based line of the instruction.
    pub line: u32,
    /// The instruction as written.
    pub text: String,
    /// PTX that asks whether the error can show there ([`slice::module`]); none where only the form is known.
    pub question: Option<String>,
}

/// Every place of a module that meets an error, in the module's order. `text` is what the module was read from.
pub fn lint(module: &Module, text: &str) -> Vec<Match> {
    let mut matches = Vec::new();
    for function in &module.functions {
        let Some(view) = View::new(module, function, text) else { continue };
        for at in 0..view.insts.len() {
            for known in known::KNOWN {
                let Some(Found { shows }) = (known.pattern)(&view, at) else { continue };
                let inst = &view.insts[at];
                matches.push(Match {
                    known,
                    function: function.name.clone(),
                    line: inst.line,
                    text: view.text(at).to_owned(),
                    question: shows.and_then(|shows| slice::module(&view, &shows)),
                });
            }
        }
    }
    matches
}

/// The first error of a folder (`ptxas-open` or `ptxas-errors`) that a program meets, by form alone: of a reduced program that is known to be compiled
/// wrongly, no condition needs to be asked. None of a text that does not load.
pub fn shown(text: &str, folder: &str) -> Option<&'static Known> {
    let module = sassafras_ptx::load(text, "program").ok()?;
    lint(&module, text).into_iter().map(|m| m.known).find(|k| k.folder == folder)
}
