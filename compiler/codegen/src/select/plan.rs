//! Which operations become instructions, and by which row.

use super::Error;
use super::matcher::{Binding, Bindings, Match, match_row};
use sassafras_chip::Chip;
use sassafras_graph::{SecondaryMap, order};
use sassafras_ir::{Block, Function, Inst, InstData, Op, Value, ValueDef};
use sassafras_rules::select::attribute::{REDUCE, suffix as suffix_of};
use sassafras_rules::select::{Row, Rules};
use sassafras_semantics::{AtomicOp, Space};

/// What happens to an operation.
#[derive(Clone, Debug, Default)]
pub enum Fate {
    /// Nobody needs it, or it is part of another's row.
    #[default]
    Nothing,
    /// Its row is emitted in its place.
    Row(&'static Row, Bindings),
    /// It is emitted by code: constants of the launch, special registers, addresses.
    Code,
    /// Its result is this word of its argument's register: nothing is emitted.
    Word(u8),
}

/// A decision for every operation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Blocks that are reached, in reverse post-order.
    pub order: Vec<Block>,
    /// Fates.
    pub fates: SecondaryMap<Inst, Fate>,
    /// Values that must be in a register.
    pub needed: SecondaryMap<Value, bool>,
}

/// What matching may ask about a function.
pub struct Context<'f> {
    /// The function.
    pub function: &'f Function,
    /// The chip that the code is for.
    pub chip: Chip,
    /// Number of uses of each value.
    pub uses: SecondaryMap<Value, u32>,
    /// Block in which each instruction stands.
    pub block: SecondaryMap<Inst, Option<Block>>,
}

/// Decides, from uses to definitions, what is needed and which row it becomes.
pub fn plan(function: &Function, chip: Chip) -> Result<Plan, Error> {
    let order = order::reverse_post_order(function);
    let mut context =
        Context { function, chip, uses: SecondaryMap::new(), block: SecondaryMap::with_default(None) };
    for &b in &order {
        let data = &function.blocks[b];
        for &i in &data.insts {
            context.block[i] = Some(b);
            let inst = &function.insts[i];
            inst.args.iter().for_each(|&v| context.uses[v] += 1);
            inst.guard.iter().for_each(|g| context.uses[g.value] += 1);
        }
        data.terminator.for_each_use(|v| context.uses[v] += 1);
    }
    let mut needed: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut fates: SecondaryMap<Inst, Fate> = SecondaryMap::new();
    for &b in order.iter().rev() {
        let data = &function.blocks[b];
        data.terminator.for_each_use(|v| need(&context, &mut needed, v));
        for &i in data.insts.iter().rev() {
            let inst = &function.insts[i];
            if !inst.op.has_effect() && !inst.results.iter().any(|&r| needed[r]) {
                continue;
            }
            if let Some(g) = inst.guard {
                need(&context, &mut needed, g.value);
            }
            inst.kept().iter().for_each(|&v| need(&context, &mut needed, v));
            fates[i] = match inst.op {
                Op::Load(a) if a.space == Space::Const && a.bytes * a.lanes > 8 => {
                    need(&context, &mut needed, inst.args[0]);
                    Fate::Code
                }
                Op::Opaque(op) if op.head() == "wgmma" => {
                    // What is not kept is not read.
                    let kept = super::warpgroup::kept(function, inst);
                    inst.args.iter().skip(kept).for_each(|&v| need(&context, &mut needed, v));
                    Fate::Code
                }
                Op::Opaque(op) if super::tensor::is_own(op) => {
                    inst.args.iter().for_each(|&v| need(&context, &mut needed, v));
                    Fate::Code
                }
                Op::SystemCall(_) | Op::Routine(..) => {
                    inst.args.iter().for_each(|&v| need(&context, &mut needed, v));
                    Fate::Code
                }
                Op::Truncate | Op::Extract(_) if word(function, inst).is_some() => {
                    need(&context, &mut needed, inst.args[0]);
                    Fate::Word(word(function, inst).unwrap_or(0))
                }
                Op::Const(_) | Op::Undef | Op::Param { .. } | Op::Special(_) | Op::Address(..) => Fate::Code,
                _ => {
                    let m = choose(&context, i, &needed)?;
                    m.bindings.values.iter().for_each(|(_, b)| match b {
                        Binding::Register { value, .. } => need(&context, &mut needed, *value),
                        Binding::Immediate(_) | Binding::Bank { .. } => {}
                    });
                    // Few rows read the member mask; `WARPSYNC` does. Constants are made where they are asked for.
                    let asked =
                        |v: &&Value| matches!(inst.op, Op::Shuffle(_)) || function.constant(**v).is_none();
                    member_mask(inst).iter().filter(asked).for_each(|&v| need(&context, &mut needed, v));
                    // What a row takes as `args` is not bound by name.
                    if m.takes_args {
                        inst.args.iter().skip(1).for_each(|&v| need(&context, &mut needed, v));
                    }
                    Fate::Row(m.row, m.bindings)
                }
            };
        }
    }
    Ok(Plan { order, fates, needed })
}

/// Which word of a wider value an operation takes, if it takes one as it is.
fn word(f: &Function, inst: &InstData) -> Option<u8> {
    let low = match inst.op {
        Op::Truncate => 0,
        Op::Extract(low) => low,
        _ => return None,
    };
    let whole = f.ty(inst.results[0]).bits() == 32 && f.ty(inst.args[0]).bits() > 32 && low % 32 == 0;
    // Where a guard is false the result is another.
    let words = whole && inst.guard.is_none();
    words.then_some(low / 32)
}

/// The mask of the lanes that a cross-lane operation waits for.
pub fn member_mask(inst: &InstData) -> Option<Value> {
    match inst.op {
        Op::Shuffle(_) => Some(inst.args[3]),
        Op::Vote(_) | Op::Match { .. } | Op::Redux(_) => Some(inst.args[1]),
        Op::Elect => Some(inst.args[0]),
        _ => None,
    }
}

/// Marks what must be in a register: a predicate's complement is read from the predicate itself.
fn need(context: &Context<'_>, needed: &mut SecondaryMap<Value, bool>, value: Value) {
    needed[peel(context.function, value).0] = true;
}

/// A predicate without its complements, and whether their number is odd.
pub fn peel(function: &Function, mut value: Value) -> (Value, bool) {
    let mut negate = false;
    if function.values[value].ty.bits() != 1 {
        return (value, negate);
    }
    while let ValueDef::Result(inst, _) = function.values[value].def
        && function.insts[inst].op == Op::Not
    {
        value = function.insts[inst].args[0];
        negate = !negate;
    }
    (value, negate)
}

fn choose(context: &Context<'_>, inst: Inst, needed: &SecondaryMap<Value, bool>) -> Result<Match, Error> {
    let data = &context.function.insts[inst];
    let head = match &data.op {
        // Nobody reads the old value: a reduction, which gives none.
        Op::Atomic { op, access }
            if access.space == Space::Global
                && !matches!(op, AtomicOp::Cas | AtomicOp::Exch)
                && !data.results.iter().any(|&r| needed[r]) =>
        {
            REDUCE
        }
        op => op.head(),
    };
    let own = suffix(context.function, inst);
    Rules::get()
        .candidates_on(head, context.chip)
        .iter()
        .find_map(|row| match_row(context, row, inst, &own))
        .ok_or_else(|| Error::NoRule { line: data.line, operation: describe(context.function, inst) })
}

/// An operation with its suffix, as rows name it, and all it carries.
pub fn describe(function: &Function, inst: Inst) -> String {
    let data = &function.insts[inst];
    format!("{}.{} ({:?})", data.op.head(), suffix(function, inst), data.op)
}

/// The suffix of an operation: its float format, or the width that rows go by.
pub fn suffix(function: &Function, inst: Inst) -> String {
    let data = &function.insts[inst];
    let widths =
        |values: &[Value]| -> Vec<u32> { values.iter().map(|&v| function.values[v].ty.bits()).collect() };
    suffix_of(&data.op, &widths(data.taken()), &widths(&data.results))
}
