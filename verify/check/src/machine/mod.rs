//! Rules about machine code: what each phase promises, and how threads that part meet again.
//!
//! Which branches may diverge is judged from the instructions by `uniform`, P5 with it; the rules on convergence take it from the mark
//! ([`sassafras_machine::MInst::uniform`]). Of P3 of `docs/convergence.md` `scatter`
//! judges what lanes that BSYNC may let go early need; P4 is not judged.

mod converge;
mod critical;
mod deserted;
mod flow;
mod live;
mod meeting;
mod operands;
mod placement;
mod scatter;
mod shape;
mod ssa;
mod uniform;
mod waits;

pub use critical::check_critical;
pub use placement::check_placement;

use crate::report::Report;
use sassafras_hazards::Verdict;
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Function, MInst, Phase};

/// Judges a function by its phase.
pub fn check(f: &Function) -> Verdict {
    let mut report = Report::of(&f.name);
    // What follows indexes by blocks: it runs only where all exist.
    if shape::layout(f, &mut report) {
        shape::edges(f, &mut report);
        operands::check(f, &mut report);
        match f.phase {
            Phase::Ssa => {
                shape::before_placement(f, &mut report);
                ssa::check(f, &mut report);
            }
            Phase::Allocated => shape::before_placement(f, &mut report),
            Phase::Placed | Phase::Scheduled => {
                flow::check(f, &mut report);
                converge::check(f, &mut report);
                placement::frame(f, &mut report);
                live::check(f, &mut report);
                uniform::check(f, &mut report);
            }
        }
    }
    report.verdict()
}

/// What the instruction does to control.
pub(crate) fn kind(inst: &MInst) -> Option<ControlFlowKind> {
    inst.inst().and_then(|inst| inst.row().control_flow)
}

/// Whether every lane takes part.
pub(crate) fn always(inst: &MInst) -> bool {
    inst.inst().is_none_or(|inst| inst.guard.is_always())
}

/// Whether a lane that gets here goes nowhere in this function: a trap is followed by an exit, and a routine ends by a return.
fn ends_thread(inst: &MInst) -> bool {
    matches!(kind(inst), Some(ControlFlowKind::Exit | ControlFlowKind::Return)) && always(inst)
}

/// Whether it is a call that comes back, of a function that the driver resolves or of a routine that emission puts behind the function.
fn comes_back(inst: &MInst) -> bool {
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
