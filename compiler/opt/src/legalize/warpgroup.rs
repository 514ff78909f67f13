//! Products of a warpgroup take descriptors, and whether accumulators are kept, from uniform registers.
//!
//! PTX wants them the same in all lanes of a warp (PTX ISA, "wgmma.mma_async"). Where that is not seen, a reduction or a vote gives what all of them
//! have: programs name a warpgroup by `%tid`.

use sassafras_graph::ControlFlow;
use sassafras_ir::uniformity::Uniformity;
use sassafras_ir::{Block, Builder, CfgEditor, Function, Inst, Op, Type, Value};
use sassafras_semantics::state::VoteMode;
use sassafras_semantics::{AtomicOp, Opaque};

/// Where the arguments that must be uniform begin and end, counted in arguments: descriptors and the predicate.
fn uniform_arguments(op: Opaque, results: usize) -> Option<std::ops::Range<usize>> {
    let product = op.head() == "wgmma" && (op.has("ss") || op.has("rs"));
    let first = results + if op.has("rs") { 4 } else { 0 };
    let count = if op.has("rs") { 2 } else { 3 };
    product.then_some(first..first + count)
}

/// Makes uniform what is not seen to be; how often.
pub(super) fn expand(editor: &mut CfgEditor) -> usize {
    let f = editor.function();
    let product = |&i: &Inst| match f.insts[i].op {
        Op::Opaque(op) => uniform_arguments(op, f.insts[i].results.len()).is_some(),
        _ => false,
    };
    let blocks: Vec<Block> =
        f.blocks().into_iter().filter(|&b| f.blocks[b].insts.iter().any(product)).collect();
    if blocks.is_empty() {
        return 0;
    }
    let uniform = Uniformity::new(f);
    let mut changes = 0;
    for block in blocks {
        editor.rewrite(block, |b, insts| {
            for inst in insts {
                let data = &b.function.insts[inst];
                let range = match data.op {
                    Op::Opaque(op) => uniform_arguments(op, data.results.len()),
                    _ => None,
                };
                b.line = data.line;
                for n in range.unwrap_or_default() {
                    let value = b.function.insts[inst].args[n];
                    if !uniform.is_uniform(value) && !is_agreed(b.function, value) {
                        let agreed = agree(b, value);
                        b.function.insts[inst].args[n] = agreed;
                        changes += 1;
                    }
                }
                let end: Block = b.block;
                b.function.blocks[end].insts.push(inst);
            }
        });
    }
    changes
}

/// Whether a value is what lanes have agreed on by [`agree`].
fn is_agreed(f: &Function, value: Value) -> bool {
    match (f.def_op(value), f.def(value)) {
        (Some(Op::Redux(_) | Op::Vote(_)), _) => true,
        (Some(Op::Concat), Some(inst)) => f.insts[inst].args.iter().all(|&part| is_agreed(f, part)),
        _ => false,
    }
}

/// A value of lanes that agree on it, made so that it is seen.
fn agree(b: &mut Builder, value: Value) -> Value {
    let all = b.i32(u32::MAX);
    match b.function.ty(value) {
        Type::I1 => b.pair(Op::Vote(VoteMode::Any), &[value, all], [Type::I32, Type::I1]).1,
        Type::I64 => {
            let parts = [b.low(value), b.high(value)];
            let [low, high] = parts.map(|part| b.value(Op::Redux(AtomicOp::UMin), &[part, all], Type::I32));
            b.concat(low, high)
        }
        ty => b.value(Op::Redux(AtomicOp::UMin), &[value, all], ty),
    }
}
