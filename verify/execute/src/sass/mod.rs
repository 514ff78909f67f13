//! The SASS executor: warps of 32 lanes over the meanings of [`mod@sassafras_isa::step`].
//!
//! - `program`: a cubin loaded: decoded code, constant banks, global variables. Addresses that a loader puts into the code are `sassafras_link`'s.
//! - `warp`: registers of a warp and one lane's view of the machine.
//! - `group`, `groups`: who runs where; convergence barriers (`docs/convergence.md`, C1 to C12).
//! - `issue`: one instruction of one group.
//! - `together`: the same instruction for all lanes of a group in one step.
//! - `across`: what the lanes of a group, or the threads of a block, do together.
//! - `system`: calls that have come to functions that the driver resolves.
//! - `timing`: registers read before their producer is ready are poison.

mod across;
mod group;
mod groups;
mod issue;
mod program;
mod system;
#[cfg(test)]
mod tests;
mod timing;
mod together;
mod warp;

use crate::launch::{Launch, LaunchError, Slot};
use crate::options::Options;
use crate::outcome::{Failure, Location, Outcome};
use crate::schedule::{self, Block, Machine, Progress, World};
use program::Program;
use sassafras_cubin::Cubin;
use sassafras_link::link;
use warp::Warp;

/// Runs an entry of a cubin. `launch.params` is laid out as [`layout`] says.
///
/// # Errors
/// A launch that does not fit, a fault, a poisoned register, a deadlock, or a form without a meaning.
pub fn run(cubin: &Cubin, entry: &str, launch: &Launch, options: &Options) -> Result<Outcome, Failure> {
    let linked = link(cubin, entry).map_err(LaunchError::Program)?;
    let cubin: &Cubin = &linked;
    let mut program = Program::load(cubin, entry, launch)?;
    program.provide_stack(options.stack);
    let mut world = World::new(launch, options);
    program.fill(cubin, &mut world)?;
    schedule::run(&program, world)
}

/// Where the parameters of an entry lie.
///
/// # Errors
/// [`LaunchError::NoEntry`].
pub fn layout(cubin: &Cubin, entry: &str) -> Result<Vec<Slot>, LaunchError> {
    let function = program::entry(cubin, entry)?;
    Ok(function.params.iter().map(|p| Slot { offset: p.offset.into(), size: p.size }).collect())
}

impl Machine for Program {
    type Warp = Warp;

    fn local_bytes(&self) -> u64 {
        self.local.into()
    }

    fn shared_bytes(&self, launch: &Launch) -> u32 {
        self.shared + launch.dynamic_shared
    }

    fn start(&self, world: &World<'_>, block: &Block, index: u32, existing: u32) -> Warp {
        Warp::new(self, world, block, index, existing)
    }

    fn run(
        &self,
        warp: &mut Warp,
        world: &mut World<'_>,
        block: &mut Block,
        steps: u64,
    ) -> Result<Progress, Failure> {
        for _ in 0..steps {
            match warp.next(block) {
                groups::Next::Group(group) => issue::issue(self, warp, group, world, block)?,
                groups::Next::Waiting => return Ok(Progress::Waiting),
                groups::Next::Exited => return Ok(Progress::Exited),
            }
        }
        Ok(Progress::Running)
    }

    fn waiting(&self, warp: &Warp, block: &Block) -> Vec<Location> {
        warp.groups
            .iter()
            .flat_map(|g| crate::collective::lanes(g.lanes).map(|l| (g.pc, l as u32)))
            .map(|(pc, lane)| self.location(block, warp.index, lane, pc))
            .collect()
    }
}
