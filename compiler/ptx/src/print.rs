//! Syntax to text: `parse(print(x)) == x`.

mod declaration;
mod expression;
mod function;
pub(crate) mod put;

use crate::ast::{Item, Module};
use declaration::{section, variable, words};
use put::put;
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
