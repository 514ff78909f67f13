//! List scheduling of one block under limits of registers.
//!
//! Cycle by cycle, takes what fits the limits: of what could issue now the instruction with the longest way to the block's end, else the one that can issue
//! soonest. Where nothing fits, takes what [`Fallback`] says.

use super::pressure::{FILES, Now, Pressure, Problem};
use crate::schedule::order::Edges;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Ready instructions that are looked at for each place.
const LOOKED_AT: usize = 64;

/// What comes next where nothing fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fallback {
    /// What lets the values that live grow least; of these the first of the source's order.
    Growth,
    /// The first of the source's order.
    Source,
}

/// An order.
#[derive(Clone, Debug)]
pub struct Order {
    /// Old indices.
    pub nodes: Vec<usize>,
    /// What it takes by estimate.
    pub cycles: u32,
    /// Nothing that was looked at did not fit: with higher limits the order is the same.
    pub free: bool,
    /// Something fitted each time: with another fallback the order is the same.
    pub fits: bool,
}

/// The order under these limits.
pub fn order(problem: &Problem, edges: &Edges, ways: &[u32], limits: Pressure, fallback: Fallback) -> Order {
    let count = edges.len();
    let mut missing = vec![0usize; count];
    for (later, _) in edges.iter().flatten() {
        missing[*later] += 1;
    }
    let mut earliest = vec![0u32; count];
    // Ready instructions that could issue now, those that must wait, and all in the source's order.
    let mut ready: BTreeSet<(Reverse<u32>, usize)> = BTreeSet::new();
    let mut waiting: BTreeSet<(u32, Reverse<u32>, usize)> = BTreeSet::new();
    let mut all: BTreeSet<usize> = BTreeSet::new();
    for node in (0..count).filter(|&node| missing[node] == 0) {
        ready.insert((Reverse(ways[node]), node));
        all.insert(node);
    }
    let mut registers = Now::with_growth(problem);
    let (free, mut always) = (Cell::new(true), true);
    let mut now = 0;
    let mut result = Vec::with_capacity(count);
    while !all.is_empty() {
        while let Some(&(when, way, node)) = waiting.first()
            && when <= now
        {
            waiting.pop_first();
            ready.insert((way, node));
        }
        let fits = |&node: &usize| {
            let growth = registers.growth(node);
            let fits = (0..FILES).all(|file| {
                growth[file] <= 0 || i64::from(registers.live[file]) + growth[file] <= i64::from(limits[file])
            });
            free.set(free.get() && fits);
            fits
        };
        let soon = ready.iter().map(|&(_, node)| node).take(LOOKED_AT);
        let late = waiting.iter().map(|&(.., node)| node).take(LOOKED_AT);
        // In the files that are full.
        let grows = |node: usize| -> i64 {
            let growth = registers.growth(node);
            let full = |&file: &usize| {
                i64::from(registers.live[file]) + growth[file].max(0) >= i64::from(limits[file])
            };
            (0..FILES).filter(full).map(|file| growth[file]).sum()
        };
        let found = soon.chain(late).find(fits);
        always &= found.is_some();
        let mut first = all.iter().copied();
        let found = found.or_else(|| match fallback {
            Fallback::Growth => first.take(LOOKED_AT).min_by_key(|&node| (grows(node), node)),
            Fallback::Source => first.next(),
        });
        let Some(node) = found else { break };
        all.remove(&node);
        if !ready.remove(&(Reverse(ways[node]), node)) {
            waiting.remove(&(earliest[node], Reverse(ways[node]), node));
        }
        registers.step(problem, node);
        now = now.max(earliest[node]) + 1;
        result.push(node);
        for &(later, cycles) in &edges[node] {
            earliest[later] = earliest[later].max(now - 1 + cycles);
            missing[later] -= 1;
            if missing[later] == 0 {
                waiting.insert((earliest[later], Reverse(ways[later]), later));
                all.insert(later);
            }
        }
    }
    Order { nodes: result, cycles: now, free: free.get(), fits: always }
}
