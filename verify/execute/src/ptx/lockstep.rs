//! Lock step: lanes that part wait for each other where they meet (`docs/convergence.md`, "Lock step").

use super::flow::Flow;
use super::meetings::Meeting;
use super::wait::Wait;
use super::warp::{Status, Turn, Warp};
use crate::collective::lanes;
use crate::lockstep::Place;
use crate::outcome::Failure;
use std::collections::BTreeMap;

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
