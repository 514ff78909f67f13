//! Variables and sections.

use super::expression::{self, expr, list};
use super::put::put;
use crate::ast::{Attribute, Declarator, Init, Name, Section, SectionLine, Variable};
use std::fmt::Write;

pub(super) fn words(names: &[Name]) -> String {
    names.iter().map(|n| n.text.as_str()).collect::<Vec<_>>().join(", ")
}

pub(super) fn section(out: &mut String, section: &Section) {
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

pub(super) fn attributes(out: &mut String, attributes: &[Attribute]) {
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
pub(super) fn variable(out: &mut String, v: &Variable) {
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

pub(super) fn declarator(out: &mut String, d: &Declarator) {
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

pub(super) fn initialiser(out: &mut String, init: &Init) {
    match init {
        Init::Value(e) => expr(out, e),
        Init::List(values) => {
            out.push('{');
            list(out, values, initialiser);
            out.push('}');
        }
    }
}
