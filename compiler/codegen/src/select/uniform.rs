//! Which branches all lanes of a warp take together.
//!
//! A value is uniform if all lanes that execute its definition together have the same. Sources of divergence: thread and lane indices, clocks,
//! loads from addresses that diverge, local memory, atomics and shuffles. A block parameter diverges if an argument does, or if the
//! block lies between a branch that diverges and its immediate post-dominator, the latter included: lanes then come by different ways or in different
//! iterations. The analysis starts from "all uniform" and only removes, to a fixed point.

use rustc_hash::FxHashSet;
use sassafras_graph::{ControlFlow, DepthFirst, Dominators, Influence, Loops, SecondaryMap, is_reducible};
use sassafras_ir::{Block, Function, Inst, Op, Terminator, Value};
use sassafras_semantics::{Ordering, Space, SpecialRegister};

/// The result.
pub struct Uniformity {
    divergent: SecondaryMap<Value, bool>,
    branches: SecondaryMap<Block, bool>,
    tainted: SecondaryMap<Block, bool>,
    apart: SecondaryMap<Block, bool>,
}

impl Uniformity {
    /// Analyses a function.
    pub fn new(function: &Function) -> Uniformity {
        let (post, exit) = Dominators::post(function);
        let mut influence = Influence::new(&post, exit);
        let mut lanes = Apart::new(function, &post, exit);
        let mut state = Uniformity {
            divergent: SecondaryMap::new(),
            branches: SecondaryMap::new(),
            tainted: SecondaryMap::new(),
            apart: SecondaryMap::new(),
        };
        let order = function.reverse_post_order();
        loop {
            let mut changed = false;
            for &b in &order {
                let data = &function.blocks[b];
                if state.tainted[b] {
                    data.params.iter().for_each(|&p| changed |= state.mark(p));
                }
                for &i in &data.insts {
                    if state.makes_divergent(function, i) {
                        function.insts[i].results.iter().for_each(|&r| changed |= state.mark(r));
                    }
                }
                for edge in data.terminator.edges() {
                    for (&param, &arg) in function.blocks[edge.block].params.iter().zip(&edge.args) {
                        if state.divergent[arg] {
                            changed |= state.mark(param);
                        }
                    }
                }
                let condition = match &data.terminator {
                    Terminator::Branch { condition, .. } => *condition,
                    Terminator::Switch { index, .. } => *index,
                    _ => continue,
                };
                if state.divergent[condition] && !state.branches[b] {
                    state.branches[b] = true;
                    changed = true;
                    let meet = post.immediate(b).filter(|&m| m != exit);
                    influence.add(function, b, |reached| state.tainted[reached] = true);
                    if let Some(meet) = meet {
                        state.tainted[meet] = true;
                    }
                    lanes.add(function, b, meet, |reached| state.apart[reached] = true);
                }
            }
            if !changed {
                return state;
            }
        }
    }

    /// Whether all lanes that reach the end of the block together go the same way.
    pub fn branch(&self, block: Block) -> bool {
        !self.branches[block]
    }

    /// Whether all lanes of the warp that have not exited execute the block together: no branch that diverges leads here other than past its meeting place.
    pub fn together(&self, block: Block) -> bool {
        !self.apart[block]
    }

    /// Whether all lanes that execute the definition together have the same value.
    pub fn value(&self, value: Value) -> bool {
        !self.divergent[value]
    }

    fn mark(&mut self, value: Value) -> bool {
        !std::mem::replace(&mut self.divergent[value], true)
    }

    fn makes_divergent(&self, function: &Function, inst: Inst) -> bool {
        let data = &function.insts[inst];
        let arguments = data.args.iter().any(|&a| self.divergent[a]);
        match &data.op {
            Op::Special(s) => !matches!(
                s,
                SpecialRegister::Ntid(_)
                    | SpecialRegister::Ctaid(_)
                    | SpecialRegister::Nctaid(_)
                    | SpecialRegister::DynamicSmemSize
                    | SpecialRegister::TotalSmemSize
                    | SpecialRegister::GridId
            ),
            // A load may be executed by groups at different times; only memory that nobody writes is the same for all.
            Op::Load(a) => {
                arguments
                    || !(matches!(a.space, Space::Const | Space::Param)
                        || a.ordering == Ordering::NonCoherent)
            }
            Op::Atomic { .. }
            | Op::Shuffle(_)
            | Op::Match { .. }
            | Op::Elect
            | Op::ActiveMask
            | Op::Undef => true,
            Op::Vote(_) | Op::Redux(_) => true,
            op if op.of_whole_warp() => true,
            Op::Barrier(_) => false,
            _ => arguments,
        }
    }
}

/// Blocks that a group may execute while other lanes, split off by a branch, still run elsewhere. Behind the meeting place they are
/// together again. Where the sides never meet, lanes of a side without cross-lane operations cannot be told from lanes that have
/// exited, so that the other side counts as together.
struct Apart<'a> {
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
    fn new(function: &Function, post: &'a Dominators<Block>, exit: Block) -> Apart<'a> {
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

    fn add(&mut self, function: &Function, branch: Block, meet: Option<Block>, mut each: impl FnMut(Block)) {
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
