//! Hazards of a scheduled function. The judge is that of [`sassafras_hazards`], which takes single instructions.

use sassafras_hazards::rules::Rule;
use sassafras_hazards::{Blocks, Finding, Verdict};
use sassafras_machine::Function;
use std::collections::HashMap;

pub use sassafras_hazards::{
    Program, check_own_words, check_words, check_words_with, drains, examine, holds_until_read, judge, listed,
};

/// Checks a scheduled function.
pub fn check(f: &Function) -> Verdict {
    program(f).map_or_else(|fault| Verdict::Objected(vec![fault]), |program| judge(&program))
}

/// A scheduled function as single instructions.
///
/// # Errors
/// A pseudo-instruction, or a branch to a block that has no place.
fn program(f: &Function) -> Result<Program, Finding> {
    let mut starts = HashMap::new();
    let mut blocks = Vec::new();
    let mut count = 0;
    for &block in &f.layout {
        starts.insert(block, count);
        blocks.push((count, block.to_string()));
        count += f.blocks[block].insts.len();
    }
    let (mut insts, mut targets) = (Vec::new(), Vec::new());
    for (block, index, inst) in f.insts() {
        let fault = |message: &str| Finding {
            rule: Rule::Shape.id(),
            place: format!("`{}`, {block}, instruction {index}", f.name),
            message: message.into(),
        };
        let real = inst.inst().ok_or_else(|| fault("a pseudo-instruction is left"))?;
        let target = match inst.target {
            Some(target) => {
                Some(*starts.get(&target).ok_or_else(|| fault("the branch goes to a block without place"))?)
            }
            None => None,
        };
        insts.push(real.clone());
        targets.push(target);
    }
    Ok(Program::of_blocks(f.chip, insts, &targets, Blocks { function: f.name.clone(), blocks }))
}
