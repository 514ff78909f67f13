//! Operations of the IR.

use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{
    Approximation, AtomicOp, Collective, FloatFormat, FloatMode, Matrices, Mma, Opaque, Ordering, Routine,
    RoutinePart, Scope, Space, SpecialRegister, SystemCall,
};

use crate::entities::VariableId;

/// The width of a value in bits: 1 (predicate), 16, 32, 64 or 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(pub u8);

impl Type {
    /// A predicate.
    pub const I1: Type = Type(1);
    /// 16 bits.
    pub const I16: Type = Type(16);
    /// 32 bits.
    pub const I32: Type = Type(32);
    /// 64 bits.
    pub const I64: Type = Type(64);
    /// 128 bits.
    pub const I128: Type = Type(128);

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }
}

/// An integer comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Compare {
    Eq,
    Ne,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
}

impl Compare {
    /// Each comparison once.
    pub const ALL: [Compare; 10] = [
        Compare::Eq,
        Compare::Ne,
        Compare::ULt,
        Compare::ULe,
        Compare::UGt,
        Compare::UGe,
        Compare::SLt,
        Compare::SLe,
        Compare::SGt,
        Compare::SGe,
    ];
}

/// A float comparison: the ordered ones are false if either operand is NaN, the `U` ones true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum FloatCompare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    UEq,
    UNe,
    ULt,
    ULe,
    UGt,
    UGe,
    /// Neither is NaN.
    Ordered,
    /// Either is NaN.
    Unordered,
}

/// Where a weak access of global memory looks, and what stays in the caches (PTX ISA, "Cache Operators").
///
/// It changes no value: whoever executes or proves an access leaves it aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheOperator {
    /// `.ca`: at all levels.
    All,
    /// `.cg`: at the level of the GPU, not in the multiprocessor's cache.
    Global,
    /// `.cs`: likely to be used once.
    Streaming,
    /// `.lu`: used for the last time.
    LastUse,
    /// `.cv`: not cached, fetched again.
    Volatile,
    /// `.wb`: written back at all levels.
    WriteBack,
    /// `.wt`: written through to the system's memory.
    WriteThrough,
}

impl CacheOperator {
    /// Every operator with its word in PTX.
    pub const ALL: [(CacheOperator, &str); 7] = [
        (CacheOperator::All, "ca"),
        (CacheOperator::Global, "cg"),
        (CacheOperator::Streaming, "cs"),
        (CacheOperator::LastUse, "lu"),
        (CacheOperator::Volatile, "cv"),
        (CacheOperator::WriteBack, "wb"),
        (CacheOperator::WriteThrough, "wt"),
    ];
    /// The operator with this word.
    pub fn named(word: &str) -> Option<CacheOperator> {
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }
    /// Its word.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
    /// Whether loads, and whether stores, take it.
    pub fn fits(self, store: bool) -> bool {
        match self {
            CacheOperator::Global | CacheOperator::Streaming => true,
            CacheOperator::WriteBack | CacheOperator::WriteThrough => store,
            _ => !store,
        }
    }
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// State space; the address is 64 bits wide for generic and global, else 32.
    pub space: Space,
    /// Bytes of one element: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Elements: 1, 2 or 4; each is one result or one argument.
    pub lanes: u8,
    /// A loaded element narrower than its result is sign-extended (else zero-extended).
    pub signed: bool,
    /// Ordering.
    pub ordering: Ordering,
    /// Scope, for orderings other than weak.
    pub scope: Scope,
    /// Added to the address, in bytes.
    pub offset: i32,
    /// Cache operator, of weak loads and stores of global and generic memory.
    pub cache: Option<CacheOperator>,
}

impl MemoryAccess {
    /// A weak access to one element of this many bytes at the address itself, zero-extended where it is loaded.
    pub const fn weak(space: Space, bytes: u8) -> MemoryAccess {
        MemoryAccess {
            space,
            bytes,
            lanes: 1,
            signed: false,
            ordering: Ordering::Weak,
            scope: Scope::Cta,
            offset: 0,
            cache: None,
        }
    }
}

/// An operation. Unless said otherwise arguments and results have one type, and the doc names arguments `a, b, c` in order.
///
/// Shifts follow PTX: the count `b` is 32 bits wide and clamped to the width. Division by zero gives undefined bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The constant; the result's type says how many bits count. No arguments.
    Const(u128),
    /// Undefined bits, fresh at this instruction. No arguments.
    Undef,
    /// Kernel parameter bytes at a byte offset of the parameter block; the result's width is the size, but for
    /// sub-word loads: `bytes` < width is extended as `signed` says.
    Param {
        /// Byte offset.
        offset: u32,
        /// Size in bytes.
        bytes: u8,
        /// Sign-extend (else zero-extend) to the result's width.
        signed: bool,
    },
    /// A special register.
    Special(SpecialRegister),
    /// The address of a variable in its own space plus bytes: 64 bits for global, 32 bits for shared, local and const.
    Address(VariableId, i64),

    /// a + b
    Add,
    /// a - b
    Sub,
    /// Low half of a × b
    Mul,
    /// High half of a × b
    MulHigh {
        /// Operands are signed.
        signed: bool,
    },
    /// a × b in twice the operands' width.
    MulWide {
        /// Operands are signed.
        signed: bool,
    },
    /// a + b + c, where `c` is a carry of one bit. Results: sum, carry out (one bit).
    AddCarry,
    /// a - b - c, where `c` is a borrow of one bit. Results: difference, borrow out (one bit).
    SubBorrow,
    /// Quotient.
    Div {
        /// Operands are signed.
        signed: bool,
    },
    /// Remainder.
    Rem {
        /// Operands are signed.
        signed: bool,
    },
    /// Smaller of a, b.
    Min {
        /// Operands are signed.
        signed: bool,
    },
    /// Larger of a, b.
    Max {
        /// Operands are signed.
        signed: bool,
    },
    /// -a
    Neg,
    /// |a|, signed; the most negative value is itself.
    Abs,
    /// Bitwise and (also of predicates).
    And,
    /// Bitwise or (also of predicates).
    Or,
    /// Bitwise exclusive or (also of predicates).
    Xor,
    /// Bitwise complement (also of a predicate).
    Not,
    /// Any function of three 32-bit values: result bit = bit `a<<2 | b<<1 | c` of the table.
    Lop3(u8),
    /// a << b, `b` 32 bits.
    Shl,
    /// a >> b, `b` 32 bits.
    Shr {
        /// Copies of the sign are shifted in.
        signed: bool,
    },
    /// PTX `shf`: a is the low, b the high word, c the count; all 32 bits.
    FunnelShift {
        /// `.l` (else `.r`)
        left: bool,
        /// `.wrap` (else `.clamp`)
        wrap: bool,
    },
    /// Number of one bits; the result is 32 bits.
    Popcount,
    /// Number of leading zeros; the result is 32 bits.
    LeadingZeros,
    /// Bits in reverse order.
    BitReverse,
    /// PTX `bfind`; the result is 32 bits.
    FindHighest {
        /// Operand is signed.
        signed: bool,
        /// `.shiftamt`
        shift_amount: bool,
    },
    /// PTX `bfe`: a, position b, length c (32 bits each).
    BitExtract {
        /// Sign-extends.
        signed: bool,
    },
    /// PTX `bfi`: field a, base b, position c, length d (32 bits each).
    BitInsert,
    /// PTX `prmt` in its default mode: a, b, selector c.
    Permute,
    /// PTX `dp4a`-family: a, b, c.
    Dot4 {
        /// `a` is signed.
        a_signed: bool,
        /// `b` is signed.
        b_signed: bool,
    },

    /// The low bits of a wider value.
    Truncate,
    /// Zero extension (from one bit too: 0 or 1).
    ZeroExtend,
    /// Sign extension.
    SignExtend,
    /// The bits from bit `n` upwards of a wider value, as many as the result has.
    Extract(u8),
    /// Arguments from the lowest upwards make one wider value.
    Concat,
    /// Comparison; one bit.
    Compare(Compare),
    /// Float comparison; one bit.
    FloatCompare {
        /// Relation.
        compare: FloatCompare,
        /// Format.
        format: FloatFormat,
        /// Subnormal inputs are flushed.
        ftz: bool,
    },
    /// a (one bit) ? b : c
    Select,

    /// a + b
    FAdd(FloatFormat, FloatMode),
    /// a × b
    FMul(FloatFormat, FloatMode),
    /// a × b + c, one rounding
    Fma(FloatFormat, FloatMode),
    /// a ÷ b
    FDiv(FloatFormat, FloatMode),
    /// Square root.
    FSqrt(FloatFormat, FloatMode),
    /// Sign bit flipped.
    FNeg(FloatFormat),
    /// Sign bit cleared.
    FAbs(FloatFormat),
    /// Minimum; `nan`: NaN if either is NaN.
    FMin {
        /// Format.
        format: FloatFormat,
        /// Subnormals are flushed.
        ftz: bool,
        /// `.NaN`
        nan: bool,
    },
    /// Maximum; `nan`: NaN if either is NaN.
    FMax {
        /// Format.
        format: FloatFormat,
        /// Subnormals are flushed.
        ftz: bool,
        /// `.NaN`
        nan: bool,
    },
    /// Rounded to an integral value.
    FRound(FloatFormat, FloatMode),
    /// Whether the short division of binary32, a by b, may be wrong: true wherever a step of it leaves the normal range, and perhaps elsewhere,
    /// as the instruction `FCHK` answers; 1 bit. [`crate::division_is_safe`] is where it may be false.
    FDivCheck,
    /// An approximate function of binary32 (or the high words of binary64).
    Approximate {
        /// Which.
        function: Approximation,
        /// Subnormals are flushed.
        ftz: bool,
    },
    /// Conversion between formats.
    FloatToFloat {
        /// Source format.
        from: FloatFormat,
        /// Result format.
        to: FloatFormat,
        /// Rounding, ftz, sat.
        mode: FloatMode,
    },
    /// Two numbers to a pair of 8-bit numbers, 16 bits, the first argument above the second: to nearest, saturated to finite
    /// numbers, NaN to the canonical one. Arguments: two of binary32, or one pair of binary16.
    ToFp8 {
        /// Source format: binary32 or binary16.
        from: FloatFormat,
        /// Format of 8 bits.
        to: FloatFormat,
        /// Negative results become +0.
        relu: bool,
    },
    /// A pair of 8-bit numbers, 16 bits, to a pair of binary16, exactly.
    FromFp8 {
        /// Format of 8 bits.
        from: FloatFormat,
        /// Negative results become +0, NaN the canonical one.
        relu: bool,
    },
    /// Conversion to an integer of `bits` bits, clamped to its range, then extended to the result's width.
    FloatToInt {
        /// Source format.
        from: FloatFormat,
        /// Signed result.
        signed: bool,
        /// Width of the integer type: 8, 16, 32, 64.
        bits: u8,
        /// Rounding, ftz.
        mode: FloatMode,
    },
    /// Conversion from an integer of `bits` bits (the low bits of the argument).
    IntToFloat {
        /// Signed source.
        signed: bool,
        /// Width of the integer type: 8, 16, 32, 64.
        bits: u8,
        /// Result format.
        to: FloatFormat,
        /// Rounding.
        mode: FloatMode,
    },
    /// Two operations at once on pairs: of binary16 or bfloat16 in 32 bits, or of binary32 in 64 bits. Of binary32 there are `Add`, `Mul`, `Fma`
    /// without `sat`, and `Neg`.
    Packed {
        /// What.
        kind: PackedOp,
        /// F16, Bf16 or F32.
        format: FloatFormat,
        /// Rounding, ftz, sat.
        mode: FloatMode,
    },

    /// Arguments: address. Results: one per element. `Param` space is [`Op::Param`] instead.
    Load(MemoryAccess),
    /// Arguments: address, one per element. No result.
    Store(MemoryAccess),
    /// Read-modify-write. Arguments: address, operands. Result: the old value (may be absent: a reduction).
    Atomic {
        /// Operation.
        op: AtomicOp,
        /// Access; one element.
        access: MemoryAccess,
    },
    /// A memory fence; `AcquireRelease` stands for the sequentially consistent one too, and is executed as such.
    Fence(Ordering, Scope),
    /// Generic address of an address in a space (64 bits to 64 bits; `a` is zero-extended to 64 first).
    ToGeneric(Space),
    /// Address in a space of a generic address (64 bits to 64 bits).
    FromGeneric(Space),
    /// Whether a generic address lies in a space; one bit.
    IsSpace(Space),

    /// Convergent. Arguments and results as in [`sassafras_semantics::Collective::Shuffle`].
    Shuffle(ShuffleMode),
    /// Convergent. Arguments: predicate, member mask. Results: ballot (32 bits), decision (one bit).
    Vote(VoteMode),
    /// Convergent. Arguments: value, member mask. Results: mask (32 bits), all equal (one bit).
    Match {
        /// `.all` (else `.any`)
        all: bool,
    },
    /// Convergent. Arguments: value, member mask. Result: value.
    Redux(AtomicOp),
    /// Convergent. Result: mask of the lanes that execute together.
    ActiveMask,
    /// Convergent. Arguments: member mask. Results: leader lane, is-leader (one bit).
    Elect,
    /// Convergent. Arguments: member mask.
    WarpSync,
    /// Convergent. Arguments: barrier, thread count (0: all), predicate; result by mode.
    Barrier {
        /// What it does with the predicate, and whether it waits.
        mode: BarrierMode,
        /// All lanes of the warp come to it together (PTX ISA, `.aligned`). Else they may come one by one and to different
        /// operations, and it waits for those of the warp that have not exited.
        aligned: bool,
    },
    /// A call of a function that the driver resolves, with its arguments; it may read and write all memory that it can address.
    /// Each lane's is its own.
    SystemCall(SystemCall),
    /// A routine of the compiler: a call, with its arguments and result; or, in the routine itself, its arguments as results, and its result as
    /// argument.
    Routine(RoutinePart, Routine),
    /// `nanosleep`; argument: nanoseconds. No effect on results.
    Nanosleep,
    /// Convergent, of all lanes of the warp. Arguments: A, B and C, each the lane's registers as one value, the first lowest;
    /// result: those of D.
    Mma(Mma),
    /// Convergent, of all lanes. Argument: the address of a row in shared memory. Result: a word for each matrix, as one value.
    MatrixLoad(Matrices),
    /// Convergent, of all lanes. Arguments: the address of a row in shared memory, and a word for each matrix as one value.
    MatrixStore(Matrices),
    /// Convergent, of all lanes. Argument and result: two elements of an 8×8 matrix of 16 bits.
    MatrixTranspose,
    /// What is known by name, operands, results and effects alone: [`sassafras_semantics::opaque`].
    Opaque(Opaque),
}

/// Kinds of [`Op::Packed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum PackedOp {
    Add,
    Mul,
    Fma,
    Min,
    Max,
    MinNan,
    MaxNan,
    Neg,
    Abs,
}

impl Op {
    /// Cross-lane operations: never moved under or out of a condition that may diverge, never duplicated or merged.
    pub fn convergent(&self) -> bool {
        let traits = self.traits();
        traits.convergent || traits.whole_warp
    }

    /// The operation of several lanes that it is, if it is one.
    pub fn collective(&self) -> Option<Collective> {
        Some(match *self {
            Op::Shuffle(mode) => Collective::Shuffle(mode),
            Op::Vote(mode) => Collective::Vote(mode),
            Op::Match { all } => Collective::Match { all },
            Op::Redux(op) => Collective::Redux(op),
            Op::ActiveMask => Collective::ActiveMask,
            Op::Elect => Collective::Elect,
            Op::WarpSync => Collective::WarpSync,
            Op::Barrier { mode, aligned: _ } => Collective::Barrier(mode),
            Op::Mma(mma) => Collective::Mma(mma),
            Op::MatrixLoad(matrices) => Collective::MatrixLoad(matrices),
            Op::MatrixStore(matrices) => Collective::MatrixStore(matrices),
            Op::MatrixTranspose => Collective::MatrixTranspose,
            _ => return None,
        })
    }

    /// Cross-lane operations that have no member mask: all lanes of the warp must execute them together.
    pub fn of_whole_warp(&self) -> bool {
        self.traits().whole_warp
    }

    /// Whether the first two arguments may be exchanged: all results stay the same, bit for bit. `evaluate`'s tests hold this
    /// to what the operations mean.
    pub fn commutes(&self) -> bool {
        self.traits().commutes
    }

    /// Whether the operation does something besides giving its results, so that it stays even if they are unused.
    pub fn has_effect(&self) -> bool {
        let traits = self.traits();
        traits.effect || traits.whole_warp
    }

    /// Whether two instructions with equal operation and arguments give equal results wherever they stand.
    pub fn pure(&self) -> bool {
        !self.traits().varies && !self.has_effect()
    }
}
