//! Meanings against plain Rust arithmetic.

use super::*;
use proptest::prelude::*;
use sassafras_semantics::{Bits, Concrete};

fn eval(op: Op, args: &[(u32, u64)], types: &[Type]) -> Vec<u64> {
    let d = Concrete::default();
    let args: Vec<Bits> = args.iter().map(|&(w, v)| Bits::new(w, u128::from(v))).collect();
    let results = evaluate(&d, &op, &args, types).expect("a pure operation");
    results.iter().map(|b| b.bits() as u64).collect()
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        (0..40u32),
        (0..40u32).prop_map(|x| x.wrapping_neg()),
        (0..32u32).prop_map(|n| 1 << n)
    ]
}

proptest! {
    #[test]
    fn bit_fields_follow_the_manual(a in word(), b in word(), pos in 0..70u32, len in 0..70u32) {
        let (mut extract, mut insert) = (0u32, b);
        let sign = len > 0 && a >> (pos + len - 1).min(31) & 1 == 1;
        for i in 0..32 {
            let inside = i < len && pos + i <= 31;
            extract |= u32::from(if inside { a >> (pos + i) & 1 == 1 } else { sign }) << i;
            if inside {
                insert = insert & !(1 << (pos + i)) | (a >> i & 1) << (pos + i);
            }
        }
        let args = [(32, u64::from(a)), (32, u64::from(pos)), (32, u64::from(len))];
        prop_assert_eq!(eval(Op::BitExtract { signed: true }, &args, &[Type::I32]), [u64::from(extract)]);
        let args = [(32, u64::from(a)), (32, u64::from(b)), (32, u64::from(pos)), (32, u64::from(len))];
        prop_assert_eq!(eval(Op::BitInsert, &args, &[Type::I32]), [u64::from(insert)]);
    }

    #[test]
    fn words_follow_rust(a in word(), b in word(), c in word()) {
        let (x, y, z) = ((32, u64::from(a)), (32, u64::from(b)), (32, u64::from(c)));
        let t = [Type::I32];
        let wide = (u64::from(b) << 32) | u64::from(a);
        let n = c.min(32);
        let left = ((u128::from(wide) << n) >> 32) as u32;
        prop_assert_eq!(eval(Op::FunnelShift { left: true, wrap: false }, &[x, y, z], &t), [u64::from(left)]);
        let right = (wide >> (c & 31)) as u32;
        prop_assert_eq!(eval(Op::FunnelShift { left: false, wrap: true }, &[x, y, z], &t), [u64::from(right)]);
        prop_assert_eq!(eval(Op::Lop3(0xe8), &[x, y, z], &t), [u64::from(a & b | b & c | a & c)]);
        prop_assert_eq!(eval(Op::Lop3(0xca), &[x, y, z], &t), [u64::from(a & b | !a & c)]);
        let high = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
        prop_assert_eq!(eval(Op::MulHigh { signed: true }, &[x, y], &t), [u64::from(high)]);
        let shl = a.checked_shl(c).unwrap_or(0);
        prop_assert_eq!(eval(Op::Shl, &[x, z], &t), [u64::from(shl)]);
        let sar = (a as i32) >> c.min(31);
        prop_assert_eq!(eval(Op::Shr { signed: true }, &[x, z], &t), [u64::from(sar as u32)]);
        let sum = u64::from(a) + u64::from(b) + u64::from(c & 1);
        let carried = eval(Op::AddCarry, &[x, y, (1, u64::from(c & 1))], &[Type::I32, Type::I1]);
        prop_assert_eq!(carried, [sum & 0xffff_ffff, sum >> 32]);
        let top = if a == 0 { u32::MAX } else { a.ilog2() };
        let op = Op::FindHighest { signed: false, shift_amount: false };
        prop_assert_eq!(eval(op, &[x], &t), [u64::from(top)]);
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let mut picked = [0u8; 4];
        for (i, to) in picked.iter_mut().enumerate() {
            let nibble = c >> (4 * i) & 15;
            let byte = bytes[(nibble & 7) as usize];
            *to = if nibble & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
        }
        prop_assert_eq!(eval(Op::Permute, &[x, y, z], &t), [u64::from(u32::from_le_bytes(picked))]);
    }
}

#[test]
fn floats() {
    let f = |x: f32| (32, u64::from(x.to_bits()));
    let mode = FloatMode::default();
    let sum = eval(Op::FAdd(FloatFormat::F32, mode), &[f(1.5), f(2.25)], &[Type::I32]);
    assert_eq!(sum, [u64::from(3.75f32.to_bits())]);
    let compare = |compare| Op::FloatCompare { compare, format: FloatFormat::F32, ftz: false };
    for (relation, ordinary, with_nan) in [
        (FloatCompare::Ne, 1, 0),
        (FloatCompare::UNe, 1, 1),
        (FloatCompare::Lt, 1, 0),
        (FloatCompare::UGe, 0, 1),
        (FloatCompare::Ordered, 1, 0),
        (FloatCompare::Unordered, 0, 1),
    ] {
        assert_eq!(eval(compare(relation), &[f(1.0), f(2.0)], &[Type::I1]), [ordinary]);
        assert_eq!(eval(compare(relation), &[f(1.0), f(f32::NAN)], &[Type::I1]), [with_nan]);
    }
    let to_int = |bits| Op::FloatToInt { from: FloatFormat::F32, signed: true, bits, mode };
    assert_eq!(eval(to_int(8), &[f(-1000.0)], &[Type::I32]), [0xffff_ff80]);
    assert_eq!(eval(to_int(32), &[f(f32::NAN)], &[Type::I32]), [0]);
    assert_eq!(eval(to_int(64), &[f(f32::NAN)], &[Type::I64]), [1 << 63]);
}

/// What `Op::commutes` says is what evaluation shows: results of exchanged arguments are equal bit for bit, or differ for some of these values.
#[test]
fn what_commutes_and_what_does_not() {
    use Compare as C;
    use FloatFormat::{Bf16, F16, F32, F64};
    let mode = FloatMode::default();
    let mut ops: Vec<(Op, u32, Vec<Type>)> = Vec::new();
    for width in [32, 64] {
        let ty = if width == 32 { Type::I32 } else { Type::I64 };
        let plain = [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr { signed: true }];
        ops.extend(plain.map(|op| (op, width, vec![ty])));
        for signed in [false, true] {
            let both = [Op::Min { signed }, Op::Max { signed }, Op::Div { signed }, Op::Rem { signed }];
            ops.extend(both.map(|op| (op, width, vec![ty])));
        }
        let compares = [C::Eq, C::Ne, C::ULt, C::ULe, C::UGt, C::UGe, C::SLt, C::SLe, C::SGt, C::SGe];
        ops.extend(compares.map(|c| (Op::Compare(c), width, vec![Type::I1])));
    }
    for signed in [false, true] {
        ops.push((Op::MulHigh { signed }, 32, vec![Type::I32]));
        ops.push((Op::MulWide { signed }, 32, vec![Type::I64]));
    }
    ops.push((Op::AddCarry, 32, vec![Type::I32, Type::I1]));
    ops.push((Op::SubBorrow, 32, vec![Type::I32, Type::I1]));
    for format in [F16, Bf16, F32, F64] {
        let width = format.width();
        let ty = match width {
            16 => Type::I16,
            32 => Type::I32,
            _ => Type::I64,
        };
        ops.extend(
            [Op::FAdd(format, mode), Op::FMul(format, mode), Op::Fma(format, mode)]
                .map(|op| (op, width, vec![ty])),
        );
        for nan in [false, true].into_iter().filter(|_| format != F64) {
            ops.push((Op::FMin { format, ftz: false, nan }, width, vec![ty]));
            ops.push((Op::FMax { format, ftz: false, nan }, width, vec![ty]));
        }
        if format == F32 || format == F64 {
            ops.push((Op::FDiv(format, mode), width, vec![ty]));
        }
    }
    let values = |width: u32| -> Vec<u64> {
        let top = 1u64 << (width - 1);
        // Zeros of both signs, small numbers, infinities and NaNs with payloads of each format.
        let (one, inf) = match width {
            16 => (0x3c00, 0x7c00),
            32 => (0x3f80_0000, 0x7f80_0000),
            _ => (0x3ff0_0000_0000_0000, 0x7ff0_0000_0000_0000),
        };
        let all = u64::MAX >> (64 - width);
        vec![
            0,
            1,
            2,
            7,
            all,
            top,
            top - 1,
            one,
            one + 3,
            one | top,
            inf,
            inf | top,
            inf + 1,
            (inf + 5) | top,
            inf | inf >> 1 | 9,
        ]
    };
    for (op, width, types) in ops {
        let third: &[(u32, u64)] = match op {
            Op::AddCarry | Op::SubBorrow => &[(1, 0), (1, 1)],
            Op::Fma(..) => &[(0, 0), (0, 7)],
            _ => &[(99, 0)],
        };
        let mut differs = None;
        for &(kind, z) in third {
            for &x in &values(width) {
                for &y in &values(width) {
                    // What division by zero gives is nobody's promise.
                    if matches!(op, Op::Div { .. } | Op::Rem { .. }) && (x == 0 || y == 0) {
                        continue;
                    }
                    let rest: Vec<(u32, u64)> = match kind {
                        99 => vec![],
                        0 => vec![(width, z)],
                        width => vec![(width, z)],
                    };
                    let of = |a: u64, b: u64| {
                        eval(op, &[vec![(width, a), (width, b)], rest.clone()].concat(), &types)
                    };
                    if of(x, y) != of(y, x) {
                        differs = Some((x, y));
                    }
                }
            }
        }
        assert_eq!(op.commutes(), differs.is_none(), "{op:?} of {width} bits: {differs:x?}");
    }
}
