//! Natural loops, and whether a graph is reducible.

use crate::order::{Csr, NONE};
use crate::{ControlFlow, DepthFirst, Dominators, Entity, PrimaryMap, SecondaryMap};

crate::entity!(LoopId, "loop", "A loop of [`Loops`].");

/// One natural loop.
#[derive(Clone, Debug)]
struct Data<B> {
    header: B,
    parent: Option<LoopId>,
    depth: u32,
    /// Range of `Loops::members`.
    start: u32,
    end: u32,
}

/// The natural loops of a graph (Aho, Sethi, Ullman): for each target of a back edge (an edge whose target dominates
/// its source) one loop, of all blocks that reach a source without passing the target. Two loops are disjoint or one
/// holds the other, in irreducible graphs too. Cycles with several entries are no natural loops: ask [`is_reducible`].
///
/// Time is near-linear (union-find), memory linear.
#[derive(Clone, Debug)]
pub struct Loops<B: Entity> {
    data: PrimaryMap<LoopId, Data<B>>,
    innermost: SecondaryMap<B, Option<LoopId>>,
    /// Blocks in loops, such that those of a loop stand together, its header first.
    members: Vec<B>,
}

impl<B: Entity> Loops<B> {
    /// All natural loops, outer before inner.
    pub fn new(flow: &impl ControlFlow<Block = B>, dominators: &Dominators<B>) -> Loops<B> {
        Self::of(&DepthFirst::new(flow), dominators)
    }

    /// The same from a walk that was made before.
    pub fn of(walk: &DepthFirst<B>, dominators: &Dominators<B>) -> Loops<B> {
        let (blocks, _, preds) = walk.tree();
        // Loops from inner to outer, numbered as found: the header by discovery, and the loop around.
        let (mut headers, mut outer): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        // By discovery: the smallest loop around a block. Union-find over loops: the largest loop found so far.
        let mut smallest = vec![NONE; blocks.len()];
        let mut largest: Vec<u32> = Vec::new();
        let mut work = Vec::new();
        for &header_block in walk.reverse_post_order().iter().rev() {
            let header = walk.at(header_block);
            let back = |&&pred: &&u32| dominators.dominates(header_block, blocks[pred as usize]);
            work.extend(preds.of(header).iter().filter(back).copied());
            if work.is_empty() {
                continue;
            }
            let id = headers.len() as u32;
            headers.push(header);
            outer.push(NONE);
            largest.push(id);
            smallest[header as usize] = id;
            while let Some(block) = work.pop() {
                let inner = smallest[block as usize];
                if inner == NONE {
                    smallest[block as usize] = id;
                    work.extend(preds.of(block));
                } else {
                    // Whatever leads into a loop leads to its header.
                    let top = find(&mut largest, inner);
                    if top != id {
                        (largest[top as usize], outer[top as usize]) = (id, id);
                        work.extend(preds.of(headers[top as usize]));
                    }
                }
            }
        }
        // Outer before inner is the order backwards.
        let count = headers.len() as u32;
        let turned = |found: u32| LoopId(count - 1 - found);
        let mut data: PrimaryMap<LoopId, Data<B>> = PrimaryMap::new();
        let mut innermost = SecondaryMap::new();
        for found in (0..count).rev() {
            let parent = Some(outer[found as usize]).filter(|&o| o != NONE).map(turned);
            let depth = parent.map_or(1, |outer| data[outer].depth + 1);
            let header = blocks[headers[found as usize] as usize];
            data.push(Data { header, parent, depth, start: 0, end: 0 });
        }
        for (at, &block) in blocks.iter().enumerate().filter(|(at, _)| smallest[*at] != NONE) {
            innermost[block] = Some(turned(smallest[at]));
        }
        let members = members(&mut data, &innermost, walk);
        Loops { data, innermost, members }
    }

    /// All loops, outer before inner.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<B> {
        self.data.keys()
    }
    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }
    /// Whether there is no loop.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
    /// Where the loop is entered.
    pub fn header(&self, id: LoopId) -> B {
        self.data[id].header
    }
    /// The next loop outwards.
    pub fn parent(&self, id: LoopId) -> Option<LoopId> {
        self.data[id].parent
    }
    /// The blocks of the loop and of the loops within it: the header first, and those of each loop within together.
    pub fn blocks(&self, id: LoopId) -> &[B] {
        &self.members[self.data[id].start as usize..self.data[id].end as usize]
    }
    /// Whether the loop holds the block. Takes time in the depth of the nest.
    pub fn contains(&self, id: LoopId, block: B) -> bool {
        let mut at = self.innermost[block];
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.data[inner].parent;
        }
        false
    }
    /// The smallest loop that holds the block.
    pub fn innermost(&self, block: B) -> Option<LoopId> {
        self.innermost[block]
    }
    /// How many loops hold the block.
    pub fn depth(&self, block: B) -> u32 {
        self.innermost[block].map_or(0, |id| self.data[id].depth)
    }
    /// The sources of the loop's back edges, one per edge.
    pub fn latches<'a>(&'a self, id: LoopId, walk: &'a DepthFirst<B>) -> impl Iterator<Item = B> + 'a {
        walk.preds(self.header(id)).filter(move |&pred| self.contains(id, pred))
    }
}

/// The largest loop found so far around a loop, with path halving.
fn find(largest: &mut [u32], mut at: u32) -> u32 {
    while largest[at as usize] != at {
        largest[at as usize] = largest[largest[at as usize] as usize];
        at = largest[at as usize];
    }
    at
}

/// Puts the blocks of each loop together, and notes the ranges.
fn members<B: Entity>(
    data: &mut PrimaryMap<LoopId, Data<B>>,
    innermost: &SecondaryMap<B, Option<LoopId>>,
    walk: &DepthFirst<B>,
) -> Vec<B> {
    let mut size = vec![0; data.len()];
    for &block in walk.reverse_post_order() {
        if let Some(id) = innermost[block] {
            size[id.index()] += 1;
        }
    }
    for id in data.keys().rev() {
        if let Some(parent) = data[id].parent {
            size[parent.index()] += size[id.index()];
        }
    }
    // An outer loop comes first, and keeps its own blocks at the front of its range.
    let own = Csr::new(
        data.len(),
        walk.reverse_post_order().iter().filter_map(|&b| Some((innermost[b]?.0, b.index() as u32))),
    );
    let mut free = vec![0; data.len()];
    let mut outside = 0;
    let mut members =
        vec![
            walk.reverse_post_order()[0];
            data.keys().filter(|&id| data[id].parent.is_none()).map(|id| size[id.index()]).sum()
        ];
    for id in data.keys() {
        let place = match data[id].parent {
            Some(parent) => &mut free[parent.index()],
            None => &mut outside,
        };
        let start = *place;
        *place += size[id.index()];
        (data[id].start, data[id].end) = (start as u32, (start + size[id.index()]) as u32);
        for (slot, &block) in members[start..].iter_mut().zip(own.of(id.0)) {
            *slot = B::from_index(block as usize);
        }
        free[id.index()] = start + own.of(id.0).len();
    }
    members
}

/// Whether every cycle has one entry that dominates it: each retreating edge goes to a dominator of its source.
pub fn is_reducible<B: Entity>(flow: &impl ControlFlow<Block = B>, dominators: &Dominators<B>) -> bool {
    entered_twice(&DepthFirst::new(flow), dominators).next().is_none()
}

/// The retreating edges whose target does not dominate their source: each lies on a cycle with several entries. None in a
/// reducible graph, and at least one in every other, whatever the order of the walk.
pub fn entered_twice<'a, B: Entity>(
    walk: &'a DepthFirst<B>,
    dominators: &'a Dominators<B>,
) -> impl Iterator<Item = (B, B)> + 'a {
    walk.retreating().filter(|&(from, to)| !dominators.dominates(to, from))
}
