//! Lock step: lanes that part wait for each other where they meet (`docs/convergence.md`, "Lock step").

use super::sync::Wait;
use super::warp::{Status, Turn, Warp};
use crate::collective::lanes;
use crate::lockstep::{Place, Places};
use crate::outcome::Failure;
use sassafras_ptx::checked::{Function, Inst, Module, Op, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// The blocks of a function and where their lanes meet.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The block that begins at an instruction.
    begins: BTreeMap<u32, usize>,
    places: Places,
}

/// By function.
pub(super) fn flows(module: &Module) -> Vec<Flow> {
    module.functions.iter().map(Flow::new).collect()
}

fn ends_block(inst: &Inst) -> bool {
    let over = matches!(inst.op, Op::Ret | Op::Exit | Op::Trap) && inst.guard.is_none();
    over || matches!(inst.op, Op::Bra | Op::BrxIdx)
}

impl Flow {
    fn new(f: &Function) -> Flow {
        let insts = f.insts.as_deref().unwrap_or_default();
        let end = insts.len() as u32;
        let mut starts: BTreeSet<u32> = f.labels.iter().map(|label| label.target).collect();
        starts.insert(0);
        starts.extend((1..=end).filter(|&at| ends_block(&insts[at as usize - 1])));
        let begins: BTreeMap<u32, usize> = starts.into_iter().enumerate().map(|(b, at)| (at, b)).collect();
        let mut succs = vec![BTreeSet::new(); begins.len()];
        let mut ends = vec![false; begins.len()];
        let bounds: Vec<u32> = begins.keys().copied().chain([end]).collect();
        for (block, bound) in bounds.windows(2).enumerate() {
            let body = &insts[bound[0] as usize..bound[1] as usize];
            ends[block] = body.iter().all(|i| matches!(i.op, Op::Ret | Op::Exit | Op::Trap));
            let mut to = |label: &sassafras_ptx::checked::LabelId| {
                succs[block].insert(begins[&f.labels[label.0 as usize].target]);
            };
            let last = body.last();
            match last.map(|i| (i.op, &i.operands[..])) {
                Some((Op::Bra, [Operand::Label(label), ..])) => to(label),
                Some((Op::BrxIdx, [_, Operand::BranchTargets(name), ..])) => {
                    f.branch_targets.get(name).into_iter().flatten().for_each(&mut to);
                }
                _ => {}
            }
            let falls = last.is_none_or(|i| !ends_block(i) || i.guard.is_some());
            if falls && let Some(&next) = begins.get(&bound[1]).filter(|&&next| next != block) {
                succs[block].insert(next);
                ends[block] = false;
            }
        }
        Flow { begins, places: Places::new(succs, ends) }
    }

    fn block(&self, pc: u32) -> usize {
        self.begins.range(..=pc).next_back().map_or(0, |(_, &block)| block)
    }

    /// Whether the instruction is the last of its block.
    fn is_last(&self, pc: u32) -> bool {
        self.begins.contains_key(&(pc + 1))
    }
}

/// Lanes that will wait for each other.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Frames of the lanes.
    depth: usize,
    level: usize,
    place: Option<Place>,
    number: u64,
}

/// The meetings of a warp.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// Lanes of each meeting that have neither passed nor left it.
    members: BTreeMap<u64, u32>,
    /// By lane, outermost first.
    of_lane: [Vec<Meeting>; 32],
    /// Blocks from which lanes come that have not yet begun the one that they stand at.
    coming: [Option<Option<usize>>; 32],
    next: u64,
}

impl Meetings {
    /// All lanes stand at the entry.
    pub fn new() -> Meetings {
        Meetings { coming: [Some(None); 32], ..Meetings::default() }
    }

    fn open(&mut self, among: u32, depth: usize, level: usize, place: Option<Place>) {
        let number = self.next;
        self.next += 1;
        self.members.insert(number, among);
        for lane in lanes(among) {
            self.of_lane[lane].push(Meeting { depth, level, place, number });
        }
    }

    fn leave(&mut self, lane: usize, keep: impl Fn(&Meeting) -> bool) {
        let members = &mut self.members;
        self.of_lane[lane].retain(|meeting| {
            let stays = keep(meeting);
            if !stays && let Some(all) = members.get_mut(&meeting.number) {
                *all &= !(1 << lane);
            }
            stays
        });
        self.members.retain(|_, all| *all != 0);
    }
}

impl Turn<'_, '_, '_> {
    /// Lanes of the group at this index come to where they stand. Those that meet others there wait; whether nobody does.
    pub fn come(&mut self, index: usize) -> Result<bool, Failure> {
        let program = self.program;
        let Some(flows) = &program.flows else { return Ok(true) };
        let group = self.warp.groups[index];
        let first = &self.warp.threads[group.trailing_zeros() as usize];
        let flow = &flows[first.function().0 as usize];
        let to = flow.block(first.pc);
        let mut waiting = false;
        for lane in lanes(group) {
            let depth = self.warp.threads[lane].frames.len();
            let Some(meetings) = &mut self.warp.meetings else { return Ok(true) };
            meetings.leave(lane, |m| m.depth <= depth);
            let Some(from) = meetings.coming[lane] else { continue };
            meetings.leave(lane, |m| m.depth < depth || flow.places.holds(m.level, to));
            let arrives = |m: &Meeting| {
                m.depth == depth && m.place.is_some_and(|place| flow.places.arrives(from, to, m.level, place))
            };
            // Who comes to an outer place without having passed an inner one has left that one.
            let stack = &meetings.of_lane[lane];
            if let Some(at) = stack.iter().rposition(arrives) {
                let number = stack[at].number;
                let inner: Vec<u64> = stack[at + 1..].iter().map(|m| m.number).collect();
                meetings.leave(lane, |m| !inner.contains(&m.number));
                self.warp.threads[lane].status = Status::Waiting(Wait::Meeting(number));
                waiting = true;
            }
        }
        if !waiting {
            self.enter(group, flow, to);
            return Ok(true);
        }
        self.warp.groups.swap_remove(index);
        self.regroup(group)?;
        self.warp.gather();
        Ok(false)
    }

    /// Opens the meetings of the loops into which lanes come.
    fn enter(&mut self, group: u32, flow: &Flow, to: usize) {
        let depth = self.warp.threads[group.trailing_zeros() as usize].frames.len();
        let Some(meetings) = &mut self.warp.meetings else { return };
        let mut by_way: BTreeMap<Option<usize>, u32> = BTreeMap::new();
        for lane in lanes(group) {
            if let Some(from) = meetings.coming[lane].take() {
                *by_way.entry(from).or_default() |= 1 << lane;
            }
        }
        // Lanes that come from different blocks into the same loops come together.
        let mut by_loops: Vec<(Vec<(usize, Option<Place>)>, u32)> = Vec::new();
        for (from, lanes) in by_way {
            let loops = flow.places.entered(from, to);
            match by_loops.iter_mut().find(|(other, _)| *other == loops) {
                Some((_, all)) => *all |= lanes,
                None => by_loops.push((loops, lanes)),
            }
        }
        for (loops, among) in by_loops {
            for (level, place) in loops {
                meetings.open(among, depth, level, place);
            }
        }
    }

    /// Lanes of a group go on from the instruction at `pc`, which may be the last of its block.
    pub fn go(&mut self, group: u32, pc: u32) {
        let program = self.program;
        let Some(flows) = &program.flows else { return };
        let thread = &self.warp.threads[group.trailing_zeros() as usize];
        let (depth, flow) = (thread.frames.len(), &flows[thread.function().0 as usize]);
        let Some(meetings) = &mut self.warp.meetings else { return };
        if !flow.is_last(pc) {
            return;
        }
        let block = flow.block(pc);
        if let Some((level, place)) = flow.places.branch(block) {
            meetings.open(group, depth, level, Some(place));
        }
        for lane in lanes(group) {
            meetings.coming[lane] = Some(Some(block));
        }
    }
}

impl Turn<'_, '_, '_> {
    /// A lane has come back from a call.
    pub fn resume(&mut self, lane: usize) {
        let Some(flows) = &self.program.flows else { return };
        let thread = &self.warp.threads[lane];
        let (flow, call) = (&flows[thread.function().0 as usize], thread.pc.saturating_sub(1));
        if let Some(meetings) = &mut self.warp.meetings {
            meetings.coming[lane] = flow.is_last(call).then(|| Some(flow.block(call)));
        }
    }
}

impl Warp {
    /// A lane stands at the entry of a function.
    pub fn begin(&mut self, lane: usize) {
        if let Some(meetings) = &mut self.meetings {
            meetings.coming[lane] = Some(None);
        }
    }

    /// Lets those go on who have all met.
    pub fn gather(&mut self) {
        let exited = self.exited;
        let Some(meetings) = &mut self.meetings else { return };
        let mut met = Vec::new();
        for (&number, all) in &mut meetings.members {
            *all &= !exited;
            let there = |&lane: &usize| matches!(self.threads[lane].status, Status::Waiting(Wait::Meeting(at)) if at == number);
            if *all != 0 && lanes(*all).all(|lane| there(&lane)) {
                met.push((number, *all));
            }
        }
        for (number, all) in met {
            for lane in lanes(all) {
                if let Some(meetings) = &mut self.meetings {
                    meetings.leave(lane, |m| m.number != number);
                }
                self.threads[lane].status = Status::Running;
            }
            self.free(all);
        }
    }
}
