//! What is asked of single instructions.

use sassafras_isa::ControlFlowKind;
use sassafras_machine::MInst;

/// What the instruction does to control.
pub(crate) fn kind(inst: &MInst) -> Option<ControlFlowKind> {
    inst.inst().and_then(|inst| inst.row().control_flow)
}

/// Whether every lane takes part.
pub(crate) fn always(inst: &MInst) -> bool {
    inst.inst().is_none_or(|inst| inst.guard.is_always())
}

/// Whether a lane that gets here goes nowhere in this function: a trap is followed by an exit, and a routine ends by a return.
pub(crate) fn ends_thread(inst: &MInst) -> bool {
    matches!(kind(inst), Some(ControlFlowKind::Exit | ControlFlowKind::Return)) && always(inst)
}

/// Whether it is a call that comes back, of a function that the driver resolves or of a routine that emission puts behind the function.
pub(crate) fn comes_back(inst: &MInst) -> bool {
    inst.inst().is_some_and(|real| real.row().family == "call.abs.r" || sassafras_hazards::is_routine(real))
}

/// The general registers and predicates that a call of a routine may change, of a form that [`sassafras_hazards::is_routine`]: its target is the routine's number yet.
pub(crate) fn clobbered(call: &sassafras_isa::Inst) -> Vec<(sassafras_isa::RegClass, u16)> {
    use sassafras_chip::abi::routine;
    use sassafras_isa::RegClass;
    let number = call.get("t").and_then(|t| u8::try_from(t / 16).ok()).unwrap_or(u8::MAX);
    let general = (0..u16::from(u8::MAX)).filter(|&n| routine::clobbers(number, n));
    let predicates = (0..7).filter(|&n| routine::clobbers_predicate(n));
    general.map(|n| (RegClass::R, n)).chain(predicates.map(|n| (RegClass::P, n))).collect()
}
