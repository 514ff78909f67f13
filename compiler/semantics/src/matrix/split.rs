//! Products of integers as sums of products of bytes, eight rows and sixteen columns of A each: one law for both sides of a proof.
//!
//! Integer sums are exact: the longest has 256 products of at most 16 bits, so that nothing wraps before C is added. Rows do not depend on one another,
//! columns of A with their rows of B may be summed in any order, and both factors may be permuted alike. So a product is the sum of what its registers
//! give two by two, a nibble counts as the byte of its value, and the matches of bits are the products of bytes that are 0 or 1. Where a factor of such a
//! product is zero in every lane nothing is asked.

use super::{Element, Mma, Operand, Product};
use crate::domain::{BinaryOp, CompareOp, Domain};

/// A product that [`products`] asks for, and its factors: one register of A and of B. C is zero, and D two registers.
pub type Small<V> = (Mma, [V; 2]);

/// The registers of D, if this is such a product. `args` are the registers of A, B and C; `is_zero` says what is zero in all lanes.
///
/// # Errors
/// Those of `ask`.
pub fn products<D: Domain, E>(
    d: &D,
    mma: &Mma,
    args: &[D::V],
    is_zero: impl Fn(&D::V) -> bool,
    mut ask: impl FnMut(Small<D::V>) -> Result<[D::V; 2], E>,
) -> Result<Option<Vec<D::V>>, E> {
    let count = |operand| mma.registers(operand) as usize;
    let (a, b) = (count(Operand::A), count(Operand::B));
    let (Some(left), Some(right)) = (bytes(mma.a), bytes(mma.b)) else { return Ok(None) };
    let counts_bits = mma.a == Element::B1 && mma.product == Product::AndPopc;
    let multiplies = mma.a != Element::B1 && mma.product == Product::Multiply;
    if mma.d != Element::S32 || !(counts_bits || multiplies) || args.len() != a + b + count(Operand::C) {
        return Ok(None);
    }
    let halves = mma.m as usize / 8;
    let small = Mma { m: 8, k: 16, a: left, b: right, product: Product::Multiply, saturate: false, ..*mma };
    let mut sums: Vec<Option<D::V>> = vec![None; 2 * halves];
    for part in 0..8 / mma.a.width() {
        for block in 0..b {
            let second = widened(d, mma.b, &args[a + block], part);
            for half in 0..halves {
                let first = widened(d, mma.a, &args[half + halves * block], part);
                if is_zero(&first) || is_zero(&second) {
                    continue;
                }
                for (sum, more) in sums[2 * half..].iter_mut().zip(ask((small, [first, second.clone()]))?) {
                    *sum = Some(sum.as_ref().map_or_else(|| more.clone(), |sum| d.add(sum, &more)));
                }
            }
        }
    }
    let all = args[a + b..].iter().zip(sums).map(|(c, sum)| match sum {
        None => c.clone(),
        Some(sum) if mma.saturate => clamped(d, c, &sum),
        Some(sum) => d.add(c, &sum),
    });
    Ok(Some(all.collect()))
}

/// The element of bytes that stand for these.
const fn bytes(element: Element) -> Option<Element> {
    Some(match element {
        Element::U8 | Element::U4 | Element::B1 => Element::U8,
        Element::S8 | Element::S4 => Element::S8,
        _ => return None,
    })
}

/// Every second nibble or every eighth bit of a register from number `part` on, each as a byte; bytes as they are.
fn widened<D: Domain>(d: &D, element: Element, register: &D::V, part: u32) -> D::V {
    let number = |n| d.constant(32, n);
    let right = |v: &D::V, by: u32| d.binary(BinaryOp::LShr, v, &number(by.into()));
    let nibbles = || match part {
        0 => d.and(register, &number(0x0f0f_0f0f)),
        _ => right(&d.and(register, &number(0xf0f0_f0f0)), 4),
    };
    match element {
        Element::B1 => d.and(&right(register, part), &number(0x0101_0101)),
        Element::U4 => nibbles(),
        Element::S4 => {
            // The sign of each fourth bit into those above it.
            let low = nibbles();
            let signs = d.mul(&d.and(&low, &number(0x0808_0808)), &number(0x1e));
            d.or(&low, &signs)
        }
        _ => register.clone(),
    }
}

/// The sum, clamped to 32 bits with sign.
fn clamped<D: Domain>(d: &D, c: &D::V, sum: &D::V) -> D::V {
    let exact = d.add(&d.sext(c, 34), &d.sext(sum, 34));
    let (low, high) = (d.constant(34, i128::from(i32::MIN) as u128), d.constant(34, i32::MAX as u128));
    let above = d.ite(&d.compare(CompareOp::SLt, &exact, &low), &low, &exact);
    let within = d.ite(&d.compare(CompareOp::SLt, &high, &above), &high, &above);
    d.extract(&within, 0, 32)
}
