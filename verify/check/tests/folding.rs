//! The judge of branch folding takes what folding may do, and objects to every fault that is planted in it.
//!
//! A function is written as blocks between `|`: `b1: m1 m2 ?P0 b2 b3` moves numbers to registers and branches on P0, `b1: m1 b2` goes on to b2.
//! `!` turns the guard around, `u` in front of either marks the branch uniform.

mod fold;

use fold::random::{draw, fold as fold_tails, graph, run, spoil, tails};
use fold::{faults::FAULTS, function, merges};
use sassafras_check::folding::{self, Choices, folded, folded_with};

/// Rules that object.
fn rules(before: &str, after: &str, done: &str) -> Vec<&'static str> {
    let found = folded(&function(before), &function(after), &merges(done));
    found.into_iter().map(|finding| finding.rule).collect()
}

fn taken(before: &str, after: &str, done: &str) {
    let found = folded(&function(before), &function(after), &merges(done));
    assert!(found.is_empty(), "{before}\n{after}\n{found:?}");
}

const DIAMOND: &str = "b0: p ?P0 b1 b2 | b1: m9 m1 m2 b3 | b2: m8 m1 m2 b3 | b3: m3 exit";

#[test]
fn what_folding_may_do_is_taken() {
    for (before, after, done) in [
        (DIAMOND, DIAMOND, ""),
        // A tail goes to a new block, or to the member that it is all of.
        (DIAMOND, "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m1 m2 b3 | b3: m3 exit", "b4<b1,b2:2"),
        (
            "b0: p ?P0 b1 b2 | b1: m9 m1 m2 b3 | b2: m1 m2 b3 | b3: m3 exit",
            "b0: p ?P0 b1 b2 | b1: m9 b2 | b2: m1 m2 b3 | b3: m3 exit",
            "b2<b1,b2:2",
        ),
        // Both sides are equal: the branch is gone.
        (
            "b0: p ?P0 b1 b2 | b1: m1 b3 | b2: m1 b3 | b3: exit",
            "b0: p b1 | b1: m1 b3 | b3: exit",
            "b1<b1,b2:1",
        ),
        // Empty blocks, blocks that are joined, a branch that is turned around.
        (
            "b0: p ?P0 b1 b2 | b1: b3 | b2: m8 b3 | b3: m3 exit",
            "b0: p !P0 b2 b3 | b2: m8 b3 | b3: m3 exit",
            "",
        ),
        ("b0: m1 b1 | b1: m2 exit", "b0: m1 m2 exit", ""),
        // Hoisted, and merged behind that.
        (
            "b0: p ?P0 b1 b2 | b1: m1 m2 b3 | b2: m1 m4 b3 | b3: m3 exit",
            "b0: p m1 ?P0 b1 b2 | b1: m2 b3 | b2: m4 b3 | b3: m3 exit",
            "b0<b1,b2:1^",
        ),
        // Hoisted over two branches, from three sides that come together again.
        (
            "b0: b1 | b1: m9 ?P0 b3 b2 | b2: m5 b1 | b3: ?P1 b4 b5 | b4: m5 b6 | b5: m5 b1 | b6: m3 exit",
            "b0: b1 | b1: m9 m5 ?P0 b3 b1 | b3: ?P1 b6 b1 | b6: m3 exit",
            "b3<b4,b5:1^ b1<b3,b2:1^",
        ),
        // All of a loop is what stands in front of it too.
        (
            "b0: p ?P0 b1 b2 | b1: m9 p m1 ?P1 b2 b3 | b2: p m1 ?P1 b2 b3 | b3: exit",
            "b0: p ?P0 b1 b2 | b1: m9 b2 | b2: p m1 ?P1 b2 b3 | b3: exit",
            "b2<b1,b2:2",
        ),
        // A tail is copied.
        (
            "b0: p u?P0 b1 b2 | b1: m9 b3 | b2: m8 b3 | b3: vote m3 exit",
            "b0: p u?P0 b1 b2 | b1: m9 vote m3 exit | b2: m8 b3 | b3: vote m3 exit",
            "",
        ),
        // A vote under a branch at which all lanes go the same way.
        (
            "b0: p u?P0 b1 b2 | b1: m9 vote m2 b3 | b2: m8 vote m2 b3 | b3: m3 exit",
            "b0: p u?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: vote m2 b3 | b3: m3 exit",
            "b4<b1,b2:2",
        ),
        // BSYNCs of one BSSY.
        (
            "b0: p bssy:b3 ?P0 b1 b2 | b1: m9 b3 | b2: m8 b4 | b3: bsync b5 | b4: bsync b5 | b5: m3 exit",
            "b0: p bssy:b3 ?P0 b1 b2 | b1: m9 b3 | b2: m8 b3 | b3: bsync b5 | b5: m3 exit",
            "b3<b3,b4:1",
        ),
        // Inside of one loop; and the only way into one.
        (
            "b0: b1 | b1: p ?P0 b2 b3 | b2: m9 m1 b1 | b3: p m1 ?P1 b1 b4 | b4: exit",
            "b0: b1 | b1: p ?P0 b2 b3 | b2: m9 m1 b1 | b3: p m1 ?P1 b1 b4 | b4: exit",
            "",
        ),
        (
            "b0: m9 m1 b1 | b1: m2 p ?P0 b2 b3 | b2: m8 m1 b1 | b3: exit",
            "b0: m9 b4 | b1: m2 p ?P0 b2 b3 | b2: m8 b4 | b4: m1 b1 | b3: exit",
            "b4<b0,b2:1",
        ),
        // A loop that waits, without an instruction but its branch.
        ("b0: p b1 | b1: ?P0 b2 b3 | b2: b1 | b3: m3 exit", "b0: p b1 | b1: ?P0 b1 b3 | b3: m3 exit", ""),
        ("b0: p b2 | b2: b1 | b1: ?P0 b2 b3 | b3: m3 exit", "b0: p b1 | b1: ?P0 b1 b3 | b3: m3 exit", ""),
        ("b0: p b1 | b1: ?P0 b2 b3 | b2: b1 | b3: b1", "b0: p b1 | b1: b1", ""),
        // Three at once.
        (
            "b0: p ?P0 b1 b2 | b1: m7 m1 exit | b2: ?P1 b3 b4 | b3: m8 m1 exit | b4: m9 m1 exit",
            "b0: p ?P0 b1 b2 | b1: m7 b5 | b2: ?P1 b3 b4 | b3: m8 b5 | b4: m9 b5 | b5: m1 exit",
            "b5<b1,b3,b4:2",
        ),
    ] {
        taken(before, after, done);
    }
}

#[test]
fn each_planted_fault_is_caught_by_its_rule() {
    let mut by_rule = std::collections::BTreeMap::<&str, usize>::new();
    for (name, rule, before, after, done) in FAULTS {
        let found = rules(before, after, done);
        assert!(found.contains(rule), "{name}: {found:?}");
        sassafras_oracle::fault::planted("folding", &"-", name, 1, 1);
        *by_rule.entry(rule).or_default() += 1;
    }
    for (rule, count) in &by_rule {
        assert!(*count >= 6, "{rule} has {count} faults");
    }
    assert_eq!(by_rule.len(), 7);
}

#[test]
fn reserved_registers_may_be_asked_for() {
    let (_, _, before, after, done) =
        FAULTS.iter().find(|f| f.1 == "folding-reserved").expect("there is one");
    let choices = Choices { reserved: true, ..Choices::default() };
    let found = folded_with(&function(before), &function(after), &merges(done), choices);
    assert!(found.is_empty(), "{found:?}");
}

/// Requirements, section 2.1: `if (c) { A; t } while (p) { B; t }`. Four blocks and an end, and merging the two tails gives the loop a second entry.
#[test]
fn the_counterexample_of_four_blocks() {
    let before = "b0: p ?P0 b1 b2 | b1: m9 m1 m2 m3 b2 | b2: p ?P0 b3 b4 | b3: m8 m1 m2 m3 b2 | b4: exit";
    let after = "b0: p ?P0 b1 b2 | b1: m9 b5 | b2: p ?P0 b3 b4 | b3: m8 b5 | b5: m1 m2 m3 b2 | b4: exit";
    let found = rules(before, after, "b5<b1,b3:3");
    assert!(found.contains(&"folding-exact") && found.contains(&"folding-reducible"), "{found:?}");
    assert!(!found.contains(&"folding-path"), "{found:?}");
    // It may be asked for, and then nothing else is wrong with it.
    let choices = Choices { unstructured: true, ..Choices::default() };
    let found = folded_with(&function(before), &function(after), &merges("b5<b1,b3:3"), choices);
    assert!(found.is_empty(), "{found:?}");
}

/// T1 takes an edge from a node to itself away, T2 a node with one predecessor into that: what is reducible becomes one node.
fn t1_t2(entry: usize, succs: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; succs.len()];
    let mut work = vec![entry];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            work.extend(&succs[at]);
        }
    }
    let mut edges: Vec<std::collections::BTreeSet<usize>> = succs
        .iter()
        .enumerate()
        .map(|(at, s)| if seen[at] { s.iter().copied().collect() } else { Default::default() })
        .collect();
    let mut left: Vec<usize> = (0..succs.len()).filter(|&at| seen[at]).collect();
    loop {
        left.iter().for_each(|&at| {
            edges[at].remove(&at);
        });
        let single = left.iter().copied().filter(|&at| at != entry).find_map(|at| {
            let mut preds = left.iter().copied().filter(|&pred| edges[pred].contains(&at));
            let first = preds.next()?;
            preds.next().is_none().then_some((first, at))
        });
        let Some((pred, at)) = single else { return left.len() == 1 };
        let to = std::mem::take(&mut edges[at]);
        edges[pred].remove(&at);
        edges[pred].extend(to);
        left.retain(|&other| other != at);
    }
}

/// Every merge of two nodes of a graph, of their ends and of all of either: EXACT says what T1 and T2 say. Returns how many merges of ends there were, and how
/// many of them irreducible.
fn agree(succs: &[Vec<usize>]) -> (usize, usize) {
    let (mut all, mut bad) = (0, 0);
    for a in 0..succs.len() {
        for b in (a + 1..succs.len()).filter(|&b| succs[a] == succs[b]) {
            for whole in [&[][..], &[a], &[b], &[a, b]] {
                // Nothing leads to the entry, which stays.
                if whole.contains(&0) {
                    continue;
                }
                let Some(exact) = folding::exact(0, succs, &[a, b], whole) else { continue };
                let mut merged = succs.to_vec();
                merged.push(succs[a].clone());
                merged[a] = vec![succs.len()];
                merged[b] = vec![succs.len()];
                for to in merged.iter_mut().flatten().filter(|to| whole.contains(to)) {
                    *to = succs.len();
                }
                assert_eq!(exact, t1_t2(0, &merged), "{succs:?}: {a} and {b}, all of {whole:?}");
                if whole.is_empty() {
                    (all, bad) = (all + 1, bad + usize::from(!exact));
                }
            }
        }
    }
    (all, bad)
}

#[test]
fn exact_says_what_t1_and_t2_say_on_all_graphs_of_four_blocks() {
    let (mut all, mut bad) = (0, 0);
    for blocks in 2..=4usize {
        // Nothing leads to the entry.
        let sets: Vec<Vec<usize>> = (0..1usize << (blocks - 1))
            .map(|bits| (1..blocks).filter(|at| bits >> (at - 1) & 1 == 1).collect::<Vec<_>>())
            .filter(|set| set.len() <= 2)
            .collect();
        for mut code in 0..sets.len().pow(blocks as u32) {
            let mut pick = || {
                let set = sets[code % sets.len()].clone();
                code /= sets.len();
                set
            };
            let succs: Vec<Vec<usize>> = (0..blocks).map(|_| pick()).collect();
            let (some, wrong) = agree(&succs);
            (all, bad) = (all + some, bad + wrong);
        }
    }
    assert_eq!((all, bad), (906, 116), "merges, and those that make it irreducible");
}

#[test]
fn exact_says_what_t1_and_t2_say_on_random_graphs() {
    let (mut all, mut bad) = (0, 0);
    let mut random = fold::Random(7);
    for _ in 0..20_000 {
        let blocks = 5 + random.below(8);
        let mut succs: Vec<Vec<usize>> = Vec::new();
        for at in 0..blocks {
            // Equal successors are rare by chance.
            let set = if at > 2 && random.below(3) == 0 {
                succs[random.below(at)].clone()
            } else {
                let mut set: Vec<usize> =
                    (0..random.below(3)).map(|_| 1 + random.below(blocks - 1)).collect();
                set.sort_unstable();
                set.dedup();
                set
            };
            succs.push(set);
        }
        let (some, wrong) = agree(&succs);
        (all, bad) = (all + some, bad + wrong);
    }
    assert!(all > 5000 && bad > 100, "{all} merges, {bad} irreducible");
}

/// Tails of random functions made one by the definition: taken, unless T1 and T2 say that the graph is no longer reducible.
#[test]
fn random_merges_are_taken_or_break_reducibility() {
    let mut random = fold::Random(11);
    let (mut fine, mut bad) = (0, 0);
    for _ in 0..3000 {
        let before = draw(&mut random);
        let Some(tails) = tails(&before, &mut random) else { continue };
        let (after, merge) = fold_tails(&before, tails);
        let keeps = !t1_t2(0, &graph(&before)) || t1_t2(0, &graph(&after));
        let found: Vec<&str> = folded(&before, &after, &[merge]).iter().map(|f| f.rule).collect();
        match keeps {
            true => assert!(found.is_empty(), "{found:?}"),
            false => assert_eq!(found, ["folding-reducible", "folding-exact"]),
        }
        *(if keeps { &mut fine } else { &mut bad }) += 1;
    }
    assert_eq!((fine, bad), (957, 67), "merges, and those that make a graph irreducible");
}

/// Of functions that were spoilt at random, what the judge takes runs alike whatever values predicates have.
#[test]
fn what_is_taken_runs_alike() {
    let mut random = fold::Random(13);
    let (mut taken, mut objected, mut differ) = (0, 0, 0);
    for _ in 0..3000 {
        let before = draw(&mut random);
        let mut after = match tails(&before, &mut random) {
            Some(tails) => fold_tails(&before, tails).0,
            None => before.clone(),
        };
        spoil(&mut after, &mut random);
        let found = folded(&before, &after, &[]);
        let paths = found.iter().any(|f| f.rule == "folding-path");
        let alike = (0..64u64).all(|seed| {
            let values = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ seed;
            run(&before, values, 40) == run(&after, values, 40)
        });
        assert!(paths || alike, "taken: {before:?} {after:?}");
        *(if paths { &mut objected } else { &mut taken }) += 1;
        differ += usize::from(!alike);
    }
    // Where the judge objects and no run differs, the fault lies where no run came to, or in a marker that runs do not see.
    assert!(
        taken > 500 && differ > 500 && objected < differ * 2,
        "{taken} taken, {objected} objected, {differ} differ"
    );
}
