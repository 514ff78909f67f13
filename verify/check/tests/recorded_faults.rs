//! Control bits of what NVIDIA's compiler made are changed, one at a time, and the hazard checker objects; where it does not, a
//! search over every way on from every access shows that the change does no harm.

#[path = "planted/waits.rs"]
mod waits;

use sassafras_check::Verdict;
use sassafras_check::hazard::{Program, judge};
use sassafras_chip::latency::Hazard;
use sassafras_isa::{Access, Chip, Control, Inst};
use sassafras_reference::{traces, workspace_root};
use std::collections::BTreeMap;

/// Changes of each kind for each chip in a test, and in the search.
const CHANGES: (usize, usize) = (24, 1000);

/// A change of control bits that a person or a scheduler might make by mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    /// The stall in front of a reader that stands as near as the table allows is shorter by one.
    ShorterStall,
    /// A bit of a wait mask is missing.
    DroppedWait,
    /// A result raises another scoreboard.
    OtherBarrier,
    /// The end of an issue group is missing where the stall demands it (`spec/isa.md` §1.3: stall 0 and 12 to 15).
    IllegalYield,
    /// A reuse flag stands where no operand is kept, or at the end of an issue group.
    IllegalReuse,
}

const KINDS: [Change; 5] = [
    Change::ShorterStall,
    Change::DroppedWait,
    Change::OtherBarrier,
    Change::IllegalYield,
    Change::IllegalReuse,
];

/// The places of a program where a change can be made, with the control bits that it leaves.
fn places(program: &Program, change: Change) -> Vec<(usize, Control)> {
    let mut found = Vec::new();
    for (at, inst) in program.insts.iter().enumerate() {
        let Some(inst) = inst else { continue };
        if program.is_padding(at) {
            continue;
        }
        let control = inst.control;
        match change {
            Change::ShorterStall if control.stall > 1 && tight(program, at) => {
                found.push((at, Control { stall: control.stall - 1, ..control }));
            }
            Change::DroppedWait => {
                let bits = (0..6).filter(|b| control.wait_mask >> b & 1 == 1);
                found.extend(
                    bits.map(|b| (at, Control { wait_mask: control.wait_mask & !(1 << b), ..control })),
                );
            }
            Change::OtherBarrier if control.write_barrier < 6 => {
                found.push((at, Control { write_barrier: (control.write_barrier + 1) % 6, ..control }));
            }
            Change::IllegalYield if control.stall == 0 || control.stall > 11 => {
                found.push((at, Control { yield_: true, ..control }));
            }
            Change::IllegalReuse if inst.row().control.reuse != 0b111 || !control.yield_ => {
                let free = if control.yield_ { !inst.row().control.reuse & 0b111 } else { 0b001 };
                found.push((at, Control { reuse: control.reuse | free, ..control }));
            }
            _ => {}
        }
    }
    found
}

/// Whether the next instruction reads what this one writes, exactly as many cycles later as the table says.
fn tight(program: &Program, at: usize) -> bool {
    let (Some(first), Some(Some(next))) = (&program.insts[at], program.insts.get(at + 1)) else {
        return false;
    };
    let straight = program.succs[at] == [at + 1];
    let writes =
        |o: &sassafras_isa::Operand| o.access == Access::Write && !first.class(o, 0).variable(program.chip);
    straight
        && first.operands().filter(writes).any(|write| {
            next.operands().filter(|o| o.access == Access::Read && o.class == write.class).any(|read| {
                (0..u32::from(read.units)).any(|unit| {
                    let own = (read.number + unit)
                        .checked_sub(write.number)
                        .filter(|&u| u < u32::from(write.units));
                    own.is_some_and(|own| needs(program, first, &write, own, next, &read, unit))
                })
            })
        })
}

fn needs(
    program: &Program,
    first: &Inst,
    write: &sassafras_isa::Operand,
    own: u32,
    next: &Inst,
    read: &sassafras_isa::Operand,
    unit: u32,
) -> bool {
    let kind = Program::kind_of(read, Hazard::Raw);
    let need = program.need(first.class(write, own), next.class(read, unit), kind);
    need == Some(first.control.stall)
}

/// At how many places the judge does not know.
fn doubts(verdict: &Verdict) -> usize {
    if let Verdict::Unknown(all) = verdict { all.len() } else { 0 }
}

#[derive(Default)]
struct Tally {
    tried: usize,
    caught: usize,
    /// The judge knows less than of the code before the change, and objects to nothing.
    undecided: usize,
    harmless: BTreeMap<&'static str, usize>,
}

fn search(most: usize) {
    let root = workspace_root();
    let mut escaped = Vec::new();
    eprintln!(
        "{:<8} {:<14} {:>7} {:>7} {:>9}  harmless because",
        "chip", "change", "tried", "caught", "undecided"
    );
    let mut shorter = 0;
    for chip in Chip::ALL {
        let mut programs = Vec::new();
        for name in traces::names(&root, &chip.to_string()) {
            let bytes = traces::cubin_for(&root, &chip.to_string(), &name).expect("it is there");
            let cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin reads");
            let all = cubin.functions.iter().map(|f| Program::of_words(&f.code, chip));
            programs.extend(all.filter(|p| p.unknown.is_empty()).map(|p| (name.clone(), p)));
        }
        for change in KINDS {
            let all: Vec<(usize, usize, Control)> = programs
                .iter()
                .enumerate()
                .flat_map(|(p, (_, program))| {
                    places(program, change).into_iter().map(move |(at, control)| (p, at, control))
                })
                .collect();
            let mut tally = Tally::default();
            for &(p, at, control) in all.iter().step_by((all.len() / most).max(1)).take(most) {
                let (name, program) = &programs[p];
                let mut changed = program.clone();
                if let Some(inst) = &mut changed.insts[at] {
                    inst.control = control;
                }
                tally.tried += 1;
                let verdict = judge(&changed);
                if !verdict.objections().is_empty() {
                    tally.caught += 1;
                    continue;
                }
                // What it does not decide it does not pass; nor does it object.
                if doubts(&verdict) > doubts(&judge(program)) {
                    tally.undecided += 1;
                    continue;
                }
                let code = waits::Code::of_program(&changed).expect("every word decodes");
                let bits =
                    matches!(change, Change::IllegalYield | Change::IllegalReuse | Change::ShorterStall);
                match waits::harm(&code, waits::ALL) {
                    None if !bits => *tally.harmless.entry(waits::reason(&code)).or_default() += 1,
                    harm => {
                        escaped.push(format!("{chip} {name} {change:?} at {}: {harm:?}", program.place(at)))
                    }
                }
            }
            let Tally { tried, caught, undecided, harmless } = tally;
            eprintln!(
                "{chip:<8} {:<14} {tried:>7} {caught:>7} {undecided:>9}  {harmless:?}",
                format!("{change:?}")
            );
            sassafras_oracle::fault::planted("hazards", &chip, &format!("{change:?}"), tried, caught);
            shorter += if change == Change::ShorterStall { caught } else { 0 };
        }
    }
    assert_eq!(escaped, Vec::<String>::new());
    assert!(shorter > 100, "{shorter} stalls were shortened");
}

#[test]
fn changed_control_bits_are_caught() {
    search(CHANGES.0);
}

#[test]
#[ignore = "minutes"]
fn changed_control_bits_are_caught_at_more_places() {
    search(CHANGES.1);
}
