//! Typed buffers and their bytes, little-endian as on the device.

use serde::Deserialize;

/// The element type of a buffer or of a scalar parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    S8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    S16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    S32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    S64,
    /// IEEE binary16, held as its 16 bits.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Type {
    /// Size of one element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Type::U8 | Type::S8 => 1,
            Type::U16 | Type::S16 | Type::F16 => 2,
            Type::U32 | Type::S32 | Type::F32 => 4,
            Type::U64 | Type::S64 | Type::F64 => 8,
        }
    }

    /// The name as the launch descriptions and the `--arg` specifications of the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Type::U8 => "u8",
            Type::S8 => "s8",
            Type::U16 => "u16",
            Type::S16 => "s16",
            Type::U32 => "u32",
            Type::S32 => "s32",
            Type::U64 => "u64",
            Type::S64 => "s64",
            Type::F16 => "f16",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }

    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
    }
}

/// A buffer's contents by element type. Floats keep every bit, NaN payloads included, as long as they are only moved.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Data {
    U8(Vec<u8>),
    S8(Vec<i8>),
    U16(Vec<u16>),
    S16(Vec<i16>),
    U32(Vec<u32>),
    S32(Vec<i32>),
    U64(Vec<u64>),
    S64(Vec<i64>),
    /// Bits of binary16.
    F16(Vec<u16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

macro_rules! each {
    ($data:expr, $v:ident => $e:expr) => {
        match $data {
            Data::U8($v) => $e,
            Data::S8($v) => $e,
            Data::U16($v) => $e,
            Data::S16($v) => $e,
            Data::U32($v) => $e,
            Data::S32($v) => $e,
            Data::U64($v) => $e,
            Data::S64($v) => $e,
            Data::F16($v) => $e,
            Data::F32($v) => $e,
            Data::F64($v) => $e,
        }
    };
}

macro_rules! chunks {
    ($bytes:expr, $t:ty) => {
        $bytes
            .chunks_exact(size_of::<$t>())
            .map(|c| <$t>::from_le_bytes(c.try_into().expect("chunk of the type's size")))
            .collect()
    };
}

impl Data {
    /// Reads little-endian `bytes` as elements of `ty`; trailing bytes short of one element are dropped.
    pub fn from_bytes(ty: Type, bytes: &[u8]) -> Data {
        match ty {
            Type::U8 => Data::U8(bytes.to_vec()),
            Type::S8 => Data::S8(chunks!(bytes, i8)),
            Type::U16 => Data::U16(chunks!(bytes, u16)),
            Type::S16 => Data::S16(chunks!(bytes, i16)),
            Type::U32 => Data::U32(chunks!(bytes, u32)),
            Type::S32 => Data::S32(chunks!(bytes, i32)),
            Type::U64 => Data::U64(chunks!(bytes, u64)),
            Type::S64 => Data::S64(chunks!(bytes, i64)),
            Type::F16 => Data::F16(chunks!(bytes, u16)),
            Type::F32 => Data::F32(chunks!(bytes, f32)),
            Type::F64 => Data::F64(chunks!(bytes, f64)),
        }
    }

    /// The elements as little-endian bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        each!(self, v => v.iter().flat_map(|x| x.to_le_bytes()).collect())
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type.
    pub fn ty(&self) -> Type {
        match self {
            Data::U8(_) => Type::U8,
            Data::S8(_) => Type::S8,
            Data::U16(_) => Type::U16,
            Data::S16(_) => Type::S16,
            Data::U32(_) => Type::U32,
            Data::S32(_) => Type::S32,
            Data::U64(_) => Type::U64,
            Data::S64(_) => Type::S64,
            Data::F16(_) => Type::F16,
            Data::F32(_) => Type::F32,
            Data::F64(_) => Type::F64,
        }
    }
}

/// Rust element types that a kernel reference works on, and the [`Data`] variant that holds them.
///
/// `u16` stands for `u16` alone; a reference that wants the bits of binary16 asks for [`Data::F16`] by hand.
pub trait Element: Copy + Default {
    /// The variant's vector, or `None` when `data` holds another type.
    fn slice(data: &Data) -> Option<&[Self]>;
    /// Wraps a vector.
    fn wrap(v: Vec<Self>) -> Data;
}

macro_rules! element {
    ($($t:ty => $variant:ident),*) => {$(
        impl Element for $t {
            fn slice(data: &Data) -> Option<&[Self]> {
                match data { Data::$variant(v) => Some(v), _ => None }
            }
            fn wrap(v: Vec<Self>) -> Data { Data::$variant(v) }
        }
    )*};
}
element!(u8 => U8, i8 => S8, u16 => U16, i16 => S16, u32 => U32, i32 => S32, u64 => U64, i64 => S64, f32 => F32, f64 => F64);

/// The bits of the binary16 number nearest to `x`, ties to even.
///
/// Written here since `half::f16::from_f64` drops the low half of the fraction before it looks for ties.
pub fn round_to_f16(x: f64) -> u16 {
    if !x.is_finite() || x == 0.0 {
        return half::f16::from_f64(x).to_bits();
    }
    // The distance between neighbours: 2^-10 of the leading power of two, 2^-24 below the normal numbers.
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let unit = 2.0f64.powi(exponent - 10);
    // Scaling by a power of two and rounding to whole are exact, so the value below is a binary16 number or overflows.
    half::f16::from_f64((x / unit).round_ties_even() * unit).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_half_precision() {
        for bits in (0..0x7c00u16).step_by(7) {
            let (x, y) = (half::f16::from_bits(bits).to_f64(), half::f16::from_bits(bits + 1).to_f64());
            assert_eq!(round_to_f16(x), bits);
            let middle = if y.is_finite() { (x + y) / 2.0 } else { 65520.0 };
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            assert_eq!(round_to_f16(middle), even, "{x}");
            assert_eq!(round_to_f16(middle * (1.0 + 1e-13)), bits + 1, "{x}");
            assert_eq!(round_to_f16(-middle * (1.0 - 1e-13)), bits | 0x8000, "{x}");
        }
        assert_eq!(round_to_f16(1e30), 0x7c00);
    }
}
