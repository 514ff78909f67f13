//! One side of a segment: from the entry or a cut to the next cuts and the end.
//!
//! A block is one place, and each of its edges another, at which the arguments become the parameters of the target. Lanes that
//! arrive at a cut, or end, wait until all have: so there is one arrival at each.

use super::meaning::{Lane, Pair, Who};
use super::shape::Shape;
use super::side_error::SideError;
use rustc_hash::FxHashMap;
use sassafras_ir::{Block, Inst, Terminator, Value};
use sassafras_semantics::{Domain, Space, TermId};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::loops::{Flow, Loops};
use sassafras_symbolic::trace::side::{self, Side};
use std::collections::{BTreeMap, BTreeSet};

/// Places at which lanes wait begin here.
const WAIT: u64 = 1 << 62;
/// Edges of a block and the block itself have so many places.
const STRIDE: u64 = 1 << 24;

/// Most terms of both sides of a segment.
const MOST_TERMS: usize = 60_000;

/// What lanes bring to a cut or to the end.
pub(super) struct Arrival {
    /// Which lanes, one bit.
    pub condition: TermId,
    /// Values that may be used there or behind.
    pub values: FxHashMap<Value, TermId>,
    /// State of memory.
    pub version: TermId,
}

/// Where a segment begins.
pub(super) enum Start {
    /// At the entry of the function.
    Entry,
    /// At a cut, with these values.
    Cut(Block, FxHashMap<Value, TermId>, TermId),
}

/// What a side did.
pub(super) struct Ran<'i> {
    pub side: Side<'i, Value>,
    /// By cut; none: the end.
    pub arrivals: BTreeMap<Option<Block>, Arrival>,
    /// How many blocks were run.
    pub reached: usize,
}

/// Runs a side. `bound`: one more than how often lanes return to the head of a loop, at most.
///
/// # Errors
/// What is not covered, and where.
pub(super) fn run<'i>(
    inputs: &'i Inputs<'i>,
    shape: &Shape<'_>,
    who: Who,
    pair: &Pair<'_>,
    cuts: &BTreeSet<Block>,
    start: Start,
    bound: u32,
) -> Result<Ran<'i>, SideError> {
    let segment = Segment::new(shape, cuts)?;
    let name = if who == Who::Before { "source" } else { "target" };
    let first = segment.place(match &start {
        Start::Entry => shape.function.entry,
        Start::Cut(block, ..) => *block,
    })?;
    let own = match start {
        Start::Entry => side::Start::default(),
        Start::Cut(_, registers, version) => {
            side::Start { registers, version: Some(version), ..side::Start::default() }
        }
    };
    let own = side::Start { at: first, ..own };
    let mut side = Side::new(inputs, name, bound, Loops::of(&segment.flow(), &[first]), own);
    let mut arrivals = BTreeMap::new();
    let mut times: FxHashMap<Inst, u32> = FxHashMap::default();
    let mut spaces: FxHashMap<usize, Space> = FxHashMap::default();
    while let Some(at) = side.advance()? {
        if at >= WAIT {
            let block = (at > WAIT).then(|| Block((at - WAIT - 1) as u32));
            let (condition, version) = (side.condition(), side.path.version);
            let values = std::mem::take(&mut side.path.registers);
            arrivals.insert(block, Arrival { condition, values, version });
            side.leave(None);
            continue;
        }
        let block = segment.order[&(at / STRIDE)];
        let edge = at % STRIDE;
        if edge > 0 {
            segment.pass_edge(&mut side, block, edge as usize - 1)?;
            continue;
        }
        for &inst in &shape.function.blocks[block].insts {
            let function = shape.function;
            let lane = Lane { side: &mut side, function, who, pair, times: &mut times, spaces: &mut spaces };
            run_instruction(inputs, lane, inst).map_err(|why| SideError::At {
                inst,
                line: function.insts[inst].line,
                why: Box::new(why),
            })?;
        }
        segment.end_block(&mut side, block, at)?;
    }
    let reached = segment.ranks.values().filter(|&&rank| side.walk.visited(rank * STRIDE)).count();
    Ok(Ran { side, arrivals, reached })
}

/// Runs an instruction under its guard.
fn run_instruction(inputs: &Inputs<'_>, mut lane: Lane<'_, '_>, inst: Inst) -> Result<(), SideError> {
    lane.side.place = u64::from(inst.0);
    if let Some(guard) = lane.function.insts[inst].guard {
        let holds = lane.guard(guard)?;
        lane.side.guard = inputs.normal.of(holds);
    }
    lane.guarded(inst)?;
    if inputs.terms.len() > MOST_TERMS {
        return Err(SideError::Size { most: MOST_TERMS });
    }
    lane.side.guard = inputs.terms.yes();
    Ok(())
}

/// The blocks between the cuts, in the order in which they are run.
struct Segment<'s> {
    shape: &'s Shape<'s>,
    cuts: &'s BTreeSet<Block>,
    ranks: FxHashMap<Block, u64>,
    /// By rank.
    order: FxHashMap<u64, Block>,
}

impl<'s> Segment<'s> {
    fn new(shape: &'s Shape<'s>, cuts: &'s BTreeSet<Block>) -> Result<Segment<'s>, SideError> {
        let ranks = shape.ranks(cuts).ok_or(SideError::Cycle)?;
        let order = ranks.iter().map(|(&block, &rank)| (rank, block)).collect();
        Ok(Segment { shape, cuts, ranks, order })
    }

    /// The place of a block.
    fn place(&self, block: Block) -> Result<u64, SideError> {
        let rank = self.ranks.get(&block).ok_or(SideError::Unreached(block))?;
        Ok(rank * STRIDE)
    }

    /// Where a block is entered: at a cut lanes wait.
    fn enter(&self, block: Block) -> Result<u64, SideError> {
        if self.cuts.contains(&block) { Ok(WAIT + 1 + u64::from(block.0)) } else { self.place(block) }
    }

    /// Where places lead.
    fn flow(&self) -> Flow {
        let mut flow = Flow::new();
        for (&block, &rank) in &self.ranks {
            let edges = self.shape.function.blocks[block].terminator.edges();
            for (edge, to) in (rank * STRIDE + 1..).zip(edges.iter().map(|e| self.enter(e.block))) {
                flow.entry(rank * STRIDE).or_default().push(edge);
                flow.insert(edge, to.into_iter().collect());
            }
        }
        flow
    }

    /// The arguments of an edge become the parameters of its target.
    fn pass_edge(&self, side: &mut Side<'_, Value>, block: Block, edge: usize) -> Result<(), SideError> {
        let f = self.shape.function;
        let edge = f.blocks[block].terminator.edges()[edge];
        let old = std::mem::take(&mut side.path.registers);
        let params = &f.blocks[edge.block].params;
        let mut values = FxHashMap::default();
        for v in self.shape.live(edge.block) {
            // What is not defined on this way is used on none that goes on from here.
            if let Some(&term) = old.get(v) {
                values.insert(*v, term);
            }
        }
        for (&param, arg) in params.iter().zip(&edge.args) {
            let term = old.get(arg).ok_or(SideError::Undefined(*arg))?;
            values.insert(param, *term);
        }
        side.path.registers = values;
        side.proceed(self.enter(edge.block)?);
        Ok(())
    }

    /// Goes from the end of a block, which stands at `at`, to its edges.
    fn end_block(&self, side: &mut Side<'_, Value>, block: Block, at: u64) -> Result<(), SideError> {
        let terms = side.inputs.terms;
        let value = |side: &Side<'_, Value>, v: Value| -> Result<TermId, SideError> {
            let term = side.path.registers.get(&v).copied();
            term.ok_or(SideError::Undefined(v))
        };
        let edge = |i: usize| at + 1 + i as u64;
        match &self.shape.function.blocks[block].terminator {
            Terminator::Jump(_) => side.proceed(edge(0)),
            Terminator::Branch { condition, .. } => {
                let condition = value(side, *condition)?;
                side.jump(edge(0), Some(condition));
                side.proceed(edge(1));
            }
            Terminator::Switch { index, targets } => {
                let index = value(side, *index)?;
                for i in 0..targets.len() {
                    let here = terms.eq(&index, &terms.constant(32, i as u128));
                    side.jump(edge(i), Some(here));
                }
                // What is left has an index out of range.
                side.undefine();
            }
            Terminator::Exit => side.proceed(WAIT),
            Terminator::Trap => side.trap(),
            Terminator::Unreachable => side.undefine(),
        }
        Ok(())
    }
}
