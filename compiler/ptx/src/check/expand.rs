//! Instructions that become others: text of PTX in the place of an instruction, in a scope of its own.

use super::Checker;
use crate::ast::{Instruction, Item, Statement};
use crate::diagnostics::Code;

impl Checker {
    /// Checks the statements of `text` where `inst` stands, under its guard. They may name what is in scope there.
    pub(super) fn replace(&mut self, inst: &Instruction, text: &str) {
        let (module, found) = crate::parse::parse(&format!(".func expansion () {{\n{text}}}\n"), "expansion");
        let body = module.items.into_iter().find_map(|item| match item {
            Item::Function(f) => f.body,
            _ => None,
        });
        let Some(mut body) = body.filter(|_| !found.has_errors()) else {
            let message = format!("`{}` is not supported here", inst.root.text);
            return self.error(Code::UnsupportedInstruction, inst.root.span, message);
        };
        for statement in &mut body.statements {
            if let Statement::Instruction(part) = statement {
                part.guard.clone_from(&inst.guard);
                part.span = inst.span;
                part.root.span = inst.root.span;
            }
        }
        // The parts may need more of version and target than the whole does; what that needs has been looked at.
        let (version, sm) = (self.module.version, self.sm);
        (self.module.version, self.sm) = (version.max((8, 4)), sm.max(90));
        self.scopes.push();
        self.block_statements(&body);
        self.scopes.pop();
        (self.module.version, self.sm) = (version, sm);
    }
}
