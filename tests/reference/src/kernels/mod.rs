//! One CPU reference per kernel of `corpus/kernels`, written from its CUDA source.

mod vector;

use crate::{Launch, Outputs};

type Reference = fn(&Launch) -> Outputs;

/// Name of the kernel and its reference.
const TABLE: &[(&str, Reference)] = &[("vadd", vector::vadd)];

pub fn run(name: &str, launch: &Launch) -> Option<Outputs> {
    TABLE.iter().find(|(n, _)| *n == name).map(|(_, f)| f(launch))
}
