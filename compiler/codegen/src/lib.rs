//! Selection, allocation, placement, scheduling and emission.
