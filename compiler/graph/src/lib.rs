//! Entity indices, the [`ControlFlow`] trait, and every graph algorithm of the compiler, once.
//!
//! * [`entity!`] makes a `u32` index type whose `Display` is its name in the text forms; [`PrimaryMap`] owns what
//!   the indices name, [`SecondaryMap`] adds facts beside it.
//! * [`ControlFlow`] is what a graph of blocks must answer; [`Graph`] is the plain graph that tests use.
//! * [`order`]: post-order and reverse post-order. [`Dominators`]: dominators, post-dominators, frontiers.
//!   [`Loops`]: natural loops and reducibility. [`critical_edges`]. [`dataflow`]: bit-vector problems.

pub mod bitset;
pub mod dataflow;
mod dominators;
mod edges;
mod entity;
mod flow;
mod loops;
mod map;
pub mod order;

pub use bitset::BitSet;
pub use dominators::{DominanceFrontier, Dominators};
pub use edges::critical_edges;
pub use entity::Entity;
pub use flow::{ControlFlow, Graph, Reversed};
pub use loops::{LoopId, Loops, is_reducible};
pub use map::{PrimaryMap, SecondaryMap};
