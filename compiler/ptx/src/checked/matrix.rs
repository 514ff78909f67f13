//! What the modifiers of matrix instructions mean.

use super::{BoolOp, Inst, Type};
use sassafras_semantics::matrix::{Element, Matrices, Mma, Product};
use sassafras_semantics::{FloatFormat, Rounding};

/// The element that a type suffix names.
fn element(ty: Type) -> Option<Element> {
    Some(match ty {
        Type::F(FloatFormat::F16) => Element::F16,
        Type::F(FloatFormat::Bf16) => Element::Bf16,
        Type::F(FloatFormat::F32) => Element::F32,
        Type::F(FloatFormat::F64) => Element::F64,
        Type::Tf32 => Element::Tf32,
        Type::U(8) => Element::U8,
        Type::S(8) => Element::S8,
        Type::S(32) => Element::S32,
        Type::B(1) => Element::B1,
        _ => return None,
    })
}

/// Rows, columns and inner size of `mMnNkK`.
fn shape(text: &str) -> Option<(u32, u32, u32)> {
    let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}

impl Inst {
    /// The product that an `mma` asks for; `None` for what is none.
    pub fn mma(&self) -> Option<Mma> {
        let (m, n, k) = shape(self.mods.mode?)?;
        let [d, a, b, c] = self.types[..] else { return None };
        let product =
            if self.mods.bool_op == Some(BoolOp::And) { Product::AndPopc } else { Product::Multiply };
        Some(Mma {
            m,
            n,
            k,
            a: element(a)?,
            b: element(b)?,
            c: element(c)?,
            d: element(d)?,
            product,
            saturate: self.mods.satfinite,
            rounding: Rounding::NearestEven,
        })
    }

    /// The matrices that `ldmatrix` and `stmatrix` move.
    pub fn matrices(&self) -> Matrices {
        Matrices { count: self.mods.lanes(), transpose: self.mods.mode == Some("trans") }
    }
}
