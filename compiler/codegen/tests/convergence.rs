//! Convergence barriers on any graph of blocks, reducible or not: P2 of `docs/convergence.md`, by walking every path.

mod random;

use sassafras_codegen as codegen;
use sassafras_graph::{Dominators, SecondaryMap};
use sassafras_isa::{ControlFlowKind, FieldKind, RegClass, Rng};
use sassafras_machine::*;

/// What an instruction does to barriers.
fn barrier(inst: &MInst) -> Option<(ControlFlowKind, u64)> {
    let real = inst.inst()?;
    let kind = real.row().control_flow?;
    if !matches!(kind, ControlFlowKind::Push | ControlFlowKind::Sync | ControlFlowKind::Break) {
        return None;
    }
    let register = |kind: &FieldKind| matches!(kind, FieldKind::Register { class: RegClass::B, .. });
    let field = real.row().fields.iter().position(|field| register(&field.kind))?;
    Some((kind, real.fields[field]))
}

fn converged(seed: u64) -> (Function, Function) {
    let mut f = random::function(&mut Rng(seed));
    codegen::prepare(&mut f).unwrap();
    codegen::allocate(&mut f).unwrap();
    codegen::expand(&mut f).unwrap();
    let before = f.clone();
    codegen::converge(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    (before, f)
}

/// The barriers that are open at the end of each block, outermost first. Panics where two paths differ, or where a
/// barrier is opened twice, closed when it is not the innermost, or open at the end of a block that goes nowhere but
/// has not ended its lanes.
fn open(f: &Function, seed: u64) -> SecondaryMap<Block, Option<Vec<u64>>> {
    let mut start: SecondaryMap<Block, Option<Vec<u64>>> = SecondaryMap::new();
    let mut end: SecondaryMap<Block, Option<Vec<u64>>> = SecondaryMap::new();
    start[f.entry] = Some(Vec::new());
    let mut work = vec![f.entry];
    while let Some(block) = work.pop() {
        let mut stack = start[block].clone().expect("what is put to work has a start");
        for inst in &f.blocks[block].insts {
            match barrier(inst) {
                Some((ControlFlowKind::Push, number)) => {
                    assert!(
                        !stack.contains(&number),
                        "seed {seed}: {block} opens B{number} again\n{}",
                        text::print(f)
                    );
                    stack.push(number);
                }
                Some((ControlFlowKind::Break, number)) => {
                    let open = stack.len();
                    stack.retain(|&other| other != number);
                    assert_eq!(stack.len() + 1, open, "seed {seed}: {block} leaves B{number}");
                }
                Some((_, number)) => {
                    assert_eq!(
                        stack.pop(),
                        Some(number),
                        "seed {seed}: {block} closes B{number}\n{}",
                        text::print(f)
                    );
                }
                None => {}
            }
        }
        for edge in &f.blocks[block].succs {
            match &start[edge.block] {
                None => {
                    start[edge.block] = Some(stack.clone());
                    work.push(edge.block);
                }
                // Who only ends leaves every barrier.
                Some(_) if only_ends(f, edge.block) => {}
                Some(known) => assert_eq!(
                    known,
                    &stack,
                    "seed {seed}: ways to {} differ\n{}",
                    edge.block,
                    text::print(f)
                ),
            }
        }
        end[block] = Some(stack);
    }
    end
}

fn only_ends(f: &Function, block: Block) -> bool {
    let exit = |inst: &MInst| {
        let kind = inst.inst().and_then(|real| real.row().control_flow);
        matches!(kind, Some(ControlFlowKind::Exit))
    };
    f.blocks[block].succs.is_empty() && f.blocks[block].insts.iter().all(exit)
}

#[test]
fn barriers_nest_on_every_path() {
    let (mut covered, mut divergent) = (0, 0);
    for seed in 0..800 {
        let (before, f) = converged(seed);
        let end = open(&f, seed);
        let (post, exit) = Dominators::post(&before.graph());
        for &block in &before.layout {
            let last = before.blocks[block].insts.last();
            if last.is_some_and(|last| last.target.is_some() && !last.uniform)
                && post.immediate(block) != Some(exit)
            {
                divergent += 1;
                covered += usize::from(end[block].as_ref().is_some_and(|stack| !stack.is_empty()));
            }
        }
    }
    // The rest meets at the exit once its region is wide enough.
    assert!(divergent > 300 && covered * 2 > divergent, "{covered} of {divergent}");
}

#[test]
fn nothing_else_changes() {
    for seed in 0..200 {
        let (before, f) = converged(seed);
        for &block in &before.layout {
            let kept = f.blocks[block].insts.iter().filter(|inst| barrier(inst).is_none());
            let same =
                kept.zip(&before.blocks[block].insts).all(|(a, b)| a.op == b.op && a.origin == b.origin);
            assert!(same, "seed {seed}: {block}");
        }
    }
}
