//! Loops that are cut at their heads, as a proof names them: nothing here is trusted, since what it says is held against both runs.
//!
//! A run goes through a cut loop once, from its head on: registers that the loop writes hold variables there, which stand for what they hold
//! whenever lanes come to the head. Coming to it from outside, and coming back to it, are events that both sides have to have alike, with the
//! values of the *rows*: what registers of the target hold, made of registers of the source. So what is shown of one turn holds for each, by
//! induction over the turns (`trace/cut.rs` says what a run asks besides).

use sassafras_isa::{RegClass, Register};
use sassafras_semantics::{CompareOp, Domain, TermId, Terms};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A register by a number: that of PTX among all of a program, or [`key`] of a machine's.
pub type Key = u64;

/// A register that a cut loop of the source writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The register.
    pub register: Key,
    /// Its width in bits.
    pub width: u32,
    /// Whether the variable is what the register has moved by since lanes came to the loop, instead of what it holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moves: bool,
    /// Whether the lanes of a warp have it in common.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub common: bool,
}

/// What registers of the target hold at the head of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The registers, the lowest bits first.
    pub registers: Vec<Key>,
    /// Of which variable, by number.
    pub variable: u32,
    /// What of it.
    pub shape: Shape,
}

/// What registers of the target hold of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Bits of it, from this one on.
    Part(u32),
    /// So many of its lowest bits, which are their lowest ones; what is above them may be anything.
    Low(u32),
    /// What they held when lanes came to the loop, and so many times what the source's register has moved by.
    Moved(i64),
}

/// What holds less at the head of a loop than when lanes first come to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weaker {
    /// Lanes of the warp may be elsewhere.
    pub apart: bool,
    /// Lanes may have gone different ways.
    pub ways: bool,
    /// Lanes may have waited for others of the warp.
    pub waited: bool,
    /// Lanes may have waited for others of the block.
    pub stopped: bool,
    /// Lanes that had waited may have ended.
    pub ended: bool,
    /// Convergence barriers that do not bring together whom they were set by.
    pub lost: Vec<u32>,
}

/// A loop that is cut on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Where the loop is cut in the source, by its number among places: its head, or another place that each turn comes to.
    pub source: u64,
    /// That of the target's.
    pub target: u64,
    /// Registers that the source's loop writes.
    pub variables: Vec<Variable>,
    /// What registers of the target hold.
    pub rows: Vec<Row>,
    /// Registers of the source and of the target of which nothing is known there.
    pub free: [Vec<Key>; 2],
    /// What holds less on the source and on the target.
    #[serde(default)]
    pub weaker: [Weaker; 2],
    /// Whether neither loop changes memory, so that it is the same behind the head as before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_memory: bool,
    /// Whether lanes of one warp may find memory in states of their own at the head: a turn has what orders memory for each lane by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_memory: bool,
    /// What is known of registers of the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

impl Row {
    /// The width of its registers in bits; none if one is none.
    pub fn width(&self) -> Option<u32> {
        self.registers.iter().map(|key| register(*key).map(width)).sum()
    }
}

/// A comparison that holds whenever lanes come to the head of a loop of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Which.
    pub relation: Relation,
    /// Its operands, 32 bits each.
    pub operands: [Operand; 2],
}

/// A comparison of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Less, of signed numbers.
    SLt,
    /// Less or equal, of signed numbers.
    SLe,
    /// Less, of unsigned numbers.
    ULt,
    /// Less or equal, of unsigned numbers.
    ULe,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// So many of the lowest bits are equal, 1 to 31.
    Low(u32),
}

impl Relation {
    /// That it holds between two numbers of 32 bits, one bit.
    pub fn of(self, d: &Terms, a: TermId, b: TermId) -> TermId {
        let op = match self {
            Relation::SLt => CompareOp::SLt,
            Relation::SLe => CompareOp::SLe,
            Relation::ULt => CompareOp::ULt,
            Relation::ULe => CompareOp::ULe,
            Relation::Eq => return d.eq(&a, &b),
            Relation::Ne => return d.not(&d.eq(&a, &b)),
            Relation::Low(bits) => {
                let low = |of: &TermId| d.extract(of, 0, bits.clamp(1, 31));
                return d.eq(&low(&a), &low(&b));
            }
        };
        d.compare(op, &a, &b)
    }
}

/// An operand of a [`Fact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operand {
    /// A register of the target.
    Register(Key),
    /// A number.
    Number(u32),
}

/// A loop of the source that is unfolded, so that a version of it stands for each of several loops of the target.
///
/// Each version is a number of copies of the loop, one behind the other, whose last leads back to the first; the loop itself comes last. Lanes that come to
/// the loop choose a version, and so do lanes behind the last copy. That changes nothing of what a program does, whatever they choose: a copy does
/// what the loop does. They choose as the target's lanes do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unfold {
    /// The head of the loop, by its number among places of the source as it is written.
    pub head: u64,
    /// The versions, in the order in which lanes choose.
    pub versions: Vec<Version>,
}

/// A version of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// How many copies.
    pub times: u32,
    /// Where the target has it: lanes choose the version if the target's come to this place.
    pub target: u64,
    /// Whether the lanes of a warp choose alike.
    pub common: bool,
}

/// A way from one place of the source to another, by their numbers once loops are unfolded.
pub type Way = (u64, u64);

/// What is asked of a run about loops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cutting<'a> {
    /// The loops that are cut.
    pub loops: &'a [Cut],
    /// Loops of the source that are unfolded.
    pub unfolds: &'a [Unfold],
    /// Ways of the source that are said never to be gone: that is to be shown.
    pub never: &'a [Way],
    /// When lanes of the target come to what versions follow; none if that is not known yet.
    pub follows: Option<&'a Follows>,
    /// Whether arrivals at places where loops may be cut are noted.
    pub watches: bool,
}

/// What does not hold again where lanes come back to a head, and has to be given up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need<R> {
    /// A register holds something else.
    Register(R),
    /// A variable is not one that lanes have in common.
    NotCommon(usize),
    /// Memory is changed.
    Memory,
    /// Lanes of one warp may find memory in states of their own.
    OwnMemory,
    /// Lanes of the warp may be elsewhere.
    Apart,
    /// Lanes may have gone different ways.
    Ways,
    /// Lanes may have waited for others of the warp.
    Waited,
    /// Lanes may have waited for others of the block.
    Stopped,
    /// Lanes that had waited may have ended.
    Ended,
    /// A convergence barrier does not bring together whom it was set by.
    Lost(u32),
}

impl<R: Copy> Need<R> {
    /// The same with registers by their numbers.
    pub fn by(&self, key: &impl Fn(R) -> Key) -> Need<Key> {
        match self {
            Need::Register(r) => Need::Register(key(*r)),
            Need::NotCommon(variable) => Need::NotCommon(*variable),
            Need::Memory => Need::Memory,
            Need::OwnMemory => Need::OwnMemory,
            Need::Apart => Need::Apart,
            Need::Ways => Need::Ways,
            Need::Waited => Need::Waited,
            Need::Stopped => Need::Stopped,
            Need::Ended => Need::Ended,
            Need::Lost(barrier) => Need::Lost(*barrier),
        }
    }
}

/// What does not hold again at the head of a loop on one side, with the number of the loop.
pub type Needs = Vec<(usize, Need<Key>)>;

/// Conditions, one bit each, under which lanes of the target come to a place that a version follows, by that place and how often they have returned in each loop around it.
pub type Follows = BTreeMap<(u64, Vec<u32>), TermId>;

/// The most bits of what moves: an address.
pub const WIDEST: u32 = 64;

/// Files of registers, by the upper half of a key.
const CLASSES: [RegClass; 4] = [RegClass::R, RegClass::P, RegClass::UR, RegClass::UP];

/// The number of a machine's register among all.
pub fn key(register: Register) -> Key {
    let class = CLASSES.iter().position(|c| *c == register.class).unwrap_or(CLASSES.len());
    (class as u64) << 32 | u64::from(register.number)
}

/// The register that a number names; none if it names none.
pub fn register(key: Key) -> Option<Register> {
    let class = *CLASSES.get((key >> 32) as usize)?;
    Some(Register { class, number: key as u32 })
}

/// Whether all lanes of a warp have a register in common.
pub fn is_of_warp(register: Register) -> bool {
    matches!(register.class, RegClass::UR | RegClass::UP)
}

/// The width of a machine's register in bits.
pub fn width(register: Register) -> u32 {
    if matches!(register.class, RegClass::R | RegClass::UR) { 32 } else { 1 }
}
