//! What all lanes of a warp agree on, from the instructions alone: marks of branches are claims that are judged here, not believed.
//!
//! Each register's reaching definition is followed along every path; where different ones meet, the meeting is a definition of its
//! own. Levels of definitions, by fixed point from the lowest:
//! - *fixed*: the same whenever a lane of the warp computes it (constants, parameters, the block's index);
//! - *agreed*: lanes that compute it together get the same;
//! - *apart*: each lane may have its own. So is what a meeting of definitions gives in the region of a branch that lanes part at: lanes
//!   then bring different ones. At the region's end it is so when different ones come out of the region: lanes that come by other ways, such
//!   as around a loop that starts there, have been together since they met.
//!
//! A branch's *region* are the blocks on ways from behind it to its nearest post-dominator, by search. Ways to a block that does nothing
//! but end the thread do not count: nobody runs on there. Lanes that wait for the whole warp within do not meet at its end: their
//! region is all that is reached.

use super::converge::waits_for_all;
use super::{always, kind};
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::abi;
use sassafras_graph::Entity;
use sassafras_isa::{
    Access, ControlFlowKind as K, FieldKind, Inst, Meaning, MemoryKind, MemorySpace, Pipe, RegClass, special,
};
use sassafras_machine::{Block, Function, MInst, Position, Reg};

/// What lanes agree on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Fixed,
    Agreed,
    Apart,
}

/// A register, or a word of the spill area, as (0 to 4, number).
type Name = (u8, u32);
/// A definition.
type Def = usize;

/// The general register that is always zero, and the predicate that is always true.
const RZ: u32 = 255;
const PT: u32 = 7;

/// Registers that a routine's arguments take, at most.
const ARGUMENTS: u32 = 4;

/// Never written: any value.
const NOTHING: Def = 0;

/// The names that an operand spans.
fn names(class: RegClass, reg: Reg, units: u8) -> impl Iterator<Item = Name> {
    let first = match reg {
        Reg::Physical(number) => Some(u32::from(number)),
        Reg::Virtual(..) => None,
    };
    first
        .into_iter()
        .flat_map(move |first| (0..u32::from(units)).map(move |unit| (class as u8, first + unit)))
}

/// The words of the spill area that a load or store of the frame accesses.
fn slots(f: &Function, inst: &Inst) -> Option<Vec<Name>> {
    let memory = inst.row().memory.filter(|memory| memory.space == MemorySpace::Local)?;
    let plain = matches!(memory.kind, MemoryKind::Load | MemoryKind::Store) && inst.get("a") == Some(1);
    let offset = u32::try_from(inst.get("o")?).ok().filter(|&o| plain && o >= f.frame.spill_offset())?;
    let words = match inst.enum_text("sz") {
        Some(".64") => 2,
        Some(".128") => 4,
        _ => 1,
    };
    Some((0..words).map(|word| (u8::MAX, offset / 4 + word)).collect())
}

/// One step: what it reads and writes, and the least level of what it gives.
struct Step {
    at: (Block, usize),
    reads: Vec<Name>,
    guard: Vec<Name>,
    writes: Vec<Name>,
    least: Level,
    /// Whether its results are the same in all lanes that execute it, whatever they bring.
    gathers: bool,
    /// Whether its predicate is true in one lane: what it writes elsewhere is that lane's number.
    elects: bool,
    /// Whether the old values stay where the guard is false.
    keeps: bool,
}

fn step(f: &Function, at: (Block, usize), inst: &MInst) -> Step {
    let mut step = Step {
        at,
        reads: Vec::new(),
        guard: Vec::new(),
        writes: Vec::new(),
        least: Level::Fixed,
        gathers: false,
        elects: false,
        keeps: !always(inst),
    };
    for operand in inst.operands() {
        let all = names(operand.class, operand.reg, operand.units);
        match (operand.position, operand.access) {
            (Position::Guard, _) => step.guard.extend(all),
            (Position::Tied(_), _) => {}
            (_, Access::Read) => step.reads.extend(all),
            (_, Access::Write) => step.writes.extend(all),
        }
    }
    let Some(real) = inst.inst() else {
        step.least = Level::Apart;
        return step;
    };
    if real.row().family == "call.abs.r" {
        // What a callee does not keep is each lane's own afterwards; uniform registers are the warp's.
        let lost = (0..RZ).filter(|&n| !abi::lives_across(f.chip, n as u16)).map(|n| (RegClass::R as u8, n));
        step.writes = lost.chain((0..PT).map(|n| (RegClass::P as u8, n))).collect();
        step.least = Level::Apart;
        return step;
    }
    if super::is_routine(real) {
        // A function of its arguments.
        let first = u32::from(abi::routine::FIRST_ARGUMENT);
        step.reads = (first..first + ARGUMENTS).map(|n| (RegClass::R as u8, n)).collect();
        let lost = super::clobbered(real).into_iter();
        step.writes = lost.map(|(class, n)| (class as u8, u32::from(n))).collect();
        return step;
    }
    if let Some(slots) = slots(f, real) {
        if real.row().memory.is_some_and(|memory| memory.kind == MemoryKind::Store) {
            // The stored register alone decides; the address is the same place of each lane.
            step.reads.retain(|&name| name != (RegClass::R as u8, 1));
            step.writes = slots;
        } else {
            step.reads = slots;
        }
        return step;
    }
    (step.least, step.gathers) = own(real);
    step.elects = real.row().meaning == Meaning::Elect;
    step
}

/// The least level of an instruction's results, and whether it makes lanes agree.
fn own(inst: &Inst) -> (Level, bool) {
    let row = inst.row();
    if let Some(memory) = row.memory {
        let read_only = memory.kind == MemoryKind::Load && inst.enum_text("sem") == Some(".CONSTANT");
        return match memory.space {
            MemorySpace::Constant => (Level::Fixed, false),
            _ if read_only => (Level::Agreed, false),
            _ => (Level::Apart, false),
        };
    }
    match row.meaning {
        Meaning::Vote | Meaning::Voteu | Meaning::Redux | Meaning::Elect => return (Level::Agreed, true),
        // The block's own result, not the lane's.
        Meaning::B2r => return (Level::Agreed, true),
        Meaning::Match | Meaning::Shfl => return (Level::Apart, false),
        _ => {}
    }
    let of_block = |value: u64| {
        let name = special::name(value);
        // SR_SWINHI: where shared memory lies in the generic space, one place for all threads of a block (PTX ISA, `cvta`).
        ["SR_CTAID.", "SR_NCTAID.", "SR_GRIDID", "SR_CgaCtaId", "SR_SMEMSZ", "SR_SWINHI"]
            .iter()
            .any(|n| name.starts_with(n))
    };
    let foreign = |(field, &value): (&sassafras_isa::Field, &u64)| {
        matches!(field.kind, FieldKind::Special { .. }) && !of_block(value)
    };
    if row.meaning == Meaning::Qspc {
        // Which window an address lies in; the windows are the block's.
        return (Level::Fixed, false);
    }
    if row.fields.iter().zip(&inst.fields).any(foreign) || row.pipe == Pipe::Memory {
        return (Level::Apart, false);
    }
    (Level::Fixed, false)
}

/// Everything that is known.
struct Facts<'f> {
    f: &'f Function,
    /// By block index: reached blocks, and what leads on from them, ways that only end left out.
    succs: Vec<Vec<usize>>,
    order: Vec<Block>,
    numbers: FxHashMap<Name, usize>,
    steps: FxHashMap<Block, Vec<Step>>,
    /// By block: the reaching definition of each number at its start.
    enter: FxHashMap<Block, Vec<Def>>,
    levels: Vec<Level>,
    /// By definition: what it depends on.
    inputs: Vec<Vec<Def>>,
    /// Meetings of definitions, by block.
    meetings: FxHashMap<Block, Vec<Def>>,
    /// By meeting: which definition comes from which block.
    brought: FxHashMap<Def, Vec<(Block, Def)>>,
    /// By block and step: the definitions that it makes.
    own: FxHashMap<Block, Vec<Vec<Def>>>,
    /// By block: in the region of a branch at which lanes part.
    apart: Vec<bool>,
    /// Of regions that overlap one block stands for all.
    joined: Vec<usize>,
}

/// What stands for a block, with path halving.
fn find(joined: &mut [usize], mut block: usize) -> usize {
    while joined[block] != block {
        joined[block] = joined[joined[block]];
        block = joined[block];
    }
    block
}

/// A definition that stands for "not yet known".
const OPEN: Def = usize::MAX;

impl<'f> Facts<'f> {
    fn new(f: &'f Function) -> Facts<'f> {
        let over = |block: Block| {
            let data = &f.blocks[block];
            let ends = |inst: &MInst| matches!(kind(inst), Some(K::Exit | K::Trap));
            data.succs.is_empty() && data.insts.iter().all(ends)
        };
        let mut succs = vec![Vec::new(); f.blocks.len()];
        for &block in &f.layout {
            let to = f.blocks[block].succs.iter().map(|edge| edge.block);
            succs[block.index()] = to.filter(|&to| !over(to)).map(|to| to.index()).collect();
        }
        let mut steps: FxHashMap<Block, Vec<Step>> = FxHashMap::default();
        let mut numbers = FxHashMap::default();
        for (block, index, inst) in f.insts() {
            let step = step(f, (block, index), inst);
            for &name in step.reads.iter().chain(&step.guard).chain(&step.writes) {
                let next = numbers.len();
                numbers.entry(name).or_insert(next);
            }
            steps.entry(block).or_default().push(step);
        }
        // Real edges: also blocks that only end are followed.
        let mut order = Vec::new();
        let mut seen: FxHashSet<Block> = FxHashSet::from_iter([f.entry]);
        let mut stack = vec![(f.entry, 0)];
        while let Some((block, next)) = stack.last_mut() {
            match f.blocks[*block].succs.get(*next) {
                Some(edge) => {
                    *next += 1;
                    if seen.insert(edge.block) {
                        stack.push((edge.block, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut facts = Facts {
            f,
            succs,
            order,
            numbers,
            steps,
            enter: FxHashMap::default(),
            levels: vec![Level::Apart],
            inputs: vec![Vec::new()],
            meetings: FxHashMap::default(),
            brought: FxHashMap::default(),
            own: FxHashMap::default(),
            apart: vec![false; f.blocks.len()],
            joined: (0..f.blocks.len()).collect(),
        };
        facts.definitions();
        facts.solve();
        facts
    }

    fn define(&mut self, level: Level) -> Def {
        self.levels.push(level);
        self.inputs.push(Vec::new());
        self.levels.len() - 1
    }

    /// A definition for what meets at a block.
    fn meet(&mut self, block: Block, number: usize, met: &mut FxHashMap<(Block, usize), Def>) -> Def {
        let meeting = self.define(Level::Fixed);
        self.meetings.entry(block).or_default().push(meeting);
        met.insert((block, number), meeting);
        meeting
    }

    /// Which definition reaches where: optimistic, so that one that comes back around a loop is not taken for another.
    fn definitions(&mut self) {
        let count = self.numbers.len();
        for block in self.order.clone() {
            let level = |step: &Step, name: &Name| match name.0 == RegClass::P as u8 && step.elects {
                true => Level::Apart,
                false => step.least,
            };
            let shapes: Vec<Vec<Level>> = self
                .steps(block)
                .iter()
                .map(|step| step.writes.iter().map(|name| level(step, name)).collect())
                .collect();
            let mut own = Vec::new();
            for levels in shapes {
                own.push(levels.into_iter().map(|least| self.define(least)).collect());
            }
            self.own.insert(block, own);
        }
        let mut preds: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &block in &self.order {
            for edge in &self.f.blocks[block].succs {
                preds.entry(edge.block).or_default().push(block);
            }
        }
        let place: FxHashMap<Block, usize> =
            self.order.iter().enumerate().map(|(at, &block)| (block, at)).collect();
        let mut leave: FxHashMap<Block, Vec<Def>> = FxHashMap::default();
        let mut met: FxHashMap<(Block, usize), Def> = FxHashMap::default();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            // Along edges that go forward, for what goes back is not known yet; and that it brings nothing else is tried behind.
            for block in self.order.clone() {
                let mut state = vec![if block == self.f.entry { NOTHING } else { OPEN }; count];
                let forward = |pred: &&Block| place[*pred] < place[&block];
                for pred in preds.get(&block).into_iter().flatten().filter(forward) {
                    for (number, &def) in leave[pred].iter().enumerate() {
                        if let Some(&meeting) = met.get(&(block, number)) {
                            state[number] = meeting;
                        } else if state[number] == OPEN {
                            state[number] = def;
                        } else if state[number] != def {
                            state[number] = self.meet(block, number, &mut met);
                        }
                    }
                }
                self.enter.insert(block, state.clone());
                self.walk(block, &mut state, |_, _, _| {});
                leave.insert(block, state);
            }
            for block in self.order.clone() {
                let back = |pred: &&Block| place[*pred] >= place[&block];
                for pred in preds.get(&block).into_iter().flatten().filter(back) {
                    for (number, def) in leave[pred].iter().enumerate() {
                        if self.enter[&block][number] != *def && !met.contains_key(&(block, number)) {
                            self.meet(block, number, &mut met);
                            changed = true;
                        }
                    }
                }
            }
        }
        for (&(block, number), &meeting) in &met {
            let from = preds.get(&block).into_iter().flatten();
            let from = from.filter_map(|pred| Some((*pred, leave.get(pred)?[number])));
            let from: Vec<(Block, Def)> = from.filter(|&(_, def)| def != OPEN).collect();
            self.inputs[meeting] = from.iter().map(|&(_, def)| def).collect();
            self.brought.insert(meeting, from);
        }
        let mut inputs = std::mem::take(&mut self.inputs);
        for &block in &self.order {
            self.walk(block, &mut self.enter[&block].clone(), |step, defs, state| {
                let read = if step.gathers { &[][..] } else { &step.reads[..] };
                let of = |name: &Name| Some(state[self.numbers[name]]).filter(|&def| def != OPEN);
                let all: Vec<Def> = read.iter().chain(&step.guard).filter_map(of).collect();
                for (name, &def) in step.writes.iter().zip(defs) {
                    inputs[def].clone_from(&all);
                    inputs[def].extend(of(name).filter(|_| step.keeps));
                }
            });
        }
        self.inputs = inputs;
    }

    fn steps(&self, block: Block) -> &[Step] {
        self.steps.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Goes through a block: `each` gets a step, the definitions that it makes, and those that reach it.
    fn walk(&self, block: Block, state: &mut [Def], mut each: impl FnMut(&Step, &[Def], &[Def])) {
        for (step, defs) in self.steps(block).iter().zip(&self.own[&block]) {
            each(step, defs, state);
            for (name, &def) in step.writes.iter().zip(defs) {
                state[self.numbers[name]] = def;
            }
        }
    }

    /// Raises levels until nothing changes; branches found to part raise the meetings in their regions.
    fn solve(&mut self) {
        let mut used: Vec<Vec<Def>> = vec![Vec::new(); self.inputs.len()];
        for (def, inputs) in self.inputs.iter().enumerate() {
            inputs.iter().for_each(|&input| used[input].push(def));
        }
        let mut work: Vec<Def> =
            (0..self.levels.len()).filter(|&def| self.levels[def] != Level::Fixed).collect();
        let succs = std::mem::take(&mut self.succs);
        let waits = self.order.iter().copied().filter(|&block| waits_for_all(self.f, block));
        let mut regions = Regions::new(&succs, self.f.entry.index(), waits.map(|b| b.index()).collect());
        let branch = |&block: &Block| Some((block, self.branch(block)?.1));
        let branches: Vec<(Block, Vec<Def>)> = self.order.iter().filter_map(branch).collect();
        let mut parted = FxHashSet::default();
        loop {
            while let Some(def) = work.pop() {
                for &user in &used[def] {
                    if self.levels[user] < self.levels[def] {
                        self.levels[user] = self.levels[def];
                        work.push(user);
                    }
                }
            }
            for (block, condition) in &branches {
                if !condition.iter().any(|&def| self.is_apart(def)) || !parted.insert(*block) {
                    continue;
                }
                let (inside, end, first) = regions.of(block.index());
                for &at in &inside {
                    self.apart[at] = true;
                    let (a, b) = (find(&mut self.joined, first), find(&mut self.joined, at));
                    self.joined[b] = a;
                }
                let at_end = end.into_iter().flat_map(|at| self.meetings_out_of(at, &regions));
                let within =
                    inside.into_iter().map(Block::from_index).filter_map(|at| self.meetings.get(&at));
                let parting: Vec<Def> = within.flatten().copied().chain(at_end).collect();
                for meeting in parting {
                    if std::mem::replace(&mut self.levels[meeting], Level::Apart) != Level::Apart {
                        work.push(meeting);
                    }
                }
            }
            if work.is_empty() {
                break;
            }
        }
        for block in 0..self.joined.len() {
            self.joined[block] = find(&mut self.joined, block);
        }
    }

    /// The meetings at a region's end to which different definitions come out of the region.
    fn meetings_out_of(&self, end: usize, regions: &Regions<'_>) -> Vec<Def> {
        let differ = |meeting: &Def| {
            let mut out = self.brought[meeting].iter().filter(|(from, _)| regions.holds(end, from.index()));
            let first = out.next().map(|&(_, def)| def);
            out.any(|&(_, def)| Some(def) != first)
        };
        let all = self.meetings.get(&Block::from_index(end)).into_iter().flatten();
        all.copied().filter(differ).collect()
    }

    /// The first instruction at which lanes of a block may part, and the definitions that decide.
    fn branch(&self, block: Block) -> Option<(usize, Vec<Def>)> {
        let parts = |inst: &MInst| match kind(inst) {
            Some(K::Branch) => !always(inst) || inst.inst().is_some_and(conditional),
            Some(K::IndirectBranch) => true,
            _ => false,
        };
        let index = self.f.blocks[block].insts.iter().position(parts)?;
        let mut found = Vec::new();
        self.walk(block, &mut self.enter.get(&block)?.clone(), |step, _, state| {
            if step.at.1 == index {
                found = step.guard.iter().chain(&step.reads).map(|name| state[self.numbers[name]]).collect();
            }
        });
        Some((index, found))
    }

    fn is_apart(&self, def: Def) -> bool {
        def != OPEN && self.levels[def] == Level::Apart
    }
}

/// Whether a branch has a condition beside its guard.
fn conditional(inst: &Inst) -> bool {
    inst.row().fields.iter().zip(&inst.fields).any(|(field, &value)| field.read && value != field.default)
}

/// Regions of branches. Of those with one end each block is given once: with the first.
struct Regions<'a> {
    succs: &'a [Vec<usize>],
    post: Paths,
    seen: FxHashMap<usize, FxHashSet<usize>>,
    first: FxHashMap<usize, usize>,
    /// The branches that were asked for, by the end of their regions.
    heads: FxHashMap<usize, FxHashSet<usize>>,
    /// Blocks in which lanes wait for the whole warp.
    waits: FxHashSet<usize>,
}

impl<'a> Regions<'a> {
    fn new(succs: &'a [Vec<usize>], entry: usize, waits: FxHashSet<usize>) -> Regions<'a> {
        // The graph turned round, from an end behind everything. What cannot end is tied to it where a walk comes to it last.
        let end = succs.len();
        let mut back = vec![Vec::new(); end + 1];
        let (mut order, mut seen) = (Vec::new(), vec![false; end]);
        let mut stack = vec![(entry, 0)];
        seen[entry] = true;
        while let Some((at, next)) = stack.last_mut() {
            if let Some(&to) = succs[*at].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            } else {
                order.push(*at);
                stack.pop();
            }
        }
        for &at in &order {
            succs[at].iter().for_each(|&to| back[to].push(at));
        }
        // What leads on from here, or here.
        let reach = |from: usize, edges: &[Vec<usize>]| {
            let mut seen = FxHashSet::default();
            let mut work = vec![from];
            while let Some(at) = work.pop() {
                if at < end && seen.insert(at) {
                    work.extend(&edges[at]);
                }
            }
            seen
        };
        let mut ends: FxHashSet<usize> = FxHashSet::default();
        let final_ones: Vec<usize> = order.iter().copied().filter(|&at| succs[at].is_empty()).collect();
        for mut at in final_ones.into_iter().chain(order.iter().copied()) {
            if ends.contains(&at) {
                continue;
            }
            // A loop that has a way out goes on where that leads; only one without is an end.
            let closed = loop {
                let (on, back) = (reach(at, succs), reach(at, &back));
                match on.iter().find(|to| !back.contains(to)) {
                    Some(&out) => at = out,
                    None => break on,
                }
            };
            let at = order.iter().copied().find(|at| closed.contains(at)).unwrap_or(at);
            back[end].push(at);
            ends.extend(reach(at, &back));
        }
        Regions {
            succs,
            post: Paths::new(end, back),
            seen: FxHashMap::default(),
            first: FxHashMap::default(),
            heads: FxHashMap::default(),
            waits,
        }
    }

    /// Whether lanes wait for the whole warp on a way from behind the branch to this place.
    fn waits_before(&self, branch: usize, meet: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = if self.waits.is_empty() { Vec::new() } else { self.succs[branch].clone() };
        while let Some(at) = work.pop() {
            if at != meet && seen.insert(at) {
                if self.waits.contains(&at) {
                    return true;
                }
                work.extend(&self.succs[at]);
            }
        }
        false
    }

    /// Whether a block is in the region of a branch that was asked for and whose region has this end, the branch itself included.
    fn holds(&self, end: usize, block: usize) -> bool {
        let has =
            |all: &FxHashMap<usize, FxHashSet<usize>>| all.get(&end).is_some_and(|all| all.contains(&block));
        has(&self.seen) || has(&self.heads)
    }

    /// Blocks behind a branch up to where its ways meet that were not given before; that place, if there is one; and a block
    /// that stands for all with this end.
    fn of(&mut self, branch: usize) -> (Vec<usize>, Option<usize>, usize) {
        let end = self.succs.len();
        let meet =
            self.post.immediate(branch).filter(|&meet| !self.waits_before(branch, meet)).unwrap_or(end);
        self.heads.entry(meet).or_default().insert(branch);
        let seen = self.seen.entry(meet).or_default();
        let mut inside = Vec::new();
        let mut work = self.succs[branch].clone();
        while let Some(at) = work.pop() {
            if at != meet && seen.insert(at) {
                inside.push(at);
                work.extend(&self.succs[at]);
            }
        }
        let first = *self.first.entry(meet).or_insert(inside.first().copied().unwrap_or(branch));
        (inside, Some(meet).filter(|&meet| meet < self.succs.len()), first)
    }
}

fn is_uniform(name: Name) -> bool {
    name.0 == RegClass::UR as u8 || name.0 == RegClass::UP as u8
}

/// Judges marks of branches, and what is written to uniform registers and predicates.
pub(super) fn check(f: &Function, report: &mut Report) {
    let facts = Facts::new(f);
    for &block in &facts.order {
        let Some((index, condition)) = facts.branch(block) else { continue };
        if f.blocks[block].insts[index].uniform && condition.iter().any(|&def| facts.is_apart(def)) {
            let what = "it is marked uniform, and its condition may differ between lanes";
            report.add(Rule::MachineUniformBranch, format!("{block}, instruction {index}"), what);
        }
    }
    // What is written, where, and by what; and what is read.
    let mut writes: FxHashMap<Def, (Name, Block, usize)> = FxHashMap::default();
    let mut reads: Vec<(Name, Def, Block, usize)> = Vec::new();
    for &block in &facts.order {
        facts.walk(block, &mut facts.enter[&block].clone(), |step, defs, state| {
            let at = step.at.1;
            for (&name, &def) in step.writes.iter().zip(defs).filter(|(name, _)| is_uniform(**name)) {
                writes.insert(def, (name, block, at));
                let lanes = if step.gathers { &[][..] } else { &step.reads[..] };
                let differ = |name: &Name| facts.is_apart(state[facts.numbers[name]]);
                if step.least == Level::Apart || lanes.iter().chain(&step.guard).any(differ) {
                    let what = "a uniform register is written with what may differ between lanes";
                    report.add(Rule::MachineUniformValue, format!("{block}, instruction {at}"), what);
                }
            }
            for &name in step.reads.iter().chain(&step.guard).filter(|name| is_uniform(**name)) {
                reads.push((name, state[facts.numbers[&name]], block, at));
            }
        });
    }
    places(&facts, &writes, &reads, report);
}

/// Other lanes may be anywhere in the region: what they write there is seen here.
fn places(
    facts: &Facts<'_>,
    writes: &FxHashMap<Def, (Name, Block, usize)>,
    reads: &[(Name, Def, Block, usize)],
    report: &mut Report,
) {
    let f = facts.f;
    // By block and instruction: how many before it wait or part.
    let mut control: FxHashMap<Block, Vec<usize>> = FxHashMap::default();
    for &block in &facts.order {
        let mut count = 0;
        let before = f.blocks[block].insts.iter().map(|inst| {
            let before = count;
            count += usize::from(kind(inst).is_some());
            before
        });
        control.insert(block, before.collect());
    }
    // Written and read in one stretch of a block, where nothing waits or parts.
    let stretch = |def: Def, block: Block, at: usize| {
        writes.get(&def).is_some_and(|&(_, home, from)| {
            home == block && from < at && control[&block][from + 1] == control[&block][at]
        })
    };
    let real = |def: Def| writes.get(&def).and_then(|&(_, b, i)| f.blocks[b].insts[i].inst());
    let same = |a: Def, b: Def| match (real(a), real(b)) {
        (Some(x), Some(y)) => x.row().id == y.row().id && x.fields == y.fields && x.guard == y.guard,
        _ => false,
    };
    let mut inside: FxHashMap<(usize, Name), Vec<Def>> = FxHashMap::default();
    for (&def, &(name, block, _)) in writes.iter().filter(|(_, (_, block, _))| facts.apart[block.index()]) {
        inside.entry((facts.joined[block.index()], name)).or_default().push(def);
    }
    for &(name, def, block, at) in reads {
        let place = || format!("{block}, instruction {at}");
        let local = stretch(def, block, at);
        // What lanes agree on in a region is not what others there agree on.
        let mut sources = vec![def];
        let mut seen = FxHashSet::default();
        while let Some(source) = sources.pop().filter(|_| !local) {
            if source == OPEN || !seen.insert(source) {
                continue;
            }
            match writes.get(&source) {
                None => sources.extend(&facts.inputs[source]),
                Some(&(_, home, _)) if facts.apart[home.index()] && facts.levels[source] != Level::Fixed => {
                    let what = format!("{home} writes it where lanes are apart, and it is not read at once");
                    report.add(Rule::MachineUniformPlace, place(), what);
                }
                Some(_) => {}
            }
        }
        if local || !facts.apart[block.index()] {
            continue;
        }
        let whole = facts.joined[block.index()];
        for &other in inside.get(&(whole, name)).into_iter().flatten() {
            if !seen.iter().filter(|def| writes.contains_key(def)).all(|&def| same(def, other)) {
                let home = writes[&other].1;
                let what = format!("it is read while lanes that are apart may write it in {home}");
                report.add(Rule::MachineUniformPlace, place(), what);
            }
        }
    }
}
