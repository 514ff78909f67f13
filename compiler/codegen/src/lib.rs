//! From the IR to words: selection, allocation, placement, scheduling, emission.
//!
//! Each stage is a free function over [`sassafras_machine::Function`], in this order:
//! * [`select`]: from the IR to machine code in SSA, by rows.
//! * [`prepare`](prepare()): critical edges are split, instructions get names, uniform branches are marked.
//! * [`arrange`](arrange()): the order within blocks by which few values live at once and loads begin early.
//! * [`allocate`]: real registers; out of SSA; spills and parallel copies.
//! * [`expand`](expand()): pseudo-instructions become instructions of the hardware; the frame is set up.
//! * [`fold`](fold()): equal tails merged, branches that decide nothing taken out, equal beginnings hoisted.
//! * [`converge`](converge()): BSSY and BSYNC.
//! * [`layout`](layout()): order of blocks, explicit branches.
//! * [`schedule`]: order within blocks, stalls, scoreboards.
//! * [`emit`](emit()): words, and the facts that the container needs.
//!
//! [`plant`] holds faults to inject behind the stages, for tests of the judges.

mod alloc;
mod arrange;
mod cold;
mod converge;
mod emit;
mod error;
mod expand;
pub mod fold;
mod knobs;
mod layout;
mod lines;
pub mod plant;
mod prepare;
mod schedule;
pub mod select;
mod uniform;
mod warpgroup;
mod zero;

pub use alloc::{AllocStats, End, MINIMUM_REGISTERS, allocate, parallel_moves};
pub use arrange::{ARRANGE, ArrangeStats, Effort, arrange};
pub use cold::{ColdChoices, MARK_COLD, OUT_OF_LOOPS, TO_THE_END};
pub use converge::{ConvergeStats, converge};
pub use emit::{Code, Head, emit, routines};
pub use error::Error;
pub use expand::{ExpandStats, expand};
pub use fold::{BRANCH_FOLDER, FoldStats, fold};
pub use knobs::{Knobs, Setting, SettingError};
pub use layout::{
    Counts, DuplicateStats, LayoutChoices, LayoutStats, PLACEMENT, PLACEMENT_STATISTICS, duplicate, layout,
    layout_with,
};
pub use prepare::{PrepareStats, prepare};
pub use schedule::{ScheduleStats, schedule};
