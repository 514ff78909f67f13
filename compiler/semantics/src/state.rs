//! The [`State`] trait: one lane's registers, memory and special registers; and what is asked of all lanes together.

use crate::domain::Domain;
use crate::matrix::{Matrices, Mma};
use crate::opaque::Opaque;
use crate::vocabulary::{Ordering, Scope, Space, SpecialRegister};

/// A memory access: where, how wide and how ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// State space that the address belongs to.
    pub space: Space,
    /// Total size in bytes, 1 to 16; also the required alignment.
    pub bytes: u32,
    /// Ordering.
    pub ordering: Ordering,
    /// Scope; only meaningful for orderings other than weak.
    pub scope: Scope,
}

/// A read-modify-write. The operand and the result are `Access::bytes` wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AtomicOp {
    /// Integer sum.
    Add,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Exchange.
    Exch,
    /// Compare and swap: operands `[compare, new]`.
    Cas,
    /// `old >= b ? 0 : old + 1`.
    Inc,
    /// `old == 0 || old > b ? b : old - 1`.
    Dec,
    /// Binary32 sum, round to nearest even; `ftz` per instruction.
    AddF32 {
        /// Subnormals are flushed.
        ftz: bool,
    },
    /// Binary64 sum, round to nearest even.
    AddF64,
    /// Two binary16 sums.
    AddF16x2,
    /// Two bfloat16 sums.
    AddBf16x2,
    /// One binary16 sum.
    AddF16,
    /// One bfloat16 sum.
    AddBf16,
    /// Binary32 minimum, -0 below +0; only of a warp.
    MinF32 {
        /// Of magnitudes.
        abs: bool,
        /// A NaN among the operands is the result; else it is left out.
        nan: bool,
    },
    /// Binary32 maximum, with the same fields.
    MaxF32 {
        /// Of magnitudes.
        abs: bool,
        /// A NaN among the operands is the result; else it is left out.
        nan: bool,
    },
}

/// Why a lane stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trap {
    /// An access outside every allocation.
    #[error("{space:?} access of {bytes} bytes at {address:#x} is out of bounds")]
    OutOfBounds {
        /// Space of the access.
        space: Space,
        /// Byte address.
        address: u64,
        /// Size in bytes.
        bytes: u32,
    },
    /// An address that is not a multiple of the access size.
    #[error("{space:?} access of {bytes} bytes at {address:#x} is misaligned")]
    Misaligned {
        /// Space of the access.
        space: Space,
        /// Byte address.
        address: u64,
        /// Size in bytes.
        bytes: u32,
    },
    /// The program asked for it (`trap`, `BPT.TRAP`).
    #[error("trap")]
    Trapped,
    /// A register was read before its producer was ready (timing mode).
    #[error("{0} was read before it was ready")]
    Poison(String),
    /// A register was overwritten while an instruction in flight still read or wrote it (timing mode).
    #[error("{0} was overwritten while it was in flight")]
    Overwritten(String),
    /// Valid, but this meaning is not known here.
    #[error("{0} is not supported")]
    Unsupported(String),
}

/// What an instruction asks of all participating lanes at once; the executor gathers the lanes' arguments, the prover makes
/// an event of them. Arguments and results are listed in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collective {
    /// Shuffle. Arguments `[value32, lane_operand32, clamp_and_segment32, member_mask32]`; results `[value32, in_range1]`.
    /// The meaning of `clamp_and_segment` is that of operand `c` of PTX `shfl.sync`.
    Shuffle(ShuffleMode),
    /// Vote. Arguments `[predicate1, member_mask32]`; results `[ballot32, decision1]`, where `ballot` is the mask of
    /// participating lanes whose predicate holds and `decision` that of the mode.
    Vote(VoteMode),
    /// Match. Arguments `[value, member_mask32]`; results `[mask32, all_equal1]`.
    Match {
        /// `.all` (else `.any`).
        all: bool,
    },
    /// Warp reduction of 32-bit values. Arguments `[value32, member_mask32]`; result `[value32]`.
    Redux(AtomicOp),
    /// The mask of lanes that execute this instruction together. No arguments; result `[mask32]`.
    ActiveMask,
    /// Leader election. Arguments `[member_mask32]`; results `[leader32, is_leader1]`.
    Elect,
    /// Warp barrier over the lanes of a mask. Arguments `[member_mask32]`; no result.
    WarpSync,
    /// Block barrier. Arguments `[barrier32, thread_count32 (0 = whole block), predicate1]`; result `[value]`:
    /// for `Popc` 32 bits, for `And`/`Or` 1 bit, else none.
    Barrier(BarrierMode),
    /// Matrix multiply-accumulate of all lanes of a warp. Arguments: the registers of A, then of B, then of C; results:
    /// those of D ([`Mma::registers`], each of [`crate::matrix::Element::register`] bits).
    Mma(Mma),
    /// `ldmatrix`: 8×8 matrices of 16 bits from shared memory into registers; lane `8 i + r` gives the address of row `r`
    /// of matrix `i`. Arguments `[address]`, an offset in shared memory; results: a 32-bit register for each matrix.
    MatrixLoad(Matrices),
    /// `stmatrix`: the converse of [`Collective::MatrixLoad`]. Arguments `[address]` and a 32-bit register for each matrix;
    /// no result.
    MatrixStore(Matrices),
    /// `movmatrix`: transposes an 8×8 matrix of 16 bits. Arguments `[value32]`; result `[value32]`.
    MatrixTranspose,
}

impl Collective {
    /// Whether every lane of the warp must take part, whatever the arguments say (`.sync.aligned` without a mask).
    pub const fn of_whole_warp(self) -> bool {
        matches!(
            self,
            Collective::Mma(_)
                | Collective::MatrixLoad(_)
                | Collective::MatrixStore(_)
                | Collective::MatrixTranspose
        )
    }
}

/// Modes of [`Collective::Shuffle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShuffleMode {
    /// Absolute lane index.
    Idx,
    /// Lane minus delta.
    Up,
    /// Lane plus delta.
    Down,
    /// Lane xor mask.
    Bfly,
}

/// Modes of [`Collective::Vote`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VoteMode {
    /// All predicates hold.
    All,
    /// Some predicate holds.
    Any,
    /// All predicates are equal.
    Uniform,
    /// Only the ballot is wanted; the decision is that of `Any`.
    Ballot,
}

/// Modes of [`Collective::Barrier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierMode {
    /// Arrive and wait.
    Sync,
    /// Arrive and go on.
    Arrive,
    /// Wait, and count the threads whose predicate holds.
    Popc,
    /// Wait, and tell whether all predicates hold.
    And,
    /// Wait, and tell whether some predicate holds.
    Or,
}

/// One lane's view of the machine. Executors implement it over concrete bits, the prover over terms.
///
/// A guarded instruction is the business of the implementor: an executor does not step a lane whose guard is false; the
/// prover sets its path condition so that `write`, `store` and `atomic` take effect under it.
pub trait State<D: Domain> {
    /// Names a register of the form that is stepped.
    type Register: Copy;

    /// A register's value, of the register's width.
    fn read(&mut self, d: &D, register: Self::Register) -> Result<D::V, Trap>;
    /// Sets a register.
    fn write(&mut self, d: &D, register: Self::Register, value: D::V);
    /// Loads `8 × access.bytes` bits, little-endian.
    fn load(&mut self, d: &D, access: &Access, address: &D::V) -> Result<D::V, Trap>;
    /// Loads where `condition`, one bit, holds; elsewhere the value is zero, and memory is not touched.
    ///
    /// A state whose conditions are not all known says what such a load is.
    ///
    /// # Errors
    /// Those of [`State::load`]; a condition that is not constant.
    fn load_where(&mut self, d: &D, access: &Access, address: &D::V, condition: &D::V) -> Result<D::V, Trap> {
        match d.as_constant(condition) {
            Some(0) => Ok(d.constant(8 * access.bytes, 0)),
            Some(_) => self.load(d, access, address),
            None => Err(Trap::Unsupported("a load under a condition that is not constant".into())),
        }
    }
    /// Says that the next access is the first half of one of `bytes` bytes, which lies at a multiple of that. An access of more than 16 bytes is two.
    ///
    /// # Errors
    /// Another address; one that is not known, in a state of which it has to be.
    fn aligned(&mut self, d: &D, space: Space, address: &D::V, bytes: u32) -> Result<(), Trap> {
        match d.as_constant(address).map(|at| at as u64) {
            Some(at) if at.is_multiple_of(bytes.into()) => Ok(()),
            Some(address) => Err(Trap::Misaligned { space, address, bytes }),
            None => Err(Trap::Unsupported("an access of more than 16 bytes at an unknown address".into())),
        }
    }
    /// Stores a value of `8 × access.bytes` bits, little-endian.
    fn store(&mut self, d: &D, access: &Access, address: &D::V, value: &D::V) -> Result<(), Trap>;
    /// Performs a read-modify-write and returns the old value.
    fn atomic(
        &mut self,
        d: &D,
        access: &Access,
        op: AtomicOp,
        address: &D::V,
        operands: &[D::V],
    ) -> Result<D::V, Trap>;
    /// A memory fence.
    fn fence(&mut self, d: &D, ordering: Ordering, scope: Scope) -> Result<(), Trap>;
    /// An opaque operation of one lane, its arguments and results as wide and as many as its [`crate::opaque::Family`] says.
    ///
    /// # Errors
    /// An operation that this state has no meaning for.
    fn opaque(&mut self, d: &D, op: Opaque, arguments: &[D::V]) -> Result<Vec<D::V>, Trap> {
        let _ = (d, arguments);
        Err(Trap::Unsupported(op.name().into()))
    }
    /// Whether a unit of the machine does what barrier objects ask for, as an opaque operation; else they are words, which loads, stores and atomic
    /// operations change ([`crate::opaque::barrier_words`]).
    fn has_barrier_unit(&self) -> bool {
        true
    }
    /// A special register, of [`SpecialRegister::width`] bits.
    fn special(&mut self, d: &D, register: SpecialRegister) -> Result<D::V, Trap>;
    /// The generic address of an offset in a space's window (`cvta`), 64 bits.
    fn cvta(&mut self, d: &D, space: Space, address: &D::V) -> Result<D::V, Trap>;
    /// The offset in a space's window of a generic address (`cvta.to`), 64 bits.
    fn cvta_to(&mut self, d: &D, space: Space, address: &D::V) -> Result<D::V, Trap>;
    /// Whether a generic address lies in a space's window (`isspacep`), one bit.
    fn is_space(&mut self, d: &D, space: Space, address: &D::V) -> Result<D::V, Trap>;
}
