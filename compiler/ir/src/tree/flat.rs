//! Edits of unstructured trees.

use super::{Jump, Refused, Tree};
use crate::function::{Block, BlockData, Edge, Terminator, Value};
use crate::op::Type;
use sassafras_graph::SecondaryMap;

impl Tree {
    /// Gives a block of an unstructured tree another jump; `args` are the arguments of each edge.
    pub fn replace_jump(&mut self, block: Block, jump: Jump, args: [&[Value]; 2]) -> Result<(), Refused> {
        self.standing_block(block)?;
        if self.structured {
            return Err(Refused::Structured);
        }
        let edge = |tree: &Tree, to: Block, args: &[Value]| {
            tree.standing_block(to)?;
            if to == tree.function.entry {
                return Err(Refused::NoPhi(to));
            }
            tree.fits(to, args).map(|()| Edge::new(to, args))
        };
        let terminator = match jump {
            Jump::Return | Jump::Halt => Terminator::Exit,
            Jump::Trap => Terminator::Trap,
            Jump::Unreachable => Terminator::Unreachable,
            Jump::Break | Jump::Continue => return Err(Refused::NoLoop(block)),
            Jump::Goto(to) => Terminator::Jump(edge(self, to, args[0])?),
            Jump::GotoIf(condition, then, otherwise) => {
                self.typed(condition, Type::I1)?;
                if then == otherwise {
                    return Err(Refused::SameTargets(block));
                }
                let (then, otherwise) = (edge(self, then, args[0])?, edge(self, otherwise, args[1])?);
                Terminator::Branch { condition, then, otherwise }
            }
        };
        self.jumps[block] = Some(jump);
        self.function.blocks[block].terminator = terminator;
        Ok(())
    }

    /// Removes a block of an unstructured tree that nothing leads to; uses of what it defined become undefined bits.
    ///
    /// # Errors
    /// As `docs/control-tree.md` says; so for every edit.
    pub fn remove_block(&mut self, block: Block) -> Result<(), Refused> {
        let node = self.standing_block(block)?;
        if self.structured {
            return Err(Refused::Structured);
        }
        if block == self.function.entry || self.preds(block).iter().any(|&pred| pred != block) {
            return Err(Refused::Reached(block));
        }
        let values = self.empty(block);
        self.unlist(node);
        self.nodes[node].alive = false;
        self.forget(&values);
        Ok(())
    }

    /// Joins a block of an unstructured tree with the one that it goes to, if nothing else leads there.
    ///
    /// # Errors
    /// As `docs/control-tree.md` says; so for every edit.
    pub fn merge(&mut self, block: Block) -> Result<(), Refused> {
        self.standing_block(block)?;
        if self.structured {
            return Err(Refused::Structured);
        }
        let Some(Jump::Goto(next)) = self.jumps[block] else { return Err(Refused::NoJump(block)) };
        if next == block || self.preds(next) != [block] {
            return Err(Refused::Reached(next));
        }
        let args = match &self.function.blocks[block].terminator {
            Terminator::Jump(edge) => edge.args.clone(),
            _ => Default::default(),
        };
        let params = std::mem::take(&mut self.function.blocks[next].params);
        let named = !params.is_empty();
        let mut map = SecondaryMap::new();
        for (param, arg) in params.into_iter().zip(args) {
            map[param] = Some(arg);
        }
        self.jumps[block] = None;
        self.stitch(block, next);
        if named {
            self.replace_all(&map);
        }
        Ok(())
    }

    /// Takes everything out of a block; what it defined.
    pub(super) fn empty(&mut self, block: Block) -> Vec<Value> {
        let empty = BlockData { params: Vec::new(), insts: Vec::new(), terminator: Terminator::Unreachable };
        let data = std::mem::replace(&mut self.function.blocks[block], empty);
        let mut values = data.params;
        for inst in data.insts {
            values.extend(self.function.insts[inst].results.iter().copied());
            self.placed[inst] = None;
        }
        self.of_block[block] = None;
        self.jumps[block] = None;
        self.waiting[block] = None;
        values
    }
}
