//! Tail duplication: which blocks are worth a copy at the end of a predecessor that does nothing but go there.
//!
//! A copy saves the branch to the block, where another predecessor falls into it. Each copy is tried on the graph: it is kept if the order of blocks with
//! it costs so much less ([`Cost`]) that the code is worth its place. Where lanes part nothing is copied, since copies move the place where they meet.
//! A copy of a loop's header may give the loop a second entry. A graph whose loops have one entry each keeps them so: such a copy is not made.

use crate::{Cost, Edge, Flow, Kind, Knobs, Node, Options, place};
use sassafras_graph::{ControlFlow, Dominators, is_reducible};

/// Blocks above which nothing is copied, and the most copies that are tried.
const BLOCKS: usize = 200;
const TRIED: usize = 16;

/// A copy of `block` takes the place of the branch at the end of `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// The predecessor, which has no other successor.
    pub from: Node,
    /// What is copied.
    pub block: Node,
}

impl Knobs {
    /// Instructions of the largest block that is copied, by the level of optimisation; a target may have its own.
    pub fn duplication_threshold(&self, level: u8, target: Option<u64>) -> u64 {
        match (target, level) {
            (Some(own), _) => own,
            (None, 3..) => self.duplicate_most_aggressive,
            (None, _) => self.duplicate_most,
        }
    }
}

/// The copies that are worth their code, in the order in which they are to be made. `instructions` is the size of the largest block that is copied, `may` tells
/// which blocks can be.
pub fn copies(flow: &Flow, options: &Options, instructions: u64, may: &dyn Fn(Node) -> bool) -> Vec<Copy> {
    let knobs = &options.knobs;
    let parts = flow.nodes().any(|node| flow.block(node).divergent);
    if !knobs.duplicate || parts || flow.is_empty() || flow.len() > BLOCKS {
        return Vec::new();
    }
    let cheap = Options {
        knobs: Knobs { effort: knobs.effort.min(20), exact_blocks: 0, ..knobs.clone() },
        ..options.clone()
    };
    let cost = |flow: &Flow| Cost::new(flow, knobs, options.chip).of(&place(flow, &cheap).order);
    let triangles = triangles(flow, knobs);
    let mut found: Vec<(f64, Copy)> = Vec::new();
    for from in flow.nodes() {
        if let Some(block) = target(flow, from)
            && flow.block(block).size <= 16 * instructions
            && may(block)
        {
            found.push((flow.frequency(from, block), Copy { from, block }));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.from.cmp(&b.1.from)));
    let mut now = flow.clone();
    let mut best = cost(&now);
    let single = |flow: &Flow| is_reducible(flow, &Dominators::new(flow));
    let entered_once = single(flow);
    let mut kept = Vec::new();
    for (_, copy) in found.into_iter().take(TRIED) {
        // An earlier copy may have changed the ends.
        if target(&now, copy.from) != Some(copy.block) {
            continue;
        }
        let Some(with) = copied(&now, copy).filter(|with| !entered_once || single(with)) else { continue };
        let after = cost(&with);
        if best - after >= wanted(&now, knobs, triangles.contains(&copy)) {
            (now, best) = (with, after);
            kept.push(copy);
        }
    }
    kept
}

/// The block that may be copied into `from`, by the graph alone.
fn target(flow: &Flow, from: Node) -> Option<Node> {
    let mut ways = flow.outgoing(from);
    let (Some(edge), None) = (ways.next(), ways.next()) else { return None };
    let (here, there) = (flow.block(from), flow.block(edge.to));
    let fine = edge.to != from
        && edge.to != flow.entry()
        && edge.kind != Kind::Indirect
        && here.region == there.region
        && !(here.fixed || there.fixed || there.landing || there.cold)
        && flow.incoming(edge.to).count() > 1
        && flow.outgoing(edge.to).all(|edge| edge.kind != Kind::Indirect);
    fine.then_some(edge.to)
}

/// The cost for each run of the function that a copy has to save.
fn wanted(flow: &Flow, knobs: &Knobs, in_triangles: bool) -> f64 {
    const SOMETHING: f64 = 1e-9;
    if in_triangles {
        return SOMETHING;
    }
    let entry = flow.block(flow.entry()).frequency;
    let hottest = flow.nodes().map(|node| flow.block(node).frequency).fold(0.0, f64::max);
    let of_profile = if flow.profile() && entry > 0.0 {
        hottest / entry * f64::from(knobs.duplicate_profile_percent) / 100.0
    } else {
        0.0
    };
    let taken = knobs.misfetch_cost + knobs.jump_cost;
    (taken * of_profile).max(f64::from(knobs.duplicate_penalty) / 100.0).max(SOMETHING)
}

/// Copies into the sides of triangles that stand in a row: a block that skips another or runs it, where both go on with the next such block.
fn triangles(flow: &Flow, knobs: &Knobs) -> Vec<Copy> {
    if knobs.triangle_chain == 0 {
        return Vec::new();
    }
    let triangle = |at: Node| -> Option<Copy> {
        let succs = flow.succs(at);
        let [a, b] = succs[..] else { return None };
        let goes_on = |side: Node, join: Node| flow.preds(side) == [at] && flow.succs(side) == [join];
        let (from, block) = if goes_on(a, b) {
            (a, b)
        } else if goes_on(b, a) {
            (b, a)
        } else {
            return None;
        };
        (block != at).then_some(Copy { from, block })
    };
    let mut found = Vec::new();
    for start in flow.nodes() {
        let mut row = Vec::new();
        let mut at = start;
        while let Some(copy) = triangle(at).filter(|copy| !row.contains(copy)) {
            row.push(copy);
            at = copy.block;
        }
        if row.len() >= knobs.triangle_chain {
            found.extend(row);
        }
    }
    found
}

/// The graph with a copy; none if it would have two edges from one block to another.
fn copied(flow: &Flow, copy: Copy) -> Option<Flow> {
    let moved = flow.frequency(copy.from, copy.block);
    let all = flow.block(copy.block).frequency;
    let share = if all > 0.0 { (moved / all).min(1.0) } else { 0.0 };
    let mut blocks: Vec<_> = flow.nodes().map(|node| *flow.block(node)).collect();
    let size = blocks[copy.block.0 as usize].size;
    let from = &mut blocks[copy.from.0 as usize];
    from.size += size;
    from.divergent = flow.block(copy.block).divergent;
    blocks[copy.block.0 as usize].frequency = (all - moved).max(0.0);
    let mut edges: Vec<Edge> = Vec::new();
    for edge in flow.edges() {
        if edge.from == copy.from {
            continue;
        }
        if edge.from == copy.block {
            edges.push(Edge { frequency: edge.frequency * (1.0 - share), ..*edge });
            let kind = if edge.kind == Kind::FallThrough { Kind::Unconditional } else { edge.kind };
            edges.push(Edge { from: copy.from, frequency: edge.frequency * share, kind, ..*edge });
        } else {
            edges.push(*edge);
        }
    }
    Flow::new(flow.entry(), blocks, edges, flow.regions().to_vec(), flow.profile()).ok()
}
