//! `u32` newtypes whose `Display` is the text of the IR, and the maps that are indexed only by them.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into a [`PrimaryMap`].
pub trait Entity: Copy + Eq + Ord + std::fmt::Debug {
    /// The entity with this index.
    fn from_index(index: usize) -> Self;
    /// The index, dense from 0.
    fn index(self) -> usize;
}

/// Defines an entity: `entity!(Block, "bb", "A basic block.")` prints as `bb0`.
#[macro_export]
macro_rules! entity {
    ($name:ident, $prefix:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $crate::Entity for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("entity index fits 32 bits"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{self}")
            }
        }
    };
}

/// Owns one element per entity; the only place where new entities come from.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PrimaryMap<K, V> {
    elements: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> PrimaryMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        PrimaryMap { elements: Vec::new(), key: PhantomData }
    }
    /// Adds an element and returns its entity.
    pub fn push(&mut self, value: V) -> K {
        self.elements.push(value);
        K::from_index(self.elements.len() - 1)
    }
    /// Number of entities.
    pub fn len(&self) -> usize {
        self.elements.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
    /// The element, if the entity is in range.
    pub fn get(&self, key: K) -> Option<&V> {
        self.elements.get(key.index())
    }
    /// All entities in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.elements.len()).map(K::from_index)
    }
    /// All elements in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.elements.iter()
    }
    /// All elements in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.elements.iter_mut()
    }
    /// All entities with their elements, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.elements.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }
    /// The entity that the next `push` will return.
    pub fn next_key(&self) -> K {
        K::from_index(self.elements.len())
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
        &self.elements[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.elements[key.index()]
    }
}

impl<K: Entity + std::fmt::Debug, V: std::fmt::Debug> std::fmt::Debug for PrimaryMap<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Facts about entities that another map owns; an entity without a fact has the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondaryMap<K, V> {
    elements: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// A map in which every entity has `default`.
    pub fn with_default(default: V) -> Self {
        SecondaryMap { elements: Vec::new(), default, key: PhantomData }
    }
}

impl<K: Entity, V: Clone + Default> SecondaryMap<K, V> {
    /// A map in which every entity has `V::default()`.
    pub fn new() -> Self {
        Self::with_default(V::default())
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.elements.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let i = key.index();
        if i >= self.elements.len() {
            self.elements.resize(i + 1, self.default.clone());
        }
        &mut self.elements[i]
    }
}
