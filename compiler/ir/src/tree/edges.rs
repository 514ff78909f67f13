//! The terminators that a tree demands (T3).

use super::{Jump, List, Node, NodeKind, Refused, Tree};
use crate::function::{Block, Edge, Function, Terminator, Value};
use crate::op::{Op, Type};
use sassafras_graph::ControlFlow;
use smallvec::SmallVec;

/// Where a block leads by the tree alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// To the end block.
    Exit,
    /// A trap.
    Trap,
    /// Nowhere.
    Nowhere,
    /// To one block.
    Jump(Block),
    /// By a condition: if one, if zero.
    Branch(Value, Block, Block),
}

impl Ways {
    /// The blocks.
    pub fn targets(self) -> SmallVec<[Block; 2]> {
        match self {
            Ways::Exit | Ways::Trap | Ways::Nowhere => SmallVec::new(),
            Ways::Jump(to) => SmallVec::from_slice(&[to]),
            Ways::Branch(_, then, otherwise) => SmallVec::from_slice(&[then, otherwise]),
        }
    }

    /// What a terminator says, without arguments; none for a switch.
    pub fn of(terminator: &Terminator) -> Option<Ways> {
        Some(match terminator {
            Terminator::Exit => Ways::Exit,
            Terminator::Trap => Ways::Trap,
            Terminator::Unreachable => Ways::Nowhere,
            Terminator::Jump(edge) => Ways::Jump(edge.block),
            Terminator::Branch { condition, then, otherwise } => {
                Ways::Branch(*condition, then.block, otherwise.block)
            }
            Terminator::Switch { .. } => return None,
        })
    }
}

/// The jump that an unstructured tree has for a terminator.
pub(super) fn flat_jump(block: Block, terminator: &Terminator) -> Result<Jump, Refused> {
    Ok(match Ways::of(terminator).ok_or(Refused::Switch(block))? {
        Ways::Exit => Jump::Return,
        Ways::Trap => Jump::Trap,
        Ways::Nowhere => Jump::Unreachable,
        Ways::Jump(to) => Jump::Goto(to),
        Ways::Branch(condition, then, otherwise) => Jump::GotoIf(condition, then, otherwise),
    })
}

/// Both edges of a branch to one place: a jump if they are equal, else one of them gets a block of its own.
pub(super) fn part_twins(function: &mut Function) {
    for block in function.blocks() {
        let Terminator::Branch { then, otherwise, .. } = &function.blocks[block].terminator else { continue };
        if then == otherwise {
            function.blocks[block].terminator = Terminator::Jump(then.clone());
        } else if then.block == otherwise.block {
            function.split_edge(block, 1);
        }
    }
}

impl Tree {
    /// Where a block leads by the table of `docs/control-tree.md`; none if it has no node.
    pub fn ways(&self, block: Block) -> Option<Ways> {
        let node = self.of_block[block]?;
        Some(match self.jumps[block] {
            Some(Jump::Return | Jump::Halt) => Ways::Exit,
            Some(Jump::Trap) => Ways::Trap,
            Some(Jump::Unreachable) => Ways::Nowhere,
            Some(Jump::Goto(to)) => Ways::Jump(to),
            Some(Jump::GotoIf(condition, then, otherwise)) => Ways::Branch(condition, then, otherwise),
            Some(jump @ (Jump::Break | Jump::Continue)) => {
                self.loop_target(self.loop_around(node), jump).map_or(Ways::Nowhere, Ways::Jump)
            }
            None => match self.next(node) {
                Some(next) => self.ways_to(next),
                None => self.list_of(node).map_or(Ways::Nowhere, |list| self.behind(list)),
            },
        })
    }

    /// Where `Break` or `Continue` of a loop leads.
    pub(super) fn loop_target(&self, around: Option<Node>, jump: Jump) -> Option<Block> {
        let around = around?;
        match jump {
            Jump::Break => self.block_of(self.next(around)?),
            _ => self.entry_of(List::body(around)),
        }
    }

    fn ways_to(&self, node: Node) -> Ways {
        let entries = |list| self.entry_of(list);
        match self.kind(node) {
            Some(NodeKind::If { condition, .. }) => {
                match (entries(List::then(node)), entries(List::otherwise(node))) {
                    (Some(then), Some(otherwise)) => Ways::Branch(*condition, then, otherwise),
                    _ => Ways::Nowhere,
                }
            }
            Some(NodeKind::Loop { .. }) => entries(List::body(node)).map_or(Ways::Nowhere, Ways::Jump),
            _ => Ways::Nowhere,
        }
    }

    /// Where the end of a list leads.
    fn behind(&self, list: List) -> Ways {
        match self.kind(list.owner) {
            Some(NodeKind::Function) => Ways::Exit,
            Some(NodeKind::Loop { .. }) => self.entry_of(list).map_or(Ways::Nowhere, Ways::Jump),
            Some(NodeKind::If { .. }) => {
                let next = self.next(list.owner).and_then(|next| self.block_of(next));
                next.map_or(Ways::Nowhere, Ways::Jump)
            }
            _ => Ways::Nowhere,
        }
    }

    /// Gives a block the terminator that the tree demands. An edge that it had keeps its arguments; a new one gets those
    /// that wait for it, else `args` if they are as many as the target wants, else undefined bits.
    pub(super) fn relink(&mut self, block: Block, args: &[Value]) {
        let Some(ways) = self.ways(block) else { return };
        let old = std::mem::replace(&mut self.function.blocks[block].terminator, Terminator::Unreachable);
        let leaves = matches!(self.jumps[block], Some(Jump::Break | Jump::Continue));
        if ways == Ways::Nowhere
            && leaves
            && let Terminator::Jump(edge) = old
        {
            self.waiting[block] = Some(edge.args);
            return;
        }
        let edge = |tree: &mut Tree, to: Block| {
            let wanted = tree.function.blocks[to].params.len();
            let kept = old.edges().into_iter().find(|e| e.block == to).map(|e| e.args.clone());
            let waiting = if leaves { tree.waiting[block].take() } else { None };
            let given = Some(SmallVec::from_slice(args));
            let fits = |args: &SmallVec<[Value; 4]>| args.len() == wanted;
            let args = [kept, waiting, given].into_iter().flatten().find(fits);
            let args = args.unwrap_or_else(|| tree.undefined(block, to));
            Edge { block: to, args }
        };
        let terminator = match ways {
            Ways::Exit => Terminator::Exit,
            Ways::Trap => Terminator::Trap,
            Ways::Nowhere => Terminator::Unreachable,
            Ways::Jump(to) => Terminator::Jump(edge(self, to)),
            Ways::Branch(condition, then, otherwise) => {
                let (then, otherwise) = (edge(self, then), edge(self, otherwise));
                Terminator::Branch { condition, then, otherwise }
            }
        };
        self.function.blocks[block].terminator = terminator;
    }

    /// Undefined bits at the end of `from` for the parameters of `to`.
    fn undefined(&mut self, from: Block, to: Block) -> SmallVec<[Value; 4]> {
        let types: SmallVec<[Type; 4]> =
            self.function.blocks[to].params.iter().map(|&param| self.function.ty(param)).collect();
        types
            .into_iter()
            .map(|ty| {
                let inst = self.function.append(from, Op::Undef, &[], &[ty], 0);
                self.placed[inst] = Some(from);
                self.function.insts[inst].results[0]
            })
            .collect()
    }

    /// The blocks that lead to a block.
    pub fn preds(&self, block: Block) -> Vec<Block> {
        ControlFlow::preds(&self.function, block)
    }
}
