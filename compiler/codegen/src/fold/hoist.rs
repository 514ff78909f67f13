//! HoistCommonCode: what both sides of a branch begin with stands in front of it, once.
//!
//! Legal where each side has no other way in, and the instruction is a lane's own, has no guard, touches no memory but constants, transfers no control,
//! tells no time, writes no register of the warp (one of these is another's outside of its block), and nothing that the branch reads. Only
//! instructions that both sides begin with in the same order move, so none crosses another: they cross the branch alone.

use super::FoldStats;
use super::equal::{branch, same};
use super::lanes::{self, Reach};
use sassafras_graph::ControlFlow;
use sassafras_isa::{MemorySpace, special};
use sassafras_machine::{Block, Function, MInst, Merge, RegOperand};

/// Whether anything moved.
pub(super) fn hoist(f: &mut Function, stats: &mut FoldStats) -> bool {
    let graph = f.graph();
    let mut changed = false;
    for block in f.layout.clone() {
        let sides: Vec<Block> = f.blocks[block].succs.iter().map(|edge| edge.block).collect();
        let [a, b] = sides[..] else { continue };
        let alone = |side: Block| graph.preds(side).len() == 1 && side != block && side != f.entry;
        if a == b || !alone(a) || !alone(b) {
            continue;
        }
        let Some(last) = branch(&f.blocks[block]) else { continue };
        let pairs = f.blocks[a].insts.iter().zip(&f.blocks[b].insts);
        let length = pairs.take_while(|(x, y)| same(x, y) && moves(x, last)).count();
        if length == 0 {
            continue;
        }
        f.blocks[b].insts.drain(..length);
        let up: Vec<MInst> = f.blocks[a].insts.drain(..length).collect();
        let insts = &mut f.blocks[block].insts;
        let at = insts.len() - 1;
        insts.splice(at..at, up);
        stats.saved += length;
        stats.merges.push(Merge { tail: block, from: vec![a, b], length, hoisted: true });
        changed = true;
    }
    changed
}

/// Whether the instruction may go in front of the branch.
fn moves(inst: &MInst, branch: &MInst) -> bool {
    let Some(real) = inst.inst() else { return false };
    let row = real.row();
    let memory = row.memory.is_some_and(|memory| memory.space != MemorySpace::Constant);
    let keeps = |def: &RegOperand| !lanes::of_warp(def.class) && branch.uses().all(|read| !meet(def, &read));
    lanes::reach(inst) == Reach::Lane
        && real.guard.is_always()
        && row.control_flow.is_none()
        && !memory
        && !inst.ordered
        && !tells_time(real)
        && inst.defs().next().is_some()
        && inst.defs().all(|def| keeps(&def))
}

/// Whether two operands have a register in common.
fn meet(a: &RegOperand, b: &RegOperand) -> bool {
    let span = |o: &RegOperand| o.reg.to_field()..o.reg.to_field() + u64::from(o.units);
    let (x, y) = (span(a), span(b));
    a.class == b.class && x.start < y.end && y.start < x.end
}

fn tells_time(inst: &sassafras_isa::Inst) -> bool {
    let name = inst.get("sr").map(special::name);
    name.is_some_and(|name| ["CLOCK", "TIMER", "SR_PM", "SNAP"].iter().any(|part| name.contains(part)))
}
