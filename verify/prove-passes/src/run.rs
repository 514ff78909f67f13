//! One side of a segment: from the entry or a cut to the next cuts and the end.
//!
//! A block is one place, and each of its edges another, at which the arguments become the parameters of the target. Lanes that
//! arrive at a cut, or end, wait until all have: so there is one arrival at each.

use super::meaning::{Lane, Pair, Who};
use super::shape::Shape;
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
) -> Result<Ran<'i>, String> {
    let f = shape.function;
    let ranks = shape.ranks(cuts).ok_or("the cuts leave a cycle")?;
    let order: FxHashMap<u64, Block> = ranks.iter().map(|(&block, &rank)| (rank, block)).collect();
    let place = |block: Block| -> Result<u64, String> {
        let rank = ranks.get(&block).ok_or_else(|| format!("{block} is not reached"))?;
        Ok(rank * STRIDE)
    };
    let enter = |block: Block| -> Result<u64, String> {
        if cuts.contains(&block) { Ok(WAIT + 1 + u64::from(block.0)) } else { place(block) }
    };
    let name = if who == Who::Before { "source" } else { "target" };
    let first = place(match &start {
        Start::Entry => f.entry,
        Start::Cut(block, ..) => *block,
    })?;
    let mut flow = Flow::new();
    for (&block, &rank) in &ranks {
        let edges = f.blocks[block].terminator.edges();
        for (edge, to) in (rank * STRIDE + 1..).zip(edges.iter().map(|e| enter(e.block))) {
            flow.entry(rank * STRIDE).or_default().push(edge);
            flow.insert(edge, to.into_iter().collect());
        }
    }
    let own = match start {
        Start::Entry => side::Start::default(),
        Start::Cut(_, registers, version) => {
            side::Start { registers, version: Some(version), ..side::Start::default() }
        }
    };
    let own = side::Start { at: first, ..own };
    let mut side = Side::new(inputs, name, bound, Loops::of(&flow, &[first]), own);
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
        let block = order[&(at / STRIDE)];
        let data = &f.blocks[block];
        let edge = at % STRIDE;
        if edge > 0 {
            let edge = data.terminator.edges()[edge as usize - 1];
            let old = std::mem::take(&mut side.path.registers);
            let params = &f.blocks[edge.block].params;
            let mut values = FxHashMap::default();
            for v in shape.live(edge.block) {
                // What is not defined on this way is used on none that goes on from here.
                if let Some(&term) = old.get(v) {
                    values.insert(*v, term);
                }
            }
            for (&param, arg) in params.iter().zip(&edge.args) {
                let term = old.get(arg).ok_or_else(|| format!("{arg} is used before it is defined"))?;
                values.insert(param, *term);
            }
            side.path.registers = values;
            side.proceed(enter(edge.block)?);
            continue;
        }
        for &inst in &data.insts {
            let lines = &f.insts[inst];
            side.place = u64::from(inst.0);
            let at = |why: String| format!("{inst} (line {}): {why}", lines.line);
            let mut lane =
                Lane { side: &mut side, function: f, who, pair, times: &mut times, spaces: &mut spaces };
            if let Some(guard) = lines.guard {
                let holds = lane.guard(guard).map_err(at)?;
                lane.side.guard = inputs.normal.of(holds);
            }
            lane.guarded(inst).map_err(at)?;
            if inputs.terms.len() > MOST_TERMS {
                return Err(at(format!("size: more than {MOST_TERMS} terms")));
            }
            side.guard = inputs.terms.yes();
        }
        let value = |side: &Side<'_, Value>, v: Value| -> Result<TermId, String> {
            let term = side.path.registers.get(&v).copied();
            term.ok_or_else(|| format!("{v} is used before it is defined"))
        };
        let edge = |i: usize| at + 1 + i as u64;
        match &data.terminator {
            Terminator::Jump(_) => side.proceed(edge(0)),
            Terminator::Branch { condition, .. } => {
                let condition = value(&side, *condition)?;
                side.jump(edge(0), Some(condition));
                side.proceed(edge(1));
            }
            Terminator::Switch { index, targets } => {
                let index = value(&side, *index)?;
                for i in 0..targets.len() {
                    let here = inputs.terms.eq(&index, &inputs.terms.constant(32, i as u128));
                    side.jump(edge(i), Some(here));
                }
                // What is left has an index out of range.
                side.undefine();
            }
            Terminator::Exit => side.proceed(WAIT),
            Terminator::Trap => side.trap(),
            Terminator::Unreachable => side.undefine(),
        }
    }
    let reached = ranks.values().filter(|&&rank| side.walk.visited(rank * STRIDE)).count();
    Ok(Ran { side, arrivals, reached })
}
