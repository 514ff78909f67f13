//! Values of terms on drawn inputs, for a guess of what both sides hold alike.

use rustc_hash::FxHashMap;
use sassafras_execute::order::hash;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::{Concrete, TermId, Terms};
use sassafras_solve::read::Read;
use sassafras_symbolic::cut::Key;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::heads::Arrival;

/// Inputs on which values are compared.
pub const SEEDS: u64 = 6;

/// Values of terms on drawn inputs.
pub struct Evaluator {
    values: Vec<FxHashMap<TermId, Bits>>,
}

/// What an input is on one of the draws, in its lowest `width` bits.
fn draw(seed: u64, id: TermId, width: u32) -> u128 {
    let any = |n: u64| u128::from(hash(seed, &[id.0.into(), n]));
    (any(1) << 64 | any(2)) & u128::MAX >> (128 - width.clamp(1, 128))
}

/// Eight bytes of memory on one of the draws. Each byte follows from the memory, its state and the byte's address, so that whoever reads it finds the same,
/// also at an address that is a choice between those of two ways.
fn bytes(seed: u64, read: &Read, value: impl Fn(TermId) -> u128) -> u128 {
    let memory = read.memory.bytes().fold(0, |all: u64, c| all.wrapping_mul(31).wrapping_add(c.into()));
    let first = (value(read.base) as u64).wrapping_add(read.offset as u64);
    let version = value(read.version) as u64;
    let byte = |i: u64| u128::from(hash(seed, &[memory, version, first.wrapping_add(i)]) & 0xff) << (8 * i);
    (0..8).map(byte).sum()
}

impl Evaluator {
    /// Of what lanes hold where they arrive, and of the conditions under which they do.
    pub fn of<'a>(inputs: &Inputs<'_>, arrivals: impl Iterator<Item = &'a Arrival<Key>>) -> Evaluator {
        let terms = inputs.terms;
        let reads = inputs.reads();
        let mut roots: Vec<TermId> =
            arrivals.flat_map(|a| a.registers.values().copied().chain([a.guard])).collect();
        roots.extend(reads.iter().flat_map(|r| [r.base, r.version]));
        let reads: FxHashMap<TermId, Read> = reads.into_iter().map(|r| (r.variable, r)).collect();
        // What a term is made of has a lower number than it, and so has the address at which a variable is read.
        let mut order = terms.topological(&roots);
        order.sort_by_key(|id| id.0);
        let home = Concrete::default();
        let values = (0..SEEDS).map(|seed| {
            let mut values: FxHashMap<TermId, Bits> = FxHashMap::default();
            for id in &order {
                let (node, width) = (terms.node(*id), terms.width_of(*id));
                let value = match reads.get(id) {
                    Some(read) => {
                        let known = |t: TermId| values.get(&t).map_or(0, |v| v.bits());
                        Bits::new(width, bytes(seed, read, known))
                    }
                    None if node.is_free() => Bits::new(width, draw(seed, *id, width)),
                    None => {
                        let operands: Vec<Bits> = node.operands().iter().map(|o| values[o]).collect();
                        Terms::apply(&home, &node, width, &operands)
                    }
                };
                values.insert(*id, value);
            }
            values
        });
        Evaluator { values: values.collect() }
    }

    /// What terms are on each input: those of the first, then those of the next.
    pub fn column(&self, terms: impl Iterator<Item = TermId>) -> Vec<u128> {
        terms.flat_map(|t| self.values.iter().map(move |v| v[&t].bits())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_normal::Normal;
    use sassafras_semantics::Domain;

    fn arrival(registers: &[(Key, TermId)], guard: TermId) -> Arrival<Key> {
        let registers = registers.iter().copied().collect();
        let changes = (guard, std::collections::BTreeSet::new());
        Arrival { at: 0, rounds: Vec::new(), guard, changes, registers }
    }

    #[test]
    fn memory_is_the_same_at_one_address_however_it_is_written() {
        let terms = Terms::new();
        let inputs = Inputs::new(&terms, Normal::boxed(&terms));
        let d = &terms;
        let (p, q) = (inputs.variable("p", 64, true), inputs.variable("q", 64, true));
        let (yes, other) = (d.eq(&p, &p), d.eq(&inputs.variable("c", 64, true), &q));
        let version = d.constant(32, 0);
        // A choice between two addresses, and each of them.
        let chosen = inputs.memory("", version, d.ite(&other, &p, &q), 4);
        let [first, second] = [p, q].map(|at| inputs.memory("", version, at, 4));
        let shared = inputs.memory("shared", version, p, 4);
        let all = arrival(&[(0, chosen), (1, first), (2, second), (3, shared), (4, other)], yes);
        let evaluator = Evaluator::of(&inputs, std::iter::once(&all));
        let column = |t: TermId| evaluator.column(std::iter::once(t));
        let [chosen, first, second, shared, other] = [chosen, first, second, shared, other].map(column);
        for i in 0..SEEDS as usize {
            let right = if other[i] == 1 { first[i] } else { second[i] };
            assert_eq!(chosen[i], right, "input {i}");
        }
        assert_ne!(first, second);
        assert_ne!(first, shared, "another memory");
    }
}
