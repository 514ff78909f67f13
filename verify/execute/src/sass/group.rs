//! Lanes that issue together, and what they wait for.

use crate::barrier::Ticket;
use sassafras_semantics::state::BarrierMode;

/// What a blocked group waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// C8: the lanes of this convergence barrier.
    Sync(u32),
    /// C10: the lanes of this mask.
    Warp(u32),
    /// C14: the other warps.
    Block(Ticket, BarrierMode),
}

/// Lanes that issue together (C2), or are blocked at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Index of the next instruction; of the blocking one while blocked.
    pub pc: u64,
    pub lanes: u32,
    pub wait: Option<Wait>,
    /// The mask of the `WARPSYNC.EXCLUSIVE` behind which these lanes run, or will: until they wait, branch or end no other group
    /// runs or joins them (C10).
    pub alone: Option<u32>,
}

impl Group {
    pub fn at_entry(lanes: u32) -> Group {
        Group { pc: 0, lanes, wait: None, alone: None }
    }
}
