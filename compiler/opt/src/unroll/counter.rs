//! The counter of a loop, and a test that holds for several turns at once.

use sassafras_ir::{Block, Compare, Function, Op, Terminator, Type, Value, ValueDef};
use std::collections::BTreeSet;

/// A loop goes on while `tested compare bound` holds, where `tested` is a parameter of its header plus `offset`, and the next turn
/// gets the parameter plus `step`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    /// Position of the parameter in the header.
    pub index: usize,
    /// Its width.
    pub ty: Type,
    /// Added in each turn, signed.
    pub step: i128,
    /// What the test sees more than the parameter, signed.
    pub offset: i128,
    /// Holds where the loop goes on.
    pub compare: Compare,
    /// What is compared.
    pub tested: Value,
    /// With what: a constant, or a value from outside.
    pub bound: Value,
}

/// The counter of the loop with this header and latch; the edge at `back` of the latch is the one that goes on.
pub(super) fn counter(
    f: &Function,
    blocks: &BTreeSet<Block>,
    header: Block,
    latch: Block,
    back: usize,
) -> Option<Counter> {
    let Terminator::Branch { condition, .. } = f.blocks[latch].terminator else { return None };
    let mut goes_on = back == 0;
    let mut data = &f.insts[f.def(condition)?];
    while data.op == Op::Not {
        goes_on = !goes_on;
        data = &f.insts[f.def(data.args[0])?];
    }
    let Op::Compare(compare) = data.op else { return None };
    let compare = if goes_on { compare } else { negated(compare) };
    let (a, b) = (data.args[0], data.args[1]);
    let outside = |value: Value| match f.values[value].def {
        ValueDef::Param(block, _) => !blocks.contains(&block),
        ValueDef::Result(inst, _) => {
            f.constant(value).is_some() || !blocks.iter().any(|&block| f.blocks[block].insts.contains(&inst))
        }
    };
    [(a, b, compare), (b, a, swapped(compare))].into_iter().find_map(|(tested, bound, compare)| {
        let (param, offset) = sum(f, tested);
        let index = f.blocks[header].params.iter().position(|&p| p == param)?;
        let next = f.blocks[latch].terminator.edges()[back].args[index];
        let (from, step) = sum(f, next);
        let fits = from == param && outside(bound) && matches!(f.ty(param), Type::I32 | Type::I64);
        fits.then(|| Counter { index, ty: f.ty(param), step, offset, compare, tested, bound })
    })
}

/// A value as another plus a constant, which is signed.
fn sum(f: &Function, value: Value) -> (Value, i128) {
    let (mut at, mut all) = (value, 0u128);
    while let Some(inst) = f.def(at) {
        let data = &f.insts[inst];
        let (next, more) = match data.op {
            Op::Add => match (f.constant(data.args[0]), f.constant(data.args[1])) {
                (_, Some(c)) => (data.args[0], c),
                (Some(c), None) => (data.args[1], c),
                _ => break,
            },
            Op::Sub => match f.constant(data.args[1]) {
                Some(c) => (data.args[0], c.wrapping_neg()),
                None => break,
            },
            _ => break,
        };
        (at, all) = (next, all.wrapping_add(more));
    }
    let spare = 128 - f.ty(value).bits();
    (at, (all << spare) as i128 >> spare)
}

/// Holds where the other does not.
fn negated(compare: Compare) -> Compare {
    use Compare::*;
    match compare {
        Eq => Ne,
        Ne => Eq,
        ULt => UGe,
        ULe => UGt,
        UGt => ULe,
        UGe => ULt,
        SLt => SGe,
        SLe => SGt,
        SGt => SLe,
        SGe => SLt,
    }
}

/// The same with the operands exchanged.
fn swapped(compare: Compare) -> Compare {
    use Compare::*;
    match compare {
        Eq => Eq,
        Ne => Ne,
        ULt => UGt,
        ULe => UGe,
        UGt => ULt,
        UGe => ULe,
        SLt => SGt,
        SLe => SGe,
        SGt => SLt,
        SGe => SLe,
    }
}

/// A test of the parameter at the begin of a turn that implies that the tests behind this turn and those after it hold, all but that of
/// the last of so many turns. Where it does not hold nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// `p compare limit`, where the limit is the bound, brought into a range by `clamp`, plus `added`.
    Ordered { compare: Compare, clamp: Option<(Op, i128)>, added: i128 },
    /// `p` is not the limit, which is so many turns of `long` away as there are.
    Whole { up: bool, long: i128, added: i128 },
}

impl Ahead {
    /// The test for so many turns; none if there is none.
    ///
    /// Let `r = (turns - 2) * step + offset`: the last of the tests sees `p + r`. Going up, `offset >= 0`, so all tests see what is between
    /// `p` and `p + r`, if that does not overflow.
    /// - `p < max(b, MIN + r) - r`: the difference does not overflow. Were `MIN + r` the larger, it were `p < MIN`, which never holds. So
    ///   `p + r < b`, without overflow, and every test before sees less.
    /// - `<=` holds if `p + (r - 1) < b` does, which is the same with `r - 1`. Where `r` is 0 it is the test itself.
    /// - Downwards it is mirrored: `p > min(b, MAX + r) - r`, where `r` is negative.
    /// - `!=`: test `j` fails if the distance `b - offset - p`, counted in the step's direction and unsigned, is `j * |step|`. What is left to count is
    ///   one step more, and the limit is `p` and of that the whole multiples of `turns * |step|`, a power of two. Whoever is not at the limit has
    ///   at least one of these before it, so that the distance is at least `(turns - 1) * |step|`, more than for all tests but the last. Where
    ///   the count overflows it is 0, and there are no long turns.
    pub fn of(counter: &Counter, turns: u32) -> Option<Ahead> {
        use Compare::*;
        let Counter { step, offset, compare, ty, .. } = *counter;
        let bits = ty.bits();
        let last = i128::from(turns - 2) * step;
        let reach = last + offset;
        let (signed, up, strict) = match compare {
            ULt => (false, true, true),
            ULe => (false, true, false),
            UGt => (false, false, true),
            UGe => (false, false, false),
            SLt => (true, true, true),
            SLe => (true, true, false),
            SGt => (true, false, true),
            SGe => (true, false, false),
            Ne => {
                let long = i128::from(turns) * step.abs();
                let fits = step != 0 && (long as u128).is_power_of_two() && long < 1 << (bits - 1);
                let added = step.abs() - offset * step.signum();
                return fits.then_some(Ahead::Whole { up: step > 0, long, added });
            }
            Eq => return None,
        };
        let onward = |n: i128| if up { n >= 0 } else { n <= 0 };
        if step == 0 || !onward(step) || !onward(offset) || reach.abs() >= 1 << (bits - 2) {
            return None;
        }
        if reach == 0 {
            return Some(Ahead::Ordered { compare, clamp: None, added: 0 });
        }
        let reach = if strict { reach } else { reach - reach.signum() };
        let compare = match (signed, up) {
            (false, true) => ULt,
            (false, false) => UGt,
            (true, true) => SLt,
            (true, false) => SGt,
        };
        let least = if signed { -(1 << (bits - 1)) } else { 0 };
        let clamp = match up {
            true => (Op::Max { signed }, least + reach),
            false => (Op::Min { signed }, least + (1 << bits) - 1 + reach),
        };
        Some(Ahead::Ordered { compare, clamp: (reach != 0).then_some(clamp), added: -reach })
    }

    /// Whether the test also implies, of the parameter that the turn before made, that the last test of that turn held.
    ///
    /// That test saw `p - step + offset`. If that is `p` or further, it is among what the next tests see. If it is before `p`, the step to `p` may
    /// have overflowed: a loop that goes down to 0 makes the largest number behind its last turn. What is not at the limit of `!=` has long
    /// turns before it, so the count goes on.
    pub fn covers_last(&self, counter: &Counter) -> bool {
        match self {
            Ahead::Ordered { .. } => counter.offset.abs() >= counter.step.abs(),
            Ahead::Whole { .. } => true,
        }
    }

    /// The limit, which is the same in all turns. `param`: what the parameter is before the first.
    pub fn limit<M: Maker>(&self, make: &mut M, bound: M::Value, param: M::Value) -> M::Value {
        match *self {
            Ahead::Ordered { clamp, added, .. } => {
                let mut limit = bound;
                if let Some((op, constant)) = clamp {
                    let constant = make.constant(constant as u128);
                    limit = make.two(op, limit, constant);
                }
                plus(make, limit, added)
            }
            Ahead::Whole { up, long, added } => {
                let distance = match up {
                    true => make.two(Op::Sub, bound, param),
                    false => make.two(Op::Sub, param, bound),
                };
                let left = plus(make, distance, added);
                let mask = make.constant(-long as u128);
                let whole = make.two(Op::And, left, mask);
                make.two(if up { Op::Add } else { Op::Sub }, param, whole)
            }
        }
    }

    /// The test.
    pub fn test<M: Maker>(&self, make: &mut M, param: M::Value, limit: M::Value) -> M::Value {
        match *self {
            Ahead::Ordered { compare, .. } => make.two(Op::Compare(compare), param, limit),
            Ahead::Whole { .. } => make.two(Op::Compare(Compare::Ne), param, limit),
        }
    }
}

/// A value plus a constant.
fn plus<M: Maker>(make: &mut M, value: M::Value, constant: i128) -> M::Value {
    match constant {
        0 => value,
        _ => {
            let constant = make.constant(constant as u128);
            make.two(Op::Add, value, constant)
        }
    }
}

/// What makes values: instructions in a block, or bits in tests.
pub(super) trait Maker {
    /// A value.
    type Value: Copy;
    /// A constant as wide as the counter, from its lowest bits.
    fn constant(&mut self, bits: u128) -> Self::Value;
    /// The result of an operation of two values.
    fn two(&mut self, op: Op, a: Self::Value, b: Self::Value) -> Self::Value;
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
