//! Where each unit of each virtual register is live.
//!
//! Item `i`, counted over the layout, reads at position `2i` and writes at `2i + 1`. A range is half-open; a unit
//! whose last use is item `i` ends at `2i + 1`, so that what `i` writes may take its place.

use super::work::{Item, Loc, Work};
use rustc_hash::FxHashSet;
use sassafras_graph::dataflow::{Transfer, backward};
use sassafras_graph::{BitSet, Dominators, Entity, Loops, SecondaryMap};
use sassafras_isa::Access;
use sassafras_machine::{Block, Function, VReg};

/// A half-open range of positions.
pub type Range = (u32, u32);

/// Live ranges and spill weights.
#[derive(Debug)]
pub struct Ranges {
    /// Index of each register's unit 0 among all units.
    base: Vec<u32>,
    /// Per unit: disjoint ranges in rising order, none touching the next.
    units: Vec<Vec<Range>>,
    /// Per register: how often it is read and written, by estimate.
    pub uses: Vec<f32>,
    /// Index of the first item of each block of the layout, and one more.
    pub first: Vec<u32>,
    /// Estimated executions of each block of the layout.
    pub frequency: Vec<f32>,
    /// Writes that nobody reads: item and unit.
    dead: FxHashSet<(u32, usize)>,
}

impl Ranges {
    pub fn new(f: &Function, work: &Work) -> Ranges {
        let mut base = Vec::with_capacity(f.vregs.len());
        let mut total = 0u32;
        for data in f.vregs.values() {
            base.push(total);
            total += u32::from(data.units);
        }
        let index = |vreg: VReg, unit: u8| base[vreg.index()] as usize + usize::from(unit);
        let mut place = SecondaryMap::<Block, usize>::new();
        let mut first = vec![0];
        for (at, (&block, items)) in f.layout.iter().zip(&work.blocks).enumerate() {
            place[block] = at;
            first.push(first[at] + items.len() as u32);
        }
        let graph = f.graph();
        let live = backward(&graph, |block: Block| {
            let mut transfer = Transfer::default();
            for item in &work.blocks[place[block]] {
                item.units(Access::Read, |vreg, unit| {
                    if !transfer.kill.contains(index(vreg, unit)) {
                        transfer.generate.insert(index(vreg, unit));
                    }
                });
                item.units(Access::Write, |vreg, unit| {
                    transfer.kill.insert(index(vreg, unit));
                });
            }
            transfer
        });
        let loops = Loops::new(&graph, &Dominators::new(&graph));
        let frequency: Vec<f32> = f.layout.iter().map(|&b| 8f32.powi(loops.depth(b).min(8) as i32)).collect();

        let mut uses = vec![0f32; f.vregs.len()];
        let mut units: Vec<Vec<Range>> = vec![Vec::new(); total as usize];
        const CLOSED: u32 = u32::MAX;
        let mut open = vec![CLOSED; total as usize];
        let mut dead = FxHashSet::default();
        let mut live_now = BitSet::new(total as usize);
        // Backwards, so every list of ranges comes out falling.
        for (at, (&block, items)) in f.layout.iter().zip(&work.blocks).enumerate().rev() {
            let end = 2 * first[at + 1];
            for unit in live.end[block].iter() {
                open[unit] = end;
                live_now.insert(unit);
            }
            for (offset, item) in items.iter().enumerate().rev() {
                let position = 2 * (first[at] + offset as u32);
                item.units(Access::Write, |vreg, unit| {
                    let unit = index(vreg, unit);
                    let end = if open[unit] == CLOSED { position + 2 } else { open[unit] };
                    if open[unit] == CLOSED {
                        dead.insert((position / 2, unit));
                    }
                    push(&mut units[unit], (position + 1, end));
                    open[unit] = CLOSED;
                    live_now.remove(unit);
                });
                item.units(Access::Read, |vreg, unit| {
                    let unit = index(vreg, unit);
                    if open[unit] == CLOSED {
                        open[unit] = position + 1;
                        live_now.insert(unit);
                    }
                });
                for access in [Access::Read, Access::Write] {
                    item.units(access, |vreg, unit| {
                        if unit == 0 || matches!(item, Item::Inst(_)) {
                            uses[vreg.index()] += frequency[at];
                        }
                    });
                }
            }
            for unit in live_now.iter() {
                push(&mut units[unit], (2 * first[at], open[unit]));
                open[unit] = CLOSED;
            }
            live_now.clear();
        }
        for list in &mut units {
            list.reverse();
        }
        Ranges { base, units, uses, first, frequency, dead }
    }

    /// The ranges of one unit.
    pub fn of(&self, vreg: VReg, unit: u8) -> &[Range] {
        &self.units[self.base[vreg.index()] as usize + usize::from(unit)]
    }

    /// Positions at which any unit is live, counted per unit.
    pub fn length(&self, vreg: VReg, units: u8) -> u32 {
        (0..units).flat_map(|unit| self.of(vreg, unit)).map(|(start, end)| end - start).sum()
    }

    /// Whether the write to this end of a move by item `item` is never read.
    pub fn is_dead(&self, dst: Loc, item: u32) -> bool {
        match dst {
            Loc::Unit(vreg, unit) => {
                self.dead.contains(&(item, self.base[vreg.index()] as usize + usize::from(unit)))
            }
            _ => false,
        }
    }

    /// Block (by place in the layout) and index of the item at a position.
    pub fn place(&self, position: u32) -> (usize, usize) {
        let item = position / 2;
        let at =
            self.first.partition_point(|&first| first <= item).saturating_sub(1).min(self.first.len() - 2);
        (at, (item - self.first[at]) as usize)
    }
}

/// Adds a range in front of a falling list, joined to the last where they touch.
fn push(list: &mut Vec<Range>, range: Range) {
    match list.last_mut() {
        Some(last) if last.0 == range.1 => last.0 = range.0,
        _ => list.push(range),
    }
}

/// Whether two rising lists of ranges share a position.
pub fn overlap(a: &[Range], b: &[Range]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].1 <= b[j].0 {
            i += 1;
        } else if b[j].1 <= a[i].0 {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

/// Two disjoint rising lists as one.
pub fn union(a: &[Range], b: &[Range]) -> Vec<Range> {
    let mut all: Vec<Range> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    let mut joined: Vec<Range> = Vec::with_capacity(all.len());
    for range in all {
        match joined.last_mut() {
            Some(last) if last.1 == range.0 => last.1 = range.1,
            _ => joined.push(range),
        }
    }
    joined
}
