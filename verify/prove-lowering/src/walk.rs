//! The way of lanes through a function of the IR.
//!
//! A block is one place, in the order of their numbers, which is that of the text that was lowered; at a branch the arguments of an edge become the
//! parameters of its target. So lanes meet in the same order as on the side of PTX, and what joins there is one term.

use crate::side_error::SideError;
use rustc_hash::FxHashMap;
use sassafras_ir::{Block, Edge, Inst, Terminator, Value};
use sassafras_prove_passes::shape::Shape;
use sassafras_semantics::{Domain, TermId};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::facts::Unasked;
use sassafras_symbolic::trace::loops::{Flow, Loops};
use sassafras_symbolic::trace::side::{Side, Start};

/// Most terms of both sides.
const MOST_TERMS: usize = 120_000;

type Registers = FxHashMap<Value, TermId>;

/// What a side did.
pub(crate) struct Walked<'i> {
    pub side: Side<'i, Value>,
    /// How many blocks were run.
    pub reached: usize,
}

/// Executes an instruction on a side. It sets the guard of the side to that of the instruction.
pub(crate) type Execute<'e, 'i> = dyn FnMut(&mut Side<'i, Value>, Inst) -> Result<(), SideError> + 'e;

fn place(block: Block) -> u64 {
    u64::from(block.0)
}

/// What lanes have behind an edge.
fn along(shape: &Shape<'_>, old: &Registers, edge: &Edge) -> Result<Registers, SideError> {
    let mut values = Registers::default();
    for v in shape.live(edge.block) {
        // What is not defined on this way is used on none that goes on from here.
        if let Some(&term) = old.get(v) {
            values.insert(*v, term);
        }
    }
    for (&param, arg) in shape.function.blocks[edge.block].params.iter().zip(&edge.args) {
        let term = old.get(arg).ok_or(SideError::Undefined(*arg))?;
        values.insert(param, *term);
    }
    Ok(values)
}

/// Runs a function to its end. `bound`: one more than how often lanes return to the head of a loop, at most.
///
/// # Errors
/// What is not covered, and where.
pub(crate) fn walk<'i>(
    inputs: &'i Inputs<'i>,
    shape: &Shape<'_>,
    execute: &mut Execute<'_, 'i>,
    bound: u32,
) -> Result<Walked<'i>, SideError> {
    let f = shape.function;
    let mut flow = Flow::new();
    for &block in shape.blocks() {
        let targets = f.blocks[block].terminator.edges().iter().map(|e| place(e.block)).collect();
        flow.insert(place(block), targets);
    }
    let first = place(f.entry);
    let start = Start { at: first, ..Start::default() };
    let mut side = Side::new(inputs, "target", bound, Loops::of(&flow, &[first]), start);
    // As on the side of PTX, for which there is no code that asks: the n-th answer of one side is that of the other.
    side.reading.unasked = Unasked { clocks: true, lanes: true };
    while let Some(at) = side.advance()? {
        let data = &f.blocks[Block(at as u32)];
        for &inst in &data.insts {
            let line = f.insts[inst].line;
            let at = |why: SideError| SideError::At { inst, line, why: Box::new(why) };
            execute(&mut side, inst).map_err(at)?;
            if inputs.terms.len() > MOST_TERMS {
                return Err(at(SideError::Size { most: MOST_TERMS }));
            }
            side.guard = inputs.terms.yes();
        }
        let old = std::mem::take(&mut side.path.registers);
        let value = |v: Value| old.get(&v).copied().ok_or(SideError::Undefined(v));
        match &data.terminator {
            Terminator::Jump(edge) => {
                side.path.registers = along(shape, &old, edge)?;
                side.proceed(place(edge.block));
            }
            Terminator::Branch { condition, then, otherwise } => {
                let condition = value(*condition)?;
                side.path.registers = along(shape, &old, then)?;
                side.jump(place(then.block), Some(condition));
                side.path.registers = along(shape, &old, otherwise)?;
                side.proceed(place(otherwise.block));
            }
            Terminator::Switch { index, targets } => {
                let index = value(*index)?;
                for (i, edge) in targets.iter().enumerate() {
                    let here = inputs.terms.eq(&index, &inputs.terms.constant(32, i as u128));
                    side.path.registers = along(shape, &old, edge)?;
                    side.jump(place(edge.block), Some(here));
                }
                // What is left has an index out of range.
                side.undefine();
            }
            Terminator::Exit => side.leave(None),
            Terminator::Trap => side.trap(),
            Terminator::Unreachable => side.undefine(),
        }
    }
    let reached = shape.blocks().iter().filter(|b| side.walk.visited(place(**b))).count();
    Ok(Walked { side, reached })
}
