//! Value numbering.

use crate::Stats;
use rustc_hash::FxHashMap;
use sassafras_graph::{Dominators, SecondaryMap};
use sassafras_ir::{Block, Function, Op, Type, Value};
use smallvec::SmallVec;

type Key = (Op, SmallVec<[Value; 4]>, SmallVec<[Type; 2]>);

/// Replaces a pure instruction by an equal one that dominates it: parameters, special registers that do not change, constants,
/// arithmetic.
///
/// Does not touch memory, convergent operations, clocks or undefined values. Needs SSA. Preserves the graph; what becomes unused
/// stays for [`crate::dead`].
pub fn number(function: &mut Function) -> Stats {
    let dominators = Dominators::new(&function.graph());
    let mut known: FxHashMap<Key, Vec<(Block, SmallVec<[Value; 2]>)>> = FxHashMap::default();
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changes = 0;
    // Reverse post-order: a definition is seen before the uses that it dominates.
    for block in function.reverse_post_order() {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            let mut args = function.insts[inst].args.clone();
            for v in &mut args {
                while let Some(next) = map[*v] {
                    *v = next;
                }
            }
            let data = &mut function.insts[inst];
            data.args = args;
            if !pure(&data.op) || data.results.is_empty() {
                continue;
            }
            let results = data.results.clone();
            let mut args = data.args.clone();
            if commutes(&data.op) {
                args[..2].sort();
            }
            let op = data.op;
            let types = results.iter().map(|&v| function.ty(v)).collect();
            let list = known.entry((op, args, types)).or_default();
            match list.iter().find(|(from, _)| dominators.dominates(*from, block)) {
                Some((_, old)) => {
                    for (&new, &old) in results.iter().zip(old) {
                        map[new] = Some(old);
                    }
                    changes += 1;
                }
                None => list.push((block, results)),
            }
        }
    }
    if changes != 0 {
        function.replace_all(&map);
    }
    Stats::new(changes)
}

fn commutes(op: &Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Mul
            | Op::MulHigh { .. }
            | Op::MulWide { .. }
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Min { .. }
            | Op::Max { .. }
    )
}

/// Whether two instructions with equal operation and arguments give equal results wherever they stand.
pub fn pure(op: &Op) -> bool {
    use sassafras_semantics::SpecialRegister as S;
    match op {
        Op::Undef => false,
        Op::Special(register) => !matches!(
            register,
            S::Clock
                | S::ClockHi
                | S::Clock64
                | S::GlobalTimer
                | S::GlobalTimerLo
                | S::GlobalTimerHi
                | S::SmId
                | S::WarpId
                | S::Pm(_)
        ),
        Op::Load(_) => false,
        op => !op.has_effect(),
    }
}
