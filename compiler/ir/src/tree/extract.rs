//! Cutting lists out and putting them back.

use super::{Cursor, Jump, List, Node, NodeKind, Refused, Tree};
use crate::function::{Block, Value};
use crate::op::Op;
use crate::tree::node::NodeData;

/// A list that was cut out. It has to be put back or deleted.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an extracted list has to be put back or deleted"]
pub struct Loose {
    pub(super) token: u64,
    pub(super) root: Node,
    /// The loop that it was in.
    pub(super) around: Option<Node>,
}

impl Loose {
    /// The root of the list.
    pub fn root(&self) -> Node {
        self.root
    }
}

/// What [`Tree::extract`] gives.
#[derive(Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The list.
    pub list: Loose,
    /// Where it was.
    pub hole: Cursor,
}

impl Tree {
    /// Cuts out what lies between two places of one list.
    ///
    /// # Errors
    /// As `docs/control-tree.md` says; so for every edit.
    pub fn extract(&mut self, begin: Cursor, end: Cursor) -> Result<Extraction, Refused> {
        self.is_structured().then_some(()).ok_or(Refused::Unstructured)?;
        let from = self.open_spot(begin)?;
        let mut to = self.spot(end)?;
        let list = self.list_of(from.node).ok_or(Refused::NoSuchNode(from.node))?;
        if self.list_of(to.node) != Some(list) {
            return Err(Refused::DifferentLists);
        }
        let number = |tree: &Tree, node: Node| tree.nodes(list).iter().position(|&n| n == node);
        if (number(self, to.node), to.index) < (number(self, from.node), from.index) {
            return Err(Refused::Backwards);
        }
        let first = from.block;
        let start = self.split(from);
        if to.block == first {
            to.block = start;
            to.node = self.of_block[start].expect("a new block has a node");
            to.index -= from.index;
        }
        let behind = self.split(to);
        let cut = |tree: &Tree, block: Block| tree.of_block[block].and_then(|node| number(tree, node));
        let (low, high) = (cut(self, start).unwrap_or(0), cut(self, behind).unwrap_or(0));
        let around = self.loop_around(from.node);
        let root = self.nodes.push(NodeData::root(NodeKind::Loose));
        self.loose.push(root);
        let moved: Vec<Node> = self.nodes[list.owner].lists[list.part.index()].drain(low..high).collect();
        for &node in &moved {
            self.nodes[node].list = Some(List::body(root));
        }
        self.nodes[root].lists[0] = moved;
        self.stitch(first, behind);
        if to.behind {
            self.relink(first, &[]);
        }
        self.relink(to.block, &[]);
        for block in self.leaving(root) {
            self.relink(block, &[]);
        }
        let hole = self.cursor_at(first, from.index);
        Ok(Extraction { list: Loose { token: self.token, root, around }, hole })
    }

    /// Cuts out all of a list; an empty block stays.
    pub fn extract_list(&mut self, list: List) -> Result<Extraction, Refused> {
        self.extract(Cursor::Start(list), Cursor::End(list))
    }

    /// Puts a list in.
    pub fn reinsert(&mut self, list: Loose, cursor: Cursor) -> Result<(), (Refused, Loose)> {
        let spot = match self.reinsertable(&list, cursor) {
            Ok(spot) => spot,
            Err(refused) => return Err((refused, list)),
        };
        let behind = self.split(spot);
        let moved = std::mem::take(&mut self.nodes[list.root].lists[0]);
        self.discard_root(list.root);
        let place = self.nodes[spot.node].list.expect("a spot stands in a list");
        for &node in &moved {
            self.nodes[node].list = Some(place);
        }
        let block = |tree: &Tree, node: Option<&Node>| node.and_then(|&node| tree.block_of(node));
        let (start, end) = (block(self, moved.first()), block(self, moved.last()));
        let single = moved.len() == 1;
        let nodes = &mut self.nodes[place.owner].lists[place.part.index()];
        let at = nodes.iter().position(|&n| n == spot.node).expect("a node stands in its list");
        nodes.splice(at + 1..at + 1, moved);
        let (Some(start), Some(end)) = (start, end) else { return Ok(()) };
        self.stitch(spot.block, start);
        let end = if single { spot.block } else { end };
        self.stitch(end, behind);
        // Only what leads elsewhere now: jumps that wait.
        let waiting: Vec<Block> =
            self.function.blocks.keys().filter(|&block| self.waiting[block].is_some()).collect();
        for block in waiting {
            if self.standing_block(block).is_ok() {
                self.relink(block, &[]);
            }
        }
        Ok(())
    }

    pub(super) fn reinsertable(&self, list: &Loose, cursor: Cursor) -> Result<super::cursor::Spot, Refused> {
        self.own(list)?;
        let spot = self.open_spot(cursor)?;
        let around = self.loop_around(spot.node);
        for block in self.leaving(list.root) {
            let Some(jump) = self.jumps[block] else { continue };
            if around.is_none() || around != list.around {
                return Err(Refused::LeavesLoop(block, jump));
            }
            if let (Some(target), Some(args)) = (self.loop_target(around, jump), &self.waiting[block]) {
                let params = &self.function.blocks[target].params;
                let same = params.len() == args.len()
                    && params.iter().zip(args).all(|(&param, &arg)| self.ty(param) == self.ty(arg));
                if !same {
                    return Err(Refused::Arguments { target, expected: params.len(), found: args.len() });
                }
            }
        }
        let end = self.end_of(List::body(list.root));
        if end.is_some_and(|end| self.jumps[end].is_some()) {
            let last = self.next(spot.node).is_none() && self.jumps[spot.block].is_none();
            let rest = &self.function.blocks[spot.block].insts[spot.index..];
            // Undefined bits that only an edge uses vanish with it.
            let idle = rest.iter().all(|&inst| self.function.insts[inst].op == Op::Undef && self.idle(inst));
            if !last || !idle {
                return Err(Refused::NotLast(spot.block));
            }
        }
        Ok(spot)
    }

    /// No instruction uses the result, and no terminator but that of its block.
    fn idle(&self, inst: crate::Inst) -> bool {
        let result = self.function.insts[inst].results[0];
        let mut used = false;
        for (block, data) in self.function.blocks.iter() {
            let mut see = |value: Value| used |= value == result;
            data.insts.iter().for_each(|&i| self.function.insts[i].for_each_use(&mut see));
            if self.placed[inst] != Some(block) {
                data.terminator.for_each_use(&mut see);
            }
            self.waiting[block].iter().flatten().for_each(|&value| see(value));
        }
        !used
    }

    /// Empties the blocks of a list; uses elsewhere of what it defined become undefined bits.
    pub fn delete(&mut self, list: Loose) -> Result<(), (Refused, Loose)> {
        if let Err(refused) = self.own(&list) {
            return Err((refused, list));
        }
        let mut values = Vec::new();
        let mut nodes = self.subtree(list.root);
        nodes.retain(|&node| node != list.root);
        for node in nodes {
            if let NodeKind::Block(block) = self.nodes[node].kind {
                values.extend(self.empty(block));
            }
            self.nodes[node] = NodeData { alive: false, ..NodeData::root(self.nodes[node].kind) };
        }
        self.discard_root(list.root);
        self.forget(&values);
        Ok(())
    }

    /// Deletes an `If` or `Loop`, its parameters included.
    pub fn remove_node(&mut self, node: Node) -> Result<(), Refused> {
        match self.kind(node).ok_or(Refused::NoSuchNode(node))? {
            NodeKind::If { .. } | NodeKind::Loop { .. } => {}
            _ => return Err(Refused::NotANode(node)),
        }
        let cut = self.extract(Cursor::BeforeNode(node), Cursor::AfterNode(node))?;
        self.delete(cut.list).map_err(|(refused, _)| refused)
    }

    pub(super) fn own(&self, list: &Loose) -> Result<(), Refused> {
        let own = list.token == self.token && self.loose.contains(&list.root);
        own.then_some(()).ok_or(Refused::OtherTree)
    }

    fn discard_root(&mut self, root: Node) {
        self.loose.retain(|&other| other != root);
        self.nodes[root].alive = false;
        self.nodes[root].lists = [Vec::new(), Vec::new()];
    }

    /// A node and all below it, parents first, in order.
    pub fn subtree(&self, node: Node) -> Vec<Node> {
        let mut found = Vec::new();
        let mut stack = vec![node];
        while let Some(at) = stack.pop() {
            found.push(at);
            for list in self.lists(at).into_iter().rev() {
                stack.extend(self.nodes(list).iter().rev());
            }
        }
        found
    }

    /// Blocks of a loose list whose jump leaves it.
    pub(super) fn leaving(&self, root: Node) -> Vec<Block> {
        let blocks = self.subtree(root).into_iter().filter_map(|node| Some((node, self.block_of(node)?)));
        blocks
            .filter(|&(node, block)| {
                matches!(self.jumps[block], Some(Jump::Break | Jump::Continue))
                    && self.loop_around(node).is_none()
            })
            .map(|(_, block)| block)
            .collect()
    }
}
