//! What each atomic operation writes, from the PTX ISA's definitions of `atom` and `red`.

use half::{bf16, f16};
use sassafras_semantics::{AtomicOp, FloatFormat, Trap};

/// The new value for `old`, both `8 × bytes` bits wide; higher bits of the result have no meaning.
///
/// # Errors
/// [`Trap::Unsupported`] if the operation lacks an operand, or has no such width.
pub fn apply(op: AtomicOp, bytes: u32, old: u128, operands: &[u128]) -> Result<u128, Trap> {
    let unsupported = || Trap::Unsupported(format!("{op:?} of {bytes} bytes"));
    let wide = match op {
        AtomicOp::AddF32 { .. } | AtomicOp::AddF16x2 | AtomicOp::AddBf16x2 => bytes == 4,
        AtomicOp::AddF64 => bytes == 8,
        AtomicOp::AddF16 | AtomicOp::AddBf16 => bytes == 2,
        AtomicOp::Exch | AtomicOp::Cas => true,
        AtomicOp::MinF32 { .. } | AtomicOp::MaxF32 { .. } => false,
        _ => bytes == 4 || bytes == 8,
    };
    let b = *operands.first().filter(|_| wide).ok_or_else(unsupported)?;
    let keep = if bytes >= 16 { u128::MAX } else { (1 << (8 * bytes)) - 1 };
    let (old, b) = (old & keep, b & keep);
    let signed = |v: u128| ((v << (128 - 8 * bytes)) as i128) >> (128 - 8 * bytes);
    Ok(match op {
        AtomicOp::Add => old.wrapping_add(b),
        AtomicOp::SMin => signed(old).min(signed(b)) as u128,
        AtomicOp::SMax => signed(old).max(signed(b)) as u128,
        AtomicOp::UMin => old.min(b),
        AtomicOp::UMax => old.max(b),
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Exch => b,
        AtomicOp::Cas => {
            let new = *operands.get(1).ok_or_else(unsupported)?;
            if old == b { new } else { old }
        }
        AtomicOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        AtomicOp::AddF32 { ftz } => u128::from(add_f32(old as u32, b as u32, ftz)),
        AtomicOp::AddF64 => u128::from(add_f64(old as u64, b as u64)),
        AtomicOp::AddF16 => u128::from(add_f16(old as u16, b as u16)),
        AtomicOp::AddBf16 => u128::from(add_bf16(old as u16, b as u16)),
        AtomicOp::AddF16x2 => pairwise(add_f16, old as u32, b as u32),
        AtomicOp::AddBf16x2 => pairwise(add_bf16, old as u32, b as u32),
        AtomicOp::MinF32 { .. } | AtomicOp::MaxF32 { .. } => return Err(unsupported()),
    } & keep)
}

fn pairwise(add: fn(u16, u16) -> u16, a: u32, b: u32) -> u128 {
    u128::from(add((a >> 16) as u16, (b >> 16) as u16)) << 16 | u128::from(add(a as u16, b as u16))
}

fn add_f32(a: u32, b: u32, ftz: bool) -> u32 {
    let flush = |v: f32| if ftz && v.is_subnormal() { 0f32.copysign(v) } else { v };
    let sum = flush(flush(f32::from_bits(a)) + flush(f32::from_bits(b)));
    if sum.is_nan() { FloatFormat::F32.canonical_nan() as u32 } else { sum.to_bits() }
}

fn add_f64(a: u64, b: u64) -> u64 {
    let sum = f64::from_bits(a) + f64::from_bits(b);
    if sum.is_nan() { FloatFormat::F64.canonical_nan() } else { sum.to_bits() }
}

// binary32 has more than twice the precision of either half format, and two more bits: rounding the binary32 sum once
// more is the same as rounding the exact sum.
fn add_f16(a: u16, b: u16) -> u16 {
    let sum = f16::from_bits(a).to_f32() + f16::from_bits(b).to_f32();
    if sum.is_nan() { FloatFormat::F16.canonical_nan() as u16 } else { f16::from_f32(sum).to_bits() }
}

fn add_bf16(a: u16, b: u16) -> u16 {
    let sum = bf16::from_bits(a).to_f32() + bf16::from_bits(b).to_f32();
    if sum.is_nan() { FloatFormat::Bf16.canonical_nan() as u16 } else { bf16::from_f32(sum).to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four(op: AtomicOp, old: u32, b: u32) -> u32 {
        apply(op, 4, old.into(), &[b.into()]).expect("supported") as u32
    }

    #[test]
    fn integers() {
        assert_eq!(four(AtomicOp::Add, u32::MAX, 2), 1);
        assert_eq!(four(AtomicOp::SMin, 1, u32::MAX), u32::MAX);
        assert_eq!(four(AtomicOp::SMax, 1, u32::MAX), 1);
        assert_eq!(four(AtomicOp::UMin, 1, u32::MAX), 1);
        assert_eq!(four(AtomicOp::UMax, 1, u32::MAX), u32::MAX);
        assert_eq!(
            (four(AtomicOp::Inc, 4, 5), four(AtomicOp::Inc, 5, 5), four(AtomicOp::Inc, 9, 5)),
            (5, 0, 0)
        );
        assert_eq!(
            (four(AtomicOp::Dec, 4, 5), four(AtomicOp::Dec, 0, 5), four(AtomicOp::Dec, 9, 5)),
            (3, 5, 5)
        );
        assert_eq!(apply(AtomicOp::Cas, 8, 7, &[7, 1 << 63]), Ok(1 << 63));
        assert_eq!(apply(AtomicOp::Cas, 8, 8, &[7, 1]), Ok(8));
        assert!(apply(AtomicOp::Cas, 8, 8, &[7]).is_err());
        assert!(apply(AtomicOp::Add, 2, 8, &[7]).is_err());
    }

    #[test]
    fn floats() {
        let f = f32::to_bits;
        assert_eq!(four(AtomicOp::AddF32 { ftz: false }, f(1.5), f(2.0)), f(3.5));
        assert_eq!(four(AtomicOp::AddF32 { ftz: false }, 1, 1), 2);
        assert_eq!(four(AtomicOp::AddF32 { ftz: true }, 0x8000_0001, 0x8000_0001), 0x8000_0000);
        assert_eq!(four(AtomicOp::AddF32 { ftz: true }, f(f32::INFINITY), f(f32::NEG_INFINITY)), 0x7fff_ffff);
        assert_eq!(four(AtomicOp::AddF16x2, 0x3c00_4000, 0x3c00_3c00), 0x4000_4200);
        assert_eq!(four(AtomicOp::AddBf16x2, 0x3f80_4000, 0x3f80_3f80), 0x4000_4040);
    }
}
