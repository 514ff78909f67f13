//! Convergence barriers, by the rules of `docs/convergence.md`.
//!
//! Does: for each branch that may diverge, finds the place where its lanes part and the place where they meet, makes
//! the first execute BSSY and puts a block with BSYNC in front of the second (P1), nested along every path (P2).
//! Does not: place barriers for lanes that meet only at the exit. Needs: `Phase::Allocated`, no block parameters,
//! branches marked where they are uniform. Preserves: everything else.
//!
//! For a branch in block `b`, start with the region from `s = b` to the immediate post-dominator `m`. Widen until:
//! - no loop holds `s` but not `m`, else `s` becomes what dominates the loop's header from outside;
//! - `s` dominates every block of the region, which is what `s` reaches without passing `m`;
//! - `m` post-dominates `s`;
//! - no way from `m` leads back into the region but through `s`;
//! - two regions are nested or apart.
//!
//! When `m` becomes the virtual exit, there is no barrier. Of two regions with one `m` the inner is left out: the outer
//! brings the same lanes together at the same place.

use crate::{Error, expand::make, layout::redirect};
use sassafras_graph::{BitSet, ControlFlow, Dominators, Entity, Graph, Loops};
use sassafras_isa::{ControlFlowKind, FieldKind, RegClass};
use sassafras_machine::{Block, Edge, Function, MInst, Phase};

/// What [`converge`](converge()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConvergeStats {
    /// Branches that may diverge.
    pub divergent: usize,
    /// Barriers placed.
    pub placed: usize,
    /// The most that are open at once.
    pub depth: usize,
}

/// Lanes part at the end of `split` and meet in front of `meet`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Region {
    split: Block,
    meet: Block,
}

/// See the head of this file.
pub fn converge(f: &mut Function) -> Result<ConvergeStats, Error> {
    Error::unless("converge", Phase::Allocated, f.phase)?;
    let graph = f.graph();
    let shape = Shape::new(&graph);
    let mut stats = ConvergeStats::default();
    let mut regions = Vec::new();
    for &block in shape.dominators.top_down() {
        let diverges =
            f.blocks[block].insts.last().is_some_and(|last| last.target.is_some() && !last.uniform);
        let ways = graph.succs(block);
        if diverges && ways[0] != ways[1] {
            stats.divergent += 1;
            let region = shape.settle(Region { split: block, meet: shape.meeting(block) });
            regions.extend(region.filter(|region| !only_ends(f, region.meet)));
        }
    }
    shape.nest(&mut regions);
    let depths = shape.depths(&regions);
    let limit = f.chip.limits().convergence_barriers as usize;
    if let Some((region, _)) = regions.iter().zip(&depths).find(|(_, depth)| **depth >= limit) {
        return Err(Error::TooManyBarriers { block: region.split, limit: limit as u32 });
    }
    stats.placed = regions.len();
    stats.depth = depths.iter().map(|depth| depth + 1).max().unwrap_or(0);
    // Innermost first, so that the way out of an inner region leads into the outer one's meeting place.
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(depths[index]), index));
    for index in order {
        place(f, &graph, &shape.blocks(regions[index]), regions[index], depths[index] as u64)?;
    }
    Ok(stats)
}

/// Whether the block does nothing but end the thread: then its lanes meet only at the exit.
fn only_ends(f: &Function, block: Block) -> bool {
    let exit =
        |inst: &MInst| inst.inst().and_then(|real| real.row().control_flow) == Some(ControlFlowKind::Exit);
    f.blocks[block].insts.iter().all(exit) && f.blocks[block].succs.is_empty()
}

struct Shape<'g> {
    graph: &'g Graph<Block>,
    dominators: Dominators<Block>,
    post: Dominators<Block>,
    exit: Block,
    loops: Loops<Block>,
}

impl<'g> Shape<'g> {
    fn new(graph: &'g Graph<Block>) -> Shape<'g> {
        let dominators = Dominators::new(graph);
        let (post, exit) = Dominators::post(graph);
        let loops = Loops::new(graph, &dominators);
        Shape { graph, dominators, post, exit, loops }
    }

    /// The immediate post-dominator, which may be the virtual exit.
    fn meeting(&self, block: Block) -> Block {
        self.post.immediate(block).unwrap_or(self.exit)
    }

    /// What `split` reaches without passing `meet`; `split` itself only if it reaches itself.
    fn blocks(&self, Region { split, meet }: Region) -> BitSet {
        reach(self.graph, split, meet)
    }

    /// Widens until the conditions on one region hold; none when it would reach to the exit.
    fn settle(&self, mut region: Region) -> Option<Region> {
        loop {
            let Region { split, meet } = region;
            if meet == self.exit {
                return None;
            }
            let mut wider = split;
            let mut at = self.loops.innermost(split);
            while let Some(id) = at {
                if !self.loops.contains(id, meet) {
                    wider = self.dominators.immediate(self.loops.header(id))?;
                }
                at = self.loops.parent(id);
            }
            let inside = self.blocks(region);
            if wider == split && inside.contains(split.index()) {
                wider = self.dominators.immediate(split)?;
            }
            for block in inside.iter().map(Block::from_index) {
                if !self.dominators.dominates(wider, block) {
                    wider = self.dominators.common(wider, block)?;
                }
            }
            let mut later = meet;
            // As `split` dominates the region, an edge into it from elsewhere comes from behind the meeting place.
            let entered = |block: Block| {
                let outside = |pred: &Block| *pred != split && !inside.contains(pred.index());
                self.graph
                    .preds(block)
                    .iter()
                    .any(|pred| outside(pred) && self.dominators.is_reachable(*pred))
            };
            if wider == split && inside.iter().map(Block::from_index).any(entered) {
                later = self.meeting(meet);
            }
            while later != self.exit && (later == wider || !self.post.dominates(later, wider)) {
                later = self.meeting(later);
            }
            if (wider, later) == (split, meet) {
                return Some(region);
            }
            region = Region { split: wider, meet: later };
        }
    }

    /// Widens until all are nested or apart, and leaves out doubles and inner ones of one meeting place.
    fn nest(&self, regions: &mut Vec<Region>) {
        loop {
            regions.sort_by_key(|region| (region.split, region.meet));
            regions.dedup();
            let mut change = None;
            'search: for (a, &outer) in regions.iter().enumerate() {
                let inside = self.blocks(outer);
                for (b, &inner) in regions.iter().enumerate() {
                    let crosses = a != b
                        && inside.contains(inner.split.index())
                        && inner.meet != outer.meet
                        && !inside.contains(inner.meet.index());
                    if crosses {
                        change = Some((b, Region { split: outer.split, meet: inner.meet }));
                        break 'search;
                    }
                }
            }
            let Some((index, wider)) = change else { break };
            regions.swap_remove(index);
            regions.extend(self.settle(wider));
        }
        let all = regions.clone();
        regions.retain(|inner| {
            !all.iter().any(|outer| {
                outer.meet == inner.meet
                    && outer.split != inner.split
                    && self.blocks(*outer).contains(inner.split.index())
            })
        });
    }

    /// How many other regions hold each.
    fn depths(&self, regions: &[Region]) -> Vec<usize> {
        let inside: Vec<BitSet> = regions.iter().map(|&region| self.blocks(region)).collect();
        let holds = |outer: usize, inner: usize| {
            let same = regions[outer].split == regions[inner].split;
            outer != inner
                && (inside[outer].contains(regions[inner].split.index())
                    || same && inside[outer].contains(regions[inner].meet.index()))
        };
        (0..regions.len())
            .map(|inner| (0..regions.len()).filter(|&outer| holds(outer, inner)).count())
            .collect()
    }
}

/// Blocks on ways from behind `split` that do not pass `meet`.
fn reach(graph: &impl ControlFlow<Block = Block>, split: Block, meet: Block) -> BitSet {
    let mut seen = BitSet::new(graph.capacity());
    let mut stack = graph.succs(split);
    while let Some(at) = stack.pop() {
        if at != meet && seen.insert(at.index()) {
            stack.extend(graph.succs(at));
        }
    }
    seen
}

/// Puts one barrier. `graph` and `inside` are as before the first: no edge to `meet` from inside has moved since, as
/// an inner region with the same meeting place is left out.
fn place(
    f: &mut Function,
    graph: &Graph<Block>,
    inside: &BitSet,
    Region { split, meet }: Region,
    barrier: u64,
) -> Result<(), Error> {
    let join = f.add_block();
    f.blocks[join].insts.push(MInst::new(barrier_inst("bsync", barrier)?));
    f.blocks[join].succs.push(Edge::to(meet));
    for block in graph.preds(meet) {
        if block == split || inside.contains(block.index()) {
            redirect(&mut f.blocks[block], meet, join);
        }
    }
    let mut push = MInst::new(barrier_inst("bssy", barrier)?);
    push.target = Some(join);
    let insts = &mut f.blocks[split].insts;
    // Behind the BSSY of inner regions that start here would be wrong: this one is outer, and goes in front.
    let branch = insts.iter().rposition(|inst| inst.inst().is_none_or(|real| !ends_block(real)));
    let mut index = branch.map_or(0, |index| index + 1);
    while index > 0 && insts[index - 1].inst().is_some_and(|real| real.row().id == "bssy") {
        index -= 1;
    }
    insts.insert(index, push);
    Ok(())
}

fn ends_block(inst: &sassafras_isa::Inst) -> bool {
    inst.row().control_flow == Some(ControlFlowKind::Branch)
}

fn barrier_inst(id: &str, barrier: u64) -> Result<sassafras_isa::Inst, Error> {
    let mut inst = make(id, &[])?;
    let fields = &inst.row().fields;
    let is_barrier = |kind: &FieldKind| matches!(kind, FieldKind::Register { class: RegClass::B, .. });
    if let Some(index) = fields.iter().position(|field| is_barrier(&field.kind)) {
        inst.fields[index] = barrier;
    }
    Ok(inst)
}
