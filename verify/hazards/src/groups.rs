//! Whether registers of a warpgroup's products are left alone while they are under way, and are seen by them before.
//!
//! Sources: PTX ISA, "wgmma.fence" and "wgmma.wait_group": registers of accumulators and of A may not be accessed before a wait for the product's group, and what was written
//! to them before is ordered by the fence; ptxas 13.0.88 keeps both in all that it makes of such programs. Descriptors and predicates are read at issue.
//!
//! # Lattice
//! Per general register: what a product under way uses it for, and the fewest groups that have ended since, on any path; and whether it was written
//! since the last WARPGROUP.ARRIVE on any path. The *meet* is the union with the smaller number. At the entry all were written.
//!
//! # Transfer
//! A product uses its registers; with gsb0 it ends the group of all that are in none. WARPGROUP.DEPBAR with n leaves the last n groups and what is in none.
//! An accumulator is used again by products that have the same one, and A is read by any number of them.

use crate::flow::Program;
use rustc_hash::FxHashMap;
use sassafras_isa::{Access, Inst, Meaning, RegClass};

/// What a product does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// An element of A.
    Factor,
    /// One of an accumulator that begins at a register and has so many.
    Accumulator(u32, u8),
}

/// A use that may not be over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pending {
    role: Role,
    /// The product.
    at: usize,
    /// Groups that have ended since, the fewest.
    ended: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    pending: FxHashMap<u32, Vec<Pending>>,
    /// Where each register was written last, and not seen since.
    unseen: FxHashMap<u32, Option<usize>>,
}

/// Groups are counted as far as a wait can tell them apart.
const MOST: u64 = 8;

/// What is wrong at an instruction.
pub(crate) enum Fault {
    /// It touches a register, which the product at the place still uses.
    InUse(u32, usize),
    /// It uses a register that was written at the place, or before the function.
    Unseen(u32, Option<usize>),
}

fn general(inst: &Inst) -> impl Iterator<Item = (u32, Access)> + '_ {
    inst.operands()
        .filter(|o| o.class == RegClass::R)
        .flat_map(|o| (0..u32::from(o.units)).map(move |unit| (o.number + unit, o.access)))
}

fn is_product(inst: &Inst) -> bool {
    inst.row().meaning == Meaning::Gmma
}

/// The roles of a product's registers, each once.
fn roles(inst: &Inst) -> Vec<(u32, Role)> {
    let result = inst.operands().find(|o| o.class == RegClass::R && o.access == Access::Write);
    let of = |register: u32| match result {
        Some(o) if (o.number..o.number + u32::from(o.units)).contains(&register) => {
            Role::Accumulator(o.number, o.units)
        }
        _ => Role::Factor,
    };
    let mut all: Vec<_> = general(inst).map(|(register, _)| (register, of(register))).collect();
    all.sort_by_key(|(register, _)| *register);
    all.dedup();
    all
}

fn step(at: usize, inst: &Inst, state: &mut State, faults: &mut dyn FnMut(Fault)) {
    match inst.row().meaning {
        Meaning::GmmaFence => state.unseen.clear(),
        Meaning::GmmaWait => {
            let left = inst.get("n").unwrap_or(MOST);
            state.pending.retain(|_, list| {
                list.retain(|p| p.ended <= left);
                !list.is_empty()
            });
        }
        Meaning::Gmma => {
            for (register, role) in roles(inst) {
                if let Some(&from) = state.unseen.get(&register) {
                    faults(Fault::Unseen(register, from));
                }
                let list = state.pending.entry(register).or_default();
                if let Some(other) = list.iter().find(|p| p.role != role) {
                    faults(Fault::InUse(register, other.at));
                }
                list.retain(|p| p.role != role);
                list.push(Pending { role, at, ended: 0 });
            }
            if inst.enum_text("gsb") == Some("gsb0") {
                let all = state.pending.values_mut().flatten();
                all.for_each(|p| p.ended = (p.ended + 1).min(MOST + 1));
            }
        }
        _ => {
            for (register, access) in general(inst) {
                // What a product reads, others may read.
                let harmed = |p: &&Pending| access == Access::Write || p.role != Role::Factor;
                if let Some(other) = state.pending.get(&register).and_then(|list| list.iter().find(harmed)) {
                    faults(Fault::InUse(register, other.at));
                }
                if access == Access::Write {
                    state.unseen.insert(register, Some(at));
                }
            }
        }
    }
}

fn meet(known: &mut State, other: &State) -> bool {
    let mut changed = false;
    for (&register, list) in &other.pending {
        let old = known.pending.entry(register).or_default();
        for new in list {
            match old.iter_mut().find(|p| p.role == new.role) {
                Some(p) if p.ended <= new.ended => {}
                Some(p) => {
                    *p = *new;
                    changed = true;
                }
                None => {
                    old.push(*new);
                    changed = true;
                }
            }
        }
    }
    for (&register, &from) in &other.unseen {
        known.unseen.entry(register).or_insert_with(|| {
            changed = true;
            from
        });
    }
    changed
}

/// Every fault of a program, with its place.
pub(crate) fn faults(program: &Program) -> Vec<(usize, Fault)> {
    let mut found = Vec::new();
    if !program.insts.iter().flatten().any(is_product) {
        return found;
    }
    let count = program.insts.len();
    let mut entries: Vec<Option<State>> = vec![None; count];
    let written = (0..u32::from(u8::MAX)).map(|register| (register, None)).collect();
    entries[0] = Some(State { pending: FxHashMap::default(), unseen: written });
    let mut work = std::collections::BTreeSet::from([0]);
    while let Some(start) = work.pop_first() {
        let Some(state) = entries[start].clone() else { continue };
        walk(program, start, state, &mut |_, _| {}, &mut |to, state| {
            let changed = match &mut entries[to] {
                Some(known) => meet(known, &state),
                unknown => {
                    *unknown = Some(state);
                    true
                }
            };
            if changed {
                work.insert(to);
            }
        });
    }
    for (start, entry) in entries.into_iter().enumerate() {
        if let Some(state) = entry {
            walk(program, start, state, &mut |at, fault| found.push((at, fault)), &mut |_, _| {});
        }
    }
    found
}

/// A straight-line segment from its start; `leave` gets the last state for each successor.
fn walk(
    program: &Program,
    start: usize,
    mut state: State,
    fault: &mut dyn FnMut(usize, Fault),
    leave: &mut dyn FnMut(usize, State),
) {
    let mut at = start;
    loop {
        let Some(inst) = &program.insts[at] else { return };
        step(at, inst, &mut state, &mut |f| fault(at, f));
        match &program.succs[at][..] {
            [next] if *next == at + 1 && !program.leaders[*next] => at = *next,
            succs => return succs.iter().for_each(|&to| leave(to, state.clone())),
        }
    }
}
