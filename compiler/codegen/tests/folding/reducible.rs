//! The condition on reducibility, against reduction by T1 and T2.

use crate::{folded, machine};
use sassafras_codegen::fold::Gate;
use sassafras_codegen::fold::reducible::{Member, stays_reducible};
use sassafras_graph::{Dominators, Graph, is_reducible};
use sassafras_machine::Block;
use std::collections::BTreeSet;

/// Four blocks and an exit: `if (c) { A; t }  while (p) { B; t }`. Merged, the ends of 1 and 3 would enter the loop from outside.
pub const COUNTEREXAMPLE: &str = "b0():
  @P0 bra ; target b2
  -> b2(), b1()
b1():
  mov.i d=R4 b=0x1
  iadd3.rrr d=R4 a=R4 b=R5 c=R6
  iadd3.rrr d=R7 a=R4 b=R5 c=R6
  iadd3.rrr d=R8 a=R7 b=R7 c=R6
  -> b2()
b2():
  isetp.ri d=P1 a=R8 b=0x7
  @P1 bra ; target b4
  -> b4(), b3()
b3():
  mov.i d=R4 b=0x2
  iadd3.rrr d=R4 a=R4 b=R5 c=R6
  iadd3.rrr d=R7 a=R4 b=R5 c=R6
  iadd3.rrr d=R8 a=R7 b=R7 c=R6
  -> b2()
b4():
  exit
";

#[test]
fn the_counterexample_is_left_alone() {
    let (f, stats) = folded(COUNTEREXAMPLE);
    assert_eq!((stats.merges, stats.rejected), (vec![], vec![Gate::Reducible]));
    assert_eq!(f, machine(COUNTEREXAMPLE));
}

/// Where the outer one is the only way into the loop, the tail becomes the header.
#[test]
fn the_only_way_into_a_loop_may_be_merged_with_its_back_edge() {
    let body = COUNTEREXAMPLE
        .replace("  @P0 bra ; target b2\n  -> b2(), b1()\n", "  @P0 bra ; target b4\n  -> b4(), b1()\n");
    let (f, stats) = folded(&body);
    assert_eq!(stats.merges.len(), 1);
    let graph = f.graph();
    assert!(is_reducible(&graph, &Dominators::new(&graph)));
}

type Succs = Vec<BTreeSet<usize>>;

/// T1 (take away an edge to oneself) and T2 (join with the only predecessor) until one node is left, or nothing helps.
fn reduces(succs: &Succs, nodes: &[usize]) -> bool {
    let mut left: std::collections::BTreeMap<usize, BTreeSet<usize>> =
        nodes.iter().map(|&node| (node, succs[node].clone())).collect();
    loop {
        for (node, to) in &mut left {
            to.remove(node);
        }
        let only = |node: usize| {
            let mut from = left.iter().filter(|(_, to)| to.contains(&node)).map(|(&from, _)| from);
            from.next().filter(|_| from.next().is_none())
        };
        let found = left.keys().copied().filter(|&node| node != 0).find_map(|node| Some((node, only(node)?)));
        let Some((node, pred)) = found else { return left.len() == 1 };
        let to = left.remove(&node).unwrap_or_default();
        let into = left.entry(pred).or_default();
        into.remove(&node);
        into.extend(to);
    }
}

fn reached(succs: &Succs) -> Vec<usize> {
    let (mut seen, mut work) = (BTreeSet::from([0]), vec![0]);
    while let Some(node) = work.pop() {
        work.extend(succs[node].iter().copied().filter(|&to| seen.insert(to)));
    }
    seen.into_iter().collect()
}

/// X and Y as one, under the name of X.
fn merged(succs: &Succs, x: usize, y: usize) -> Succs {
    let name = |node: &usize| if *node == y { x } else { *node };
    succs.iter().map(|to| to.iter().map(name).collect()).collect()
}

/// The graph with the end of a block as a block of its own, which is the last.
fn cut(succs: &Succs, block: usize) -> Succs {
    let mut succs = succs.clone();
    let last = succs.len();
    let to = std::mem::replace(&mut succs[block], BTreeSet::from([last]));
    succs.push(to);
    succs
}

#[derive(Default, Debug, PartialEq)]
struct Counts {
    merges: usize,
    irreducible: usize,
    mismatches: usize,
}

/// Every merge of two blocks with the same successors, whole or their ends, by the condition and in truth.
fn compare(succs: &Succs, counts: &mut Counts, ends: &mut Counts) {
    let all: Vec<usize> = (0..succs.len()).collect();
    if reached(succs).len() < succs.len() || !reduces(succs, &all) {
        return;
    }
    let block = |node: usize| Block(node as u32);
    let edges =
        succs.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| (block(from), block(to))));
    let graph = Graph::new(Block(0), succs.len(), edges.collect::<Vec<_>>());
    let dominators = Dominators::new(&graph);
    for x in 0..succs.len() {
        for y in x + 1..succs.len() {
            if succs[x] != succs[y] {
                continue;
            }
            let to: Vec<Block> = succs[x].iter().map(|&node| block(node)).collect();
            for (p, q) in [(false, false), (false, true), (true, false), (true, true)] {
                if x == 0 && !p {
                    continue;
                }
                let mut before = succs.clone();
                let mut end = |node: usize, split: bool| {
                    if split {
                        before = cut(&before, node);
                        before.len() - 1
                    } else {
                        node
                    }
                };
                let (a, b) = (end(x, p), end(y, q));
                let after = merged(&before, a, b);
                let truth = reduces(&after, &(0..after.len()).filter(|&node| node != b).collect::<Vec<_>>());
                let member = |node: usize, split: bool| Member { block: block(node), split };
                let said = stays_reducible(&dominators, &to, member(x, p), member(y, q));
                let count = if p || q { &mut *ends } else { &mut *counts };
                count.merges += 1;
                count.irreducible += usize::from(!truth);
                count.mismatches += usize::from(said != truth);
            }
        }
    }
}

/// Every graph of so many blocks, two ways out of each at most, none into the entry.
fn every(blocks: usize) -> (Counts, Counts) {
    let nodes = 1..blocks;
    let mut sets = vec![BTreeSet::new()];
    sets.extend(nodes.clone().map(|a| BTreeSet::from([a])));
    sets.extend(nodes.clone().flat_map(|a| (a + 1..blocks).map(move |b| BTreeSet::from([a, b]))));
    let (mut counts, mut ends) = (Counts::default(), Counts::default());
    for number in 0..sets.len().pow(blocks as u32) {
        let mut rest = number;
        let mut next = || {
            let set = sets[rest % sets.len()].clone();
            rest /= sets.len();
            set
        };
        let succs: Succs = (0..blocks).map(|_| next()).collect();
        compare(&succs, &mut counts, &mut ends);
    }
    (counts, ends)
}

/// The numbers of merges and of those that would make a graph irreducible are those of the experiment from which the condition comes.
#[test]
fn every_graph_of_four_blocks() {
    let (counts, ends) = every(4);
    assert_eq!(counts.mismatches + ends.mismatches, 0, "{counts:?}, {ends:?}");
    assert!(counts.irreducible > 0 && ends.irreducible > 0, "{counts:?}, {ends:?}");
}

#[test]
#[ignore = "takes minutes: `cargo xtask long folding`"]
fn every_graph_of_five_blocks() {
    let (counts, ends) = every(5);
    println!("whole blocks: {counts:?}; ends of blocks: {ends:?}");
    assert_eq!(counts, Counts { merges: 13266, irreducible: 888, mismatches: 0 });
    assert_eq!(ends.mismatches, 0, "{ends:?}");
}

/// A xorshift generator: the same graphs on every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

/// A graph of up to 12 blocks without those that are not reached, in which some blocks go on alike.
fn random(draw: &mut Draw) -> Succs {
    let blocks = 6 + draw.below(7);
    let mut succs: Succs = (0..blocks)
        .map(|_| {
            let count = [0, 1, 1, 1, 2, 2][draw.below(6)];
            (0..count).map(|_| 1 + draw.below(blocks - 1)).collect()
        })
        .collect();
    for _ in 0..1 + draw.below(3) {
        let (a, b) = (draw.below(blocks), draw.below(blocks));
        succs[b] = succs[a].clone();
    }
    let reached = reached(&succs);
    let name = |node: &usize| reached.iter().position(|other| other == node).unwrap_or(0);
    reached.iter().map(|&node| succs[node].iter().map(name).collect()).collect()
}

fn draw(graphs: usize, seed: u64) -> (Counts, Counts) {
    let mut draw = Draw(seed);
    let (mut counts, mut ends) = (Counts::default(), Counts::default());
    for _ in 0..graphs {
        compare(&random(&mut draw), &mut counts, &mut ends);
    }
    (counts, ends)
}

#[test]
fn random_graphs() {
    let (counts, ends) = draw(2_000, 0x5eed);
    assert_eq!(counts.mismatches + ends.mismatches, 0, "{counts:?}, {ends:?}");
    assert!(counts.irreducible > 0 && ends.irreducible > 0, "{counts:?}, {ends:?}");
}

#[test]
#[ignore = "takes minutes: `cargo xtask long folding`"]
fn a_hundred_thousand_random_graphs() {
    let (counts, ends) = draw(100_000, 0x1005);
    println!("whole blocks: {counts:?}; ends of blocks: {ends:?}");
    assert_eq!(counts.mismatches + ends.mismatches, 0);
}
