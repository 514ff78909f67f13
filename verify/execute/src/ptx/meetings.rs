//! Who waits for whom in lock step.

use crate::collective::lanes;
use crate::lockstep::Place;
use std::collections::BTreeMap;

/// Lanes that will wait for each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Frames of the lanes.
    pub(super) depth: usize,
    pub(super) level: usize,
    pub(super) place: Option<Place>,
    pub(super) number: u64,
}

/// The meetings of a warp.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// Lanes of each meeting that have neither passed nor left it.
    pub(super) members: BTreeMap<u64, u32>,
    /// By lane, outermost first.
    pub(super) of_lane: [Vec<Meeting>; 32],
    /// Blocks from which lanes come that have not yet begun the one that they stand at.
    pub(super) coming: [Option<Option<usize>>; 32],
    next: u64,
}

impl Meetings {
    /// All lanes stand at the entry.
    pub fn new() -> Meetings {
        Meetings { coming: [Some(None); 32], ..Meetings::default() }
    }

    pub(super) fn open(&mut self, among: u32, depth: usize, level: usize, place: Option<Place>) {
        let number = self.next;
        self.next += 1;
        self.members.insert(number, among);
        for lane in lanes(among) {
            self.of_lane[lane].push(Meeting { depth, level, place, number });
        }
    }

    pub(super) fn leave(&mut self, lane: usize, keep: impl Fn(&Meeting) -> bool) {
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
