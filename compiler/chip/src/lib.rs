//! Chips and targets: limits, constant-bank layout and latencies, as data with sources.
//!
//! * [`Chip`] is the hardware generation a word of machine code is for; [`Target`] is what a user names
//!   (`sm_90a`, `compute_100f`): a chip and the set of features that the suffix opens.
//! * [`limits`] holds what one thread, warp and block may use.
//! * [`bank`] holds the layout of constant bank 0, which the driver fills before a launch.
//! * [`latency`] holds the issue distances that the scheduler must keep and the hazard checker must find.

pub mod abi;
pub mod bank;
mod chip;
pub mod latency;
pub mod limits;
mod occupancy;
mod strength;
mod target;

pub use bank::BankLayout;
pub use chip::{Chip, ChipRange, UnknownChip};
pub use limits::Limits;
pub use occupancy::{Limit, Occupancy, PARTS};
pub use strength::Strengths;
pub use target::{Features, Target, UnknownTarget};
