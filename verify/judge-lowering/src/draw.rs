//! Launches on which wrong lowering tends to show: many lanes with ends of ranges, and few with numbers that keep programs defined.

use crate::contents::{Holds, contents};
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
    Whole,
    /// Floats near one, of any fraction: their sums and products are rounded. Small numbers where there are no floats.
    Near,
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
    /// A word of 32 bits of what holds something; whether it is the upper one of two.
    fn word(self, holds: Holds, h: u64, upper: bool) -> u32 {
        let value = (h >> 32) as u32;
        let double = holds == Holds::Double;
        match (self, holds) {
            (_, Holds::Indices) => value % 16,
            (Style::Ends, _) => Style::end(h, upper),
            (Style::Small, Holds::Floats) => ((value % 16) as f32).to_bits(),
            // Each of the bytes, and two of them below 16.
            (_, Holds::Bytes) => value & 0x0fff_0fff,
            (Style::Near, Holds::Integers) => (value % 64).wrapping_sub(24),
            (Style::Small, _) | (_, Holds::Integers | Holds::Any) => value % 16,
            (Style::Whole, Holds::Double) if !upper => 0,
            (Style::Near, Holds::Double) if !upper => value,
            (Style::Whole, _) => {
                let number = f64::from(value % 17) - 8.0;
                if double { (number.to_bits() >> 32) as u32 } else { (number as f32).to_bits() }
            }
            // From 1/8 to 16.
            (Style::Near, Holds::Double) => (0x3fc0_0000 + value % 0x0070_0000) | ((value & 1) << 31),
            (Style::Near, _) => (0x3e00_0000 + value % 0x0380_0000) | ((value & 1) << 31),
        }
    }

    fn end(h: u64, upper: bool) -> u32 {
        let value = (h >> 32) as u32;
        let pick = |all: &[u32]| all[(h >> 8) as usize % all.len()];
        match h % 8 {
            0 | 1 => pick(&INTEGERS),
            2 | 3 => pick(&FLOATS),
            4 if upper => pick(&DOUBLES),
            4 => value % 70,
            5 => 1 << (value % 32),
            6 => (0x3e00_0000 + value % 0x0300_0000) | ((value & 1) << 31),
            _ => value,
        }
    }
}

/// What counts and sizes among the parameters are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// Of each kind.
    Mixed,
    /// Multiples of 16, as sizes of rows and tiles are.
    Tiles,
    /// Small ones.
    Few,
    /// Below zero, and ends of ranges.
    Ends,
}

impl Counts {
    /// Where there are several axes each count is one of an axis.
    fn word(self, h: u64, planes: bool) -> u32 {
        let value = (h >> 32) as u32;
        let tile = if planes { 16 } else { 32 };
        match self {
            Counts::Mixed => match h % 6 {
                0 => Style::end(h / 6, false),
                1 | 2 => tile * (1 + value % 4),
                _ => value % 40,
            },
            Counts::Tiles => tile * (1 + value % 4),
            Counts::Few => value % 12,
            Counts::Ends => match h % 4 {
                0 => INTEGERS[(h >> 8) as usize % INTEGERS.len()],
                1 => 0x8000_0000,
                _ => !(value % 40),
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
        let planes = PLANES.into_iter().filter(|b| !across || (b[0] * b[1] * b[2]).is_multiple_of(32));
        all.extend(planes.chain(squares.map(|n| [n as u32, n as u32, 1])));
    }
    all.extend(words.iter().flat_map(|n| [*n, n / 2]).filter(fits).map(|n| [n as u32, 1, 1]));
    all.dedup();
    all
}

/// Shapes of blocks, where the source looks at more than one of their axes.
const PLANES: [[u32; 3]; 6] = [[4, 4, 1], [8, 8, 1], [4, 16, 1], [16, 4, 1], [2, 3, 2], [16, 2, 1]];

/// The grid and the block of a launch that takes about `lanes` lanes in all.
struct Shapes {
    across: bool,
    planes: bool,
    meant: Vec<[u32; 3]>,
    most: Option<u32>,
    required: Option<[u32; 3]>,
    lanes: u32,
}

impl Shapes {
    fn of(origin: Origin<'_>, across: bool, lanes: u32) -> Shapes {
        let (meant, blocks) = (meant(origin, across), origin.blocks());
        let (most, required) = (blocks.most, blocks.required);
        Shapes { across, planes: origin.has_planes(), meant, most, required, lanes }
    }

    /// Lanes of one warp show many numbers at once, a single thread races with nobody, and where there are several blocks their number is not that of
    /// their threads.
    fn drawn(&self, seed: u64) -> ([u32; 3], [u32; 3]) {
        let several = self.lanes.clamp(2, 32);
        let (blocks, threads) = match seed {
            4 | 10 => (1, 1),
            1 => (2, several.div_ceil(2)),
            2 if !self.across => (3, (several / 3).max(2)),
            6 => (2, 33),
            8 => (1, 64),
            _ => (1, several),
        };
        let warps = |n: u32| if self.across { n.next_multiple_of(32) } else { n };
        let own = [warps(threads), 1, 1];
        // By turns, first what the shared memory is meant for; where there are planes, as often as may be.
        let turn = match seed {
            0 | 4 | 10 => None,
            _ if self.planes => Some(seed - 1),
            _ => Some(seed / 2).filter(|_| seed % 2 == 1),
        };
        let meant = turn.and_then(|n| self.meant.get(n as usize % self.meant.len().max(1)));
        let block = meant.copied().unwrap_or(own);
        let fits = |b: &[u32; 3]| self.most.is_none_or(|most| b.iter().product::<u32>() <= most);
        let block = Some(block).filter(fits).unwrap_or([self.most.unwrap_or(1).min(32), 1, 1]);
        let block = self.required.unwrap_or(block);
        match self.planes && blocks > 1 {
            true => ([2, 2, 1], block),
            false => ([blocks, 1, 1], block),
        }
    }
}

/// What is drawn from: an entry, and what is known of it.
pub(crate) struct Drawer<'a> {
    origin: Origin<'a>,
    /// Bytes of the parameter block at least.
    size: u32,
    shapes: Shapes,
    /// What buffers hold, by the number of the parameter.
    contents: Vec<Holds>,
    /// What buffers hold of which nothing is known.
    other: Holds,
}

impl<'a> Drawer<'a> {
    /// Of an entry with `size` bytes of parameters. `across`: warps have all their lanes; `lanes`: how many there are in most launches.
    pub fn new(origin: Origin<'a>, size: u32, across: bool, lanes: u32) -> Drawer<'a> {
        let contents = match origin {
            Origin::Ptx { function, .. } => contents(function),
            Origin::Code { .. } => Vec::new(),
        };
        let other = match origin.floats() {
            (_, true) => Holds::Double,
            (true, false) => Holds::Floats,
            (false, false) => Holds::Any,
        };
        Drawer { origin, size, shapes: Shapes::of(origin, across, lanes), contents, other }
    }

    /// The launch of a seed.
    pub fn draw(&self, seed: u64) -> Input {
        let (style, counts) = match seed {
            0 => (Style::Ends, Counts::Mixed),
            1 => (Style::Near, Counts::Tiles),
            2 if !self.shapes.planes => (Style::Near, Counts::Few),
            3 => (Style::Ends, Counts::Ends),
            4 => (Style::Whole, Counts::Mixed),
            5 => (Style::Ends, Counts::Tiles),
            6 => (Style::Small, Counts::Mixed),
            2 | 7 => (Style::Near, Counts::Tiles),
            8 => (Style::Ends, Counts::Few),
            9 => (Style::Small, Counts::Tiles),
            10 => (Style::Near, Counts::Few),
            _ => (Style::Whole, Counts::Few),
        };
        let (grid, block) = self.shapes.drawn(seed);
        let wide = self.origin.wide_params();
        let mut held = Vec::new();
        let parameters = self.origin.params().into_iter().enumerate().map(|(n, (_, offset, size))| {
            let h = |i: u32| hash(seed, &[1, offset.into(), i.into()]);
            let float = self.origin.is_float(offset);
            // What is as wide as an address is one, but for a few in some launches.
            let is_address = size == 8
                && wide.contains(&offset.into())
                && !float
                && !(matches!(seed, 4 | 8 | 10) && !held.is_empty() && h(9).is_multiple_of(3));
            let buffer = is_address.then_some(held.len());
            if is_address {
                held.push(match self.contents.get(n) {
                    None | Some(Holds::Any) => self.other,
                    // What addresses are made of may be brought into range before.
                    Some(Holds::Indices) if matches!(seed, 5 | 8) => Holds::Any,
                    Some(holds) => *holds,
                });
            }
            let of_floats = if size == 8 { Holds::Double } else { Holds::Floats };
            let word = |i: u32| match i {
                _ if float => style.word(of_floats, h(i), i % 2 == 1),
                _ if size > 8 => style.word(Holds::Any, h(i), i % 2 == 1),
                // The upper half of a count of 64 bits.
                1 => 0,
                _ => counts.word(h(i), self.shapes.planes),
            };
            let bytes = (0..size.div_ceil(4)).flat_map(|i| word(i).to_le_bytes()).take(size as usize);
            Parameter { offset: offset as usize, buffer, bytes: bytes.collect() }
        });
        let parameters: Vec<Parameter> = parameters.collect();
        let contents = |(n, holds): (usize, &Holds)| -> Vec<u8> {
            let word =
                |i: usize| style.word(*holds, hash(seed, &[2, n as u64, i as u64]), i % 2 == 1).to_le_bytes();
            (0..BUFFER / 4).flat_map(word).collect()
        };
        let size = self.size.max(self.origin.param_size()) as usize;
        let buffers = held.iter().enumerate().map(contents).collect();
        let fixed = self.shapes.required.is_some() || self.shapes.across;
        Input { grid, block, parameters, buffers, size, fixed }
    }
}

impl Input {
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
