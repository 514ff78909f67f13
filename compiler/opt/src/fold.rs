//! Constant folding and simplification.

use crate::Stats;
use sassafras_graph::SecondaryMap;
use sassafras_ir::{Compare, Function, Inst, InstData, Op, Type, Value, evaluate};
use sassafras_semantics::{Bits, Concrete};

/// What an instruction becomes.
enum New {
    /// Its only result is this value.
    Value(Value),
    /// Its only result is this constant.
    Constant(u128),
    /// Another operation on other arguments, with the same result.
    Op(Op, Vec<Value>),
}

/// Computes pure operations on constants through the concrete domain, and applies the rows of [`RULES`] until nothing changes.
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
    for block in function.reverse_post_order() {
        for at in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[at];
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
            let new = RULES.iter().find_map(|rule| (rule.apply)(function, &function.insts[inst]));
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
                    function.insts[inst].op = op;
                    function.insts[inst].args = args.into();
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

/// Results of a pure operation whose arguments are all constants.
fn constants(function: &Function, inst: Inst) -> Option<Vec<Bits>> {
    let data = &function.insts[inst];
    if data.args.is_empty() || matches!(data.op, Op::Approximate { .. }) {
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

/// A simplification.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    apply: fn(&Function, &InstData) -> Option<New>,
}

fn constant(f: &Function, v: Value) -> Option<u128> {
    f.constant(v)
}

fn ones(ty: Type) -> u128 {
    if ty.0 >= 128 { u128::MAX } else { (1 << ty.0) - 1 }
}

/// The instruction that defines a value.
fn def(f: &Function, v: Value) -> Option<&InstData> {
    f.def(v).map(|i| &f.insts[i])
}

/// All simplifications, tried in order.
pub const RULES: &[Rule] = &[
    Rule { name: "constant-right", apply: constant_right },
    Rule { name: "add-zero", apply: add_zero },
    Rule { name: "mul-one", apply: mul_one },
    Rule { name: "mul-power", apply: mul_power },
    Rule { name: "and-ones", apply: and_ones },
    Rule { name: "or-zero", apply: or_zero },
    Rule { name: "xor-self", apply: xor_self },
    Rule { name: "shift-zero", apply: shift_zero },
    Rule { name: "not-not", apply: not_not },
    Rule { name: "not-compare", apply: not_compare },
    Rule { name: "select-same", apply: select_same },
    Rule { name: "select-bit", apply: select_bit },
    Rule { name: "extract-of-extension", apply: extract_of_extension },
    Rule { name: "truncate-of-concat", apply: truncate_of_concat },
    Rule { name: "add-constants", apply: add_constants },
    Rule { name: "extension-of-truncation", apply: extension_of_truncation },
    Rule { name: "generic-round-trip", apply: generic_round_trip },
];

/// A constant first argument of an operation that commutes goes second.
fn constant_right(f: &Function, i: &InstData) -> Option<New> {
    let first = i.op.commutes() && i.results.len() == 1;
    if first && constant(f, i.args[0]).is_some() && constant(f, i.args[1]).is_none() {
        let mut args = i.args.to_vec();
        args.swap(0, 1);
        return Some(New::Op(i.op, args));
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
    Some(New::Op(Op::Compare(swapped), vec![i.args[1], i.args[0]]))
}

/// a + 0, a - 0.
fn add_zero(f: &Function, i: &InstData) -> Option<New> {
    let zero = matches!(i.op, Op::Add | Op::Sub) && constant(f, i.args[1]) == Some(0);
    zero.then(|| New::Value(i.args[0]))
}

/// a × 1, a × 0.
fn mul_one(f: &Function, i: &InstData) -> Option<New> {
    if i.op != Op::Mul {
        return None;
    }
    match constant(f, i.args[1])? {
        0 => Some(New::Constant(0)),
        1 => Some(New::Value(i.args[0])),
        _ => None,
    }
}

/// a ÷ 1 and a mod 1, unsigned.
fn mul_power(f: &Function, i: &InstData) -> Option<New> {
    match (i.op, i.args.get(1).and_then(|&v| constant(f, v))) {
        (Op::Div { .. }, Some(1)) => Some(New::Value(i.args[0])),
        (Op::Rem { .. }, Some(1)) => Some(New::Constant(0)),
        _ => None,
    }
}

/// a and all ones, a and 0, a and a.
fn and_ones(f: &Function, i: &InstData) -> Option<New> {
    if i.op != Op::And {
        return None;
    }
    if i.args[0] == i.args[1] {
        return Some(New::Value(i.args[0]));
    }
    let c = constant(f, i.args[1])?;
    if c == ones(f.ty(i.args[0])) {
        return Some(New::Value(i.args[0]));
    }
    (c == 0).then_some(New::Constant(0))
}

/// a or 0, a xor 0, a or a, a or all ones.
fn or_zero(f: &Function, i: &InstData) -> Option<New> {
    if !matches!(i.op, Op::Or | Op::Xor) {
        return None;
    }
    if i.op == Op::Or && i.args[0] == i.args[1] {
        return Some(New::Value(i.args[0]));
    }
    let c = constant(f, i.args[1])?;
    if c == 0 {
        return Some(New::Value(i.args[0]));
    }
    let all = ones(f.ty(i.args[0]));
    match i.op {
        Op::Or if c == all => Some(New::Constant(all)),
        Op::Xor if c == all => Some(New::Op(Op::Not, vec![i.args[0]])),
        _ => None,
    }
}

/// a xor a, a - a.
fn xor_self(_: &Function, i: &InstData) -> Option<New> {
    let same = matches!(i.op, Op::Xor | Op::Sub) && i.args[0] == i.args[1];
    same.then_some(New::Constant(0))
}

/// A shift by zero.
fn shift_zero(f: &Function, i: &InstData) -> Option<New> {
    let zero = matches!(i.op, Op::Shl | Op::Shr { .. }) && constant(f, i.args[1]) == Some(0);
    zero.then(|| New::Value(i.args[0]))
}

/// not not a, -(-a).
fn not_not(f: &Function, i: &InstData) -> Option<New> {
    if !matches!(i.op, Op::Not | Op::Neg | Op::FNeg(_)) {
        return None;
    }
    let inner = def(f, i.args[0])?;
    (inner.op == i.op).then(|| New::Value(inner.args[0]))
}

/// not (a < b) is a >= b.
fn not_compare(f: &Function, i: &InstData) -> Option<New> {
    if i.op != Op::Not {
        return None;
    }
    let inner = def(f, i.args[0])?;
    let Op::Compare(c) = inner.op else { return None };
    let c = match c {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::ULt => Compare::UGe,
        Compare::ULe => Compare::UGt,
        Compare::UGt => Compare::ULe,
        Compare::UGe => Compare::ULt,
        Compare::SLt => Compare::SGe,
        Compare::SLe => Compare::SGt,
        Compare::SGt => Compare::SLe,
        Compare::SGe => Compare::SLt,
    };
    Some(New::Op(Op::Compare(c), inner.args.to_vec()))
}

/// c ? a : a, and a constant condition.
fn select_same(f: &Function, i: &InstData) -> Option<New> {
    if i.op != Op::Select {
        return None;
    }
    if i.args[1] == i.args[2] {
        return Some(New::Value(i.args[1]));
    }
    let c = constant(f, i.args[0])?;
    Some(New::Value(i.args[if c == 1 { 1 } else { 2 }]))
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
        (false, true) => Some(New::Op(Op::Not, vec![condition])),
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
            Some(New::Op(Op::Truncate, inner.args.to_vec()))
        }
        Op::Truncate => {
            Some(New::Op(if low == 0 { Op::Truncate } else { Op::Extract(low as u8) }, inner.args.to_vec()))
        }
        Op::Extract(more) if low == 0 => Some(New::Op(Op::Extract(more), inner.args.to_vec())),
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
            return Some(New::Op(Op::Truncate, vec![arg]));
        }
        at += width;
    }
    None
}

/// (a + c) + d with constants: left to the address pass for memory; here only the trivial sum of a negation.
fn add_constants(f: &Function, i: &InstData) -> Option<New> {
    // a + (-b) is a - b.
    if i.op != Op::Add {
        return None;
    }
    for (x, y) in [(0, 1), (1, 0)] {
        if let Some(inner) = def(f, i.args[y])
            && inner.op == Op::Neg
        {
            return Some(New::Op(Op::Sub, vec![i.args[x], inner.args[0]]));
        }
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
        return Some(New::Op(i.op, cut.args.to_vec()));
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
