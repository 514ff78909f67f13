//! Small branches become straight code.

use crate::Stats;
use sassafras_graph::SecondaryMap;
use sassafras_ir::tree::{Cursor, Jump, NodeKind, Refused, SelectionControl, Tree};
use sassafras_ir::uniformity::Uniformity;
use sassafras_ir::{Block, Function, Guard, Inst, Op, Terminator, Value};
use sassafras_semantics::Ordering;

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

/// Makes diamonds and triangles of cheap instructions straight: their instructions are executed by all lanes, stores under the
/// condition as guard, and selects take the place of the join's parameters.
///
/// Edits a control tree through its cursors. Does not move convergent operations, nor loads but where the head accesses the same place anyhow, nor what
/// costs more than the branch. Needs SSA. Preserves SSA.
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
        _ if data.guard.is_some() => return None,
        op if op.convergent() => return None,
        Op::Store(access) if access.ordering == Ordering::Weak => 1,
        Op::Load(_) if accessed(f, head, inst) => 2,
        Op::Load(_) => return None,
        op if op.has_effect() => return None,
        Op::Const(_) | Op::Undef | Op::Param { .. } => 0,
        Op::Div { .. } | Op::Rem { .. } | Op::FDiv(..) | Op::FSqrt(..) | Op::Approximate { .. } => 8,
        _ if wide => 2,
        _ => 1,
    })
}

/// Whether the head accesses, in every lane, all that a load reads.
fn accessed(f: &Function, head: Block, load: Inst) -> bool {
    let Op::Load(wanted) = f.insts[load].op else { return false };
    let weak = matches!(wanted.ordering, Ordering::Weak | Ordering::NonCoherent);
    let span = |a: &sassafras_ir::MemoryAccess| {
        let from = i64::from(a.offset);
        (from, from + i64::from(a.bytes) * i64::from(a.lanes))
    };
    let (from, to) = span(&wanted);
    weak && f.blocks[head].insts.iter().any(|&inst| {
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
    for (negate, arm) in [(false, arms[0]), (true, arms[1])] {
        let Some(arm) = arm else { continue };
        for inst in tree.function().blocks[arm].insts.clone() {
            if matches!(tree.function().insts[inst].op, Op::Store(_)) {
                tree.set_guard(inst, Some(Guard { value: condition, negate }))?;
            }
            tree.remove_inst(inst)?;
            tree.insert_at(Cursor::BeforeJump(head), inst)?;
        }
    }
    // What each side passes to the join.
    let passed = |tree: &Tree, from: Block| -> Vec<Value> {
        let edges = tree.function().blocks[from].terminator.edges().into_iter().cloned();
        edges.filter(|edge| edge.block == join).flat_map(|edge| edge.args.to_vec()).collect()
    };
    let ones = passed(tree, arms[0].unwrap_or(head));
    let zeros = passed(tree, arms[1].unwrap_or(head));
    let mut merged = Vec::new();
    for (&one, &zero) in ones.iter().zip(&zeros) {
        merged.push(select(tree, head, condition, one, zero)?);
    }
    match node {
        Some(node) => {
            let params = tree.function().blocks[join].params.clone();
            for (param, value) in params.into_iter().zip(merged) {
                tree.replace_uses(param, value)?;
            }
            tree.remove_node(node)
        }
        None => tree.replace_jump(head, Jump::Goto(join), [&merged, &[]]),
    }
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
