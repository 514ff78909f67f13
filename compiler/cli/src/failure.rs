//! Why a command stopped.

use std::fmt;
use std::path::Path;

use crate::Exit;

/// A message for a person, and what the process says by its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// A stable code, such as `C0003`.
    pub code: &'static str,
    /// What is wrong, as one sentence without its full stop; may be followed by lines that show it.
    pub message: String,
    /// Whether `message` is already laid out for a terminal, with carets.
    pub rendered: bool,
}

macro_rules! codes {
    ($($name:ident $code:literal $exit:ident $what:literal;)*) => {
        impl Failure {
            $(
                #[doc = concat!("`", $code, "`: ", $what, ".")]
                pub fn $name(message: impl fmt::Display) -> Failure {
                    Failure { exit: Exit::$exit, code: $code, message: message.to_string(), rendered: false }
                }
            )*
        }
        /// Every code of the command line, with its meaning.
        pub const CODES: &[(&str, &str)] = &[$(($code, $what)),*];
    };
}

codes! {
    usage "C0001" Usage "the command line is wrong";
    unreadable "C0002" Wrong "an input cannot be read";
    unwritable "C0003" Wrong "an output cannot be written";
    not_text "C0004" Wrong "an input is no UTF-8 text";
    cubin "C0005" Wrong "an input is no sound cubin";
    wrong "C0006" Wrong "an input is wrong";
    unsupported "C0007" Unsupported "something valid is not supported yet";
    objection "C0008" Internal "a judge objected to our own work";
    internal "C0009" Internal "an error inside Sassafras";
    word "C0010" Wrong "a word of machine code has no known form";
    program "C0011" Failed "the program that ran failed";
    hazard "C0012" Refuted "machine code reads a result before it is ready, or it is not known whether it does";
    container "C0013" Refuted "a section, a program header or a record of a cubin is not as the loader needs it";
    judged "C0014" Refuted "a text of IR, machine code or SASS breaks a rule, or it is not known whether it does";
}

impl Failure {
    /// Diagnostics that are laid out already.
    pub fn diagnostics(exit: Exit, text: impl Into<String>) -> Failure {
        Failure { exit, code: "", message: text.into(), rendered: true }
    }

    /// The same, about a file.
    #[must_use]
    pub fn about(mut self, path: &Path) -> Failure {
        if !self.rendered {
            self.message = format!("{}: {}", path.display(), self.message);
        }
        self
    }
}

impl From<sassafras_cubin::Error> for Failure {
    fn from(error: sassafras_cubin::Error) -> Self {
        match error {
            sassafras_cubin::Error::Malformed { .. } => Failure::cubin(error.to_string()),
            sassafras_cubin::Error::Unsupported { .. } => Failure::unsupported(error.to_string()),
        }
    }
}
