//! Whether a row's pattern matches an operation, and what its names then stand for.

use super::plan::{Context, peel, suffix};
use sassafras_ir::{Function, Inst, Op, Value, ValueDef};
use sassafras_rules::select::attribute::{Attribute, REDUCE, attribute};
use sassafras_rules::select::{Action, Arg, Condition, Kinds, Pattern, Row, Value as Term};
use sassafras_semantics::{Ordering, Space};

/// What a name of a row stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binding {
    /// A value in a register, with the modifiers that were taken into the operand.
    Register {
        /// The value, without them.
        value: Value,
        /// Negated (a predicate: complemented).
        negate: bool,
        /// Absolute value, taken before the negation.
        absolute: bool,
    },
    /// A half of a register.
    Half {
        /// The value of 32 bits, or of 16 in the lower half of its register.
        value: Value,
        /// The upper half.
        high: bool,
        /// Negated.
        negate: bool,
        /// Absolute value, taken before the negation.
        absolute: bool,
    },
    /// The bits of a constant.
    Immediate(u128),
    /// Bytes of a constant bank.
    Bank {
        /// 0 for kernel parameters, 3 for the module's constant variables.
        bank: u8,
        /// Byte offset in the parameter block, or in bank 3.
        offset: u32,
        /// Negated.
        negate: bool,
        /// Absolute value, taken before the negation.
        absolute: bool,
    },
}

impl Binding {
    /// The letter that stands for it in a form's name.
    pub fn letter(&self) -> char {
        match self {
            Binding::Register { .. } | Binding::Half { .. } => 'r',
            Binding::Immediate(_) => 'i',
            Binding::Bank { .. } => 'c',
        }
    }
}

/// The names of a row with what they stand for.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Operands.
    pub values: Vec<(&'static str, Binding)>,
    /// Named nodes.
    pub nodes: Vec<(&'static str, Inst)>,
}

/// A row that matches.
pub struct Match {
    /// The row.
    pub row: &'static Row,
    /// What its names stand for.
    pub bindings: Bindings,
    /// Whether it takes all arguments behind the first as one register.
    pub takes_args: bool,
}

/// Matches a row at an operation with this suffix.
pub fn match_row(context: &Context<'_>, row: &'static Row, inst: Inst, own: &str) -> Option<Match> {
    let bindings = matches(context, &row.pattern, inst, Some(own), Bindings::default())?;
    let takes_args = row
        .actions
        .iter()
        .any(|a| matches!(a, Action::Emit(e) if e.fields.iter().any(|(_, v)| *v == Term::Args)));
    Some(Match { row, bindings, takes_args })
}

fn matches(
    context: &Context<'_>,
    pattern: &'static Pattern,
    inst: Inst,
    own: Option<&str>,
    mut bindings: Bindings,
) -> Option<Bindings> {
    let data = &context.function.insts[inst];
    // The suffix is a text to be made: that of the root is known, for all rows that are tried.
    let named =
        |wanted: &String| own.map_or_else(|| *wanted == suffix(context.function, inst), |own| own == wanted);
    let fits = (data.op.head() == pattern.head
        || (pattern.head == REDUCE && matches!(data.op, Op::Atomic { .. })))
        && data.taken().len() == pattern.args.len()
        && pattern.suffix.as_ref().is_none_or(named)
        && pattern.conditions.iter().all(|c| holds(&data.op, c));
    if !fits {
        return None;
    }
    if let Some(name) = &pattern.name {
        bindings.nodes.push((name, inst));
    }
    let order: Vec<Value> = data.taken().to_vec();
    if let Some(found) = match_args(context, &pattern.args, &order, inst, bindings.clone()) {
        return Some(found);
    }
    if data.op.commutes() && order.len() >= 2 {
        let mut swapped = order;
        swapped.swap(0, 1);
        return match_args(context, &pattern.args, &swapped, inst, bindings);
    }
    None
}

fn match_args(
    context: &Context<'_>,
    patterns: &'static [Arg],
    values: &[Value],
    user: Inst,
    mut bindings: Bindings,
) -> Option<Bindings> {
    for (pattern, &value) in patterns.iter().zip(values) {
        match pattern {
            Arg::Any => {}
            Arg::Integer(n) => {
                let width = context.function.values[value].ty.bits();
                let bits = constant(context, value)?;
                let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
                if bits & mask != *n as u128 & mask {
                    return None;
                }
            }
            Arg::Bind { name, kinds } => bindings.values.push((name, bind(context, *kinds, value)?)),
            Arg::Node(node) => {
                let ValueDef::Result(inner, 0) = context.function.values[value].def else { return None };
                let data = &context.function.insts[inner];
                // A handle of 64 bits whose upper half is zero costs nothing, wherever it is made and however often it is used.
                let handle = matches!(data.op, Op::ZeroExtend) && data.guard.is_none();
                let handle = handle && matches!(context.function.insts[user].op, Op::Opaque(_));
                let alone = context.uses[value] == 1
                    && context.block[inner] == context.block[user]
                    && !data.op.has_effect()
                    && !matches!(data.op, Op::Load(_));
                let foldable = alone || handle || summed(context, inner);
                if !foldable || data.results.iter().skip(1).any(|&r| context.uses[r] > 0) {
                    return None;
                }
                bindings = matches(context, node, inner, None, bindings)?;
            }
        }
    }
    Some(bindings)
}

fn constant(context: &Context<'_>, value: Value) -> Option<u128> {
    match context.function.values[value].def {
        ValueDef::Result(inst, 0) => match context.function.insts[inst].op {
            Op::Const(bits) => Some(bits),
            _ => None,
        },
        _ => None,
    }
}

fn bind(context: &Context<'_>, kinds: Kinds, value: Value) -> Option<Binding> {
    let function = context.function;
    if let Some(bits) = constant(context, value) {
        let width = function.values[value].ty.bits();
        let zero = bits == 0 && kinds.register;
        if !zero && kinds.immediate && width <= 64 && width > 1 {
            return Some(Binding::Immediate(bits));
        }
        if !zero && kinds.float64 && width == 64 && bits as u32 == 0 {
            return Some(Binding::Immediate(bits));
        }
        let small =
            kinds.byte && bits < 256 || kinds.shift && bits < 32 || kinds.count && (1..32).contains(&bits);
        if !zero && small {
            return Some(Binding::Immediate(bits));
        }
        return kinds.register.then_some(Binding::Register { value, negate: false, absolute: false });
    }
    let (mut value, mut negate, mut absolute) = (value, false, false);
    if kinds.modifiers {
        while let ValueDef::Result(inst, 0) = function.values[value].def {
            let data = &function.insts[inst];
            match data.op {
                Op::FNeg(_) => negate ^= !absolute,
                Op::FAbs(_) => absolute = true,
                _ => break,
            }
            value = data.args[0];
        }
    }
    if kinds.half
        && let Some((value, high)) = half(function, value)
    {
        return Some(Binding::Half { value, high, negate, absolute });
    }
    let (value, complement) = peel(function, value);
    negate ^= complement;
    if kinds.constant
        && context.chip.has_constant_operands()
        && let ValueDef::Result(inst, 0) = function.values[value].def
        && let Op::Param { offset, bytes, .. } = function.insts[inst].op
        && u32::from(bytes) * 8 == function.values[value].ty.bits()
        && bytes >= 4
        && offset % 4 == 0
    {
        return Some(Binding::Bank { bank: 0, offset, negate, absolute });
    }
    if kinds.constant
        && context.chip.has_constant_operands()
        && let Some(offset) = variable(context, value)
    {
        return Some(Binding::Bank { bank: 3, offset, negate, absolute });
    }
    kinds.register.then_some(Binding::Register { value, negate, absolute })
}

/// The register of which a value is a half, and whether it is the upper one: of 16 bits in the upper half, of 32 one half twice.
fn half(f: &Function, value: Value) -> Option<(Value, bool)> {
    let of = |value: Value| {
        let inst = f.def(value).map(|inst| &f.insts[inst])?;
        let Op::Extract(low) = inst.op else { return None };
        let word = f.ty(value).bits() == 16 && f.ty(inst.args[0]).bits() == 32 && inst.guard.is_none();
        word.then_some((inst.args[0], low == 16))
    };
    if f.ty(value).bits() == 16 {
        return of(value).filter(|(_, high)| *high);
    }
    let twice = f.def(value).map(|inst| &f.insts[inst])?;
    match twice.args[..] {
        [a, b] if twice.op == Op::Concat && a == b && f.ty(a).bits() == 16 && twice.guard.is_none() => {
            Some(of(a).unwrap_or((a, false)))
        }
        _ => None,
    }
}

/// Whether an operation is a product of two words that only sums of 64 bits read: one instruction makes product and sum, so that each sum makes
/// the product anew for half of what an addition with carry costs.
fn summed(context: &Context<'_>, inst: Inst) -> bool {
    let data = &context.function.insts[inst];
    let product = matches!(data.op, Op::MulWide { .. }) && data.guard.is_none();
    product && data.results.iter().all(|&result| context.uses[result] == context.sums[result])
}

/// The offset in bank 3 of a whole word, or two, that is read from a place known here.
fn variable(context: &Context<'_>, value: Value) -> Option<u32> {
    let function = context.function;
    let ValueDef::Result(inst, 0) = function.values[value].def else { return None };
    let data = &function.insts[inst];
    let Op::Load(access) = data.op else { return None };
    let plain = access.space == Space::Const && access.ordering == Ordering::Weak && access.lanes == 1;
    let whole = access.bytes >= 4 && u32::from(access.bytes) * 8 == function.values[value].ty.bits();
    let ValueDef::Result(address, 0) = function.values[*data.args.first()?].def else { return None };
    let Op::Address(variable, addend) = function.insts[address].op else { return None };
    let offset = context.layout.offset[variable] as i64 + addend + i64::from(access.offset);
    let fits = (0..BANK_BYTES).contains(&offset) && offset % i64::from(access.bytes) == 0;
    (plain && whole && data.guard.is_none() && fits).then_some(offset as u32)
}

/// Bytes of a constant bank that an operand can name.
const BANK_BYTES: i64 = 1 << 16;

fn holds(op: &Op, condition: &Condition) -> bool {
    match condition {
        Condition::Flag(name, on) => attribute(op, name) == Some(Attribute::Flag(*on)),
        Condition::Is(name, text) => match attribute(op, name) {
            Some(Attribute::Text(t)) => t == text,
            Some(Attribute::Number(n)) => n.to_string() == *text,
            _ => false,
        },
    }
}
