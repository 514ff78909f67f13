//! Frequencies from structure, and flows that are refused.

use crate::{flow, random_flows};
use sassafras_graph::{ControlFlow, Dominators, is_reducible};
use sassafras_placement::{Block, Edge, Error, Flow, Hint, Kind, Node, estimate, format};

fn frequency(flow: &Flow, node: u32) -> f64 {
    flow.block(Node(node)).frequency
}

/// MBP-02: a loop turns 32 times, two loops 32 times 32, and what enters a block leaves it.
#[test]
fn mbp_02_loops_turn() {
    // 0 → 1 → 2 → 3, with 2 → 2 and 3 → 1, then 4.
    let mut nest = flow(&[1; 5], &[(0, 1, 0), (1, 2, 0), (2, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 0)]);
    estimate(&mut nest, &[]);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * b, "{a} {b}");
    close(frequency(&nest, 1), 32.0);
    close(frequency(&nest, 2), 32.0 * 32.0);
    close(frequency(&nest, 4), 1.0);
    assert!(!nest.profile());
}

/// MBP-02: cold blocks, and hints.
#[test]
fn mbp_02_traps_are_seldom_and_hints_are_believed() {
    let made = |cold: bool, hints: &[Hint]| {
        let mut flow = crate::with(&[1; 4], &[(0, 1, 0), (0, 2, 0), (1, 3, 0), (2, 3, 0)], |blocks| {
            blocks[1].cold = cold;
        });
        estimate(&mut flow, hints);
        frequency(&flow, 1)
    };
    assert_eq!(made(false, &[]), 0.5);
    assert_eq!(made(true, &[]), 1.0 / 64.0);
    assert!((made(false, &[Hint::Likely]) - 20.0 / 21.0).abs() < 1e-12);
    assert!((made(false, &[Hint::Unlikely]) - 1.0 / 21.0).abs() < 1e-12);
}

/// MBP-02: where lanes part the warp runs both sides, and the block where they meet once; a loop with an exit apart turns as another.
#[test]
fn mbp_02_lanes_that_part_run_both_sides() {
    let edges = [(0, 1, 0), (1, 2, 0), (1, 3, 0), (2, 4, 0), (3, 4, 0), (4, 1, 0), (4, 5, 0)];
    let made = |divergent: bool| {
        let mut flow = crate::with(&[1; 6], &edges, |blocks| blocks[1].divergent = divergent);
        estimate(&mut flow, &[]);
        [1, 2, 3, 4, 5].map(|node| frequency(&flow, node))
    };
    let close = |a: [f64; 5], b: [f64; 5]| {
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
    };
    close(made(false), [32.0, 16.0, 16.0, 32.0, 1.0]);
    close(made(true), [32.0, 32.0, 32.0, 32.0, 1.0]);
    // Two edges back from lanes that part: the loop turns no more often for it.
    let edges = [(0, 1, 0), (1, 2, 0), (1, 3, 0), (2, 1, 0), (3, 1, 0), (3, 4, 0)];
    let mut flow = crate::with(&[1; 5], &edges, |blocks| blocks[1].divergent = true);
    estimate(&mut flow, &[]);
    assert!((frequency(&flow, 1) - 32.0).abs() < 1e-6, "{}", frequency(&flow, 1));
}

/// MBP-02: over random reducible graphs, what enters a block leaves it.
#[test]
fn mbp_02_what_enters_leaves() {
    let mut seen = 0;
    for mut flow in random_flows(200, 3, 60) {
        if !is_reducible(&flow, &Dominators::new(&flow)) {
            continue;
        }
        estimate(&mut flow, &[]);
        // A loop that turns at most 4096 times leaves a little behind.
        if flow.nodes().any(|node| flow.block(node).frequency > 4000.0) {
            continue;
        }
        for node in flow.nodes() {
            let entered = if node == flow.entry() { 1.0 } else { 0.0 };
            let into: f64 = entered + flow.incoming(node).map(|edge| edge.frequency).sum::<f64>();
            let block = flow.block(node).frequency;
            assert!((into - block).abs() <= 1e-6 * block.max(1e-9), "{node}: {into} {block}");
            if flow.outgoing(node).next().is_some() {
                let out: f64 = flow.outgoing(node).map(|edge| edge.frequency).sum();
                assert!((out - block).abs() <= 1e-6 * block.max(1e-9), "{node}: {out} {block}");
            }
        }
        seen += 1;
    }
    assert!(seen > 60, "only {seen}");
}

/// MBP-02: cycles with two entries get finite frequencies above those of their ways in.
#[test]
fn mbp_02_irreducible_cycles_have_frequencies() {
    let mut strange = flow(&[1; 4], &[(0, 1, 0), (0, 2, 0), (1, 2, 0), (2, 1, 0), (2, 3, 0)]);
    estimate(&mut strange, &[]);
    assert!(frequency(&strange, 1) > 0.5 && frequency(&strange, 1) < 10.0, "{}", frequency(&strange, 1));
    assert!(frequency(&strange, 2) > frequency(&strange, 1));
}

#[test]
fn wrong_flows_are_refused() {
    let block = Block { size: 16, frequency: 1.0, ..Block::default() };
    let edge = |from: u32, to: u32, frequency: f64| Edge {
        from: Node(from),
        to: Node(to),
        frequency,
        kind: Kind::FallThrough,
    };
    let make = |entry: u32, blocks: Vec<Block>, edges: Vec<Edge>, regions: Vec<Option<u32>>| {
        Flow::new(Node(entry), blocks, edges, regions, true).err()
    };
    assert_eq!(make(0, vec![], vec![], vec![]), None);
    assert_eq!(make(2, vec![block; 2], vec![], vec![]), Some(Error::Entry));
    assert_eq!(make(0, vec![block; 2], vec![edge(0, 2, 1.0)], vec![]), Some(Error::Missing(0)));
    let twice = vec![edge(0, 1, 1.0), edge(1, 0, 1.0), edge(0, 1, 2.0)];
    assert_eq!(make(0, vec![block; 2], twice, vec![]), Some(Error::Twice(2)));
    assert_eq!(make(0, vec![block; 2], vec![edge(0, 1, -1.0)], vec![]), Some(Error::EdgeFrequency(0)));
    assert_eq!(make(0, vec![block; 2], vec![edge(0, 1, f64::NAN)], vec![]), Some(Error::EdgeFrequency(0)));
    let endless = Block { frequency: f64::INFINITY, ..block };
    assert_eq!(make(0, vec![block, endless], vec![], vec![]), Some(Error::BlockFrequency(1)));
    let placed = Block { region: Some(1), ..block };
    assert_eq!(make(0, vec![placed], vec![], vec![None]), Some(Error::Region(0)));
    assert_eq!(make(0, vec![block], vec![], vec![None, Some(1)]), Some(Error::Nest(1)));
    let fixed = Block { fixed: true, ..block };
    assert_eq!(make(0, vec![fixed, block, block], vec![edge(0, 2, 1.0)], vec![]), Some(Error::Fixed(0)));
    assert_eq!(make(1, vec![fixed, block], vec![edge(0, 1, 1.0)], vec![]), Some(Error::Across(0)));
    let large = Block { size: 1 << 52, ..block };
    assert_eq!(make(0, vec![large; 2], vec![], vec![]), Some(Error::Size));
}

/// Text that is cut off or changed anywhere is refused or read, and never a panic.
#[test]
fn broken_text_is_refused_with_a_place() {
    let text = "{\"format\": \"cfg-layout-v1\", \"graphs\": [{\"name\": \"g\", \"entry\": 0,\n \"blocks\": [{\"id\": 0, \"size\": 16, \"count\": 1}, {\"id\": 1, \"size\": 16, \"count\": 1}],\n \"edges\": [{\"src\": 0, \"dst\": 1, \"count\": 1}]}]}";
    assert_eq!(format::read(text).expect("sound").len(), 1);
    for at in 0..text.len() {
        let wrong = format::read(&text[..at]).expect_err("it is cut off");
        assert!(wrong.line >= 1 && wrong.line <= 3 && !wrong.message.is_empty(), "{wrong}");
        for byte in [b'{', b'9', b'"', b'-'] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = format::read(std::str::from_utf8(&bytes).expect("ASCII"));
        }
    }
}
