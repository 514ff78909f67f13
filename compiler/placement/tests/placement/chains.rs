//! Chains, loops, and how they are turned.

use crate::{flow, is_permutation, numbers, random_flows, with};
use sassafras_graph::{ControlFlow, Dominators, Loops};
use sassafras_placement::{Block, Edge, Flow, Kind, Knobs, Node, chains};

fn chained(flow: &Flow, change: impl FnOnce(&mut Knobs)) -> Vec<u32> {
    let mut knobs = Knobs::default();
    change(&mut knobs);
    numbers(&chains(flow, &knobs))
}

/// MBP-05: a chain holds blocks in order, each block is in one chain, and the last chain is all of them.
#[test]
fn mbp_05_every_block_is_in_the_last_chain_once() {
    for flow in random_flows(150, 3, 80) {
        let order = chains(&flow, &Knobs::default());
        assert!(is_permutation(&flow, &order), "{order:?}");
        assert_eq!(order[0], flow.entry());
    }
}

/// MBP-06: what a block that cannot be rewritten falls into stays behind it, although another order would be likelier; other fall-throughs do not freeze the source's order (E13).
#[test]
fn mbp_06_only_fixed_fall_throughs_are_kept() {
    let edges = [(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90)];
    let free = flow(&[1, 1, 1, 1], &edges);
    assert_eq!(chained(&free, |_| {})[..2], [0, 2]);
    let fixed = with(&[1, 1, 1, 1], &edges, |blocks| blocks[0].fixed = true);
    assert_eq!(chained(&fixed, |_| {})[..2], [0, 1]);
    // A landing place is not fallen into by choice.
    let landing = with(&[1, 1, 1, 1], &edges, |blocks| blocks[2].landing = true);
    assert_eq!(chained(&landing, |_| {})[..2], [0, 1]);
}

/// MBP-06: nothing is chained in front of the entry, though it is the likelier successor.
#[test]
fn mbp_06_no_chain_leads_into_the_entry() {
    let flow = flow(&[1, 1, 1], &[(0, 1, 100), (1, 0, 99), (1, 2, 1)]);
    assert_eq!(chained(&flow, |_| {}), [0, 1, 2]);
}

/// A loop 1..4 with a block that is run seldom: 0 → 1 → {2, 3}, 2 → 4, 3 → 4, 4 → {1, 5}.
fn seldom(often: u64) -> [(u32, u32, u64); 7] {
    [
        (0, 1, 100),
        (1, 2, often),
        (1, 3, 1000 - often),
        (2, 4, often),
        (3, 4, 1000 - often),
        (4, 1, 900),
        (4, 5, 100),
    ]
}

/// MBP-07: a block that is run less than once in five entries of its loop leaves the loop, and goes to the end; the knobs move the bound.
#[test]
fn mbp_07_cold_blocks_leave_their_loop() {
    let sizes = [1, 1, 1, 1, 1, 1];
    // 100 entries and 10 runs: a ratio of 10.
    let cold = flow(&sizes, &seldom(10));
    assert_eq!(chained(&cold, |_| {}), [0, 1, 3, 4, 5, 2]);
    assert_eq!(chained(&cold, |k| k.cold_ratio = 10), [0, 1, 3, 4, 2, 5]);
    // 20 runs are a ratio of 5, which is not above 5.
    assert_eq!(chained(&flow(&sizes, &seldom(20)), |_| {}), [0, 1, 3, 4, 2, 5]);
    // A mark says it without counts.
    let marked = with(&sizes, &seldom(500), |blocks| blocks[2].cold = true);
    assert_eq!(chained(&marked, |_| {}).last(), Some(&2));
}

/// MBP-07, MBP-25d: without counted frequencies only `force-loop-cold-block` takes them for cold.
#[test]
fn mbp_25d_cold_blocks_are_forced_out_without_a_profile() {
    let counted = flow(&[1, 1, 1, 1, 1, 1], &seldom(10));
    let blocks: Vec<Block> = counted.nodes().map(|node| *counted.block(node)).collect();
    let guessed = Flow::new(Node(0), blocks, counted.edges().to_vec(), vec![], false).expect("sound");
    assert_eq!(chained(&guessed, |_| {}), [0, 1, 3, 4, 2, 5]);
    assert_eq!(chained(&guessed, |k| k.force_cold = true), [0, 1, 3, 4, 5, 2]);
}

/// MBP-07, MBP-22: the blocks of a loop that stay stand together, loops within loops too, in one order of all blocks.
#[test]
fn mbp_07_warm_blocks_of_a_loop_stand_together() {
    let mut seen = 0;
    for flow in random_flows(300, 6, 60) {
        let order = chains(&flow, &Knobs::default());
        let loops = Loops::new(&flow, &Dominators::new(&flow));
        for id in loops.ids() {
            let header = loops.header(id);
            let entered: f64 =
                flow.incoming(header).filter(|e| !loops.contains(id, e.from)).map(|e| e.frequency).sum();
            let warm = |node: &Node| {
                let frequency = flow.block(*node).frequency;
                // Cold for no loop around either, and for none within.
                frequency > 0.0 && (entered / frequency).floor() <= 5.0
            };
            let blocks = loops.blocks(id);
            // A loop whose every block is warm for it and whose loops within are warm throughout.
            let all_warm = blocks.iter().all(warm)
                && loops.innermost(header) == Some(id)
                && blocks.iter().all(|&b| loops.innermost(b) == Some(id));
            if !all_warm {
                continue;
            }
            let places: Vec<usize> = order
                .iter()
                .enumerate()
                .filter(|(_, node)| blocks.contains(node))
                .map(|(place, _)| place)
                .collect();
            assert_eq!(places.last().unwrap() - places[0] + 1, blocks.len(), "{order:?} {blocks:?}");
            seen += 1;
        }
    }
    assert!(seen > 50, "only {seen} loops");
}

/// MBP-08: the likelier successor follows; of equals the one that comes first in the source; and one that another block goes to more often is left to that block.
#[test]
fn mbp_08_the_best_successor_follows() {
    let even = flow(&[1, 1, 1, 1], &[(0, 2, 50), (0, 1, 50), (1, 3, 50), (2, 3, 50)]);
    assert_eq!(chained(&even, |_| {})[..2], [0, 1]);
    let likely = flow(&[1, 1, 1, 1], &[(0, 2, 51), (0, 1, 49), (1, 3, 49), (2, 3, 51)]);
    assert_eq!(chained(&likely, |_| {})[..2], [0, 2]);
    // 0 → {1, 3}, 1 → 2, 2 → 3 more often than 0 → 3: 3 stays for 2.
    let other = flow(&[1, 1, 1, 1], &[(0, 1, 45), (0, 3, 55), (1, 2, 45), (2, 3, 100), (2, 1, 55)]);
    assert_eq!(chained(&other, |_| {})[..2], [0, 1]);
    // A branch to a computed address does not fall through, however likely.
    let edges = [(0, 1, 90, Kind::Indirect), (0, 2, 10, Kind::Conditional)];
    let edges = edges.map(|(from, to, count, kind)| Edge {
        from: Node(from),
        to: Node(to),
        frequency: f64::from(count),
        kind,
    });
    let block = Block { size: 16, frequency: 1.0, ..Block::default() };
    let computed = Flow::new(Node(0), vec![block; 3], edges.to_vec(), vec![], true).expect("sound");
    assert_eq!(chained(&computed, |_| {}), [0, 2, 1]);
}

/// MBP-04, MBP-25c: where a taken branch costs nothing, no successor is better than another.
#[test]
fn mbp_25c_a_branch_without_a_cost_moves_nothing() {
    let flow = flow(&[1, 1, 1, 1], &[(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90)]);
    let cost =
        |fetch: f64, branch: f64| chained(&flow, |k| (k.misfetch_cost, k.jump_cost) = (fetch, branch))[1];
    assert_eq!([cost(1.0, 1.0), cost(1.0, 0.0), cost(0.0, 1.0)], [2, 2, 2]);
    // Without a cost an edge says nothing: the most frequent chain comes next whose predecessors have all been placed.
    let tied = self::flow(&[1, 1, 1, 1, 1], &[(0, 1, 40), (0, 2, 60), (1, 3, 40), (2, 4, 60), (3, 4, 40)]);
    assert_eq!(chained(&tied, |_| {}), [0, 2, 4, 1, 3]);
    let free = chained(&tied, |k| (k.misfetch_cost, k.jump_cost) = (0.0, 0.0));
    assert_eq!(free, [0, 2, 1, 3, 4]);
}

/// A loop that is left from its middle: 0 → 1 → 2 → {3, 4}, 3 → 1, and 4 outside.
fn middle(outside: u64) -> Flow {
    flow(
        &[1, 1, 1, 1, 1],
        &[(0, 1, outside), (1, 2, 1000), (2, 3, 1000 - outside), (2, 4, outside), (3, 1, 1000 - outside)],
    )
}

/// MBP-21: the block that leaves the loop comes last, unless what is outside falls into the header at least as often.
#[test]
fn mbp_21_basic_rotation() {
    // 0 falls into 1 a hundred times, and 2 leaves as often: nothing is turned.
    assert_eq!(chained(&middle(100), |_| {}), [0, 1, 2, 3, 4]);
    // The loop is left more often than it is fallen into: two blocks in front of it.
    let edges =
        [(0, 1, 50), (0, 2, 50), (1, 3, 50), (2, 3, 50), (3, 4, 1000), (4, 5, 900), (4, 6, 100), (5, 3, 900)];
    let turned = flow(&[1; 7], &edges);
    let order = chained(&turned, |_| {});
    let at = |node: u32| order.iter().position(|&other| other == node).unwrap();
    assert_eq!((at(3), at(4)), (at(5) + 1, at(5) + 2), "{order:?}");
    assert_eq!(order[at(4) + 1], 6, "{order:?}");
}

/// MBP-25c: a second exit has to be better by more than the bias.
#[test]
fn mbp_25c_the_exit_bias_keeps_the_first_exit() {
    // Two exits, of 3 and of 4; the second is a fifth more frequent.
    let edges = [
        (0, 1, 55),
        (0, 2, 55),
        (1, 3, 55),
        (2, 3, 55),
        (3, 4, 950),
        (3, 6, 50),
        (4, 5, 890),
        (4, 7, 60),
        (5, 3, 890),
    ];
    let flow = flow(&[1; 8], &edges);
    let last_in_loop = |bias: f64| {
        let order = chained(&flow, |k| k.exit_bias = bias);
        order.into_iter().rfind(|node| (3..=5).contains(node)).unwrap()
    };
    assert_eq!(last_in_loop(0.0), 4);
    // With it, the first exit is the best; but it leaves 50 times, less than 55 fall in: nothing is turned.
    assert_eq!(last_in_loop(30.0), 5);
}

/// MBP-21, MBP-25d: the precise rotation turns where the fewest fall-throughs are missed; it is asked by a knob, and without a profile by another.
#[test]
fn mbp_21_precise_rotation() {
    // The basic rotation parts 4 from 5, 900 times, to gain 900 and 100; where 5 → 3 cannot fall through, it only loses.
    let edges = [
        (0, 1, 50),
        (0, 2, 50),
        (1, 3, 50),
        (2, 3, 50),
        (3, 4, 500),
        (3, 5, 500),
        (4, 6, 400),
        (4, 7, 100),
        (5, 6, 500),
        (6, 3, 900),
    ];
    let flow = flow(&[1; 8], &edges);
    let basic = chained(&flow, |_| {});
    let precise = chained(&flow, |k| k.precise_rotation = true);
    let cost = |order: &[u32]| {
        let taken = edges.iter().filter(|edge| !order.windows(2).any(|pair| pair == [edge.0, edge.1]));
        taken.map(|edge| edge.2).sum::<u64>()
    };
    assert!(cost(&precise) <= cost(&basic), "{precise:?} {basic:?}");
    // Without counts the first knob says nothing, and the second the same.
    let blocks: Vec<Block> = flow.nodes().map(|node| *flow.block(node)).collect();
    let guessed = Flow::new(Node(0), blocks, flow.edges().to_vec(), vec![], false).expect("sound");
    assert_eq!(chained(&guessed, |k| k.precise_rotation = true), chained(&guessed, |_| {}));
    assert_eq!(chained(&guessed, |k| k.force_precise = true), precise);
    // Over many graphs the two differ, and the precise one is cheaper in sum.
    let (mut differ, mut simple_sum, mut precise_sum) = (0, 0.0, 0.0);
    for flow in random_flows(300, 6, 40) {
        let knobs = Knobs::default();
        let turned = Knobs { precise_rotation: true, ..knobs.clone() };
        let cost = sassafras_placement::Cost::new(&flow, &knobs, 6);
        let (one, other) = (chains(&flow, &knobs), chains(&flow, &turned));
        differ += usize::from(one != other);
        simple_sum += cost.of(&one);
        precise_sum += cost.of(&other);
    }
    assert!(differ > 10 && precise_sum <= simple_sum, "{differ} {simple_sum} {precise_sum}");
}
