//! `scale SHAPE BLOCKS ALGORITHM`: one algorithm on one large graph; prints seconds and bytes of peak memory that it added.
//! `cargo xtask figures graph` runs it for every shape, size and algorithm.

use sassafras_graph::*;
use std::time::Instant;

sassafras_graph::entity!(B, "b", "A block.");

/// Shapes by name.
const SHAPES: &[(&str, fn(u32) -> Vec<(u32, u32)>)] =
    &[("chain", chain), ("nest", nest), ("switch", switch), ("reducible", reducible)];

/// Algorithms by name; each gives a number that depends on its result, so that nothing is left out.
const ALGORITHMS: &[(&str, fn(&Graph<B>) -> usize)] = &[
    ("orders", |g| DepthFirst::new(g).retreating().count()),
    ("dominators", |g| Dominators::new(g).top_down().len()),
    ("post-dominators", |g| Dominators::post(g).0.top_down().len()),
    ("loops", |g| Loops::new(g, &Dominators::new(g)).len()),
    ("frontiers", |g| {
        let frontier = DominanceFrontier::new(g, &Dominators::new(g));
        // Of every hundredth block, as where a program's variables are written; and the iterated one of all these.
        let some = || g.blocks().into_iter().step_by(g.capacity() / 100 + 1);
        some().map(|b| frontier.of(b).len()).sum::<usize>() + frontier.iterated(some()).len()
    }),
    ("reducible", |g| usize::from(is_reducible(g, &Dominators::new(g)))),
    ("critical-edges", |g| critical_edges(g).len()),
    ("regions", |g| Regions::new(g).iter().count()),
];

/// Each block goes on or to the end.
fn chain(n: u32) -> Vec<(u32, u32)> {
    (0..n - 1).flat_map(|i| [(i, i + 1), (i, n - 1)]).collect()
}

/// Half as many loops as blocks, each in the one before.
fn nest(n: u32) -> Vec<(u32, u32)> {
    let depth = n / 2;
    let mut edges: Vec<(u32, u32)> = (0..2 * depth - 1).map(|i| (i, i + 1)).collect();
    edges.extend((0..depth).filter(|&i| i > 0).map(|i| (2 * depth - 1 - i, i)));
    edges
}

/// One block with all others but the last as successors.
fn switch(n: u32) -> Vec<(u32, u32)> {
    (1..n - 1).flat_map(|i| [(0, i), (i, n - 1)]).collect()
}

/// Random statements: each block becomes two in a row, an if, or a loop, until there are enough.
fn reducible(n: u32) -> Vec<(u32, u32)> {
    let mut state = 1u64;
    let mut random = move |end: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % end
    };
    // Regions by first and last block.
    let mut edges = Vec::new();
    let mut count = 1;
    let mut regions = vec![(0u32, 0u32)];
    while count + 4 < n {
        let at = random(regions.len() as u32) as usize;
        let (first, last) = regions.swap_remove(at);
        let new = count;
        match random(3) {
            0 => {
                edges.push((last, new));
                count += 1;
                regions.push((first, new));
            }
            1 => {
                edges.extend([(last, new), (last, new + 1), (new, new + 2), (new + 1, new + 2)]);
                count += 3;
                regions.push((first, new + 2));
            }
            _ => {
                edges.extend([(last, new), (new, new + 1), (new + 1, new), (new + 1, new + 2)]);
                count += 3;
                regions.push((first, new + 2));
            }
        }
        if regions.len() < 64 && count + 6 < n {
            // Another region that begins behind this one's first block.
            edges.push((first, count));
            regions.push((count, count));
            count += 1;
        }
    }
    edges
}

/// Most memory that this process has had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [shape, blocks, algorithm] = &words[..] else {
        let shapes: Vec<&str> = SHAPES.iter().map(|s| s.0).collect();
        let algorithms: Vec<&str> = ALGORITHMS.iter().map(|a| a.0).collect();
        println!("{}\n{}", shapes.join(" "), algorithms.join(" "));
        return;
    };
    let shape = SHAPES.iter().find(|s| s.0 == shape).expect("a shape").1;
    let algorithm = ALGORITHMS.iter().find(|a| a.0 == algorithm).expect("an algorithm").1;
    let blocks: u32 = blocks.parse().expect("a number of blocks");
    let edges = shape(blocks);
    let graph = Graph::new(B(0), blocks as usize, edges.into_iter().map(|(from, to)| (B(from), B(to))));
    let before = peak();
    let start = Instant::now();
    let result = algorithm(&graph);
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds:.6} {} {result}", peak() - before);
}
