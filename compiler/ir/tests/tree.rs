//! The control tree: random trees and random edits, each checked (`docs/control-tree.md`).

#[path = "tree/random.rs"]
mod random;
#[path = "tree/rules.rs"]
mod rules;

use random::Rng;
use sassafras_ir::tree::Tree;

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
