//! Which branches all lanes of a warp take together.
//!
//! A value is uniform if all lanes that execute its definition together have the same. Sources of divergence: thread and lane indices, clocks,
//! loads from addresses that diverge, local memory, atomics and shuffles. A block parameter diverges if an argument does, or if the
//! block lies between a branch that diverges and its immediate post-dominator, the latter included: lanes then come by different ways or in different
//! iterations. The analysis starts from "all uniform" and only removes, to a fixed point.

use sassafras_graph::{ControlFlow, Dominators, SecondaryMap};
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
                    for reached in between(function, function.succs(b), meet) {
                        state.tainted[reached] = true;
                    }
                    for reached in apart(function, b, meet) {
                        state.apart[reached] = true;
                    }
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
            Op::Barrier(_) => false,
            _ => arguments,
        }
    }
}

/// Blocks on the ways from some blocks to `meet`, `meet` included; all that is reached if there is none.
fn between(function: &Function, from: Vec<Block>, meet: Option<Block>) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut stack = from;
    let mut all = Vec::new();
    while let Some(b) = stack.pop() {
        if std::mem::replace(&mut seen[b], true) {
            continue;
        }
        all.push(b);
        if Some(b) != meet {
            stack.extend(function.succs(b));
        }
    }
    all
}

/// Blocks that a group may execute while other lanes, split off by the branch at the end of `branch`, still run elsewhere.
/// Behind the meeting place they are together again. Where the sides never meet, lanes of a side without cross-lane operations cannot be told from
/// lanes that have exited, so that the other side counts as together.
fn apart(function: &Function, branch: Block, meet: Option<Block>) -> Vec<Block> {
    let succs = function.succs(branch);
    if meet.is_none()
        && let [a, b] = succs[..]
    {
        let (a, b) = (between(function, vec![a], None), between(function, vec![b], None));
        let silent = |side: &[Block]| {
            !side.iter().any(|&x| function.blocks[x].insts.iter().any(|&i| function.insts[i].op.convergent()))
        };
        if !a.iter().any(|x| b.contains(x)) {
            let mut all = if silent(&b) { Vec::new() } else { a.clone() };
            all.extend(if silent(&a) { Vec::new() } else { b });
            return all;
        }
    }
    between(function, succs, meet).into_iter().filter(|&x| Some(x) != meet).collect()
}
