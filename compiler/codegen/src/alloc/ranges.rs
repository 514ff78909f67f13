//! Where each unit of each virtual register is live.
//!
//! Item `i`, counted over the layout, reads at position `2i` and writes at `2i + 1`. A range is half-open; a unit
//! whose last use is item `i` ends at `2i + 1`, so that what `i` writes may take its place.

use super::again;
use super::work::{Item, Loc, Work};
use rustc_hash::FxHashSet;
use sassafras_graph::{ControlFlow, Dominators, Entity, Graph, Loops, SecondaryMap};
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Block, Function, Reg, RegOperand, VReg};
use std::collections::BTreeMap;

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
        let live = live_out(&graph, &place, work, total, &index);
        let loops = Loops::new(&graph, &Dominators::new(&graph));
        let frequency: Vec<f32> = f.layout.iter().map(|&b| 8f32.powi(loops.depth(b).min(8) as i32)).collect();

        let mut uses = vec![0f32; f.vregs.len()];
        let mut units: Vec<Vec<Range>> = vec![Vec::new(); total as usize];
        const CLOSED: u32 = u32::MAX;
        let mut open = vec![CLOSED; total as usize];
        let mut dead = FxHashSet::default();
        // Units that were opened in the block at hand; some are closed again.
        let mut live_now: Vec<usize> = Vec::new();
        // Backwards, so every list of ranges comes out falling.
        for (at, items) in work.blocks.iter().enumerate().rev() {
            let end = 2 * first[at + 1];
            for &unit in &live[at] {
                open[unit as usize] = end;
                live_now.push(unit as usize);
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
                });
                item.units(Access::Read, |vreg, unit| {
                    let unit = index(vreg, unit);
                    if open[unit] == CLOSED {
                        open[unit] = position + 1;
                        live_now.push(unit);
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
            for unit in live_now.drain(..) {
                if open[unit] != CLOSED {
                    push(&mut units[unit], (2 * first[at], open[unit]));
                    open[unit] = CLOSED;
                }
            }
        }
        for list in &mut units {
            list.reverse();
        }
        // A uniform register belongs to the warp: lanes that are elsewhere write it too. So what lives beyond its block keeps its
        // register from all others, wherever these stand.
        let end = 2 * first[first.len() - 1] + 2;
        for (vreg, data) in
            f.vregs.iter().filter(|(_, data)| matches!(data.class, RegClass::UR | RegClass::UP))
        {
            for unit in 0..data.units {
                let list = &mut units[index(vreg, unit)];
                let block = |position: u32| first.partition_point(|&at| at <= position / 2);
                if list.iter().any(|&(start, end)| block(start) != block(end - 1)) || list.len() > 1 {
                    *list = vec![(0, end)];
                }
            }
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

/// Adds a range in front of a falling list, joined to the last where they touch. What lives through a block without items has no position there: places are
/// found by where ranges begin, and an empty one would take the entry of another register's that begins with the next block.
fn push(list: &mut Vec<Range>, range: Range) {
    match list.last_mut() {
        _ if range.0 == range.1 => {}
        Some(last) if last.0 == range.1 => last.0 = range.0,
        _ => list.push(range),
    }
}

/// Units that are live at the end of each block of the layout, in rising order.
///
/// From each use in a block that does not write before, back over predecessors until one writes (Boissinot et al., "Computing
/// Liveness Sets for SSA-Form Programs", 2011): time and memory follow the size of the result, not blocks times units.
fn live_out(
    graph: &Graph<Block>,
    place: &SecondaryMap<Block, usize>,
    work: &Work,
    total: u32,
    index: &impl Fn(VReg, u8) -> usize,
) -> Vec<Vec<u32>> {
    let count = work.blocks.len();
    let mut preds: Vec<Vec<u32>> = vec![Vec::new(); count];
    for block in graph.blocks() {
        for to in graph.succs(block) {
            preds[place[to]].push(place[block] as u32);
        }
    }
    // Per block: units written, in rising order. Per unit: blocks that read it before they write it.
    let mut written: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut wanted: Vec<(u32, u32)> = Vec::new();
    let mut last_write = vec![u32::MAX; total as usize];
    for (at, items) in work.blocks.iter().enumerate() {
        for item in items {
            item.units(Access::Read, |vreg, unit| {
                let unit = index(vreg, unit);
                if last_write[unit] != at as u32 {
                    wanted.push((unit as u32, at as u32));
                }
            });
            item.units(Access::Write, |vreg, unit| {
                let unit = index(vreg, unit);
                if std::mem::replace(&mut last_write[unit], at as u32) != at as u32 {
                    written[at].push(unit as u32);
                }
            });
        }
        written[at].sort_unstable();
    }
    wanted.sort_unstable();
    wanted.dedup();
    let mut live: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut stack = Vec::new();
    for (unit, at) in wanted {
        stack.push(at as usize);
        while let Some(at) = stack.pop() {
            for &pred in &preds[at] {
                let pred = pred as usize;
                if live[pred].last() != Some(&unit) {
                    live[pred].push(unit);
                    if written[pred].binary_search(&unit).is_err() {
                        stack.push(pred);
                    }
                }
            }
        }
    }
    live
}

/// Disjoint ranges, none touching the next: start and end.
#[derive(Clone, Debug, Default)]
pub struct RangeSet(BTreeMap<u32, u32>);

impl RangeSet {
    /// From a list like that of [`Ranges::of`].
    pub fn new(list: &[Range]) -> RangeSet {
        RangeSet(list.iter().copied().collect())
    }
    /// The ranges in rising order.
    pub fn iter(&self) -> impl Iterator<Item = Range> + '_ {
        self.0.iter().map(|(&start, &end)| (start, end))
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Where the first begins.
    pub fn start(&self) -> Option<u32> {
        self.0.first_key_value().map(|(&start, _)| start)
    }
    /// Whether two sets share a position. Time in the smaller one.
    pub fn overlaps(&self, other: &RangeSet) -> bool {
        let (small, large) = if self.0.len() < other.0.len() { (self, other) } else { (other, self) };
        small
            .iter()
            .any(|(start, end)| large.0.range(..end).next_back().is_some_and(|(_, &last)| last > start))
    }
    /// Adds a set that shares no position. Time in the smaller one.
    pub fn absorb(&mut self, mut other: RangeSet) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (mut start, mut end) in other.0 {
            if let Some((&before, &last)) = self.0.range(..start).next_back()
                && last == start
            {
                self.0.remove(&before);
                start = before;
            }
            if let Some(last) = self.0.remove(&end) {
                end = last;
            }
            self.0.insert(start, end);
        }
    }
}

impl Work {
    /// Takes out moves whose result nobody reads, and what was released; whether there was one.
    pub fn drop_dead(&mut self, ranges: &Ranges) -> bool {
        let mut found = false;
        let mut next = 0;
        for items in &mut self.blocks {
            items.retain_mut(|item| {
                let index = next;
                next += 1;
                match item {
                    Item::Moves(moves) => {
                        let before = moves.len();
                        moves.retain(|one| !ranges.is_dead(one.dst, index));
                        found |= moves.len() < before;
                        true
                    }
                    Item::Inst(inst) => {
                        let released = |def: RegOperand| match def.reg {
                            Reg::Virtual(vreg, unit) => {
                                self.released.contains(&vreg) && ranges.is_dead(Loc::Unit(vreg, unit), index)
                            }
                            Reg::Physical(_) => false,
                        };
                        let dead = !self.released.is_empty()
                            && again::is_constant(inst)
                            && inst.defs().all(released);
                        found |= dead;
                        !dead
                    }
                    Item::Held(_) => true,
                }
            });
        }
        found
    }
}
