//! Chains along likely edges: loops first, from inside to outside, then the function.
//!
//! A chain grows behind its last block by the best successor that begins a chain of its own; where none is left, by the most
//! frequent chain all of whose predecessors have been placed. Blocks that are seldom run leave the chains of their
//! loops, and stand behind all others at the end.

use crate::{Flow, Kind, Knobs, Node, rotate};
use sassafras_graph::{ControlFlow, Dominators, LoopId, Loops};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A probability from which an edge is followed although another block goes to its target more often.
const HOT: f64 = 0.8;

/// The order of all blocks by chains; the entry first, fixed blocks in front of what they fall into.
pub fn chains(flow: &Flow, knobs: &Knobs) -> Vec<Node> {
    if flow.is_empty() {
        return Vec::new();
    }
    let loops = Loops::new(flow, &Dominators::new(flow));
    let mut builder = Builder::new(flow, knobs);
    for id in loops.ids().rev() {
        builder.of_loop(&loops, id);
    }
    builder.whole(&loops)
}

struct Builder<'a> {
    flow: &'a Flow,
    knobs: &'a Knobs,
    /// By block: its chain, named by the number of some block.
    of: Vec<u32>,
    /// By chain: its blocks.
    blocks: Vec<Vec<Node>>,
    /// By block: the last part that it was in, and by chain whether it has been placed in the current part.
    part: Vec<u32>,
    parts: u32,
    placed: Vec<bool>,
    /// By chain: edges from chains of the part that are not placed.
    waiting: Vec<u32>,
}

impl<'a> Builder<'a> {
    /// One chain for each block, and for what fixed blocks fall into.
    fn new(flow: &'a Flow, knobs: &'a Knobs) -> Builder<'a> {
        let count = flow.len();
        let mut builder = Builder {
            flow,
            knobs,
            of: (0..count as u32).collect(),
            blocks: flow.nodes().map(|node| vec![node]).collect(),
            part: vec![0; count],
            parts: 0,
            placed: vec![false; count],
            waiting: vec![0; count],
        };
        for node in flow.nodes() {
            if let Some(next) = flow.bound(node) {
                let (front, back) = (builder.of[node.0 as usize], builder.of[next.0 as usize]);
                builder.join(front, back);
            }
        }
        builder
    }

    fn join(&mut self, front: u32, back: u32) {
        let moved = std::mem::take(&mut self.blocks[back as usize]);
        for node in &moved {
            self.of[node.0 as usize] = front;
        }
        self.blocks[front as usize].extend(moved);
    }

    fn is_head(&self, node: Node) -> bool {
        self.blocks[self.of[node.0 as usize] as usize].first() == Some(&node)
    }

    fn is_tail(&self, node: Node) -> bool {
        self.blocks[self.of[node.0 as usize] as usize].last() == Some(&node)
    }

    fn inside(&self, node: Node) -> bool {
        self.part[node.0 as usize] == self.parts
    }

    fn of_loop(&mut self, loops: &Loops<Node>, id: LoopId) {
        let members = self.warm(loops, id);
        let header = loops.header(id);
        let start = self.of[header.0 as usize];
        self.build(start, &members);
        // A chain in which something stands in front of the header is not turned, nor what the entry begins.
        let chain = &self.blocks[start as usize];
        if chain[0] != header || header == self.flow.entry() {
            return;
        }
        let at = rotate::rotation(self.flow, self.knobs, chain, &|node| loops.contains(id, node), &|node| {
            self.is_tail(node)
        });
        // What a fixed block falls into stays behind it.
        if at > 0 && self.flow.bound(chain[at - 1]).is_none() {
            self.blocks[start as usize].rotate_left(at);
        }
    }

    /// The blocks of the loop that are not seldom run, against how often the loop is entered.
    fn warm(&mut self, loops: &Loops<Node>, id: LoopId) -> Vec<Node> {
        let header = loops.header(id);
        let entered: f64 = self
            .flow
            .incoming(header)
            .filter(|edge| !loops.contains(id, edge.from))
            .map(|edge| edge.frequency)
            .sum();
        let by_frequency = self.flow.profile() || self.knobs.force_cold;
        let ratio = self.knobs.cold_ratio;
        let header_chain = self.of[header.0 as usize];
        let seldom = |node: Node| {
            let block = self.flow.block(node);
            let rare = || block.frequency == 0.0 || (entered / block.frequency).floor() > ratio as f64;
            self.of[node.0 as usize] != header_chain && (block.cold || by_frequency && rare())
        };
        let members: Vec<Node> = loops.blocks(id).iter().copied().filter(|&node| !seldom(node)).collect();
        self.parts += 1;
        for node in &members {
            self.part[node.0 as usize] = self.parts;
        }
        members
    }

    /// Grows the chain `start` by all chains of the part.
    fn build(&mut self, start: u32, members: &[Node]) {
        let mut of_part: Vec<u32> = members.iter().map(|node| self.of[node.0 as usize]).collect();
        of_part.sort_unstable();
        of_part.dedup();
        // A chain of which a block has left the part is none of it.
        of_part.retain(|&chain| {
            chain == start || self.blocks[chain as usize].iter().all(|&node| self.inside(node))
        });
        for &chain in &of_part {
            self.placed[chain as usize] = false;
            self.waiting[chain as usize] = 0;
        }
        let in_part = |this: &Self, node: Node| {
            this.inside(node) && of_part.binary_search(&this.of[node.0 as usize]).is_ok()
        };
        for &chain in &of_part {
            let preds = self.blocks[chain as usize].iter().flat_map(|&node| self.flow.incoming(node));
            let foreign =
                preds.filter(|edge| in_part(self, edge.from) && self.of[edge.from.0 as usize] != chain);
            self.waiting[chain as usize] = foreign.count() as u32;
        }
        let head = |this: &Self, chain: u32| this.blocks[chain as usize][0];
        let hottest = |this: &Self, chain: u32| {
            let all = this.blocks[chain as usize].iter().map(|&node| this.flow.block(node).frequency);
            all.fold(0.0, f64::max).to_bits()
        };
        let mut ready: BinaryHeap<(u64, Reverse<Node>, u32)> = of_part
            .iter()
            .filter(|&&chain| chain != start && self.waiting[chain as usize] == 0)
            .map(|&chain| (hottest(self, chain), Reverse(head(self, chain)), chain))
            .collect();
        let mut in_source_order: Vec<u32> = of_part.clone();
        in_source_order.sort_by_key(|&chain| Reverse(head(self, chain)));
        let mut grown = vec![start];
        self.placed[start as usize] = true;
        let mut recent = start;
        loop {
            // What waited for the chain placed last.
            let succs: Vec<Node> = self.blocks[recent as usize]
                .iter()
                .flat_map(|&node| self.flow.outgoing(node).map(|edge| edge.to))
                .filter(|&to| in_part(self, to) && self.of[to.0 as usize] != recent)
                .collect();
            for to in succs {
                let chain = self.of[to.0 as usize];
                if self.placed[chain as usize] {
                    continue;
                }
                let waiting = &mut self.waiting[chain as usize];
                *waiting = waiting.saturating_sub(1);
                if *waiting == 0 {
                    ready.push((hottest(self, chain), Reverse(head(self, chain)), chain));
                }
            }
            let Some(&last) = self.blocks[recent as usize].last() else { break };
            let best = self.best_successor(last, &|this, node| in_part(this, node));
            let next = best.map(|node| self.of[node.0 as usize]).or_else(|| {
                while let Some((_, _, chain)) = ready.pop() {
                    if !self.placed[chain as usize] {
                        return Some(chain);
                    }
                }
                while let Some(chain) = in_source_order.pop() {
                    if !self.placed[chain as usize] {
                        return Some(chain);
                    }
                }
                None
            });
            let Some(next) = next else { break };
            self.placed[next as usize] = true;
            grown.push(next);
            recent = next;
        }
        for &chain in &grown[1..] {
            self.join(start, chain);
        }
    }

    /// The successor that should follow `last`: of those that begin a chain that is not placed, the one that saves most.
    fn best_successor(&self, last: Node, in_part: &dyn Fn(&Self, Node) -> bool) -> Option<Node> {
        let ways = || self.flow.outgoing(last).filter(|edge| in_part(self, edge.to));
        let all: f64 = ways().map(|edge| edge.frequency).sum();
        let taken = self.knobs.misfetch_cost + self.knobs.jump_cost;
        let mut best: Option<(f64, Node)> = None;
        for edge in ways() {
            let chain = self.of[edge.to.0 as usize];
            if self.placed[chain as usize]
                || !self.is_head(edge.to)
                || edge.to == self.flow.entry()
                || edge.kind == Kind::Indirect
                || self.flow.block(edge.to).landing
            {
                continue;
            }
            let saved = edge.frequency * taken;
            let probability = if all > 0.0 { edge.frequency / all } else { 1.0 };
            if saved <= 0.0 && all > 0.0 {
                continue;
            }
            let better_before = probability < HOT
                && self.flow.incoming(edge.to).any(|other| {
                    let from = self.of[other.from.0 as usize];
                    other.from != last
                        && other.frequency > edge.frequency
                        && from != chain
                        && in_part(self, other.from)
                        && !self.placed[from as usize]
                        && self.is_tail(other.from)
                });
            if better_before {
                continue;
            }
            let ahead = |&(most, node): &(f64, Node)| saved > most || saved == most && edge.to < node;
            if best.as_ref().is_none_or(ahead) {
                best = Some((saved, edge.to));
            }
        }
        best.map(|(_, node)| node)
    }

    /// The function: what no loop has dropped, then the rest.
    fn whole(mut self, loops: &Loops<Node>) -> Vec<Node> {
        let entry = self.flow.entry();
        let start = self.of[entry.0 as usize];
        // A block that stands alone although its loop has been joined was dropped there, and outside of loops a cold one is.
        let dropped = |this: &Self, node: Node| {
            let chain = this.of[node.0 as usize];
            let outermost = || {
                let mut at = loops.innermost(node)?;
                while let Some(outer) = loops.parent(at) {
                    at = outer;
                }
                Some(loops.header(at))
            };
            chain != start
                && match outermost() {
                    Some(header) => this.of[header.0 as usize] != chain,
                    None => this.blocks[chain as usize].iter().all(|&node| this.flow.block(node).cold),
                }
        };
        let (last, first): (Vec<Node>, Vec<Node>) = self.flow.nodes().partition(|&node| dropped(&self, node));
        self.parts += 1;
        first.iter().for_each(|node| self.part[node.0 as usize] = self.parts);
        self.build(start, &first);
        let mut order = std::mem::take(&mut self.blocks[start as usize]);
        if let Some(&node) = last.first() {
            self.parts += 1;
            last.iter().for_each(|node| self.part[node.0 as usize] = self.parts);
            let chain = self.of[node.0 as usize];
            self.build(chain, &last);
            order.append(&mut self.blocks[chain as usize]);
        }
        // A chain that stood half in a part is in neither.
        let mut there = vec![false; self.flow.len()];
        order.iter().for_each(|node| there[node.0 as usize] = true);
        for node in self.flow.nodes() {
            if !there[node.0 as usize] {
                let chain = self.of[node.0 as usize] as usize;
                for &node in &self.blocks[chain] {
                    there[node.0 as usize] = true;
                    order.push(node);
                }
            }
        }
        order
    }
}
