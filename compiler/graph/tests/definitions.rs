//! Every algorithm against its definition, or against petgraph.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::prelude::*;
use sassafras_graph::dataflow::{self, Transfer};
use sassafras_graph::*;

sassafras_graph::entity!(B, "b", "A block of a test.");

fn graphs() -> impl Strategy<Value = Graph<B>> {
    (1usize..12).prop_flat_map(|n| {
        prop::collection::vec((0..n as u32, 0..n as u32), 0..2 * n)
            .prop_map(move |edges| Graph::new(B(0), n, edges.into_iter().map(|(a, b)| (B(a), B(b)))))
    })
}

/// Whether `to` can be reached from `from` (by at least no step) without entering `without`.
fn reaches(g: &Graph<B>, from: B, to: B, without: Option<B>) -> bool {
    let mut seen = BitSet::new(g.capacity());
    let mut stack = vec![from];
    while let Some(at) = stack.pop() {
        if Some(at) == without || !seen.insert(at.index()) {
            continue;
        }
        if at == to {
            return true;
        }
        stack.extend(g.succs(at));
    }
    false
}

proptest! {
    #[test]
    fn dominators_as_petgraph_and_by_definition(g in graphs()) {
        let ours = Dominators::new(&g);
        let mut pet = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = g.blocks().iter().map(|_| pet.add_node(())).collect();
        for a in g.blocks() {
            for b in g.succs(a) {
                pet.add_edge(nodes[a.index()], nodes[b.index()], ());
            }
        }
        let theirs = simple_fast(&pet, nodes[0]);
        for b in g.blocks() {
            let expected = theirs.immediate_dominator(nodes[b.index()]).map(|n| B(n.index() as u32));
            prop_assert_eq!(ours.immediate(b), expected);
            for a in g.blocks() {
                let reached = reaches(&g, B(0), b, None);
                let by_definition = reached && !reaches(&g, B(0), b, Some(a)) && reaches(&g, B(0), a, None);
                prop_assert_eq!(ours.dominates(a, b), by_definition, "{} {}", a, b);
            }
        }
    }

    #[test]
    fn orders_and_exits(g in graphs()) {
        let order = order::reverse_post_order(&g);
        prop_assert_eq!(order[0], B(0));
        let reached: Vec<B> = g.blocks().into_iter().filter(|&b| reaches(&g, B(0), b, None)).collect();
        let mut sorted = order.clone();
        sorted.sort();
        prop_assert_eq!(&sorted, &reached);
        // In the reverse, everything reached is reached from the virtual exit.
        let (post, exit) = Dominators::post(&g);
        for &b in &reached {
            prop_assert!(post.is_reachable(b));
            prop_assert!(post.dominates(exit, b));
        }
    }

    #[test]
    fn post_dominators_by_definition(g in graphs()) {
        let (post, exit) = Dominators::post(&g);
        let reversed = Reversed::new(&g);
        let plain = Graph::of(&reversed);
        for b in g.blocks() {
            for a in g.blocks() {
                if post.is_reachable(a) && post.is_reachable(b) {
                    prop_assert_eq!(post.dominates(a, b), !reaches(&plain, exit, b, Some(a)));
                }
            }
        }
    }

    #[test]
    fn frontiers_by_definition(g in graphs()) {
        let dominators = Dominators::new(&g);
        let frontier = DominanceFrontier::new(&g, &dominators);
        for a in g.blocks() {
            for b in g.blocks() {
                let expected = dominators.is_reachable(b)
                    && !dominators.strictly_dominates(a, b)
                    && g.preds(b).iter().any(|&p| dominators.dominates(a, p));
                prop_assert_eq!(frontier.of(a).contains(&b), expected, "{} {}", a, b);
            }
        }
    }

    #[test]
    fn loops_by_definition(g in graphs()) {
        let dominators = Dominators::new(&g);
        let loops = Loops::new(&g, &dominators);
        for id in loops.ids() {
            let header = loops.header(id);
            let sources: Vec<B> = g.preds(header).into_iter().filter(|&p| dominators.dominates(header, p)).collect();
            for b in g.blocks().into_iter().filter(|&b| dominators.is_reachable(b)) {
                let inside = b == header || sources.iter().any(|&s| reaches(&g, b, s, Some(header)));
                prop_assert_eq!(loops.blocks(id).contains(&b), inside, "{} in loop of {}", b, header);
            }
        }
        if is_reducible(&g, &dominators) {
            for b in g.blocks() {
                for id in loops.ids() {
                    prop_assert_eq!(loops.contains(id, b), loops.blocks(id).contains(&b));
                }
                let depth = loops.ids().filter(|&id| loops.blocks(id).contains(&b)).count();
                prop_assert_eq!(loops.depth(b) as usize, depth);
            }
        }
    }

    #[test]
    fn reducible_means_acyclic_without_back_edges(g in graphs()) {
        let dominators = Dominators::new(&g);
        let reached: Vec<B> = g.blocks().into_iter().filter(|&b| dominators.is_reachable(b)).collect();
        let forward = reached.iter().flat_map(|&a| {
            let dominators = &dominators;
            g.succs(a).into_iter().filter(move |&b| !dominators.dominates(b, a)).map(move |b| (a, b))
        });
        let rest = Graph::new(B(0), g.capacity(), forward.collect::<Vec<_>>());
        let acyclic = reached.iter().all(|&a| rest.succs(a).iter().all(|&b| !reaches(&rest, b, a, None)));
        prop_assert_eq!(is_reducible(&g, &dominators), acyclic);
    }

    #[test]
    fn critical_edges_by_definition(g in graphs()) {
        let found = critical_edges(&g);
        for a in g.blocks() {
            for (i, b) in g.succs(a).into_iter().enumerate() {
                let expected = g.succs(a).len() > 1 && g.preds(b).len() > 1;
                prop_assert_eq!(found.contains(&(a, i)), expected);
            }
        }
    }

    /// Block `i` is added if bit `i` says so: what is held lies on a way from behind an added block to its post-dominator.
    #[test]
    fn influence_by_ways(g in graphs(), added in 0u32..4096) {
        let (post, exit) = Dominators::post(&g);
        let mut influence = Influence::new(&post, exit);
        let mut expected = BitSet::new(g.capacity());
        for b in g.blocks().into_iter().filter(|b| added >> b.0 & 1 == 1 && reaches(&g, B(0), *b, None)) {
            let mut new = Vec::new();
            influence.add(&g, b, |at| new.push(at));
            let meeting = post.immediate(b);
            for at in g.blocks() {
                let way = g.succs(b).iter().any(|&s| Some(s) != meeting && reaches(&g, s, at, meeting));
                let fresh = way && Some(at) != meeting && expected.insert(at.index());
                prop_assert_eq!(new.contains(&at), fresh, "{} from {}", at, b);
            }
        }
        for b in g.blocks() {
            prop_assert_eq!(influence.holds(b), expected.contains(b.index()));
        }
    }

    #[test]
    fn liveness_by_paths(g in graphs(), reads in prop::collection::vec(0u8..4, 12), writes in prop::collection::vec(0u8..4, 12)) {
        // Block `i` reads the facts of reads[i] (two bits), then writes those of writes[i].
        let bits = |mask: u8| (0..2).filter(move |i| mask >> i & 1 == 1).map(|i| i as usize).collect::<BitSet>();
        let solution = dataflow::backward(&g, |b| Transfer { generate: bits(reads[b.index()]), kill: bits(writes[b.index()]) });
        for b in g.blocks().into_iter().filter(|&b| reaches(&g, B(0), b, None)) {
            for fact in 0..2usize {
                let mut seen = BitSet::new(g.capacity());
                let mut stack = vec![b];
                let mut live = false;
                while let Some(at) = stack.pop() {
                    if !seen.insert(at.index()) { continue; }
                    if reads[at.index()] >> fact & 1 == 1 { live = true; break; }
                    if writes[at.index()] >> fact & 1 == 0 { stack.extend(g.succs(at)); }
                }
                prop_assert_eq!(solution.start[b].contains(fact), live);
            }
        }
    }

    #[test]
    fn reaching_facts_by_paths(g in graphs(), made in prop::collection::vec(0u8..3, 12)) {
        // made: 0 passes, 1 generates, 2 kills.
        let one: BitSet = [0usize].into_iter().collect();
        let solution = dataflow::forward(&g, |b| match made[b.index()] {
            1 => Transfer { generate: one.clone(), ..Transfer::default() },
            2 => Transfer { kill: one.clone(), ..Transfer::default() },
            _ => Transfer::default(),
        }, BitSet::default());
        for b in g.blocks().into_iter().filter(|&b| reaches(&g, B(0), b, None)) {
            let mut seen = BitSet::new(g.capacity());
            let mut stack: Vec<B> = g.preds(b);
            let mut holds = false;
            while let Some(at) = stack.pop() {
                if !reaches(&g, B(0), at, None) || !seen.insert(at.index()) { continue; }
                match made[at.index()] { 1 => { holds = true; break; } 2 => {} _ => stack.extend(g.preds(at)) }
            }
            prop_assert_eq!(solution.start[b].contains(0), holds);
        }
    }
}
