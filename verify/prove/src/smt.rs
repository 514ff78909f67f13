//! Terms as SMT-LIB text, in the theory of bit-vectors with uninterpreted functions.
//!
//! Every term is a constant of the script; floats and approximations are uninterpreted functions of operation, format and
//! mode. Initial memory is one uninterpreted function from addresses to bytes, named only where reads from different bases
//! have to agree.

use crate::inputs::{Inputs, Read};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, TermId, Terms, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A question for a solver: declarations and assertions, without `check-sat`.
#[derive(Clone, Debug)]
pub struct Script {
    /// The text.
    pub text: String,
    /// Symbols whose values make a model, by term.
    pub symbols: BTreeMap<String, TermId>,
}

/// Asks whether all of `asserted` (one bit each) can hold.
pub fn script(inputs: &Inputs<'_>, asserted: &[TermId]) -> Script {
    let terms = inputs.terms;
    let (order, reads) = closure(inputs, asserted);
    let mut text = String::new();
    let mut symbols = BTreeMap::new();
    let mut functions = BTreeSet::new();
    for &id in &order {
        let (node, width) = (terms.node(id), terms.width_of(id));
        if node.is_free() {
            let _ = writeln!(text, "(declare-const {id} (_ BitVec {width}))");
            symbols.insert(id.to_string(), id);
            continue;
        }
        let body = expression(terms, &node, width, &mut functions, &mut text);
        let _ = writeln!(text, "(define-fun {id} () (_ BitVec {width}) {body})");
    }
    // Reads of one memory in one state have to agree where they meet.
    let mut memories: BTreeMap<(&str, TermId), Vec<&Read>> = BTreeMap::new();
    for r in &reads {
        memories.entry((r.memory, r.version)).or_default().push(r);
    }
    for ((name, version), reads) in memories {
        let bases: BTreeSet<TermId> = reads.iter().map(|r| r.base).collect();
        if bases.len() < 2 {
            continue;
        }
        let memory = format!("|memory {name} {version}|");
        let _ = writeln!(text, "(declare-fun {memory} ((_ BitVec 64)) (_ BitVec 8))");
        for r in reads {
            for i in 0..8i64 {
                let low = 8 * i;
                let _ = writeln!(
                    text,
                    "(assert (= ((_ extract {} {low}) {}) ({memory} (bvadd {} #x{:016x}))))",
                    low + 7,
                    r.variable,
                    r.base,
                    (r.offset + i) as u64
                );
            }
        }
    }
    for a in asserted {
        let _ = writeln!(text, "(assert (= {a} #b1))");
    }
    Script { text, symbols }
}

/// The terms that assertions are made of, and the reads among them with their bases.
fn closure(inputs: &Inputs<'_>, asserted: &[TermId]) -> (Vec<TermId>, Vec<Read>) {
    let all = inputs.reads();
    let mut roots = asserted.to_vec();
    loop {
        let order = inputs.terms.topological(&roots);
        let used = |r: &&Read| order.binary_search(&r.variable).is_ok();
        let reads: Vec<Read> = all.iter().filter(used).copied().collect();
        let missing: Vec<TermId> =
            reads.iter().map(|r| r.base).filter(|b| order.binary_search(b).is_err()).collect();
        if missing.is_empty() {
            return (order, reads);
        }
        roots.extend(missing);
    }
}

/// A constant of a width.
fn constant(bits: u128, width: u32) -> String {
    if width.is_multiple_of(4) {
        format!("#x{bits:0w$x}", w = (width / 4) as usize)
    } else {
        format!("#b{bits:0w$b}", w = width as usize)
    }
}

fn expression(
    terms: &Terms,
    node: &Node,
    width: u32,
    functions: &mut BTreeSet<String>,
    text: &mut String,
) -> String {
    match node {
        Node::Constant(bits) => constant(*bits, width),
        Node::Unary(UnaryOp::Not, a) => format!("(bvnot {a})"),
        Node::Unary(UnaryOp::Neg, a) => format!("(bvneg {a})"),
        Node::Unary(UnaryOp::Popcount, a) => {
            let bit = |i| match width {
                1 => format!("{a}"),
                _ => format!("((_ zero_extend {}) ((_ extract {i} {i}) {a}))", width - 1),
            };
            (1..width).fold(bit(0), |sum, i| format!("(bvadd {sum} {})", bit(i)))
        }
        Node::Unary(UnaryOp::LeadingZeros, a) => (0..width).fold(constant(width.into(), width), |rest, i| {
            let count = constant((width - 1 - i).into(), width);
            format!("(ite (= ((_ extract {i} {i}) {a}) #b1) {count} {rest})")
        }),
        Node::Unary(UnaryOp::Reverse, a) => (1..width).fold(format!("((_ extract 0 0) {a})"), |all, i| {
            // Bit 0 ends up highest.
            format!("(concat {all} ((_ extract {i} {i}) {a}))")
        }),
        Node::Binary(op, a, b) => format!("({} {a} {b})", binary(*op)),
        Node::Compare(op, a, b) => format!("(ite ({} {a} {b}) #b1 #b0)", compare(*op)),
        Node::Extract { low, a } => format!("((_ extract {} {low}) {a})", low + width - 1),
        Node::Concat(h, l) => format!("(concat {h} {l})"),
        Node::Zext(a) => format!("((_ zero_extend {}) {a})", width - terms.width_of(*a)),
        Node::Sext(a) => format!("((_ sign_extend {}) {a})", width - terms.width_of(*a)),
        Node::Ite(c, a, b) => format!("(ite (= {c} #b1) {a} {b})"),
        Node::Variable(_) | Node::Undef { .. } => String::new(),
        Node::Float { .. }
        | Node::FloatRelation { .. }
        | Node::FloatToFloat { .. }
        | Node::FloatToInt { .. }
        | Node::IntToFloat { .. }
        | Node::Approximate { .. } => uninterpreted(terms, node, width, functions, text),
    }
}

fn uninterpreted(
    terms: &Terms,
    node: &Node,
    width: u32,
    functions: &mut BTreeSet<String>,
    text: &mut String,
) -> String {
    let operands = node.operands();
    let kind = match node {
        Node::Float { op, format, mode, .. } => format!("{op:?} {format:?} {mode:?}"),
        Node::FloatRelation { relation, format, ftz, .. } => format!("{relation:?} {format:?} {ftz}"),
        Node::FloatToFloat { from, to, mode, .. } => format!("convert {from:?} {to:?} {mode:?}"),
        Node::FloatToInt { from, signed, mode, nan, .. } => format!("int {from:?} {signed} {mode:?} {nan}"),
        Node::IntToFloat { signed, to, mode, .. } => format!("float {signed} {to:?} {mode:?}"),
        Node::Approximate { function, ftz, .. } => format!("approximate {function:?} {ftz}"),
        _ => String::new(),
    };
    let widths: Vec<u32> = operands.iter().map(|o| terms.width_of(*o)).collect();
    let name = format!("|{kind} {widths:?} {width}|");
    if functions.insert(name.clone()) {
        let sorts: Vec<String> = widths.iter().map(|w| format!("(_ BitVec {w})")).collect();
        let _ = writeln!(text, "(declare-fun {name} ({}) (_ BitVec {width}))", sorts.join(" "));
    }
    let arguments: Vec<String> = operands.iter().map(ToString::to_string).collect();
    format!("({name} {})", arguments.join(" "))
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "bvadd",
        BinaryOp::Sub => "bvsub",
        BinaryOp::Mul => "bvmul",
        BinaryOp::UDiv => "bvudiv",
        BinaryOp::URem => "bvurem",
        BinaryOp::SDiv => "bvsdiv",
        BinaryOp::SRem => "bvsrem",
        BinaryOp::And => "bvand",
        BinaryOp::Or => "bvor",
        BinaryOp::Xor => "bvxor",
        BinaryOp::Shl => "bvshl",
        BinaryOp::LShr => "bvlshr",
        BinaryOp::AShr => "bvashr",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "=",
        CompareOp::ULt => "bvult",
        CompareOp::ULe => "bvule",
        CompareOp::SLt => "bvslt",
        CompareOp::SLe => "bvsle",
    }
}
