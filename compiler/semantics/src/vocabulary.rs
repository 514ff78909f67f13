//! Names shared by PTX, IR and SASS: spaces, scopes, orderings, roundings, float formats, special registers.

use serde::{Deserialize, Serialize};

/// A state space in the sense of the PTX ISA, section "State Spaces", and the SASS constant banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// 64-bit generic address, which ranges over all windows.
    Generic,
    /// Global memory, 64-bit addresses.
    Global,
    /// Shared memory of the block, 32-bit offsets from the start of the shared window.
    Shared,
    /// Thread-private memory, 32-bit offsets.
    Local,
    /// PTX `.const` memory (a 64 KiB bank of user constants).
    Const,
    /// PTX `.param` memory of a kernel: byte offset in the parameter block.
    Param,
    /// A SASS constant bank `c[bank][offset]`.
    Bank(u8),
}

/// The set of threads that a synchronising access is ordered with (PTX ISA, "Scope").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The block (CTA).
    Cta,
    /// The cluster of blocks.
    Cluster,
    /// The whole GPU.
    Gpu,
    /// All GPUs and the host.
    Sys,
}

/// Memory ordering of an access (PTX ISA, "Operation Types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Ordering {
    /// An ordinary access.
    #[default]
    Weak,
    /// `ld.global.nc`: read-only for the kernel's lifetime.
    NonCoherent,
    /// `.volatile`.
    Volatile,
    /// `.relaxed`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel`.
    AcquireRelease,
    /// `.mmio`.
    Mmio,
    /// `.sc` of a fence: acquire-release, and in one order that all threads agree on. `membar` is such a fence (PTX ISA, "membar").
    SequentiallyConsistent,
}

/// IEEE 754 rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Rounding {
    /// To nearest, ties to even (`.rn`).
    #[default]
    NearestEven,
    /// Towards zero (`.rz`).
    Zero,
    /// Towards negative infinity (`.rm`).
    Down,
    /// Towards positive infinity (`.rp`).
    Up,
    /// To nearest, ties away from zero (`.rna`).
    NearestAway,
}

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatFormat {
    /// IEEE binary16.
    F16,
    /// bfloat16: 8 exponent bits, 7 stored significand bits.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// FP8 with 4 exponent bits: no infinity, and one NaN a sign (OCP 8-bit Floating Point Specification, "E4M3").
    E4m3,
    /// FP8 with 5 exponent bits, laid out as an IEEE format (OCP 8-bit Floating Point Specification, "E5M2").
    E5m2,
}

impl FloatFormat {
    /// Width in bits.
    pub const fn width(self) -> u32 {
        match self {
            FloatFormat::F16 | FloatFormat::Bf16 => 16,
            FloatFormat::F32 => 32,
            FloatFormat::F64 => 64,
            FloatFormat::E4m3 | FloatFormat::E5m2 => 8,
        }
    }

    /// Stored bits of the significand.
    pub const fn fraction_bits(self) -> u32 {
        match self {
            FloatFormat::F16 => 10,
            FloatFormat::Bf16 => 7,
            FloatFormat::F32 => 23,
            FloatFormat::F64 => 52,
            FloatFormat::E4m3 => 3,
            FloatFormat::E5m2 => 2,
        }
    }

    /// Stored bits of the exponent.
    pub const fn exponent_bits(self) -> u32 {
        self.width() - 1 - self.fraction_bits()
    }

    /// The bits of 1: every format's bias is half of the exponent's range.
    pub const fn one(self) -> u64 {
        ((1 << (self.exponent_bits() - 1)) - 1) << self.fraction_bits()
    }

    /// Whether it is one of the formats of 8 bits, which only conversions know.
    pub const fn is_fp8(self) -> bool {
        matches!(self, FloatFormat::E4m3 | FloatFormat::E5m2)
    }

    /// The NaN that the hardware produces: `0x7fff`, `0x7fffffff` (PTX ISA, "Floating-Point Instructions"), and for
    /// binary64 the quiet NaN of IEEE, whose payload PTX leaves unspecified; `0x7f` for the formats of 8 bits (PTX ISA, `cvt`).
    pub const fn canonical_nan(self) -> u64 {
        match self {
            FloatFormat::F16 | FloatFormat::Bf16 => 0x7fff,
            FloatFormat::F32 => 0x7fff_ffff,
            FloatFormat::F64 => 0x7ff8_0000_0000_0000,
            FloatFormat::E4m3 | FloatFormat::E5m2 => 0x7f,
        }
    }
}

/// An approximate function of the multi-function unit. A *relation* with a documented bound, never one table:
/// see `docs/proof.md`, A-FP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Approximation {
    /// 1/x, binary32.
    Rcp,
    /// 1/sqrt(x), binary32.
    Rsqrt,
    /// sqrt(x), binary32.
    Sqrt,
    /// sin(x); the operand is in radians.
    Sin,
    /// cos(x); the operand is in radians.
    Cos,
    /// sin(2πx): the operand counts turns, as the multi-function unit has it.
    SinTurns,
    /// cos(2πx): the operand counts turns.
    CosTurns,
    /// 2^x.
    Ex2,
    /// log2(x).
    Lg2,
    /// tanh(x).
    Tanh,
    /// High word of 1/x for binary64 from its high word.
    Rcp64High,
    /// High word of 1/sqrt(x) for binary64 from its high word.
    Rsqrt64High,
}

/// One of three axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// `.x`
    X,
    /// `.y`
    Y,
    /// `.z`
    Z,
}

/// A special register (PTX ISA, "Special Registers"); all are 32 bits wide unless their doc says 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpecialRegister {
    /// `%tid`
    Tid(Axis),
    /// `%ntid`
    Ntid(Axis),
    /// `%ctaid`
    Ctaid(Axis),
    /// `%nctaid`
    Nctaid(Axis),
    /// `%laneid`
    LaneId,
    /// `%warpid`: a free input.
    WarpId,
    /// `%nwarpid`: a free input.
    NWarpId,
    /// `%smid`: a free input.
    SmId,
    /// `%nsmid`: a free input.
    NSmId,
    /// `%gridid`, 64 bits: a free input.
    GridId,
    /// `%lanemask_eq`
    LaneMaskEq,
    /// `%lanemask_le`
    LaneMaskLe,
    /// `%lanemask_lt`
    LaneMaskLt,
    /// `%lanemask_ge`
    LaneMaskGe,
    /// `%lanemask_gt`
    LaneMaskGt,
    /// `%clock`: a free input.
    Clock,
    /// `%clock_hi`: a free input.
    ClockHi,
    /// `%clock64`, 64 bits: a free input.
    Clock64,
    /// `%globaltimer`, 64 bits: a free input.
    GlobalTimer,
    /// `%globaltimer_lo`: a free input.
    GlobalTimerLo,
    /// `%globaltimer_hi`: a free input.
    GlobalTimerHi,
    /// `%envregN`: a free input.
    EnvReg(u8),
    /// `%pmN`: a free input.
    Pm(u8),
    /// `%total_smem_size`, bytes.
    TotalSmemSize,
    /// `%dynamic_smem_size`, bytes.
    DynamicSmemSize,
    /// `%aggr_smem_size`, bytes.
    AggrSmemSize,
    /// `%pmN_64`, 64 bits: a free input.
    Pm64(u8),
    /// `%reserved_smem_offset_N`.
    ReservedSmemOffset(u8),
    /// `%reserved_smem_offset_begin`.
    ReservedSmemBegin,
    /// `%reserved_smem_offset_end`.
    ReservedSmemEnd,
    /// `%reserved_smem_offset_cap`.
    ReservedSmemCap,
    /// `%current_graph_exec`, 64 bits: a free input.
    CurrentGraphExec,
    /// `%clusterid`
    ClusterId(Axis),
    /// `%nclusterid`
    NClusterId(Axis),
    /// `%cluster_ctaid`
    ClusterCtaid(Axis),
    /// `%cluster_nctaid`
    ClusterNctaid(Axis),
    /// `%cluster_ctarank`
    ClusterCtaRank,
    /// `%cluster_nctarank`
    ClusterNctaRank,
    /// `%is_explicit_cluster`, 1 bit.
    IsExplicitCluster,
    /// Which copy of its words in constant bank 0 a launch reads: a free input. PTX has no name for it.
    BankCopy,
}

impl SpecialRegister {
    /// Whether it may change while a thread runs (PTX ISA, "Special Registers"): clocks, counters, and what is volatile because a
    /// thread may be moved.
    pub fn is_volatile(self) -> bool {
        use SpecialRegister as R;
        matches!(
            self,
            R::Clock
                | R::ClockHi
                | R::Clock64
                | R::GlobalTimer
                | R::GlobalTimerLo
                | R::GlobalTimerHi
                | R::SmId
                | R::WarpId
                | R::Pm(_)
                | R::Pm64(_)
        )
    }

    /// Width in bits.
    pub const fn width(self) -> u32 {
        match self {
            SpecialRegister::GridId | SpecialRegister::Clock64 | SpecialRegister::GlobalTimer => 64,
            SpecialRegister::Pm64(_) | SpecialRegister::CurrentGraphExec => 64,
            SpecialRegister::IsExplicitCluster => 1,
            _ => 32,
        }
    }
}
