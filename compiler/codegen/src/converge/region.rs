//! The regions of convergence barriers: from where lanes part to where they meet.

use rustc_hash::FxHashSet;
use sassafras_graph::meet::{Meet, Meetings, Parting};
use sassafras_graph::nest::Cycle;
use sassafras_graph::{BitSet, ControlFlow, Dominators, Graph, SecondaryMap};
use sassafras_isa::{Inst, Meaning};
use sassafras_machine::{Block, Function, MInst};
use std::collections::HashMap;

/// Lanes part at the end of `split` and meet at `meet`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    pub split: Block,
    pub meet: Meet<Block>,
    /// The cycle directly in which both lie; none: the function.
    pub level: Option<Cycle>,
    /// Blocks on ways from behind `split` to `meet`, sorted.
    pub inside: Vec<Block>,
}

impl Region {
    pub fn holds(&self, block: Block) -> bool {
        self.inside.binary_search(&block).is_ok()
    }
}

/// Whether the lanes wait for all of the warp that have not exited.
pub(crate) fn waits_for_all(inst: &Inst) -> bool {
    // Before sm_90 a mask of all lanes says it.
    matches!(inst.row().id, "warpsync.collective.all")
        || inst.row().meaning == Meaning::WarpsyncAll
        || inst.row().meaning == Meaning::Warpsync && inst.get("m") == Some(u64::from(u32::MAX))
}

/// What the regions are made from.
pub(super) struct Shape<'a> {
    pub graph: &'a Graph<Block>,
    pub dominators: Dominators<Block>,
    pub meetings: &'a Meetings<Block>,
    /// Blocks in which lanes wait for all of the warp that have not exited, or for those of a mask that may wait anywhere before.
    waits: FxHashSet<Block>,
    /// Those to which lanes may come one by one.
    scattered: FxHashSet<Block>,
}

impl<'a> Shape<'a> {
    pub fn new(f: &Function, graph: &'a Graph<Block>, meetings: &'a Meetings<Block>) -> Shape<'a> {
        let waits = |inst: &MInst| inst.scattered || inst.inst().is_some_and(waits_for_all);
        let any = |block: &Block| f.blocks[*block].insts.iter().any(waits);
        let waits = f.layout.iter().copied().filter(any).collect();
        let marked = |block: &Block| f.blocks[*block].insts.iter().any(|inst| inst.scattered);
        let scattered = f.layout.iter().copied().filter(marked).collect();
        Shape { graph, dominators: Dominators::new(graph), meetings, waits, scattered }
    }

    /// Whether lanes that part wait for the whole warp on a way to where they meet. Who waited at the meeting place would never
    /// come there, or exit.
    fn waits(&self, parting: Parting<Block>, meet: Meet<Block>, level: Option<Cycle>) -> bool {
        if self.waits.is_empty() {
            return false;
        }
        let starts: Vec<Block> = match parting {
            Parting::Branch(block) => vec![block],
            Parting::Cycle(cycle) => {
                let of = self.dominators.top_down().iter().copied();
                of.filter(|&block| self.meetings.nest.holds(Some(cycle), block)).collect()
            }
        };
        let turns = matches!(parting, Parting::Cycle(_)) && starts.iter().any(|b| self.waits.contains(b));
        turns || self.between(&starts, meet, level).iter().any(|block| self.waits.contains(block))
    }

    /// The regions of all partings that have a meeting place, nested or apart, outer before inner.
    pub fn regions(&self) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::new();
        // What lies inside of one that meets at the same place is brought together by it; so outer ones come first.
        let mut covered: HashMap<(Meet<Block>, Option<Cycle>), FxHashSet<Block>> = HashMap::new();
        let mut partings = Vec::new();
        for &parting in &self.meetings.partings {
            let Some(meet) = self.meetings.of(parting) else { continue };
            let nest = &self.meetings.nest;
            let (split, level) = match parting {
                Parting::Branch(block) => (Some(block), nest.innermost(block)),
                Parting::Cycle(cycle) => {
                    let level = nest.cycles[cycle].parent;
                    (self.before(cycle, level), level)
                }
            };
            if self.waits(parting, meet, level) {
                continue;
            }
            partings.extend(split.map(|split| (split, meet, level)));
        }
        let mut time: SecondaryMap<Block, usize> = SecondaryMap::new();
        for (at, &block) in self.dominators.top_down().iter().enumerate() {
            time[block] = at;
        }
        partings.sort_by_key(|&(split, ..)| time[split]);
        for (split, meet, level) in partings {
            let covered = covered.entry((meet, level)).or_default();
            if !covered.contains(&split) {
                let region = self.settle(split, meet, level);
                covered.extend(region.inside.iter().copied());
                regions.push(region);
            }
        }
        self.nest(&mut regions);
        // One that had to begin further up may hold such a WARPSYNC by now: who waits there would keep others waiting where these set the same barrier
        // (O4, O6). Lanes count as apart behind that, and so do those that would meet there.
        regions.retain(|region| !region.inside.iter().any(|block| self.scattered.contains(block)));
        regions.sort_by_key(|r| (time[r.split], std::cmp::Reverse(r.inside.len()), r.meet));
        regions
    }

    /// A block directly in `level` that every way into the cycle passes.
    pub fn before(&self, cycle: Cycle, level: Option<Cycle>) -> Option<Block> {
        let entries = &self.meetings.nest.cycles[cycle].entries;
        let mut at = *entries.first()?;
        for &entry in entries {
            at = self.dominators.common(at, entry)?;
        }
        if self.meetings.nest.holds(Some(cycle), at) {
            at = self.dominators.immediate(at)?;
        }
        self.lift(at, level)
    }

    /// The nearest block directly in `level` that dominates.
    fn lift(&self, mut block: Block, level: Option<Cycle>) -> Option<Block> {
        while self.meetings.nest.innermost(block) != level {
            block = self.dominators.immediate(block)?;
        }
        Some(block)
    }

    /// Moves the split up until it dominates the region.
    fn settle(&self, mut split: Block, meet: Meet<Block>, level: Option<Cycle>) -> Region {
        loop {
            let inside = self.between(&[split], meet, level);
            let mut up = Some(split);
            for &block in &inside {
                up = up.and_then(|up| self.dominators.common(up, block));
            }
            match up.and_then(|up| self.lift(up, level)) {
                Some(up) if up != split => split = up,
                _ => return Region { split, meet, level, inside },
            }
        }
    }

    /// Whether the edge is a step within one turn of the level: not out of it, and not back to its begin.
    fn steps(&self, level: Option<Cycle>, to: Block) -> bool {
        let entries = level.map_or(&[][..], |cycle| &self.meetings.nest.cycles[cycle].entries);
        self.meetings.nest.holds(level, to) && !entries.contains(&to)
    }

    /// Whether an edge from inside of the region to this block meets.
    pub fn meets(&self, meet: Meet<Block>, to: Block) -> bool {
        match meet {
            Meet::Block(block) => block == to,
            Meet::Bottom(cycle) => self.meetings.nest.cycles[cycle].entries.contains(&to),
        }
    }

    /// Blocks on ways from behind these to the meeting place, sorted; without these.
    fn between(&self, starts: &[Block], meet: Meet<Block>, level: Option<Cycle>) -> Vec<Block> {
        let mut seen = HashMap::new();
        let mut stack = starts.to_vec();
        let mut order = Vec::new();
        let mut reaching = Vec::new();
        while let Some(at) = stack.pop() {
            for to in self.graph.succs(at) {
                if self.meets(meet, to) {
                    reaching.push(at);
                } else if self.steps(level, to) && !starts.contains(&to) && seen.insert(to, false).is_none() {
                    order.push(to);
                    stack.push(to);
                }
            }
        }
        while let Some(at) = reaching.pop() {
            if let Some(reaches) = seen.get_mut(&at)
                && !std::mem::replace(reaches, true)
            {
                let within = |pred: &Block| self.steps(level, at) && seen.contains_key(pred);
                reaching.extend(self.graph.preds(at).into_iter().filter(within));
            }
        }
        order.retain(|block| seen[block]);
        order.sort();
        order
    }

    /// Widens until all of one level are nested or apart, and leaves out doubles and inner ones of one meeting place: the
    /// outer brings the same lanes together there.
    fn nest(&self, regions: &mut Vec<Region>) {
        loop {
            regions.sort_by_key(|region| (region.split, region.meet));
            regions.dedup();
            let mut at_split: HashMap<Block, Vec<usize>> = HashMap::new();
            for (index, region) in regions.iter().enumerate() {
                at_split.entry(region.split).or_default().push(index);
            }
            let mut up: HashMap<usize, Block> = HashMap::new();
            let mut double = BitSet::new(regions.len());
            for outer in regions.iter() {
                for block in &outer.inside {
                    for &index in at_split.get(block).into_iter().flatten() {
                        let inner = &regions[index];
                        if inner.level != outer.level {
                            continue;
                        }
                        if inner.meet == outer.meet {
                            double.insert(index);
                        } else if !matches!(inner.meet, Meet::Block(meet) if outer.holds(meet)) {
                            up.entry(index)
                                .and_modify(|split| {
                                    *split = self.dominators.common(*split, outer.split).unwrap_or(*split);
                                })
                                .or_insert(outer.split);
                        }
                    }
                }
            }
            if up.is_empty() {
                let mut index = 0;
                regions.retain(|_| {
                    index += 1;
                    !double.contains(index - 1)
                });
                return;
            }
            for (index, split) in up {
                let (meet, level) = (regions[index].meet, regions[index].level);
                regions[index] = self.settle(split, meet, level);
            }
        }
    }
}
