//! Copies of extracted lists.

use super::{Cursor, Jump, List, Loose, Node, NodeKind, Refused, Tree};
use crate::function::{Block, Guard, Inst, InstData, Value, ValueData, ValueDef};
use crate::tree::node::NodeData;
use sassafras_graph::SecondaryMap;
use std::collections::HashMap;

/// Values and what uses of them become in a copy.
pub type Remap = HashMap<Value, Value>;

/// What stands for what in a copy.
struct Copies {
    blocks: SecondaryMap<Block, Option<Block>>,
    values: SecondaryMap<Value, Option<Value>>,
}

impl Copies {
    fn value(&self, value: Value) -> Value {
        self.values[value].unwrap_or(value)
    }
    fn block(&self, block: Block) -> Block {
        self.blocks[block].unwrap_or(block)
    }
}

impl Tree {
    /// A copy of a loose list, loose too. Uses of a value in `remap` become what it is mapped to; other uses of values from
    /// outside stay.
    ///
    /// # Errors
    /// As `docs/control-tree.md` says.
    pub fn clone_list(&mut self, list: &Loose, remap: &Remap) -> Result<Loose, Refused> {
        self.own(list)?;
        for (&from, &to) in remap {
            if self.function.values.get(from).is_none() {
                return Err(Refused::NoSuchValue(from));
            }
            if self.function.values.get(to).is_none() {
                return Err(Refused::NoSuchValue(to));
            }
            if self.ty(from) != self.ty(to) {
                return Err(Refused::Type(to));
            }
        }
        let mut copies = Copies { blocks: SecondaryMap::new(), values: SecondaryMap::new() };
        let old: Vec<Node> = self.subtree(list.root);
        let blocks: Vec<Block> = old.iter().filter_map(|&node| self.block_of(node)).collect();
        for &block in &blocks {
            self.copy_definitions(block, &mut copies);
        }
        // Entries of the table win over copies.
        for (&from, &to) in remap {
            copies.values[from] = Some(to);
        }
        for &block in &blocks {
            self.rename(block, &copies);
        }
        let root = self.copy_nodes(&old, &copies);
        self.loose.push(root);
        Ok(Loose { token: self.token, root, around: list.around })
    }

    /// A copy of a loose list, put in.
    pub fn clone_and_reinsert(&mut self, list: &Loose, remap: &Remap, cursor: Cursor) -> Result<(), Refused> {
        // The copy leaves and ends as the original does.
        self.reinsertable(list, cursor)?;
        let copy = self.clone_list(list, remap)?;
        self.reinsert(copy, cursor).map_err(|(refused, _)| refused)
    }

    /// New blocks, instructions and values, whose uses are still those of the original.
    fn copy_definitions(&mut self, block: Block, copies: &mut Copies) {
        let new = self.function.add_block();
        copies.blocks[block] = Some(new);
        for param in self.function.blocks[block].params.clone() {
            let copy = self.function.add_param(new, self.ty(param));
            copies.values[param] = Some(copy);
        }
        for inst in self.function.blocks[block].insts.clone() {
            let copy = self.copy_inst(inst, copies);
            self.placed[copy] = Some(new);
            self.function.blocks[new].insts.push(copy);
        }
        self.function.blocks[new].terminator = self.function.blocks[block].terminator.clone();
        self.function.blocks[new].line = self.function.blocks[block].line;
        self.function.blocks[new].nounroll = self.function.blocks[block].nounroll;
        self.waiting[new] = self.waiting[block].clone();
        self.jumps[new] = self.jumps[block];
    }

    fn copy_inst(&mut self, inst: Inst, copies: &mut Copies) -> Inst {
        let data = self.function.insts[inst].clone();
        let new = self.function.insts.next_key();
        let mut results = smallvec::SmallVec::new();
        for (index, &result) in data.results.iter().enumerate() {
            let ty = self.ty(result);
            let value = self.function.values.push(ValueData { ty, def: ValueDef::Result(new, index as u16) });
            copies.values[result] = Some(value);
            results.push(value);
        }
        self.function.insts.push(InstData { results, ..data })
    }

    /// Uses in the copy of a block.
    fn rename(&mut self, block: Block, copies: &Copies) {
        let new = copies.block(block);
        for &inst in &self.function.blocks[new].insts {
            let data = &mut self.function.insts[inst];
            data.args.iter_mut().for_each(|value| *value = copies.value(*value));
            if let Some(Guard { value, .. }) = &mut data.guard {
                *value = copies.value(*value);
            }
        }
        let terminator = &mut self.function.blocks[new].terminator;
        terminator.for_each_use_mut(|value| *value = copies.value(*value));
        for edge in terminator.edges_mut() {
            edge.block = copies.block(edge.block);
        }
        if let Some(args) = &mut self.waiting[new] {
            args.iter_mut().for_each(|value| *value = copies.value(*value));
        }
        if let Some(Jump::GotoIf(condition, ..)) = &mut self.jumps[new] {
            *condition = copies.value(*condition);
        }
    }

    /// New nodes; `old` has parents before children, and the root first.
    fn copy_nodes(&mut self, old: &[Node], copies: &Copies) -> Node {
        let mut new_of: HashMap<Node, Node> = HashMap::new();
        for &node in old {
            let kind = match self.nodes[node].kind {
                NodeKind::Block(block) => NodeKind::Block(copies.block(block)),
                NodeKind::If { condition, control, divergent } => {
                    NodeKind::If { condition: copies.value(condition), control, divergent }
                }
                kind => kind,
            };
            let new = match self.nodes[node].list {
                Some(List { owner, part }) => self.push_node(List { owner: new_of[&owner], part }, kind),
                None => self.nodes.push(NodeData::root(kind)),
            };
            new_of.insert(node, new);
        }
        new_of[&old[0]]
    }
}
