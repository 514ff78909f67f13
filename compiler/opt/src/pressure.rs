//! How many registers are live in each block, and what moves add to that.

use sassafras_graph::dataflow::{Solution, Transfer, backward};
use sassafras_graph::{BitSet, Entity, SecondaryMap};
use sassafras_ir::{Block, Function, Op, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The most predicates that may be live in a loop for a comparison to move out of it: the hardware has seven.
const PREDICATES: u32 = 3;

/// Live registers by block, as an estimate: 32-bit registers and predicates.
pub(crate) struct Pressure {
    lives: Solution<Block>,
    /// The most at a point of each block.
    most: SecondaryMap<Block, (u32, u32)>,
    /// What a value takes.
    size: SecondaryMap<Value, (u32, u32)>,
    /// Blocks that values were added to.
    added: BTreeMap<Value, BTreeSet<Block>>,
}

/// What a value takes: 32-bit registers and predicates. An immediate and a word of bank 0 take nothing.
pub(crate) fn size(f: &Function, value: Value) -> (u32, u32) {
    match (f.def_op(value), f.ty(value)) {
        (Some(Op::Const(_) | Op::Param { .. } | Op::Undef | Op::Address(..)), _) => (0, 0),
        (_, Type::I1) => (0, 1),
        (_, ty) => (ty.bits().div_ceil(32), 0),
    }
}

/// The values that are live at the start and at the end of each block, its parameters not among those at its start.
pub(crate) fn lives(f: &Function) -> Solution<Block> {
    backward(&f.graph(), |block| transfer(f, block))
}

impl Pressure {
    pub fn new(f: &Function) -> Pressure {
        let mut sizes: SecondaryMap<Value, (u32, u32)> = SecondaryMap::new();
        for value in f.values.keys() {
            sizes[value] = size(f, value);
        }
        let lives = lives(f);
        let mut most: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
        for block in f.reverse_post_order() {
            most[block] = most_live(f, block, lives.end[block].clone(), &sizes);
        }
        Pressure { lives, most, size: sizes, added: BTreeMap::new() }
    }

    /// Whether a value is needed at the begin of a block, or behind it.
    pub fn live(&self, block: Block, value: Value) -> bool {
        self.lives.start[block].contains(value.index())
    }

    /// What these values add to a block.
    fn more(&self, block: Block, values: &[Value]) -> (u32, u32) {
        let new = |value: &&Value| !self.added.get(*value).is_some_and(|blocks| blocks.contains(&block));
        let sizes = values.iter().filter(new).map(|&value| self.size[value]);
        sizes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Whether there is room in a loop for what is held.
    pub fn admits(&self, blocks: &[Block], held: &[Value], freed: &[Value], limit: u32) -> bool {
        let less =
            freed.iter().map(|&v| self.size[v]).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        blocks.iter().all(|&block| {
            let (more, most) = (self.more(block, held), self.most[block]);
            let words = more.0 <= less.0 || most.0 + more.0 - less.0 <= limit;
            words && (more.1 <= less.1 || most.1 + more.1 - less.1 <= PREDICATES)
        })
    }

    /// Notes what is held.
    pub fn hold(&mut self, blocks: &[Block], held: &[Value], freed: &[Value]) {
        for &block in blocks {
            let more = self.more(block, held);
            let most = &mut self.most[block];
            *most = (most.0 + more.0, most.1 + more.1);
            for &value in freed {
                let less = self.size[value];
                let most = &mut self.most[block];
                *most = (most.0.saturating_sub(less.0), most.1.saturating_sub(less.1));
            }
        }
        for &value in held {
            self.added.entry(value).or_default().extend(blocks);
        }
    }
}

fn transfer(f: &Function, block: Block) -> Transfer {
    let words = f.values.len();
    let mut transfer = Transfer { generate: BitSet::new(words), kill: BitSet::new(words) };
    let Transfer { generate, kill } = &mut transfer;
    let data = &f.blocks[block];
    data.terminator.for_each_use(|v| {
        generate.insert(v.index());
    });
    for &inst in data.insts.iter().rev() {
        for &result in &f.insts[inst].results {
            kill.insert(result.index());
            generate.remove(result.index());
        }
        f.insts[inst].for_each_use(|v| {
            generate.insert(v.index());
        });
    }
    for &param in &data.params {
        kill.insert(param.index());
        generate.remove(param.index());
    }
    transfer
}

/// The most that is live at a point of a block, behind which `live` is.
fn most_live(
    f: &Function,
    block: Block,
    mut live: BitSet,
    sizes: &SecondaryMap<Value, (u32, u32)>,
) -> (u32, u32) {
    let mut now =
        live.iter().map(|v| sizes[Value::from_index(v)]).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let data = &f.blocks[block];
    let mut most = now;
    let enter = |v: Value, live: &mut BitSet, now: &mut (u32, u32)| {
        if live.insert(v.index()) {
            *now = (now.0 + sizes[v].0, now.1 + sizes[v].1);
        }
    };
    data.terminator.for_each_use(|v| enter(v, &mut live, &mut now));
    most = (most.0.max(now.0), most.1.max(now.1));
    for &inst in data.insts.iter().rev() {
        for &result in &f.insts[inst].results {
            if live.contains(result.index()) {
                live.remove(result.index());
                now = (now.0 - sizes[result].0, now.1 - sizes[result].1);
            }
        }
        f.insts[inst].for_each_use(|v| enter(v, &mut live, &mut now));
        most = (most.0.max(now.0), most.1.max(now.1));
    }
    most
}
