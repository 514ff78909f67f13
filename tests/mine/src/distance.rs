//! The least distances between two accesses to a register, over straight code.

use sassafras_check::hazard::Program;
use sassafras_chip::latency::{Class, Hazard, Kind, OperandKind};
use sassafras_isa::{Access, Inst, Operand, RegClass, Scoreboard};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// Two classes and how the second depends on the first.
pub type Pair = (Hazard, OperandKind, Class, Class);

/// What was seen of a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Least cycles, issue to issue.
    pub cycles: u32,
    /// How often a pair stood so near, and how often at all.
    pub nearest: usize,
    /// How often at all.
    pub samples: usize,
    /// Where it stood nearest.
    pub example: String,
}

/// Distances by pair.
pub type Distances = BTreeMap<Pair, Seen>;

/// Distances behind matrix products: hazard, register file, the product's mnemonic with its modifiers, the later one's class.
pub type Forms = BTreeMap<(Hazard, OperandKind, String, Class), Seen>;

/// Farther pairs say nothing about what is needed.
const FAR: u32 = 40;

/// An access that later ones are measured from.
#[derive(Clone, Copy)]
struct Earlier {
    at: usize,
    time: u32,
    class: Class,
    write: bool,
}

/// Adds the distances of a program. Accesses of variable latency are left out: scoreboards decide about them.
pub fn measure(program: &Program, into: &mut Distances) {
    walk(program, &mut |pair, _, cycles, example| note(into.entry(pair), cycles, example));
}

/// Adds those whose earlier instruction is a matrix product.
pub fn measure_products(program: &Program, into: &mut Forms) {
    walk(program, &mut |(hazard, operand, producer, consumer), first, cycles, example| {
        if producer.whole() == Class::Matrix {
            let form = sassafras_isa::print(first, &sassafras_isa::Style::default())
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned();
            note(into.entry((hazard, operand, form, consumer)), cycles, example);
        }
    });
}

type Visit<'a> = dyn FnMut(Pair, &Inst, u32, &dyn Fn() -> String) + 'a;

fn walk(program: &Program, visit: &mut Visit<'_>) {
    let mut open: HashMap<(RegClass, u32), Vec<Earlier>> = HashMap::new();
    let mut time = 0;
    for (at, inst) in program.insts.iter().enumerate() {
        let Some(inst) = inst else {
            open.clear();
            continue;
        };
        if program.leaders[at] {
            open.clear();
        }
        let late = matches!(inst.row().scoreboard, Scoreboard::Read | Scoreboard::ReadWrite);
        for operand in inst.operands() {
            for unit in 0..u32::from(operand.units) {
                for first in open.get(&(operand.class, operand.number + unit)).into_iter().flatten() {
                    pair(program, first, at, time, inst, &operand, unit, visit);
                }
            }
        }
        for operand in inst.operands() {
            for unit in 0..u32::from(operand.units) {
                let class = inst.class(&operand, unit);
                let write = operand.access == Access::Write;
                let uniform = matches!(operand.class, RegClass::UR | RegClass::UP);
                let variable = if write {
                    class.variable(program.chip) || inst.control.write_barrier < 6
                } else {
                    late && operand.field.is_some() && !uniform
                };
                let list = open.entry((operand.class, operand.number + unit)).or_default();
                if write {
                    list.retain(|old| old.at == at);
                }
                if !variable {
                    list.push(Earlier { at, time, class, write });
                }
            }
        }
        time += u32::from(inst.control.stall.max(1));
    }
}

#[allow(clippy::too_many_arguments, reason = "one measurement has so many ends")]
fn pair(
    program: &Program,
    first: &Earlier,
    at: usize,
    time: u32,
    inst: &Inst,
    operand: &Operand,
    unit: u32,
    visit: &mut Visit<'_>,
) {
    let hazard = match (first.write, operand.access == Access::Write) {
        (true, false) => Hazard::Raw,
        (true, true) => Hazard::Waw,
        (false, true) => Hazard::War,
        (false, false) => return,
    };
    let cycles = time - first.time;
    let Some(producer) = program.insts[first.at].as_ref().filter(|_| cycles < FAR) else { return };
    let Kind { operand: kind, .. } = Program::kind_of(operand, hazard);
    let example = || format!("{} then {}", program.place(first.at), program.place(at));
    visit((hazard, kind, first.class, inst.class(operand, unit)), producer, cycles, &example);
}

fn note<K: Ord>(entry: Entry<'_, K, Seen>, cycles: u32, example: &dyn Fn() -> String) {
    let seen = entry.or_insert_with(|| Seen { cycles: FAR, nearest: 0, samples: 0, example: String::new() });
    seen.samples += 1;
    if cycles < seen.cycles {
        seen.cycles = cycles;
        seen.nearest = 0;
        seen.example = example();
    }
    seen.nearest += usize::from(cycles == seen.cycles);
}
