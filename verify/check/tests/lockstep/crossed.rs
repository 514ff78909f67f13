//! Two graphs in whose code barriers waited for each other, when a region got the lowest number that was free where its lanes part.
//!
//! Lanes part at a branch with two meeting places further on, set as B0 and B1. Some go to a loop from where only the one is reached
//! and break B0; others to a loop from where only the other is reached, and break B1. If each loop takes what is free there, lanes
//! of the one are in B1 and wait at B0 each turn, lanes of the other are in B0 and wait at B1.

use super::graphs::{self, Rng};
use super::run;
use super::{APART, Shown};
use sassafras_isa::{ControlFlowKind as K, RegClass};
use sassafras_machine::{Block, Function, MInst, Reg, text};
use std::collections::HashMap;

/// By seed.
pub const SEEDS: [u64; 2] = [5705, 5912];

/// The graphs of these seeds, so that another way of drawing graphs does not take them away unseen.
const OUTLINES: [&str; 2] = [
    "L0=2,1 L1-7 l2-3,6 L3-4 L4-3 l5=6,9 L6-7,9 l7-4,8 L8-9 L9-8 ",
    "L0-1 L1-17,2 L2-3,5 l3-17,4 L4-11 L5-6 L6-7,5 L7-8,11 (l8)-9 L9-10 L10-20,11 L11-4,12 L12-end L13-14 L14=20,15 l15-16 \
     L16-17,19 L17=18,5 L18-19 l19-20,18 L20-21 L21-18,22 L22-end ",
];

#[test]
fn both_end_and_are_in_lock_step() {
    for (seed, outline) in SEEDS.into_iter().zip(OUTLINES) {
        let mut shown = Shown::default();
        assert_eq!(graphs::outline(&graphs::of_seed(&mut Rng(seed))), outline);
        shown.run(seed);
        shown.assert_right();
    }
}

/// Placed code of these graphs from when a loop set its barrier before lanes diverged from those that pass it by: now the two regions do not overlap, and
/// have nothing to cross.
const PLACED: [&str; 2] = [include_str!("crossed/5705.txt"), include_str!("crossed/5912.txt")];

/// The numbers that were: the judge of paths objects to them, by the rule on waiting alone, and lanes wait for ever.
#[test]
fn the_lowest_free_numbers_are_objected_to() {
    for (seed, placed) in SEEDS.into_iter().zip(PLACED) {
        let mut rng = Rng(seed);
        let ptx = graphs::ptx(&graphs::of_seed(&mut rng));
        let inputs = graphs::inputs(&mut rng);
        let mut f = text::parse(placed).unwrap_or_else(|e| panic!("{e}"));
        let (_, rules) = run::from_machine(&text::print(&f)).expect("it compiles");
        assert!(rules.is_empty(), "{rules:?}");
        renumber(&mut f);
        let (crossed, rules) = run::from_machine(&text::print(&f)).expect("it compiles");
        assert!(!rules.is_empty() && rules.iter().all(|rule| *rule == "converge-wait"), "{rules:?}");
        // Machine code by itself does not know its parameters.
        let (mut cubin, _) = run::through_tree(&ptx).expect("a tree");
        cubin.functions[0].code.clone_from(&crossed.functions[0].code);
        cubin.functions[0].registers = crossed.functions[0].registers;
        let runs = inputs.iter().flat_map(|&input| APART.map(|order| run::code(&cubin, input, order)));
        let failures: Vec<String> = runs.filter_map(Result::err).map(|why| why.to_string()).collect();
        assert!(!failures.is_empty(), "seed {seed}: nobody waits for ever");
        assert!(failures.iter().all(|why| why.contains("BSYNC")), "{failures:?}");
    }
}

/// Gives each barrier the lowest number that is free where it is set.
fn renumber(f: &mut Function) {
    let mut enter: HashMap<Block, Vec<(u16, u16)>> = HashMap::from([(f.entry, Vec::new())]);
    let mut work = vec![f.entry];
    while let Some(block) = work.pop() {
        let mut open = enter[&block].clone();
        for inst in &mut f.blocks[block].insts {
            let Some((kind, old)) = barrier(inst) else { continue };
            if kind == K::Push {
                let free = (0..).find(|number| open.iter().all(|(_, new)| new != number));
                open.push((old, free.expect("there is one")));
            }
            let at = open.iter().position(|&(number, _)| number == old).expect("it is open");
            let new = open[at].1;
            inst.map_registers(|operand| match operand.class {
                RegClass::B => Reg::Physical(new),
                _ => operand.reg,
            });
            if kind != K::Push {
                open.remove(at);
            }
        }
        for edge in &f.blocks[block].succs {
            enter.entry(edge.block).or_insert_with(|| {
                work.push(edge.block);
                open.clone()
            });
        }
    }
}

/// What an instruction does to a barrier, and to which.
fn barrier(inst: &MInst) -> Option<(K, u16)> {
    let kind = inst.inst()?.row().control_flow?;
    let operand = inst.operands().into_iter().find(|operand| operand.class == RegClass::B)?;
    match operand.reg {
        Reg::Physical(number) => Some((kind, number)),
        Reg::Virtual(..) => None,
    }
}
