//! Selection, allocation, placement, scheduling and emission.

pub mod select;
