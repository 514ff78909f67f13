//! Comparison of output buffers: exact, within N units in the last place, or unordered.

use half::{bf16, f16};
use std::fmt;

/// Type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Unsigned integer of 8, 16, 32 or 64 bits.
    U(u8),
    /// Signed integer of 8, 16, 32 or 64 bits.
    S(u8),
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Element {
    /// The type that a `--arg` specification names so.
    pub fn named(name: &str) -> Option<Element> {
        Some(match name {
            "u8" => Element::U(8),
            "u16" => Element::U(16),
            "u32" => Element::U(32),
            "u64" => Element::U(64),
            "s8" => Element::S(8),
            "s16" => Element::S(16),
            "s32" => Element::S(32),
            "s64" => Element::S(64),
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "f32" => Element::F32,
            "f64" => Element::F64,
            _ => return None,
        })
    }

    /// Width in bits.
    pub const fn width(self) -> u32 {
        match self {
            Element::U(n) | Element::S(n) => n as u32,
            Element::F16 | Element::Bf16 => 16,
            Element::F32 => 32,
            Element::F64 => 64,
        }
    }

    /// The bits of positive infinity, for a float.
    const fn infinity(self) -> Option<u64> {
        match self {
            Element::U(_) | Element::S(_) => None,
            Element::F16 => Some(0x7c00),
            Element::Bf16 => Some(0x7f80),
            Element::F32 => Some(0x7f80_0000),
            Element::F64 => Some(0x7ff0_0000_0000_0000),
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        let sign = 1 << (self.width() - 1);
        self.infinity().is_some_and(|inf| bits & !sign > inf)
    }

    /// Distance in units in the last place; `None` if it is none (a NaN and a number, or integers that differ).
    pub fn distance(self, a: u64, b: u64) -> Option<u64> {
        if a == b || (self.is_nan(a) && self.is_nan(b)) {
            return Some(0);
        }
        if self.infinity().is_none() || self.is_nan(a) || self.is_nan(b) {
            return None;
        }
        let sign = 1u64 << (self.width() - 1);
        // Monotone map of the bits to whole numbers; the two zeros share a place but are different bits.
        let line = |v: u64| if v & sign != 0 { -i128::from(v & !sign) } else { i128::from(v) };
        Some((line(a).abs_diff(line(b)) as u64).max(1))
    }

    /// The value for people.
    pub fn show(self, bits: u64) -> String {
        let digits = self.width() as usize / 4;
        let value = match self {
            Element::U(_) => bits.to_string(),
            Element::S(n) => (((bits << (64 - n)) as i64) >> (64 - n)).to_string(),
            Element::F16 => f16::from_bits(bits as u16).to_string(),
            Element::Bf16 => bf16::from_bits(bits as u16).to_string(),
            Element::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Element::F64 => format!("{:?}", f64::from_bits(bits)),
        };
        format!("{value} (0x{bits:0digits$x})")
    }
}

/// How buffers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Every bit, but any NaN equals any NaN in a float buffer.
    Exact,
    /// Floats within so many units in the last place.
    Ulp(u64),
    /// The same elements in any order.
    Unordered,
}

/// The first difference of two buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index of the element (of the sorted elements if unordered).
    pub index: usize,
    /// How many elements differ in all.
    pub count: usize,
    /// Elements in all.
    pub of: usize,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// Distance of the first difference in units in the last place, where there is one.
    pub ulp: Option<u64>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}: expected {}, found {}", self.index, self.expected, self.found)?;
        if let Some(ulp) = self.ulp {
            write!(f, ", {ulp} ulp apart")?;
        }
        write!(f, " ({} of {} elements differ)", self.count, self.of)
    }
}

fn elements(ty: Element, bytes: &[u8]) -> Vec<u64> {
    let size = ty.width() as usize / 8;
    bytes.chunks(size).map(|c| crate::memory::number(c) as u64).collect()
}

/// Compares buffers of little-endian elements; a last piece shorter than an element counts as one.
///
/// # Errors
/// The first difference. Buffers of different lengths differ at the end of the shorter.
pub fn compare(ty: Element, how: Comparison, expected: &[u8], found: &[u8]) -> Result<(), Difference> {
    let (mut a, mut b) = (elements(ty, expected), elements(ty, found));
    if expected.len() != found.len() {
        let size = |n: usize| format!("{n} bytes");
        let (index, of) = (a.len().min(b.len()), a.len());
        let (expected, found) = (size(expected.len()), size(found.len()));
        return Err(Difference { index, count: of.abs_diff(b.len()).max(1), of, expected, found, ulp: None });
    }
    if how == Comparison::Unordered {
        a.sort_unstable();
        b.sort_unstable();
    }
    let allowed = if let Comparison::Ulp(n) = how { n } else { 0 };
    let differ = |i: &usize| a[*i] != b[*i] && ty.distance(a[*i], b[*i]).is_none_or(|d| d > allowed);
    let mut differences = (0..a.len()).filter(differ);
    let Some(index) = differences.next() else { return Ok(()) };
    let (x, y) = (a[index], b[index]);
    let ulp = ty.distance(x, y);
    let count = 1 + differences.count();
    Err(Difference { index, count, of: a.len(), expected: ty.show(x), found: ty.show(y), ulp })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(v: &[f32]) -> Vec<u8> {
        v.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn exact_sees_one_bit_and_signed_zero_but_no_payloads() {
        let check = |a: &[f32], b: &[f32]| compare(Element::F32, Comparison::Exact, &f32s(a), &f32s(b));
        assert_eq!(check(&[1.0, f32::NAN], &[1.0, -f32::NAN]), Ok(()));
        let d = check(&[1.0, 0.0, 2.0], &[1.0, -0.0, 3.0]).expect_err("differs");
        assert_eq!((d.index, d.count, d.of), (1, 2, 3));
        assert_eq!(
            d.to_string(),
            "element 1: expected 0.0 (0x00000000), found -0.0 (0x80000000), 1 ulp apart (2 of 3 elements differ)"
        );
        assert!(check(&[f32::NAN], &[1.0]).is_err());
        assert!(check(&[1.0], &[1.0, 1.0]).is_err());
    }

    #[test]
    fn ulp_counts_across_zero() {
        let check =
            |n, a: u32, b: u32| compare(Element::F32, Comparison::Ulp(n), &a.to_le_bytes(), &b.to_le_bytes());
        assert!(check(2, 1, 0x8000_0001).is_ok());
        assert!(check(1, 1, 0x8000_0001).is_err());
        assert!(check(1 << 40, 0x7f80_0001, 1).is_err());
        assert!(compare(Element::S(16), Comparison::Ulp(9), &[1, 0], &[2, 0]).is_err());
    }

    #[test]
    fn unordered_ignores_order_alone() {
        let check = |a: &[u8], b: &[u8]| compare(Element::U(8), Comparison::Unordered, a, b);
        assert!(check(&[3, 1, 2], &[1, 2, 3]).is_ok());
        assert!(check(&[3, 1, 2], &[1, 2, 2]).is_err());
    }
}
