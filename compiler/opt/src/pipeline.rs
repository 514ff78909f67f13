//! The order of the passes.

use crate::legalize::{self, Refused};
use crate::{
    Stats, address, branch, dead, fold, gather, halves, hoist, if_convert, logic, number, phi, single_entry,
    unroll,
};
use sassafras_ir::{CfgEditor, Function};

/// How much is done. What selection needs is done at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Expansions only.
    O0,
    /// One round of what is cheap and saves most.
    O1,
    /// Rounds behind each pass that gives the others work.
    O2,
    /// Everything.
    O3,
}

/// What the passes are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// How much is done.
    pub level: Level,
    /// Whether expensive passes run: from level O1 on, at no level, or from their own level on if nothing is said.
    pub expensive: Option<bool>,
    /// Blocks may be joined; not under `-no-bb-merge`.
    pub merge_blocks: bool,
    /// Blocks are joined in if-conversion, and branches folded behind it (`ifcvt-branch-fold`).
    pub fold_converted: bool,
    /// Each lane may have its own handle of a texture.
    pub lane_handles: bool,
    /// Lanes cannot arrive at a barrier of the block for themselves: they are brought to one place.
    pub gather_barriers: bool,
    /// Long sequences that occur twice become routines that are called.
    pub routines: bool,
    /// Names of passes that do not run. Only one that is optional can be among them.
    pub disabled: Vec<String>,
}

impl From<Level> for Choices {
    fn from(level: Level) -> Choices {
        Choices {
            level,
            expensive: None,
            merge_blocks: true,
            fold_converted: true,
            lane_handles: false,
            gather_barriers: false,
            routines: true,
            disabled: Vec::new(),
        }
    }
}

impl Choices {
    /// Whether something runs that has this first level.
    pub fn runs(&self, first: Level, expensive: bool) -> bool {
        match self.expensive.filter(|_| expensive) {
            Some(allowed) => allowed && self.level >= Level::O1,
            None => self.level >= first,
        }
    }
}

/// What holds of a function from a pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Every block is reached, or is empty.
    Reached,
    /// Every cycle has one entry.
    Reducible,
    /// Selection accepts every operation.
    Selectable,
    /// Entities are numbered without gaps, blocks in reverse post-order.
    Compact,
}

/// A pass: its name, the first level at which it runs, and what it does.
pub struct Pass {
    /// Name, unique but for repetitions.
    pub name: &'static str,
    /// First level at which it runs.
    pub level: Level,
    /// Whether it takes more time than it mostly saves (`--allow-expensive-optimizations`).
    pub expensive: bool,
    /// What holds from here to the end, whether or not it did before.
    pub promises: &'static [Property],
    /// Whether `--disable-phase` may name it: what comes later does without.
    pub optional: bool,
    run: fn(&mut Function, &Choices) -> Stats,
}

const fn pass(name: &'static str, level: Level, run: fn(&mut Function, &Choices) -> Stats) -> Pass {
    Pass { name, level, expensive: false, promises: &[], optional: !matches!(level, Level::O0), run }
}

impl Pass {
    const fn promising(self, promises: &'static [Property]) -> Pass {
        Pass { promises, ..self }
    }
    const fn expensive(self) -> Pass {
        Pass { expensive: true, ..self }
    }
    const fn optional(self) -> Pass {
        Pass { optional: true, ..self }
    }

    /// Runs it alone, as tests do.
    pub fn run(&self, function: &mut Function, choices: &Choices) -> Stats {
        (self.run)(function, choices)
    }
}

/// All passes in order; a name that occurs twice runs twice.
pub const PASSES: &[Pass] = &[
    pass("AnalyzeControlFlow", Level::O0, |f, _| analyze(f)).promising(&[Property::Reached]),
    pass("phi", Level::O0, |f, _| phi::phi(f)),
    pass("dead", Level::O0, |f, _| dead::dead(f)),
    pass("gather-barriers", Level::O0, |f, c| match c.gather_barriers {
        true => gather::gather(f),
        false => Stats::default(),
    }),
    pass("LoopMakeSingleEntry", Level::O0, |f, _| single_entry::single_entry(f))
        .promising(&[Property::Reducible])
        .optional(),
    pass("fold", Level::O1, |f, _| fold::fold(f)),
    pass("branch", Level::O1, branches),
    pass("phi", Level::O1, |f, _| phi::phi(f)),
    pass("number", Level::O1, |f, _| number::number(f)),
    pass("fold", Level::O1, |f, _| fold::fold(f)),
    pass("dead", Level::O1, |f, _| dead::dead(f)),
    pass("legalize", Level::O0, |f, c| {
        legalize::legalize(f, c.lane_handles, c.routines && c.level >= Level::O1)
    }),
    pass("halves", Level::O2, |f, _| halves::halves(f)),
    pass("fold", Level::O1, |f, _| fold::fold(f)),
    pass("branch", Level::O2, branches),
    pass("phi", Level::O2, |f, _| phi::phi(f)),
    pass("number", Level::O2, |f, _| number::number(f)),
    pass("if-convert", Level::O2, straight),
    pass("branch", Level::O2, branches),
    pass("phi", Level::O2, |f, _| phi::phi(f)),
    pass("number", Level::O1, |f, _| number::number(f)),
    pass("hoist", Level::O2, |f, _| hoist::hoist(f)),
    pass("dead", Level::O3, |f, _| dead::dead(f)),
    pass("unroll", Level::O3, |f, _| unroll::unroll(f)),
    // The tests that are left out, before others are found to be equal to them.
    pass("dead", Level::O3, |f, _| dead::dead(f)),
    pass("branch", Level::O3, branches),
    pass("phi", Level::O3, |f, _| phi::phi(f)),
    pass("fold", Level::O3, |f, _| fold::fold(f)),
    pass("number", Level::O3, |f, _| number::number(f)),
    pass("address", Level::O1, |f, _| address::address(f)),
    pass("fold", Level::O2, |f, _| fold::fold(f)),
    pass("dead", Level::O1, |f, _| dead::dead(f)),
    pass("logic", Level::O3, |f, _| logic::logic(f)).expensive(),
    pass("branch", Level::O2, branches),
    // Folding may bring a form back that selection does not accept.
    pass("legalize", Level::O0, |f, c| {
        legalize::legalize(f, c.lane_handles, c.routines && c.level >= Level::O1)
    }),
    // Selection takes no branch that is always taken: at every level PTX may have one.
    pass("branch-constant", Level::O0, |f, _| branch::constant(f)).promising(&[Property::Reached]),
    pass("dead", Level::O0, |f, _| dead::dead(f)),
    pass("compact", Level::O0, |f, _| compact(f)).promising(&[Property::Selectable, Property::Compact]),
];

/// AnalyzeControlFlow: both views of the edges agree, and what the entry does not reach is empty. Orders, loops and back edges are
/// computed from the graph where they are asked for.
fn analyze(function: &mut Function) -> Stats {
    Stats::new(CfgEditor::new(function).remove_unreachable())
}

fn branches(function: &mut Function, choices: &Choices) -> Stats {
    if choices.merge_blocks { branch::branch(function) } else { branch::branch_without_merging(function) }
}

/// If-conversion joins blocks.
fn straight(function: &mut Function, choices: &Choices) -> Stats {
    match choices.merge_blocks {
        true => if_convert::if_convert_with(function, choices.fold_converted),
        false => Stats::default(),
    }
}

fn compact(function: &mut Function) -> Stats {
    let before = function.insts.len() + function.blocks.len() + function.values.len();
    function.compact();
    Stats::new(before - (function.insts.len() + function.blocks.len() + function.values.len()))
}

/// Runs the passes that the choices ask for. After each, `observe` is called with the pass's name, the function and what the pass
/// did.
///
/// # Errors
/// What is left that selection does not accept.
pub fn pipeline(
    function: &mut Function,
    choices: impl Into<Choices>,
    observe: &mut dyn FnMut(&'static str, &Function, Stats),
) -> Result<Stats, Vec<Refused>> {
    let choices = choices.into();
    let mut changes = 0;
    let runs = |pass: &&Pass| {
        choices.runs(pass.level, pass.expensive)
            && !(pass.optional && choices.disabled.iter().any(|name| name == pass.name))
    };
    // Branches that if-conversion leaves are folded by the passes behind it, or not at all.
    let converted = PASSES.iter().position(|pass| pass.name == "if-convert").unwrap_or(PASSES.len());
    let folds = |at: usize| choices.fold_converted || at <= converted || PASSES[at].name != "branch";
    for (_, pass) in PASSES.iter().enumerate().filter(|(at, pass)| runs(pass) && folds(*at)) {
        let stats = (pass.run)(function, &choices);
        changes += stats.changes;
        observe(pass.name, function, stats);
    }
    legalize::selectable(function)?;
    Ok(Stats::new(changes))
}
