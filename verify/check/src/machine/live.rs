//! What is live into the entry: registers that some path reads before it writes them.
//!
//! A kernel finds nothing in its registers: it fetches the stack pointer, descriptors and parameters from constant memory. A program
//! may read what it leaves undefined; so this is judged of the registers that are the compiler's own: the stack pointer, uniform
//! registers and predicates, and convergence barriers.

use super::instruction::always;
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_isa::{Access, RegClass};
use sassafras_machine::{Block, Function, Position, Reg};

type Register = (RegClass, u16);

/// Judges the registers that are live into the entry.
pub(super) fn check(f: &Function, report: &mut Report) {
    // The compiler's own: what else is read is not followed.
    let own = |register: Register| match register {
        (RegClass::R, 1) => f.frame.size() > 0,
        (RegClass::UR | RegClass::UP | RegClass::B, _) => true,
        _ => false,
    };
    // By block: what is read before it is surely written; what is written.
    let mut preds: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    let mut written: FxHashMap<Block, FxHashSet<Register>> = FxHashMap::default();
    let mut work: Vec<(Register, Block, Block, usize)> = Vec::new();
    for &block in &f.layout {
        f.blocks[block].succs.iter().for_each(|edge| preds.entry(edge.block).or_default().push(block));
        let done = written.entry(block).or_default();
        for (index, inst) in f.blocks[block].insts.iter().enumerate() {
            let each = |access: Access| {
                let operands = inst.operands().into_iter().filter(move |operand| operand.access == access);
                // The old value under a guard may be any.
                let operands = operands.filter(|operand| !matches!(operand.position, Position::Tied(_)));
                operands.flat_map(|operand| {
                    let first = match operand.reg {
                        Reg::Physical(number) => Some(number),
                        Reg::Virtual(..) => None,
                    };
                    let units = 0..u16::from(operand.units);
                    first
                        .into_iter()
                        .flat_map(move |first| units.clone().map(move |unit| (operand.class, first + unit)))
                        .filter(move |&register| own(register))
                })
            };
            for register in each(Access::Read) {
                if !done.contains(&register) {
                    work.push((register, block, block, index));
                }
            }
            if always(inst) {
                done.extend(each(Access::Write));
            }
        }
    }
    let mut live: FxHashSet<(Register, Block)> = FxHashSet::default();
    let mut said: FxHashSet<Register> = FxHashSet::default();
    while let Some((register, block, reader, index)) = work.pop() {
        if !live.insert((register, block)) {
            continue;
        }
        if block == f.entry && said.insert(register) {
            let name = format!("{}{}", register.0.prefix(), register.1);
            let what = format!("{name} is read on a way from the entry that does not write it");
            report.add(Rule::MachineLiveIn, format!("{reader}, instruction {index}"), what);
        }
        for &pred in preds.get(&block).into_iter().flatten() {
            if !written[&pred].contains(&register) {
                work.push((register, pred, reader, index));
            }
        }
    }
}
