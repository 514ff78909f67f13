//! Registers that some path reads before it writes them: a forward dataflow over sets of registers that have a value.
//!
//! Lattice: sets of registers, ordered by inclusion; meet is intersection; a write under a guard adds nothing.

use sassafras_ptx::checked::{AddressBase, Function, Inst, Op, Operand, RegisterId};

/// Their names, as `function:name`.
pub(super) fn unassigned(f: &Function) -> Vec<String> {
    let Some(insts) = &f.insts else { return Vec::new() };
    let count = f.registers.len();
    let mut start = vec![false; count];
    for p in f.params.iter().chain(&f.returns) {
        if let Some(r) = p.register {
            set(&mut start, r);
        }
    }
    let mut before: Vec<Option<Vec<bool>>> = vec![None; insts.len() + 1];
    let mut found = vec![false; count];
    let mut work = vec![0];
    before[0] = Some(start);
    while let Some(at) = work.pop() {
        let (Some(inst), Some(mut state)) = (insts.get(at), before[at].clone()) else { continue };
        let (reads, writes) = effects(inst);
        for r in reads {
            if state.get(r.0 as usize) == Some(&false) {
                found[r.0 as usize] = true;
            }
        }
        if inst.guard.is_none() {
            writes.into_iter().for_each(|r| set(&mut state, r));
        }
        for next in successors(f, at, inst) {
            let changed = match &mut before[next] {
                Some(old) => old.iter_mut().zip(&state).fold(false, |changed, (o, s)| {
                    let lost = *o && !s;
                    *o &= s;
                    changed | lost
                }),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if changed {
                work.push(next);
            }
        }
    }
    let name = |(i, _): (usize, &bool)| format!("{}:{}", f.name, f.registers[i].name);
    found.iter().enumerate().filter(|(_, f)| **f).map(name).collect()
}

fn set(state: &mut [bool], r: RegisterId) {
    if let Some(s) = state.get_mut(r.0 as usize) {
        *s = true;
    }
}

fn successors(f: &Function, at: usize, inst: &Inst) -> Vec<usize> {
    let label = |o: &Operand| match o {
        Operand::Label(l) => vec![f.labels[l.0 as usize].target as usize],
        Operand::BranchTargets(name) => f
            .branch_targets
            .get(name)
            .map(|all| all.iter().map(|l| f.labels[l.0 as usize].target as usize).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut all = match inst.op {
        Op::Bra | Op::BrxIdx => inst.operands.iter().flat_map(label).collect(),
        _ => Vec::new(),
    };
    let ends = matches!(inst.op, Op::Bra | Op::BrxIdx | Op::Ret | Op::Exit | Op::Trap | Op::Brkpt);
    if !ends || inst.guard.is_some() {
        all.push(at + 1);
    }
    all
}

/// Whether a function does anything besides computing registers: an instruction that writes none and is no branch and no end, or an atomic one.
pub(super) fn acts(f: &Function) -> bool {
    let ends = |op| matches!(op, Op::Bra | Op::BrxIdx | Op::Ret | Op::Exit);
    let acts = |inst: &Inst| !ends(inst.op) && (inst.op == Op::Atom || effects(inst).1.is_empty());
    f.insts.iter().flatten().any(acts)
}

/// What an instruction reads and writes.
fn effects(inst: &Inst) -> (Vec<RegisterId>, Vec<RegisterId>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    reads.extend(inst.guard.map(|g| g.register));
    let no_result = matches!(
        inst.op,
        Op::St | Op::Red | Op::Bra | Op::BrxIdx | Op::Bar | Op::Barrier | Op::CpAsync | Op::Ret | Op::Exit
    );
    for (i, operand) in inst.operands.iter().enumerate() {
        if i == 0 && !no_result {
            destinations(operand, &mut reads, &mut writes);
        } else {
            sources(operand, &mut reads);
        }
    }
    (reads, writes)
}

fn destinations(operand: &Operand, reads: &mut Vec<RegisterId>, writes: &mut Vec<RegisterId>) {
    match operand {
        Operand::Register(r) => writes.push(*r),
        // The rest of the register is kept.
        Operand::Pieces(r, _) => reads.push(*r),
        Operand::Vector(all) => all.iter().for_each(|o| destinations(o, reads, writes)),
        Operand::List(all) => all.iter().for_each(|o| destinations(o, reads, writes)),
        Operand::Pair(a, b) => {
            destinations(a, reads, writes);
            destinations(b, reads, writes);
        }
        other => sources(other, reads),
    }
}

fn sources(operand: &Operand, reads: &mut Vec<RegisterId>) {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) | Operand::Pieces(r, _) => reads.push(*r),
        Operand::Address(AddressBase::Register(r), _) => reads.push(*r),
        Operand::Negated(o) => sources(o, reads),
        Operand::Vector(all) => all.iter().for_each(|o| sources(o, reads)),
        Operand::List(all) => all.iter().for_each(|o| sources(o, reads)),
        Operand::Pair(a, b) => {
            sources(a, reads);
            sources(b, reads);
        }
        _ => {}
    }
}
