//! Convergence barriers: P1 and P2 of `docs/convergence.md`, by following every path.

use super::{always, kind};
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::Entity;
use sassafras_isa::{ControlFlowKind as K, RegClass};
use sassafras_machine::{Block, Function, MInst, Reg};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// A barrier that is open: its number and where its BSSY says lanes meet.
type Open = (u16, Option<Block>);

/// The barrier that BSSY, BSYNC or BREAK names.
fn barrier(inst: &MInst) -> Option<u16> {
    let operand = inst.operands().into_iter().find(|operand| operand.class == RegClass::B)?;
    match operand.reg {
        Reg::Physical(number) => Some(number),
        Reg::Virtual(..) => None,
    }
}

/// Follows the open barriers through one block. Reports only when `report` is there, so that a fixed point says
/// each thing once.
fn walk(f: &Function, block: Block, mut open: Vec<Open>, mut report: Option<&mut Report>) -> Vec<Open> {
    for (i, inst) in f.blocks[block].insts.iter().enumerate() {
        let mut say = |rule, message: String| {
            if let Some(report) = &mut report {
                report.add(rule, format!("{block}, instruction {i}"), message);
            }
        };
        match (kind(inst), barrier(inst)) {
            (Some(K::Push), Some(b)) => {
                if open.iter().any(|&(other, _)| other == b) {
                    say(Rule::ConvergeSet, format!("B{b} is set while it is open"));
                    open.retain(|&(other, _)| other != b);
                }
                let waited = inst.target.is_some_and(|t| waits(f, t, b));
                if !waited {
                    say(Rule::ConvergeTarget, format!("BSSY B{b}, and no BSYNC B{b} stands where it says"));
                }
                open.push((b, inst.target));
            }
            (Some(K::Sync), Some(b)) => match open.iter().rposition(|&(other, _)| other == b) {
                Some(at) => {
                    if at + 1 != open.len() {
                        say(
                            Rule::ConvergeSync,
                            format!("BSYNC B{b} while {} is open inside", names(&open[at + 1..])),
                        );
                    }
                    let (_, target) = open.remove(at);
                    if target != Some(block) {
                        say(Rule::ConvergeTarget, format!("BSYNC B{b}, but its BSSY names {target:?}"));
                    }
                }
                None => say(Rule::ConvergeSync, format!("BSYNC B{b}, which is not open")),
            },
            _ => {}
        }
    }
    open
}

/// Whether the block has a BSYNC of the barrier.
fn waits(f: &Function, block: Block, b: u16) -> bool {
    f.blocks[block].insts.iter().any(|inst| kind(inst) == Some(K::Sync) && barrier(inst) == Some(b))
}

fn names(open: &[Open]) -> String {
    open.iter().map(|(b, _)| format!("B{b}")).collect::<Vec<_>>().join(", ")
}

/// Checks a placed function.
pub(super) fn check(f: &Function, report: &mut Report) {
    let enter = states(f, report);
    let mut meetings = Meetings::new(f);
    for &block in &f.layout {
        let Some(open) = enter.get(&block).cloned() else { continue };
        walk(f, block, open.clone(), Some(report));
        let succs = &f.blocks[block].succs;
        for (i, inst) in f.blocks[block].insts.iter().enumerate() {
            let parts = kind(inst) == Some(K::Branch) && !always(inst) && !inst.uniform;
            if !parts || succs.iter().all(|edge| edge.block == succs[0].block) {
                continue;
            }
            let Some(meet) = meetings.of(block) else { continue };
            let open = upto(f, block, i, open.clone());
            if open.iter().any(|&(_, target)| target == Some(meet)) {
                continue;
            }
            let what = format!("lanes that part here meet at {meet}, where no open barrier is waited at");
            let place = format!("{block}, instruction {i}");
            match meetings.inside_irreducible(block, meet) {
                true => report.unknown(
                    Rule::ConvergeBranch,
                    place,
                    format!("{what}: a loop with several entries"),
                ),
                false => report.add(Rule::ConvergeBranch, place, what),
            }
        }
    }
}

/// Where the paths of a branch meet.
struct Meetings {
    /// Node `b` is the start of block `b`; behind all of these stands its end, behind the exits under a guard.
    back: Paths,
    succs: Vec<Vec<usize>>,
    blocks: HashMap<usize, Block>,
}

impl Meetings {
    fn new(f: &Function) -> Meetings {
        let count = f.blocks.len();
        let mut nodes = vec![Vec::new(); 2 * count + 1];
        let mut succs = vec![Vec::new(); count];
        for &block in &f.layout {
            let (data, at) = (&f.blocks[block], block.index());
            succs[at] = data.succs.iter().map(|edge| edge.block.index()).collect();
            nodes[count + at].clone_from(&succs[at]);
            nodes[at].push(count + at);
            if data.insts.iter().any(|inst| kind(inst) == Some(K::Exit) && !always(inst)) {
                nodes[at].push(2 * count);
            }
        }
        let back = Paths::new(f.entry.index(), nodes).reversed();
        Meetings { back, succs, blocks: f.layout.iter().map(|&b| (b.index(), b)).collect() }
    }

    /// The immediate post-dominator of the block's end; none where paths only meet at the exit.
    fn of(&mut self, block: Block) -> Option<Block> {
        let meet = self.back.immediate(self.succs.len() + block.index())?;
        self.blocks.get(&meet).copied()
    }

    fn reached(&self, from: usize) -> HashSet<usize> {
        let (mut seen, mut stack) = (HashSet::new(), self.succs[from].clone());
        while let Some(at) = stack.pop() {
            if seen.insert(at) {
                stack.extend(&self.succs[at]);
            }
        }
        seen
    }

    /// Whether `meet` lies in a cycle that `block` is outside of and that is entered in several places: no BSYNC in it
    /// is executed once for each BSSY before it.
    fn inside_irreducible(&self, block: Block, meet: Block) -> bool {
        let (block, meet) = (block.index(), meet.index());
        let cycle: HashSet<usize> =
            self.reached(meet).into_iter().filter(|&b| self.reached(b).contains(&meet)).collect();
        let outside = (0..self.succs.len()).filter(|b| !cycle.contains(b));
        let entries: HashSet<usize> =
            outside.flat_map(|b| &self.succs[b]).copied().filter(|b| cycle.contains(b)).collect();
        !cycle.contains(&block) && entries.len() > 1
    }
}

/// What is open before instruction `i`.
fn upto(f: &Function, block: Block, end: usize, mut open: Vec<Open>) -> Vec<Open> {
    for inst in &f.blocks[block].insts[..end] {
        match (kind(inst), barrier(inst)) {
            (Some(K::Push), Some(b)) => open.push((b, inst.target)),
            (Some(K::Sync), Some(b)) => open.retain(|&(other, _)| other != b),
            _ => {}
        }
    }
    open
}

/// What is open at the start of each block that is reached. Where paths disagree, what they share counts.
fn states(f: &Function, report: &mut Report) -> HashMap<Block, Vec<Open>> {
    let mut enter: HashMap<Block, Vec<Open>> = HashMap::from([(f.entry, Vec::new())]);
    let mut work = VecDeque::from([f.entry]);
    let mut differ: BTreeMap<usize, String> = BTreeMap::new();
    while let Some(block) = work.pop_front() {
        let out = walk(f, block, enter[&block].clone(), None);
        for edge in &f.blocks[block].succs {
            match enter.get_mut(&edge.block) {
                None => {
                    enter.insert(edge.block, out.clone());
                    work.push_back(edge.block);
                }
                Some(there) if *there != out => {
                    let what = format!("`{}` from {block}, else `{}`", names(&out), names(there));
                    differ.entry(edge.block.index()).or_insert(what);
                    let shared = there.iter().zip(&out).take_while(|(a, b)| a == b).count();
                    if shared < there.len() {
                        there.truncate(shared);
                        work.push_back(edge.block);
                    }
                }
                Some(_) => {}
            }
        }
    }
    for (index, what) in differ {
        // Paths that only lead to the end may bring what they like.
        if let Some(&block) = f.layout.iter().find(|b| b.index() == index)
            && waits_later(f, block)
        {
            report.add(Rule::ConvergeMeet, block, format!("open barriers differ: {what}"));
        }
    }
    enter
}

/// Whether a BSYNC is reached from the block.
fn waits_later(f: &Function, from: Block) -> bool {
    let (mut seen, mut stack) = (HashSet::new(), vec![from]);
    while let Some(block) = stack.pop() {
        if seen.insert(block) {
            if f.blocks[block].insts.iter().any(|inst| kind(inst) == Some(K::Sync)) {
                return true;
            }
            stack.extend(f.blocks[block].succs.iter().map(|edge| edge.block));
        }
    }
    false
}
