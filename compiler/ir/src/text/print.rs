//! Writing the text.

use super::{VERSION, print_op};
use crate::function::*;
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
        if !v.init_addresses.is_empty() {
            let all: Vec<String> =
                v.init_addresses.iter().map(|(at, id, addend)| format!("{at}:{id}:{addend}")).collect();
            let _ = write!(out, " addresses={}", all.join(","));
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
        let params: Vec<String> = data.params.iter().map(|&v| typed(f, v)).collect();
        let _ = writeln!(out, "{block}({}):", params.join(", "));
        for &inst in &data.insts {
            let _ = writeln!(out, "  {}", instruction(f, &f.insts[inst]));
        }
        let _ = writeln!(out, "  {}{}", terminator(&data.terminator), source(data.line));
    }
    out += "end\n";
    out
}

fn typed(f: &Function, value: Value) -> String {
    format!("{value}:{}", f.values[value].ty.0)
}

fn list(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

fn instruction(f: &Function, inst: &InstData) -> String {
    let mut out = String::new();
    if let Some(Guard { value, negate }) = inst.guard {
        let _ = write!(out, "@{}{value} ", if negate { "!" } else { "" });
    }
    if !inst.results.is_empty() {
        let results: Vec<String> = inst.results.iter().map(|&v| typed(f, v)).collect();
        let _ = write!(out, "{} = ", results.join(", "));
    }
    out += &print_op(&inst.op);
    if !inst.args.is_empty() {
        let _ = write!(out, " {}", list(&inst.args));
    }
    out + &source(inst.line)
}

/// The line of the PTX, if there is one.
fn source(line: u32) -> String {
    if line == 0 { String::new() } else { format!("  # {line}") }
}

fn edge(edge: &Edge) -> String {
    format!("{}({})", edge.block, list(&edge.args))
}

fn terminator(terminator: &Terminator) -> String {
    match terminator {
        Terminator::Jump(e) => format!("jump {}", edge(e)),
        Terminator::Branch { condition, then, otherwise } => {
            format!("branch {condition}, {}, {}", edge(then), edge(otherwise))
        }
        Terminator::Switch { index, targets } => {
            let targets: Vec<String> = targets.iter().map(edge).collect();
            format!("switch {index} [{}]", targets.join(", "))
        }
        Terminator::Exit => "exit".into(),
        Terminator::Trap => "trap".into(),
        Terminator::Unreachable => "unreachable".into(),
    }
}
