//! The judge of orders takes what placement makes, and objects to every fault that is planted in it.

use sassafras_check::order::{check_endings, check_order, check_score};
use sassafras_check::{Verdict, rules::Rule};
use sassafras_graph::ControlFlow;
use sassafras_placement::{
    Algorithm, Block, Constraint, Ending, Flow, Knobs, Node, Options, Placement, endings, generate, place,
};

/// A random flow with cold blocks, fixed blocks and a region.
fn flow(seed: u64) -> Flow {
    let plain = generate::graph(6 + seed as usize % 24, seed);
    let mut random = generate::Random::new(seed);
    let mut blocks: Vec<Block> = plain.nodes().map(|node| *plain.block(node)).collect();
    for (at, block) in blocks.iter_mut().enumerate() {
        block.cold = random.below(5) == 0;
        block.region = (2..5).contains(&at).then_some(0);
        // No fixed block falls out of the region.
        block.fixed = ![0, 1, 4].contains(&at) && random.below(4) == 0;
    }
    Flow::new(Node(0), blocks, plain.edges().to_vec(), vec![None], true).expect("a sound flow")
}

fn placed(flow: &Flow, constraint: Constraint) -> Placement {
    place(flow, &Options { algorithm: Algorithm::Chain, constraint, ..Options::default() })
}

fn objects(verdict: &Verdict, rule: Rule) -> bool {
    verdict.objections().iter().any(|finding| finding.rule == rule.id())
}

#[test]
fn what_is_placed_is_taken() {
    for seed in 0..80 {
        let flow = flow(seed);
        for constraint in [Constraint::None, Constraint::ColdLast, Constraint::Contiguous] {
            for algorithm in [Algorithm::Source, Algorithm::Chain, Algorithm::ExtTsp] {
                let knobs = Knobs { effort: 200, ..Knobs::default() };
                let options = Options { algorithm, constraint, knobs, ..Options::default() };
                let placed = place(&flow, &options);
                let source = constraint.conform(&flow, &flow.source_order());
                let verdict = check_order(&flow, &placed.order, constraint)
                    .and(check_endings(&flow, &placed.order, &endings(&flow, &placed.order)))
                    .and(check_score(&flow, &options.knobs, &placed.order, &source, placed.score));
                assert_eq!(verdict, Verdict::Passed, "seed {seed} {constraint:?} {algorithm:?}");
            }
        }
    }
}

/// A fault in an order: how it is planted, if it can be, and the rule that objects.
type Fault = (&'static str, Rule, fn(&Flow, &mut Vec<Node>) -> Option<Constraint>);

const FAULTS: &[Fault] = &[
    ("a block is missing", Rule::OrderBlock, |_, order| order.pop().map(|_| Constraint::None)),
    ("a block is there twice", Rule::OrderBlock, |_, order| {
        order.push(order[order.len() / 2]);
        Some(Constraint::None)
    }),
    ("a block stands in another's place", Rule::OrderBlock, |_, order| {
        let last = order.len() - 1;
        order[last] = order[1];
        Some(Constraint::None)
    }),
    ("a block is none", Rule::OrderBlock, |_, order| {
        order.push(Node(order.len() as u32));
        Some(Constraint::None)
    }),
    ("nothing is there", Rule::OrderEntry, |_, order| {
        order.clear();
        Some(Constraint::None)
    }),
    ("the entry comes second", Rule::OrderEntry, |_, order| {
        order.swap(0, 1);
        Some(Constraint::None)
    }),
    ("the order is turned around", Rule::OrderEntry, |_, order| {
        order.reverse();
        Some(Constraint::None)
    }),
    ("a block comes between a fixed one and its follower", Rule::OrderFixed, |flow, order| {
        let at = (1..order.len() - 1).find(|&at| flow.bound(order[at]).is_some())?;
        let other = (1..order.len()).find(|&other| other != at && other != at + 1)?;
        let node = order.remove(other);
        let at = order.iter().position(|&n| flow.bound(n).is_some_and(|next| order.contains(&next)))?;
        order.insert(at + 1, node);
        Some(Constraint::None)
    }),
    ("a cold block goes to the front", Rule::OrderCold, |flow, order| {
        let last = *order.last()?;
        let cold = flow.block(last).cold && !flow.block(order[1]).cold;
        order.pop().filter(|_| cold)?;
        order.insert(1, last);
        Some(Constraint::ColdLast)
    }),
    ("a block stands within a region", Rule::OrderRegion, |flow, order| {
        let inside = |node: &Node| flow.block(*node).region == Some(0);
        let other = order.iter().rposition(|node| !inside(node) && *node != flow.entry())?;
        let node = order.remove(other);
        let first = order.iter().position(inside)?;
        order.insert(first + 1, node);
        Some(Constraint::Contiguous)
    }),
];

#[test]
fn each_fault_in_an_order_is_caught() {
    for (name, rule, plant) in FAULTS {
        let mut planted = 0;
        for seed in 0..80 {
            let flow = flow(seed);
            for constraint in [Constraint::None, Constraint::ColdLast, Constraint::Contiguous] {
                let mut order = placed(&flow, constraint).order;
                let Some(asked) = plant(&flow, &mut order) else { continue };
                // An order of another wish may break the wish already.
                if asked != Constraint::None && asked != constraint {
                    continue;
                }
                let verdict = check_order(&flow, &order, asked);
                assert!(objects(&verdict, *rule), "{name}, seed {seed}: {verdict:?}");
                planted += 1;
            }
        }
        assert!(planted >= 5, "{name} was planted {planted} times");
        sassafras_oracle::fault::planted("orders", &"-", name, planted, planted);
    }
}

#[test]
fn a_false_score_and_a_worse_order_are_caught() {
    let mut worse = 0;
    for seed in 0..80 {
        let flow = flow(seed);
        let placed = placed(&flow, Constraint::None);
        let (knobs, source) = (Knobs::default(), flow.source_order());
        let judged =
            |order: &[Node], source: &[Node], score: f64| check_score(&flow, &knobs, order, source, score);
        assert!(objects(&judged(&placed.order, &source, placed.score + 0.5), Rule::OrderScore));
        assert!(objects(&judged(&placed.order, &source, -1.0), Rule::OrderScore));
        if placed.score > placed.source_score + 1.0 {
            // The two orders change their roles.
            assert!(objects(&judged(&source, &placed.order, placed.source_score), Rule::OrderScore));
            worse += 1;
        }
    }
    assert!(worse > 10);
}

/// A fault in one block's end, if it can be planted there.
type EndFault = (&'static str, fn(&Flow, Node, Option<Node>, &Ending) -> Option<Ending>);

const END_FAULTS: &[EndFault] = &[
    ("it falls into what does not follow", |_, _, behind, ending| match ending {
        Ending::Jumps(to) if Some(*to) != behind => Some(Ending::Falls(*to)),
        _ => None,
    }),
    ("it branches to what follows", |_, _, _, ending| match ending {
        Ending::Falls(to) => Some(Ending::Jumps(*to)),
        _ => None,
    }),
    ("it leads elsewhere", |flow, node, behind, ending| match ending {
        Ending::Jumps(to) => {
            let other = flow.nodes().find(|n| n != to && Some(*n) != behind && *n != node)?;
            Some(Ending::Jumps(other))
        }
        _ => None,
    }),
    ("it ends", |_, _, _, ending| match ending {
        Ending::Leaves | Ending::Fixed(_) => None,
        _ => Some(Ending::Leaves),
    }),
    ("a way is gone", |_, _, _, ending| match ending {
        Ending::Branches { falls, .. } => Some(Ending::Falls(*falls)),
        _ => None,
    }),
    ("its condition is turned around, and its targets are not", |_, _, _, ending| match *ending {
        Ending::Branches { taken, falls, reversed } => {
            Some(Ending::Branches { taken, falls, reversed: !reversed })
        }
        Ending::BranchesAndJumps { taken, otherwise, reversed } => {
            Some(Ending::BranchesAndJumps { taken, otherwise, reversed: !reversed })
        }
        _ => None,
    }),
    ("its targets change places", |_, _, _, ending| match *ending {
        Ending::BranchesAndJumps { taken, otherwise, reversed } => {
            Some(Ending::BranchesAndJumps { taken: otherwise, otherwise: taken, reversed })
        }
        Ending::Branches { taken, falls, reversed } => {
            Some(Ending::Branches { taken: falls, falls: taken, reversed })
        }
        _ => None,
    }),
];

#[test]
fn each_fault_in_an_end_is_caught() {
    for (name, plant) in END_FAULTS {
        let mut planted = 0;
        for seed in 0..40 {
            let flow = flow(seed);
            let order = placed(&flow, Constraint::None).order;
            let sound = endings(&flow, &order);
            assert_eq!(check_endings(&flow, &order, &sound), Verdict::Passed);
            for at in 0..order.len() {
                let behind = order.get(at + 1).copied();
                let Some(wrong) = plant(&flow, order[at], behind, &sound[at]) else { continue };
                let mut endings = sound.clone();
                endings[at] = wrong;
                let verdict = check_endings(&flow, &order, &endings);
                assert!(objects(&verdict, Rule::OrderEnding), "{name}, seed {seed}, {}", order[at]);
                planted += 1;
            }
            assert!(objects(&check_endings(&flow, &order, &sound[1..]), Rule::OrderEnding));
        }
        assert!(planted >= 5, "{name} was planted {planted} times");
        sassafras_oracle::fault::planted("orders", &"-", name, planted, planted);
    }
    assert_eq!(flow(1).entry(), Node(0));
}
