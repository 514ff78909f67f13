//! The examples.

mod container;
mod convergence;
mod effort;
mod freedom;
mod memory;
mod replay;
mod source;
mod target;
mod turns;
mod witness;

use super::example::Example;

/// A file of `ptx`.
macro_rules! ptx {
    ($name:literal) => {
        include_str!(concat!("../ptx/", $name, ".ptx"))
    };
}

/// A file of `code`.
macro_rules! sass {
    ($name:literal) => {
        include_str!(concat!("../code/", $name, ".sass"))
    };
}

use {ptx, sass};

/// All of them, by what stands in the way.
pub const EXAMPLES: &[&[Example]] = &[
    container::ALL,
    convergence::ALL,
    effort::ALL,
    freedom::ALL,
    memory::ALL,
    replay::ALL,
    source::ALL,
    target::ALL,
    turns::ALL,
    witness::ALL,
];
