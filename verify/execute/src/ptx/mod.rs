//! The PTX executor: warps of 32 lanes with a program counter and a call stack each, over the meanings of
//! [`sassafras_ptx::step`].
//!
//! - `program`: where variables and parameters lie.
//! - `state`: one lane's registers, parameters and memory.
//! - `warp`: groups of lanes, and what happens after each instruction; `call`: calls and returns.
//! - `together`: the same instruction for all lanes of a group in one step.
//! - `open`: what rests on what the source leaves open.
//! - `lockstep`: lanes that part wait where they meet, when the options ask for it.
//! - `sync`: collectives that wait for the lanes of a mask, and block barriers.

mod call;
mod decided;
mod flow;
mod lockstep;
mod meetings;
mod open;
mod program;
mod state;
mod sync;
mod together;
mod wait;
mod warp;

use crate::launch::{Launch, LaunchError, Slot};
use crate::options::{Approx, Options};
use crate::outcome::{Coverage, Failure, Outcome};
use crate::schedule::{self, World};
use program::Program;
use sassafras_ptx::checked::{Function, FunctionId, Module};
use sassafras_semantics::concrete::{Chooser, Concrete};

/// The concrete domain whose chooser the options name.
pub(crate) fn domain(options: &Options) -> Concrete {
    let domain = Concrete::new(match options.approx {
        Approx::Nearest => Chooser::Nearest,
        Approx::Low => Chooser::Lowest,
        Approx::High => Chooser::Highest,
        Approx::Seed(seed) => Chooser::Seeded(seed),
    });
    options.nans.into_iter().fold(domain, Concrete::with_nans)
}

fn entry<'m>(module: &'m Module, name: &str) -> Result<(FunctionId, &'m Function), LaunchError> {
    let entries = || module.functions.iter().enumerate().filter(|(_, f)| f.entry && f.insts.is_some());
    entries().find(|(_, f)| f.name == name).map(|(i, f)| (FunctionId(i as u32), f)).ok_or_else(|| {
        let has: Vec<String> = entries().map(|(_, f)| format!("`{}`", f.name)).collect();
        let has = if has.is_empty() { "none".to_string() } else { has.join(", ") };
        LaunchError::NoEntry { name: name.to_string(), has }
    })
}

/// Where the parameters of an entry lie, for [`Launch::arguments`].
///
/// # Errors
/// [`LaunchError::NoEntry`].
pub fn layout(module: &Module, name: &str) -> Result<Vec<Slot>, LaunchError> {
    let (_, function) = entry(module, name)?;
    Ok(function.params.iter().map(|p| Slot { offset: p.offset, size: p.size }).collect())
}

/// Runs an entry of a module to its end.
///
/// # Errors
/// The launch does not fit, or the program failed: see [`Failure`].
pub fn run(module: &Module, name: &str, launch: &Launch, options: &Options) -> Result<Outcome, Failure> {
    let (id, function) = entry(module, name)?;
    let given = launch.params.len() as u32;
    let used = function.params.iter().map(|p| p.offset + p.size).max().unwrap_or(0);
    if given < used || given > function.param_size.max(used) {
        return Err(LaunchError::ParamBytes { wants: used, given }.into());
    }
    if let Some(wants) = function.reqntid.filter(|n| *n != launch.block) {
        return Err(LaunchError::Shape(format!("the entry requires blocks of {wants:?} threads")).into());
    }
    if let Some(most) =
        function.maxntid.filter(|n| n.iter().fold(1u32, |all, n| all.saturating_mul(*n)) < launch.threads())
    {
        return Err(LaunchError::Shape(format!("the entry allows blocks of at most {most:?} threads")).into());
    }
    let mut world = World::new(launch, options);
    let (domain, several) = domain(options).watched();
    let domain = if options.touches { domain } else { self::domain(options) };
    let mut program = Program::load(module, id, domain, &mut world.memory, options.places)?;
    program.barrier_unit = !options.barrier_words;
    program.flows = options.lockstep.then(|| flow::flows(module));
    world.coverage = module
        .functions
        .iter()
        .map(|f| {
            let counts = vec![0; f.insts.as_ref().map_or(0, Vec::len)];
            Coverage { function: f.name.clone(), counts, ..Coverage::default() }
        })
        .collect();
    let ended = schedule::run(&program, world)?;
    Ok(Outcome { several: several.load(std::sync::atomic::Ordering::Relaxed), ..ended })
}
