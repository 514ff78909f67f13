//! Types.

use sassafras_semantics::FloatFormat;

/// A fundamental type (PTX ISA, "Fundamental Types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `.pred`
    Pred,
    /// `.bN`: 8, 16, 32, 64 or 128 bits.
    B(u8),
    /// `.uN`
    U(u8),
    /// `.sN`
    S(u8),
    /// `.fN`, `.bf16`.
    F(FloatFormat),
    /// `.tf32`, which a register of 32 bits holds.
    Tf32,
    /// `.f16x2`
    F16x2,
    /// `.bf16x2`
    Bf16x2,
    /// `.u16x2`
    U16x2,
    /// `.s16x2`
    S16x2,
    /// `.f32x2`: two f32 in 64 bits.
    F32x2,
    /// Two numbers of an 8-bit format, which a register of 16 bits holds: `.e4m3x2 .e5m2x2`.
    Fp8x2(FloatFormat),
    /// A format that only unmodelled instructions name, and its width in bits: `.e2m1x2`, `.ue8m0`.
    Format(&'static str, u8),
}

impl Type {
    /// Width in bits; a predicate has one.
    pub const fn width(self) -> u32 {
        match self {
            Type::Pred => 1,
            Type::B(n) | Type::U(n) | Type::S(n) => n as u32,
            Type::F(f) => f.width(),
            Type::Fp8x2(_) => 16,
            Type::Format(_, n) => n as u32,
            Type::Tf32 | Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 => 32,
            Type::F32x2 => 64,
        }
    }
    /// Whether it is `.sN`.
    pub const fn signed(self) -> bool {
        matches!(self, Type::S(_))
    }
}

/// Types by the words that name them.
#[rustfmt::skip]
const NAMES: [(&str, Type); 50] = [
    ("pred", Type::Pred),
    ("b8", Type::B(8)), ("b16", Type::B(16)), ("b32", Type::B(32)), ("b64", Type::B(64)), ("b128", Type::B(128)),
    ("u8", Type::U(8)), ("u16", Type::U(16)), ("u32", Type::U(32)), ("u64", Type::U(64)),
    ("s8", Type::S(8)), ("s16", Type::S(16)), ("s32", Type::S(32)), ("s64", Type::S(64)),
    ("f16", Type::F(FloatFormat::F16)), ("bf16", Type::F(FloatFormat::Bf16)),
    ("f32", Type::F(FloatFormat::F32)), ("f64", Type::F(FloatFormat::F64)),
    ("f16x2", Type::F16x2), ("bf16x2", Type::Bf16x2), ("u16x2", Type::U16x2), ("s16x2", Type::S16x2), ("f32x2", Type::F32x2),
    // Elements of `cvt.pack` only.
    ("u2", Type::U(2)), ("s2", Type::S(2)), ("u4", Type::U(4)), ("s4", Type::S(4)),
    // Of `cvt` only.
    ("e4m3x2", Type::Fp8x2(FloatFormat::E4m3)), ("e5m2x2", Type::Fp8x2(FloatFormat::E5m2)),
    // Elements of `mma` only.
    ("tf32", Type::Tf32), ("b1", Type::B(1)),
    ("e4m3", Type::F(FloatFormat::E4m3)), ("e5m2", Type::F(FloatFormat::E5m2)),
    // Of unmodelled forms of `cvt`, `mma` and `multimem` only.
    ("e2m1x2", Type::Format("e2m1x2", 8)), ("e2m3x2", Type::Format("e2m3x2", 16)), ("e3m2x2", Type::Format("e3m2x2", 16)),
    ("ue8m0x2", Type::Format("ue8m0x2", 16)), ("s2f6x2", Type::Format("s2f6x2", 16)), ("e2m1x4", Type::Format("e2m1x4", 16)),
    ("e4m3x4", Type::Format("e4m3x4", 32)), ("e5m2x4", Type::Format("e5m2x4", 32)), ("e2m3x4", Type::Format("e2m3x4", 32)),
    ("e3m2x4", Type::Format("e3m2x4", 32)), ("u8x4", Type::Format("u8x4", 32)), ("s8x4", Type::Format("s8x4", 32)),
    ("e2m1", Type::Format("e2m1", 4)), ("e2m3", Type::Format("e2m3", 6)), ("e3m2", Type::Format("e3m2", 6)),
    ("ue8m0", Type::Format("ue8m0", 8)), ("ue4m3", Type::Format("ue4m3", 8)),
];

impl Type {
    /// The type that a word without its dot names.
    pub fn parse(word: &str) -> Option<Type> {
        NAMES.iter().find(|(name, _)| *name == word).map(|(_, ty)| *ty)
    }
    /// As written, without the dot.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, ty)| *ty == self).map_or("?", |(name, _)| name)
    }
    /// Size in bytes in memory.
    pub const fn bytes(self) -> u32 {
        self.width().div_ceil(8)
    }
}
