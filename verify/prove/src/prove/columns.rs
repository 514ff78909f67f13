//! Values of terms on drawn inputs, for a guess of what both sides hold alike.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_execute::order::hash;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::{Concrete, TermId, Terms};
use sassafras_solve::read::Read;
use sassafras_symbolic::cut::Key;
use sassafras_symbolic::input::Input;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::heads::Arrival;

/// Inputs of any values.
pub const WILD: u64 = 6;
/// Inputs of which many are small: counts of which loops reach the end.
const SMALL: u64 = 42;
/// Small numbers are below this.
const LEAST: u64 = 28;
/// Places in a launch are below this on half of the draws.
const FEW: u128 = 4;

/// Values of terms on drawn inputs.
pub struct Evaluator {
    values: Vec<FxHashMap<TermId, Bits>>,
}

/// What an input is on one of the draws. `decides`: whether conditions rest on it; `of`: what it stands for, if it is of the launch.
fn draw(seed: u64, id: TermId, width: u32, decides: bool, of: Option<&Input>) -> u128 {
    let any = |n: u64| u128::from(hash(seed, &[id.0.into(), n]));
    let small = decides && seed >= WILD && any(3) % 8 > 1;
    let least = |n: u64| any(n) % u128::from(LEAST);
    let value = match of {
        _ if !small => any(1) << 64 | any(2),
        // Products of these are held against small numbers.
        Some(Input::Tid(_) | Input::Ntid(_) | Input::Ctaid(_) | Input::Nctaid(_))
            if seed.is_multiple_of(2) =>
        {
            least(4) % FEW
        }
        // Two parameters of four bytes lie side by side.
        Some(Input::Parameter(_)) if any(5) % 2 == 0 => least(6) << 32 | least(4),
        _ => least(4),
    };
    value & u128::MAX >> (128 - width.clamp(1, 128))
}

/// Eight bytes of memory on one of the draws. Each byte follows from the memory, its state and the byte's address, so that whoever reads it finds the same,
/// also at an address that is a choice between those of two ways.
fn bytes(seed: u64, read: &Read, value: &impl Fn(TermId) -> u128) -> u128 {
    let memory = read.memory.bytes().fold(0, |all: u64, c| all.wrapping_mul(31).wrapping_add(c.into()));
    let first = (value(read.base) as u64).wrapping_add(read.offset as u64);
    let version = value(read.version) as u64;
    let byte = |i: u64| u128::from(hash(seed, &[memory, version, first.wrapping_add(i)]) & 0xff) << (8 * i);
    (0..8).map(byte).sum()
}

impl Evaluator {
    /// Of what lanes hold where they arrive, and of the conditions under which they do. `same`: inputs that are what others are.
    pub fn of<'a>(
        inputs: &Inputs<'_>,
        arrivals: impl Iterator<Item = &'a Arrival<Key>>,
        same: &FxHashMap<TermId, TermId>,
    ) -> Evaluator {
        let arrivals: Vec<&Arrival<Key>> = arrivals.collect();
        let held = arrivals.iter().flat_map(|a| a.registers.values().copied());
        let guards: Vec<TermId> = arrivals.iter().map(|a| a.guard).collect();
        Evaluator::of_terms(inputs, held.collect(), &guards, same)
    }

    /// Of terms, and of conditions. `same`: inputs that are what others are.
    pub fn of_terms(
        inputs: &Inputs<'_>,
        mut roots: Vec<TermId>,
        guards: &[TermId],
        same: &FxHashMap<TermId, TermId>,
    ) -> Evaluator {
        let terms = inputs.terms;
        roots.extend(guards);
        let decide: FxHashSet<TermId> = terms.topological(guards).into_iter().collect();
        let reads = inputs.reads();
        roots.extend(reads.iter().flat_map(|r| [r.base, r.version, r.variable]));
        let reads: FxHashMap<TermId, Read> = reads.into_iter().map(|r| (r.variable, r)).collect();
        // What a term is made of has a lower number, and so has where a variable is read.
        let mut order = terms.topological(&roots);
        order.sort_by_key(|id| id.0);
        let home = Concrete::default();
        let stands_for: FxHashMap<TermId, Input> = inputs.all().into_iter().collect();
        let values = (0..WILD + SMALL).map(|seed| {
            let mut values: FxHashMap<TermId, Bits> = FxHashMap::default();
            for id in &order {
                let (node, width) = (terms.node(*id), terms.width_of(*id));
                let known = |t: TermId| values.get(&t).map_or(0, |v| v.bits());
                let value = match reads.get(id) {
                    Some(read) => Bits::new(width, bytes(seed, read, &known)),
                    None if node.is_free() => {
                        let of = same.get(id).unwrap_or(id);
                        let decides = decide.contains(id) || decide.contains(of);
                        Bits::new(width, draw(seed, *of, width, decides, stands_for.get(of)))
                    }
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

    /// How many inputs there are.
    pub fn seeds(&self) -> usize {
        self.values.len()
    }

    /// What a term is on an input.
    pub fn value(&self, seed: usize, term: TermId) -> u128 {
        self.values[seed].get(&term).map_or(0, |value| value.bits())
    }

    /// What a term is on each.
    pub fn column(&self, term: TermId) -> Vec<u128> {
        (0..self.seeds()).map(|seed| self.value(seed, term)).collect()
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
        let evaluator = Evaluator::of(&inputs, std::iter::once(&all), &FxHashMap::default());
        let column = |t: TermId| evaluator.column(t);
        let [chosen, first, second, shared, other] = [chosen, first, second, shared, other].map(column);
        for i in 0..evaluator.seeds() {
            let right = if other[i] == 1 { first[i] } else { second[i] };
            assert_eq!(chosen[i], right, "input {i}");
        }
        assert_ne!(first, second);
        assert_ne!(first, shared, "another memory");
    }
}
