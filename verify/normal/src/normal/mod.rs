//! The normal form of terms: what differs only in how it was computed becomes one term.
//!
//! Numbers are polynomials over atoms ([`poly`]), so that sums by halves with carries, shifted sums and products by parts meet
//! the 64-bit sums and products they stand for. Bitwise functions and conditions are decision diagrams ([`boolean`]) over
//! slices. Each rewrite is a row of [`rows`] with a proof; a node that no row knows keeps its operation, over
//! operands in normal form.
//!
//! - `trace`: what was rewritten on the way; `lift`: sums in another width, for those who ask. `number`: polynomials to terms and back; carries, slices and selections rejoined.
//! - `quotient`: quotients and remainders. `slice`: bits of numbers; `widen`: longer ones of which they are bits. `bitwise`: and, or, exclusive or, conditions; `given`: what is known where a condition holds; `chosen`: terms without what nobody chooses, for those who ask.
//! - `executed`: back from normal forms. `compare`: comparisons. `float`: the algebra of uninterpreted float operations; `relation`: relations of floats; `convert`: of conversions.

mod bitwise;
pub mod boolean;
mod chosen;
mod compare;
mod convert;
mod executed;
mod float;
mod given;
mod lift;
mod noted;
mod number;
pub mod poly;
mod quotient;
mod relation;
pub mod rows;
mod segment;
mod slice;
#[cfg(test)]
mod tests;
mod told;
pub mod trace;
mod widen;

use boolean::{Diagram, Diagrams};
use poly::Poly;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, Domain, TermId, Terms, UnaryOp as U};
use sassafras_solve::limit;
use sassafras_solve::simplify::Simplify;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Most summands of a product that is multiplied out.
const MOST: usize = 64;

/// Brings the terms of an arena to normal form, within the same arena.
#[derive(Debug)]
pub struct Normal<'t> {
    terms: &'t Terms,
    /// Terms and their normal forms.
    memo: RefCell<FxHashMap<TermId, TermId>>,
    /// Normal forms that are not atoms, as polynomials.
    polys: RefCell<FxHashMap<TermId, Rc<Poly>>>,
    built: RefCell<FxHashMap<Poly, TermId>>,
    /// Normal forms that are bitwise functions.
    functions: RefCell<FxHashMap<TermId, Diagram>>,
    diagrams: RefCell<Diagrams>,
    /// Normal forms of more than one bit and their complements.
    complements: RefCell<FxHashMap<TermId, TermId>>,
    slices: RefCell<FxHashMap<(TermId, u32, u32), TermId>>,
    /// Bits of sums: of which, and from where on.
    cut_from: RefCell<FxHashMap<TermId, Vec<(TermId, u32)>>>,
    /// Those of which it was told why they are what they are.
    told: RefCell<FxHashSet<(TermId, u32, u32)>>,
    /// Bitwise functions that were made piece by piece: their pieces.
    pieces: RefCell<FxHashMap<TermId, Rc<[segment::Segment]>>>,
    /// Normal forms that are known to be other ones.
    known: RefCell<FxHashMap<TermId, TermId>>,
    /// The same of bits of numbers, wherever they are taken.
    known_bits: RefCell<FxHashMap<TermId, TermId>>,
    /// Normal forms, and the first term that became each: equal, whatever is free.
    executed: RefCell<FxHashMap<TermId, TermId>>,
    /// Whether terms are replaced at the moment.
    replaces: Cell<bool>,
    /// What was rewritten on the way, if somebody wants to know.
    trace: noted::Trace,
}

impl Simplify for Normal<'_> {
    fn is_active(&self) -> bool {
        true
    }
    fn of(&self, term: TermId) -> TermId {
        Normal::of(self, term)
    }
    fn executed(&self, term: TermId) -> TermId {
        Normal::executed(self, term)
    }
    fn bits(&self, term: TermId, low: u32, width: u32) -> TermId {
        Normal::bits(self, term, low, width)
    }
    fn parts(&self, term: TermId) -> Vec<(u32, u32, TermId)> {
        Normal::parts(self, term)
    }
    fn cases(&self, term: TermId) -> Option<Vec<(TermId, u128)>> {
        Normal::cases(self, term)
    }
    fn given(&self, term: TermId, condition: TermId) -> TermId {
        Normal::given(self, term, condition)
    }
    fn replace(&self, pairs: &FxHashMap<TermId, TermId>) {
        Normal::replace(self, pairs);
    }
    fn declare(&self, pairs: &FxHashMap<TermId, TermId>) {
        Normal::declare(self, pairs);
    }
}

impl<'t> Normal<'t> {
    /// The normal form in an arena, for those who run programs over its terms.
    pub fn boxed(terms: &'t Terms) -> Box<dyn Simplify + 't> {
        Box::new(Normal::new(terms))
    }

    /// The normal form in an arena.
    pub fn new(terms: &'t Terms) -> Normal<'t> {
        Normal {
            terms,
            memo: RefCell::default(),
            polys: RefCell::default(),
            built: RefCell::default(),
            functions: RefCell::default(),
            diagrams: RefCell::default(),
            complements: RefCell::default(),
            slices: RefCell::default(),
            cut_from: RefCell::default(),
            told: RefCell::default(),
            pieces: RefCell::default(),
            known: RefCell::default(),
            known_bits: RefCell::default(),
            executed: RefCell::default(),
            replaces: Cell::new(false),
            trace: noted::Trace::default(),
        }
    }

    /// The normal form of a term.
    pub fn of(&self, term: TermId) -> TermId {
        let mut stack = vec![(term, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.memo.borrow().contains_key(&t) {
                continue;
            }
            let node = self.terms.node(t);
            if ready {
                let mark = self.mark();
                limit::spend(1);
                let mut made = self.rebuild(&node, self.terms.width_of(t), t);
                if let Some(known) = self.known.borrow().get(&made).copied() {
                    let now = |o| self.memo.borrow()[&o];
                    self.note_since(mark, || (self.terms.make(node.map(now), self.terms.width_of(t)), made));
                    self.note(|| (made, known));
                    made = known;
                }
                self.memo.borrow_mut().insert(t, made);
                self.memo.borrow_mut().insert(made, made);
                if !self.replaces.get() {
                    self.executed.borrow_mut().entry(made).or_insert(t);
                }
            } else {
                stack.push((t, true));
                stack.extend(node.operands().into_iter().map(|o| (o, false)));
            }
        }
        self.memo.borrow()[&term]
    }

    /// Declares that a term, a normal form, is to be replaced by another wherever it is met from now on. What was
    /// normalised before is forgotten.
    pub fn replace(&self, pairs: &FxHashMap<TermId, TermId>) {
        self.replaces.set(!pairs.is_empty());
        self.memo.borrow_mut().clear();
        self.memo.borrow_mut().extend(pairs.iter().map(|(a, b)| (*a, *b)));
    }

    /// Declares that terms, normal forms, are others: whatever becomes one of them from now on is its partner.
    pub fn declare(&self, pairs: &FxHashMap<TermId, TermId>) {
        self.known.borrow_mut().extend(pairs.iter().map(|(a, b)| (*a, *b)));
        self.memo.borrow_mut().clear();
    }

    /// The same of bits of a number, also where a row takes them from it.
    pub fn declare_bits(&self, bits: TermId, partner: TermId) {
        self.known_bits.borrow_mut().insert(bits, partner);
        self.declare(&[(bits, partner)].into_iter().collect());
    }

    /// A normal form as runs of bits from the lowest: lowest bit, width, value.
    pub fn parts(&self, t: TermId) -> Vec<(u32, u32, TermId)> {
        self.runs_of(t).into_iter().map(|s| (s.low, s.width, s.bits)).collect()
    }

    /// Bits of a normal form.
    pub fn bits(&self, t: TermId, low: u32, width: u32) -> TermId {
        self.slice(t, low, width)
    }

    /// A normal form that is one of a few constants: each with the condition under which it is.
    pub fn cases(&self, t: TermId) -> Option<Vec<(TermId, u128)>> {
        let d = self.terms;
        if let Some(c) = self.known(t) {
            return Some(vec![(d.yes(), c)]);
        }
        if let Some((c, one, zero)) = self.choice(&self.poly(t)) {
            return Some(vec![(c, one), (self.complement(c), zero)]);
        }
        let Node::Ite(c, a, b) = d.node(t) else { return None };
        let (yes, no) = (self.cases(a)?, self.cases(b)?);
        let not = self.complement(c);
        let under = |by: TermId, list: Vec<(TermId, u128)>| {
            list.into_iter().map(move |(e, v)| (self.bitwise(B::And, by, e), v))
        };
        Some(under(c, yes).chain(under(not, no)).collect())
    }

    fn known(&self, t: TermId) -> Option<u128> {
        self.terms.as_constant(&t)
    }

    fn width(&self, t: TermId) -> u32 {
        self.terms.width_of(t)
    }

    fn rebuild(&self, node: &Node, width: u32, itself: TermId) -> TermId {
        let d = self.terms;
        let of = |t: &TermId| self.memo.borrow()[t];
        match node {
            Node::Constant(_) | Node::Variable(_) | Node::Undef { .. } => itself,
            Node::Unary(op, a) => {
                let a = of(a);
                match op {
                    U::Not => self.complement(a),
                    U::Neg if width == 1 => a,
                    U::Neg => self.number_of(|| d.neg(&a), self.poly(a).scaled(u128::MAX)),
                    U::Popcount | U::LeadingZeros | U::Reverse => d.unary(*op, &a),
                }
            }
            Node::Binary(op, a, b) => self.binary(*op, of(a), of(b), width),
            Node::Compare(op, a, b) => self.compare(*op, of(a), of(b)),
            Node::Extract { low, a } => self.slice(of(a), *low, width),
            Node::Concat(h, l) => self.concat(of(h), of(l)),
            Node::Zext(a) => self.zext(of(a), width),
            Node::Sext(a) => self.sext(of(a), width),
            Node::Ite(c, a, b) => self.select(of(c), of(a), of(b)),
            other => self.float_node(other, width, &of),
        }
    }

    fn binary(&self, op: B, a: TermId, b: TermId, width: u32) -> TermId {
        let d = self.terms;
        match (op, self.known(b)) {
            (B::And | B::Or | B::Xor, _) => self.bitwise(op, a, b),
            (B::Add | B::Sub, _) if width == 1 => self.bitwise(B::Xor, a, b),
            (B::Mul, _) if width == 1 => self.bitwise(B::And, a, b),
            (B::Add | B::Sub, _) => {
                let mut p = (*self.poly(a)).clone();
                p.plus_scaled(&self.poly(b), if op == B::Add { 1 } else { u128::MAX });
                self.number_of(|| d.binary(op, &a, &b), p)
            }
            (B::Mul, _) => match self.limbs(a).times(&self.limbs(b), MOST) {
                Some(p) => {
                    let (x, y) = (self.note_limbs(a), self.note_limbs(b));
                    self.number_of(|| d.mul(&x, &y), p)
                }
                None => d.mul(&a.min(b), &a.max(b)),
            },
            // Row `shift-constant`: counts at the width and beyond give zero, or copies of the sign.
            (B::Shl, Some(c)) if width > 1 => {
                let scale = if c >= u128::from(width) { 0 } else { 1 << c };
                self.number_of(|| d.binary(op, &a, &b), self.poly(a).scaled(scale))
            }
            (B::LShr, Some(c)) if c >= u128::from(width) => d.constant(width, 0),
            (B::LShr, Some(c)) => self.zext(self.slice(a, c as u32, width - c as u32), width),
            (B::AShr, Some(c)) => {
                let c = c.min(u128::from(width - 1)) as u32;
                self.sext(self.slice(a, c, width - c), width)
            }
            (B::UDiv, Some(c)) if c.is_power_of_two() && width > 1 => {
                let k = c.trailing_zeros();
                self.zext(self.slice(a, k, width - k), width)
            }
            (B::URem, Some(c)) if c.is_power_of_two() && c > 1 => {
                self.zext(self.slice(a, 0, c.trailing_zeros()), width)
            }
            (B::UDiv | B::URem | B::SDiv | B::SRem, _) => self.divide(op, a, b, width),
            (B::Shl | B::LShr | B::AShr, None) => {
                let t = d.binary(op, &a, &self.count(op, b, width));
                self.memo.borrow_mut().insert(t, t);
                t
            }
            _ => d.binary(op, &a, &b),
        }
    }

    /// Row `shift-count`: a count that is the least of a number and one that shifts everything out is that number.
    fn count(&self, op: B, count: TermId, width: u32) -> TermId {
        let d = self.terms;
        let enough = if op == B::AShr { width - 1 } else { width };
        let extended = self.extended(count).unwrap_or(count);
        let Node::Ite(c, x, most) = d.node(extended) else { return count };
        let Node::Compare(sassafras_semantics::CompareOp::ULt, y, bound) = d.node(c) else { return count };
        let (Some(most), Some(bound)) = (self.known(most), self.known(bound)) else { return count };
        let same = x == y || self.extended(x) == Some(y);
        if same && most >= enough.into() && bound == most + 1 { self.zext(x, width) } else { count }
    }

    fn concat(&self, high: TermId, low: TermId) -> TermId {
        let n = self.width(low);
        let mut p = self.lifted(low, n + self.width(high));
        p.plus_scaled(&self.lifted(high, n + self.width(high)), 1 << n);
        self.number_of(|| self.terms.concat(&high, &low), p)
    }

    fn zext(&self, a: TermId, width: u32) -> TermId {
        if width == self.width(a) {
            a
        } else {
            self.number_of(|| self.terms.zext(&a, width), self.lifted(a, width))
        }
    }

    /// Row `sign-extension`.
    fn sext(&self, a: TermId, width: u32) -> TermId {
        let n = self.width(a);
        if n == width {
            return a;
        }
        let mut p = self.lifted(a, width);
        let sign = self.lifted(self.slice(a, n - 1, 1), width);
        p.plus_scaled(&sign, (1u128 << n).wrapping_neg());
        self.number_of(|| self.terms.sext(&a, width), p)
    }
}
