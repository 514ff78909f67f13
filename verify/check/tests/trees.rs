//! The judge of control trees: silent about random trees after every random edit, and each rule seen to be broken.

#[path = "../../../compiler/ir/tests/tree/random.rs"]
mod random;

use random::Rng;
use sassafras_check::Verdict;
use sassafras_check::rules::{GROUPS, Rule};
use sassafras_check::tree::{Known, View, check, check_known, check_view};
use sassafras_ir::tree::{Jump, List, Node, NodeKind, Part};
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

/// A fault: the rule that it breaks, what is done, and how; false where it finds no place.
type Fault = (Rule, &'static str, fn(&mut View) -> bool);

const FAULTS: &[Fault] = &[
    (Rule::TreeList, "the last block of a list is lost", |view| {
        let Some(node) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        // The node of the lost block goes too, so that only the shape of the list is wrong.
        let list = List { owner: node, part: Part::Else };
        let Some(lost) = nodes(view, list).pop() else { return false };
        let NodeKind::Block(block) = view.nodes[&lost].kind else { return false };
        view.nodes.remove(&lost);
        view.node_of.remove(&block);
        view.jumps.remove(&block);
        true
    }),
    (Rule::TreeNode, "a node stands in two lists", |view| {
        let Some(owner) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        let moved = nodes(view, List { owner, part: Part::Then }).clone();
        nodes(view, List { owner, part: Part::Else }).extend(moved);
        true
    }),
    (Rule::TreeNode, "a node names another list", |view| {
        let Some(owner) = node(view, |kind| matches!(kind, NodeKind::Loop { .. })) else { return false };
        let first = nodes(view, List::body(owner))[0];
        let root = view.root;
        view.nodes.get_mut(&first).is_some_and(|data| {
            data.list = Some(List::body(root));
            true
        })
    }),
    (Rule::TreeNode, "a block has the node of another", |view| {
        let mut blocks = view.node_of.values_mut();
        let (Some(a), Some(b)) = (blocks.next(), blocks.next()) else { return false };
        std::mem::swap(a, b);
        true
    }),
    (Rule::TreeTerminator, "the two ways of an if are swapped", |view| {
        view.function.blocks.values_mut().any(|data| match &mut data.terminator {
            Terminator::Branch { then, otherwise, .. } => {
                std::mem::swap(then, otherwise);
                true
            }
            _ => false,
        })
    }),
    (Rule::TreeTerminator, "a jump is forgotten", |view| {
        let found =
            view.jumps.iter().find(|(_, jump)| matches!(jump, Jump::Break | Jump::Trap)).map(|(&b, _)| b);
        found.is_some_and(|block| view.jumps.remove(&block).is_some())
    }),
    (Rule::TreeEdge, "an argument is lost", |view| {
        let mut edges = view.function.blocks.values_mut().flat_map(|data| data.terminator.edges_mut());
        edges.any(|edge| edge.args.pop().is_some())
    }),
    (Rule::TreeEdge, "an edge leads to no block", |view| {
        let beyond = Block(view.function.blocks.len() as u32);
        let mut edges = view.function.blocks.values_mut().flat_map(|data| data.terminator.edges_mut());
        edges.next().is_some_and(|edge| {
            edge.block = beyond;
            true
        })
    }),
    (Rule::TreeJump, "a jump in the middle of a list", |view| {
        let Some(inner) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        let Some(list) = view.nodes[&inner].list else { return false };
        let first = nodes(view, list)[0];
        let NodeKind::Block(block) = view.nodes[&first].kind else { return false };
        view.jumps.insert(block, Jump::Return);
        true
    }),
    (Rule::TreeJump, "a break outside any loop", |view| {
        let list = List::body(view.root);
        let Some(&last) = nodes(view, list).last() else { return false };
        let NodeKind::Block(block) = view.nodes[&last].kind else { return false };
        view.jumps.insert(block, Jump::Break);
        true
    }),
    (Rule::TreeGoto, "a goto in a structured tree", |view| {
        let Some((&block, _)) = view.jumps.first_key_value() else { return false };
        view.jumps.insert(block, Jump::Goto(block));
        true
    }),
    (Rule::TreeParameter, "a parameter on the first block of an if's list", |view| {
        let Some(owner) = node(view, |kind| matches!(kind, NodeKind::If { .. })) else { return false };
        let first = nodes(view, List::then(owner))[0];
        let NodeKind::Block(block) = view.nodes[&first].kind else { return false };
        let ty = sassafras_ir::Type::I32;
        view.function.add_param(block, ty);
        true
    }),
    (Rule::TreeStart, "the function starts elsewhere", |view| {
        let Some(other) = view.node_of.keys().copied().find(|&block| block != view.function.entry) else {
            return false;
        };
        view.function.entry = other;
        true
    }),
    (Rule::TreeOutside, "a block of no list has an instruction", |view| {
        let block = view.function.add_block();
        view.function.append(block, sassafras_ir::Op::Undef, &[], &[sassafras_ir::Type::I32], 0);
        true
    }),
    (Rule::TreeOutside, "a block of no list has a jump", |view| {
        let block = view.function.add_block();
        view.jumps.insert(block, Jump::Return);
        true
    }),
    (Rule::TreeLoose, "a list that is not loose", |view| {
        let root = view.root;
        view.loose.push(root);
        true
    }),
    (Rule::TreeLoose, "a loose list that nobody knows", |view| view.loose.pop().is_some()),
];

fn node(view: &View, wanted: impl Fn(NodeKind) -> bool) -> Option<Node> {
    view.nodes.iter().find(|(_, data)| wanted(data.kind)).map(|(&node, _)| node)
}

fn nodes(view: &mut View, list: List) -> &mut Vec<Node> {
    let lists = &mut view.nodes.get_mut(&list.owner).expect("it stands there").lists;
    &mut lists.iter_mut().find(|(part, _)| *part == list.part).expect("it has this part").1
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
