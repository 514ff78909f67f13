//! Cursors: places between instructions.

use super::{List, Node, NodeKind, Refused, Tree};
use crate::function::{Block, Inst};

/// A place in a tree. See `docs/control-tree.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cursor {
    /// Behind the parameters of a block.
    BeforeBlock(Block),
    /// Behind the last instruction of a block, and its jump.
    AfterBlock(Block),
    /// Behind the last instruction of a block, before its jump.
    BeforeJump(Block),
    /// Before an instruction.
    BeforeInst(Inst),
    /// Behind an instruction.
    AfterInst(Inst),
    /// At a block's begin; of an `If` or `Loop`: at the end of the block before it.
    BeforeNode(Node),
    /// At a block's end; of an `If` or `Loop`: at the begin of the block behind it.
    AfterNode(Node),
    /// At the begin of a list.
    Start(List),
    /// At the end of a list.
    End(List),
}

/// A cursor as a block and an instruction's number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub block: Block,
    pub node: Node,
    pub index: usize,
    /// Behind a jump.
    pub behind: bool,
}

impl Tree {
    /// Where a cursor is.
    pub(super) fn spot(&self, cursor: Cursor) -> Result<Spot, Refused> {
        let (block, begin) = match cursor {
            Cursor::BeforeBlock(block) => (block, true),
            Cursor::AfterBlock(block) | Cursor::BeforeJump(block) => (block, false),
            Cursor::BeforeInst(inst) => return self.inst_spot(inst, 0),
            Cursor::AfterInst(inst) => return self.inst_spot(inst, 1),
            Cursor::BeforeNode(node) | Cursor::AfterNode(node) => {
                let before = matches!(cursor, Cursor::BeforeNode(_));
                match self.kind(node).ok_or(Refused::NoSuchNode(node))? {
                    NodeKind::Block(block) => (*block, before),
                    NodeKind::Function | NodeKind::Loose => return Err(Refused::NotANode(node)),
                    NodeKind::If { .. } | NodeKind::Loop { .. } => {
                        let beside = if before { self.previous(node) } else { self.next(node) };
                        let block = beside.and_then(|node| self.block_of(node));
                        (block.ok_or(Refused::NoSuchNode(node))?, !before)
                    }
                }
            }
            Cursor::Start(list) => (self.entry_of(list).ok_or(Refused::NoSuchList(list))?, true),
            Cursor::End(list) => (self.end_of(list).ok_or(Refused::NoSuchList(list))?, false),
        };
        let node = self.of_block[block].ok_or(Refused::NoSuchBlock(block))?;
        self.standing(node)?;
        let index = if begin { 0 } else { self.function.blocks[block].insts.len() };
        let before_jump = matches!(cursor, Cursor::BeforeJump(_));
        let behind = !begin && !before_jump && self.jumps[block].is_some();
        Ok(Spot { block, node, index, behind })
    }

    /// As [`Self::spot`], for what may not be put behind a jump.
    pub(super) fn open_spot(&self, cursor: Cursor) -> Result<Spot, Refused> {
        let spot = self.spot(cursor)?;
        if spot.behind { Err(Refused::BehindJump(spot.block)) } else { Ok(spot) }
    }

    fn inst_spot(&self, inst: Inst, behind: usize) -> Result<Spot, Refused> {
        let block = self.placed[inst].ok_or(Refused::NoSuchInst(inst))?;
        let node = self.of_block[block].ok_or(Refused::NoSuchBlock(block))?;
        self.standing(node)?;
        let at = self.function.blocks[block].insts.iter().position(|&i| i == inst);
        Ok(Spot { block, node, index: at.ok_or(Refused::NoSuchInst(inst))? + behind, behind: false })
    }

    /// The node is in the tree, not in a loose list.
    pub(super) fn standing(&self, node: Node) -> Result<(), Refused> {
        if self.root_of(node) == self.root { Ok(()) } else { Err(Refused::Loose(node)) }
    }

    /// The cursor that names a spot.
    pub(super) fn cursor_at(&self, block: Block, index: usize) -> Cursor {
        match index.checked_sub(1).and_then(|before| self.function.blocks[block].insts.get(before)) {
            Some(&inst) => Cursor::AfterInst(inst),
            None => Cursor::BeforeBlock(block),
        }
    }
}
