//! Dense sets of small numbers.

/// A set of numbers below a capacity, one bit each.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set, with room for numbers below `capacity`.
    pub fn new(capacity: usize) -> BitSet {
        BitSet { words: vec![0; capacity.div_ceil(64)] }
    }
    /// All numbers below `capacity`.
    pub fn full(capacity: usize) -> BitSet {
        (0..capacity).collect()
    }
    /// Whether the number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
    /// Adds a number, growing where needed; whether it is new.
    pub fn insert(&mut self, number: usize) -> bool {
        let (index, bit) = (number / 64, 1 << (number % 64));
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        let new = self.words[index] & bit == 0;
        self.words[index] |= bit;
        new
    }
    /// Takes a number out; whether it was there.
    pub fn remove(&mut self, number: usize) -> bool {
        let (index, bit) = (number / 64, 1 << (number % 64));
        let Some(word) = self.words.get_mut(index) else { return false };
        let old = *word & bit != 0;
        *word &= !bit;
        old
    }
    /// Adds all of `other`; whether anything is new.
    pub fn union(&mut self, other: &BitSet) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }
    /// Keeps what is also in `other`; whether anything went.
    pub fn intersect(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (index, word) in self.words.iter_mut().enumerate() {
            let keep = other.words.get(index).copied().unwrap_or(0);
            changed |= *word & !keep != 0;
            *word &= keep;
        }
        changed
    }
    /// Takes out all of `other`.
    pub fn subtract(&mut self, other: &BitSet) {
        for (word, &less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }
    /// Whether the two share no number.
    pub fn is_disjoint(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == 0)
    }
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
    /// The numbers in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }
    /// Takes all numbers out.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        numbers.into_iter().for_each(|number| {
            set.insert(number);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_full_set_has_every_number_below_its_capacity() {
        for capacity in [0, 1, 63, 64, 65, 200] {
            assert_eq!(BitSet::full(capacity).iter().collect::<Vec<_>>(), (0..capacity).collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn like_a_tree_set(a in prop::collection::btree_set(0usize..200, 0..40), b in prop::collection::btree_set(0usize..200, 0..40)) {
            let (x, y): (BitSet, BitSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.is_disjoint(&y), a.is_disjoint(&b));
            let mut union = x.clone();
            prop_assert_eq!(union.union(&y), !b.is_subset(&a));
            prop_assert_eq!(union.iter().collect::<Vec<_>>(), a.union(&b).copied().collect::<Vec<_>>());
            let mut both = x.clone();
            prop_assert_eq!(both.intersect(&y), !a.is_subset(&b));
            prop_assert_eq!(both.iter().collect::<Vec<_>>(), a.intersection(&b).copied().collect::<Vec<_>>());
            let mut less = x;
            less.subtract(&y);
            prop_assert_eq!(less.iter().collect::<Vec<_>>(), a.difference(&b).copied().collect::<Vec<_>>());
        }
    }
}
