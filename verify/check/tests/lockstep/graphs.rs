//! Random programs of any control flow that write down which lanes they run with.

use sassafras_graph::{Dominators, Graph};
use sassafras_ir::Block;
use std::fmt::Write;

/// Events that a lane may write down; then it ends.
pub const EVENTS: usize = 48;
/// Blocks that a lane may execute; then it ends.
const FUEL: usize = 90;

/// A small generator of its own (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// What a block does besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing.
    None,
    /// It moves the lane's oracle on.
    Quiet,
    /// And writes down its number and the lanes that are together.
    Marker,
}

/// By what lanes choose one of two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// Each by its own, with a chance of so many quarters.
    Lane(u32),
    /// All by one parameter.
    Uniform,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Node {
    pub ways: Vec<usize>,
    pub work: Work,
    pub oracle: Oracle,
}

/// A graph from node 0.
pub type Shape = Vec<Node>;

/// A graph of up to `most` blocks.
pub fn random(rng: &mut Rng, most: usize) -> Shape {
    let count = 3 + rng.below(most - 2);
    let mut shape: Shape = Vec::new();
    for from in 0..count {
        let last = from + 1 == count;
        let mut ways = if last || rng.below(9) == 0 { Vec::new() } else { vec![from + 1] };
        if rng.below(3) != 0 {
            ways.push(1 + rng.below(count - 1));
        }
        if rng.below(2) == 0 {
            ways.reverse();
        }
        ways.dedup();
        let oracle = if rng.below(6) == 0 { Oracle::Uniform } else { Oracle::Lane(1 + rng.below(3) as u32) };
        let work = match rng.below(8) {
            0 => Work::None,
            1 => Work::Quiet,
            _ => Work::Marker,
        };
        shape.push(Node { ways, work, oracle });
    }
    steady(&mut shape);
    shape
}

/// The graph of a seed, which `rng` starts from: each fourth is larger.
pub fn of_seed(rng: &mut Rng) -> Shape {
    let most = if rng.0.is_multiple_of(4) { 24 } else { 10 };
    random(rng, most)
}

/// Three inputs for the graph that was drawn last.
pub fn inputs(rng: &mut Rng) -> [u32; 3] {
    [0, 1, 2].map(|input| input ^ rng.below(1 << 30) as u32)
}

/// Makes every cycle pass a block that uses fuel: what does nothing has one way, and leads on, or to what does something.
fn steady(shape: &mut Shape) {
    for b in 0..shape.len() {
        let idle = match shape[b].ways[..] {
            [] => true,
            [to] => to > b || shape[to].work != Work::None,
            _ => false,
        };
        if shape[b].work == Work::None && (!idle || b == 0) {
            shape[b].work = Work::Quiet;
        }
    }
    // A later block may lead back to one that did something when it was looked at.
    for b in 0..shape.len() {
        let back = shape[b].ways.first().is_some_and(|&to| to <= b && shape[to].work == Work::None);
        if shape[b].work == Work::None && back {
            shape[b].work = Work::Quiet;
        }
    }
}

/// The graph on one line: what marks is named in capitals, what does nothing in parentheses, a uniform branch by `=`.
pub fn outline(shape: &Shape) -> String {
    let mut out = String::new();
    for (b, node) in shape.iter().enumerate() {
        let name = match node.work {
            Work::Marker => format!("L{b}"),
            Work::Quiet => format!("l{b}"),
            Work::None => format!("(l{b})"),
        };
        let arrow = if node.oracle == Oracle::Uniform && node.ways.len() > 1 { '=' } else { '-' };
        let ways: Vec<String> = node.ways.iter().map(ToString::to_string).collect();
        let _ = write!(out, "{name}{arrow}{} ", if ways.is_empty() { "end".into() } else { ways.join(",") });
    }
    out
}

/// Whether every cycle has one entry.
pub fn reducible(shape: &Shape) -> bool {
    let block = |b: usize| Block(b as u32);
    let edges =
        shape.iter().enumerate().flat_map(|(b, n)| n.ways.iter().map(move |&to| (block(b), block(to))));
    let graph = Graph::new(block(0), shape.len(), edges);
    sassafras_graph::is_reducible(&graph, &Dominators::new(&graph))
}

/// The program: the entry `k` of a buffer with `EVENTS` slots of 8 bytes for each lane, and of a seed.
pub fn ptx(shape: &Shape) -> String {
    let mut out = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 seed)\n{{\n\
         .reg .pred p, q;\n.reg .b32 x, n, m, t, s;\n.reg .b64 at, w;\n\
         ld.param.u64 at, [out];\ncvta.to.global.u64 at, at;\nmov.u32 t, %tid.x;\nmul.wide.u32 w, t, {};\n\
         add.s64 at, at, w;\nld.param.u32 s, [seed];\nmad.lo.u32 x, t, 0x9e3779b1, s;\nmov.u32 n, 0;\n",
        EVENTS * 8
    );
    for (b, node) in shape.iter().enumerate() {
        let _ = writeln!(out, "L{b}:");
        if node.work == Work::Marker {
            let _ = writeln!(
                out,
                "activemask.b32 m;\nst.global.v2.u32 [at], {{{}, m}};\nadd.s64 at, at, 8;",
                b + 1
            );
        }
        if node.work != Work::None {
            let number = 0x3c6e_f35fusize + 2 * b;
            let _ = writeln!(out, "add.u32 n, n, {};", if node.work == Work::Marker { 0x10001 } else { 1 });
            // The upper half counts events, the lower half blocks.
            let _ = writeln!(out, "setp.ge.u32 q, n, {:#x};\n@q exit;", EVENTS << 16);
            let _ = writeln!(out, "and.b32 t, n, 0xffff;\nsetp.ge.u32 q, t, {FUEL};\n@q exit;");
            let _ = writeln!(out, "mad.lo.u32 x, x, 1664525, {number};");
        }
        let condition = match node.oracle {
            Oracle::Uniform => format!("shr.u32 t, s, {};\nand.b32 t, t, 1;\nsetp.eq.u32 p, t, 0;\n", b % 32),
            Oracle::Lane(quarters) => {
                format!("shr.u32 t, x, {};\nand.b32 t, t, 3;\nsetp.lt.u32 p, t, {quarters};\n", 13 + b % 16)
            }
        };
        let _ = match node.ways[..] {
            [] => writeln!(out, "exit;"),
            [to] => writeln!(out, "bra L{to};"),
            [to, other, ..] => writeln!(out, "{condition}@p bra L{to};\nbra L{other};"),
        };
    }
    out + "}\n"
}
