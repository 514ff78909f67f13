//! What a source says that decides how a side is read.

use sassafras_semantics::TermId;

/// What the source has. By default it has nothing of all this.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// Whether it has barriers of a warp, which are events then.
    pub warp_barriers: bool,
    /// Whether it has accesses of shared memory that are not weak: SASS does not say which are, so that all are events then.
    pub strong_shared: bool,
    /// Whether it tests barrier objects, which are words on the target's chip: its loads of them are not weak, and SASS does not say which these are.
    pub strong_tests: bool,
    /// Whether it asks which lanes are here: then the target's question is an event.
    pub votes: bool,
    /// Whether it combines values of lanes, likewise.
    pub combines: bool,
    /// Whether `NOP` may stand where it has a barrier of a warp: ptxas leaves one where it knows all lanes to be together.
    pub left_out: bool,
    /// Whether all its barriers of the block are aligned: the lanes of a warp come to each together (PTX ISA, "barrier": `bar` is `barrier.aligned`).
    pub aligned: bool,
    /// Whether its operations of whole warps are aligned: what is PTX has no others.
    pub whole: bool,
    /// How often a function may be called within itself, if those of the source call themselves: lanes in different calls are then followed
    /// apart.
    pub calls: Option<u32>,
    /// Bytes of its largest local variable.
    pub room: u32,
}

/// What code nowhere asks: then what others ask of it is no event, since any answer is as good as another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unasked {
    /// What time it is.
    pub clocks: bool,
    /// Which lanes are here.
    pub lanes: bool,
}

/// How a side is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// What the source has.
    pub facts: Facts,
    /// What the other side never asks.
    pub unasked: Unasked,
    /// Whether atomic operations are changes of words (`update`).
    pub updates: bool,
    /// Bytes of the module's constants.
    pub constants: u64,
    /// What holds on every input that counts, one bit, if anything is known of it: ways on which it does not are not followed.
    pub admitted: Option<TermId>,
}
