//! Which types and modifiers each operation is lowered with.
//!
//! Lowering asks here before it makes anything. A type or a modifier that no arm names is refused, so no operation is compiled by the meaning of
//! another type, and a new row of the table of PTX has no code until an arm says so.

use crate::refusal::Refusal;
use sassafras_ptx::checked::{Inst, Mods, Op as P, Type as T};
use sassafras_semantics::FloatFormat::{Bf16, E4m3, E5m2, F16, F32, F64};

/// Declares a bit for each group of fields of [`Mods`], and how it is called in a message.
macro_rules! modifiers {
    ($($name:ident $at:literal $text:literal,)*) => {
        $(const $name: u32 = 1 << $at;)*
        const NAMES: &[(u32, &str)] = &[$(($name, $text)),*];
    };
}

modifiers! {
    ROUND 0 "a rounding", INTEGER 1 "a rounding to an integer", FTZ 2 "`.ftz`", SAT 3 "`.sat`", SATFINITE 4 "`.satfinite`", RELU 5 "`.relu`",
    APPROX 6 "`.approx`", FULL 7 "`.full`", NAN 8 "`.NaN`", ABS 9 "`.abs`", OOB 10 "`.oob`", PART 11 "`.lo`, `.hi` or `.wide`", CARRY 12 "`.cc`",
    COMPARE 13 "a comparison", BOOL 14 "a boolean operator", SPACE 15 "a state space", TO 16 "`.to`", ORDER 17 "an ordering", SCOPE 18 "a scope",
    ATOMIC 19 "an operation", VECTOR 20 "a vector", WRAP 21 "`.wrap` or `.clamp`", LEFT 22 "a direction", SHIFTAMT 23 "`.shiftamt`", MODE 24 "a mode",
    SYNC 25 "`.sync`", ALIGNED 26 "`.aligned`", UNI 27 "`.uni`", NOFTZ 28 "`.noftz`",
}

/// What any instruction may have: words that change nothing of what one lane computes.
const MEMORY: u32 = SPACE | ORDER | SCOPE | VECTOR;

/// The modifiers that an instruction has. A new field of [`Mods`] does not compile until it has a bit.
fn given(mods: &Mods) -> u32 {
    #[rustfmt::skip]
    let Mods {
        rounding, integer_rounding, ftz, sat, satfinite, relu, approx, full, nan, xorsign_abs, oob, part, carry_out, compare, bool_op, space, to,
        ordering, scope, atomic, vector, wrap, left, shiftamt, mode, sync, aligned, uniform, noftz, hints: _, words: _,
    } = mods;
    let all = [
        (rounding.is_some(), ROUND),
        (*integer_rounding, INTEGER),
        (*ftz, FTZ),
        (*sat, SAT),
        (*satfinite, SATFINITE),
        (*relu, RELU),
        (*approx, APPROX),
        (*full, FULL),
        (*nan, NAN),
        (*xorsign_abs, ABS),
        (*oob, OOB),
        (part.is_some(), PART),
        (*carry_out, CARRY),
        (compare.is_some(), COMPARE),
        (bool_op.is_some(), BOOL),
        (space.is_some(), SPACE),
        (*to, TO),
        (ordering.is_some(), ORDER),
        (scope.is_some(), SCOPE),
        (atomic.is_some(), ATOMIC),
        (*vector > 1, VECTOR),
        (wrap.is_some(), WRAP),
        (left.is_some(), LEFT),
        (*shiftamt, SHIFTAMT),
        (mode.is_some(), MODE),
        (*sync, SYNC),
        (*aligned, ALIGNED),
        (*uniform, UNI),
        (*noftz, NOFTZ),
    ];
    all.iter().filter(|(is, _)| *is).fold(0, |bits, (_, bit)| bits | bit)
}

macro_rules! integer {
    () => {
        T::U(16 | 32 | 64) | T::S(16 | 32 | 64)
    };
}
macro_rules! word {
    () => {
        T::U(32 | 64) | T::S(32 | 64)
    };
}
/// Integers and untyped bits of 16 to 64 bits.
macro_rules! bits {
    () => {
        T::B(16 | 32 | 64) | integer!()
    };
}
/// Integers of 8 to 64 bits.
macro_rules! whole {
    () => {
        T::U(8 | 16 | 32 | 64) | T::S(8 | 16 | 32 | 64)
    };
}
/// What `ld` and `st` take.
macro_rules! stored {
    () => {
        T::B(8 | 16 | 32 | 64 | 128) | T::U(8 | 16 | 32 | 64) | T::S(8 | 16 | 32 | 64) | T::F(F32 | F64)
    };
}

/// The modifiers that arithmetic, logic and comparisons are lowered with; `None` if the types are not among those.
fn computed(op: P, types: &[T]) -> Option<u32> {
    Some(match (op, types) {
        (P::Add | P::Sub, [T::S(32)]) => SAT | CARRY,
        (P::Add | P::Sub | P::Addc | P::Subc, [word!()]) => CARRY,
        (P::Mad, [T::S(32)]) => PART | SAT | CARRY,
        (P::Mad | P::Madc, [word!()]) => PART | CARRY,
        (P::Mul | P::Mad, [integer!()]) => PART,
        (P::Mad24, [T::S(32)]) => PART | SAT,
        (P::Mul24 | P::Mad24, [T::U(32) | T::S(32)]) => PART,
        (P::Add | P::Sub | P::Sad | P::Div | P::Rem, [integer!()]) => 0,
        (P::Abs | P::Neg, [T::S(16 | 32 | 64)]) => 0,
        (P::Min | P::Max, [T::S(32) | T::S16x2]) => RELU,
        (P::Min | P::Max, [T::U(16 | 32 | 64) | T::S(16 | 64) | T::U16x2])
        | (P::Add, [T::U16x2 | T::S16x2]) => 0,
        (P::Dp4a, [T::U(32) | T::S(32), T::U(32) | T::S(32)]) => 0,
        (P::Dp2a, [T::U(32) | T::S(32), T::U(32) | T::S(32)]) => PART,

        (P::And | P::Or | P::Xor | P::Not, [T::Pred | T::B(16 | 32 | 64)]) => 0,
        (P::Cnot | P::Shl, [T::B(16 | 32 | 64)]) | (P::Shr, [bits!()]) => 0,
        (P::Lop3, [T::B(32)]) => BOOL,
        (P::Shf, [T::B(32)]) => LEFT | WRAP,
        (P::Popc | P::Clz | P::Brev | P::Bfi, [T::B(32 | 64)]) | (P::Bfe, [word!()]) => 0,
        (P::Bfind, [word!()]) => SHIFTAMT,
        (P::Fns, [T::B(32)]) => 0,
        (P::Szext, [T::U(32) | T::S(32)]) | (P::Bmsk, [T::B(32)]) => WRAP,
        (P::Prmt, [T::B(32)]) => MODE,

        (P::Setp, [T::F(F32 | F16) | T::F16x2]) => COMPARE | BOOL | FTZ,
        (P::Setp, [bits!() | T::F(F64 | Bf16) | T::Bf16x2]) => COMPARE | BOOL,
        (P::Set, [T::U(32) | T::S(32) | T::F(F32), T::F(F32)]) => COMPARE | BOOL | FTZ,
        (P::Set, [T::U(32) | T::S(32) | T::F(F32), bits!() | T::F(F64)]) => COMPARE | BOOL,
        (P::Set, [T::U(16 | 32) | T::S(16 | 32) | T::F(F16), T::F(F16)]) => COMPARE | BOOL | FTZ,
        (P::Set, [T::U(16 | 32) | T::S(16 | 32) | T::F(Bf16), T::F(Bf16)]) => COMPARE | BOOL,
        (P::Set, [T::F(F16), T::F(F32)]) => COMPARE | BOOL | FTZ,
        (P::Set, [T::F(F16 | Bf16), bits!() | T::F(F64)]) | (P::Set, [T::F(Bf16), T::F(F32 | F16)]) => {
            COMPARE | BOOL
        }
        (P::Set, [T::U(32) | T::S(32) | T::F16x2, T::F16x2]) => COMPARE | BOOL | FTZ,
        (P::Set, [T::U(32) | T::S(32) | T::Bf16x2, T::Bf16x2]) => COMPARE | BOOL,
        (P::Selp, [bits!() | T::F(F32 | F64)]) => 0,
        (P::Slct, [bits!() | T::F(F32 | F64), T::S(32)]) => 0,
        (P::Slct, [bits!() | T::F(F32 | F64), T::F(F32)]) => FTZ,
        _ => return floats(op, types).or_else(|| converted(op, types)),
    })
}

/// The same of arithmetic of floats.
fn floats(op: P, types: &[T]) -> Option<u32> {
    Some(match (op, types) {
        (P::Add | P::Sub | P::Mul | P::Fma | P::Mad, [T::F(F32)]) => ROUND | FTZ | SAT,
        (P::Add | P::Sub | P::Mul | P::Fma | P::Mad, [T::F(F64)]) => ROUND,
        (P::Add | P::Sub | P::Mul, [T::F(F16) | T::F16x2]) => ROUND | FTZ | SAT,
        (P::Fma, [T::F(F16) | T::F16x2]) => ROUND | FTZ | SAT | RELU | OOB,
        (P::Add | P::Sub | P::Mul, [T::F(Bf16) | T::Bf16x2]) => ROUND,
        (P::Fma, [T::F(Bf16) | T::Bf16x2]) => ROUND | RELU | OOB,
        (P::Add | P::Sub | P::Mul | P::Fma, [T::F32x2]) => ROUND | FTZ,
        (P::Add | P::Sub | P::Fma, [T::F(F32), T::F(F16 | Bf16)]) => ROUND | SAT,
        (P::Div, [T::F(F32)]) => ROUND | FTZ | APPROX | FULL,
        (P::Div | P::Sqrt, [T::F(F64)]) => ROUND,
        (P::Abs | P::Neg, [T::F(F32 | F16) | T::F16x2]) => FTZ,
        (P::Abs | P::Neg, [T::F(F64 | Bf16) | T::Bf16x2]) => 0,
        (P::Min | P::Max, [T::F(F32 | F16) | T::F16x2]) => FTZ | NAN | ABS,
        (P::Min | P::Max, [T::F(Bf16) | T::Bf16x2]) => NAN | ABS,
        (P::Min | P::Max, [T::F(F64)]) => 0,
        (P::Rcp | P::Sqrt, [T::F(F32)]) | (P::Rcp, [T::F(F64)]) => ROUND | FTZ | APPROX,
        (P::Rsqrt, [T::F(F32 | F64)]) | (P::Sin | P::Cos | P::Lg2 | P::Ex2, [T::F(F32)]) => APPROX | FTZ,
        (P::Ex2, [T::F(Bf16) | T::Bf16x2]) => APPROX | FTZ,
        (P::Ex2, [T::F(F16) | T::F16x2]) => APPROX,
        (P::Tanh, [T::F(F32 | F16 | Bf16) | T::F16x2 | T::Bf16x2]) => APPROX,
        (P::Copysign, [T::F(F32 | F64)]) => 0,
        (P::Testp, [T::F(F32 | F64)]) => MODE,
        _ => return None,
    })
}

/// The same of moves and conversions.
fn converted(op: P, types: &[T]) -> Option<u32> {
    Some(match (op, types) {
        (P::Mov, [T::Pred | T::B(16 | 32 | 64 | 128) | integer!() | T::F(F32 | F64)]) => VECTOR,
        (P::Cvta, [T::U(64)]) => SPACE | TO,
        (P::Isspacep, []) => SPACE,
        // `cvt.pack`.
        (
            P::Cvt,
            [T::U(16) | T::S(16), T::S(32)] | [T::U(2 | 4 | 8) | T::S(2 | 4 | 8), T::S(32), T::B(32)],
        ) => SAT | MODE,
        (P::Cvt, [whole!(), whole!()]) => SAT,
        (P::Cvt, [T::F(F32), whole!()]) => ROUND | FTZ | SAT,
        (P::Cvt, [T::F(F16 | F64), whole!()]) => ROUND | SAT,
        (P::Cvt, [T::F(Bf16), whole!() | T::F(F16 | F64)]) | (P::Cvt, [T::F(F16), T::F(Bf16)]) => ROUND,
        (P::Cvt, [whole!() | T::F(F32), T::F(F32)]) => ROUND | INTEGER | FTZ | SAT,
        (P::Cvt, [whole!(), T::F(F16 | F64)]) => ROUND | INTEGER | SAT,
        (P::Cvt, [T::F(F16), T::F(F16)] | [T::F(F64), T::F(F64)]) => ROUND | INTEGER | SAT,
        (P::Cvt, [whole!() | T::F(Bf16), T::F(Bf16)]) => ROUND | INTEGER,
        (P::Cvt, [T::F(F32), T::F(F16 | F64)]) => ROUND | FTZ | SAT,
        (P::Cvt, [T::F(F64), T::F(F32)]) => FTZ | SAT,
        (P::Cvt, [T::F(F64), T::F(F16)]) => SAT,
        (P::Cvt, [T::F(F16), T::F(F64)]) => ROUND | SAT,
        (P::Cvt, [T::F(F32), T::F(Bf16)]) => ROUND | FTZ,
        (P::Cvt, [T::F(F64), T::F(Bf16)]) => ROUND,
        (P::Cvt, [T::F(F16), T::F(F32)]) => ROUND | FTZ | SAT | SATFINITE | RELU,
        (P::Cvt, [T::F(Bf16), T::F(F32)]) => ROUND | FTZ | SATFINITE | RELU,
        (P::Cvt, [T::F16x2 | T::Bf16x2 | T::Tf32, T::F(F32)]) => ROUND | SATFINITE | RELU,
        (P::Cvt, [T::Fp8x2(E4m3 | E5m2), T::F(F32) | T::F16x2]) => ROUND | SATFINITE | RELU,
        (P::Cvt, [T::F16x2, T::Fp8x2(E4m3 | E5m2)]) => ROUND | RELU,
        _ => return None,
    })
}

/// The same of memory, of lanes and of what is no computation of one lane.
fn effects(op: P, types: &[T]) -> Option<u32> {
    Some(match (op, types) {
        (P::Ld | P::Ldu | P::St, [stored!()]) => MEMORY,
        (P::Atom, [T::B(16 | 128)]) => MEMORY | ATOMIC,
        (P::Atom | P::Red, [T::B(32 | 64) | word!() | T::F(F32 | F64)]) => MEMORY | ATOMIC,
        (P::Atom | P::Red, [T::F(F16 | Bf16) | T::F16x2 | T::Bf16x2]) => MEMORY | ATOMIC | NOFTZ,
        (P::Membar | P::Fence, []) => ORDER | SCOPE,
        // Hints, whatever they say.
        (P::Prefetch | P::Prefetchu | P::Applypriority | P::Discard, []) => SPACE,
        (P::Pmevent, []) => MODE,
        (P::CpAsync, []) => SPACE | MODE,
        (P::Bar | P::Barrier, [] | [T::U(32) | T::Pred]) => MODE | BOOL | SCOPE | SYNC | ALIGNED,
        (P::Shfl, [T::B(32)]) | (P::Vote, [T::Pred | T::B(32)]) | (P::Match, [T::B(32 | 64)]) => MODE | SYNC,
        (P::Redux, [T::U(32) | T::S(32) | T::B(32)]) => ATOMIC | SYNC,
        (P::Redux, [T::F(F32)]) => ATOMIC | SYNC | NAN | ABS,
        (P::Activemask, [T::B(32)]) | (P::Nanosleep, [T::U(32)]) => 0,
        (P::Elect, []) => SYNC,
        (P::Griddepcontrol, []) => MODE,
        (P::Ldmatrix | P::Stmatrix, [T::B(16)]) => SPACE | VECTOR | MODE | SYNC | ALIGNED,
        (P::Movmatrix, [T::B(16)]) => MODE | SYNC | ALIGNED,
        // The shapes are those that `Inst::mma` knows.
        (P::Mma, [d, a, b, c]) if d == c => MODE | BOOL | SYNC | ALIGNED | factors(*a, *b)?,
        (P::Trap | P::Brkpt | P::Exit, []) => 0,
        (P::Ret | P::Bra | P::BrxIdx | P::Call, []) => UNI,
        _ => return None,
    })
}

/// The modifiers that products of two kinds of elements have besides; `None` if there are no such products.
fn factors(a: T, b: T) -> Option<u32> {
    Some(match (a, b) {
        (T::U(8) | T::S(8), T::U(8) | T::S(8)) | (T::U(4) | T::S(4), T::U(4) | T::S(4)) => SATFINITE,
        (T::F(E4m3 | E5m2), T::F(E4m3 | E5m2)) => 0,
        (T::F(F16 | Bf16 | F64) | T::Tf32 | T::B(1), _) if a == b => 0,
        _ => return None,
    })
}

/// Words that have no field in [`Mods`] and are lowered by or change nothing: hints about caches, and what the operation's module reads there.
fn is_known_hint(op: P, word: &str) -> bool {
    const CACHES: [&str; 7] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt"];
    let cached = || CACHES.contains(&word) || word.starts_with("L1::") || word.starts_with("L2::");
    match op {
        P::Ld | P::St => cached() || matches!(word, "shared::cluster" | "param::entry" | "param::func"),
        P::CpAsync => cached() || word == "async",
        P::Atom | P::Red => word == "L2::cache_hint" || word == "shared::cluster",
        P::Cvta | P::Isspacep => matches!(word, "shared::cluster" | "param::entry"),
        P::Prefetch | P::Prefetchu => {
            matches!(word, "L1" | "L2" | "tensormap") || word.starts_with("L2::evict_")
        }
        P::Applypriority | P::Discard => matches!(word, "L2" | "L2::evict_normal"),
        P::Bar | P::Barrier => word == "warp",
        _ => false,
    }
}

/// The words and the number of types that operations with spelled modifiers ([`P::is_spelled`]) are lowered with; `None` for the others.
#[rustfmt::skip]
fn spelled(op: P) -> Option<(&'static [&'static str], std::ops::RangeInclusive<usize>)> {
    Some(match op {
        P::Mbarrier => (&["init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count", "noComplete",
            "parity", "acquire", "release", "relaxed", "cta", "cluster", "shared", "shared::cta", "shared::cluster"], 1..=1),
        P::Setmaxnreg => (&["inc", "dec", "sync", "aligned"], 1..=1),
        P::Createpolicy => (&["cvt", "fractional", "L2", "L2::evict_first", "L2::evict_last", "L2::evict_normal", "L2::evict_unchanged"], 1..=1),
        P::ClusterBarrier => (&["arrive", "wait", "acquire", "release", "relaxed", "aligned"], 0..=0),
        P::BulkCopy => (&["shared::cluster", "shared::cta", "global", "mbarrier::complete_tx::bytes", "bulk_group", "multicast::cluster", "L2::cache_hint",
            "prefetch", "L2", "commit_group", "wait_group", "read"], 0..=0),
        P::BulkReduce => (&["global", "shared::cta", "bulk_group", "L2::cache_hint", "noftz", "add", "min", "max", "inc", "dec", "and", "or", "xor"], 1..=1),
        P::CopyArrive => (&["arrive", "noinc", "shared", "shared::cta"], 1..=1),
        P::FenceProxy => (&["async", "global", "shared::cta", "shared::cluster", "alias", "tensormap::generic", "async::generic", "acquire", "release", "cta",
            "cluster", "gpu", "sys", "sync_restrict::shared::cluster", "sync_restrict::shared::cta"], 0..=0),
        P::FenceInit => (&["release", "cluster"], 0..=0),
        P::StAsync => (&["weak", "shared::cluster", "mbarrier::complete_tx::bytes", "v2", "v4"], 1..=1),
        P::RedAsync => (&["relaxed", "cluster", "shared::cluster", "mbarrier::complete_tx::bytes", "add", "min", "max", "inc", "dec", "and", "or", "xor"], 1..=1),
        P::Mapa | P::Getctarank => (&["shared::cluster"], 1..=1),
        // The name of the operation has the types.
        P::Wgmma => (&["fence", "commit_group", "wait_group", "mma_async", "sp", "sync", "aligned", "satfinite", "and", "popc"], 0..=3),
        P::Tensor => (&["1d", "2d", "3d", "4d", "5d", "shared::cluster", "shared::cta", "global", "tile", "im2col", "im2col_no_offs", "bulk_group",
            "mbarrier::complete_tx::bytes", "multicast::cluster", "L2::cache_hint"], 0..=0),
        P::TensorPrefetch => (&["1d", "2d", "3d", "4d", "5d", "L2", "global", "tile", "im2col", "L2::cache_hint"], 0..=0),
        P::TensorReduce => (&["1d", "2d", "3d", "4d", "5d", "global", "shared::cta", "add", "min", "max", "inc", "dec", "and", "or", "xor", "tile",
            "im2col_no_offs", "bulk_group", "L2::cache_hint"], 0..=0),
        P::MmaSparse => (&["::ordered_metadata", "sp::ordered_metadata", "sync", "aligned", "row", "col", "satfinite"], 4..=4),
        P::Tex => (&["1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms", "base", "level", "grad", "v4"], 2..=2),
        P::Tld4 => (&["r", "g", "b", "a", "2d", "a2d", "cube", "acube", "v4"], 2..=2),
        // What is not a size `texture` refuses.
        P::Txq | P::Suq => (&["width", "height", "depth", "level", "channel_data_type", "channel_order", "array_size", "memory_layout",
            "normalized_coords", "num_mipmap_levels", "num_samples"], 1..=1),
        P::Suld => (&["b", "1d", "2d", "3d", "a1d", "a2d", "ca", "cg", "cs", "cv", "v2", "v4", "trap", "clamp", "zero"], 1..=1),
        P::Sust => (&["b", "p", "1d", "2d", "3d", "a1d", "a2d", "wb", "cg", "cs", "wt", "v2", "v4", "trap", "clamp", "zero"], 1..=1),
        P::Sured => (&["b", "p", "1d", "2d", "3d", "add", "min", "max", "and", "or", "trap", "clamp", "zero"], 1..=1),
        P::Istypep => (&["texref", "samplerref", "surfref"], 0..=0),
        P::Video => (&["add", "min", "max", "sat", "lo", "hi", "shr7", "shr15", "po", "clamp", "wrap", "eq", "ne", "lt", "le", "gt", "ge"], 2..=3),
        _ => return None,
    })
}

/// The types that such an operation is lowered with.
fn spelled_types(op: P, types: &[T]) -> bool {
    let texel = |ty: T| matches!(ty, T::U(32) | T::S(32) | T::F(F32));
    match (op, types) {
        (P::Tex, &[to, at]) => texel(to) && matches!(at, T::S(32) | T::F(F32)),
        (P::Tld4, &[to, at]) => texel(to) && at == T::F(F32),
        // The rest is in the name of an operation, and `Opaque::named` knows no others.
        (P::MmaSparse, [d, _, _, c]) => d == c,
        _ => types.iter().all(|&ty| spelled_type(op, ty)),
    }
}

/// The types that an operation is lowered with whose places do not differ.
fn spelled_type(op: P, ty: T) -> bool {
    match op {
        P::Setmaxnreg => ty == T::U(32),
        P::Mbarrier | P::Createpolicy | P::CopyArrive => ty == T::B(64),
        P::Mapa | P::Getctarank => matches!(ty, T::U(32 | 64)),
        P::StAsync => matches!(ty, T::B(32 | 64) | word!() | T::F(F32 | F64)),
        P::RedAsync => matches!(ty, T::B(32) | T::U(32 | 64) | T::S(32)),
        P::BulkReduce => matches!(ty, T::B(32 | 64) | word!() | T::F(F16 | Bf16 | F32 | F64)),
        P::Txq | P::Suq => ty == T::B(32),
        P::Suld | P::Sust => matches!(ty, T::B(8 | 16 | 32 | 64)),
        P::Sured => matches!(ty, T::B(32) | word!()),
        P::Video => matches!(ty, T::U(32) | T::S(32)),
        // As for sparse products.
        P::Wgmma => true,
        _ => false,
    }
}

/// Why an instruction is not lowered: what of its types and modifiers no arm names.
pub(crate) fn refusal(inst: &Inst) -> Option<Refusal> {
    let (op, types, mods) = (inst.op, &inst.types[..], &inst.mods);
    if let Some((words, count)) = spelled(op) {
        // The first word of a video instruction is its name.
        let own = &mods.words[usize::from(op == P::Video).min(mods.words.len())..];
        let shape =
            |word: &str| matches!(op, P::Wgmma | P::MmaSparse) && word.starts_with('m') && word.contains('n');
        if let Some(word) = own.iter().find(|word| !words.contains(word) && !shape(word)) {
            return Some(Refusal::UnsupportedWord(word));
        }
        let known = count.contains(&types.len()) && spelled_types(op, types);
        return (!known).then_some(Refusal::UnsupportedHere("this type"));
    }
    if matches!(op, P::Unmodelled | P::Wmma) {
        return Some(Refusal::Unsupported("this instruction"));
    }
    let Some(named) = computed(op, types).or_else(|| effects(op, types)) else {
        return Some(Refusal::UnsupportedHere("this type"));
    };
    let beyond = given(mods) & !named;
    if let Some((_, what)) = NAMES.iter().find(|(bit, _)| beyond & bit != 0) {
        return Some(Refusal::UnsupportedHere(what));
    }
    let unknown = mods.hints.iter().find(|word| !is_known_hint(op, word));
    unknown.map(|word| Refusal::UnsupportedWord(word))
}
