//! Launches on which wrong lowering tends to show: many lanes with ends of ranges, and few with numbers that keep programs defined.

use sassafras_chip::limits::THREADS_PER_BLOCK;
use sassafras_execute::Launch;
use sassafras_execute::order::hash;
use sassafras_symbolic::origin::Origin;

/// Bytes of each buffer.
const BUFFER: usize = 1 << 13;
/// Dynamic shared memory in bytes: a launch may always give some.
const SHARED: u32 = 4096;
/// Most values of the IR that all lanes of a block hold at once.
const MOST_VALUES: u64 = 1 << 20;
/// Most threads of a drawn block, where the source does not ask for more.
const MOST_THREADS: u64 = 256;

/// What numbers are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Below 16: indices.
    Small,
    /// Whole numbers of binary32 or binary64, whose sums and products are exact; small ones where there are no floats.
    Whole { single: bool, double: bool },
    /// Ends of ranges of every width, numbers that are special in each format of floats, powers of two, any.
    Ends,
}

/// Ends of ranges of integers, counts of shifts, and pairs of short ones.
const INTEGERS: [u32; 20] = [
    0,
    1,
    2,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x8000_7fff,
    0x80ff_7f01,
];
/// Numbers of binary32, and pairs of binary16: zeros, the least, the largest, infinities, NaNs, halves, ends of integers.
const FLOATS: [u32; 20] = [
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0xc020_0000,
    0x4f00_0000,
    0x4eff_ffff,
    0xcf00_0000,
    0x5f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x3c00_bc00,
    0x7bff_0001,
    0x3555_c248,
];
/// Upper words of such numbers of binary64.
const DOUBLES: [u32; 12] = [
    0x3ff0_0000,
    0xbff0_0000,
    0x3fe0_0000,
    0x4000_8000,
    0x41e0_0000,
    0x43e0_0000,
    0x7fef_ffff,
    0x7ff0_0000,
    0x7ff8_0000,
    0x0010_0000,
    0x8000_0000,
    0x0000_0001,
];

impl Style {
    /// A word of 32 bits; whether it is the upper one of two.
    fn word(self, h: u64, upper: bool) -> u32 {
        let value = (h >> 32) as u32;
        let pick = |all: &[u32]| all[(h >> 8) as usize % all.len()];
        match self {
            Style::Small | Style::Whole { single: false, double: false } => value % 16,
            Style::Whole { double: true, .. } if !upper => 0,
            Style::Whole { double, .. } => {
                let number = f64::from(value % 17) - 8.0;
                if double { (number.to_bits() >> 32) as u32 } else { (number as f32).to_bits() }
            }
            Style::Ends => match h % 8 {
                0 | 1 => pick(&INTEGERS),
                2 | 3 => pick(&FLOATS),
                4 if upper => pick(&DOUBLES),
                4 => value % 70,
                5 => 1 << (value % 32),
                6 => (0x3e00_0000 + value % 0x0300_0000) | ((value & 1) << 31),
                _ => value,
            },
        }
    }
}

/// A parameter.
#[derive(Clone, Debug)]
struct Parameter {
    offset: usize,
    /// The number of the buffer whose address it is.
    buffer: Option<usize>,
    /// Its bytes, if it is no address.
    bytes: Vec<u8>,
}

/// What a launch is made of.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    parameters: Vec<Parameter>,
    pub buffers: Vec<Vec<u8>>,
    /// Bytes of the parameter block.
    size: usize,
    /// The source says how many threads there are, or its lanes look at each other.
    pub fixed: bool,
}

/// Threads that the source may be meant for: its shared memory tells how many, with a word for each or for each two.
fn meant(origin: Origin<'_>, across: bool) -> Vec<[u32; 3]> {
    let fits = |n: &u64| (2..=MOST_THREADS).contains(n) && (!across || n.is_multiple_of(32));
    let words = origin.shared_words();
    let mut all: Vec<[u32; 3]> = Vec::new();
    if origin.has_planes() {
        let squares = words.iter().map(|n| n.isqrt()).filter(|n| fits(&(n * n)));
        all.extend(squares.map(|n| [n as u32, n as u32, 1]));
        all.extend([[8, 8, 1], [16, 4, 1]]);
    }
    all.extend(words.iter().flat_map(|n| [*n, n / 2]).filter(fits).map(|n| [n as u32, 1, 1]));
    all.dedup();
    all
}

impl Input {
    /// The launch of a seed, with `size` bytes of parameters at least. `across`: warps have all their lanes.
    pub fn drawn(origin: Origin<'_>, size: u32, across: bool, seed: u64) -> Input {
        let (single, double) = origin.floats();
        let whole = Style::Whole { single, double };
        // Lanes of one warp show many numbers at once, and a single thread races with nobody.
        let (style, grid, threads) = match seed {
            0 => (Style::Ends, 1, 32),
            1 => (whole, 1, if across { 32 } else { 1 }),
            2 => (whole, 2, if across { 64 } else { 33 }),
            3 => (Style::Ends, 1, if across { 32 } else { 1 }),
            4 => (Style::Small, 1, 32),
            5 => (Style::Ends, 1, 64),
            6 => (whole, 1, 32),
            7 => (Style::Small, 1, if across { 32 } else { 1 }),
            8 => (Style::Ends, 2, 32),
            _ => (whole, 1, 64),
        };
        let meant = meant(origin, across);
        let block = match meant.get((seed / 2) as usize % meant.len().max(1)) {
            Some(&block) if seed.is_multiple_of(2) && seed > 0 => block,
            _ => [threads, 1, 1],
        };
        let required = origin.required_threads();
        let wide = origin.wide_params();
        let mut count = 0;
        let parameters = origin.params().into_iter().map(|(_, offset, size)| {
            let h = |i: u32| hash(seed, &[1, offset.into(), i.into()]);
            // What is as wide as an address is one, but for a few in some launches.
            let is_address = size == 8
                && wide.contains(&offset.into())
                && !origin.is_float(offset)
                && !(seed % 4 == 3 && count > 0 && h(9) % 3 == 0);
            let buffer = is_address.then_some(count);
            count += usize::from(is_address);
            let word = |i: u32| match h(i) % 6 {
                _ if origin.is_float(offset) => style.word(h(i), i % 2 == 1),
                0 => Style::Ends.word(h(i) / 6, i % 2 == 1),
                _ if size > 8 => style.word(h(i), i % 2 == 1),
                // The upper half of a count of 64 bits.
                _ if i == 1 => 0,
                1 | 2 => 16 * (1 + (h(i) >> 32) as u32 % 4),
                _ => (h(i) >> 32) as u32 % 40,
            };
            let bytes = (0..size.div_ceil(4)).flat_map(|i| word(i).to_le_bytes()).take(size as usize);
            Parameter { offset: offset as usize, buffer, bytes: bytes.collect() }
        });
        let parameters: Vec<Parameter> = parameters.collect();
        let contents = |n: usize| -> Vec<u8> {
            let word = |i: usize| style.word(hash(seed, &[2, n as u64, i as u64]), i % 2 == 1).to_le_bytes();
            (0..BUFFER / 4).flat_map(word).collect()
        };
        Input {
            grid: [grid, 1, 1],
            block: required.unwrap_or(block),
            parameters,
            buffers: (0..count).map(contents).collect(),
            size: size.max(origin.param_size()) as usize,
            fixed: required.is_some() || across,
        }
    }

    /// Whether the lanes of a block hold too much, or are too many.
    pub fn is_too_large(&self, values: usize) -> bool {
        let threads = self.block.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
        threads > THREADS_PER_BLOCK.into() || values as u64 * threads > MOST_VALUES
    }

    /// As executors take it.
    pub fn launch(&self) -> Launch {
        let mut launch = Launch::new(self.grid, self.block);
        launch.dynamic_shared = SHARED;
        let addresses: Vec<u64> = self.buffers.iter().map(|b| launch.buffer(b.clone())).collect();
        launch.params = vec![0; self.size];
        for p in &self.parameters {
            let bytes = p.buffer.map_or_else(|| p.bytes.clone(), |n| addresses[n].to_le_bytes().to_vec());
            if let Some(place) = launch.params.get_mut(p.offset..p.offset + bytes.len()) {
                place.copy_from_slice(&bytes);
            }
        }
        launch
    }
}
