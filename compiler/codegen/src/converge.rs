//! Convergence barriers, by the rules of `docs/convergence.md`.
//!
//! Does: for each branch and each loop at which lanes may part, as the control tree's [`Meetings`] say (P1), makes the
//! place where they part execute BSSY and puts a block with BSYNC in front of the place where they meet, with BREAK on the
//! ways that leave without meeting; leads branches past empty blocks first. Does not: place barriers for lanes that have no meeting place,
//! for those that wait for the whole warp before they meet, nor for those that part where sixteen are open. Needs:
//! `Phase::Allocated`, no block parameters, branches marked where they are uniform. Preserves: everything else.
//!
//! The region of a barrier holds the blocks on ways from the split to the meeting place within one turn of the innermost
//! loop that both lie in. The split moves up until it dominates them, and until two regions are nested or apart.

pub(crate) mod region;

use crate::{Error, expand::make};
use region::{Region, Shape};
use sassafras_graph::meet::{Meetings, Parting};
use sassafras_graph::{ControlFlow, Graph};
use sassafras_isa::{Chip, ControlFlowKind, FieldKind, Meaning, RegClass};
use sassafras_machine::{Block, Edge, Function, MInst, Phase};
use std::collections::HashMap;

/// What [`converge`](converge()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConvergeStats {
    /// Branches that may diverge.
    pub divergent: usize,
    /// Barriers placed.
    pub placed: usize,
    /// Places where lanes part and no barrier is left for them.
    pub left_out: usize,
    /// The most that are open at once.
    pub depth: usize,
}

/// See the head of this file.
pub fn converge(f: &mut Function) -> Result<ConvergeStats, Error> {
    Error::unless("converge", Phase::Allocated, f.phase)?;
    // Layout does so later, and the meeting places are those of what is left.
    crate::layout::skip_empty(f);
    f.remove_unreachable();
    let mut graph = f.graph();
    let mut meetings = meetings(f, &graph);
    if preheaders(f, &graph, &meetings) {
        graph = f.graph();
        meetings = self::meetings(f, &graph);
    }
    let is_branch = |parting: &&Parting<Block>| matches!(parting, Parting::Branch(_));
    let divergent = meetings.partings.iter().filter(is_branch).count();
    let shape = Shape::new(f, &graph, &meetings);
    let regions = shape.regions();
    let found = regions.len();
    let (regions, numbers) = numbers(f, regions)?;
    let depth = numbers.iter().map(|number| *number as usize + 1).max().unwrap_or(0);
    place(f, &shape, &regions, &numbers)?;
    Ok(ConvergeStats { divergent, placed: regions.len(), left_out: found - regions.len(), depth })
}

fn meetings(f: &Function, graph: &Graph<Block>) -> Meetings<Block> {
    let parts = |block: Block| f.blocks[block].insts.last().is_some_and(|i| i.target.is_some() && !i.uniform);
    Meetings::new(graph, parts, |block| only_ends(f, block))
}

/// Whether the block does nothing but end the thread: then its lanes meet only at the exit.
fn only_ends(f: &Function, block: Block) -> bool {
    let over = |inst: &MInst| {
        let kind = inst.inst().and_then(|real| real.row().control_flow);
        matches!(kind, Some(ControlFlowKind::Exit | ControlFlowKind::Trap))
    };
    f.blocks[block].insts.iter().all(over) && f.blocks[block].succs.is_empty()
}

/// Gives loops that lanes leave apart a block in front, where the nearest that dominates them lies in another loop, or leads past them too: lanes that
/// do not come to the loop would have to leave its barrier again.
fn preheaders(f: &mut Function, graph: &Graph<Block>, meetings: &Meetings<Block>) -> bool {
    let shape = Shape::new(f, graph, meetings);
    let mut added = false;
    for &parting in &meetings.partings {
        let Parting::Cycle(cycle) = parting else { continue };
        let data = &meetings.nest.cycles[cycle];
        let Some(header) = data.header() else { continue };
        let near = shape.dominators.immediate(header);
        let in_front =
            |near: Block| meetings.nest.innermost(near) == data.parent && graph.succs(near).len() == 1;
        if meetings.of(parting).is_none() || near.is_none_or(in_front) {
            continue;
        }
        let pre = f.add_block();
        f.blocks[pre].succs.push(Edge::to(header));
        for pred in graph.preds(header) {
            if shape.dominators.is_reachable(pred) && !meetings.nest.holds(Some(cycle), pred) {
                crate::layout::redirect(&mut f.blocks[pred], header, pre);
            }
        }
        added = true;
    }
    added
}

/// A barrier for each region: the one behind all that are open at its split, so that no two wait for each other (P2). A lower
/// number that is free there, since the region of it was left by BREAK, may be open elsewhere, with this one inside of it.
/// Regions for which none is left are left out: their lanes meet further out, which is right where nothing relies on their
/// being together.
fn numbers(f: &Function, regions: Vec<Region>) -> Result<(Vec<Region>, Vec<u64>), Error> {
    let limit = u64::from(f.chip.limits().convergence_barriers);
    let least = if calls(f) { u64::from(sassafras_chip::abi::FIRST_KEPT_BARRIER) } else { 0 };
    let mut open: HashMap<Block, Vec<u64>> = HashMap::new();
    let (mut kept, mut numbers) = (Vec::new(), Vec::new());
    let mut relies = None;
    for region in regions {
        let taken = open.entry(region.split).or_default();
        // A callee keeps the barriers from one on.
        let number = taken.iter().max().map_or(least, |above| above + 1);
        if number >= limit {
            if *relies.get_or_insert_with(|| relies_on_structure(f)) {
                return Err(Error::TooManyBarriers { block: region.split, limit: limit as u32 });
            }
            continue;
        }
        taken.push(number);
        for &block in &region.inside {
            open.entry(block).or_default().push(number);
        }
        kept.push(region);
        numbers.push(number);
    }
    Ok((kept, numbers))
}

/// Whether there is a call of a function that the driver resolves. A routine sets no barrier.
fn calls(f: &Function) -> bool {
    f.insts().any(|(_, _, inst)| inst.inst().is_some_and(|real| real.row().id.starts_with("call.abs")))
}

/// Whether an operation across lanes has no WARPSYNC in front of it, in its block.
fn relies_on_structure(f: &Function) -> bool {
    f.layout.iter().any(|&block| {
        let mut gathered = false;
        f.blocks[block].insts.iter().filter_map(MInst::inst).any(|inst| {
            let row = inst.row();
            gathered |= row.control_flow == Some(ControlFlowKind::Warp) && row.meaning != Meaning::Yield;
            !gathered && ACROSS.contains(&row.meaning)
        })
    })
}

/// What sees the lanes of its group (C13).
const ACROSS: [Meaning; 13] = {
    use Meaning::*;
    [Shfl, Vote, Voteu, Match, Redux, Elect, Ldsm, Stsm, Movm, Hmma, Imma, Dmma, Bmma]
};

/// What happens on an edge.
#[derive(Default)]
struct OnEdge {
    breaks: Vec<u64>,
    join: Option<Block>,
}

fn place(f: &mut Function, shape: &Shape<'_>, regions: &[Region], numbers: &[u64]) -> Result<(), Error> {
    let mut edges: std::collections::BTreeMap<(Block, usize), OnEdge> = std::collections::BTreeMap::new();
    for (region, &number) in regions.iter().zip(numbers) {
        let mut join = None;
        for &from in region.inside.iter().chain([&region.split]) {
            for (index, to) in shape.graph.succs(from).into_iter().enumerate() {
                if shape.meets(region.meet, to) {
                    let join = match join {
                        Some(join) => join,
                        None => *join.insert(sync_block(f, to, number)?),
                    };
                    edges.entry((from, index)).or_default().join = Some(join);
                } else if !region.holds(to) && !only_ends(f, to) {
                    edges.entry((from, index)).or_default().breaks.push(number);
                }
            }
        }
        let Some(join) = join else { continue };
        let mut push = MInst::new(barrier_inst(f.chip, "bssy", number)?);
        push.target = Some(join);
        // In front of the branch, behind those of outer regions.
        let insts = &mut f.blocks[region.split].insts;
        let branch = insts.iter().rposition(|inst| inst.inst().is_none_or(|real| !ends_block(real)));
        insts.insert(branch.map_or(0, |index| index + 1), push);
    }
    for ((from, index), OnEdge { breaks, join }) in edges {
        let to = f.blocks[from].succs[index].block;
        let mut lead = join.unwrap_or(to);
        if !breaks.is_empty() {
            let alone = f.blocks[from].succs.len() == 1;
            let block = if alone { from } else { f.add_block() };
            for number in breaks {
                f.blocks[block].insts.push(MInst::new(barrier_inst(f.chip, "break", number)?));
            }
            if !alone {
                f.blocks[block].succs.push(Edge::to(lead));
                lead = block;
            }
        }
        let data = &mut f.blocks[from];
        data.succs[index].block = lead;
        if index == 0
            && let Some(last) = data.insts.last_mut().filter(|last| ends(last))
        {
            last.target = Some(lead);
        }
    }
    Ok(())
}

/// A block with a BSYNC in front of another.
fn sync_block(f: &mut Function, before: Block, number: u64) -> Result<Block, Error> {
    let join = f.add_block();
    f.blocks[join].insts.push(MInst::new(barrier_inst(f.chip, "bsync", number)?));
    f.blocks[join].succs.push(Edge::to(before));
    Ok(join)
}

fn ends(inst: &MInst) -> bool {
    inst.target.is_some() && inst.inst().is_some_and(ends_block)
}

fn ends_block(inst: &sassafras_isa::Inst) -> bool {
    inst.row().control_flow == Some(ControlFlowKind::Branch)
}

fn barrier_inst(chip: Chip, id: &str, barrier: u64) -> Result<sassafras_isa::Inst, Error> {
    let mut inst = make(chip, id, &[])?;
    let fields = &inst.row().fields;
    let is_barrier = |kind: &FieldKind| matches!(kind, FieldKind::Register { class: RegClass::B, .. });
    if let Some(index) = fields.iter().position(|field| is_barrier(&field.kind)) {
        inst.fields[index] = barrier;
    }
    Ok(inst)
}
