//! Memory that all lanes of a launch share.

use super::address::resolve;
use super::global::Global;
use super::surface::Surfaces;
use super::touch::{Deed, Log, Use};
use crate::called::Calls;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::{Access, AtomicOp, Collective, Ordering, Space};
use std::ops::Range;

/// What all lanes of a launch share.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Global memory.
    pub global: Global,
    /// PTX `.const` memory, read-only.
    pub constant: Vec<u8>,
    /// Kernel parameters, read-only.
    pub params: Vec<u8>,
    /// SASS constant banks, read-only.
    pub banks: FxHashMap<u8, Vec<u8>>,
    /// Bytes of bank 0 of which nobody knows what the driver puts there, by offset.
    pub unknown: Vec<Range<u64>>,
    /// Surfaces.
    pub surfaces: Surfaces,
    /// What lanes access, where somebody asks.
    pub log: Option<Log>,
    /// Calls of functions that the driver resolves.
    pub calls: Calls,
    /// PTX: bytes of global memory that hold what the source leaves open.
    pub open: FxHashSet<u64>,
}

impl Memory {
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
            Space::Generic => resolve(address),
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
