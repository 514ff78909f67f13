//! Which branches are uniform: all lanes that execute one together go the same way.
//!
//! Lattice: a virtual register is uniform until shown to be divergent. It is divergent when an instruction makes it
//! from a divergent register or from what differs between lanes (thread indices, memory, lanes of the warp), or when
//! it is a parameter of a block where lanes meet that took different ways to it. The latter is taken widely: every
//! parameter of every block on a way from a divergent branch to its immediate post-dominator, this included. That
//! covers values that leave a loop in different iterations too, as the loop's header lies on such a way.
//! (Coutinho et al., "Divergence Analysis and Optimizations", 2011, has the finer rule.) Where lanes wait for the whole warp on such a way
//! they do not meet (P1 of `docs/convergence.md`), and may come together at the wait in different turns of a loop: there it is every block behind the branch.

use crate::converge::region::waits_for_all;
use rustc_hash::FxHashSet;
use sassafras_graph::{BitSet, Dominators, Entity, Influence};
use sassafras_isa::{FieldKind, Inst, Meaning, MemorySpace, Pipe, RegClass, special::number};
use sassafras_machine::{Block, Function, MInst, Op, Pseudo, Reg};

/// Marks uniform conditional branches; those already marked stay so. Returns how many are newly marked.
pub fn mark(f: &mut Function) -> usize {
    let divergent = divergent_registers(f);
    let mut count = 0;
    for &block in &f.layout.clone() {
        if let Some(last) = f.blocks[block].insts.last_mut()
            && last.target.is_some()
            && !last.uniform
            && !reads_any(last, &divergent)
        {
            last.uniform = true;
            count += 1;
        }
    }
    count
}

fn reads_any(inst: &MInst, divergent: &BitSet) -> bool {
    inst.uses().any(|operand| operand.reg.vreg().is_some_and(|vreg| divergent.contains(vreg.index())))
}

fn divergent_registers(f: &Function) -> BitSet {
    let graph = f.graph();
    let (post, exit) = Dominators::post(&graph);
    let mut divergent = BitSet::new(f.vregs.len());
    let mut split = BitSet::new(f.blocks.len());
    let mut influence = Influence::new(&post, exit);
    let waits: FxHashSet<Block> = f
        .layout
        .iter()
        .copied()
        .filter(|&block| f.blocks[block].insts.iter().filter_map(MInst::inst).any(waits_for_all))
        .collect();
    loop {
        let mut changed = false;
        for &block in &f.layout {
            for inst in &f.blocks[block].insts {
                if differs(inst) || reads_any(inst, &divergent) {
                    for def in inst.defs() {
                        let lane = matches!(def.class, RegClass::R | RegClass::P);
                        if let Reg::Virtual(vreg, _) = def.reg
                            && lane
                        {
                            changed |= divergent.insert(vreg.index());
                        }
                    }
                }
            }
            for edge in &f.blocks[block].succs {
                for (arg, param) in edge.args.iter().zip(&f.blocks[edge.block].params) {
                    if divergent.contains(arg.index()) {
                        changed |= divergent.insert(param.index());
                    }
                }
            }
            let last = f.blocks[block].insts.last();
            let diverges = last.is_some_and(|l| l.target.is_some() && !l.uniform && reads_any(l, &divergent));
            if diverges && split.insert(block.index()) {
                changed = true;
                let mut part = |met: Block| {
                    for param in &f.blocks[met].params {
                        divergent.insert(param.index());
                    }
                };
                let mut ways = Vec::new();
                if !waits.is_empty() {
                    Influence::new(&post, exit).add(&graph, block, |on| ways.push(on));
                }
                let meeting = post.immediate(block).filter(|&meeting| meeting != exit);
                if meeting.is_some() && ways.iter().any(|on| waits.contains(on)) {
                    behind(f, block, part);
                } else {
                    influence.add(&graph, block, &mut part);
                    meeting.into_iter().for_each(part);
                }
            }
        }
        if !changed {
            return divergent;
        }
    }
}

/// Names the blocks that are reached behind a branch.
fn behind(f: &Function, branch: Block, mut each: impl FnMut(Block)) {
    let mut seen = FxHashSet::default();
    let mut work = vec![branch];
    while let Some(block) = work.pop() {
        for to in f.blocks[block].succs.iter().map(|edge| edge.block) {
            if seen.insert(to) {
                each(to);
                work.push(to);
            }
        }
    }
}

/// Whether the results may differ between lanes whose sources agree.
fn differs(inst: &MInst) -> bool {
    let inst = match &inst.op {
        Op::Inst(inst) => inst,
        Op::Pseudo(pseudo) => {
            return matches!(pseudo, Pseudo::Undef { .. } | Pseudo::Call { .. } | Pseudo::Enter { .. });
        }
    };
    let row = inst.row();
    match row.memory {
        Some(memory) => memory.space != MemorySpace::Constant,
        // What the address unit does without memory moves values between lanes; votes agree within a group only.
        None => {
            // `ELECT` writes one number for all, and a predicate that is true in one lane.
            let own = matches!(row.meaning, Meaning::Vote | Meaning::Match | Meaning::Elect);
            special(inst) || row.pipe == Pipe::Memory || own
        }
    }
}

fn special(inst: &Inst) -> bool {
    const SAME: [&str; 4] = ["SRZ", "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"];
    let row = inst.row();
    row.fields.iter().zip(&inst.fields).any(|(field, &value)| {
        matches!(field.kind, FieldKind::Special { .. })
            && !SAME.iter().any(|name| number(name) == Some(value))
    })
}
