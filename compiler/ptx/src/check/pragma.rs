//! Hints: they have no effect on the meaning, and the syntax keeps them. One that is not known is said, as ptxas says it.

use super::Checker;
use crate::ast::Name;
use crate::checked::Function;
use crate::diagnostics::Code;

/// The pragmas that are known, and whether an argument follows the name (PTX ISA 9.0, "Pragma Strings").
const KNOWN: [(&str, bool); 5] = [
    ("nounroll", false),
    ("used_bytes_mask", true),
    ("enable_smem_spilling", false),
    ("frequency", true),
    ("abi_param_reg", true),
];

/// Whether loops are not to be unrolled.
pub(super) fn nounroll<'n>(texts: impl IntoIterator<Item = &'n Name>) -> bool {
    texts.into_iter().any(|name| name.text.trim_matches('"') == "nounroll")
}

/// Marks every place at which a loop of the function can begin.
pub(super) fn mark_all(function: &mut Function) {
    function.nounroll = function.labels.iter().map(|label| label.target).collect();
    function.nounroll.sort_unstable();
    function.nounroll.dedup();
}

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
