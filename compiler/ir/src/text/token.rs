//! One token of text per field: how each kind of field is written, read, and drawn at random.

use crate::function::VariableId;
use crate::op::{CacheOperator, Compare, FloatCompare, MemoryAccess, PackedOp};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{
    Approximation, AtomicOp, Axis, FloatFormat, FloatMode, Opaque, Ordering, Rounding, Routine, RoutinePart,
    Scope, Space, SpecialRegister, SystemCall,
};

/// A kind of field. A token holds no dot and no space.
pub(crate) trait Token {
    /// What the field holds.
    type Value: Copy;
    fn write(value: Self::Value) -> String;
    fn read(text: &str) -> Option<Self::Value>;
    /// Some value, chosen by random bits.
    fn sample(random: &mut dyn FnMut() -> u64) -> Self::Value;
    /// Every value; none where they are too many to go through.
    fn all() -> Vec<Self::Value> {
        Vec::new()
    }
    /// The truth value that it is.
    fn flag(_value: Self::Value) -> Option<bool> {
        None
    }
}

macro_rules! numbers {
    ($($t:ident),*) => {$(
        impl Token for $t {
            type Value = $t;
            fn write(value: $t) -> String {
                value.to_string()
            }
            fn read(text: &str) -> Option<$t> {
                text.parse().ok()
            }
            fn sample(random: &mut dyn FnMut() -> u64) -> $t {
                random() as $t
            }
            fn all() -> Vec<$t> {
                if $t::BITS == 8 { ($t::MIN..=$t::MAX).collect() } else { Vec::new() }
            }
        }
    )*};
}
numbers!(u8, u32, i32, i64);

impl Token for u128 {
    type Value = u128;
    fn write(value: u128) -> String {
        format!("{value:#x}")
    }
    fn read(text: &str) -> Option<u128> {
        u128::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> u128 {
        u128::from(random()) << 64 | u128::from(random())
    }
}

impl Token for VariableId {
    type Value = VariableId;
    fn write(value: VariableId) -> String {
        value.to_string()
    }
    fn read(text: &str) -> Option<VariableId> {
        text.parse().ok()
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> VariableId {
        VariableId(random() as u32 >> 8)
    }
}

/// The name, its words joined by slashes.
impl Token for Opaque {
    type Value = Opaque;
    fn write(value: Opaque) -> String {
        value.name().replace('.', "/")
    }
    fn read(text: &str) -> Option<Opaque> {
        Opaque::named(&text.replace('/', "."))
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> Opaque {
        let all: Vec<Opaque> = Opaque::all().collect();
        all[random() as usize % all.len()]
    }
}

/// Kinds of truth values, each with its own words for no and yes.
macro_rules! flags {
    ($($name:ident $no:literal $yes:literal;)*) => {$(
        pub(crate) struct $name;
        impl Token for $name {
            type Value = bool;
            fn write(value: bool) -> String {
                if value { $yes } else { $no }.to_string()
            }
            fn read(text: &str) -> Option<bool> {
                match text {
                    $no => Some(false),
                    $yes => Some(true),
                    _ => None,
                }
            }
            fn sample(random: &mut dyn FnMut() -> u64) -> bool {
                random() & 1 == 1
            }
            fn all() -> Vec<bool> {
                vec![false, true]
            }
            fn flag(value: bool) -> Option<bool> {
                Some(value)
            }
        }
    )*};
}
flags! {
    Signed "u" "s";
    Left "r" "l";
    Wrap "clamp" "wrap";
    ShiftAmount "position" "shiftamt";
    Ftz "noftz" "ftz";
    Nan "num" "nan";
    Relu "norelu" "relu";
    All "any" "all";
    Aligned "unaligned" "aligned";
}

/// Enumerations, a word for each value.
macro_rules! words {
    ($($name:ident { $($pattern:path = $word:literal),* $(,)? })*) => {$(
        impl Token for $name {
            type Value = $name;
            fn write(value: $name) -> String {
                match value { $($pattern => $word,)* }.to_string()
            }
            fn read(text: &str) -> Option<$name> {
                match text { $($word => Some($pattern),)* _ => None }
            }
            fn sample(random: &mut dyn FnMut() -> u64) -> $name {
                let all = [$($pattern),*];
                all[random() as usize % all.len()]
            }
            fn all() -> Vec<$name> {
                vec![$($pattern),*]
            }
        }
    )*};
}
words! {
    Compare {
        Compare::Eq = "eq", Compare::Ne = "ne", Compare::ULt = "ult", Compare::ULe = "ule", Compare::UGt = "ugt",
        Compare::UGe = "uge", Compare::SLt = "slt", Compare::SLe = "sle", Compare::SGt = "sgt", Compare::SGe = "sge",
    }
    FloatCompare {
        FloatCompare::Eq = "eq", FloatCompare::Ne = "ne", FloatCompare::Lt = "lt", FloatCompare::Le = "le",
        FloatCompare::Gt = "gt", FloatCompare::Ge = "ge", FloatCompare::UEq = "equ", FloatCompare::UNe = "neu",
        FloatCompare::ULt = "ltu", FloatCompare::ULe = "leu", FloatCompare::UGt = "gtu", FloatCompare::UGe = "geu",
        FloatCompare::Ordered = "num", FloatCompare::Unordered = "nan",
    }
    PackedOp {
        PackedOp::Add = "add", PackedOp::Mul = "mul", PackedOp::Fma = "fma", PackedOp::Min = "min",
        PackedOp::Max = "max", PackedOp::MinNan = "minnan", PackedOp::MaxNan = "maxnan", PackedOp::Neg = "neg",
        PackedOp::Abs = "abs",
    }
    FloatFormat { FloatFormat::F16 = "f16", FloatFormat::Bf16 = "bf16", FloatFormat::F32 = "f32", FloatFormat::F64 = "f64", FloatFormat::E4m3 = "e4m3", FloatFormat::E5m2 = "e5m2" }
    Rounding {
        Rounding::NearestEven = "rn", Rounding::Zero = "rz", Rounding::Down = "rm", Rounding::Up = "rp",
        Rounding::NearestAway = "rna",
    }
    Ordering {
        Ordering::Weak = "weak", Ordering::NonCoherent = "nc", Ordering::Volatile = "volatile",
        Ordering::Relaxed = "relaxed", Ordering::Acquire = "acquire", Ordering::Release = "release",
        Ordering::AcquireRelease = "acq_rel", Ordering::Mmio = "mmio",
        Ordering::SequentiallyConsistent = "sc",
    }
    Scope { Scope::Cta = "cta", Scope::Cluster = "cluster", Scope::Gpu = "gpu", Scope::Sys = "sys" }
    Approximation {
        Approximation::Rcp = "rcp", Approximation::Rsqrt = "rsqrt", Approximation::Sqrt = "sqrt",
        Approximation::Sin = "sin", Approximation::Cos = "cos", Approximation::SinTurns = "sin_turns",
        Approximation::CosTurns = "cos_turns", Approximation::Ex2 = "ex2", Approximation::Lg2 = "lg2",
        Approximation::Tanh = "tanh", Approximation::Rcp64High = "rcp64h", Approximation::Rsqrt64High = "rsqrt64h",
    }
    Axis { Axis::X = "x", Axis::Y = "y", Axis::Z = "z" }
    ShuffleMode {
        ShuffleMode::Idx = "idx", ShuffleMode::Up = "up", ShuffleMode::Down = "down", ShuffleMode::Bfly = "bfly",
    }
    VoteMode { VoteMode::All = "all", VoteMode::Any = "any", VoteMode::Uniform = "uni", VoteMode::Ballot = "ballot" }
    BarrierMode {
        BarrierMode::Sync = "sync", BarrierMode::Arrive = "arrive", BarrierMode::Popc = "popc",
        BarrierMode::And = "and", BarrierMode::Or = "or",
    }
}

const ATOMICS: [(AtomicOp, &str); 27] = [
    (AtomicOp::Add, "add"),
    (AtomicOp::SMin, "smin"),
    (AtomicOp::SMax, "smax"),
    (AtomicOp::UMin, "umin"),
    (AtomicOp::UMax, "umax"),
    (AtomicOp::And, "and"),
    (AtomicOp::Or, "or"),
    (AtomicOp::Xor, "xor"),
    (AtomicOp::Exch, "exch"),
    (AtomicOp::Cas, "cas"),
    (AtomicOp::Inc, "inc"),
    (AtomicOp::Dec, "dec"),
    (AtomicOp::AddF32 { ftz: false }, "add_f32"),
    (AtomicOp::AddF32 { ftz: true }, "add_f32_ftz"),
    (AtomicOp::AddF64, "add_f64"),
    (AtomicOp::AddF16x2, "add_f16x2"),
    (AtomicOp::AddBf16x2, "add_bf16x2"),
    (AtomicOp::AddF16, "add_f16"),
    (AtomicOp::AddBf16, "add_bf16"),
    (AtomicOp::MinF32 { abs: false, nan: false }, "min_f32"),
    (AtomicOp::MinF32 { abs: false, nan: true }, "min_f32_nan"),
    (AtomicOp::MinF32 { abs: true, nan: false }, "min_f32_abs"),
    (AtomicOp::MinF32 { abs: true, nan: true }, "min_f32_abs_nan"),
    (AtomicOp::MaxF32 { abs: false, nan: false }, "max_f32"),
    (AtomicOp::MaxF32 { abs: false, nan: true }, "max_f32_nan"),
    (AtomicOp::MaxF32 { abs: true, nan: false }, "max_f32_abs"),
    (AtomicOp::MaxF32 { abs: true, nan: true }, "max_f32_abs_nan"),
];

impl Token for AtomicOp {
    type Value = AtomicOp;
    fn write(value: AtomicOp) -> String {
        let row = ATOMICS.iter().find(|(op, _)| *op == value);
        row.expect("every atomic operation has a word").1.to_string()
    }
    fn read(text: &str) -> Option<AtomicOp> {
        ATOMICS.iter().find(|(_, word)| *word == text).map(|row| row.0)
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> AtomicOp {
        ATOMICS[random() as usize % ATOMICS.len()].0
    }
    fn all() -> Vec<AtomicOp> {
        ATOMICS.map(|row| row.0).to_vec()
    }
}

impl Token for Space {
    type Value = Space;
    fn write(value: Space) -> String {
        match value {
            Space::Generic => "generic".into(),
            Space::Global => "global".into(),
            Space::Shared => "shared".into(),
            Space::Local => "local".into(),
            Space::Const => "const".into(),
            Space::Param => "param".into(),
            Space::Bank(n) => format!("bank{n}"),
        }
    }
    fn read(text: &str) -> Option<Space> {
        Some(match text {
            "generic" => Space::Generic,
            "global" => Space::Global,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" => Space::Param,
            _ => Space::Bank(text.strip_prefix("bank")?.parse().ok()?),
        })
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> Space {
        Self::all().get(random() as usize % 8).copied().unwrap_or(Space::Bank(random() as u8))
    }
    /// But for banks.
    fn all() -> Vec<Space> {
        vec![Space::Generic, Space::Global, Space::Shared, Space::Local, Space::Const, Space::Param]
    }
}

impl Token for FloatMode {
    type Value = FloatMode;
    fn write(value: FloatMode) -> String {
        let mut text = Rounding::write(value.rounding);
        text += if value.ftz { "_ftz" } else { "" };
        text += if value.sat { "_sat" } else { "" };
        text
    }
    fn read(text: &str) -> Option<FloatMode> {
        let (text, sat) = text.strip_suffix("_sat").map_or((text, false), |t| (t, true));
        let (text, ftz) = text.strip_suffix("_ftz").map_or((text, false), |t| (t, true));
        Some(FloatMode { rounding: Rounding::read(text)?, ftz, sat })
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> FloatMode {
        let (rounding, bits) = (Rounding::sample(random), random());
        FloatMode { rounding, ftz: bits & 1 == 1, sat: bits & 2 == 2 }
    }
    fn all() -> Vec<FloatMode> {
        let flags = [(false, false), (false, true), (true, false), (true, true)];
        let modes = |rounding| flags.map(|(ftz, sat)| FloatMode { rounding, ftz, sat });
        Rounding::all().into_iter().flat_map(modes).collect()
    }
}

impl Token for MemoryAccess {
    type Value = MemoryAccess;
    fn write(a: MemoryAccess) -> String {
        format!(
            "{}:{}{}x{}:{}:{}:{:+}{}{}",
            Space::write(a.space),
            Signed::write(a.signed),
            a.bytes,
            a.lanes,
            Ordering::write(a.ordering),
            Scope::write(a.scope),
            a.offset,
            if a.cache.is_some() { ":" } else { "" },
            a.cache.map_or("", CacheOperator::name)
        )
    }
    fn read(text: &str) -> Option<MemoryAccess> {
        let mut parts = text.split(':');
        let space = Space::read(parts.next()?)?;
        let size = parts.next()?;
        let (signed, size) = (Signed::read(size.get(..1)?)?, size.get(1..)?);
        let (bytes, lanes) = size.split_once('x')?;
        let access = MemoryAccess {
            space,
            bytes: bytes.parse().ok()?,
            lanes: lanes.parse().ok()?,
            signed,
            ordering: Ordering::read(parts.next()?)?,
            scope: Scope::read(parts.next()?)?,
            offset: parts.next()?.parse().ok()?,
            cache: match parts.next() {
                Some(word) => Some(CacheOperator::named(word)?),
                None => None,
            },
        };
        parts.next().is_none().then_some(access)
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> MemoryAccess {
        MemoryAccess {
            space: Space::sample(random),
            bytes: 1 << (random() % 5),
            lanes: 1 << (random() % 3),
            signed: random() & 1 == 1,
            ordering: Ordering::sample(random),
            scope: Scope::sample(random),
            offset: random() as i32,
            cache: CacheOperator::ALL.get(random() as usize % 14).map(|row| row.0),
        }
    }
}

type S = SpecialRegister;

/// Special registers without an argument.
const SPECIALS: [(S, &str); 28] = [
    (S::LaneId, "laneid"),
    (S::WarpId, "warpid"),
    (S::NWarpId, "nwarpid"),
    (S::SmId, "smid"),
    (S::NSmId, "nsmid"),
    (S::GridId, "gridid"),
    (S::LaneMaskEq, "lanemask_eq"),
    (S::LaneMaskLe, "lanemask_le"),
    (S::LaneMaskLt, "lanemask_lt"),
    (S::LaneMaskGe, "lanemask_ge"),
    (S::LaneMaskGt, "lanemask_gt"),
    (S::Clock, "clock"),
    (S::ClockHi, "clock_hi"),
    (S::Clock64, "clock64"),
    (S::GlobalTimer, "globaltimer"),
    (S::GlobalTimerLo, "globaltimer_lo"),
    (S::GlobalTimerHi, "globaltimer_hi"),
    (S::TotalSmemSize, "total_smem_size"),
    (S::DynamicSmemSize, "dynamic_smem_size"),
    (S::AggrSmemSize, "aggr_smem_size"),
    (S::ClusterCtaRank, "cluster_ctarank"),
    (S::ClusterNctaRank, "cluster_nctarank"),
    (S::IsExplicitCluster, "is_explicit_cluster"),
    (S::BankCopy, "bank_copy"),
    (S::ReservedSmemBegin, "reserved_smem_begin"),
    (S::ReservedSmemEnd, "reserved_smem_end"),
    (S::ReservedSmemCap, "reserved_smem_cap"),
    (S::CurrentGraphExec, "current_graph_exec"),
];

fn axes(value: S) -> Option<(&'static str, Axis)> {
    Some(match value {
        S::Tid(a) => ("tid", a),
        S::Ntid(a) => ("ntid", a),
        S::Ctaid(a) => ("ctaid", a),
        S::Nctaid(a) => ("nctaid", a),
        S::ClusterId(a) => ("clusterid", a),
        S::NClusterId(a) => ("nclusterid", a),
        S::ClusterCtaid(a) => ("cluster_ctaid", a),
        S::ClusterNctaid(a) => ("cluster_nctaid", a),
        _ => return None,
    })
}

fn with_axis(name: &str, a: Axis) -> Option<S> {
    Some(match name {
        "tid" => S::Tid(a),
        "ntid" => S::Ntid(a),
        "ctaid" => S::Ctaid(a),
        "nctaid" => S::Nctaid(a),
        "clusterid" => S::ClusterId(a),
        "nclusterid" => S::NClusterId(a),
        "cluster_ctaid" => S::ClusterCtaid(a),
        "cluster_nctaid" => S::ClusterNctaid(a),
        _ => return None,
    })
}

impl Token for SpecialRegister {
    type Value = SpecialRegister;
    fn write(value: S) -> String {
        if let Some((name, axis)) = axes(value) {
            return format!("{name}:{}", Axis::write(axis));
        }
        match value {
            S::EnvReg(n) => format!("envreg:{n}"),
            S::Pm(n) => format!("pm:{n}"),
            S::Pm64(n) => format!("pm64:{n}"),
            S::ReservedSmemOffset(n) => format!("reserved_smem_offset:{n}"),
            _ => {
                let row = SPECIALS.iter().find(|(register, _)| *register == value);
                row.expect("every special register has a word").1.to_string()
            }
        }
    }
    fn read(text: &str) -> Option<S> {
        let Some((name, argument)) = text.split_once(':') else {
            return SPECIALS.iter().find(|(_, word)| *word == text).map(|row| row.0);
        };
        if let Some(axis) = Axis::read(argument) {
            return with_axis(name, axis);
        }
        let n = argument.parse().ok()?;
        Some(match name {
            "envreg" => S::EnvReg(n),
            "pm" => S::Pm(n),
            "pm64" => S::Pm64(n),
            "reserved_smem_offset" => S::ReservedSmemOffset(n),
            _ => return None,
        })
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> S {
        let axis = Axis::sample(random);
        match random() % 8 {
            0 => S::EnvReg(random() as u8),
            1 => S::Pm(random() as u8),
            2 => S::ClusterNctaid(axis),
            3 => S::Ntid(axis),
            4 => S::Tid(axis),
            _ => SPECIALS[random() as usize % SPECIALS.len()].0,
        }
    }
}

impl Token for Routine {
    type Value = Routine;
    fn write(value: Routine) -> String {
        value.name().to_owned()
    }
    fn read(text: &str) -> Option<Routine> {
        Routine::named(text)
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> Routine {
        Routine::ALL[random() as usize % Routine::ALL.len()].0
    }
}

impl Token for RoutinePart {
    type Value = RoutinePart;
    fn write(value: RoutinePart) -> String {
        RoutinePart::ALL.iter().find(|(part, _)| *part == value).map_or("?", |(_, name)| name).to_owned()
    }
    fn read(text: &str) -> Option<RoutinePart> {
        RoutinePart::ALL.iter().find(|(_, name)| *name == text).map(|(part, _)| *part)
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> RoutinePart {
        RoutinePart::ALL[random() as usize % RoutinePart::ALL.len()].0
    }
}

impl Token for SystemCall {
    type Value = SystemCall;
    fn write(value: SystemCall) -> String {
        value.name().to_owned()
    }
    fn read(text: &str) -> Option<SystemCall> {
        SystemCall::named(text)
    }
    fn sample(random: &mut dyn FnMut() -> u64) -> SystemCall {
        SystemCall::ALL[random() as usize % SystemCall::ALL.len()]
    }
}
