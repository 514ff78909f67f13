//! Operations that the hardware does once for a warp, from uniform registers: each lane's by itself.
//!
//! Such an operation is written `NAME.each` until here and means that every lane does it; `NAME` is what the hardware does, for one lane or for all that have the same operands.
//! - Where one lane alone can come, it does it: behind a branch by `elect.sync`, or by a thread's own index in a block of one row.
//! - Where doing it again changes nothing and all lanes have the same operands, it is done once for all of them.
//! - Where all lanes have the same operands, they do it together as often as they are many: the mask of them is asked for once, and brought together for each.
//! - Else lanes loop, and each does it by itself.
//!
//! Of one with a handle only the handle has to agree. Where it does, or one lane alone can come, it is done once; else lanes loop: those that have the
//! least handle do it together, and the others go on. On chips where each lane may have its own handle of a texture it is done once.

use sassafras_graph::{ControlFlow, Dominators, SecondaryMap};
use sassafras_ir::uniformity::Uniformity;
use sassafras_ir::{
    Block, Builder, CfgEditor, Compare, Edge, Function, Inst, InstData, Op, Terminator, Type, Value,
};
use sassafras_semantics::{AtomicOp, Axis, Opaque, SpecialRegister};

/// Whether an operation is each lane's own.
pub(super) fn is_each(op: &Op) -> bool {
    matches!(op, Op::Opaque(op) if op.has("each"))
}

/// The operation as the hardware does it.
fn once(op: Opaque) -> Option<Opaque> {
    Opaque::named(op.name().strip_suffix(".each")?)
}

/// Whether the handle is that of a texture, not of a surface.
fn of_texture(op: Opaque) -> bool {
    ["texture", "fetch", "gather", "texquery"].iter().any(|head| op.name().split('.').next() == Some(head))
}

/// What becomes of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum How {
    #[default]
    Stays,
    Once,
    AsOften,
    ByHandle,
    ByLane,
}

/// Replaces those that can be; how many there were.
pub(super) fn expand(editor: &mut CfgEditor, lane_handles: bool) -> usize {
    let f = editor.function();
    let all = |b: &Block| f.blocks[*b].insts.iter().any(|&i| is_each(&f.insts[i].op));
    let blocks: Vec<Block> = f.blocks().into_iter().filter(all).collect();
    if blocks.is_empty() {
        return 0;
    }
    let uniform = Uniformity::new(f);
    let alone = alone(f);
    let mut how: SecondaryMap<Inst, How> = SecondaryMap::new();
    for &block in &blocks {
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            let Op::Opaque(op) = data.op else { continue };
            let handle = op.family().handle;
            let needed = if handle { &data.args[..1] } else { &data.args[..] };
            let agree = needed.iter().all(|&a| uniform.is_uniform(a));
            how[inst] = match (alone[block], agree) {
                _ if handle && lane_handles && of_texture(op) => How::Once,
                (false, true) if handle => How::Once,
                (false, false) if handle => How::ByHandle,
                (true, _) => How::Once,
                (false, true) if op.family().idempotent => How::Once,
                (false, true) => How::AsOften,
                (false, false) if data.results.is_empty() && words(f, &data.args) => How::ByLane,
                (false, false) => How::Stays,
            };
        }
    }
    let mut changes = 0;
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for block in blocks {
        editor.rewrite(block, |b, insts| {
            for inst in insts {
                let data = b.function.insts[inst].clone();
                match data.op {
                    Op::Opaque(op) if how[inst] != How::Stays && once(op).is_some() => {
                        b.line = data.line;
                        changes += 1;
                        let results = match (once(op), how[inst]) {
                            (Some(op), How::AsOften) => {
                                as_often(b, op, &data.args);
                                Vec::new()
                            }
                            (Some(op), How::ByHandle) => by_handle(b, op, &data),
                            (Some(op), How::ByLane) => {
                                by_lane(b, op, &data.args);
                                Vec::new()
                            }
                            (Some(op), _) => perform(b, op, &data.args, &data),
                            (None, _) => Vec::new(),
                        };
                        for (&old, new) in data.results.iter().zip(results) {
                            map[old] = Some(new);
                        }
                    }
                    _ => {
                        let end: Block = b.block;
                        b.function.blocks[end].insts.push(inst);
                    }
                }
            }
        });
    }
    if changes != 0 {
        editor.edit_values(|function| function.replace_all(&map));
    }
    changes
}

/// `left = lanes here; do { it; left &= left - 1 } while (left != 0)`, by all lanes that are here together: once for each of them.
fn as_often(b: &mut Builder, op: Opaque, args: &[Value]) {
    let [again, after] = [(); 2].map(|()| b.function.add_block());
    let here = b.value(Op::ActiveMask, &[], Type::I32);
    b.jump(again, &[here]);
    let left = b.function.add_param(again, Type::I32);
    b.block = again;
    b.emit(Op::WarpSync, &[here], &[]);
    b.emit(Op::Opaque(op), args, &[]);
    let negative = b.neg(left);
    let lowest = b.and(left, negative);
    let rest = b.xor(left, lowest);
    let none = b.i32(0);
    let more = b.compare(Compare::Ne, rest, none);
    b.branch(more, Edge::new(again, &[rest]), Edge::new(after, &[]));
    b.block = after;
}

/// The operation with these arguments, and results and guard of what it stands for.
fn perform(b: &mut Builder, op: Opaque, args: &[Value], data: &InstData) -> Vec<Value> {
    let types: Vec<Type> = data.results.iter().map(|&v| b.function.ty(v)).collect();
    let inst = b.emit(Op::Opaque(op), args, &types);
    b.function.insts[inst].guard = data.guard;
    b.function.insts[inst].results.to_vec()
}

/// `do { h = the least handle; if (mine == h) do it with h } while (mine != h)`. It stands inside the loop: behind it all lanes are together again.
/// Of 64 bits the upper half is zero.
fn by_handle(b: &mut Builder, op: Opaque, data: &InstData) -> Vec<Value> {
    let mine = data.args[0];
    let types: Vec<Type> = data.results.iter().map(|&v| b.function.ty(v)).collect();
    let [again, perform_it, check, after] = [(); 4].map(|()| b.function.add_block());
    b.jump(again, &[]);
    b.block = again;
    let here = b.value(Op::ActiveMask, &[], Type::I32);
    let low = if b.ty(mine) == Type::I64 { b.low(mine) } else { mine };
    let least = b.value(Op::Redux(AtomicOp::UMin), &[low, here], Type::I32);
    let handle = if b.ty(mine) == Type::I64 { b.zext(least, Type::I64) } else { least };
    let same = b.compare(Compare::Eq, low, least);
    let nothing: Vec<Value> = types.iter().map(|&ty| b.undef(ty)).collect();
    b.branch(same, Edge::new(perform_it, &[]), Edge::new(check, &nothing));
    b.block = perform_it;
    let mut args = data.args.to_vec();
    args[0] = handle;
    let results = perform(b, op, &args, data);
    b.jump(check, &results);
    let results: Vec<Value> = types.iter().map(|&ty| b.function.add_param(check, ty)).collect();
    b.block = check;
    b.branch(same, Edge::new(after, &[]), Edge::new(again, &[]));
    b.block = after;
    results
}

/// Whether all arguments are words or pairs of words.
fn words(f: &Function, args: &[Value]) -> bool {
    args.iter().all(|&a| matches!(f.ty(a), Type::I32 | Type::I64))
}

/// `do { if (mine is the least lane here) do it } while (it was not)`, each lane by itself with its own operands: the least of one lane's is that lane's, in
/// a uniform register.
fn by_lane(b: &mut Builder, op: Opaque, args: &[Value]) {
    let [again, perform_it, check, after] = [(); 4].map(|()| b.function.add_block());
    b.jump(again, &[]);
    b.block = again;
    let here = b.value(Op::ActiveMask, &[], Type::I32);
    let lane = b.value(Op::Special(SpecialRegister::LaneId), &[], Type::I32);
    let least = b.value(Op::Redux(AtomicOp::UMin), &[lane, here], Type::I32);
    let mine = b.compare(Compare::Eq, lane, least);
    b.branch(mine, Edge::new(perform_it, &[]), Edge::new(check, &[]));
    b.block = perform_it;
    let me = b.value(Op::ActiveMask, &[], Type::I32);
    let mut own = Vec::new();
    for &arg in args {
        let uniform = |b: &mut Builder, word| b.value(Op::Redux(AtomicOp::UMin), &[word, me], Type::I32);
        own.push(if b.ty(arg) == Type::I64 {
            let (low, high) = (b.low(arg), b.high(arg));
            let (low, high) = (uniform(b, low), uniform(b, high));
            b.value(Op::Concat, &[low, high], Type::I64)
        } else {
            uniform(b, arg)
        });
    }
    b.emit(Op::Opaque(op), &own, &[]);
    b.jump(check, &[]);
    b.block = check;
    b.branch(mine, Edge::new(after, &[]), Edge::new(again, &[]));
    b.block = after;
}

/// Blocks that one lane of a warp at most comes to: all ways to them lead through the arm of a branch that one lane takes.
fn alone(f: &Function) -> SecondaryMap<Block, bool> {
    let graph = f.graph();
    let dominators = Dominators::new(&graph);
    let mut found: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &block in dominators.top_down() {
        let preds = graph.preds(block);
        let from_above = dominators.immediate(block).is_some_and(|above| found[above]);
        found[block] = from_above || matches!(preds.as_slice(), &[only] if takes_one(f, only, block));
    }
    found
}

/// Whether one lane at most takes the edge from a branch to a block.
fn takes_one(f: &Function, from: Block, to: Block) -> bool {
    let Terminator::Branch { condition, then, otherwise } = &f.blocks[from].terminator else { return false };
    if then.block == otherwise.block {
        return false;
    }
    let (mut value, mut holds) = (*condition, then.block == to);
    while let Some(Op::Not) = f.def_op(value) {
        let Some(inst) = f.def(value) else { return false };
        value = f.insts[inst].args[0];
        holds = !holds;
    }
    let Some(inst) = f.def(value) else { return false };
    let data = &f.insts[inst];
    match data.op {
        // Of all lanes, so that nobody is still on the way who was picked before.
        Op::Elect => {
            let all = f.constant(data.args[0]).is_some_and(|mask| mask as u32 == u32::MAX);
            holds && all && data.results.get(1) == Some(&value)
        }
        Op::Compare(compare @ (Compare::Eq | Compare::Ne)) => {
            let equal = (compare == Compare::Eq) == holds;
            let index = |v: Value| f.def_op(v) == Some(&Op::Special(SpecialRegister::Tid(Axis::X)));
            let constant = |v: Value| f.constant(v).is_some();
            let (a, b) = (data.args[0], data.args[1]);
            equal && one_row(f) && (index(a) && constant(b) || constant(a) && index(b))
        }
        _ => false,
    }
}

/// Whether a block of threads is surely one row: the index in it names a thread.
fn one_row(f: &Function) -> bool {
    f.reqntid.or(f.maxntid).is_some_and(|[_, y, z]| y <= 1 && z <= 1)
}
