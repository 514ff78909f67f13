//! Where lanes that part meet: P1 of `docs/convergence.md`, from its words.
//!
//! Each level is looked at once: for the branches directly in it, and for the loops directly in it as wholes. That takes
//! time in the number of blocks times the depth of loops, and memory in the number of blocks.

use crate::paths::Paths;
use rustc_hash::FxHashSet;

/// The function, or a loop.
struct Level {
    outer: Option<usize>,
    /// Of a loop; empty for the function.
    entries: Vec<usize>,
    /// One behind the last level inside of this one.
    last: usize,
    /// Its blocks, those of loops in it included: a range of `Meetings::sorted`.
    blocks: std::ops::Range<usize>,
    looked_at: bool,
}

/// Meeting places of a graph.
pub(super) struct Meetings {
    succs: Vec<Vec<usize>>,
    preds: Vec<Vec<usize>>,
    /// The block does nothing but end the thread.
    ends: Vec<bool>,
    /// Lanes wait in the block for all of the warp that have not exited.
    waits: Vec<bool>,
    /// The function first, each loop before those in it and behind what is in its elder siblings.
    levels: Vec<Level>,
    innermost: Vec<usize>,
    /// The level that a block is an entry of. It is one of no other: edges to it lead to no block of the level's turn.
    entry_of: Vec<usize>,
    /// Blocks by level.
    sorted: Vec<usize>,
    /// What a branch at the end of a block demands of its own level; by block.
    of_branch: Vec<Option<Answer>>,
    /// What a loop that lanes leave apart demands of the level around it; by level.
    of_loop: Vec<Option<Answer>>,
    scratch: Scratch,
}

/// Space by block that every level uses again.
#[derive(Default)]
struct Scratch {
    /// All [`NONE`] between uses.
    number: Vec<usize>,
    marks: Marks,
    /// Blocks from which a way leads out of the level.
    exits: Marks,
}

/// Where lanes must meet that part at a branch.
#[derive(Clone, Copy)]
pub(super) enum Demand {
    /// In front of this block.
    At(usize),
    /// At the bottom of a loop, where no block is passed by all.
    Bottom(usize),
}

/// What a branch or a loop demands in one level.
#[derive(Clone, Copy)]
struct Answer {
    demand: Option<Demand>,
    /// Lanes may leave the level before they meet.
    leaves: bool,
}

/// No block, no level.
const NONE: usize = usize::MAX;

/// Blocks of which some are marked; forgets all marks at once.
#[derive(Default)]
struct Marks {
    of: Vec<u32>,
    now: u32,
}

impl Marks {
    fn new(blocks: usize) -> Marks {
        Marks { of: vec![0; blocks], now: 1 }
    }
    fn has(&self, block: usize) -> bool {
        self.of[block] == self.now
    }
    fn clear(&mut self) {
        self.now += 1;
    }
    /// Whether it was not marked before.
    fn mark(&mut self, block: usize) -> bool {
        std::mem::replace(&mut self.of[block], self.now) != self.now
    }
}

impl Meetings {
    pub fn new(entry: usize, succs: Vec<Vec<usize>>, ends: Vec<bool>, waits: Vec<bool>) -> Meetings {
        let count = succs.len();
        let mut preds = vec![Vec::new(); count];
        // One more than there are blocks: the end of a level has a place too.
        let mut marks = Marks::new(count + 1);
        let (mut reached, mut stack) = (Vec::new(), vec![entry]);
        while let Some(block) = stack.pop() {
            if marks.mark(block) {
                reached.push(block);
                stack.extend(&succs[block]);
            }
        }
        for &from in &reached {
            for &to in &succs[from] {
                preds[to].push(from);
            }
        }
        let mut all = Meetings {
            succs,
            preds,
            ends,
            waits,
            levels: Vec::new(),
            innermost: vec![NONE; count],
            entry_of: vec![NONE; count],
            sorted: Vec::new(),
            of_branch: vec![None; count],
            of_loop: Vec::new(),
            scratch: Scratch { number: vec![NONE; count], marks, exits: Marks::new(count) },
        };
        let mut search = Search { place: vec![NONE; count], low: vec![NONE; count] };
        let mut open = vec![(None, reached.clone())];
        while let Some((outer, blocks)) = open.pop() {
            let level = all.levels.len();
            for &block in &blocks {
                all.innermost[block] = level;
            }
            let mut entries = Vec::new();
            if outer.is_some() {
                let outside = |block: usize| all.preds[block].iter().any(|&p| all.innermost[p] != level);
                entries.extend(blocks.iter().copied().filter(|&b| b == entry || outside(b)));
            }
            for &block in &entries {
                all.entry_of[block] = level;
            }
            all.levels.push(Level { outer, entries, last: level + 1, blocks: 0..0, looked_at: false });
            let inner = search.cycles(&blocks, |at| {
                let turn = |to: &usize| all.innermost[*to] == level && all.entry_of[*to] != level;
                all.succs[at].iter().copied().filter(turn).collect()
            });
            open.extend(inner.into_iter().map(|blocks| (Some(level), blocks)));
        }
        all.of_loop = vec![None; all.levels.len()];
        all.sort(reached);
        all
    }

    /// Puts blocks in the order of their levels, in which those of a level and of what is in it stand together.
    fn sort(&mut self, mut reached: Vec<usize>) {
        for level in (1..self.levels.len()).rev() {
            let last = self.levels[level].last;
            if let Some(outer) = self.levels[level].outer {
                let around = &mut self.levels[outer].last;
                *around = last.max(*around);
            }
        }
        reached.sort_unstable_by_key(|&block| (self.innermost[block], block));
        for level in 0..self.levels.len() {
            let at = |level: usize| reached.partition_point(|&block| self.innermost[block] < level);
            self.levels[level].blocks = at(level)..at(self.levels[level].last);
        }
        self.sorted = reached;
    }

    /// The blocks of each loop, those of loops in it included.
    pub fn loops(&self) -> impl Iterator<Item = &[usize]> {
        (1..self.levels.len()).map(|level| self.blocks(level))
    }

    /// The blocks of the innermost loop that a block lies in.
    pub fn innermost_loop(&self, block: usize) -> Option<&[usize]> {
        let level = self.innermost[block];
        (level != NONE && level != 0).then(|| self.blocks(level))
    }

    fn blocks(&self, level: usize) -> &[usize] {
        &self.sorted[self.levels[level].blocks.clone()]
    }

    /// Whether a block lies in a level, or in a loop in it.
    fn holds(&self, level: usize, block: usize) -> bool {
        (level..self.levels[level].last).contains(&self.innermost[block])
    }

    fn single(&self, level: usize) -> bool {
        level == 0 || self.levels[level].entries.len() == 1
    }

    /// What a branch demands: its own meeting place, and those of the loops that lanes leave apart because of it.
    /// Each with its level.
    pub fn demands(&mut self, branch: usize) -> Vec<(usize, Demand)> {
        let mut demands = Vec::new();
        let mut level = self.innermost[branch];
        self.look_at(level);
        let mut answer = self.of_branch[branch];
        let mut node = vec![branch];
        while let Some(Answer { demand, leaves }) = answer {
            let demand = demand.filter(|&demand| !self.waits_before(level, &node, demand));
            demands.extend(demand.map(|demand| (level, demand)));
            match self.levels[level].outer {
                Some(outer) if leaves => {
                    self.look_at(outer);
                    answer = self.of_loop[level];
                    node = self.blocks(level).to_vec();
                    level = outer;
                }
                _ => break,
            }
        }
        demands
    }

    /// Whether a way within the level leads from one of these blocks to where lanes meet.
    pub fn reached_from(&self, from: &[usize], level: usize, demand: Demand) -> bool {
        let bottom = |&block: &usize| self.succs[block].iter().any(|&to| self.entry_of[to] == level);
        let mut stack: Vec<usize> = match demand {
            Demand::At(block) => vec![block],
            Demand::Bottom(_) => self.blocks(level).iter().copied().filter(bottom).collect(),
        };
        let mut seen: FxHashSet<usize> = stack.iter().copied().collect();
        while let Some(at) = stack.pop() {
            if from.contains(&at) {
                return true;
            }
            let begins = level != 0 && self.entry_of[at] == level;
            let ahead = self.preds[at].iter().filter(|&&pred| !begins && self.holds(level, pred));
            stack.extend(ahead.filter(|&&pred| seen.insert(pred)));
        }
        false
    }

    /// Whether lanes that part at a node of a level, a block or a loop, wait for the whole warp before they meet.
    fn waits_before(&self, level: usize, node: &[usize], demand: Demand) -> bool {
        if !self.waits.contains(&true) {
            return false;
        }
        let meets = |to: usize| match demand {
            Demand::At(block) => to == block,
            Demand::Bottom(_) => self.entry_of[to] == level,
        };
        let stays = |to: usize| self.holds(level, to) && self.entry_of[to] != level && !node.contains(&to);
        // What is reached from these before they meet, and whether they do.
        let ahead = |from: &[usize]| {
            let (mut seen, mut met) = (Vec::new(), false);
            let mut stack = from.to_vec();
            while let Some(at) = stack.pop() {
                for &to in &self.succs[at] {
                    met |= meets(to);
                    if !meets(to) && stays(to) && !seen.contains(&to) {
                        seen.push(to);
                        stack.push(to);
                    }
                }
            }
            (seen, met)
        };
        let turns = node.len() > 1 || self.succs[node[0]].contains(&node[0]);
        let (seen, _) = ahead(node);
        turns && node.iter().any(|&block| self.waits[block])
            || seen.into_iter().any(|block| self.waits[block] && ahead(&[block]).1)
    }

    /// Answers for all that lies directly in a level.
    fn look_at(&mut self, level: usize) {
        if std::mem::replace(&mut self.levels[level].looked_at, true) {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        self.find_exits(level, &mut scratch.exits);
        let behind = Behind::new(self, level, std::mem::take(&mut scratch.number));
        let (mut of_branch, mut of_loop) = (Vec::new(), Vec::new());
        let branches = |block: &&usize| self.innermost[**block] == level && self.succs[**block].len() > 1;
        for &branch in self.blocks(level).iter().filter(branches) {
            let inside = |block: usize| block == branch;
            of_branch.push((branch, self.answer(level, &behind, &[branch], inside, 2, &mut scratch)));
        }
        let mut inner = level + 1;
        while inner < self.levels[level].last {
            let inside = |block: usize| self.holds(inner, block);
            of_loop.push((inner, self.answer(level, &behind, self.blocks(inner), inside, 1, &mut scratch)));
            inner = self.levels[inner].last;
        }
        of_branch.into_iter().for_each(|(block, answer)| self.of_branch[block] = Some(answer));
        of_loop.into_iter().for_each(|(inner, answer)| self.of_loop[inner] = Some(answer));
        scratch.number = behind.number;
        self.blocks(level).iter().for_each(|&block| scratch.number[block] = NONE);
        self.scratch = scratch;
    }

    /// Marks the blocks of a loop from which a way leads out of it within a turn.
    fn find_exits(&self, level: usize, exits: &mut Marks) {
        exits.clear();
        let out = |&to: &usize| !self.holds(level, to) && !self.ends[to];
        let blocks = self.blocks(level).iter().copied();
        let mut stack: Vec<usize> = blocks.filter(|&block| self.succs[block].iter().any(out)).collect();
        while let Some(block) = stack.pop() {
            if exits.mark(block) && self.entry_of[block] != level {
                stack.extend(self.preds[block].iter().filter(|&&pred| self.holds(level, pred)));
            }
        }
    }

    /// What lanes demand that part at a node of a level, a block or a loop, if at least so many ways out of it count.
    fn answer(
        &self,
        level: usize,
        behind: &Behind,
        node: &[usize],
        inside: impl Fn(usize) -> bool,
        least: usize,
        scratch: &mut Scratch,
    ) -> Answer {
        let bottom = |to: usize| self.entry_of[to] == level;
        let mut ways: Vec<usize> = node.iter().flat_map(|&block| &self.succs[block]).copied().collect();
        ways.retain(|&to| bottom(to) || !inside(to) && behind.counts(to));
        ways.sort_unstable();
        ways.dedup();
        let single = self.single(level);
        let meets = single && ways.len() >= least;
        let meet = if meets { behind.nearest(self, level, node, &inside, &mut scratch.marks) } else { None };
        let demand = match meet {
            Some(block) => Some(Demand::At(block)),
            None if meets && level != 0 => Some(Demand::Bottom(self.levels[level].entries[0])),
            None => None,
        };
        let leaves = level != 0 && (!single || self.leaves(level, node, meet, scratch));
        Answer { demand, leaves }
    }

    /// Whether a way from `node` leads out of the loop without passing `meet`.
    fn leaves(&self, level: usize, node: &[usize], meet: Option<usize>, scratch: &mut Scratch) -> bool {
        let Scratch { marks, exits, .. } = scratch;
        if meet.is_none() {
            return node.iter().any(|&block| exits.has(block));
        }
        marks.clear();
        let start = node.iter().copied();
        let mut stack: Vec<usize> = start.filter(|&block| exits.has(block) && marks.mark(block)).collect();
        while let Some(at) = stack.pop() {
            for &to in &self.succs[at] {
                if !self.holds(level, to) {
                    if !self.ends[to] {
                        return true;
                    }
                } else if self.entry_of[to] != level && Some(to) != meet && exits.has(to) && marks.mark(to) {
                    stack.push(to);
                }
            }
        }
        false
    }
}

/// For each block of a level, the nearest block behind it that every way that counts passes.
struct Behind {
    /// A block's place in `list`, from one on; [`NONE`] where no way from it counts.
    number: Vec<usize>,
    list: Vec<usize>,
    /// By place: that of the nearest, zero for the end of the level; and how many follow.
    next: Vec<usize>,
    depth: Vec<usize>,
}

impl Behind {
    /// Post-dominators of a level: dominance from its end, against the edges that count.
    fn new(all: &Meetings, level: usize, mut number: Vec<usize>) -> Behind {
        let mut list = all.blocks(level).to_vec();
        list.retain(|&block| level != 0 || !all.ends[block]);
        for (&block, n) in list.iter().zip(1..) {
            number[block] = n;
        }
        let mut back = vec![Vec::new(); list.len() + 1];
        for &block in &list {
            let mut some = false;
            for &to in &all.succs[block] {
                let to = if all.entry_of[to] == level { 0 } else { number[to] };
                if to != NONE {
                    back[to].push(number[block]);
                    some = true;
                }
            }
            if level == 0 && !some {
                back[0].push(number[block]);
            }
        }
        // In the function, lanes in a loop that no way that counts leaves end there.
        let mut inner = if level == 0 { 1 } else { NONE };
        while inner < all.levels.len() {
            let stays = |&to: &usize| all.holds(inner, to) || number[to] == NONE;
            if all.blocks(inner).iter().all(|&block| all.succs[block].iter().all(stays)) {
                back[0].extend(all.blocks(inner).iter().map(|&block| number[block]));
            }
            inner = all.levels[inner].last;
        }
        let mut paths = Paths::new(0, back);
        let next: Vec<usize> = (0..=list.len()).map(|n| paths.immediate(n).unwrap_or(0)).collect();
        for (&block, n) in list.iter().zip(1..) {
            if !paths.reaches(n) {
                number[block] = NONE;
            }
        }
        let mut depth = vec![NONE; list.len() + 1];
        depth[0] = 0;
        for n in (1..=list.len()).filter(|&n| paths.reaches(n)) {
            let mut chain = vec![n];
            let mut at = n;
            while depth[at] == NONE {
                at = next[at];
                chain.push(at);
            }
            let above = depth[at];
            for (more, &at) in chain.iter().rev().enumerate() {
                depth[at] = above + more;
            }
        }
        Behind { number, list, next, depth }
    }

    /// Whether ways from a block count.
    fn counts(&self, block: usize) -> bool {
        self.number[block] != NONE
    }

    /// Nearest block behind `node` that all its ways pass, but for those in a loop with several entries.
    fn nearest(
        &self,
        all: &Meetings,
        level: usize,
        node: &[usize],
        inside: impl Fn(usize) -> bool,
        marks: &mut Marks,
    ) -> Option<usize> {
        let mut places = node.iter().map(|&block| self.number[block]).filter(|&n| n != NONE);
        let mut at = places.next()?;
        // All that is marked has `at` behind it, or is it.
        marks.clear();
        marks.mark(at);
        for mut other in places {
            while marks.mark(other) {
                while self.depth[at] >= self.depth[other] && at != other {
                    at = self.next[at];
                    marks.mark(at);
                }
                if at == other {
                    break;
                }
                other = self.next[other];
            }
        }
        while at != 0 {
            let block = self.list[at - 1];
            let mut loops = all.innermost[block];
            while loops != level && all.single(loops) {
                loops = all.levels[loops].outer.unwrap_or(level);
            }
            if loops == level && !inside(block) {
                return Some(block);
            }
            at = self.next[at];
        }
        None
    }
}

/// Tarjan's search for strongly connected parts, with a stack of its own.
struct Search {
    /// When a block was met.
    place: Vec<usize>,
    low: Vec<usize>,
}

impl Search {
    /// The strongly connected parts among some blocks that have an edge in them.
    fn cycles(&mut self, blocks: &[usize], succs: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
        blocks.iter().for_each(|&block| self.place[block] = NONE);
        let (mut found, mut held, mut met) = (Vec::new(), Vec::new(), 0);
        for &root in blocks {
            if self.place[root] != NONE {
                continue;
            }
            let mut path: Vec<(usize, Vec<usize>, usize)> = Vec::new();
            let mut enter = Some(root);
            loop {
                if let Some(block) = enter.take() {
                    (self.place[block], self.low[block]) = (met, met);
                    met += 1;
                    held.push(block);
                    path.push((block, succs(block), 0));
                }
                let Some((block, to, next)) = path.last_mut() else { break };
                let block = *block;
                if let Some(&to) = to.get(*next) {
                    *next += 1;
                    if self.place[to] == NONE {
                        enter = Some(to);
                    } else if self.place[to] != DONE {
                        self.low[block] = self.low[block].min(self.place[to]);
                    }
                    continue;
                }
                let itself = to.contains(&block);
                path.pop();
                if let Some((before, ..)) = path.last() {
                    self.low[*before] = self.low[*before].min(self.low[block]);
                }
                if self.low[block] == self.place[block] {
                    let first = held.iter().rposition(|&b| b == block).unwrap_or(0);
                    let part = held.split_off(first);
                    part.iter().for_each(|&b| self.place[b] = DONE);
                    if part.len() > 1 || itself {
                        found.push(part);
                    }
                }
            }
        }
        found
    }
}

/// The place of a block whose part was found.
const DONE: usize = usize::MAX - 1;
