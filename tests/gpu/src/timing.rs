//! The latency tables held against the hardware, one pair of instructions at a time.
//!
//! A *probe* is two instructions, the second of which reads or overwrites what the first writes, or overwrites what it reads. The second
//! issues `d` cycles after the first, for every `d` from 1 on; what both leave behind is mixed to one word. In order and far apart they
//! give the *gold* word, the other way round the *stale* one. A probe whose two words are equal in too many lanes shows nothing. The
//! least `d` from which on every try gives gold is what the hardware needs.
//!
//! Each try stands in a loop, so that the instruction cache is warm: a miss would hide what comes too early. Probes run in a lone warp,
//! then in all warps of the device at once.
//!
//! - [`probe`]: two instructions, and what the tables demand between them.
//! - [`texts`]: instructions by text: writers, readers, accesses to memory.
//! - [`select`]: which probes there are.
//! - [`kernel`]: many probes in one kernel.
//! - [`run`]: devices, children, the report.

pub mod kernel;
pub mod probe;
pub mod run;
pub mod select;
pub mod texts;
