//! Integer operations that take more than one primitive.

use sassafras_semantics::{CompareOp, Domain, UnaryOp, domain::BinaryOp};

/// The whole product, twice as wide.
pub(super) fn product<D: Domain>(d: &D, signed: bool, a: &D::V, b: &D::V) -> D::V {
    let width = 2 * d.width(a);
    let wide = |x| if signed { d.sext(x, width) } else { d.zext(x, width) };
    d.mul(&wide(a), &wide(b))
}

/// Sum or difference with a carry in (`args[2]`) and out.
pub(super) fn with_carry<D: Domain>(d: &D, op: BinaryOp, args: &[D::V]) -> Vec<D::V> {
    let width = d.width(&args[0]);
    let wide = |x| d.zext(x, width + 1);
    let result = d.binary(op, &d.binary(op, &wide(&args[0]), &wide(&args[1])), &wide(&args[2]));
    vec![d.extract(&result, 0, width), d.extract(&result, width, 1)]
}

/// Result bit = bit `a<<2 | b<<1 | c` of the table.
pub(super) fn lop3<D: Domain>(d: &D, table: u8, args: &[D::V]) -> D::V {
    let mut result = d.constant(d.width(&args[0]), 0);
    for row in 0..8u32 {
        if table >> row & 1 == 1 {
            let mut term = d.constant(d.width(&args[0]), u128::MAX);
            for (i, a) in args.iter().enumerate() {
                let positive = row >> (2 - i) & 1 == 1;
                term = d.and(&term, &if positive { a.clone() } else { d.not(a) });
            }
            result = d.or(&result, &term);
        }
    }
    result
}

/// A shift of any width by a 32-bit count, which is clamped to the width.
pub(super) fn shift<D: Domain>(d: &D, op: BinaryOp, a: &D::V, count: &D::V) -> D::V {
    let width = d.width(a);
    if width >= 32 {
        // The primitives have the wanted meaning for counts beyond the width.
        return d.binary(op, a, &d.zext(count, width));
    }
    let wide = if op == BinaryOp::AShr { d.sext(a, 32) } else { d.zext(a, 32) };
    d.extract(&d.binary(op, &wide, count), 0, width)
}

pub(super) fn funnel<D: Domain>(d: &D, left: bool, wrap: bool, args: &[D::V]) -> D::V {
    let word = d.concat(&args[1], &args[0]);
    let limit = d.constant(32, 32);
    let count = if wrap {
        d.and(&args[2], &d.constant(32, 31))
    } else {
        d.ite(&d.compare(CompareOp::ULt, &args[2], &limit), &args[2], &limit)
    };
    let count = d.zext(&count, 64);
    if left {
        d.extract(&d.binary(BinaryOp::Shl, &word, &count), 32, 32)
    } else {
        d.extract(&d.binary(BinaryOp::LShr, &word, &count), 0, 32)
    }
}

/// Position of the highest bit that is one (signed: that differs from the sign), or the shift that brings it to the top;
/// all ones if there is none.
pub(super) fn find_highest<D: Domain>(d: &D, signed: bool, shift_amount: bool, a: &D::V) -> D::V {
    let width = d.width(a);
    let a = if signed { d.ite(&d.extract(a, width - 1, 1), &d.not(a), a) } else { a.clone() };
    let zeros = d.unary(UnaryOp::LeadingZeros, &a);
    let zeros = if width > 32 { d.extract(&zeros, 0, 32) } else { zeros };
    let found = if shift_amount { zeros } else { d.sub(&d.constant(32, u128::from(width - 1)), &zeros) };
    let none = d.eq(&a, &d.constant(width, 0));
    d.ite(&none, &d.constant(32, u128::MAX), &found)
}

/// The low 8 bits of a 32-bit operand in `width` bits: position and length of bit fields.
fn byte<D: Domain>(d: &D, a: &D::V, width: u32) -> D::V {
    d.zext(&d.extract(a, 0, 8), width)
}

/// Ones in the low `length` bits; all ones if the length is the width or more.
fn low_ones<D: Domain>(d: &D, length: &D::V) -> D::V {
    let width = d.width(length);
    d.not(&d.binary(BinaryOp::Shl, &d.constant(width, u128::MAX), length))
}

pub(super) fn bit_extract<D: Domain>(d: &D, signed: bool, args: &[D::V]) -> D::V {
    let a = &args[0];
    let width = d.width(a);
    let (position, length) = (byte(d, &args[1], width), byte(d, &args[2], width));
    let ones = low_ones(d, &length);
    let field = d.and(&d.binary(BinaryOp::LShr, a, &position), &ones);
    if !signed {
        return field;
    }
    // The sign is bit min(position + length - 1, msb); zero for an empty field. Bits of the field beyond the msb are signs too.
    let top = d.sub(&d.add(&position, &length), &d.constant(width, 1));
    let msb = d.constant(width, u128::from(width - 1));
    let top = d.ite(&d.compare(CompareOp::ULt, &top, &msb), &top, &msb);
    let sign = d.extract(&d.binary(BinaryOp::LShr, a, &top), 0, 1);
    let empty = d.eq(&length, &d.constant(width, 0));
    let sign = d.and(&sign, &d.not(&empty));
    let available = d.sub(&d.constant(width, u128::from(width)), &position);
    let beyond = d.compare(CompareOp::SLt, &available, &d.constant(width, 0));
    let available = d.ite(&beyond, &d.constant(width, 0), &available);
    let valid = d.and(&ones, &low_ones(d, &available));
    d.ite(&sign, &d.or(&field, &d.not(&valid)), &field)
}

pub(super) fn bit_insert<D: Domain>(d: &D, args: &[D::V]) -> D::V {
    let width = d.width(&args[0]);
    let (position, length) = (byte(d, &args[2], width), byte(d, &args[3], width));
    let mask = d.binary(BinaryOp::Shl, &low_ones(d, &length), &position);
    let field = d.binary(BinaryOp::Shl, &args[0], &position);
    d.or(&d.and(&field, &mask), &d.and(&args[1], &d.not(&mask)))
}

pub(super) fn permute<D: Domain>(d: &D, args: &[D::V]) -> D::V {
    let pool = d.concat(&args[1], &args[0]);
    let chosen = |i: u32| {
        let index = d.zext(&d.extract(&args[2], 4 * i, 3), 64);
        let count = d.binary(BinaryOp::Shl, &index, &d.constant(64, 3));
        let byte = d.extract(&d.binary(BinaryOp::LShr, &pool, &count), 0, 8);
        let sign = d.sext(&d.extract(&byte, 7, 1), 8);
        d.ite(&d.extract(&args[2], 4 * i + 3, 1), &sign, &byte)
    };
    d.concat(&d.concat(&chosen(3), &chosen(2)), &d.concat(&chosen(1), &chosen(0)))
}

pub(super) fn dot4<D: Domain>(d: &D, a_signed: bool, b_signed: bool, args: &[D::V]) -> D::V {
    let wide = |x: &D::V, i: u32, signed| {
        let byte = d.extract(x, 8 * i, 8);
        if signed { d.sext(&byte, 32) } else { d.zext(&byte, 32) }
    };
    (0..4).fold(args[2].clone(), |sum, i| {
        d.add(&sum, &d.mul(&wide(&args[0], i, a_signed), &wide(&args[1], i, b_signed)))
    })
}
