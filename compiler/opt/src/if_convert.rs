//! Small branches become straight code.

use crate::Stats;
use sassafras_graph::SecondaryMap;
use sassafras_ir::tree::{Cursor, Jump, NodeKind, Refused, SelectionControl, Tree};
use sassafras_ir::uniformity::Uniformity;
use sassafras_ir::{Block, Function, Guard, Inst, MemoryAccess, Op, Terminator, Type, Value};
use sassafras_semantics::{Ordering, Space};

/// Most that may be executed for nothing where lanes may part: about what branch, BSSY and BSYNC and the loss of lanes cost.
const DIVERGENT: u32 = 12;
/// And where all lanes go one way: about a branch.
const UNIFORM: u32 = 4;
/// And where the program asks for it.
const ASKED: u32 = 64;
/// Most rounds: how deep what is converted may nest.
const ROUNDS: usize = 16;

/// One or two blocks that both go on to `join`, under a condition.
#[derive(Clone, Copy, Debug)]
struct Diamond {
    head: Block,
    condition: Value,
    /// The block executed if the condition is one, and if it is zero.
    arms: [Option<Block>; 2],
    join: Block,
}

/// Makes diamonds and triangles of cheap instructions straight: their instructions are executed by all lanes, loads and stores under the
/// condition as guard, and selects take the place of the join's parameters. A load keeps what the other side passes where its guard does not
/// hold, which saves the select. Loads of what the head accesses anyhow have no guard.
///
/// Edits a control tree through its cursors. Does not move convergent operations, accesses that are not weak but reductions, nor what costs more
/// than the branch. Needs SSA. Preserves SSA.
pub fn if_convert(function: &mut Function) -> Stats {
    if_convert_with(function, true)
}

/// The same; `joins` says whether blocks are joined, without which what is left of a conversion is no arm of another.
pub(crate) fn if_convert_with(function: &mut Function, joins: bool) -> Stats {
    let old = std::mem::replace(function, Function::new(""));
    let Some(mut tree) = tree(&old) else {
        *function = old;
        return Stats::default();
    };
    let mut changes = 0;
    let mut uniformity = None;
    for _ in 0..ROUNDS {
        match round(&mut tree, &mut uniformity, joins) {
            Ok(0) => break,
            Ok(count) => changes += count,
            Err(_) => {
                // Half of a conversion may be left: the function as it came is right in any case.
                *function = old;
                return Stats::default();
            }
        }
    }
    match tree.into_function() {
        Ok(new) if changes != 0 => *function = new,
        _ => *function = old,
    }
    Stats::new(changes)
}

/// Converts what can be converted now; then takes arms out and joins blocks, for all at once, so that what is left of a conversion
/// may be an arm in the next round.
fn round(tree: &mut Tree, uniformity: &mut Option<Uniformity>, joins: bool) -> Result<usize, Refused> {
    let mut changes = 0;
    let mut preds: SecondaryMap<Block, usize> = SecondaryMap::new();
    for data in tree.function().blocks.values() {
        data.terminator.edges().iter().for_each(|edge| preds[edge.block] += 1);
    }
    for head in tree.function().reverse_post_order().into_iter().rev() {
        if let Some(diamond) = find(tree, head, &preds, uniformity) {
            convert(tree, diamond)?;
            preds[diamond.join] -= 1;
            changes += 1;
        }
    }
    if changes != 0 && !tree.is_structured() {
        tree.remove_unreached()?;
        if joins {
            tree.merge_all()?;
        }
    }
    Ok(changes)
}

fn tree(function: &Function) -> Option<Tree> {
    Tree::flat(function.clone()).ok()
}

/// The diamond at the end of a block, if it pays off.
fn find(
    tree: &Tree,
    head: Block,
    preds: &SecondaryMap<Block, usize>,
    uniformity: &mut Option<Uniformity>,
) -> Option<Diamond> {
    let f = tree.function();
    let Terminator::Branch { condition, then, otherwise } = &f.blocks[head].terminator else { return None };
    // An arm is entered from the head alone and only goes on.
    let onward = |block: Block| match &f.blocks[block].terminator {
        Terminator::Jump(edge) if preds[block] == 1 && f.blocks[block].params.is_empty() => Some(edge.block),
        _ => None,
    };
    let (a, b) = (then.block, otherwise.block);
    let (arms, join) = match (onward(a), onward(b)) {
        (Some(x), Some(y)) if x == y => ([Some(a), Some(b)], x),
        (Some(x), _) if x == b => ([Some(a), None], b),
        (_, Some(y)) if y == a => ([None, Some(b)], a),
        _ => return None,
    };
    if join == head || arms.contains(&Some(head)) || arms.contains(&Some(join)) {
        return None;
    }
    let diamond = Diamond { head, condition: *condition, arms, join };
    let cost = cost(f, diamond)?;
    let limit = match hint(tree, head) {
        SelectionControl::Flatten => ASKED,
        SelectionControl::DontFlatten => return None,
        SelectionControl::None if cost <= UNIFORM => UNIFORM,
        SelectionControl::None => {
            // What a conversion made counts as uniform: that only converts less.
            let uniformity = uniformity.get_or_insert_with(|| Uniformity::new(f));
            if uniformity.is_uniform(*condition) { UNIFORM } else { DIVERGENT }
        }
    };
    (cost <= limit).then_some(diamond)
}

fn hint(tree: &Tree, head: Block) -> SelectionControl {
    // Gotos have no hints.
    let node = tree.node_of(head).filter(|_| tree.is_structured()).and_then(|node| tree.next(node));
    match node.and_then(|node| tree.kind(node)) {
        Some(NodeKind::If { control, .. }) => *control,
        _ => SelectionControl::None,
    }
}

/// Instructions that lanes would execute for nothing; none if one must not be.
fn cost(f: &Function, diamond: Diamond) -> Option<u32> {
    let mut sum = f.blocks[diamond.join].params.len() as u32;
    for arm in diamond.arms.into_iter().flatten() {
        for &inst in &f.blocks[arm].insts {
            sum += one(f, diamond.head, inst)?;
            if sum > ASKED {
                return None;
            }
        }
    }
    Some(sum)
}

fn one(f: &Function, head: Block, inst: Inst) -> Option<u32> {
    let data = &f.insts[inst];
    let wide = data.results.iter().any(|&v| f.ty(v).bits() > 32);
    Some(match &data.op {
        op if op.convergent() => return None,
        // Both conditions are joined in one more instruction.
        Op::Store(access) if access.ordering == Ordering::Weak => 1 + u32::from(data.guard.is_some()),
        Op::Load(access) if data.guard.is_some() => 1 + u32::from(guardable(f, inst, access)?),
        _ if data.guard.is_some() => return None,
        Op::Load(_) if accessed(f, head, inst) => 2,
        Op::Load(access) => u32::from(guardable(f, inst, access)?),
        Op::Atomic { .. } if data.results.is_empty() => 2,
        op if op.has_effect() => return None,
        // It is there for the lanes that need it.
        Op::Routine(..) => return None,
        Op::Const(_) | Op::Undef | Op::Param { .. } => 0,
        Op::Div { .. } | Op::Rem { .. } | Op::FDiv(..) | Op::FSqrt(..) | Op::Approximate { .. } => 8,
        _ if wide => 2,
        _ => 1,
    })
}

/// What a load under a guard costs; none if it has no such form: what a guard leaves is in registers as the load writes them.
fn guardable(f: &Function, inst: Inst, access: &MemoryAccess) -> Option<u8> {
    let weak = matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent);
    let space = matches!(access.space, Space::Global | Space::Generic | Space::Shared | Space::Local);
    let bits = 8 * u32::from(access.bytes);
    let mut widths = f.insts[inst].results.iter().map(|&v| f.ty(v).bits());
    let whole = match access.lanes {
        1 => widths.all(|width| width.div_ceil(32) == bits.div_ceil(32)),
        _ => bits >= 32 && widths.all(|width| width == bits),
    };
    (weak && space && whole).then_some(1)
}

/// Whether the head accesses, in every lane and with nothing between that others could wait for, all that a load reads.
fn accessed(f: &Function, head: Block, load: Inst) -> bool {
    let Op::Load(wanted) = f.insts[load].op else { return false };
    let weak = matches!(wanted.ordering, Ordering::Weak | Ordering::NonCoherent);
    let span = |a: &sassafras_ir::MemoryAccess| {
        let from = i64::from(a.offset);
        (from, from + i64::from(a.bytes) * i64::from(a.lanes))
    };
    let (from, to) = span(&wanted);
    // Behind a barrier another thread may write there: the load would be a race.
    let alone = |inst: &&Inst| {
        let op = &f.insts[**inst].op;
        matches!(op, Op::Store(access) if access.ordering == Ordering::Weak)
            || !op.has_effect() && !op.convergent()
    };
    weak && f.blocks[head].insts.iter().rev().take_while(alone).any(|&inst| {
        let data = &f.insts[inst];
        let (Op::Load(access) | Op::Store(access)) = &data.op else { return false };
        let (low, high) = span(access);
        data.guard.is_none()
            && access.space == wanted.space
            && data.args[0] == f.insts[load].args[0]
            && low <= from
            && to <= high
    })
}

fn convert(tree: &mut Tree, diamond: Diamond) -> Result<(), Refused> {
    let Diamond { head, condition, arms, join } = diamond;
    let node = tree.node_of(head).filter(|_| tree.is_structured()).and_then(|node| tree.next(node));
    // What each side passes to the join.
    let passed = |tree: &Tree, from: Block| -> Vec<Value> {
        let edges = tree.function().blocks[from].terminator.edges().into_iter().cloned();
        edges.filter(|edge| edge.block == join).flat_map(|edge| edge.args.to_vec()).collect()
    };
    let sides = arms.map(|arm| passed(tree, arm.unwrap_or(head)));
    let mut merged: Vec<Option<Value>> = vec![None; sides[0].len()];
    // Constants first, so that a load of the first arm can keep one of the second.
    for arm in arms.into_iter().flatten() {
        for inst in tree.function().blocks[arm].insts.clone() {
            if matches!(tree.function().insts[inst].op, Op::Const(_) | Op::Param { .. }) {
                tree.remove_inst(inst)?;
                tree.insert_at(Cursor::BeforeJump(head), inst)?;
            }
        }
    }
    for (side, arm) in arms.into_iter().enumerate() {
        let Some(arm) = arm else { continue };
        let guard = Guard { value: condition, negate: side == 1 };
        for inst in tree.function().blocks[arm].insts.clone() {
            let data = tree.function().insts[inst].clone();
            let guarded = match data.op {
                Op::Store(_) | Op::Atomic { .. } => true,
                Op::Load(_) => !accessed(tree.function(), head, inst),
                _ => false,
            };
            tree.remove_inst(inst)?;
            let guard = match data.guard {
                Some(own) if guarded => both(tree, head, guard, own)?,
                _ => guard,
            };
            let mut kept = Vec::new();
            if guarded && data.guard.is_none() && !data.results.is_empty() {
                for &result in &data.results {
                    kept.push(keep(tree, diamond, (side, result), &sides, &mut merged)?);
                }
            }
            tree.insert_at(Cursor::BeforeJump(head), inst)?;
            match data.op {
                _ if !guarded => {}
                Op::Load(_) if data.guard.is_none() => tree.guard_load(inst, guard, &kept)?,
                _ => tree.set_guard(inst, Some(guard))?,
            }
        }
    }
    let [ones, zeros] = sides;
    let mut values = Vec::new();
    for (done, (&one, &zero)) in merged.iter().zip(ones.iter().zip(&zeros)) {
        values.push(match done {
            Some(value) => *value,
            None => select(tree, head, condition, one, zero)?,
        });
    }
    match node {
        Some(node) => {
            let params = tree.function().blocks[join].params.clone();
            for (param, value) in params.into_iter().zip(values) {
                tree.replace_uses(param, value)?;
            }
            tree.remove_node(node)
        }
        None => tree.replace_jump(head, Jump::Goto(join), [&values, &[]]),
    }
}

/// What the result of a load is where its guard does not hold: what the other side passes, if a parameter of the join is to have the one or
/// the other, which then needs no select; else any value.
fn keep(
    tree: &mut Tree,
    diamond: Diamond,
    (side, result): (usize, Value),
    sides: &[Vec<Value>; 2],
    merged: &mut [Option<Value>],
) -> Result<Value, Refused> {
    let Diamond { head, arms, .. } = diamond;
    let f = tree.function();
    // The first arm is moved before the second: what the second computes is not there yet.
    let there = |value: Value| {
        let made = f.def(value);
        side == 1 || arms[1].is_none_or(|later| !f.blocks[later].insts.iter().any(|&i| Some(i) == made))
    };
    let wanted = (0..merged.len()).find(|&at| {
        let (own, other) = (sides[side][at], sides[1 - side][at]);
        merged[at].is_none() && own == result && other != result && there(other)
    });
    if let Some(at) = wanted {
        let other = sides[1 - side][at];
        for (slot, value) in merged.iter_mut().enumerate() {
            if sides[side][slot] == result && sides[1 - side][slot] == other {
                *value = Some(result);
            }
        }
        return Ok(other);
    }
    let ty = tree.ty(result);
    let inst = tree.insert_inst(Cursor::BeforeJump(head), Op::Undef, &[], &[ty], 0)?;
    Ok(tree.function().insts[inst].results[0])
}

/// A guard that holds where both hold.
fn both(tree: &mut Tree, head: Block, a: Guard, b: Guard) -> Result<Guard, Refused> {
    let mut bits = Vec::new();
    for guard in [a, b] {
        bits.push(match guard.negate {
            true => bit(tree, head, Op::Not, &[guard.value])?,
            false => guard.value,
        });
    }
    Ok(Guard { value: bit(tree, head, Op::And, &bits)?, negate: false })
}

fn bit(tree: &mut Tree, head: Block, op: Op, args: &[Value]) -> Result<Value, Refused> {
    let inst = tree.insert_inst(Cursor::BeforeJump(head), op, args, &[Type::I1], 0)?;
    Ok(tree.function().insts[inst].results[0])
}

/// `condition ? one : zero` at the end of a block.
fn select(
    tree: &mut Tree,
    block: Block,
    condition: Value,
    one: Value,
    zero: Value,
) -> Result<Value, Refused> {
    if one == zero {
        return Ok(one);
    }
    let ty = tree.ty(one);
    let inst = tree.insert_inst(Cursor::BeforeJump(block), Op::Select, &[condition, one, zero], &[ty], 0)?;
    Ok(tree.function().insts[inst].results[0])
}
