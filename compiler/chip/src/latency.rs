//! How far apart two dependent instructions must issue.
//!
//! # What a number means
//! Time is counted in cycles between the *issue* of one instruction of a warp and the issue of a later one of the
//! same warp. An instruction's stall count is the distance to the next issue, so along a straight path the distance
//! between two instructions is the sum of the stall counts from the first, included, to the second, excluded; a
//! stall count of 0 counts as 1 (two instructions of one warp never issue in the same cycle; ptxas puts 0 behind
//! ERRBAR and, at -O0, behind HMMA, whose result the next instruction reads, so it must hold the warp longer than
//! that: 1 is a safe lower bound). Across a
//! branch the same sum is taken along the path; a taken branch adds no cycles that may be relied on.
//!
//! A row `hazard, operand, producer, consumer, cycles` says: when an instruction of class `producer` and a later one
//! of class `consumer` touch the same register of the file that `operand` names, in the order that `hazard` names,
//! the later one must issue at least `cycles` cycles after the earlier one. There is no padding in code: what must
//! be added is in the number.
//!
//! * [`Hazard::Raw`]: the producer writes and the consumer reads. `operand` says how the *consumer* reads it.
//!   [`OperandKind::Guard`] and [`OperandKind::UniformGuard`] occur here only; WAW and WAR use the plain kinds.
//! * [`Hazard::Waw`]: both write. `producer` is the earlier one.
//! * [`Hazard::War`]: the earlier one, `producer` in the row, reads; the later one, `consumer`, writes.
//!
//! # Where numbers come from
//! `latency/smNN.csv` holds what NVIDIA gave to NAK (MIT) and what follows from other facts; `latency/mined/smNN.csv` the least
//! distance seen in code that ptxas made, with how often a pair was seen (`cargo xtask mine`). Code of ptxas that leaves
//! less than NAK's number shows that less is enough: the mined number holds. Where RAW pairs of general registers stand at one
//! distance again and again and never as near as NAK's number, the larger holds. A pair seen a few times that NAK lacks stays unknown. Distances of
//! WAW and WAR pairs are mostly there for other reasons, so that a larger mined number says nothing. Behind matrix products stands what
//! three versions leave behind each form of them with each kind of use (`cargo xtask mine products`): NAK has one number for the longest.
//!
//! `latency/floor.csv` has what is held against code of others where ptxas leaves less than that: [`least`]. A scheduler does not use it.
//!
//! # Scoreboards
//! Classes for which [`Class::variable`] holds finish at a time that no table knows. Their results are ready when the
//! scoreboard named by their *write barrier* has come back to zero, their sources may be overwritten when the one
//! named by the *read barrier* has; a reader waits by its wait mask. An instruction that waits must issue at least
//! [`SCOREBOARD_SETUP`] cycles after the one that sets the scoreboard, or it may see the counter before it is raised.
//! For RAW and WAW with a variable-latency producer, that wait replaces the cycles of the table. For WAR with a variable-latency
//! reader, the read barrier replaces them. A row on such a pair still holds as a lower bound.
//!
//! # Parts of classes
//! The two halves of IMAD.WIDE's result are ready at different times, and its addend is read later than its factors. A
//! form has one class, its pipe; `Inst::class` of `sassafras-isa` gives the part that one register of one operand belongs
//! to. Rows for whole classes hold the worst part. NVIDIA's compiler uses the parts, so what judges its code must.
//!
//! # Pairs the table lacks
//! [`latency`] answers `None`. A scheduler then waits [`LONGEST`] cycles; a checker answers `Unknown` below that.

mod floor;
mod known;
mod lines;
mod mined;
mod order;
mod table;

pub use floor::{FloorRow, floor_rows, least};
pub use mined::{MinedRow, mined_rows};
pub use order::{
    InOrder, OrderRow, order_rows, predicate_with_sources, results_in_order, results_unit, sources_in_order,
};
pub use table::{Basis, Row, rows};

use crate::chip::Chip;
use std::fmt;
use std::str::FromStr;

/// Cycles after the issue of an instruction that sets a scoreboard, before which no other may wait on it.
/// Source: NAK's rule for barriers (MIT); ptxas 13.0.88 never emits less on sm_90.
pub const SCOREBOARD_SETUP: u8 = 2;

/// Cycles that satisfy every fixed-latency pair, known or not: more than the largest number in the tables.
pub const LONGEST: u8 = 30;

/// Cycles after which a result of variable latency is there although no scoreboard was set for it; `None` when only a scoreboard
/// tells. On sm_120 and sm_121 ptxas 13.0.88 puts NOPs of 64 cycles behind double precision in place of a write barrier.
pub const fn settled(chip: Chip, class: Class) -> Option<u8> {
    match (chip, class) {
        (Chip::Sm120 | Chip::Sm121, Class::Double) => Some(64),
        _ => None,
    }
}

/// Whether instructions of a class that read general registers late also read predicates late, guards left out. That of LDGSTS
/// ptxas 13.0.88 overwrites without waiting: memory instructions read theirs at issue, but for BAR, see [`barrier_predicate`].
pub const fn predicates_read_late(chip: Chip, class: Class) -> bool {
    chip.number() >= 90 && !matches!(class.whole(), Class::Memory)
}

/// Cycles after the issue of a BAR in which its predicate may still be read, if no scoreboard says when it was. Source: experiment:
/// before sm_90 ptxas 13.0.88 overwrites the predicate of BAR.RED in the cycle after it; from sm_90 on every BAR.RED of it has a stall
/// of 6 cycles, at -O0 a read barrier and 15.
pub const fn barrier_predicate(chip: Chip) -> u8 {
    if chip.number() >= 90 { 6 } else { 1 }
}

/// The classes of instruction that the latency tables tell apart; also the pipe of a form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Integer, logic, comparison and selection at full rate: IADD3, LOP3, ISETP, SEL, MOV, PRMT, FMNMX, FSETP …
    Alu,
    /// Multiply-add with a 32-bit result: FADD, FMUL, FFMA, IMAD, IDP.
    Fma,
    /// IMAD.WIDE and IMAD.HI, whose two halves are ready at different times; numbers are for the later half.
    FmaWide,
    /// Packed half precision: HADD2, HMUL2, HFMA2, HSETP2, HMNMX2.
    Half,
    /// HFMA2.MMA, half precision on the tensor side (sm_80 and sm_90).
    HalfMma,
    /// DADD, DMUL, DFMA, DSETP. Fixed latency on sm_90 and sm_100, variable elsewhere.
    Double,
    /// Issued by the dispatcher at half rate with fixed latency: CS2R of 64 bits, LEPC.
    Dispatch,
    /// Variable latency with no address: MUFU, F2I, I2F, F2F, FRND, POPC, FLO, BREV, S2R, LDC, REDUX, MATCH.
    Xu,
    /// Variable latency through the address unit: loads, stores, atomics, SHFL, BAR, fences, B2R.
    Memory,
    /// Branches, EXIT, BSSY, BSYNC, WARPSYNC, NANOSLEEP, NOP: no register result.
    Control,
    /// BMOV and other moves between general and convergence-barrier registers.
    Convergence,
    /// Matrix multiplication: HMMA, IMMA, DMMA.
    Matrix,
    /// The uniform datapath: UIADD3, ULOP3, UISETP, UIMAD, USHF …
    Uniform,
    /// Short uniform operations: ULDC, UMOV.
    UniformMove,
    /// VOTEU: warp to uniform, short.
    UniformVote,
    /// R2UR: a general register into a uniform one, with fixed latency on sm_90 and later.
    ToUniform,
    /// S2UR and REDUX: variable latency, with a uniform result.
    ToUniformVariable,
    /// A part of [`Class::Memory`]: what textures and surfaces read of general registers, which no address unit adds up.
    MemoryTexture,
    /// A part of [`Class::Alu`]: VIADD, which both arithmetic pipes can run.
    Add,
    /// A part of [`Class::FmaWide`]: the low half of a result.
    FmaWideLow,
    /// A part of [`Class::FmaWide`]: the low half of the addend.
    FmaWideAddend,
    /// A part of [`Class::FmaWide`]: the high half of the addend.
    FmaWideAddendHigh,
    /// A part of [`Class::UniformMove`]: UMOV.
    UniformCopy,
    /// A part of [`Class::Matrix`]: products of eight rows, whose left factor has one register (IMMA.8816, BMMA.88128); their result
    /// is ready first.
    MatrixShort,
    /// A part of [`Class::Matrix`]: products whose left factor has two registers (HMMA.1688, QMMA.16816, HMMA.SP.16816).
    MatrixMedium,
    /// A part of [`Class::Matrix`]: products of integers whose left factor has two registers (IMMA.16816, IMMA.SP.16832).
    MatrixMediumInteger,
    /// A part of [`Class::Matrix`]: longer products of integers (IMMA.16832).
    MatrixInteger,
    /// A part of [`Class::Memory`]: what SYNCS reads, a cycle earlier than an access does.
    MemorySync,
    /// A part of [`Class::Half`]: HADD2, HMUL2, HFMA2, whose results the next of them can read first.
    HalfProduct,
}

impl Class {
    /// Every class with the name that data files use.
    pub const NAMES: [(Class, &'static str); 29] = [
        (Class::Alu, "alu"),
        (Class::Fma, "fma"),
        (Class::FmaWide, "fma.wide"),
        (Class::Half, "half"),
        (Class::HalfMma, "half.mma"),
        (Class::Double, "double"),
        (Class::Dispatch, "dispatch"),
        (Class::Xu, "xu"),
        (Class::Memory, "memory"),
        (Class::Control, "control"),
        (Class::Convergence, "convergence"),
        (Class::Matrix, "matrix"),
        (Class::Uniform, "uniform"),
        (Class::UniformMove, "uniform.move"),
        (Class::UniformVote, "uniform.vote"),
        (Class::ToUniform, "to.uniform"),
        (Class::ToUniformVariable, "to.uniform.variable"),
        (Class::MemoryTexture, "memory.texture"),
        (Class::Add, "add"),
        (Class::FmaWideLow, "fma.wide.low"),
        (Class::FmaWideAddend, "fma.wide.addend"),
        (Class::FmaWideAddendHigh, "fma.wide.addend.high"),
        (Class::UniformCopy, "uniform.copy"),
        (Class::MatrixShort, "matrix.short"),
        (Class::MatrixMedium, "matrix.medium"),
        (Class::MatrixMediumInteger, "matrix.medium.integer"),
        (Class::MatrixInteger, "matrix.integer"),
        (Class::MemorySync, "memory.sync"),
        (Class::HalfProduct, "half.product"),
    ];

    /// The class that this one is a part of; itself for most. A row of the table that names a whole class holds for
    /// its parts, unless a row names the part. Whole classes have the larger number, so that who does not tell
    /// parts apart is on the safe side; but ptxas keeps what VIADD writes a cycle longer from arithmetic than other results (mined).
    pub const fn whole(self) -> Class {
        match self {
            Class::Add => Class::Alu,
            Class::MemoryTexture => Class::Memory,
            Class::UniformCopy => Class::UniformMove,
            Class::MatrixShort | Class::MatrixMedium | Class::MatrixMediumInteger | Class::MatrixInteger => {
                Class::Matrix
            }
            Class::MemorySync => Class::Memory,
            Class::HalfProduct => Class::Half,
            Class::FmaWideLow | Class::FmaWideAddend | Class::FmaWideAddendHigh => Class::FmaWide,
            other => other,
        }
    }

    /// Whether results of this class on this chip are ready only when a scoreboard says so.
    /// Source: share of write barriers in ptxas 13.0.88 output per mnemonic and chip; NAK's `needs_scoreboards`.
    pub const fn variable(self, chip: Chip) -> bool {
        match self {
            Class::Xu | Class::Memory | Class::MemorySync | Class::MemoryTexture => true,
            Class::Convergence | Class::ToUniformVariable => true,
            Class::Double => !matches!(chip, Chip::Sm90 | Chip::Sm100),
            Class::ToUniform => chip.number() < 90,
            Class::Matrix | Class::MatrixShort | Class::MatrixMedium => chip.number() < 80,
            // `cargo xtask mine products`: on sm_103 ptxas 13.0.88 waits by scoreboards for products of integers.
            Class::MatrixMediumInteger | Class::MatrixInteger => {
                chip.number() < 80 || matches!(chip, Chip::Sm103)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Class::NAMES.iter().find(|(class, _)| class == self).map_or("?", |(_, name)| name);
        f.write_str(name)
    }
}

/// A name that is no class, hazard or operand kind.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown name `{0}` in a latency table")]
pub struct UnknownName(pub String);

impl FromStr for Class {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Class, UnknownName> {
        let found = Class::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(class, _)| *class).ok_or_else(|| UnknownName(text.to_owned()))
    }
}

/// The order of the two accesses to one register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Hazard {
    /// Write, then read.
    Raw,
    /// Write, then write.
    Waw,
    /// Read, then write.
    War,
}

/// The file of the register, and for predicates whether the reader is a guard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OperandKind {
    /// R0 … R254.
    Register,
    /// P0 … P6 as an operand.
    Predicate,
    /// P0 … P6 as the guard of the consumer.
    Guard,
    /// UR0 … as an operand.
    Uniform,
    /// UP0 … UP6 as an operand.
    UniformPredicate,
    /// UP0 … UP6 as the guard of the consumer. What a branch decides by is an operand.
    UniformGuard,
    /// B0 … B15.
    Convergence,
}

/// What kind of dependence a number is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Kind {
    /// Order of the accesses.
    pub hazard: Hazard,
    /// Register file and role.
    pub operand: OperandKind,
}

impl FromStr for Hazard {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Hazard, UnknownName> {
        match text {
            "raw" => Ok(Hazard::Raw),
            "waw" => Ok(Hazard::Waw),
            "war" => Ok(Hazard::War),
            _ => Err(UnknownName(text.to_owned())),
        }
    }
}

impl FromStr for OperandKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<OperandKind, UnknownName> {
        match text {
            "register" => Ok(OperandKind::Register),
            "predicate" => Ok(OperandKind::Predicate),
            "guard" => Ok(OperandKind::Guard),
            "uniform" => Ok(OperandKind::Uniform),
            "uniform.predicate" => Ok(OperandKind::UniformPredicate),
            "uniform.guard" => Ok(OperandKind::UniformGuard),
            "convergence" => Ok(OperandKind::Convergence),
            _ => Err(UnknownName(text.to_owned())),
        }
    }
}

/// Where the number of [`latency`] comes from, in words.
pub fn source(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<String> {
    table::find(chip, producer, consumer, kind).map(|found| found.to_string())
}

/// What the number of [`latency`] rests on.
pub fn basis(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<Basis> {
    known::known(chip, producer, consumer, kind).map(|(_, basis)| basis)
}

/// Least distance in cycles from the issue of `producer` (the earlier) to the issue of `consumer` (the later);
/// `None` when the tables do not say. See the module's text for what the number means.
pub fn latency(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<u8> {
    known::known(chip, producer, consumer, kind).map(|(cycles, _)| cycles)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: Kind = Kind { hazard: Hazard::Raw, operand: OperandKind::Register };

    #[test]
    fn known_numbers() {
        assert_eq!(latency(Chip::Sm90, Class::Alu, Class::Alu, RAW), Some(4));
        assert_eq!(latency(Chip::Sm90, Class::Alu, Class::Fma, RAW), Some(5));
        let guard = Kind { hazard: Hazard::Raw, operand: OperandKind::Guard };
        for consumer in [Class::Alu, Class::Control, Class::Memory] {
            assert_eq!(latency(Chip::Sm90, Class::Alu, consumer, guard), Some(13));
        }
    }

    #[test]
    fn parts_are_at_most_as_long_as_the_whole() {
        for row in rows(Chip::Sm90) {
            let whole = latency(Chip::Sm90, row.producer.whole(), row.consumer.whole(), row.kind);
            assert!(whole.is_some_and(|cycles| cycles >= row.cycles), "{row:?} against {whole:?}");
        }
        assert_eq!(latency(Chip::Sm90, Class::FmaWideLow, Class::Alu, RAW), Some(3));
        assert_eq!(latency(Chip::Sm90, Class::FmaWideLow, Class::Xu, RAW), Some(4));
        assert_eq!(latency(Chip::Sm90, Class::Add, Class::Fma, RAW), Some(4));
    }

    #[test]
    fn longest_is_longest() {
        assert!(rows(Chip::Sm90).iter().all(|row| row.cycles < LONGEST));
    }

    #[test]
    fn every_ordinary_pair_is_known() {
        let ordinary =
            [Class::Alu, Class::Fma, Class::FmaWide, Class::Half, Class::Double, Class::Memory, Class::Xu];
        for producer in ordinary {
            for consumer in ordinary {
                for hazard in [Hazard::Raw, Hazard::Waw, Hazard::War] {
                    let kind = Kind { hazard, operand: OperandKind::Register };
                    assert!(
                        latency(Chip::Sm90, producer, consumer, kind).is_some(),
                        "{producer} {consumer} {kind:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn class_names_round_trip() {
        for (class, name) in Class::NAMES {
            assert_eq!(name.parse(), Ok(class));
            assert_eq!(class.to_string(), name);
        }
    }
}
