//! The order of instructions before allocation.
//!
//! Does: puts the instructions of each block in an order in which loads begin early and what waits for them comes late, as long as the values that live at
//! once fit the registers that the function needs anyway; where a block alone decides how many these are, in one in which fewer live at once. Keeps readers
//! of a value in front of what is to take over its register: the old value of a guarded definition, the part of a pack, the parameter for the next turn of a
//! loop. Does not: move anything between blocks; touch functions with products of a warpgroup, whose registers follow from their order.
//! Needs: `Phase::Ssa` after [`crate::prepare()`]. Preserves: SSA, blocks, edges, instructions.
//!
//! What must stay in order says [`crate::schedule::order`], as for the final order.

mod list;
mod live;
mod occupancy;
mod pressure;
mod search;

use crate::Error;
use crate::warpgroup::{self, Kind};
pub(crate) use live::live_out;
use sassafras_machine::{Function, Phase};
pub use search::Effort;
use search::Search;

/// The phase's name on the command line.
pub const ARRANGE: &str = "arrange";

/// What [`arrange`](arrange()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArrangeStats {
    /// Instructions that stand elsewhere in their block than before.
    pub moved: usize,
    /// General registers that live at once, at most, in the source's order.
    pub before: usize,
    /// The same, in the new order.
    pub after: usize,
}

/// See the head of this file.
pub fn arrange(f: &mut Function, effort: Effort) -> Result<ArrangeStats, Error> {
    Error::unless("arrange", Phase::Ssa, f.phase)?;
    if f.insts().any(|(_, _, inst)| warpgroup::kind(inst) == Kind::Product) {
        return Ok(ArrangeStats::default());
    }
    let search = Search::new(f, effort);
    let mut orders = search.orders(None);
    if effort.search
        && let Some(fewer) = occupancy::more_warps(f, &search, &orders)
    {
        orders = fewer;
    }
    let mut stats = ArrangeStats { before: search.before, ..ArrangeStats::default() };
    for (piece, order) in search.pieces.iter().zip(&orders.nodes) {
        stats.after = stats.after.max(piece.problem.peak(order)[0] as usize);
        stats.moved += order.iter().enumerate().filter(|(at, from)| at != *from).count();
    }
    search.apply(f, &orders);
    Ok(stats)
}
