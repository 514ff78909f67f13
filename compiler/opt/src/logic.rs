//! Logic of three operands.

use crate::Stats;
use crate::products::both_words;
use sassafras_ir::{Compare, Function, Inst, Op, Type, Uses, Value};
use smallvec::SmallVec;

/// Operands of a function of bits, and its values: bit `4a + 2b + c` of the table is what it is for those bits of the operands, as
/// [`Op::Lop3`] has it.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    operands: SmallVec<[Value; 3]>,
    table: u8,
}

/// The table of an operand by its place.
const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Joins operations on the bits of 32-bit words into one of three operands, where the inner ones have no other use. Asks then of a result whether any of its
/// bits is set, and not whether none is: the instruction that makes it answers the former, and who reads a predicate takes its complement for nothing.
///
/// Both words of a product become those of one instruction.
///
/// Does not join operations on predicates. Needs SSA; preserves the graph; what becomes unused stays for [`crate::dead`].
pub fn logic(function: &mut Function) -> Stats {
    let mut changes = 0;
    let mut uses = Uses::new(function);
    for block in function.reverse_post_order() {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            let Some((joined, inner)) = join(function, &uses, inst) else { continue };
            let joined = arranged(function, joined);
            set(function, inst, &joined);
            changes += inner;
        }
        // Uses within what is joined moved, which only makes the counts too large.
        if changes != 0 && function.blocks[block].insts.len() < 4096 {
            uses = Uses::new(function);
        }
    }
    Stats::new(changes + ask_for_some(function) + both_words(function))
}

/// Asks of what logic makes whether any bit is set, in the place of whether none is; how often.
fn ask_for_some(function: &mut Function) -> usize {
    let uses = Uses::new(function);
    let mut changes = 0;
    for block in function.reverse_post_order() {
        for inst in function.blocks[block].insts.clone() {
            if !asks_for_none(function, &uses, inst) {
                continue;
            }
            let at = function.blocks[block].insts.iter().position(|&other| other == inst).unwrap_or(0);
            let (args, line) = (function.insts[inst].args.to_vec(), function.insts[inst].line);
            let some = function.insert(block, at, Op::Compare(Compare::Ne), &args, &[Type::I1], line);
            let some = function.insts[some].results[0];
            function.insts[inst].op = Op::Not;
            function.insts[inst].args = [some].into_iter().collect();
            changes += 1;
        }
    }
    changes
}

/// Whether an instruction asks whether no bit is set of a word that logic makes for it alone.
fn asks_for_none(f: &Function, uses: &Uses, inst: Inst) -> bool {
    let data = &f.insts[inst];
    if data.op != Op::Compare(Compare::Eq) || data.guard.is_some() || f.constant(data.args[1]) != Some(0) {
        return false;
    }
    let value = data.args[0];
    let logic = || {
        let inner = f.def(value).map(|inst| &f.insts[inst]);
        inner.is_some_and(|inner| matches!(inner.op, Op::And | Op::Or | Op::Lop3(_)) && inner.guard.is_none())
    };
    f.ty(value) == Type::I32 && uses.count(value) == 1 && logic()
}

/// The instruction as a function of its arguments; `None` if it is none of 32-bit words.
fn table(f: &Function, inst: Inst) -> Option<Table> {
    let data = &f.insts[inst];
    let word = matches!(data.results[..], [result] if f.ty(result) == Type::I32) && data.guard.is_none();
    let [a, b, _] = OPERANDS;
    let table = match data.op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::Lop3(table) => table,
        _ => return None,
    };
    word.then(|| Table { operands: data.args.iter().copied().collect(), table })
}

/// An instruction with those of its operands that are joined into it; how many there are.
fn join(f: &Function, uses: &Uses, inst: Inst) -> Option<(Table, usize)> {
    let mut outer = table(f, inst)?;
    let mut joined = 0;
    loop {
        let next = (0..outer.operands.len()).find_map(|place| {
            let value = outer.operands[place];
            let inner = table(f, f.def(value)?)?;
            let alone = uses.count(value) == 1;
            // A complement costs nothing within a table.
            let free = inner.operands.len() == 1;
            if !alone && !free {
                return None;
            }
            compose(&outer, place, &inner)
        });
        match next {
            Some(more) => outer = more,
            None => return (joined > 0).then_some((outer, joined)),
        }
        joined += 1;
    }
}

/// The function whose operand at `place` is another function, if it has three operands at most.
fn compose(outer: &Table, place: usize, inner: &Table) -> Option<Table> {
    let mut operands: SmallVec<[Value; 3]> = SmallVec::new();
    let rest = outer.operands.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, v)| *v);
    for value in rest.chain(inner.operands.iter().copied()) {
        if !operands.contains(&value) {
            operands.push(value);
        }
    }
    if operands.len() > 3 {
        return None;
    }
    let index = |value: &Value| operands.iter().position(|v| v == value);
    let mut table = 0;
    for row in 0..8u8 {
        // The bit of each operand in this row, and the row of another function for those.
        let bit = |value: &Value| index(value).is_some_and(|i| OPERANDS[i] >> row & 1 == 1);
        let of = |f: &Table, bits: &[bool]| {
            let chosen = (0..8u8).find(|&r| bits.iter().zip(OPERANDS).all(|(&b, o)| (o >> r & 1 == 1) == b));
            chosen.is_some_and(|r| f.table >> r & 1 == 1)
        };
        let within: SmallVec<[bool; 3]> = inner.operands.iter().map(bit).collect();
        let within = of(inner, &within);
        let bits: SmallVec<[bool; 3]> = outer
            .operands
            .iter()
            .enumerate()
            .map(|(i, v)| if i == place { within } else { bit(v) })
            .collect();
        table |= u8::from(of(outer, &bits)) << row;
    }
    Some(Table { operands, table })
}

/// The same function with a constant, or else a kernel parameter, as its second operand: the one that instructions have in themselves.
fn arranged(f: &Function, new: Table) -> Table {
    let rank = |v: &Value| match f.def_op(*v) {
        Some(Op::Const(_)) => 0,
        Some(Op::Param { .. }) => 1,
        _ => 2,
    };
    let best = (0..new.operands.len()).min_by_key(|&i| (rank(&new.operands[i]), i != 1));
    let Some(place) = best.filter(|&i| i != 1 && new.operands.len() > 1 && rank(&new.operands[i]) < 2) else {
        return new;
    };
    let mut operands = new.operands.clone();
    operands.swap(place, 1);
    let bit = |row: u8, i: usize| OPERANDS[i] >> row & 1;
    let swapped = |row: u8| {
        let at = |i: usize| {
            if i == place {
                1
            } else if i == 1 {
                place
            } else {
                i
            }
        };
        (0..8u8).find(|&r| (0..3).all(|i| bit(r, i) == bit(row, at(i)))).unwrap_or(row)
    };
    let table = (0..8u8).map(|row| (new.table >> swapped(row) & 1) << row).sum();
    Table { operands, table }
}

/// Writes a function in an instruction's place: as an operation of two operands where it is one.
fn set(f: &mut Function, inst: Inst, new: &Table) {
    let [a, b, _] = OPERANDS;
    let data = &mut f.insts[inst];
    let op = match (new.operands.len(), new.table) {
        (1, t) if t == !a => Op::Not,
        (2, t) if t == a & b => Op::And,
        (2, t) if t == a | b => Op::Or,
        (2, t) if t == a ^ b => Op::Xor,
        (_, t) => Op::Lop3(t),
    };
    data.args = new.operands.iter().copied().collect();
    if let Op::Lop3(_) = op {
        // What the table does not look at may be anything; a constant would take a register.
        let first = data.args[0];
        data.args.resize(3, first);
    }
    data.op = op;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> [Value; 4] {
        [0, 1, 2, 3].map(sassafras_graph::Entity::from_index)
    }

    fn of(operands: &[Value], table: u8) -> Table {
        Table { operands: operands.iter().copied().collect(), table }
    }

    /// The value of a function for bits of the values by their index.
    fn value(f: &Table, bits: [bool; 4]) -> bool {
        let all = values();
        let bit = |v: &Value| bits[all.iter().position(|x| x == v).expect("one of four")];
        let row =
            (0..8u8).find(|&r| f.operands.iter().zip(OPERANDS).all(|(v, o)| (o >> r & 1 == 1) == bit(v)));
        f.table >> row.expect("a row") & 1 == 1
    }

    /// Every pair of functions of two operands, in each place, over every choice of shared operands.
    #[test]
    fn composed_tables_are_the_functions_of_functions() {
        let all = values();
        let mut tried = 0;
        for (outer, place) in [([0, 1], 0), ([0, 1], 1), ([1, 1], 0)] {
            for inner in [[1, 2], [2, 1], [2, 3], [1, 1], [0, 2]] {
                for (x, y) in
                    (0..=255u8).step_by(7).flat_map(|x| (0..=255u8).step_by(11).map(move |y| (x, y)))
                {
                    let outer = of(&outer.map(|i: usize| all[i]), x);
                    let inner = of(&inner.map(|i: usize| all[i]), y);
                    let Some(both) = compose(&outer, place, &inner) else { continue };
                    for n in 0..16u8 {
                        let mut bits = [0, 1, 2, 3].map(|i| n >> i & 1 == 1);
                        let is = value(&both, bits);
                        // The place holds what the inner function gives, whatever else that operand is elsewhere.
                        let within = value(&inner, bits);
                        let at: Vec<bool> = (0..2)
                            .map(|i| {
                                if i == place {
                                    within
                                } else {
                                    bits[all.iter().position(|v| *v == outer.operands[i]).expect("one")]
                                }
                            })
                            .collect();
                        let row =
                            (0..8u8).find(|&r| at.iter().zip(OPERANDS).all(|(&b, o)| (o >> r & 1 == 1) == b));
                        assert_eq!(
                            is,
                            outer.table >> row.expect("a row") & 1 == 1,
                            "{outer:?} {place} {inner:?} {n}"
                        );
                        bits[0] = !bits[0];
                        tried += 1;
                    }
                }
            }
        }
        assert!(tried > 100_000, "{tried}");
    }
}
