//! Syntax: everything a PTX file says except white space, comments and redundant parentheses.
//!
//! - [`expression`]: operands and constant expressions
//! - [`statement`]: what stands in a function body
//!
//! Positions ([`Span`]) are kept but never compared.

pub mod expression;
pub mod statement;

pub use expression::{BinaryOp, Expr, Operand, OperandKind, UnaryOp};
pub use statement::{Block, Guard, Instruction, Loc, Prototype, Statement};

use crate::source::{Source, Span};

/// A name or other word, with its place. Words after a dot are kept without the dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}

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

/// A debug section, carried through.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Name without its dot.
    pub name: Name,
    /// Contents.
    pub lines: Vec<SectionLine>,
}

/// A line of a debug section.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionLine {
    /// `label:`
    Label(Name),
    /// `.b8 1, 2`, `.b32 .debug_info+4`, `.b64 a-b`
    Data(Name, Vec<Expr>),
}

/// A declaration of one or more variables, registers or parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// `extern`, `visible`, `weak`, `common`.
    pub linkage: Option<Name>,
    /// `reg`, `global`, `const`, `shared`, `local`, `param`, `tex`, …
    pub space: Name,
    /// `.attribute(.managed)`: the words within.
    pub attributes: Vec<Attribute>,
    /// `.align`
    pub align: Option<Expr>,
    /// `v2`, `v4`, `v8`
    pub vector: Option<Name>,
    /// Type word.
    pub ty: Name,
    /// `.ptr`
    pub pointer: Option<Pointer>,
    /// The names.
    pub declarators: Vec<Declarator>,
    /// The whole of it.
    pub span: Span,
}

/// One of the words in `.attribute( … )`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Word without its dot.
    pub name: Name,
    /// Arguments in parentheses.
    pub args: Vec<Expr>,
}

/// `.ptr .global .align 4`
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Space pointed to; generic if absent.
    pub space: Option<Name>,
    /// Alignment of the pointee in bytes.
    pub align: Option<Expr>,
}

/// A name with its sizes and its initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// The name; `_` in a prototype.
    pub name: Name,
    /// `<n>`: n names `name0 …`.
    pub range: Option<Expr>,
    /// `[n]`, `[]`.
    pub dims: Vec<Option<Expr>>,
    /// `= …`
    pub init: Option<Init>,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// One value.
    Value(Expr),
    /// `{ … }`
    List(Vec<Init>),
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

/// A directive between a function's parameters and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Word without its dot.
    pub name: Name,
    /// Arguments.
    pub args: Vec<Argument>,
}

/// An argument of a directive.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number or name.
    Value(Expr),
    /// A quoted string.
    Text(Name),
}
