//! Hints: they have no effect on the meaning, and the syntax keeps them. One that is not known is said, as ptxas says it.

use super::Checker;
use crate::ast::Name;
use crate::diagnostics::Code;

/// The pragmas that are known, and whether an argument follows the name (PTX ISA 9.0, "Pragma Strings").
const KNOWN: [(&str, bool); 5] = [
    ("nounroll", false),
    ("used_bytes_mask", true),
    ("enable_smem_spilling", false),
    ("frequency", true),
    ("abi_param_reg", true),
];

impl Checker {
    /// Warns of the pragmas that are not known.
    pub(super) fn pragmas<'n>(&mut self, texts: impl IntoIterator<Item = &'n Name>) {
        for name in texts {
            let text = name.text.trim_matches('"');
            let known = KNOWN.iter().any(|(word, argument)| match text.split_once(' ') {
                Some((first, _)) => *argument && first == *word,
                None => text == *word,
            });
            if !known {
                self.error(Code::UnknownPragma, name.span, format!("Pragma '{text}' unsupported"));
            }
        }
    }
}
