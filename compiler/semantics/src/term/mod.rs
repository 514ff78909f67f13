//! The home of terms: hash-consed nodes of a directed acyclic graph, for proofs.
//!
//! - [`Terms`]: the arena. Equal nodes have one [`TermId`]; operands always have lower ids than their users.
//! - `rules`: the simplifications made when a node is built, one named row each.
//! - `evaluate`: a term's value under an assignment, by the concrete home.
//! - `display`: text. `zero`: bits that are zero by form.
//!
//! Floats and approximate functions are nodes that carry operation, format and mode: a solver may read them as uninterpreted
//! functions or as the exact theory. There is no solver here.

mod display;
mod evaluate;
mod rules;
mod zero;

pub use display::Listing;
pub use rules::{RULES, Rule};

use crate::concrete::{Bits, Concrete};
use crate::domain::{BinaryOp, CompareOp, Domain, FloatMode, FloatOp, FloatRelation, UnaryOp};
use crate::vocabulary::{Approximation, FloatFormat};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// A node of a [`Terms`] arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TermId(pub u32);

impl fmt::Debug for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}
impl fmt::Display for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// Operands of a node.
pub type Operands = SmallVec<[TermId; 3]>;

/// What a node is. Its width is [`Terms::width_of`]. Variables and undefined values mean something in their arena alone, and are not
/// written down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// A constant; written down as hex digits.
    Constant(#[serde(with = "hex")] u128),
    /// A named variable; the name is [`Terms::name`].
    #[serde(skip)]
    Variable(u32),
    /// A value that nothing determines, different at every serial number.
    #[serde(skip)]
    Undef {
        /// Number of the undefined value.
        serial: u32,
        /// Where it comes from.
        #[serde(skip)]
        why: &'static str,
    },
    /// A unary operation.
    Unary(UnaryOp, TermId),
    /// A binary operation.
    Binary(BinaryOp, TermId, TermId),
    /// A comparison.
    Compare(CompareOp, TermId, TermId),
    /// Bits from `low` upwards, as many as the node is wide.
    Extract {
        /// Lowest bit.
        low: u32,
        /// Operand.
        a: TermId,
    },
    /// High and low part.
    Concat(TermId, TermId),
    /// Zero extension.
    Zext(TermId),
    /// Sign extension.
    Sext(TermId),
    /// Condition, value if one, value if zero.
    Ite(TermId, TermId, TermId),
    /// A float operation.
    Float {
        /// Operation.
        op: FloatOp,
        /// Format of operands and result.
        format: FloatFormat,
        /// Rounding, flushing, saturation.
        mode: FloatMode,
        /// Operands.
        args: Operands,
    },
    /// A float relation.
    FloatRelation {
        /// Relation.
        relation: FloatRelation,
        /// Format of operands.
        format: FloatFormat,
        /// Flush operands.
        ftz: bool,
        /// Operands.
        args: [TermId; 2],
    },
    /// A conversion between formats.
    FloatToFloat {
        /// Format of the operand.
        from: FloatFormat,
        /// Format of the result.
        to: FloatFormat,
        /// Rounding, flushing, saturation.
        mode: FloatMode,
        /// Operand.
        a: TermId,
    },
    /// A conversion to an integer of the node's width.
    FloatToInt {
        /// Format of the operand.
        from: FloatFormat,
        /// Signed result.
        signed: bool,
        /// Rounding and flushing.
        mode: FloatMode,
        /// Result for NaN.
        nan: u64,
        /// Operand.
        a: TermId,
    },
    /// A conversion from an integer.
    IntToFloat {
        /// Signed operand.
        signed: bool,
        /// Format of the result.
        to: FloatFormat,
        /// Rounding and saturation.
        mode: FloatMode,
        /// Operand.
        a: TermId,
    },
    /// An approximate function: the same unknown result for the same operand.
    Approximate {
        /// Function.
        function: Approximation,
        /// Flush operand and result.
        ftz: bool,
        /// Operand.
        a: TermId,
    },
}

/// Numbers as hex digits: not every reader of JSON takes those of more than 64 bits.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(bits: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{bits:#x}"))
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<u128, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text.strip_prefix("0x").ok_or_else(|| de::Error::custom("no hex digits"))?;
        u128::from_str_radix(digits, 16).map_err(de::Error::custom)
    }
}

impl Node {
    /// The operands, in order.
    pub fn operands(&self) -> Operands {
        match self {
            Node::Constant(_) | Node::Variable(_) | Node::Undef { .. } => smallvec![],
            Node::Unary(_, a) | Node::Zext(a) | Node::Sext(a) => smallvec![*a],
            Node::Extract { a, .. }
            | Node::FloatToFloat { a, .. }
            | Node::FloatToInt { a, .. }
            | Node::IntToFloat { a, .. }
            | Node::Approximate { a, .. } => smallvec![*a],
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::Concat(a, b) => smallvec![*a, *b],
            Node::Ite(c, a, b) => smallvec![*c, *a, *b],
            Node::Float { args, .. } => args.clone(),
            Node::FloatRelation { args, .. } => smallvec![args[0], args[1]],
        }
    }
    /// The same operation on other operands.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(TermId) -> TermId) -> Node {
        let mut node = self.clone();
        match &mut node {
            Node::Constant(_) | Node::Variable(_) | Node::Undef { .. } => {}
            Node::Unary(_, a)
            | Node::Zext(a)
            | Node::Sext(a)
            | Node::Extract { a, .. }
            | Node::FloatToFloat { a, .. }
            | Node::FloatToInt { a, .. }
            | Node::IntToFloat { a, .. }
            | Node::Approximate { a, .. } => *a = f(*a),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::Concat(a, b) => {
                (*a, *b) = (f(*a), f(*b));
            }
            Node::Ite(c, a, b) => (*c, *a, *b) = (f(*c), f(*a), f(*b)),
            Node::Float { args, .. } => args.iter_mut().for_each(|a| *a = f(*a)),
            Node::FloatRelation { args, .. } => *args = args.map(f),
        }
        node
    }
    /// Whether the node is a variable or an undefined value: something an assignment gives a value to.
    pub fn is_free(&self) -> bool {
        matches!(self, Node::Variable(_) | Node::Undef { .. })
    }
}

#[derive(Debug, Default)]
struct Arena {
    nodes: Vec<(Node, u32)>,
    ids: FxHashMap<(Node, u32), TermId>,
    names: Vec<String>,
    variables: FxHashMap<String, TermId>,
    undefs: u32,
    /// Numbers that the next undefined values have once more.
    again: Range<u32>,
}

/// The arena of terms, and a [`Domain`].
#[derive(Debug)]
pub struct Terms {
    arena: RefCell<Arena>,
    folder: Concrete,
    simplify: bool,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// An empty arena that simplifies.
    pub fn new() -> Terms {
        Terms { arena: RefCell::default(), folder: Concrete::default(), simplify: true }
    }
    /// An empty arena that builds every node as it is asked for: for judging the simplifications and for raw obligations.
    pub fn raw() -> Terms {
        Terms { simplify: false, ..Terms::new() }
    }
    /// The variable of a name. The same name gives the same term.
    ///
    /// # Panics
    /// If the name was used with another width.
    pub fn variable(&self, name: &str, width: u32) -> TermId {
        if let Some(&id) = self.arena.borrow().variables.get(name) {
            assert_eq!(self.width_of(id), width, "variable {name} has two widths");
            return id;
        }
        let mut arena = self.arena.borrow_mut();
        let index = arena.names.len() as u32;
        arena.names.push(name.to_owned());
        let id = arena.intern(Node::Variable(index), width);
        arena.variables.insert(name.to_owned(), id);
        id
    }
    /// The name of a variable.
    pub fn name(&self, variable: u32) -> String {
        self.arena.borrow().names[variable as usize].clone()
    }
    /// The node of a term.
    pub fn node(&self, id: TermId) -> Node {
        self.arena.borrow().nodes[id.0 as usize].0.clone()
    }
    /// The width of a term in bits.
    pub fn width_of(&self, id: TermId) -> u32 {
        self.arena.borrow().nodes[id.0 as usize].1
    }
    /// Does once more what made the undefined values of some numbers, from the first on: as many as it makes now are the same ones, further
    /// ones are new. Within `run` two undefined values are never one.
    pub fn again<R>(&self, numbers: Range<u32>, run: impl FnOnce() -> R) -> R {
        self.arena.borrow_mut().again = numbers;
        let result = run();
        self.arena.borrow_mut().again = 0..0;
        result
    }
    /// Number of terms made.
    pub fn len(&self) -> usize {
        self.arena.borrow().nodes.len()
    }
    /// Whether no term was made.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// All terms that the roots are made of, operands before users, each once.
    pub fn topological(&self, roots: &[TermId]) -> Vec<TermId> {
        let arena = self.arena.borrow();
        let mut seen = vec![false; roots.iter().map(|r| r.0 as usize + 1).max().unwrap_or(0)];
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.0 as usize], true) {
                stack.extend(arena.nodes[id.0 as usize].0.operands());
            }
        }
        // Operands have lower ids than their users.
        (0..seen.len() as u32).filter(|&i| seen[i as usize]).map(TermId).collect()
    }
    /// Variables and undefined values that the roots depend on.
    pub fn free(&self, roots: &[TermId]) -> Vec<TermId> {
        self.topological(roots).into_iter().filter(|&t| self.node(t).is_free()).collect()
    }
    /// The term of a node: folded if its operands are constants, simplified by [`RULES`], else interned.
    pub fn make(&self, node: Node, width: u32) -> TermId {
        if self.simplify {
            if let Some(bits) = self.fold(&node, width) {
                return self.arena.borrow_mut().intern(Node::Constant(bits.bits()), width);
            }
            for rule in RULES {
                if let Some(id) = (rule.apply)(self, &node, width) {
                    debug_assert_eq!(self.width_of(id), width, "rule {}", rule.name);
                    return id;
                }
            }
        }
        self.arena.borrow_mut().intern(node, width)
    }
    fn fold(&self, node: &Node, width: u32) -> Option<Bits> {
        // A relation is not a function of its operand's bits.
        if matches!(node, Node::Approximate { .. }) || node.is_free() {
            return None;
        }
        let args: Option<SmallVec<[Bits; 3]>> = node
            .operands()
            .iter()
            .map(|&a| Some(Bits::new(self.width_of(a), self.as_constant(&a)?)))
            .collect();
        Some(evaluate::node(&self.folder, node, width, &args?))
    }
}

impl Arena {
    fn intern(&mut self, node: Node, width: u32) -> TermId {
        debug_assert!((1..=128).contains(&width), "{node:?} of width {width}");
        let next = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        *self.ids.entry((node, width)).or_insert_with_key(|key| {
            self.nodes.push(key.clone());
            next
        })
    }
}

impl Domain for Terms {
    type V = TermId;

    fn width(&self, a: &TermId) -> u32 {
        self.width_of(*a)
    }
    fn constant(&self, width: u32, bits: u128) -> TermId {
        self.arena.borrow_mut().intern(Node::Constant(Bits::new(width, bits).bits()), width)
    }
    fn as_constant(&self, a: &TermId) -> Option<u128> {
        match self.arena.borrow().nodes[a.0 as usize].0 {
            Node::Constant(bits) => Some(bits),
            _ => None,
        }
    }
    fn undef(&self, width: u32, why: &'static str) -> TermId {
        let mut arena = self.arena.borrow_mut();
        let serial = arena.again.next().unwrap_or(arena.undefs);
        arena.undefs = arena.undefs.max(serial + 1);
        arena.intern(Node::Undef { serial, why }, width)
    }
    fn unary(&self, op: UnaryOp, a: &TermId) -> TermId {
        self.make(Node::Unary(op, *a), self.width_of(*a))
    }
    fn binary(&self, op: BinaryOp, a: &TermId, b: &TermId) -> TermId {
        debug_assert_eq!(self.width_of(*a), self.width_of(*b), "{op:?}");
        self.make(Node::Binary(op, *a, *b), self.width_of(*a))
    }
    fn compare(&self, op: CompareOp, a: &TermId, b: &TermId) -> TermId {
        debug_assert_eq!(self.width_of(*a), self.width_of(*b), "{op:?}");
        self.make(Node::Compare(op, *a, *b), 1)
    }
    fn extract(&self, a: &TermId, low: u32, width: u32) -> TermId {
        debug_assert!(low + width <= self.width_of(*a), "extract {width} bits from {low}");
        self.make(Node::Extract { low, a: *a }, width)
    }
    fn concat(&self, high: &TermId, low: &TermId) -> TermId {
        self.make(Node::Concat(*high, *low), self.width_of(*high) + self.width_of(*low))
    }
    fn zext(&self, a: &TermId, width: u32) -> TermId {
        debug_assert!(width >= self.width_of(*a));
        if width == self.width_of(*a) { *a } else { self.make(Node::Zext(*a), width) }
    }
    fn sext(&self, a: &TermId, width: u32) -> TermId {
        debug_assert!(width >= self.width_of(*a));
        if width == self.width_of(*a) { *a } else { self.make(Node::Sext(*a), width) }
    }
    fn ite(&self, condition: &TermId, a: &TermId, b: &TermId) -> TermId {
        debug_assert!(self.width_of(*condition) == 1 && self.width_of(*a) == self.width_of(*b));
        self.make(Node::Ite(*condition, *a, *b), self.width_of(*a))
    }
    fn float(&self, op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[&TermId]) -> TermId {
        let args = args.iter().map(|a| **a).collect();
        self.make(Node::Float { op, format, mode, args }, format.width())
    }
    fn float_relation(
        &self,
        relation: FloatRelation,
        format: FloatFormat,
        ftz: bool,
        a: &TermId,
        b: &TermId,
    ) -> TermId {
        self.make(Node::FloatRelation { relation, format, ftz, args: [*a, *b] }, 1)
    }
    fn float_to_float(&self, from: FloatFormat, to: FloatFormat, mode: FloatMode, a: &TermId) -> TermId {
        self.make(Node::FloatToFloat { from, to, mode, a: *a }, to.width())
    }
    fn float_to_int(
        &self,
        from: FloatFormat,
        signed: bool,
        width: u32,
        mode: FloatMode,
        nan: u64,
        a: &TermId,
    ) -> TermId {
        self.make(Node::FloatToInt { from, signed, mode, nan, a: *a }, width)
    }
    fn int_to_float(&self, signed: bool, to: FloatFormat, mode: FloatMode, a: &TermId) -> TermId {
        self.make(Node::IntToFloat { signed, to, mode, a: *a }, to.width())
    }
    fn approximate(&self, function: Approximation, ftz: bool, a: &TermId) -> TermId {
        self.make(Node::Approximate { function, ftz, a: *a }, 32)
    }
}

#[cfg(test)]
mod tests;
