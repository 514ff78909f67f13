//! The control tree: random trees and random edits, each checked (`docs/control-tree.md`).

#[path = "tree/graphs.rs"]
mod graphs;
#[path = "tree/random.rs"]
mod random;
#[path = "tree/rules.rs"]
mod rules;

use random::Rng;
use sassafras_ir::text::print_function;
use sassafras_ir::tree::{Cursor, Extra, Jump, List, Refused, Remap, Tree};

/// How many trees; each gets 50 edits. All of them is `cargo xtask long trees`.
fn trees() -> u64 {
    if std::env::var_os("SASSAFRAS_ALL_TREES").is_some() { 10_000 } else { 1_000 }
}

#[test]
fn every_edit_keeps_the_invariants_or_is_refused_and_changes_nothing() {
    let (mut done, mut refused) = (0, 0);
    for seed in 0..trees() {
        let mut rng = Rng(seed);
        let mut tree = random::tree(&mut rng);
        rules::check(&tree).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{tree}"));
        for step in 0..50 {
            let before: Tree = tree.clone();
            match random::edit(&mut tree, &mut rng) {
                Ok(what) => {
                    done += 1;
                    rules::check(&tree).unwrap_or_else(|why| {
                        panic!("seed {seed}, step {step}, {what}: {why}\nbefore {before}after {tree}")
                    });
                }
                Err((what, why)) => {
                    refused += 1;
                    assert!(
                        tree == before,
                        "seed {seed}, step {step}: {what} was refused ({why}) and changed the tree"
                    );
                }
            }
        }
    }
    // A sample in which nothing is refused, or most is, would show little.
    assert!(done > 10 * trees() && refused > 2 * trees(), "{done} edits done, {refused} refused");
}

#[test]
fn structured_trees_run_as_their_graphs() {
    let (mut plain, mut selected, mut irreducible) = (0, 0, 0);
    for seed in 0..trees() {
        let mut rng = Rng(seed ^ 0x5eed);
        let f = graphs::function(&mut rng, if seed % 4 == 0 { 30 } else { 10 });
        let tree = match Tree::structure(&f, Extra::Selector) {
            Ok(tree) => tree,
            Err(Refused::Irreducible(_)) => {
                assert!(!graphs::reducible(&f), "seed {seed}\n{}", print_function(&f));
                irreducible += 1;
                continue;
            }
            Err(other) => panic!("seed {seed}: {other}\n{}", print_function(&f)),
        };
        rules::check(&tree)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}\n{tree}", print_function(&f)));
        match Tree::structure(&f, Extra::None) {
            Ok(_) => plain += 1,
            Err(Refused::NeedsSelector(_)) => selected += 1,
            Err(other) => panic!("seed {seed}: {other}"),
        }
        let shown = tree.to_string();
        let back = tree.into_function().expect("nothing is loose");
        for input in 0..8 {
            let value = rng.bits() as u32 ^ input;
            assert!(
                graphs::trace(&f, value) == graphs::trace(&back, value),
                "seed {seed}, input {value}\n{}\n{shown}\n{}",
                print_function(&f),
                print_function(&back)
            );
        }
    }
    assert!(
        plain * 10 > trees() && selected * 20 > trees() && irreducible * 20 > trees(),
        "{plain} need no selector, {selected} do, {irreducible} are irreducible"
    );
    println!("{plain} need no selector, {selected} do, {irreducible} are irreducible");
}

/// Extracting and putting back changes nothing that can be asked, block names of the ends included.
#[test]
fn what_is_put_back_where_it_was_is_as_before() {
    let mut put_back = 0;
    for seed in 0..trees() {
        let mut rng = Rng(seed ^ 0xbac);
        let mut tree = random::tree(&mut rng);
        for _ in 0..20 {
            let (begin, end) = (random::cursor(&tree, &mut rng), random::cursor(&tree, &mut rng));
            let shape = |tree: &Tree| {
                let mut f = tree.function().clone();
                f.compact();
                print_function(&f)
            };
            let before = (shape(&tree), outline(&tree));
            let Ok(cut) = tree.extract(begin, end) else { continue };
            tree.reinsert(cut.list, cut.hole).unwrap_or_else(|(why, _)| panic!("seed {seed}: {why}"));
            assert_eq!((shape(&tree), outline(&tree)), before, "seed {seed}");
            put_back += 1;
        }
    }
    assert!(put_back > 2 * trees(), "{put_back}");
}

/// The tree without names.
fn outline(tree: &Tree) -> String {
    let text = tree.to_string();
    let lines = text.lines().map(|line| match line.trim_start().starts_with("bb") {
        true => line.split("bb").next().unwrap_or_default().to_owned() + "block",
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A list and its copy behind it run as the list twice: a counter in memory of the thread tells.
#[test]
fn a_copy_runs_as_twice_the_code() {
    let mut copied = 0;
    for seed in 0..trees() {
        let mut rng = Rng(seed ^ 0xc10e);
        let f = graphs::function(&mut rng, 10);
        let Ok(mut tree) = Tree::structure(&f, Extra::Selector) else { continue };
        // All of the body, when it neither ends the thread within nor runs for ever.
        let (once, ended) = graphs::trace(&f, 7);
        let body = List::body(tree.root());
        let jumps = |tree: &Tree| {
            let blocks = tree.subtree(tree.root()).into_iter().filter_map(|node| tree.block_of(node));
            blocks.filter(|&b| matches!(tree.jump(b), Some(Jump::Return))).collect::<Vec<_>>()
        };
        // Threads end at one place, the end of the body, or the list is none that runs twice.
        let ends = jumps(&tree);
        if !ended || once.len() > 100 || ends != tree.end_of(body).into_iter().collect::<Vec<_>>() {
            continue;
        }
        tree.remove_jump(ends[0]).expect("it has one");
        let cut = tree.extract_list(body).expect("the body is a list");
        let copy = tree.clone_list(&cut.list, &Remap::new()).expect("it is a list of this tree");
        tree.reinsert(cut.list, Cursor::Start(body)).expect("it fits where it was");
        tree.reinsert(copy, Cursor::End(body)).expect("it fits behind itself");
        rules::check(&tree).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{tree}"));
        let twice = tree.into_function().expect("nothing is loose");
        let expected: Vec<_> = once.iter().chain(&once).copied().collect();
        assert_eq!(graphs::trace(&twice, 7), (expected, true), "seed {seed}");
        copied += 1;
    }
    assert!(copied * 20 > trees(), "{copied} lists copied");
}
