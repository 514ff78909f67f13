//! Names for the operations of the IR and for what they carry, as rows write them.

pub use super::value::Attribute;

use sassafras_chip::{Chip, Strengths};
use sassafras_ir::operations::{HEADS, Signature, Width};
use sassafras_ir::{CacheOperator, Compare, FloatCompare, MemoryAccess, Op, op::PackedOp};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{
    Approximation, AtomicOp, FloatFormat, FloatMode, Opaque, Ordering, Rounding, Scope, Space,
};

/// The operation that global atomics without a reader of the old value are selected as: no operation of the IR, so it has no row there.
pub const REDUCE: &str = "reduce";

/// The head of this name that a rule may have.
pub fn head_named(word: &str) -> Option<&'static str> {
    let mut own = HEADS.iter().filter(|head| **head != "opaque").chain(&[REDUCE]);
    // The table of the others is made only where it is needed.
    own.find(|head| **head == word).or_else(|| Opaque::heads().iter().find(|head| **head == word)).copied()
}

/// The suffix by which rows name an operation whose arguments and results have these widths in bits: its float format; both widths of an
/// extension or a truncation; the width of the first argument, where that of the result is one for all; else that of the result.
pub fn suffix(op: &Op, args: &[u32], results: &[u32]) -> String {
    let of_arguments = |(args, results): Signature| match (args.first(), results.first()) {
        (Some(first), Some(Width::Bits(_))) => !matches!(first, Width::Bits(_)),
        _ => false,
    };
    if let Some(format) = op.format() {
        return format_name(format).to_owned();
    }
    match op {
        Op::ZeroExtend | Op::SignExtend | Op::Truncate => format!("{}.{}", args[0], results[0]),
        _ if op.signature().is_some_and(of_arguments) => args[0].to_string(),
        _ => results.first().or(args.get(1)).or(args.first()).map_or_else(String::new, u32::to_string),
    }
}

/// Attribute `name` of an operation as instructions of a chip spell it; `None` if it has none of that name.
pub fn attribute_on(op: &Op, name: &str, chip: Chip) -> Option<Attribute> {
    match (op, name) {
        (Op::Load(a) | Op::Store(a) | Op::Atomic { access: a, .. }, SEMANTICS) => {
            semantics(op, a, chip.strengths()).map(Attribute::Text)
        }
        (Op::Opaque(access), ORDER) if access.head() == "surface" => {
            Some(super::texture::order(*access, chip.strengths()))
        }
        _ => attribute(op, name),
    }
}

/// The attributes whose texts depend on the chip: the strength of accesses to memory, and to surfaces.
pub(super) const SEMANTICS: &str = "semantics";
pub(super) const ORDER: &str = "order";

/// Attribute `name` of an operation; `None` if it has none of that name, or one that each chip spells its own way ([`attribute_on`]).
pub fn attribute(op: &Op, name: &str) -> Option<Attribute> {
    use Attribute::{Flag, Number, Text};
    if let Some(flag) = op.flag(name) {
        return Some(Flag(flag));
    }
    Some(match (op, name) {
        (Op::Lop3(table), "lut") => Number(i64::from(*table)),
        (Op::Extract(n), "at") => Number(i64::from(*n)),
        (Op::Compare(c), "cmp") => Text(compare(*c).0),
        (Op::Compare(c), "signed") => Flag(compare(*c).1),
        (Op::FloatCompare { compare, .. }, "cmp") => Text(float_compare(*compare)),
        (Op::Approximate { function, .. }, "function") => Text(approximation(*function)),
        (Op::ToFp8 { to: format, .. } | Op::FromFp8 { from: format, .. }, "fp8") => Text(match format {
            FloatFormat::E4m3 => ".E4M3",
            FloatFormat::E5m2 => ".E5M2",
            _ => return None,
        }),
        (Op::ToFp8 { from, .. }, "from") => Text(format_name(*from)),
        (Op::FloatToFloat { from, .. } | Op::FloatToInt { from, .. }, "from") => Text(format_name(*from)),
        (Op::FloatToFloat { to, .. } | Op::IntToFloat { to, .. }, "to") => Text(format_name(*to)),
        (Op::FloatToInt { bits, .. } | Op::IntToFloat { bits, .. }, "bits") => Number(i64::from(*bits)),
        (Op::Packed { kind, .. }, "kind") => Text(packed(*kind)),
        (Op::Shuffle(mode), "mode") => Text(match mode {
            ShuffleMode::Idx => ".IDX",
            ShuffleMode::Up => ".UP",
            ShuffleMode::Down => ".DOWN",
            ShuffleMode::Bfly => ".BFLY",
        }),
        (Op::Vote(mode), "mode") => Text(match mode {
            VoteMode::All => ".ALL",
            VoteMode::Any | VoteMode::Ballot => ".ANY",
            VoteMode::Uniform => ".EQ",
        }),
        (Op::Mma(_) | Op::MatrixLoad(_) | Op::MatrixStore(_), _) => {
            return super::matrix::attribute(op, name);
        }
        (Op::Barrier { mode, .. }, "mode") => Text(match mode {
            BarrierMode::Sync => "sync",
            BarrierMode::Arrive => "arrive",
            BarrierMode::Popc => "popc",
            BarrierMode::And => "and",
            BarrierMode::Or => "or",
        }),
        (Op::Opaque(op), "dim" | "edge" | "size" | "component" | "operation" | "number") => {
            return super::texture::attribute(*op, name);
        }
        (Op::Opaque(sparse), "factor" | "second" | "selector") if sparse.head() == "sparse" => {
            return super::matrix::sparse(*sparse, name);
        }
        // Each other word of the name is a flag.
        (Op::Opaque(op), word) => Flag(op.has(word)),
        (Op::Redux(op), "op") => Text(atomic(*op)),
        (Op::Atomic { op, .. }, "op") => Text(atomic(*op)),
        (Op::Atomic { op: AtomicOp::AddF32 { ftz }, .. }, "ftz") => Flag(*ftz),
        (Op::Fence(ordering, _), "sc") => Flag(*ordering == Ordering::SequentiallyConsistent),
        (Op::Fence(_, scope), "scope") => Text(scope_name(*scope)),
        (Op::ToGeneric(s) | Op::FromGeneric(s) | Op::IsSpace(s), "space") => Text(space_name(*s)),
        (Op::Load(a) | Op::Store(a) | Op::Atomic { access: a, .. }, _) => return memory(a, name),
        _ => return mode(op)?.0.attribute(name),
    })
}

trait ModeAttribute {
    fn attribute(&self, name: &str) -> Option<Attribute>;
}

impl ModeAttribute for FloatMode {
    fn attribute(&self, name: &str) -> Option<Attribute> {
        Some(match name {
            "ftz" => Attribute::Flag(self.ftz),
            "sat" => Attribute::Flag(self.sat),
            "rounding" => Attribute::Text(match self.rounding {
                Rounding::NearestEven => "",
                Rounding::Down => ".RM",
                Rounding::Up => ".RP",
                Rounding::Zero => ".RZ",
                Rounding::NearestAway => ".RNA",
            }),
            // Conversions to integers name the directions otherwise.
            "integer_rounding" => Attribute::Text(match self.rounding {
                Rounding::NearestEven => "",
                Rounding::Down => ".FLOOR",
                Rounding::Up => ".CEIL",
                Rounding::Zero => ".TRUNC",
                Rounding::NearestAway => ".RNA",
            }),
            _ => return None,
        })
    }
}

fn mode(op: &Op) -> Option<(FloatMode,)> {
    Some((match op {
        Op::FAdd(_, m)
        | Op::FMul(_, m)
        | Op::Fma(_, m)
        | Op::FDiv(_, m)
        | Op::FSqrt(_, m)
        | Op::FRound(_, m) => *m,
        Op::FloatToFloat { mode, .. }
        | Op::FloatToInt { mode, .. }
        | Op::IntToFloat { mode, .. }
        | Op::Packed { mode, .. } => *mode,
        _ => return None,
    },))
}

/// `f16 bf16 f32 f64 e4m3 e5m2`
pub fn format_name(format: FloatFormat) -> &'static str {
    match format {
        FloatFormat::F16 => "f16",
        FloatFormat::Bf16 => "bf16",
        FloatFormat::F32 => "f32",
        FloatFormat::F64 => "f64",
        FloatFormat::E4m3 => "e4m3",
        FloatFormat::E5m2 => "e5m2",
    }
}

fn compare(c: Compare) -> (&'static str, bool) {
    match c {
        Compare::Eq => (".EQ", false),
        Compare::Ne => (".NE", false),
        Compare::ULt => (".LT", false),
        Compare::ULe => (".LE", false),
        Compare::UGt => (".GT", false),
        Compare::UGe => (".GE", false),
        Compare::SLt => (".LT", true),
        Compare::SLe => (".LE", true),
        Compare::SGt => (".GT", true),
        Compare::SGe => (".GE", true),
    }
}

fn float_compare(c: FloatCompare) -> &'static str {
    match c {
        FloatCompare::Eq => ".EQ",
        FloatCompare::Ne => ".NE",
        FloatCompare::Lt => ".LT",
        FloatCompare::Le => ".LE",
        FloatCompare::Gt => ".GT",
        FloatCompare::Ge => ".GE",
        FloatCompare::UEq => ".EQU",
        FloatCompare::UNe => ".NEU",
        FloatCompare::ULt => ".LTU",
        FloatCompare::ULe => ".LEU",
        FloatCompare::UGt => ".GTU",
        FloatCompare::UGe => ".GEU",
        FloatCompare::Ordered => ".NUM",
        FloatCompare::Unordered => ".NAN",
    }
}

fn approximation(f: Approximation) -> &'static str {
    match f {
        Approximation::Rcp => ".RCP",
        Approximation::Rsqrt => ".RSQ",
        Approximation::Sqrt => ".SQRT",
        // SASS counts turns; radians are scaled before selection.
        Approximation::SinTurns => ".SIN",
        Approximation::CosTurns => ".COS",
        Approximation::Sin => "sin of radians",
        Approximation::Cos => "cos of radians",
        Approximation::Ex2 => ".EX2",
        Approximation::Lg2 => ".LG2",
        Approximation::Tanh => ".TANH",
        Approximation::Rcp64High => ".RCP64H",
        Approximation::Rsqrt64High => ".RSQ64H",
    }
}

fn packed(kind: PackedOp) -> &'static str {
    match kind {
        PackedOp::Add => "add",
        PackedOp::Mul => "mul",
        PackedOp::Fma => "fma",
        PackedOp::Min => "min",
        PackedOp::Max => "max",
        PackedOp::MinNan => "minnan",
        PackedOp::MaxNan => "maxnan",
        PackedOp::Neg => "neg",
        PackedOp::Abs => "abs",
    }
}

fn atomic(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "add",
        AtomicOp::SMin => "smin",
        AtomicOp::SMax => "smax",
        AtomicOp::UMin => "umin",
        AtomicOp::UMax => "umax",
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Exch => "exch",
        AtomicOp::Cas => "cas",
        AtomicOp::Inc => "inc",
        AtomicOp::Dec => "dec",
        AtomicOp::AddF32 { .. } => "addf32",
        AtomicOp::AddF64 => "addf64",
        AtomicOp::AddF16x2 => "addf16x2",
        AtomicOp::AddBf16x2 => "addbf16x2",
        AtomicOp::AddF16 => "addf16",
        AtomicOp::AddBf16 => "addbf16",
        AtomicOp::MinF32 { abs: false, nan: false } => "minf32",
        AtomicOp::MinF32 { abs: false, nan: true } => "minf32nan",
        AtomicOp::MinF32 { abs: true, nan: false } => "minf32abs",
        AtomicOp::MinF32 { abs: true, nan: true } => "minf32absnan",
        AtomicOp::MaxF32 { abs: false, nan: false } => "maxf32",
        AtomicOp::MaxF32 { abs: false, nan: true } => "maxf32nan",
        AtomicOp::MaxF32 { abs: true, nan: false } => "maxf32abs",
        AtomicOp::MaxF32 { abs: true, nan: true } => "maxf32absnan",
    }
}

fn ordering_name(ordering: Ordering) -> &'static str {
    match ordering {
        Ordering::Weak => "weak",
        Ordering::NonCoherent => "nc",
        Ordering::Volatile => "volatile",
        Ordering::Relaxed => "relaxed",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcquireRelease => "acq_rel",
        Ordering::Mmio => "mmio",
        Ordering::SequentiallyConsistent => "sc",
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    }
}

/// `generic global shared local const param bank`
pub fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic",
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
        Space::Param => "param",
        Space::Bank(_) => "bank",
    }
}

/// The ordering and scope suffix of a memory instruction. Acquire and release have none: `opt::legalize` makes fences of them.
fn semantics(op: &Op, access: &MemoryAccess, text: Strengths) -> Option<&'static str> {
    let strong = match access.scope {
        Scope::Cta => text.block,
        Scope::Cluster | Scope::Gpu => text.gpu,
        Scope::Sys => text.system,
    };
    Some(match (access.ordering, op) {
        // How ptxas 13.0.88 spells the operators that name a level; the others are [`evict`].
        (Ordering::Weak, Op::Load(_) | Op::Store(_)) => match access.cache {
            Some(CacheOperator::All | CacheOperator::WriteBack) => text.block,
            Some(CacheOperator::Global) => text.gpu,
            Some(CacheOperator::Volatile | CacheOperator::WriteThrough) => text.system,
            Some(CacheOperator::Streaming | CacheOperator::LastUse) | None => text.weak,
        },
        (Ordering::NonCoherent, Op::Load(_)) if access.space == Space::Global => text.constant,
        (Ordering::NonCoherent, Op::Load(_)) => text.weak,
        (Ordering::Volatile, _) => text.system,
        (Ordering::Mmio, _) => text.mmio,
        (Ordering::Weak | Ordering::Relaxed, _) => strong,
        _ => return None,
    })
}

/// The priority of eviction that stands for a cache operator (ptxas 13.0.88).
fn evict(access: &MemoryAccess) -> &'static str {
    match access.cache {
        Some(CacheOperator::Streaming) => ".EF",
        Some(CacheOperator::LastUse) => ".LU",
        _ => "",
    }
}

fn memory(a: &MemoryAccess, name: &str) -> Option<Attribute> {
    let total = u32::from(a.bytes) * u32::from(a.lanes);
    Some(match name {
        "space" => Attribute::Text(space_name(a.space)),
        "ordering" => Attribute::Text(ordering_name(a.ordering)),
        "scope" => Attribute::Text(scope_name(a.scope)),
        "offset" => Attribute::Number(i64::from(a.offset)),
        "bytes" => Attribute::Number(i64::from(a.bytes)),
        "lanes" => Attribute::Number(i64::from(a.lanes)),
        "signed" => Attribute::Flag(a.signed),
        "evict" => Attribute::Text(evict(a)),
        "size" => Attribute::Text(match (total, a.signed) {
            (1, false) => ".U8",
            (1, true) => ".S8",
            (2, false) => ".U16",
            (2, true) => ".S16",
            (4, _) => "",
            (8, _) => ".64",
            _ => ".128",
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::head_named;

    #[test]
    fn heads_are_those_of_operations() {
        for head in ["lop3", "reduce", "griddepcontrol"] {
            assert_eq!(head_named(head), Some(head));
        }
        for other in ["opaque", "reverse"] {
            assert_eq!(head_named(other), None);
        }
    }
}
