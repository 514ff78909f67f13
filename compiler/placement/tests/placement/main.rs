//! Tests of placement by requirement: the ids are those of `docs/requirements-placement.md`.

mod chains;
mod duplicates;
mod estimates;
mod evaluator;
mod knobs;
mod orders;

use sassafras_placement::{Block, Edge, Flow, Kind, Node, generate};

/// A flow of blocks with sizes in instructions, and of edges with counts; the kinds follow from where blocks stand.
fn flow(sizes: &[u64], edges: &[(u32, u32, u64)]) -> Flow {
    with(sizes, edges, |_| {})
}

/// The same, its blocks changed.
fn with(sizes: &[u64], edges: &[(u32, u32, u64)], change: impl FnOnce(&mut [Block])) -> Flow {
    let mut blocks: Vec<Block> = sizes
        .iter()
        .enumerate()
        .map(|(at, size)| {
            let into: u64 = edges.iter().filter(|edge| edge.1 as usize == at).map(|edge| edge.2).sum();
            let out: u64 = edges.iter().filter(|edge| edge.0 as usize == at).map(|edge| edge.2).sum();
            Block { size: 16 * size, frequency: into.max(out) as f64, ..Block::default() }
        })
        .collect();
    change(&mut blocks);
    let edges = edges.iter().map(|&(from, to, count)| Edge {
        from: Node(from),
        to: Node(to),
        frequency: count as f64,
        kind: match (to == from + 1, edges.iter().filter(|edge| edge.0 == from).count() > 1) {
            (true, _) => Kind::FallThrough,
            (false, true) => Kind::Conditional,
            (false, false) => Kind::Unconditional,
        },
    });
    let edges: Vec<Edge> = edges.collect();
    Flow::new(Node(0), blocks, edges, Vec::new(), true).expect("a sound flow")
}

fn numbers(order: &[Node]) -> Vec<u32> {
    order.iter().map(|node| node.0).collect()
}

fn nodes(numbers: &[u32]) -> Vec<Node> {
    numbers.iter().copied().map(Node).collect()
}

/// Random flows of many sizes.
fn random_flows(count: u64, least: usize, most: usize) -> impl Iterator<Item = Flow> {
    (0..count).map(move |seed| generate::graph(least + seed as usize % (most - least + 1), 9000 + seed))
}

fn is_permutation(flow: &Flow, order: &[Node]) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort();
    sorted == flow.nodes().collect::<Vec<_>>()
}
