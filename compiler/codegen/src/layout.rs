//! The order of blocks.
//!
//! Does: leads branches past empty blocks; makes a branch to nothing but `exit` an `exit`; orders blocks by their frequencies
//! (`sassafras_placement`), those that are seldom run behind all others; makes every branch explicit that does not fall through; turns a branch
//! around where that saves one; has what depends on the order left to branch folding ([`fold::settle`], `branch-fold-placement`).
//! Does not: copy or join blocks. Needs: `Phase::Allocated`, no pseudo-instructions, convergence barriers, which name their blocks so that every
//! order is right. Makes it `Phase::Placed`.
//!
//! The order that placement calls the source's is reverse post-order, of two successors the one that stays in more loops first, so that loops are contiguous.

mod counts;
mod duplicate;
mod ends;
mod flow;
mod skip;

pub use counts::Counts;
pub use duplicate::{DuplicateStats, duplicate};
pub(crate) use skip::{redirect, skip_empty};

use crate::fold::{self, SettleStats};
use crate::{ColdChoices, Error, Knobs};
use flow::Graph;
use sassafras_machine::{Function, Phase};
use sassafras_placement::{Algorithm, Options, Scorer, Statistics, chip_index, place};

/// The name by which `--disable-phase` knows the choice of an order by frequencies: "Branch Probability Basic Block Placement".
pub const PLACEMENT: &str = "block-placement";
/// The name under which [`Statistics`] are reported.
pub const PLACEMENT_STATISTICS: &str = "block-placement-stats";

/// How blocks are ordered.
#[derive(Clone, Copy, Debug)]
pub struct LayoutChoices<'a> {
    /// Where blocks go that are seldom run.
    pub cold: ColdChoices,
    /// [`PLACEMENT`]: without it the order is that of the source, but for cold blocks.
    pub place: bool,
    /// Weights, limits, methods.
    pub knobs: &'a Knobs,
    /// How often blocks and edges were run; without it that is estimated.
    pub counts: Option<&'a Counts>,
}

/// What [`layout`](layout()) did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LayoutStats {
    /// Blocks that are seldom run and went behind others.
    pub cold: usize,
    /// Unconditional branches added.
    pub jumps: usize,
    /// Branches to nothing but `exit` that became `exit`.
    pub exits: usize,
    /// Conditional branches turned around.
    pub inverted: usize,
    /// What was left for branch folding behind placement, if `branch-fold-placement` asks for it.
    pub settled: SettleStats,
    /// Branches of the order, and how often they are taken; if a knob asks for it.
    pub branches: Option<Statistics>,
}

/// [`layout_with`] everything.
pub fn layout(f: &mut Function) -> Result<LayoutStats, Error> {
    let cold = ColdChoices { mark: true, out_of_loops: true, to_the_end: true };
    layout_with(f, LayoutChoices { cold, place: true, knobs: &Knobs::default(), counts: None })
}

/// See the head of this file.
pub fn layout_with(f: &mut Function, choices: LayoutChoices<'_>) -> Result<LayoutStats, Error> {
    Error::unless("layout", Phase::Allocated, f.phase)?;
    let pseudo = f.insts().find(|(_, _, inst)| inst.inst().is_none());
    if let Some((block, index, _)) = pseudo {
        return Err(Error::malformed(block, index, "a pseudo-instruction behind expansion"));
    }
    let mut stats = LayoutStats::default();
    skip_empty(f);
    stats.exits = ends::exit_at_once(f);
    f.remove_unreachable();
    let graph = Graph::new(f, choices.cold, choices.counts)?;
    let knobs = choices.knobs.placement.clone();
    let mut options = Options { chip: chip(f), ..Options::by_knobs(knobs, &graph.flow) };
    if !choices.place {
        options.algorithm = Algorithm::Source;
    }
    let once = options.knobs.for_size.then(|| graph.flow.counted_once());
    let flow = once.as_ref().unwrap_or(&graph.flow);
    let placement = place(flow, &options);
    stats.cold = graph.passed(&placement.order);
    f.layout = graph.blocks(&placement.order);
    ends::write(f, &mut stats, &|block, one, other| {
        graph.frequency(block, one) > graph.frequency(block, other)
    })?;
    f.remove_unreachable();
    if options.knobs.statistics {
        stats.branches = Some(sassafras_placement::statistics(&graph.flow, &placement.order));
    }
    crate::lines::inherit(f);
    f.phase = Phase::Placed;
    if options.algorithm != Algorithm::Source && options.knobs.alternative {
        let scorer = Scorer::new(flow, &options.knobs);
        stats.settled = fold::settle(f, |order| graph.worth(&scorer, options.constraint, order))?;
    }
    Ok(stats)
}

/// The chip's index in the table of costs; one without a row is none of the older chips, for which alone the table says something of its own.
fn chip(f: &Function) -> u32 {
    chip_index(f.chip.number()).unwrap_or(u32::MAX)
}
