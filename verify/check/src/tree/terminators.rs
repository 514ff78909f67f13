//! T3 and T4: each block ends as the tree says, and edges fit.

use super::view::View;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_ir::tree::{Jump, List, Node, NodeKind};
use sassafras_ir::{Block, Terminator, Value};

/// How a block must end.
#[derive(PartialEq, Debug)]
enum End {
    Exit,
    Trap,
    Nowhere,
    To(Block),
    Choice(Value, Block, Block),
    /// The tree does not say, because it is damaged.
    Undecided(&'static str),
}

pub(super) fn check(view: &View, report: &mut Report) {
    for (&block, &node) in &view.node_of {
        let demanded = demanded(view, block, node);
        let found = match &view.function.blocks[block].terminator {
            Terminator::Exit => End::Exit,
            Terminator::Trap => End::Trap,
            Terminator::Unreachable => End::Nowhere,
            Terminator::Jump(edge) => End::To(edge.block),
            Terminator::Branch { condition, then, otherwise } => {
                End::Choice(*condition, then.block, otherwise.block)
            }
            Terminator::Switch { .. } => End::Undecided("a switch"),
        };
        if demanded != found || matches!(found, End::Undecided(_)) {
            report.add(
                Rule::TreeTerminator,
                block,
                format!("it ends in {found:?}, and the tree says {demanded:?}"),
            );
        }
        edges(view, block, report);
    }
}

fn demanded(view: &View, block: Block, node: Node) -> End {
    let to = |target: Option<Block>, lost| target.map_or(End::Undecided(lost), End::To);
    let leaves = |target: Option<Block>| target.map_or(End::Nowhere, End::To);
    match view.jumps.get(&block) {
        Some(Jump::Return | Jump::Halt) => return End::Exit,
        Some(Jump::Trap) => return End::Trap,
        Some(Jump::Unreachable) => return End::Nowhere,
        Some(&Jump::Goto(target)) => return End::To(target),
        Some(&Jump::GotoIf(condition, then, otherwise)) => return End::Choice(condition, then, otherwise),
        // Outside any loop only in a loose list, which leads nowhere.
        Some(Jump::Break) => return leaves(view.loop_around(node).and_then(|around| view.behind(around))),
        Some(Jump::Continue) => {
            return leaves(view.loop_around(node).and_then(|around| view.entry(List::body(around))));
        }
        None => {}
    }
    let Some(list) = view.nodes.get(&node).and_then(|data| data.list) else {
        return End::Undecided("a block in no list");
    };
    let nodes = view.list(list);
    let next = nodes.iter().position(|&n| n == node).and_then(|at| nodes.get(at + 1).copied());
    if let Some(next) = next {
        return match view.kind(next) {
            Some(NodeKind::If { condition, .. }) => {
                match (view.entry(List::then(next)), view.entry(List::otherwise(next))) {
                    (Some(then), Some(otherwise)) => End::Choice(condition, then, otherwise),
                    _ => End::Undecided("a list without a block"),
                }
            }
            Some(NodeKind::Loop { .. }) => to(view.entry(List::body(next)), "a body without a block"),
            _ => End::Undecided("two blocks in a row"),
        };
    }
    match view.kind(list.owner) {
        Some(NodeKind::If { .. }) => to(view.behind(list.owner), "nothing behind the if"),
        Some(NodeKind::Loop { .. }) => to(view.entry(list), "a body without a block"),
        Some(NodeKind::Function) => End::Exit,
        Some(NodeKind::Loose) => End::Nowhere,
        Some(NodeKind::Block(_)) | None => End::Undecided("an owner without lists"),
    }
}

/// T4, and that no edge leaves its root (T12).
fn edges(view: &View, block: Block, report: &mut Report) {
    let f = &view.function;
    for edge in f.blocks[block].terminator.edges() {
        if !view.known(edge.block) {
            report.add(Rule::TreeEdge, block, format!("it leads to {}, which does not exist", edge.block));
            continue;
        }
        let params = &f.blocks[edge.block].params;
        let ty = |value: Value| f.values.get(value).map(|data| data.ty);
        let fit =
            edge.args.len() == params.len() && params.iter().zip(&edge.args).all(|(&p, &a)| ty(p) == ty(a));
        if !fit {
            report.add(Rule::TreeEdge, block, format!("its arguments do not fit {}", edge.block));
        }
        let root = |block: Block| view.node_of.get(&block).and_then(|&node| view.root_of(node));
        if root(block) != root(edge.block) {
            report.add(Rule::TreeLoose, block, format!("its edge to {} leaves the tree or list", edge.block));
        }
    }
}
