//! Tail duplication.

use crate::{flow, random_flows, with};
use sassafras_graph::{ControlFlow, Dominators, Graph, is_reducible};
use sassafras_placement::{Algorithm, Copy, Flow, Knobs, Node, Options, copies};

fn options(change: impl FnOnce(&mut Knobs)) -> Options {
    let mut knobs = Knobs::default();
    change(&mut knobs);
    Options { algorithm: Algorithm::ExtTsp, knobs, ..Options::default() }
}

fn found(flow: &Flow, instructions: u64, change: impl FnOnce(&mut Knobs)) -> Vec<(u32, u32)> {
    let made = copies(flow, &options(change), instructions, &|_| true);
    made.into_iter().map(|Copy { from, block }| (from.0, block.0)).collect()
}

/// 0 goes to 1 or 2, both go to 3, which ends the function: one of them has to branch there.
fn diamond() -> Flow {
    flow(&[4, 4, 4, 2], &[(0, 1, 60), (0, 2, 40), (1, 3, 60), (2, 3, 40)])
}

/// A copy of the end saves the branch to it.
#[test]
fn mbp_20_a_small_end_is_copied() {
    assert_eq!(found(&diamond(), 2, |k| k.duplicate_profile_percent = 0).len(), 1);
    assert_eq!(found(&diamond(), 1, |k| k.duplicate_profile_percent = 0), []);
    let none = copies(&diamond(), &options(|k| k.duplicate_profile_percent = 0), 2, &|node| node != Node(3));
    assert_eq!(none, []);
}

/// MBP-13: lanes part somewhere in the function.
#[test]
fn mbp_13_nothing_is_copied_where_lanes_part() {
    let edges = [(0, 1, 60), (0, 2, 40), (1, 3, 60), (2, 3, 40)];
    let flow = with(&[4, 4, 4, 2], &edges, |blocks| blocks[0].divergent = true);
    assert_eq!(found(&flow, 2, |k| k.duplicate_profile_percent = 0), []);
}

/// MBP-20: four instructions at -O3, two below, or what the target says.
#[test]
fn mbp_20_the_threshold() {
    let knobs = Knobs::default();
    let by_level: Vec<u64> = (0..4).map(|level| knobs.duplication_threshold(level, None)).collect();
    assert_eq!(by_level, [2, 2, 2, 4]);
    assert_eq!(knobs.duplication_threshold(3, Some(7)), 7);
    let changed = Knobs { duplicate_most: 1, duplicate_most_aggressive: 9, ..Knobs::default() };
    assert_eq!((changed.duplication_threshold(2, None), changed.duplication_threshold(3, None)), (1, 9));
}

/// MBP-25b: each knob.
#[test]
fn mbp_25b_knobs_of_tail_duplication() {
    let some = |change: &dyn Fn(&mut Knobs)| {
        !found(&diamond(), 2, |k| {
            k.duplicate_profile_percent = 0;
            change(k);
        })
        .is_empty()
    };
    assert!(some(&|_| {}));
    assert!(!some(&|k| k.duplicate = false));
    // The copy saves the branch of 40 of 100 runs, at a cost of two each: 80 percent.
    assert!(some(&|k| k.duplicate_penalty = 79));
    assert!(!some(&|k| k.duplicate_penalty = 81));
    // 40 percent of the hottest block's.
    assert!(some(&|k| k.duplicate_profile_percent = 39));
    assert!(!some(&|k| k.duplicate_profile_percent = 41));
}

/// MBP-25b: triangles in a row do not pay the penalty.
#[test]
fn mbp_25b_triangles_in_a_row() {
    // 0 mostly skips 1, 2 mostly skips 3, 4 ends.
    let edges = [(0, 1, 20), (0, 2, 80), (1, 2, 20), (2, 3, 20), (2, 4, 80), (3, 4, 20)];
    let flow = flow(&[4, 9, 2, 9, 2], &edges);
    let made = |count: usize| {
        found(&flow, 2, |k| {
            k.duplicate_penalty = 10_000;
            k.triangle_chain = count;
        })
    };
    assert!(!made(2).is_empty());
    assert_eq!(made(0), []);
    assert_eq!(made(3), []);
}

/// Over random graphs copies are of blocks that some other block enters too, and stay below the threshold.
#[test]
fn copies_are_of_small_blocks_with_several_predecessors() {
    let mut seen = 0;
    for flow in random_flows(100, 4, 40) {
        for Copy { from, block } in copies(&flow, &options(|k| k.duplicate_profile_percent = 0), 4, &|_| true)
        {
            assert_ne!(from, block);
            assert!(flow.block(block).size <= 64 && flow.incoming(block).count() > 1);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

/// Over random graphs: what was reducible is so behind each copy. Copies of headers alone can change that, and some are made.
#[test]
fn copies_give_no_loop_a_second_entry() {
    let (mut made, mut reducible, mut of_headers) = (0, 0, 0);
    for flow in random_flows(600, 4, 24) {
        let succs = |edges: &[(Node, Node)]| Graph::new(flow.entry(), flow.len(), edges.to_vec());
        let mut edges: Vec<(Node, Node)> = flow.edges().iter().map(|edge| (edge.from, edge.to)).collect();
        let single = |edges: &[(Node, Node)]| is_reducible(&succs(edges), &Dominators::new(&succs(edges)));
        if !single(&edges) {
            continue;
        }
        reducible += 1;
        for Copy { from, block } in copies(&flow, &options(|k| k.duplicate_profile_percent = 0), 4, &|_| true)
        {
            let dominators = Dominators::new(&succs(&edges));
            of_headers += usize::from(edges.iter().any(|&(a, b)| b == block && dominators.dominates(b, a)));
            let onward: Vec<Node> = edges.iter().filter(|(a, _)| *a == block).map(|(_, b)| *b).collect();
            edges.retain(|(a, _)| *a != from);
            edges.extend(onward.into_iter().map(|to| (from, to)));
            assert!(single(&edges), "{from:?} has a copy of {block:?}: {edges:?}");
            made += 1;
        }
    }
    eprintln!("{made} copies in {reducible} reducible graphs, {of_headers} of headers");
    assert!(made > 50 && of_headers > 0);
}
