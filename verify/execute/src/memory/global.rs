//! Global memory: allocations at distinct 64-bit bases with guard gaps between them.

use sassafras_semantics::{Space, Trap};

/// First address given out: above 32 bits, so that a truncated address faults.
const FIRST: u64 = 0x7_2000_0000;
/// Least number of unmapped bytes between allocations.
const GUARD: u64 = 1 << 16;

/// One allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Address of its first byte.
    pub base: u64,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Stores fault.
    pub read_only: bool,
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub struct Global {
    /// By ascending base.
    allocations: Vec<Allocation>,
    /// The allocation found last.
    last: usize,
    /// The first base that [`Global::allocate`] gave.
    chosen: Option<u64>,
}

impl Global {
    /// Where an allocation goes after one that ends at `end`; `align` is a power of two.
    pub fn next_base(end: Option<u64>, align: u64) -> u64 {
        end.map_or(FIRST, |end| end + GUARD).next_multiple_of(align.max(256))
    }

    /// Allocates behind all others and gives the base.
    pub fn allocate(&mut self, bytes: Vec<u8>, align: u64, read_only: bool) -> u64 {
        let base = Self::next_base(self.allocations.last().map(|a| a.base + a.bytes.len() as u64), align);
        self.allocations.push(Allocation { base, bytes, read_only });
        self.chosen.get_or_insert(base);
        base
    }

    /// Whether an address lies in, or right behind, an allocation for which [`Global::allocate`] chose the place.
    pub fn is_chosen(&self, address: u64) -> bool {
        let before = self.allocations.partition_point(|a| a.base <= address).checked_sub(1);
        let found = before.map(|i| &self.allocations[i]);
        found.is_some_and(|a| Some(a.base) >= self.chosen && address - a.base <= a.bytes.len() as u64)
            && self.chosen.is_some()
    }

    /// Places an allocation at a base above all others (buffers of a launch come first, at the addresses it chose).
    pub fn place(&mut self, base: u64, bytes: Vec<u8>) {
        debug_assert!(self.allocations.last().is_none_or(|a| a.base + a.bytes.len() as u64 <= base));
        self.allocations.push(Allocation { base, bytes, read_only: false });
    }

    /// Places an allocation at a base between the others, which no other reaches.
    pub fn insert(&mut self, base: u64, bytes: Vec<u8>) {
        let at = self.allocations.partition_point(|a| a.base < base);
        self.allocations.insert(at, Allocation { base, bytes, read_only: false });
    }

    /// Takes an allocation away; how many bytes it had.
    pub fn remove(&mut self, base: u64) -> Option<u64> {
        let at = self.allocations.iter().position(|a| a.base == base)?;
        Some(self.allocations.remove(at).bytes.len() as u64)
    }

    /// The allocation at a base.
    pub fn at(&self, base: u64) -> Option<&Allocation> {
        self.allocations.iter().find(|a| a.base == base)
    }

    /// The allocation at a base, to be filled before the launch.
    pub fn at_mut(&mut self, base: u64) -> Option<&mut Allocation> {
        self.allocations.iter_mut().find(|a| a.base == base)
    }

    /// The bytes of an access, all within one allocation.
    ///
    /// # Errors
    /// A fault: misaligned, outside every allocation, or a store to a read-only one.
    pub fn bytes_mut(&mut self, address: u64, bytes: u32, store: bool) -> Result<&mut [u8], Trap> {
        let space = Space::Global;
        if !address.is_multiple_of(u64::from(bytes)) {
            return Err(Trap::Misaligned { space, address, bytes });
        }
        let holds = |a: &Allocation| {
            address >= a.base
                && address - a.base + u64::from(bytes) <= a.bytes.len() as u64
                && !(store && a.read_only)
        };
        if !self.allocations.get(self.last).is_some_and(holds) {
            let after = self.allocations.partition_point(|a| a.base <= address);
            let found = after.checked_sub(1).filter(|&i| holds(&self.allocations[i]));
            self.last = found.ok_or(Trap::OutOfBounds { space, address, bytes })?;
        }
        let a = &mut self.allocations[self.last];
        let start = (address - a.base) as usize;
        Ok(&mut a.bytes[start..start + bytes as usize])
    }
}
