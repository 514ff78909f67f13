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
