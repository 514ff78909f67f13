//! What lanes accessed: for the judges that ask whether two threads race, and whether a program reads what it may.

use sassafras_semantics::Space;

/// A lane at an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// Block index, linear.
    pub block: u64,
    /// Thread index within the block, linear.
    pub thread: u32,
    /// Barriers of the whole block that were passed before.
    pub epoch: u32,
    /// PTX: 1-based source line. SASS: byte offset in the function.
    pub at: u64,
}

/// How memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is read.
    Load,
    /// It is written.
    Store,
    /// It is read and written at once.
    Atomic,
}

/// An access of global or shared memory by a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// By whom, and where.
    pub who: Who,
    /// [`Space::Global`] or [`Space::Shared`].
    pub space: Space,
    /// Offset in the space.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u32,
    /// How.
    pub how: Use,
}

/// Collects accesses.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Who is served now.
    pub who: Who,
    /// In the order in which they took effect.
    pub touches: Vec<Touch>,
}

impl Log {
    /// Adds an access of the lane that is served.
    pub fn add(&mut self, space: Space, address: u64, bytes: u32, how: Use) {
        if matches!(space, Space::Global | Space::Shared) {
            self.touches.push(Touch { who: self.who, space, address, bytes, how });
        }
    }
}
