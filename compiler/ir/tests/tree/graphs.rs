//! Random functions whose every block leaves a trace, and runs of them.

use super::random::Rng;
use sassafras_graph::{Dominators, Entity, is_reducible};
use sassafras_ir::interpret::{World, run_in};
use sassafras_ir::{Block, Builder, Edge, Function, MemoryAccess, Op, Terminator, Type, Value, VariableId};
use sassafras_semantics::{AtomicOp, Concrete, Space, SpecialRegister};

const STORE: MemoryAccess = MemoryAccess::weak(Space::Shared, 4);

/// A function of up to `most` blocks. Each block stores its number and what it was given, and goes by a bit of that. Half of
/// the blocks take what they work on as a parameter, the others from what dominates them.
pub fn function(rng: &mut Rng, most: usize) -> Function {
    let count = 3 + rng.below(most - 2);
    let mut succs: Vec<Vec<usize>> = Vec::new();
    for from in 0..count {
        let onward = if from + 1 < count { vec![from + 1] } else { Vec::new() };
        let mut ways = if rng.below(8) == 0 { Vec::new() } else { onward };
        if rng.below(3) != 0 {
            ways.push(1 + rng.below(count - 1));
        }
        if rng.below(2) == 0 {
            ways.reverse();
        }
        ways.dedup();
        succs.push(ways);
    }
    let mut f = Function::new("random");
    let blocks: Vec<Block> = (0..count).map(|b| if b == 0 { f.entry } else { f.add_block() }).collect();
    let edges: Vec<(Block, Block)> = succs
        .iter()
        .enumerate()
        .flat_map(|(b, ways)| ways.iter().map(move |&w| (b, w)))
        .map(|(a, b)| (blocks[a], blocks[b]))
        .collect();
    let graph = sassafras_graph::Graph::new(f.entry, count, edges);
    let dominators = Dominators::new(&graph);
    // What each block hands on, and whether it takes it as a parameter.
    let mut given: Vec<Option<Value>> = vec![None; count];
    let takes: Vec<bool> = (0..count).map(|b| b != 0 && rng.below(2) == 0).collect();
    let mut made: Vec<Option<(Value, Value)>> = vec![None; count];
    for &block in dominators.top_down() {
        let b = block.index();
        let above = dominators.immediate(block).and_then(|up| made[up.index()]).map(|(x, _)| x);
        if takes[b] {
            given[b] = Some(f.add_param(block, Type::I32));
        }
        let mut at = Builder::new(&mut f, block);
        let start = match (given[b], above) {
            (Some(param), _) => param,
            (None, Some(above)) => above,
            (None, None) => at.value(Op::Param { offset: 0, bytes: 4, signed: false }, &[], Type::I32),
        };
        let (number, factor) = (at.i32(b as u32), at.i32(0x0019_660d));
        at.emit(Op::Store(STORE), &[number, start], &[]);
        let product = at.mul(start, factor);
        let next = at.add(product, number);
        let (bit, one) = (at.lshr_by(next, 9 + b as u32 % 7), at.i32(1));
        let low = at.and(bit, one);
        let condition = at.compare(sassafras_ir::Compare::Eq, low, one);
        made[b] = Some((next, condition));
    }
    for &block in dominators.top_down() {
        let b = block.index();
        let (next, condition) = made[b].expect("it was made above");
        let edge =
            |to: usize| Edge::new(blocks[to], if takes[to] { std::slice::from_ref(&next) } else { &[] });
        f.blocks[block].terminator = match succs[b][..] {
            [] => Terminator::Exit,
            [to] => Terminator::Jump(edge(to)),
            [to, other, ..] => Terminator::Branch { condition, then: edge(to), otherwise: edge(other) },
        };
    }
    for block in f.blocks.keys().filter(|&block| !dominators.is_reachable(block)).collect::<Vec<_>>() {
        f.clear_block(block);
    }
    f
}

pub fn reducible(f: &Function) -> bool {
    let graph = f.graph();
    is_reducible(&graph, &Dominators::new(&graph))
}

/// Stores until there are too many.
struct Trace {
    stores: Vec<(u64, u128)>,
    seed: u32,
}

impl World for Trace {
    fn param(&self, offset: u32) -> u8 {
        self.seed.to_le_bytes()[offset as usize % 4]
    }
    fn special(&self, _: SpecialRegister) -> u64 {
        0
    }
    fn load(&mut self, _: &MemoryAccess, _: u64) -> Option<u128> {
        None
    }
    fn store(&mut self, _: &MemoryAccess, address: u64, value: u128) -> Option<()> {
        self.stores.push((address, value));
        (self.stores.len() < 300).then_some(())
    }
    fn atomic(&mut self, _: AtomicOp, _: &MemoryAccess, _: u64, _: &[u128]) -> Option<u128> {
        None
    }
    fn address(&self, _: VariableId) -> Option<u64> {
        None
    }
    fn window(&self, _: Space) -> Option<u64> {
        None
    }
}

/// What a run stores, up to 300 stores; whether it came to its end.
pub fn trace(f: &Function, seed: u32) -> (Vec<(u64, u128)>, bool) {
    let mut world = Trace { stores: Vec::new(), seed };
    let ended = run_in(f, &Concrete::default(), &mut world, 1_000_000);
    if let Err(stop) = &ended {
        assert!(world.stores.len() == 300, "{stop}\n{}", sassafras_ir::text::print_function(f));
    }
    (world.stores, ended.is_ok())
}
