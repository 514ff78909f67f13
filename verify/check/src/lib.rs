//! Rules about one program in one form: IR, control tree, machine code, allocation, schedule and cubin, its file included; and the judges of
//! the graph library ([`graph`]), of orders of blocks ([`order`]), and of branch folding ([`folding`]).
//!
//! A judge answers a [`Verdict`]. It reads forms and tables of facts, and shares no algorithm with what it judges.

pub mod allocation;
pub mod container;
pub mod cubin;
pub mod encode;
pub mod folding;
pub mod graph;
pub mod hazard;
pub mod ir;
pub mod lines;
pub mod machine;
pub mod order;
mod paths;
mod report;
pub mod rules;
pub mod schedule;
pub mod text;
pub mod tree;

pub use sassafras_hazards::{Finding, Verdict};
