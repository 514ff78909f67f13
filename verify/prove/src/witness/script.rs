//! Raw terms as SMT-LIB: one definition a term, memory as a function of its state and an address.

use crate::inputs::{Inputs, Read};
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, TermId, UnaryOp as U};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Whether a question is about floats or approximations, of which it knows the names alone.
pub fn names_functions(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("(declare-fun |") && !line.starts_with("(declare-fun |memory "))
}

/// Terms that were shown to be others.
pub type Same = FxHashMap<TermId, TermId>;

/// The question whether all of `asserted`, one bit each, can hold.
pub fn script(inputs: &Inputs<'_>, same: &Same, asserted: &[TermId]) -> crate::smt::Script {
    let terms = inputs.terms;
    let mut text = String::new();
    let mut declared = BTreeSet::new();
    let (order, reads) = needed(inputs, same, asserted);
    for &t in &order {
        let width = terms.width_of(t);
        let node = terms.node(t);
        if let Some(other) = same.get(&t) {
            let _ = writeln!(text, "(define-fun {t} () (_ BitVec {width}) {other})");
            continue;
        }
        if let Some(bits) = exact(inputs, &node, t) {
            let _ = writeln!(text, "(define-fun {t} () (_ BitVec {width}) {})", number(bits, width));
            continue;
        }
        if node.is_free() {
            let _ = writeln!(text, "(declare-const {t} (_ BitVec {width}))");
            continue;
        }
        let operands: Vec<String> = node.operands().iter().map(ToString::to_string).collect();
        let body = match &node {
            Node::Constant(bits) => number(*bits, width),
            Node::Unary(op, a) => unary(*op, &a.to_string(), width),
            Node::Binary(op, ..) => format!("({} {})", binary(*op), operands.join(" ")),
            Node::Compare(op, ..) => format!("(ite ({} {}) #b1 #b0)", compare(*op), operands.join(" ")),
            Node::Extract { low, a } => format!("((_ extract {} {low}) {a})", low + width - 1),
            Node::Concat(high, low) => format!("(concat {high} {low})"),
            Node::Zext(a) => format!("((_ zero_extend {}) {a})", width - terms.width_of(*a)),
            Node::Sext(a) => format!("((_ sign_extend {}) {a})", width - terms.width_of(*a)),
            Node::Ite(c, a, b) => format!("(ite (= {c} #b1) {a} {b})"),
            // Floats and approximations: some function of their operands, the same for the same operation, format and mode.
            other => {
                let widths: Vec<u32> = node.operands().iter().map(|o| terms.width_of(*o)).collect();
                let sorts: Vec<String> = widths.iter().map(|w| format!("(_ BitVec {w})")).collect();
                let name = format!("|{} {widths:?} {width}|", operation(other));
                if declared.insert(name.clone()) {
                    let _ = writeln!(text, "(declare-fun {name} ({}) (_ BitVec {width}))", sorts.join(" "));
                }
                format!("({name} {})", operands.join(" "))
            }
        };
        let _ = writeln!(text, "(define-fun {t} () (_ BitVec {width}) {body})");
    }
    let memories: BTreeSet<&str> = reads.iter().map(|r| r.memory).collect();
    for memory in memories {
        let _ = writeln!(text, "(declare-fun |memory {memory}| ((_ BitVec 32) (_ BitVec 64)) (_ BitVec 8))");
    }
    for r in &reads {
        for i in 0..8u32 {
            let at = format!("(bvadd {} #x{:016x})", r.base, r.offset.wrapping_add(i.into()) as u64);
            let (low, high) = (8 * i, 8 * i + 7);
            let byte = format!("((_ extract {high} {low}) {})", r.variable);
            let _ = writeln!(text, "(assert (= {byte} (|memory {}| {} {at})))", r.memory, r.version);
        }
    }
    for t in asserted {
        let _ = writeln!(text, "(assert (= {t} #b1))");
    }
    // Nobody looks at the model.
    crate::smt::Script { text, ..Default::default() }
}

/// The terms that are asked about, those that reads among them come from, and the reads. Operands come first, and what a
/// term was shown to be.
fn needed(inputs: &Inputs<'_>, same: &Same, asserted: &[TermId]) -> (Vec<TermId>, Vec<Read>) {
    let by_variable: FxHashMap<TermId, Read> = inputs.reads().into_iter().map(|r| (r.variable, r)).collect();
    let (mut order, mut reads, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
    let mut stack: Vec<(TermId, bool)> = asserted.iter().map(|t| (*t, false)).collect();
    while let Some((t, ready)) = stack.pop() {
        if ready {
            order.push(t);
            continue;
        }
        if !seen.insert(t) {
            continue;
        }
        stack.push((t, true));
        match same.get(&t) {
            Some(other) => stack.push((*other, false)),
            None if exact(inputs, &inputs.terms.node(t), t).is_some() => {}
            None => stack.extend(inputs.terms.node(t).operands().into_iter().map(|o| (o, false))),
        }
        if let Some(r) = by_variable.get(&t).filter(|_| !same.contains_key(&t)) {
            reads.push(*r);
            stack.extend([(r.base, false), (r.version, false)]);
        }
    }
    (order, reads)
}

/// The value of a float operation on constants. Approximations have more than one.
fn exact(inputs: &Inputs<'_>, node: &Node, t: TermId) -> Option<u128> {
    if !crate::prove::is_float(node) {
        return None;
    }
    let approximate = |t: &TermId| matches!(inputs.terms.node(*t), Node::Approximate { .. });
    let bits = inputs.known(t)?;
    (!inputs.terms.topological(&[t]).iter().any(approximate)).then_some(bits)
}

fn number(bits: u128, width: u32) -> String {
    format!("#b{bits:0width$b}", width = width as usize)
}

/// What identifies a float operation: all of the node but its operands, and their widths.
fn operation(node: &Node) -> String {
    let text = match node {
        Node::Float { op, format, mode, .. } => format!("{op:?} {format:?} {mode:?}"),
        Node::FloatRelation { relation, format, ftz, .. } => format!("{relation:?} {format:?} {ftz}"),
        Node::FloatToFloat { from, to, mode, .. } => format!("{from:?} to {to:?} {mode:?}"),
        Node::FloatToInt { from, signed, mode, nan, .. } => {
            format!("{from:?} to int {signed} {mode:?} {nan}")
        }
        Node::IntToFloat { signed, to, mode, .. } => format!("int {signed} to {to:?} {mode:?}"),
        Node::Approximate { function, ftz, .. } => format!("{function:?} {ftz}"),
        other => format!("{other:?}"),
    };
    text.replace('|', "/")
}

fn unary(op: U, a: &str, width: u32) -> String {
    let bit = |i: u32| format!("((_ extract {i} {i}) {a})");
    match op {
        U::Not => format!("(bvnot {a})"),
        U::Neg => format!("(bvneg {a})"),
        U::Reverse if width == 1 => a.to_owned(),
        U::Reverse => format!("(concat {})", (0..width).map(bit).collect::<Vec<_>>().join(" ")),
        U::Popcount if width == 1 => a.to_owned(),
        U::Popcount => (0..width).fold(number(0, width), |sum, i| {
            format!("(bvadd {sum} ((_ zero_extend {}) {}))", width - 1, bit(i))
        }),
        // The highest bit that is set decides, so the lowest is asked last.
        U::LeadingZeros => (0..width).fold(number(width.into(), width), |rest, i| {
            format!("(ite (= {} #b1) {} {rest})", bit(i), number((width - 1 - i).into(), width))
        }),
    }
}

fn binary(op: B) -> &'static str {
    match op {
        B::Add => "bvadd",
        B::Sub => "bvsub",
        B::Mul => "bvmul",
        B::UDiv => "bvudiv",
        B::URem => "bvurem",
        B::SDiv => "bvsdiv",
        B::SRem => "bvsrem",
        B::And => "bvand",
        B::Or => "bvor",
        B::Xor => "bvxor",
        B::Shl => "bvshl",
        B::LShr => "bvlshr",
        B::AShr => "bvashr",
    }
}

fn compare(op: C) -> &'static str {
    match op {
        C::Eq => "=",
        C::ULt => "bvult",
        C::ULe => "bvule",
        C::SLt => "bvslt",
        C::SLe => "bvsle",
    }
}
