//! Where nothing is proved: launches on which the sides differ, found by running them.
//!
//! A solver that gives up, or a part of either side that has no terms, says nothing about whether the code is right. Both
//! executors run all the same. What is drawn is counted, not timed, so that the result is the same everywhere. A difference
//! counts only where the source is defined and means one thing: see [`Judge`].

mod draw;
mod hex;
mod judge;
mod shrink;

use crate::verdict::{Argument, Counterexample};
pub(crate) use draw::Input;
pub use draw::SHARED;
use hex::hex;
use judge::{Difference, Judge};
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_execute::order::Order;
use sassafras_execute::{Launch, Options};
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::sass::target;
use std::collections::BTreeSet;

/// Instructions, issued by groups of lanes, after which no more are drawn.
pub const EFFORT: u64 = 400_000;

/// The same where they are drawn before anything is proved, which right code takes too, and how many there are then.
pub const FIRST: (u64, u64) = (12, 60_000);

/// The same where lanes are held back at each place, and most places.
const HELD: (u64, usize) = (96, 64);

/// The interleavings that hold lanes back, one for each place that they may come to by a branch at which they part.
fn held_back(code: &sassafras_cubin::Function, chip: Chip) -> Vec<u32> {
    let flow = sassafras_symbolic::sass::flow::flow(code, chip);
    let ways = flow.into_values().filter(|to| to.len() > 1).flatten().collect::<BTreeSet<u64>>();
    ways.into_iter().take(HELD.1).map(Order::holding).collect()
}

/// The same as [`search`], where registers that lanes have in common may be written by such as are ahead: in interleavings that hold lanes back at
/// each place at which they part, until the others wait or have ended.
pub fn search_held_back(
    origin: Origin<'_>,
    cubin: &Cubin,
    code: &sassafras_cubin::Function,
    pointers: &[u64],
    (launches, effort): (u64, u64),
) -> Option<Counterexample> {
    let orders = held_back(code, Chip::from_number(cubin.sm)?);
    search_in(origin, cubin, code, pointers, (HELD.0.min(launches), effort), Some(orders))
}

/// Looks for a launch on which an entry of a cubin does something else than its source. `pointers`: offsets of parameters that
/// are known to be addresses, in bytes. `launches`: how many are drawn, and instructions after which no more are.
pub fn search(
    origin: Origin<'_>,
    cubin: &Cubin,
    code: &sassafras_cubin::Function,
    pointers: &[u64],
    most: (u64, u64),
) -> Option<Counterexample> {
    search_in(origin, cubin, code, pointers, most, None)
}

fn search_in(
    origin: Origin<'_>,
    cubin: &Cubin,
    code: &sassafras_cubin::Function,
    pointers: &[u64],
    (launches, effort): (u64, u64),
    orders: Option<Vec<u32>>,
) -> Option<Counterexample> {
    let odd = origin
        .required_threads()
        .is_some_and(|n| !n.iter().fold(1u32, |all, n| all.saturating_mul(*n)).is_multiple_of(32));
    if odd && origin.looks_across() {
        return None;
    }
    let mut judge = Judge::new(origin, cubin, code)?;
    judge.orders = orders.unwrap_or(judge.orders);
    for seed in 0..launches {
        let input = Input::drawn(origin, code, pointers, seed);
        match judge.differ(&input.launch()) {
            Ok(Some(difference)) => {
                let hint = hint(&mut judge, &input, (origin, cubin, code));
                let (input, difference) = shrink::shrink(&mut judge, input, difference);
                let mut found = shown(origin, cubin, code, &input, &difference);
                if let Some(at) = hint {
                    crate::blame::point_at(&mut found, at, code, cubin.sm);
                }
                return Some(found);
            }
            Ok(None) if judge.steps < effort => {}
            Ok(None) | Err(judge::Never) => return None,
        }
    }
    None
}

/// The instruction that goes wrong, where numbers are such that two that are not one differ: in a launch that was made small most are zero.
fn hint(
    judge: &mut Judge<'_>,
    input: &Input,
    (origin, cubin, code): (Origin<'_>, &Cubin, &sassafras_cubin::Function),
) -> Option<u64> {
    let tried = [input.rich(origin), input.clone()];
    tried.iter().find_map(|input| {
        let difference = judge.differ_last(&input.launch()).ok().flatten()?;
        let found = shown(origin, cubin, code, input, &difference);
        found.cause.and(found.instruction)
    })
}

/// A difference as people and JSON see it.
fn shown(
    origin: Origin<'_>,
    cubin: &Cubin,
    code: &sassafras_cubin::Function,
    input: &Input,
    difference: &Difference,
) -> Counterexample {
    let launch = input.launch();
    let argument = |(name, offset, size): (String, u32, u32)| {
        let bytes = launch.params.get(offset as usize..(offset + size) as usize).unwrap_or_default();
        Argument { name, offset, bytes: hex(bytes), pointer: input.points(offset.into()) }
    };
    let (nx, ny) = (launch.block[0], launch.block[1]);
    let linear = difference.thread;
    let options = Options { order: difference.order, step_limit: 16 * judge::STEPS, ..Options::default() };
    let thread = [linear % nx, linear / nx % ny, linear / (nx * ny)];
    let chip = Chip::from_number(cubin.sm);
    let mut found = Counterexample {
        grid: launch.grid,
        block: launch.block,
        thread,
        parameters: hex(&launch.params),
        arguments: origin.params().into_iter().map(argument).collect(),
        memory: input.contents(),
        reads: crate::steps::reads(origin, &launch, thread, &options),
        fill: 0,
        run: crate::again::arguments(&launch, &origin.params(), difference.order),
        address: difference.address.map(|a| format!("{a:#x}")).unwrap_or_default(),
        source: difference.source.clone(),
        target: difference.target.clone(),
        line: difference.line,
        instruction: difference.instruction,
        text: difference
            .text
            .clone()
            .or_else(|| difference.instruction.zip(chip).map(|(at, chip)| target::text(code, chip, at))),
        cause: None,
        source_steps: steps(origin, &launch, thread, &options),
        target_steps: steps(Origin::Code { cubin, code }, &launch, thread, &options),
    };
    if let Some(chip) = chip {
        let own = Options { order: 0, ..options };
        let accessed = crate::steps::accessed(origin, &launch, thread, &own);
        crate::blame::point(&mut found, code, chip, &accessed);
    }
    found
}

fn steps(
    origin: Origin<'_>,
    launch: &Launch,
    thread: [u32; 3],
    options: &Options,
) -> Vec<crate::steps::Step> {
    crate::steps::steps(origin, launch, thread, options)
}
