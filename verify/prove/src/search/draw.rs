//! Launches that tend to matter.

use sassafras_chip::limits::THREADS_PER_BLOCK;
use sassafras_execute::Launch;
use sassafras_execute::order::hash;
use sassafras_symbolic::origin::Origin;

/// Bytes of each buffer.
const BUFFER: usize = 1 << 15;
/// Dynamic shared memory in bytes: a launch may always give some.
pub const SHARED: u32 = 4096;
/// Shapes of the grid and of its blocks, in x: one thread has nobody to race with.
const SHAPES: [(u32, u32); 8] = [(1, 1), (1, 32), (1, 1), (2, 64), (1, 1), (3, 33), (1, 4), (1, 96)];
/// The same for lanes that look at each other: what a mask means that names lanes that there are not is not said.
const WARPS: [(u32, u32); 4] = [(1, 32), (2, 64), (1, 32), (1, 96)];

/// The same in x and y, where the source looks at both: tiles are such.
const PLANES: [[u32; 2]; 6] = [[16, 16], [8, 8], [32, 8], [4, 8], [32, 32], [8, 16]];
/// Most threads of a block.
const MOST: u64 = THREADS_PER_BLOCK as u64;

/// Shapes of the grid and of its blocks that the source may be meant for. What it has shared memory for tells how many threads: with fewer some is never written, with more
/// they go beyond it, and neither means anything. A word may be that of a thread, of two, or of a warp.
fn shapes(origin: Origin<'_>) -> Vec<(u32, [u32; 3])> {
    let across = origin.looks_across();
    let rows = if across { &WARPS[..] } else { &SHAPES[..] };
    let rows: Vec<(u32, [u32; 3])> = rows.iter().map(|(grid, x)| (*grid, [*x, 1, 1])).collect();
    let whole = |n: &u64| (2..=MOST).contains(n) && (!across || n.is_multiple_of(32));
    let words = origin.shared_words();
    let mut sizes: Vec<u64> = words.iter().flat_map(|n| [*n, n / 2, 32 * n]).filter(whole).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let meant = sizes.iter().rev().take(4).map(|n| (1, [*n as u32, 1, 1]));
    let mut planes: Vec<(u32, [u32; 3])> = Vec::new();
    if origin.has_planes() {
        let squares = words.iter().map(|n| n.isqrt()).filter(|n| whole(&(n * n)));
        planes.extend(squares.map(|n| (1, [n as u32, n as u32, 1])));
        planes.extend(PLANES.map(|[x, y]| (1, [x, y, 1])));
        planes.dedup();
    }
    let others: Vec<(u32, [u32; 3])> = planes.into_iter().chain(meant).collect();
    // By turns, so that a few launches have of each.
    let length = rows.len().max(others.len());
    let pairs = (0..length).flat_map(|i| [rows.get(i % rows.len()), others.get(i)]);
    pairs.flatten().copied().collect()
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// Byte offset.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// The number of the buffer whose address it is.
    pub buffer: Option<usize>,
    /// Whether it is a number of binary32 or binary64.
    pub float: bool,
    /// Its bytes, if it is no address.
    pub bytes: Vec<u8>,
}

/// What a launch is made of.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads in x, y, z.
    pub block: [u32; 3],
    /// All parameters.
    pub parameters: Vec<Parameter>,
    /// Contents of buffers.
    pub buffers: Vec<Vec<u8>>,
    /// Bytes of the parameter block.
    pub size: usize,
    /// Warps have all their lanes.
    pub whole_warps: bool,
}

/// What numbers are like in a launch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Below 16: indices.
    Small,
    /// Numbers of binary32 and small ones.
    Floats,
    /// Whole numbers of binary32, or of binary64: their sums and products are exact.
    Whole { double: bool },
    /// Ends, powers of two and any.
    Mixed,
}

impl Style {
    /// A word of 32 bits, the upper one of two or not.
    fn word(self, h: u64, upper: bool) -> u32 {
        let value = (h >> 32) as u32;
        match self {
            Style::Small => value % 16,
            Style::Floats => match h % 4 {
                0 => [0, 0x3f80_0000, 0xbf80_0000, 0x8000_0000, 0x7f80_0000, 0x0000_0001]
                    [(h >> 8) as usize % 6],
                1 => value % 64,
                _ => (0x3e00_0000 + value % 0x0300_0000) | ((value & 1) << 31),
            },
            Style::Whole { double: true } if !upper => 0,
            Style::Whole { double } => {
                let number = f64::from(value % 17) - 8.0;
                if double { (number.to_bits() >> 32) as u32 } else { (number as f32).to_bits() }
            }
            Style::Mixed => match h % 8 {
                0 | 1 => [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 64][(h >> 8) as usize % 8],
                2 => value % 64,
                3 => 1 << (value % 32),
                _ => value,
            },
        }
    }
}

impl Input {
    /// The launch of a seed.
    pub fn drawn(origin: Origin<'_>, code: &sassafras_cubin::Function, pointers: &[u64], seed: u64) -> Input {
        let across = origin.looks_across();
        let shapes = shapes(origin);
        let (blocks, threads) = shapes[seed as usize % shapes.len()];
        let (single, double) = origin.floats();
        let whole = Style::Whole { double };
        // Numbers that are no floats come first, but where there are floats.
        let styles = match single || double {
            true => [whole, Style::Floats, whole, Style::Mixed, Style::Small],
            false => [Style::Small, Style::Mixed, Style::Small, Style::Mixed, Style::Floats],
        };
        let style = styles[(seed / 2) as usize % styles.len()];
        // Where nothing is known of what addresses are made of, what is wide is one.
        let known = if pointers.is_empty() { origin.wide_params() } else { pointers.to_vec() };
        // Buffers that are one, at times.
        let shared = seed % 5 == 4;
        let (mut count, mut numbers) = (0, 0);
        let parameters = origin.params().into_iter().map(|(_, offset, size)| {
            let is_address = size == 8 && known.contains(&offset.into());
            let buffer = is_address.then_some(if shared { 0 } else { count });
            count += usize::from(is_address);
            // How many there are, most often.
            let even = seed % 4 > 1;
            // Or next to none: loops that are not gone round, or once.
            let few = (seed % 8 == 4).then_some((seed / 8 + numbers) as u32 % 4);
            numbers += u64::from(!is_address);
            let count = |h: u64, i: u32| match h % 6 {
                _ if origin.is_float(offset) => style.word(h, i % 2 == 1),
                _ if let Some(few) = few.filter(|_| size <= 8) => {
                    if i == 0 {
                        few
                    } else {
                        0
                    }
                }
                _ if size > 8 || h.is_multiple_of(6) => Style::Mixed.word(h, i % 2 == 1),
                // The upper half of a count of 64 bits.
                _ if i == 1 => 0,
                // Tiles have no rest.
                _ if even => 16 * (1 + (h >> 32) as u32 % 4),
                _ => (h >> 32) as u32 % 40,
            };
            let word = |i: u32| count(hash(seed, &[1, offset.into(), i.into()]), i).to_le_bytes();
            let bytes: Vec<u8> = (0..size.div_ceil(4)).flat_map(word).take(size as usize).collect();
            let float = matches!(size, 4 | 8) && origin.is_float(offset);
            Parameter { offset: offset as usize, size: size as usize, buffer, float, bytes }
        });
        let parameters: Vec<Parameter> = parameters.collect();
        let contents = |n: usize| -> Vec<u8> {
            let word = |i: usize| style.word(hash(seed, &[2, n as u64, i as u64]), i % 2 == 1).to_le_bytes();
            (0..BUFFER / 4).flat_map(word).collect()
        };
        let buffers = if shared { count.min(1) } else { count };
        Input {
            grid: [blocks, 1, 1],
            block: origin.required_threads().unwrap_or(threads),
            parameters,
            buffers: (0..buffers).map(contents).collect(),
            size: code.param_size.max(origin.param_size()) as usize,
            whole_warps: across,
        }
    }

    /// The same launch with numbers that tell instructions apart: no two words of a buffer are alike. Sums and products of floats are exact still.
    pub fn rich(&self, origin: Origin<'_>) -> Input {
        let (single, double) = origin.floats();
        let word = |n: usize, i: usize| -> u32 {
            let h = hash(n as u64, &[3, i as u64]);
            let number = f64::from(17 + (h >> 32) as u32 % 2003);
            match (single, double) {
                (_, true) if i.is_multiple_of(2) => 0,
                (_, true) => (number.to_bits() >> 32) as u32,
                (true, _) => (number as f32).to_bits(),
                _ => (h >> 32) as u32,
            }
        };
        let contents = |n: usize| (0..BUFFER / 4).flat_map(|i| word(n, i).to_le_bytes()).collect();
        let mut rich = Input { buffers: (0..self.buffers.len()).map(contents).collect(), ..self.clone() };
        for p in rich.parameters.iter_mut().filter(|p| p.buffer.is_none() && origin.is_float(p.offset as u32))
        {
            let number = 3.0 + (p.offset % 64) as f32;
            match p.size {
                4 => p.bytes = number.to_le_bytes().to_vec(),
                8 => p.bytes = f64::from(number).to_le_bytes().to_vec(),
                _ => {}
            }
        }
        rich
    }

    /// As executors take it.
    pub fn launch(&self) -> Launch {
        let mut launch = Launch::new(self.grid, self.block);
        launch.dynamic_shared = SHARED;
        let addresses: Vec<u64> = self.buffers.iter().map(|b| launch.buffer(b.clone())).collect();
        launch.params = vec![0; self.size];
        for p in &self.parameters {
            let place = launch.params.get_mut(p.offset..p.offset + p.size);
            let Some(place) = place else { continue };
            match p.buffer {
                Some(n) => place.copy_from_slice(&addresses[n].to_le_bytes()),
                None => place.copy_from_slice(&p.bytes),
            }
        }
        launch
    }

    /// Whether two parameters are the address of one buffer.
    pub fn aliases(&self) -> bool {
        self.parameters.iter().filter(|p| p.buffer.is_some()).count() > self.buffers.len()
    }

    /// Whether the parameter at an offset in bytes is the address of a buffer.
    pub fn points(&self, offset: u64) -> bool {
        self.parameters.iter().any(|p| p.offset as u64 == offset && p.buffer.is_some())
    }

    /// What buffers hold that is not zero: address, and eight bytes in hex digits.
    pub fn contents(&self) -> Vec<(String, String)> {
        let launch = self.launch();
        let words = launch.buffers.iter().flat_map(|b| {
            let all = b.bytes.chunks(8).enumerate().filter(|(_, c)| c.iter().any(|byte| *byte != 0));
            all.map(|(i, c)| (format!("{:#x}", b.address + 8 * i as u64), super::hex::hex(c)))
        });
        words.collect()
    }
}
