//! What lanes accessed, and what they did besides that others see: for the judges that ask whether two threads race, whether a program reads
//! what it may, and whether it does what another does.

use sassafras_semantics::concrete::Bits;
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

impl super::Memory {
    /// Notes a deed of the lane that is served, where somebody asks.
    pub fn did(&mut self, deed: Deed) {
        if let Some(log) = &mut self.log {
            log.did(deed);
        }
    }

    /// The same of what a lane asks of several.
    pub fn asked(&mut self, op: Collective, arguments: &[Bits]) {
        if self.log.is_some() {
            let number = match op {
                Collective::Barrier(_) => arguments.first().map(|v| v.bits() as u32),
                op => crate::across::member_mask(op, arguments),
            };
            self.did(Deed::Collective(op, number));
        }
    }

    /// The same of an access that other threads may see in an order.
    pub(super) fn ordered(&mut self, how: Use, op: Option<AtomicOp>, access: &Access, address: u64) {
        let Some(log) = &mut self.log else { return };
        let weak = matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent);
        let (space, address) = match access.space {
            Space::Generic => super::resolve(address),
            space => (space, address),
        };
        let access = Access { space, ..*access };
        match op {
            Some(op) => log.did(Deed::Atomic { op, access, address }),
            None if !weak => log.did(Deed::Strong { how, access, address }),
            None => {}
        }
    }
}
