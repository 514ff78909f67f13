//! Basic blocks of the flat list, what they read and write, and which variables are live into them.
//!
//! A *variable* here is what SSA values are made from: a register of an instance, the carry flag, or a piece of the storage of a
//! call's parameter. They are numbered densely.

use crate::error::Error;
use crate::flatten::{Flat, Given, Item, Target};
use crate::refusal::Refusal;
use crate::stack::SiteBlocks;
use rustc_hash::FxHashMap;
use sassafras_graph::{BitSet, ControlFlow, Entity, Graph, SecondaryMap};
use sassafras_ptx::checked::{AddressBase, Guard, Inst, Op, Operand};
use std::collections::{BTreeMap, BTreeSet};

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
    /// By block: live into it, in rising order.
    pub live_in: SecondaryMap<FlatBlock, Vec<u32>>,
    /// Pieces of parameter storage, none of which overlap: (storage, byte offset) to variable and bytes.
    slots: Slots,
    /// The variable of the carry flag.
    pub carry: u32,
    /// The variable of the stack of activations.
    pub stack: u32,
    /// By site.
    sites: Vec<SiteBlocks>,
    /// By site: variables that the activation leaves as the caller wants them.
    kept: Vec<BitSet>,
}

/// Pieces of parameter storage, in order.
type Slots = BTreeMap<(u32, i64), (u32, u32)>;

impl Flow {
    /// The pieces that an access covers, as variable, byte offset within the access, and bytes.
    pub fn atoms(&self, (storage, offset, bytes): (u32, i64, u32)) -> Vec<(u32, u32, u32)> {
        atoms(&self.slots, storage, offset, bytes)
    }

    /// Bytes of a variable beyond the carry flag.
    pub fn slot_bytes(&self, variable: u32) -> Option<u32> {
        self.slots.values().find(|(v, _)| *v == variable).map(|(_, bytes)| *bytes)
    }

    /// What a site puts aside: what is live behind it, but for results and the stack.
    pub fn saved(&self, site: usize) -> Vec<u32> {
        let live = self.live_in[self.sites[site].rest].iter().copied();
        live.filter(|&v| !self.kept[site].contains(v as usize)).collect()
    }
}

fn atoms(slots: &Slots, storage: u32, offset: i64, bytes: u32) -> Vec<(u32, u32, u32)> {
    let range = (storage, offset)..(storage, offset + i64::from(bytes));
    slots.range(range).map(|(&(_, at), &(v, size))| (v, (at - offset) as u32, size)).collect()
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
            | Op::CopyArrive
            | Op::BulkCopy
            | Op::BulkReduce
            | Op::StAsync
            | Op::RedAsync
            | Op::FenceProxy
            | Op::FenceInit
            | Op::Setmaxnreg
            | Op::ClusterBarrier
            | Op::Wgmma
            | Op::Tensor
            | Op::TensorPrefetch
            | Op::TensorReduce
            | Op::Sust
            | Op::Sured
    )
}

/// Whether an instruction of the barrier family has a result.
pub(crate) fn barrier_has_result(inst: &Inst) -> bool {
    inst.mods.bool_op.is_some() || inst.mods.mode == Some("red")
}

/// Calls `read` and `write` for every register operand.
fn registers(inst: &Inst, read: &mut dyn FnMut(u32), write: &mut dyn FnMut(u32)) {
    let barrier = matches!(inst.op, Op::Bar | Op::Barrier);
    let first_written = match inst.op {
        _ if barrier => barrier_has_result(inst),
        Op::Mbarrier => !inst
            .mods
            .words
            .first()
            .is_some_and(|w| matches!(*w, "init" | "inval" | "expect_tx" | "complete_tx")),
        op => writes_first(op),
    };
    for (i, operand) in inst.operands.iter().enumerate() {
        if i == 0 && inst.op == Op::Wgmma {
            // Accumulators, read below.
            walk(operand, write);
        }
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
        Operand::Register(r) | Operand::NotRegister(r) | Operand::Pieces(r, _) => f(r.0),
        Operand::Negated(inner) => walk(inner, f),
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

/// What an item reads and writes, as variables. What waits on the stack is seen to by [`flow`].
struct Access<'f, 'a> {
    flat: &'f Flat<'a>,
    slots: Slots,
    carry: u32,
    stack: u32,
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
                for (storage, offset, bytes) in pieces(self.flat, *instance, inst).unwrap_or_default() {
                    for (variable, ..) in atoms(&self.slots, storage, offset, bytes) {
                        if inst.op == Op::St {
                            write(variable);
                        }
                        if inst.op == Op::Ld || inst.guard.is_some() {
                            read(variable);
                        }
                    }
                }
                if self.flat.instances[*instance].activation.is_some() {
                    // A local variable lies in the frame.
                    read(self.stack);
                }
            }
            Item::Copy { to, from: (instance, from), .. } => {
                match from {
                    Given::Operand(operand) => walk(operand, &mut |r| read(register((*instance, r)))),
                    Given::Register(r) => read(register((*instance, r.0))),
                }
                write(register((to.0, to.1.0)));
            }
            Item::Pass { storage, ty, from: (instance, operand), .. } => {
                walk(operand, &mut |r| read(register((*instance, r))));
                let bytes = ty.width().div_ceil(8);
                atoms(&self.slots, *storage, 0, bytes).iter().for_each(|(v, ..)| write(*v));
            }
            Item::Take { to, storage, ty, .. } => {
                let bytes = ty.width().div_ceil(8);
                atoms(&self.slots, *storage, 0, bytes).iter().for_each(|(v, ..)| read(*v));
                write(register((to.0, to.1.0)));
            }
            Item::System { call, arguments, result, .. } => {
                for (&storage, bits) in arguments.iter().zip(call.parameters()) {
                    atoms(&self.slots, storage, 0, bits / 8).iter().for_each(|(v, ..)| read(*v));
                }
                if let (Some(storage), Some(bits)) = (*result, call.result()) {
                    atoms(&self.slots, storage, 0, bits / 8).iter().for_each(|(v, ..)| write(*v));
                }
            }
            Item::Goto { guard: g, .. } | Item::End { guard: g, .. } => {
                if let Some(variable) = guard(g) {
                    read(variable);
                }
            }
            Item::Switch { index: (instance, operand), .. } => {
                walk(operand, &mut |r| read(register((*instance, r))));
            }
            Item::Move { from, to } => {
                for (from, to) in moved(&self.slots, *from, *to) {
                    read(from);
                    write(to);
                }
            }
            Item::Save { .. } | Item::Return { .. } => read(self.stack),
            Item::Enter { .. } | Item::Resume { .. } => {
                read(self.stack);
                write(self.stack);
            }
        }
    }
}

/// The pieces of one storage with those of another that has the same.
fn moved(slots: &Slots, from: u32, to: u32) -> Vec<(u32, u32)> {
    let of = |storage| slots.range((storage, i64::MIN)..=(storage, i64::MAX));
    of(to).filter_map(|(&(_, at), &(v, _))| Some((slots.get(&(from, at))?.0, v))).collect()
}

impl Flow {
    /// The pieces of one storage with those of another that has the same.
    pub fn moved(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        moved(&self.slots, from, to)
    }
}

/// Finds blocks, variables and liveness.
pub(crate) fn flow(flat: &Flat, errors: &mut Vec<Error>) -> Flow {
    let carry = flat.registers;
    let slots = slots(flat, carry + 1, errors);
    let stack = carry + 1 + slots.len() as u32;
    let access = Access { flat, slots, carry, stack };
    let (parts, graph) = parts(flat);
    let count = stack as usize + 1;
    let (sites, kept) = sites(flat, &parts, &access, count);
    let resumed: FxHashMap<FlatBlock, usize> = sites.iter().enumerate().map(|(n, s)| (s.resume, n)).collect();
    let follows: FxHashMap<FlatBlock, (FlatBlock, usize)> =
        sites.iter().enumerate().map(|(n, s)| (s.rest, (s.save, n))).collect();

    // By block: what it writes, in rising order. By variable: blocks that read it before they write it.
    let mut defs: SecondaryMap<FlatBlock, Vec<u32>> = SecondaryMap::new();
    let mut wanted: Vec<(u32, FlatBlock)> = Vec::new();
    let mut last_write = vec![usize::MAX; count];
    for (i, part) in parts.iter().enumerate() {
        let block = FlatBlock::from_index(i);
        for item in &flat.items[part.first..part.last] {
            let mut written = Vec::new();
            access.item(
                item,
                &mut |v| {
                    if last_write[v as usize] != i {
                        wanted.push((v, block));
                    }
                },
                &mut |v| written.push(v),
            );
            for v in written {
                if std::mem::replace(&mut last_write[v as usize], i) != i {
                    defs[block].push(v);
                }
            }
        }
        defs[block].sort_unstable();
    }
    wanted.sort_unstable();
    wanted.dedup();

    // From each use back to where the variable is written. A block at which an activation goes on gets all but results and the
    // stack from the stack, to which the block that saves puts what is live behind.
    let reached: BitSet =
        sassafras_graph::order::reverse_post_order(&graph).iter().map(|block| block.index()).collect();
    let mut live_in: SecondaryMap<FlatBlock, Vec<u32>> = SecondaryMap::new();
    let mut work = Vec::new();
    for (v, block) in wanted {
        work.push(block);
        while let Some(block) = work.pop() {
            let restored = resumed.get(&block).is_some_and(|&site| !kept[site].contains(v as usize));
            if restored || live_in[block].last() == Some(&v) || !reached.contains(block.index()) {
                continue;
            }
            live_in[block].push(v);
            if let Some(&(save, site)) = follows.get(&block)
                && !kept[site].contains(v as usize)
            {
                work.push(save);
            }
            work.extend(graph.preds(block).into_iter().filter(|&pred| defs[pred].binary_search(&v).is_err()));
        }
    }
    Flow { parts, graph, live_in, slots: access.slots, carry, stack, sites, kept }
}

/// The blocks of each site, and what its activation leaves.
fn sites(flat: &Flat, parts: &[Part], access: &Access, count: usize) -> (Vec<SiteBlocks>, Vec<BitSet>) {
    let at = |item: usize| {
        FlatBlock::from_index(parts.partition_point(|part| part.first <= item).saturating_sub(1))
    };
    let mut saves = vec![0; flat.sites.len()];
    for (i, item) in flat.items.iter().enumerate() {
        if let Item::Save { site, .. } = item {
            saves[*site] = i;
        }
    }
    let blocks = flat.sites.iter().zip(saves).map(|(site, save)| SiteBlocks {
        save: at(save),
        resume: at(site.resume),
        rest: at(site.resume + 1),
    });
    let kept = flat.sites.iter().map(|site| {
        let mut set = BitSet::new(count);
        set.insert(access.stack as usize);
        let (storages, registers) = flat.results(site.instance);
        registers.into_iter().for_each(|v| {
            set.insert(v as usize);
        });
        for storage in storages {
            for (_, (v, _)) in access.slots.range((storage, i64::MIN)..=(storage, i64::MAX)) {
                set.insert(*v as usize);
            }
        }
        set
    });
    (blocks.collect(), kept.collect())
}

/// Numbers the pieces of parameter storage: cut wherever an access begins or ends, so that each access covers whole ones. Storages that are
/// copied to one another are cut alike.
fn slots(flat: &Flat, first: u32, errors: &mut Vec<Error>) -> Slots {
    let mut ranges: BTreeMap<u32, BTreeSet<(i64, i64)>> = BTreeMap::new();
    let mut links = Vec::new();
    for item in &flat.items {
        let pieces = match item {
            Item::Inst { instance, inst } => pieces(flat, *instance, inst).unwrap_or_default(),
            Item::Pass { storage, ty, .. } | Item::Take { storage, ty, .. } => {
                vec![(*storage, 0, ty.width().div_ceil(8))]
            }
            Item::System { call, arguments, result, .. } => {
                let given = arguments.iter().copied().zip(call.parameters().iter().copied());
                let all = given.chain(result.iter().copied().zip(call.result()));
                all.map(|(storage, bits)| (storage, 0, bits / 8)).collect()
            }
            Item::Move { from, to } => {
                links.push((*from, *to));
                continue;
            }
            _ => continue,
        };
        for (storage, offset, bytes) in pieces {
            ranges.entry(storage).or_default().insert((offset, offset + i64::from(bytes)));
        }
    }
    loop {
        let mut grown = false;
        for &(a, b) in &links {
            for (from, to) in [(a, b), (b, a)] {
                let theirs = ranges.get(&from).cloned().unwrap_or_default();
                let mine = ranges.entry(to).or_default();
                let before = mine.len();
                mine.extend(theirs);
                grown |= mine.len() != before;
            }
        }
        if !grown {
            break;
        }
    }
    let mut slots = Slots::new();
    for (storage, ranges) in ranges {
        let cuts: BTreeSet<i64> = ranges.iter().flat_map(|(start, end)| [*start, *end]).collect();
        for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
            if !ranges.iter().any(|(from, to)| *from <= start && end <= *to) {
                continue;
            }
            // Pieces are powers of two, at multiples of their size.
            let mut at = start;
            while at < end {
                let mut bytes = 16;
                while at % bytes != 0 || at + bytes > end {
                    bytes /= 2;
                }
                let next = first + slots.len() as u32;
                slots.insert((storage, at), (next, bytes as u32));
                at += bytes;
            }
        }
    }
    if slots.len() > MOST_PIECES {
        errors.push(Error::named("call", Refusal::LargeCalls("the parameters of calls are too large")));
        slots.clear();
    }
    slots
}

/// Pieces of parameters that a kernel's calls may have.
const MOST_PIECES: usize = 1 << 20;

fn parts(flat: &Flat) -> (Vec<Part>, Graph<FlatBlock>) {
    let count = flat.items.len();
    let mut leader = vec![false; count + 1];
    leader[0] = true;
    for (i, item) in flat.items.iter().enumerate() {
        let targets: Vec<usize> = match item {
            Item::Goto { target, .. } => vec![flat.resolve(*target)],
            Item::Switch { targets, .. } => targets.iter().map(|t| flat.resolve(*t)).collect(),
            Item::End { .. } => Vec::new(),
            Item::Enter { site, .. } => vec![flat.resolve(Target::StartOf(flat.sites[*site].instance))],
            Item::Return { instance } => flat.entered(*instance),
            // A block of its own, before which the caller's values are put aside; and one in which they come back.
            Item::Save { .. } => {
                leader[i] = true;
                continue;
            }
            Item::Resume { .. } => Vec::new(),
            Item::Move { .. } => continue,
            Item::Inst { .. }
            | Item::Copy { .. }
            | Item::Pass { .. }
            | Item::Take { .. }
            | Item::System { .. } => continue,
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
            Some(Item::Enter { site, .. }) => {
                Leave::Next(block_at[flat.resolve(Target::StartOf(flat.sites[*site].instance))])
            }
            Some(Item::Return { instance }) => {
                Leave::Switch(flat.entered(*instance).into_iter().map(|at| block_at[at]).collect())
            }
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
