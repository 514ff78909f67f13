//! Faults to inject behind a stage, for tests of the judges: named, realistic, and such that the function stays
//! well-formed.
//!
//! [`plant`] collects the places where a fault can be made, and makes it at one of them, by seed. It answers whether
//! there was one. Whether the fault changes what the program does is not known: a dropped move may have been useless.

mod allocation;
mod choose;
mod placement;
mod schedule;

use sassafras_machine::Function;

/// The stage behind which a fault belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Behind [`crate::arrange`](crate::arrange()).
    Arrange,
    /// Behind [`crate::allocate`].
    Allocate,
    /// Behind [`crate::expand`](crate::expand()).
    Expand,
    /// Behind [`crate::converge`](crate::converge()).
    Converge,
    /// Behind [`crate::layout`](crate::layout()).
    Layout,
    /// Behind [`crate::schedule`].
    Schedule,
}

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $stage:ident, $make:path;)*) => {
        /// The faults.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Fault { $($(#[$doc])* $name,)* }

        impl Fault {
            /// Every fault.
            pub const ALL: &'static [Fault] = &[$(Fault::$name,)*];

            /// Its name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Fault::$name => $text,)* }
            }

            /// The stage behind which it belongs.
            pub const fn stage(self) -> Stage {
                match self { $(Fault::$name => Stage::$stage,)* }
            }

            /// The fault of this name.
            pub fn named(text: &str) -> Option<Fault> {
                Fault::ALL.iter().copied().find(|fault| fault.name() == text)
            }
        }

        /// Makes the fault at one of its places, chosen by `seed`; whether there was a place.
        pub fn plant(fault: Fault, f: &mut Function, seed: u64) -> bool {
            match fault { $(Fault::$name => $make(f, seed),)* }
        }
    };
}

faults! {
    /// Before allocation an access to memory and a block barrier change places, or two accesses that may meet where there is none.
    MemoryRearranged, "memory-rearranged", Arrange, schedule::memory_rearranged;
    /// A use of one half of a pair reads the other half.
    WrongUnit, "wrong-unit", Allocate, allocation::wrong_unit;
    /// A spill stores to the slot of another value.
    ClobberedSlot, "clobbered-slot", Allocate, allocation::clobbered_slot;
    /// A reload reads the slot of another value.
    WrongSlot, "wrong-slot", Allocate, allocation::wrong_slot;
    /// A move of a parallel copy, or of a join, is missing.
    DroppedMove, "dropped-move", Allocate, allocation::dropped_move;
    /// Of two moves, the one that overwrites the source of the other comes first.
    MovesOutOfOrder, "moves-out-of-order", Allocate, allocation::moves_out_of_order;
    /// A predicate is read in place of another.
    SwappedPredicate, "swapped-predicate", Allocate, allocation::swapped_predicate;
    /// The old value of a guarded definition is not brought to its register.
    TiedUseLost, "tied-use-lost", Allocate, allocation::tied_use_lost;
    /// A result goes to a register where another value lives.
    SharedRegister, "shared-register", Allocate, allocation::shared_register;
    /// A copy of a predicate into a general register has its sense turned around.
    InvertedSelect, "inverted-select", Expand, placement::inverted_select;
    /// The stack pointer is set up for a smaller frame.
    ShortFrame, "short-frame", Expand, placement::short_frame;
    /// A BSYNC is missing.
    DroppedSync, "dropped-sync", Converge, placement::dropped_sync;
    /// A BSYNC stands behind the work of the block in front of which it belongs.
    LateSync, "late-sync", Converge, placement::late_sync;
    /// A BREAK is missing.
    DroppedBreak, "dropped-break", Converge, placement::dropped_break;
    /// A BSSY is missing.
    DroppedPush, "dropped-push", Converge, placement::dropped_push;
    /// A BSSY sets the barrier of the region around it, or of none.
    WrongConvergenceBarrier, "wrong-convergence-barrier", Converge, placement::wrong_barrier;
    /// A branch was turned around, and its guard was not.
    BranchNotInverted, "branch-not-inverted", Layout, placement::branch_not_inverted;
    /// An unconditional branch at a block's end is missing.
    DroppedJump, "dropped-jump", Layout, placement::dropped_jump;
    /// A branch goes to another successor's place.
    WrongTarget, "wrong-target", Layout, placement::wrong_target;
    /// A stall count is shorter than a dependence needs.
    ShortStall, "short-stall", Schedule, schedule::short_stall;
    /// A guard is read before the comparison is done.
    ShortGuardStall, "short-guard-stall", Schedule, schedule::short_guard_stall;
    /// One bit of a wait mask is missing.
    DroppedWait, "dropped-wait", Schedule, schedule::dropped_wait;
    /// A wait is missing for what an earlier round of a loop, or another block, began.
    DroppedFarWait, "dropped-far-wait", Schedule, schedule::dropped_far_wait;
    /// An instruction raises another scoreboard than its readers wait for.
    WrongScoreboard, "wrong-scoreboard", Schedule, schedule::wrong_scoreboard;
    /// A result of variable latency has no scoreboard.
    DroppedWriteBarrier, "dropped-write-barrier", Schedule, schedule::dropped_write_barrier;
    /// A late reader has no scoreboard, and its source is overwritten.
    DroppedReadBarrier, "dropped-read-barrier", Schedule, schedule::dropped_read_barrier;
    /// Two accesses to memory that may meet stand in the wrong order.
    MemoryOutOfOrder, "memory-out-of-order", Schedule, schedule::memory_out_of_order;
    /// An instruction stands behind one that reads its result.
    UseBeforeDefinition, "use-before-definition", Schedule, schedule::use_before_definition;
}
