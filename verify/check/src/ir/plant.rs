//! Faults in the IR, for tests of the judge: each leaves a module that can be walked.

use sassafras_graph::Dominators;
use sassafras_ir::{Block, Function, Guard, Module, Op, Type, ValueDef};

/// A fault: its name, and what plants it, which answers whether it found a place.
pub type Fault = (&'static str, fn(&mut Module) -> bool);

/// The faults.
pub const FAULTS: &[Fault] = &[
    ("swapped-arguments", swapped_arguments),
    ("narrow-extension", narrow_extension),
    ("use-before-definition", use_before_definition),
    ("sunk-definition", sunk_definition),
    ("guarded-load", guarded_load),
    ("lost-block-parameter", lost_block_parameter),
    ("swapped-store", swapped_store),
    ("parameter-beyond", parameter_beyond),
    ("copied-definition", copied_definition),
    ("loop-to-entry", loop_to_entry),
];

fn first(module: &mut Module, change: impl Fn(&mut Function) -> bool) -> bool {
    module.functions.iter_mut().any(change)
}

/// An edge passes two arguments of different widths in the wrong order.
fn swapped_arguments(module: &mut Module) -> bool {
    first(module, |f| {
        let values = f.values.clone();
        f.blocks.values_mut().flat_map(|b| b.terminator.edges_mut()).any(|edge| {
            let place =
                (1..edge.args.len()).find(|&i| values[edge.args[i]].ty != values[edge.args[i - 1]].ty);
            place.is_some_and(|i| {
                edge.args.swap(i - 1, i);
                true
            })
        })
    })
}

/// The result of an extension is as narrow as its argument.
fn narrow_extension(module: &mut Module) -> bool {
    first(module, |f| {
        let placed: Vec<_> = f.blocks.values().flat_map(|b| b.insts.clone()).collect();
        let found = placed.into_iter().find(|&i| matches!(f.insts[i].op, Op::ZeroExtend | Op::SignExtend));
        found.is_some_and(|i| {
            let (arg, result) = (f.insts[i].args[0], f.insts[i].results[0]);
            f.values[result].ty = f.values[arg].ty;
            true
        })
    })
}

/// Two neighbours, of which one uses the other's result, change places.
fn use_before_definition(module: &mut Module) -> bool {
    first(module, |f| {
        let insts = f.insts.clone();
        f.blocks.values_mut().filter(|b| !b.insts.is_empty()).any(|b| {
            let uses = |i: &usize| {
                let (before, after) = (&insts[b.insts[i - 1]], &insts[b.insts[*i]]);
                after.args.iter().any(|arg| before.results.contains(arg))
            };
            let place = (1..b.insts.len()).rev().find(uses);
            place.is_some_and(|i| {
                b.insts.swap(i - 1, i);
                true
            })
        })
    })
}

/// A definition moves into one side of a branch, and the other side uses it too. A side that dominates the other does not count: the
/// header of a loop dominates what is behind its latch.
fn sunk_definition(module: &mut Module) -> bool {
    first(module, |f| {
        let graph: Vec<(Block, Vec<Block>)> = f
            .blocks
            .iter()
            .map(|(b, d)| (b, d.terminator.edges().iter().map(|e| e.block).collect()))
            .collect();
        let dominators = Dominators::new(f);
        for (block, succs) in graph.into_iter().filter(|(_, s)| s.len() == 2 && s[0] != s[1]) {
            let before = dominators.dominates(succs[0], succs[1]);
            if before || succs.contains(&block) || !f.reachable()[block.0 as usize] {
                continue;
            }
            let found = f.blocks[block].insts.iter().copied().find(|&i| {
                let uses = |at: Block| {
                    let all = f.blocks[at].insts.iter().flat_map(|&u| f.insts[u].args.iter());
                    all.into_iter().any(|arg| f.insts[i].results.contains(arg))
                };
                uses(succs[1])
            });
            if let Some(i) = found {
                f.blocks[block].insts.retain(|&other| other != i);
                f.blocks[succs[0]].insts.insert(0, i);
                return true;
            }
        }
        false
    })
}

/// A load, whose result is always used, takes place under a condition, and nothing says what the result is without.
fn guarded_load(module: &mut Module) -> bool {
    first(module, |f| {
        let one_bit =
            f.values.iter().find(|(_, v)| v.ty == Type::I1 && matches!(v.def, ValueDef::Result(..)));
        let Some(value) = one_bit.map(|(v, _)| v) else { return false };
        let placed: Vec<_> = f.blocks.values().flat_map(|b| b.insts.clone()).collect();
        let found =
            placed.into_iter().find(|&i| matches!(f.insts[i].op, Op::Load(_)) && f.insts[i].guard.is_none());
        found.is_some_and(|i| {
            f.insts[i].guard = Some(Guard { value, negate: false });
            true
        })
    })
}

/// A block forgets its last parameter; the edges still pass an argument.
fn lost_block_parameter(module: &mut Module) -> bool {
    first(module, |f| f.blocks.values_mut().any(|b| b.params.pop().is_some()))
}

/// Address and value of a store change places.
fn swapped_store(module: &mut Module) -> bool {
    first(module, |f| {
        let values = f.values.clone();
        let placed: Vec<_> = f.blocks.values().flat_map(|b| b.insts.clone()).collect();
        let found = placed.into_iter().find(|&i| {
            let data = &f.insts[i];
            matches!(data.op, Op::Store(_)) && values[data.args[0]].ty != values[data.args[1]].ty
        });
        found.is_some_and(|i| {
            f.insts[i].args.swap(0, 1);
            true
        })
    })
}

/// A read of a parameter begins where the parameters end.
fn parameter_beyond(module: &mut Module) -> bool {
    first(module, |f| {
        let size = f.param_size;
        let placed: Vec<_> = f.blocks.values().flat_map(|b| b.insts.clone()).collect();
        placed.into_iter().any(|i| match &mut f.insts[i].op {
            Op::Param { offset, .. } => {
                *offset = size;
                true
            }
            _ => false,
        })
    })
}

/// An instruction with a result stands in a second block too.
fn copied_definition(module: &mut Module) -> bool {
    first(module, |f| {
        let entry = f.entry;
        let found = f.blocks[entry].insts.iter().copied().find(|&i| !f.insts[i].results.is_empty());
        let other = f.blocks.keys().find(|&b| b != entry);
        found.zip(other).is_some_and(|(i, other)| {
            f.blocks[other].insts.insert(0, i);
            true
        })
    })
}

/// A loop goes back to the entry.
fn loop_to_entry(module: &mut Module) -> bool {
    first(module, |f| {
        let entry = f.entry;
        let mut edges = f.blocks.values_mut().flat_map(|b| b.terminator.edges_mut());
        edges.find(|e| e.args.is_empty()).is_some_and(|edge| {
            edge.block = entry;
            true
        })
    })
}
