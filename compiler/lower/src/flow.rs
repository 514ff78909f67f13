//! Basic blocks of the flat list, what they read and write, and which variables are live into them.
//!
//! A *variable* here is what SSA values are made from: a register of an instance, the carry flag, or a piece of the storage of a
//! call's parameter. They are numbered densely.

use crate::error::Error;
use crate::flatten::{Flat, Given, Item};
use rustc_hash::FxHashMap;
use sassafras_graph::{BitSet, ControlFlow, Entity, Graph, SecondaryMap};
use sassafras_ptx::checked::{AddressBase, Guard, Inst, Op, Operand};

sassafras_graph::entity!(FlatBlock, "f", "A basic block of the flat list.");

/// How control leaves a block.
pub(crate) enum Leave {
    /// Falls into the block.
    Next(FlatBlock),
    /// Branches on a guard.
    Branch { guard: (usize, Guard), then: FlatBlock, otherwise: FlatBlock },
    /// As the last item, a switch, says.
    Switch(Vec<FlatBlock>),
    /// The thread ends.
    End { trap: bool },
}

/// A basic block: a range of items; the last may be a jump.
pub(crate) struct Part {
    pub first: usize,
    pub last: usize,
    pub leave: Leave,
}

/// The blocks of a list and the liveness of its variables.
pub(crate) struct Flow {
    pub parts: Vec<Part>,
    pub graph: Graph<FlatBlock>,
    /// By block: live into it.
    pub live_in: SecondaryMap<FlatBlock, Option<BitSet>>,
    /// Pieces of parameter storage: (storage, byte offset) to variable and bytes.
    pub slots: FxHashMap<(u32, i64), (u32, u32)>,
    /// The variable of the carry flag.
    pub carry: u32,
}

/// Whether the first operand is written.
fn writes_first(op: Op) -> bool {
    !matches!(
        op,
        Op::St
            | Op::Red
            | Op::Membar
            | Op::Fence
            | Op::Prefetch
            | Op::Prefetchu
            | Op::Nanosleep
            | Op::Pmevent
            | Op::Discard
            | Op::Applypriority
            | Op::Brkpt
            | Op::CpAsync
            | Op::Griddepcontrol
    )
}

/// Whether an instruction of the barrier family has a result.
pub(crate) fn barrier_has_result(inst: &Inst) -> bool {
    inst.mods.bool_op.is_some() || inst.mods.mode == Some("red")
}

/// Calls `read` and `write` for every register operand.
fn registers(inst: &Inst, read: &mut dyn FnMut(u32), write: &mut dyn FnMut(u32)) {
    let barrier = matches!(inst.op, Op::Bar | Op::Barrier);
    let first_written = if barrier { barrier_has_result(inst) } else { writes_first(inst.op) };
    for (i, operand) in inst.operands.iter().enumerate() {
        if i == 0 && first_written {
            walk(operand, write);
            // A guarded or partial write keeps the old value.
            if inst.guard.is_some() {
                walk(operand, read);
            }
        } else {
            walk(operand, read);
        }
    }
    if let Some(guard) = inst.guard {
        read(guard.register.0);
    }
}

fn walk(operand: &Operand, f: &mut dyn FnMut(u32)) {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) => f(r.0),
        Operand::Address(AddressBase::Register(r), _) => f(r.0),
        Operand::Vector(items) => items.iter().for_each(|o| walk(o, f)),
        Operand::Pair(a, b) => {
            walk(a, f);
            walk(b, f);
        }
        Operand::List(items) => items.iter().for_each(|o| walk(o, f)),
        _ => {}
    }
}

/// The storage pieces that a load or store of parameters touches: storage, offset and bytes of each element.
pub(crate) fn pieces(flat: &Flat, instance: usize, inst: &Inst) -> Option<Vec<(u32, i64, u32)>> {
    if !matches!(inst.op, Op::Ld | Op::St) {
        return None;
    }
    let address = inst.operands.iter().find(|o| matches!(o, Operand::Address(..)))?;
    let Operand::Address(base, offset) = address else { return None };
    let storage = flat.storage(instance, *base)?;
    let bytes = inst.types.first()?.width().div_ceil(8);
    let lanes = i64::from(inst.mods.lanes());
    Some((0..lanes).map(|i| (storage, offset + i * i64::from(bytes), bytes)).collect())
}

fn carry_used(inst: &Inst) -> (bool, bool) {
    (matches!(inst.op, Op::Addc | Op::Subc | Op::Madc), inst.mods.carry_out)
}

/// What an item reads and writes, as variables.
struct Access<'f, 'a> {
    flat: &'f Flat<'a>,
    slots: FxHashMap<(u32, i64), (u32, u32)>,
    carry: u32,
}

impl Access<'_, '_> {
    fn item(&self, item: &Item, read: &mut dyn FnMut(u32), write: &mut dyn FnMut(u32)) {
        let register = |(instance, r): (usize, u32)| self.flat.instances[instance].base + r;
        let guard = |g: &Option<(usize, Guard)>| g.map(|(i, g)| register((i, g.register.0)));
        match item {
            Item::Inst { instance, inst } => {
                registers(inst, &mut |r| read(register((*instance, r))), &mut |r| {
                    write(register((*instance, r)))
                });
                let (reads, writes) = carry_used(inst);
                if reads || writes && inst.guard.is_some() {
                    read(self.carry);
                }
                if writes {
                    write(self.carry);
                }
                for (storage, offset, _) in pieces(self.flat, *instance, inst).unwrap_or_default() {
                    let Some(&(variable, _)) = self.slots.get(&(storage, offset)) else { continue };
                    if inst.op == Op::St {
                        write(variable);
                    }
                    if inst.op == Op::Ld || inst.guard.is_some() {
                        read(variable);
                    }
                }
            }
            Item::Copy { to, from: (instance, from), .. } => {
                match from {
                    Given::Operand(operand) => walk(operand, &mut |r| read(register((*instance, r)))),
                    Given::Register(r) => read(register((*instance, r.0))),
                }
                write(register((to.0, to.1.0)));
            }
            Item::Pass { storage, from: (instance, operand), .. } => {
                walk(operand, &mut |r| read(register((*instance, r))));
                if let Some(&(variable, _)) = self.slots.get(&(*storage, 0)) {
                    write(variable);
                }
            }
            Item::Take { to, storage, .. } => {
                if let Some(&(variable, _)) = self.slots.get(&(*storage, 0)) {
                    read(variable);
                }
                write(register((to.0, to.1.0)));
            }
            Item::Goto { guard: g, .. } | Item::End { guard: g, .. } => {
                if let Some(variable) = guard(g) {
                    read(variable);
                }
            }
            Item::Switch { index: (instance, operand), .. } => {
                walk(operand, &mut |r| read(register((*instance, r))));
            }
        }
    }
}

/// Finds blocks, variables and liveness.
pub(crate) fn flow(flat: &Flat, errors: &mut Vec<Error>) -> Flow {
    let carry = flat.registers;
    let slots = slots(flat, carry + 1, errors);
    let access = Access { flat, slots, carry };
    let (parts, graph) = parts(flat);
    let count = carry as usize + 1 + access.slots.len();

    let mut uses: SecondaryMap<FlatBlock, Option<BitSet>> = SecondaryMap::new();
    let mut defs: SecondaryMap<FlatBlock, Option<BitSet>> = SecondaryMap::new();
    for (i, part) in parts.iter().enumerate() {
        let (mut used, mut defined) = (BitSet::new(count), BitSet::new(count));
        for item in &flat.items[part.first..part.last] {
            let mut written = Vec::new();
            access.item(
                item,
                &mut |v| {
                    if !defined.contains(v as usize) {
                        used.insert(v as usize);
                    }
                },
                &mut |v| written.push(v),
            );
            written.into_iter().for_each(|v| {
                defined.insert(v as usize);
            });
        }
        let block = FlatBlock::from_index(i);
        uses[block] = Some(used);
        defs[block] = Some(defined);
    }

    // Backward until nothing changes; a block is looked at again when a successor's set grew.
    let mut live_in: SecondaryMap<FlatBlock, Option<BitSet>> = SecondaryMap::new();
    let mut work: Vec<FlatBlock> = sassafras_graph::order::reverse_post_order(&graph);
    let mut queued = vec![false; parts.len()];
    work.iter().for_each(|b| queued[b.index()] = true);
    while let Some(block) = work.pop() {
        queued[block.index()] = false;
        let mut live = uses[block].clone().unwrap_or_else(|| BitSet::new(count));
        for succ in graph.succs(block) {
            if let Some(after) = &live_in[succ] {
                for v in after.iter() {
                    if !defs[block].as_ref().is_some_and(|d| d.contains(v)) {
                        live.insert(v);
                    }
                }
            }
        }
        if live_in[block].as_ref() != Some(&live) {
            live_in[block] = Some(live);
            for pred in graph.preds(block) {
                if !std::mem::replace(&mut queued[pred.index()], true) {
                    work.push(pred);
                }
            }
        }
    }
    Flow { parts, graph, live_in, slots: access.slots, carry }
}

/// Numbers the pieces of parameter storage. Pieces that overlap without being equal are an error.
fn slots(flat: &Flat, first: u32, errors: &mut Vec<Error>) -> FxHashMap<(u32, i64), (u32, u32)> {
    let mut slots: FxHashMap<(u32, i64), (u32, u32)> = FxHashMap::default();
    let mut all: std::collections::BTreeMap<(u32, i64), u32> = Default::default();
    for item in &flat.items {
        let (inst, pieces) = match item {
            Item::Inst { instance, inst } => (inst, pieces(flat, *instance, inst).unwrap_or_default()),
            Item::Pass { storage, ty, inst, .. } | Item::Take { storage, ty, inst, .. } => {
                (inst, vec![(*storage, 0, ty.width().div_ceil(8))])
            }
            _ => continue,
        };
        for (storage, offset, bytes) in pieces {
            let next = first + slots.len() as u32;
            let slot = slots.entry((storage, offset)).or_insert((next, bytes));
            all.insert((storage, offset), bytes);
            if slot.1 != bytes {
                errors.push(Error::at(
                    inst,
                    "accesses of different sizes to one parameter of a call are not supported",
                ));
            }
        }
    }
    for (a, b) in all.iter().zip(all.iter().skip(1)) {
        if a.0.0 == b.0.0 && a.0.1 + i64::from(*a.1) > b.0.1 {
            errors.push(Error::named(
                "call",
                "overlapping accesses to one parameter of a call are not supported",
            ));
        }
    }
    slots
}

fn parts(flat: &Flat) -> (Vec<Part>, Graph<FlatBlock>) {
    let count = flat.items.len();
    let mut leader = vec![false; count + 1];
    leader[0] = true;
    for (i, item) in flat.items.iter().enumerate() {
        let targets: Vec<usize> = match item {
            Item::Goto { target, .. } => vec![flat.resolve(*target)],
            Item::Switch { targets, .. } => targets.iter().map(|t| flat.resolve(*t)).collect(),
            Item::End { .. } => Vec::new(),
            Item::Inst { .. } | Item::Copy { .. } | Item::Pass { .. } | Item::Take { .. } => continue,
        };
        leader[i + 1] = true;
        targets.into_iter().for_each(|t| leader[t] = true);
    }
    // The place after the last item is a block of its own: the thread ends there.
    leader[count] = true;
    let starts: Vec<usize> = (0..=count).filter(|&i| leader[i]).collect();
    let mut block_at = vec![FlatBlock::from_index(0); count + 1];
    for (b, &start) in starts.iter().enumerate() {
        block_at[start] = FlatBlock::from_index(b);
    }
    let mut parts = Vec::new();
    let mut edges = Vec::new();
    for (b, &first) in starts.iter().enumerate() {
        let last = starts.get(b + 1).copied().unwrap_or(count);
        let this = FlatBlock::from_index(b);
        let next = || FlatBlock::from_index(b + 1);
        let leave = match flat.items[first..last].last() {
            _ if first == count => Leave::End { trap: false },
            Some(Item::Goto { guard, target, .. }) => {
                let then = block_at[flat.resolve(*target)];
                match *guard {
                    Some(guard) => Leave::Branch { guard, then, otherwise: next() },
                    None => Leave::Next(then),
                }
            }
            Some(Item::Switch { targets, .. }) => {
                Leave::Switch(targets.iter().map(|t| block_at[flat.resolve(*t)]).collect())
            }
            // A guarded end is a branch to a block of its own, made by the context.
            Some(Item::End { guard: None, trap, .. }) => Leave::End { trap: *trap },
            _ => Leave::Next(next()),
        };
        match &leave {
            Leave::Next(to) => edges.push((this, *to)),
            Leave::Branch { then, otherwise, .. } => edges.extend([(this, *then), (this, *otherwise)]),
            Leave::Switch(targets) => edges.extend(targets.iter().map(|&to| (this, to))),
            Leave::End { .. } => {}
        }
        parts.push(Part { first, last, leave });
    }
    let graph = Graph::new(FlatBlock::from_index(0), parts.len(), edges);
    (parts, graph)
}
