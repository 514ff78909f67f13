//! Raw terms as SMT-LIB: one definition a term, memory as a function of its state and an address.

use super::laws;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, FloatOp as F, TermId, Terms, UnaryOp as U};
use sassafras_solve::read::Read;
use sassafras_symbolic::inputs::Inputs;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Whether a question is about floats or approximations, of which it knows the names alone.
pub fn names_functions(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("(declare-fun |") && !line.starts_with("(declare-fun |memory "))
}

/// How much of what is known a question says. The less, the easier: what cannot hold by the less cannot hold at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// That reads of one place in one state of memory agree.
    pub memory: bool,
    /// Of the laws of operations on floats only that of a product's signs the parity matters, and that factors commute.
    pub signs: bool,
    /// The laws of operations on floats (`laws`).
    pub laws: bool,
    /// Products by halves: sums of products of 32 bits, of which the value is known where a factor is -1, 0 or 1, and otherwise
    /// that they commute and are not more than the greatest product. This says less than the products, and is easy where both sides make the same ones.
    pub halves: bool,
}

impl How {
    /// What is so, without what is known of floats.
    pub const PLAIN: How = How { memory: true, signs: false, laws: false, halves: false };
}

/// The question whether all of `asserted`, one bit each, can hold. `reads`: what is known of memory; `opaque`: terms that may be anything.
pub fn script(
    inputs: &Inputs<'_>,
    reads: &[Read],
    asserted: &[TermId],
    opaque: &[TermId],
    how: How,
) -> sassafras_solve::smt::Script {
    let terms = inputs.terms;
    let (names, halves) = Default::default();
    let mut functions = Functions { how, opaque, text: String::new(), names, halves };
    let (order, reads) = needed(inputs, reads, asserted, opaque);
    let mut own = String::new();
    for &t in &order {
        let width = terms.width_of(t);
        let node = terms.node(t);
        if node.is_free() || opaque.contains(&t) {
            let _ = writeln!(own, "(declare-const {t} (_ BitVec {width}))");
            continue;
        }
        let body = match exact(inputs, &node, t) {
            Some(bits) => number(bits, width),
            None => functions.body(terms, t, &|t| t.to_string(), None),
        };
        let _ = writeln!(own, "(define-fun {t} () (_ BitVec {width}) {body})");
    }
    let mut text = functions.text + &own;
    for half in &functions.halves {
        let _ = writeln!(text, "(assert (bvule {half} #xfffffffe00000001))");
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
    sassafras_solve::smt::Script { text, ..Default::default() }
}

/// The functions that a question names, declared or defined before all else.
struct Functions<'o> {
    how: How,
    opaque: &'o [TermId],
    text: String,
    names: BTreeSet<String>,
    /// Products of 32 bits that are made.
    halves: BTreeSet<String>,
}

/// Products of 32 bits, as far as they are known.
const HALF: &str = "\
(declare-fun |half| ((_ BitVec 32) (_ BitVec 32)) (_ BitVec 64))
(define-fun |half product| ((a (_ BitVec 32)) (b (_ BitVec 32))) (_ BitVec 64)
 (ite (or (= a #x00000000) (= b #x00000000)) #x0000000000000000
 (ite (= a #x00000001) (concat #x00000000 b) (ite (= b #x00000001) (concat #x00000000 a)
 (ite (= a #xffffffff) (bvsub (concat b #x00000000) (concat #x00000000 b))
 (ite (= b #xffffffff) (bvsub (concat a #x00000000) (concat #x00000000 a))
 (ite (bvule a b) (|half| a b) (|half| b a))))))))
";

impl Functions<'_> {
    /// A term by its operands, which `name` names. In the law of an operation, `within`, that operation is a function of which
    /// nothing is known.
    fn body(
        &mut self,
        terms: &Terms,
        t: TermId,
        name: &dyn Fn(TermId) -> String,
        within: Option<&str>,
    ) -> String {
        let (node, width) = (terms.node(t), terms.width_of(t));
        let mut list = node.operands();
        // Sums and products commute: without their laws this is known of them.
        if within.is_none() && matches!(node, Node::Float { op: F::Add | F::Mul | F::Fma, .. }) {
            // What may be anything first: it is the same one in what is compared.
            list[..2].sort_unstable_by_key(|t| (!self.opaque.contains(t), *t));
        }
        let operands: Vec<String> = list.iter().map(|o| name(*o)).collect();
        let all = operands.join(" ");
        match &node {
            Node::Constant(bits) => number(*bits, width),
            Node::Unary(op, _) => unary(*op, &all, width),
            Node::Binary(B::Mul, a, b) if self.by_halves(terms, *a, *b) => {
                // A law has terms of its own.
                let opaque = if within.is_none() { self.opaque } else { &[] };
                self.product(width, [*a, *b].map(|t| limbs(terms, t, opaque, name)), within.is_none())
            }
            Node::Binary(op, _, b) if by_unsigned(terms, *op, *b) => quotient(*op, &operands, width),
            Node::Binary(op, ..) => format!("({} {all})", binary(*op)),
            Node::Compare(op, ..) => format!("(ite ({} {all}) #b1 #b0)", compare(*op)),
            Node::Extract { low, .. } => format!("((_ extract {} {low}) {all})", low + width - 1),
            Node::Concat(..) => format!("(concat {all})"),
            Node::Zext(a) => format!("((_ zero_extend {}) {all})", width - terms.width_of(*a)),
            Node::Sext(a) => format!("((_ sign_extend {}) {all})", width - terms.width_of(*a)),
            Node::Ite(..) => format!("(ite (= {} #b1) {} {})", operands[0], operands[1], operands[2]),
            // What is free has no operands; here it is an operand itself.
            Node::Variable(_) | Node::Undef { .. } => name(t),
            // Floats and approximations: some function of their operands, the same for the same operation, format and mode.
            Node::Float { .. }
            | Node::FloatRelation { .. }
            | Node::FloatToFloat { .. }
            | Node::FloatToInt { .. }
            | Node::IntToFloat { .. }
            | Node::Approximate { .. } => {
                let widths: Vec<u32> = node.operands().iter().map(|o| terms.width_of(*o)).collect();
                let function = self.function(&node, &widths, width, within);
                match node {
                    Node::Float { op: F::Mul | F::Fma, .. } if self.how.signs => {
                        let [a, b] = factors(&operands, width);
                        format!("({function} {a} {b} {})", operands[2..].join(" "))
                    }
                    _ => format!("({function} {all})"),
                }
            }
        }
    }

    /// The name of an operation, which is declared, or defined by its law.
    fn function(&mut self, node: &Node, widths: &[u32], width: u32, within: Option<&str>) -> String {
        let name = format!("|{} {widths:?} {width}|", operation(node));
        if self.how.laws && within != Some(&name) {
            let d = Terms::raw();
            let (general, operands) = laws::general(&d, node, widths);
            if let Some(root) = laws::law(&d, &general, width) {
                let defined = name.replacen('|', "|law of ", 1);
                if self.names.insert(defined.clone()) {
                    let text = self.definition(&d, &defined, &name, &operands, root);
                    self.text += &text;
                }
                return defined;
            }
        }
        if self.names.insert(name.clone()) {
            let sorts: Vec<String> = widths.iter().map(|w| format!("(_ BitVec {w})")).collect();
            let _ = writeln!(self.text, "(declare-fun {name} ({}) (_ BitVec {width}))", sorts.join(" "));
        }
        name
    }

    /// A law as a definition: its terms one within the other. What it names is declared on the way, before it.
    fn definition(&mut self, d: &Terms, name: &str, own: &str, operands: &[TermId], root: TermId) -> String {
        let local = |t: TermId| format!("x{}", t.0);
        let sort = |t: TermId| format!("(_ BitVec {})", d.width_of(t));
        let list: Vec<String> = operands.iter().map(|&t| format!("({} {})", local(t), sort(t))).collect();
        let order = d.topological(&[root]);
        let inner: Vec<TermId> = order.into_iter().filter(|t| !operands.contains(t)).collect();
        let mut text = format!("(define-fun {name} ({}) {}", list.join(" "), sort(root));
        for &t in &inner {
            let body = self.body(d, t, &local, Some(own));
            let _ = write!(text, "\n (let (({} {body}))", local(t));
        }
        text + " " + &local(root) + &")".repeat(inner.len() + 1) + "\n"
    }

    /// Whether a product is written by halves: with a constant it is a sum already.
    fn by_halves(&self, terms: &Terms, a: TermId, b: TermId) -> bool {
        let constant = |t: TermId| matches!(terms.node(t), Node::Constant(_));
        self.how.halves && !constant(a) && !constant(b)
    }

    /// The product modulo 2^width: all products of words a[i]·b[j]·2^(32·(i + j)).
    fn product(&mut self, width: u32, [a, b]: [Vec<Limb>; 2], outer: bool) -> String {
        if self.names.insert("|half|".into()) {
            self.text += HALF;
        }
        let mut sum = Vec::new();
        for (i, j) in (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))) {
            let above = 32 * (i + j) as u32;
            if above >= width {
                continue;
            }
            // Which comes first does not hang on the order in the product, so that equal ones are seen to be equal.
            let (x, y) = if a[i].place <= b[j].place { (&a[i], &b[j]) } else { (&b[j], &a[i]) };
            let half = format!("(|half product| {} {})", x.text, y.text);
            if outer {
                self.halves.insert(half.clone());
            }
            let fit = match width {
                64.. => format!("((_ zero_extend {}) {half})", width - 64),
                _ => format!("((_ extract {} 0) {half})", width - 1),
            };
            // By a product with a power of two, so that sums in another order are seen to be equal.
            sum.push(format!("(bvmul {fit} {})", number(1 << above, width)));
        }
        sum.into_iter()
            .reduce(|all, next| format!("(bvadd {all} {next})"))
            .unwrap_or_else(|| number(0, width))
    }
}

/// A word of a number.
struct Limb {
    /// The term that it is part of, and its lowest bit there.
    place: (TermId, u32),
    /// 32 bits.
    text: String,
}

/// The words of a term, the lowest first, without those above that are known to be zero.
fn limbs(terms: &Terms, t: TermId, opaque: &[TermId], name: &dyn Fn(TermId) -> String) -> Vec<Limb> {
    let inner = match terms.node(t) {
        Node::Zext(a) if !opaque.contains(&t) => a,
        _ => t,
    };
    let (width, text) = (terms.width_of(inner), name(inner));
    let word = |low: u32| {
        let high = (low + 31).min(width - 1);
        let bits = format!("((_ extract {high} {low}) {text})");
        Limb {
            place: place(terms, inner, low),
            text: format!("((_ zero_extend {}) {bits})", 31 - (high - low)),
        }
    };
    (0..width).step_by(32).map(word).collect()
}

/// The term that bits are taken from in the end, and the lowest of them there.
pub(super) fn place(terms: &Terms, mut t: TermId, mut low: u32) -> (TermId, u32) {
    loop {
        match terms.node(t) {
            Node::Extract { low: more, a } => (t, low) = (a, low + more),
            Node::Zext(a) if low < terms.width_of(a) => t = a,
            _ => return (t, low),
        }
    }
}

/// The terms that are asked about, those that reads among them come from, and the reads. Operands come first.
pub(super) fn needed(
    inputs: &Inputs<'_>,
    reads: &[Read],
    asserted: &[TermId],
    opaque: &[TermId],
) -> (Vec<TermId>, Vec<Read>) {
    let by_variable: FxHashMap<TermId, Read> = reads.iter().map(|r| (r.variable, *r)).collect();
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
        let node = inputs.terms.node(t);
        if !opaque.contains(&t) && exact(inputs, &node, t).is_none() {
            stack.extend(node.operands().into_iter().map(|o| (o, false)));
        }
        if let Some(r) = by_variable.get(&t) {
            reads.push(*r);
            stack.extend([(r.base, false), (r.version, false)]);
        }
    }
    (order, reads)
}

/// The value of a float operation on constants.
pub(super) fn exact(inputs: &Inputs<'_>, node: &Node, t: TermId) -> Option<u128> {
    if !sassafras_symbolic::float::is_float(node) {
        return None;
    }
    inputs.settled(t)
}

fn number(bits: u128, width: u32) -> String {
    format!("#b{bits:0width$b}", width = width as usize)
}

/// What identifies a float operation: all of the node but its operands, and their widths.
pub(super) fn operation(node: &Node) -> String {
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

/// The factors of a product of floats in one order, the sign of the product at the first (`laws`).
fn factors(operands: &[String], width: u32) -> [String; 2] {
    let (a, b, sign) = (&operands[0], &operands[1], 1 << (width - 1));
    let magnitude = |a: &str| format!("(bvand {a} {})", number(sign - 1, width));
    let (x, y) = (magnitude(a), magnitude(b));
    let less = |x: &str, y: &str| format!("(ite (bvult {x} {y}) {x} {y})");
    let parity = format!("(bvand (bvxor {a} {b}) {})", number(sign, width));
    [format!("(bvor {} {parity})", less(&x, &y)), format!("(ite (bvult {x} {y}) {y} {x})")]
}

/// Whether an operation is written by the unsigned quotient; by a power of two it is easy as it is.
fn by_unsigned(terms: &Terms, op: B, divisor: TermId) -> bool {
    let easy = matches!(terms.node(divisor), Node::Constant(c) if c.is_power_of_two());
    matches!(op, B::URem | B::SDiv | B::SRem) && !easy
}

/// Quotients with a sign and remainders by the unsigned quotient, as SMT-LIB defines them (theory FixedSizeBitVectors, logic QF_BV): so those that
/// are written as such are seen to be the same.
fn quotient(op: B, operands: &[String], width: u32) -> String {
    let (a, b) = (&operands[0], &operands[1]);
    let rest = |a: &str, b: &str| format!("(bvsub {a} (bvmul {b} (bvudiv {a} {b})))");
    if op == B::URem {
        return rest(a, b);
    }
    let sign = |a: &str| format!("((_ extract {0} {0}) {a})", width - 1);
    let under = |sign: &str, a: &str| format!("(ite (= {sign} #b1) (bvneg {a}) {a})");
    let (x, y) = (under(&sign(a), a), under(&sign(b), b));
    match op {
        B::SDiv => {
            let signs = format!("(bvxor {} {})", sign(a), sign(b));
            format!("(let ((q (bvudiv {x} {y}))) {})", under(&signs, "q"))
        }
        _ => format!("(let ((x {x}) (y {y})) (let ((r {})) {}))", rest("x", "y"), under(&sign(a), "r")),
    }
}

pub(super) fn binary(op: B) -> &'static str {
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
