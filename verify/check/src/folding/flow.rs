//! One function as it is executed: what stands at a position, with jumps and empty blocks left out.

use crate::machine::{always, kind};
use rustc_hash::FxHashSet;
use sassafras_graph::Entity;
use sassafras_isa::{ControlFlowKind as K, Guard, Inst};
use sassafras_machine::{Block, Function, MInst};

/// An instruction, by block and index.
pub(super) type At = (Block, usize);

/// Where control is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    /// Before this instruction, which is no jump.
    At(At),
    /// The thread ends, as this `exit` says; its guard has been decided.
    Exit(At),
    /// Behind the last instruction of a block without successors.
    End,
    /// In a cycle without instructions.
    Spin,
}

/// What is decided at a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Condition {
    /// The predicate, and whether it is a uniform one.
    pub predicate: (u32, bool),
    /// Of a branch with a condition beside its guard: the whole instruction.
    pub more: Option<Inst>,
}

/// What stands at a place.
pub(super) enum Step<'f> {
    /// An instruction, and what comes behind it.
    Plain(&'f MInst, At, Place),
    /// A branch or an `exit` under a guard, and where each value of the condition leads.
    Branch { inst: &'f MInst, at: At, condition: Condition, yes: Place, no: Place },
    /// The end of the thread.
    Exit(&'f MInst),
    /// See [`Place::End`].
    End,
    /// See [`Place::Spin`].
    Spin,
}

/// A function, and where control goes from the start of each block.
pub(super) struct Flow<'f> {
    pub f: &'f Function,
    /// By block index.
    starts: Vec<Option<Place>>,
}

impl<'f> Flow<'f> {
    pub fn new(f: &'f Function) -> Flow<'f> {
        let mut flow = Flow { f, starts: vec![None; f.blocks.len()] };
        let mut open = vec![false; f.blocks.len()];
        for &first in &f.layout {
            let mut stack = vec![first];
            while let Some(&block) = stack.last() {
                if flow.starts[block.index()].is_none() {
                    open[block.index()] = true;
                    match flow.settle((block, 0), &open) {
                        Ok(place) => flow.starts[block.index()] = Some(place),
                        Err(wanted) => {
                            stack.push(wanted);
                            continue;
                        }
                    }
                }
                stack.pop();
            }
        }
        flow
    }

    /// Where control is at the start of a block.
    pub fn start(&self, block: Block) -> Place {
        self.starts[block.index()].unwrap_or(Place::Spin)
    }

    /// Where control is that has come before this instruction; or the block whose start must be known first. The start of an `open` block is
    /// being looked for.
    fn settle(&self, (block, index): At, open: &[bool]) -> Result<Place, Block> {
        let begin = |to: Block| match self.starts[to.index()] {
            Some(place) => Ok(place),
            None if open.get(to.index()) == Some(&true) => Ok(self.around(to)),
            None => Err(to),
        };
        let data = &self.f.blocks[block];
        let Some(inst) = data.insts.get(index) else {
            return match &data.succs[..] {
                [] => Ok(Place::End),
                [edge] => begin(edge.block),
                [first, second, ..] => {
                    let taken = branch_of(self.f, block).and_then(|(_, inst)| inst.target);
                    begin(if taken == Some(first.block) { second.block } else { first.block })
                }
            };
        };
        match (kind(inst), inst.target) {
            (Some(K::Branch), Some(to)) if unconditional(inst) => begin(to),
            (Some(K::Branch), Some(to)) => {
                // Both sides lead to one place: nothing is decided. A side that is not known yet is another one.
                let (yes, no) = (begin(to)?, self.settle((block, index + 1), open)?);
                let own = Place::At((block, index));
                Ok(match yes == no {
                    // Both sides come back to this branch.
                    true if yes == own => Place::Spin,
                    true if yes != Place::Spin => yes,
                    _ => own,
                })
            }
            (Some(K::Exit), _) if always(inst) => Ok(Place::Exit((block, index))),
            _ => Ok(Place::At((block, index))),
        }
    }

    /// Where control is that comes to a block in a cycle of jumps: at the first branch that decides something; where there is none, it goes around for ever.
    fn around(&self, mut block: Block) -> Place {
        let mut seen = FxHashSet::default();
        while seen.insert(block) {
            let data = &self.f.blocks[block];
            block = match (data.insts.first(), &data.succs[..]) {
                (Some(inst), _) => match inst.target {
                    Some(to) if unconditional(inst) && kind(inst) == Some(K::Branch) => to,
                    _ => return Place::At((block, 0)),
                },
                (None, [edge]) => edge.block,
                (None, _) => break,
            };
        }
        Place::Spin
    }

    fn behind(&self, (block, index): At) -> Place {
        self.settle((block, index + 1), &[]).unwrap_or(Place::Spin)
    }

    /// What stands at a place.
    pub fn step(&self, place: Place) -> Step<'f> {
        let at = match place {
            Place::At(at) => at,
            Place::Exit((block, index)) => return Step::Exit(&self.f.blocks[block].insts[index]),
            Place::End => return Step::End,
            Place::Spin => return Step::Spin,
        };
        let inst = &self.f.blocks[at.0].insts[at.1];
        let taken = match (kind(inst), inst.target) {
            (Some(K::Branch), Some(to)) => self.start(to),
            (Some(K::Exit), _) => Place::Exit(at),
            _ => return Step::Plain(inst, at, self.behind(at)),
        };
        let Some((condition, sense)) = condition(inst) else {
            return Step::Plain(inst, at, self.behind(at));
        };
        let (yes, no) = if sense { (taken, self.behind(at)) } else { (self.behind(at), taken) };
        Step::Branch { inst, at, condition, yes, no }
    }
}

/// A branch that is always taken.
fn unconditional(inst: &MInst) -> bool {
    always(inst) && inst.inst().is_some_and(|real| !more(real))
}

/// Whether a branch has a condition beside its guard: BRA.DIV, or a further predicate.
fn more(inst: &Inst) -> bool {
    // By chip the plain form is one of these.
    let plain = matches!(inst.row().id, "bra" | "bra.75");
    let read = |(field, &value): (&sassafras_isa::Field, &u64)| field.read && value != field.default;
    kind_is_branch(inst) && (!plain || inst.row().fields.iter().zip(&inst.fields).any(read))
}

fn kind_is_branch(inst: &Inst) -> bool {
    inst.row().control_flow == Some(K::Branch)
}

/// The condition of a branch or an `exit`, and the value with which it is taken.
pub(super) fn condition(inst: &MInst) -> Option<(Condition, bool)> {
    let real = inst.inst()?;
    let Guard { pred, negate, uniform } = real.guard;
    if more(real) {
        return Some((Condition { predicate: (pred, uniform), more: Some(real.clone()) }, true));
    }
    let condition = Condition { predicate: (pred, uniform), more: None };
    (!always(inst)).then_some((condition, !negate))
}

/// The last conditional branch of a block.
pub(super) fn branch_of(f: &Function, block: Block) -> Option<(usize, &MInst)> {
    let insts = f.blocks[block].insts.iter().enumerate().rev();
    let mut branches = insts
        .filter(|(_, inst)| kind(inst) == Some(K::Branch) && inst.target.is_some() && !unconditional(inst));
    branches.next()
}

/// The condition of a block of two successors: where its branch leads is one of them.
pub(super) fn condition_of(f: &Function, block: Block) -> Option<Condition> {
    let (_, inst) = branch_of(f, block)?;
    let leads = f.blocks[block].succs.iter().any(|edge| Some(edge.block) == inst.target);
    condition(inst).filter(|_| leads).map(|(condition, _)| condition)
}
