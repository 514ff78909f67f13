//! Cross-lane operations whose member mask may differ among the lanes that execute them.
//!
//! REDUX, MATCH and ELECT see all lanes that execute them together, and those may name other masks. Each lane is asked for its value by a
//! shuffle instead, which all lanes of a mask execute together; what lanes outside the own mask say is dropped. So is what lanes say
//! that have ended, or that the block does not have: a mask may name them, and they do not count (PTX ISA, `redux.sync`, `match.sync`,
//! `elect.sync`: "all non-exited threads corresponding to membermask"). A ballot tells who is left.

use super::expansion::Expansion;
use sassafras_ir::{Builder, Compare, Function, InstData, Op, Type, Value, ValueDef};
use sassafras_semantics::state::{ShuffleMode, VoteMode};
use sassafras_semantics::{AtomicOp, FloatFormat, SpecialRegister};
use smallvec::smallvec;

/// The member mask, where the operation sees whoever executes it.
fn mask(data: &InstData) -> Option<Value> {
    match data.op {
        Op::Redux(_) | Op::Match { .. } => data.args.get(1).copied(),
        Op::Elect => data.args.first().copied(),
        _ => None,
    }
}

/// The bits that a shuffle reads of its second and third operand: the lane, five bits; clamp and segment mask, five bits each
/// (PTX ISA, `shfl.sync`). The fields of SHFL hold no more.
const READ: [u128; 2] = [0x1f, 0x1f1f];

/// The second and third operand of a shuffle, constants reduced to the bits that are read; none if nothing is to be done.
fn read(f: &Function, data: &InstData) -> Option<[Option<u128>; 2]> {
    if !matches!(data.op, Op::Shuffle(_)) {
        return None;
    }
    let beyond = |i: usize| f.constant(data.args[i + 1]).filter(|c| c & !READ[i] != 0);
    let all = [0, 1].map(|i| beyond(i).map(|c| c & READ[i]));
    (all != [None, None]).then_some(all)
}

/// Why an instruction may not stay.
pub(super) fn reason(f: &Function, data: &InstData) -> Option<&'static str> {
    if read(f, data).is_some() {
        return Some("a shuffle's constants are larger than its fields");
    }
    let same = one_mask(f, mask(data)?);
    (!same).then_some("lanes may name different masks")
}

/// Whether all lanes that get here together name the same mask: a constant, or what lanes together were told of each other.
fn one_mask(f: &Function, mask: Value) -> bool {
    let ValueDef::Result(inst, 0) = f.values[mask].def else { return false };
    let data = &f.insts[inst];
    match data.op {
        Op::Const(_) | Op::ActiveMask => true,
        Op::Vote(_) => f.constant(data.args[1]).is_some(),
        _ => false,
    }
}

pub(super) fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    if let Some(constants) = read(b.function, data) {
        let mut args = data.args.to_vec();
        for (i, constant) in constants.into_iter().enumerate() {
            if let Some(constant) = constant {
                args[i + 1] = b.i32(constant as u32);
            }
        }
        let (value, valid) = b.pair(data.op, &args, [Type::I32, Type::I1]);
        return Some(smallvec![value, valid]);
    }
    let members = Members::ask(b, mask(data)?);
    match data.op {
        Op::Redux(op) => Some(smallvec![redux(b, op, data.args[0], members)]),
        Op::Match { all } => {
            let found = matching(b, data.args[0], members);
            let equal = b.compare(Compare::Eq, found, members.left);
            let zero = b.i32(0);
            let value = if all { b.select(equal, members.left, zero) } else { found };
            Some(smallvec![value, equal])
        }
        Op::Elect => {
            let reversed = b.same(Op::BitReverse, &[members.left]);
            let leader = b.value(Op::LeadingZeros, &[reversed], Type::I32);
            let me = b.value(Op::Special(SpecialRegister::LaneId), &[], Type::I32);
            let elected = b.compare(Compare::Eq, leader, me);
            Some(smallvec![leader, elected])
        }
        _ => None,
    }
}

/// The lanes that execute an operation together, 32 bits each.
#[derive(Clone, Copy)]
struct Members {
    /// Those that it names.
    named: Value,
    /// Those of them that have not ended.
    left: Value,
}

impl Members {
    fn ask(b: &mut Builder, named: Value) -> Members {
        let yes = b.constant(Type::I1, 1);
        let left = b.pair(Op::Vote(VoteMode::Ballot), &[yes, named], [Type::I32, Type::I1]).0;
        Members { named, left }
    }
}

/// The word of lane `n`; undefined if it does not take part.
fn of_lane(b: &mut Builder, value: Value, n: u32, members: Members) -> Value {
    let (lane, clamp) = (b.i32(n), b.i32(31));
    b.pair(Op::Shuffle(ShuffleMode::Idx), &[value, lane, clamp, members.named], [Type::I32, Type::I1]).0
}

/// Whether lane `n` takes part.
fn is_member(b: &mut Builder, n: u32, members: Members) -> Value {
    let bit = b.i32(1 << n);
    let (bit, zero) = (b.and(members.left, bit), b.i32(0));
    b.compare(Compare::Ne, bit, zero)
}

fn redux(b: &mut Builder, op: AtomicOp, value: Value, members: Members) -> Value {
    let format = FloatFormat::F32;
    let value = match op {
        AtomicOp::MinF32 { abs: true, .. } | AtomicOp::MaxF32 { abs: true, .. } => {
            let magnitude = b.i32(0x7fff_ffff);
            b.and(value, magnitude)
        }
        _ => value,
    };
    // A NaN that is left out; where none is, an infinity is no better than any number.
    let infinity =
        |nan: bool, sign: u32| if nan { 0x7f80_0000 | sign } else { format.canonical_nan() as u32 };
    let (op, neutral) = match op {
        AtomicOp::MinF32 { nan, .. } => (Op::FMin { format, ftz: false, nan }, infinity(nan, 0)),
        AtomicOp::MaxF32 { nan, .. } => (Op::FMax { format, ftz: false, nan }, infinity(nan, 1 << 31)),
        AtomicOp::And => (Op::And, u32::MAX),
        AtomicOp::Or => (Op::Or, 0),
        AtomicOp::Xor => (Op::Xor, 0),
        AtomicOp::UMin => (Op::Min { signed: false }, u32::MAX),
        AtomicOp::UMax => (Op::Max { signed: false }, 0),
        AtomicOp::SMin => (Op::Min { signed: true }, i32::MAX as u32),
        AtomicOp::SMax => (Op::Max { signed: true }, i32::MIN as u32),
        _ => (Op::Add, 0),
    };
    let neutral = b.i32(neutral);
    let mut all = neutral;
    for n in 0..32 {
        let theirs = of_lane(b, value, n, members);
        let member = is_member(b, n, members);
        let theirs = b.select(member, theirs, neutral);
        all = b.same(op, &[all, theirs]);
    }
    all
}

/// The members with the same value.
fn matching(b: &mut Builder, value: Value, members: Members) -> Value {
    let words = match b.ty(value) {
        Type::I64 => vec![b.low(value), b.high(value)],
        _ => vec![value],
    };
    let zero = b.i32(0);
    let mut all = zero;
    for n in 0..32 {
        let mut equal = is_member(b, n, members);
        for &word in &words {
            let theirs = of_lane(b, word, n, members);
            let same = b.compare(Compare::Eq, theirs, word);
            equal = b.and(equal, same);
        }
        let bit = b.i32(1 << n);
        let bit = b.select(equal, bit, zero);
        all = b.or(all, bit);
    }
    all
}
