//! Faults in machine code, the placement of convergence barriers among them.

use crate::faults::Make;
use sassafras_isa::{ControlFlowKind as K, RegClass, VIRTUAL};
use sassafras_machine::{Block, Function, MInst, Phase, Position, Reg};

pub const FAULTS: &[(&str, &str, Make)] = &[
    ("second-definition", "machine", Make::Machine(Phase::Ssa, second_definition)),
    ("early-use", "machine", Make::Machine(Phase::Ssa, early_use)),
    ("crossed-branch", "machine", Make::Machine(Phase::Ssa, other_side)),
    ("misaligned-pair", "machine", Make::Machine(Phase::Allocated, misaligned_pair)),
    ("register-beyond-limit", "machine", Make::Machine(Phase::Allocated, beyond_limit)),
    ("virtual-register-left", "machine", Make::Machine(Phase::Allocated, virtual_left)),
    ("lost-jump", "machine", Make::Machine(Phase::Placed, lost_jump)),
    ("swapped-blocks", "machine", Make::Machine(Phase::Placed, swapped_blocks)),
    ("other-side", "machine", Make::Machine(Phase::Placed, other_side)),
    ("short-frame", "machine", Make::Machine(Phase::Placed, short_frame)),
    ("lost-bsync", "machine", Make::Machine(Phase::Placed, lost_bsync)),
    ("lost-bssy", "machine", Make::Machine(Phase::Placed, lost_bssy)),
    ("lost-pair", "machine", Make::Machine(Phase::Placed, lost_pair)),
    ("other-barrier", "machine", Make::Machine(Phase::Placed, other_barrier)),
    ("crossed-barriers", "machine", Make::Machine(Phase::Placed, crossed_barriers)),
    ("late-bssy", "machine", Make::Machine(Phase::Placed, late_bssy)),
    ("lane-in-uniform-branch", "machine", Make::Machine(Phase::Placed, lane_in_branch)),
    ("lane-in-uniform-register", "machine", Make::Machine(Phase::Placed, lane_in_register)),
    ("lost-descriptor", "machine", Make::Machine(Phase::Placed, lost_descriptor)),
    ("wrong-meeting-place", "machine", Make::Machine(Phase::Placed, wrong_meeting_place)),
];

fn kind(inst: &MInst) -> Option<K> {
    inst.inst().and_then(|inst| inst.row().control_flow)
}

/// The first instruction that is wanted.
fn find(f: &Function, wanted: impl Fn(&MInst) -> bool) -> Option<(Block, usize)> {
    f.insts().find(|(_, _, inst)| wanted(inst)).map(|(block, index, _)| (block, index))
}

fn of_kind(f: &Function, wanted: K) -> Option<(Block, usize)> {
    find(f, |inst| kind(inst) == Some(wanted))
}

/// Puts another register in the first operand that is wanted.
fn rename(
    f: &mut Function,
    wanted: impl Fn(&MInst, &sassafras_machine::RegOperand) -> bool,
    to: Reg,
) -> bool {
    let place = find(f, |inst| inst.operands().iter().any(|o| wanted(inst, o)));
    place.is_some_and(|(block, index)| {
        let inst = &mut f.blocks[block].insts[index];
        let copy = inst.clone();
        inst.map_registers(|o| if wanted(&copy, o) { to } else { o.reg });
        true
    })
}

/// Two instructions write one register.
fn second_definition(f: &mut Function) -> bool {
    let single = |inst: &MInst| inst.inst().is_some() && inst.defs().count() == 1;
    let defs: Vec<_> = f
        .insts()
        .filter(|(_, _, inst)| single(inst))
        .filter_map(|(b, i, inst)| inst.defs().next().map(|d| (b, i, d)))
        .filter(|(_, _, d)| d.class == RegClass::R && d.units == 1)
        .collect();
    let [(_, _, a), .., (block, index, b)] = &defs[..] else { return false };
    let (from, to) = (b.reg, a.reg);
    f.blocks[*block].insts[*index].map_registers(|o| if o.reg == from { to } else { o.reg });
    true
}

/// Two neighbours, of which one reads what the other writes, change places.
fn early_use(f: &mut Function) -> bool {
    for &block in &f.layout.clone() {
        let insts = &mut f.blocks[block].insts;
        let depends = |&i: &usize| {
            let (before, after): (Vec<_>, Vec<_>) =
                (insts[i - 1].defs().collect(), insts[i].uses().collect());
            before
                .iter()
                .any(|d| after.iter().any(|u| u.reg.vreg() == d.reg.vreg() && d.reg.vreg().is_some()))
        };
        if let Some(i) = (1..insts.len()).find(depends) {
            insts.swap(i - 1, i);
            return true;
        }
    }
    false
}

/// A conditional branch goes to the side to which it should fall.
fn other_side(f: &mut Function) -> bool {
    for &block in &f.layout.clone() {
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|e| e.block).collect();
        let [a, b] = succs[..] else { continue };
        let insts = &mut f.blocks[block].insts;
        let found = insts.iter_mut().find(|inst| kind(inst) == Some(K::Branch));
        if let Some(inst) = found.filter(|_| a != b) {
            inst.target = if inst.target == Some(a) { Some(b) } else { Some(a) };
            return true;
        }
    }
    false
}

/// A pair starts at an odd register.
fn misaligned_pair(f: &mut Function) -> bool {
    let wanted = |inst: &MInst, o: &sassafras_machine::RegOperand| {
        inst.inst().is_some()
            && matches!(o.position, Position::Field(_))
            && o.units == 2
            && o.class == RegClass::R
    };
    rename(f, wanted, Reg::Physical(3))
}

/// A register is one past the last that the function may use.
fn beyond_limit(f: &mut Function) -> bool {
    let limit = f.max_registers as u16;
    rename(f, |_, o| o.class == RegClass::R && o.units == 1, Reg::Physical(limit))
}

/// An operand was not replaced.
fn virtual_left(f: &mut Function) -> bool {
    let wanted =
        |inst: &MInst, o: &sassafras_machine::RegOperand| inst.inst().is_some() && o.class == RegClass::R;
    rename(f, wanted, Reg::from_field(VIRTUAL))
}

/// A block falls into the next one instead of jumping.
fn lost_jump(f: &mut Function) -> bool {
    for (i, &block) in f.layout.clone().iter().enumerate() {
        let next = f.layout.get(i + 1).copied();
        let last = f.blocks[block].insts.last();
        let jumps = last.is_some_and(|l| kind(l) == Some(K::Branch) && l.target != next);
        if jumps && f.blocks[block].succs.len() == 1 {
            f.blocks[block].insts.pop();
            return true;
        }
    }
    false
}

/// Two blocks change places, the first of which is fallen into.
fn swapped_blocks(f: &mut Function) -> bool {
    for i in 1..f.layout.len().saturating_sub(1) {
        let before = &f.blocks[f.layout[i - 1]];
        let jumps = before.insts.iter().any(|inst| {
            matches!(kind(inst), Some(K::Branch | K::Exit))
                && inst.inst().is_some_and(|x| x.guard.is_always())
        });
        let other = f.layout[i + 1];
        if !jumps && before.succs.iter().all(|e| e.block != other) {
            f.layout.swap(i, i + 1);
            return true;
        }
    }
    false
}

fn lost(f: &mut Function, wanted: K) -> bool {
    of_kind(f, wanted).is_some_and(|(block, index)| {
        f.blocks[block].insts.remove(index);
        true
    })
}

/// Lanes do not wait where they should meet.
fn lost_bsync(f: &mut Function) -> bool {
    lost(f, K::Sync)
}

/// Lanes wait at a barrier that nobody set.
fn lost_bssy(f: &mut Function) -> bool {
    lost(f, K::Push)
}

/// A branch that may diverge has no barrier at all.
fn lost_pair(f: &mut Function) -> bool {
    let Some((block, index)) = of_kind(f, K::Push) else { return false };
    let push = f.blocks[block].insts.remove(index);
    let Some(target) = push.target else { return false };
    let number = push.operands().iter().find(|o| o.class == RegClass::B).map(|o| o.reg);
    f.blocks[target].insts.retain(|inst| {
        let same = inst.operands().iter().any(|o| o.class == RegClass::B && Some(o.reg) == number);
        kind(inst) != Some(K::Sync) || !same
    });
    true
}

/// A BSSY sets another barrier than its BSYNC waits at.
fn other_barrier(f: &mut Function) -> bool {
    of_kind(f, K::Push).is_some_and(|(block, index)| {
        f.blocks[block].insts[index].map_registers(|o| match (o.class, o.reg) {
            (RegClass::B, Reg::Physical(n)) => Reg::Physical(n ^ 1),
            _ => o.reg,
        });
        true
    })
}

/// Of two nests of the same two barriers one has their numbers exchanged: each nests on every path, and they wait for each other.
fn crossed_barriers(f: &mut Function) -> bool {
    let nests: Vec<_> = f
        .insts()
        .filter(|(_, _, inst)| kind(inst) == Some(K::Push))
        .filter_map(|(block, index, inst)| Some((barrier(inst)?, nest(f, (block, index))?)))
        .collect();
    for (outer, one) in &nests {
        for (_, other) in nests.iter().filter(|(number, _)| number == outer) {
            let inner = |nest: &[(Block, usize)]| -> Vec<u16> {
                let pushes = nest[1..].iter().map(|&(block, index)| &f.blocks[block].insts[index]);
                pushes.filter(|inst| kind(inst) == Some(K::Push)).filter_map(barrier).collect()
            };
            let shared = inner(one).into_iter().find(|number| inner(other).contains(number));
            let Some(inner) = shared.filter(|_| one.iter().all(|place| !other.contains(place))) else {
                continue;
            };
            for &(block, index) in one {
                f.blocks[block].insts[index].map_registers(|operand| match operand.reg {
                    Reg::Physical(number) if operand.class == RegClass::B && number == *outer => {
                        Reg::Physical(inner)
                    }
                    Reg::Physical(number) if operand.class == RegClass::B && number == inner => {
                        Reg::Physical(*outer)
                    }
                    reg => reg,
                });
            }
            return true;
        }
    }
    false
}

/// The barrier that an instruction names.
fn barrier(inst: &MInst) -> Option<u16> {
    let operand = inst.operands().into_iter().find(|operand| operand.class == RegClass::B)?;
    match operand.reg {
        Reg::Physical(number) => Some(number),
        Reg::Virtual(..) => None,
    }
}

/// A BSSY, and every instruction on a barrier that is reached while its own is open.
fn nest(f: &Function, push: (Block, usize)) -> Option<Vec<(Block, usize)>> {
    let own = barrier(&f.blocks[push.0].insts[push.1])?;
    let mut found = vec![push];
    let (mut seen, mut work) = (std::collections::HashSet::new(), vec![(push.0, push.1 + 1)]);
    while let Some((block, from)) = work.pop() {
        let mut open = true;
        for (index, inst) in f.blocks[block].insts.iter().enumerate().skip(from) {
            if let Some(number) = barrier(inst).filter(|_| open) {
                found.push((block, index));
                open = number != own;
            }
        }
        let next = f.blocks[block].succs.iter().filter(|_| open).map(|edge| edge.block);
        work.extend(next.filter(|&to| seen.insert(to)).map(|to| (to, 0)));
    }
    Some(found)
}

/// A BSSY stands behind the branch, on one side.
fn late_bssy(f: &mut Function) -> bool {
    let sets: Vec<(Block, usize)> =
        f.insts().filter(|(_, _, inst)| kind(inst) == Some(K::Push)).map(|(b, i, _)| (b, i)).collect();
    for (block, index) in sets {
        let succs: Vec<Block> = f.blocks[block].succs.iter().map(|e| e.block).collect();
        let target = f.blocks[block].insts[index].target;
        if let [a, b] = succs[..]
            && let Some(to) = [a, b].into_iter().find(|&s| Some(s) != target && s != block)
        {
            let push = f.blocks[block].insts.remove(index);
            f.blocks[to].insts.insert(0, push);
            return true;
        }
    }
    false
}

/// A BSSY names a place where nobody waits.
fn wrong_meeting_place(f: &mut Function) -> bool {
    let Some((block, index)) = of_kind(f, K::Push) else { return false };
    f.blocks[block].insts[index].target = Some(f.entry);
    true
}

fn make(id: &str, fields: &[(&str, u64)]) -> MInst {
    let mut inst = sassafras_isa::Inst::new(sassafras_isa::form(id).expect("the table has it"));
    fields.iter().for_each(|(name, value)| inst.set(name, *value).expect("the form has it"));
    MInst::new(inst)
}

/// The lane's index.
fn lane() -> MInst {
    make("s2r", &[("d", 0), ("sr", 33)])
}

/// A branch that is marked uniform goes by the lane's index.
fn lane_in_branch(f: &mut Function) -> bool {
    let branch = |inst: &MInst| {
        let mut guards = inst.operands().into_iter().filter(|o| o.position == Position::Guard);
        kind(inst) == Some(K::Branch) && guards.any(|o| o.class == RegClass::P)
    };
    let Some((block, index)) = find(f, branch) else { return false };
    let inst = &mut f.blocks[block].insts[index];
    inst.uniform = true;
    let Some(guard) = inst.inst().map(|real| u64::from(real.guard.pred)) else { return false };
    let compare = make("isetp.ri", &[("d", guard), ("a", 0), ("b", 5)]);
    f.blocks[block].insts.splice(index..index, [lane(), compare]);
    true
}

/// A uniform register gets the lane's index.
fn lane_in_register(f: &mut Function) -> bool {
    let take = make("r2ur", &[("d", 60), ("a", 0)]);
    f.blocks[f.entry].insts.splice(0..0, [lane(), take]);
    true
}

/// Nobody fetches the descriptor of global memory.
fn lost_descriptor(f: &mut Function) -> bool {
    find(f, |inst| inst.inst().is_some_and(|real| real.row().mnemonic == "ULDC")).is_some_and(
        |(block, index)| {
            f.blocks[block].insts.remove(index);
            true
        },
    )
}

/// The stack pointer stays where it was.
fn short_frame(f: &mut Function) -> bool {
    let entry = f.entry;
    let insts = &mut f.blocks[entry].insts;
    let lowers = |inst: &MInst| {
        inst.inst()
            .is_some_and(|i| i.get("d") == Some(1) && i.get("a") == Some(1) && i.row().mnemonic == "IADD3")
    };
    let lowered = insts.iter().position(lowers).filter(|_| f.frame.size() > 0);
    lowered.is_some_and(|at| {
        insts.remove(at);
        true
    })
}
