//! The cycles of a graph, nested, those with several entries included.

use crate::{
    BitSet, ControlFlow, DepthFirst, Dominators, Entity, LoopId, Loops, PrimaryMap, SecondaryMap,
    entered_twice,
};

crate::entity!(Cycle, "cycle", "A cycle of [`Nest`].");

/// A cycle.
#[derive(Clone, Debug)]
pub struct CycleData<B> {
    /// Blocks of it that are entered from outside: one, its header, if it is a natural loop.
    pub entries: Vec<B>,
    /// The cycle around it.
    pub parent: Option<Cycle>,
    /// Positions of it and of the last cycle in it, in a walk of the nest that sees a cycle before those in it.
    place: (u32, u32),
}

impl<B: Copy> CycleData<B> {
    /// The only entry.
    pub fn header(&self) -> Option<B> {
        match self.entries[..] {
            [header] => Some(header),
            _ => None,
        }
    }
}

/// The cycles of a graph: its strongly connected parts, then those that each is left with when the edges to its entries are
/// cut, and so on (Steensgaard's nest). In reducible graphs these are the natural loops.
#[derive(Clone, Debug)]
pub struct Nest<B: Entity> {
    /// The cycles, outer before inner.
    pub cycles: PrimaryMap<Cycle, CycleData<B>>,
    innermost: SecondaryMap<B, Option<Cycle>>,
    /// Blocks of cycles, by the position of the innermost one, and where each position begins.
    members: Vec<B>,
    start: Vec<u32>,
}

impl<B: Entity> Nest<B> {
    /// The nest of what the entry reaches.
    pub fn new(graph: &impl ControlFlow<Block = B>) -> Nest<B> {
        let walk = DepthFirst::new(graph);
        let dominators = Dominators::of(&walk, graph.capacity());
        let empty = (PrimaryMap::new(), SecondaryMap::new());
        let mut nest = Nest { cycles: empty.0, innermost: empty.1, members: Vec::new(), start: Vec::new() };
        if entered_twice(&walk, &dominators).next().is_none() {
            nest.natural(&walk, &Loops::of(&walk, &dominators));
        } else {
            nest.cut(graph, walk.reverse_post_order().to_vec());
        }
        nest.place(walk.reverse_post_order());
        nest
    }

    /// From the natural loops of a reducible graph.
    fn natural(&mut self, walk: &DepthFirst<B>, loops: &Loops<B>) {
        let cycle = |id: LoopId| Cycle::from_index(id.index());
        for id in loops.ids() {
            let parent = loops.parent(id).map(cycle);
            self.cycles.push(CycleData { entries: vec![loops.header(id)], parent, place: (0, 0) });
        }
        for &block in walk.reverse_post_order() {
            self.innermost[block] = loops.innermost(block).map(cycle);
        }
    }

    /// From strongly connected parts, again and again.
    fn cut(&mut self, graph: &impl ControlFlow<Block = B>, all: Vec<B>) {
        let reached: BitSet = all.iter().map(|block| block.index()).collect();
        let nest = self;
        let mut work = vec![(None, all)];
        while let Some((parent, blocks)) = work.pop() {
            for part in nest.components(graph, parent, &blocks) {
                let cycle = nest.cycles.next_key();
                let inside: BitSet = part.iter().map(|block| block.index()).collect();
                for &block in &part {
                    nest.innermost[block] = Some(cycle);
                }
                let entered = |block: &B| {
                    *block == graph.entry()
                        || graph
                            .preds(*block)
                            .iter()
                            .any(|pred| reached.contains(pred.index()) && !inside.contains(pred.index()))
                };
                let entries = part.iter().copied().filter(entered).collect();
                nest.cycles.push(CycleData { entries, parent, place: (0, 0) });
                work.push((Some(cycle), part));
            }
        }
    }

    /// Gives cycles their positions, and puts the blocks of each together.
    fn place(&mut self, all: &[B]) {
        let mut size = vec![1u32; self.cycles.len()];
        for cycle in self.cycles.keys().rev() {
            if let Some(parent) = self.cycles[cycle].parent {
                size[parent.index()] += size[cycle.index()];
            }
        }
        let (mut free, mut outside) = (vec![0; self.cycles.len()], 0);
        for cycle in self.cycles.keys() {
            let next = self.cycles[cycle].parent.map_or(&mut outside, |parent| &mut free[parent.index()]);
            let first = *next;
            *next += size[cycle.index()];
            free[cycle.index()] = first + 1;
            self.cycles[cycle].place = (first, first + size[cycle.index()] - 1);
        }
        let at = |nest: &Self, block: B| nest.innermost[block].map(|cycle| nest.cycles[cycle].place.0);
        self.members = all.iter().copied().filter(|&block| self.innermost[block].is_some()).collect();
        self.members.sort();
        let mut members = std::mem::take(&mut self.members);
        members.sort_by_key(|&block| at(self, block));
        self.start = vec![0; self.cycles.len() + 1];
        for &block in &members {
            if let Some(at) = at(self, block) {
                self.start[at as usize + 1] += 1;
            }
        }
        for position in 0..self.cycles.len() {
            self.start[position + 1] += self.start[position];
        }
        self.members = members;
    }

    /// The blocks of a cycle, those of inner cycles included.
    pub fn blocks(&self, cycle: Cycle) -> &[B] {
        let (first, last) = self.cycles[cycle].place;
        &self.members[self.start[first as usize] as usize..self.start[last as usize + 1] as usize]
    }

    /// Strongly connected parts with an edge inside, of these blocks and the edges among them that do not lead to an entry of
    /// `parent` (Tarjan, with a stack of its own).
    fn components(
        &self,
        graph: &impl ControlFlow<Block = B>,
        parent: Option<Cycle>,
        blocks: &[B],
    ) -> Vec<Vec<B>> {
        let cut: &[B] = parent.map_or(&[], |parent| &self.cycles[parent].entries);
        let succs = |block: B| {
            let mut all = graph.succs(block);
            all.retain(|&to| self.innermost[to] == parent && !cut.contains(&to));
            all
        };
        let mut number: std::collections::HashMap<B, (usize, usize)> = std::collections::HashMap::new();
        let (mut open, mut found) = (Vec::new(), Vec::new());
        let mut closed = BitSet::new(graph.capacity());
        for &root in blocks {
            if number.contains_key(&root) {
                continue;
            }
            let mut stack = vec![(root, succs(root), 0)];
            number.insert(root, (number.len(), number.len()));
            open.push(root);
            while let Some((block, next, at)) = stack.last_mut() {
                if let Some(&to) = next.get(*at) {
                    *at += 1;
                    let block = *block;
                    match number.get(&to) {
                        None => {
                            number.insert(to, (number.len(), number.len()));
                            open.push(to);
                            let ways = succs(to);
                            stack.push((to, ways, 0));
                        }
                        Some(&(order, _)) if !closed.contains(to.index()) => {
                            lower(&mut number, block, order);
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                let (block, own_edge) = (*block, next.contains(block));
                stack.pop();
                let (order, low) = number[&block];
                if let Some((above, ..)) = stack.last() {
                    lower(&mut number, *above, low);
                }
                if order == low {
                    let start = open.iter().rposition(|&b| b == block).unwrap_or(0);
                    let mut part: Vec<B> = open.split_off(start);
                    part.iter().for_each(|b| {
                        closed.insert(b.index());
                    });
                    part.sort();
                    if part.len() > 1 || own_edge {
                        found.push(part);
                    }
                }
            }
        }
        found
    }

    /// The innermost cycle that holds a block.
    pub fn innermost(&self, block: B) -> Option<Cycle> {
        self.innermost[block]
    }

    /// The cycle directly inside `outer` (the function if none) that holds `block`; none if `block` lies directly in `outer`.
    /// `block` must lie in `outer`.
    pub fn child_at(&self, outer: Option<Cycle>, block: B) -> Option<Cycle> {
        let mut at = self.innermost[block].filter(|&at| Some(at) != outer)?;
        while self.cycles[at].parent != outer {
            at = self.cycles[at].parent?;
        }
        Some(at)
    }

    /// Whether a cycle (or the function) holds a block.
    pub fn holds(&self, outer: Option<Cycle>, block: B) -> bool {
        let Some(outer) = outer else { return true };
        let (first, last) = self.cycles[outer].place;
        self.innermost[block].is_some_and(|cycle| (first..=last).contains(&self.cycles[cycle].place.0))
    }

    /// Whether two cycles become one when what leads to `via` leads past it: `via` begins a cycle, and goes on, by blocks that do
    /// nothing else, to what begins a cycle inside of that. `onward` says where a block goes that does nothing else. Lanes
    /// meet at the bottom of each cycle (P1 of `docs/convergence.md`), so that such a block is no empty one.
    pub fn parts_cycles(&self, via: B, onward: impl Fn(B) -> Option<B>) -> bool {
        let begins = |block: B| self.innermost(block).filter(|&c| self.cycles[c].entries.contains(&block));
        if begins(via).is_none() {
            return false;
        }
        // A way that goes round comes to what begins a cycle.
        let mut at = onward(via);
        while let Some(block) = at {
            if let Some(cycle) = begins(block) {
                return !self.holds(Some(cycle), via);
            }
            at = onward(block);
        }
        false
    }

    /// Whether every cycle has one entry.
    pub fn is_reducible(&self) -> bool {
        self.cycles.values().all(|cycle| cycle.entries.len() == 1)
    }
}

fn lower<B: Entity>(number: &mut std::collections::HashMap<B, (usize, usize)>, block: B, low: usize) {
    if let Some(entry) = number.get_mut(&block) {
        entry.1 = entry.1.min(low);
    }
}
