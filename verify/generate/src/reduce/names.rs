//! Which names are used, and what declares them.

use super::walk;
use sassafras_ptx::ast::{
    Block, Declarator, Expr, Init, Instruction, Item, Module, Name, Operand, OperandKind, Statement, Variable,
};
use sassafras_ptx::source::Span;
use std::collections::BTreeSet;

pub(super) fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

pub(super) fn number(text: &str) -> Operand {
    Operand { kind: OperandKind::Value(Expr::Number(name(text))), span: Span::default() }
}

/// Whether an instruction gives a register a constant: such ones stand in for what was taken away.
pub(super) fn is_constant(i: &Instruction) -> bool {
    i.guard.is_none()
        && i.root.text == "mov"
        && matches!(i.operands.get(1).map(|o| &o.kind), Some(OperandKind::Value(Expr::Number(_))))
}

/// `mov.TYPE NAME, CONSTANT;`
pub(super) fn constant(register: &str, ty: &str) -> Option<Statement> {
    let (ty, value) = match ty {
        "f32" => ("f32", "0f3F800000"),
        "f64" => ("f64", "0d3FF0000000000000"),
        "pred" => ("pred", "1"),
        "b16" | "u16" | "s16" | "b32" | "u32" | "s32" | "b64" | "u64" | "s64" => (ty, "1"),
        "f16" | "bf16" => ("b16", "1"),
        "f16x2" | "bf16x2" => ("b32", "1"),
        _ => return None,
    };
    let to = Operand { kind: OperandKind::Value(Expr::Symbol(name(register))), span: Span::default() };
    Some(Statement::Instruction(Box::new(Instruction {
        guard: None,
        root: name("mov"),
        suffixes: vec![name(ty)],
        operands: vec![to, number(value)],
        span: Span::default(),
    })))
}

/// Whether a declarator declares a name.
pub(super) fn declares(d: &Declarator, wanted: &str) -> bool {
    if d.range.is_none() {
        return d.name.text == wanted;
    }
    wanted
        .strip_prefix(d.name.text.as_str())
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// The type of the register that a function declares by this name.
pub(super) fn type_of(body: &Block, wanted: &str) -> Option<String> {
    body.statements.iter().find_map(|s| match s {
        Statement::Variable(v) if v.space.text == "reg" && v.vector.is_none() => {
            v.declarators.iter().any(|d| declares(d, wanted)).then(|| v.ty.text.clone())
        }
        Statement::Block(inner) => type_of(inner, wanted),
        _ => None,
    })
}

/// Gives the register `function:name` a constant behind its declaration.
pub(super) fn give_value(module: &mut Module, register: &str) -> Option<()> {
    let (function, register) = register.split_once(':')?;
    let body = module.items.iter_mut().find_map(|item| match item {
        Item::Function(f) if f.name.text == function => f.body.as_mut(),
        _ => None,
    })?;
    give(body, register)
}

fn give(body: &mut Block, register: &str) -> Option<()> {
    let here = |s: &Statement| match s {
        Statement::Variable(v) if v.space.text == "reg" => {
            v.declarators.iter().any(|d| declares(d, register))
        }
        _ => false,
    };
    if let Some(at) = body.statements.iter().position(here) {
        let Statement::Variable(v) = &body.statements[at] else { return None };
        let statement = constant(register, &v.ty.text)?;
        // Behind all declarations at the start, so that they stay together.
        let declared = body.statements.iter().skip(at + 1);
        let more = declared.take_while(|s| matches!(s, Statement::Variable(_))).count();
        body.statements.insert(at + 1 + more, statement);
        return Some(());
    }
    body.statements.iter_mut().find_map(|s| match s {
        Statement::Block(inner) => give(inner, register),
        _ => None,
    })
}

/// Every name that instructions, initialisers and lists use.
pub(super) fn used(module: &Module) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut see = |n: &Name| {
        all.insert(n.text.clone());
    };
    for item in &module.items {
        match item {
            Item::Variable(v) => initial(v, &mut see),
            Item::Alias(a, b) => {
                see(a);
                see(b);
            }
            _ => {}
        }
    }
    walk::visit(module, &mut |s| match s {
        Statement::Instruction(i) => {
            if let Some(guard) = &i.guard {
                see(&guard.name);
            }
            i.operands.iter().for_each(|o| walk::names(o, &mut see));
        }
        Statement::BranchTargets(_, list) | Statement::CallTargets(_, list) => list.iter().for_each(&mut see),
        Statement::Variable(v) => initial(v, &mut see),
        _ => {}
    });
    all
}

fn initial(v: &Variable, see: &mut dyn FnMut(&Name)) {
    fn of(init: &Init, see: &mut dyn FnMut(&Name)) {
        match init {
            Init::Value(e) => walk::expression(e, see),
            Init::List(list) => list.iter().for_each(|i| of(i, see)),
        }
    }
    v.declarators.iter().filter_map(|d| d.init.as_ref()).for_each(|i| of(i, see));
}

/// The module without labels and declarations that nobody uses, and with ranges of registers as long as they are used.
pub(super) fn tidy(module: &Module) -> Module {
    let used = used(module);
    let shorter = |v: &mut Variable| {
        v.declarators.retain(|d| used.iter().any(|u| declares(d, u)));
        for d in v.declarators.iter_mut().filter(|d| d.range.is_some()) {
            let numbers = used.iter().filter(|u| declares(d, u));
            let numbers = numbers.filter_map(|u| u[d.name.text.len()..].parse::<u64>().ok());
            if let Some(last) = numbers.max() {
                d.range = Some(Expr::Number(name(&(last + 1).to_string())));
            }
        }
        !v.declarators.is_empty()
    };
    let mut tidy = walk::change(module, &mut |_, s| match s {
        Statement::Label(l) if !used.contains(&l.text) => Vec::new(),
        Statement::BranchTargets(l, _) | Statement::CallTargets(l, _) if !used.contains(&l.text) => {
            Vec::new()
        }
        Statement::CallPrototype(p) if !used.contains(&p.name.text) => Vec::new(),
        Statement::Loc(_) | Statement::Pragma(_) => Vec::new(),
        Statement::Block(b) if b.statements.is_empty() => Vec::new(),
        Statement::Variable(mut v) => {
            if shorter(&mut v) {
                vec![Statement::Variable(v)]
            } else {
                Vec::new()
            }
        }
        other => vec![other],
    });
    tidy.items.retain_mut(|item| match item {
        Item::Variable(v) => shorter(v),
        Item::File(_) | Item::Section(_) | Item::Pragma(_) => false,
        _ => true,
    });
    tidy
}
