//! Launches of a source that show that it races, found by running it.
//!
//! Launches are drawn as those that look for a difference are, those left out in which two parameters are the address of one buffer. A
//! source that does not ask for its block gets one. That none is found proves nothing.

use crate::search::Input;
use sassafras_execute::races::{Race, race};
use sassafras_execute::{Failure, Launch, Options, ptx};
use sassafras_ptx::checked::{Module, Operand};
use sassafras_semantics::SpecialRegister;
use sassafras_symbolic::origin::Origin;

/// Launches, and instructions of warps after which no more are drawn, beside a proof.
pub const FEW: (u64, u64) = (12, 60_000);
/// The same where nothing else is asked for.
pub const MANY: (u64, u64) = (64, 4_000_000);

/// Instructions of warps after which a launch is given up.
const STEPS: u64 = 200_000;

/// A line of arguments that is longer, in bytes, helps nobody.
const LONGEST: usize = 400;

/// A launch that shows a race.
#[derive(Clone, Debug)]
pub struct Found {
    /// The two accesses.
    pub race: Race,
    /// Blocks and threads in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Arguments of `run` that show it again; none if they do not go into one line.
    pub run: Option<String>,
}

/// What was looked at.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// Launches that ran to their end.
    pub ended: u64,
    /// Launches that did not: a fault, a deadlock, or too long.
    pub stopped: u64,
    /// Why no launch was run further: the executor has no meaning for something.
    pub lacking: Option<String>,
    /// A race, a certain one where there is one.
    pub found: Option<Found>,
}

/// Looks for a race of an entry; none if the module has no such entry.
pub fn races(module: &Module, entry: &str, (launches, effort): (u64, u64)) -> Option<Searched> {
    let function = module.functions.iter().find(|f| f.entry && f.name == entry)?;
    let origin = Origin::Ptx { module, function };
    let single = is_for_one_block(module);
    let mut searched = Searched::default();
    let mut steps = 0;
    for seed in 0..launches {
        let mut input = Input::drawn(origin, &sassafras_cubin::Function::default(), &[], seed);
        if single {
            input.grid = [1, 1, 1];
        }
        // Of buffers that are one, what is written of the one is read of the other: few sources mean that.
        if input.aliases() {
            continue;
        }
        let launch = input.launch();
        let options = Options { step_limit: STEPS, touches: true, ..Options::default() };
        match ptx::run(module, entry, &launch, &options) {
            Ok(outcome) if outcome.rests.is_none() => {
                searched.ended += 1;
                steps += outcome.steps;
                let found =
                    race(module, &launch, &outcome.touches).map(|race| Found::new(race, &launch, origin));
                let certain = found.as_ref().is_some_and(|f| f.race.unless.is_none());
                if certain || searched.found.is_none() {
                    searched.found = found;
                }
                if certain {
                    searched.found = plain(module, entry, &input).or(searched.found);
                    break;
                }
            }
            Err(stopped) if stopped.is_unsupported() => {
                searched.lacking = Some(stopped.to_string());
                break;
            }
            Ok(_) => searched.stopped += 1,
            Err(Failure::StepLimit(taken)) => {
                searched.stopped += 1;
                steps += taken;
            }
            Err(_) => searched.stopped += 1,
        }
        if steps >= effort {
            break;
        }
    }
    Some(searched)
}

impl Found {
    fn new(race: Race, launch: &Launch, origin: Origin<'_>) -> Found {
        let run = crate::again::arguments(launch, &origin.params(), 0).filter(|line| line.len() < LONGEST);
        Found { race, grid: launch.grid, block: launch.block, run }
    }
}

/// Whether no thread asks for its block, so that all blocks do the same: such a source is for one.
fn is_for_one_block(module: &Module) -> bool {
    let asks = |o: &Operand| matches!(o, Operand::Special(SpecialRegister::Ctaid(_)));
    let insts = || module.functions.iter().flat_map(|f| f.insts.iter().flatten());
    !insts().any(|inst| inst.operands.iter().any(asks))
}

/// The same launch with buffers of zeros, if it races for certain too: it is the one that people can repeat.
fn plain(module: &Module, entry: &str, input: &Input) -> Option<Found> {
    let function = module.functions.iter().find(|f| f.entry && f.name == entry)?;
    let zeros = input.buffers.iter().map(|bytes| vec![0; bytes.len()]).collect();
    let launch = Input { buffers: zeros, ..input.clone() }.launch();
    let options = Options { step_limit: STEPS, touches: true, ..Options::default() };
    let outcome = ptx::run(module, entry, &launch, &options).ok().filter(|o| o.rests.is_none())?;
    let race = race(module, &launch, &outcome.touches).filter(|race| race.unless.is_none())?;
    Some(Found::new(race, &launch, Origin::Ptx { module, function }))
}
