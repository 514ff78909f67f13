//! Whole orders: what they hold, what they keep, and how good they are.

use crate::{flow, is_permutation, nodes, numbers, random_flows};
use sassafras_graph::ControlFlow;
use sassafras_placement::{
    Algorithm, Block, Constraint, Ending, Flow, Knobs, Node, Options, Scorer, endings, exact, generate, place,
};

/// MBP-10, MBP-22: of every algorithm each order holds all blocks once, the entry first, and its score is not below the source's; the larger choice of methods is never worse.
#[test]
fn mbp_10_never_below_the_source() {
    let mut gained = 0;
    for flow in random_flows(100, 3, 60) {
        let with = |algorithm: Algorithm| {
            let placed = place(&flow, &Options { algorithm, ..Options::default() });
            assert!(is_permutation(&flow, &placed.order));
            assert_eq!(placed.order[0], flow.entry());
            assert!(placed.score >= placed.source_score);
            let truth = Scorer::new(&flow, &Knobs::default()).score(&placed.order);
            assert!((truth - placed.score).abs() <= 1e-6 * truth.abs().max(1.0));
            placed.score
        };
        let (chain, all) = (with(Algorithm::Chain), with(Algorithm::ExtTsp));
        assert!(all >= chain);
        gained += usize::from(all > chain);
    }
    assert!(gained > 30, "{gained}");
}

/// All orders of up to seven blocks, against exact search: the same best score.
#[test]
fn exact_search_equals_all_orders() {
    fn all(order: &mut Vec<Node>, at: usize, scorer: &Scorer, best: &mut f64) {
        if at == order.len() {
            *best = best.max(scorer.score(order));
            return;
        }
        for other in at..order.len() {
            order.swap(at, other);
            all(order, at + 1, scorer, best);
            order.swap(at, other);
        }
    }
    for flow in random_flows(60, 3, 7) {
        let scorer = Scorer::new(&flow, &Knobs::default());
        let mut best = f64::MIN;
        all(&mut flow.source_order(), 1, &scorer, &mut best);
        let found = exact(&flow, &scorer, Constraint::None, &flow.source_order(), u64::MAX - 1);
        assert!(found.proved);
        assert!((found.score - best).abs() < 1e-6, "{} {best}", found.score);
        assert!((scorer.score(&found.order) - best).abs() < 1e-6);
    }
}

/// Up to nine blocks every order is the best one, and shown to be; of twelve most are.
#[test]
fn small_orders_are_the_best() {
    for flow in random_flows(60, 4, 9) {
        let placed = place(&flow, &Options { constraint: Constraint::None, ..Options::default() });
        assert!(placed.optimal);
        let scorer = Scorer::new(&flow, &Knobs::default());
        let found = exact(&flow, &scorer, Constraint::None, &flow.source_order(), u64::MAX - 1);
        assert!(placed.score >= found.score - 1e-6, "{} {}", placed.score, found.score);
    }
    let proved =
        (0..20).filter(|&seed| place(&generate::graph(12, seed), &Options::default()).optimal).count();
    assert!(proved >= 5, "only {proved}");
}

/// MBP-09, MBP-28: over random graphs, every end leads to the block's successors, and branches lead only where nothing falls through.
#[test]
fn mbp_09_and_28_branches_keep_their_targets() {
    for flow in random_flows(300, 3, 50) {
        let order = place(&flow, &Options { algorithm: Algorithm::Chain, ..Options::default() }).order;
        for ((place, node), ending) in order.iter().enumerate().zip(endings(&flow, &order)) {
            let behind = order.get(place + 1).copied();
            let (falls, mut to) = match ending {
                Ending::Leaves => (None, vec![]),
                Ending::Falls(to) => (Some(to), vec![]),
                Ending::Jumps(to) => (None, vec![to]),
                Ending::Branches { taken, falls, .. } => (Some(falls), vec![taken]),
                Ending::BranchesAndJumps { taken, otherwise, .. } => (None, vec![taken, otherwise]),
                Ending::Computed(_) | Ending::Fixed(_) => panic!("none was made"),
            };
            assert!(falls.is_none_or(|falls| Some(falls) == behind));
            assert!(to.iter().all(|&to| Some(to) != behind), "a branch to what follows");
            to.extend(falls);
            to.sort();
            let mut succs = flow.succs(*node);
            succs.sort();
            assert_eq!(to, succs);
        }
    }
}

/// MBP-23: the condition is turned around where that makes the likelier way fall through, or be the branch that is met first.
#[test]
fn mbp_23_conditions_are_turned_around() {
    let flow = flow(&[1; 4], &[(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90)]);
    let first = |order: &[u32]| endings(&flow, &nodes(order))[0].clone();
    // The source branches to 2 and falls into 1.
    assert_eq!(first(&[0, 1, 2, 3]), Ending::Branches { taken: Node(2), falls: Node(1), reversed: false });
    assert_eq!(first(&[0, 2, 3, 1]), Ending::Branches { taken: Node(1), falls: Node(2), reversed: true });
    let neither = Ending::BranchesAndJumps { taken: Node(2), otherwise: Node(1), reversed: false };
    assert_eq!(first(&[0, 3, 2, 1]), neither);
    let colder = self::flow(&[1; 4], &[(0, 1, 90), (0, 2, 10), (1, 3, 90), (2, 3, 10)]);
    let turned = Ending::BranchesAndJumps { taken: Node(1), otherwise: Node(2), reversed: true };
    assert_eq!(endings(&colder, &nodes(&[0, 3, 2, 1]))[0], turned);
}

/// MBP-26: an order depends on its graph alone, not on what was placed before.
#[test]
fn mbp_26_nothing_stays_between_functions() {
    let flows: Vec<Flow> = random_flows(30, 4, 40).collect();
    let options = Options::default();
    let forward: Vec<_> = flows.iter().map(|flow| place(flow, &options)).collect();
    let mut backward: Vec<_> = flows.iter().rev().map(|flow| place(flow, &options)).collect();
    backward.reverse();
    assert_eq!(forward, backward);
}

/// Random flows with nested regions: a region is a range of the source, cut from the one around it.
fn with_regions(seed: u64) -> Flow {
    let plain = generate::graph(6 + seed as usize % 30, seed);
    let mut random = generate::Random::new(seed);
    let mut blocks: Vec<Block> = plain.nodes().map(|node| *plain.block(node)).collect();
    let count = blocks.len() as u64;
    let mut regions = Vec::new();
    for _ in 0..1 + random.below(4) {
        let start = 1 + random.below(count - 2);
        let end = start + 1 + random.below(count - start);
        let around = blocks[start as usize].region;
        // A region cuts no other: all its blocks lie in the same one now.
        let range = start as usize..(end as usize).min(blocks.len());
        if blocks[range.clone()].iter().any(|block| block.region != around) {
            continue;
        }
        regions.push(around);
        blocks[range].iter_mut().for_each(|block| block.region = Some(regions.len() as u32 - 1));
    }
    Flow::new(Node(0), blocks, plain.edges().to_vec(), regions, true).expect("sound")
}

/// MBP-27: where it is asked for, the blocks of each region stand together, and two regions never interleave; without it some graph parts one.
#[test]
fn mbp_27_structured_regions_stay_together() {
    let (mut split, mut regions) = (0, 0);
    for seed in 0..80 {
        let flow = with_regions(seed);
        let asked = |constraint| place(&flow, &Options { constraint, ..Options::default() });
        let kept = asked(Constraint::Contiguous);
        assert!(is_permutation(&flow, &kept.order) && kept.order[0] == flow.entry());
        assert!(kept.score >= kept.source_score);
        for region in 0..flow.region_count() as u32 {
            let inside: Vec<bool> =
                kept.order.iter().map(|&n| flow.regions_of(n).contains(&region)).collect();
            let changes = inside.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes <= 2 && !(changes == 2 && inside[0]), "{:?}", kept.order);
            regions += 1;
        }
        split += usize::from(!Constraint::Contiguous.holds(&flow, &asked(Constraint::None).order));
    }
    assert!(split > 8 && regions > 80, "{split} {regions}");
}

/// MBP-07, MBP-22: marked blocks stand behind all others in one order of the function, unless contiguity is asked for or nothing is.
#[test]
fn mbp_22_cold_blocks_stand_last_in_the_one_order() {
    for seed in 0..60 {
        let plain = generate::graph(5 + seed as usize % 40, 400 + seed);
        let mut random = generate::Random::new(seed);
        let mut blocks: Vec<Block> = plain.nodes().map(|node| *plain.block(node)).collect();
        blocks.iter_mut().for_each(|block| block.cold = random.below(5) == 0);
        let flow = Flow::new(Node(0), blocks, plain.edges().to_vec(), vec![], true).expect("sound");
        let order = place(&flow, &Options::default()).order;
        assert!(is_permutation(&flow, &order));
        let cold: Vec<bool> = order[1..].iter().map(|&node| flow.block(node).cold).collect();
        assert!(cold.is_sorted(), "{order:?}");
    }
}

/// MBP-06: fixed blocks keep what they fall into in every order, by every method.
#[test]
fn mbp_06_fixed_blocks_keep_their_followers() {
    let mut seen = 0;
    for seed in 0..60 {
        let plain = generate::graph(4 + seed as usize % 40, 800 + seed);
        let mut random = generate::Random::new(seed);
        let mut blocks: Vec<Block> = plain.nodes().map(|node| *plain.block(node)).collect();
        for node in plain.nodes() {
            blocks[node.0 as usize].fixed = random.below(4) == 0;
            blocks[node.0 as usize].cold = random.below(8) == 0;
        }
        let flow = Flow::new(Node(0), blocks, plain.edges().to_vec(), vec![], true).expect("sound");
        for algorithm in [Algorithm::Source, Algorithm::Chain, Algorithm::ExtTsp] {
            for constraint in [Constraint::None, Constraint::ColdLast] {
                let order = place(&flow, &Options { algorithm, constraint, ..Options::default() }).order;
                assert!(is_permutation(&flow, &order));
                for pair in order.windows(2) {
                    let Some(next) = flow.bound(pair[0]) else { continue };
                    assert_eq!(pair[1], next, "{algorithm:?} {constraint:?} {order:?}");
                    seen += 1;
                }
                assert_eq!(flow.bound(*order.last().unwrap()), None);
            }
        }
    }
    assert!(seen > 150, "{seen}");
}

/// The entry need not be the first block of the source.
#[test]
fn the_entry_comes_first_wherever_it_stands() {
    let plain = flow(&[1; 4], &[(0, 3, 5), (1, 0, 5), (1, 2, 5), (2, 3, 5)]);
    let blocks: Vec<Block> = plain.nodes().map(|node| *plain.block(node)).collect();
    let flow = Flow::new(Node(1), blocks, plain.edges().to_vec(), vec![], true).expect("sound");
    for algorithm in [Algorithm::Source, Algorithm::Chain, Algorithm::ExtTsp] {
        let placed = place(&flow, &Options { algorithm, ..Options::default() });
        assert_eq!(placed.order[0], Node(1));
        assert!(is_permutation(&flow, &placed.order));
    }
    assert_eq!(numbers(&flow.source_order()), [1, 0, 2, 3]);
}

/// 10,000 blocks are placed, all of them, in one go.
#[test]
fn large_graphs_are_placed() {
    let flow = generate::graph(10_000, 5);
    let placed = place(&flow, &Options { algorithm: Algorithm::Chain, ..Options::default() });
    assert!(is_permutation(&flow, &placed.order));
    assert!(placed.score >= placed.source_score);
}

/// MBP-01: the numbers of `block-placement-stats`, by hand.
#[test]
fn mbp_01_and_25a_statistics_of_branches() {
    // 0 goes to 1 or 2, both to 3.
    let flow = flow(&[1; 4], &[(0, 1, 3), (0, 2, 7), (1, 3, 3), (2, 3, 7)]);
    let numbers = |order: &[u32]| {
        let found = sassafras_placement::statistics(&flow, &nodes(order));
        let sums = (found.conditional, found.conditional_taken);
        (sums, (found.unconditional, found.unconditional_taken))
    };
    assert_eq!(numbers(&[0, 1, 2, 3]), ((1, 7.0), (1, 3.0)));
    assert_eq!(numbers(&[0, 2, 3, 1]), ((1, 3.0), (1, 3.0)));
    // Neither successor follows: the likelier one is branched to.
    assert_eq!(numbers(&[0, 3, 1, 2]), ((1, 7.0), (3, 13.0)));
}
