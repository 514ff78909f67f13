//! What the words of a mnemonic say of the matrices.

use crate::checked::Type;
use sassafras_semantics::FloatFormat;

/// Elements of a fragment as far as they decide where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `.f16` and `.bf16`: two in a register.
    Half,
    /// `.tf32`
    Tf32,
    /// `.f64`
    Double,
    /// `.u8` and `.s8`: four in a register.
    Byte,
    /// `.u4` and `.s4`: eight in a register.
    Nibble,
    /// `.b1`: 32 in a register.
    Bit,
    /// `.f32` and `.s32` of C and D.
    Word,
}

impl Element {
    pub(super) fn of(ty: Type) -> Option<Element> {
        Some(match ty {
            Type::F(FloatFormat::F16 | FloatFormat::Bf16) => Element::Half,
            Type::Tf32 => Element::Tf32,
            Type::F(FloatFormat::F64) => Element::Double,
            Type::U(8) | Type::S(8) => Element::Byte,
            Type::U(4) | Type::S(4) => Element::Nibble,
            Type::B(1) => Element::Bit,
            Type::F(FloatFormat::F32) | Type::S(32) => Element::Word,
            _ => return None,
        })
    }
}

/// One of the matrices of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    A,
    B,
    /// C or D.
    Sum,
}

/// What the words of a mnemonic say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) m: u32,
    pub(super) n: u32,
    pub(super) k: u32,
}

impl Shape {
    pub(super) fn of(words: &[&'static str]) -> Option<Shape> {
        let text = words.iter().find(|w| w.starts_with('m') && w.contains('n') && w.contains('k'))?;
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }

    /// m8n32k16 is computed as its transpose, so that the left factor has 16 rows at a time.
    pub(super) fn transposed(self) -> bool {
        self.n == 32
    }
}
