//! What happened at an event that other threads may see or answer, as far as operands do not say it.
//!
//! The text of an action is for people, witnesses and the names of variables; nothing is decided by it.

use super::fence::Fence;
use sassafras_semantics::state::{BarrierMode, ShuffleMode};
use sassafras_semantics::{
    AtomicOp, Matrices, Mma, Opaque, Ordering, Scope, Space, SpecialRegister, SystemCall,
};
use std::fmt;

/// An action. Two events of one action differ in operands, in the state of memory or in who does them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Lanes hand each other words.
    Shuffle(ShuffleMode),
    /// Lanes vote; the answer has what every mode gives.
    Vote,
    /// Lanes with one value find each other.
    Match {
        /// All have it (else: those that have it).
        all: bool,
    },
    /// Lanes combine their values.
    Redux(AtomicOp),
    /// One lane is chosen.
    Elect,
    /// A product of matrices.
    Mma(Mma),
    /// Matrices are loaded from shared memory.
    MatrixLoad(Matrices),
    /// Matrices are stored to shared memory.
    MatrixStore(Matrices),
    /// A matrix is transposed.
    MatrixTranspose,
    /// A barrier of the warp.
    WarpSync,
    /// A barrier of the block.
    Barrier(BarrierMode),
    /// A fence.
    Fence(Fence),
    /// A load that is not weak.
    Load(Strong),
    /// A store that is not weak.
    Store(Strong),
    /// A read-modify-write.
    Atomic(AtomicOp, Word),
    /// A change of a word (`update.rs`): its operands are the address and the new word, made of its first result.
    Update(Word),
    /// A call of a function that the driver resolves.
    Call(SystemCall),
    /// An operation that is known by name, operands and effects alone.
    Opaque(Opaque),
    /// A register is read that holds another value each time.
    Special(SpecialRegister),
    /// Lanes come to the head of a loop that is cut (`cut`).
    Cut {
        /// Which.
        number: u32,
        /// Whether they come back to it.
        again: bool,
    },
    /// An operation of the IR, by its text.
    Ir(String),
}

/// A strong access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strong {
    /// Where.
    pub space: Space,
    /// Its size in bytes.
    pub bytes: u32,
    /// How it is ordered.
    pub ordering: Ordering,
    /// For whom.
    pub scope: Scope,
}

/// A word that is read and written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    /// Where.
    pub space: Space,
    /// Its size in bytes.
    pub bytes: u32,
    /// For whom at once.
    pub scope: Scope,
}

impl Action {
    /// Whether it is a change of a word (`update.rs`).
    pub fn is_update(&self) -> bool {
        matches!(self, Action::Update(_))
    }

    /// Whether what is asked is a word of another lane.
    pub fn is_shuffle(&self) -> bool {
        matches!(self, Action::Shuffle(_))
    }

    /// Whether it is a call of a function that the driver resolves.
    pub fn is_call(&self) -> bool {
        matches!(self, Action::Call(_))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = |f: &mut fmt::Formatter<'_>, verb: &str, s: &Strong| {
            write!(f, "{verb} {:?} {} {:?} {:?}", s.space, s.bytes, s.ordering, s.scope)
        };
        match self {
            Action::Shuffle(mode) => write!(f, "Shuffle {mode:?}"),
            Action::Vote => f.write_str("Vote"),
            Action::Match { all } => write!(f, "Match {all}"),
            Action::Redux(op) => write!(f, "Redux {op:?}"),
            Action::Elect => f.write_str("Elect"),
            Action::Mma(mma) => write!(f, "{mma:?}"),
            Action::MatrixLoad(matrices) => write!(f, "Load {matrices:?}"),
            Action::MatrixStore(matrices) => write!(f, "Store {matrices:?}"),
            Action::MatrixTranspose => f.write_str("MatrixTranspose"),
            Action::WarpSync => f.write_str("WarpSync"),
            Action::Barrier(mode) => write!(f, "Barrier {mode:?}"),
            Action::Fence(fence) => write!(f, "{fence}"),
            Action::Load(strong) => access(f, "load", strong),
            Action::Store(strong) => access(f, "store", strong),
            Action::Atomic(op, Word { space, bytes, scope }) => {
                write!(f, "atomic {op:?} {space:?} {bytes} {scope:?}")
            }
            Action::Update(Word { space, bytes, scope }) => write!(f, "update {space:?} {bytes} {scope:?}"),
            Action::Call(call) => write!(f, "call {}", call.name()),
            Action::Opaque(op) => f.write_str(op.name()),
            Action::Special(register) => write!(f, "Special {register:?}"),
            Action::Cut { number, again } => write!(f, "cut {number}{}", if *again { " again" } else { "" }),
            Action::Ir(text) => f.write_str(text),
        }
    }
}
