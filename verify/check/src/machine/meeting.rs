//! Where lanes that part meet: P1 of `docs/convergence.md`, from its words.

use crate::paths::Paths;
use std::collections::{HashMap, HashSet};

/// The function, or a loop.
struct Level {
    outer: Option<usize>,
    blocks: HashSet<usize>,
    /// Of a loop; empty for the function.
    entries: Vec<usize>,
    /// Nearest block that every way that counts passes, by block; made when asked for.
    behind: Option<HashMap<usize, Option<usize>>>,
}

/// Meeting places of a graph.
pub(super) struct Meetings {
    succs: Vec<Vec<usize>>,
    preds: Vec<Vec<usize>>,
    /// The block does nothing but end the thread.
    ends: Vec<bool>,
    /// The function first, outer before inner.
    levels: Vec<Level>,
    innermost: Vec<usize>,
}

/// Where lanes must meet that part at a branch.
pub(super) enum Demand {
    /// In front of this block.
    At(usize),
    /// At the bottom of a loop, where no block is passed by all.
    Bottom(usize),
}

impl Meetings {
    pub fn new(entry: usize, succs: Vec<Vec<usize>>, ends: Vec<bool>) -> Meetings {
        let mut preds = vec![Vec::new(); succs.len()];
        let reached = reach(&[entry], |at| succs[at].clone());
        for &from in &reached {
            for &to in &succs[from] {
                preds[to].push(from);
            }
        }
        let function = Level { outer: None, blocks: reached, entries: Vec::new(), behind: None };
        let innermost = vec![0; succs.len()];
        let mut all = Meetings { succs, preds, ends, levels: vec![function], innermost };
        let mut next = 0;
        while next < all.levels.len() {
            for blocks in all.cycles(next) {
                for &block in &blocks {
                    all.innermost[block] = all.levels.len();
                }
                let outside = |block: &usize| all.preds[*block].iter().any(|pred| !blocks.contains(pred));
                let entries = blocks.iter().copied().filter(|b| *b == entry || outside(b)).collect();
                all.levels.push(Level { outer: Some(next), blocks, entries, behind: None });
            }
            next += 1;
        }
        all
    }

    /// An edge within a turn of a level.
    fn step(&self, level: usize, to: usize) -> bool {
        self.levels[level].blocks.contains(&to) && !self.levels[level].entries.contains(&to)
    }

    /// Strongly connected parts of a level's turn.
    fn cycles(&self, level: usize) -> Vec<HashSet<usize>> {
        let mut left = self.levels[level].blocks.clone();
        // Blocks without a way in or out among the rest lie on no cycle.
        loop {
            let within = |to: &usize| left.contains(to) && self.step(level, *to);
            let idle = |block: &usize| {
                !self.succs[*block].iter().any(within)
                    || !self.step(level, *block)
                    || !self.preds[*block].iter().any(|pred| left.contains(pred))
            };
            let idle: Vec<usize> = left.iter().copied().filter(idle).collect();
            if idle.is_empty() {
                break;
            }
            idle.iter().for_each(|block| {
                left.remove(block);
            });
        }
        let mut found = Vec::new();
        let mut order: Vec<usize> = left.iter().copied().collect();
        order.sort_unstable();
        for block in order {
            if !left.contains(&block) {
                continue;
            }
            let follow = |edges: &[usize]| -> Vec<usize> {
                edges.iter().copied().filter(|to| left.contains(to) && self.step(level, *to)).collect()
            };
            let forward = reach(&follow(&self.succs[block]), |at| follow(&self.succs[at]));
            let backward = reach(&follow(&self.preds[block]), |at| follow(&self.preds[at]));
            let cycle: HashSet<usize> = forward.intersection(&backward).copied().collect();
            left.remove(&block);
            if cycle.contains(&block) {
                left.retain(|b| !cycle.contains(b));
                found.push(cycle);
            }
        }
        found
    }

    /// What a branch demands: its own meeting place, and those of the loops that lanes leave apart because of it.
    pub fn demands(&mut self, branch: usize) -> Vec<Demand> {
        let mut demands = Vec::new();
        let mut level = self.innermost[branch];
        let mut node = HashSet::from([branch]);
        let mut at_branch = true;
        loop {
            let single = level == 0 || self.levels[level].entries.len() == 1;
            let ways: HashSet<usize> = self.counted(level, &node).into_iter().collect();
            let meets = single && ways.len() >= if at_branch { 2 } else { 1 };
            let meet = if meets { self.behind(level, &node) } else { None };
            match meet {
                Some(block) => demands.push(Demand::At(block)),
                None if meets && level != 0 => demands.push(Demand::Bottom(self.levels[level].entries[0])),
                None => {}
            }
            let Some(outer) = self.levels[level].outer else { return demands };
            if single && !self.leaves(level, &node, meet) {
                return demands;
            }
            node.clone_from(&self.levels[level].blocks);
            (level, at_branch) = (outer, false);
        }
    }

    /// Targets of edges out of `node` that count; the bottom as the entry.
    fn counted(&mut self, level: usize, node: &HashSet<usize>) -> Vec<usize> {
        self.prepare(level);
        let at = &self.levels[level];
        let counts = |to: &usize| {
            let bottom = at.entries.contains(to);
            bottom || at.behind.as_ref().is_some_and(|behind| behind.contains_key(to))
        };
        let out = node.iter().flat_map(|block| &self.succs[*block]).copied();
        out.filter(|to| (!node.contains(to) || at.entries.contains(to)) && counts(to)).collect()
    }

    /// Nearest block behind `node` that all its ways pass, but for those in a loop with several entries.
    fn behind(&mut self, level: usize, node: &HashSet<usize>) -> Option<usize> {
        self.prepare(level);
        let behind = self.levels[level].behind.as_ref()?;
        let chain = |from: usize| {
            let mut all = Vec::new();
            let mut at = from;
            while let Some(&Some(next)) = behind.get(&at) {
                all.push(next);
                at = next;
            }
            all
        };
        let mut common: Option<Vec<usize>> = None;
        for &block in node.iter().filter(|block| behind.contains_key(block)) {
            let mut mine = chain(block);
            mine.retain(|b| !node.contains(b));
            common = Some(match common {
                None => mine,
                Some(before) => before.into_iter().filter(|b| mine.contains(b)).collect(),
            });
        }
        common?.into_iter().find(|&block| {
            let mut at = self.innermost[block];
            while at != level && self.levels[at].entries.len() == 1 {
                at = self.levels[at].outer.unwrap_or(level);
            }
            at == level
        })
    }

    /// Post-dominators of a level: dominance from its end, against the edges that count.
    fn prepare(&mut self, level: usize) {
        if self.levels[level].behind.is_some() {
            return;
        }
        let mut list: Vec<usize> = self.levels[level].blocks.iter().copied().collect();
        list.retain(|&block| level != 0 || !self.ends[block]);
        list.sort_unstable();
        let number: HashMap<usize, usize> = list.iter().zip(1..).map(|(&block, n)| (block, n)).collect();
        let mut back = vec![Vec::new(); list.len() + 1];
        for &block in &list {
            let mut some = false;
            for to in &self.succs[block] {
                let to =
                    if self.levels[level].entries.contains(to) { Some(0) } else { number.get(to).copied() };
                if let Some(to) = to {
                    back[to].push(number[&block]);
                    some = true;
                }
            }
            if level == 0 && !some {
                back[0].push(number[&block]);
            }
        }
        // In the function, lanes in a loop that no way that counts leaves end there.
        for inner in self.levels.iter().filter(|inner| level == 0 && inner.outer == Some(0)) {
            let stays = |to: &usize| inner.blocks.contains(to) || !number.contains_key(to);
            if inner.blocks.iter().all(|block| self.succs[*block].iter().all(stays)) {
                back[0].extend(inner.blocks.iter().map(|block| number[block]));
            }
        }
        let mut paths = Paths::new(0, back);
        let mut behind = HashMap::new();
        for (&block, &n) in &number {
            if paths.reaches(n) {
                let next = paths.immediate(n).filter(|&next| next != 0);
                behind.insert(block, next.map(|next| list[next - 1]));
            }
        }
        self.levels[level].behind = Some(behind);
    }

    /// Whether a way from `node` leads out of the loop without passing `meet`.
    fn leaves(&self, level: usize, node: &HashSet<usize>, meet: Option<usize>) -> bool {
        let steps = |at: usize| -> Vec<usize> {
            let on = |to: &usize| self.step(level, *to) && Some(*to) != meet;
            self.succs[at].iter().copied().filter(on).collect()
        };
        let start: Vec<usize> = node.iter().copied().collect();
        let mut on_the_way = reach(&start, steps);
        on_the_way.extend(node);
        let out = |to: &usize| !self.levels[level].blocks.contains(to) && !self.ends[*to];
        on_the_way.iter().any(|at| self.succs[*at].iter().any(out))
    }
}

/// What is reached from these, these included.
fn reach(from: &[usize], steps: impl Fn(usize) -> Vec<usize>) -> HashSet<usize> {
    let mut seen: HashSet<usize> = from.iter().copied().collect();
    let mut stack = from.to_vec();
    while let Some(at) = stack.pop() {
        stack.extend(steps(at).into_iter().filter(|&to| seen.insert(to)));
    }
    seen
}
