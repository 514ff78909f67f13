//! Block barriers (`bar`, `BAR`): 16 per block, each counting threads (`docs/convergence.md`, C14 and C16).

/// Most threads of a block, and so of a barrier (CUDA C++ Programming Guide, "Compute capabilities").
const MOST_THREADS: u32 = sassafras_chip::limits::THREADS_PER_BLOCK;

/// A wait that a lane holds: done when its barrier's generation has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    barrier: u8,
    generation: usize,
}

/// The reductions over all threads that arrived: whoever waits picks what it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Threads whose predicate holds.
    pub popc: u32,
    /// All predicates hold.
    pub all: bool,
    /// Some predicate holds.
    pub any: bool,
}

impl Reduction {
    const START: Reduction = Reduction { popc: 0, all: true, any: false };
}

/// An arrival of lanes of one warp.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Barrier index.
    pub barrier: u32,
    /// Threads expected, a multiple of 32; 0 for all threads of the block that have not exited.
    pub threads: u32,
    /// Arriving lanes.
    pub lanes: u32,
    /// Lanes that the warp has at all (a block's last warp may have fewer than 32).
    pub existing: u32,
    /// Arriving lanes whose predicate holds.
    pub predicates: u32,
}

#[derive(Clone, Debug)]
struct Slot {
    expected: u32,
    arrived: u32,
    reduction: Reduction,
    /// Results of past generations; their number is the current generation.
    done: Vec<Reduction>,
}

/// The barriers of a block.
#[derive(Clone, Debug)]
pub struct Barriers {
    alive: u32,
    /// Generations that the whole block came to.
    whole: u32,
    slots: Vec<Slot>,
}

/// Why an arrival at a barrier has no meaning (PTX ISA, `barrier`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrivalError {
    /// A number that no barrier has.
    #[error("there is no barrier {barrier}")]
    NoBarrier {
        /// The barrier.
        barrier: u32,
    },
    /// A number of threads that are no whole warps.
    #[error("barrier {barrier} with {threads} threads, which is no multiple of 32")]
    NotWarps {
        /// The barrier.
        barrier: u32,
        /// For how many threads.
        threads: u32,
    },
    /// A number of threads that no block has.
    #[error("barrier {barrier} with {threads} threads, more than a block has")]
    MoreThanBlock {
        /// The barrier.
        barrier: u32,
        /// For how many threads.
        threads: u32,
    },
    /// Others wait there for another number of threads.
    #[error("barrier {barrier} with {threads} threads, while others wait for {expected}")]
    Others {
        /// The barrier.
        barrier: u32,
        /// For how many threads.
        threads: u32,
        /// For how many others wait.
        expected: u32,
    },
    /// More threads arrive than it is for.
    #[error("{arrived} threads arrive at barrier {barrier}, which is for {threads}")]
    TooMany {
        /// The barrier.
        barrier: u32,
        /// For how many threads.
        threads: u32,
        /// How many arrive.
        arrived: u32,
    },
}

impl Barriers {
    /// Barriers of a block of `threads` threads.
    pub fn new(threads: u32) -> Barriers {
        let slot = Slot { expected: 0, arrived: 0, reduction: Reduction::START, done: Vec::new() };
        Barriers { alive: threads, whole: 0, slots: vec![slot; 16] }
    }

    /// Lanes arrive; whether they then wait is theirs to say.
    ///
    /// # Errors
    /// The ISA leaves the arrival undefined.
    pub fn arrive(&mut self, arrival: &Arrival) -> Result<Ticket, ArrivalError> {
        let Arrival { barrier, threads, lanes, existing, predicates } = *arrival;
        let alive = self.alive;
        let Some(slot) = self.slots.get_mut(barrier as usize) else {
            return Err(ArrivalError::NoBarrier { barrier });
        };
        if !threads.is_multiple_of(32) {
            return Err(ArrivalError::NotWarps { barrier, threads });
        }
        if threads > MOST_THREADS {
            return Err(ArrivalError::MoreThanBlock { barrier, threads });
        }
        if slot.arrived > 0 && slot.expected != threads {
            return Err(ArrivalError::Others { barrier, threads, expected: slot.expected });
        }
        slot.expected = threads;
        slot.arrived += lanes.count_ones();
        if threads != 0 && lanes & 1 != 0 {
            // A count is one of whole warps: lanes that do not exist arrive with lane 0.
            slot.arrived += 32 - existing.count_ones();
        }
        let r = &mut slot.reduction;
        r.popc += (lanes & predicates).count_ones();
        r.all &= lanes & !predicates == 0;
        r.any |= lanes & predicates != 0;
        let ticket = Ticket { barrier: barrier as u8, generation: slot.done.len() };
        if threads != 0 && slot.arrived > threads {
            return Err(ArrivalError::TooMany { barrier, threads, arrived: slot.arrived });
        }
        self.whole += slot.settle(alive);
        Ok(ticket)
    }

    /// Threads exit: barriers for the whole block no longer wait for them.
    pub fn exit(&mut self, threads: u32) {
        self.alive -= threads;
        for slot in &mut self.slots {
            self.whole += slot.settle(self.alive);
        }
    }

    /// How often the whole block has met so far.
    pub fn met(&self) -> u32 {
        self.whole
    }

    /// The result if the wait is over.
    pub fn poll(&self, ticket: Ticket) -> Option<Reduction> {
        self.slots[usize::from(ticket.barrier)].done.get(ticket.generation).copied()
    }
}

impl Slot {
    /// Ends the generation if all have come; how many of the whole block ended.
    fn settle(&mut self, alive: u32) -> u32 {
        let wanted = if self.expected == 0 { alive } else { self.expected };
        if self.arrived > 0 && self.arrived >= wanted {
            self.done.push(self.reduction);
            (self.arrived, self.reduction) = (0, Reduction::START);
            return u32::from(self.expected == 0);
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(threads: u32, lanes: u32, predicates: u32) -> Arrival {
        Arrival { barrier: 1, threads, lanes, existing: u32::MAX, predicates }
    }

    #[test]
    fn whole_block_and_exits() {
        let mut b = Barriers::new(64);
        let first = b.arrive(&arrival(0, u32::MAX, 1)).expect("defined");
        assert_eq!(b.poll(first), None);
        let second = b.arrive(&arrival(0, 0xffff, 0xffff)).expect("defined");
        assert_eq!(b.poll(second), None);
        b.exit(16);
        let all = Some(Reduction { popc: 17, all: false, any: true });
        assert_eq!((b.poll(first), b.poll(second)), (all, all));
        let again = b.arrive(&arrival(0, u32::MAX, 0)).expect("defined");
        assert_eq!(b.poll(again), None);
    }

    #[test]
    fn counts() {
        let mut b = Barriers::new(80);
        let t = b.arrive(&arrival(64, u32::MAX, 0)).expect("defined");
        let last = Arrival { existing: 0xffff, ..arrival(64, 0xffff, 0) };
        b.arrive(&last).expect("defined");
        assert!(b.poll(t).is_some());
        assert!(b.arrive(&arrival(33, 1, 0)).is_err());
        b.arrive(&arrival(64, u32::MAX, 0)).expect("defined");
        assert!(b.arrive(&arrival(96, u32::MAX, 0)).is_err());
        assert!(b.arrive(&Arrival { barrier: 2, ..arrival(1024, u32::MAX, 0) }).is_ok());
        assert!(b.arrive(&Arrival { barrier: 3, ..arrival(1056, u32::MAX, 0) }).is_err());
        assert!(b.arrive(&Arrival { barrier: 16, ..arrival(0, 1, 0) }).is_err());
    }
}
