//! Edits of one node, instruction, jump or parameter.

use super::{Cursor, Jump, List, LoopControl, Node, NodeKind, Part, Refused, SelectionControl, Tree};
use crate::function::{Block, Inst, Terminator, Value, ValueDef};
use crate::op::{Op, Type};
use crate::tree::node::NodeData;
use sassafras_graph::SecondaryMap;

impl Tree {
    /// An `If` with two empty lists.
    ///
    /// # Errors
    /// As `docs/control-tree.md` says; so for every edit.
    pub fn insert_if(&mut self, cursor: Cursor, condition: Value) -> Result<Node, Refused> {
        self.typed(condition, Type::I1)?;
        let control = SelectionControl::None;
        self.insert_node(cursor, NodeKind::If { condition, control, divergent: true })
    }

    /// A `Loop` with an empty body.
    pub fn insert_loop(&mut self, cursor: Cursor) -> Result<Node, Refused> {
        let control = LoopControl::None;
        self.insert_node(cursor, NodeKind::Loop { control, partially_unrolled: false, divergent: true })
    }

    fn insert_node(&mut self, cursor: Cursor, kind: NodeKind) -> Result<Node, Refused> {
        self.is_structured().then_some(()).ok_or(Refused::Unstructured)?;
        let spot = self.open_spot(cursor)?;
        self.split(spot);
        let list = self.nodes[spot.node].list.expect("a spot stands in a list");
        let node = self.nodes.push(NodeData { list: Some(list), ..NodeData::root(kind) });
        let nodes = &mut self.nodes[list.owner].lists[list.part.index()];
        let at = nodes.iter().position(|&n| n == spot.node).expect("a node stands in its list");
        nodes.insert(at + 1, node);
        for &part in kind.parts() {
            let block = self.function.add_block();
            self.push_block(List { owner: node, part }, block);
        }
        for &part in kind.parts() {
            if let Some(block) = self.entry_of(List { owner: node, part }) {
                self.relink(block, &[]);
            }
        }
        self.relink(spot.block, &[]);
        Ok(node)
    }

    /// A new instruction.
    pub fn insert_inst(
        &mut self,
        cursor: Cursor,
        op: Op,
        args: &[Value],
        results: &[Type],
        line: u32,
    ) -> Result<Inst, Refused> {
        let spot = self.open_spot(cursor)?;
        args.iter().try_for_each(|&value| self.known(value))?;
        let inst = self.function.insert(spot.block, spot.index, op, args, results, line);
        self.placed[inst] = Some(spot.block);
        Ok(inst)
    }

    /// An instruction that stands nowhere.
    pub fn insert_at(&mut self, cursor: Cursor, inst: Inst) -> Result<(), Refused> {
        let spot = self.open_spot(cursor)?;
        if !self.function.insts.contains(inst) {
            return Err(Refused::NoSuchInst(inst));
        }
        if self.placed[inst].is_some() {
            return Err(Refused::Placed(inst));
        }
        self.function.blocks[spot.block].insts.insert(spot.index, inst);
        self.placed[inst] = Some(spot.block);
        Ok(())
    }

    /// A guard for a load that has none, and what its results are where the guard does not hold.
    pub fn guard_load(&mut self, inst: Inst, guard: crate::Guard, kept: &[Value]) -> Result<(), Refused> {
        self.spot(Cursor::BeforeInst(inst))?;
        self.typed(guard.value, Type::I1)?;
        let data = &self.function.insts[inst];
        if !matches!(data.op, Op::Load(_)) || data.guard.is_some() || kept.len() != data.results.len() {
            return Err(Refused::NoSuchInst(inst));
        }
        for (&value, &result) in kept.iter().zip(&data.results) {
            self.typed(value, self.function.ty(result))?;
        }
        let data = &mut self.function.insts[inst];
        data.guard = Some(guard);
        data.args.extend_from_slice(kept);
        Ok(())
    }

    /// The guard of an instruction without results.
    pub fn set_guard(&mut self, inst: Inst, guard: Option<crate::Guard>) -> Result<(), Refused> {
        self.spot(Cursor::BeforeInst(inst))?;
        if let Some(guard) = guard {
            self.typed(guard.value, Type::I1)?;
            if let Some(&result) = self.function.insts[inst].results.first() {
                return Err(Refused::Type(result));
            }
        }
        self.function.insts[inst].guard = guard;
        Ok(())
    }

    /// Takes an instruction out of its block. Uses of its results stay.
    pub fn remove_inst(&mut self, inst: Inst) -> Result<(), Refused> {
        let spot = self.spot(Cursor::BeforeInst(inst))?;
        self.function.remove(spot.block, inst);
        self.placed[inst] = None;
        Ok(())
    }

    /// Ends a block with a jump.
    pub fn insert_jump(&mut self, block: Block, jump: Jump, args: &[Value]) -> Result<(), Refused> {
        let node = self.standing_block(block)?;
        if self.jumps[block].is_some() {
            return Err(Refused::HasJump(block));
        }
        let target = match jump {
            Jump::Goto(_) | Jump::GotoIf(..) => return Err(Refused::Structured),
            Jump::Return | Jump::Halt | Jump::Trap | Jump::Unreachable => None,
            Jump::Break | Jump::Continue => {
                let around = self.loop_around(node).ok_or(Refused::NoLoop(block))?;
                self.loop_target(Some(around), jump)
            }
        };
        if self.next(node).is_some() {
            return Err(Refused::NotLast(block));
        }
        match target {
            Some(target) => self.fits(target, args)?,
            None if !args.is_empty() => {
                return Err(Refused::Arguments { target: block, expected: 0, found: args.len() });
            }
            None => {}
        }
        self.jumps[block] = Some(jump);
        self.function.blocks[block].terminator = Terminator::Unreachable;
        self.relink(block, args);
        Ok(())
    }

    /// Takes a block's jump away: it goes on to what is next.
    pub fn remove_jump(&mut self, block: Block) -> Result<(), Refused> {
        self.standing_block(block)?;
        self.is_structured().then_some(()).ok_or(Refused::Unstructured)?;
        if self.jumps[block].take().is_none() {
            return Err(Refused::NoJump(block));
        }
        self.function.blocks[block].terminator = Terminator::Unreachable;
        self.relink(block, &[]);
        Ok(())
    }

    /// A parameter, with the argument of each predecessor.
    pub fn add_param(&mut self, block: Block, ty: Type, args: &[(Block, Value)]) -> Result<Value, Refused> {
        self.standing_block(block)?;
        if self.structured && self.owner_of_params(block).is_none() || block == self.function.entry {
            return Err(Refused::NoPhi(block));
        }
        args.iter().try_for_each(|&(_, value)| self.typed(value, ty))?;
        let preds = self.preds(block);
        let each_once = preds.iter().all(|pred| args.iter().filter(|(from, _)| from == pred).count() == 1);
        if !each_once || preds.len() != args.len() {
            return Err(Refused::Arguments { target: block, expected: preds.len(), found: args.len() });
        }
        let param = self.function.add_param(block, ty);
        for &(from, value) in args {
            for edge in self.function.blocks[from].terminator.edges_mut() {
                if edge.block == block {
                    edge.args.push(value);
                }
            }
        }
        Ok(param)
    }

    /// Removes a parameter; its uses become undefined bits.
    pub fn remove_param(&mut self, block: Block, index: usize) -> Result<(), Refused> {
        self.standing_block(block)?;
        let params = &self.function.blocks[block].params;
        let param = *params.get(index).ok_or(Refused::NoSuchParam(block, index))?;
        self.function.remove_param(block, index);
        self.forget(&[param]);
        Ok(())
    }

    /// Another condition of an `If`.
    pub fn set_condition(&mut self, node: Node, value: Value) -> Result<(), Refused> {
        self.typed(value, Type::I1)?;
        match self.standing_kind(node)? {
            NodeKind::If { condition, .. } => *condition = value,
            _ => return Err(Refused::NotANode(node)),
        }
        if let Some(before) = self.previous(node).and_then(|node| self.block_of(node)) {
            self.relink(before, &[]);
        }
        Ok(())
    }

    /// The hint of an `If`.
    pub fn set_selection(&mut self, node: Node, hint: SelectionControl) -> Result<(), Refused> {
        match self.standing_kind(node)? {
            NodeKind::If { control, .. } => *control = hint,
            _ => return Err(Refused::NotANode(node)),
        }
        Ok(())
    }

    /// The hint of a `Loop`, and whether it was unrolled on a guess.
    pub fn set_loop(&mut self, node: Node, hint: LoopControl, partially: bool) -> Result<(), Refused> {
        match self.standing_kind(node)? {
            NodeKind::Loop { control, partially_unrolled, .. } => {
                (*control, *partially_unrolled) = (hint, partially);
            }
            _ => return Err(Refused::NotANode(node)),
        }
        Ok(())
    }

    /// The mark of an `If` or `Loop`.
    pub fn mark(&mut self, node: Node, mark: bool) -> Result<(), Refused> {
        match self.standing_kind(node)? {
            NodeKind::If { divergent, .. } | NodeKind::Loop { divergent, .. } => *divergent = mark,
            _ => return Err(Refused::NotANode(node)),
        }
        Ok(())
    }

    /// Replaces every use of a value, conditions included.
    pub fn replace_uses(&mut self, old: Value, new: Value) -> Result<(), Refused> {
        self.known(old)?;
        self.typed(new, self.ty(old))?;
        let mut map = SecondaryMap::new();
        if old != new {
            map[old] = Some(new);
            self.replace_all(&map);
        }
        Ok(())
    }

    /// Replaces uses by a map, which must not be cyclic.
    pub(super) fn replace_all(&mut self, map: &SecondaryMap<Value, Option<Value>>) {
        self.function.replace_all(map);
        let follow = |value: &mut Value| {
            while let Some(next) = map[*value] {
                *value = next;
            }
        };
        for data in self.nodes.values_mut() {
            if let NodeKind::If { condition, .. } = &mut data.kind {
                follow(condition);
            }
        }
        for block in self.function.blocks.keys() {
            if let Some(Jump::GotoIf(condition, ..)) = &mut self.jumps[block] {
                follow(condition);
            }
            if let Some(args) = &mut self.waiting[block] {
                args.iter_mut().for_each(follow);
            }
        }
    }

    /// Uses of these values become undefined bits, defined in the start block, where they are used at all.
    pub(super) fn forget(&mut self, values: &[Value]) {
        if values.is_empty() {
            return;
        }
        let mut used: SecondaryMap<Value, bool> = SecondaryMap::new();
        let mut see = |value: Value| used[value] = true;
        for (block, data) in self.function.blocks.iter() {
            data.insts.iter().for_each(|&inst| self.function.insts[inst].for_each_use(&mut see));
            data.terminator.for_each_use(&mut see);
            self.waiting[block].iter().flatten().for_each(|&value| see(value));
        }
        for data in self.nodes.values().filter(|data| data.alive) {
            if let NodeKind::If { condition, .. } = data.kind {
                see(condition);
            }
        }
        let mut map = SecondaryMap::new();
        let entry = self.function.entry;
        for &value in values.iter().filter(|&&value| used[value]) {
            let ty = self.ty(value);
            let inst = self.function.insert(entry, 0, Op::Undef, &[], &[ty], 0);
            self.placed[inst] = Some(entry);
            map[value] = Some(self.function.insts[inst].results[0]);
        }
        self.replace_all(&map);
    }

    /// The value exists and stands somewhere.
    fn known(&self, value: Value) -> Result<(), Refused> {
        let data = self.function.values.get(value).ok_or(Refused::NoSuchValue(value))?;
        let defined = match data.def {
            ValueDef::Result(inst, _) => self.placed[inst].is_some(),
            ValueDef::Param(block, index) => {
                self.function.blocks[block].params.get(usize::from(index)) == Some(&value)
            }
        };
        defined.then_some(()).ok_or(Refused::NoSuchValue(value))
    }

    pub(super) fn typed(&self, value: Value, ty: Type) -> Result<(), Refused> {
        self.known(value)?;
        (self.ty(value) == ty).then_some(()).ok_or(Refused::Type(value))
    }

    /// The arguments fit the parameters of the target.
    pub(super) fn fits(&self, target: Block, args: &[Value]) -> Result<(), Refused> {
        args.iter().try_for_each(|&value| self.known(value))?;
        let params = &self.function.blocks[target].params;
        let same = params.len() == args.len()
            && params.iter().zip(args).all(|(&param, &arg)| self.ty(param) == self.ty(arg));
        same.then_some(()).ok_or(Refused::Arguments { target, expected: params.len(), found: args.len() })
    }

    pub(super) fn standing_block(&self, block: Block) -> Result<Node, Refused> {
        let node = self.of_block[block].ok_or(Refused::NoSuchBlock(block))?;
        self.standing(node)?;
        Ok(node)
    }

    fn standing_kind(&mut self, node: Node) -> Result<&mut NodeKind, Refused> {
        self.kind(node).ok_or(Refused::NoSuchNode(node))?;
        self.standing(node)?;
        Ok(&mut self.nodes[node].kind)
    }

    /// All parts of a node's lists.
    pub fn lists(&self, node: Node) -> Vec<List> {
        let parts: &[Part] = self.kind(node).map_or(&[], NodeKind::parts);
        parts.iter().map(|&part| List { owner: node, part }).collect()
    }
}
