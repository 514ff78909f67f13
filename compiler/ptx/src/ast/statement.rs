//! What stands in a function body.

use super::declaration::{Directive, Section, Variable};
use super::expression::{Expr, Operand};
use super::name::Name;
use crate::source::Span;

/// `{ … }`: a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// What stands in it, in order.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `name:`
    Label(Name),
    /// An instruction.
    Instruction(Box<Instruction>),
    /// A declaration.
    Variable(Box<Variable>),
    /// A nested scope.
    Block(Block),
    /// `.loc`
    Loc(Box<Loc>),
    /// `.pragma "…";`
    Pragma(Vec<Name>),
    /// `name: .branchtargets a, b;`
    BranchTargets(Name, Vec<Name>),
    /// `name: .calltargets f, g;`
    CallTargets(Name, Vec<Name>),
    /// `name: .callprototype (…) _ (…);`
    CallPrototype(Box<Prototype>),
    /// A debug section.
    Section(Section),
}

/// `.loc file line column, function_name label+offset, inlined_at file line column`
#[derive(Clone, Debug, PartialEq)]
pub struct Loc {
    /// File, line and column as written.
    pub position: [Name; 3],
    /// `function_name` and `inlined_at`, which come together.
    pub inlined: Option<(Expr, [Name; 3])>,
}

/// `name: .callprototype (returns) _ (params) .noreturn;`
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Label.
    pub name: Name,
    /// Return parameters; `None` without parentheses.
    pub returns: Option<Vec<Variable>>,
    /// Parameters; `None` without parentheses.
    pub params: Option<Vec<Variable>>,
    /// `.noreturn`, `.abi_preserve n`
    pub directives: Vec<Directive>,
}

/// `@p` or `@!p`
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// `!`
    pub negate: bool,
    /// The predicate.
    pub name: Name,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@p`
    pub guard: Option<Guard>,
    /// Mnemonic up to the first dot.
    pub root: Name,
    /// What follows, word by word, without dots.
    pub suffixes: Vec<Name>,
    /// Operands.
    pub operands: Vec<Operand>,
    /// From the guard to the semicolon.
    pub span: Span,
}
