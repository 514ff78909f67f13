//! Every knob: its default, and an effect.

use crate::{flow, nodes, numbers, random_flows, with};
use sassafras_placement::{
    Algorithm, Constraint, Ending, Flow, Knobs, Method, Node, Options, Scorer, TABLE, alignment, endings,
    exact, ext_tsp, place, statistics,
};

/// MBP-11, 11b, 11c, 25a to 25f: names and defaults, as the requirements list them.
#[test]
fn mbp_11_and_25_defaults() {
    let default = |name: &str| {
        TABLE.iter().find(|knob| knob.name == name).unwrap_or_else(|| panic!("no {name}")).default
    };
    for name in
        ["forward-weight-cond", "forward-weight-uncond", "backward-weight-cond", "backward-weight-uncond"]
    {
        assert_eq!(default(&format!("ext-tsp-{name}")), "0.1");
    }
    for (name, value) in [
        ("ext-tsp-fallthrough-weight-cond", "1.0"),
        ("ext-tsp-fallthrough-weight-uncond", "1.05"),
        ("ext-tsp-forward-distance", "1024"),
        ("ext-tsp-backward-distance", "640"),
        ("ext-tsp-max-chain-size", "512"),
        ("ext-tsp-chain-split-threshold", "128"),
        ("ext-tsp-max-merge-density-ratio", "100.0"),
        ("ext-tsp-apply-without-profile", "true"),
        ("disable-block-placement", "false"),
        ("enable-block-placement-stats", "false"),
        ("renumber-blocks-before-view", "false"),
        ("tail-dup-placement", "true"),
        ("tail-dup-placement-threshold", "2"),
        ("tail-dup-placement-aggressive-threshold", "4"),
        ("tail-dup-placement-penalty", "2"),
        ("tail-dup-profile-percent-threshold", "50"),
        ("triangle-chain-count", "2"),
        ("branch-fold-placement", "true"),
        ("misfetch-cost", "1.0"),
        ("jump-inst-cost", "1.0"),
        ("block-placement-exit-block-bias", "0.0"),
        ("loop-to-cold-block-ratio", "5"),
        ("force-loop-cold-block", "false"),
        ("precise-rotation-cost", "false"),
        ("force-precise-rotation-cost", "false"),
        ("align-all-blocks", "0"),
        ("align-all-nofallthru-blocks", "0"),
        ("max-bytes-for-alignment", "0"),
        ("enable-ext-tsp-block-placement", "false"),
        ("ext-tsp-block-placement-max-blocks", "-1"),
        ("apply-ext-tsp-for-size", "false"),
    ] {
        assert_eq!(default(name), value, "{name}");
    }
    let mut names: Vec<&str> = TABLE.iter().map(|knob| knob.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TABLE.len());
}

/// Every knob is set by its name to its default, to no nonsense, and no other name is taken.
#[test]
fn knobs_are_set_by_name() {
    for knob in TABLE {
        let mut knobs = Knobs::default();
        knobs.set(knob.name, knob.default).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(knobs, Knobs::default(), "{}", knob.name);
        let wrong = knobs.set(knob.name, "?").expect_err("no value").to_string();
        assert!(wrong.contains(knob.name), "{wrong}");
    }
    assert!(Knobs::default().set("no-such-knob", "1").is_err());
}

/// MBP-11, MBP-11b: each weight and distance scores what it is about, by hand.
#[test]
fn mbp_11_weights_and_distances() {
    // 0 → 1 (conditional, 10), 0 → 2 (conditional, 30), 1 → 2 (unconditional, 7), 2 → 0 (unconditional, 5).
    let flow = flow(&[2, 3, 4], &[(0, 1, 10), (0, 2, 30), (1, 2, 7), (2, 0, 5)]);
    let score = |change: &dyn Fn(&mut Knobs)| {
        let mut knobs = Knobs::default();
        change(&mut knobs);
        Scorer::new(&flow, &knobs).score(&nodes(&[0, 1, 2]))
    };
    let (ahead, back) = (1.0 - 48.0 / 1024.0, 1.0 - 144.0 / 640.0);
    let expect = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-9, "{value} {wanted}");
    let all = 10.0 + 30.0 * 0.1 * ahead + 7.0 * 1.05 + 5.0 * 0.1 * back;
    expect(score(&|_| {}), all);
    expect(score(&|k| k.fall_conditional = 2.0), all + 10.0);
    expect(score(&|k| k.fall_unconditional = 2.05), all + 7.0);
    expect(score(&|k| k.forward_conditional = 0.2), all + 3.0 * ahead);
    expect(score(&|k| k.forward_unconditional = 0.2), all);
    expect(score(&|k| k.backward_unconditional = 0.2), all + 0.5 * back);
    expect(score(&|k| k.backward_conditional = 0.2), all);
    expect(score(&|k| k.forward_distance = 48), all - 3.0 * ahead);
    expect(score(&|k| k.forward_distance = 96), all - 3.0 * ahead + 1.5);
    expect(score(&|k| k.backward_distance = 144), all - 0.5 * back);
    // Unconditional branches ahead, conditional ones back.
    let other = self::flow(&[2, 3, 4], &[(0, 2, 10), (2, 1, 6), (2, 0, 4)]);
    let score = |change: &dyn Fn(&mut Knobs)| {
        let mut knobs = Knobs::default();
        change(&mut knobs);
        Scorer::new(&other, &knobs).score(&nodes(&[0, 1, 2]))
    };
    let before = score(&|_| {});
    expect(score(&|k| k.forward_unconditional = 0.2), before + ahead);
    let backs = 0.6 * (1.0 - 112.0 / 640.0) + 0.4 * back;
    expect(score(&|k| k.backward_conditional = 0.2), before + backs);
}

fn merged(flow: &Flow, change: impl FnOnce(&mut Knobs)) -> Vec<Node> {
    let mut knobs = Knobs::default();
    change(&mut knobs);
    let scorer = Scorer::new(flow, &knobs);
    ext_tsp(flow, &knobs, &scorer, Constraint::None)
}

/// MBP-11c: the size of chains, where they are split, and the ratio of densities each change what is merged.
#[test]
fn mbp_11c_limits_of_merging() {
    // Over random graphs each bound loses score: on the size of chains, on parting, on densities.
    let (mut full, mut small, mut whole, mut dense) = (0.0, 0.0, 0.0, 0.0);
    for flow in random_flows(100, 8, 60) {
        let scorer = Scorer::new(&flow, &Knobs::default());
        full += scorer.score(&merged(&flow, |_| {}));
        small += scorer.score(&merged(&flow, |k| k.chain_size = 3));
        whole += scorer.score(&merged(&flow, |k| k.chain_split = 0));
        dense += scorer.score(&merged(&flow, |k| k.density_ratio = 1.5));
    }
    assert!(full > small && full > whole && full > dense, "{full} {small} {whole} {dense}");
}

/// MBP-03, MBP-10, MBP-25a, MBP-25f: which methods the knobs ask; an empty function stays as it is.
#[test]
fn mbp_03_the_order_of_methods() {
    let four = flow(&[1; 4], &[(0, 1, 10), (0, 2, 90), (1, 3, 10), (2, 3, 90)]);
    let asked = |change: &dyn Fn(&mut Knobs)| {
        let mut knobs = Knobs::default();
        change(&mut knobs);
        Options::by_knobs(knobs, &four).algorithm
    };
    assert_eq!(asked(&|_| {}), Algorithm::Chain);
    assert_eq!(asked(&|k| k.ext_tsp = true), Algorithm::ExtTsp);
    assert_eq!(asked(&|k| (k.ext_tsp, k.ext_tsp_blocks) = (true, 3)), Algorithm::Chain);
    assert_eq!(asked(&|k| (k.ext_tsp, k.ext_tsp_blocks) = (true, 4)), Algorithm::ExtTsp);
    assert_eq!(asked(&|k| (k.ext_tsp, k.disable) = (true, true)), Algorithm::Source);
    let blocks = four.nodes().map(|node| *four.block(node)).collect();
    let guessed = Flow::new(Node(0), blocks, four.edges().to_vec(), vec![], false).expect("sound");
    let unprofiled = |yes: bool| {
        let knobs = Knobs { ext_tsp: true, ext_tsp_unprofiled: yes, ..Knobs::default() };
        Options::by_knobs(knobs, &guessed).algorithm
    };
    assert_eq!([unprofiled(true), unprofiled(false)], [Algorithm::ExtTsp, Algorithm::Chain]);
    let disabled = place(&four, &Options::by_knobs(Knobs { disable: true, ..Knobs::default() }, &four));
    assert_eq!((numbers(&disabled.order), disabled.method), (vec![0, 1, 2, 3], Method::Source));
    assert_eq!(numbers(&place(&four, &Options::default()).order), [0, 2, 3, 1]);
    let empty = Flow::new(Node(0), vec![], vec![], vec![], true).expect("sound");
    for algorithm in [Algorithm::Source, Algorithm::Chain, Algorithm::ExtTsp] {
        assert!(place(&empty, &Options { algorithm, ..Options::default() }).order.is_empty());
    }
}

/// The bounds of exact search and of moves: `placement-exact-blocks`, `placement-exact-steps`, `placement-effort`.
#[test]
fn bounds_of_search() {
    let nine = sassafras_placement::generate::graph(9, 77);
    let optimal = |change: &dyn Fn(&mut Knobs)| {
        let mut knobs = Knobs::default();
        change(&mut knobs);
        place(&nine, &Options { knobs, ..Options::default() }).optimal
    };
    assert!(optimal(&|_| {}));
    assert!(!optimal(&|k| k.exact_blocks = 8));
    assert!(!optimal(&|k| k.exact_steps = 1));
    let scorer = Scorer::new(&nine, &Knobs::default());
    let cut = exact(&nine, &scorer, Constraint::None, &nine.source_order(), 3);
    assert!(!cut.proved);
    let (mut little, mut much) = (0.0, 0.0);
    for flow in random_flows(20, 30, 60) {
        let score = |effort: u64| {
            let knobs = Knobs { effort, ..Knobs::default() };
            place(&flow, &Options { knobs, ..Options::default() }).score
        };
        little += score(0);
        much += score(1000);
    }
    assert!(much > little, "{much} {little}");
}

/// MBP-24, MBP-25e: nothing is aligned by default; every block, or those that nothing falls into, on demand; never with more padding than allowed, nor seldom-run blocks outside of loops.
#[test]
fn mbp_24_alignment() {
    // 3 is reached by a branch alone; 2 is run seldom.
    let edges = [(0, 1, 90), (0, 2, 10), (1, 3, 90), (2, 3, 10), (3, 3, 900), (3, 4, 100)];
    let flow = with(&[1, 3, 1, 1, 1], &edges, |_| {});
    let order = nodes(&[0, 1, 2, 3, 4]);
    let aligned = |all: u32, jumped: u32, most: u64| {
        let knobs = Knobs { align_all: all, align_jumped: jumped, align_most: most, ..Knobs::default() };
        alignment(&flow, &order, &knobs)
    };
    assert_eq!(aligned(0, 0, 0), [0; 5]);
    assert_eq!(aligned(5, 0, 0), [5; 5]);
    // 1 and 4 are fallen into, and 3 is by 2; 2 is not, but is run less often than the entry.
    assert_eq!(aligned(0, 5, 0), [0, 0, 0, 0, 0]);
    // With 2 out of the way, 3 follows 1; 2 at the end is seldom run.
    let order = nodes(&[0, 2, 1, 3, 4]);
    let jumped = |most: u64| {
        let knobs = Knobs { align_jumped: 7, align_most: most, ..Knobs::default() };
        alignment(&flow, &order, &knobs)
    };
    assert_eq!(jumped(0), [0, 0, 0, 0, 0]);
    let order = nodes(&[0, 3, 1, 2, 4]);
    let loops = |most: u64| {
        let knobs = Knobs { align_jumped: 7, align_most: most, ..Knobs::default() };
        alignment(&flow, &order, &knobs)
    };
    // 3 is a loop's, and nothing falls into it: aligned, by 112 bytes of padding; 4 is run as often as the entry, by 32.
    assert_eq!(loops(0), [0, 7, 0, 0, 7]);
    assert_eq!(loops(111), [0, 0, 0, 0, 7]);
}

/// MBP-25f: for size, each edge counts once, and fewer branches are written over random graphs; by counts, fewer are taken.
#[test]
fn mbp_25f_orders_for_size_have_fewer_branches() {
    let (mut branches, mut taken) = ([0, 0], [0.0, 0.0]);
    for flow in random_flows(200, 8, 40) {
        for (at, chosen) in [flow.clone(), flow.counted_once()].iter().enumerate() {
            let order = place(chosen, &Options::default()).order;
            let ends = endings(&flow, &order);
            branches[at] += ends
                .iter()
                .filter(|end| matches!(end, Ending::Jumps(_) | Ending::BranchesAndJumps { .. }))
                .count();
            let counts = statistics(&flow, &order);
            taken[at] += counts.conditional_taken + counts.unconditional_taken;
        }
    }
    assert!(branches[1] < branches[0] && taken[0] < taken[1], "{branches:?} {taken:?}");
}
