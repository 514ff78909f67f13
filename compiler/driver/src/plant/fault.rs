//! A fault.

use crate::phase::Stage;
use sassafras_chip::Chip;
use sassafras_codegen::plant as machine;
use sassafras_cubin::Cubin;
use sassafras_emit::lines::Lines;

/// What makes a fault.
#[derive(Clone, Copy)]
pub(super) enum Make {
    Ir(fn(&mut sassafras_ir::Module, u64) -> bool),
    Machine(machine::Fault),
    Words(fn(&mut [u128], Chip, u64) -> bool),
    Cubin(fn(&mut Cubin, u64) -> bool),
    Lines(fn(&mut Lines, u64) -> bool),
}

/// A fault.
#[derive(Clone, Copy)]
pub struct Fault {
    /// Its name on the command line.
    pub name: &'static str,
    /// The stage behind which it is made.
    pub stage: Stage,
    pub(super) make: Make,
}
