//! Where lanes of a warp are not surely together.

use crate::{Block, Function, Inst, InstData, Op, Terminator, Value};
use rustc_hash::FxHashSet;
use sassafras_graph::meet::{Meet, Meetings, Parting};
use sassafras_graph::nest::{Cycle, Nest};
use sassafras_graph::{
    ControlFlow, DepthFirst, Dominators, Graph, Influence, Loops, SecondaryMap, is_reducible,
};
use sassafras_semantics::state::BarrierMode;

/// Within so many places where lanes part, there may be none of the hardware's sixteen barriers left for one further in; then
/// no lanes count as together. Fewer than sixteen, as a barrier may have to be set further up than where lanes part.
const DEEP: usize = 10;

/// Blocks in which lanes may wait for all of the warp that have not exited: a member mask of all lanes, or a barrier of the block to which they may
/// come one by one.
pub(super) fn waiting(f: &Function) -> FxHashSet<Block> {
    let waits = |&inst: &Inst| {
        let data = &f.insts[inst];
        match data.op {
            Op::Barrier { aligned, .. } => !aligned,
            op if op.of_whole_warp() => true,
            _ => data.member_mask().is_some_and(|mask| names_all(f, mask)),
        }
    };
    let blocks = f.blocks.iter().filter(|(_, data)| data.insts.iter().any(waits));
    blocks.map(|(block, _)| block).collect()
}

fn names_all(f: &Function, mask: Value) -> bool {
    f.constant(mask).is_some_and(|bits| bits as u32 == u32::MAX)
}

/// Whether an operation is for the lanes of a mask that is not known to name all of the warp.
pub(super) fn names_some(f: &Function, data: &InstData) -> bool {
    data.member_mask().is_some_and(|mask| !names_all(f, mask))
}

/// Whether a branch leads to one of several barriers that are not `.aligned`. Where all of them hold who comes until every thread of the block has come, lanes of a warp are
/// not at those of two modes.
pub(super) fn several_barriers(f: &Function, diverged: &SecondaryMap<Block, bool>) -> bool {
    let (mut counts, mut apart, mut whole) = ([0; 5], false, true);
    for (block, data) in f.blocks.iter() {
        for inst in data.insts.iter().map(|&inst| &f.insts[inst]) {
            let Op::Barrier { mode, aligned: false } = inst.op else { continue };
            counts[mode as usize] += 1;
            apart |= diverged[block];
            whole &=
                mode != BarrierMode::Arrive && inst.guard.is_none() && f.constant(inst.args[1]) == Some(0);
        }
    }
    let most = if whole { counts.into_iter().max() } else { Some(counts.into_iter().sum()) };
    apart && most.is_some_and(|most| most > 1)
}

/// Blocks with a barrier of the block that a branch may keep lanes from, of which some go on to an end without one: `if (i >= n) { write; return; }`. An
/// edge to nothing but the end is none, as its lanes end at the branch.
pub(super) fn deserted(
    f: &Function,
    graph: &Graph<Block>,
    post: &Dominators<Block>,
    exit: Block,
    parts: &dyn Fn(Block) -> bool,
) -> Vec<Block> {
    let waits =
        |block: Block| f.blocks[block].insts.iter().any(|&i| matches!(f.insts[i].op, Op::Barrier { .. }));
    let blocks: Vec<Block> = f.reverse_post_order();
    if !blocks.iter().any(|&block| waits(block)) {
        return Vec::new();
    }
    // Blocks from which a path without a barrier leads to an end.
    let mut bare: SecondaryMap<Block, bool> = SecondaryMap::new();
    let ends = |&block: &Block| matches!(f.blocks[block].terminator, Terminator::Exit);
    let mut work: Vec<Block> = blocks.iter().copied().filter(ends).collect();
    while let Some(block) = work.pop() {
        if !waits(block) && !std::mem::replace(&mut bare[block], true) {
            work.extend(graph.preds(block));
        }
    }
    let only_ends = |block: Block| ends(&block) && f.blocks[block].insts.is_empty();
    let mut influence = Influence::new(post, exit);
    let mut found = Vec::new();
    for &block in blocks.iter().filter(|&&block| parts(block)) {
        if graph.succs(block).into_iter().any(|to| bare[to] && !only_ends(to)) {
            influence.add(graph, block, |at| found.extend(waits(at).then_some(at)));
        }
    }
    found
}

/// Whether one of these blocks lies on a way from a branch to its immediate post-dominator.
pub(super) fn waits_within(
    f: &Function,
    post: &Dominators<Block>,
    exit: Block,
    branch: Block,
    waits: &FxHashSet<Block>,
) -> bool {
    let mut found = false;
    if !waits.is_empty() && post.immediate(branch).is_some_and(|meet| meet != exit) {
        Influence::new(post, exit).add(f, branch, |block| found |= waits.contains(&block));
    }
    found
}

/// Names the blocks that are reached behind a branch.
pub(super) fn behind(f: &Function, branch: Block, mut each: impl FnMut(Block)) {
    let mut seen = FxHashSet::default();
    let mut work = f.succs(branch);
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            each(block);
            work.extend(f.succs(block));
        }
    }
}

/// Blocks that lanes never surely execute together, though no branch says so: in loops with several entries, which have no
/// meeting places in them; in and behind loops in which lanes part and yield, as who waits for them goes on without them some day
/// (C11); in and behind loops that lanes leave from where others wait for them (C9); and everywhere in a function in which lanes part too deep
/// within each other.
pub(super) fn never_together(
    f: &Function,
    graph: &Graph<Block>,
    post: &Dominators<Block>,
    exit: Block,
    parts: &dyn Fn(Block) -> bool,
) -> Vec<Block> {
    let nest = Nest::new(graph);
    let order = f.reverse_post_order();
    let cycles = nest.cycles.iter();
    let entered: FxHashSet<Cycle> =
        cycles.filter(|(_, data)| data.entries.len() > 1).map(|(cycle, _)| cycle).collect();
    let mut parting = FxHashSet::default();
    for &block in order.iter().filter(|&&block| parts(block)) {
        let mut at = nest.innermost(block);
        while let Some(cycle) = at.filter(|&cycle| parting.insert(cycle)) {
            at = nest.cycles[cycle].parent;
        }
    }
    let around =
        |block: Block| std::iter::successors(nest.innermost(block), |&cycle| nest.cycles[cycle].parent);
    // Branches whose lanes have not met, down the tree of dominators.
    let dominators = Dominators::new(graph);
    let mut open: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &block in dominators.top_down() {
        let Some(above) = dominators.immediate(block) else { continue };
        let mut mine = open[above].clone();
        mine.extend(parts(above).then_some(above));
        mine.retain(|&branch| post.immediate(branch) != Some(block) && post.immediate(branch) != Some(exit));
        let loops = around(block).filter(|cycle| parting.contains(cycle)).take(DEEP + 1).count();
        if mine.len() + loops > DEEP {
            return order;
        }
        open[block] = mine;
    }
    let spins: FxHashSet<Cycle> = super::spins::spins(f, &nest).into_iter().collect();
    let mut found: FxHashSet<Block> = FxHashSet::default();
    let mut work = Vec::new();
    let left = left_early(f, graph, parts);
    if spins.is_empty() && entered.is_empty() && left.is_empty() {
        return Vec::new();
    }
    for &block in &order {
        if around(block).any(|cycle| entered.contains(&cycle) && parting.contains(&cycle)) {
            found.insert(block);
        }
        let scatters = |cycle| left.contains(&cycle) || spins.contains(&cycle) && parting.contains(&cycle);
        if around(block).any(scatters) {
            work.push(block);
        }
    }
    let mut behind = FxHashSet::default();
    while let Some(block) = work.pop() {
        if behind.insert(block) {
            work.extend(graph.succs(block));
        }
    }
    found.into_iter().chain(behind).collect()
}

/// Loops that lanes leave on a way to where others of them would meet: they take themselves out of a barrier (BREAK).
fn left_early(f: &Function, graph: &Graph<Block>, parts: &dyn Fn(Block) -> bool) -> FxHashSet<Cycle> {
    let ends = |block: Block| graph.succs(block).is_empty() && f.blocks[block].insts.is_empty();
    let meetings = Meetings::new(graph, parts, ends);
    let nest = &meetings.nest;
    let mut found = FxHashSet::default();
    for &parting in &meetings.partings {
        let (level, starts) = match parting {
            Parting::Branch(block) => (nest.innermost(block), vec![block]),
            Parting::Cycle(cycle) => {
                let inside = |block: &Block| nest.holds(Some(cycle), *block);
                (nest.cycles[cycle].parent, f.reverse_post_order().into_iter().filter(inside).collect())
            }
        };
        let (Some(level), Some(meet)) = (level, meetings.of(parting)) else { continue };
        let own: FxHashSet<Block> = starts.iter().copied().collect();
        let mut seen = own.clone();
        let mut work = starts;
        while let Some(block) = work.pop() {
            for to in graph.succs(block) {
                let outside = !nest.holds(Some(level), to);
                let branch = matches!(parting, Parting::Branch(start) if start == block);
                // A branch out of the loop itself is no way to where its lanes meet.
                if outside && !branch && !ends(to) {
                    found.insert(level);
                }
                let bottom = nest.cycles[level].entries.contains(&to);
                if !outside && !bottom && meet != Meet::Block(to) && seen.insert(to) {
                    work.push(to);
                }
            }
        }
    }
    found
}

/// Blocks that a group may execute while other lanes, split off by a branch, still run elsewhere. Behind the meeting place they are
/// together again. Where the sides never meet, lanes of a side without cross-lane operations cannot be told from lanes that have
/// exited, so that the other side counts as together.
pub(super) struct Apart<'a> {
    influence: Influence<'a, Block>,
    walk: DepthFirst<Block>,
    /// None where the graph is not reducible: any block may then lie on a cycle.
    loops: Option<Loops<Block>>,
    /// Blocks from which a cross-lane operation is reached.
    speaks: SecondaryMap<Block, bool>,
    /// Blocks all of whose ways on are known to be apart.
    onward: SecondaryMap<Block, bool>,
}

impl<'a> Apart<'a> {
    pub(super) fn new(function: &Function, post: &'a Dominators<Block>, exit: Block) -> Apart<'a> {
        let walk = DepthFirst::new(function);
        let mut speaks: SecondaryMap<Block, bool> = SecondaryMap::new();
        let convergent =
            |&b: &Block| function.blocks[b].insts.iter().any(|&i| function.insts[i].op.convergent());
        let mut work: Vec<Block> = walk.reverse_post_order().iter().copied().filter(convergent).collect();
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut speaks[b], true) {
                work.extend(walk.preds(b));
            }
        }
        let dominators = Dominators::of(&walk, function.capacity());
        let loops = is_reducible(function, &dominators).then(|| Loops::of(&walk, &dominators));
        Apart { loops, influence: Influence::new(post, exit), walk, speaks, onward: SecondaryMap::new() }
    }

    pub(super) fn add(
        &mut self,
        function: &Function,
        branch: Block,
        meet: Option<Block>,
        mut each: impl FnMut(Block),
    ) {
        if meet.is_none()
            && let [a, b] = function.succs(branch)[..]
            && self.disjoint(branch, a, b)
        {
            for (side, other) in [(a, b), (b, a)] {
                let mut work = if self.speaks[other] { vec![side] } else { Vec::new() };
                while let Some(block) = work.pop() {
                    if !std::mem::replace(&mut self.onward[block], true) {
                        each(block);
                        work.extend(self.walk.succs(block));
                    }
                }
            }
            return;
        }
        self.influence.add(function, branch, each);
    }

    /// Whether no block is reached from both, given that the branch is not reached again. Both sides grow in turn until one is
    /// whole; it is apart from the other if nothing but it and the branch leads into it. So the time is that of the smaller side,
    /// and where other ways lead in the answer is no, even if they come from elsewhere.
    fn disjoint(&self, branch: Block, a: Block, b: Block) -> bool {
        if a == b || self.loops.as_ref().is_none_or(|loops| loops.innermost(branch).is_some()) {
            return false;
        }
        let mut sides = [a, b].map(|start| (vec![start], FxHashSet::from_iter([start])));
        loop {
            for (work, seen) in &mut sides {
                let Some(block) = work.pop() else {
                    let own = |pred: Block| pred == branch || seen.contains(&pred);
                    return seen.iter().all(|&block| self.walk.preds(block).all(own));
                };
                work.extend(self.walk.succs(block).filter(|&to| seen.insert(to)));
            }
        }
    }
}
