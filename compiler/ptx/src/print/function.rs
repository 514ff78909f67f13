use super::declaration::{attributes, section, variable, words};
use super::expression::{expr, list, operand};
use super::put::put;
use crate::ast::{Argument, Block, Directive, Function, Instruction, Loc, Statement, Variable};
use std::fmt::Write;

pub(super) fn function(out: &mut String, f: &Function) {
    if let Some(linkage) = &f.linkage {
        put!(out, ".{} ", linkage.text);
    }
    out.push_str(if f.entry { ".entry" } else { ".func" });
    attributes(out, &f.attributes);
    parameters(out, &f.returns);
    put!(out, " {}", f.name.text);
    parameters(out, &f.params);
    directives(out, &f.directives);
    match &f.body {
        Some(body) => {
            out.push('\n');
            block(out, body, 0);
        }
        None => out.push_str(";\n"),
    }
}

fn parameters(out: &mut String, params: &Option<Vec<Variable>>) {
    if let Some(params) = params {
        out.push_str(" (");
        list(out, params, variable);
        out.push(')');
    }
}

fn directives(out: &mut String, directives: &[Directive]) {
    for directive in directives {
        put!(out, " .{}", directive.name.text);
        if !directive.args.is_empty() {
            out.push(' ');
            list(out, &directive.args, |out, arg| match arg {
                Argument::Value(e) => expr(out, e),
                Argument::Text(t) => out.push_str(&t.text),
            });
        }
        if directive.name.text == "pragma" {
            out.push(';');
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push('\t'));
}

fn block(out: &mut String, block: &Block, depth: usize) {
    indent(out, depth);
    out.push_str("{\n");
    for s in &block.statements {
        statement(out, s, depth + 1);
    }
    indent(out, depth);
    out.push_str("}\n");
}

fn statement(out: &mut String, s: &Statement, depth: usize) {
    match s {
        Statement::Block(b) => return block(out, b, depth),
        Statement::Label(name) => return put!(out, "{}:\n", name.text),
        _ => indent(out, depth),
    }
    match s {
        Statement::Block(_) | Statement::Label(_) => {}
        Statement::Instruction(i) => instruction(out, i),
        Statement::Variable(v) => {
            variable(out, v);
            out.push_str(";\n");
        }
        Statement::Loc(l) => loc(out, l),
        Statement::Pragma(texts) => put!(out, ".pragma {};\n", words(texts)),
        Statement::BranchTargets(name, targets) => {
            put!(out, "{}: .branchtargets {};\n", name.text, words(targets))
        }
        Statement::CallTargets(name, targets) => {
            put!(out, "{}: .calltargets {};\n", name.text, words(targets))
        }
        Statement::CallPrototype(p) => {
            put!(out, "{}: .callprototype", p.name.text);
            parameters(out, &p.returns);
            out.push_str(" _");
            parameters(out, &p.params);
            directives(out, &p.directives);
            out.push_str(";\n");
        }
        Statement::Section(s) => section(out, s),
    }
}

pub(super) fn loc(out: &mut String, l: &Loc) {
    let [file, line, column] = &l.position;
    put!(out, ".loc {} {} {}", file.text, line.text, column.text);
    if let Some((name, [file, line, column])) = &l.inlined {
        out.push_str(", function_name ");
        expr(out, name);
        put!(out, ", inlined_at {} {} {}", file.text, line.text, column.text);
    }
    out.push('\n');
}

fn instruction(out: &mut String, i: &Instruction) {
    if let Some(guard) = &i.guard {
        put!(out, "@{}{} ", if guard.negate { "!" } else { "" }, guard.name.text);
    }
    out.push_str(&i.root.text);
    i.suffixes.iter().for_each(|s| put!(out, ".{}", s.text));
    if !i.operands.is_empty() {
        out.push(' ');
        list(out, &i.operands, operand);
    }
    out.push_str(";\n");
}
