//! Every operation that a row may meet: heads with all the values of what they carry, and the widths they take.
//!
//! Widths come from the rows of [`sassafras_ir::operations`], else they are written here from the documentation of [`Op`]. Where an attribute is a number of 32 bits (a byte offset) a few values stand for
//! it: it is added to an address and looked at by nothing else.

use sassafras_ir::op::PackedOp;
use sassafras_ir::operations::Width;
use sassafras_ir::{CacheOperator, MemoryAccess, Op};
use sassafras_rules::select::attribute::{REDUCE, suffix};
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{
    AtomicOp, FloatFormat, FloatMode, Matrices, Mma, Opaque, Ordering, Rounding, Scope, Space,
};

/// An operation with the widths of its arguments and results in bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The operation.
    pub op: Op,
    /// Widths of the arguments.
    pub args: Vec<u32>,
    /// Widths of the results.
    pub results: Vec<u32>,
}

impl Shape {
    fn new(op: Op, args: &[u32], results: &[u32]) -> Shape {
        Shape { op, args: args.to_vec(), results: results.to_vec() }
    }

    /// The suffix by which rows name it; see the notation of `sassafras_rules::select`.
    pub fn suffix(&self) -> String {
        suffix(&self.op, &self.args, &self.results)
    }
}

const BOOLS: [bool; 2] = [false, true];
const FORMATS: [FloatFormat; 4] = [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::F32, FloatFormat::F64];
const ROUNDINGS: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up, Rounding::NearestAway];
const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
const ATOMICS: [AtomicOp; 19] = [
    AtomicOp::Add,
    AtomicOp::SMin,
    AtomicOp::SMax,
    AtomicOp::UMin,
    AtomicOp::UMax,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exch,
    AtomicOp::Cas,
    AtomicOp::Inc,
    AtomicOp::Dec,
    AtomicOp::AddF32 { ftz: false },
    AtomicOp::AddF32 { ftz: true },
    AtomicOp::AddF64,
    AtomicOp::AddF16x2,
    AtomicOp::AddBf16x2,
    AtomicOp::AddF16,
    AtomicOp::AddBf16,
];
/// Offsets in bytes: none, and near the ends of 24 bits.
const OFFSETS: [i32; 4] = [0, 16, 0x7f_fff0, -0x80_0000];

fn modes() -> Vec<FloatMode> {
    let mut all = Vec::new();
    for rounding in ROUNDINGS {
        for ftz in BOOLS {
            all.extend(BOOLS.map(|sat| FloatMode { rounding, ftz, sat }));
        }
    }
    all
}

/// All operations whose head this is; `reduce` has the read-modify-writes without a result.
pub fn shapes(name: &str) -> Vec<Shape> {
    if name == REDUCE {
        let without_result = |s: Shape| Shape { results: Vec::new(), ..s };
        let kept = |s: &Shape| {
            matches!(s.op, Op::Atomic { op, access } if access.space == Space::Global
                && !matches!(op, AtomicOp::Cas | AtomicOp::Exch))
        };
        return atomics().into_iter().filter(kept).map(without_result).collect();
    }
    let all = [stated(), moves(), packed(), conversions(), memory(), atomics(), lanes()];
    all.into_iter().flatten().filter(|s| s.op.head() == name).collect()
}

/// Operations whose row states their widths, at each width that it allows.
fn stated() -> Vec<Shape> {
    let mut all = Vec::new();
    for op in Op::all_with_signature().into_iter().filter(exists) {
        let Some((args, results)) = op.signature() else { continue };
        let open = args.iter().chain(results).find(|w| matches!(w, Width::Any | Width::Number | Width::Word));
        let widths: &[u32] = match open {
            Some(Width::Any) => &[1, 16, 32, 64],
            Some(Width::Number) => &[16, 32, 64],
            Some(Width::Word) => &[32, 64],
            _ => &[0],
        };
        for &width in widths {
            let bits = |stated: &Width| match stated {
                Width::Bits(bits) => *bits,
                Width::Any | Width::Number | Width::Word => width,
                Width::Double => 2 * width,
                Width::Format => op.format().map_or(0, FloatFormat::width),
            };
            let of = |stated: &[Width]| stated.iter().map(bits).collect();
            all.push(Shape { op, args: of(args), results: of(results) });
        }
    }
    all
}

/// Whether selection may meet an operation with these fields.
fn exists(op: &Op) -> bool {
    use AtomicOp::{Add, And, MaxF32, MinF32, Or, SMax, SMin, UMax, UMin, Xor};
    let orders = |ordering| {
        use Ordering::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
        matches!(ordering, Acquire | Release | AcquireRelease | SequentiallyConsistent)
    };
    match *op {
        Op::Redux(MinF32 { .. } | MaxF32 { .. }) => true,
        Op::Redux(op) => matches!(op, Add | SMin | SMax | UMin | UMax | And | Or | Xor),
        Op::Fence(ordering, _) => orders(ordering),
        Op::ToGeneric(space) | Op::FromGeneric(space) | Op::IsSpace(space) => space != Space::Generic,
        _ => op.format().is_none_or(|format| !format.is_fp8()),
    }
}

fn moves() -> Vec<Shape> {
    let mut all = Vec::new();
    let widths = [1, 16, 32, 64, 128];
    for from in widths {
        for to in widths {
            if from < to {
                all.push(Shape::new(Op::ZeroExtend, &[from], &[to]));
                all.push(Shape::new(Op::SignExtend, &[from], &[to]));
            } else if to < from {
                all.push(Shape::new(Op::Truncate, &[from], &[to]));
                let places = (0..from / to).map(|i| (i * to) as u8).filter(|_| to >= 16);
                all.extend(places.map(|at| Shape::new(Op::Extract(at), &[from], &[to])));
            }
        }
    }
    for (part, count) in [(16, 2), (16, 4), (16, 8), (32, 2), (32, 4), (64, 2)] {
        all.push(Shape::new(Op::Concat, &vec![part; count], &[part * count as u32]));
    }
    all
}

fn packed() -> Vec<Shape> {
    let kinds = [
        (PackedOp::Add, 2),
        (PackedOp::Mul, 2),
        (PackedOp::Fma, 3),
        (PackedOp::Min, 2),
        (PackedOp::Max, 2),
        (PackedOp::MinNan, 2),
        (PackedOp::MaxNan, 2),
        (PackedOp::Neg, 1),
        (PackedOp::Abs, 1),
    ];
    let mut all = Vec::new();
    for format in [FloatFormat::F16, FloatFormat::Bf16] {
        for mode in modes() {
            for (kind, count) in kinds {
                all.push(Shape::new(Op::Packed { kind, format, mode }, &vec![32; count], &[32]));
            }
        }
    }
    for mode in modes().into_iter().filter(|mode| !mode.sat) {
        for (kind, count) in [(PackedOp::Add, 2), (PackedOp::Mul, 2), (PackedOp::Fma, 3), (PackedOp::Neg, 1)]
        {
            let op = Op::Packed { kind, format: FloatFormat::F32, mode };
            all.push(Shape::new(op, &vec![64; count], &[64]));
        }
    }
    all
}

fn conversions() -> Vec<Shape> {
    let mut all = Vec::new();
    for fp8 in [FloatFormat::E4m3, FloatFormat::E5m2] {
        for relu in BOOLS {
            all.push(Shape::new(Op::FromFp8 { from: fp8, relu }, &[16], &[32]));
            let to = |from| Op::ToFp8 { from, to: fp8, relu };
            all.push(Shape::new(to(FloatFormat::F32), &[32, 32], &[16]));
            all.push(Shape::new(to(FloatFormat::F16), &[32], &[16]));
        }
    }
    for mode in modes() {
        for from in FORMATS {
            for to in FORMATS {
                all.push(Shape::new(Op::FloatToFloat { from, to, mode }, &[from.width()], &[to.width()]));
            }
            for bits in [8u8, 16, 32, 64] {
                for signed in BOOLS {
                    let wide = u32::from(bits).max(16);
                    let op = Op::FloatToInt { from, signed, bits, mode };
                    for w in [16, 32, 64].into_iter().filter(|w| *w >= wide && (*w <= 32 || bits == 64)) {
                        all.push(Shape::new(op, &[from.width()], &[w]));
                    }
                    let op = Op::IntToFloat { signed, bits, to: from, mode };
                    for w in [16, 32, 64].into_iter().filter(|w| *w >= wide && (*w <= 32 || bits == 64)) {
                        all.push(Shape::new(op, &[w], &[from.width()]));
                    }
                }
            }
        }
    }
    all
}

/// Orderings that selection meets; acquire and release are written with fences before.
fn orderings() -> Vec<(Ordering, Scope)> {
    let mut all = vec![
        (Ordering::Weak, Scope::Cta),
        (Ordering::NonCoherent, Scope::Cta),
        (Ordering::Volatile, Scope::Sys),
        (Ordering::Mmio, Scope::Sys),
    ];
    all.extend(SCOPES.map(|scope| (Ordering::Relaxed, scope)));
    all
}

const SPACES: [Space; 6] =
    [Space::Generic, Space::Global, Space::Shared, Space::Local, Space::Const, Space::Param];

/// Width of an address in a space.
fn address(space: Space) -> u32 {
    if matches!(space, Space::Generic | Space::Global) { 64 } else { 32 }
}

fn memory() -> Vec<Shape> {
    let mut all = Vec::new();
    for space in SPACES {
        for (ordering, scope) in orderings() {
            // PTX has `.nc` and `.mmio` for global memory (`.mmio` also by generic addresses) and no ordering for constants and for a thread's own memory but volatile.
            let exists = match space {
                Space::Const | Space::Param => ordering == Ordering::Weak,
                Space::Local => matches!(ordering, Ordering::Weak | Ordering::Volatile),
                Space::Global => true,
                Space::Generic => ordering != Ordering::NonCoherent,
                Space::Shared | Space::Bank(_) => !matches!(ordering, Ordering::NonCoherent | Ordering::Mmio),
            };
            if exists {
                let operators = CacheOperator::ALL.map(|row| Some(row.0));
                let cached = ordering == Ordering::Weak && matches!(space, Space::Global | Space::Generic);
                for cache in std::iter::once(None).chain(operators.into_iter().filter(|_| cached)) {
                    accesses(&mut all, space, ordering, scope, cache);
                }
            }
        }
    }
    all
}

fn accesses(
    all: &mut Vec<Shape>,
    space: Space,
    ordering: Ordering,
    scope: Scope,
    cache: Option<CacheOperator>,
) {
    let takes = |store| cache.is_none_or(|c| c.fits(store));
    for bytes in [1u8, 2, 4, 8, 16] {
        for lanes in [1u8, 2, 4].into_iter().filter(|l| bytes * l <= 16) {
            let constant = matches!(space, Space::Const | Space::Param);
            if constant && bytes * lanes > 8 {
                continue;
            }
            for offset in OFFSETS {
                let element =
                    |signed| MemoryAccess { space, bytes, lanes, signed, ordering, scope, offset, cache };
                let width = (8 * u32::from(bytes)).max(16);
                for signed in BOOLS.into_iter().filter(|s| takes(false) && (!s || bytes < 4)) {
                    let mut widths = vec![width];
                    widths.extend((bytes < 4).then_some(32));
                    for w in widths {
                        let results = vec![w; usize::from(lanes)];
                        all.push(Shape::new(Op::Load(element(signed)), &[address(space)], &results));
                    }
                }
                if takes(true) && !constant && ordering != Ordering::NonCoherent {
                    let mut args = vec![address(space)];
                    args.extend(vec![width; usize::from(lanes)]);
                    all.push(Shape::new(Op::Store(element(false)), &args, &[]));
                }
            }
        }
    }
}

fn atomics() -> Vec<Shape> {
    let mut all = Vec::new();
    for space in [Space::Generic, Space::Global, Space::Shared] {
        for scope in SCOPES {
            for op in ATOMICS {
                let sizes: &[u8] = match op {
                    AtomicOp::AddF64 => &[8],
                    AtomicOp::AddF32 { .. } | AtomicOp::AddF16x2 | AtomicOp::AddBf16x2 => &[4],
                    AtomicOp::AddF16 | AtomicOp::AddBf16 => &[2],
                    AtomicOp::Inc | AtomicOp::Dec => &[4],
                    AtomicOp::Exch | AtomicOp::Cas => &[4, 8, 16],
                    _ => &[4, 8],
                };
                for &bytes in sizes {
                    for offset in OFFSETS {
                        let ordering = Ordering::Relaxed;
                        let access = MemoryAccess {
                            space,
                            bytes,
                            lanes: 1,
                            signed: false,
                            ordering,
                            scope,
                            offset,
                            cache: None,
                        };
                        let width = 8 * u32::from(bytes);
                        let mut args = vec![address(space), width];
                        args.extend((op == AtomicOp::Cas).then_some(width));
                        all.push(Shape::new(Op::Atomic { op, access }, &args, &[width]));
                    }
                }
            }
        }
    }
    all
}

fn lanes() -> Vec<Shape> {
    let mut all = Vec::new();
    all.extend(matrices());
    all.extend(Opaque::all().map(|op| {
        let family = op.family();
        Shape::new(Op::Opaque(op), &family.arguments, &family.results)
    }));
    let modes = [
        (BarrierMode::Sync, None),
        (BarrierMode::Arrive, None),
        (BarrierMode::Popc, Some(32)),
        (BarrierMode::And, Some(1)),
        (BarrierMode::Or, Some(1)),
    ];
    for (mode, result) in modes {
        all.push(Shape::new(Op::Barrier { mode, aligned: true }, &[32, 32, 1], result.as_slice()));
    }
    all
}

/// The matrix operations of `mma.sync` and of the moves of matrices.
fn matrices() -> Vec<Shape> {
    use sassafras_semantics::matrix::Element::{self, B1, Bf16, F16, F32, F64, S8, S32, Tf32, U8};
    use sassafras_semantics::matrix::{Operand, Product};
    let mut all = Vec::new();
    let mut mma = |(m, n, k): (u32, u32, u32), a: Element, b: Element, d: Element, saturate| {
        let product = if a == B1 { Product::AndPopc } else { Product::Multiply };
        let rounding = Rounding::NearestEven;
        let mma = Mma { m, n, k, a, b, c: d, d, product, saturate, rounding };
        let bits = |operand| mma.registers(operand) * mma.element(operand).register();
        let args = [bits(Operand::A), bits(Operand::B), bits(Operand::C)];
        all.push(Shape::new(Op::Mma(mma), &args, &[bits(Operand::D)]));
    };
    for shape in [(16, 8, 8), (16, 8, 16)] {
        for (a, d) in [(F16, F16), (F16, F32), (Bf16, F32)] {
            mma(shape, a, a, d, false);
        }
    }
    for shape in [(16, 8, 4), (16, 8, 8)] {
        mma(shape, Tf32, Tf32, F32, false);
    }
    mma((8, 8, 4), F64, F64, F64, false);
    for shape in [(8, 8, 16), (16, 8, 16), (16, 8, 32)] {
        for saturate in BOOLS {
            for (a, b) in [(U8, U8), (U8, S8), (S8, U8), (S8, S8)] {
                mma(shape, a, b, S32, saturate);
            }
        }
    }
    for shape in [(8, 8, 128), (16, 8, 128), (16, 8, 256)] {
        mma(shape, B1, B1, S32, false);
    }
    for count in [1, 2, 4] {
        for transpose in BOOLS {
            let m = Matrices { count, transpose };
            all.push(Shape::new(Op::MatrixLoad(m), &[32], &[32 * count]));
            all.push(Shape::new(Op::MatrixStore(m), &[32, 32 * count], &[]));
        }
    }
    all
}
