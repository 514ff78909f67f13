//! What looks at other lanes is executed by the same lanes together as before.
//!
//! Lanes of a group part at a branch that is not marked uniform, and are together again at its nearest post-dominator (`docs/convergence.md`, C3 and P1;
//! blocks that only end the thread do not count). The *side* of a branch are the blocks from one of its successors up to there. Conditions:
//!
//! 1. Of two operations across lanes that became one, no branch that may diverge has one on one of its sides and the other on another: its
//!    lanes would execute the one operation together that were apart before (P4; requirement E24).
//! 2. Where one operation became two, no branch that may diverge has them on different sides: lanes would be apart that were together (P4).
//! 3. Where anything became two, an operation across lanes on a side of a branch was on a side of that branch before: else lanes
//!    that were together again there are still apart. Where nothing became two this holds by itself: each path behind a merge is, instruction by
//!    instruction, one that was there, so what was on all paths still is.
//! 4. An empty block that begins a loop, and leads to what begins a loop inside, stays: without it the two loops would be one, and lanes would be together
//!    again elsewhere (P1).
//! 5. BSYNC and BREAK that became one belong to the same BSSYs (E24). Lanes that wait at a BSYNC wait for the lanes of its barrier wherever these stand (C8),
//!    so condition 1 is not asked of it.

use super::flow::At;
use super::paths::{Places, Relation};
use super::text::text;
use crate::machine::{always, kind};
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::Entity;
use sassafras_isa::{ControlFlowKind as K, Meaning as M, RegClass};
use sassafras_machine::{Block, Function, MInst, Op, Pseudo, Reg};

/// Whether what an instruction does depends on which lanes execute it together. (BSYNC and BREAK have a condition of their own.)
fn looks(inst: &MInst) -> bool {
    let real = match &inst.op {
        Op::Inst(real) => real,
        // A callee may do anything. What goes to a uniform register is one lane's.
        Op::Pseudo(Pseudo::Call { .. } | Pseudo::Enter { .. } | Pseudo::Leave { .. }) => return true,
        Op::Pseudo(Pseudo::Copy { dst, src }) => return is_uniform(dst.class) && !is_uniform(src.class),
        Op::Pseudo(_) => return false,
    };
    match (real.row().control_flow, real.row().meaning) {
        (Some(K::Sync | K::Break), _) | (_, M::Yield) => false,
        (Some(K::Push | K::Warp | K::Block | K::Call), _) => true,
        (_, M::Shfl | M::Vote | M::Voteu | M::Match | M::Redux | M::Elect | M::R2ur | M::Fswzadd) => true,
        (_, M::Bmov | M::Bar | M::B2r | M::ClusterBarrier | M::Usetmaxreg | M::Unmodelled) => true,
        (_, M::Ldsm | M::Stsm | M::Movm | M::Hmma | M::Imma | M::Dmma | M::Bmma | M::SparseMma) => true,
        (_, M::Gmma | M::GmmaFence | M::GmmaWait | M::Bulk | M::Syncs | M::Acqbulk | M::Preexit) => true,
        // A uniform register from registers of lanes.
        _ => {
            inst.defs().any(|def| is_uniform(def.class))
                && inst.uses().any(|operand| !is_uniform(operand.class))
        }
    }
}

fn is_uniform(class: RegClass) -> bool {
    matches!(class, RegClass::UR | RegClass::UP)
}

/// Judges the conditions.
pub(super) fn check(before: &Function, after: &Function, relation: &Relation, report: &mut Report) {
    let many = |map: &FxHashMap<At, Places>, f: &Function| -> Vec<(At, Vec<At>)> {
        let all = map.iter().filter(|(at, other)| other.len() > 1 && looks(inst(f, **at)));
        let mut all: Vec<_> = all.map(|(at, other)| (*at, other.to_vec())).collect();
        all.sort_unstable();
        all
    };
    let merged = many(&relation.after, after);
    let split = many(&relation.before, before);
    for (groups, f, other, what) in [
        (&merged, before, after, "became one: lanes that were apart would execute it together"),
        (&split, after, before, "are copies: lanes that executed it together would be apart"),
    ] {
        let mut sides = (!groups.is_empty()).then(|| Sides::of(f));
        for (at, places) in groups {
            let Some(branch) = sides.as_mut().and_then(|sides| sides.parts(places)) else { continue };
            let (block, index) = *at;
            let list: Vec<String> = places.iter().map(|(block, index)| format!("{block}, {index}")).collect();
            let name = text(inst(other, *at));
            let what = format!("`{name}`: {} {what}; {branch} may diverge", list.join(" and "));
            report.add(Rule::FoldingTogether, format!("{block}, instruction {index}"), what);
        }
    }
    if relation.before.values().any(|list| list.len() > 1) {
        regions(before, after, relation, report);
    }
    if before.insts().any(|(_, _, inst)| looks(inst)) {
        loops_apart(before, after, report);
    }
    barriers(before, after, relation, report);
}

/// Blocks that an edge leads back to.
fn headers(f: &Function) -> FxHashSet<Block> {
    let succs = f.blocks.values().map(|data| data.succs.iter().map(|edge| edge.block.index()).collect());
    let back = Paths::new(f.entry.index(), succs.collect()).retreating();
    back.into_iter().map(|(_, to)| Block::from_index(to)).collect()
}

/// Condition 4.
fn loops_apart(before: &Function, after: &Function, report: &mut Report) {
    let (was, is) = (headers(before), headers(after));
    let goes_on = |block: Block| match (&before.blocks[block].insts[..], &before.blocks[block].succs[..]) {
        ([], [edge]) => Some(edge.block),
        _ => None,
    };
    for &block in before.layout.iter().filter(|block| was.contains(block)) {
        let mut inner = goes_on(block);
        let mut left = before.layout.len();
        while let Some(at) = inner.filter(|at| !was.contains(at) && left > 0) {
            (inner, left) = (goes_on(at), left - 1);
        }
        if inner.is_some_and(|at| at != block) && !is.contains(&block) {
            let what = "it kept two loops apart, and is gone: lanes are together again elsewhere";
            report.add(Rule::FoldingTogether, block, what);
        }
    }
}

fn inst(f: &Function, (block, index): At) -> &MInst {
    &f.blocks[block].insts[index]
}

/// Branches that may diverge, and what lies on their sides.
struct Sides {
    succs: Vec<Vec<usize>>,
    /// Of the graph turned around, from an end behind all.
    post: Paths,
    /// Blocks that end in a branch that may diverge.
    branches: Vec<Block>,
    /// By branch: the blocks of each side.
    known: FxHashMap<Block, Vec<FxHashSet<usize>>>,
}

impl Sides {
    fn of(f: &Function) -> Sides {
        let over = |block: Block| {
            let data = &f.blocks[block];
            let ends = |inst: &MInst| matches!(kind(inst), Some(K::Exit | K::Trap));
            data.succs.is_empty() && data.insts.iter().all(ends)
        };
        let mut succs = vec![Vec::new(); f.blocks.len()];
        let end = f.blocks.len();
        let mut back = vec![Vec::new(); end + 1];
        let mut branches = Vec::new();
        let (mut seen, mut stack) = (FxHashSet::default(), vec![f.entry]);
        while let Some(block) = stack.pop() {
            if !seen.insert(block) {
                continue;
            }
            let all = f.blocks[block].succs.iter().map(|edge| edge.block);
            let counted: Vec<Block> = all.filter(|&to| !over(to)).collect();
            succs[block.index()] = counted.iter().map(|to| to.index()).collect();
            if counted.is_empty() {
                back[end].push(block.index());
            }
            counted.iter().for_each(|to| back[to.index()].push(block.index()));
            let parts =
                |inst: &&MInst| kind(inst) == Some(K::Branch) && inst.target.is_some() && !inst.uniform;
            let last = f.blocks[block].insts.iter().rev().find(parts);
            if last.is_some() && f.blocks[block].succs.len() > 1 {
                branches.push(block);
            }
            stack.extend(counted);
        }
        branches.sort_unstable();
        Sides { succs, post: Paths::new(end, back), branches, known: FxHashMap::default() }
    }

    /// The blocks from each successor of a branch to where its lanes are together again; to the end, if nowhere.
    fn sides(&mut self, branch: Block) -> &[FxHashSet<usize>] {
        let meet = self.post.immediate(branch.index());
        let succs = &self.succs;
        self.known.entry(branch).or_insert_with(|| {
            let from = |&first: &usize| {
                let (mut seen, mut work) = (FxHashSet::default(), vec![first]);
                while let Some(at) = work.pop() {
                    if Some(at) != meet && seen.insert(at) {
                        work.extend(&succs[at]);
                    }
                }
                seen
            };
            succs[branch.index()].iter().map(from).collect()
        })
    }

    /// A branch that has one of the places on one side and another on another.
    fn parts(&mut self, places: &[At]) -> Option<Block> {
        self.branches.clone().into_iter().find(|&branch| {
            let has: Vec<Vec<usize>> = self
                .sides(branch)
                .iter()
                .map(|side| (0..places.len()).filter(|&at| side.contains(&places[at].0.index())).collect())
                .collect();
            let crossed = |a: &Vec<usize>, b: &Vec<usize>| a.iter().any(|x| b.iter().any(|y| x != y));
            has.iter().enumerate().any(|(at, a)| has[at + 1..].iter().any(|b| crossed(a, b)))
        })
    }

    fn inside(&mut self, branch: Block, place: At) -> bool {
        self.sides(branch).iter().any(|side| side.contains(&place.0.index()))
    }
}

/// Condition 3.
fn regions(before: &Function, after: &Function, relation: &Relation, report: &mut Report) {
    let mut all: Vec<(At, &Places)> = relation.after.iter().map(|(at, list)| (*at, list)).collect();
    all.sort_unstable();
    let looking: Vec<_> = all.iter().filter(|(at, _)| looks(inst(after, *at))).collect();
    if looking.is_empty() {
        return;
    }
    let (mut old, mut new) = (Sides::of(before), Sides::of(after));
    let wanted: FxHashSet<Block> = new.branches.iter().copied().collect();
    for (branch, was) in &all {
        if !wanted.contains(&branch.0) || kind(inst(after, *branch)) != Some(K::Branch) {
            continue;
        }
        for (at, places) in &looking {
            if !new.inside(branch.0, *at) {
                continue;
            }
            if let Some((block, _)) = was.iter().find(|(b, _)| !places.iter().any(|&p| old.inside(*b, p))) {
                let name = text(inst(after, *at));
                let what = format!(
                    "`{name}`: lanes that part at {} ({block} before) were together again here",
                    branch.0
                );
                report.add(Rule::FoldingTogether, format!("{}, instruction {}", at.0, at.1), what);
            }
        }
    }
}

/// Condition 5.
fn barriers(before: &Function, after: &Function, relation: &Relation, report: &mut Report) {
    let mut all: Vec<(&At, &Places)> = relation.after.iter().filter(|(_, list)| list.len() > 1).collect();
    all.retain(|(at, _)| matches!(kind(inst(after, **at)), Some(K::Sync | K::Break)));
    all.sort_unstable();
    let graph = before.graph();
    for ((block, index), places) in all {
        let of: Vec<Vec<At>> = places.iter().map(|&at| openers(before, &graph, at)).collect();
        if of.iter().any(|list| *list != of[0]) {
            let what = "what became one waits for, or leaves, barriers that different BSSYs set";
            report.add(Rule::FoldingBarrier, format!("{block}, instruction {index}"), what);
        }
    }
}

fn barrier(inst: &MInst) -> Option<u16> {
    let operand = inst.operands().into_iter().find(|operand| operand.class == RegClass::B)?;
    match operand.reg {
        Reg::Physical(number) => Some(number),
        Reg::Virtual(..) => None,
    }
}

/// The BSSYs from which a path leads to a place without another of the same barrier.
fn openers(f: &Function, graph: &sassafras_graph::Graph<Block>, (block, index): At) -> Vec<At> {
    let wanted = barrier(inst(f, (block, index)));
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![(block, index)];
    while let Some((block, until)) = work.pop() {
        let opens = |inst: &MInst| kind(inst) == Some(K::Push) && always(inst) && barrier(inst) == wanted;
        match f.blocks[block].insts[..until].iter().rposition(opens) {
            Some(at) => found.push((block, at)),
            None => {
                use sassafras_graph::ControlFlow;
                let preds = graph.preds(block).into_iter().filter(|&pred| seen.insert(pred));
                work.extend(preds.map(|pred| (pred, f.blocks[pred].insts.len())));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
