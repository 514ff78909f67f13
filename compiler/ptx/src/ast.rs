//! Syntax: everything a PTX file says except white space, comments and redundant parentheses.
//!
//! - [`expression`]: operands and constant expressions
//! - [`statement`]: what stands in a function body
//!
//! Positions ([`Span`]) are kept but never compared.

pub mod declaration;
pub mod expression;
pub mod name;
pub mod statement;

pub use declaration::{
    Argument, Attribute, Declarator, Directive, Init, Pointer, Section, SectionLine, Variable,
};
pub use expression::{BinaryOp, Expr, Operand, OperandKind, UnaryOp};
pub use name::Name;
pub use statement::{Block, Guard, Instruction, Loc, Prototype, Statement};

use crate::source::{Source, Span};

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// What stands in it, in order.
    pub items: Vec<Item>,
    /// Where it was read from.
    pub source: Source,
}

/// What stands at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `.version 8.0`
    Version(Name),
    /// `.target sm_90, debug`
    Target(Vec<Name>),
    /// `.address_size 64`
    AddressSize(Name),
    /// A variable, or several of one type.
    Variable(Box<Variable>),
    /// A function or entry.
    Function(Box<Function>),
    /// `.file 1 "name", time, size`
    File(File),
    /// `.section .debug_info { … }`
    Section(Section),
    /// `.pragma "…";`
    Pragma(Vec<Name>),
    /// `.alias a, b;`
    Alias(Name, Name),
}

impl Item {
    /// Where it is written, or its first name.
    pub fn span(&self) -> Span {
        match self {
            Item::Version(name) | Item::AddressSize(name) | Item::Alias(name, _) => name.span,
            Item::Target(names) | Item::Pragma(names) => names.first().map_or(Span::default(), |n| n.span),
            Item::Variable(v) => v.span,
            Item::Function(f) => f.span,
            Item::File(f) => f.index.span,
            Item::Section(s) => s.name.span,
        }
    }
}

/// `.file`
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Index that `.loc` refers to.
    pub index: Name,
    /// The quoted name.
    pub name: Name,
    /// Modification time and size, if given.
    pub stamp: Vec<Name>,
}

/// A function or entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `extern`, `visible`, `weak`.
    pub linkage: Option<Name>,
    /// `.entry` rather than `.func`.
    pub entry: bool,
    /// `.attribute( … )`
    pub attributes: Vec<Attribute>,
    /// Return parameters; `None` without parentheses.
    pub returns: Option<Vec<Variable>>,
    /// Name.
    pub name: Name,
    /// Parameters; `None` without parentheses.
    pub params: Option<Vec<Variable>>,
    /// `.maxntid …`, `.noreturn`, `.pragma "…";`
    pub directives: Vec<Directive>,
    /// Body; `None` for a declaration.
    pub body: Option<Block>,
    /// From the linkage to the name.
    pub span: Span,
}
