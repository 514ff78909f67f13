//! What the tests hold a tree to after each edit: the invariants of `docs/control-tree.md`, read off the public queries.

use sassafras_graph::{ControlFlow, Dominators, critical_edges, is_reducible};
use sassafras_ir::tree::{Jump, List, Node, NodeKind, Tree, Ways};
use sassafras_ir::{Block, Function, Terminator};

/// A rule of `docs/control-tree.md` that is broken, and where.
#[derive(Debug, thiserror::Error)]
#[error("{rule}: {place}")]
pub struct Broken {
    pub rule: &'static str,
    pub place: String,
}

fn broken(rule: &'static str, place: String) -> Broken {
    Broken { rule, place }
}

fn blocks_below(tree: &Tree, root: Node) -> Vec<Block> {
    tree.subtree(root).into_iter().filter_map(|node| tree.block_of(node)).collect()
}

/// Lists of a tree and below: T1, T2, T5.
fn lists(tree: &Tree, root: Node) -> Result<(), Broken> {
    for node in tree.subtree(root) {
        if let Some(block) = tree.block_of(node)
            && tree.node_of(block) != Some(node)
        {
            return Err(broken("T2", format!("{block} does not know {node}")));
        }
        for list in tree.lists(node) {
            let nodes = tree.nodes(list);
            if nodes.len() % 2 == 0 {
                return Err(broken("T1", format!("{list:?} has {} nodes", nodes.len())));
            }
            for (index, &inner) in nodes.iter().enumerate() {
                if tree.list_of(inner) != Some(list) {
                    return Err(broken("T2", format!("{inner} stands in {list:?} and does not know it")));
                }
                let leaf = tree.block_of(inner);
                if leaf.is_some() != (index % 2 == 0) {
                    return Err(broken("T1", format!("{inner} is number {index} of {list:?}")));
                }
                let jump = leaf.and_then(|block| tree.jump(block));
                if jump.is_some() && index + 1 != nodes.len() {
                    return Err(broken("T5", format!("a jump in {inner}, number {index} of {list:?}")));
                }
                let around = tree.loop_around(inner).is_some() || tree.root_of(inner) != tree.root();
                if matches!(jump, Some(Jump::Break | Jump::Continue)) && !around {
                    return Err(broken("T5", format!("{inner} has no loop")));
                }
            }
        }
    }
    Ok(())
}

/// Where a block leads, derived once more by walking up, without the tree's own derivation.
fn derived(tree: &Tree, node: Node, block: Block) -> Ways {
    let first = |list: List| tree.block_of(tree.nodes(list)[0]).expect("a list begins with a block");
    let jumps_to_loop = |jump: Jump| {
        let mut at = node;
        loop {
            let Some(list) = tree.list_of(at) else { return Ways::Nowhere };
            at = list.owner;
            if matches!(tree.kind(at), Some(NodeKind::Loop { .. })) {
                break;
            }
        }
        let target = match jump {
            Jump::Continue => first(List::body(at)),
            _ => behind(tree, at),
        };
        Ways::Jump(target)
    };
    match tree.jump(block) {
        Some(Jump::Return | Jump::Halt) => return Ways::Exit,
        Some(Jump::Trap) => return Ways::Trap,
        Some(Jump::Unreachable) => return Ways::Nowhere,
        Some(jump @ (Jump::Break | Jump::Continue)) => return jumps_to_loop(jump),
        Some(Jump::Goto(to)) => return Ways::Jump(to),
        Some(Jump::GotoIf(condition, a, b)) => return Ways::Branch(condition, a, b),
        None => {}
    }
    let list = tree.list_of(node).expect("a block stands in a list");
    let nodes = tree.nodes(list);
    let at = nodes.iter().position(|&n| n == node).expect("a node stands in its list");
    match nodes.get(at + 1) {
        Some(&next) => match tree.kind(next) {
            Some(NodeKind::If { condition, .. }) => {
                Ways::Branch(*condition, first(List::then(next)), first(List::otherwise(next)))
            }
            _ => Ways::Jump(first(List::body(next))),
        },
        None => match tree.kind(list.owner) {
            Some(NodeKind::Function) => Ways::Exit,
            Some(NodeKind::Loop { .. }) => Ways::Jump(first(list)),
            Some(NodeKind::If { .. }) => Ways::Jump(behind(tree, list.owner)),
            _ => Ways::Nowhere,
        },
    }
}

fn behind(tree: &Tree, node: Node) -> Block {
    let nodes = tree.nodes(tree.list_of(node).expect("it stands in a list"));
    let at = nodes.iter().position(|&n| n == node).expect("it stands in its list");
    tree.block_of(nodes[at + 1]).expect("a block stands behind it")
}

fn edges(tree: &Tree, block: Block) -> Result<(), Broken> {
    let f = tree.function();
    let node = tree.node_of(block).ok_or_else(|| broken("T11", block.to_string()))?;
    let (is, should) = (Ways::of(&f.blocks[block].terminator), derived(tree, node, block));
    if is != Some(should) || tree.ways(block) != Some(should) {
        return Err(broken(
            "T3",
            format!("{block} ends in {:?}, not {should:?}", f.blocks[block].terminator),
        ));
    }
    for edge in f.blocks[block].terminator.edges() {
        let params = &f.blocks[edge.block].params;
        let fit = params.len() == edge.args.len()
            && params.iter().zip(&edge.args).all(|(&param, &arg)| f.ty(param) == f.ty(arg));
        if !fit {
            return Err(broken("T4", format!("{block} to {}", edge.block)));
        }
    }
    if !f.blocks[block].params.is_empty() && tree.owner_of_params(block).is_none() {
        return Err(broken("T7", format!("{block} has parameters")));
    }
    Ok(())
}

/// Every invariant of a structured tree.
pub fn check(tree: &Tree) -> Result<(), Broken> {
    let f: &Function = tree.function();
    let mut blocks = blocks_below(tree, tree.root());
    lists(tree, tree.root())?;
    for &root in tree.loose() {
        lists(tree, root)?;
        blocks.extend(blocks_below(tree, root));
    }
    blocks.iter().try_for_each(|&block| edges(tree, block))?;
    for block in f.blocks() {
        let data = &f.blocks[block];
        let empty =
            data.params.is_empty() && data.insts.is_empty() && data.terminator == Terminator::Unreachable;
        match blocks.iter().filter(|&&b| b == block).count() {
            0 if empty => {}
            1 => {}
            count => return Err(broken("T2 or T11", format!("{block} stands in {count} places"))),
        }
    }
    if tree.entry_of(List::body(tree.root())) != Some(f.entry) || !f.preds(f.entry).is_empty() {
        return Err(broken("T10", f.entry.to_string()));
    }
    let graph = f.graph();
    let dominators = Dominators::new(&graph);
    if !critical_edges(&graph).is_empty() || !is_reducible(&graph, &dominators) {
        return Err(broken("T8 or T9", "the graph".to_owned()));
    }
    Ok(())
}
