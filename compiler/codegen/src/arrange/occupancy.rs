//! Orders with which more warps fit a multiprocessor.
//!
//! How many registers an order takes in the end only allocation knows: pairs leave gaps, and constants are made again. So copies of the function are allocated.

use super::search::{Orders, Search};
use crate::alloc::{self, AllocStats};
use sassafras_graph::{Dominators, Loops};
use sassafras_machine::Function;

/// By how many registers less orders are looked for.
const REACH: u32 = 8;

/// Registers that are left to what allocation adds, one attempt for each.
const LEFT: [u32; 4] = [0, 3, 6, 10];

/// Instructions of a function for which copies are allocated.
const MOST: usize = 4_000;

/// How much more may be executed.
const DEARER: f64 = 1.02;

/// Orders with which more warps fit than with `orders`, if there are some that need nothing more in the frame and of which the lists take no longer, by
/// estimate, by all warps together. Blocks that keep the source's order count for nothing there.
pub(super) fn more_warps(f: &Function, search: &Search, orders: &Orders) -> Option<Orders> {
    if f.insts().count() > MOST {
        return None;
    }
    let reserved = f.chip.limits().reserved_registers;
    let (stats, executed) = allocated(f, search, orders)?;
    let now = stats.registers + reserved;
    let fewer = alloc::fewer(f.chip, now, REACH)?;
    let warps = |registers: u32| u64::from(f.chip.warps_by_registers(registers));
    LEFT.into_iter().find_map(|left| {
        let other = search.orders(Some(fewer.checked_sub(reserved + left)?));
        let (then, more) = allocated(f, search, &other)?;
        let fits =
            then.registers + reserved <= fewer && then.spills + then.reloads <= stats.spills + stats.reloads;
        let quick = other.cycles * warps(now) <= orders.cycles * warps(fewer);
        (fits && quick && more <= executed * DEARER).then_some(other)
    })
}

/// What allocation does in this order, and how many instructions are executed then, by estimate.
fn allocated(f: &Function, search: &Search, orders: &Orders) -> Option<(AllocStats, f64)> {
    let mut f = f.clone();
    search.apply(&mut f, orders);
    let stats = alloc::allocate(&mut f).ok()?;
    let graph = f.graph();
    let loops = Loops::new(&graph, &Dominators::new(&graph));
    let often = |block| 8f64.powi(loops.depth(block).min(8) as i32);
    let executed = f.layout.iter().map(|&block| often(block) * f.blocks[block].insts.len() as f64).sum();
    Some((stats, executed))
}
