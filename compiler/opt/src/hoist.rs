//! Operations that give the same on every trip through a loop move in front of it.

use crate::Stats;
use crate::pressure::Pressure;
use sassafras_graph::{ControlFlow, DepthFirst, Dominators, Loops, SecondaryMap};
use sassafras_ir::{
    Block, CfgEditor, Compare, Edge, Function, Inst, InstData, Op, Terminator, Type, User, Uses, Value,
    ValueDef,
};
use std::collections::BTreeSet;

/// The most 32-bit registers that may be live in a loop for an operation to move out of it that holds one more.
const CHEAP: u32 = 40;
/// The same for what takes several instructions, or one that takes long.
const DEAR: u32 = 56;
/// How many instructions are several.
const SEVERAL: usize = 4;
/// Moves pure operations whose operands do not change in a loop to the block before it, from the innermost loop outwards; makes that block
/// where it lacks.
///
/// Moves only what runs on every trip. Moves nothing that selection makes part of another instruction, nor what would hold a register over a
/// loop with `CHEAP` live ones (`DEAR`, if it saves more); what frees as many as it holds moves in any case. Does not move loads, division,
/// operations with effects or across lanes, clocks. Needs SSA. Preserves SSA; adds blocks and parameters, and every cycle keeps its header.
pub fn hoist(function: &mut Function) -> Stats {
    let mut changes = 0;
    let mut place = Place::new(function);
    let headers: Vec<Block> = place.loops.ids().rev().map(|id| place.loops.header(id)).collect();
    if headers.is_empty() {
        return Stats::default();
    }
    let uses = Uses::new(function);
    let mut pressure = Pressure::new(function);
    for header in headers {
        let cycle = Cycle::new(function, &place, header);
        let chosen = Choice::new(function, &uses, &cycle, &place.layout).choose(&mut pressure);
        if chosen.is_empty() {
            continue;
        }
        changes += chosen.len();
        let before = preheader(function, &cycle);
        move_to(function, &place, before, &chosen);
        place = Place::new(function);
    }
    Stats::new(changes)
}

/// The graph as it stands, and where instructions stand.
struct Place {
    walk: DepthFirst<Block>,
    dominators: Dominators<Block>,
    loops: Loops<Block>,
    layout: SecondaryMap<Inst, Option<Block>>,
}

impl Place {
    fn new(f: &Function) -> Place {
        let walk = DepthFirst::new(&f.graph());
        let dominators = Dominators::of(&walk, f.blocks.len());
        let loops = Loops::of(&walk, &dominators);
        Place { walk, dominators, loops, layout: f.layout() }
    }
}

/// A natural loop.
struct Cycle {
    header: Block,
    /// All blocks, in reverse post-order.
    order: Vec<Block>,
    blocks: BTreeSet<Block>,
    /// Blocks that run on every trip which comes back to the header.
    always: BTreeSet<Block>,
    /// Blocks outside that edges lead to.
    exits: BTreeSet<Block>,
    /// Edges from outside to the header: source and place.
    entries: Vec<(Block, usize)>,
}

impl Cycle {
    fn new(f: &Function, place: &Place, header: Block) -> Cycle {
        let id = place.loops.innermost(header).filter(|&id| place.loops.header(id) == header);
        let blocks: BTreeSet<Block> =
            id.map(|id| place.loops.blocks(id).iter().copied().collect()).unwrap_or_default();
        let latches: Vec<Block> = place.walk.preds(header).filter(|pred| blocks.contains(pred)).collect();
        let runs = |block: &Block| latches.iter().all(|&latch| place.dominators.dominates(*block, latch));
        let order: Vec<Block> =
            place.walk.reverse_post_order().iter().copied().filter(|block| blocks.contains(block)).collect();
        let always = order.iter().copied().filter(runs).collect();
        let leaves = order.iter().flat_map(|&block| f.succs(block)).filter(|to| !blocks.contains(to));
        let exits = leaves.collect();
        let outside: BTreeSet<Block> =
            place.walk.preds(header).filter(|pred| !blocks.contains(pred)).collect();
        let entries = outside.into_iter().flat_map(|from| {
            let targets = f.succs(from);
            (0..targets.len()).filter(|&at| targets[at] == header).map(|at| (from, at)).collect::<Vec<_>>()
        });
        let entries = entries.collect();
        Cycle { header, order, blocks, always, exits, entries }
    }
}

/// What may move out of a loop, and what does.
struct Choice<'a> {
    f: &'a Function,
    uses: &'a Uses,
    cycle: &'a Cycle,
    layout: &'a SecondaryMap<Inst, Option<Block>>,
    /// Instructions of the loop that give the same on every trip.
    invariant: BTreeSet<Inst>,
    /// Those that move, in their order.
    chosen: Vec<Inst>,
    moved: BTreeSet<Inst>,
}

impl<'a> Choice<'a> {
    fn new(
        f: &'a Function,
        uses: &'a Uses,
        cycle: &'a Cycle,
        layout: &'a SecondaryMap<Inst, Option<Block>>,
    ) -> Choice<'a> {
        let none = BTreeSet::new();
        let mut choice =
            Choice { f, uses, cycle, layout, invariant: none.clone(), chosen: Vec::new(), moved: none };
        for block in cycle.order.iter().filter(|block| cycle.always.contains(block)) {
            for &inst in &f.blocks[*block].insts {
                if movable(f, inst) && f.insts[inst].args.iter().all(|&arg| choice.settled(arg)) {
                    choice.invariant.insert(inst);
                }
            }
        }
        choice
    }

    /// Whether a value is the same on every trip.
    fn settled(&self, value: Value) -> bool {
        match self.f.def(value) {
            Some(inst) => !self.inside(inst) || self.invariant.contains(&inst),
            None => match self.f.values[value].def {
                ValueDef::Param(block, _) => !self.cycle.blocks.contains(&block),
                ValueDef::Result(..) => false,
            },
        }
    }

    fn inside(&self, inst: Inst) -> bool {
        self.layout[inst].is_some_and(|block| self.cycle.blocks.contains(&block))
    }

    /// Whether a user is in the loop, and stays there if these instructions leave.
    fn stays(&self, user: User, leaving: &BTreeSet<Inst>) -> bool {
        match user {
            User::Inst(user) => self.inside(user) && !leaving.contains(&user) && !self.moved.contains(&user),
            User::Terminator(block) => self.cycle.blocks.contains(&block),
        }
    }

    /// Users of an instruction's results that stay in the loop.
    fn staying(&self, inst: Inst, leaving: &BTreeSet<Inst>) -> Vec<User> {
        let all = self.f.insts[inst].results.iter().flat_map(|&v| self.uses.of(v));
        all.copied().filter(|&user| self.stays(user, leaving)).collect()
    }

    /// Chooses, as far as registers last.
    fn choose(mut self, pressure: &mut Pressure) -> Vec<Inst> {
        let all = self.cycle.order.iter().flat_map(|&block| &self.f.blocks[block].insts).copied();
        let candidates: Vec<Inst> = all.filter(|inst| self.invariant.contains(inst)).collect();
        for inst in candidates {
            let varying = |user: &User| !matches!(user, User::Inst(user) if self.invariant.contains(user));
            let users: Vec<User> = self.staying(inst, &BTreeSet::new()).into_iter().filter(varying).collect();
            if self.moved.contains(&inst) || users.is_empty() || part_of(self.f, inst, &users) {
                continue;
            }
            let mut leaving = Vec::new();
            self.needs(inst, &mut leaving);
            let set: BTreeSet<Inst> = leaving.iter().copied().collect();
            let (held, freed) = (self.held(&leaving, &set), self.freed(&set, pressure));
            if pressure.admits(&self.cycle.order, &held, &freed, self.limits(&leaving)) {
                pressure.hold(&self.cycle.order, &held, &freed);
                self.moved.extend(set);
                self.chosen.extend(leaving);
            }
        }
        self.chosen
    }

    /// An instruction of the loop, behind those that it needs, without what has moved.
    fn needs(&self, inst: Inst, leaving: &mut Vec<Inst>) {
        let mut stack = vec![(inst, false)];
        while let Some((inst, done)) = stack.pop() {
            if leaving.contains(&inst) || self.moved.contains(&inst) || !self.inside(inst) {
                continue;
            }
            if done {
                leaving.push(inst);
                continue;
            }
            stack.push((inst, true));
            stack.extend(self.f.insts[inst].args.iter().filter_map(|&v| self.f.def(v)).map(|i| (i, false)));
        }
    }

    /// Results that stay live over the loop.
    fn held(&self, leaving: &[Inst], set: &BTreeSet<Inst>) -> Vec<Value> {
        let live = |&&inst: &&Inst| !self.staying(inst, set).is_empty();
        leaving.iter().filter(live).flat_map(|&inst| self.f.insts[inst].results.iter().copied()).collect()
    }

    /// Operands from outside that nothing in the loop or behind it needs any more.
    fn freed(&self, leaving: &BTreeSet<Inst>, pressure: &Pressure) -> Vec<Value> {
        let args: BTreeSet<Value> =
            leaving.iter().flat_map(|&inst| self.f.insts[inst].args.iter().copied()).collect();
        let gone = |value: &Value| {
            let made = self.f.def(*value);
            made.is_none_or(|inst| !self.inside(inst) || self.moved.contains(&inst))
                && !self.uses.of(*value).iter().any(|&user| self.stays(user, leaving))
                && !self.cycle.exits.iter().any(|&exit| pressure.live(exit, *value))
        };
        args.into_iter().filter(gone).collect()
    }

    fn limits(&self, leaving: &[Inst]) -> u32 {
        let counts = |&&inst: &&Inst| !matches!(self.f.insts[inst].op, Op::Const(_) | Op::Param { .. });
        let long = |&inst: &Inst| takes_long(self.f, inst);
        match leaving.iter().filter(counts).count() >= SEVERAL || leaving.iter().any(long) {
            true => DEAR,
            false => CHEAP,
        }
    }
}

/// Whether an operation gives the same wherever it stands, and does nothing else: neither traps nor waits for other lanes.
fn movable(f: &Function, inst: Inst) -> bool {
    let data = &f.insts[inst];
    match data.op {
        Op::Undef | Op::Load(_) | Op::Div { .. } | Op::Rem { .. } | Op::Routine(..) | Op::Opaque(_) => false,
        op => op.pure() && !op.convergent() && data.guard.is_none() && !data.results.is_empty(),
    }
}

/// Whether an operation takes a unit that gives a few results a cycle.
fn takes_long(f: &Function, inst: Inst) -> bool {
    let data = &f.insts[inst];
    let wide = data.results.iter().any(|&v| f.ty(v) == Type::I64);
    match data.op {
        Op::Special(_) | Op::Approximate { .. } | Op::FDiv(..) | Op::FSqrt(..) => true,
        Op::FloatToFloat { .. } | Op::FloatToInt { .. } | Op::IntToFloat { .. } => true,
        Op::FAdd(..) | Op::FMul(..) | Op::Fma(..) => wide,
        Op::Popcount | Op::LeadingZeros | Op::BitReverse | Op::FindHighest { .. } => true,
        _ => false,
    }
}

/// Whether selection makes an operation part of each of these users, or it costs nothing.
fn part_of(f: &Function, inst: Inst, users: &[User]) -> bool {
    let data = &f.insts[inst];
    let ty = f.ty(data.results[0]);
    let each = |taken: &dyn Fn(&InstData) -> bool| {
        users.iter().all(|user| matches!(user, User::Inst(user) if taken(&f.insts[*user])))
    };
    let sum = |op: &Op| matches!(op, Op::Add | Op::Sub | Op::AddCarry | Op::SubBorrow);
    let logic = |op: &Op| matches!(op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Lop3(_));
    let constant = data.args.get(1).is_some_and(|&v| f.constant(v).is_some());
    match data.op {
        // Immediates, words of bank 0, modifiers of operands, names of registers.
        Op::Const(_) | Op::Param { .. } | Op::Address(..) => true,
        Op::Neg | Op::Abs | Op::Not | Op::FNeg(_) | Op::FAbs(_) => true,
        Op::Truncate | Op::ZeroExtend | Op::Extract(_) | Op::Concat => true,
        Op::Mul | Op::MulWide { .. } => each(&|user| sum(&user.op)),
        Op::Shl if constant => each(&|user| sum(&user.op)),
        Op::SignExtend => each(&|user| matches!(user.op, Op::Mul | Op::MulWide { .. })),
        // The hardware adds three words at once, and has an offset in each access.
        Op::Add | Op::Sub if ty == Type::I32 => each(&|user| sum(&user.op)),
        Op::Add | Op::Sub if constant => each(&|user| match user.op {
            Op::Load(_) | Op::Store(_) | Op::Atomic { .. } => user.args[0] == data.results[0],
            _ => false,
        }),
        ref op if logic(op) => each(&|user| logic(&user.op)),
        Op::Compare(Compare::Eq | Compare::Ne) if f.ty(data.args[0]) == Type::I1 => true,
        Op::Compare(_) | Op::FloatCompare { .. } => each(&|user| logic(&user.op)),
        _ => false,
    }
}

/// The block before a loop, which only the loop follows.
fn preheader(function: &mut Function, cycle: &Cycle) -> Block {
    let header = cycle.header;
    let mut editor = CfgEditor::new(function);
    if let [(from, index)] = cycle.entries[..] {
        return match editor.function().blocks[from].terminator {
            Terminator::Jump(_) => from,
            _ => editor.split_edge(from, index),
        };
    }
    let new = editor.add_block();
    let params = editor.edit_values(|f| {
        f.blocks[new].line = f.blocks[header].line;
        let types: Vec<Type> = f.blocks[header].params.iter().map(|&param| f.ty(param)).collect();
        types.into_iter().map(|ty| f.add_param(new, ty)).collect::<Vec<Value>>()
    });
    editor.set_terminator(new, Terminator::Jump(Edge::new(header, &params)));
    for &(from, index) in &cycle.entries {
        let args = editor.function().blocks[from].terminator.edges()[index].args.clone();
        editor.redirect(from, index, Edge::new(new, &args));
    }
    new
}

/// Appends instructions of other blocks to a block, in this order.
fn move_to(function: &mut Function, place: &Place, before: Block, chosen: &[Inst]) {
    let gone: BTreeSet<Inst> = chosen.iter().copied().collect();
    let blocks: BTreeSet<Block> = chosen.iter().filter_map(|&inst| place.layout[inst]).collect();
    for block in blocks {
        function.blocks[block].insts.retain(|inst| !gone.contains(inst));
    }
    function.blocks[before].insts.extend(chosen);
}
