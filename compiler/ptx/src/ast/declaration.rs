//! Variables, sections and directives.

use super::expression::Expr;
use super::name::Name;
use crate::source::Span;

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
