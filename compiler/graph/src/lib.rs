//! Entity indices, the [`ControlFlow`] trait, and every graph algorithm of the compiler, once.
//!
//! * [`entity!`] makes a `u32` index type whose `Display` is its name in the text forms; [`PrimaryMap`] owns what
//!   the indices name, [`SecondaryMap`] adds facts beside it.
//! * [`ControlFlow`] is what a graph of blocks must answer; [`Graph`] is the plain graph that tests use.
//! * [`order`]: depth-first orders and retreating edges. [`Dominators`]: dominators and post-dominators.
//!   [`DominanceFrontier`]. [`Loops`]: natural loops, their nest, reducibility. [`critical_edges`]. [`Regions`]: parts with
//!   one way in and one way out. [`Influence`]: what branches decide. [`dataflow`]: bit-vector problems. [`hash`]: FNV-1a.
//!   [`dump`]: the documents' texts of a graph. [`nest`]: all cycles, those with several entries included. [`meet`]: where diverged lanes
//!   reconverge.
//!
//! All take time and memory near-linear in blocks and edges, and none recurses. `sassafras-check` has each once more,
//! slow, by its definition.

pub mod bitset;
pub mod dataflow;
mod dominators;
pub mod dump;
mod edges;
mod entity;
mod flow;
mod frontier;
pub mod hash;
mod influence;
mod loops;
mod map;
pub mod meet;
pub mod nest;
pub mod order;
mod regions;
mod reversed;

pub use bitset::BitSet;
pub use dominators::Dominators;
pub use edges::critical_edges;
pub use entity::Entity;
pub use flow::{ControlFlow, Graph};
pub use frontier::DominanceFrontier;
pub use influence::Influence;
pub use loops::{LoopId, Loops, entered_twice, is_reducible};
pub use map::{PrimaryMap, SecondaryMap};
pub use order::DepthFirst;
pub use regions::{Region, RegionId, Regions};
pub use reversed::Reversed;
