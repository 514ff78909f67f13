//! Statements of a module by number: those of nested scopes behind the scope's own.

use sassafras_ptx::ast::{Block, Expr, Item, Module, Name, Operand, OperandKind, Statement};

/// Sees every statement.
pub(super) fn visit(module: &Module, see: &mut dyn FnMut(&Statement)) {
    for item in &module.items {
        if let Item::Function(f) = item
            && let Some(body) = &f.body
        {
            block(body, see);
        }
    }
}

fn block(b: &Block, see: &mut dyn FnMut(&Statement)) {
    for s in &b.statements {
        see(s);
        if let Statement::Block(inner) = s {
            block(inner, see);
        }
    }
}

/// The module with every statement changed to some others.
pub(super) fn change(module: &Module, to: &mut dyn FnMut(usize, Statement) -> Vec<Statement>) -> Module {
    let mut module = module.clone();
    let mut number = 0;
    for item in &mut module.items {
        if let Item::Function(f) = item
            && let Some(body) = &mut f.body
        {
            change_block(body, &mut number, to);
        }
    }
    module
}

fn change_block(b: &mut Block, number: &mut usize, to: &mut dyn FnMut(usize, Statement) -> Vec<Statement>) {
    let mut all = Vec::new();
    for mut s in std::mem::take(&mut b.statements) {
        let own = *number;
        *number += 1;
        if let Statement::Block(inner) = &mut s {
            change_block(inner, number, to);
        }
        all.extend(to(own, s));
    }
    b.statements = all;
}

/// Every leaf of an operand that can be another: values, and what stands in vectors, addresses and lists.
pub(super) fn leaves<'a>(operand: &'a mut Operand, all: &mut Vec<&'a mut Operand>) {
    if matches!(operand.kind, OperandKind::Value(_) | OperandKind::Not(_)) {
        return all.push(operand);
    }
    match &mut operand.kind {
        OperandKind::Value(_) | OperandKind::Not(_) => {}
        OperandKind::Negated(inner) => leaves(inner, all),
        OperandKind::Pair(a, b) => {
            leaves(a, all);
            leaves(b, all);
        }
        OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::List(list) => {
            list.iter_mut().for_each(|o| leaves(o, all));
        }
    }
}

/// Sees every name in an operand.
pub(super) fn names(operand: &Operand, see: &mut dyn FnMut(&Name)) {
    match &operand.kind {
        OperandKind::Value(e) => expression(e, see),
        OperandKind::Not(n) => see(n),
        OperandKind::Negated(inner) => names(inner, see),
        OperandKind::Pair(a, b) => {
            names(a, see);
            names(b, see);
        }
        OperandKind::Vector(list) | OperandKind::Address(list) | OperandKind::List(list) => {
            list.iter().for_each(|o| names(o, see));
        }
    }
}

/// Sees every name in an expression.
pub(super) fn expression(e: &Expr, see: &mut dyn FnMut(&Name)) {
    match e {
        Expr::Number(_) | Expr::Section(_) => {}
        Expr::Symbol(n) | Expr::Member(n, _) => see(n),
        Expr::Index(n, inner) => {
            see(n);
            expression(inner, see);
        }
        Expr::Call(_, inner) | Expr::Mask(_, inner) | Expr::Cast(_, inner) | Expr::Unary(_, _, inner) => {
            expression(inner, see);
        }
        Expr::Binary(_, a, b) => {
            expression(a, see);
            expression(b, see);
        }
        Expr::Select(a, b, c) => [a, b, c].into_iter().for_each(|x| expression(x, see)),
    }
}
