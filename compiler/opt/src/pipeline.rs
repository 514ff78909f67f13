//! The order of the passes.

use crate::legalize::{self, Refused};
use crate::{Stats, address, branch, dead, fold, number, phi};
use sassafras_ir::Function;

/// How much is done. What selection needs is done at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Expansions only.
    O0,
    /// Everything.
    O1,
}

/// A pass: its name, the first level at which it runs, and what it does.
pub struct Pass {
    /// Name, unique but for repetitions.
    pub name: &'static str,
    /// First level at which it runs.
    pub level: Level,
    run: fn(&mut Function) -> Stats,
}

const fn pass(name: &'static str, level: Level, run: fn(&mut Function) -> Stats) -> Pass {
    Pass { name, level, run }
}

/// All passes in order; a name that occurs twice runs twice.
pub const PASSES: &[Pass] = &[
    pass("phi", Level::O0, phi::phi),
    pass("dead", Level::O0, dead::dead),
    pass("fold", Level::O1, fold::fold),
    pass("branch", Level::O1, branch::branch),
    pass("phi", Level::O1, phi::phi),
    pass("number", Level::O1, number::number),
    pass("fold", Level::O1, fold::fold),
    pass("dead", Level::O1, dead::dead),
    pass("legalize", Level::O0, legalize::legalize),
    pass("fold", Level::O1, fold::fold),
    pass("branch", Level::O1, branch::branch),
    pass("phi", Level::O1, phi::phi),
    pass("number", Level::O1, number::number),
    pass("address", Level::O1, address::address),
    pass("fold", Level::O1, fold::fold),
    // Folding may bring a form back that selection does not accept.
    pass("legalize", Level::O0, legalize::legalize),
    pass("dead", Level::O0, dead::dead),
    pass("compact", Level::O0, compact),
];

fn compact(function: &mut Function) -> Stats {
    let before = function.insts.len() + function.blocks.len() + function.values.len();
    function.compact();
    Stats::new(before - (function.insts.len() + function.blocks.len() + function.values.len()))
}

/// Runs the passes of a level. After each, `observe` is called with the pass's name, the function and what the pass did.
///
/// # Errors
/// What is left that selection does not accept.
pub fn pipeline(
    function: &mut Function,
    level: Level,
    observe: &mut dyn FnMut(&'static str, &Function, Stats),
) -> Result<Stats, Vec<Refused>> {
    let mut changes = 0;
    for pass in PASSES.iter().filter(|p| p.level <= level) {
        let stats = (pass.run)(function);
        changes += stats.changes;
        observe(pass.name, function, stats);
    }
    legalize::selectable(function)?;
    Ok(Stats::new(changes))
}
