//! What lanes accessed, and what they did besides that others see: for the judges that ask whether two threads race, whether a program reads
//! what it may, and whether it does what another does.

use sassafras_semantics::{Access, AtomicOp, Collective, Opaque, Ordering, Scope, Space};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What a lane does that others see, and that accesses of memory alone do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A fence.
    Fence {
        /// What it orders.
        ordering: Ordering,
        /// For whom.
        scope: Scope,
    },
    /// A load or store that is not weak.
    Strong {
        /// Load or store.
        how: Use,
        /// What is accessed: the space that a generic address lies in.
        access: Access,
        /// Offset in the space.
        address: u64,
    },
    /// An atomic operation.
    Atomic {
        /// Which.
        op: AtomicOp,
        /// What is accessed, as above.
        access: Access,
        /// Offset in the space.
        address: u64,
    },
    /// What is asked of several lanes: with the member mask, if it has one; of a barrier its number.
    Collective(Collective, Option<u32>),
    /// An opaque operation.
    Opaque(Opaque),
}

/// Collects accesses.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Who is served now.
    pub who: Who,
    /// In the order in which they took effect.
    pub touches: Vec<Touch>,
    /// In the order in which they were done.
    pub deeds: Vec<(Who, Deed)>,
}

impl Log {
    /// Adds an access of the lane that is served.
    pub fn add(&mut self, space: Space, address: u64, bytes: u32, how: Use) {
        if matches!(space, Space::Global | Space::Shared) {
            self.touches.push(Touch { who: self.who, space, address, bytes, how });
        }
    }

    /// Adds a deed of the lane that is served.
    pub fn did(&mut self, deed: Deed) {
        self.deeds.push((self.who, deed));
    }
}
