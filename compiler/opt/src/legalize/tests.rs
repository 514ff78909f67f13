//! Expansions against the meaning of what they stand for, on biased inputs and for several choices of the approximate functions.
//!
//! `SASSAFRAS_CASES` multiplies the number of inputs.

use crate::{Level, pipeline};
use sassafras_ir::interpret::{Input, run};
use sassafras_ir::{Builder, Function, MemoryAccess, Op, Type, evaluate};
use sassafras_semantics::{Approximation, Bits, Chooser, Concrete, FloatFormat, FloatMode, Rounding, Space};

/// Random bits (Sebastiano Vigna's splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// An integer: small, close to a power of two, sparse, or anything.
    fn integer(&mut self, width: u32) -> u64 {
        let near = self.below(5).wrapping_sub(2);
        let value = match self.below(6) {
            0 => self.below(16),
            1 => (1u64 << self.below(u64::from(width))).wrapping_add(near),
            2 => self.below(16).wrapping_neg(),
            3 => self.next() >> self.below(u64::from(width)),
            4 => self.next() & self.next() & self.next(),
            _ => self.next(),
        };
        if width == 64 { value } else { value & ((1 << width) - 1) }
    }

    /// A float: any exponent (often an extreme one), a significand with long runs of equal bits, or a special value.
    fn float(&mut self, format: FloatFormat) -> u64 {
        let (width, fraction) = match format {
            FloatFormat::F64 => (64, 52),
            FloatFormat::F32 => (32, 23),
            FloatFormat::F16 => (16, 10),
            FloatFormat::Bf16 => (16, 7),
            FloatFormat::E4m3 | FloatFormat::E5m2 => (8, u64::from(format.fraction_bits())),
        };
        let exponents = (1u64 << (width - 1 - fraction)) - 1;
        let exponent = match self.below(8) {
            0 => 0,
            1 => self.below(4),
            2 => exponents - self.below(4),
            3 | 4 => exponents / 2 + self.below(6) - 3,
            _ => self.below(exponents + 1),
        };
        let mask = (1u64 << fraction) - 1;
        let significand = match self.below(6) {
            0 => self.below(4),
            1 => self.below(4).wrapping_neg(),
            2 => (1 << self.below(fraction)) - 1,
            3 => 1 << self.below(fraction),
            _ => self.next(),
        } & mask;
        (self.next() & 1) << (width - 1) | exponent << fraction | significand
    }
}

const CHOOSERS: [Chooser; 5] =
    [Chooser::Nearest, Chooser::Lowest, Chooser::Highest, Chooser::Seeded(1), Chooser::Seeded(0xfeed)];

fn cases() -> u64 {
    std::env::var("SASSAFRAS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// A kernel that applies the operation to its parameters, 16 bytes each, and stores each result; some arguments may be fixed.
fn kernel(op: Op, args: &[Type], results: &[Type], fixed: &[Option<u64>]) -> Function {
    let mut f = Function::new("k");
    let entry = f.entry;
    let mut b = Builder::new(&mut f, entry);
    let mut values = Vec::new();
    for (i, &ty) in args.iter().enumerate() {
        if let Some(bits) = fixed.get(i).copied().flatten() {
            values.push(b.constant(ty, u128::from(bits)));
            continue;
        }
        let bytes = ty.bits().max(32) as u8 / 8;
        let wide = Type(bytes * 8);
        let v = b.value(Op::Param { offset: 16 * i as u32, bytes, signed: false }, &[], wide);
        values.push(b.truncate(v, ty));
    }
    let inst = b.emit(op, &values, results);
    let address = b.i64(0);
    for v in b.function.insts[inst].results.clone() {
        let access = MemoryAccess::weak(Space::Global, 8);
        b.emit(Op::Store(access), &[address, v], &[]);
    }
    pipeline(&mut f, Level::O3, &mut |_, _, _| {}).unwrap_or_else(|r| panic!("{op:?}: {r:?}"));
    f
}

/// Holds the expansion of an operation against its meaning. `input` gives the arguments' bits.
fn compare(
    op: Op,
    args: &[Type],
    results: &[Type],
    count: u64,
    input: &mut dyn FnMut(&mut Random) -> Vec<u64>,
) {
    compare_fixed(op, args, results, &[], count, input);
}

fn compare_fixed(
    op: Op,
    args: &[Type],
    results: &[Type],
    fixed: &[Option<u64>],
    count: u64,
    input: &mut dyn FnMut(&mut Random) -> Vec<u64>,
) {
    let f = kernel(op, args, results, fixed);
    let mut random = Random(op_seed(&op));
    let reference = Concrete::default();
    let mut seed = 0;
    let domains = CHOOSERS.map(|chooser| {
        seed += 1;
        Concrete::new(chooser).with_undefined(seed)
    });
    for n in 0..count * cases() {
        let mut bits = input(&mut random);
        for (b, fixed) in bits.iter_mut().zip(fixed) {
            *b = fixed.unwrap_or(*b);
        }
        let values: Vec<Bits> =
            bits.iter().zip(args).map(|(&b, ty)| Bits::new(ty.bits(), u128::from(b))).collect();
        let expected = evaluate(&reference, &op, &values, results).expect("a pure operation");
        let expected: Vec<u128> = expected.iter().map(|v| v.bits()).collect();
        let mut params = vec![0u8; 16 * args.len()];
        for (i, v) in values.iter().enumerate() {
            params[16 * i..16 * i + 16].copy_from_slice(&v.bits().to_le_bytes());
        }
        let answers = if takes_nearest(&op, &bits) { 0 } else { n as usize % domains.len() };
        let d = &domains[answers];
        let stores =
            run(&f, d, &Input { params: &params, special: &|_| 0, limit: 100_000 }).expect("it runs");
        let got: Vec<u128> = stores.iter().map(|s| s[1].bits()).collect();
        assert_eq!(got, expected, "{} of {values:x?}, {:?}", sassafras_ir::text::print_op(&op), d.chooser());
    }
}

/// Whether an expansion takes for granted that the unit's answer is the nearest one: the short quotient to nearest of binary32, by a divisor whose
/// significand is all ones, and the short root of two operands and their products with powers of four.
fn takes_nearest(op: &Op, bits: &[u64]) -> bool {
    match op {
        Op::FDiv(FloatFormat::F32, mode) if mode.rounding == Rounding::NearestEven => {
            bits[1] & 0x7f_ffff == 0x7f_ffff
        }
        Op::FSqrt(FloatFormat::F32, _) => matches!(bits[0] & 0xff_ffff, 0xfc_114a | 0x6e_9372),
        _ => false,
    }
}

fn op_seed(op: &Op) -> u64 {
    sassafras_ir::text::print_op(op).bytes().fold(7, |h: u64, b| h.wrapping_mul(31) ^ u64::from(b))
}

/// Dividend and divisor, often with a quotient that is nearly whole.
fn division(random: &mut Random, width: u32) -> Vec<u64> {
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let divisor = random.integer(width).max(1);
    let dividend = match random.below(3) {
        0 => random.integer(width),
        _ => {
            let most = mask / divisor;
            let q = random.integer(width) % (most.wrapping_add(1).max(1));
            q.wrapping_mul(divisor).wrapping_add(random.below(3).wrapping_sub(1))
        }
    };
    vec![dividend & mask, divisor]
}

#[test]
fn integer_quotients() {
    for signed in [false, true] {
        for op in [Op::Div { signed }, Op::Rem { signed }] {
            compare(op, &[Type::I32; 2], &[Type::I32], 30_000, &mut |r| division(r, 32));
            compare(op, &[Type::I64; 2], &[Type::I64], 10_000, &mut |r| division(r, 64));
        }
    }
}

#[test]
fn integer_quotients_by_constants() {
    let divisors = [
        1,
        2,
        3,
        5,
        6,
        7,
        9,
        10,
        11,
        13,
        60,
        64,
        100,
        641,
        1000,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0xffff_fff9,
    ];
    for signed in [false, true] {
        for op in [Op::Div { signed }, Op::Rem { signed }] {
            for divisor in divisors {
                let fixed = [None, Some(divisor)];
                compare_fixed(op, &[Type::I32; 2], &[Type::I32], &fixed, 300, &mut |r| {
                    let q = r.integer(32).wrapping_mul(divisor).wrapping_add(r.below(3)).wrapping_sub(1);
                    vec![if r.below(2) == 0 { q & 0xffff_ffff } else { r.integer(32) }, divisor]
                });
            }
            for divisor in [1, 3, 10, 1 << 32, 1 << 63, u64::MAX] {
                let fixed = [None, Some(divisor)];
                compare_fixed(op, &[Type::I64; 2], &[Type::I64], &fixed, 100, &mut |r| {
                    vec![r.integer(64), divisor]
                });
            }
        }
    }
}

const MODES: [Rounding; 4] = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];

fn quotient_of_floats(random: &mut Random, format: FloatFormat) -> Vec<u64> {
    let (a, b) = (random.float(format), random.float(format));
    // A dividend that is nearly a product, so that the quotient lies near a float or a midpoint.
    let near = random.below(5).wrapping_sub(2);
    let product = match format {
        FloatFormat::F32 => u64::from((f32::from_bits(a as u32) * f32::from_bits(b as u32)).to_bits()),
        _ => (f64::from_bits(a) * f64::from_bits(b)).to_bits(),
    };
    let mask = if format == FloatFormat::F32 { 0xffff_ffff } else { u64::MAX };
    if random.below(2) == 0 { vec![a, b] } else { vec![product.wrapping_add(near) & mask, b] }
}

/// A dividend next to the product of a midpoint and a divisor, so that the quotient lies next to the midpoint.
fn quotient_by_midpoint(random: &mut Random, format: FloatFormat) -> Vec<u64> {
    let (fraction, bias) = if format == FloatFormat::F32 { (23, 127) } else { (52, 1023) };
    let divisor = match random.below(3) {
        0 => (2u64 << fraction) - 1 - random.below(20),
        1 => (1 << fraction) + random.below(20),
        _ => 1 << fraction | random.next() & ((1 << fraction) - 1),
    };
    let midpoint = match random.below(2) {
        0 => (2u64 << fraction) + 1 + 2 * random.below(20),
        _ => 2 << fraction | random.next() & ((2 << fraction) - 1) | 1,
    };
    let product = u128::from(divisor) * u128::from(midpoint);
    let places = 127 - product.leading_zeros() - fraction;
    let dividend = (product >> places) as u64 + random.below(2);
    let dividend = dividend.min((2 << fraction) - 1);
    let mut float = |significand: u64| {
        let exponent = bias + random.below(bias / 3) - bias / 6;
        (significand - (1 << fraction)) | (exponent << fraction)
    };
    vec![float(dividend), float(divisor)]
}

#[test]
fn float_quotients_next_to_midpoints() {
    let mode = FloatMode::default();
    for (format, ty) in [(FloatFormat::F32, Type::I32), (FloatFormat::F64, Type::I64)] {
        let op = Op::FDiv(format, mode);
        compare(op, &[ty; 2], &[ty], 15_000, &mut |r| quotient_by_midpoint(r, format));
    }
}

#[test]
fn float_quotients() {
    for rounding in MODES {
        for ftz in [false, true] {
            let mode = FloatMode { rounding, ftz, sat: false };
            let op = Op::FDiv(FloatFormat::F32, mode);
            compare(op, &[Type::I32; 2], &[Type::I32], 8_000, &mut |r| {
                quotient_of_floats(r, FloatFormat::F32)
            });
        }
        for ftz in [false, true] {
            let op = Op::FDiv(FloatFormat::F32, FloatMode { rounding, ftz, sat: false });
            let one = [Some(u64::from(1f32.to_bits())), None];
            compare_fixed(op, &[Type::I32; 2], &[Type::I32], &one, 4_000, &mut |r| {
                vec![0, r.float(FloatFormat::F32)]
            });
        }
        let mode = FloatMode { rounding, ftz: false, sat: false };
        let op = Op::FDiv(FloatFormat::F64, mode);
        compare(op, &[Type::I64; 2], &[Type::I64], 5_000, &mut |r| quotient_of_floats(r, FloatFormat::F64));
        let one = [Some(1f64.to_bits()), None];
        compare_fixed(op, &[Type::I64; 2], &[Type::I64], &one, 2_000, &mut |r| {
            vec![0, r.float(FloatFormat::F64)]
        });
    }
}

#[test]
fn float_roots() {
    for rounding in MODES {
        for ftz in [false, true] {
            let mode = FloatMode { rounding, ftz, sat: false };
            let op = Op::FSqrt(FloatFormat::F32, mode);
            compare(op, &[Type::I32], &[Type::I32], 15_000, &mut |r| {
                let x = r.float(FloatFormat::F32);
                let near = r.below(5).wrapping_sub(2);
                let square = f32::from_bits(x as u32);
                let square = u64::from((square * square).to_bits()).wrapping_add(near) & 0xffff_ffff;
                vec![if r.below(2) == 0 { x } else { square }]
            });
        }
        let op = Op::FSqrt(FloatFormat::F64, FloatMode { rounding, ftz: false, sat: false });
        compare(op, &[Type::I64], &[Type::I64], 10_000, &mut |r| {
            let x = r.float(FloatFormat::F64);
            let near = r.below(5).wrapping_sub(2);
            let square = (f64::from_bits(x) * f64::from_bits(x)).to_bits().wrapping_add(near);
            vec![if r.below(2) == 0 { x } else { square }]
        });
    }
}

#[test]
fn wide_integers() {
    let two = [Type::I64; 2];
    let word = [Type::I64, Type::I32, Type::I32];
    let check = |op, args: &[Type], results: &[Type]| {
        let widths: Vec<u32> = args.iter().map(|t| t.bits()).collect();
        compare(op, args, results, 1_000, &mut |r| {
            widths.iter().map(|&w| if w == 32 { r.below(300) } else { r.integer(w) }).collect()
        });
    };
    for signed in [false, true] {
        check(Op::MulHigh { signed }, &two, &[Type::I64]);
        check(Op::Min { signed }, &two, &[Type::I64]);
        check(Op::Max { signed }, &two, &[Type::I64]);
        check(Op::BitExtract { signed }, &word, &[Type::I64]);
        for shift_amount in [false, true] {
            check(Op::FindHighest { signed, shift_amount }, &[Type::I64], &[Type::I32]);
        }
    }
    check(Op::Abs, &[Type::I64], &[Type::I64]);
    check(Op::Popcount, &[Type::I64], &[Type::I32]);
    check(Op::LeadingZeros, &[Type::I64], &[Type::I32]);
    check(Op::BitReverse, &[Type::I64], &[Type::I64]);
    check(Op::BitInsert, &[Type::I64, Type::I64, Type::I32, Type::I32], &[Type::I64]);
    check(Op::AddCarry, &[Type::I64, Type::I64, Type::I1], &[Type::I64, Type::I1]);
    check(Op::SubBorrow, &[Type::I64, Type::I64, Type::I1], &[Type::I64, Type::I1]);
    check(Op::Extract(48), &[Type::I64], &[Type::I16]);
    check(Op::Concat, &[Type::I16; 4], &[Type::I64]);
    compare(Op::LeadingZeros, &[Type::I32], &[Type::I32], 1_000, &mut |r| vec![r.integer(32)]);
}

#[test]
fn conversions() {
    use FloatFormat::{Bf16, F16, F32, F64};
    let plain = FloatMode::default();
    let ty = |format: FloatFormat| Type(format.width() as u8);
    for from in [F16, Bf16, F32, F64] {
        for to in [F16, Bf16, F32, F64] {
            for (rounding, sat) in
                [(Rounding::NearestEven, false), (Rounding::Zero, false), (Rounding::NearestEven, true)]
            {
                if from == to {
                    continue;
                }
                let op = Op::FloatToFloat { from, to, mode: FloatMode { rounding, ftz: false, sat } };
                compare(op, &[ty(from)], &[ty(to)], 800, &mut |r| vec![r.float(from)]);
            }
        }
        for signed in [false, true] {
            for bits in [8, 16, 32, 64] {
                let mode = FloatMode { rounding: Rounding::Zero, ..plain };
                let result = if bits == 64 { Type::I64 } else { Type::I32 };
                let op = Op::FloatToInt { from, signed, bits, mode };
                compare(op, &[ty(from)], &[result], 500, &mut |r| vec![r.float(from)]);
                let op = Op::IntToFloat { signed, bits, to: from, mode: plain };
                compare(op, &[result], &[ty(from)], 500, &mut |r| vec![r.integer(result.bits())]);
            }
        }
    }
    for nan in [false, true] {
        let minimum = Op::FMin { format: F64, ftz: false, nan };
        let maximum = Op::FMax { format: F64, ftz: false, nan };
        for op in [minimum, maximum] {
            compare(op, &[Type::I64; 2], &[Type::I64], 2_000, &mut |r| {
                let a = r.float(F64);
                vec![a, if r.below(4) == 0 { a ^ 1 << 63 } else { r.float(F64) }]
            });
        }
    }
    compare(Op::FRound(Bf16, plain), &[Type::I16], &[Type::I16], 500, &mut |r| vec![r.float(Bf16)]);
}

/// Approximate functions stay within the bound of the form they stand for.
#[test]
fn approximate_functions() {
    use Approximation as A;
    for function in [A::Rcp, A::Rsqrt, A::Sqrt, A::Lg2, A::Ex2, A::Tanh] {
        for ftz in [false, true] {
            let op = Op::Approximate { function, ftz };
            let f = kernel(op, &[Type::I32], &[Type::I32], &[]);
            let mut random = Random(op_seed(&op));
            for n in 0..4_000 * cases() {
                let x = random.float(FloatFormat::F32) as u32;
                let mut params = [0; 16];
                params[..4].copy_from_slice(&x.to_le_bytes());
                for chooser in CHOOSERS.into_iter().skip((n % 5) as usize).take(1) {
                    let d = Concrete::new(chooser);
                    let input = Input { params: &params, special: &|_| 0, limit: 1000 };
                    let got = run(&f, &d, &input).expect("it runs")[0][1].bits() as u32;
                    let good = sassafras_semantics::concrete::admits(function, ftz, x, got);
                    assert!(good, "{function:?} ftz={ftz} of {x:#x}: {got:#x}, {chooser:?}");
                }
            }
        }
    }
}
