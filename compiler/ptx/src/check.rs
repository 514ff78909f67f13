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
//! - `legacy`: what old versions and targets mean
//! - `operand`: what operands name
//! - `fit`: whether they fit
//! - `desugar`: operands that need instructions of their own
//! - `pragma`: hints
//! - `special`: special registers
//! - `unresolved`: functions that nothing defines
//! - `call`: calls
//! - `limits`: shared memory
//! - `debug`: files, lines and debug sections
//! - `mods`: what modifiers mean
//! - `wmma`, `mma`: what stands for `wmma`, and for products that the hardware lacks, by `expand`

mod alias;
mod attribute;
mod body;
mod call;
mod constant;
mod debug;
mod desugar;
mod expand;
mod fit;
mod function;
mod header;
mod instruction;
mod legacy;
mod limits;
mod mma;
mod mods;
mod operand;
mod pragma;
mod scope;
mod special;
mod unresolved;
mod variable;
mod wmma;

pub use header::{TARGETS, VERSIONS};
pub use special::names as special_registers;

use crate::ast;
use crate::checked::{FunctionId, Module, VariableId};
use crate::diagnostics::{Code, Diagnostics};
use crate::source::Span;
use crate::table::Since;
use rustc_hash::FxHashSet;
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
        names: Vec::new(),
        arrays: FxHashSet::default(),
        forms: rustc_hash::FxHashMap::default(),
        bytes: 0,
        parts: Vec::new(),
        sm: 0,
        debug_target: None,
        refused: FxHashSet::default(),
        texmode: None,
        source: module.source.clone(),
        fitting: rustc_hash::FxHashMap::default(),
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
    /// Where each function is first named, by its number.
    names: Vec<Span>,
    /// Variables that are arrays, in the function being checked and in the module.
    arrays: FxHashSet<VariableId>,
    /// Forms of the module's variables, by name.
    forms: rustc_hash::FxHashMap<String, variable::Form>,
    /// Bytes of the module's variables in global and constant memory.
    bytes: u64,
    /// Bytes of addresses in the initialiser being read.
    parts: Vec<variable::Part>,
    /// `debug` in `.target`.
    debug_target: Option<Span>,
    /// Names whose declaration was refused: a use of one is no second mistake.
    refused: FxHashSet<String>,
    /// Whether textures and samplers are one, where `.target` says so.
    texmode: Option<bool>,
    /// Number of the target, for comparing with what rows need.
    sm: u32,
    source: crate::source::Source,
    /// What fits the mnemonics that have come, by version and target of the module, which stand before all instructions.
    fitting: rustc_hash::FxHashMap<String, Vec<crate::table::matching::Match>>,
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
                ast::Item::Section(section) => self.section(section),
                ast::Item::Pragma(texts) => self.pragmas(texts),
                ast::Item::File(_) => {}
            }
        }
        // At module scope it holds for all loops, those before it included (PTX ISA, `.pragma`).
        if items.iter().any(|item| matches!(item, ast::Item::Pragma(texts) if pragma::nounroll(texts))) {
            self.module.functions.iter_mut().for_each(pragma::mark_all);
        }
        self.resolve_aliases();
        self.unresolved();
        self.bodies(items);
        let has_sections = items.iter().any(|item| matches!(item, ast::Item::Section(_)));
        if let (Some(span), false) = (self.debug_target, has_sections) {
            self.error(Code::BadDirective, span, "`.target …, debug` without debug information in sections");
        }
    }

    /// Functions that are declared must be defined, unless they are `.extern` or an alias is (black-box runs of ptxas 13.0, with and
    /// without `-c`).
    fn bodies(&mut self, items: &[ast::Item]) {
        let defines = |item: &ast::Item| match item {
            ast::Item::Function(f) if f.body.is_some() => Some(f.name.text.clone()),
            ast::Item::Alias(name, _) => Some(name.text.clone()),
            _ => None,
        };
        let defined: FxHashSet<String> = items.iter().filter_map(defines).collect();
        for item in items {
            let ast::Item::Function(f) = item else { continue };
            let external = f.linkage.as_ref().is_some_and(|l| l.text == "extern");
            if !external && !defined.contains(&f.name.text) {
                let message = format!("`{}` is declared and not defined", f.name.text);
                self.error(Code::BodyMissing, f.name.span, message);
                return;
            }
        }
    }

    /// A debug section: carried as it is.
    fn section(&mut self, section: &ast::Section) {
        let since = |major, minor| Since::new(major, minor, 0);
        self.need(section.name.span, ".section", since(2, 0), true);
        for line in &section.lines {
            if let ast::SectionLine::Label(name) = line {
                self.need(name.span, "a label in a section", since(7, 0), true);
            }
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(code, span, message);
    }

    /// Whether the module's version and target have a feature.
    fn has(&self, since: crate::table::Since) -> bool {
        self.module.version >= since.version && self.sm >= since.sm && since.only.has(&self.module.target)
    }

    /// Reports a feature that the module's version or target lacks.
    fn need(&mut self, span: Span, what: &str, since: Since, directive: bool) {
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
