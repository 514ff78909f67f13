//! Signatures: the values of terms on many inputs. Terms that are equal have equal ones; of those that are not, most differ.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::draw::hash;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Concrete, TermId, Terms};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Inputs that are drawn.
const INPUTS: u64 = 96;

/// The values of a term on all inputs.
pub type Signature = Vec<u128>;

/// Values of terms, each computed once.
pub struct Signatures<'t> {
    terms: &'t Terms,
    /// Values of variables; zero for those that are not there. What is added here, signatures grow by.
    pub inputs: Vec<BTreeMap<TermId, u128>>,
    /// Whether what a solver takes for some function has values of some function.
    vary: bool,
    known: FxHashMap<TermId, Signature>,
    /// Terms that hang on approximations, of those that are known.
    estimates: FxHashSet<TermId>,
}

impl<'t> Signatures<'t> {
    /// On inputs that are drawn for some variables.
    pub fn drawn(terms: &'t Terms, variables: &[TermId]) -> Signatures<'t> {
        let of =
            |seed: u64| variables.iter().map(move |v| (*v, value(seed, v.0))).collect::<BTreeMap<_, _>>();
        Signatures {
            terms,
            inputs: (0..INPUTS).map(of).collect(),
            vary: false,
            known: FxHashMap::default(),
            estimates: FxHashSet::default(),
        }
    }

    /// The same, where what a solver takes for some function of its operand has values as some function would: what only holds of the
    /// chip's function is not shown. Not where inputs are added: what has one value on some need not on more.
    pub fn varied(self) -> Signatures<'t> {
        Signatures { vary: true, ..self }
    }

    /// Keeps some of the inputs, asked in their order.
    pub fn keep(&mut self, mut is_kept: impl FnMut() -> bool) {
        self.inputs.retain(|_| is_kept());
        self.known.clear();
    }

    /// The values of a term.
    pub fn of(&mut self, t: TermId) -> Signature {
        let (d, home) = (self.terms, Concrete::default());
        let mut stack = vec![t];
        while let Some(&t) = stack.last() {
            let have = self.known.get(&t).map_or(0, Vec::len);
            if have == self.inputs.len() {
                stack.pop();
                continue;
            }
            let (node, width) = (d.node(t), d.width_of(t));
            let operands = node.operands();
            let before = stack.len();
            let lacks = |o: &TermId| self.known.get(o).map_or(0, Vec::len) < self.inputs.len();
            stack.extend(operands.iter().copied().filter(lacks));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let varies = self.vary && self.varies(t, &node, &operands);
            let new: Vec<u128> = (have..self.inputs.len())
                .map(|i| match node.is_free() {
                    true => Bits::new(width, self.inputs[i].get(&t).copied().unwrap_or(0)).bits(),
                    false => {
                        let of = |o: &TermId| Bits::new(d.width_of(*o), self.known[o][i]);
                        let operands: SmallVec<[Bits; 3]> = operands.iter().map(of).collect();
                        let value = Terms::apply(&home, &node, width, &operands).bits();
                        if varies { Bits::new(width, altered(i as u64, value)).bits() } else { value }
                    }
                })
                .collect();
            self.known.entry(t).or_default().extend(new);
        }
        self.known[&t].clone()
    }

    /// Whether what a solver takes for some function of its operand is taken so: an approximation of a constant, and what is made of one, as a whole number.
    fn varies(&mut self, t: TermId, node: &Node, operands: &[TermId]) -> bool {
        let of_estimate = operands.iter().any(|o| self.estimates.contains(o));
        let is_estimate = matches!(node, Node::Approximate { .. });
        if of_estimate || is_estimate {
            self.estimates.insert(t);
        }
        match node {
            Node::Approximate { a, .. } => self.known[a].windows(2).all(|two| two[0] == two[1]),
            Node::FloatToInt { .. } => of_estimate,
            _ => false,
        }
    }
}

/// What is in the place of a value on an input: another in some of its lower bits. How many they are differs, since what makes an estimate better step by
/// step hides what is too near and too far.
fn altered(seed: u64, value: u128) -> u128 {
    let drawn = hash(seed, &[value as u64]);
    value ^ u128::from(hash(drawn, &[1]) >> (drawn % 64))
}

/// A number for a variable: small ones and ends are frequent.
fn value(seed: u64, id: u32) -> u128 {
    let h = hash(seed, &[u64::from(id)]);
    let wide = u128::from(hash(h, &[1])) << 64 | u128::from(hash(h, &[2]));
    match h % 8 {
        0 => [0, 1, u128::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 1 << 63][(h >> 8) as usize % 8],
        1 | 2 => wide % 64,
        3 => 1 << (wide % 64),
        4 => ((wide % 64) << 32) | ((wide >> 8) % 64),
        _ => wide,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_semantics::{Approximation, BinaryOp, Domain, FloatFormat, FloatMode, Rounding};

    /// An approximation of a constant, and what is made of an estimate as a whole number, have many values where they vary, and the same for the
    /// same; what hangs on no estimate has its own.
    #[test]
    fn estimates_vary_as_functions_do() {
        let d = Terms::raw();
        let mode = FloatMode { rounding: Rounding::Zero, ftz: false, sat: false };
        let rcp = |a| d.make(Node::Approximate { function: Approximation::Rcp, ftz: true, a }, 32);
        let whole =
            |a| d.make(Node::FloatToInt { from: FloatFormat::F32, signed: false, mode, nan: 0, a }, 64);
        let (seven, x) = (d.constant(32, 0x40e0_0000), d.variable("x", 32));
        let is_one = |t: &Signature| t.windows(2).all(|two| two[0] == two[1]);
        let mut plain = Signatures::drawn(&d, &[x]);
        let mut varied = Signatures::drawn(&d, &[x]).varied();
        let of_seven = rcp(seven);
        assert!(is_one(&plain.of(of_seven)) && !is_one(&varied.of(of_seven)));
        let again = rcp(d.binary(BinaryOp::Or, &seven, &d.constant(32, 0)));
        assert_ne!(again, of_seven);
        assert_eq!(varied.of(again), varied.of(of_seven));
        let of_x = d.binary(BinaryOp::Add, &rcp(x), &d.constant(32, 0x0fff_fffe));
        assert_eq!(plain.of(of_x), varied.of(of_x));
        assert_ne!(plain.of(whole(of_x)), varied.of(whole(of_x)));
        assert_eq!(plain.of(whole(x)), varied.of(whole(x)));
        // Of a word that is no estimate nothing is made up.
        assert_eq!(varied.of(d.extract(&of_seven, 0, 32)), varied.of(of_seven));
    }
}
