//! What each pure operation means, over any [`Domain`]: the IR's `step`, written from the documentation of [`Op`].
//!
//! Operations that read memory, parameters, special registers or other lanes have no meaning here: their user has the
//! [`sassafras_semantics::State`] they act on.

mod bits;

use crate::op::{Compare, FloatCompare, Op, PackedOp, Type};
use sassafras_semantics::{
    CompareOp, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, Routine, RoutinePart, UnaryOp,
    domain::BinaryOp,
};

/// The results of a pure operation, whose types are `types`; `None` for an operation that is not pure.
///
/// Arguments must have the widths that the operation's documentation demands.
pub fn evaluate<D: Domain>(d: &D, op: &Op, args: &[D::V], types: &[Type]) -> Option<Vec<D::V>> {
    let width = types.first().map_or(0, |t| t.bits());
    let bin = |op| d.binary(op, &args[0], &args[1]);
    let one = match *op {
        Op::Const(bits) => d.constant(width, bits),
        Op::Undef => d.undef(width, "undefined value"),
        Op::Param { .. } | Op::Special(_) | Op::Address(..) => return None,

        Op::Add => bin(BinaryOp::Add),
        Op::Sub => bin(BinaryOp::Sub),
        Op::Mul => bin(BinaryOp::Mul),
        Op::MulHigh { signed } => d.extract(&bits::product(d, signed, &args[0], &args[1]), width, width),
        Op::MulWide { signed } => bits::product(d, signed, &args[0], &args[1]),
        Op::AddCarry => return Some(bits::with_carry(d, BinaryOp::Add, args)),
        Op::SubBorrow => return Some(bits::with_carry(d, BinaryOp::Sub, args)),
        Op::Div { signed } => {
            or_undefined(d, &args[1], bin(if signed { BinaryOp::SDiv } else { BinaryOp::UDiv }))
        }
        Op::Rem { signed } => {
            or_undefined(d, &args[1], bin(if signed { BinaryOp::SRem } else { BinaryOp::URem }))
        }
        Op::Min { signed } => {
            let less = d.compare(less(signed), &args[0], &args[1]);
            d.ite(&less, &args[0], &args[1])
        }
        Op::Max { signed } => {
            let less = d.compare(less(signed), &args[0], &args[1]);
            d.ite(&less, &args[1], &args[0])
        }
        Op::Neg => d.neg(&args[0]),
        Op::Abs => {
            let negative = d.extract(&args[0], width - 1, 1);
            d.ite(&negative, &d.neg(&args[0]), &args[0])
        }
        Op::And => bin(BinaryOp::And),
        Op::Or => bin(BinaryOp::Or),
        Op::Xor => bin(BinaryOp::Xor),
        Op::Not => d.not(&args[0]),
        Op::Lop3(table) => bits::lop3(d, table, args),
        Op::Shl => bits::shift(d, BinaryOp::Shl, &args[0], &args[1]),
        Op::Shr { signed: false } => bits::shift(d, BinaryOp::LShr, &args[0], &args[1]),
        Op::Shr { signed: true } => bits::shift(d, BinaryOp::AShr, &args[0], &args[1]),
        Op::FunnelShift { left, wrap } => bits::funnel(d, left, wrap, args),
        Op::Popcount => to_width(d, &d.unary(UnaryOp::Popcount, &args[0]), 32),
        Op::LeadingZeros => to_width(d, &d.unary(UnaryOp::LeadingZeros, &args[0]), 32),
        Op::BitReverse => d.unary(UnaryOp::Reverse, &args[0]),
        Op::FindHighest { signed, shift_amount } => bits::find_highest(d, signed, shift_amount, &args[0]),
        Op::BitExtract { signed } => bits::bit_extract(d, signed, args),
        Op::BitInsert => bits::bit_insert(d, args),
        Op::Permute => bits::permute(d, args),
        Op::Dot4 { a_signed, b_signed } => bits::dot4(d, a_signed, b_signed, args),

        Op::Truncate => d.extract(&args[0], 0, width),
        Op::ZeroExtend => d.zext(&args[0], width),
        Op::SignExtend => d.sext(&args[0], width),
        Op::Extract(low) => d.extract(&args[0], u32::from(low), width),
        Op::Concat => {
            let mut all = args[0].clone();
            for high in &args[1..] {
                all = d.concat(high, &all);
            }
            all
        }
        Op::Compare(compare) => integer_compare(d, compare, &args[0], &args[1]),
        Op::FloatCompare { compare, format, ftz } => {
            float_compare(d, compare, format, ftz, &args[0], &args[1])
        }
        Op::Select => d.ite(&args[0], &args[1], &args[2]),

        Op::FAdd(format, mode) => float(d, FloatOp::Add, format, mode, args),
        Op::FMul(format, mode) => float(d, FloatOp::Mul, format, mode, args),
        Op::Fma(format, mode) => float(d, FloatOp::Fma, format, mode, args),
        Op::FDiv(format, mode) => float(d, FloatOp::Div, format, mode, args),
        Op::Routine(RoutinePart::Call, routine) => match routine {
            Routine::Divide(format, rounding, ftz) => {
                float(d, FloatOp::Div, format, FloatMode { rounding, ftz, sat: false }, args)
            }
            Routine::Quotient64 => return evaluate(d, &Op::Div { signed: false }, args, types),
            Routine::Remainder64 => return evaluate(d, &Op::Rem { signed: false }, args, types),
        },
        Op::Routine(RoutinePart::Enter | RoutinePart::Leave, _) => return None,
        Op::FSqrt(format, mode) => float(d, FloatOp::Sqrt, format, mode, args),
        Op::FRound(format, mode) => float(d, FloatOp::RoundToIntegral, format, mode, args),
        Op::FNeg(format) => d.xor(&args[0], &sign_bit(d, format)),
        Op::FAbs(format) => d.and(&args[0], &d.not(&sign_bit(d, format))),
        Op::FMin { format, ftz, nan } => {
            let op = if nan { FloatOp::MinNan } else { FloatOp::Min };
            float(d, op, format, FloatMode { ftz, ..FloatMode::default() }, args)
        }
        Op::FMax { format, ftz, nan } => {
            let op = if nan { FloatOp::MaxNan } else { FloatOp::Max };
            float(d, op, format, FloatMode { ftz, ..FloatMode::default() }, args)
        }
        Op::FDivCheck => {
            let anywhere = d.undef(1, "a check of a division may answer true anywhere");
            d.or(&d.not(&division_is_safe(d, &args[0], &args[1])), &anywhere)
        }
        Op::Approximate { function, ftz } => d.approximate(function, ftz, &args[0]),
        Op::FloatToFloat { from, to, mode } => d.float_to_float(from, to, mode, &args[0]),
        Op::ToFp8 { from, to, relu } => {
            let (high, low) = match args {
                [high, low] => (high.clone(), low.clone()),
                _ => (d.extract(&args[0], 16, 16), d.extract(&args[0], 0, 16)),
            };
            let narrow = |v: &D::V| {
                let v = d.float_to_float(from, to, FloatMode::default(), v);
                if relu { d.ite(&d.extract(&v, 7, 1), &d.constant(8, 0), &v) } else { v }
            };
            d.concat(&narrow(&high), &narrow(&low))
        }
        Op::FromFp8 { from, relu } => {
            let half = FloatFormat::F16;
            let widen = |low: u32| {
                let v = d.float_to_float(from, half, FloatMode::default(), &d.extract(&args[0], low, 8));
                let zero = d.constant(16, 0);
                if relu { d.float(FloatOp::MaxNan, half, FloatMode::default(), &[&v, &zero]) } else { v }
            };
            d.concat(&widen(8), &widen(0))
        }
        Op::FloatToInt { from, signed, bits, mode } => {
            let bits = u32::from(bits);
            let value = d.float_to_int(from, signed, bits, mode, nan_as_integer(from, bits), &args[0]);
            if signed { d.sext(&value, width) } else { d.zext(&value, width) }
        }
        Op::IntToFloat { signed, bits, to, mode } => {
            d.int_to_float(signed, to, mode, &d.extract(&args[0], 0, u32::from(bits)))
        }
        Op::Packed { kind, format, mode } => packed(d, kind, format, mode, args),

        Op::Load(_) | Op::Store(_) | Op::Atomic { .. } | Op::Fence(..) => return None,
        Op::ToGeneric(_) | Op::FromGeneric(_) | Op::IsSpace(_) => return None,
        Op::Shuffle(_) | Op::Vote(_) | Op::Match { .. } | Op::Redux(_) | Op::ActiveMask | Op::Elect => {
            return None;
        }
        Op::WarpSync | Op::Barrier { .. } | Op::Nanosleep | Op::SystemCall(_) => return None,
        Op::Mma(_) | Op::MatrixLoad(_) | Op::MatrixStore(_) | Op::MatrixTranspose | Op::Opaque(_) => {
            return None;
        }
    };
    Some(vec![one])
}

/// Whether no step of the short division of two binary32 leaves the normal range, one bit: with biased exponents, b in 2..=252, so that its
/// reciprocal is normal; a in 25..=254, so that the remainder a - b·q, whose last bit is 47 places below a, is exact; a less b in
/// -124..=125, so that the quotient is normal. [`Op::FDivCheck`] may be false only there.
pub fn division_is_safe<D: Domain>(d: &D, a: &D::V, b: &D::V) -> D::V {
    let exponent = |v: &D::V| d.zext(&d.extract(v, 23, 8), 12);
    let c = |n: i32| d.constant(12, n as u128);
    let within = |v: &D::V, low: i32, high: i32| {
        let above = d.compare(CompareOp::SLe, &c(low), v);
        d.and(&above, &d.compare(CompareOp::SLe, v, &c(high)))
    };
    let (ea, eb) = (exponent(a), exponent(b));
    let both = d.and(&within(&ea, 25, 254), &within(&eb, 2, 252));
    d.and(&both, &within(&d.sub(&ea, &eb), -124, 125))
}

/// What a NaN becomes in a conversion to an integer of `bits` bits (PTX ISA, "cvt"): zero if neither the source is binary64
/// nor the integer 64 bits wide, else the highest bit alone.
pub const fn nan_as_integer(from: FloatFormat, bits: u32) -> u64 {
    if matches!(from, FloatFormat::F64) || bits == 64 { 1 << (bits - 1) } else { 0 }
}

const fn less(signed: bool) -> CompareOp {
    if signed { CompareOp::SLt } else { CompareOp::ULt }
}

/// Division by a known zero is undefined; over terms the domain's own total division stands for it.
fn or_undefined<D: Domain>(d: &D, divisor: &D::V, quotient: D::V) -> D::V {
    match d.as_constant(divisor) {
        Some(0) => d.undef(d.width(divisor), "division by zero"),
        Some(_) => quotient,
        None => {
            let zero = d.eq(divisor, &d.constant(d.width(divisor), 0));
            d.ite(&zero, &d.undef(d.width(divisor), "division by zero"), &quotient)
        }
    }
}

fn to_width<D: Domain>(d: &D, a: &D::V, width: u32) -> D::V {
    if d.width(a) > width { d.extract(a, 0, width) } else { d.zext(a, width) }
}

fn integer_compare<D: Domain>(d: &D, compare: Compare, a: &D::V, b: &D::V) -> D::V {
    match compare {
        Compare::Eq => d.eq(a, b),
        Compare::Ne => d.not(&d.eq(a, b)),
        Compare::ULt => d.compare(CompareOp::ULt, a, b),
        Compare::ULe => d.compare(CompareOp::ULe, a, b),
        Compare::UGt => d.compare(CompareOp::ULt, b, a),
        Compare::UGe => d.compare(CompareOp::ULe, b, a),
        Compare::SLt => d.compare(CompareOp::SLt, a, b),
        Compare::SLe => d.compare(CompareOp::SLe, a, b),
        Compare::SGt => d.compare(CompareOp::SLt, b, a),
        Compare::SGe => d.compare(CompareOp::SLe, b, a),
    }
}

fn float_compare<D: Domain>(
    d: &D,
    compare: FloatCompare,
    format: FloatFormat,
    ftz: bool,
    a: &D::V,
    b: &D::V,
) -> D::V {
    let holds = |relation, a, b| d.float_relation(relation, format, ftz, a, b);
    let unordered = || holds(FloatRelation::Unordered, a, b);
    let or_unordered = |x: D::V| d.or(&x, &unordered());
    match compare {
        FloatCompare::Eq => holds(FloatRelation::Eq, a, b),
        // Ordered and different.
        FloatCompare::Ne => d.not(&or_unordered(holds(FloatRelation::Eq, a, b))),
        FloatCompare::Lt => holds(FloatRelation::Lt, a, b),
        FloatCompare::Le => holds(FloatRelation::Le, a, b),
        FloatCompare::Gt => holds(FloatRelation::Lt, b, a),
        FloatCompare::Ge => holds(FloatRelation::Le, b, a),
        FloatCompare::UEq => or_unordered(holds(FloatRelation::Eq, a, b)),
        FloatCompare::UNe => d.not(&holds(FloatRelation::Eq, a, b)),
        FloatCompare::ULt => or_unordered(holds(FloatRelation::Lt, a, b)),
        FloatCompare::ULe => or_unordered(holds(FloatRelation::Le, a, b)),
        FloatCompare::UGt => or_unordered(holds(FloatRelation::Lt, b, a)),
        FloatCompare::UGe => or_unordered(holds(FloatRelation::Le, b, a)),
        FloatCompare::Ordered => d.not(&unordered()),
        FloatCompare::Unordered => unordered(),
    }
}

fn sign_bit<D: Domain>(d: &D, format: FloatFormat) -> D::V {
    d.constant(format.width(), 1 << (format.width() - 1))
}

fn float<D: Domain>(d: &D, op: FloatOp, format: FloatFormat, mode: FloatMode, args: &[D::V]) -> D::V {
    match args {
        [a] => d.float(op, format, mode, &[a]),
        [a, b] => d.float(op, format, mode, &[a, b]),
        _ => d.float(op, format, mode, &[&args[0], &args[1], &args[2]]),
    }
}

/// Both halves of pairs by themselves.
fn packed<D: Domain>(d: &D, kind: PackedOp, format: FloatFormat, mode: FloatMode, args: &[D::V]) -> D::V {
    let width = format.width();
    let half = |low| {
        let args: Vec<D::V> = args.iter().map(|a| d.extract(a, low, width)).collect();
        let op = match kind {
            PackedOp::Add => FloatOp::Add,
            PackedOp::Mul => FloatOp::Mul,
            PackedOp::Fma => FloatOp::Fma,
            PackedOp::Min => FloatOp::Min,
            PackedOp::Max => FloatOp::Max,
            PackedOp::MinNan => FloatOp::MinNan,
            PackedOp::MaxNan => FloatOp::MaxNan,
            PackedOp::Neg => return d.xor(&args[0], &sign_bit(d, format)),
            PackedOp::Abs => return d.and(&args[0], &d.not(&sign_bit(d, format))),
        };
        float(d, op, format, mode, &args)
    };
    d.concat(&half(width), &half(0))
}

#[cfg(test)]
mod tests;
