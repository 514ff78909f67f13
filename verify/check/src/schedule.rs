//! Whether scheduling kept the program: the same instructions in each block, in an order that keeps every dependence.
//!
//! For the final order and for the one before allocation. Behind the final one only control bits may differ, and NOP may be added to pass time; before
//! allocation nothing may. Two instructions of a block must keep their order when
//! * one writes a register that the other reads or writes, in any file;
//! * both touch memory and may meet, and one writes it (see `memory::ordered`);
//! * one has an effect on control or other threads, and the other an effect or an access to memory, or is collective.
//!
//! Every pair that changed places is looked at: there is no graph that could be built wrong.

mod memory;

use crate::rules::Rule;
use crate::{Finding, Verdict};
use rustc_hash::FxHashMap;
use sassafras_isa::{FormId, Inst, RegClass};
use sassafras_machine::{Access, Block, Function, MInst, Op, Phase, Reg};
use smallvec::SmallVec;

/// Checks the function `after` scheduling, or after arranging in SSA, against the one `before` it.
pub fn check(before: &Function, after: &Function) -> Verdict {
    let mut objections = Vec::new();
    let mut object = |rule: Rule, block: Block, message| {
        objections.push(Finding { rule: rule.id(), place: format!("`{}`, {block}", after.name), message });
    };
    if before.layout != after.layout {
        object(Rule::ScheduleBlocks, after.entry, "the order of the blocks changed".to_owned());
        return Verdict::of(objections, Vec::new());
    }
    let whole = |f: &Function| (f.frame, f.shared_bytes, f.entry);
    if whole(before) != whole(after) || before.vregs != after.vregs {
        let what = "the frame, shared memory, entry or virtual registers changed";
        object(Rule::ScheduleFrame, after.entry, what.to_owned());
    }
    let ssa = before.phase == Phase::Ssa;
    for &block in &before.layout {
        let (old, new) = (&before.blocks[block], &after.blocks[block]);
        if old.succs != new.succs || old.params != new.params {
            object(Rule::ScheduleSuccessors, block, "the successors or parameters changed".to_owned());
        }
        match permutation(&old.insts, &new.insts, ssa) {
            Err(why) => object(Rule::ScheduleInstructions, block, why.to_string()),
            Ok(places) => order(&old.insts, &places)
                .into_iter()
                .for_each(|(rule, message)| object(rule, block, message)),
        }
    }
    Verdict::of(objections, Vec::new())
}

/// Why a block has not the instructions that it had, in another order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum NotPermuted {
    /// An instruction behind expansion is none of the machine's.
    #[error("instruction {index} is a pseudo-instruction")]
    Pseudo { index: usize },
    /// One that was there is not.
    #[error("instruction {index} before, `{text}`, is not there")]
    Gone { index: usize, text: String },
    /// One is there that was not.
    #[error("`{text}` was added")]
    Added { text: String },
}

/// For each instruction before, its place after. Equal ones keep their order. In SSA there are pseudo-instructions, and nothing else may differ.
fn permutation(old: &[MInst], new: &[MInst], ssa: bool) -> Result<Vec<usize>, NotPermuted> {
    let same = |old: &MInst, new: &MInst| if ssa { old == new } else { same_but_control(old, new) };
    fn key(inst: &MInst) -> (Option<u32>, Option<(FormId, &[u64])>) {
        match &inst.op {
            Op::Inst(real) => (inst.origin, Some((real.form, &real.fields[..]))),
            Op::Pseudo(_) => (inst.origin, None),
        }
    }
    let mut places: FxHashMap<_, SmallVec<[usize; 2]>> = FxHashMap::default();
    for (index, inst) in new.iter().enumerate().rev() {
        if inst.as_pseudo().is_some() && !ssa {
            return Err(NotPermuted::Pseudo { index });
        }
        places.entry(key(inst)).or_default().push(index);
    }
    let mut permutation = Vec::new();
    for (index, inst) in old.iter().enumerate() {
        let place = places.get_mut(&key(inst)).and_then(SmallVec::pop);
        match place {
            Some(place) if same(inst, &new[place]) => permutation.push(place),
            _ => return Err(NotPermuted::Gone { index, text: text(inst) }),
        }
    }
    let padding = |inst: &MInst| {
        !ssa && inst.origin.is_none() && inst.inst().is_some_and(|i| i.row().mnemonic == "NOP")
    };
    let added = places.values().flatten().find(|&&place| !padding(&new[place]));
    match added {
        Some(&place) => Err(NotPermuted::Added { text: text(&new[place]) }),
        None => Ok(permutation),
    }
}

/// Whether two instructions differ in nothing but control bits.
fn same_but_control(old: &MInst, new: &MInst) -> bool {
    let MInst { op, target, tied, uniform, scattered, ordered, origin, line } = old;
    let ops = match (op, &new.op) {
        (Op::Inst(a), Op::Inst(b)) => {
            let Inst { form, guard, fields, control: _ } = a;
            (form, guard, fields) == (&b.form, &b.guard, &b.fields)
        }
        (a, b) => a == b,
    };
    ops && (target, tied, origin) == (&new.target, &new.tied, &new.origin)
        && (uniform, scattered, ordered, line) == (&new.uniform, &new.scattered, &new.ordered, &new.line)
}

/// The pairs whose order was not kept.
fn order(old: &[MInst], places: &[usize]) -> Vec<(Rule, String)> {
    let accesses: Vec<_> = old.iter().map(accesses).collect();
    let mut faults = Vec::new();
    // Those before the second, by their places after: at the end stand those that changed places with it.
    let mut before: Vec<(usize, usize)> = Vec::with_capacity(old.len());
    for (second, &place) in places.iter().enumerate() {
        let at = before.partition_point(|&(other, _)| other < place);
        let mut passed: Vec<usize> = before[at..].iter().map(|&(_, first)| first).collect();
        passed.sort_unstable();
        before.insert(at, (place, second));
        for first in passed {
            let pair = || format!("`{}` and `{}` changed places", text(&old[first]), text(&old[second]));
            if let Some((register, kind)) = dependence(&accesses[first], &accesses[second]) {
                let name = register.1.display(register.0);
                faults.push((Rule::ScheduleDependence, format!("{}: {kind} {name}", pair())));
            } else if let Some(why) = memory::ordered(old, first, second) {
                faults.push((Rule::ScheduleMemory, format!("{}: {why}", pair())));
            }
        }
    }
    faults
}

type Register = (RegClass, Reg);

/// The registers that an instruction reads and those that it writes.
fn accesses(inst: &MInst) -> [Vec<Register>; 2] {
    let mut lists = [Vec::new(), Vec::new()];
    for operand in inst.operands() {
        let list = &mut lists[usize::from(operand.access == Access::Write)];
        list.extend((0..operand.units).map(|unit| (operand.class, operand.reg.offset(unit))));
    }
    if let Some(call) = inst.inst().filter(|real| sassafras_hazards::is_routine(real)) {
        // A routine reads its arguments and the return address, and may write all of what it is given.
        let all: Vec<Register> =
            crate::machine::clobbered(call).into_iter().map(|(class, n)| (class, Reg::Physical(n))).collect();
        lists = [all.clone(), all];
    }
    lists
}

fn dependence(first: &[Vec<Register>; 2], second: &[Vec<Register>; 2]) -> Option<(Register, &'static str)> {
    let meet = |a: &[Register], b: &[Register]| a.iter().find(|r| b.contains(r)).copied();
    let raw = meet(&first[1], &second[0]).map(|r| (r, "the second reads what the first writes to"));
    let waw = || meet(&first[1], &second[1]).map(|r| (r, "both write"));
    let war = || meet(&first[0], &second[1]).map(|r| (r, "the second overwrites what the first reads from"));
    raw.or_else(waw).or_else(war)
}

fn text(inst: &MInst) -> String {
    inst.inst().map_or("a pseudo-instruction".to_owned(), |inst| {
        sassafras_isa::print(inst, &sassafras_isa::Style::default())
    })
}
