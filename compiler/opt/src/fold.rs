//! Constant folding and simplification.

use crate::Stats;
use crate::rewrite::{Built, New, rewrite};
use sassafras_graph::SecondaryMap;
use sassafras_ir::{Block, Compare, Function, Inst, InstData, Op, Type, Uses, Value, evaluate};
use sassafras_semantics::{Bits, Concrete};

/// Computes pure operations on constants through the concrete domain, and applies the rules of [`RULES`] and the rows of
/// [`sassafras_rules::rewrite`] until nothing changes.
///
/// Does not fold approximate functions (their result is the hardware's choice) nor divisions by zero. Needs SSA. Preserves the
/// graph; what becomes unused stays for [`crate::dead`].
pub fn fold(function: &mut Function) -> Stats {
    let mut changes = 0;
    loop {
        let round = once(function);
        if round == 0 {
            return Stats::new(changes);
        }
        changes += round;
    }
}

fn once(function: &mut Function) -> usize {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changes = 0;
    let uses = Uses::new(function);
    for block in function.reverse_post_order() {
        let mut at = 0;
        while at < function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
            at += 1;
            let mut replaced = false;
            let mut data = function.insts[inst].clone();
            data.for_each_use_mut(|v| {
                while let Some(next) = map[*v] {
                    *v = next;
                    replaced = true;
                }
            });
            if replaced {
                function.insts[inst] = data;
            }
            if let Some(values) = constants(function, inst) {
                let results = function.insts[inst].results.clone();
                if let [_] = results[..] {
                    function.insts[inst].op = Op::Const(values[0].bits());
                    function.insts[inst].args.clear();
                    changes += 1;
                }
                continue;
            }
            let data = &function.insts[inst];
            let new = RULES.iter().find_map(|rule| (rule.apply)(function, data));
            let new = new.or_else(|| rewrite(function, &uses, data).map(|(_, new)| new));
            match new {
                Some(New::Value(value)) => {
                    map[function.insts[inst].results[0]] = Some(value);
                    // It has no uses left.
                    function.insts[inst].op = Op::Undef;
                    function.insts[inst].args.clear();
                }
                Some(New::Constant(bits)) => {
                    function.insts[inst].op = Op::Const(bits);
                    function.insts[inst].args.clear();
                }
                Some(New::Op(op, args)) => {
                    let mut place = (block, at - 1);
                    let args = args.into_iter().map(|arg| build(function, &mut place, inst, arg)).collect();
                    function.insts[inst].op = op;
                    function.insts[inst].args = args;
                    at = place.1 + 1;
                }
                None => continue,
            }
            changes += 1;
        }
    }
    if changes != 0 {
        function.replace_all(&map);
    }
    changes
}

/// An argument of what takes an instruction's place; new instructions stand at the place, which moves behind them.
fn build(f: &mut Function, place: &mut (Block, usize), of: Inst, arg: Built) -> Value {
    let (op, ty, args) = match arg {
        Built::Value(value) => return value,
        Built::Constant(ty, bits) => (Op::Const(bits), ty, Vec::new()),
        Built::Op(op, ty, args) => (op, ty, args.into_iter().map(|arg| build(f, place, of, arg)).collect()),
    };
    let line = f.insts[of].line;
    let inst = f.insert(place.0, place.1, op, &args, &[ty], line);
    place.1 += 1;
    f.insts[inst].results[0]
}

/// Existing values as arguments.
fn existing(args: &[Value]) -> Vec<Built> {
    args.iter().copied().map(Built::Value).collect()
}

/// Results of a pure operation whose arguments are all constants.
fn constants(function: &Function, inst: Inst) -> Option<Vec<Bits>> {
    let data = &function.insts[inst];
    if data.args.is_empty() || matches!(data.op, Op::Approximate { .. } | Op::FDivCheck) {
        return None;
    }
    let args: Option<Vec<Bits>> = data
        .args
        .iter()
        .map(|&v| function.constant(v).map(|bits| Bits::new(function.ty(v).bits(), bits)))
        .collect();
    let args = args?;
    if matches!(data.op, Op::Div { .. } | Op::Rem { .. }) && !args[1].is_true() {
        return None;
    }
    let types: Vec<Type> = data.results.iter().map(|&v| function.ty(v)).collect();
    evaluate(&Concrete::default(), &data.op, &args, &types)
}

/// A simplification that no row states, since its widths or its constants depend on one another.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    apply: fn(&Function, &InstData) -> Option<New>,
}

fn constant(f: &Function, v: Value) -> Option<u128> {
    f.constant(v)
}

/// The instruction that defines a value.
fn def(f: &Function, v: Value) -> Option<&InstData> {
    f.def(v).map(|i| &f.insts[i])
}

/// They are tried in order, before the rows.
pub const RULES: &[Rule] = &[
    Rule { name: "constant-right", apply: constant_right },
    Rule { name: "select-bit", apply: select_bit },
    Rule { name: "extract-of-extension", apply: extract_of_extension },
    Rule { name: "truncate-of-concat", apply: truncate_of_concat },
    Rule { name: "extension-of-truncation", apply: extension_of_truncation },
    Rule { name: "generic-round-trip", apply: generic_round_trip },
];

/// A constant first argument of an operation that commutes goes second.
fn constant_right(f: &Function, i: &InstData) -> Option<New> {
    let first = i.op.commutes() && i.results.len() == 1;
    if first && constant(f, i.args[0]).is_some() && constant(f, i.args[1]).is_none() {
        let mut args = i.args.to_vec();
        args.swap(0, 1);
        return Some(New::Op(i.op, existing(&args)));
    }
    let Op::Compare(c) = i.op else { return None };
    if constant(f, i.args[0]).is_none() || constant(f, i.args[1]).is_some() {
        return None;
    }
    let swapped = match c {
        Compare::ULt => Compare::UGt,
        Compare::ULe => Compare::UGe,
        Compare::UGt => Compare::ULt,
        Compare::UGe => Compare::ULe,
        Compare::SLt => Compare::SGt,
        Compare::SLe => Compare::SGe,
        Compare::SGt => Compare::SLt,
        Compare::SGe => Compare::SLe,
        Compare::Eq | Compare::Ne => c,
    };
    Some(New::Op(Op::Compare(swapped), existing(&[i.args[1], i.args[0]])))
}

/// (c ? a : b) ≠ b' for constants a, b: the condition itself, or its complement.
fn select_bit(f: &Function, i: &InstData) -> Option<New> {
    let Op::Compare(compare @ (Compare::Eq | Compare::Ne)) = i.op else { return None };
    let against = constant(f, i.args[1])?;
    let select = def(f, i.args[0])?;
    let (yes, no, condition) = match select.op {
        Op::Select => (constant(f, select.args[1])?, constant(f, select.args[2])?, select.args[0]),
        Op::ZeroExtend if f.ty(select.args[0]) == Type::I1 => (1, 0, select.args[0]),
        _ => return None,
    };
    let holds = |v: u128| (v == against) == (compare == Compare::Eq);
    match (holds(yes), holds(no)) {
        (true, false) => Some(New::Value(condition)),
        (false, true) => Some(New::Op(Op::Not, existing(&[condition]))),
        (both, _) => Some(New::Constant(u128::from(both))),
    }
}

/// Low bits of an extension, or of a concatenation.
fn extract_of_extension(f: &Function, i: &InstData) -> Option<New> {
    let low = match i.op {
        Op::Truncate => 0,
        Op::Extract(n) => u32::from(n),
        _ => return None,
    };
    let inner = def(f, i.args[0])?;
    let (want, width) = (f.ty(i.results[0]).bits(), f.ty(i.args[0]).bits());
    if low == 0 && want == width {
        return Some(New::Value(i.args[0]));
    }
    let from = f.ty(*inner.args.first()?).bits();
    match inner.op {
        Op::ZeroExtend | Op::SignExtend if low == 0 && want == from => Some(New::Value(inner.args[0])),
        Op::ZeroExtend if low >= from => Some(New::Constant(0)),
        Op::ZeroExtend | Op::SignExtend if low == 0 && want < from => {
            Some(New::Op(Op::Truncate, existing(&inner.args)))
        }
        Op::Truncate => {
            Some(New::Op(if low == 0 { Op::Truncate } else { Op::Extract(low as u8) }, existing(&inner.args)))
        }
        Op::Extract(more) if low == 0 => Some(New::Op(Op::Extract(more), existing(&inner.args))),
        _ => None,
    }
}

/// A part of a concatenation that is one of its arguments.
fn truncate_of_concat(f: &Function, i: &InstData) -> Option<New> {
    let low = match i.op {
        Op::Truncate => 0,
        Op::Extract(n) => u32::from(n),
        _ => return None,
    };
    let inner = def(f, i.args[0])?;
    if inner.op != Op::Concat {
        return None;
    }
    let mut at = 0;
    for &arg in &inner.args {
        let width = f.ty(arg).bits();
        if at == low && width == f.ty(i.results[0]).bits() {
            return Some(New::Value(arg));
        }
        if at == low && width > f.ty(i.results[0]).bits() {
            return Some(New::Op(Op::Truncate, existing(&[arg])));
        }
        at += width;
    }
    None
}

/// A truncation that is extended again where the bits above are known: the same extension of the same width.
fn extension_of_truncation(f: &Function, i: &InstData) -> Option<New> {
    if !matches!(i.op, Op::ZeroExtend | Op::SignExtend) {
        return None;
    }
    let cut = def(f, i.args[0])?;
    if cut.op == i.op {
        return Some(New::Op(i.op, existing(&cut.args)));
    }
    if cut.op != Op::Truncate {
        return None;
    }
    let source = def(f, cut.args[0])?;
    let same_width = f.ty(cut.args[0]) == f.ty(i.results[0]);
    let narrow = f.ty(i.args[0]).bits();
    let known = match (source.op, i.op) {
        (Op::ZeroExtend, Op::ZeroExtend) | (Op::SignExtend, Op::SignExtend) => {
            f.ty(source.args[0]).bits() <= narrow
        }
        // Where a guard does not hold the bits are those of another value.
        (Op::Load(_), _) if source.guard.is_some() => false,
        (Op::Load(a), Op::ZeroExtend) => !a.signed && u32::from(a.bytes) * 8 <= narrow,
        (Op::Load(a), Op::SignExtend) => {
            let bits = u32::from(a.bytes) * 8;
            bits < narrow || a.signed && bits <= narrow
        }
        (Op::Param { bytes, signed, .. }, Op::ZeroExtend) => !signed && u32::from(bytes) * 8 <= narrow,
        (Op::Param { bytes, signed, .. }, Op::SignExtend) => signed && u32::from(bytes) * 8 <= narrow,
        (Op::And, Op::ZeroExtend) => constant(f, source.args[1]).is_some_and(|c| c >> narrow == 0),
        _ => false,
    };
    (same_width && known).then(|| New::Value(cut.args[0]))
}

/// An address brought to generic and back.
fn generic_round_trip(f: &Function, i: &InstData) -> Option<New> {
    let Op::FromGeneric(space) = i.op else { return None };
    let inner = def(f, i.args[0])?;
    (inner.op == Op::ToGeneric(space)).then(|| New::Value(inner.args[0]))
}
