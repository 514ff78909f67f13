//! Maps indexed by entities.

use crate::Entity;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Owns the things that entities of type `K` name; keys are given out in order.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PrimaryMap<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> PrimaryMap<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        PrimaryMap { items: Vec::new(), key: PhantomData }
    }
    /// Adds a thing and names it.
    pub fn push(&mut self, value: V) -> K {
        let key = K::from_index(self.items.len());
        self.items.push(value);
        key
    }
    /// The key that the next [`Self::push`] gives.
    pub fn next_key(&self) -> K {
        K::from_index(self.items.len())
    }
    /// Number of things.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The thing, if the key is in range.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
    /// The thing, if the key is in range.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.items.get_mut(key.index())
    }
    /// Whether the key names a thing of this map.
    pub fn contains(&self, key: K) -> bool {
        key.index() < self.items.len()
    }
    /// All keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }
    /// All things in order of their keys.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
    /// All things in order of their keys.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }
    /// Keys and things in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, value)| (K::from_index(index), value))
    }
    /// Keys and things in order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.items.iter_mut().enumerate().map(|(index, value)| (K::from_index(index), value))
    }
}

impl<K: Entity, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K: Entity, V> FromIterator<V> for PrimaryMap<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        PrimaryMap { items: values.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Entity + fmt::Debug, V: fmt::Debug> fmt::Debug for PrimaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A fact beside each entity of a [`PrimaryMap`]; what was never set is the default.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondaryMap<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// A map in which every entity has the default of `V`.
    pub fn new() -> Self
    where
        V: Default,
    {
        Self::with_default(V::default())
    }
    /// A map in which every entity has this fact.
    pub fn with_default(default: V) -> Self {
        SecondaryMap { items: Vec::new(), default, key: PhantomData }
    }
    /// Keys that were reached by a write, or precede one, with their facts.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(index, value)| (K::from_index(index), value))
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index >= self.items.len() {
            self.items.resize(index + 1, self.default.clone());
        }
        &mut self.items[index]
    }
}

impl<K: Entity, V: Clone + fmt::Debug> fmt::Debug for SecondaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    crate::entity!(Key, "k", "For the test.");

    #[test]
    fn primary_gives_keys_in_order() {
        let mut map = PrimaryMap::<Key, char>::new();
        let (a, b) = (map.push('a'), map.push('b'));
        assert_eq!((a, b), (Key(0), Key(1)));
        assert_eq!(map.keys().collect::<Vec<_>>(), [a, b]);
        map[a] = 'c';
        assert_eq!(map.values().collect::<String>(), "cb");
        assert!(!map.contains(map.next_key()));
    }

    #[test]
    fn secondary_defaults() {
        let mut map = SecondaryMap::<Key, u8>::with_default(7);
        assert_eq!(map[Key(100)], 7);
        map[Key(2)] = 1;
        assert_eq!((map[Key(1)], map[Key(2)], map[Key(3)]), (7, 1, 7));
    }
}
