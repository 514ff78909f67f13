//! The tokens of matrix operations: `m16n8k16-f16-f16-f32-f32-multiply-wrap-rn` and `x4-trans`.

use super::token::Token;
use sassafras_semantics::matrix::{Element, Product};
use sassafras_semantics::{Matrices, Mma, Rounding};

const ELEMENTS: [(Element, &str); 13] = [
    (Element::F16, "f16"),
    (Element::Bf16, "bf16"),
    (Element::Tf32, "tf32"),
    (Element::E4m3, "e4m3"),
    (Element::E5m2, "e5m2"),
    (Element::F32, "f32"),
    (Element::F64, "f64"),
    (Element::S32, "s32"),
    (Element::U8, "u8"),
    (Element::S8, "s8"),
    (Element::U4, "u4"),
    (Element::S4, "s4"),
    (Element::B1, "b1"),
];
const PRODUCTS: [(Product, &str); 3] =
    [(Product::Multiply, "multiply"), (Product::XorPopc, "xorpopc"), (Product::AndPopc, "andpopc")];
const ROUNDINGS: [(Rounding, &str); 5] = [
    (Rounding::NearestEven, "rn"),
    (Rounding::Zero, "rz"),
    (Rounding::Down, "rm"),
    (Rounding::Up, "rp"),
    (Rounding::NearestAway, "rna"),
];
const SHAPES: [(u32, u32, u32); 10] = [
    (8, 8, 4),
    (8, 8, 16),
    (8, 8, 128),
    (16, 8, 4),
    (16, 8, 8),
    (16, 8, 16),
    (16, 8, 32),
    (16, 8, 64),
    (16, 8, 128),
    (16, 8, 256),
];

fn word<T: PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table.iter().find(|(v, _)| *v == value).map_or("?", |row| row.1)
}

fn value<T: Copy>(table: &[(T, &str)], word: &str) -> Option<T> {
    table.iter().find(|(_, w)| *w == word).map(|row| row.0)
}

impl Token for Mma {
    type Value = Mma;
    fn write(m: Mma) -> String {
        let of = |e| word(&ELEMENTS, e);
        format!(
            "m{}n{}k{}-{}-{}-{}-{}-{}-{}-{}",
            m.m,
            m.n,
            m.k,
            of(m.d),
            of(m.a),
            of(m.b),
            of(m.c),
            word(&PRODUCTS, m.product),
            if m.saturate { "clamp" } else { "wrap" },
            word(&ROUNDINGS, m.rounding)
        )
    }
    fn read(text: &str) -> Option<Mma> {
        let parts: Vec<&str> = text.split('-').collect();
        let &[shape, d, a, b, c, product, saturate, rounding] = &parts[..] else { return None };
        let (m, rest) = shape.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let size = (m.parse().ok()?, n.parse().ok()?, k.parse().ok()?);
        let &(m, n, k) = SHAPES.iter().find(|s| **s == size)?;
        let of = |w| value(&ELEMENTS, w);
        let saturate = match saturate {
            "clamp" => true,
            "wrap" => false,
            _ => return None,
        };
        Some(Mma {
            m,
            n,
            k,
            a: of(a)?,
            b: of(b)?,
            c: of(c)?,
            d: of(d)?,
            product: value(&PRODUCTS, product)?,
            saturate,
            rounding: value(&ROUNDINGS, rounding)?,
        })
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> Mma {
        let mut pick = |n: usize| random() as usize % n;
        let (m, n, k) = SHAPES[pick(SHAPES.len())];
        Mma {
            m,
            n,
            k,
            a: ELEMENTS[pick(ELEMENTS.len())].0,
            b: ELEMENTS[pick(ELEMENTS.len())].0,
            c: ELEMENTS[pick(ELEMENTS.len())].0,
            d: ELEMENTS[pick(ELEMENTS.len())].0,
            product: PRODUCTS[pick(PRODUCTS.len())].0,
            saturate: pick(2) == 0,
            rounding: ROUNDINGS[pick(ROUNDINGS.len())].0,
        }
    }
}

impl Token for Matrices {
    type Value = Matrices;
    fn write(m: Matrices) -> String {
        format!("x{}{}", m.count, if m.transpose { "-trans" } else { "" })
    }
    fn read(text: &str) -> Option<Matrices> {
        let (count, transpose) = match text.strip_suffix("-trans") {
            Some(count) => (count, true),
            None => (text, false),
        };
        let count = count.strip_prefix('x')?.parse().ok().filter(|n| matches!(n, 1 | 2 | 4))?;
        Some(Matrices { count, transpose })
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> Matrices {
        Matrices { count: [1, 2, 4][random() as usize % 3], transpose: random() & 1 == 0 }
    }
}
