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
//! but end the thread do not count: nobody runs on there. So a loop that lanes leave by a guarded `EXIT` alone has no way out; in it, as in any
//! without, ways lead to the bottom, where an iteration ends (P1). Lanes that wait for the whole warp within do not meet at its end: their
//! region is all that is reached.

use super::converge::waits_for_all;
use super::instruction::{always, kind};
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::{Chip, abi};
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
type Def = u32;

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

/// What an instruction reads and writes.
#[derive(Default)]
struct Names {
    reads: Vec<Name>,
    guard: Vec<Name>,
    writes: Vec<Name>,
}

/// A range of [`Facts::pool`].
type Span = std::ops::Range<u32>;

/// One step: what it reads and writes, as numbers of names, and the least level of what it gives.
struct Step {
    reads: Span,
    guard: Span,
    writes: Span,
    /// The definition that it makes of the first of what it writes; those of the others follow.
    first: Def,
    does: Does,
}

/// What else there is to know of a step.
struct Does {
    least: Level,
    /// Whether its results are the same in all lanes that execute it, whatever they bring.
    gathers: bool,
    /// Whether its predicate is true in one lane: what it writes elsewhere is that lane's number.
    elects: bool,
    /// Whether the old values stay where the guard is false.
    keeps: bool,
}

/// What an instruction does; its names come into `of`, which is empty.
fn step(f: &Function, inst: &MInst, of: &mut Names) -> Does {
    let mut does = Does { least: Level::Fixed, gathers: false, elects: false, keeps: !always(inst) };
    for operand in inst.operands() {
        let all = names(operand.class, operand.reg, operand.units);
        match (operand.position, operand.access) {
            (Position::Guard, _) => of.guard.extend(all),
            (Position::Tied(_), _) => {}
            (_, Access::Read) => of.reads.extend(all),
            (_, Access::Write) => of.writes.extend(all),
        }
    }
    let Some(real) = inst.inst() else {
        does.least = Level::Apart;
        return does;
    };
    if real.row().family == "call.abs.r" {
        // What a callee does not keep is each lane's own afterwards; uniform registers are the warp's.
        let lost = (0..RZ).filter(|&n| !abi::lives_across(f.chip, n as u16)).map(|n| (RegClass::R as u8, n));
        of.writes = lost.chain((0..PT).map(|n| (RegClass::P as u8, n))).collect();
        does.least = Level::Apart;
        return does;
    }
    if sassafras_hazards::is_routine(real) {
        // A function of its arguments.
        let first = u32::from(abi::routine::FIRST_ARGUMENT);
        of.reads = (first..first + ARGUMENTS).map(|n| (RegClass::R as u8, n)).collect();
        let lost = super::instruction::clobbered(real).into_iter();
        of.writes = lost.map(|(class, n)| (class as u8, u32::from(n))).collect();
        return does;
    }
    if let Some(slots) = slots(f, real) {
        if real.row().memory.is_some_and(|memory| memory.kind == MemoryKind::Store) {
            // The stored register alone decides; the address is the same place of each lane.
            of.reads.retain(|&name| name != (RegClass::R as u8, 1));
            of.writes = slots;
        } else {
            of.reads = slots;
        }
        return does;
    }
    (does.least, does.gathers) = own(f.chip, real);
    does.elects = real.row().meaning == Meaning::Elect;
    does
}

/// The least level of an instruction's results, and whether it makes lanes agree.
fn own(chip: Chip, inst: &Inst) -> (Level, bool) {
    let row = inst.row();
    if let Some(memory) = row.memory {
        let read_only =
            memory.kind == MemoryKind::Load && inst.enum_text("sem") == Some(chip.strengths().constant);
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
        // SRZ is zero. SR_SWINHI: where shared memory lies in the generic space, one place for all threads of a block (PTX ISA, `cvta`).
        ["SRZ", "SR_CTAID.", "SR_NCTAID.", "SR_GRIDID", "SR_CgaCtaId", "SR_SMEMSZ", "SR_SWINHI"]
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

/// Everything that is known. Blocks that are reached have places: their order here.
struct Facts<'f> {
    f: &'f Function,
    /// By block index: reached blocks, and what leads on from them, ways that only end left out.
    succs: Vec<Vec<usize>>,
    order: Vec<Block>,
    /// By block index; [`NOWHERE`] where the block is not reached.
    place: Vec<usize>,
    /// The names, by number.
    names: Vec<Name>,
    /// Numbers of names, in the order of steps.
    pool: Vec<u32>,
    steps: Vec<Step>,
    /// By place: the steps of the block, one for each instruction.
    of_block: Vec<std::ops::Range<usize>>,
    /// By place and number: the reaching definition at the block's start, and at its end.
    enter: Vec<Def>,
    leave: Vec<Def>,
    levels: Vec<Level>,
    /// By definition: what it depends on, as a range of `sources`.
    inputs: Vec<Span>,
    sources: Vec<Def>,
    /// Meetings of definitions, by place: number and definition.
    meetings: Vec<Vec<(usize, Def)>>,
    /// By place: the places from which edges come.
    preds: Vec<Vec<usize>>,
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
const OPEN: Def = Def::MAX;
/// The place of a block that is not reached.
const NOWHERE: usize = usize::MAX;

/// Gives names numbers in the order in which they come.
#[derive(Default)]
struct Numbers {
    names: Vec<Name>,
    /// By file and number of a register, one more than the number of the name: 0 where it has none yet.
    registers: Vec<u32>,
    others: FxHashMap<Name, u32>,
}

impl Numbers {
    /// Registers of a file.
    const FILE: u32 = 256;

    fn of(&mut self, name: Name) -> u32 {
        let new = self.names.len() as u32;
        let (file, register) = name;
        let found = if file != u8::MAX && register < Self::FILE {
            let at = (u32::from(file) * Self::FILE + register) as usize;
            if at >= self.registers.len() {
                self.registers.resize(at + 1, 0);
            }
            let slot = &mut self.registers[at];
            if *slot == 0 {
                *slot = new + 1;
            }
            *slot - 1
        } else {
            *self.others.entry(name).or_insert(new)
        };
        if found == new {
            self.names.push(name);
        }
        found
    }
}

fn span(span: &Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}

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
        // Real edges: also blocks that only end are followed.
        let mut order = Vec::new();
        let mut seen = vec![false; f.blocks.len()];
        seen[f.entry.index()] = true;
        let mut stack = vec![(f.entry, 0)];
        while let Some((block, next)) = stack.last_mut() {
            match f.blocks[*block].succs.get(*next) {
                Some(edge) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[edge.block.index()], true) {
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
        let mut place = vec![NOWHERE; f.blocks.len()];
        order.iter().enumerate().for_each(|(at, block)| place[block.index()] = at);
        let mut facts = Facts {
            f,
            succs,
            order,
            place,
            names: Vec::new(),
            pool: Vec::new(),
            steps: Vec::new(),
            of_block: Vec::new(),
            enter: Vec::new(),
            leave: Vec::new(),
            levels: vec![Level::Apart],
            inputs: Vec::from([Span::default()]),
            sources: Vec::new(),
            meetings: Vec::new(),
            preds: Vec::new(),
            apart: vec![false; f.blocks.len()],
            joined: (0..f.blocks.len()).collect(),
        };
        facts.take();
        facts.definitions();
        facts.depend();
        facts.solve();
        facts
    }

    /// The steps of every block that is reached, with the definitions that they make.
    fn take(&mut self) {
        let mut numbers = Numbers::default();
        let mut of = Names::default();
        let f = self.f;
        for at in 0..self.order.len() {
            let begin = self.steps.len();
            for inst in &f.blocks[self.order[at]].insts {
                of.reads.clear();
                of.guard.clear();
                of.writes.clear();
                let does = step(f, inst, &mut of);
                let first = self.levels.len() as Def;
                for name in &of.writes {
                    let lane = name.0 == RegClass::P as u8 && does.elects;
                    self.define(if lane { Level::Apart } else { does.least });
                }
                let mut put = |names: &[Name]| {
                    let start = self.pool.len() as u32;
                    self.pool.extend(names.iter().map(|&name| numbers.of(name)));
                    start..self.pool.len() as u32
                };
                let (reads, guard, writes) = (put(&of.reads), put(&of.guard), put(&of.writes));
                self.steps.push(Step { reads, guard, writes, first, does });
            }
            self.of_block.push(begin..self.steps.len());
        }
        self.names = numbers.names;
    }

    fn define(&mut self, level: Level) -> Def {
        self.levels.push(level);
        self.inputs.push(0..0);
        self.levels.len() as Def - 1
    }

    /// A definition for what meets at a place.
    fn meet(&mut self, place: usize, number: usize) -> Def {
        let meeting = self.define(Level::Fixed);
        self.meetings[place].push((number, meeting));
        meeting
    }

    /// What a place has of a table by place and number.
    fn row(&self, place: usize) -> std::ops::Range<usize> {
        let count = self.names.len();
        place * count..(place + 1) * count
    }

    /// Which definition reaches where: optimistic, so that one that comes back around a loop is not taken for another.
    fn definitions(&mut self) {
        let (count, places) = (self.names.len(), self.order.len());
        self.preds = vec![Vec::new(); places];
        for (at, &block) in self.order.iter().enumerate() {
            for edge in &self.f.blocks[block].succs {
                self.preds[self.place[edge.block.index()]].push(at);
            }
        }
        self.meetings = vec![Vec::new(); places];
        self.enter = vec![OPEN; places * count];
        self.leave = vec![OPEN; places * count];
        let preds = std::mem::take(&mut self.preds);
        let mut state = vec![OPEN; count];
        // By number: whether it has a meeting at the place that is looked at.
        let mut met = vec![NOWHERE; count];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            met.fill(NOWHERE);
            // Along edges that go forward, for what goes back is not known yet; and that it brings nothing else is tried behind.
            for (place, preds) in preds.iter().enumerate() {
                state.fill(if place == 0 { NOTHING } else { OPEN });
                self.meetings[place].iter().for_each(|&(number, _)| met[number] = place);
                for &pred in preds.iter().filter(|&&pred| pred < place) {
                    let row = self.row(pred);
                    for (number, at) in row.enumerate() {
                        let def = self.leave[at];
                        if state[number] == def || met[number] == place {
                            continue;
                        }
                        if state[number] == OPEN {
                            state[number] = def;
                        } else {
                            state[number] = self.meet(place, number);
                            met[number] = place;
                        }
                    }
                }
                self.meetings[place].iter().for_each(|&(number, meeting)| state[number] = meeting);
                let row = self.row(place);
                self.enter[row.clone()].copy_from_slice(&state);
                for step in &self.steps[self.of_block[place].clone()] {
                    for (&number, def) in self.pool[span(&step.writes)].iter().zip(step.first..) {
                        state[number as usize] = def;
                    }
                }
                self.leave[row].copy_from_slice(&state);
            }
            met.fill(NOWHERE);
            for (place, preds) in preds.iter().enumerate() {
                self.meetings[place].iter().for_each(|&(number, _)| met[number] = place);
                for &pred in preds.iter().filter(|&&pred| pred >= place) {
                    for (number, (here, there)) in self.row(place).zip(self.row(pred)).enumerate() {
                        if self.enter[here] != self.leave[there] && met[number] != place {
                            self.meet(place, number);
                            met[number] = place;
                            changed = true;
                        }
                    }
                }
            }
        }
        self.preds = preds;
    }

    /// What each definition depends on.
    fn depend(&mut self) {
        let count = self.names.len();
        for place in 0..self.order.len() {
            for &(number, meeting) in &self.meetings[place] {
                let start = self.sources.len() as u32;
                let brought = self.preds[place].iter().map(|&pred| self.leave[pred * count + number]);
                self.sources.extend(brought.filter(|&def| def != OPEN));
                self.inputs[meeting as usize] = start..self.sources.len() as u32;
            }
        }
        let (mut inputs, mut sources) = (std::mem::take(&mut self.inputs), std::mem::take(&mut self.sources));
        for place in 0..self.order.len() {
            self.walk(place, |step, state| {
                if step.writes.is_empty() {
                    return;
                }
                let start = sources.len() as u32;
                let lanes = if step.does.gathers { &[][..] } else { self.numbers(&step.reads) };
                let all = lanes.iter().chain(self.numbers(&step.guard)).map(|&number| state[number as usize]);
                sources.extend(all.filter(|&def| def != OPEN));
                let end = sources.len() as u32;
                for (&number, def) in self.numbers(&step.writes).iter().zip(step.first..) {
                    let old = Some(state[number as usize]).filter(|&old| step.does.keeps && old != OPEN);
                    inputs[def as usize] = match old {
                        None => start..end,
                        Some(old) => {
                            let again = sources.len() as u32;
                            sources.extend_from_within(start as usize..end as usize);
                            sources.push(old);
                            again..sources.len() as u32
                        }
                    };
                }
            });
        }
        (self.inputs, self.sources) = (inputs, sources);
    }

    /// What a definition depends on.
    fn inputs(&self, def: Def) -> &[Def] {
        &self.sources[span(&self.inputs[def as usize])]
    }

    fn numbers(&self, of: &Span) -> &[u32] {
        &self.pool[span(of)]
    }

    /// Goes through a block: `each` gets a step and the definitions that reach it.
    fn walk(&self, place: usize, mut each: impl FnMut(&Step, &[Def])) {
        let mut state = self.enter[self.row(place)].to_vec();
        for step in &self.steps[self.of_block[place].clone()] {
            each(step, &state);
            for (&number, def) in self.numbers(&step.writes).iter().zip(step.first..) {
                state[number as usize] = def;
            }
        }
    }

    /// By definition: those that depend on it, one behind the other, and where those of each begin.
    fn users(&self) -> (Vec<u32>, Vec<Def>) {
        let mut begins = vec![0u32; self.inputs.len() + 1];
        for inputs in &self.inputs {
            self.sources[span(inputs)].iter().for_each(|&input| begins[input as usize + 1] += 1);
        }
        (1..begins.len()).for_each(|at| begins[at] += begins[at - 1]);
        let mut next = begins.clone();
        let mut users = vec![OPEN; begins.last().map_or(0, |&all| all as usize)];
        for (def, inputs) in self.inputs.iter().enumerate() {
            for &input in &self.sources[span(inputs)] {
                users[next[input as usize] as usize] = def as Def;
                next[input as usize] += 1;
            }
        }
        (begins, users)
    }

    /// Raises levels until nothing changes; branches found to part raise the meetings in their regions.
    fn solve(&mut self) {
        let (begins, users) = self.users();
        let used = |def: Def| &users[begins[def as usize] as usize..begins[def as usize + 1] as usize];
        let raised = self.levels.iter().enumerate().filter(|(_, level)| **level != Level::Fixed);
        let mut work: Vec<Def> = raised.map(|(def, _)| def as Def).collect();
        let succs = std::mem::take(&mut self.succs);
        let waits = self.order.iter().copied().filter(|&block| waits_for_all(self.f, block));
        let mut regions = Regions::new(&succs, self.f.entry.index(), waits.map(|b| b.index()).collect());
        let branches: Vec<(Block, Vec<Def>)> =
            self.order.iter().filter_map(|&block| Some((block, self.branch(block)?.1))).collect();
        let mut parted = vec![false; self.f.blocks.len()];
        loop {
            while let Some(def) = work.pop() {
                for &user in used(def) {
                    if self.levels[user as usize] < self.levels[def as usize] {
                        self.levels[user as usize] = self.levels[def as usize];
                        work.push(user);
                    }
                }
            }
            for (block, condition) in &branches {
                let done = &mut parted[block.index()];
                if *done || !condition.iter().any(|&def| self.is_apart(def)) {
                    continue;
                }
                *done = true;
                let (inside, end, first) = regions.of(block.index());
                for &at in &inside {
                    self.apart[at] = true;
                    let (a, b) = (find(&mut self.joined, first), find(&mut self.joined, at));
                    self.joined[b] = a;
                }
                let mut parting = end.map_or(Vec::new(), |at| self.meetings_out_of(at, &regions));
                let places = inside.into_iter().map(|at| self.place[at]).filter(|&place| place != NOWHERE);
                parting.extend(places.flat_map(|place| &self.meetings[place]).map(|&(_, meeting)| meeting));
                for meeting in parting {
                    let level = &mut self.levels[meeting as usize];
                    if std::mem::replace(level, Level::Apart) != Level::Apart {
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
        let place = self.place[end];
        if place == NOWHERE {
            return Vec::new();
        }
        let inside = |pred: &&usize| regions.holds(end, self.order[**pred].index());
        let from: Vec<usize> = self.preds[place].iter().filter(inside).copied().collect();
        let differ = |&&(number, _): &&(usize, Def)| {
            let brought = from.iter().map(|&pred| self.leave[self.row(pred).start + number]);
            let mut out = brought.filter(|&def| def != OPEN);
            let first = out.next();
            out.any(|def| Some(def) != first)
        };
        self.meetings[place].iter().filter(differ).map(|&(_, meeting)| meeting).collect()
    }

    /// The first instruction at which lanes of a block may part, and the definitions that decide.
    fn branch(&self, block: Block) -> Option<(usize, Vec<Def>)> {
        let parts = |inst: &MInst| match kind(inst) {
            Some(K::Branch) => !always(inst) || inst.inst().is_some_and(conditional),
            Some(K::IndirectBranch) => true,
            _ => false,
        };
        let index = self.f.blocks[block].insts.iter().position(parts)?;
        let place = self.place[block.index()];
        let steps = &self.steps[self.of_block[place].clone()];
        let reaching = |number: u32| {
            let last = steps[..index].iter().rev().find_map(|step| {
                let at = self.numbers(&step.writes).iter().rposition(|&written| written == number)?;
                Some(step.first + at as Def)
            });
            last.unwrap_or_else(|| self.enter[self.row(place).start + number as usize])
        };
        let step = &steps[index];
        let names = self.numbers(&step.guard).iter().chain(self.numbers(&step.reads));
        Some((index, names.map(|&number| reaching(number)).collect()))
    }

    fn is_apart(&self, def: Def) -> bool {
        def != OPEN && self.levels[def as usize] == Level::Apart
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
    /// Entries of loops without a way out. The bottom of each is a block of its own behind the end.
    headers: Vec<usize>,
}

impl<'a> Regions<'a> {
    fn new(succs: &'a [Vec<usize>], entry: usize, waits: FxHashSet<usize>) -> Regions<'a> {
        // The graph turned round, from an end behind everything. What cannot end is tied to it at its bottom.
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
        let mut closed_ones = Vec::new();
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
            ends.extend(reach(at, &back));
            closed_ones.push(closed);
        }
        let mut headers = Vec::new();
        for closed in closed_ones {
            let entered = |at: &usize| *at == entry || back[*at].iter().any(|from| !closed.contains(from));
            let entries: Vec<usize> = closed.iter().copied().filter(entered).collect();
            match entries[..] {
                [header] if !succs[header].is_empty() => {
                    let all = std::mem::take(&mut back[header]);
                    let (bottom, mut into): (Vec<usize>, Vec<usize>) =
                        all.into_iter().partition(|from| closed.contains(from));
                    let number = back.len();
                    into.push(number);
                    back[header] = into;
                    back[end].push(number);
                    back.push(bottom);
                    headers.push(header);
                }
                // One with several entries has no bottom.
                _ => back[end].extend(closed),
            }
        }
        Regions {
            succs,
            post: Paths::new(end, back),
            seen: FxHashMap::default(),
            first: FxHashMap::default(),
            heads: FxHashMap::default(),
            waits,
            headers,
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
        // From the bottom the loop's entry is next.
        let meet = self.post.immediate(branch).map(|meet| match meet.checked_sub(end + 1) {
            Some(bottom) => self.headers[bottom],
            None => meet,
        });
        let meet = meet.filter(|&meet| !self.waits_before(branch, meet)).unwrap_or(end);
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
    let uniform: Vec<bool> = facts.names.iter().map(|&name| is_uniform(name)).collect();
    for (place, &block) in facts.order.iter().enumerate() {
        let mut at = 0;
        facts.walk(place, |step, state| {
            for (&number, def) in facts.numbers(&step.writes).iter().zip(step.first..) {
                if !uniform[number as usize] {
                    continue;
                }
                writes.insert(def, (facts.names[number as usize], block, at));
                let lanes = if step.does.gathers { &[][..] } else { facts.numbers(&step.reads) };
                let differ = |&number: &u32| facts.is_apart(state[number as usize]);
                let mut lanes = lanes.iter().chain(facts.numbers(&step.guard));
                if step.does.least == Level::Apart || lanes.any(differ) {
                    let what = "a uniform register is written with what may differ between lanes";
                    report.add(Rule::MachineUniformValue, format!("{block}, instruction {at}"), what);
                }
            }
            for &number in facts.numbers(&step.reads).iter().chain(facts.numbers(&step.guard)) {
                if uniform[number as usize] {
                    reads.push((facts.names[number as usize], state[number as usize], block, at));
                }
            }
            at += 1;
        });
    }
    places(&facts, &writes, &reads, report);
    super::scatter::check(f, report);
    super::deserted::check(f, report);
}

/// Other lanes may be anywhere in the region: what they write there is seen here.
fn places(
    facts: &Facts<'_>,
    writes: &FxHashMap<Def, (Name, Block, usize)>,
    reads: &[(Name, Def, Block, usize)],
    report: &mut Report,
) {
    let f = facts.f;
    // By place and instruction: how many before it wait or part.
    let before = |&block: &Block| {
        let counts = f.blocks[block].insts.iter().scan(0u32, |count, inst| {
            let before = *count;
            *count += u32::from(kind(inst).is_some());
            Some(before)
        });
        counts.collect()
    };
    let control: Vec<Vec<u32>> = facts.order.iter().map(before).collect();
    // Written and read in one stretch of a block, where nothing waits or parts.
    let stretch = |def: Def, block: Block, at: usize| {
        writes.get(&def).is_some_and(|&(_, home, from)| {
            let control = |at: usize| control[facts.place[block.index()]][at];
            home == block && from < at && control(from + 1) == control(at)
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
                None => sources.extend(facts.inputs(source)),
                Some(&(_, home, _))
                    if facts.apart[home.index()] && facts.levels[source as usize] != Level::Fixed =>
                {
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
