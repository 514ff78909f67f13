//! A launch: shape, parameters and buffers.

use crate::argument::Argument;
use crate::memory::Global;
use sassafras_chip::limits::{BLOCK_EXTENTS, GRID_EXTENTS, THREADS_PER_BLOCK};

/// Where a parameter lies in the parameter block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Byte offset.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Why a launch does not fit a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// There is no such entry.
    #[error("there is no entry `{name}`; the file has {has}")]
    NoEntry {
        /// Wanted.
        name: String,
        /// What there is.
        has: String,
    },
    /// Too many or too few arguments.
    #[error("the entry takes {wants} arguments, {given} were given")]
    ArgumentCount {
        /// What the entry takes.
        wants: usize,
        /// What was given.
        given: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} has {given} bytes, the parameter has {wants}")]
    ArgumentSize {
        /// Which, from 0.
        index: usize,
        /// Size of the parameter in bytes.
        wants: u32,
        /// Size of the argument in bytes.
        given: u32,
    },
    /// A parameter block of the wrong size.
    #[error("the parameters have {given} bytes, the entry takes {wants}")]
    ParamBytes {
        /// What the entry takes.
        wants: u32,
        /// What was given.
        given: u32,
    },
    /// A grid or block that no device takes, or that the entry excludes.
    #[error("{0}")]
    Shape(String),
    /// The program cannot be loaded.
    #[error("{0}")]
    Program(String),
}

/// A buffer in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its address, a multiple of 256.
    pub address: u64,
    /// Contents before the launch.
    pub bytes: Vec<u8>,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Launch {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// The parameter block, laid out as the entry wants it.
    pub params: Vec<u8>,
    /// Buffers in global memory; parameters hold their addresses.
    pub buffers: Vec<Buffer>,
}

impl Launch {
    /// A launch without parameters.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Launch {
        Launch { grid, block, ..Launch::default() }
    }

    /// Adds a buffer and gives its address.
    pub fn buffer(&mut self, bytes: Vec<u8>) -> u64 {
        let end = self.buffers.last().map(|b| b.address + b.bytes.len() as u64);
        let address = Global::next_base(end, 256);
        self.buffers.push(Buffer { address, bytes });
        address
    }

    /// Lays out `arguments` by the entry's parameters, adding a buffer for each pointer argument.
    ///
    /// # Errors
    /// When the arguments do not fit in number or size.
    pub fn arguments(&mut self, layout: &[Slot], arguments: &[Argument]) -> Result<(), LaunchError> {
        if layout.len() != arguments.len() {
            return Err(LaunchError::ArgumentCount { wants: layout.len(), given: arguments.len() });
        }
        let end = layout.iter().map(|s| s.offset + s.size).max().unwrap_or(0);
        self.params = vec![0; end as usize];
        for (index, (slot, argument)) in layout.iter().zip(arguments).enumerate() {
            let bytes = match argument {
                Argument::Value(bytes) => bytes.clone(),
                Argument::Buffer(bytes) => self.buffer(bytes.clone()).to_le_bytes().to_vec(),
            };
            if bytes.len() != slot.size as usize {
                return Err(LaunchError::ArgumentSize { index, wants: slot.size, given: bytes.len() as u32 });
            }
            self.params[slot.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        Ok(())
    }

    /// Threads in a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().fold(1, |all: u32, &n| all.saturating_mul(n))
    }

    /// Blocks in the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().fold(1, |all: u64, &n| all.saturating_mul(n.into()))
    }

    /// Checks the limits that every chip has: 1 to 1024 threads in a block (64 in z), no empty grid.
    ///
    /// # Errors
    /// [`LaunchError::Shape`].
    pub fn check(&self) -> Result<(), LaunchError> {
        let threads = self.block.iter().fold(1, |all: u64, &n| all.saturating_mul(n.into()));
        if !(1..=u64::from(THREADS_PER_BLOCK)).contains(&threads) || self.block[2] > BLOCK_EXTENTS[2] {
            return Err(LaunchError::Shape(format!("a block of {:?} threads is out of range", self.block)));
        }
        if self.grid.contains(&0) || self.grid.iter().zip(GRID_EXTENTS).any(|(blocks, most)| *blocks > most) {
            return Err(LaunchError::Shape(format!("a grid of {:?} blocks is out of range", self.grid)));
        }
        Ok(())
    }
}
