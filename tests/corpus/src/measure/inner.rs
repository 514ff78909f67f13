//! The innermost loop of a function's code that accesses most bytes in a turn, and what a turn of it costs.

use sassafras_chip::Chip;
use sassafras_cubin::Function;
use sassafras_graph::{Dominators, Entity, Graph, Loops};
use sassafras_isa::{
    ControlFlowKind, DecodeError, FieldKind, Inst, Memory, MemoryKind, MemorySpace, Style, decode, print,
};

sassafras_graph::entity!(Place, "place", "An instruction of a function, by its number; the last is the end.");

/// A loop without another in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inner {
    /// Static instructions, without NOPs.
    pub instructions: u64,
    /// Bytes that a thread loads and stores in a turn; constants are not counted.
    pub bytes: u64,
}

impl Inner {
    /// Instructions for each byte accessed: the same for a loop and for its turns unrolled, where each copy does the same work.
    pub fn cost(&self) -> f64 {
        self.instructions as f64 / self.bytes as f64
    }
}

/// The innermost loop that accesses most, the shorter of equal ones; `None` where no loop accesses memory.
///
/// # Errors
/// A word that no row of the table owns.
pub fn busiest(function: &Function, chip: Chip) -> Result<Option<Inner>, DecodeError> {
    let code = function.code.iter().map(|&word| decode(word, chip)).collect::<Result<Vec<Inst>, _>>()?;
    let place = |at: usize| Place::from_index(at.min(code.len()));
    let edges = code
        .iter()
        .enumerate()
        .flat_map(|(at, inst)| successors(inst, at).into_iter().flatten().map(move |to| (at, to)));
    let graph = Graph::new(place(0), code.len() + 1, edges.map(|(from, to)| (place(from), place(to))));
    let loops = Loops::new(&graph, &Dominators::new(&graph));
    let innermost = loops.ids().filter(|id| !loops.ids().any(|other| loops.parent(other) == Some(*id)));
    let counted = innermost.map(|id| {
        let insts = loops.blocks(id).iter().filter_map(|block| code.get(block.index()));
        let insts: Vec<&Inst> = insts.filter(|inst| inst.row().mnemonic != "NOP").collect();
        Inner { instructions: insts.len() as u64, bytes: insts.into_iter().map(accessed).sum() }
    });
    Ok(counted.filter(|l| l.bytes > 0).max_by_key(|l| (l.bytes, std::cmp::Reverse(l.instructions))))
}

/// What can come after an instruction: the next, and where it branches to.
fn successors(inst: &Inst, at: usize) -> [Option<usize>; 2] {
    let row = inst.row();
    let falls = may_fall_through(inst).then_some(at + 1);
    let target = row.fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }));
    match (row.control_flow, target) {
        (Some(ControlFlowKind::Branch), Some(field)) => {
            let to = at as i64 + 1 + inst.fields[field] as i64 / 16;
            [falls, usize::try_from(to).ok()]
        }
        (Some(ControlFlowKind::Exit | ControlFlowKind::Return | ControlFlowKind::IndirectBranch), _) => {
            [falls, None]
        }
        _ => [Some(at + 1), None],
    }
}

/// A guard, or a condition among the operands, may keep it from leaving.
fn may_fall_through(inst: &Inst) -> bool {
    let text = print(inst, &Style::default());
    let operands = text.split_once(' ').map_or("", |(_, rest)| rest);
    text.starts_with('@')
        || text.starts_with("BRA.DIV")
        || operands.trim_start_matches(['!', 'U']).starts_with('P')
}

/// Bytes of one thread, by the width in the text of a load, a store or an atomic.
fn accessed(inst: &Inst) -> u64 {
    let row = inst.row();
    let moves = |m: &Memory| m.space != MemorySpace::Constant && m.kind != MemoryKind::Fence;
    if !row.memory.as_ref().is_some_and(moves) {
        return 0;
    }
    let text = print(inst, &Style::default());
    let has = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
    match () {
        () if has([".128", ".128"]) => 16,
        () if has([".64 ", ".64."]) => 8,
        () if has([".U8", ".S8"]) => 1,
        () if has([".U16", ".S16"]) => 2,
        () => 4,
    }
}
