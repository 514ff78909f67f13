use super::put::put;
use crate::ast::{Expr, Operand, OperandKind};
use std::fmt::Write;

/// Elements with commas between.
pub(super) fn list<T>(out: &mut String, items: &[T], mut one: impl FnMut(&mut String, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        one(out, item);
    }
}

pub(super) fn operand(out: &mut String, operand: &Operand) {
    self::kind(out, &operand.kind);
}

fn kind(out: &mut String, kind: &OperandKind) {
    match kind {
        OperandKind::Value(e) => expr(out, e),
        OperandKind::Not(name) => put!(out, "!{}", name.text),
        OperandKind::Negated(inner) => {
            out.push('-');
            operand(out, inner);
        }
        OperandKind::Pair(a, b) => {
            operand(out, a);
            out.push('|');
            operand(out, b);
        }
        OperandKind::Vector(items) => between(out, items, '{', '}'),
        OperandKind::Address(items) => between(out, items, '[', ']'),
        OperandKind::List(items) => between(out, items, '(', ')'),
    }
}

fn between(out: &mut String, items: &[Operand], open: char, close: char) {
    out.push(open);
    list(out, items, operand);
    out.push(close);
}

/// An expression; the operands of its operator are put in parentheses unless they are single.
pub(super) fn expr(out: &mut String, e: &Expr) {
    match e {
        Expr::Number(n) | Expr::Symbol(n) => out.push_str(&n.text),
        Expr::Section(n) => put!(out, ".{}", n.text),
        Expr::Member(a, b) => put!(out, "{}.{}", a.text, b.text),
        Expr::Index(n, e) => {
            put!(out, "{}[", n.text);
            expr(out, e);
            out.push(']');
        }
        Expr::Call(n, e) | Expr::Mask(n, e) => {
            put!(out, "{}(", n.text);
            expr(out, e);
            out.push(')');
        }
        Expr::Cast(ty, e) => {
            put!(out, "(.{}) ", ty.text);
            atom(out, e);
        }
        Expr::Unary(op, _, e) => {
            out.push_str(op.text());
            atom(out, e);
        }
        Expr::Binary(op, a, b) => {
            atom(out, a);
            // An address such as `a+4` is written without blanks, as everyone does.
            match op.text() {
                sign @ ("+" | "-") => out.push_str(sign),
                text => put!(out, " {text} "),
            }
            atom(out, b);
        }
        Expr::Select(c, a, b) => {
            atom(out, c);
            out.push_str(" ? ");
            atom(out, a);
            out.push_str(" : ");
            atom(out, b);
        }
    }
}

/// An expression that binds as tightly as a number.
pub(super) fn atom(out: &mut String, e: &Expr) {
    match e {
        Expr::Number(_)
        | Expr::Symbol(_)
        | Expr::Section(_)
        | Expr::Member(..)
        | Expr::Index(..)
        | Expr::Call(..)
        | Expr::Mask(..) => expr(out, e),
        Expr::Cast(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
            out.push('(');
            expr(out, e);
            out.push(')');
        }
    }
}
