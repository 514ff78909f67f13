//! Matrix operations as pure functions of the registers of all 32 lanes, from the PTX ISA's definitions.

use sassafras_semantics::matrix::{Element, Matrices, Mma, Operand, Product, place_16};
use sassafras_semantics::{Bits, Chooser, Concrete, Domain, FloatFormat, FloatMode, FloatOp, Rounding, Trap};

/// The registers that each lane gives, in order.
pub type Lanes<'a> = [&'a [Bits]; 32];

/// The bits of element `part` of a register.
fn element(bits: u128, element: Element, part: u32) -> u64 {
    let mask = if element.width() == 64 { u64::MAX } else { (1 << element.width()) - 1 };
    (bits >> (part * element.width())) as u64 & mask
}

/// An operand as a matrix of bits, row by row; its registers stand from `first` on in the arguments.
fn matrix(mma: &Mma, operand: Operand, lanes: &Lanes<'_>, first: u32) -> Vec<Vec<u64>> {
    let (rows, columns) = mma.size(operand);
    let kind = mma.element(operand);
    let mut all = vec![vec![0; columns as usize]; rows as usize];
    for (lane, registers) in lanes.iter().enumerate() {
        for register in 0..mma.registers(operand) {
            let bits = registers.get((first + register) as usize).map_or(0, |v| v.bits());
            for part in 0..kind.per_register() {
                let (row, column) = mma.place(operand, lane as u32, register, part);
                all[row as usize][column as usize] = element(bits, kind, part);
            }
        }
    }
    all
}

/// A float format whose bits are those of the element.
fn format(element: Element) -> Option<FloatFormat> {
    Some(match element {
        Element::F16 => FloatFormat::F16,
        Element::Bf16 => FloatFormat::Bf16,
        Element::Tf32 | Element::F32 => FloatFormat::F32,
        Element::F64 => FloatFormat::F64,
        _ => return None,
    })
}

/// The value of a float element, exactly.
fn float(d: &Concrete, element: Element, bits: u64) -> Option<f64> {
    let (format, bits) = match element {
        Element::Tf32 => (FloatFormat::F32, bits & !0x1fff),
        // FP8: the exponent and fraction of E5M2 are those of binary16.
        Element::E5m2 => (FloatFormat::F16, bits << 8),
        Element::E4m3 => return Some(e4m3(bits as u8)),
        _ => (format(element)?, bits),
    };
    let wide = Bits::new(format.width(), bits.into());
    let wide = match format {
        FloatFormat::F64 => wide,
        _ => d.float_to_float(format, FloatFormat::F64, FloatMode::default(), &wide),
    };
    Some(f64::from_bits(wide.bits() as u64))
}

/// E4M3: bias 7, no infinities, one NaN.
fn e4m3(bits: u8) -> f64 {
    let (sign, exponent, fraction) = (bits >> 7, i32::from(bits >> 3 & 15), f64::from(bits & 7));
    let value = match (exponent, bits & 7) {
        (15, 7) => f64::NAN,
        (0, _) => fraction * 2f64.powi(-9),
        _ => (8.0 + fraction) * 2f64.powi(exponent - 10),
    };
    if sign == 1 { -value } else { value }
}

/// The integer that an element's bits mean.
fn integer(element: Element, bits: u64) -> i64 {
    let signed = |width: u32| (bits as i64) << (64 - width) >> (64 - width);
    match element {
        Element::S4 => signed(4),
        Element::S8 => signed(8),
        Element::S32 => signed(32),
        _ => bits as i64,
    }
}

/// How a sum in binary32 or binary16 is rounded: the ISA leaves order and rounding open.
fn rounding(chooser: Chooser, sum: f64) -> Rounding {
    match chooser {
        Chooser::Nearest => Rounding::NearestEven,
        Chooser::Lowest => Rounding::Down,
        Chooser::Highest => Rounding::Up,
        Chooser::Seeded(seed) => match (seed ^ sum.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 {
            0 => Rounding::NearestEven,
            1 => Rounding::Down,
            2 => Rounding::Up,
            _ => Rounding::Zero,
        },
    }
}

/// One element of D.
fn sum(d: &Concrete, mma: &Mma, pairs: &[(u64, u64)], c: u64) -> Option<u64> {
    match mma.d {
        Element::S32 => {
            let product = |&(a, b): &(u64, u64)| match mma.product {
                Product::Multiply => integer(mma.a, a) * integer(mma.b, b),
                Product::XorPopc => (a ^ b) as i64,
                Product::AndPopc => (a & b) as i64,
            };
            let all = integer(mma.c, c) + pairs.iter().map(product).sum::<i64>();
            let all = if mma.saturate { all.clamp(i32::MIN.into(), i32::MAX.into()) } else { all };
            Some(all as u32 as u64)
        }
        // "The precision of the element-wise multiplication and addition is that of fma."
        Element::F64 => {
            let mode = FloatMode { rounding: mma.rounding, ..FloatMode::default() };
            let bits = |v: u64| Bits::new(64, v.into());
            let all = pairs.iter().fold(bits(c), |c, &(a, b)| {
                d.float(FloatOp::Fma, FloatFormat::F64, mode, &[&bits(a), &bits(b), &c])
            });
            Some(all.bits() as u64)
        }
        // Products of two elements are exact in binary64; its sums are more precise than is asked for.
        _ => {
            let mut all = float(d, mma.c, c)?;
            for &(a, b) in pairs {
                all += float(d, mma.a, a)? * float(d, mma.b, b)?;
            }
            let mode = FloatMode { rounding: rounding(d.chooser(), all), ..FloatMode::default() };
            let wide = Bits::new(64, all.to_bits().into());
            Some(d.float_to_float(FloatFormat::F64, format(mma.d)?, mode, &wide).bits() as u64)
        }
    }
}

/// The registers of D by lane.
///
/// # Errors
/// [`Trap::Unsupported`] for a combination of elements that has no meaning.
pub fn multiply(d: &Concrete, mma: &Mma, lanes: &Lanes<'_>) -> Result<Vec<Vec<Bits>>, Trap> {
    let first = |operands: &[Operand]| operands.iter().map(|&o| mma.registers(o)).sum();
    let a = matrix(mma, Operand::A, lanes, 0);
    let b = matrix(mma, Operand::B, lanes, first(&[Operand::A]));
    let c = matrix(mma, Operand::C, lanes, first(&[Operand::A, Operand::B]));
    let mut result = vec![vec![0; mma.n as usize]; mma.m as usize];
    for (row, out) in result.iter_mut().enumerate() {
        for (column, out) in out.iter_mut().enumerate() {
            let pairs: Vec<(u64, u64)> = (0..mma.k as usize).map(|k| (a[row][k], b[k][column])).collect();
            *out = sum(d, mma, &pairs, c[row][column]).ok_or_else(|| {
                Trap::Unsupported(format!("a matrix product of {:?} in {:?}", mma.a, mma.d))
            })?;
        }
    }
    let register = |lane: u32, register: u32| {
        let bits = (0..mma.d.per_register()).fold(0u128, |all, part| {
            let (row, column) = mma.place(Operand::D, lane, register, part);
            all | u128::from(result[row as usize][column as usize]) << (part * mma.d.width())
        });
        Bits::new(mma.d.register(), bits)
    };
    Ok((0..32).map(|lane| (0..mma.registers(Operand::D)).map(|r| register(lane, r)).collect()).collect())
}

/// The registers of matrices whose rows lanes `8 i` to `8 i + 7` give, 128 bits each.
pub fn spread(matrices: Matrices, rows: &[u128; 32]) -> Vec<Vec<Bits>> {
    let half = |matrix: u32, lane: u32, part: u32| {
        let (row, column) = place_16(lane, part, matrices.transpose);
        rows[(8 * matrix + row) as usize] >> (16 * column) & 0xffff
    };
    let word = |matrix, lane| Bits::new(32, half(matrix, lane, 0) | half(matrix, lane, 1) << 16);
    (0..32).map(|lane| (0..matrices.count).map(|matrix| word(matrix, lane)).collect()).collect()
}

/// The converse of [`spread`]: the rows, `8 count` of them; `words` gives a lane's register of a matrix.
pub fn rows(matrices: Matrices, words: impl Fn(usize, u32) -> u128) -> [u128; 32] {
    let mut rows = [0; 32];
    for lane in 0..32 {
        for matrix in 0..matrices.count {
            for part in 0..2 {
                let (row, column) = place_16(lane, part, matrices.transpose);
                let value = words(lane as usize, matrix) >> (16 * part) & 0xffff;
                rows[(8 * matrix + row) as usize] |= value << (16 * column);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let given: [u128; 32] = std::array::from_fn(|i| (i as u128 + 1) * 0x0001_0203_0507_0b0d_1113_1719);
        for (count, transpose) in [(1, false), (2, true), (4, false), (4, true)] {
            let matrices = Matrices { count, transpose };
            let words = spread(matrices, &given);
            let found = rows(matrices, |lane, matrix| words[lane][matrix as usize].bits());
            assert_eq!(found[..8 * count as usize], given[..8 * count as usize], "{matrices:?}");
        }
    }

    #[test]
    fn a_product_with_one() {
        // A is the unit matrix, B counts: D = B.
        let mma = Mma {
            m: 16,
            n: 8,
            k: 16,
            a: Element::F16,
            b: Element::F16,
            c: Element::F32,
            d: Element::F32,
            product: Product::Multiply,
            saturate: false,
            rounding: Rounding::NearestEven,
        };
        let halves = |operand, lane: u32, register, of: &dyn Fn(u32, u32) -> u32| {
            let one = |part| {
                let (row, column) = mma.place(operand, lane, register, part);
                of(row, column)
            };
            Bits::new(32, u128::from(one(0) | one(1) << 16))
        };
        // 2^0 is 0x3c00; k + 8 n as a power of two for small numbers.
        let unit = |row, column| if row == column { 0x3c00 } else { 0 };
        let count = |k: u32, n: u32| 0x3c00 + ((k + n) % 8) * 0x400;
        let all: Vec<Vec<Bits>> = (0..32)
            .map(|lane| {
                let a = (0..4).map(|r| halves(Operand::A, lane, r, &unit));
                let b = (0..2).map(|r| halves(Operand::B, lane, r, &count));
                a.chain(b).chain((0..4).map(|_| Bits::new(32, 0))).collect()
            })
            .collect();
        let lanes: Lanes<'_> = std::array::from_fn(|l| &all[l][..]);
        let d = multiply(&Concrete::default(), &mma, &lanes).expect("a product");
        for lane in 0..32 {
            for register in 0..4 {
                let (row, column) = mma.place(Operand::D, lane, register, 0);
                let expected = 2f32.powi(((row + column) % 8) as i32);
                assert_eq!(d[lane as usize][register as usize].bits(), expected.to_bits().into());
            }
        }
    }

    #[test]
    fn fp8_values() {
        assert_eq!(e4m3(0x38), 1.0);
        assert_eq!(e4m3(0x7e), 448.0);
        assert_eq!(e4m3(0x81), -(2f64.powi(-9)));
        assert!(e4m3(0x7f).is_nan());
    }

    /// Registers of all lanes from a seed, with numbers at the ends of their range among them.
    fn lanes_of(seed: u64, count: u32) -> Vec<Vec<Bits>> {
        let word = |lane: u64, register: u64| match crate::order::hash(seed, &[lane, register]) {
            n if n % 5 == 0 => 0x8080_8080,
            n if n % 5 == 1 => 0x7fff_ffff,
            n => n >> 32,
        };
        let register = |lane, r| Bits::new(32, u128::from(word(lane, u64::from(r)) as u32));
        (0..32).map(|lane| (0..count).map(|r| register(lane, r)).collect()).collect()
    }

    fn product(mma: &Mma, all: &[Vec<Bits>]) -> Vec<Vec<Bits>> {
        let lanes: Lanes<'_> = std::array::from_fn(|l| &all[l][..]);
        multiply(&Concrete::default(), mma, &lanes).expect("a product")
    }

    #[test]
    fn products_of_integers_are_sums_of_small_ones() {
        use sassafras_semantics::matrix::split::products;
        use std::convert::Infallible;
        let (d, zero) = (Concrete::default(), Bits::new(32, 0));
        let bytes = [(8, 16), (16, 16), (16, 32)];
        let nibbles = [(8, 32), (16, 32), (16, 64)];
        let bits = [(8, 128), (16, 128), (16, 256)];
        let signs = |a, b| [(a, a), (a, b), (b, a), (b, b)];
        let integers = [(bytes, signs(Element::U8, Element::S8)), (nibbles, signs(Element::U4, Element::S4))];
        let integers = integers.into_iter().flat_map(|(shapes, signs)| {
            shapes.into_iter().flat_map(move |shape| signs.map(|(a, b)| (shape, a, b, Product::Multiply)))
        });
        let counts = bits.map(|shape| (shape, Element::B1, Element::B1, Product::AndPopc));
        for ((m, k), a, b, product_kind) in integers.chain(counts) {
            for saturate in [false, true] {
                let (c, rounding) = (Element::S32, Rounding::NearestEven);
                let mma = Mma { m, n: 8, k, a, b, c, d: c, product: product_kind, saturate, rounding };
                let count = [Operand::A, Operand::B, Operand::C].map(|o| mma.registers(o)).iter().sum();
                let all = lanes_of(u64::from(m * k), count);
                // What every lane asks for first, and then what it makes of the answers.
                let asked: Vec<Vec<(Mma, Vec<Bits>)>> = all
                    .iter()
                    .map(|lane| {
                        let mut asked = Vec::new();
                        let answer = products(
                            &d,
                            &mma,
                            lane,
                            |_| false,
                            |(small, [a, b])| {
                                asked.push((small, vec![a, b, zero, zero]));
                                Ok::<_, Infallible>([zero, zero])
                            },
                        );
                        assert!(matches!(answer, Ok(Some(_))), "{mma:?}");
                        asked
                    })
                    .collect();
                let answers: Vec<Vec<Vec<Bits>>> = (0..asked[0].len())
                    .map(|n| {
                        let registers: Vec<Vec<Bits>> = asked.iter().map(|lane| lane[n].1.clone()).collect();
                        product(&asked[0][n].0, &registers)
                    })
                    .collect();
                let wanted = product(&mma, &all);
                for (lane, registers) in all.iter().enumerate() {
                    let mut next = answers.iter();
                    let found = products(
                        &d,
                        &mma,
                        registers,
                        |_| false,
                        |_| {
                            let answer = &next.next().expect("as many answers")[lane];
                            Ok::<_, Infallible>([answer[0], answer[1]])
                        },
                    );
                    assert_eq!(found, Ok(Some(wanted[lane].clone())), "{mma:?}, lane {lane}");
                }
            }
        }
    }
}
