//! Random graphs with counted frequencies, for tests and figures.
//!
//! Three families: structured programs; reducible graphs, whose ways back lead to dominators; graphs without a rule. Counts come from random
//! walks, so that what enters a block leaves it. In half of them the source's order is shuffled.

use crate::{Block, Edge, Flow, Kind, Node};

/// Numbers that are the same everywhere (xorshift, Marsaglia 2003, multiplied).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of numbers for each seed.
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds begin far apart.
        let mut random = Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end.max(1)
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn chance(&mut self, of: f64) -> bool {
        self.unit() < of
    }
}

/// Sizes in bytes: instructions of 16.
const SIZES: [u64; 12] = [1, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 32];
/// Walks, and blocks that they pass at most, each and all together for each block.
const WALKS: usize = 1000;
const STEPS: usize = 2_000;

/// A graph of about `blocks` blocks, 3 at least.
pub fn graph(blocks: usize, seed: u64) -> Flow {
    let mut random = Random::new(seed);
    let blocks = blocks.max(3);
    let succs = match random.below(4) {
        0 | 1 => structured(blocks, &mut random),
        2 => jumping(blocks, true, &mut random),
        _ => jumping(blocks, false, &mut random),
    };
    counted(&succs, &mut random)
}

/// Sequences, ifs and loops, nested at random.
fn structured(blocks: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let mut succs: Vec<Vec<usize>> = vec![Vec::new()];
    let mut last = 0;
    // Open ifs and loops: where they came from.
    let mut open: Vec<(bool, usize)> = Vec::new();
    while succs.len() + open.len() < blocks {
        let new = succs.len();
        succs.push(Vec::new());
        succs[last].push(new);
        match random.below(10) {
            0..=2 if open.len() < 6 => open.push((true, new)),
            3..=5 if open.len() < 6 => open.push((false, new)),
            6..=8 => {
                if let Some((is_loop, at)) = open.pop() {
                    if is_loop {
                        if !succs[new].contains(&at) {
                            succs[new].push(at);
                        }
                    } else {
                        // The block behind the if follows either way.
                        let behind = succs.len();
                        succs.push(Vec::new());
                        succs[new].push(behind);
                        if succs[at].len() < 2 && !succs[at].contains(&behind) {
                            succs[at].push(behind);
                        }
                        last = behind;
                        continue;
                    }
                }
            }
            _ => {}
        }
        last = new;
    }
    while let Some((is_loop, at)) = open.pop() {
        let new = succs.len();
        succs.push(Vec::new());
        succs[last].push(new);
        if is_loop && last != at && succs[last].len() < 2 {
            succs[last].push(at);
        }
        last = new;
    }
    succs
}

/// Every block goes on, mostly to the next, and perhaps elsewhere.
fn jumping(blocks: usize, reducible: bool, random: &mut Random) -> Vec<Vec<usize>> {
    let mut succs: Vec<Vec<usize>> = vec![Vec::new(); blocks];
    for (at, ways) in succs.iter_mut().enumerate().take(blocks - 1) {
        let spread = 40.min(blocks - 1 - at) as u64;
        let ahead = |random: &mut Random| at + 1 + random.below(spread) as usize;
        // The next block is always reached, so that every block is.
        ways.push(at + 1);
        if !random.chance(0.65) {
            continue;
        }
        let back = at > 0 && random.chance(0.35);
        let other = match back {
            // In a line of blocks an earlier block dominates unless something jumps over it: few blocks back.
            true if reducible => at,
            true => 1 + random.below(at as u64) as usize,
            false => ahead(random),
        };
        if other != at + 1 && other != 0 {
            ways.push(other);
        }
    }
    succs
}

fn counted(succs: &[Vec<usize>], random: &mut Random) -> Flow {
    let count = succs.len();
    const SHARES: [f64; 10] = [0.01, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99, 1.0];
    let share: Vec<f64> = (0..count)
        .map(|at| {
            // The share of the first way: loops turn more often than they are left.
            let stay = [0.5, 0.75, 0.9, 0.95][random.below(4) as usize];
            let any = SHARES[random.below(10) as usize];
            match succs[at][..] {
                [first, second] if first <= at && second > at => stay,
                [first, second] if second <= at && first > at => 1.0 - stay,
                _ => any,
            }
        })
        .collect();
    let mut taken: Vec<Vec<u64>> = succs.iter().map(|ways| vec![0; ways.len()]).collect();
    let mut run = vec![0u64; count];
    let mut left = STEPS * count.max(30);
    for _ in 0..WALKS {
        let mut path = Vec::new();
        let mut at = 0;
        while !succs[at].is_empty() && left > 0 {
            let way = usize::from(succs[at].len() > 1 && !random.chance(share[at]));
            path.push((at, way));
            at = succs[at][way];
            left -= 1;
        }
        // A walk that did not come to an end would leave counts that do not add up.
        if !succs[at].is_empty() {
            break;
        }
        run[at] += 1;
        for (at, way) in path {
            run[at] += 1;
            taken[at][way] += 1;
        }
    }
    // Where a block stands in the source: half of the graphs are shuffled, the entry stays.
    let mut place: Vec<usize> = (0..count).collect();
    if random.chance(0.5) {
        for at in 2..count {
            place.swap(at, 1 + random.below(at as u64) as usize);
        }
    }
    let mut blocks = vec![Block::default(); count];
    for (at, &place) in place.iter().enumerate() {
        let size = 16 * SIZES[random.below(12) as usize];
        blocks[place] = Block { size, frequency: run[at] as f64, ..Block::default() };
    }
    let place = &place;
    let edges = succs.iter().enumerate().flat_map(|(at, ways)| {
        let conditional = ways.len() > 1;
        ways.iter().zip(&taken[at]).map(move |(&to, &times)| Edge {
            from: Node(place[at] as u32),
            to: Node(place[to] as u32),
            frequency: times as f64,
            kind: match (place[to] == place[at] + 1, conditional) {
                (true, _) => Kind::FallThrough,
                (false, true) => Kind::Conditional,
                (false, false) => Kind::Unconditional,
            },
        })
    });
    let edges: Vec<Edge> = edges.collect();
    Flow::new(Node(0), blocks, edges, Vec::new(), true).expect("a generated graph is sound")
}
