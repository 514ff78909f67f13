//! Functions that are used and nowhere defined.
//!
//! ptxas 13.0.88 without `-c` refuses them wherever they are called, reached or not, and those that are not `.extern` even where nobody does,
//! but for those that the CUDA driver resolves; what it takes for such by name is by experiment. An address of a function without a body it refuses always.

use super::Checker;
use crate::checked::{FunctionId, Op, Operand};
use crate::diagnostics::Code;
use crate::source::Span;

/// Functions that the driver resolves, and beginnings of names of such.
const KNOWN: [&str; 8] = [
    "vprintf",
    "vfprintf",
    "__assertfail",
    "malloc",
    "free",
    "__profile",
    "cudaGraphLaunch",
    "cudaGraphKernelNodeSetParam",
];
const PREFIX: &str = "__cuda_syscall_";
/// Of the device runtime of old.
const OLD: [&str; 3] = ["cnpGetParameterBuffer", "cnpLaunchDevice", "cnpGetLastError"];

/// Whether ptxas takes a function of this name without a body.
fn resolved(name: &str) -> bool {
    KNOWN.contains(&name) || OLD.contains(&name) || name.starts_with(PREFIX)
}

impl Checker {
    /// Reports each use of a function that has no body.
    pub(super) fn unresolved(&mut self) {
        let mut found = Vec::new();
        for inst in self.module.functions.iter().flat_map(|f| f.insts.iter().flatten()) {
            for (at, operand) in inst.operands.iter().enumerate() {
                let Operand::Function(FunctionId(id)) = operand else { continue };
                let f = &self.module.functions[*id as usize];
                if f.insts.is_some() || f.entry {
                    continue;
                }
                let span = Span { start: inst.span.start as u32, end: inst.span.end as u32 };
                if inst.op != Op::Call || at != 1 {
                    let what = format!("Cannot take address of function '{}': it has no body", f.name);
                    found.push((span, f.name.clone(), what));
                } else if !resolved(&f.name) {
                    found.push((span, f.name.clone(), format!("Unresolved extern function '{}'", f.name)));
                }
            }
        }
        // What is not `.extern` has to be there, used or not.
        let used = |name: &str| found.iter().any(|(_, of, _)| of == name);
        let mut missing = Vec::new();
        for (id, (f, span)) in self.module.functions.iter().zip(&self.names).enumerate() {
            let alias = self.aliases.iter().any(|(alias, _)| alias.0 as usize == id);
            if !(f.external || f.insts.is_some() || f.entry || alias || resolved(&f.name) || used(&f.name)) {
                missing.push((*span, f.name.clone(), format!("Unresolved extern function '{}'", f.name)));
            }
        }
        for (span, _, message) in found.into_iter().chain(missing) {
            self.error(Code::Undeclared, span, message);
        }
    }
}
