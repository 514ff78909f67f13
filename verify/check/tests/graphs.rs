//! Every graph algorithm against its definition: all small graphs, and random ones.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;
use sassafras_check::graph::{Compared, compare};
use sassafras_graph::{ControlFlow, Dominators, Graph, order};

sassafras_graph::entity!(B, "b", "A block of a test.");

/// Whether long searches are asked for: `cargo xtask long graphs`.
fn all() -> bool {
    std::env::var_os("SASSAFRAS_ALL_GRAPHS").is_some()
}

/// The lists of successors a block may have: none, one, or two different ones in either order. The entry is no successor.
fn lists(blocks: u32) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new()];
    for a in 1..blocks {
        lists.push(vec![a]);
        lists.extend((1..blocks).filter(|&b| b != a).map(|b| vec![a, b]));
    }
    lists
}

fn graph(lists: &[&Vec<u32>]) -> Graph<B> {
    let edges =
        lists.iter().enumerate().flat_map(|(from, list)| list.iter().map(move |&to| (B(from as u32), B(to))));
    Graph::new(B(0), lists.len(), edges)
}

/// Whether all blocks are reached from block 0.
fn all_reached(lists: &[&Vec<u32>]) -> bool {
    let (mut seen, mut stack) = (1u32, vec![0]);
    while let Some(at) = stack.pop() {
        for &to in lists[at as usize] {
            if seen >> to & 1 == 0 {
                seen |= 1 << to;
                stack.push(to);
            }
        }
    }
    seen == (1 << lists.len()) - 1
}

/// Calls `f` with every graph of so many blocks that are all reached; how many there are.
fn every(blocks: u32, f: &mut dyn FnMut(usize, &dyn Fn() -> Graph<B>)) -> usize {
    let lists = lists(blocks);
    let mut digits = vec![0; blocks as usize];
    let mut count = 0;
    loop {
        let chosen: Vec<&Vec<u32>> = digits.iter().map(|&d: &usize| &lists[d]).collect();
        if all_reached(&chosen) {
            f(count, &|| graph(&chosen));
            count += 1;
        }
        let Some(at) = digits.iter().position(|&d| d + 1 < lists.len()) else { return count };
        digits[..at].fill(0);
        digits[at] += 1;
    }
}

/// Where petgraph has something else.
#[derive(Debug, thiserror::Error)]
enum Disagreement {
    #[error("immediate dominator of {block}: {ours:?}, petgraph {theirs:?}")]
    Dominator { block: B, ours: Option<B>, theirs: Option<B> },
    #[error("post-order {ours:?}, petgraph {theirs:?}")]
    Order { ours: Vec<B>, theirs: Vec<B> },
}

/// Dominators and post-order as petgraph has them.
fn petgraph_agrees(g: &Graph<B>) -> Result<(), Disagreement> {
    let mut theirs = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = g.blocks().iter().map(|_| theirs.add_node(())).collect();
    for from in g.blocks() {
        // It walks the newest edge first.
        for to in g.succs(from).into_iter().rev() {
            theirs.add_edge(nodes[from.0 as usize], nodes[to.0 as usize], ());
        }
    }
    let (dominators, petgraph) = (Dominators::new(g), simple_fast(&theirs, nodes[0]));
    for b in g.blocks() {
        let theirs = petgraph.immediate_dominator(nodes[b.0 as usize]).map(|n| B(n.index() as u32));
        let ours = dominators.immediate(b);
        if ours != theirs {
            return Err(Disagreement::Dominator { block: b, ours, theirs });
        }
    }
    let mut walk = DfsPostOrder::new(&theirs, nodes[0]);
    let mut found = Vec::new();
    while let Some(node) = walk.next(&theirs) {
        found.push(B(node.index() as u32));
    }
    let ours = order::post_order(g);
    // Its walk pushes all successors at once, so only which blocks are seen, and that the entry is last, is comparable.
    let sorted = |list: &[B]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    (sorted(&ours) == sorted(&found) && ours.last() == found.last())
        .then_some(())
        .ok_or(Disagreement::Order { ours, theirs: found })
}

fn judge(g: &Graph<B>) {
    let edges = || g.blocks().into_iter().map(|b| (b, g.succs(b))).collect::<Vec<_>>();
    match compare(g) {
        Ok(compared) => assert_eq!(compared, Compared::Equal),
        Err(difference) => panic!("{difference}\nin {:?}", edges()),
    }
    if let Err(difference) = petgraph_agrees(g) {
        panic!("{difference}\nin {:?}", edges());
    }
}

/// Requirements E5: reachable graphs with ordered successor lists, whose numbers for 3, 4 and 5 blocks it states.
#[test]
fn every_graph_of_up_to_five_blocks() {
    for (blocks, expected) in [(1, 1), (2, 2), (3, 80), (4, 6000)] {
        assert_eq!(every(blocks, &mut |_, g| judge(&g())), expected, "graphs of {blocks} blocks");
    }
    // Of the graphs of five blocks a fixed part, spread evenly, unless all are asked for.
    let step = if all() { 1 } else { 13 };
    let mut judged = 0;
    let count = every(5, &mut |index, g| {
        if index % step == 0 {
            judge(&g());
            judged += 1;
        }
    });
    assert_eq!(count, 750_312);
    assert_eq!(judged, count.div_ceil(step));
    eprintln!("{judged} of {count} graphs of five blocks judged");
}

/// A generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % end
    }
}

/// Up to 12 blocks, up to 6 successors each, repeated ones and the entry too; not all reached.
#[test]
fn random_graphs_of_up_to_twelve_blocks() {
    let count = if all() { 100_000 } else { 4_000 };
    for seed in 0..count {
        let mut random = Random(seed);
        let blocks = 1 + random.below(12);
        let most = [1, 2, 2, 2, 3, 6][random.below(6) as usize];
        let mut edges = Vec::new();
        for from in 0..blocks {
            for _ in 0..=random.below(most) {
                if random.below(8) != 0 {
                    edges.push((B(from as u32), B(random.below(blocks) as u32)));
                }
            }
        }
        judge(&Graph::new(B(0), blocks as usize, edges));
    }
}
