//! Passes over the IR. Each is a free function `pass(&mut Function) -> Stats` that says what it does, does not, needs and
//! preserves.
//!
//! - [`pipeline()`]: their order.
//! - [`dead`]: dead code. [`fold`]: constant folding and rewrites. [`phi`]: block parameters.
//! - [`number`]: value numbering. [`branch`]: branches and blocks. [`address`]: offsets into memory operations.
//! - [`gather`]: barriers that lanes come to apart. [`single_entry`]: cycles with several entries.
//! - [`if_convert`]: small branches. [`hoist`]: what does not change in a loop. [`unroll`]: counted loops.
//! - [`halves`]: logic of 64 bits by words. [`logic`]: logic of three operands.
//! - [`legalize`]: expansion into what selection accepts, and [`legalize::selectable`], which says whether it does.

pub mod address;
pub mod branch;
pub mod dead;
pub mod fold;
pub mod gather;
pub mod halves;
pub mod hoist;
pub mod if_convert;
pub mod legalize;
pub mod logic;
pub mod number;
pub mod phi;
pub mod pipeline;
mod pressure;
mod products;
mod rewrite;
pub mod single_entry;
pub mod unroll;

pub use pipeline::{Choices, Level, PASSES, Pass, Property, pipeline};

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Changes made; none means that the function is as it was.
    pub changes: usize,
}

impl Stats {
    /// So many changes.
    pub fn new(changes: usize) -> Stats {
        Stats { changes }
    }
    /// Whether the function changed.
    pub fn changed(self) -> bool {
        self.changes != 0
    }
}
