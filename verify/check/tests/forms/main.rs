//! The judges of forms: nothing to say about what is right, and every planted fault is seen.

mod clean;
mod collect;
mod faults;
mod plant_cubin;
mod plant_machine;
mod plant_words;
