//! Terms as SMT-LIB text, in the theory of bit-vectors with uninterpreted functions.
//!
//! Every term is a constant of the script; floats and approximations are uninterpreted functions of operation, format and
//! mode. Initial memory is one uninterpreted function from addresses to bytes, named only where reads from different bases
//! have to agree.

use crate::read::Read;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, TermId, Terms, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A question for a solver: declarations and assertions, without `check-sat`.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The text.
    pub text: String,
    /// Symbols whose values make a model, by term.
    pub symbols: BTreeMap<String, TermId>,
    /// The same question as nodes, for solvers in process.
    pub question: Question,
}

/// A question as nodes. Terms are numbered from zero in the order of their definitions, so that equal questions are equal
/// whatever arena they come from.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Node and width of each term; operands are numbers of earlier definitions.
    pub definitions: Vec<(Node, u32)>,
    /// Reads that have to agree with those of the same memory.
    pub ties: Vec<Tie>,
    /// Terms of one bit that are to hold.
    pub asserted: Vec<TermId>,
}

impl Question {
    /// What products and quotients take when they are written bit by bit, in units of z3's `rlimit`. z3 counts what it does with
    /// formulas and not what it takes to make them: with thousands of products the making alone takes minutes and gigabytes.
    pub fn products(&self) -> u64 {
        let known = |t: TermId| match self.definitions[t.0 as usize] {
            (Node::Constant(bits), _) => Some(bits),
            _ => None,
        };
        let rows = |(node, width): &(Node, u32)| match node {
            Node::Binary(BinaryOp::Mul, a, b) => match (known(*a), known(*b)) {
                (Some(c), _) | (_, Some(c)) => c.count_ones(),
                _ => *width,
            },
            Node::Binary(BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem, ..) => 2 * width,
            _ => 0,
        };
        self.definitions.iter().map(|d| u64::from(rows(d)) * u64::from(d.1) * PER_BIT).sum()
    }
}

/// Units of a sum of one bit, roughly.
const PER_BIT: u64 = 4;

/// Eight bytes of a memory that is read from several bases.
#[derive(Clone, Debug)]
pub struct Tie {
    /// The memory and its state.
    pub memory: String,
    /// The variable that stands for the bytes.
    pub variable: TermId,
    /// The base of its address.
    pub base: TermId,
    /// Bytes behind the base.
    pub offset: i64,
}

/// Asks whether all of `asserted` (one bit each) can hold; those of `reads` that matter have to agree with one another.
pub fn script(terms: &Terms, reads: &[Read], asserted: &[TermId]) -> Script {
    let (question, order) = question(terms, reads, asserted);
    let text = text(&question);
    let free = question.definitions.iter().enumerate().filter(|(_, (node, _))| node.is_free());
    let symbols = free.map(|(i, _)| (format!("t{i}"), order[i])).collect();
    Script { text, symbols, question }
}

/// The question, and the term that each number stands for.
fn question(terms: &Terms, reads: &[Read], asserted: &[TermId]) -> (Question, Vec<TermId>) {
    let (order, reads) = closure(terms, reads, asserted);
    let number = |t: TermId| TermId(order.binary_search(&t).expect("operands are in the closure") as u32);
    let definitions = order.iter().map(|&id| (terms.node(id).map(number), terms.width_of(id))).collect();
    // Reads of one memory in one state have to agree where they meet.
    let mut memories: BTreeMap<(&str, TermId), Vec<&Read>> = BTreeMap::new();
    for r in &reads {
        memories.entry((r.memory, r.version)).or_default().push(r);
    }
    let mut ties = Vec::new();
    for (i, ((name, _), reads)) in memories.iter().enumerate() {
        let bases: BTreeSet<TermId> = reads.iter().map(|r| r.base).collect();
        if bases.len() < 2 {
            continue;
        }
        let memory = format!("memory {name} {i}");
        ties.extend(reads.iter().map(|r| Tie {
            memory: memory.clone(),
            variable: number(r.variable),
            base: number(r.base),
            offset: r.offset,
        }));
    }
    let asserted = asserted.iter().map(|a| number(*a)).collect();
    (Question { definitions, ties, asserted }, order)
}

/// The text of a question.
fn text(question: &Question) -> String {
    let mut text = String::new();
    let mut functions = BTreeSet::new();
    let width_of = |t: TermId| question.definitions[t.0 as usize].1;
    for (i, (node, width)) in question.definitions.iter().enumerate() {
        if node.is_free() {
            let _ = writeln!(text, "(declare-const t{i} (_ BitVec {width}))");
            continue;
        }
        let body = match application(node, *width, &width_of) {
            Some(function) => {
                if functions.insert(function.name.clone()) {
                    let sorts: Vec<String> =
                        function.widths.iter().map(|w| format!("(_ BitVec {w})")).collect();
                    let sorts = sorts.join(" ");
                    let _ = writeln!(text, "(declare-fun |{}| ({sorts}) (_ BitVec {width}))", function.name);
                }
                let arguments: Vec<String> = node.operands().iter().map(ToString::to_string).collect();
                format!("(|{}| {})", function.name, arguments.join(" "))
            }
            None => expression(node, *width, &width_of),
        };
        let _ = writeln!(text, "(define-fun t{i} () (_ BitVec {width}) {body})");
    }
    let mut memories = BTreeSet::new();
    for tie in &question.ties {
        if memories.insert(&tie.memory) {
            let _ = writeln!(text, "(declare-fun |{}| ((_ BitVec 64)) (_ BitVec 8))", tie.memory);
        }
        for i in 0..8i64 {
            let low = 8 * i;
            let _ = writeln!(
                text,
                "(assert (= ((_ extract {} {low}) {}) (|{}| (bvadd {} #x{:016x}))))",
                low + 7,
                tie.variable,
                tie.memory,
                tie.base,
                tie.offset.wrapping_add(i) as u64
            );
        }
    }
    for a in &question.asserted {
        let _ = writeln!(text, "(assert (= {a} #b1))");
    }
    text
}

/// The terms that assertions are made of, and the reads among them with their bases.
pub fn closure(terms: &Terms, all: &[Read], asserted: &[TermId]) -> (Vec<TermId>, Vec<Read>) {
    let mut roots = asserted.to_vec();
    loop {
        let order = terms.topological(&roots);
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

fn expression(node: &Node, width: u32, width_of: &dyn Fn(TermId) -> u32) -> String {
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
        Node::Zext(a) => format!("((_ zero_extend {}) {a})", width - width_of(*a)),
        Node::Sext(a) => format!("((_ sign_extend {}) {a})", width - width_of(*a)),
        Node::Ite(c, a, b) => format!("(ite (= {c} #b1) {a} {b})"),
        // What is free is declared, and what is uninterpreted applied: neither is defined here.
        _ => String::new(),
    }
}

/// An uninterpreted function.
pub struct Function {
    /// Its name: operation, format, mode and widths.
    pub name: String,
    /// Widths of its operands.
    pub widths: Vec<u32>,
}

/// The uninterpreted function that a node applies, if it does.
pub fn application(node: &Node, width: u32, width_of: &dyn Fn(TermId) -> u32) -> Option<Function> {
    let kind = match node {
        Node::Float { op, format, mode, .. } => format!("{op:?} {format:?} {mode:?}"),
        Node::FloatRelation { relation, format, ftz, .. } => format!("{relation:?} {format:?} {ftz}"),
        Node::FloatToFloat { from, to, mode, .. } => format!("convert {from:?} {to:?} {mode:?}"),
        Node::FloatToInt { from, signed, mode, nan, .. } => format!("int {from:?} {signed} {mode:?} {nan}"),
        Node::IntToFloat { signed, to, mode, .. } => format!("float {signed} {to:?} {mode:?}"),
        Node::Approximate { function, ftz, .. } => format!("approximate {function:?} {ftz}"),
        _ => return None,
    };
    let widths: Vec<u32> = node.operands().iter().map(|o| width_of(*o)).collect();
    Some(Function { name: format!("{kind} {widths:?} {width}"), widths })
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
