//! Syntax to a checked module: names resolved, types and forms held against the table, layout computed.
//!
//! - `header`: versions and targets
//! - `alias`, `attribute`: `.alias`, `.attribute`
//! - `scope`: names
//! - `constant`: constant expressions
//! - `variable`: variables and initialisers
//! - `function`: functions, parameters, directives
//! - `body`: statements
//! - `instruction`: an instruction against its rows
//! - `operand`: what operands name
//! - `fit`: whether they fit
//! - `special`: special registers
//! - `call`: calls
//! - `limits`: shared memory
//! - `debug`: files, lines and debug sections
//! - `mods`: what modifiers mean

mod alias;
mod attribute;
mod body;
mod call;
mod constant;
mod debug;
mod fit;
mod function;
mod header;
mod instruction;
mod limits;
mod mods;
mod operand;
mod scope;
mod special;
mod variable;

pub use header::{TARGETS, VERSIONS};
pub use special::names as special_registers;

use crate::ast;
use crate::checked::{FunctionId, Module};
use crate::diagnostics::{Code, Diagnostics};
use crate::source::Span;
use scope::Scopes;

/// Checks a module that was parsed without errors.
///
/// # Errors
/// Every mistake found: [`Diagnostics::exit_code`] tells a wrong module from one that is not supported.
pub fn check(module: &ast::Module) -> Result<Module, Diagnostics> {
    let (checked, diagnostics) = check_with_warnings(module);
    checked.ok_or(diagnostics)
}

/// As [`check`], with the warnings about a module that is accepted.
pub fn check_with_warnings(module: &ast::Module) -> (Option<Module>, Diagnostics) {
    let mut checker = Checker {
        diagnostics: Diagnostics::new(module.source.clone()),
        scopes: Scopes::default(),
        module: Module {
            version: (0, 0),
            target: String::new(),
            address_size: 64,
            variables: Vec::new(),
            functions: Vec::new(),
            debug: Default::default(),
        },
        named: debug::Named::default(),
        body: function::Body::default(),
        aliases: Vec::new(),
        sm: 0,
        source: module.source.clone(),
    };
    checker.items(&module.items);
    checker.diagnostics.sort();
    let accepted = !checker.diagnostics.has_errors();
    (accepted.then_some(checker.module), checker.diagnostics)
}

struct Checker {
    diagnostics: Diagnostics,
    scopes: Scopes,
    module: Module,
    /// What `.loc` may refer to.
    named: debug::Named,
    /// The function being checked.
    body: function::Body,
    /// `.alias`: the function declared, and the one that it stands for.
    aliases: Vec<(FunctionId, FunctionId)>,
    /// Number of the target, for comparing with what rows need.
    sm: u32,
    source: crate::source::Source,
}

impl Checker {
    fn items(&mut self, items: &[ast::Item]) {
        let Some(rest) = self.header(items) else { return };
        self.debug(items);
        for item in rest {
            match item {
                ast::Item::Version(name) => {
                    self.error(Code::BadDirective, name.span, "a second `.version`");
                }
                ast::Item::Target(_) => {}
                ast::Item::AddressSize(name) => self.address_size(name),
                ast::Item::Variable(v) => self.module_variable(v),
                ast::Item::Function(f) => self.function(f),
                ast::Item::Alias(name, target) => self.alias(name, target),
                ast::Item::File(_) | ast::Item::Section(_) => {}
                // Hints have no effect on the meaning; the syntax keeps them.
                ast::Item::Pragma(_) => {}
            }
        }
        self.resolve_aliases();
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(code, span, message);
    }

    /// Reports a feature that the module's version or target lacks.
    fn need(&mut self, span: Span, what: &str, since: crate::table::Since, directive: bool) {
        let (major, minor) = since.version;
        if self.module.version < since.version {
            let code = if directive { Code::DirectiveNeedsVersion } else { Code::NeedsVersion };
            let (have_major, have_minor) = self.module.version;
            self.error(
                code,
                span,
                format!("`{what}` needs PTX {major}.{minor}; the module has {have_major}.{have_minor}"),
            );
        } else if self.sm < since.sm || !since.only.has(&self.module.target) {
            let code = if directive { Code::DirectiveNeedsVersion } else { Code::NeedsTarget };
            let message =
                format!("`{what}` needs {}; the module has {}", since.targets(), self.module.target);
            self.error(code, span, message);
        }
    }
}
