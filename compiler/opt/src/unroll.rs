//! Unrolling of counted loops.

mod counter;

use crate::{Stats, pressure};
use counter::{Ahead, Counter, Maker};
use sassafras_graph::{BitSet, ControlFlow, Dominators, Entity, LoopId, Loops, SecondaryMap};
use sassafras_ir::{Block, Builder, CfgEditor, Edge, Function, Op, Terminator, Type, Value, repair};
use sassafras_semantics::{AtomicOp, RoutinePart};
use std::collections::{BTreeMap, BTreeSet};

/// Most operations of a turn, constants aside, and how many turns become one.
const TURNS: [(usize, u32); 2] = [(40, 4), (64, 2)];
/// Most words that are live into a header.
const MOST_LIVE: u32 = 40;
/// A function may grow to so many operations, or to twice its size.
const MOST_OPERATIONS: usize = 400;

/// Makes one turn of four, or of two, of an innermost loop that counts a parameter of its header by a constant up or down to a bound. The
/// only exit is behind the turn. A block before the loop, and the end of each long turn, tests whether the tests of the next turns but the
/// last hold (`Ahead`); where it is not so, the loop goes on as it was, for the turns that are left.
///
/// Does not touch a loop that is not to be unrolled ([`sassafras_ir::BlockData::nounroll`]), in which lanes act together or wait, or which
/// many values are live in. The parameters of copied headers stand for no registers of the source ([`Function::names`]). Needs SSA. Preserves SSA;
/// adds blocks.
pub fn unroll(function: &mut Function) -> Stats {
    let mut changes = 0;
    let mut size = operations(function, function.blocks());
    let most = MOST_OPERATIONS.max(2 * size);
    let mut facts = None;
    for header in innermost(function) {
        let known = facts.get_or_insert_with(|| Facts::new(function));
        let Some(plan) = known.plan(function, header) else { continue };
        let more = plan.turns as usize * operations(function, plan.blocks.iter().copied());
        if size + more > most {
            continue;
        }
        size += more;
        apply(function, &plan);
        facts = None;
        changes += 1;
    }
    Stats::new(changes)
}

/// Operations of blocks, constants aside. A call of a routine stands for copies of its operands, its result and the place where it returns, and for the branch
/// that leads around it.
fn operations(f: &Function, blocks: impl IntoIterator<Item = Block>) -> usize {
    let insts = blocks.into_iter().flat_map(|block| &f.blocks[block].insts);
    let count = |&inst| match f.insts[inst].op {
        Op::Const(_) => 0,
        Op::Routine(..) => 8,
        _ => 1,
    };
    insts.map(count).sum()
}

/// The headers of loops that hold no other.
fn innermost(f: &Function) -> Vec<Block> {
    let loops = Loops::new(f, &Dominators::new(f));
    let outer: BTreeSet<LoopId> = loops.ids().filter_map(|id| loops.parent(id)).collect();
    loops.ids().filter(|id| !outer.contains(id)).map(|id| loops.header(id)).collect()
}

/// What is known of the function as it stands.
struct Facts {
    loops: Loops<Block>,
    /// Live at the start of each block, its parameters not included.
    live: SecondaryMap<Block, BitSet>,
}

/// A loop to unroll.
struct Plan {
    blocks: BTreeSet<Block>,
    header: Block,
    latch: Block,
    /// Position of the edge of the latch that goes on.
    back: usize,
    counter: Counter,
    ahead: Ahead,
    turns: u32,
}

impl Facts {
    fn new(f: &Function) -> Facts {
        Facts { loops: Loops::new(f, &Dominators::new(f)), live: pressure::lives(f).start }
    }

    fn plan(&self, f: &Function, header: Block) -> Option<Plan> {
        let id = self.loops.innermost(header).filter(|&id| self.loops.header(id) == header)?;
        let blocks: BTreeSet<Block> = self.loops.blocks(id).iter().copied().collect();
        let leads = |block: Block| f.succs(block).contains(&header);
        let mut latches = blocks.iter().copied().filter(|&block| leads(block));
        let (latch, None) = (latches.next()?, latches.next()) else { return None };
        let stays = |block: Block| f.succs(block).iter().all(|to| blocks.contains(to));
        if f.blocks[header].nounroll || !blocks.iter().all(|&block| block == latch || stays(block)) {
            return None;
        }
        let targets = f.succs(latch);
        let back = targets.iter().position(|&to| to == header)?;
        let leaves = targets.len() == 2 && !blocks.contains(&targets[1 - back]);
        let plain = || {
            let mut insts = blocks.iter().flat_map(|&block| &f.blocks[block].insts);
            insts.all(|&inst| copies(&f.insts[inst].op))
        };
        let size = operations(f, blocks.iter().copied());
        let (_, turns) = *TURNS.iter().find(|(most, _)| size <= *most)?;
        if !leaves || !plain() || self.words(f, header) > MOST_LIVE {
            return None;
        }
        let counter = counter::counter(f, &blocks, header, latch, back)?;
        if self.few(f, &blocks, header, &counter, turns) {
            return None;
        }
        let ahead = Ahead::of(&counter, turns)?;
        Some(Plan { blocks, header, latch, back, counter, ahead, turns })
    }

    /// Whether it is seen that the loop ends before so many turns: it counts to a constant from one near it, or from the rest of a division by a power of two.
    fn few(
        &self,
        f: &Function,
        blocks: &BTreeSet<Block>,
        header: Block,
        counter: &Counter,
        turns: u32,
    ) -> bool {
        let Some(bound) = f.constant(counter.bound) else { return false };
        let (bits, most) = (counter.ty.bits(), u128::from(turns) * counter.step.unsigned_abs());
        let near = |from: u128| {
            let distance = if counter.step > 0 { bound.wrapping_sub(from) } else { from.wrapping_sub(bound) };
            distance & (u128::MAX >> (128 - bits)) < most
        };
        let starts = |value: Value| match f.def(value).map(|inst| &f.insts[inst]) {
            Some(data) if data.op == Op::And => {
                let rest = |&arg: &Value| f.constant(arg).is_some_and(|c| bound == 0 && near(c));
                data.args.iter().any(rest)
            }
            _ => f.constant(value).is_some_and(near),
        };
        let all = f.blocks.iter().filter(|(block, _)| !blocks.contains(block));
        let edges = all.flat_map(|(_, data)| data.terminator.edges());
        let mut edges = edges.filter(|edge| edge.block == header).peekable();
        edges.peek().is_some() && edges.all(|edge| starts(edge.args[counter.index]))
    }

    /// Registers of 32 bits that are in use at a header. What is a constant or a parameter of the kernel takes none.
    fn words(&self, f: &Function, header: Block) -> u32 {
        let through = self.live[header].iter().map(Value::from_index);
        let all = through.chain(f.blocks[header].params.iter().copied());
        all.map(|value| pressure::size(f, value).0).sum()
    }
}

/// Whether an operation may stand in a loop that is unrolled: lanes do not act together or wait for one another there, and no time is read.
fn copies(op: &Op) -> bool {
    match op {
        Op::Load(_) | Op::Store(_) => true,
        Op::Atomic { op, .. } => *op != AtomicOp::Cas,
        Op::Special(register) => !register.is_volatile(),
        Op::Routine(part, _) => *part == RoutinePart::Call,
        op => !op.convergent() && !op.has_effect(),
    }
}

/// Instructions at the end of a block.
struct Insts<'f> {
    b: Builder<'f>,
    ty: Type,
}

impl Maker for Insts<'_> {
    type Value = Value;
    fn constant(&mut self, bits: u128) -> Value {
        self.b.constant(self.ty, bits)
    }
    fn two(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ty = if matches!(op, Op::Compare(_)) { Type::I1 } else { self.ty };
        self.b.value(op, &[a, b], ty)
    }
}

/// A turn that is copied: its blocks and its values.
struct Turn {
    blocks: BTreeMap<Block, Block>,
    values: BTreeMap<Value, Vec<Value>>,
}

impl Turn {
    fn value(&self, value: Value) -> Value {
        self.values.get(&value).map_or(value, |copies| copies[0])
    }
    fn edge(&self, edge: &Edge, to: Block) -> Edge {
        Edge { block: to, args: edge.args.iter().map(|&value| self.value(value)).collect() }
    }
}

fn apply(f: &mut Function, plan: &Plan) {
    let Plan { blocks, header, latch, back, counter, .. } = plan;
    let (header, latch, back) = (*header, *latch, *back);
    let line = f.blocks[latch].line;
    let entries: Vec<(Block, usize)> = f
        .graph()
        .preds(header)
        .into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|pred| !blocks.contains(pred))
        .flat_map(|pred| {
            let to = f.succs(pred);
            (0..to.len()).filter(move |&at| to[at] == header).map(move |at| (pred, at))
        })
        .collect();
    let turns: Vec<Turn> = (0..plan.turns)
        .map(|_| {
            let (blocks, values) = repair::copy_blocks(f, blocks);
            Turn { blocks, values }
        })
        .collect();
    let heads: Vec<Block> = turns.iter().map(|turn| turn.blocks[&header]).collect();
    let edges: Vec<Edge> = f.blocks[latch].terminator.edges().into_iter().cloned().collect();

    let (guard, limit) = guard(f, plan, heads[0]);
    let leads_on = |(turn, &next): (&Turn, &Block)| {
        (turn.blocks[&latch], Terminator::Jump(turn.edge(&edges[back], next)))
    };
    let jumps: Vec<(Block, Terminator)> = turns.iter().zip(&heads[1..]).map(leads_on).collect();

    // Behind the last one: the test for the next ones, and where it does not hold the test that the loop has.
    let last = &turns[turns.len() - 1];
    let mid = f.add_block();
    let end = last.blocks[&latch];
    let mut make = Insts { b: Builder { line, ..Builder::new(f, end) }, ty: counter.ty };
    let next = last.value(edges[back].args[counter.index]);
    let mut condition = plan.ahead.test(&mut make, next, limit);
    if !plan.ahead.covers_last(counter) {
        let bound = make.outside(counter.bound);
        let held = make.two(Op::Compare(counter.compare), last.value(counter.tested), bound);
        condition = make.b.value(Op::And, &[held, condition], Type::I1);
    }
    make.b.branch(condition, last.edge(&edges[back], heads[0]), Edge::new(mid, &[]));
    let mut make = Insts { b: Builder { line, ..Builder::new(f, mid) }, ty: counter.ty };
    let bound = make.outside(counter.bound);
    let condition = make.two(Op::Compare(counter.compare), last.value(counter.tested), bound);
    let leave = &edges[1 - back];
    make.b.branch(condition, last.edge(&edges[back], header), last.edge(leave, leave.block));

    let mut editor = CfgEditor::new(f);
    for (from, jump) in jumps {
        editor.set_terminator(from, jump);
    }
    for &(from, at) in &entries {
        let edge = editor.function().blocks[from].terminator.edges()[at].clone();
        editor.redirect(from, at, Edge { block: guard, ..edge });
    }
    let mut values: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    let mut settled = blocks.clone();
    settled.insert(mid);
    for turn in turns {
        settled.extend(turn.blocks.values());
        turn.values.into_iter().for_each(|(old, new)| values.entry(old).or_default().extend(new));
    }
    repair::repair(f, &values, &settled);
}

/// The block before the loop, with what the header is given, and the limit.
fn guard(f: &mut Function, plan: &Plan, main: Block) -> (Block, Value) {
    let block = f.add_block();
    let types: Vec<Type> = f.blocks[plan.header].params.iter().map(|&param| f.ty(param)).collect();
    let params: Vec<Value> = types.into_iter().map(|ty| f.add_param(block, ty)).collect();
    let line = f.blocks[plan.latch].line;
    let mut make = Insts { b: Builder { line, ..Builder::new(f, block) }, ty: plan.counter.ty };
    let bound = make.outside(plan.counter.bound);
    let param = params[plan.counter.index];
    let limit = plan.ahead.limit(&mut make, bound, param);
    let condition = plan.ahead.test(&mut make, param, limit);
    make.b.branch(condition, Edge::new(main, &params), Edge::new(plan.header, &params));
    (block, limit)
}

impl Insts<'_> {
    /// A bound: a constant may be defined within the loop.
    fn outside(&mut self, bound: Value) -> Value {
        match self.b.function.constant(bound) {
            Some(bits) => self.constant(bits),
            None => bound,
        }
    }
}
