//! Where lanes meet in the lock step of `docs/convergence.md` (P1), by the definition: a place is where removing a node
//! cuts every way that counts. Slow, and shares nothing with what places barriers.

use std::collections::BTreeSet;

/// A meeting place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In front of a node.
    Node(usize),
    /// At the bottom of a loop, by level.
    Bottom(usize),
}

/// The function (level 0) or a loop.
#[derive(Clone, Debug)]
struct Level {
    outer: usize,
    entries: BTreeSet<usize>,
    nodes: BTreeSet<usize>,
}

impl Level {
    /// What lies in a loop with several entries has no meeting place in it.
    fn meets(&self) -> bool {
        self.entries.len() == 1
    }
}

/// A graph from node 0, its loops, and where lanes that part meet.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    succs: Vec<BTreeSet<usize>>,
    /// Nodes that do nothing but end the thread.
    ends: Vec<bool>,
    levels: Vec<Level>,
    innermost: Vec<usize>,
    branches: Vec<Option<Place>>,
    loops: Vec<Option<Place>>,
}

impl Places {
    pub fn new(succs: Vec<BTreeSet<usize>>, ends: Vec<bool>) -> Places {
        let count = succs.len();
        let mut places = Places {
            succs,
            ends,
            levels: Vec::new(),
            innermost: vec![0; count],
            branches: vec![None; count],
            loops: Vec::new(),
        };
        let mut all = places.reached([0], |_| true);
        all.insert(0);
        places.levels.push(Level { outer: 0, entries: BTreeSet::from([0]), nodes: all });
        let mut next = 0;
        while next < places.levels.len() {
            places.nest(next);
            next += 1;
        }
        for node in places.levels[0].nodes.clone() {
            places.branches[node] = places.of_branch(node);
        }
        places.loops = (0..places.levels.len()).map(|level| places.of_loop(level)).collect();
        places
    }

    /// Where the lanes that part at the end of a node meet, and in which level.
    pub fn branch(&self, node: usize) -> Option<(usize, Place)> {
        Some((self.innermost[node], self.branches[node]?))
    }

    /// The loops into which an edge leads, outermost first: the level around each, and where its lanes meet behind it.
    pub fn entered(&self, from: Option<usize>, to: usize) -> Vec<(usize, Option<Place>)> {
        let outside = |level: &usize| from.is_none_or(|from| !self.levels[*level].nodes.contains(&from));
        let mut found: Vec<_> = self.around(to).into_iter().filter(outside).collect();
        found.reverse();
        found.into_iter().map(|level| (self.levels[level].outer, self.loops[level])).collect()
    }

    /// Whether a level holds a node.
    pub fn holds(&self, level: usize, node: usize) -> bool {
        self.levels[level].nodes.contains(&node)
    }

    /// Whether an edge leads to a place.
    pub fn arrives(&self, from: Option<usize>, to: usize, level: usize, place: Place) -> bool {
        let bottom = |level: usize| {
            let level = &self.levels[level];
            level.entries.contains(&to) && from.is_some_and(|from| level.nodes.contains(&from))
        };
        match place {
            Place::Bottom(of) => bottom(of),
            Place::Node(node) => node == to && (level == 0 || !bottom(level)),
        }
    }

    /// The loops around a node, innermost first.
    fn around(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = self.innermost[node];
        while at != 0 {
            found.push(at);
            at = self.levels[at].outer;
        }
        found
    }

    /// What is reached behind these, through nodes that `open` allows.
    fn reached(
        &self,
        from: impl IntoIterator<Item = usize>,
        open: impl Fn(usize) -> bool,
    ) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut stack: Vec<usize> = from.into_iter().collect();
        while let Some(at) = stack.pop() {
            stack.extend(self.succs[at].iter().copied().filter(|&to| open(to) && seen.insert(to)));
        }
        seen
    }

    /// Finds the loops directly inside of a level.
    fn nest(&mut self, outer: usize) {
        let level = self.levels[outer].clone();
        let cut = |to: usize| level.nodes.contains(&to) && (outer == 0 || !level.entries.contains(&to));
        let mut left = level.nodes.clone();
        while let Some(node) = left.pop_first() {
            let behind = self.reached([node], cut);
            if !behind.contains(&node) {
                continue;
            }
            let nodes: BTreeSet<usize> =
                behind.into_iter().filter(|&other| self.reached([other], cut).contains(&node)).collect();
            left.retain(|other| !nodes.contains(other));
            let outside = self.levels[0].nodes.difference(&nodes);
            let mut entries: BTreeSet<usize> = outside
                .flat_map(|from| &self.succs[*from])
                .copied()
                .filter(|to| nodes.contains(to))
                .collect();
            entries.extend(nodes.contains(&0).then_some(0));
            for &node in &nodes {
                self.innermost[node] = self.levels.len();
            }
            self.levels.push(Level { outer, entries, nodes });
        }
    }

    /// Whether a step to a node stays within a turn of the level.
    fn inside(&self, level: usize, to: usize) -> bool {
        let at = &self.levels[level];
        if level == 0 { !self.ends[to] } else { at.nodes.contains(&to) && !at.entries.contains(&to) }
    }

    /// Whether a turn of the level ends behind a node: at the bottom of a loop, or with the thread.
    fn finishes(&self, level: usize, node: usize) -> bool {
        if level != 0 {
            return self.succs[node].iter().any(|to| self.levels[level].entries.contains(to));
        }
        let stays = |to: &usize| self.inside(0, *to);
        let endless = |inner: &Level| {
            inner
                .nodes
                .iter()
                .flat_map(|at| &self.succs[*at])
                .all(|to| inner.nodes.contains(to) || !stays(to))
        };
        // The outermost loop around it.
        let lasting = self.around(node).last().is_some_and(|&outermost| endless(&self.levels[outermost]));
        lasting || !self.succs[node].iter().any(stays)
    }

    /// Whether a way that counts leads on from one of these nodes without passing `cut`.
    fn counts(&self, level: usize, from: &BTreeSet<usize>, cut: &BTreeSet<usize>) -> bool {
        let open = |to: usize| self.inside(level, to) && !cut.contains(&to);
        let mut on = self.reached(from.iter().copied(), open);
        on.extend(from);
        on.iter().any(|&node| self.finishes(level, node))
    }

    fn of_branch(&self, node: usize) -> Option<Place> {
        let level = self.innermost[node];
        let counts = |&to: &usize| {
            let bottom = level != 0 && self.levels[level].entries.contains(&to);
            bottom || self.inside(level, to) && self.counts(level, &BTreeSet::from([to]), &BTreeSet::new())
        };
        let ways = self.succs[node].iter().copied().filter(counts).count();
        if ways < 2 { None } else { self.nearest(level, &BTreeSet::from([node])) }
    }

    fn of_loop(&self, level: usize) -> Option<Place> {
        let inner = &self.levels[level];
        let out =
            inner.nodes.iter().flat_map(|node| &self.succs[*node]).filter(|to| !inner.nodes.contains(to));
        let counts = |to: &usize| {
            let bottom = inner.outer != 0 && self.levels[inner.outer].entries.contains(to);
            bottom
                || self.inside(inner.outer, *to)
                    && self.counts(inner.outer, &BTreeSet::from([*to]), &BTreeSet::new())
        };
        let turns = || {
            let back = |node: &usize| {
                self.succs[*node].iter().any(|to| self.levels[inner.outer].entries.contains(to))
            };
            inner.outer != 0 && inner.nodes.iter().any(back)
        };
        let some = level != 0 && (turns() || out.into_iter().any(counts));
        if some { self.nearest(inner.outer, &inner.nodes) } else { None }
    }

    /// The nearest place of a level that all ways that count pass behind these nodes.
    fn nearest(&self, level: usize, from: &BTreeSet<usize>) -> Option<Place> {
        if !self.levels[level].meets() {
            return None;
        }
        let single = |node: usize| {
            let mut loops = self.around(node).into_iter().take_while(|&at| at != level);
            loops.all(|at| self.levels[at].meets())
        };
        let ahead = self.reached(from.iter().copied(), |to| self.inside(level, to));
        let all = |&node: &usize| {
            !from.contains(&node) && single(node) && !self.counts(level, from, &BTreeSet::from([node]))
        };
        let passed: BTreeSet<usize> = ahead.into_iter().filter(all).collect();
        let first = |&&node: &&usize| {
            let mut others = passed.clone();
            others.remove(&node);
            self.reached(from.iter().copied(), |to| self.inside(level, to) && !others.contains(&to))
                .contains(&node)
        };
        match passed.iter().find(first) {
            Some(&node) => Some(Place::Node(node)),
            None => (level != 0).then_some(Place::Bottom(level)),
        }
    }
}
