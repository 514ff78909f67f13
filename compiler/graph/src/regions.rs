//! Regions with one way in and one way out, by cycle equivalence (Johnson, Pearson and Pingali, "The Program Structure
//! Tree", 1994). Linear.
//!
//! With an edge from the exit back to the entry, two edges bound a region if every cycle through one passes the other.
//! In an undirected walk, two edges are so related if the same set of edges to ancestors ("brackets") leads around
//! them; the set is known by its newest member and its size.

use crate::order::NONE;
use crate::{ControlFlow, DepthFirst, Entity, PrimaryMap, Reversed, SecondaryMap};

crate::entity!(RegionId, "region", "A region of [`Regions`].");

/// An edge of the graph: its source, and its position among the source's successors.
type EdgeOf<B> = (B, usize);

/// A part of the graph that is entered through one edge and left through another: each path from the entry to a block
/// of the region passes the first, each path on to an exit passes the second, and between two passes of one lies a pass of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region<B> {
    /// The edge that leads in.
    pub entry: EdgeOf<B>,
    /// The edge that leads out.
    pub exit: EdgeOf<B>,
    /// The smallest region around it.
    pub parent: Option<RegionId>,
}

/// The canonical regions, smallest between two related edges: any two are disjoint or one holds the other.
///
/// Exits and endless loops are tied together as [`Reversed`] says.
#[derive(Clone, Debug)]
pub struct Regions<B: Entity> {
    regions: PrimaryMap<RegionId, Region<B>>,
    innermost: SecondaryMap<B, Option<RegionId>>,
    classes: Vec<(EdgeOf<B>, u32)>,
}

impl<B: Entity> Regions<B> {
    /// The regions of what the entry reaches.
    pub fn new(flow: &impl ControlFlow<Block = B>) -> Regions<B> {
        let walk = DepthFirst::new(flow);
        // Nodes by reverse post-order; the last is the virtual exit. Edges of the graph first, in order.
        let order = walk.reverse_post_order();
        let exit = order.len() as u32;
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut names: Vec<EdgeOf<B>> = Vec::new();
        for (from, &block) in order.iter().enumerate() {
            for (at, to) in walk.succs(block).enumerate() {
                edges.push((from as u32, walk.number(to).unwrap_or(NONE)));
                names.push((block, at));
            }
        }
        let reversed = Reversed::new(flow);
        for block in reversed.succs(reversed.exit()) {
            edges.push((walk.number(block).unwrap_or(NONE), exit));
        }
        edges.push((exit, 0));
        let class = equivalence(order.len() + 1, &edges);
        let mut result =
            Regions { regions: PrimaryMap::new(), innermost: SecondaryMap::new(), classes: Vec::new() };
        result.classes = names.iter().copied().zip(class.iter().copied()).collect();
        // Edges stand in reverse post-order of their sources, which among related edges is the order of dominance.
        let mut last = Last::new(&class);
        let (mut opens, mut closes) = (vec![None; names.len()], vec![None; names.len()]);
        for (edge, &name) in names.iter().enumerate() {
            if let Some(before) = last.replace(class[edge], edge) {
                let id = result.regions.push(Region { entry: names[before], exit: name, parent: None });
                (opens[before], closes[edge]) = (Some(id), Some(id));
            }
        }
        result.nest(&walk, &opens, &closes);
        result
    }

    /// Follows the edges from the entry and notes which region each block is in.
    fn nest(&mut self, walk: &DepthFirst<B>, opens: &[Option<RegionId>], closes: &[Option<RegionId>]) {
        let mut first = vec![0; walk.len() + 1];
        for (at, &block) in walk.reverse_post_order().iter().enumerate() {
            first[at + 1] = first[at] + walk.succs(block).count();
        }
        let mut seen = vec![false; walk.len()];
        seen[0] = true;
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            let block = walk.reverse_post_order()[at];
            for (edge, to) in (first[at]..).zip(walk.succs(block)) {
                let number = walk.number(to).map_or(0, |n| n as usize);
                let mut region = self.innermost[block];
                if let Some(closed) = closes[edge] {
                    region = self.regions[closed].parent;
                }
                if let Some(opened) = opens[edge] {
                    self.regions[opened].parent = region;
                    region = Some(opened);
                }
                if !std::mem::replace(&mut seen[number], true) {
                    self.innermost[to] = region;
                    stack.push(number);
                }
            }
        }
    }

    /// All regions.
    pub fn iter(&self) -> impl Iterator<Item = (RegionId, &Region<B>)> {
        self.regions.iter()
    }
    /// One region.
    pub fn get(&self, id: RegionId) -> &Region<B> {
        &self.regions[id]
    }
    /// The smallest region that holds the block.
    pub fn innermost(&self, block: B) -> Option<RegionId> {
        self.innermost[block]
    }
    /// Whether the region holds the block. Takes time in the depth of the nest.
    pub fn contains(&self, id: RegionId, block: B) -> bool {
        let mut at = self.innermost[block];
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.regions[inner].parent;
        }
        false
    }
    /// Every edge of what is reached, and the number of its class: two edges have one number if every cycle through one
    /// passes the other, once the virtual exit leads back to the entry.
    pub fn classes(&self) -> &[((B, usize), u32)] {
        &self.classes
    }
}

/// The last edge of each class.
struct Last(Vec<u32>);

impl Last {
    fn new(class: &[u32]) -> Last {
        Last(vec![NONE; class.iter().max().map_or(0, |&c| c as usize + 1)])
    }
    /// Notes an edge as the last of its class; the one before.
    fn replace(&mut self, class: u32, edge: usize) -> Option<usize> {
        let old = std::mem::replace(&mut self.0[class as usize], edge as u32);
        (old != NONE).then_some(old as usize)
    }
}

/// A number for each edge of a strongly connected graph, equal where every cycle through one edge passes the other.
fn equivalence(nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let walk = Undirected::new(nodes, edges);
    let mut classes = Classes { of: vec![NONE; edges.len()], count: 0 };
    let mut brackets = Brackets::default();
    // By position in the walk.
    let mut lists = vec![List::default(); nodes];
    let mut highest = vec![NONE; nodes];
    let mut capped: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for at in (0..nodes).rev() {
        let upwards = walk.up[at].iter().map(|&edge| walk.other_end(edge, at, edges)).min().unwrap_or(NONE);
        let (mut best, mut second) = (NONE, NONE);
        for &child in &walk.children[at] {
            let reach = highest[child as usize];
            (best, second) = if reach < best { (reach, best) } else { (best, second.min(reach)) };
            lists[at] = brackets.join(lists[at], lists[child as usize]);
        }
        highest[at] = upwards.min(best);
        for &cap in &capped[at] {
            brackets.remove(&mut lists[at], cap);
        }
        for &edge in &walk.down[at] {
            brackets.remove(&mut lists[at], walk.bracket[edge as usize].get());
            if classes.of[edge as usize] == NONE {
                classes.of[edge as usize] = classes.fresh();
            }
        }
        for &edge in &walk.up[at] {
            let bracket = brackets.push(&mut lists[at], edge);
            walk.bracket[edge as usize].set(bracket);
        }
        // Two children that both lead above this block: what goes around one does not go around the other.
        if second < upwards && second < at as u32 {
            let cap = brackets.push(&mut lists[at], NONE);
            capped[second as usize].push(cap);
        }
        if at > 0 {
            let size = lists[at].size;
            let top = &mut brackets.items[lists[at].head as usize];
            if top.recent_size != size {
                (top.recent_size, top.recent_class) = (size, classes.fresh());
            }
            classes.of[walk.parent_edge[at] as usize] = top.recent_class;
            if size == 1 && top.edge != NONE {
                classes.of[top.edge as usize] = top.recent_class;
            }
        }
    }
    // An edge from a block to itself is a cycle alone.
    for class in 0..edges.len() {
        if classes.of[class] == NONE {
            classes.of[class] = classes.fresh();
        }
    }
    classes.of
}

struct Classes {
    of: Vec<u32>,
    count: u32,
}

impl Classes {
    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }
}

/// A walk of the graph without its arrows. All by position in the walk.
struct Undirected {
    position: Vec<u32>,
    children: Vec<Vec<u32>>,
    parent_edge: Vec<u32>,
    /// Edges to ancestors, and the same at their upper ends; the edge to the parent is neither, nor are loops of one.
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
    /// By edge: its bracket.
    bracket: Vec<std::cell::Cell<u32>>,
}

impl Undirected {
    fn new(nodes: usize, edges: &[(u32, u32)]) -> Undirected {
        let ends = |(edge, &(from, to)): (usize, &(u32, u32))| [(from, edge as u32), (to, edge as u32)];
        let touching = crate::order::Csr::new(nodes, edges.iter().enumerate().flat_map(ends));
        let mut walk = Undirected {
            position: vec![NONE; nodes],
            children: vec![Vec::new(); nodes],
            parent_edge: vec![NONE; nodes],
            up: vec![Vec::new(); nodes],
            down: vec![Vec::new(); nodes],
            bracket: vec![std::cell::Cell::new(NONE); edges.len()],
        };
        let mut found = 1;
        walk.position[0] = 0;
        let mut stack = vec![(0u32, 0usize)];
        let mut used = vec![false; edges.len()];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            let Some(&edge) = touching.of(node).get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if std::mem::replace(&mut used[edge as usize], true) {
                continue;
            }
            let (from, to) = edges[edge as usize];
            let other = if from == node { to } else { from };
            let here = walk.position[node as usize];
            let there = &mut walk.position[other as usize];
            if *there == NONE {
                *there = found;
                walk.children[here as usize].push(found);
                walk.parent_edge[found as usize] = edge;
                found += 1;
                stack.push((other, 0));
            } else if *there < here {
                // An unused edge to a seen block leads to an ancestor: a descendant would have used it.
                walk.up[here as usize].push(edge);
                walk.down[*there as usize].push(edge);
            }
        }
        walk
    }

    /// Where an edge leads from the block at this position, as a position.
    fn other_end(&self, edge: u32, at: usize, edges: &[(u32, u32)]) -> u32 {
        let (from, to) = edges[edge as usize];
        let (from, to) = (self.position[from as usize], self.position[to as usize]);
        if from == at as u32 { to } else { from }
    }
}

/// A list of brackets, newest first.
#[derive(Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
    size: u32,
}

impl Default for List {
    fn default() -> List {
        List { head: NONE, tail: NONE, size: 0 }
    }
}

#[derive(Clone, Copy)]
struct Bracket {
    /// The edge; none for one that only tells two children apart.
    edge: u32,
    next: u32,
    previous: u32,
    recent_size: u32,
    recent_class: u32,
}

#[derive(Default)]
struct Brackets {
    items: Vec<Bracket>,
}

impl Brackets {
    fn push(&mut self, list: &mut List, edge: u32) -> u32 {
        let id = self.items.len() as u32;
        self.items.push(Bracket {
            edge,
            next: list.head,
            previous: NONE,
            recent_size: 0,
            recent_class: NONE,
        });
        match list.head {
            NONE => list.tail = id,
            head => self.items[head as usize].previous = id,
        }
        list.head = id;
        list.size += 1;
        id
    }

    fn remove(&mut self, list: &mut List, id: u32) {
        let Bracket { next, previous, .. } = self.items[id as usize];
        match previous {
            NONE => list.head = next,
            _ => self.items[previous as usize].next = next,
        }
        match next {
            NONE => list.tail = previous,
            _ => self.items[next as usize].previous = previous,
        }
        list.size -= 1;
    }

    /// The first list in front of the second.
    fn join(&mut self, front: List, back: List) -> List {
        match (front.size, back.size) {
            (0, _) => back,
            (_, 0) => front,
            _ => {
                self.items[front.tail as usize].next = back.head;
                self.items[back.head as usize].previous = front.tail;
                List { head: front.head, tail: back.tail, size: front.size + back.size }
            }
        }
    }
}
