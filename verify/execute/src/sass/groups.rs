//! Who runs where: groups of lanes, what they wait for, and how they meet (`docs/convergence.md`).

use super::group::{Group, Wait};
use super::warp::Warp;
use crate::order::Candidate;
use crate::schedule::Block;
use sassafras_semantics::state::BarrierMode;
use smallvec::SmallVec;

/// How often lanes yield before those that wait for them at a convergence barrier go on without them. Nobody knows the
/// hardware's number: that it has one follows from threads' progress, and an H100 was seen to wait for less than two turns. An order that is
/// `early` does not wait for a second.
const PATIENCE: u32 = 256;

/// What a warp does next.
pub(super) enum Next {
    /// The group at this index issues.
    Group(usize),
    Waiting,
    Exited,
}

impl Warp {
    /// Releases whom can be released, and picks a group.
    pub(super) fn next(&mut self, block: &Block) -> Next {
        // Mostly all lanes are together.
        if let [Group { pc, lanes, wait: None, alone: None }] = self.groups[..] {
            return Next::Group(self.picker.pick(&[Candidate { position: pc, lanes }]));
        }
        self.release(block);
        if self.order.merge {
            self.merge(|_| true);
        }
        let running: SmallVec<[usize; 8]> =
            (0..self.groups.len()).filter(|&i| self.groups[i].wait.is_none()).collect();
        if let Some(&alone) = running.iter().find(|&&i| self.groups[i].alone.is_some()) {
            return Next::Group(alone);
        }
        if running.is_empty() {
            return if self.groups.is_empty() { Next::Exited } else { Next::Waiting };
        }
        let candidates: SmallVec<[Candidate; 8]> = running
            .iter()
            .map(|&i| Candidate { position: self.groups[i].pc, lanes: self.groups[i].lanes })
            .collect();
        Next::Group(running[self.picker.pick(&candidates)])
    }

    /// Lanes blocked with a wait.
    fn blocked(&self, wait: Wait) -> u32 {
        self.groups.iter().filter(|g| g.wait == Some(wait)).fold(0, |all, g| all | g.lanes)
    }

    /// C11: lanes yield. Barriers that wait for nobody but lanes that do so again and again let go whom they hold.
    pub(super) fn give_way(&mut self, lanes: u32) {
        for barrier in 0..16u32 {
            let wait = Wait::Sync(barrier);
            let blocked = self.blocked(wait);
            let awaited = self.barriers[barrier as usize] & !self.exited & !blocked;
            let (gave, turns) = &mut self.yielded[barrier as usize];
            if blocked == 0 || awaited == 0 {
                (*gave, *turns) = (0, 0);
                continue;
            }
            *gave |= lanes;
            if awaited & !*gave != 0 {
                continue;
            }
            (*gave, *turns) = (0, *turns + 1);
            if *turns < if self.order.early { 1 } else { PATIENCE } {
                continue;
            }
            *turns = 0;
            self.let_go(barrier);
        }
    }

    /// Lanes that are blocked at a convergence barrier go on, whether or not all of it have come.
    fn let_go(&mut self, barrier: u32) {
        let wait = Wait::Sync(barrier);
        let blocked = self.blocked(wait);
        self.barriers[barrier as usize] &= !blocked;
        for group in self.groups.iter_mut().filter(|group| group.wait == Some(wait)) {
            group.wait = None;
            group.pc += 1;
        }
        self.merge(|group| group.lanes & blocked != 0);
    }

    /// C9: lanes leave a barrier by `BREAK`. Behind that nothing says that those who stay come together there. Where lanes leave two barriers at
    /// once, an H100 was seen with others apart further out; around one that is left alone, ptxas 13.0.88 counts on the next
    /// (`corpus/features/flow_into_second_loop`).
    pub(super) fn break_off(&mut self, barrier: u32, lanes: u32) {
        let left = lanes & self.barriers[barrier as usize];
        self.barriers[barrier as usize] &= !lanes;
        let again = left & self.broke;
        self.broke |= left;
        if left == 0 || !self.order.early {
            return;
        }
        for other in 0..16u32 {
            if other == barrier || self.barriers[other as usize] & again != 0 {
                self.let_go(other);
                self.barriers[other as usize] = 0;
            }
        }
    }

    fn release(&mut self, block: &Block) {
        let mut released = 0u32;
        for i in 0..self.groups.len() {
            let Some(wait) = self.groups[i].wait else { continue };
            let free = match wait {
                Wait::Sync(barrier) => {
                    self.barriers[barrier as usize] & !self.exited & !self.blocked(wait) == 0
                }
                Wait::Warp(mask) => mask & !self.exited & !self.blocked(wait) == 0,
                Wait::Block(ticket, mode) => match block.barriers.poll(ticket) {
                    None => false,
                    Some(result) => {
                        let decision = match mode {
                            BarrierMode::And => result.all,
                            BarrierMode::Or => result.any,
                            _ => result.popc != 0,
                        };
                        if !matches!(mode, BarrierMode::Sync | BarrierMode::Arrive) {
                            for lane in crate::collective::lanes(self.groups[i].lanes) {
                                self.reduced[lane] = (result.popc, decision);
                            }
                        }
                        true
                    }
                },
            };
            if free {
                // Marked now, set running below: the others of the same wait must still see these lanes blocked.
                released |= 1 << i;
            }
        }
        if released == 0 {
            return;
        }
        let mut together = 0u32;
        for (i, group) in self.groups.iter_mut().enumerate() {
            if released >> i & 1 != 0 {
                if let Some(Wait::Sync(barrier)) = group.wait {
                    self.barriers[barrier as usize] &= !group.lanes;
                }
                if !matches!(group.wait, Some(Wait::Block(..))) {
                    together |= group.lanes;
                }
                group.wait = None;
                group.pc += 1;
            }
        }
        // C8 and C10: those released at one address are one group.
        self.merge(|g| g.lanes & together != 0);
    }

    /// Joins running groups at one position, among those that `which` picks.
    fn merge(&mut self, which: impl Fn(&Group) -> bool) {
        let mut i = 0;
        while i < self.groups.len() {
            let mut j = i + 1;
            while j < self.groups.len() {
                let (a, b) = (self.groups[i], self.groups[j]);
                let run = a.wait.is_none() && b.wait.is_none() && a.alone == b.alone;
                if a.pc == b.pc && run && which(&a) && which(&b) {
                    self.groups[i].lanes |= b.lanes;
                    self.groups.remove(j);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }

    /// Lanes of group `i` go to new positions or waits; those of no part have exited.
    pub(super) fn split(&mut self, i: usize, parts: &[Group]) {
        self.groups.remove(i);
        for part in parts.iter().filter(|p| p.lanes != 0) {
            self.groups.push(*part);
        }
    }

    /// C9: lanes end.
    pub(super) fn exit(&mut self, lanes: u32) {
        self.exited |= lanes;
        for barrier in &mut self.barriers {
            *barrier &= !lanes;
        }
    }
}
