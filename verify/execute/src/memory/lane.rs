//! One lane's view of memory: every space, with faults.

use super::address::{number, range, resolve, window};
use super::shared::Memory;
use super::touch::Use;
use crate::atomic;
use sassafras_semantics::{Access, AtomicOp, Space, Trap};

/// One lane's view of memory. Values are little-endian bits of `8 × access.bytes`; addresses are offsets in the access's
/// space (64-bit addresses for global and generic).
#[derive(Debug)]
pub struct Lane<'a> {
    /// What all lanes share.
    pub memory: &'a mut Memory,
    /// The block's shared memory.
    pub shared: &'a mut [u8],
    /// The lane's local memory.
    pub local: &'a mut [u8],
}

impl Lane<'_> {
    /// The bytes of an access.
    fn bytes(&mut self, space: Space, address: u64, bytes: u32, how: Use) -> Result<&mut [u8], Trap> {
        let store = how != Use::Load;
        let (space, address) = match (space, resolve(address)) {
            (Space::Generic, there) => there,
            // Constants lie in global memory: nvcc reads them through pointers that it takes for global ones.
            (Space::Global, (Space::Const, at)) if !store => (Space::Const, at),
            _ => (space, address),
        };
        if let Some(log) = &mut self.memory.log {
            log.add(space, address, bytes, how);
        }
        let fault = Trap::OutOfBounds { space, address, bytes };
        let all: &mut [u8] = match space {
            Space::Generic | Space::Global => return self.memory.global.bytes_mut(address, bytes, store),
            Space::Shared => self.shared,
            Space::Local => self.local,
            _ if store => return Err(fault),
            Space::Const => &mut self.memory.constant,
            Space::Param => &mut self.memory.params,
            Space::Bank(0)
                if self
                    .memory
                    .unknown
                    .iter()
                    .any(|r| r.start < address + u64::from(bytes) && address < r.end) =>
            {
                return Err(Trap::Unsupported(format!(
                    "what the driver puts at {address:#x} of constant bank 0"
                )));
            }
            Space::Bank(bank) => self.memory.banks.get_mut(&bank).ok_or(fault)?,
        };
        let at = range(space, all.len(), address, bytes)?;
        Ok(&mut all[at])
    }

    /// Loads.
    ///
    /// # Errors
    /// A bounds or alignment fault.
    pub fn load(&mut self, access: &Access, address: u64) -> Result<u128, Trap> {
        self.memory.ordered(Use::Load, None, access, address);
        self.bytes(access.space, address, access.bytes, Use::Load).map(|b| number(b))
    }

    /// Stores the low bits of `value`.
    ///
    /// # Errors
    /// A bounds or alignment fault, or a store to read-only memory.
    pub fn store(&mut self, access: &Access, address: u64, value: u128) -> Result<(), Trap> {
        self.memory.ordered(Use::Store, None, access, address);
        let bytes = self.bytes(access.space, address, access.bytes, Use::Store)?;
        bytes.copy_from_slice(&value.to_le_bytes()[..access.bytes as usize]);
        Ok(())
    }

    /// Reads, modifies, writes, and gives the old value.
    ///
    /// # Errors
    /// A bounds or alignment fault; [`Trap::Unsupported`] for an operation that has no such width.
    pub fn atomic(
        &mut self,
        access: &Access,
        op: AtomicOp,
        address: u64,
        operands: &[u128],
    ) -> Result<u128, Trap> {
        self.memory.ordered(Use::Atomic, Some(op), access, address);
        let bytes = self.bytes(access.space, address, access.bytes, Use::Atomic)?;
        let old = number(bytes);
        let new = atomic::apply(op, access.bytes, old, operands)?;
        bytes.copy_from_slice(&new.to_le_bytes()[..access.bytes as usize]);
        Ok(old)
    }

    /// The generic address of an offset in a space.
    ///
    /// # Errors
    /// [`Trap::Unsupported`] for a space without a window.
    pub fn cvta(space: Space, address: u64) -> Result<u64, Trap> {
        window(space)
            .map(|base| base.wrapping_add(address))
            .ok_or_else(|| Trap::Unsupported(format!("cvta of {space:?}")))
    }

    /// The offset in a space of a generic address.
    ///
    /// # Errors
    /// [`Trap::Unsupported`] for a space without a window.
    pub fn cvta_to(space: Space, address: u64) -> Result<u64, Trap> {
        window(space)
            .map(|base| address.wrapping_sub(base))
            .ok_or_else(|| Trap::Unsupported(format!("cvta.to of {space:?}")))
    }

    /// Whether a generic address lies in a space's window; what lies in none is global.
    pub fn is_space(space: Space, address: u64) -> bool {
        space == resolve(address).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{LOCAL_WINDOW, SHARED_WINDOW};
    use sassafras_semantics::{Ordering, Scope};

    fn access(space: Space, bytes: u32) -> Access {
        Access { space, bytes, ordering: Ordering::Weak, scope: Scope::Cta }
    }

    #[test]
    fn spaces_are_apart_and_windows_lead_to_them() {
        let (mut memory, mut shared, mut local) = (Memory::default(), vec![0; 64], vec![0; 64]);
        let a = memory.global.allocate(vec![0; 8], 8, false);
        let b = memory.global.allocate(vec![7; 8], 8, true);
        let mut lane = Lane { memory: &mut memory, shared: &mut shared, local: &mut local };
        lane.store(&access(Space::Shared, 4), 8, 0x1_0403_0201).expect("in bounds");
        lane.store(&access(Space::Local, 4), 8, 5).expect("in bounds");
        lane.store(&access(Space::Global, 8), a, 6).expect("in bounds");
        assert_eq!(lane.load(&access(Space::Generic, 4), SHARED_WINDOW + 8), Ok(0x0403_0201));
        assert_eq!(lane.load(&access(Space::Generic, 1), SHARED_WINDOW + 9), Ok(2));
        assert_eq!(lane.load(&access(Space::Generic, 4), LOCAL_WINDOW + 8), Ok(5));
        assert_eq!(lane.load(&access(Space::Generic, 8), a), Ok(6));
        assert_eq!(lane.load(&access(Space::Global, 1), b + 7), Ok(7));
        assert!(Lane::is_space(Space::Shared, SHARED_WINDOW) && Lane::is_space(Space::Global, a));
        assert!(!Lane::is_space(Space::Global, LOCAL_WINDOW + 5));
        assert_eq!(Lane::cvta_to(Space::Local, LOCAL_WINDOW + 5), Ok(5));
    }

    #[test]
    fn faults_name_space_address_and_size() {
        let (mut memory, mut shared, mut local) = (Memory::default(), vec![0; 64], vec![0; 64]);
        let a = memory.global.allocate(vec![0; 10], 8, false);
        let b = memory.global.allocate(vec![0; 8], 8, true);
        let mut lane = Lane { memory: &mut memory, shared: &mut shared, local: &mut local };
        let out = |space, address, bytes| Trap::OutOfBounds { space, address, bytes };
        let mut load = |space, bytes, address| lane.load(&access(space, bytes), address).expect_err("fault");
        assert_eq!(load(Space::Global, 4, a + 8), out(Space::Global, a + 8, 4));
        assert_eq!(load(Space::Global, 1, a - 1), out(Space::Global, a - 1, 1));
        assert_eq!(load(Space::Generic, 4, 0), out(Space::Global, 0, 4));
        assert_eq!(load(Space::Shared, 4, 64), out(Space::Shared, 64, 4));
        assert_eq!(load(Space::Local, 16, u64::MAX - 15), out(Space::Local, u64::MAX - 15, 16));
        assert_eq!(
            load(Space::Global, 4, a + 2),
            Trap::Misaligned { space: Space::Global, address: a + 2, bytes: 4 }
        );
        assert_eq!(load(Space::Bank(3), 4, 0), out(Space::Bank(3), 0, 4));
        assert_eq!(lane.store(&access(Space::Global, 4), b, 0), Err(out(Space::Global, b, 4)));
        assert_eq!(lane.store(&access(Space::Param, 4), 0, 0), Err(out(Space::Param, 0, 4)));
    }
}
