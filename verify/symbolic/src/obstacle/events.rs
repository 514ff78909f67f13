//! Events that other threads see.

use super::effort::Effort;
use super::place::Place;
use crate::obstacles;
use std::fmt;

/// What was found of the event of the target that is the likeliest partner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Nearest {
    /// There is none, or none was asked about.
    #[default]
    None,
    /// It differs on an input.
    Differs,
    /// That it is one was not shown.
    Open(Box<Effort>),
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nearest::None => Ok(()),
            Nearest::Differs => f.write_str("; the nearest differs"),
            Nearest::Open(why) => write!(f, "; {why}"),
        }
    }
}

const PARTNER: &str = "what other threads see (atomics, barriers, strong accesses, shuffles, votes) has to be the same on both sides, in the same order and with the same operands; this one was not shown to be one of the other side's";
const COMPARE: &str = "compare the two lines: is it missing, in another order, or has it other operands? `--budget N`, if the operands are computed in two ways";
const LEADER: &str = "one lane does an atomic for all that are here, with the sum of their operands: that it is those of the source was not shown";
const EACH: &str = "compare the address and the operand with those of the source's atomic";

obstacles! {
    /// Events that were not shown to be the same on both sides.
    Events;
    /// An event of the source without a partner in the target.
    TargetLacks {
        /// What it is.
        event: Box<str>,
        /// Where in the source.
        place: Place,
        /// What was found of the likeliest.
        nearest: Nearest,
    } = "U0601" "events: the target has no partner for {event} of {place}{nearest}", PARTNER, COMPARE;
    /// An event of the target without a partner in the source.
    SourceLacks {
        /// What it is.
        event: Box<str>,
        /// Where in the target.
        place: Place,
        /// What was found of the likeliest.
        nearest: Nearest,
    } = "U0602" "events: the source has no partner for {event} at {place}{nearest}", PARTNER, COMPARE;
    /// Some of the shuffles at a place were left out, and some not.
    SomeShuffles {
        /// Where in the source.
        place: Place,
    } = "U0603" "events: the target has some of the shuffles of {place}",
        "the target leaves out a shuffle whose answer is known in some rounds of a loop, and has it in others: lanes may wait there for such as do not come", COMPARE;
    /// One lane's atomic for lanes with different addresses.
    LeaderAddress {} = "U0604" "events: one lane's atomic for lanes with different addresses is not supported", LEADER, EACH;
    /// One lane's atomic of another operation than that by which its operand was combined.
    LeaderOperation {} = "U0605" "events: one lane's atomic of another operation than that of its operand is not supported", LEADER, EACH;
    /// One lane's atomic that is no sum.
    LeaderNoSum {} = "U0606" "events: one lane's atomic that is no sum is not supported", LEADER, EACH;
    /// One lane's atomic for lanes with different operands.
    LeaderOperand {} = "U0607" "events: one lane's atomic for lanes with different operands is not supported", LEADER, EACH;
}

impl Events {
    /// The same, where so much was found of the likeliest partner.
    pub fn with_nearest(self, nearest: Nearest) -> Events {
        match self {
            Events::TargetLacks { event, place, .. } => Events::TargetLacks { event, place, nearest },
            Events::SourceLacks { event, place, .. } => Events::SourceLacks { event, place, nearest },
            other @ (Events::SomeShuffles { .. }
            | Events::LeaderAddress {}
            | Events::LeaderOperation {}
            | Events::LeaderNoSum {}
            | Events::LeaderOperand {}) => other,
        }
    }
}
