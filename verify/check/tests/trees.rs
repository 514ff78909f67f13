//! The judge of control trees: silent about random trees after every random edit, and each rule seen to be broken.

#[path = "../../../compiler/ir/tests/tree/random.rs"]
mod random;

use random::Rng;
use sassafras_check::Verdict;
use sassafras_check::rules::GROUPS;
use sassafras_check::tree::plant::{FAULTS, nodes};
use sassafras_check::tree::{Known, View, check, check_known, check_view};
use sassafras_ir::tree::{Jump, List, NodeKind};
use sassafras_ir::{Block, Edge, Terminator};

/// How many trees, with 50 edits each. All of them: `cargo xtask long trees`.
fn trees() -> u64 {
    if std::env::var_os("SASSAFRAS_ALL_TREES").is_some() { 10_000 } else { 400 }
}

#[test]
fn every_edit_leaves_a_tree_that_passes() {
    let mut done = 0;
    for seed in 0..trees() {
        let mut rng = Rng(seed);
        let mut tree = random::tree(&mut rng);
        assert_eq!(check(&tree), Verdict::Passed, "seed {seed}\n{tree}");
        for step in 0..50 {
            if let Ok(what) = random::edit(&mut tree, &mut rng) {
                done += 1;
                assert_eq!(check(&tree), Verdict::Passed, "seed {seed}, step {step}, {what}\n{tree}");
            }
        }
    }
    assert!(done > 10 * trees(), "only {done} edits were done");
}

/// T13: analyses that are asked for after an edit are those of the tree as it stands; those from before the edit, and
/// damaged ones, are refused.
#[test]
fn analyses_are_of_the_tree_as_it_stands() {
    const DAMAGES: [(&str, fn(&mut Known) -> bool); 5] = [
        ("a block has no dominator", |known| known.immediate.pop_last().is_some()),
        ("the entry dominates a block at once", |known| {
            let Some(entry) = known.immediate.values().next().copied() else { return false };
            let deep = known.immediate.values_mut().find(|above| **above != entry);
            deep.is_some_and(|above| std::mem::replace(above, entry) != entry)
        }),
        ("a loop is forgotten", |known| known.loops.pop_first().is_some()),
        ("a loop has lost a block", |known| {
            known.loops.values_mut().any(|blocks| blocks.len() > 1 && blocks.pop_last().is_some())
        }),
        ("a loop has one more block", |known| {
            let others: Vec<Block> = known.immediate.keys().copied().collect();
            known.loops.values_mut().any(|blocks| others.iter().any(|&other| blocks.insert(other)))
        }),
    ];
    let (mut fresh, mut old) = (0, 0);
    let mut damaged = [0; DAMAGES.len()];
    for seed in 0..trees() {
        let mut rng = Rng(seed ^ 0x7133);
        let mut tree = random::tree(&mut rng);
        let mut before = Known::of(tree.function());
        for step in 0..50 {
            let Ok(what) = random::edit(&mut tree, &mut rng) else { continue };
            let view = View::of(&tree);
            let now = Known::of(tree.function());
            let says = || format!("seed {seed}, step {step}, {what}\n{tree}");
            assert_eq!(check_known(&view, &now), Verdict::Passed, "{}", says());
            fresh += 1;
            if before != now {
                assert_ne!(check_known(&view, &before), Verdict::Passed, "{}", says());
                old += 1;
            }
            for ((name, damage), count) in DAMAGES.iter().zip(&mut damaged) {
                let mut wrong = now.clone();
                if damage(&mut wrong) {
                    assert_ne!(check_known(&view, &wrong), Verdict::Passed, "{name}: {}", says());
                    *count += 1;
                }
            }
            before = now;
        }
    }
    eprintln!("{fresh} analyses passed, {old} from before an edit and {damaged:?} damaged ones were refused");
    assert!(old > trees() && damaged.iter().all(|&count| count > trees() / 4), "{old}, {damaged:?}");
}

#[test]
fn each_fault_is_caught_wherever_it_is_planted() {
    let mut planted = vec![0; FAULTS.len()];
    for seed in 0..300 {
        let mut rng = Rng(seed);
        let mut tree = random::tree(&mut rng);
        for _ in 0..10 {
            let _ = random::edit(&mut tree, &mut rng);
        }
        let view = View::of(&tree);
        for (at, (rule, what, plant)) in FAULTS.iter().enumerate() {
            let mut wrong = view.clone();
            if !plant(&mut wrong) {
                continue;
            }
            planted[at] += 1;
            let verdict = check_view(&wrong);
            assert!(!verdict.objections().is_empty(), "seed {seed}: {what} is not seen\n{tree}");
            let named = verdict.objections().iter().any(|finding| finding.rule == rule.id());
            assert!(named, "seed {seed}: {what}: {:?}", verdict.objections());
        }
    }
    for ((_, what, _), count) in FAULTS.iter().zip(&planted) {
        eprintln!("{count:5} {what}");
        sassafras_oracle::fault::planted("control tree", &"-", what, *count, *count);
    }
    assert!(planted.iter().all(|&count| count > 0), "a fault found no place: {planted:?}");
}

/// A graph of two-entry cycles and of critical edges that a tree claims to be structured: made by hand, as no edit makes one.
#[test]
fn what_only_the_graph_shows_is_caught() {
    use sassafras_ir::tree::Tree;
    let mut tree = Tree::new("by hand");
    let start = sassafras_ir::tree::Cursor::Start(List::body(tree.root()));
    let inst = tree
        .insert_inst(start, sassafras_ir::Op::Const(1), &[], &[sassafras_ir::Type::I1], 0)
        .expect("a place");
    let condition = tree.function().insts[inst].results[0];
    let end = sassafras_ir::tree::Cursor::End(List::body(tree.root()));
    let outer = tree.insert_if(end, condition).expect("a place");
    let loops = tree.insert_loop(sassafras_ir::tree::Cursor::Start(List::then(outer))).expect("a place");
    assert_eq!(check(&tree), Verdict::Passed);
    let view = View::of(&tree);
    // The loop turns into a block that leads to itself.
    let mut wrong = view.clone();
    let header = nodes(&mut wrong, List::body(loops))[0];
    let NodeKind::Block(header) = wrong.nodes[&header].kind else { panic!("a list begins with a block") };
    let list = wrong.nodes[&loops].list.expect("it stands in a list");
    let around = nodes(&mut wrong, list);
    around.truncate(1);
    let first = around[0];
    let last = view.nodes[&outer].lists[0].1[2];
    let NodeKind::Block(gone) = view.nodes[&last].kind else { panic!("a list ends with a block") };
    let NodeKind::Block(first_block) = view.nodes[&first].kind else { panic!("a list begins with a block") };
    for node in [loops, last, view.nodes[&loops].lists[0].1[0]] {
        wrong.nodes.remove(&node);
    }
    for block in [header, gone] {
        wrong.node_of.remove(&block);
        wrong.function.clear_block(block);
    }
    wrong.function.blocks[first_block].terminator = Terminator::Jump(Edge::new(first_block, &[]));
    wrong.structured = false;
    for &block in view.node_of.keys() {
        if wrong.node_of.contains_key(&block) {
            let jump = match wrong.function.blocks[block].terminator.clone() {
                Terminator::Jump(edge) => Jump::Goto(edge.block),
                Terminator::Branch { condition, then, otherwise } => {
                    Jump::GotoIf(condition, then.block, otherwise.block)
                }
                _ => Jump::Return,
            };
            wrong.jumps.insert(block, jump);
        }
    }
    // As an unstructured tree it would do, but for the if that is left.
    assert!(
        check_view(&wrong).objections().iter().all(|f| f.rule == "tree-goto"),
        "{:?}",
        check_view(&wrong)
    );
    // The judge of graphs alone: as a structured one it breaks T8 or T9.
    let broken = sassafras_check::tree::check_graph(&View { structured: true, ..wrong });
    assert!(broken.objections().iter().any(|f| f.rule == "tree-reducible"), "{broken:?}");
    let mut critical = view;
    let Some(NodeKind::If { .. }) = critical.nodes.get(&outer).map(|data| data.kind) else { panic!("an if") };
    let entry = critical.function.entry;
    if let Terminator::Branch { then, otherwise, .. } = &mut critical.function.blocks[entry].terminator {
        otherwise.block = then.block;
    }
    let broken = sassafras_check::tree::check_graph(&critical);
    assert!(broken.objections().iter().any(|f| f.rule == "tree-critical"), "{broken:?}");
}

#[test]
fn every_rule_has_a_fault() {
    let group = GROUPS.iter().find(|(title, _)| *title == "The control tree").expect("the group is there").1;
    for (id, _) in group {
        // Three stand in tests of their own.
        let planted = FAULTS.iter().any(|(rule, ..)| rule.id() == *id);
        let planted = planted || ["tree-reducible", "tree-critical", "tree-known"].contains(id);
        assert!(planted, "{id} has no fault");
    }
}
