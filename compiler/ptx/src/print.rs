//! Syntax to text: `parse(print(x)) == x`.

mod expression;
mod function;

use crate::ast::{Attribute, Declarator, Init, Item, Module, Name, Section, SectionLine, Variable};
use expression::{expr, list};
use std::fmt::Write;

/// The module as PTX text.
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    for item in &module.items {
        item_text(&mut out, item);
    }
    out
}

/// An operand as PTX text.
pub(crate) fn operand_text(operand: &crate::ast::Operand) -> String {
    let mut out = String::new();
    expression::operand(&mut out, operand);
    out
}

/// Appends formatted text; writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{ let _ = write!($out, $($arg)*); }};
}
pub(crate) use put;

fn item_text(out: &mut String, item: &Item) {
    match item {
        Item::Version(v) => put!(out, ".version {}\n", v.text),
        Item::Target(names) => put!(out, ".target {}\n", words(names)),
        Item::AddressSize(n) => put!(out, ".address_size {}\n", n.text),
        Item::Variable(v) => {
            variable(out, v);
            out.push_str(";\n");
        }
        Item::Function(f) => function::function(out, f),
        Item::File(f) => {
            put!(out, ".file {} {}", f.index.text, f.name.text);
            f.stamp.iter().for_each(|n| put!(out, ", {}", n.text));
            out.push('\n');
        }
        Item::Section(s) => section(out, s),
        Item::Pragma(texts) => put!(out, ".pragma {};\n", words(texts)),
        Item::Alias(a, b) => put!(out, ".alias {}, {};\n", a.text, b.text),
    }
}

fn words(names: &[Name]) -> String {
    names.iter().map(|n| n.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn section(out: &mut String, section: &Section) {
    let dot = if section.name.text.starts_with('"') { "" } else { "." };
    put!(out, ".section {dot}{} {{\n", section.name.text);
    for line in &section.lines {
        match line {
            SectionLine::Label(name) => put!(out, "{}:\n", name.text),
            SectionLine::Data(ty, values) => {
                put!(out, ".{} ", ty.text);
                list(out, values, expr);
                out.push('\n');
            }
        }
    }
    out.push_str("}\n");
}

fn attributes(out: &mut String, attributes: &[Attribute]) {
    if attributes.is_empty() {
        return;
    }
    out.push_str(" .attribute(");
    list(out, attributes, |out, a| {
        put!(out, ".{}", a.name.text);
        if !a.args.is_empty() {
            out.push('(');
            list(out, &a.args, expr);
            out.push(')');
        }
    });
    out.push(')');
}

/// A declaration without its semicolon.
fn variable(out: &mut String, v: &Variable) {
    if let Some(linkage) = &v.linkage {
        put!(out, ".{} ", linkage.text);
    }
    put!(out, ".{}", v.space.text);
    attributes(out, &v.attributes);
    if let Some(align) = &v.align {
        out.push_str(" .align ");
        expr(out, align);
    }
    if let Some(vector) = &v.vector {
        put!(out, " .{}", vector.text);
    }
    put!(out, " .{}", v.ty.text);
    if let Some(pointer) = &v.pointer {
        out.push_str(" .ptr");
        if let Some(space) = &pointer.space {
            put!(out, " .{}", space.text);
        }
        if let Some(align) = &pointer.align {
            out.push_str(" .align ");
            expr(out, align);
        }
    }
    out.push(' ');
    list(out, &v.declarators, declarator);
}

fn declarator(out: &mut String, d: &Declarator) {
    out.push_str(&d.name.text);
    if let Some(range) = &d.range {
        out.push('<');
        expression::atom(out, range);
        out.push('>');
    }
    for dim in &d.dims {
        out.push('[');
        if let Some(size) = dim {
            expr(out, size);
        }
        out.push(']');
    }
    if let Some(init) = &d.init {
        out.push_str(" = ");
        initialiser(out, init);
    }
}

fn initialiser(out: &mut String, init: &Init) {
    match init {
        Init::Value(e) => expr(out, e),
        Init::List(values) => {
            out.push('{');
            list(out, values, initialiser);
            out.push('}');
        }
    }
}
