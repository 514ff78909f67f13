//! What lanes wait for, and what they ask of others.

use crate::barrier::Ticket;
use sassafras_ir::Value;
use sassafras_semantics::Collective;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::state::BarrierMode;
use smallvec::SmallVec;

/// What a lane waits for.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    /// The other lanes of a mask.
    Mask { asked: Asked, mask: u32 },
    /// A block barrier.
    Barrier { ticket: Ticket, mode: BarrierMode, result: Option<Value> },
}

/// What one lane asks of several.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub lane: usize,
    pub op: Collective,
    pub arguments: SmallVec<[Bits; 4]>,
    pub results: SmallVec<[Value; 2]>,
}
