//! Where the instructions of a function lead.

use crate::sass::jumps;
use crate::trace::loops::{Edge, Flow};
use crate::trace::side::WORD;
use sassafras_cubin::Function;
use sassafras_isa::{
    Chip, ControlFlowKind, FieldKind, Inst, Memory, MemoryKind, MemorySpace, RegClass, decode,
};

/// The number of the predicate that is always true.
const TRUE: u32 = 7;

/// Whether an instruction may go on behind itself though it leads elsewhere.
fn goes_on(inst: &Inst) -> bool {
    let decides =
        |class: RegClass, number: u32| matches!(class, RegClass::P | RegClass::UP) && number != TRUE;
    let by_lanes = ["bra.div", "bra.conv", "bra.any"].iter().any(|id| inst.row().id.starts_with(id));
    !inst.guard.is_always()
        || by_lanes
        || inst.operands().any(|o| o.field.is_some() && decides(o.class, o.number))
}

/// Where each word may lead. A call leads behind itself, since what it calls ([`starts`]) comes back; a return leads nowhere. A jump to an
/// address in registers leads to each place that a table of the function names.
pub fn flow(function: &Function, chip: Chip) -> Flow {
    use ControlFlowKind as K;
    let mut flow = Flow::new();
    for (at, word) in function.code.iter().enumerate() {
        let at = at as u64;
        let Ok(inst) = decode(*word, chip) else { continue };
        let field = inst.row().fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }));
        let target = field.map(|f| target(at, &inst, f));
        let (mut to, through) = match inst.row().control_flow {
            Some(K::Branch) => (target.into_iter().collect(), goes_on(&inst)),
            Some(K::Call) => (Vec::new(), true),
            Some(K::IndirectBranch) => (jumps::places(function).map(|p| p / WORD).collect(), goes_on(&inst)),
            Some(K::Return | K::Exit | K::Trap) => (Vec::new(), goes_on(&inst)),
            _ => (Vec::new(), true),
        };
        if through {
            to.push(at + 1);
        }
        to.retain(|next| (*next as usize) < function.code.len());
        flow.insert(at, to);
    }
    flow
}

/// Words that read or write memory other than constants and the thread's own.
pub fn accesses(function: &Function, chip: Chip) -> Vec<u64> {
    let counts = |memory: &Memory| {
        memory.kind != MemoryKind::Fence
            && !matches!(memory.space, MemorySpace::Constant | MemorySpace::Local)
    };
    let is_access =
        |word: &u128| decode(*word, chip).is_ok_and(|inst| inst.row().memory.as_ref().is_some_and(counts));
    let all = function.code.iter().enumerate();
    all.filter(|(_, word)| is_access(word)).map(|(at, _)| at as u64).collect()
}

/// Where code of a function begins: at its entry, and at what calls name. What a call through registers calls is one of its subroutines.
pub fn starts(function: &Function, chip: Chip) -> Vec<u64> {
    let mut starts = vec![0];
    for (at, word) in function.code.iter().enumerate() {
        let Ok(inst) = decode(*word, chip) else { continue };
        let calls = inst.row().control_flow == Some(ControlFlowKind::Call);
        let through_registers = inst.operands().any(|o| o.class == RegClass::R);
        let field = inst.row().fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }));
        starts.extend(field.filter(|_| calls && !through_registers).map(|f| target(at as u64, &inst, f)));
    }
    starts.extend(function.subroutines.iter().map(|s| u64::from(s.offset) / WORD));
    starts.retain(|at| (*at as usize) < function.code.len());
    starts
}

/// The word that a field names as a target, of the instruction at `at`.
fn target(at: u64, inst: &Inst, field: usize) -> u64 {
    (at + 1).wrapping_add_signed(inst.fields[field] as i64 / WORD as i64)
}

/// How lanes go where an instruction leads.
pub fn edge(inst: &Inst) -> Edge {
    match inst.row().control_flow {
        Some(ControlFlowKind::Call) => Edge::Call,
        Some(ControlFlowKind::Return) => Edge::Return,
        _ => Edge::Step,
    }
}

/// Whether this flow is all there is: no jump goes to an address in registers, and nothing is called.
pub fn is_plain(function: &Function, chip: Chip) -> bool {
    use ControlFlowKind as K;
    let kinds = function.code.iter().filter_map(|w| decode(*w, chip).ok()).map(|i| i.row().control_flow);
    kinds.flatten().all(|kind| !matches!(kind, K::Call | K::Return | K::IndirectBranch))
}
