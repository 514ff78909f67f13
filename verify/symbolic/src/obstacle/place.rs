//! Places, and what had to be shown of them.

use std::fmt;

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What is compiled.
    Source,
    /// What it was compiled to.
    Target,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Source => "source",
            Side::Target => "target",
        })
    }
}

/// A place in a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of PTX.
    Line(u64),
    /// A byte offset in code that is the source.
    SourceOffset(u64),
    /// A byte offset in code.
    Offset(u64),
    /// An instruction of the IR, by its name there.
    Named(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::SourceOffset(at) => write!(f, "{at:#06x} of the source"),
            Place::Offset(at) => write!(f, "{at:#06x}"),
            Place::Named(name) => f.write_str(name),
        }
    }
}

/// Where a side was when it met an obstacle, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The side, where two are compared.
    pub side: Option<Side>,
    /// The place in it.
    pub place: Option<Place>,
    /// The text of the instruction there.
    pub text: Option<Box<str>>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(side) = self.side {
            write!(f, "{side}, ")?;
        }
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if let Some(text) = &self.text {
            write!(f, "{text}: ")?;
        }
        Ok(())
    }
}

/// What had to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A store of the one side is one of the other.
    Store(Place, Place),
    /// An event that others see is one of the other side.
    Event(Place, Place),
    /// Both sides leave the same memory.
    Memory,
    /// The source accesses what the target accesses there.
    Access(Place),
    /// Both sides trap alike.
    Traps,
    /// The stack has room for an access at this byte offset.
    Stack(u64),
    /// The hardware takes an access at this byte offset.
    Hardware(u64),
    /// A loop of the target ends where one of the source does.
    LoopsEnd,
    /// What is stored at this byte offset is what loads find.
    StandIn(u64),
    /// Convergence barriers nest at this byte offset.
    Nesting(u64),
    /// The hardware takes an access of a source that is code.
    Demand(Place),
    /// An event without a partner never happens.
    NoEvent,
    /// Both sides do the same on drawn inputs.
    Drawn,
    /// A word at the end of a piece of code that is proved by itself, by the name of the cut and the word.
    Named(String),
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Store(source, target) => write!(f, "the store of {source} is that at {target}"),
            Claim::Event(source, target) => write!(f, "the event of {source} is that at {target}"),
            Claim::Memory => f.write_str("both sides leave the same memory"),
            Claim::Access(target) => write!(f, "the source accesses what is accessed at {target}"),
            Claim::Traps => f.write_str("both sides trap alike"),
            Claim::Stack(at) => write!(f, "the stack has room for what is accessed at {at:#06x}"),
            Claim::Hardware(at) => write!(f, "what the hardware demands of memory at {at:#06x}"),
            Claim::LoopsEnd => f.write_str("the target's loops end where the source's do"),
            Claim::StandIn(at) => write!(f, "what is stored at {at:#06x} is what loads find"),
            Claim::Nesting(at) => write!(f, "barriers nest at {at:#06x}"),
            Claim::Demand(place) => write!(f, "what is demanded of memory at {place}"),
            Claim::NoEvent => f.write_str("an event without a partner happens"),
            Claim::Drawn => f.write_str("both sides do the same on drawn inputs"),
            Claim::Named(what) => f.write_str(what),
        }
    }
}
