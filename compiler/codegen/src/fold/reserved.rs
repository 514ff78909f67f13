//! The 63 registers that the document reserves, and what reading one is in SASS: `reserved.csv`.
//!
//! A reserved register has its value everywhere, and no instruction writes it. The document does not let one live into a new block; a tail that
//! reads one is not merged, unless `fold-reserved-registers` says so. In SASS they are special registers, words of constant bank 0, and the stack
//! pointer.

use rustc_hash::FxHashSet;
use sassafras_chip::Chip;
use sassafras_isa::{Access, FieldKind, Inst, Meaning, RegClass, special};
use sassafras_machine::{Function, MInst};
use std::sync::OnceLock;

const ROWS: &str = include_str!("reserved.csv");

/// What reading a reserved register is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The special register of this number.
    Special(u64),
    /// A word that the driver puts in constant bank 0, by its name in `sassafras_chip`'s layout of the bank and its index there.
    Word(&'static str, usize),
    /// The stack pointer, R1.
    Stack,
    /// Nothing: it is computed from others.
    Computed,
}

/// A reserved register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    /// Its name in PTX, or in the document.
    pub name: &'static str,
    /// What it tells of.
    pub group: &'static str,
    /// What reading it is.
    pub place: Place,
}

/// All of them.
pub fn reserved() -> &'static [Reserved] {
    static TABLE: OnceLock<Vec<Reserved>> = OnceLock::new();
    TABLE.get_or_init(|| ROWS.lines().skip(1).filter_map(row).collect())
}

fn row(line: &'static str) -> Option<Reserved> {
    let mut cells = line.split(',');
    let (name, group, place) = (cells.next()?, cells.next()?, cells.next()?);
    let place = match place {
        "" => Place::Computed,
        "R1" => Place::Stack,
        _ if place.starts_with("SR_") => Place::Special(special::number(place)?),
        _ => match place.rsplit_once('.').map(|(word, index)| (word, index.parse())) {
            Some((word, Ok(index))) => Place::Word(word, index),
            _ => Place::Word(place, 0),
        },
    };
    Some(Reserved { name, group, place })
}

/// Byte offset of a word of constant bank 0, where the chip has it.
fn offset(chip: Chip, word: &str, index: usize) -> Option<u32> {
    let bank = chip.bank();
    match word {
        "block_size" => bank.block_size.get(index).copied(),
        "grid_size" => bank.grid_size.get(index).copied(),
        "environment" => Some(bank.environment_word(index as u8)),
        "cluster.blocks" => bank.cluster.map(|cluster| cluster.blocks),
        "cluster.explicit" => bank.cluster.map(|cluster| cluster.explicit),
        "cluster.size" => bank.cluster.and_then(|cluster| cluster.size.get(index).copied()),
        "cluster.count" => bank.cluster.and_then(|cluster| cluster.count.get(index).copied()),
        _ => None,
    }
}

/// The words of constant bank 0 that an instruction reads at a place that is known, as first byte and number of bytes.
fn words(inst: &Inst) -> impl Iterator<Item = (u64, u64)> {
    let fields = inst.row().fields.iter().enumerate();
    let operand = fields.clone().filter_map(|(at, field)| {
        let bank = inst.get(&format!("{}.bank", field.name)).unwrap_or(0);
        let constant = matches!(field.kind, FieldKind::ConstantOffset { .. }) && bank == 0 && inst.shows(at);
        constant.then(|| (inst.fields[at], 8))
    });
    let load = (inst.row().meaning == Meaning::Ldc && inst.get("bank") == Some(0)).then(|| {
        let units = inst.row().field("d").map_or(1, |d| inst.units(d));
        (inst.get("o").unwrap_or(0), 4 * u64::from(units))
    });
    operand.chain(load).collect::<Vec<_>>().into_iter()
}

/// The reserved registers that an instruction reads.
pub fn read(f: &Function, inst: &MInst) -> Vec<&'static Reserved> {
    let Some(real) = inst.inst() else { return Vec::new() };
    let fields = real.row().fields.iter().zip(&real.fields);
    let special: Vec<u64> = fields
        .filter(|(f, _)| matches!(f.kind, FieldKind::Special { .. }))
        .map(|(_, &value)| value)
        .collect();
    let words: Vec<(u64, u64)> = words(real).collect();
    let stack = f.frame.size() > 0
        && inst.uses().any(|read| read.class == RegClass::R && read.reg.to_field() == STACK_POINTER);
    let reads = |row: &&Reserved| match row.place {
        Place::Special(number) => special.contains(&number),
        Place::Word(word, index) => offset(f.chip, word, index).is_some_and(|at| {
            words.iter().any(|&(from, bytes)| (from..from + bytes).contains(&u64::from(at)))
        }),
        Place::Stack => stack,
        Place::Computed => false,
    };
    reserved().iter().filter(reads).collect()
}

/// The stack pointer's number.
const STACK_POINTER: u64 = 1;

/// The reserved registers that are live into a tail: nothing writes them, so all that it reads.
pub fn live_into<'a>(f: &'a Function, tail: &'a [MInst]) -> impl Iterator<Item = &'static Reserved> + 'a {
    tail.iter().flat_map(|inst| read(f, inst))
}

/// computeLiveIns: the registers that instructions read before they write them, reserved ones left out, in order.
pub fn live_ins(f: &Function, insts: &[MInst]) -> Vec<(RegClass, u64)> {
    let mut written: FxHashSet<(RegClass, u64)> = FxHashSet::default();
    let mut live: Vec<(RegClass, u64)> = Vec::new();
    for inst in insts {
        for access in [Access::Read, Access::Write] {
            for operand in inst.operands().into_iter().filter(|operand| operand.access == access) {
                let first = operand.reg.to_field();
                for unit in (first..first + u64::from(operand.units)).map(|unit| (operand.class, unit)) {
                    if access == Access::Write {
                        // Lanes that the guard leaves out keep what they had.
                        if inst.inst().is_some_and(|real| real.guard.is_always()) {
                            written.insert(unit);
                        }
                    } else if !written.contains(&unit) {
                        live.push(unit);
                    }
                }
            }
        }
    }
    let stack = (RegClass::R, STACK_POINTER);
    live.retain(|&unit| unit != stack || f.frame.size() == 0);
    live.sort_unstable();
    live.dedup();
    live
}
