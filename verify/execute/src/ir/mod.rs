//! The executor of the IR: warps of 32 lanes, each with the values of its function, over what the operations mean
//! ([`mod@sassafras_ir::evaluate`], `docs/ir.md`).
//!
//! - `program`: the code in a row, and where variables lie.
//! - `warp`: groups of lanes, and what happens at each position.
//! - `lane`: what an operation does in one lane.
//! - `across`: what several lanes do together.
//!
//! Lanes come apart and together as in PTX (`docs/convergence.md`, C15 to C17): the IR has no convergence barriers.

mod across;
mod lane;
mod program;
mod wait;
mod warp;

use crate::launch::Launch;
use crate::options::Options;
use crate::outcome::{Failure, Outcome};
use crate::schedule::{self, World};
use program::Program;
use sassafras_ir::Module;

/// Runs a function of a module to its end.
///
/// # Errors
/// The launch does not fit, or the function failed: see [`Failure`].
pub fn run(module: &Module, name: &str, launch: &Launch, options: &Options) -> Result<Outcome, Failure> {
    let mut world = World::new(launch, options);
    // Values that are undefined are drawn apart from those of PTX: nothing may rest on them.
    let domain = crate::ptx::domain(options).with_undefined(!options.seed);
    let program = Program::load(module, name, domain, &mut world.memory)?;
    schedule::run(&program, world)
}
