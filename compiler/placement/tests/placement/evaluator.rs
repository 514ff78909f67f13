//! Proposals, their cost, and when they are taken.

use crate::{flow, nodes, numbers, random_flows, with};
use sassafras_placement::{Block, Cost, Evaluator, Flow, Force, Knobs, Node, Options, chip_index, place};

/// A diamond whose hotter side does not follow.
const DIAMOND: [(u32, u32, u64); 4] = [(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90)];

fn forced(number: i64) -> Knobs {
    Knobs { evaluate_force: number, evaluate_threshold: 0.0, ..Knobs::default() }
}

/// MBP-04: a fall-through costs nothing, a taken branch the sum of both knobs for each execution; a branch to a computed address is always taken.
#[test]
fn mbp_04_taken_branches_cost() {
    let flow = flow(&[1; 4], &DIAMOND);
    let cost = |order: &[u32], fetch: f64, branch: f64| {
        let knobs = Knobs { misfetch_cost: fetch, jump_cost: branch, ..Knobs::default() };
        Cost::new(&flow, &knobs, 6).of(&nodes(order))
    };
    // In the source's order 0 → 2 (90) and 1 → 3 (10) are taken, for 100 runs of the entry.
    assert_eq!(cost(&[0, 1, 2, 3], 1.0, 1.0), 2.0);
    assert_eq!(cost(&[0, 2, 3, 1], 1.0, 1.0), 0.4);
    assert_eq!(cost(&[0, 1, 2, 3], 1.0, 2.0), 3.0);
    assert_eq!(cost(&[0, 1, 2, 3], 4.0, 0.0), 4.0);
}

/// MBP-14: nothing is proposed for three blocks or fewer, nor where the knob is off.
#[test]
fn mbp_14_the_gate() {
    let three = flow(&[1; 3], &[(0, 1, 10), (0, 2, 90), (1, 2, 10)]);
    assert!(!Evaluator::new(&three, &forced(1), 6).is_active());
    let four = flow(&[1; 4], &DIAMOND);
    let evaluator = Evaluator::new(&four, &forced(1), 6);
    assert!(evaluator.is_active());
    assert_eq!(evaluator.propose(&nodes(&[0, 1, 2, 3])).map(|o| numbers(&o)), Some(vec![0, 2, 3, 1]));
    // Too many blocks for the limit.
    let limited = Knobs { evaluate_limit: 3, ..forced(1) };
    assert_eq!(Evaluator::new(&four, &limited, 6).propose(&nodes(&[0, 1, 2, 3])), None);
}

/// MBP-14, MBP-25c: `branch-fold-placement` decides whether proposals are asked for: with it some graph gets a better order by chains.
#[test]
fn mbp_25c_branch_fold_placement_asks_for_proposals() {
    let mut better = 0;
    for flow in random_flows(400, 5, 40) {
        let with = |alternative: bool| {
            let knobs = Knobs { alternative, evaluate_threshold: 0.0, ..Knobs::default() };
            let algorithm = sassafras_placement::Algorithm::Chain;
            place(&flow, &Options { algorithm, knobs, ..Options::default() }).score
        };
        let (off, on) = (with(false), with(true));
        assert!(on >= off);
        better += usize::from(on > off + 1e-9);
    }
    assert!(better > 0);
}

/// MBP-16: 0 proposes where frequencies were counted, 1 always, every other number never.
#[test]
fn mbp_16_the_mode_has_three_values() {
    assert_eq!(
        [-1, 0, 1, 2].map(Force::from_number),
        [Force::Never, Force::Auto, Force::Always, Force::Never]
    );
    let counted = flow(&[1; 4], &DIAMOND);
    let blocks: Vec<Block> = counted.nodes().map(|node| *counted.block(node)).collect();
    let guessed = Flow::new(Node(0), blocks, counted.edges().to_vec(), vec![], false).expect("sound");
    let active = |flow: &Flow, number| Evaluator::new(flow, &forced(number), 6).is_active();
    assert_eq!([0, 1, 2].map(|number| active(&counted, number)), [true, true, false]);
    assert_eq!([0, 1, 2].map(|number| active(&guessed, number)), [false, true, false]);
    // Without an order nothing is evaluated.
    assert_eq!(Evaluator::new(&counted, &forced(1), 6).propose(&[]), None);
}

/// MBP-15, MBP-17: proposals never cost more, keep every block, and come again the same: nothing stays from one call to the next.
#[test]
fn mbp_17_proposals_are_cheaper_and_keep_no_state() {
    let mut proposed = 0;
    for flow in random_flows(300, 4, 60) {
        let evaluator = Evaluator::new(&flow, &forced(1), 6);
        let source = flow.source_order();
        let first = evaluator.propose(&source);
        assert_eq!(evaluator.propose(&source), first);
        let Some(other) = first else { continue };
        assert!(crate::is_permutation(&flow, &other));
        assert_eq!(other[0], source[0]);
        assert!(evaluator.cost(&other) < evaluator.cost(&source));
        // A hotter successor follows somewhere where it did not.
        proposed += 1;
    }
    assert!(proposed > 150, "only {proposed}");
}

/// MBP-17: a saving that is no more than the threshold is not taken; the default is 3.
#[test]
fn mbp_17_the_threshold() {
    // Each run of the function passes the loop ten times; the source's order takes two branches a turn more than need be.
    let edges = [(0, 1, 100), (1, 2, 50), (1, 3, 950), (2, 4, 50), (3, 4, 950), (4, 1, 900), (4, 5, 100)];
    let flow = flow(&[1; 6], &edges);
    let order = nodes(&[0, 1, 2, 4, 3, 5]);
    let with = |threshold: f64| {
        let knobs = Knobs { evaluate_threshold: threshold, ..Knobs::default() };
        let evaluator = Evaluator::new(&flow, &knobs, 6);
        (evaluator.propose(&order), evaluator)
    };
    let (Some(better), evaluator) = with(0.0) else { panic!("nothing is proposed") };
    let saved = evaluator.cost(&order) - evaluator.cost(&better);
    assert!(saved > 3.0, "{saved}");
    assert_eq!(with(saved).0, None);
    assert!(with(saved - 0.001).0.is_some());
    assert_eq!(Knobs::default().evaluate_threshold, 3.0);
}

/// MBP-18: the chips' places in the table; a chip that the table does not know has none.
#[test]
fn mbp_18_indices_of_chips() {
    assert_eq!([70, 75, 80, 90, 100].map(chip_index), [Some(0), Some(1), Some(2), Some(6), Some(16)]);
    assert_eq!(chip_index(60), None);
}

/// MBP-18, MBP-29: on sm_70 and sm_75 the way from a branch at which lanes part to where they meet costs; from sm_80 on it does not, and the knob turns it off.
#[test]
fn mbp_29_distance_to_the_meeting_place_costs_on_older_chips() {
    let flow =
        with(&[1, 1, 40, 1, 1], &[(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90), (3, 4, 100)], |blocks| {
            blocks[0].divergent = true;
        });
    let knobs = Knobs::default();
    let cost = |order: &[u32], chip: u32, knobs: &Knobs| Cost::new(&flow, knobs, chip).of(&nodes(order));
    // The same branches are taken in both; 3 is farther from 0 in the second, with 2 between them.
    let (near, far) = ([0, 1, 3, 4, 2], [0, 1, 2, 3, 4]);
    let plain = |order: &[u32]| cost(order, 6, &knobs);
    for chip in [0, 1] {
        let more = |order: &[u32]| cost(order, chip, &knobs) - plain(order);
        assert!(more(&far) > more(&near) && more(&near) > 0.0);
        assert!((more(&far) - 41.0 * 16.0 / 1024.0).abs() < 1e-9, "{}", more(&far));
    }
    for chip in [2, 6, 16] {
        assert_eq!(cost(&far, chip, &knobs), plain(&far));
    }
    let light = Knobs { evaluate_light: false, ..knobs.clone() };
    assert_eq!(cost(&far, 0, &light), plain(&far));
    // Where lanes do not part, nobody has to meet.
    let uniform =
        crate::flow(&[1, 1, 40, 1, 1], &[(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90), (3, 4, 100)]);
    assert_eq!(Cost::new(&uniform, &knobs, 0).of(&nodes(&far)), plain(&far));
}

/// MBP-19: a split of a block is judged by the same cost: a block with a reload put on the hot way costs its branch.
#[test]
fn mbp_19_the_cost_serves_others() {
    // 4 is a new block between 0 and 2; behind everything it costs two branches on the hot way.
    let split = flow(&[1; 5], &[(0, 1, 10), (0, 4, 90), (4, 2, 90), (1, 3, 10), (2, 3, 90)]);
    let evaluator = Evaluator::new(&split, &Knobs { evaluate_threshold: 1.0, ..Knobs::default() }, 6);
    let (behind, between) = (nodes(&[0, 1, 2, 3, 4]), nodes(&[0, 4, 2, 3, 1]));
    assert!(evaluator.accepts(&behind, &between));
    assert!(!evaluator.accepts(&between, &behind));
    assert_eq!(evaluator.cost(&behind), Cost::new(&split, &Knobs::default(), 6).of(&behind));
}
