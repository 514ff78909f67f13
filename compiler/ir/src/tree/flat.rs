//! Edits of unstructured trees.

use super::{Jump, Refused, Tree};
use crate::function::{Block, BlockData, Edge, Terminator, Value};
use crate::op::Type;
use sassafras_graph::{Entity, SecondaryMap};

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

    /// Removes every block of an unstructured tree that the entry does not reach, as [`Self::remove_block`] does; how many.
    pub fn remove_unreached(&mut self) -> Result<usize, Refused> {
        if self.structured {
            return Err(Refused::Structured);
        }
        let reached = self.function.reachable();
        let mut values = Vec::new();
        let mut gone = Vec::new();
        for block in self.function.blocks.keys().filter(|block| !reached[block.index()]) {
            if let Some(node) = self.of_block[block] {
                self.standing(node)?;
                gone.push((block, node));
            }
        }
        for &(block, node) in &gone {
            values.extend(self.empty(block));
            self.nodes[node].alive = false;
        }
        self.unlist_dead();
        self.forget(&values);
        Ok(gone.len())
    }

    /// Joins every block of an unstructured tree with the one that it goes to, where nothing else leads there, as [`Self::merge`]
    /// does; how many.
    pub fn merge_all(&mut self) -> Result<usize, Refused> {
        if self.structured {
            return Err(Refused::Structured);
        }
        let mut entering: SecondaryMap<Block, usize> = SecondaryMap::new();
        for data in self.function.blocks.values() {
            data.terminator.edges().iter().for_each(|edge| entering[edge.block] += 1);
        }
        let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        let mut count = 0;
        let blocks: Vec<Block> =
            self.nodes[self.root].lists[0].iter().filter_map(|&n| self.block_of(n)).collect();
        for block in blocks {
            while let Some(Jump::Goto(next)) = self.jumps[block]
                && next != block
                && next != self.function.entry
                && entering[next] == 1
            {
                let params = std::mem::take(&mut self.function.blocks[next].params);
                if let Terminator::Jump(edge) = &self.function.blocks[block].terminator {
                    for (param, &arg) in params.into_iter().zip(&edge.args) {
                        map[param] = Some(arg);
                    }
                }
                self.jumps[block] = None;
                self.absorb(block, next);
                count += 1;
            }
        }
        self.unlist_dead();
        if count != 0 {
            self.replace_all(&map);
        }
        Ok(count)
    }

    /// Takes the nodes that were deleted out of the function's list.
    fn unlist_dead(&mut self) {
        let mut list = std::mem::take(&mut self.nodes[self.root].lists[0]);
        list.retain(|&node| self.nodes[node].alive);
        self.nodes[self.root].lists[0] = list;
    }

    /// Takes everything out of a block; what it defined.
    pub(super) fn empty(&mut self, block: Block) -> Vec<Value> {
        let empty = BlockData::ending(Terminator::Unreachable);
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
