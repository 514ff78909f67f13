//! Operands and constant expressions.

use super::name::Name;
use crate::source::Span;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where.
    pub span: Span,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    /// A register, symbol, label, `_` or constant.
    Value(Expr),
    /// `!p`
    Not(Name),
    /// `-r`, `-r.h1`
    Negated(Box<Operand>),
    /// `d|p`
    Pair(Box<Operand>, Box<Operand>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `[a+4]`, `[t, {x, y}]`
    Address(Vec<Operand>),
    /// `(a, b)` of `call`
    List(Vec<Operand>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer or float as written.
    Number(Name),
    /// A name.
    Symbol(Name),
    /// `.debug_info` in a debug section; without its dot.
    Section(Name),
    /// `%tid.x`, `v.y`: a name and the word after the dot.
    Member(Name, Name),
    /// `a[1]`, `a[%r1]`, `a[%r1+1]`: an element of an array, by its number.
    Index(Name, Box<Expr>),
    /// `generic(x)`
    Call(Name, Box<Expr>),
    /// `0xFF(x)`: the masked part of an address, in an initialiser.
    Mask(Name, Box<Expr>),
    /// `(.u64) x`
    Cast(Name, Box<Expr>),
    /// One operand; the span is the operator's.
    Unary(UnaryOp, Span, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// From its first to its last token, parentheses aside.
    pub fn span(&self) -> Span {
        match self {
            Expr::Number(n) | Expr::Symbol(n) | Expr::Section(n) => n.span,
            Expr::Member(a, b) => a.span.to(b.span),
            Expr::Index(n, e) | Expr::Call(n, e) | Expr::Mask(n, e) | Expr::Cast(n, e) => n.span.to(e.span()),
            Expr::Unary(_, op, e) => op.to(e.span()),
            Expr::Binary(_, a, b) => a.span().to(b.span()),
            Expr::Select(a, _, c) => a.span().to(c.span()),
        }
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Neg,
    Not,
    LogicalNot,
}

impl UnaryOp {
    /// As written.
    pub const fn text(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Neg => "-",
            UnaryOp::Not => "~",
            UnaryOp::LogicalNot => "!",
        }
    }
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

impl BinaryOp {
    /// Every operator.
    #[rustfmt::skip]
    pub const ALL: [BinaryOp; 18] = {
        use BinaryOp::*;
        [Mul, Div, Rem, Add, Sub, Shl, Shr, Lt, Le, Gt, Ge, Eq, Ne, And, Xor, Or, LogicalAnd, LogicalOr]
    };
    /// As written.
    pub const fn text(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::And => "&",
            BinaryOp::Xor => "^",
            BinaryOp::Or => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }
    /// Precedence as in C; a higher number binds tighter.
    pub const fn precedence(self) -> u8 {
        match self {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::And => 5,
            BinaryOp::Xor => 4,
            BinaryOp::Or => 3,
            BinaryOp::LogicalAnd => 2,
            BinaryOp::LogicalOr => 1,
        }
    }
}
