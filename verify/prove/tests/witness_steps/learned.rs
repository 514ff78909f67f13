//! What an attacker knows of the checker's terms, and steps that are being written.

use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Bits, CompareOp as C, Concrete, TermId, Terms, UnaryOp as U};
use sassafras_witness::rewrite::{Made, Rewrite, Rewrites};
use std::collections::BTreeMap;

/// What an attacker knows of a pair.
#[derive(Debug)]
pub struct Learned {
    pub terms: u32,
    pub known: Vec<u32>,
    /// Bits that must never be one.
    pub roots: Vec<u32>,
    /// Nodes and widths; variables and what is not read here are none.
    pub nodes: BTreeMap<u32, (Option<Node>, u32)>,
}

impl Learned {
    pub fn line(&mut self, line: &str) {
        let number = |s: &str| s.strip_prefix('t').and_then(|n| n.parse::<u32>().ok());
        let words: Vec<&str> = line.split(|c| " ()".contains(c)).filter(|w| !w.is_empty()).collect();
        let (t, width, body) = match &words[..] {
            ["declare-const", t, "_", "BitVec", w] => (number(t), w.parse(), &[][..]),
            ["define-fun", t, "_", "BitVec", w, body @ ..] => (number(t), w.parse(), body),
            _ => return,
        };
        let (Some(t), Ok(width)) = (t, width) else { return };
        self.nodes.entry(t).or_insert_with(|| (node(body), width));
    }

    /// Own terms of a width.
    pub fn of(&self, width: u32) -> Vec<u32> {
        self.nodes.iter().filter(|(t, n)| **t < self.terms && n.1 == width).map(|(t, _)| *t).collect()
    }

    pub fn free(&self, width: u32) -> Vec<u32> {
        self.of(width).into_iter().filter(|t| self.nodes[t].0.is_none()).collect()
    }
}

/// A term by its text.
fn node(words: &[&str]) -> Option<Node> {
    let id = |s: &str| s.strip_prefix('t').and_then(|n| n.parse().ok()).map(TermId);
    Some(match words {
        [bits] if bits.starts_with("#b") => Node::Constant(u128::from_str_radix(&bits[2..], 2).ok()?),
        ["bvnot", a] => Node::Unary(U::Not, id(a)?),
        ["bvneg", a] => Node::Unary(U::Neg, id(a)?),
        ["concat", a, b] => Node::Concat(id(a)?, id(b)?),
        ["_", "extract", _, low, a] => Node::Extract { low: low.parse().ok()?, a: id(a)? },
        ["_", "zero_extend", _, a] => Node::Zext(id(a)?),
        ["_", "sign_extend", _, a] => Node::Sext(id(a)?),
        ["ite", "=", c, "#b1", a, b] if a.starts_with('t') => Node::Ite(id(c)?, id(a)?, id(b)?),
        ["ite", op, a, b, "#b1", "#b0"] => {
            let ops =
                [("=", C::Eq), ("bvult", C::ULt), ("bvule", C::ULe), ("bvslt", C::SLt), ("bvsle", C::SLe)];
            Node::Compare(ops.iter().find(|o| o.0 == *op)?.1, id(a)?, id(b)?)
        }
        [op, a, b] => {
            let ops = [
                ("bvadd", B::Add),
                ("bvsub", B::Sub),
                ("bvmul", B::Mul),
                ("bvand", B::And),
                ("bvor", B::Or),
                ("bvxor", B::Xor),
                ("bvshl", B::Shl),
                ("bvlshr", B::LShr),
                ("bvashr", B::AShr),
            ];
            Node::Binary(ops.iter().find(|o| o.0 == *op)?.1, id(a)?, id(b)?)
        }
        _ => return None,
    })
}

/// The numbers of the bits that a question asserts.
pub fn asserted(text: &str) -> Vec<u32> {
    let bit = |l: &str| l.strip_prefix("(assert (= t")?.strip_suffix(" #b1))")?.parse().ok();
    text.lines().filter_map(bit).collect()
}

/// Steps that are being written.
#[derive(Clone)]
pub struct Writer(pub Rewrites);

impl Writer {
    pub fn new(known: &Learned) -> Writer {
        Writer(Rewrites { terms: known.terms, ..Rewrites::default() })
    }

    pub fn make(&mut self, node: Node, width: u32) -> u32 {
        self.0.made.push(Made { node, width });
        self.0.terms + self.0.made.len() as u32 - 1
    }

    pub fn constant(&mut self, bits: u128, width: u32) -> u32 {
        self.make(Node::Constant(bits), width)
    }

    pub fn binary(&mut self, op: B, a: u32, b: u32, width: u32) -> u32 {
        self.make(Node::Binary(op, TermId(a), TermId(b)), width)
    }

    pub fn step(mut self, from: u32, to: u32, opaque: &[u32], by: &[usize], fact: bool) -> Writer {
        self.0.steps.push(Rewrite { opaque: opaque.to_vec(), by: by.to_vec(), fact, ..step(from, to) });
        self
    }
}

impl Writer {
    /// A term of the checker, made anew where it makes it itself only later.
    pub fn own(&mut self, known: &Learned, t: u32) -> Option<u32> {
        if t < self.0.terms {
            return Some(t);
        }
        let (node, width) = known.nodes.get(&t)?.clone();
        let mut whole = true;
        let node = node?.map(|o| {
            let made = self.own(known, o.0);
            whole &= made.is_some();
            TermId(made.unwrap_or(0))
        });
        whole.then(|| self.make(node, width))
    }
}

pub fn step(from: u32, to: u32) -> Rewrite {
    Rewrite { at: 0, from, to, opaque: Vec::new(), by: Vec::new(), fact: false }
}

/// Whether running the terms shows that a step that always holds, whatever its opaque terms are, does not.
pub fn runs_apart(known: &Learned, rewrites: &Rewrites, step: &Rewrite) -> bool {
    let home = Concrete::default();
    (0..64u64).any(|seed| {
        let drawn = |t: u32, width: u32| {
            let x = (seed << 32 | u64::from(t)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let x = u128::from(x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9_94d0_49bb_1331_11eb);
            // Small numbers and equal ones too.
            Bits::new(width, if seed % 4 == 0 { x >> 120 & 3 } else { x >> 64 ^ x << 64 })
        };
        let mut values: BTreeMap<u32, Option<Bits>> = BTreeMap::new();
        let made = (rewrites.terms..).zip(rewrites.made.iter().map(|m| (Some(m.node.clone()), m.width)));
        let own = known.nodes.iter().filter(|(t, _)| **t < rewrites.terms).map(|(t, n)| (*t, n.clone()));
        for (t, (node, width)) in own.chain(made) {
            let operands = |n: &Node| -> Option<Vec<Bits>> {
                n.operands().iter().map(|o| values.get(&o.0).copied().flatten()).collect()
            };
            let value = match node {
                _ if step.opaque.contains(&t) => Some(drawn(t, width)),
                None => known.free(width).contains(&t).then(|| drawn(t, width)),
                Some(n) => operands(&n).map(|all| Terms::apply(&home, &n, width, &all)),
            };
            values.insert(t, value);
        }
        let value = |t: u32| values.get(&t).copied().flatten();
        value(step.from).zip(value(step.to)).is_some_and(|(a, b)| a != b)
    })
}
