//! `.alias a, b;` (PTX ISA 6.3, "Kernel and Function Directives"): `a` is another name of the function `b`.
//!
//! What is refused was found by experiment on ptxas 13.0.88: aliases of entries, variables, weak functions, of itself, of a function
//! with a body or with other parameters, and a second alias of one name. An alias of an alias is taken.

use super::Checker;
use super::scope::{Entity, Found};
use crate::ast::Name;
use crate::checked::{FunctionId, Operand, Param};
use crate::diagnostics::Code;
use crate::table::Since;

/// The first version and target that have it (PTX ISA, "Kernel and Function Directives: .alias").
const SINCE: Since = Since::new(6, 3, 30);

impl Checker {
    pub(super) fn alias(&mut self, name: &Name, target: &Name) {
        self.need(name.span, ".alias", SINCE, true);
        let (Some(alias), Some(aliasee)) = (self.function_named(name), self.function_named(target)) else {
            return;
        };
        let [a, b] = [alias, aliasee].map(|id| &self.module.functions[id.0 as usize]);
        let list = |params: &[Param]| params.iter().map(|p| (p.ty, p.size, p.align)).collect::<Vec<_>>();
        let same = list(&a.params) == list(&b.params) && list(&a.returns) == list(&b.returns);
        let (alias_text, text) = (&name.text, &target.text);
        let wrong = if a.entry || b.entry {
            Some(format!("`{}` is an entry, which has no alias", if b.entry { text } else { alias_text }))
        } else if alias == aliasee {
            Some(format!("`{text}` cannot be an alias of itself"))
        } else if a.insts.is_some() {
            Some(format!("`{alias_text}` has a body, and cannot be an alias"))
        } else if b.weak {
            Some(format!("`{text}` is `.weak`, and cannot be aliased"))
        } else if self.aliases.iter().any(|(one, _)| *one == alias) {
            Some(format!("`{alias_text}` is an alias already"))
        } else if !same {
            Some(format!("`{alias_text}` and `{text}` have other parameters"))
        } else {
            None
        };
        match wrong {
            Some(message) => self.error(Code::BadDirective, name.span, message),
            None => self.aliases.push((alias, aliasee)),
        }
    }

    fn function_named(&mut self, name: &Name) -> Option<FunctionId> {
        match self.scopes.find(&name.text) {
            Some(Found::Entity(Entity::Function(id))) => return Some(*id),
            Some(_) => {
                let message = format!("`{}` is no function", name.text);
                self.error(Code::BadDirective, name.span, message);
            }
            None => {
                let message = format!("`{}` is not declared", name.text);
                self.error(Code::Undeclared, name.span, message);
            }
        }
        None
    }

    /// Whatever names an alias names what it stands for.
    pub(super) fn resolve_aliases(&mut self) {
        if self.aliases.is_empty() {
            return;
        }
        let aliases = &self.aliases;
        let meant = |mut id: FunctionId| {
            // An alias is defined by a function that was declared before: chains end.
            for _ in 0..=aliases.len() {
                match aliases.iter().find(|(alias, _)| *alias == id) {
                    Some((_, aliasee)) => id = *aliasee,
                    None => break,
                }
            }
            id
        };
        for function in &mut self.module.functions {
            for operand in function.insts.iter_mut().flatten().flat_map(|i| &mut i.operands) {
                rename(operand, &meant);
            }
            for (_, id) in function.variables.iter_mut().flat_map(|v| &mut v.init_functions) {
                *id = meant(*id);
            }
        }
        for (_, id) in self.module.variables.iter_mut().flat_map(|v| &mut v.init_functions) {
            *id = meant(*id);
        }
    }
}

fn rename(operand: &mut Operand, meant: &impl Fn(FunctionId) -> FunctionId) {
    match operand {
        Operand::Function(id) => *id = meant(*id),
        Operand::Vector(items) => items.iter_mut().for_each(|o| rename(o, meant)),
        Operand::List(items) => items.iter_mut().for_each(|o| rename(o, meant)),
        Operand::Pair(a, b) => {
            rename(a, meant);
            rename(b, meant);
        }
        _ => {}
    }
}
