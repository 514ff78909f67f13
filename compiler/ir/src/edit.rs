//! Making and changing functions.
//!
//! Entities are never reused: what is removed stays in its arena, out of every block, until [`Function::compact`].

use crate::function::*;
use crate::op::{Op, Type};
use sassafras_graph::{ControlFlow, PrimaryMap, SecondaryMap};
use smallvec::SmallVec;

impl Edge {
    /// An edge with arguments.
    pub fn new(block: Block, args: &[Value]) -> Edge {
        Edge { block, args: SmallVec::from_slice(args) }
    }
}

impl Function {
    /// A function with an empty entry block that exits.
    pub fn new(name: impl Into<String>) -> Function {
        let mut blocks = PrimaryMap::new();
        let entry = blocks.push(BlockData::ending(Terminator::Exit));
        Function {
            name: name.into(),
            visible: true,
            weak: false,
            params: Vec::new(),
            param_size: 0,
            maxntid: None,
            reqntid: None,
            minnctapersm: None,
            maxnreg: None,
            shared: Vec::new(),
            reqnctapercluster: None,
            explicitcluster: false,
            maxclusterrank: None,
            blocks,
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
            entry,
            names: Names::default(),
        }
    }

    /// A new block without parameters and instructions, which ends in [`Terminator::Unreachable`].
    pub fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData::ending(Terminator::Unreachable))
    }

    /// A new parameter of a block. The edges to the block need one more argument each.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u16;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }

    /// Removes a parameter and the arguments for it. The value must have no uses left.
    pub fn remove_param(&mut self, block: Block, index: usize) {
        self.blocks[block].params.remove(index);
        for (i, &value) in self.blocks[block].params.iter().enumerate().skip(index) {
            self.values[value].def = ValueDef::Param(block, i as u16);
        }
        for data in self.blocks.values_mut() {
            for edge in data.terminator.edges_mut() {
                if edge.block == block {
                    edge.args.remove(index);
                }
            }
        }
    }

    /// Removes the parameters that are marked, and the arguments for them, in one walk over all edges. Their values must have
    /// no uses left but each other's. Returns how many there were.
    pub fn remove_params(&mut self, gone: &SecondaryMap<Block, Vec<bool>>) -> usize {
        fn keep<A: smallvec::Array>(list: &mut SmallVec<A>, gone: &[bool]) {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                !gone[at - 1]
            });
        }
        let mut count = 0;
        for block in self.blocks.keys() {
            for edge in self.blocks[block].terminator.edges_mut() {
                if gone[edge.block].contains(&true) {
                    keep(&mut edge.args, &gone[edge.block]);
                }
            }
            if gone[block].contains(&true) {
                count += gone[block].iter().filter(|&&gone| gone).count();
                let mut params: SmallVec<[Value; 4]> = self.blocks[block].params.iter().copied().collect();
                keep(&mut params, &gone[block]);
                self.blocks[block].params = params.to_vec();
                for (at, &value) in params.iter().enumerate() {
                    self.values[value].def = ValueDef::Param(block, at as u16);
                }
            }
        }
        count
    }

    /// A new instruction that stands in no block yet, with fresh results of the given types.
    pub fn make_inst(&mut self, op: Op, args: &[Value], results: &[Type], line: u32) -> Inst {
        let inst = self.insts.next_key();
        let results = results
            .iter()
            .enumerate()
            .map(|(i, &ty)| self.values.push(ValueData { ty, def: ValueDef::Result(inst, i as u16) }))
            .collect();
        self.insts.push(InstData { op, args: SmallVec::from_slice(args), results, guard: None, line })
    }

    /// A new instruction at the end of a block.
    pub fn append(&mut self, block: Block, op: Op, args: &[Value], results: &[Type], line: u32) -> Inst {
        let inst = self.make_inst(op, args, results, line);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// A new instruction before the one at `position` of a block.
    pub fn insert(
        &mut self,
        block: Block,
        position: usize,
        op: Op,
        args: &[Value],
        results: &[Type],
        line: u32,
    ) -> Inst {
        let inst = self.make_inst(op, args, results, line);
        self.blocks[block].insts.insert(position, inst);
        inst
    }

    /// Takes an instruction out of its block.
    pub fn remove(&mut self, block: Block, inst: Inst) {
        self.blocks[block].insts.retain(|&i| i != inst);
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The instruction that defines a value.
    pub fn def(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(..) => None,
        }
    }

    /// The operation that defines a value.
    pub fn def_op(&self, value: Value) -> Option<&Op> {
        self.def(value).map(|inst| &self.insts[inst].op)
    }

    /// The value's bits if it is defined by [`Op::Const`], cut to its width.
    pub fn constant(&self, value: Value) -> Option<u128> {
        match self.def_op(value) {
            Some(Op::Const(bits)) => Some(bits & mask(self.ty(value))),
            _ => None,
        }
    }

    /// For every instruction the block in which it stands.
    pub fn layout(&self) -> SecondaryMap<Inst, Option<Block>> {
        let mut layout = SecondaryMap::new();
        for (block, data) in self.blocks.iter() {
            for &inst in &data.insts {
                layout[inst] = Some(block);
            }
        }
        layout
    }

    /// Replaces every use of one value by another.
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        let mut map = SecondaryMap::new();
        map[old] = Some(new);
        self.replace_all(&map);
    }

    /// Replaces every use of each value that has a replacement; replacements of replacements are followed.
    /// The map must not be cyclic.
    pub fn replace_all(&mut self, map: &SecondaryMap<Value, Option<Value>>) {
        // Chains of replacements are shortened first: many uses may be at the end of a long one.
        let mut last = map.clone();
        for value in self.values.keys() {
            let mut path = Vec::new();
            let mut at = value;
            while let Some(next) = last[at] {
                path.push(at);
                at = next;
            }
            path.into_iter().for_each(|before| last[before] = Some(at));
        }
        let follow = |value: &mut Value| {
            if let Some(new) = last[*value] {
                *value = new;
            }
        };
        for data in self.insts.values_mut() {
            data.for_each_use_mut(follow);
        }
        for data in self.blocks.values_mut() {
            data.terminator.for_each_use_mut(follow);
        }
    }

    /// Splits a block before the instruction at `position`: what follows, and the terminator, moves to a new block, to
    /// which the old one jumps.
    pub fn split_block(&mut self, block: Block, position: usize) -> Block {
        let new = self.add_block();
        let tail = self.blocks[block].insts.split_off(position);
        let jump = Terminator::Jump(Edge::new(new, &[]));
        let terminator = std::mem::replace(&mut self.blocks[block].terminator, jump);
        self.blocks[new] =
            BlockData { insts: tail, line: self.blocks[block].line, ..BlockData::ending(terminator) };
        new
    }

    /// Puts a new block on an edge, named by its source and its position among the edges of the source's terminator.
    pub fn split_edge(&mut self, from: Block, index: usize) -> Block {
        let new = self.add_block();
        let mut edges = self.blocks[from].terminator.edges_mut();
        let old = std::mem::replace(&mut *edges[index], Edge::new(new, &[]));
        drop(edges);
        self.blocks[new].terminator = Terminator::Jump(old);
        self.blocks[new].line = self.blocks[from].line;
        new
    }

    /// Splits every critical edge among the blocks that the entry reaches. Returns the number of new blocks.
    pub fn split_critical_edges(&mut self) -> usize {
        let critical = sassafras_graph::critical_edges(&self.graph());
        for &(from, index) in &critical {
            self.split_edge(from, index);
        }
        critical.len()
    }

    /// Empties a block, which must have no predecessors left.
    pub fn clear_block(&mut self, block: Block) {
        self.blocks[block] = BlockData::ending(Terminator::Unreachable);
    }

    /// Renumbers: blocks that the entry reaches in reverse post-order, their instructions and values in order of
    /// definition. What is in no such block is dropped. The text of the result shows every entity, densely numbered.
    pub fn compact(&mut self) {
        let order = self.reverse_post_order();
        let mut block_of: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let mut value_of: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        let mut blocks = PrimaryMap::<Block, BlockData>::new();
        let mut insts = PrimaryMap::<Inst, InstData>::new();
        let mut values = PrimaryMap::<Value, ValueData>::new();
        for &old in &order {
            let empty = BlockData::ending(Terminator::Unreachable);
            let data = std::mem::replace(&mut self.blocks[old], empty);
            let block = blocks.push(data);
            block_of[old] = Some(block);
            for (i, param) in blocks[block].params.iter_mut().enumerate() {
                let ty = self.values[*param].ty;
                let new = values.push(ValueData { ty, def: ValueDef::Param(block, i as u16) });
                value_of[*param] = Some(new);
                *param = new;
            }
            for inst in &mut blocks[block].insts {
                let new = insts.push(self.insts[*inst].clone());
                for (i, result) in insts[new].results.iter_mut().enumerate() {
                    let ty = self.values[*result].ty;
                    let value = values.push(ValueData { ty, def: ValueDef::Result(new, i as u16) });
                    value_of[*result] = Some(value);
                    *result = value;
                }
                *inst = new;
            }
        }
        let rename = |v: &mut Value| {
            if let Some(new) = value_of[*v] {
                *v = new;
            }
        };
        for data in insts.values_mut() {
            data.for_each_use_mut(rename);
        }
        for data in blocks.values_mut() {
            data.terminator.for_each_use_mut(rename);
            for edge in data.terminator.edges_mut() {
                edge.block = block_of[edge.block].expect("a successor of a reached block is reached");
            }
        }
        self.entry = block_of[self.entry].expect("the entry is reached");
        (self.blocks, self.insts, self.values) = (blocks, insts, values);
        self.names.0.retain_mut(|name| {
            let new = value_of[name.value];
            name.value = new.unwrap_or(name.value);
            new.is_some()
        });
    }

    /// Predecessor blocks of every block, one per edge.
    pub fn predecessors(&self) -> SecondaryMap<Block, Vec<Block>> {
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in self.blocks() {
            for to in self.succs(block) {
                preds[to].push(block);
            }
        }
        preds
    }
}

/// The bits that count in a value of this type.
pub const fn mask(ty: Type) -> u128 {
    if ty.0 >= 128 { u128::MAX } else { (1 << ty.0) - 1 }
}
