//! Writing the text.

use super::version::VERSION;
use crate::function::*;
use crate::operations::write_op;
use std::fmt::Write;

/// The text of a module; `phase` is the name of the pass or stage that made it, one word.
pub fn print(module: &Module, phase: &str) -> String {
    let mut out = format!("sassafras ir {VERSION} phase={phase}\n");
    for (id, v) in module.variables.iter() {
        let _ = write!(
            out,
            "variable {id} {} space={} size={} align={} visible={}",
            quoted(&v.name),
            <sassafras_semantics::Space as super::token::Token>::write(v.space),
            v.size,
            v.align,
            v.visible
        );
        for (name, set) in [("weak", v.weak), ("managed", v.managed)] {
            if set {
                let _ = write!(out, " {name}=true");
            }
        }
        if let Some(owner) = v.owner {
            let _ = write!(out, " owner={owner}");
        }
        if let Some(init) = &v.init {
            out += " init=";
            init.iter().for_each(|byte| {
                let _ = write!(out, "{byte:02x}");
            });
        }
        let addresses = v.init_addresses.iter().map(|(at, id, addend)| format!("{at}:{id}:{addend}"));
        // Numbers of eight bytes go without their size.
        let offsets = v.init_offsets.iter().map(|(at, id, addend, bytes)| match bytes {
            8 => format!("{at}:{id}:{addend}"),
            _ => format!("{at}:{id}:{addend}:{bytes}"),
        });
        for (key, list) in [("addresses", addresses.collect::<Vec<_>>()), ("offsets", offsets.collect())] {
            if !list.is_empty() {
                let _ = write!(out, " {key}={}", list.join(","));
            }
        }
        out += "\n";
    }
    for function in &module.functions {
        out += &print_function(function);
    }
    out
}

/// A name between quotes, with what would end it escaped.
fn quoted(name: &str) -> String {
    format!("{name:?}")
}

/// The text of one function, without the first line.
pub fn print_function(function: &Function) -> String {
    let f = function;
    let mut out = format!("function {} param_size={}", quoted(&f.name), f.param_size);
    for (name, set) in [("hidden", !f.visible), ("weak", f.weak)] {
        if set {
            let _ = write!(out, " {name}=true");
        }
    }
    if !f.params.is_empty() {
        let all: Vec<String> =
            f.params.iter().map(|p| format!("{}:{}:{}", p.offset, p.size, p.align)).collect();
        let _ = write!(out, " params={}", all.join(","));
    }
    let sizes = [("maxntid", f.maxntid), ("reqntid", f.reqntid), ("reqnctapercluster", f.reqnctapercluster)];
    for (name, value) in sizes {
        if let Some([x, y, z]) = value {
            let _ = write!(out, " {name}={x},{y},{z}");
        }
    }
    let explicit = f.explicitcluster.then_some(1);
    let numbers = [
        ("minnctapersm", f.minnctapersm),
        ("maxnreg", f.maxnreg),
        ("explicitcluster", explicit),
        ("maxclusterrank", f.maxclusterrank),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            let _ = write!(out, " {name}={value}");
        }
    }
    if !f.shared.is_empty() {
        let all: Vec<String> = f.shared.iter().map(VariableId::to_string).collect();
        let _ = write!(out, " shared={}", all.join(","));
    }
    let _ = writeln!(out, " entry={}", f.entry);
    for (block, data) in f.blocks.iter() {
        let _ = write!(out, "{block}(");
        typed(&mut out, f, &data.params);
        out += if data.nounroll { ") nounroll:\n" } else { "):\n" };
        for &inst in &data.insts {
            out += "  ";
            instruction(&mut out, f, &f.insts[inst]);
            out += "\n";
        }
        out += "  ";
        terminator(&mut out, &data.terminator);
        source(&mut out, data.line);
        out += "\n";
    }
    out += "end\n";
    out
}

/// Puts `v` and the number of a value behind the text: as its `Display`, which a function has too often for formats.
fn name(out: &mut String, value: Value) {
    out.push('v');
    number(out, value.0);
}

fn number(out: &mut String, mut value: u32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    digits[at..].iter().for_each(|&digit| out.push(char::from(digit)));
}

fn typed(out: &mut String, f: &Function, values: &[Value]) {
    for (n, &value) in values.iter().enumerate() {
        *out += if n == 0 { "" } else { ", " };
        name(out, value);
        out.push(':');
        number(out, f.values[value].ty.0.into());
    }
}

fn list(out: &mut String, values: &[Value]) {
    for (n, &value) in values.iter().enumerate() {
        *out += if n == 0 { "" } else { ", " };
        name(out, value);
    }
}

fn instruction(out: &mut String, f: &Function, inst: &InstData) {
    if let Some(Guard { value, negate }) = inst.guard {
        *out += if negate { "@!" } else { "@" };
        name(out, value);
        out.push(' ');
    }
    if !inst.results.is_empty() {
        typed(out, f, &inst.results);
        *out += " = ";
    }
    write_op(out, &inst.op);
    if !inst.args.is_empty() {
        out.push(' ');
        list(out, &inst.args);
    }
    source(out, inst.line);
}

/// The line of the PTX, if there is one.
fn source(out: &mut String, line: u32) {
    if line != 0 {
        *out += "  # ";
        number(out, line);
    }
}

fn edge(out: &mut String, edge: &Edge) {
    let _ = write!(out, "{}(", edge.block);
    list(out, &edge.args);
    out.push(')');
}

fn terminator(out: &mut String, terminator: &Terminator) {
    match terminator {
        Terminator::Jump(e) => {
            *out += "jump ";
            edge(out, e);
        }
        Terminator::Branch { condition, then, otherwise } => {
            *out += "branch ";
            name(out, *condition);
            *out += ", ";
            edge(out, then);
            *out += ", ";
            edge(out, otherwise);
        }
        Terminator::Switch { index, targets } => {
            *out += "switch ";
            name(out, *index);
            *out += " [";
            for (n, target) in targets.iter().enumerate() {
                *out += if n == 0 { "" } else { ", " };
                edge(out, target);
            }
            out.push(']');
        }
        Terminator::Exit => *out += "exit",
        Terminator::Trap => *out += "trap",
        Terminator::Unreachable => *out += "unreachable",
    }
}
