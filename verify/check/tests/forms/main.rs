//! The judges of forms: nothing to say about what is right, and every planted fault is seen.

mod clean;
mod collect;
