//! Lines of the PTX source, for instructions that the compiler adds.
//!
//! An instruction that a stage makes of another takes over its line where it is made. What stands for no instruction of the
//! program (moves on edges, convergence barriers, branches that the layout needs) belongs to its neighbour: nvdisasm
//! and debuggers count a word without a row of its own to the row before it.

use rustc_hash::FxHashSet;
use sassafras_machine::Function;

/// Gives each instruction without a line that of the one before it in its block; at the begin of a block, that of the first
/// behind that has one, or of the way out; in a block that has none, that with which one of its predecessors ends. The entry of a function
/// whose instructions have no line stays without.
pub(crate) fn inherit(f: &mut Function) {
    let mut without = FxHashSet::default();
    for &block in &f.layout {
        let data = &mut f.blocks[block];
        let insts = &mut data.insts;
        let lines = insts.iter().map(|inst| inst.line).chain([data.line]);
        let Some(first) = lines.into_iter().find(|&line| line != 0) else {
            if !insts.is_empty() {
                without.insert(block);
            }
            continue;
        };
        let mut line = first;
        for inst in insts {
            if inst.line == 0 {
                inst.line = line;
            }
            line = inst.line;
        }
    }
    if without.is_empty() {
        return;
    }
    // Blocks without any line in a row each wait for the one before.
    for _ in 0..without.len() {
        let mut found = Vec::new();
        for &from in &f.layout {
            let Some(line) = f.blocks[from].insts.last().map(|last| last.line).filter(|&line| line != 0)
            else {
                continue;
            };
            let to = f.blocks[from].succs.iter().map(|edge| edge.block);
            found.extend(to.filter(|to| without.contains(to)).map(|to| (to, line)));
        }
        if found.is_empty() {
            return;
        }
        for (block, line) in found {
            f.blocks[block].insts.iter_mut().filter(|inst| inst.line == 0).for_each(|inst| inst.line = line);
            without.remove(&block);
        }
    }
}
