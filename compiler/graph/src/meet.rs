//! Where lanes that part meet: P1 of `docs/convergence.md`.

use crate::nest::{Cycle, Nest};
use crate::{BitSet, ControlFlow, Entity, SecondaryMap, order};
use std::collections::{HashMap, HashSet};

/// A meeting place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Meet<B> {
    /// In front of a block.
    Block(B),
    /// At the bottom of a loop's body, before the next turn.
    Bottom(Cycle),
}

/// Who parts: lanes at a branch, or lanes that leave a cycle at different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Parting<B> {
    /// At the end of a block.
    Branch(B),
    /// In a cycle.
    Cycle(Cycle),
}

/// The meeting places of a graph.
#[derive(Clone, Debug)]
pub struct Meetings<B: Entity> {
    /// The cycles.
    pub nest: Nest<B>,
    of_block: SecondaryMap<B, Option<Meet<B>>>,
    of_cycle: SecondaryMap<Cycle, Option<Meet<B>>>,
    /// Who parts, given the branches at which lanes may part.
    pub partings: Vec<Parting<B>>,
}

/// One level: what lies directly in a cycle or in the function. Node 0 is the end: the bottom, or the end of all threads.
struct Level<B> {
    cycle: Option<Cycle>,
    nodes: Vec<Parting<B>>,
    number: HashMap<Parting<B>, usize>,
    /// Edges that count, by node, once each; behind them all is again a node.
    ways: Vec<Vec<usize>>,
    /// All edges inside the level.
    all: Vec<Vec<usize>>,
    /// Whether an edge leads out of the cycle, but for one to a block that only ends threads.
    out: Vec<bool>,
    /// Nearest node that all ways that count lead through.
    behind: Vec<usize>,
}

/// Where an edge leads, as a level sees it.
enum Way {
    /// To a node.
    To(usize),
    /// Out of the cycle.
    Out,
    /// To a block that only ends threads.
    Ends,
}

impl<B: Entity> Meetings<B> {
    /// The meeting places of a graph, and who parts when lanes may part at the branches that `parts` names. `ends` says of a
    /// block that it does nothing but end the thread.
    pub fn new(
        graph: &impl ControlFlow<Block = B>,
        parts: impl Fn(B) -> bool,
        ends: impl Fn(B) -> bool,
    ) -> Meetings<B> {
        let nest = Nest::new(graph);
        let mut meetings = Meetings {
            nest,
            of_block: SecondaryMap::new(),
            of_cycle: SecondaryMap::new(),
            partings: Vec::new(),
        };
        let mut direct: SecondaryMap<Cycle, Vec<B>> = SecondaryMap::new();
        let mut outside = Vec::new();
        for block in order::reverse_post_order(graph) {
            match meetings.nest.innermost(block) {
                Some(cycle) => direct[cycle].push(block),
                None => outside.push(block),
            }
        }
        let mut inner: SecondaryMap<Cycle, Vec<Cycle>> = SecondaryMap::new();
        let mut outer = Vec::new();
        for (cycle, data) in meetings.nest.cycles.iter() {
            data.parent.map_or(&mut outer, |parent| &mut inner[parent]).push(cycle);
        }
        let mut leaving: SecondaryMap<Cycle, Vec<B>> = SecondaryMap::new();
        for block in order::reverse_post_order(graph) {
            for to in graph.succs(block) {
                let mut at = meetings.nest.innermost(block);
                while let Some(cycle) = at.filter(|&cycle| !meetings.nest.holds(Some(cycle), to)) {
                    leaving[cycle].push(to);
                    at = meetings.nest.cycles[cycle].parent;
                }
            }
        }
        let mut parted = SecondaryMap::<Cycle, bool>::new();
        for cycle in meetings.nest.cycles.keys().rev() {
            let level = meetings.level(graph, Some(cycle), &direct[cycle], &inner[cycle], &leaving, &ends);
            parted[cycle] = meetings.settle(graph, &level, &parts, &parted);
        }
        let level = meetings.level(graph, None, &outside, &outer, &leaving, &ends);
        meetings.settle(graph, &level, &parts, &parted);
        meetings
    }

    /// Where lanes meet that part; none if only at the end, or apart from each other.
    pub fn of(&self, parting: Parting<B>) -> Option<Meet<B>> {
        match parting {
            Parting::Branch(block) => self.of_block[block],
            Parting::Cycle(cycle) => self.of_cycle[cycle],
        }
    }

    fn level(
        &self,
        graph: &impl ControlFlow<Block = B>,
        cycle: Option<Cycle>,
        direct: &[B],
        inner: &[Cycle],
        leaving: &SecondaryMap<Cycle, Vec<B>>,
        ends: &impl Fn(B) -> bool,
    ) -> Level<B> {
        let mut nodes = vec![Parting::Branch(graph.entry())];
        nodes.extend(
            direct.iter().filter(|&&block| cycle.is_some() || !ends(block)).map(|&b| Parting::Branch(b)),
        );
        nodes.extend(inner.iter().map(|&inner| Parting::Cycle(inner)));
        let number: HashMap<Parting<B>, usize> =
            nodes.iter().enumerate().skip(1).map(|(index, &node)| (node, index)).collect();
        let mut ways = vec![Vec::new(); nodes.len()];
        let mut out = vec![false; nodes.len()];
        for (index, &node) in nodes.iter().enumerate().skip(1) {
            let direct;
            let targets = match node {
                Parting::Branch(block) => {
                    direct = graph.succs(block);
                    &direct
                }
                Parting::Cycle(inner) => &leaving[inner],
            };
            for &to in targets {
                let way = match self.way(cycle, &number, to) {
                    Way::Out => {
                        out[index] |= !ends(to);
                        continue;
                    }
                    Way::To(way) if way != index => way,
                    // An edge of a block to itself, or to one that only ends.
                    Way::To(_) | Way::Ends => continue,
                };
                if !ways[index].contains(&way) {
                    ways[index].push(way);
                }
            }
        }
        let mut level = Level { cycle, nodes, number, all: ways.clone(), ways, out, behind: Vec::new() };
        level.count();
        level
    }

    fn way(&self, cycle: Option<Cycle>, number: &HashMap<Parting<B>, usize>, to: B) -> Way {
        if cycle.is_some_and(|cycle| self.nest.cycles[cycle].entries.contains(&to)) {
            return Way::To(0);
        }
        if !self.nest.holds(cycle, to) {
            return Way::Out;
        }
        let node = self.nest.child_at(cycle, to).map_or(Parting::Branch(to), Parting::Cycle);
        number.get(&node).map_or(Way::Ends, |&way| Way::To(way))
    }

    /// Meeting places of a level. Returns whether lanes leave its cycle apart.
    fn settle(
        &mut self,
        graph: &impl ControlFlow<Block = B>,
        level: &Level<B>,
        parts: &impl Fn(B) -> bool,
        parted: &SecondaryMap<Cycle, bool>,
    ) -> bool {
        // Several entries have no common bottom, and what lies between them is executed in any order.
        let single = level.cycle.is_none_or(|cycle| self.nest.cycles[cycle].entries.len() == 1);
        let mut leaves = false;
        let out = level.out.contains(&true);
        let mut seen = HashMap::new();
        let none = (None, 0);
        for (index, &node) in level.nodes.iter().enumerate().skip(1) {
            let (splits, stop) = match node {
                Parting::Branch(block) => {
                    let succs = graph.succs(block);
                    let several = succs.iter().any(|&to| to != succs[0]);
                    let meets = single && self.counted(level, index, &succs) > 1;
                    let (meet, at) = if meets { self.place(level, level.behind[index]) } else { none };
                    self.of_block[block] = meet;
                    (several && parts(block), at)
                }
                Parting::Cycle(cycle) => {
                    let meets = single && !level.ways[index].is_empty();
                    let (meet, at) = if meets { self.place(level, level.behind[index]) } else { none };
                    self.of_cycle[cycle] = meet;
                    (parted[cycle], at)
                }
            };
            if splits {
                self.partings.push(node);
                leaves = leaves || !single || out && level.leaves(index, stop, seen.entry(stop).or_default());
            }
        }
        leaves
    }

    /// How many blocks behind the branch at `index` lie on ways that count.
    fn counted(&self, level: &Level<B>, index: usize, succs: &[B]) -> usize {
        let counts = |to: &B| match self.way(level.cycle, &level.number, *to) {
            Way::To(way) => level.ways[index].contains(&way),
            Way::Out | Way::Ends => false,
        };
        let mut counted: Vec<B> = succs.iter().copied().filter(counts).collect();
        counted.sort();
        counted.dedup();
        counted.len()
    }

    /// The first place from `node` on that is one, and its node: not a cycle with several entries.
    fn place(&self, level: &Level<B>, mut node: usize) -> (Option<Meet<B>>, usize) {
        while node != 0 {
            match level.nodes[node] {
                Parting::Branch(block) => return (Some(Meet::Block(block)), node),
                Parting::Cycle(cycle) => match self.nest.cycles[cycle].header() {
                    Some(header) => return (Some(Meet::Block(header)), node),
                    None => node = level.behind[node],
                },
            }
        }
        (level.cycle.map(Meet::Bottom), 0)
    }
}

impl<B: Entity> Level<B> {
    /// Keeps the ways that lead to the end, and finds the nearest node that all of them lead through.
    fn count(&mut self) {
        let order = self.post_order();
        let mut position = vec![0; self.nodes.len()];
        for (at, &node) in order.iter().enumerate() {
            position[node] = at + 1;
        }
        self.behind = vec![usize::MAX; self.nodes.len()];
        self.behind[0] = 0;
        for &node in &order {
            // In the function, what leads nowhere that counts ends.
            if self.cycle.is_none() && self.ways[node].is_empty() {
                self.ways[node].push(0);
            }
            let behind = &self.behind;
            self.ways[node].retain(|&to| behind[to] != usize::MAX);
            let mut meet = usize::MAX;
            for &to in &self.ways[node] {
                meet = if meet == usize::MAX { to } else { self.common(&position, meet, to) };
            }
            self.behind[node] = meet;
        }
    }

    /// Nodes, each behind those that it leads to.
    fn post_order(&self) -> Vec<usize> {
        let mut seen = BitSet::new(self.nodes.len());
        seen.insert(0);
        let mut order = Vec::new();
        for root in 1..self.nodes.len() {
            if !seen.insert(root) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((node, at)) = stack.last_mut() {
                if let Some(&to) = self.ways[*node].get(*at) {
                    *at += 1;
                    if seen.insert(to) {
                        stack.push((to, 0));
                    }
                } else {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order
    }

    /// The nearest node behind both; `position` grows against the edges, and is 0 for the end.
    fn common(&self, position: &[usize], mut a: usize, mut b: usize) -> usize {
        while a != b {
            if position[a] > position[b] {
                a = self.behind[a];
            } else {
                b = self.behind[b];
            }
        }
        a
    }

    /// Whether a way from `node` leads out of the cycle before it meets. `seen` are nodes from which it was asked before in vain,
    /// with the same place to stop.
    fn leaves(&self, node: usize, stop: usize, seen: &mut HashSet<usize>) -> bool {
        let mut stack = vec![node];
        while let Some(at) = stack.pop() {
            if self.out[at] {
                return true;
            }
            let ways = self.all[at].iter().copied();
            stack.extend(ways.filter(|&to| to != stop && to != 0 && seen.insert(to)));
        }
        false
    }
}
