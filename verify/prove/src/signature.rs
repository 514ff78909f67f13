//! Signatures: the values of terms on many inputs. Terms that are equal have equal ones; of those that are not, most differ.

use rustc_hash::FxHashMap;
use sassafras_execute::order::hash;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::{Concrete, TermId, Terms};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Inputs that are drawn.
const INPUTS: u64 = 96;

/// The values of a term on all inputs.
pub(crate) type Signature = Vec<u128>;

/// Values of terms, each computed once.
pub(crate) struct Signatures<'t> {
    terms: &'t Terms,
    /// Values of variables; zero for those that are not there. What is added here, signatures grow by.
    pub inputs: Vec<BTreeMap<TermId, u128>>,
    known: FxHashMap<TermId, Signature>,
}

impl<'t> Signatures<'t> {
    /// On inputs that are drawn for some variables.
    pub fn drawn(terms: &'t Terms, variables: &[TermId]) -> Signatures<'t> {
        let of =
            |seed: u64| variables.iter().map(move |v| (*v, value(seed, v.0))).collect::<BTreeMap<_, _>>();
        Signatures { terms, inputs: (0..INPUTS).map(of).collect(), known: FxHashMap::default() }
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
            let new: Vec<u128> = (have..self.inputs.len())
                .map(|i| match node.is_free() {
                    true => Bits::new(width, self.inputs[i].get(&t).copied().unwrap_or(0)).bits(),
                    false => {
                        let of = |o: &TermId| Bits::new(d.width_of(*o), self.known[o][i]);
                        let operands: SmallVec<[Bits; 3]> = operands.iter().map(of).collect();
                        Terms::apply(&home, &node, width, &operands).bits()
                    }
                })
                .collect();
            self.known.entry(t).or_default().extend(new);
        }
        self.known[&t].clone()
    }
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
