//! TailMergeBlocks: blocks that go on alike and end alike share one copy of the end.
//!
//! Phase A compares the blocks that end the thread, phase B, for each block with two predecessors or more, these predecessors: a branch is read as
//! leading to the other successor. Blocks of one hash are compared in pairs, those without a branch first (priority), then the longest tails. A pair
//! that passes all gates gets a block for the tail, or uses that of the two which is nothing else, and is a candidate again.
//!
//! Time: N hashes, and for each group of K candidates, at most `tail-merge-threshold`, K² comparisons of T instructions. Dominators and loops are computed
//! once a round, and again behind a merge that changes loops, [`RENEWALS`] times at most.

use super::equal::{branch, hash, same, towards};
use super::lanes::{self, Reach};
use super::reducible::{Member, stays_reducible};
use super::{FoldStats, Gate, Knobs, reserved};
use sassafras_graph::{ControlFlow, Dominators, LoopId, Loops, SecondaryMap, is_reducible};
use sassafras_isa::ControlFlowKind as K;
use sassafras_machine::{Block, Edge, Function, MInst, Merge, RegClass};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// How often dominators are computed again in a round; behind that, only tails of one loop are merged.
const RENEWALS: usize = 1000;

/// Merges tails once. Whether anything was merged.
pub(super) fn merge(f: &mut Function, knobs: &Knobs, stats: &mut FoldStats) -> bool {
    if !knobs.merges_tails() {
        return false;
    }
    let before = stats.merges.len();
    let mut merger = Merger::new(f, knobs, stats);
    merger.ends();
    merger.joins();
    merger.order();
    stats.merges.len() > before
}

/// A block that may share its end.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    block: Block,
    hash: u32,
    priority: u8,
}

struct Merger<'a> {
    f: &'a mut Function,
    knobs: &'a Knobs,
    stats: &'a mut FoldStats,
    preds: SecondaryMap<Block, Vec<Block>>,
    /// What stood behind a block when the round began.
    next: SecondaryMap<Block, Option<Block>>,
    /// Blocks that are new, behind the one that they were cut from.
    new: BTreeMap<Block, Vec<Block>>,
    dominators: Dominators<Block>,
    /// The innermost loop, kept up to date over merges within one loop.
    inside: SecondaryMap<Block, Option<LoopId>>,
    headers: HashSet<Block>,
    reducible: bool,
    /// Whether the graph has changed since the dominators were computed.
    stale: bool,
    renewals: usize,
}

impl<'a> Merger<'a> {
    fn new(f: &'a mut Function, knobs: &'a Knobs, stats: &'a mut FoldStats) -> Merger<'a> {
        let graph = f.graph();
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut next: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        for (at, &block) in f.layout.iter().enumerate() {
            preds[block] = graph.preds(block);
            next[block] = f.layout.get(at + 1).copied();
        }
        let dominators = Dominators::new(&graph);
        let reducible = is_reducible(&graph, &dominators);
        let mut merger = Merger {
            f,
            knobs,
            stats,
            preds,
            next,
            new: BTreeMap::new(),
            dominators,
            inside: SecondaryMap::new(),
            headers: HashSet::new(),
            reducible,
            stale: false,
            renewals: 0,
        };
        merger.renew_loops(&graph);
        merger
    }

    fn renew_loops(&mut self, graph: &impl ControlFlow<Block = Block>) {
        let loops = Loops::new(graph, &self.dominators);
        self.headers = loops.ids().map(|id| loops.header(id)).collect();
        self.inside = SecondaryMap::new();
        for block in graph.blocks() {
            self.inside[block] = loops.innermost(block);
        }
    }

    /// Dominators and loops of the graph as it is; false when that was done often enough.
    fn renew(&mut self) -> bool {
        if !self.stale {
            return true;
        }
        if self.renewals >= RENEWALS {
            return false;
        }
        self.renewals += 1;
        // New blocks stand in the layout only when the round is over.
        let blocks = self.f.layout.iter().chain(self.new.values().flatten());
        let edges = blocks.flat_map(|&from| self.f.blocks[from].succs.iter().map(move |to| (from, to.block)));
        let graph = sassafras_graph::Graph::new(self.f.entry, self.f.blocks.len(), edges);
        self.dominators = Dominators::new(&graph);
        self.renew_loops(&graph);
        self.stale = false;
        true
    }

    /// Phase A: blocks that end the thread.
    fn ends(&mut self) {
        let all = self.f.layout.iter().copied().filter(|&block| self.f.blocks[block].succs.is_empty());
        let blocks: Vec<Block> = all.take(self.knobs.threshold).collect();
        self.candidates(blocks, None);
    }

    /// Phase B: for each block with several predecessors, these.
    fn joins(&mut self) {
        for into in self.f.layout.clone() {
            let mut blocks: Vec<Block> =
                self.preds[into].iter().copied().filter(|&pred| pred != into).collect();
            blocks.sort_unstable();
            // A block whose two ways lead here is no case of this pass's.
            let twice: HashSet<Block> =
                blocks.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
            blocks.retain(|block| !twice.contains(block));
            blocks.truncate(self.knobs.threshold);
            self.candidates(blocks, Some(into));
        }
    }

    fn candidate(&self, block: Block) -> Candidate {
        let data = &self.f.blocks[block];
        let priority = match data.succs[..] {
            [ref to] if self.next[block] == Some(to.block) => 1,
            [] | [_] => 0,
            _ => 2,
        };
        Candidate { block, hash: hash(data), priority }
    }

    /// Compares blocks of one hash.
    fn candidates(&mut self, blocks: Vec<Block>, into: Option<Block>) {
        if blocks.len() < 2 {
            return;
        }
        let mut all: Vec<Candidate> = blocks.into_iter().map(|block| self.candidate(block)).collect();
        all.sort_by_key(|c| (c.hash, c.priority, c.block));
        while let Some(first) = all.first().map(|c| c.hash) {
            let rest = all.partition_point(|c| c.hash == first);
            let group: Vec<Candidate> = all.drain(..rest).collect();
            self.group(group, into);
        }
    }

    /// Merges pairs of a group until none is left that may be.
    fn group(&mut self, mut group: Vec<Candidate>, into: Option<Block>) {
        // By pair: how much of the ends is equal; gone where a gate said no.
        let mut lengths: BTreeMap<(Block, Block), usize> = BTreeMap::new();
        let mut fresh: Vec<Block> = group.iter().map(|c| c.block).collect();
        loop {
            for (at, a) in group.iter().enumerate() {
                for b in &group[at + 1..] {
                    if fresh.contains(&a.block) || fresh.contains(&b.block) {
                        self.stats.compared += 1;
                        let length = self.common(a.block, b.block, into);
                        if length > 0 {
                            lengths.insert((a.block, b.block), length);
                        }
                    }
                }
            }
            fresh.clear();
            let priority: BTreeMap<Block, u8> = group.iter().map(|c| (c.block, c.priority)).collect();
            let best = lengths.iter().min_by_key(|&(&(a, b), &length)| {
                (priority.get(&a).max(priority.get(&b)), Reverse(length), a, b)
            });
            let Some((&(a, b), &length)) = best else { return };
            lengths.remove(&(a, b));
            match self.gates(a, b, length) {
                Err(gate) => self.stats.rejected.push(gate),
                Ok(()) => {
                    let tail = self.carry_out(a, b, length);
                    group.retain(|c| c.block != a && c.block != b);
                    lengths.retain(|&(x, y), _| ![x, y].iter().any(|block| [a, b].contains(block)));
                    group.push(self.candidate(tail));
                    fresh.push(tail);
                }
            }
        }
    }

    /// How many instructions at the ends of two blocks are equal and may be shared, a branch included.
    fn common(&self, a: Block, b: Block, into: Option<Block>) -> usize {
        let (x, y) = (&self.f.blocks[a], &self.f.blocks[b]);
        let mut together = None;
        let mut together = || *together.get_or_insert_with(|| self.come_together(a, b));
        let ends = match (branch(x), branch(y)) {
            (None, None) => 0,
            (Some(_), Some(_)) => {
                let other = |data: &sassafras_machine::BlockData| {
                    let mut to = data.succs.iter().map(|edge| edge.block);
                    to.find(|&to| Some(to) != into)
                };
                let (Some(to), true) = (other(x), other(x) == other(y)) else { return 0 };
                let as_is = same(&x.insts[x.insts.len() - 1], &y.insts[y.insts.len() - 1]);
                let turned = || match (towards(x, to), towards(y, to)) {
                    (Some(p), Some(q)) => same(&p, &q),
                    _ => false,
                };
                let uniform = x.insts.last().is_some_and(|last| last.uniform);
                if !(as_is || turned()) || uniform && !together() {
                    return 0;
                }
                1
            }
            _ => return 0,
        };
        let (p, q) = (&x.insts[..x.insts.len() - ends], &y.insts[..y.insts.len() - ends]);
        let pairs = p.iter().rev().zip(q.iter().rev());
        let mut equal = 0;
        let mut alone = 0;
        let mut crossed = false;
        for (one, _) in pairs.take_while(|(one, other)| same(one, other)) {
            match lanes::reach(one) {
                Reach::Lane => {}
                Reach::Warp if together() => crossed = true,
                Reach::Warp | Reach::Fixed => break,
            }
            equal += 1;
            if !crossed {
                alone = equal;
            }
        }
        // What lanes do behind a WARPSYNC stays in its block.
        let gathered = |insts: &[MInst]| insts[..insts.len() - equal].iter().any(lanes::gathers);
        if crossed && (gathered(p) || gathered(q)) {
            equal = alone;
        }
        equal = equal.min(reads_of_warp(p, equal)).min(reads_of_warp(q, equal));
        equal + ends
    }

    fn come_together(&self, a: Block, b: Block) -> bool {
        // Of a graph that has changed the dominators say nothing.
        !self.stale && lanes::come_together(self.f, |block| self.preds[block].clone(), &self.dominators, a, b)
    }

    /// Whether a tail of this length is all of the block. The entry has no predecessors, so it keeps a part that leads to its tail.
    fn whole(&self, block: Block, length: usize) -> bool {
        block != self.f.entry && self.f.blocks[block].insts.len() == length
    }

    /// The gates, in the document's order, and the condition on reducibility.
    fn gates(&mut self, a: Block, b: Block, length: usize) -> Result<(), Gate> {
        if length < self.knobs.size {
            return Err(Gate::Length);
        }
        if ![a, b].into_iter().all(|block| understood(self.f, block)) {
            return Err(Gate::Branch);
        }
        let insts = &self.f.blocks[a].insts;
        let tail = &insts[insts.len() - length..];
        if !self.knobs.reserved && reserved::live_into(self.f, tail).next().is_some() {
            return Err(Gate::Reserved);
        }
        // A branch to the tail, and one more where neither block is the tail, so that both are cut.
        let overhead = 1 + usize::from(!self.whole(a, length) && !self.whole(b, length));
        if length <= overhead {
            return Err(Gate::Profit);
        }
        let reducible = self.knobs.unstructured || self.stays_reducible(a, b, length);
        if reducible { Ok(()) } else { Err(Gate::Reducible) }
    }

    fn stays_reducible(&mut self, a: Block, b: Block, length: usize) -> bool {
        let succs: Vec<Block> = self.f.blocks[a].succs.iter().map(|edge| edge.block).collect();
        if succs.is_empty() {
            return true;
        }
        if !self.reducible {
            return false;
        }
        // Within one loop no loop changes; what is known of loops holds even where that of dominators does not.
        let is_header = |block: Block, s: &Self| s.headers.contains(&block);
        if self.inside[a] == self.inside[b] && !is_header(a, self) && !is_header(b, self) {
            return true;
        }
        let member = |block: Block, s: &Self| Member { block, split: !s.whole(block, length) };
        self.renew() && stays_reducible(&self.dominators, &succs, member(a, self), member(b, self))
    }

    /// Merges; the block that holds the tail.
    fn carry_out(&mut self, a: Block, b: Block, length: usize) -> Block {
        // The one that falls into what follows keeps the copy, if neither is all tail.
        let falls =
            |block: Block| self.f.blocks[block].succs.iter().any(|to| self.next[block] == Some(to.block));
        let (host, other) = match (self.whole(a, length), self.whole(b, length)) {
            (false, true) => (b, a),
            (false, false) if falls(b) && !falls(a) => (b, a),
            _ => (a, b),
        };
        let branches = usize::from(branch(&self.f.blocks[host]).is_some());
        self.stats.saved += length;
        let loops_change =
            self.inside[a] != self.inside[b] || [a, b].iter().any(|block| self.headers.contains(block));
        let succs = self.f.blocks[host].succs.clone();
        let tail = if self.whole(host, length) {
            host
        } else {
            let tail = self.f.blocks.push(sassafras_machine::BlockData::default());
            let data = &mut self.f.blocks[host];
            let insts = data.insts.split_off(data.insts.len() - length);
            let line = data.line;
            (data.succs, data.line) =
                (vec![Edge::to(tail)], data.insts.last().map_or(line, |last| last.line));
            (self.f.blocks[tail].insts, self.f.blocks[tail].line) = (insts, line);
            self.f.blocks[tail].succs.clone_from(&succs);
            for to in &succs {
                self.preds[to.block].retain(|&pred| pred != host);
                self.preds[to.block].push(tail);
            }
            self.preds[tail].push(host);
            self.inside[tail] = self.inside[host];
            self.new.entry(host).or_default().insert(0, tail);
            self.next[tail] = self.next[host];
            self.next[host] = Some(tail);
            tail
        };
        let data = &mut self.f.blocks[other];
        data.insts.truncate(data.insts.len() - length);
        let old = std::mem::replace(&mut data.succs, vec![Edge::to(tail)]);
        if let Some(last) = data.insts.last() {
            data.line = last.line;
        }
        for to in old {
            self.preds[to.block].retain(|&pred| pred != other);
        }
        self.preds[tail].push(other);
        self.stale = true;
        if loops_change && !succs.is_empty() {
            // What is known of loops does not hold any more; without it nothing more is merged.
            self.reducible &= self.renew();
        }
        let length = length - branches;
        self.stats.merges.push(Merge { tail, from: vec![a, b], length, hoisted: false });
        tail
    }

    /// Puts new blocks behind those that they were cut from.
    fn order(self) {
        if self.new.is_empty() {
            return;
        }
        let mut layout = Vec::with_capacity(self.f.layout.len() + self.new.len());
        let mut stack: Vec<Block> = self.f.layout.iter().rev().copied().collect();
        while let Some(block) = stack.pop() {
            layout.push(block);
            if let Some(behind) = self.new.get(&block) {
                stack.extend(behind.iter().rev());
            }
        }
        self.f.layout = layout;
    }
}

/// Gate 2: the block's end says where it goes: no branch, one guarded branch, or the end of the thread.
fn understood(f: &Function, block: Block) -> bool {
    let data = &f.blocks[block];
    let last = data.insts.last();
    let kind = last.and_then(MInst::inst).and_then(|real| real.row().control_flow);
    let always = last.and_then(MInst::inst).is_some_and(|real| real.guard.is_always());
    match data.succs.len() {
        0 => matches!(kind, Some(K::Exit | K::Trap)) && always,
        1 => !matches!(kind, Some(K::Branch | K::IndirectBranch | K::Return)),
        2 => matches!(kind, Some(K::Branch)) && last.is_some_and(|last| last.target.is_some()) && !always,
        _ => false,
    }
}

/// The longest end, up to `length`, that reads no register of the warp which the part before it writes: such a register may be another's in between.
fn reads_of_warp(insts: &[MInst], mut length: usize) -> usize {
    let units = |inst: &MInst, write: bool| -> Vec<(RegClass, u64)> {
        let operands = inst.operands().into_iter();
        let wanted = operands
            .filter(|o| (o.access == sassafras_isa::Access::Write) == write && lanes::of_warp(o.class));
        wanted
            .flat_map(|o| (0..u64::from(o.units)).map(move |unit| (o.class, o.reg.to_field() + unit)))
            .collect()
    };
    while length > 0 {
        let (head, tail) = insts.split_at(insts.len() - length);
        let before: HashSet<(RegClass, u64)> = head.iter().flat_map(|inst| units(inst, true)).collect();
        if before.is_empty() {
            return length;
        }
        let mut written: HashSet<(RegClass, u64)> = HashSet::new();
        let mut last = None;
        for (at, inst) in tail.iter().enumerate() {
            let reads = units(inst, false);
            if reads.iter().any(|unit| !written.contains(unit) && before.contains(unit)) {
                last = Some(at);
            }
            if inst.inst().is_some_and(|real| real.guard.is_always()) {
                written.extend(units(inst, true));
            }
        }
        match last {
            None => return length,
            Some(at) => length -= at + 1,
        }
    }
    0
}
