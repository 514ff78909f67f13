//! How a result is compared with what is expected.

use crate::data::{Data, Type};
use half::f16;
use serde::Deserialize;

/// How an output buffer is compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", tag = "compare", deny_unknown_fields)]
pub enum Compare {
    /// Every bit, except that any NaN equals any NaN in a floating buffer.
    Exact,
    /// Each element within `ulp` units in the last place, because the named function is an approximation.
    Ulp {
        /// Largest distance allowed, in units in the last place of the element's type.
        ulp: u64,
        /// The function that needs it.
        because: String,
    },
    /// The same elements in any order: compared after sorting by bits.
    Unordered,
}

/// The first difference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("element {index}: expected {expected}, got {got}{note}")]
pub struct Mismatch {
    /// Which element (after sorting, when unordered).
    pub index: usize,
    /// Expected value, for people.
    pub expected: String,
    /// Value found, for people.
    pub got: String,
    /// The distance, or what else there is to say.
    pub note: String,
}

impl Compare {
    /// Compares `got` with `expected`, both little-endian elements of `ty`.
    ///
    /// # Errors
    /// The first element that differs more than allowed, or a difference in length.
    pub fn check(&self, ty: Type, expected: &[u8], got: &[u8]) -> Result<(), Mismatch> {
        if expected.len() != got.len() {
            return Err(Mismatch {
                index: expected.len().min(got.len()) / ty.bytes(),
                expected: format!("{} bytes", expected.len()),
                got: format!("{} bytes", got.len()),
                note: String::new(),
            });
        }
        let size = ty.bytes();
        let (mut a, mut b): (Vec<&[u8]>, Vec<&[u8]>) =
            (expected.chunks_exact(size).collect(), got.chunks_exact(size).collect());
        if *self == Compare::Unordered {
            a.sort_unstable();
            b.sort_unstable();
        }
        let allowed = if let Compare::Ulp { ulp, .. } = self { *ulp } else { 0 };
        for (index, (x, y)) in a.iter().zip(&b).enumerate() {
            if x == y {
                continue;
            }
            let distance = distance(ty, x, y);
            if distance.is_none_or(|d| d > allowed) {
                let note = match distance {
                    Some(d) if ty.is_float() => format!(" ({d} ulp apart, {allowed} allowed)"),
                    _ => String::new(),
                };
                return Err(Mismatch { index, expected: show(ty, x), got: show(ty, y), note });
            }
        }
        Ok(())
    }
}

/// Distance in units in the last place: NaN to NaN is 0, NaN to a number is infinite (`None`), and so is any difference
/// between whole numbers.
fn distance(ty: Type, x: &[u8], y: &[u8]) -> Option<u64> {
    // Monotone map of the bits to whole numbers; the two zeros are one apart from their neighbours but not from each other.
    fn line(bits: u64, width: u32) -> i128 {
        let sign = 1u64 << (width - 1);
        if bits & sign != 0 { -i128::from(bits & !sign) } else { i128::from(bits) }
    }
    let (a, b, nan_a, nan_b, width) = match (Data::from_bytes(ty, x), Data::from_bytes(ty, y)) {
        (Data::F16(a), Data::F16(b)) => {
            let (a, b) = (*a.first()?, *b.first()?);
            (a.into(), b.into(), f16::from_bits(a).is_nan(), f16::from_bits(b).is_nan(), 16)
        }
        (Data::F32(a), Data::F32(b)) => {
            let (a, b) = (a.first()?, b.first()?);
            (a.to_bits().into(), b.to_bits().into(), a.is_nan(), b.is_nan(), 32)
        }
        (Data::F64(a), Data::F64(b)) => {
            let (a, b) = (a.first()?, b.first()?);
            (a.to_bits(), b.to_bits(), a.is_nan(), b.is_nan(), 64)
        }
        _ => return None,
    };
    match (nan_a, nan_b) {
        (true, true) => Some(0),
        (false, false) => {
            let d = line(a, width).abs_diff(line(b, width)) as u64;
            // Signed zeros sit on one point of the line but are different bits.
            Some(if d == 0 { 1 } else { d })
        }
        _ => None,
    }
}

fn show(ty: Type, bytes: &[u8]) -> String {
    let hex: String = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
    let value = match Data::from_bytes(ty, bytes) {
        Data::F16(v) => v.first().map(|x| f16::from_bits(*x).to_string()),
        Data::F32(v) => v.first().map(f32::to_string),
        Data::F64(v) => v.first().map(f64::to_string),
        Data::S8(v) => v.first().map(i8::to_string),
        Data::S16(v) => v.first().map(i16::to_string),
        Data::S32(v) => v.first().map(i32::to_string),
        Data::S64(v) => v.first().map(i64::to_string),
        Data::U8(v) => v.first().map(u8::to_string),
        Data::U16(v) => v.first().map(u16::to_string),
        Data::U32(v) => v.first().map(u32::to_string),
        Data::U64(v) => v.first().map(u64::to_string),
    };
    format!("{} (0x{hex})", value.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(v: &[f32]) -> Vec<u8> {
        Data::F32(v.to_vec()).to_bytes()
    }

    #[test]
    fn exact_sees_one_bit_and_signed_zero_but_not_nan_payloads() {
        let c = Compare::Exact;
        assert!(c.check(Type::F32, &f32s(&[1.0]), &f32s(&[1.0000001])).is_err());
        assert!(c.check(Type::F32, &f32s(&[0.0]), &f32s(&[-0.0])).is_err());
        assert!(c.check(Type::F32, &f32s(&[f32::NAN]), &f32s(&[-f32::NAN])).is_ok());
        assert!(c.check(Type::F32, &f32s(&[f32::NAN]), &f32s(&[1.0])).is_err());
        assert!(c.check(Type::U32, &[1, 0, 0, 0], &[1, 0, 0, 0, 0]).is_err());
    }

    #[test]
    fn ulp_counts_steps_across_zero() {
        let c = Compare::Ulp { ulp: 2, because: "rsqrtf".into() };
        assert!(c.check(Type::F32, &f32s(&[f32::from_bits(1)]), &f32s(&[-f32::from_bits(1)])).is_ok());
        assert!(c.check(Type::F32, &f32s(&[1.0]), &f32s(&[f32::from_bits(0x3f80_0003)])).is_err());
        assert!(c.check(Type::F32, &f32s(&[1.0]), &f32s(&[f32::from_bits(0x3f80_0002)])).is_ok());
    }

    #[test]
    fn unordered_ignores_order_and_nothing_else() {
        let c = Compare::Unordered;
        assert!(c.check(Type::U8, &[3, 1, 2], &[2, 3, 1]).is_ok());
        assert!(c.check(Type::U8, &[3, 1, 2], &[2, 2, 1]).is_err());
    }
}
