//! Frequencies from structure, where nobody counted.
//!
//! A branch that could leave a loop stays in it 31 times of 32; one that leads only to cold blocks goes there once in 64; a hint
//! says 20 to 1; others are even. Frequencies follow by flow through loops, inner before outer (Wu and Larus 1994), in which a loop
//! turns 4096 times at most. Where lanes part the warp takes both edges, and a block where they meet is run no more often than what dominates it. Cycles with several entries are none of these loops: a bounded number of further rounds spreads what goes round in
//! them, so that their frequencies are approximations.

use crate::{Flow, Node};
use sassafras_graph::{DepthFirst, Dominators, Loops};

/// What is known of an edge that structure does not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// The source says that it is taken.
    Likely,
    /// The source says that it is not.
    Unlikely,
}

/// Weights of edges against each other.
const STAY: f64 = 31.0;
const WARM: f64 = 63.0;
const LIKELY: f64 = 20.0;
/// The most turns of a loop.
const TURNS: f64 = 4096.0;
/// Rounds for cycles with several entries.
const ROUNDS: usize = 16;

/// Gives every edge a probability and every block a frequency, the entry's being 1. `hints` says something of edges by their numbers; those without
/// a hint may be left out at its end.
pub fn estimate(flow: &mut Flow, hints: &[Hint]) {
    if flow.is_empty() {
        return;
    }
    let walk = DepthFirst::new(flow);
    let dominators = Dominators::new(flow);
    let loops = Loops::of(&walk, &dominators);
    let cold = leads_to_cold(flow, &walk);
    let probabilities = probabilities(flow, &loops, &cold, hints);
    let blocks = frequencies(flow, &walk, &dominators, &loops, &probabilities);
    let edges: Vec<f64> =
        (flow.edges().iter().zip(&probabilities)).map(|(edge, p)| blocks[edge.from.0 as usize] * p).collect();
    flow.set_frequencies(&blocks, &edges);
}

/// Blocks that are cold, or from which every way leads to a cold one.
fn leads_to_cold(flow: &Flow, walk: &DepthFirst<Node>) -> Vec<bool> {
    let mut cold: Vec<bool> = flow.nodes().map(|node| flow.block(node).cold).collect();
    // Once against the order is enough: what a way back leads to is left as it is.
    for &node in walk.reverse_post_order().iter().rev() {
        let mut ways = flow.outgoing(node).peekable();
        let at = node.0 as usize;
        if ways.peek().is_some() && ways.all(|edge| cold[edge.to.0 as usize]) {
            cold[at] = true;
        }
    }
    cold
}

fn probabilities(flow: &Flow, loops: &Loops<Node>, cold: &[bool], hints: &[Hint]) -> Vec<f64> {
    let mut probabilities = vec![0.0; flow.edges().len()];
    for node in flow.nodes() {
        let numbers = flow.edge_numbers(node);
        let stays = |to: Node| {
            loops.innermost(node).is_some_and(|inner| loops.contains(inner, to))
                || loops.innermost(node).is_none()
        };
        let some_stay = numbers.iter().any(|&e| stays(flow.edges()[e as usize].to));
        let some_warm = numbers.iter().any(|&e| !cold[flow.edges()[e as usize].to.0 as usize]);
        let mut sum = 0.0;
        for &number in numbers {
            let to = flow.edges()[number as usize].to;
            let mut weight = 1.0;
            if some_warm && !cold[to.0 as usize] {
                weight *= WARM;
            }
            if some_stay && stays(to) && loops.innermost(node).is_some() {
                weight *= STAY;
            }
            weight *= match hints.get(number as usize).copied().unwrap_or_default() {
                Hint::None => 1.0,
                Hint::Likely => LIKELY,
                Hint::Unlikely => 1.0 / LIKELY,
            };
            probabilities[number as usize] = weight;
            sum += weight;
        }
        let first = numbers.first().map_or(0.0, |&number| probabilities[number as usize]);
        // Where lanes part and nothing tells the edges from each other, the warp takes both.
        let both = flow.block(node).divergent
            && numbers.iter().all(|&number| probabilities[number as usize] == first);
        for &number in numbers {
            probabilities[number as usize] = if both { 1.0 } else { probabilities[number as usize] / sum };
        }
    }
    probabilities
}

fn frequencies(
    flow: &Flow,
    walk: &DepthFirst<Node>,
    dominators: &Dominators<Node>,
    loops: &Loops<Node>,
    probabilities: &[f64],
) -> Vec<f64> {
    let order = walk.reverse_post_order();
    let rank = |node: Node| walk.number(node).unwrap_or(u32::MAX);
    // Turns of each loop for each time it is entered, by its header.
    let mut turns = vec![1.0f64; flow.len()];
    let mut frequency = vec![0.0f64; flow.len()];
    let parts = flow.nodes().any(|node| flow.block(node).divergent);
    let into = |node: Node, frequency: &[f64], within: &dyn Fn(Node) -> bool| -> f64 {
        let numbers = flow.incoming_numbers(node).iter().map(|&at| at as usize);
        let edges = numbers.map(|at| (flow.edges()[at].from, probabilities[at]));
        let ahead =
            edges.filter(|&(from, _)| walk.is_reached(from) && rank(from) < rank(node) && within(from));
        let sum: f64 = ahead.map(|(from, p)| frequency[from.0 as usize] * p).sum();
        match dominators.immediate(node).filter(|&above| parts && within(above)) {
            Some(above) => sum.min(frequency[above.0 as usize]),
            None => sum,
        }
    };
    for id in loops.ids().rev() {
        let header = loops.header(id);
        let mut blocks = loops.blocks(id).to_vec();
        blocks.sort_by_key(|&node| rank(node));
        frequency[header.0 as usize] = 1.0;
        let mut inside = std::collections::BTreeSet::new();
        inside.insert(header);
        for &node in &blocks {
            if node != header {
                inside.insert(node);
                frequency[node.0 as usize] =
                    into(node, &frequency, &|from| inside.contains(&from)) * turns[node.0 as usize];
            }
        }
        let back = flow.incoming_numbers(header).iter().map(|&at| at as usize);
        let back = back.filter(|&at| dominators.dominates(header, flow.edges()[at].from));
        let again: f64 = back.map(|at| frequency[flow.edges()[at].from.0 as usize] * probabilities[at]).sum();
        // More than once around is lanes that part within the loop and come back by two edges.
        let again = if again > 1.0 + 1e-9 { STAY / (STAY + 1.0) } else { again };
        turns[header.0 as usize] = 1.0 / (1.0 - again).max(1.0 / TURNS);
    }
    frequency.fill(0.0);
    for &node in order {
        let entered = if node == order[0] { 1.0 } else { 0.0 };
        frequency[node.0 as usize] = (entered + into(node, &frequency, &|_| true)) * turns[node.0 as usize];
    }
    // What comes back to where no loop is.
    let strange: Vec<usize> = (0..flow.edges().len())
        .filter(|&at| {
            let edge = &flow.edges()[at];
            walk.is_reached(edge.from)
                && rank(edge.from) >= rank(edge.to)
                && !dominators.dominates(edge.to, edge.from)
        })
        .collect();
    if strange.is_empty() {
        return frequency;
    }
    for _ in 0..ROUNDS {
        let mut more = vec![0.0f64; flow.len()];
        for &at in &strange {
            let edge = &flow.edges()[at];
            more[edge.to.0 as usize] += frequency[edge.from.0 as usize] * probabilities[at];
        }
        for &node in order {
            let entered = if node == order[0] { 1.0 } else { 0.0 };
            let sum = entered + more[node.0 as usize] + into(node, &frequency, &|_| true);
            frequency[node.0 as usize] = sum * turns[node.0 as usize];
        }
    }
    frequency
}
